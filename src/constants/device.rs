//! Buffers, submissions and patience of a GPU.

use std::time::Duration;

/// Invocations of a workgroup in every kernel; the least that every WebGPU adapter runs well.
pub const WORKGROUP_SIZE: u32 = 64;

/// Most bytes of one transfer from the GPU `[B]`; more would only hold memory without being faster.
pub const STAGING_BYTES: u64 = 64 << 20;

/// Bytes that are compared at a time to find out what an upload may leave out `[B]`: a page, so that a
/// copy command carries enough.
pub const UPLOAD_CHUNK_BYTES: usize = 4096;

/// Most iterations of all loops of one GPU invocation together.
///
/// Some software adapters silently end the loops of an invocation after this many.
pub const MAX_LOOP_ITERATIONS: u64 = 65_535;

/// Contacts times sweeps in one GPU submission.
///
/// A desktop's watchdog ends a submission after about 2 s; at 100 million contacts a second, a slow
/// GPU, this is 84 ms.
pub const SUBMIT_CONTACT_ITERATIONS: u64 = 1 << 23;

/// Dispatches in one GPU submission; at some microseconds each, about ten milliseconds.
pub const SUBMIT_DISPATCHES: u64 = 4096;

/// GPU submissions that are queued before the oldest is waited for.
pub const SUBMISSIONS_IN_FLIGHT: usize = 2;

/// Time after which a GPU that has not finished a submission counts as lost.
pub const DEVICE_TIMEOUT: Duration = Duration::from_secs(120);
