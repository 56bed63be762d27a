//! Reasons why faces are no surface.

/// Reason why triangles are no mesh, or polygons no solid.
#[derive(Debug, PartialEq)]
pub(crate) struct Flaw {
    /// The face that it is found at, as it was given, if there is one.
    pub(crate) face: Option<usize>,
    pub(crate) why: String,
    /// Another face, which ends the sentence.
    other: Option<usize>,
}

impl Flaw {
    pub(super) fn of(face: usize, why: impl Into<String>) -> Self {
        Self {
            face: Some(face),
            why: why.into(),
            other: None,
        }
    }

    /// Of a face beside another one, which ends the sentence.
    pub(super) fn of_two(face: usize, why: impl Into<String>, other: usize) -> Self {
        Self {
            other: Some(other),
            ..Self::of(face, why)
        }
    }

    pub(super) fn of_all(why: impl Into<String>) -> Self {
        Self {
            face: None,
            why: why.into(),
            other: None,
        }
    }

    /// The same of the faces that those found are parts of, or made of.
    pub(crate) fn of_faces(self, faces: &[usize]) -> Self {
        let of = |at: Option<usize>| at.map(|at| faces[at]);
        Self {
            face: of(self.face),
            other: of(self.other),
            ..self
        }
    }

    /// The reason, in which faces have names.
    pub(crate) fn told(&self, name: impl Fn(usize) -> String) -> String {
        match self.other {
            Some(other) => format!("{} {}", self.why, name(other)),
            None => self.why.clone(),
        }
    }

    /// The reason with the number of the face, of which kind it is.
    pub(crate) fn of_numbered(&self, kind: &str) -> String {
        let name = |at: usize| format!("{kind} {at}");
        let why = self.told(name);
        match self.face {
            Some(at) => format!("{}: {why}", name(at)),
            None => why,
        }
    }
}
