//! Bodies that a script pushes about: penetration without stabilization and with a post-step.

use super::experiment::Context;
use super::outcome::{Expected, Outcome};
use super::simulate;
use crate::args::ExperimentBackend;
use crate::experiments::curve::{Curve, first, largest};
use crate::plot::{Axis, Plot, Series};
use drystone::Result;
use drystone::scene::Scene;
use drystone::stabilize::{Scheme, Stabilization};

/// Penetration that can be seen: a thousandth of the largest body's length or so `[m]`.
const VISIBLE: f64 = 1e-4;
/// Factor by which it grows from the first contact on.
const GROWTH: f64 = 100.0;
/// Penetration that is none `[m]`.
const NONE: f64 = 1e-6;
/// Points of a curve that are drawn.
const DRAWN: usize = 800;

/// Measures a scene of pushed bodies.
pub(crate) fn measure(context: &Context, scene: &Scene) -> Result<Outcome> {
    let duration = scene.steps as f64 * scene.settings.time_step;
    let none = penetration(context, scene, Scheme::None, duration)?;
    let post = penetration(context, scene, Scheme::Post, duration)?;
    let mut outcome = Outcome::default();
    outcome.published_row(
        format!("none: largest penetration in {duration} s"),
        "m",
        "visible",
        Expected::at_least(VISIBLE),
        largest(&none),
    );
    outcome.published_row(
        "none: largest penetration over the first there is",
        "",
        "grows",
        Expected::at_least(GROWTH),
        largest(&none) / first(&none),
    );
    outcome.published_row(
        "post: largest penetration after a step",
        "m",
        "none",
        Expected::at_most(NONE),
        largest(&post),
    );
    if context.backend == ExperimentBackend::Lemke {
        outcome.note("Friction is a polygon of four corners, which pivoting needs.");
    }
    outcome.note(
        "Impacts add nothing to the error, unlike in the paper: a contact is known before it closes, and \
         its velocity is such that it closes without penetration.",
    );
    outcome.plots.push(Plot {
        name: "penetration",
        title: "Contact error over time".into(),
        x: Axis::linear("time [s]"),
        y: Axis::logarithmic("largest penetration [m]").within(1e-12, f64::INFINITY),
        series: vec![
            Series::envelope("none", &none, DRAWN),
            Series::envelope("post", &post, DRAWN),
        ],
        seen: "Without stabilization the error jumps where a face turns on an edge, stays while the contact \
               lasts, and goes when it opens. After the post-step what is left is solver tolerance, or \
               exactly zero, which has no place on this axis."
            .into(),
    });
    Ok(outcome)
}

/// Largest penetration after each step `[m]`.
fn penetration(context: &Context, scene: &Scene, scheme: Scheme, duration: f64) -> Result<Curve> {
    let settings = simulate::settings(context, scene, Stabilization::both(scheme));
    let label = format!("{}: {scheme:?}", scene.name).to_lowercase();
    let mut curve = Vec::new();
    context.run(&label, &scene.world, &settings, duration, |moment| {
        curve.push((moment.world.time, moment.report.penetration.max));
    })?;
    Ok(curve)
}
