//! Handles: numbers that look like pointers, and are looked up.

use crate::fault::{Fault, Result, ds_status};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};

/// No two handles of any kind are the same, in the life of a process. Below the first page nothing is mapped, and an odd
/// number is no pointer that anybody has.
static NEXT: AtomicUsize = AtomicUsize::new(1);

/// Objects behind the handles of a kind.
pub(crate) struct Handles<T> {
    name: &'static str,
    held: Mutex<BTreeMap<usize, Arc<Mutex<T>>>>,
}

impl<T> Handles<T> {
    pub(crate) const fn new(name: &'static str) -> Self {
        Self {
            name,
            held: Mutex::new(BTreeMap::new()),
        }
    }

    fn held(&self) -> std::sync::MutexGuard<'_, BTreeMap<usize, Arc<Mutex<T>>>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A handle for something.
    pub(crate) fn add(&self, value: T) -> usize {
        let handle = NEXT.fetch_add(2, Ordering::Relaxed);
        self.held().insert(handle, Arc::new(Mutex::new(value)));
        handle
    }

    /// Does something with what a handle stands for.
    ///
    /// # Errors
    /// `DS_HANDLE` if it stands for nothing, `DS_BUSY` if another thread has it.
    pub(crate) fn with<R>(
        &self,
        handle: usize,
        work: impl FnOnce(&mut T) -> Result<R>,
    ) -> Result<R> {
        let found = self.held().get(&handle).cloned();
        let value = found.ok_or_else(|| self.missing(handle))?;
        let mut value = match value.try_lock() {
            Ok(value) => value,
            // The memory of the panic has been replaced.
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                return Err(Fault {
                    status: ds_status::DS_BUSY,
                    message: format!("the {} is in use by another thread", self.name),
                });
            }
        };
        work(&mut value)
    }

    /// Forgets a handle; what it stands for goes once nobody uses it any more. Null is nothing to be forgotten.
    ///
    /// # Errors
    /// `DS_HANDLE` if it stands for nothing.
    pub(crate) fn remove(&self, handle: usize) -> Result<()> {
        if handle == 0 {
            return Ok(());
        }
        let removed = self.held().remove(&handle);
        removed.map(drop).ok_or_else(|| self.missing(handle))
    }

    fn missing(&self, handle: usize) -> Fault {
        Fault {
            status: ds_status::DS_HANDLE,
            message: if handle == 0 {
                format!("the {} is null", self.name)
            } else {
                format!("{handle:#x} is no {}, or one that was destroyed", self.name)
            },
        }
    }
}
