//! The points of drystone's curve: one line of the table each.
//!
//! To add one, add a line to [`all`]. `--only` picks some of them by a part of their names.

use crate::scene::Scene;
use drystone::solver::{Method, Options};
use drystone::stabilize::{Post, Scheme, Stabilization};
use drystone::step::Settings;

/// A point of the curve.
pub(crate) struct Setting {
    /// What tables and plots call it.
    pub(crate) name: String,
    velocity: Options,
    stabilization: Stabilization,
    /// Parts of a step that share its contacts; 0 finds them anew for the position pass.
    substeps: u32,
    /// Gap that substeps leave alone `[m]`, all bodies being about 1 m; `None` is the library's own choice.
    slop: Option<f64>,
}

/// All of them, roughly from the fastest to the most accurate.
pub(crate) fn all() -> Vec<Setting> {
    use Method::{GaussSeidel as Pgs, Nesterov};
    vec![
        // not divided: method of the velocity pass, its iterations, iterations of the position pass
        post(Pgs, 30, 15),
        post(Nesterov, 16, 16),
        // one substep: method, iterations, share of an overlap that a step removes
        in_substeps(1, gamma(Pgs, 2, 0.2)),
        in_substeps(1, gamma(Pgs, 4, 0.2)),
        in_substeps(1, gamma(Pgs, 8, 0.2)),
        // a few substeps, each with a velocity and a position pass
        in_substeps(1, post(Pgs, 4, 1)),
        in_substeps(1, post(Pgs, 8, 2)),
        in_substeps(2, post(Pgs, 2, 1)),
        in_substeps(2, post(Pgs, 4, 1)),
        in_substeps(2, post(Pgs, 8, 1)),
        in_substeps(4, post(Pgs, 1, 1)),
        in_substeps(4, post(Pgs, 2, 1)),
        in_substeps(4, post(Pgs, 4, 1)),
        in_substeps(4, post(Pgs, 10, 2)),
        in_substeps(6, post(Pgs, 2, 1)),
        in_substeps(8, post(Pgs, 1, 1)),
        in_substeps(8, post(Pgs, 2, 1)),
        in_substeps(8, post(Pgs, 3, 1)),
        in_substeps(8, post(Pgs, 4, 1)),
        in_substeps(4, post(Nesterov, 12, 4)),
        // gaps of so many body sizes left alone
        with_slop(0.001, in_substeps(4, post(Pgs, 2, 1))),
        with_slop(0.001, in_substeps(6, post(Pgs, 2, 1))),
        with_slop(0.003, in_substeps(2, post(Pgs, 2, 1))),
        with_slop(0.003, in_substeps(2, post(Pgs, 4, 1))),
        with_slop(0.003, in_substeps(3, post(Pgs, 1, 1))),
        with_slop(0.003, in_substeps(4, post(Pgs, 2, 1))),
        with_slop(0.005, in_substeps(4, post(Pgs, 3, 1))),
        // the same without a position pass: one sweep in each of many substeps
        with_slop(0.005, in_substeps(4, gamma(Pgs, 1, 0.5))),
        with_slop(0.004, in_substeps(4, gamma(Pgs, 1, 0.4))),
        with_slop(0.004, in_substeps(6, gamma(Pgs, 1, 0.2))),
        with_slop(0.003, in_substeps(4, gamma(Pgs, 1, 0.4))),
        with_slop(0.002, in_substeps(6, gamma(Pgs, 1, 0.4))),
        with_slop(0.001, in_substeps(5, gamma(Pgs, 1, 0.5))),
        with_slop(0.001, in_substeps(4, gamma(Pgs, 2, 0.2))),
        with_slop(0.0005, in_substeps(8, gamma(Pgs, 1, 0.2))),
        with_slop(0.0005, in_substeps(8, gamma(Pgs, 2, 0.2))),
        with_slop(0.005, in_substeps(12, gamma(Pgs, 1, 0.2))),
        with_slop(0.005, in_substeps(14, gamma(Pgs, 1, 0.2))),
        with_slop(0.005, in_substeps(7, gamma(Pgs, 3, 0.2))),
    ]
}

/// Velocity pass, then a position pass by the same method.
fn post(method: Method, iterations: u32, position_iterations: u32) -> Setting {
    let post = Post {
        solver: Options {
            method,
            iterations: position_iterations,
            ..Post::default().solver
        },
        ..Post::default()
    };
    Setting {
        name: format!("{} {iterations} post {position_iterations}", method.name()),
        velocity: velocity(method, iterations),
        stabilization: Stabilization {
            post,
            ..Stabilization::default()
        },
        substeps: 0,
        slop: None,
    }
}

/// Velocity pass alone, which removes a share of each overlap.
fn gamma(method: Method, iterations: u32, gamma: f64) -> Setting {
    Setting {
        name: format!("{} {iterations} gamma {gamma}", method.name()),
        velocity: velocity(method, iterations),
        stabilization: Stabilization::both(Scheme::Gamma { gamma }),
        substeps: 0,
        slop: None,
    }
}

/// The same, with the iterations in each of several substeps.
fn in_substeps(substeps: u32, setting: Setting) -> Setting {
    Setting {
        name: format!("{substeps} x {}", setting.name),
        substeps,
        ..setting
    }
}

/// The same, with gaps up to `slop` `[m]` left alone.
fn with_slop(slop: f64, setting: Setting) -> Setting {
    Setting {
        name: format!("{} slop {slop}", setting.name),
        slop: Some(slop),
        ..setting
    }
}

fn velocity(method: Method, iterations: u32) -> Options {
    Options {
        method,
        iterations,
        ..Options::default()
    }
}

impl Setting {
    /// The library's settings for a scene.
    pub(crate) fn for_scene(&self, scene: &Scene) -> Settings {
        Settings {
            time_step: scene.time_step,
            solver: self.velocity,
            stabilization: self.stabilization,
            substeps: self.substeps,
            slop: self.slop,
            ..Settings::default()
        }
    }
}
