//! One solver for several owners: a simulation wants a solver of its own, and a GPU is opened once.

use drystone::Result;
use drystone::problem::AsProblem;
use drystone::solver::substeps::SubstepReport;
use drystone::solver::{Method, Options, Plan, Solution, Solver};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A solver that is used by one at a time.
#[derive(Clone)]
pub(super) struct Shared(Arc<Mutex<Box<dyn Solver>>>);

impl Shared {
    pub(super) fn new(solver: Box<dyn Solver>) -> Self {
        Self(Arc::new(Mutex::new(solver)))
    }

    fn lock(&self) -> MutexGuard<'_, Box<dyn Solver>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Solver for Shared {
    fn backend(&self) -> &'static str {
        self.lock().backend()
    }

    fn adapter(&self) -> Option<String> {
        self.lock().adapter()
    }

    fn sweeps_by(&self, asked: Method) -> Method {
        self.lock().sweeps_by(asked)
    }

    fn works_on_threads(&self, options: &Options) -> bool {
        self.lock().works_on_threads(options)
    }

    fn attempt(
        &mut self,
        problem: &dyn AsProblem,
        plan: &Plan,
        solution: &mut Solution,
    ) -> Result<SubstepReport> {
        self.lock().attempt(problem, plan, solution)
    }
}
