//! Impulses from step to step.

use crate::error::{Failure, Result};
use crate::lent::Lent;
use crate::plan::Plan;
use crate::problem::Problem;
use crate::records::ProblemContact;
use crate::solution::Solution;
use drystone::problem::Contact;
use drystone::solver::{self, ContactKey};
use pyo3::prelude::*;
use std::sync::{Mutex, MutexGuard, TryLockError};

/// Impulses and loads of the last step, by the names of its contacts, which may come in any order.
///
/// A name is any two numbers that stand for the same point of the same two bodies in the next step: keys are an array of shape ``(contacts, 2)``
/// and dtype uint64. Impulses are kept in world axes, so that a contact whose normal has turned starts from the same force.
#[pyclass(frozen, module = "drystone._drystone")]
pub(crate) struct WarmStart {
    inner: Mutex<solver::WarmStart>,
}

#[pymethods]
impl WarmStart {
    #[new]
    fn new() -> Self {
        Self {
            inner: Mutex::default(),
        }
    }

    /// Writes the impulses of the last step into the problem's contacts, where they are, and sets its ``loads``; zero for contacts that are new.
    ///
    /// The contacts must be an array that solves read without a copy, and writable.
    fn load(
        &self,
        py: Python<'_>,
        keys: &Bound<'_, PyAny>,
        plan: &Plan,
        problem: &Problem,
    ) -> Result<()> {
        let (keys, plan) = (read(keys)?, solver::Plan::Substeps(plan.plan));
        let mut inner = self.lock()?;
        problem.write_contacts(py, |contacts| {
            let mut loads = Vec::new();
            let mut found: Vec<Contact> = ProblemContact::peel(contacts).to_vec();
            inner.load(&keys, &plan, &mut found, &mut loads)?;
            for (contact, found) in contacts.iter_mut().zip(found) {
                contact.0.impulse = found.impulse;
            }
            Ok(loads)
        })
    }

    /// Remembers the impulses of a step that has been solved, and forgets all others.
    fn store(
        &self,
        py: Python<'_>,
        keys: &Bound<'_, PyAny>,
        plan: &Plan,
        problem: &Problem,
        solution: &Solution,
    ) -> Result<()> {
        let (keys, plan) = (read(keys)?, solver::Plan::Substeps(plan.plan));
        let mut inner = self.lock()?;
        let inner = &mut *inner;
        let found = &solution.found;
        problem.with(py, |problem| Ok(inner.store(&keys, problem, &plan, found)?))
    }

    /// Forgets everything, as when bodies have been moved.
    fn clear(&self) -> Result<()> {
        self.lock()?.clear();
        Ok(())
    }
}

impl WarmStart {
    fn lock(&self) -> Result<MutexGuard<'_, solver::WarmStart>> {
        match self.inner.try_lock() {
            Ok(inner) => Ok(inner),
            Err(TryLockError::Poisoned(inner)) => {
                let mut inner = inner.into_inner();
                inner.clear();
                Ok(inner)
            }
            Err(TryLockError::WouldBlock) => Err(Failure::busy("warm start")),
        }
    }
}

fn read(keys: &Bound<'_, PyAny>) -> Result<Vec<ContactKey>> {
    let keys = Lent::<u64>::of(keys, "keys", &[2])?;
    let pairs = keys.slice()?.chunks_exact(2);
    Ok(pairs.map(|pair| (pair[0], pair[1])).collect())
}
