//! From a checked scene file to how its world is stepped.

use super::Overrides;
use super::schema::{self, Friction, SceneFile};
use crate::error::Result;
use crate::problem::{FrictionCone, FrictionLaw};
use crate::solver::Options;
use crate::stabilize::{Baumgarte, Post, Scheme, Stabilization};
use crate::step::Settings;
use crate::world::World;

/// How the world of a file is stepped: as the file says or, if it says nothing of solvers, as measurements
/// recommend for its bodies.
///
/// # Errors
/// [`Error::Invalid`](crate::Error::Invalid) for an override without meaning.
pub(super) fn settings(file: &SceneFile, overrides: &Overrides, world: &World) -> Result<Settings> {
    let (solver, post) = (&file.solver, &file.stabilization);
    let is_free = !solver.is_given
        && !post.is_given
        && file.simulation.substeps.or(overrides.substeps).is_none()
        && overrides.iterations.is_none()
        && overrides.tolerance.is_none()
        && overrides.method.is_none();
    let time_step = overrides.time_step.unwrap_or(file.simulation.dt);
    let recommended = is_free.then(|| Settings::for_world(world, time_step));
    let [substeps, iterations, position_iterations] = match &recommended {
        Some(settings) => [
            settings.substeps,
            settings.solver.iterations,
            settings.stabilization.post.solver.iterations,
        ],
        None => [
            file.simulation.substeps.unwrap_or(0),
            solver.iterations,
            post.iterations,
        ],
    };
    let method = overrides.method.unwrap_or(solver.method.into());
    let settings = Settings {
        time_step,
        substeps: overrides.substeps.unwrap_or(substeps),
        solver: Options {
            method,
            iterations: overrides.iterations.unwrap_or(iterations),
            tolerance: overrides.tolerance.unwrap_or(solver.tolerance),
            check_every: solver.check_every,
            warm_start: solver.warm_start,
            direct_joints: solver.direct_joints,
            ..Options::default()
        },
        stabilization: Stabilization {
            contacts: scheme(post.contacts.as_ref().unwrap_or(&post.method)),
            joints: scheme(post.joints.as_ref().unwrap_or(&post.method)),
            post: Post {
                solver: Options {
                    method: post.solver.map_or(method, Into::into),
                    iterations: position_iterations,
                    tolerance: post.tolerance,
                    check_every: post.check_every,
                    warm_start: Post::default().solver.warm_start,
                    direct_joints: solver.direct_joints,
                    direct_damping: Post::default().solver.direct_damping,
                },
                steps: post.steps,
                max_correction: post.max_correction,
            },
        },
        friction_cone: match solver.friction {
            Friction::Disk => FrictionCone::Disk,
            Friction::Pyramid(directions) => FrictionCone::Pyramid { directions },
        },
        friction_law: match solver.friction_law {
            schema::FrictionLaw::Coulomb => FrictionLaw::Coulomb,
            schema::FrictionLaw::Convex => FrictionLaw::Convex,
        },
        margin: file.simulation.margin,
        slop: file.simulation.slop,
        restitution_threshold: file.simulation.restitution_threshold,
    };
    settings.validate()?;
    Ok(settings)
}

fn scheme(given: &schema::Scheme) -> Scheme {
    let table = match given {
        schema::Scheme::Named(schema::SchemeName::None) => return Scheme::None,
        schema::Scheme::Named(schema::SchemeName::Post) => return Scheme::Post,
        schema::Scheme::Named(schema::SchemeName::Implicit) => return Scheme::Implicit,
        schema::Scheme::Table(table) => table,
    };
    // The checks of the file ask for the numbers of one of the forms.
    let number = |given: Option<f64>| given.unwrap_or(f64::NAN);
    if table.kind == schema::SchemeType::Gamma {
        return Scheme::Gamma {
            gamma: number(table.gamma),
        };
    }
    Scheme::Baumgarte(match (table.kappa, table.omega0) {
        (Some(kappa), _) => Baumgarte::Velocity { kappa },
        (None, Some(omega0)) => Baumgarte::oscillator(omega0, number(table.zeta)),
        (None, None) => Baumgarte::Acceleration {
            alpha: number(table.alpha),
            beta: number(table.beta),
        },
    })
}
