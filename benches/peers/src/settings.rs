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
    /// The library's settings; the length of a step is the scene's.
    settings: Settings,
}

/// All of them: the default, and then roughly from the fastest to the most accurate.
pub(crate) fn all() -> Vec<Setting> {
    use Method::{GaussSeidel as Pgs, Nesterov};
    vec![
        // what a user gets who gives bodies and nothing else
        Setting {
            name: "default".into(),
            settings: Settings::default(),
        },
        // one sweep in each of some substeps: method, iterations, share of an overlap that a substep removes; gaps
        // of so many body sizes are left alone
        with_slop(0.004, in_substeps(4, gamma(Pgs, 1, 0.4))),
        with_slop(0.005, in_substeps(12, gamma(Pgs, 1, 0.2))),
        // a few substeps, each with a velocity and a position pass
        in_substeps(1, post(Pgs, 8, 2)),
        in_substeps(4, post(Pgs, 2, 1)),
        in_substeps(8, post(Pgs, 4, 1)),
        // not divided: method of the velocity pass, its iterations, iterations of the position pass
        post(Nesterov, 16, 16),
        post(Pgs, 30, 15),
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
    let stabilization = Stabilization {
        post,
        ..Stabilization::both(Scheme::Post)
    };
    Setting {
        name: format!("{} {iterations} post {position_iterations}", method.name()),
        settings: undivided(method, iterations, stabilization),
    }
}

/// Velocity pass alone, which removes a share of each overlap.
fn gamma(method: Method, iterations: u32, gamma: f64) -> Setting {
    Setting {
        name: format!("{} {iterations} gamma {gamma}", method.name()),
        settings: undivided(
            method,
            iterations,
            Stabilization::both(Scheme::Gamma { gamma }),
        ),
    }
}

/// The same, with the iterations in each of several substeps.
fn in_substeps(substeps: u32, setting: Setting) -> Setting {
    Setting {
        name: format!("{substeps} x {}", setting.name),
        settings: Settings {
            substeps: Some(substeps),
            ..setting.settings
        },
    }
}

/// The same, with gaps up to `slop` `[m]` left alone.
fn with_slop(slop: f64, setting: Setting) -> Setting {
    Setting {
        name: format!("{} slop {slop}", setting.name),
        settings: Settings {
            slop: Some(slop),
            ..setting.settings
        },
    }
}

fn undivided(method: Method, iterations: u32, stabilization: Stabilization) -> Settings {
    Settings {
        solver: Options {
            method,
            iterations,
            ..Options::default()
        },
        stabilization,
        ..Settings::post_stabilized()
    }
}

impl Setting {
    /// The library's settings for a scene.
    pub(crate) fn for_scene(&self, scene: &Scene) -> Settings {
        Settings {
            time_step: scene.time_step,
            ..self.settings
        }
    }
}
