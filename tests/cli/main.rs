//! The program, run as a process: what it prints, what it writes, how it exits.
//!
//! Tests of GPUs take the adapter whose name contains `DRYSTONE_ADAPTER`, or else the first hardware
//! adapter, or else Mesa's llvmpipe. Everything else hides all adapters, so that it means the same on
//! every machine.

#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod bad_scenes;
mod bench;
mod checkpoints;
mod compare;
#[cfg(unix)]
mod disks;
#[cfg(all(feature = "view", target_os = "linux"))]
mod display;
mod faults;
mod fclib_files;
mod first_half_hour;
mod frames;
#[cfg(feature = "gpu")]
mod gpu;
mod lab;
mod plot;
mod problem_files;
mod problems;
mod program;
mod references;
#[cfg(feature = "gpu")]
mod render;
mod reproduce;
mod run;
mod start;
mod usage;
#[cfg(all(feature = "view", target_os = "linux"))]
mod view;
#[path = "../support/vtk_file.rs"]
mod vtk_file;
