//! Friction problems that others recorded, in local and global form, and as rigid bodies.

mod friction_problem;
mod global_form;
mod rigid_form;
mod sparse;

pub(crate) use friction_problem::{FrictionProblem, FrictionSolution};
pub(crate) use global_form::GlobalForm;
pub(crate) use rigid_form::RigidForm;
pub(crate) use sparse::SparseMatrix;
