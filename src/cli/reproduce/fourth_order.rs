//! A chain integrated by a fourth-order method, its constraints at the level of accelerations only: it drifts as well.
//!
//! Source: Cline and Pai 2003, section IV: "even using the best integration methods and small time steps, numerical drift can never be
//! completely eliminated".

use super::experiment::{Context, Experiment};
use super::outcome::{Expected, Outcome};
use super::simulate::{self, largest_anchor_error};
use crate::experiments::curve::{Curve, largest, mean_between};
use crate::plot::{Axis, Plot, Series};
use drystone::Result;
use drystone::event::{EventSettings, EventStepper, Feedback};
use drystone::scene::Scene;
use drystone::world::Shape;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "fourth_order",
    title: "A fourth-order integrator drifts too, less and slower",
    source: "Cline and Pai 2003, section IV",
    run: reproduce,
};

/// Lengths of a step `[s]`, each half of the one before.
const STEPS: [f64; 4] = [8e-3, 4e-3, 2e-3, 1e-3];
/// Length of a run `[s]`.
const DURATION: f64 = 0.8;

fn reproduce(context: &Context) -> Result<Outcome> {
    let scene = simulate::scene("chain6")?;
    context.progress.part("fourth_order", 1500);
    let mut curves = Vec::new();
    for h in STEPS {
        curves.push(drift(context, &scene, h, 0.0)?);
    }
    let held = drift(context, &scene, STEPS[1], 0.1 / STEPS[1])?;
    let mut outcome = Outcome::default();
    outcome.published_row(
        format!(
            "section IV, h = {} s: largest joint error in {DURATION} s",
            STEPS[1]
        ),
        "m",
        "never eliminated",
        Expected::at_least(1e-9),
        largest(&curves[1]),
    );
    outcome.row(
        "the same: mean error in the second half over that in the first",
        "",
        Expected::at_least(2.0),
        mean_between(&curves[1], 0.5 * DURATION, f64::INFINITY)
            / mean_between(&curves[1], 0.0, 0.5 * DURATION),
    );
    for pair in [1, 2] {
        outcome.row(
            format!(
                "section IV: order of the drift in h, from {} s to {} s",
                STEPS[pair],
                STEPS[pair + 1]
            ),
            "",
            Expected::near(4.0, 0.5),
            (largest(&curves[pair]) / largest(&curves[pair + 1])).log2(),
        );
    }
    outcome.row(
        format!(
            "section IV-A, h = {} s: largest error with Baumgarte's constants over that without",
            STEPS[1]
        ),
        "",
        Expected::at_most(0.5),
        largest(&held) / largest(&curves[1]),
    );
    outcome.note(
        "The chain of figures 2 to 7 under 9.81 m/s², by the event stepper: Runge-Kutta's classical method on accelerations that satisfy the \
         second derivatives of the constraints to round-off.",
    );
    let mut series: Vec<Series> = STEPS
        .iter()
        .zip(curves)
        .map(|(h, curve)| Series::new(format!("h = {h} s"), curve))
        .collect();
    series.push(Series::new(format!("h = {} s, Baumgarte", STEPS[1]), held));
    outcome.plots.push(Plot {
        name: "drift",
        title: "Largest joint error of a chain, fourth-order integrator".into(),
        x: Axis::linear("time [s]"),
        y: Axis::logarithmic("largest error [m]").within(1e-16, f64::INFINITY),
        series,
        seen: "Half of the step leaves a sixteenth of the drift, but no step leaves none, and no error ever goes back. Baumgarte's constants hold it."
            .into(),
    });
    Ok(outcome)
}

/// Largest joint error over time, with constants of a critically damped correction `[1/s]`.
fn drift(context: &Context, scene: &Scene, h: f64, omega: f64) -> Result<Curve> {
    let mut world = scene.world.clone();
    for body in &mut world.bodies {
        // Nothing touches; the stepper's steps are bounded by what a body's size lets it miss.
        body.shape = Shape::Sphere { radius: 1.0 };
    }
    let settings = EventSettings {
        feedback: Feedback::oscillator(omega, 1.0),
        ..EventSettings::for_world(&world, h)
    };
    let mut stepper = EventStepper::new(&world, settings)?;
    let mut curve = Vec::new();
    for _ in 0..(DURATION / h).round() as u64 {
        stepper.step(&mut world, h)?;
        curve.push((world.time, largest_anchor_error(&world)));
        context.progress.step();
    }
    Ok(curve)
}
