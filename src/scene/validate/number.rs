//! Checks of numbers.

use crate::constants::{MAX_SCENE_COMPONENT, MAX_SCENE_LENGTH};
use crate::error::Result;
use crate::scene::place::Place;
use crate::scene::schema::Vector;

pub(super) fn finite(value: f64, what: &str, place: &Place<'_>) -> Result<()> {
    if value.is_finite() {
        return Ok(());
    }
    Err(place.error(format!("{what} is {value}"), "expected a finite number"))
}

pub(super) fn positive(value: f64, what: &str, place: &Place<'_>) -> Result<()> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(place.error(
        format!("{what} is {value}"),
        "expected a finite number above 0",
    ))
}

pub(super) fn not_negative(value: f64, what: &str, place: &Place<'_>) -> Result<()> {
    if value >= 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(place.error(
        format!("{what} is {value}"),
        "expected a finite number of at least 0",
    ))
}

pub(super) fn within(
    value: f64,
    least: f64,
    most: f64,
    what: &str,
    place: &Place<'_>,
) -> Result<()> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(place.error(
        format!("{what} is {value}"),
        format!("expected a number from {least} to {most}"),
    ))
}

/// A size `[m]`.
pub(super) fn length(value: f64, what: &str, place: &Place<'_>) -> Result<()> {
    positive(value, what, place)?;
    at_most(value, MAX_SCENE_LENGTH, what, place)
}

/// A size `[m]` or 0.
pub(super) fn length_or_0(value: f64, what: &str, place: &Place<'_>) -> Result<()> {
    not_negative(value, what, place)?;
    at_most(value, MAX_SCENE_LENGTH, what, place)
}

/// The corners `min` and `max` of a box.
pub(super) fn corners(min: &Vector, max: &Vector, place: &Place<'_>) -> Result<()> {
    vector(min, &place.key("min"))?;
    vector(max, &place.key("max"))?;
    for (axis, (min, max)) in min.iter().zip(max).enumerate() {
        if min >= max {
            return Err(place.key("max").at(axis).error(
                format!("the box ends at {max}, where it begins at {min}"),
                "expected a number above that of `min`",
            ));
        }
    }
    Ok(())
}

fn at_most(value: f64, most: f64, what: &str, place: &Place<'_>) -> Result<()> {
    if value.abs() <= most {
        return Ok(());
    }
    Err(place.error(
        format!("{what} is {value:e}"),
        format!("expected at most {most:e}"),
    ))
}

fn each(
    value: &Vector,
    place: &Place<'_>,
    check: impl Fn(f64, &str, &Place<'_>) -> Result<()>,
) -> Result<()> {
    ["x", "y", "z"]
        .iter()
        .zip(value)
        .enumerate()
        .try_for_each(|(at, (what, &x))| check(x, what, &place.at(at)))
}

/// Every component finite.
pub(super) fn vector(value: &Vector, place: &Place<'_>) -> Result<()> {
    each(value, place, |x, what, place| {
        finite(x, what, place)?;
        at_most(x, MAX_SCENE_COMPONENT, what, place)
    })
}

/// A place or a lever `[m]`.
pub(super) fn position(value: &Vector, place: &Place<'_>) -> Result<()> {
    each(value, place, |x, what, place| {
        finite(x, what, place)?;
        at_most(x, MAX_SCENE_LENGTH, what, place)
    })
}

/// Every component positive and finite.
pub(super) fn positive_vector(value: &Vector, place: &Place<'_>) -> Result<()> {
    each(value, place, positive)
}

/// Sizes `[m]`.
pub(super) fn lengths(value: &Vector, place: &Place<'_>) -> Result<()> {
    each(value, place, length)
}

/// Finite, and not zero.
pub(super) fn direction(value: &Vector, what: &str, place: &Place<'_>) -> Result<()> {
    vector(value, place)?;
    let length = value.iter().map(|x| x * x).sum::<f64>().sqrt();
    if length.is_normal() {
        return Ok(());
    }
    Err(place.error(
        format!("{what} has length {length}"),
        "expected a direction: a vector that is not 0",
    ))
}
