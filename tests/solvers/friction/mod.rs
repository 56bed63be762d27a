//! Friction problems recorded from simulations of others: read, reduced, solved, and turned into
//! rigid bodies for the f32 backends.
//!
//! The problems are in the folder that `DRYSTONE_DATA` names; without it, tests of recorded
//! problems pass without looking.

mod baseline;
mod reading;
mod rigid;

use crate::support::friction_file;
use crate::support::recorded::FrictionProblem;
use std::path::PathBuf;

/// A recorded problem, if there are any.
fn recorded(name: &str) -> Option<FrictionProblem> {
    let folder = PathBuf::from(std::env::var_os("DRYSTONE_DATA")?);
    let path = folder.join("friction").join(format!("{name}.json"));
    Some(friction_file::read(&path).unwrap())
}
