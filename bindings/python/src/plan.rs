//! The division of a host's step.

use crate::error::Result;
use crate::options;
use crate::problem::Problem;
use drystone::solver::substeps::SubstepPlan;
use pyo3::prelude::*;

/// Division of a step into substeps, for `Problem.step`.
///
/// A plan does not change; `replace` makes another. There is no constructor: begin with `recommended` or `recommended_for`.
#[pyclass(frozen, module = "drystone._drystone")]
pub(crate) struct Plan {
    pub(crate) plan: SubstepPlan,
}

#[pymethods]
impl Plan {
    /// The plan of drystone's default step: soft contacts, one sweep in each substep.
    ///
    /// ``time_step`` is the length of the whole step [s], ``radius`` the bounding radius of the smallest body that moves [m], ``gravity`` the
    /// magnitude of gravity [m/s^2]. Piles and stacks of some 30 bodies rest with the default number of ``substeps``; what is higher, or has
    /// heavy bodies on light ones, takes more.
    #[staticmethod]
    #[pyo3(signature = (time_step, radius, gravity, substeps=None))]
    fn recommended(
        time_step: f64,
        radius: f64,
        gravity: f64,
        substeps: Option<u32>,
    ) -> Result<Self> {
        let plan = match substeps {
            Some(substeps) => SubstepPlan::recommended_in(substeps, time_step, radius, gravity),
            None => SubstepPlan::recommended(time_step, radius, gravity),
        };
        Self::checked(plan)
    }

    /// The same, with the radius found from the masses and inertias of a problem's bodies. Where a gap is deeper than the springs of contacts reach, displacements
    /// take it back, and nothing gets a velocity by it.
    #[staticmethod]
    fn recommended_for(
        py: Python<'_>,
        problem: &Problem,
        time_step: f64,
        gravity: f64,
    ) -> Result<Self> {
        let plan = problem.with(py, |given| {
            Ok(SubstepPlan::recommended_for(given, time_step, gravity))
        })?;
        Self::checked(plan)
    }

    /// A plan like this one but for what is given.
    #[pyo3(signature = (*, substeps=None, time_step=None, method=None, iterations=None, tolerance=None, check_every=None, warm_start=None, restitution_threshold=None, calm_change=None, softness=None, rate=None, max_push=None, slop=None, memory=None))]
    fn replace(
        &self,
        substeps: Option<u32>,
        time_step: Option<f32>,
        method: Option<&str>,
        iterations: Option<u32>,
        tolerance: Option<f32>,
        check_every: Option<u32>,
        warm_start: Option<bool>,
        restitution_threshold: Option<f32>,
        calm_change: Option<f32>,
        softness: Option<f32>,
        rate: Option<f32>,
        max_push: Option<f32>,
        slop: Option<f32>,
        memory: Option<f32>,
    ) -> Result<Self> {
        let mut plan = self.plan;
        plan.substeps = substeps.unwrap_or(plan.substeps);
        plan.time_step = time_step.unwrap_or(plan.time_step);
        plan.restitution_threshold = restitution_threshold.unwrap_or(plan.restitution_threshold);
        plan.calm_change = calm_change.unwrap_or(plan.calm_change);
        let solver = &mut plan.velocity;
        if let Some(name) = method {
            solver.method = options::method(name)?;
        }
        solver.iterations = iterations.unwrap_or(solver.iterations);
        solver.tolerance = tolerance.unwrap_or(solver.tolerance);
        solver.check_every = check_every.unwrap_or(solver.check_every);
        solver.warm_start = warm_start.unwrap_or(solver.warm_start);
        let law = &mut plan.gap_law;
        law.softness = softness.unwrap_or(law.softness);
        law.rate = rate.unwrap_or(law.rate);
        law.max_push = max_push.unwrap_or(law.max_push);
        law.slop = slop.unwrap_or(law.slop);
        law.memory = memory.unwrap_or(law.memory);
        Self::checked(plan)
    }

    /// Number of substeps.
    #[getter]
    fn substeps(&self) -> u32 {
        self.plan.substeps
    }

    /// Length of the whole step [s].
    #[getter]
    fn time_step(&self) -> f32 {
        self.plan.time_step
    }

    /// The sweep: ``pgs``, ``jacobi``, ``nesterov`` or ``cluster``.
    #[getter]
    fn method(&self) -> &'static str {
        self.plan.velocity.method.name()
    }

    /// Most sweeps of a substep.
    #[getter]
    fn iterations(&self) -> u32 {
        self.plan.velocity.iterations
    }

    /// Residual at which the sweeps of a substep stop [m/s]; 0 for never.
    #[getter]
    fn tolerance(&self) -> f32 {
        self.plan.velocity.tolerance
    }

    /// Sweeps between two looks at the residual, where there is a tolerance.
    #[getter]
    fn check_every(&self) -> u32 {
        self.plan.velocity.check_every
    }

    /// True if substeps start from the impulses of the last.
    #[getter]
    fn warm_start(&self) -> bool {
        self.plan.velocity.warm_start
    }

    /// Approach speed below which nothing bounces [m/s].
    #[getter]
    fn restitution_threshold(&self) -> f32 {
        self.plan.restitution_threshold
    }

    /// Change of velocity up to which a pair of bodies is left for the rest of a sweep [m/s]; with 0 none is.
    #[getter]
    fn calm_change(&self) -> f32 {
        self.plan.calm_change
    }

    /// Softness of contacts over their own response.
    #[getter]
    fn softness(&self) -> f32 {
        self.plan.gap_law.softness
    }

    /// Share of a penetration that is taken back per second [1/s].
    #[getter]
    fn rate(&self) -> f32 {
        self.plan.gap_law.rate
    }

    /// Speed at which penetrations are taken back at most [m/s].
    #[getter]
    fn max_push(&self) -> f32 {
        self.plan.gap_law.max_push
    }

    /// Gap on either side of zero that is left alone [m].
    #[getter]
    fn slop(&self) -> f32 {
        self.plan.gap_law.slop
    }

    /// Share of the velocity before a substep that is taken into the bias of a shut contact.
    #[getter]
    fn memory(&self) -> f32 {
        self.plan.gap_law.memory
    }

    fn __repr__(&self) -> String {
        let plan = &self.plan;
        format!(
            "<drystone.Plan: {} substeps of {} s, {} sweeps of {} in each>",
            plan.substeps,
            plan.substep_length(),
            plan.velocity.iterations,
            plan.velocity.method.name()
        )
    }
}

impl Plan {
    /// A plan whose numbers have a meaning.
    pub(crate) fn checked(plan: SubstepPlan) -> Result<Self> {
        plan.validate()?;
        Ok(Self { plan })
    }
}
