//! Solvers of one interface: a [`Problem`] in, velocities and impulses out, a [`Report`] beside them.
//!
//! | backend | type | sweep |
//! |---|---|---|
//! | CPU, rayon | [`cpu::CpuSolver`] | [`Method::GaussSeidel`], [`Method::Jacobi`] |
//! | GPU, WGSL | [`gpu::GpuSolver`] | the same |
//! | reference, f64 | [`reference::LemkeSolver`] | none: Lemke's pivoting, for small problems |
//!
//! Both methods run the same two kernels: a colour of the batches is swept by
//! [`contact_sweep`](cpu::contact_sweep), the mass-split remainder by
//! [`contact_split`](cpu::contact_split) and [`body_gather`](cpu::body_gather). Gauss–Seidel has
//! colours and, for hubs, a remainder; Jacobi is a remainder and nothing else.

pub mod cpu;
#[cfg(feature = "gpu")]
pub mod gpu;
pub mod reference;
pub mod residual;

use crate::constants::MAX_COLORS;
use crate::error::{Error, Result};
use crate::problem::Problem;
use crate::problem::batches::{Batches, BodyVelocity};
use std::time::Duration;

/// Which sweep a solver runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// Projected Gauss–Seidel over colour batches; hubs' surplus contacts by mass splitting.
    #[default]
    GaussSeidel,
    /// Projected Jacobi with mass splitting: every contact at once.
    Jacobi,
}

impl Method {
    /// Name in scene files, on the command line and in reports: `pgs` or `jacobi`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::GaussSeidel => "pgs",
            Self::Jacobi => "jacobi",
        }
    }

    /// Colours that the packing may use.
    #[must_use]
    pub fn max_colors(self) -> usize {
        match self {
            Self::GaussSeidel => MAX_COLORS,
            Self::Jacobi => 0,
        }
    }
}

/// When to stop, and how to sweep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// The sweep.
    pub method: Method,
    /// Most iterations (passes over all contacts).
    pub iterations: u32,
    /// Root mean square of the natural-map residual at which to stop `[m/s]` (position pass: `[m]`);
    /// 0 runs all iterations.
    pub tolerance: f32,
    /// Iterations between two looks at the residual when there is a tolerance.
    pub check_every: u32,
    /// Start from the impulses in the contacts.
    pub warm_start: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            method: Method::GaussSeidel,
            iterations: 30,
            tolerance: 0.0,
            check_every: 8,
            warm_start: true,
        }
    }
}

impl Options {
    /// Checks the numbers.
    ///
    /// # Errors
    /// [`Error::Invalid`] for no iterations, no iterations between checks, or a tolerance that is
    /// negative or not a number.
    pub fn validate(&self) -> Result<()> {
        if self.iterations == 0 || self.check_every == 0 {
            return Err(Error::invalid(
                "solver options",
                "iterations and check_every must be at least 1",
            ));
        }
        if !(self.tolerance >= 0.0 && self.tolerance.is_finite()) {
            return Err(Error::invalid(
                "solver tolerance",
                format!("{} is not a finite number of at least 0", self.tolerance),
            ));
        }
        Ok(())
    }

    /// Iterations from `done` to the next look at the residual, or to the end.
    fn until_check(&self, done: u32) -> u32 {
        let left = self.iterations - done;
        if self.tolerance > 0.0 {
            left.min(self.check_every - done % self.check_every)
        } else {
            left
        }
    }
}

/// Velocity of one body after a solve.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Velocity {
    /// Of the centre of mass `[m/s]`.
    pub linear: [f32; 3],
    /// In world axes `[rad/s]`.
    pub angular: [f32; 3],
}

/// What a solver computes. The vectors are reused from solve to solve.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Solution {
    /// Shape `[body_count]`, in the order of the problem.
    pub velocities: Vec<Velocity>,
    /// Impulse `(normal, tangent 1, tangent 2)` `[N s]`, shape `[contact_count]`, in the order of the
    /// problem.
    pub impulses: Vec<[f32; 3]>,
}

/// How a solve ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Status {
    /// The residual reached the tolerance.
    Converged,
    /// All iterations were run (always so without a tolerance).
    #[default]
    MaxIterations,
    /// No further progress was possible.
    Stalled,
    /// A pivoting method ended on a ray: it found no solution.
    RayTermination,
    /// A number stopped being finite; the solution must not be used.
    NonFinite,
}

impl Status {
    /// Name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Converged => "converged",
            Self::MaxIterations => "max_iterations",
            Self::Stalled => "stalled",
            Self::RayTermination => "ray_termination",
            Self::NonFinite => "non_finite",
        }
    }
}

/// The numerical outcome of a solve.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Report {
    /// How it ended.
    pub status: Status,
    /// Passes over all contacts.
    pub iterations: u32,
    /// Root mean square over contacts of the natural-map residual `[m/s]` (position pass: `[m]`).
    pub residual_rms: f32,
    /// Largest natural-map residual of a contact `[m/s]` (position pass: `[m]`).
    pub residual_max: f32,
    /// Number of colours.
    pub colors: u32,
    /// Contacts in the mass-split remainder.
    pub remainder_contacts: u32,
    /// Time to colour and pack.
    pub pack_time: Duration,
    /// Time to sweep, transfers included.
    pub solve_time: Duration,
}

/// A backend.
pub trait Solver: Send {
    /// `cpu`, `gpu`, ...
    fn backend(&self) -> &'static str;

    /// The adapter it runs on, if it is a GPU's.
    fn adapter(&self) -> Option<String> {
        None
    }

    /// Solves `problem` and overwrites `solution`.
    ///
    /// # Errors
    /// [`Error::Invalid`] for options or a problem without meaning, [`Error::Capacity`] or
    /// [`Error::Device`] if the backend cannot hold it or fails. That the iteration does not
    /// converge is no error: see [`Report::status`].
    fn solve(
        &mut self,
        problem: &Problem,
        options: &Options,
        solution: &mut Solution,
    ) -> Result<Report>;
}

impl Status {
    /// The status that a residual just measured amounts to.
    fn after(report: &Report, options: &Options) -> Self {
        if !report.residual_rms.is_finite() {
            Self::NonFinite
        } else if options.tolerance > 0.0 && report.residual_rms <= options.tolerance {
            Self::Converged
        } else {
            Self::MaxIterations
        }
    }
}

impl Solution {
    /// True if every number is finite.
    ///
    /// The residual alone does not tell: a projection turns what is not a number into zero.
    fn is_finite(&self) -> bool {
        let velocities = self
            .velocities
            .iter()
            .flat_map(|v| v.linear.iter().chain(&v.angular));
        velocities
            .chain(self.impulses.iter().flatten())
            .all(|x| x.is_finite())
    }

    /// Copies velocities, and impulses back into the problem's order.
    fn take_from(&mut self, batches: &Batches, velocities: &[BodyVelocity], impulses: &[[f32; 4]]) {
        self.velocities.clear();
        self.velocities.extend(velocities.iter().map(|v| Velocity {
            linear: v.linear,
            angular: v.angular,
        }));
        self.impulses.clear();
        self.impulses.resize(impulses.len(), [0.0; 3]);
        for (&contact, &[n, t1, t2, _]) in batches.source.iter().zip(impulses) {
            self.impulses[contact as usize] = [n, t1, t2];
        }
    }
}
