//! Checks of numbers.

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

/// Every component finite.
pub(super) fn vector(value: &Vector, place: &Place<'_>) -> Result<()> {
    ["x", "y", "z"]
        .iter()
        .zip(value)
        .enumerate()
        .try_for_each(|(at, (what, &x))| finite(x, what, &place.at(at)))
}

/// Every component positive and finite.
pub(super) fn positive_vector(value: &Vector, place: &Place<'_>) -> Result<()> {
    ["x", "y", "z"]
        .iter()
        .zip(value)
        .enumerate()
        .try_for_each(|(at, (what, &x))| positive(x, what, &place.at(at)))
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
