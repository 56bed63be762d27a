//! drystone behind Python: the native half of the package, `drystone._drystone`. `python/drystone` is the other.
//!
//! Rules of the border, for every class and function:
//!
//! * An [`Error`](drystone::Error) becomes an exception of `drystone.errors`, trouble with a file an `OSError`; see `error.rs`.
//! * Whatever may take long runs without the interpreter's lock, on threads that are called together by process and
//!   number, so that a process that was forked has threads of its own; see `threads.rs`.
//! * Arrays that come in are read where they are if their memory allows it; see `lent.rs`. Arrays that go out are
//!   read-only views, kept alive by what owns the memory, which nobody changes while there is one; see `view.rs`.

mod body_memory;
mod delassus;
mod error;
mod lent;
mod options;
mod plan;
mod problem;
mod records;
mod report;
mod scene;
mod simulation;
mod solution;
mod stepping;
mod threads;
mod verdict;
mod view;
mod warm_start;

use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The GPU adapters of this machine, those that would be taken first in front.
///
/// Each is a dictionary of ``name``, ``backend`` (the graphics interface), ``device_type``, ``driver``, ``software`` (it computes
/// on the CPU), ``usable`` (it can run the kernels), ``max_binding`` and ``max_buffer`` [B]. The list is empty where there is none.
#[pyfunction]
fn adapters(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let found = py.detach(drystone::solver::gpu::list_adapters);
    let all = found.into_iter().map(|adapter| {
        let entry = PyDict::new(py);
        entry.set_item("name", adapter.name)?;
        entry.set_item("backend", adapter.backend)?;
        entry.set_item("device_type", adapter.device_type)?;
        entry.set_item("driver", adapter.driver)?;
        entry.set_item("software", adapter.software)?;
        entry.set_item("usable", adapter.usable)?;
        entry.set_item("max_binding", adapter.max_binding)?;
        entry.set_item("max_buffer", adapter.max_buffer)?;
        Ok(entry)
    });
    all.collect()
}

/// The native half of drystone; see the package.
#[pymodule]
mod _drystone {
    #[pymodule_export]
    use super::adapters;
    #[pymodule_export]
    use super::body_memory::BodyMemory;
    #[pymodule_export]
    use super::delassus::{judge_delassus, solve_delassus};
    #[pymodule_export]
    use super::plan::Plan;
    #[pymodule_export]
    use super::problem::Problem;
    #[pymodule_export]
    use super::records::{aligned, body_from_local, dtypes};
    #[pymodule_export]
    use super::scene::Scene;
    #[pymodule_export]
    use super::simulation::Simulation;
    #[pymodule_export]
    use super::solution::Solution;
    #[pymodule_export]
    use super::verdict::judge;
    #[pymodule_export]
    use super::warm_start::WarmStart;
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
