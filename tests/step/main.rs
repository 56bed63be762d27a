//! The step as a whole: energy and momentum, what settings do, stabilization, substeps, regimes, the papers' experiments,
//! and the same bits again.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod balance;
mod bounces;
mod determinism;
mod energy;
mod event;
mod host;
mod impacts;
mod loaded;
mod papers;
mod plates;
mod presses;
mod random_energy;
mod regimes;
mod rocking;
mod round;
mod runaway;
mod saved;
mod settings_matter;
mod spinning;
mod stabilization;
mod standing;
mod substeps;
#[path = "../support/mod.rs"]
mod support;
mod turning;
