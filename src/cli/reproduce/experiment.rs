//! The experiments of papers, and what they are given to run with.

use crate::args::ExperimentBackend;
use crate::backend;
use crate::experiments::progress::Progress;
use drystone::solver::Solver;
use drystone::solver::cpu::CpuSolver;
use drystone::solver::reference::LemkeSolver;
use drystone::{Error, Result};

/// An experiment of a paper.
pub(crate) type Experiment = crate::experiments::Experiment<Context>;

/// Where and how experiments are run.
pub(crate) struct Context {
    pub(crate) backend: ExperimentBackend,
    pub(crate) adapter: Option<String>,
    pub(crate) progress: Progress,
}

impl Context {
    /// A solver of the backend that was asked for.
    ///
    /// # Errors
    /// [`Error::NoAdapter`] or [`Error::Device`] of a GPU, [`Error::Invalid`] for an adapter of
    /// another backend.
    pub(crate) fn solver(&self) -> Result<Box<dyn Solver>> {
        if let (ExperimentBackend::Cpu | ExperimentBackend::Lemke, Some(name)) =
            (self.backend, &self.adapter)
        {
            return Err(Error::invalid(
                format!("--adapter {name}"),
                "only the GPU backend has adapters; leave it out, or use --backend gpu",
            ));
        }
        Ok(match self.backend {
            ExperimentBackend::Cpu => Box::new(CpuSolver::new()),
            ExperimentBackend::Lemke => Box::new(LemkeSolver::new()),
            ExperimentBackend::Gpu => backend::gpu(self.adapter.as_deref())?,
        })
    }

    /// A solver that sweeps: of the backend, or of the CPU where the backend pivots.
    ///
    /// # Errors
    /// As [`Self::solver`].
    pub(crate) fn sweeping_solver(&self) -> Result<Box<dyn Solver>> {
        match self.backend {
            ExperimentBackend::Lemke => Ok(Box::new(CpuSolver::new())),
            ExperimentBackend::Cpu | ExperimentBackend::Gpu => self.solver(),
        }
    }
}
