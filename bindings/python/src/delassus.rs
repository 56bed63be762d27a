//! Contacts by their operator.

use crate::error::{Failure, Result};
use crate::lent::Lent;
use crate::{options, view};
use drystone::problem::FrictionLaw;
use drystone::solver::nsgs::{Acceleration, DelassusProblem, NsgsOptions};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// Arrays of the caller's that state a problem.
struct Arrays<'py> {
    row_starts: Lent<'py, u32>,
    columns: Lent<'py, u32>,
    blocks: Lent<'py, f64>,
    free: Lent<'py, f64>,
    friction: Lent<'py, f64>,
    compliance: Option<Lent<'py, f64>>,
    friction_law: FrictionLaw,
}

/// Three numbers a contact.
fn triples<'py>(array: &Bound<'py, PyAny>, what: &str) -> Result<Lent<'py, f64>> {
    Lent::of(array, what, &[3])
}

impl<'py> Arrays<'py> {
    /// Of `(row_starts, columns, blocks, b, mu, compliance or None, friction_law)`.
    fn of(given: &Bound<'py, PyTuple>) -> Result<Self> {
        let compliance = given.get_item(5)?;
        let compliance = (!compliance.is_none()).then_some(compliance);
        let law: String = given.get_item(6)?.extract()?;
        let arrays = Self {
            row_starts: Lent::of(&given.get_item(0)?, "row starts of W", &[])?,
            columns: Lent::of(&given.get_item(1)?, "columns of W", &[])?,
            blocks: Lent::of(&given.get_item(2)?, "blocks of W", &[3, 3])?,
            free: triples(&given.get_item(3)?, "b")?,
            friction: Lent::of(&given.get_item(4)?, "mu", &[])?,
            compliance: compliance
                .map(|array| triples(&array, "compliance"))
                .transpose()?,
            friction_law: options::friction_law(&law)?,
        };
        // Before anything is indexed: the library reads the first and the last of them.
        let (starts, contacts) = (arrays.row_starts.slice()?.len(), arrays.contacts()?);
        if starts != contacts + 1 {
            return Err(Failure::invalid(
                "row starts of W",
                format!(
                    "{starts} given; {} are expected, one more than the contacts of mu",
                    contacts + 1
                ),
            ));
        }
        Ok(arrays)
    }

    fn contacts(&self) -> Result<usize> {
        Ok(self.friction.slice()?.len())
    }

    fn problem(&self) -> Result<DelassusProblem<'_>> {
        let compliance = self.compliance.as_ref();
        Ok(DelassusProblem {
            row_starts: self.row_starts.slice()?,
            columns: self.columns.slice()?,
            blocks: bytemuck::cast_slice(self.blocks.slice()?),
            free_velocities: bytemuck::cast_slice(self.free.slice()?),
            friction: self.friction.slice()?,
            compliance: bytemuck::cast_slice(compliance.map_or(Ok(&[][..]), Lent::slice)?),
            friction_law: self.friction_law,
        })
    }
}

/// Rows of three numbers.
fn rows<'py>(py: Python<'py>, rows: Vec<[f64; 3]>) -> Result<Bound<'py, PyArray2<f64>>> {
    let count = rows.len();
    Ok(PyArray1::from_vec(py, rows.into_flattened()).reshape([count, 3])?)
}

/// Fields of `DelassusSolution`.
type Solved<'py> = (Bound<'py, PyArray2<f64>>, &'static str, u32, f64, f64);

/// Solves u = (W + R) r + b, W by rows of 3 x 3 blocks; the native half of `drystone.solve_delassus`, which says more.
///
/// All arrays are read where they are. Gives a tuple of the fields of `DelassusSolution`.
#[pyfunction]
#[pyo3(signature = (problem, start, accelerated, iterations, tolerance, check_every))]
pub(crate) fn solve_delassus<'py>(
    py: Python<'py>,
    problem: &Bound<'py, PyTuple>,
    start: Option<&Bound<'py, PyAny>>,
    accelerated: bool,
    iterations: u32,
    tolerance: f64,
    check_every: u32,
) -> Result<Solved<'py>> {
    let arrays = Arrays::of(problem)?;
    let problem = arrays.problem()?;
    let mut impulses = match start {
        Some(start) => bytemuck::cast_slice(triples(start, "start")?.slice()?).to_vec(),
        None => vec![[0.0; 3]; arrays.contacts()?],
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
    Ok((
        rows(py, impulses)?,
        report.status.name(),
        report.iterations,
        report.residual_rms,
        report.residual_max,
    ))
}

/// Judges impulses; the native half of `drystone.judge_delassus`, which says more.
///
/// Gives a tuple of the fields of `DelassusVerdict`.
#[pyfunction]
pub(crate) fn judge_delassus<'py>(
    py: Python<'py>,
    problem: &Bound<'py, PyTuple>,
    impulses: &Bound<'py, PyAny>,
) -> Result<(f64, f64, Bound<'py, PyArray2<f64>>)> {
    let arrays = Arrays::of(problem)?;
    let problem = arrays.problem()?;
    let impulses = triples(impulses, "impulses")?;
    let impulses = bytemuck::cast_slice(impulses.slice()?);
    let verdict = py.detach(|| problem.judge(impulses))?;
    let velocities = view::read_only(rows(py, verdict.velocities)?)?;
    Ok((verdict.residual.rms, verdict.residual.max, velocities))
}
