//! Choosing where to solve.

use crate::args::BackendName;
use drystone::solver::Solver;
use drystone::solver::cpu::CpuSolver;
use drystone::solver::nsgs::NsgsSolver;
use drystone::solver::reference::LemkeSolver;
use drystone::{Error, Result};

/// A solver, and what to tell about the choice.
pub(crate) struct Choice {
    pub(crate) solver: Box<dyn Solver>,
    /// Why it was taken, if nobody has named it.
    pub(crate) note: Option<String>,
}

/// The solver that a run asks for.
///
/// # Errors
/// [`Error::NoAdapter`] if a GPU is asked for, by kind or by name, and there is none; it is
/// replaced by the CPU only under `auto` without a name.
pub(crate) fn choose(backend: BackendName, adapter: Option<&str>) -> Result<Choice> {
    let of_cpu: Option<Box<dyn Solver>> = match backend {
        BackendName::Auto | BackendName::Gpu => None,
        BackendName::Cpu => Some(Box::new(CpuSolver::new())),
        BackendName::Lemke => Some(Box::new(LemkeSolver::new())),
        BackendName::Nsgs => Some(Box::new(NsgsSolver::new())),
    };
    if let Some(solver) = of_cpu {
        return match adapter {
            Some(name) => Err(Error::invalid(
                format!("--adapter {name}"),
                format!(
                    "the {} backend has no adapter; leave it out, or use --backend gpu",
                    solver.backend()
                ),
            )),
            None => Ok(Choice { solver, note: None }),
        };
    }
    match gpu(adapter) {
        Ok(solver) => Ok(Choice { solver, note: None }),
        Err(why) if backend == BackendName::Auto && adapter.is_none() => Ok(Choice {
            solver: Box::new(CpuSolver::new()),
            note: Some(why.to_string()),
        }),
        Err(why) => Err(why),
    }
}

/// The GPU solver on the adapter whose name contains `name`, or on a hardware adapter.
#[cfg(feature = "gpu")]
pub(crate) fn gpu(name: Option<&str>) -> Result<Box<dyn Solver>> {
    use drystone::solver::gpu::{AdapterChoice, GpuSolver};
    let choice = AdapterChoice {
        name: name.map(str::to_owned),
        ..AdapterChoice::default()
    };
    Ok(Box::new(GpuSolver::new(&choice)?))
}

/// The GPU solver, in a program that has none.
#[cfg(not(feature = "gpu"))]
pub(crate) fn gpu(name: Option<&str>) -> Result<Box<dyn Solver>> {
    let wish = name.map_or_else(String::new, |name| format!("\"{name}\" is asked for, but "));
    Err(Error::NoAdapter(format!(
        "{wish}this program was built without GPU support"
    )))
}

/// `cpu`, or `gpu: ADAPTER`.
pub(crate) fn title(backend: &str, adapter: Option<&str>) -> String {
    adapter.map_or_else(
        || backend.to_owned(),
        |adapter| format!("{backend}: {adapter}"),
    )
}
