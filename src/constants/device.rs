//! Buffers, submissions and patience of a GPU.

use std::time::Duration;

/// Most bytes of one transfer from the GPU `[B]`; more would only hold memory without being faster.
pub(crate) const STAGING_BYTES: u64 = 64 << 20;

/// Bytes that are compared at a time to find out what an upload may leave out `[B]`: a page, so that a
/// copy command carries enough.
pub(crate) const UPLOAD_CHUNK_BYTES: usize = 4096;

/// Most iterations of all loops of one GPU invocation together.
///
/// Some software adapters silently end the loops of an invocation after this many.
pub(crate) const MAX_LOOP_ITERATIONS: u64 = 65_535;

/// Contacts times sweeps in one GPU submission.
///
/// A desktop's watchdog ends a submission after about 2 s; at 100 million contacts a second, a slow
/// GPU, this is 84 ms.
pub(crate) const SUBMIT_CONTACT_ITERATIONS: u64 = 1 << 23;

/// Dispatches in one GPU submission; at some microseconds each, about ten milliseconds.
pub(crate) const SUBMIT_DISPATCHES: u64 = 4096;

/// GPU submissions that are queued before the oldest is waited for.
pub(crate) const SUBMISSIONS_IN_FLIGHT: usize = 2;

/// Time after which a GPU that has not finished a submission counts as lost.
pub(crate) const DEVICE_TIMEOUT: Duration = Duration::from_secs(120);

/// Bytes that one thread copies at least `[B]`: some 20 us.
pub(crate) const COPIED_BYTES_PER_THREAD: usize = 1 << 18;

/// Chunks of [`UPLOAD_CHUNK_BYTES`] that one thread compares and copies at least: some 1 us each.
pub(crate) const UPDATED_CHUNKS_PER_THREAD: usize = 16;
