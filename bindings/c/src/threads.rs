//! Threads of a solver's own.

use crate::fault::{Fault, Result, ds_status};
use drystone::on_this_thread;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::thread::{Builder, JoinHandle};

/// The caller's thread, or a pool whose threads have ended when it is gone, so that a host may unload the library.
pub(crate) struct Threads {
    /// None if there is one thread, the caller's.
    pool: Option<ThreadPool>,
    handles: Vec<JoinHandle<()>>,
}

impl Threads {
    pub(crate) fn new(count: u32) -> Result<Self> {
        let mut handles = Vec::new();
        if count == 1 {
            return Ok(Self {
                pool: None,
                handles,
            });
        }
        let spawn = |thread: rayon::ThreadBuilder| {
            handles.push(
                Builder::new()
                    .name("drystone".into())
                    .spawn(|| thread.run())?,
            );
            Ok(())
        };
        let builder = ThreadPoolBuilder::new().num_threads(count as usize);
        let pool = builder.spawn_handler(spawn).build().map_err(|why| Fault {
            status: ds_status::DS_CAPACITY,
            message: format!("{count} threads: {why}"),
        });
        Ok(Self {
            pool: Some(pool?),
            handles,
        })
    }

    /// Does something on the threads.
    pub(crate) fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => on_this_thread(work),
        }
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.pool = None;
        for handle in self.handles.drain(..) {
            // A thread that panicked has ended too.
            let _ = handle.join();
        }
    }
}
