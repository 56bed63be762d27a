//! Checks of stabilization schemes.

use super::number::not_negative;
use crate::error::Result;
use crate::scene::place::Place;
use crate::scene::schema::{Scheme, SchemeTable, SchemeType, Stabilization};

/// Checks the schemes.
pub(super) fn schemes(stabilization: &Stabilization, place: &Place<'_>) -> Result<()> {
    let schemes = [
        ("method", stabilization.method.as_ref()),
        ("contacts", stabilization.contacts.as_ref()),
        ("joints", stabilization.joints.as_ref()),
    ];
    for (key, scheme) in schemes {
        if let Some(Scheme::Table(table)) = scheme {
            self::table(table, &place.key(key))?;
        }
    }
    Ok(())
}

fn table(table: &SchemeTable, place: &Place<'_>) -> Result<()> {
    let numbers = [
        ("kappa", table.kappa),
        ("alpha", table.alpha),
        ("beta", table.beta),
        ("omega0", table.omega0),
        ("zeta", table.zeta),
        ("gamma", table.gamma),
        ("softness", table.softness),
    ];
    let (title, forms, help): (&str, &[&[&str]], &str) = match table.kind {
        SchemeType::Baumgarte => (
            "Baumgarte's stabilization",
            &[&["kappa"], &["alpha", "beta"], &["omega0", "zeta"]],
            "expected `kappa`, or `alpha` and `beta`, or `omega0` and `zeta`",
        ),
        SchemeType::Gamma => ("gamma stabilization", &[&["gamma"]], "expected `gamma`"),
        SchemeType::Soft => (
            "soft stabilization",
            &[&["softness"]],
            "expected `softness`",
        ),
    };
    let is_given = |key: &str| numbers.iter().any(|(name, n)| *name == key && n.is_some());
    let Some(form) = forms
        .iter()
        .find(|form| form.iter().any(|key| is_given(key)))
    else {
        return Err(place.error(format!("{title} without its numbers"), help));
    };
    for (key, number) in numbers {
        match number {
            Some(_) if !form.contains(&key) => {
                return Err(place
                    .name_of(key)
                    .error(format!("`{key}` beside `{}`", form[0]), help));
            }
            Some(number) => not_negative(number, key, &place.key(key))?,
            None if form.contains(&key) => {
                return Err(place.error(format!("{title} without `{key}`"), help));
            }
            None => {}
        }
    }
    match table.gamma {
        Some(gamma) if !(gamma > 0.0 && gamma < 2.0) => Err(place.key("gamma").error(
            format!("gamma is {gamma}"),
            "expected a number above 0 and below 2",
        )),
        _ => match table.softness {
            Some(softness) if softness <= 0.0 => Err(place.key("softness").error(
                format!("softness is {softness}"),
                "expected a positive number",
            )),
            _ => Ok(()),
        },
    }
}
