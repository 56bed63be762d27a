//! Contacts by their operator.

use crate::error::{Failure, Result};
use crate::lent::Lent;
use drystone::solver::nsgs::{Acceleration, DelassusProblem, NsgsOptions};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;

/// Solves u = (W + R) r + b with Coulomb's law, W by rows of 3 x 3 blocks; the native half of `drystone.solve_delassus`, which says more.
///
/// All arrays are read where they are. Gives a tuple of the fields of `DelassusSolution`.
#[pyfunction]
#[pyo3(signature = (row_starts, columns, blocks, free_velocities, friction, compliance, start, accelerated, iterations, tolerance, check_every))]
pub(crate) fn solve_delassus<'py>(
    py: Python<'py>,
    row_starts: &Bound<'py, PyAny>,
    columns: &Bound<'py, PyAny>,
    blocks: &Bound<'py, PyAny>,
    free_velocities: &Bound<'py, PyAny>,
    friction: &Bound<'py, PyAny>,
    compliance: Option<&Bound<'py, PyAny>>,
    start: Option<&Bound<'py, PyAny>>,
    accelerated: bool,
    iterations: u32,
    tolerance: f64,
    check_every: u32,
) -> Result<(Bound<'py, PyAny>, &'static str, u32, f64, f64)> {
    let row_starts = Lent::<u32>::of(row_starts, "row starts of W", &[])?;
    let columns = Lent::<u32>::of(columns, "columns of W", &[])?;
    let blocks = Lent::<f64>::of(blocks, "blocks of W", &[3, 3])?;
    let free = Lent::<f64>::of(free_velocities, "b", &[3])?;
    let friction = Lent::<f64>::of(friction, "mu", &[])?;
    let triples = |array: Option<&Bound<'py, PyAny>>, what: &str| {
        let lent = array.map(|array| Lent::<f64>::of(array, what, &[3]));
        lent.transpose()
    };
    let compliance = triples(compliance, "compliance")?;
    let start = triples(start, "start")?;
    let problem = DelassusProblem {
        row_starts: row_starts.slice()?,
        columns: columns.slice()?,
        blocks: bytemuck::cast_slice(blocks.slice()?),
        free_velocities: bytemuck::cast_slice(free.slice()?),
        friction: friction.slice()?,
        compliance: bytemuck::cast_slice(compliance.as_ref().map_or(Ok(&[][..]), Lent::slice)?),
    };
    // Before anything is indexed: the library reads the first and the last of them.
    if problem.row_starts.len() != problem.friction.len() + 1 {
        return Err(Failure::invalid(
            "row starts of W",
            format!(
                "{} given; {} are expected, one more than the contacts of mu",
                problem.row_starts.len(),
                problem.friction.len() + 1
            ),
        ));
    }
    let mut impulses = match &start {
        Some(start) => bytemuck::cast_slice(start.slice()?).to_vec(),
        None => vec![[0.0; 3]; problem.friction.len()],
    };
    let options = NsgsOptions {
        iterations,
        tolerance,
        check_every,
        acceleration: if accelerated {
            Acceleration::default()
        } else {
            Acceleration::None
        },
        ..NsgsOptions::default()
    };
    let report = py.detach(|| problem.solve(&mut impulses, &options))?;
    let contacts = impulses.len();
    let array = PyArray1::from_vec(py, impulses.into_flattened()).reshape([contacts, 3])?;
    Ok((
        array.into_any(),
        report.status.name(),
        report.iterations,
        report.residual_rms,
        report.residual_max,
    ))
}
