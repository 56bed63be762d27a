//! How the bias of a joint row comes about, substep after substep.

use bytemuck::{Pod, Zeroable};

/// The law of one joint row, in 32 bytes.
///
/// In substep k of n the row's velocity is `J V + (k - 1) / n * change + rounding`: J is frozen, and
/// `change` stands for its turning. Its error has become `error + J d + change h t^2 / 2`, t being the
/// part of the step that is past: `(k - 1) / n` before the substep's velocity LCP, `k / n` before its
/// position LCP. Its bias, the two terms of the velocity above included, is
///
/// ```text
/// rounding + (k - 1) / n * change + offset + rate * error + memory * (velocity before the substep)
/// ```
///
/// and for a gap that is open `rounding + (k - 1) / n * change + gap / h_s`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct RowLaw {
    /// Error or gap at the start of the step `[m]` or `[rad]`.
    pub error: f32,
    /// Bias for the error `[1/s]`.
    pub rate: f32,
    /// Bias for the velocity before the substep.
    pub memory: f32,
    /// Bias whatever the error is `[m/s]` or `[rad/s]`.
    pub offset: f32,
    /// What the turning of the row adds to its velocity over the whole step, with what the target of a
    /// prescribed velocity loses `[m/s]` or `[rad/s]`.
    pub change: f32,
    /// Velocity that the f32 numbers of row and bodies leave out `[m/s]` or `[rad/s]`.
    pub rounding: f32,
    /// Most that a position LCP corrects of the error `[m]` or `[rad]`; of a row that says nothing about
    /// positions negative.
    pub max_correction: f32,
    /// 1 for a gap (a limit), which asks for nothing more than not to be violated; else 0.
    pub is_gap: u32,
}

impl RowLaw {
    /// True if the row takes part in the position LCP.
    #[must_use]
    pub fn has_position(&self) -> bool {
        self.max_correction >= 0.0
    }

    /// The row's error `[m]` or `[rad]` where it is now, `moved` being `J d`, when part `past` of a step
    /// of length `h` is past.
    #[must_use]
    pub fn error_now(&self, moved: f64, past: f64, h: f64) -> f64 {
        f64::from(self.error) + moved + 0.5 * f64::from(self.change) * h * past * past
    }

    /// Bias in the velocity LCP of a substep of length `h_s` that begins at part `past` of the step, with
    /// the row's error and `J V` as they are then.
    #[must_use]
    pub fn velocity_bias(&self, error: f64, velocity: f64, past: f64, h_s: f64) -> f64 {
        let turned = f64::from(self.rounding) + past * f64::from(self.change);
        if self.is_gap != 0 && error > 0.0 {
            return turned + error / h_s;
        }
        turned
            + f64::from(self.offset)
            + f64::from(self.rate) * error
            + f64::from(self.memory) * (velocity + turned)
    }

    /// Bias in the position LCP: the error, or as much of it as may be corrected. An open gap may close.
    #[must_use]
    pub fn position_bias(&self, error: f64) -> f64 {
        let most = f64::from(self.max_correction);
        if self.is_gap != 0 {
            error.max(-most)
        } else {
            error.clamp(-most, most)
        }
    }

    pub(super) fn validate(&self) -> Result<(), String> {
        let Self {
            error,
            rate,
            memory,
            offset,
            change,
            rounding,
            max_correction,
            is_gap: _,
        } = *self;
        let numbers = [error, rate, memory, offset, change, rounding];
        if numbers.iter().all(|x| x.is_finite()) && !max_correction.is_nan() {
            Ok(())
        } else {
            Err("every number must be finite".into())
        }
    }
}
