//! A pendulum whose pivot drifts, and the post-step that holds it.
//!
//! Source: Cline and Pai 2003, figure 1.

use super::experiment::{Context, Experiment};
use super::outcome::{Expected, Outcome};
use super::simulate::{self, largest_anchor_error};
use crate::experiments::curve::{Curve, largest, largest_rise, mean_between};
use crate::plot::{Axis, Plot, Series};
use drystone::Result;
use drystone::scene::Scene;
use drystone::stabilize::{Scheme, Stabilization};
use std::f64::consts::PI;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "pendulum",
    title: "A pendulum's pivot drifts without stabilization, and stays with a post-step",
    source: "Cline and Pai 2003, section IV, figure 1",
    run: reproduce,
};

/// Time over which the order of the drift is measured: the first swing `[s]`.
const SWING: f64 = 1.0;

/// A run's curves.
#[derive(Default)]
struct Trace {
    /// Distance of the pivot from its place `[m]` over time `[s]`.
    error: Curve,
    /// Kinetic and potential energy `[J]` over time.
    energy: Curve,
    /// Centre of mass in the plane of the motion `[m]`.
    path: Curve,
}

fn reproduce(context: &Context) -> Result<Outcome> {
    let scene = simulate::scene("pendulum")?;
    let h = scene.settings.time_step;
    let duration = scene.steps as f64 * h;
    let none = trace(context, &scene, Scheme::None, h, duration)?;
    let half = trace(context, &scene, Scheme::None, 0.5 * h, SWING)?;
    let implicit = trace(context, &scene, Scheme::Implicit, h, duration)?;
    let post = trace(context, &scene, Scheme::Post, h, duration)?;

    let mut outcome = Outcome::default();
    outcome.published_row(
        format!("none: largest distance of the pivot from its place in {duration} s"),
        "m",
        "drifts",
        Expected::at_least(0.01),
        largest(&none.error),
    );
    outcome.row(
        "none: mean distance in the second half of the run over that in the first",
        "",
        Expected::at_least(1.5),
        mean_between(&none.error, 0.5 * duration, f64::INFINITY)
            / mean_between(&none.error, 0.0, 0.5 * duration),
    );
    let first_swing: Curve = none
        .error
        .iter()
        .copied()
        .filter(|p| p.0 <= SWING)
        .collect();
    outcome.row(
        format!("none: order of the drift in h over the first {SWING} s"),
        "",
        Expected::near(1.0, 0.1),
        (largest(&first_swing) / largest(&half.error)).log2(),
    );
    outcome.row(
        "post: largest distance of the pivot from its place",
        "m",
        Expected::at_most(1e-6),
        largest(&post.error),
    );
    outcome.row(
        "none: largest growth of the energy in a step",
        "J",
        Expected::at_most(1e-6),
        largest_rise(&none.energy),
    );
    outcome.note(
        "The paper shows a picture and no values. The rod, its length and the step are chosen here: 1 m, \
         1 kg, released horizontally, h = 0.01 s.",
    );
    let circle = (0..=200).map(|i| {
        let (sin, cos) = (-PI * f64::from(i) / 200.0).sin_cos();
        (0.5 * cos, 0.5 * sin)
    });
    outcome.plots.push(Plot {
        name: "path",
        title: "Path of the centre of mass".into(),
        x: Axis::linear("x [m]"),
        y: Axis::linear("z [m]"),
        series: vec![
            Series::new("circle about the pivot", circle.collect()).broad(),
            Series::new("none", none.path),
            Series::new("post", post.path),
        ],
        seen: "Without stabilization the centre of mass falls further and further off its circle; with \
               the post-step it stays on it."
            .into(),
    });
    outcome.plots.push(Plot {
        name: "error",
        title: "Distance of the pivot from its place".into(),
        x: Axis::linear("time [s]"),
        y: Axis::logarithmic("distance [m]").within(1e-16, f64::INFINITY),
        series: vec![
            Series::new("none", none.error),
            Series::new("implicit", implicit.error),
            Series::new("post", post.error),
        ],
        seen: "The unstabilized drift grows with every swing; implicit enforcement leaves what one step \
               makes, and the post-step what its linear problem does not see."
            .into(),
    });
    Ok(outcome)
}

fn trace(context: &Context, scene: &Scene, scheme: Scheme, h: f64, duration: f64) -> Result<Trace> {
    let mut settings = simulate::settings(context, scene, Stabilization::both(scheme));
    settings.time_step = h;
    let mut trace = Trace::default();
    let label = format!("pendulum: {scheme:?}").to_lowercase();
    context.run(&label, &scene.world, &settings, duration, |moment| {
        let energy = moment.report.energy;
        let center = moment.world.bodies[0].pose.position;
        let time = moment.world.time;
        trace.error.push((time, largest_anchor_error(moment.world)));
        trace.energy.push((time, energy.kinetic + energy.potential));
        trace.path.push((center.x, center.z));
    })?;
    Ok(trace)
}
