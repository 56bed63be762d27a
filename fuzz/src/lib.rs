//! What every fuzz target does with its input: what is read ends in a result or an error with a place, never in a panic, a hang
//! or an allocation that the input does not warrant.

pub mod mutation;
mod scene_target;

pub use scene_target::{is_small, run};

use drystone::Error;
use drystone::problem_file::ProblemFile;
use drystone::scene::Checkpoint;
use drystone::solver::cpu::CpuSolver;
use drystone::solver::nsgs::NsgsOptions;
use drystone::solver::{Plan, Solution, Solver};
use std::path::Path;

/// Most contacts that are solved.
const MOST_CONTACTS: usize = 500;

/// A scene file, and its first steps.
pub fn scene(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    if is_small(text) {
        run(Path::new("fuzzed.toml"), text);
    }
}

/// A problem file, and a few sweeps of what is in it.
pub fn problem(input: &[u8]) {
    match ProblemFile::parse(Path::new("fuzzed.json"), input.to_vec()) {
        Ok(ProblemFile::Bodies(mut file)) => {
            let again = file.to_json().expect("what was read can be written");
            ProblemFile::parse(Path::new("again.json"), again.into_bytes())
                .expect("what was written can be read");
            let options = match &mut file.plan {
                Plan::Once(options) => options,
                Plan::Substeps(plan) => {
                    plan.substeps = plan.substeps.min(4);
                    if let Some(position) = &mut plan.position {
                        position.options.iterations = 2;
                    }
                    &mut plan.velocity
                }
            };
            options.iterations = options.iterations.min(4);
            let solved = CpuSolver::new().step(&file.problem, &file.plan, &mut Solution::default());
            match solved {
                Ok(_) | Err(Error::NonFinite { .. }) => {}
                Err(other) => panic!("a problem that was read is refused: {other}"),
            }
        }
        Ok(ProblemFile::Contacts(file)) if file.friction.len() <= MOST_CONTACTS => {
            let options = NsgsOptions {
                iterations: 4,
                ..NsgsOptions::default()
            };
            let mut impulses = vec![[0.0; 3]; file.friction.len()];
            match file.as_delassus().solve(&mut impulses, &options) {
                Ok(_) | Err(Error::NonFinite { .. }) => {}
                Err(other) => panic!("a problem that was read is refused: {other}"),
            }
        }
        Ok(ProblemFile::Contacts(_)) => {}
        Err(error @ (Error::File { .. } | Error::Capacity { .. })) => drop(error.to_string()),
        Err(other) => panic!("an error without a place: {other}"),
    }
}

/// A checkpoint, and the same with its length and checksum put right, so that what is behind them is read and stepped too.
pub fn checkpoint(input: &[u8]) {
    if let Err(error) = Checkpoint::from_bytes(input) {
        drop(error.to_string());
    }
    let mut bytes = input.to_vec();
    let Some(end) = bytes.len().checked_sub(4).filter(|&end| end >= 28) else {
        return;
    };
    let length = bytes.len() as u64;
    bytes[20..28].copy_from_slice(&length.to_le_bytes());
    let checksum = crc32fast::hash(&bytes[..end]);
    bytes[end..].copy_from_slice(&checksum.to_le_bytes());
    let Ok(checkpoint) = Checkpoint::from_bytes(&bytes) else {
        return;
    };
    if !is_small(checkpoint.scene()) {
        return;
    }
    let solver = Box::new(CpuSolver::new());
    match checkpoint.restore(Path::new("fuzzed.toml"), solver) {
        Ok((_, mut simulation)) => drop(simulation.step()),
        Err(error) => drop(error.to_string()),
    }
}

/// A mesh file, read as a surface, as a solid and as heights. The first byte says as which.
pub fn mesh(input: &[u8]) {
    let Some((&kind, content)) = input.split_first() else {
        return;
    };
    let (name, shape, moves) = match kind % 5 {
        0 => ("m.obj", "type = \"mesh\"", false),
        1 => ("m.stl", "type = \"mesh\"", false),
        2 => ("m.obj", "type = \"polyhedron\", hull = true", true),
        3 => ("m.stl", "type = \"polyhedron\"", true),
        _ => ("m.txt", "type = \"height_field\", cell = [0.5, 0.5]", false),
    };
    let folder = tempfile::tempdir().expect("a folder for the file");
    std::fs::write(folder.path().join(name), content).expect("a file in it");
    let kind = if moves {
        "dynamic\"\ndensity = 1000"
    } else {
        "fixed\""
    };
    let text = format!(
        "name = \"mesh\"\n[simulation]\ndt = 0.01\nsteps = 3\n\
         [[body]]\nname = \"m\"\nkind = \"{kind}\nshape = {{ {shape}, file = \"{name}\" }}\n\
         [[body]]\nshape = {{ type = \"sphere\", radius = 0.2 }}\nposition = [0, 0, 0.3]\ndensity = 1000\n"
    );
    run(&folder.path().join("scene.toml"), &text);
}
