//! Bodies and where they touch: masses, motions, rotations, the search for contacts, and what is kept from step to step.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod broadphase;
#[path = "../support/cases.rs"]
mod cases;
mod detector;
mod impulse_cache;
mod meshes;
mod narrowphase;
mod pairs;
mod polyhedra;
mod ratio;
mod ratio_program;
mod rotations;
mod round;
mod world;
