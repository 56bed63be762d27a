//! Reasons why faces are no surface.

/// Reason why triangles are no mesh, or polygons no solid.
#[derive(Debug, PartialEq)]
pub(crate) struct Flaw {
    /// The face that it is found at, as it was given, if there is one.
    pub(crate) face: Option<usize>,
    pub(crate) why: String,
}

impl Flaw {
    pub(super) fn of(face: usize, why: impl Into<String>) -> Self {
        Self {
            face: Some(face),
            why: why.into(),
        }
    }

    pub(super) fn of_all(why: impl Into<String>) -> Self {
        Self {
            face: None,
            why: why.into(),
        }
    }

    /// The reason with the number of the face, of which kind it is.
    pub(crate) fn of_numbered(self, kind: &str) -> String {
        match self.face {
            Some(at) => format!("{kind} {at}: {}", self.why),
            None => self.why,
        }
    }
}
