//! The solvers of contacts and joints, from packing to answers: against closed forms, the referees, each other, and
//! problems that others recorded.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod clusters;
mod coloring;
mod compliance;
mod conformance;
mod contact_checks;
mod direct;
mod friction;
mod friction_laws;
mod host;
mod joint_rows;
mod lane_substeps;
mod lanes;
mod lcp;
mod nsgs;
mod properties;
mod reduction;
mod reference;
mod repacking;
mod rolling;
#[path = "../support/mod.rs"]
mod support;
mod warm_start;
