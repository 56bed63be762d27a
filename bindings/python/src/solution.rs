//! The answer of a solve.

use crate::error::Result;
use crate::view;
use drystone::problem::ProblemRef;
use drystone::solver::{self, Motion, Plan, Report};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use std::mem::offset_of;

/// Velocities, displacements and impulses of a problem, and how the solve went.
///
/// Arrays are read-only views of the solution's own memory, made without a copy; they never change. They are float32, in the order of the
/// problem's bodies, contacts and rows.
#[pyclass(frozen, module = "drystone._drystone")]
pub(crate) struct Solution {
    pub(crate) found: solver::Solution,
    /// Shape `[body_count]`.
    motions: Vec<Motion>,
    report: Report,
    is_step: bool,
}

impl Solution {
    /// From what a solver found.
    pub(crate) fn new(
        problem: &ProblemRef<'_>,
        plan: &Plan,
        found: solver::Solution,
        report: Report,
    ) -> Result<Self> {
        let substeps = plan.substeps();
        let h = substeps.map_or(0.0, |plan| f64::from(plan.time_step));
        let bodies = 0..problem.bodies.len();
        let motions = bodies.map(|body| plan.motion(h, problem, &found, body));
        Ok(Self {
            motions: motions.collect::<drystone::Result<_>>()?,
            found,
            report,
            is_step: substeps.is_some(),
        })
    }
}

#[pymethods]
impl Solution {
    /// ``"converged"`` at the tolerance, ``"max_iterations"`` after all sweeps (always so without a tolerance), or ``"stalled"``.
    #[getter]
    fn status(&self) -> &'static str {
        self.report.status.name()
    }

    /// Sweeps, of all substeps.
    #[getter]
    fn iterations(&self) -> u32 {
        self.report.iterations
    }

    /// Root mean square over contacts and rows of the natural-map residual after the last sweep [m/s].
    #[getter]
    fn residual_rms(&self) -> f32 {
        self.report.residual_rms
    }

    /// Largest residual of a contact or row [m/s].
    #[getter]
    fn residual_max(&self) -> f32 {
        self.report.residual_max
    }

    /// Number of colours of contacts and rows.
    #[getter]
    fn colors(&self) -> u32 {
        self.report.colors
    }

    /// Time to colour and pack [s].
    #[getter]
    fn pack_seconds(&self) -> f64 {
        self.report.pack_time.as_secs_f64()
    }

    /// Time to sweep [s].
    #[getter]
    fn solve_seconds(&self) -> f64 {
        self.report.solve_time.as_secs_f64()
    }

    /// Velocity of each body's centre of mass at the end, forces included [m/s], shape ``(bodies, 3)``.
    #[getter]
    fn velocities<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let offset = offset_of!(Motion, velocity.linear);
        of_motions(slf, offset)
    }

    /// Angular velocity of each body at the end, in world axes [rad/s], shape ``(bodies, 3)``.
    #[getter]
    fn angular_velocities<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let offset = offset_of!(Motion, velocity.angular);
        of_motions(slf, offset)
    }

    /// Displacement of each body's centre of mass in a step in substeps [m], shape ``(bodies, 3)``; ``None`` of a problem that was solved once.
    #[getter]
    fn displacements<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyArray2<f32>>>> {
        let offset = offset_of!(Motion, displacement.linear);
        let is_step = slf.get().is_step;
        is_step.then(|| of_motions(slf, offset)).transpose()
    }

    /// Turn of each body in a step in substeps, a rotation vector in world axes [rad], shape ``(bodies, 3)``; ``None`` of a problem
    /// that was solved once.
    #[getter]
    fn rotations<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyArray2<f32>>>> {
        let offset = offset_of!(Motion, displacement.angular);
        let is_step = slf.get().is_step;
        is_step.then(|| of_motions(slf, offset)).transpose()
    }

    /// Impulse of each contact along its normal and its two tangents [N s], shape ``(contacts, 3)``; of the last substep.
    #[getter]
    fn impulses<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let impulses = &slf.get().found.impulses;
        // SAFETY: the solution is frozen, and the view keeps it alive.
        unsafe { view::triples(slf.as_any(), impulses, 0) }
    }

    /// Impulse of each contact over a whole step in substeps [N s], shape ``(contacts, 3)``; ``impulses`` of a problem that was solved once.
    #[getter]
    fn total_impulses<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let impulses = slf.get().found.contact_impulses();
        // SAFETY: as above.
        unsafe { view::triples(slf.as_any(), impulses, 0) }
    }

    /// Impulse of each row [N s] or [N m s], shape ``(rows,)``.
    #[getter]
    fn joint_impulses<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let impulses = &slf.get().found.joint_impulses;
        // SAFETY: as above.
        unsafe { view::numbers(slf.as_any(), impulses, 0) }
    }

    fn __repr__(&self) -> String {
        format!(
            "<drystone.Solution: {} after {} sweeps, residual {:e} m/s>",
            self.report.status.name(),
            self.report.iterations,
            self.report.residual_rms
        )
    }
}

/// Three numbers of each motion.
fn of_motions<'py>(
    slf: &Bound<'py, Solution>,
    offset: usize,
) -> PyResult<Bound<'py, PyArray2<f32>>> {
    // SAFETY: the solution is frozen, the view keeps it alive, and a motion is `repr(C)` and of f32.
    unsafe { view::triples(slf.as_any(), &slf.get().motions, offset) }
}
