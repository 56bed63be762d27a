//! The iteration: sweeps over blocks, looks at the residual, and the best impulses so far.

use super::anderson::Anderson;
use super::{Acceleration, LocalRule, NsgsOptions};
use crate::constants::{NSGS_PATIENCE, NSGS_ROUND_OFF};
use crate::solver::Status;

/// Root mean square and maximum of the residuals of all contacts and joint rows `[m/s]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Residual {
    /// Root mean square.
    pub rms: f64,
    /// Largest.
    pub max: f64,
}

impl Residual {
    /// Of all residuals; both NaN if any is.
    pub fn over(residuals: impl Iterator<Item = f64>) -> Self {
        let (mut sum, mut max, mut count) = (0.0, 0.0_f64, 0_usize);
        for residual in residuals {
            sum += residual * residual;
            max = max.max(residual);
            count += 1;
        }
        let rms = (sum / count.max(1) as f64).sqrt();
        // `max` skips NaN where the sum does not.
        let max = if rms.is_finite() { max } else { f64::NAN };
        Self { rms, max }
    }
}

/// What is swept: a vector of impulses and whatever follows from it.
pub trait System {
    /// Number of impulses.
    fn unknowns(&self) -> usize;
    /// Computes velocities from impulses afresh.
    fn refresh(&mut self, r: &[f64]);
    /// Visits every block once; the velocities must be those of `r`, and are afterwards.
    fn sweep(&mut self, r: &mut [f64]);
    /// Makes one step a visit from now on, where that can help; false if not.
    fn ease(&mut self) -> bool;
    /// The residual; the velocities must be those of `r`.
    fn residual(&self, r: &[f64]) -> Residual;
    /// Moves impulses into their cones and between their bounds.
    fn admit(&self, r: &mut [f64]);
    /// For each impulse, the root of its effect on its own velocity `[kg^(-1/2)]`: with it, impulses
    /// of unlike bodies compare.
    fn weights(&self) -> Vec<f64>;
    /// Largest relative velocity before the solve `[m/s]`: what round-off is a part of.
    fn speed_scale(&self) -> f64;
}

/// How an iteration ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ending {
    /// Why it ended.
    pub status: Status,
    /// Sweeps that it took.
    pub sweeps: u32,
    /// Of the impulses that are left.
    pub residual: Residual,
}

/// The best impulses seen after a sweep; before the first look, the start.
///
/// The start is no rival: a sweep lowers the energy of the error, and may do so while the residual grows. A step of
/// few sweeps that kept it would carry the same impulses on for ever.
struct Best {
    r: Vec<f64>,
    residual: Residual,
    is_start: bool,
}

impl Best {
    fn offer(&mut self, r: &[f64], residual: Residual) {
        let better = self.is_start || residual.rms < self.residual.rms;
        if better && residual.rms.is_finite() {
            self.r.copy_from_slice(r);
            self.residual = residual;
            self.is_start = false;
        }
    }
}

/// Watches for sweeps that do not get on.
struct Patience {
    /// Residual to halve, and the sweep by which that is due; none once it no longer matters.
    due: Option<(f64, u32)>,
}

impl Patience {
    fn new(rule: LocalRule, residual: f64) -> Self {
        let adapts = matches!(rule, LocalRule::Adaptive { iterations } if iterations > 1);
        Self {
            due: adapts.then_some((residual, NSGS_PATIENCE)),
        }
    }

    /// True, once, if the least residual so far is not half of what it was long before.
    fn is_over(&mut self, sweeps: u32, least: f64) -> bool {
        let Some((residual, due)) = &mut self.due else {
            return false;
        };
        if least <= 0.5 * *residual {
            (*residual, *due) = (least, sweeps.saturating_add(NSGS_PATIENCE));
            return false;
        }
        let over = sweeps >= *due;
        if over {
            self.due = None;
        }
        over
    }
}

/// Sweeps from `r` until the residual is small enough; leaves the best impulses found in `r`, and
/// their velocities in `system`.
pub fn iterate(system: &mut impl System, r: &mut [f64], options: &NsgsOptions) -> Ending {
    let round_off = NSGS_ROUND_OFF * system.speed_scale();
    system.admit(r);
    system.refresh(r);
    let mut best = Best {
        r: r.to_vec(),
        residual: system.residual(r),
        is_start: true,
    };
    let weights = system.weights();
    let history = || match options.acceleration {
        Acceleration::None => None,
        Acceleration::Anderson { depth } => Some(Anderson::new(weights.clone(), depth)),
    };
    let mut anderson = history();
    let mut patience = Patience::new(options.local, best.residual.rms);
    let mut sweeps = 0;
    let mut status = Status::MaxIterations;
    if !best.residual.rms.is_finite() {
        status = Status::NonFinite;
    } else if best.residual.rms <= options.tolerance || best.residual.rms == 0.0 {
        status = Status::Converged;
    }
    while status == Status::MaxIterations && sweeps < options.iterations {
        if let Some(anderson) = &mut anderson {
            anderson.before(r);
        }
        system.sweep(r);
        sweeps += 1;
        if sweeps % options.check_every == 0 || sweeps == options.iterations {
            // Afresh: what thousands of sweeps have added up is not quite what the impulses do.
            system.refresh(r);
            let residual = system.residual(r);
            // Below round-off, for as long as it helps.
            let exhausted = residual.rms <= round_off && residual.rms >= best.residual.rms;
            best.offer(r, residual);
            if !residual.rms.is_finite() {
                status = Status::NonFinite;
                break;
            }
            if residual.rms <= options.tolerance || exhausted {
                status = Status::Converged;
                break;
            }
            if patience.is_over(sweeps, best.residual.rms) && system.ease() {
                // Another map: the history of the one before tells nothing about it.
                anderson = history();
                r.copy_from_slice(&best.r);
                system.refresh(r);
                continue;
            }
        }
        if let Some(anderson) = &mut anderson
            && anderson.after(r)
        {
            system.admit(r);
            system.refresh(r);
        }
    }
    r.copy_from_slice(&best.r);
    system.refresh(r);
    Ending {
        status,
        sweeps,
        residual: best.residual,
    }
}
