//! Numbers of the command line, read and checked.

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

pub(crate) fn positive(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if number > 0.0 && number.is_finite() {
        Ok(number)
    } else {
        Err("must be positive and finite".into())
    }
}

pub(crate) fn not_negative(text: &str) -> Result<f32, String> {
    let number: f32 = text.parse().map_err(|_| "not a number".to_owned())?;
    if number >= 0.0 && number.is_finite() {
        Ok(number)
    } else {
        Err("must be at least 0 and finite".into())
    }
}

pub(crate) fn not_negative_f64(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if number >= 0.0 && number.is_finite() {
        Ok(number)
    } else {
        Err("must be at least 0 and finite".into())
    }
}

pub(crate) fn share(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..2.0).contains(&number) {
        Ok(number)
    } else {
        Err("must be at least 0 and below 2".into())
    }
}

pub(crate) fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count @ 1..=1024) => Ok(count),
        _ => Err("must be a whole number from 1 to 1024".into()),
    }
}
