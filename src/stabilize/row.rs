//! What the bias of a row is made from.

pub use crate::solver::substeps::soft::Sweeps;

/// How a row moves before a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RowState {
    /// `J V`, V being the velocity before the step, without the step's forces `[m/s]` or `[rad/s]`.
    pub velocity: f64,
    /// `(dJ/dt) V`, the part of the second derivative that no acceleration causes `[m/s^2]` or
    /// `[rad/s^2]`. Contacts leave it out (zero): their points change from step to step.
    pub drift: f64,
    /// Length of the step `[s]`.
    pub h: f64,
    /// Sweeps of the problem that the row is in.
    pub sweeps: Sweeps,
    /// Fastest correction of a soft joint's error, but for what the turning of bodies leaves `[m/s]` or
    /// `[rad/s]`.
    pub fastest: f64,
}

/// What a bias takes of the state of its row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Feedback {
    /// Of the error `[1/s]`.
    pub error: f64,
    /// Of the velocity before the step.
    pub velocity: f64,
    /// Of the drift `[s]`.
    pub drift: f64,
}

/// The velocity `v0(t)` that a row is to have `[m/s]` or `[rad/s]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prescribed {
    /// Before the step.
    pub now: f64,
    /// Its time derivative before the step, per second.
    pub derivative: f64,
    /// At the end of the step.
    pub next: f64,
    /// Integral over time of `J V - v0`, the velocity before the step included: `h` times the sum of all
    /// errors from the first step to this one `[m]` or `[rad]`.
    pub integral: f64,
}
