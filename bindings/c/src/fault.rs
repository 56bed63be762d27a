//! How a call ends.

use drystone::Error;
use drystone::on_this_thread;
use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How a call ended.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ds_status {
    /// As asked.
    DS_OK = 0,
    /// A value without meaning, a null pointer, a wrong size; nothing was computed.
    DS_INVALID = 1,
    /// Something exceeds what can be held.
    DS_CAPACITY = 2,
    /// A device failed.
    DS_DEVICE = 3,
    /// A fault of the library's own, which was caught.
    DS_PANIC = 4,
    /// A number stopped being finite; outputs were not written.
    DS_NOT_FINITE = 5,
    /// No such handle, or no longer.
    DS_HANDLE = 6,
    /// The handle is in use by another thread.
    DS_BUSY = 7,
}

/// A call that ended otherwise than asked.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) status: ds_status,
    pub(crate) message: String,
}

impl Fault {
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self {
            status: ds_status::DS_INVALID,
            message: message.into(),
        }
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        let status = match error {
            Error::Capacity { .. } => ds_status::DS_CAPACITY,
            Error::Device(_) | Error::NoAdapter(_) => ds_status::DS_DEVICE,
            Error::NonFinite { .. } => ds_status::DS_NOT_FINITE,
            _ => ds_status::DS_INVALID,
        };
        Self {
            status,
            message: error.to_string(),
        }
    }
}

pub(crate) type Result<T> = std::result::Result<T, Fault>;

thread_local! {
    static MESSAGE: RefCell<CString> = RefCell::new(CString::default());
}

/// The message of the last call of this thread that did not end in `DS_OK`, or an empty one; valid until this thread's
/// next call that does not.
#[unsafe(no_mangle)]
pub extern "C" fn ds_message() -> *const c_char {
    MESSAGE.with_borrow(|message| message.as_ptr())
}

/// Runs what is behind the border.
pub(crate) fn guarded(work: impl FnOnce() -> Result<()>) -> ds_status {
    // Work that a panic leaves half done is thrown away where it happens; see `Solver::work`.
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => ds_status::DS_OK,
        Ok(Err(fault)) => noted(fault),
        Err(panic) => noted(of_panic(&*panic)),
    }
}

/// The same on the thread that calls alone, as of functions that have no solver: it may be a host's only one, and what others wait for costs it time.
pub(crate) fn guarded_alone(work: impl FnOnce() -> Result<()>) -> ds_status {
    guarded(|| on_this_thread(work))
}

/// A panic as a fault.
pub(crate) fn of_panic(panic: &(dyn Any + Send)) -> Fault {
    let said = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    Fault {
        status: ds_status::DS_PANIC,
        message: format!(
            "a fault of drystone's own: {}",
            said.unwrap_or("no message")
        ),
    }
}

fn noted(Fault { status, message }: Fault) -> ds_status {
    let text = message.replace('\0', " ");
    MESSAGE.set(CString::new(text).unwrap_or_default());
    status
}
