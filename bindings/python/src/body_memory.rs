//! Bodies of a simulation, lent to arrays.

use drystone::step::Simulation;
use drystone::world::Body;
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};

/// Keeps the memory of bodies alive that arrays show: the ``base`` of such an array.
#[pyclass(frozen, module = "drystone._drystone")]
pub(crate) struct BodyMemory {
    _lease: Arc<Lease>,
}

/// The memory that arrays of one state of the bodies share.
#[derive(Default)]
struct Lease {
    /// The bodies, once the simulation has gone on without them; before, they are the world's.
    kept: Mutex<Option<Vec<Body>>>,
}

/// The simulation's side: who changes bodies calls [`Self::renew`] before.
#[derive(Default)]
pub(crate) struct Lender {
    lease: Arc<Lease>,
}

impl Lender {
    /// An owner for an array of the bodies as they are in the world.
    pub(crate) fn lend<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let memory = BodyMemory {
            _lease: Arc::clone(&self.lease),
        };
        Ok(Bound::new(py, memory)?.into_any())
    }

    /// Leaves the bodies that arrays show to these, if there are any, and has the simulation go on with a copy.
    pub(crate) fn renew(&mut self, simulation: &mut Simulation) {
        // Not a look at the number of owners: what the last other one read has to have been read.
        if Arc::get_mut(&mut self.lease).is_none() {
            let bodies = simulation.renew_bodies();
            let mut kept = self
                .lease
                .kept
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            *kept = Some(bodies);
            drop(kept);
            self.lease = Arc::default();
        }
    }

    /// Leaves the bodies to the arrays that show them, before the simulation is gone.
    pub(crate) fn end(&mut self, simulation: &mut Simulation) {
        if Arc::get_mut(&mut self.lease).is_none() {
            let bodies = std::mem::take(&mut simulation.world_mut().bodies);
            let mut kept = self
                .lease
                .kept
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            *kept = Some(bodies);
        }
    }
}
