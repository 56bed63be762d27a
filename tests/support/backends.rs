//! The solvers under test: every backend, and methods on each.

#[cfg(feature = "gpu")]
use super::adapter;
use drystone::solver::cpu::CpuSolver;
use drystone::solver::{Method, Solver};

/// Every backend, by name.
pub fn backends() -> Vec<(&'static str, Box<dyn Solver>)> {
    vec![
        ("cpu", Box::new(CpuSolver::new())),
        #[cfg(feature = "gpu")]
        ("gpu", Box::new(adapter::solver())),
    ]
}

/// Every method on every backend.
pub fn solvers() -> Vec<(&'static str, Box<dyn Solver>, Method)> {
    solvers_of(&Method::ALL)
}

/// Some methods on every backend.
pub fn solvers_of(methods: &[Method]) -> Vec<(&'static str, Box<dyn Solver>, Method)> {
    let mut all = Vec::new();
    for &method in methods {
        let here = backends().into_iter();
        all.extend(here.map(|(name, solver)| (name, solver, method)));
    }
    all
}
