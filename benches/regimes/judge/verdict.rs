//! Whether a regime went right, and by which numbers.

use super::super::scenes::{Regime, Right};
use super::Seen;

/// A number that a regime is judged by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Check {
    /// Name of the number.
    pub(crate) what: &'static str,
    /// The number, or how far it is from the right one.
    pub(crate) seen: f64,
    /// The largest that is right.
    pub(crate) most: f64,
}

impl Check {
    pub(crate) fn is_met(&self) -> bool {
        self.seen <= self.most
    }
}

/// A number that tells how a regime went, and what it should be if that is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Number {
    pub(crate) what: &'static str,
    pub(crate) value: f64,
    pub(crate) right: Option<f64>,
}

/// All that is judged.
pub(crate) fn checks(regime: &Regime, seen: &Seen) -> Vec<Check> {
    let check = |what, seen, most| Check { what, seen, most };
    let share = |what, seen: f64, right: f64, within| Check {
        what,
        seen: (seen / right - 1.0).abs(),
        most: within,
    };
    let mut checks = match regime.right {
        Right::Stands { sideways } => vec![
            check("sideways", seen.sideways, sideways),
            check("sank", seen.sank, 0.1),
            check("rms", seen.rms, 1e-3),
        ],
        Right::Rests => vec![
            check("rms", seen.rms, 1e-2),
            check("penetration", seen.mean_penetration, 1e-3),
        ],
        Right::Packs { fraction, within } => vec![
            check("fraction", (seen.fraction - fraction).abs(), within),
            check("rms", seen.rms, 1e-2),
            check("penetration", seen.mean_penetration, 1e-3),
        ],
        Right::Throw { height, within } => vec![share("throw [mm]", seen.throw, height, within)],
        Right::KeepsKinetic { within } => vec![share("kinetic", seen.kinetic, 1.0, within)],
        Right::Cools { power, within } => {
            vec![check("power", (seen.power - power).abs(), within)]
        }
        Right::Bounces { peaks, within } => {
            let got = |k: usize| seen.peaks.get(k).copied().unwrap_or(f64::NAN);
            vec![
                share("peak", got(0), peaks[0], within),
                share("peak 2", got(1), peaks[1], within),
            ]
        }
        Right::Parts { speed } => vec![check("fastest over bound", seen.fastest / speed, 1.0)],
        Right::Topples { speed, within } => {
            vec![share("speed over known", seen.wave, speed, within)]
        }
        Right::Swings { angle, within } => vec![share("swing", seen.swing, angle, within)],
        Right::Precesses {
            rate,
            within,
            tilt_within,
            ..
        } => vec![
            share("precession over known", seen.precession, rate, within),
            check("tilt off", seen.tilt_off, tilt_within),
        ],
        Right::KeepsSpin { within } => vec![share("spin", seen.spin, 1.0, within)],
        Right::GainsNothing => Vec::new(),
    };
    if !regime.is_driven {
        checks.push(check(
            "gain",
            seen.gain,
            (0.01 * seen.most_kinetic).max(1e-3),
        ));
    }
    checks
}

/// Whether it went right.
#[allow(dead_code, reason = "the bench needs the check that is missed")]
pub(crate) fn is_right(regime: &Regime, seen: &Seen) -> bool {
    checks(regime, seen).iter().all(Check::is_met)
}

/// The number that tells most.
pub(crate) fn number(regime: &Regime, seen: &Seen) -> Number {
    let (what, value, right) = match regime.right {
        Right::Stands { .. } => ("sank", seen.sank, None),
        Right::Rests => ("rms", seen.rms, Some(0.0)),
        Right::Packs { fraction, .. } => ("fraction", seen.fraction, Some(fraction)),
        Right::Throw { height, .. } => ("throw [mm]", 1e3 * seen.throw, Some(1e3 * height)),
        Right::KeepsKinetic { .. } => ("kinetic", seen.kinetic, Some(1.0)),
        Right::Cools { power, .. } => ("power", seen.power, Some(power)),
        Right::Bounces { peaks, .. } => {
            let peak = seen.peaks.first().copied().unwrap_or(f64::NAN);
            ("peak", peak, Some(peaks[0]))
        }
        Right::Parts { speed } => ("fastest over bound", seen.fastest / speed, None),
        Right::Topples { speed, .. } => ("speed over known", seen.wave / speed, Some(1.0)),
        Right::Swings { angle, .. } => ("swing", seen.swing, Some(angle)),
        Right::Precesses { rate, .. } => {
            ("precession over known", seen.precession / rate, Some(1.0))
        }
        Right::KeepsSpin { .. } => ("spin", seen.spin, Some(1.0)),
        Right::GainsNothing => ("gain", seen.gain, None),
    };
    Number { what, value, right }
}

/// The number that is judged where it is none of the usual ones, in words.
pub(crate) fn remark(regime: &Regime, seen: &Seen) -> String {
    match regime.right {
        Right::Stands { .. } | Right::Rests | Right::GainsNothing => String::new(),
        Right::Bounces { .. } => format!("peaks {:.4?}", &seen.peaks[..seen.peaks.len().min(2)]),
        Right::Precesses { .. } => format!(
            "precession {:.4} rad/s, tilt off by {:.3} degrees",
            seen.precession,
            seen.tilt_off.to_degrees()
        ),
        Right::Parts { speed } => format!("fastest {:.2} of {speed:.2} m/s", seen.fastest),
        Right::Topples { speed, .. } => format!("speed {:.3} of {speed:.3} m/s", seen.wave),
        _ => {
            let number = number(regime, seen);
            format!("{} {:.4}", number.what, number.value)
        }
    }
}
