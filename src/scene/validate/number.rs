//! Checks of numbers.

use crate::constants::{MAX_SCENE_COMPONENT, MAX_SCENE_LENGTH};
use crate::error::Result;
use crate::scene::place::Place;
use crate::scene::schema::Vector;

/// A number, or none where the file leaves it out, which is right.
type Given = Option<f64>;

pub(super) fn finite(value: impl Into<Given>, what: &str, place: &Place<'_>) -> Result<()> {
    let expected = "expected a finite number";
    check(value.into(), what, place, f64::is_finite, expected)
}

pub(super) fn positive(value: impl Into<Given>, what: &str, place: &Place<'_>) -> Result<()> {
    let is_right = |x: f64| x > 0.0 && x.is_finite();
    let expected = "expected a finite number above 0";
    check(value.into(), what, place, is_right, expected)
}

pub(super) fn not_negative(value: impl Into<Given>, what: &str, place: &Place<'_>) -> Result<()> {
    let is_right = |x: f64| x >= 0.0 && x.is_finite();
    let expected = "expected a finite number of at least 0";
    check(value.into(), what, place, is_right, expected)
}

fn check(
    value: Given,
    what: &str,
    place: &Place<'_>,
    is_right: impl Fn(f64) -> bool,
    expected: &str,
) -> Result<()> {
    match value {
        Some(value) if !is_right(value) => Err(place.error(format!("{what} is {value}"), expected)),
        _ => Ok(()),
    }
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
pub(super) fn length(value: impl Into<Given>, what: &str, place: &Place<'_>) -> Result<()> {
    let value = value.into();
    positive(value, what, place)?;
    value.map_or(Ok(()), |value| {
        at_most(value, MAX_SCENE_LENGTH, what, place)
    })
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

fn each<'v>(
    value: impl Into<Option<&'v Vector>>,
    place: &Place<'_>,
    check: impl Fn(f64, &str, &Place<'_>) -> Result<()>,
) -> Result<()> {
    ["x", "y", "z"]
        .iter()
        .zip(value.into().into_iter().flatten())
        .enumerate()
        .try_for_each(|(at, (what, &x))| check(x, what, &place.at(at)))
}

/// Every component finite.
pub(super) fn vector<'v>(value: impl Into<Option<&'v Vector>>, place: &Place<'_>) -> Result<()> {
    each(value, place, |x, what, place| {
        finite(x, what, place)?;
        at_most(x, MAX_SCENE_COMPONENT, what, place)
    })
}

/// A place or a lever `[m]`.
pub(super) fn position<'v>(value: impl Into<Option<&'v Vector>>, place: &Place<'_>) -> Result<()> {
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
pub(super) fn direction<'v>(
    value: impl Into<Option<&'v Vector>>,
    what: &str,
    place: &Place<'_>,
) -> Result<()> {
    let Some(value) = value.into() else {
        return Ok(());
    };
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
