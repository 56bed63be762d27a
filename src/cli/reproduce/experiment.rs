//! What an experiment is, and what it is given to run with.

use super::outcome::Outcome;
use super::progress::Progress;
use crate::args::ExperimentBackend;
use crate::backend;
use drystone::solver::Solver;
use drystone::solver::cpu::CpuSolver;
use drystone::solver::reference::LemkeSolver;
use drystone::{Error, Result};

/// An experiment of a paper.
pub(crate) struct Experiment {
    /// As it is asked for.
    pub(crate) name: &'static str,
    /// What it shows, in a line.
    pub(crate) title: &'static str,
    /// Where it comes from: paper, and figure or equation.
    pub(crate) source: &'static str,
    /// Carries it out.
    pub(crate) run: fn(&Context) -> Result<Outcome>,
}

/// An experiment that was carried out, or failed to be.
pub(crate) struct Finding {
    pub(crate) experiment: &'static Experiment,
    pub(crate) result: Result<Outcome>,
    /// Wall-clock time `[s]`.
    pub(crate) seconds: f64,
}

impl Finding {
    /// What it found, if it was carried out.
    pub(crate) fn outcome(&self) -> Option<&Outcome> {
        self.result.as_ref().ok()
    }

    /// True if it was carried out and every row passes.
    pub(crate) fn passes(&self) -> bool {
        self.outcome().is_some_and(Outcome::passes)
    }
}

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
