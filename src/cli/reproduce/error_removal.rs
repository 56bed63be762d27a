//! How long an error lasts: gone in its own step with a post-step, a share of it in every step with Baumgarte's constants.
//!
//! Source: Cline and Pai 2003, section VI-C.

use super::experiment::{Context, Experiment};
use super::outcome::{Expected, Outcome};
use super::simulate::{self, largest_anchor_error};
use crate::experiments::curve::Curve;
use crate::plot::{Axis, Plot, Series};
use drystone::Result;
use drystone::math::Vec3;
use drystone::stabilize::{Baumgarte, Post, Scheme, Stabilization};
use drystone::world::World;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "error_removal",
    title: "A post-step removes an error in its own step, Baumgarte's constants take several; large errors by limited corrections",
    source: "Cline and Pai 2003, section VI-C",
    run: reproduce,
};

/// Errors of a pendulum's pivot, across its rod `[m]`.
const SMALL: [f64; 4] = [1e-3, 2e-3, 4e-3, 8e-3];
/// Errors of a chain's joints `[m]`.
const LARGE: [f64; 3] = [0.01, 0.03, 0.1];
/// Most that one post-step corrects of them `[m]`.
const LIMIT: f64 = 5e-3;
/// An error that counts as gone `[m]`.
const GONE: f64 = 1e-6;
/// Steps of Baumgarte's stabilization over which its factor is counted.
const COUNTED: i32 = 20;

fn reproduce(context: &Context) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let series = own_step(context, &mut outcome)?;
    outcome.plots.push(Plot {
        name: "decay",
        title: "Error of a pivot that starts 4 mm off".into(),
        x: Axis::linear("steps"),
        y: Axis::logarithmic("error [m]").within(1e-10, f64::INFINITY),
        series,
        seen: "The first post-step leaves what its linear problem does not see, the second nothing; with Baumgarte's constant the error falls by \
               1 - alpha h a step."
            .into(),
    });
    let series = limited(context, &mut outcome)?;
    outcome.plots.push(Plot {
        name: "limited",
        title: format!("Largest joint error of a chain, corrections limited to {} mm", 1e3 * LIMIT),
        x: Axis::linear("post-steps"),
        y: Axis::logarithmic("error [m]").within(1e-9, f64::INFINITY),
        series,
        seen: "Limited corrections take a large error away at a steady rate, and the last of it at once.".into(),
    });
    outcome.note("No gravity, and nothing moves but by the corrections.");
    Ok(outcome)
}

fn own_step(context: &Context, outcome: &mut Outcome) -> Result<Vec<Series>> {
    let scene = simulate::scene("baumgarte_limit")?;
    let h = scene.settings.time_step;
    let pivot = |error: f64| {
        let mut world = scene.world.clone();
        world.gravity = Vec3::zeros();
        world.bodies[0].pose.position = Vec3::new(error, 0.0, -0.5);
        world
    };
    let errors = |world: &World, scheme: Scheme, steps: u32| -> Result<Curve> {
        let mut settings = simulate::settings(context, &scene, Stabilization::both(scheme));
        settings.stabilization.post = unlimited(&settings.stabilization.post);
        let mut curve = vec![(0.0, largest_anchor_error(world))];
        let duration = f64::from(steps) * h;
        context.run("error_removal", world, &settings, duration, |moment| {
            let error = largest_anchor_error(moment.world);
            curve.push((moment.report.step as f64, error));
        })?;
        Ok(curve)
    };
    let mut after = Vec::new();
    for error in SMALL {
        after.push(errors(&pivot(error), Scheme::Post, 1)?[1].1);
    }
    outcome.published_row(
        format!(
            "section VI-C, post: error of {} mm after its own step",
            1e3 * SMALL[2]
        ),
        "m",
        "eliminated",
        Expected::at_most(0.01 * SMALL[2]),
        after[2],
    );
    outcome.row(
        format!(
            "section VI-C, post: order of what is left in the error, {} to {} mm",
            1e3 * SMALL[1],
            1e3 * SMALL[3]
        ),
        "",
        Expected::near(2.0, 0.1),
        (after[3] / after[1]).log2() / 2.0,
    );
    let mut series = vec![Series::new(
        "post",
        errors(&pivot(SMALL[2]), Scheme::Post, 6)?,
    )];
    for alpha_h in [0.2, 0.5] {
        let scheme = Scheme::Baumgarte(Baumgarte::Velocity { kappa: alpha_h / h });
        let curve = errors(&pivot(SMALL[0]), scheme, 30)?;
        outcome.published_row(
            format!("section VI-C, Baumgarte, alpha h = {alpha_h}: share of the error left after {COUNTED} steps, over (1 - alpha h)^{COUNTED}"),
            "",
            "several time steps",
            Expected::percent(1.0, 2.0),
            curve[COUNTED as usize].1 / curve[0].1 / (1.0_f64 - alpha_h).powi(COUNTED),
        );
        let steps = curve.iter().position(|point| point.1 <= 0.01 * curve[0].1);
        outcome.row(
            format!(
                "section VI-C, Baumgarte, alpha h = {alpha_h}: steps until a hundredth is left"
            ),
            "",
            Expected::near((0.01_f64.ln() / (1.0 - alpha_h).ln()).ceil(), 0.0),
            steps.map_or(f64::INFINITY, |steps| steps as f64),
        );
        let curve = errors(&pivot(SMALL[2]), scheme, 30)?;
        series.push(Series::new(
            format!("Baumgarte, alpha h = {alpha_h}"),
            curve,
        ));
    }
    Ok(series)
}

fn unlimited(post: &Post) -> Post {
    Post {
        steps: 1,
        max_correction: Some(1.0),
        ..*post
    }
}

/// A chain whose joints are all off, corrected a little at a time.
fn limited(context: &Context, outcome: &mut Outcome) -> Result<Vec<Series>> {
    let scene = simulate::scene("chain6")?;
    let h = scene.settings.time_step;
    let mut series = Vec::new();
    for error in LARGE {
        let mut world = scene.world.clone();
        world.gravity = Vec3::zeros();
        for (index, body) in world.bodies.iter_mut().enumerate() {
            // To one side and to the other: every joint is off by the error.
            let side = if index % 2 == 0 { 1.0 } else { 0.0 };
            body.pose.position.z += side * error;
        }
        let mut settings = simulate::settings(context, &scene, Stabilization::both(Scheme::Post));
        settings.stabilization.post.max_correction = Some(LIMIT);
        let mut curve = vec![(0.0, largest_anchor_error(&world))];
        context.run_while(
            "limited corrections",
            &world,
            &settings,
            200.0 * h,
            |moment| {
                let error = largest_anchor_error(moment.world);
                curve.push((moment.report.step as f64, error));
                error > GONE
            },
        )?;
        let rise = curve.windows(2).map(|pair| pair[1].1 / pair[0].1);
        outcome.published_row(
            format!(
                "section VI-C, joints off by {} mm: post-steps until they are off by {} mm",
                1e3 * error,
                1e3 * GONE
            ),
            "",
            "helped by a limit",
            Expected::at_most(2.0 * error / LIMIT + 4.0),
            if curve.last().is_some_and(|last| last.1 <= GONE) {
                (curve.len() - 1) as f64
            } else {
                f64::INFINITY
            },
        );
        outcome.row(
            "the same: largest error of a step over that of the step before",
            "",
            Expected::at_most(1.0),
            rise.fold(0.0, f64::max),
        );
        series.push(Series::new(format!("off by {} mm", 1e3 * error), curve));
    }
    Ok(series)
}
