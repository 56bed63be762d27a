//! Which points stand for a contact.

use crate::error::{Error, Result};

/// Which points stand for the contact of boxes and convex polyhedra.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum ContactModel {
    /// A face clipped by another, along the axis that separates best, or a pair of edges.
    #[default]
    Clipped,
    /// The nearly active events of Hart's ratio metric, each with its own normal and gap: at most four well-spread ones of a pair.
    Events {
        /// See [`EventLimits::near`](crate::collide::EventLimits::near).
        near: f64,
        /// [`EventLimits::lateral`](crate::collide::EventLimits::lateral) over the smaller of the two solids' inner radii.
        lateral: f64,
    },
}

impl ContactModel {
    /// Events with the usual tolerances.
    pub const EVENTS: Self = Self::Events {
        near: 0.05,
        lateral: 0.05,
    };

    /// As scenes name it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Clipped => "clipped",
            Self::Events { .. } => "events",
        }
    }

    /// Checks the tolerances.
    ///
    /// # Errors
    /// [`Error::Invalid`] for one that is negative or not finite.
    pub fn validate(&self) -> Result<()> {
        if let Self::Events { near, lateral } = self {
            for (name, value) in [("near", *near), ("lateral", *lateral)] {
                if !(value >= 0.0 && value.is_finite()) {
                    return Err(Error::invalid(
                        "contact model",
                        format!("`{name}` is {value}; a finite number of at least 0 is expected"),
                    ));
                }
            }
        }
        Ok(())
    }
}
