//! Sums of the natural-map residual, which [`solver`](super) defines, over contacts and joint rows.

#[cfg(feature = "gpu")]
use super::{Options, Report, Status};
use crate::solver::sums::{self, Term};
use bytemuck::{Pod, Zeroable};

/// Sum of squares and maximum over one workgroup's contacts or joint rows; 8 bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Default, Pod, Zeroable)]
pub struct Partial {
    /// Sum of squared residuals `[m^2/s^2]`.
    pub sum_of_squares: f32,
    /// Largest residual `[m/s]`.
    pub max: f32,
}

impl Partial {
    /// The partial of one contact or joint row.
    #[must_use]
    pub fn of(residual: f32) -> Self {
        Self {
            sum_of_squares: residual * residual,
            max: residual,
        }
    }
}

impl Term for Partial {
    fn plus(self, other: Self) -> Self {
        Self {
            sum_of_squares: self.sum_of_squares + other.sum_of_squares,
            max: self.max.max(other.max),
        }
    }
}

/// What a solve is told about when to stop, and what it says about how it stopped; 32 bytes.
///
/// A backend without a host to ask keeps it beside the problem: [`Control::check`] decides.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Default, Pod, Zeroable)]
pub struct Control {
    /// 1 once nothing is left to do, else 0.
    pub done: u32,
    /// Iterations run at the last look at the residual.
    pub iterations: u32,
    /// Root mean square of the residual at that look `[m/s]`, NaN if any residual is not a number.
    pub residual_rms: f32,
    /// Largest residual at that look `[m/s]`, likewise.
    pub residual_max: f32,
    /// Root mean square at which to stop `[m/s]`; 0 runs all iterations.
    pub tolerance: f32,
    /// Iterations from one look to the next.
    pub check_every: u32,
    /// Most iterations.
    pub iteration_limit: u32,
    /// Contacts and joint rows.
    pub block_count: u32,
}

impl Control {
    /// Nothing done yet of what the options ask for.
    #[cfg(feature = "gpu")]
    pub(super) fn start(options: &Options, block_count: usize) -> Self {
        Self {
            tolerance: options.tolerance,
            check_every: options.until_check(0),
            iteration_limit: options.iterations,
            block_count: block_count as u32,
            ..Self::default()
        }
    }

    /// Puts how a solve ended into its report.
    #[cfg(feature = "gpu")]
    pub(super) fn report(&self, report: &mut Report, options: &Options) {
        report.iterations = self.iterations;
        (report.residual_rms, report.residual_max) = if self.residual_rms.is_finite() {
            (self.residual_rms, self.residual_max)
        } else {
            (f32::NAN, f32::NAN)
        };
        report.status = Status::after(report, options);
    }

    /// A look at the residual: what all partials, as [`gather`] adds them up, amount to.
    pub fn check(&mut self, total: Partial) {
        (self.residual_rms, self.residual_max) = total.finish(self.block_count as usize);
        self.iterations = (self.iterations + self.check_every).min(self.iteration_limit);
        let reached = self.tolerance > 0.0 && self.residual_rms <= self.tolerance;
        if reached || !self.residual_rms.is_finite() {
            self.done = 1;
        }
    }
}

/// Adds up the partials of the contacts and then of the rows. Twin of `shaders/residual_step.wgsl`.
#[must_use]
pub fn gather(partials: [&[Partial]; 2]) -> Partial {
    sums::of_lists(partials.map(|partials| partials.iter().copied()))
}

/// Root mean square and maximum over `count` contacts and joint rows, from the partials of the
/// contacts and of the rows; both NaN if any residual is not a number.
#[must_use]
pub fn finish(partials: [&[Partial]; 2], count: usize) -> (f32, f32) {
    gather(partials).finish(count)
}

impl Partial {
    /// Root mean square and maximum over `count` contacts and joint rows; both NaN if any residual is
    /// not a number.
    #[must_use]
    pub fn finish(self, count: usize) -> (f32, f32) {
        if count == 0 {
            return (0.0, 0.0);
        }
        let rms = (self.sum_of_squares / count as f32).sqrt();
        // `max` skips NaN where the sum does not.
        if rms.is_finite() {
            (rms, self.max)
        } else {
            (f32::NAN, f32::NAN)
        }
    }
}

/// Root mean square and maximum of the natural-map residual over some rows `[m/s]` (position pass:
/// `[m]`); both NaN if a number is.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Norms {
    /// Root mean square.
    pub rms: f64,
    /// Maximum.
    pub max: f64,
}

impl Norms {
    /// Of residuals, at least 0, the others of `count` being zero.
    pub(super) fn of(residuals: impl IntoIterator<Item = f64>, count: usize) -> Self {
        let (sum, max) = residuals
            .into_iter()
            .fold((0.0, 0.0_f64), |(sum, max), x| (sum + x * x, max.max(x)));
        let rms = (sum / count.max(1) as f64).sqrt();
        // `max` skips NaN where the sum does not.
        let max = if rms.is_finite() { max } else { f64::NAN };
        Self { rms, max }
    }
}
