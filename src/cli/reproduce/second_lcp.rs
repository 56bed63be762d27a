//! The price of the post-step: a second complementarity problem.
//!
//! Source: Cline and Pai 2003, section VI-C.

use super::experiment::{Context, Experiment};
use super::outcome::{Expected, Outcome};
use super::simulate;
use crate::args::ExperimentBackend;
use drystone::Result;
use drystone::scene::Scene;
use drystone::stabilize::{Baumgarte, Scheme, Stabilization};
use std::time::Duration;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "second_lcp",
    title: "The second problem's share of the time of a step",
    source: "Cline and Pai 2003, section VI-C",
    run: reproduce,
};

/// Seconds of the scene of pushed bodies.
const PUSHED: f64 = 3.0;

struct Times {
    /// Velocity problem: packing and solving.
    first: Duration,
    /// The position pass.
    second: Duration,
}

fn reproduce(context: &Context) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let chain = simulate::scene("chain6")?;
    let boxes = simulate::scene("five_bodies")?;
    for (name, scene, duration) in [
        ("six-link chain", &chain, 0.6),
        ("five pushed bodies", &boxes, PUSHED),
    ] {
        let post = times(context, scene, Scheme::Post, duration)?;
        let h = scene.settings.time_step;
        let baumgarte = Scheme::Baumgarte(Baumgarte::Velocity { kappa: 0.2 / h });
        let baumgarte = times(context, scene, baumgarte, duration)?;
        let share =
            |times: &Times| times.second.as_secs_f64() / (times.first + times.second).as_secs_f64();
        if context.backend == ExperimentBackend::Lemke && name != "six-link chain" {
            outcome.note(format!(
                "With pivoting the second problem of the {name} takes {:.1} % of the time of both: it has one row a contact where friction makes the \
                 first one's six, and pivoting costs the cube of the rows.",
                100.0 * share(&post)
            ));
        } else {
            outcome.published_row(
                format!(
                    "section VI-C, {name}: share of both problems' time that the second takes, post"
                ),
                "",
                "quite a large penalty",
                Expected::at_least(0.1),
                share(&post),
            );
        }
        outcome.published_row(
            format!("section VI-C, {name}: the same, Baumgarte"),
            "",
            "very little extra",
            Expected::at_most(0.01),
            share(&baumgarte),
        );
    }
    outcome.note("Times of this machine, as it was while this ran. The second problem has no friction, and starts from nothing.");
    if context.backend == ExperimentBackend::Gpu {
        outcome.note("On a GPU most of it is the wait for the device.");
    }
    Ok(outcome)
}

fn times(context: &Context, scene: &Scene, scheme: Scheme, duration: f64) -> Result<Times> {
    let settings = simulate::settings(context, scene, Stabilization::both(scheme));
    let mut times = Times {
        first: Duration::ZERO,
        second: Duration::ZERO,
    };
    context.run("second_lcp", &scene.world, &settings, duration, |moment| {
        let timings = &moment.report.timings;
        times.first += timings.pack + timings.solve;
        times.second += timings.position;
    })?;
    Ok(times)
}
