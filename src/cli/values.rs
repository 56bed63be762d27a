//! Numbers of the command line, read and checked.

use std::str::FromStr;

/// `1280x800`.
#[cfg(feature = "gpu")]
pub(crate) fn size(text: &str) -> Result<(u32, u32), String> {
    let side = |text: &str| match text.parse() {
        Ok(side @ 16..=8192) => Some(side),
        _ => None,
    };
    text.split_once('x')
        .and_then(|(width, height)| side(width).zip(side(height)))
        .ok_or_else(|| "expected WIDTHxHEIGHT, each from 16 to 8192, such as 1280x800".into())
}

fn number<T: FromStr + Copy>(
    text: &str,
    is_right: impl Fn(T) -> bool,
    expected: &str,
) -> Result<T, String> {
    let number = text.parse().map_err(|_| "not a number")?;
    if is_right(number) {
        Ok(number)
    } else {
        Err(expected.into())
    }
}

pub(crate) fn positive(text: &str) -> Result<f64, String> {
    let is_right = |x: f64| x > 0.0 && x.is_finite();
    number(text, is_right, "must be positive and finite")
}

pub(crate) fn not_negative(text: &str) -> Result<f32, String> {
    let is_right = |x: f32| x >= 0.0 && x.is_finite();
    number(text, is_right, "must be at least 0 and finite")
}

pub(crate) fn not_negative_f64(text: &str) -> Result<f64, String> {
    let is_right = |x: f64| x >= 0.0 && x.is_finite();
    number(text, is_right, "must be at least 0 and finite")
}

pub(crate) fn share(text: &str) -> Result<f64, String> {
    let is_right = |x: f64| (0.0..2.0).contains(&x);
    number(text, is_right, "must be at least 0 and below 2")
}

pub(crate) fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count @ 1..=1024) => Ok(count),
        _ => Err("must be a whole number from 1 to 1024".into()),
    }
}
