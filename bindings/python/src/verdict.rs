//! The referee.

use crate::error::{Failure, Result};
use crate::lent::Lent;
use crate::problem::Problem;
use crate::view;
use drystone::solver::reference;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Distance of any impulses from a problem's solution, in f64: a `Verdict`.
///
/// ``impulses`` are of the contacts along normal and tangents [N s], shape ``(contacts, 3)``, ``joint_impulses`` of the rows, shape ``(rows,)``; both
/// float32. Velocities are computed from the impulses, so that what a solver lost on its way is not counted against them. The biases in contacts
/// and rows count, not gaps: a problem in substeps is none that this judges.
#[pyfunction]
#[pyo3(signature = (problem, impulses, joint_impulses=None))]
pub(crate) fn judge<'py>(
    py: Python<'py>,
    problem: &Problem,
    impulses: &Bound<'py, PyAny>,
    joint_impulses: Option<&Bound<'py, PyAny>>,
) -> Result<Bound<'py, PyAny>> {
    let impulses = Lent::<f32>::of(impulses, "impulses", &[3])?;
    let joints = joint_impulses.map(|array| Lent::<f32>::of(array, "joint_impulses", &[]));
    let joints = joints.transpose()?;
    let of_contacts: &[[f32; 3]] = bytemuck::cast_slice(impulses.slice()?);
    let of_joints = joints.as_ref().map_or(Ok(&[][..]), Lent::slice)?;
    let verdict = problem.with_surfaces(py, |problem, carried| {
        let mut verdict = reference::judge(carried, of_contacts, of_joints)?;
        verdict.velocities.truncate(problem.bodies.len());
        Ok(verdict)
    })?;
    let vectors = |pick: fn(&(drystone::math::Vec3, drystone::math::Vec3)) -> [f64; 3]| {
        let rows: Vec<f64> = verdict.velocities.iter().flat_map(pick).collect();
        let array = PyArray1::from_vec(py, rows).reshape([verdict.velocities.len(), 3])?;
        Ok::<_, Failure>(view::read_only(array)?)
    };
    let fields = PyDict::new(py);
    for (name, value) in [
        ("residual_rms", verdict.residual_rms),
        ("residual_max", verdict.residual_max),
        ("contacts_rms", verdict.contacts.rms),
        ("contacts_max", verdict.contacts.max),
        ("joints_rms", verdict.joints.rms),
        ("joints_max", verdict.joints.max),
        ("approach", verdict.physical.approach),
        ("adhesion", verdict.physical.adhesion),
        ("cone_excess", verdict.physical.cone_excess),
        ("complementarity", verdict.physical.complementarity),
        ("dissipation", verdict.physical.dissipation),
    ] {
        fields.set_item(name, value)?;
    }
    fields.set_item("velocities", vectors(|of| of.0.into())?)?;
    fields.set_item("angular_velocities", vectors(|of| of.1.into())?)?;
    let class = py.import("drystone.values")?.getattr("Verdict")?;
    Ok(class.call((), Some(&fields))?)
}
