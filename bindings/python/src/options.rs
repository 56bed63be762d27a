//! Numbers of solvers as keywords.

use crate::error::{Failure, Result};
use drystone::problem::{FrictionCone, FrictionLaw};
use drystone::solver::Method;

/// A method by its name.
///
/// # Errors
/// `InvalidError` that lists the names.
pub(crate) fn method(name: &str) -> Result<Method> {
    let found = Method::ALL.into_iter().find(|method| method.name() == name);
    found.ok_or_else(|| {
        let names = Method::ALL.map(Method::name).join("`, `");
        Failure::invalid(
            "method",
            format!("`{name}` given; one of `{names}` is expected"),
        )
    })
}

/// A law of friction by its name.
///
/// # Errors
/// `InvalidError` that lists the names.
pub(crate) fn friction_law(name: &str) -> Result<FrictionLaw> {
    let mut laws = FrictionLaw::ALL.into_iter();
    laws.find(|law| law.name() == name).ok_or_else(|| {
        let names = FrictionLaw::ALL.map(FrictionLaw::name).join("`, `");
        Failure::invalid(
            "friction_law",
            format!("`{name}` given; one of `{names}` is expected"),
        )
    })
}

/// The disk, or a polygon of some corners.
///
/// # Errors
/// `InvalidError` for a number of corners that no polygon may have.
pub(crate) fn friction_cone(directions: Option<u32>) -> Result<FrictionCone> {
    let cone = directions.map_or(FrictionCone::Disk, |directions| FrictionCone::Pyramid {
        directions,
    });
    cone.validate()?;
    Ok(cone)
}
