//! Reports as dictionaries.

use crate::error::{Failure, Result};
use drystone::output::{Outcome, Summary};
use drystone::scene::Judge;
use drystone::step::StepReport;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::time::Duration;

/// Outcome of a step: the fields of `StepReport`.
pub(crate) fn of_step<'py>(py: Python<'py>, report: &StepReport) -> Result<Bound<'py, PyDict>> {
    let found = PyDict::new(py);
    let (velocity, joints) = (&report.velocity, &report.joints);
    found.set_item("step", report.step)?;
    found.set_item("time", report.time)?;
    found.set_item("contacts", report.contacts)?;
    found.set_item("contact_updates", report.contact_updates)?;
    found.set_item("substeps", report.substeps)?;
    found.set_item("capped", report.capped)?;
    found.set_item("collisions", report.collisions)?;
    found.set_item("by_velocity", report.by_velocity)?;
    found.set_item("broken_joints", report.broken_joints)?;
    found.set_item("status", velocity.status.name())?;
    found.set_item("iterations", velocity.iterations)?;
    found.set_item("colors", velocity.colors)?;
    found.set_item("residual_rms", velocity.residual_rms)?;
    found.set_item("residual_max", velocity.residual_max)?;
    let position = report.position.as_ref();
    found.set_item("position_residual_max", position.map(|p| p.residual_max))?;
    found.set_item("joint_error_max", joints.linear_max)?;
    found.set_item("joint_angle_error_max", joints.angular_max)?;
    found.set_item("max_penetration", report.penetration.max)?;
    found.set_item("mean_penetration", report.penetration.mean)?;
    found.set_item("kinetic_energy", report.energy.kinetic)?;
    found.set_item("potential_energy", report.energy.potential)?;
    let timings = &report.timings;
    for (name, time) in [
        ("broad_seconds", timings.broad),
        ("narrow_seconds", timings.narrow),
        ("pack_seconds", timings.pack),
        ("solve_seconds", timings.solve),
        ("position_seconds", timings.position),
        ("step_seconds", timings.step),
    ] {
        found.set_item(name, time.as_secs_f64())?;
    }
    Ok(found)
}

/// All steps in numbers.
pub(crate) fn of_run<'py>(
    py: Python<'py>,
    summary: &Summary,
    judges: &[Judge],
    wall: Duration,
) -> Result<Bound<'py, PyDict>> {
    let mut summary = summary.clone();
    summary.finish(None, wall);
    if summary.steps < summary.steps_planned {
        summary.status = Outcome::Running;
    }
    summary.expectations = judges.iter().map(|judge| judge.finding().clone()).collect();
    let text = serde_json::to_string(&summary)
        .map_err(|why| Failure::invalid("summary", why.to_string()))?;
    let read = py.import("json")?.call_method1("loads", (text,))?;
    Ok(read.cast_into::<PyDict>().map_err(PyErr::from)?)
}
