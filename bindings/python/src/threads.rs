//! Pools of threads, by number; one of each in a process.

use crate::error::{Failure, Result};
use pyo3::exceptions::PyRuntimeError;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Most threads of a pool.
const MAX_THREADS: usize = 1024;

/// Pools of a process.
struct Pools {
    /// That these belong to: a process that has been forked has none of its parent's threads.
    process: u32,
    by_count: BTreeMap<usize, Arc<ThreadPool>>,
}

/// Locked by who holds the interpreter's lock, and not for long: a fork never finds it locked.
static POOLS: Mutex<Pools> = Mutex::new(Pools {
    process: 0,
    by_count: BTreeMap::new(),
});

/// Number of threads: those asked for, or one a core.
///
/// # Errors
/// `InvalidError` for none or too many.
pub(crate) fn count(asked: Option<usize>) -> Result<usize> {
    let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let count = asked.unwrap_or_else(|| cores().min(MAX_THREADS));
    if !(1..=MAX_THREADS).contains(&count) {
        return Err(Failure::invalid(
            "threads",
            format!("{count} given; 1 to {MAX_THREADS} are expected"),
        ));
    }
    Ok(count)
}

/// The pool of so many threads in this process. The caller holds the interpreter's lock.
///
/// # Errors
/// `RuntimeError` if the system gives no threads.
pub(crate) fn pool(count: usize) -> Result<Arc<ThreadPool>> {
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if pools.process != process {
        // Threads of another process cannot be waited for.
        std::mem::forget(std::mem::take(&mut pools.by_count));
        pools.process = process;
    }
    if let Some(pool) = pools.by_count.get(&count) {
        return Ok(Arc::clone(pool));
    }
    let builder = ThreadPoolBuilder::new()
        .num_threads(count)
        .thread_name(|at| format!("drystone-{at}"));
    let pool = builder
        .build()
        .map_err(|why| PyRuntimeError::new_err(format!("{count} threads: {why}")))?;
    let pool = Arc::new(pool);
    pools.by_count.insert(count, Arc::clone(&pool));
    Ok(pool)
}
