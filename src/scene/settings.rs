//! From a checked scene file to how its world is stepped.

use super::Overrides;
use super::schema::{self, SceneFile};
use crate::collide::ContactModel;
use crate::constants::SWEEPS_OF_A_STEP;
use crate::error::Result;
use crate::event::{EventOptions, Feedback};
use crate::problem::FrictionCone;
use crate::solver::Options;
use crate::stabilize::{Baumgarte, Post, Scheme, Stabilization};
use crate::step::Settings;

/// How the world of a file is stepped: as the file says or, if it says nothing of solvers, as measurements
/// recommend for its bodies.
///
/// # Errors
/// [`Error::Invalid`](crate::Error::Invalid) for an override without meaning.
pub(super) fn settings(file: &SceneFile, overrides: &Overrides) -> Result<Settings> {
    let (solver, post) = (&file.solver, &file.stabilization);
    let default = Settings::default();
    let time_step = overrides.time_step.unwrap_or(file.simulation.dt);
    let contacts = post.contacts.as_ref().or(post.method.as_ref());
    let contacts = contacts.map_or(default.stabilization.contacts, scheme);
    let joints = match (&post.joints, &post.method) {
        (Some(joints), _) => scheme(joints),
        (None, Some(method)) if !matches!(scheme(method), Scheme::Soft { .. }) => scheme(method),
        _ => default.stabilization.joints,
    };
    let substeps = overrides.substeps.or(file.simulation.substeps);
    let iterations = overrides.iterations.or(solver.iterations);
    let iterations = iterations.unwrap_or_else(|| default_sweeps(contacts, substeps));
    let method = overrides.method.unwrap_or(solver.method);
    let settings = Settings {
        time_step,
        substeps,
        solver: Options {
            method,
            iterations,
            tolerance: overrides.tolerance.unwrap_or(solver.tolerance),
            check_every: solver.check_every,
            warm_start: solver.warm_start,
            direct_joints: solver.direct_joints,
            ..Options::default()
        },
        stabilization: Stabilization {
            contacts,
            joints,
            post: Post {
                solver: Options {
                    method: post.solver.unwrap_or(method),
                    iterations: post.iterations,
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
        friction_cone: match overrides.friction_directions {
            Some(directions) => FrictionCone::Pyramid { directions },
            None => solver.friction,
        },
        friction_law: solver.friction_law,
        event: (file.simulation.stepper == schema::Stepper::Event)
            .then(|| event(&file.event.unwrap_or_default())),
        broadphase: file.simulation.broadphase,
        contacts: match file.simulation.contacts {
            schema::Contacts::Clipped => ContactModel::Clipped,
            schema::Contacts::Events => ContactModel::EVENTS,
            schema::Contacts::NearlyActive { near, lateral } => {
                ContactModel::Events { near, lateral }
            }
        },
        margin: file.simulation.margin,
        slop: file.simulation.slop,
        restitution_threshold: file.simulation.restitution_threshold,
        energy_balance: file
            .probes
            .iter()
            .any(|probe| matches!(probe, schema::Probe::EnergyBalance(_))),
    };
    settings.validate()?;
    Ok(settings)
}

fn event(given: &schema::Event) -> EventOptions {
    let both = |a: Option<f64>, b: Option<f64>| Some((a?, b?));
    EventOptions {
        impacts: given.impacts,
        search: given.search,
        contact_distance: given.contact_distance,
        gap_tolerance: given.gap_tolerance,
        resting_speed: given.resting_speed,
        feedback: both(given.alpha, given.beta)
            .map(|(alpha, beta)| Feedback { alpha, beta })
            .or_else(|| {
                both(given.omega0, given.zeta)
                    .map(|(omega0, zeta)| Feedback::oscillator(omega0, zeta))
            }),
        max_events: given.max_events,
        velocity_steps: given.velocity_steps,
    }
}

/// Sweeps where a scene names none: those of a step that is divided by what the bodies do, else as many in all
/// as that has at least.
fn default_sweeps(contacts: Scheme, substeps: Option<u32>) -> u32 {
    match (contacts, substeps) {
        (Scheme::Soft { .. }, None) => Settings::default().solver.iterations,
        (Scheme::Soft { .. }, Some(substeps)) => SWEEPS_OF_A_STEP.div_ceil(substeps.max(1)),
        _ => Options::default().iterations,
    }
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
    if table.kind == schema::SchemeType::Soft {
        return Scheme::Soft {
            softness: number(table.softness),
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
