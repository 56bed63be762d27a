//! Signals that ask the program to end: the step is finished first.

use drystone::{Error, Result};
use signal_hook::consts::{SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A signal that ends a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Signal(usize);

impl Signal {
    /// Name, as manuals have it.
    pub(crate) fn name(self) -> &'static str {
        match self.0 {
            1 => "SIGHUP",
            2 => "SIGINT",
            15 => "SIGTERM",
            _ => "a signal",
        }
    }

    /// Exit code of a program that it ended, as shells have it.
    pub(crate) fn exit_code(self) -> u8 {
        128 + u8::try_from(self.0).unwrap_or(0)
    }
}

/// Remembers the first signal that comes; the second one ends the program at once.
pub(crate) struct Signals {
    caught: Arc<AtomicUsize>,
}

impl Signals {
    /// Begins to watch.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the system does not allow it.
    pub(crate) fn watch() -> Result<Self> {
        let caught = Arc::new(AtomicUsize::new(0));
        #[cfg(unix)]
        let signals = [SIGINT, SIGTERM, signal_hook::consts::SIGHUP];
        #[cfg(not(unix))]
        let signals = [SIGINT, SIGTERM];
        for signal in signals {
            let failed = |why: std::io::Error| Error::invalid("signal handler", why.to_string());
            #[cfg(unix)]
            {
                let again = Arc::new(std::sync::atomic::AtomicBool::new(false));
                signal_hook::flag::register_conditional_default(signal, Arc::clone(&again))
                    .map_err(failed)?;
                signal_hook::flag::register(signal, again).map_err(failed)?;
            }
            signal_hook::flag::register_usize(signal, Arc::clone(&caught), signal as usize)
                .map_err(failed)?;
        }
        Ok(Self { caught })
    }

    /// The signal that came, if one did.
    pub(crate) fn caught(&self) -> Option<Signal> {
        let number = self.caught.load(Ordering::Relaxed);
        (number != 0).then_some(Signal(number))
    }
}
