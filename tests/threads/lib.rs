//! `src/parallel` by itself, so that tools which are slow, or build everything anew, can be run on it.

#![allow(dead_code, unreachable_pub, unused_imports)]

#[cfg(not(any(loom, miri)))]
#[path = "../../src/constants/mod.rs"]
pub mod constants;

/// Numbers that leave loom few orders to try, and Miri little to wait for.
#[cfg(any(loom, miri))]
pub mod constants {
    pub const MAX_TEAM_DOMAINS: usize = 64;
    pub const TEAM_CHUNKS_PER_THREAD: usize = 1;
    pub const TEAM_SPINS: u32 = 1;
    pub const TEAM_SPINS_BEFORE_HELPING: u32 = 1;
    pub const TEAM_YIELDS: u32 = 0;
    pub const WAKING_PER_TEAM_GRAIN: usize = 8;
}

#[path = "../../src/parallel/mod.rs"]
pub mod parallel;
