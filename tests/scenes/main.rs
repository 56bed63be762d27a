//! Scene files: what is read from them and what is refused, what those of the repository show, and what a run writes.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod assemblies;
mod basics;
mod expectations;
mod files;
mod fills;
#[path = "../support/flows.rs"]
mod flows;
mod joint_kinds;
mod joints;
mod meshes;
mod mutations;
mod polyhedra;
mod probes;
mod run_folder;
#[path = "../support/mod.rs"]
mod support;
mod tables;
mod vtk;
#[path = "../support/vtk_file.rs"]
mod vtk_file;
