//! Shared by several test programs: problems and mechanisms with seeds, and the solvers under test.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]
#![allow(
    dead_code,
    unreachable_pub,
    unused_imports,
    reason = "each program uses a part"
)]

#[cfg(feature = "gpu")]
pub(crate) mod adapter;
pub(crate) mod backends;
pub(crate) mod chains;
pub(crate) mod friction_file;
pub(crate) mod joints;
pub(crate) mod linkages;
pub(crate) mod mechanisms;
pub(crate) mod problems;
pub(crate) mod recorded;
pub(crate) mod rings;
