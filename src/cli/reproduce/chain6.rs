//! A falling chain of six links, its joints stabilized in one way after the other.
//!
//! Six slender rods of 0.1 m and 0.1 kg, horizontal and at rest, the first end pinned; h = 1 ms, 600
//! steps. The measure is the paper's: the largest component of any joint's error.
//!
//! Source: Cline and Pai 2003, section VI-A, figures 2 to 7.

use super::experiment::{Context, Experiment};
use super::outcome::{Expected, Outcome};
use super::simulate::{self, End, largest_anchor_error};
use crate::args::ExperimentBackend;
use crate::experiments::curve::{Curve, largest, turns};
use crate::plot::{Axis, Plot, Series};
use drystone::Result;
use drystone::math::Vec3;
use drystone::scene::Scene;
use drystone::stabilize::{Baumgarte, Scheme, Stabilization};
use drystone::world::{Shape, World};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "chain6",
    title: "A six-link chain: joint errors under each stabilization",
    source: "Cline and Pai 2003, section VI-A, figures 2-7",
    run: reproduce,
};

/// Metres to the paper's millimetres.
const MILLI: f64 = 1e3;
/// An error that leaves nothing of a chain: the length of a link `[mm]`.
const BLOWN_UP: f64 = 100.0;
/// Times at which the chain is drawn, evenly over the run.
const PICTURES: u64 = 6;
/// Steps of which the order in h is taken `[s]`.
const STEPS: [f64; 4] = [4e-3, 2e-3, 1e-3, 5e-4];

/// A gravity, and what is expected under it `[mm]`.
struct Case {
    scene: Scene,
    /// First part of its plots' names.
    plots: [&'static str; 2],
    none: f64,
    baumgarte_50: f64,
    baumgarte_200: f64,
    baumgarte_2000: Expected,
    before_post: f64,
    after_post: Expected,
}

/// What became of the chain in one run.
struct Trace {
    /// Largest error after each step `[mm]`, over time `[s]`.
    after: Curve,
    /// Largest error before each post-step `[mm]`.
    before: Curve,
    /// The chain at a few times: ends of its links in its plane `[m]`.
    pictures: Vec<(f64, Curve)>,
    end: End,
}

fn reproduce(context: &Context) -> Result<Outcome> {
    let usual = Case {
        scene: simulate::scene("chain6")?,
        plots: ["motion", "methods"],
        none: 2.73,
        baumgarte_50: 0.832,
        baumgarte_200: 0.303,
        baumgarte_2000: Expected::percent(0.033, 3.0),
        before_post: 0.061,
        // A GPU is held to a micrometre.
        after_post: Expected::at_most(match context.backend {
            ExperimentBackend::Gpu => 1e-3,
            ExperimentBackend::Cpu | ExperimentBackend::Lemke => 3e-5,
        }),
    };
    let papers = Case {
        scene: simulate::scene("chain6_g80")?,
        plots: ["motion_g80", "methods_g80"],
        none: 19.6,
        baumgarte_50: 6.2,
        baumgarte_200: 3.1,
        baumgarte_2000: Expected::factor_two(2.92),
        before_post: 1.14,
        after_post: Expected::percent(6.8e-3, 3.0),
    };
    let mut outcome = Outcome::default();
    outcome.note(
        "At 9.81 m/s² a chain of 0.6 m makes less than one swing in 0.6 s; the paper's figures show \
         several. Its values, and the order of the methods, come out at about 80 m/s²: both are run.",
    );
    outcome.note(
        "Baumgarte 2000 is on the edge of stability (alpha h = 2): its curve is jagged, and its largest value \
         changes with the last digits of everything. At 80 m/s² it is held to a factor of 2 only.",
    );
    measure(context, &usual, &mut outcome)?;
    measure(context, &papers, &mut outcome)?;
    if context.backend == ExperimentBackend::Gpu {
        outcome
            .note("The orders in h are left out: they need more digits than a GPU is asked for.");
    } else {
        orders(context, &usual.scene, &mut outcome)?;
    }
    Ok(outcome)
}

/// The paper's six runs under one gravity, and one beyond the limit.
fn measure(context: &Context, case: &Case, outcome: &mut Outcome) -> Result<()> {
    let gravity = case.scene.world.gravity.norm();
    let kappa = |kappa| Scheme::Baumgarte(Baumgarte::Velocity { kappa });
    let h = case.scene.settings.time_step;
    let run = |name: &str, scheme| trace(context, &case.scene, name, scheme, h);
    let none = run("none", Scheme::None)?;
    let baumgarte_50 = run("Baumgarte 50", kappa(50.0))?;
    let baumgarte_200 = run("Baumgarte 200", kappa(200.0))?;
    let baumgarte_2000 = run("Baumgarte 2000", kappa(2000.0))?;
    let baumgarte_2100 = run("Baumgarte 2100", kappa(2100.0))?;
    let post = run("post", Scheme::Post)?;

    let within = |value| Expected::percent(value, 3.0);
    for (name, published, expected, measured) in [
        ("none", "about 20", within(case.none), &none.after),
        (
            "Baumgarte 50",
            "about 5",
            within(case.baumgarte_50),
            &baumgarte_50.after,
        ),
        (
            "Baumgarte 200",
            "at most 3",
            within(case.baumgarte_200),
            &baumgarte_200.after,
        ),
        (
            "Baumgarte 2000",
            "jagged",
            case.baumgarte_2000,
            &baumgarte_2000.after,
        ),
        (
            "before the post-step",
            "at most 0.5",
            within(case.before_post),
            &post.before,
        ),
        (
            "after the post-step",
            "at most 0.01",
            case.after_post,
            &post.after,
        ),
    ] {
        outcome.published_row(
            format!("g = {gravity}, {name}: largest error"),
            "mm",
            published,
            expected,
            largest(measured),
        );
    }
    outcome.row(
        format!("g = {gravity}, Baumgarte 2100: largest error before it ends"),
        "mm",
        Expected::at_least(BLOWN_UP),
        match baumgarte_2100.end {
            End::Diverged => f64::INFINITY,
            End::Done | End::Stopped => largest(&baumgarte_2100.after),
        },
    );
    if gravity > 10.0 {
        outcome.published_row(
            format!("g = {gravity}: turns of the curve of Baumgarte 2000 over those of 200"),
            "",
            "jagged",
            Expected::at_least(3.0),
            turns(&baumgarte_2000.after) as f64 / turns(&baumgarte_200.after) as f64,
        );
        figures(
            &none,
            &baumgarte_50,
            &baumgarte_200,
            &baumgarte_2000,
            &post,
            outcome,
        );
    }
    let [motion, methods] = case.plots;
    outcome.plots.push(Plot {
        name: motion,
        title: format!("The chain without stabilization, g = {gravity} m/s² (figure 2)"),
        x: Axis::linear("x [m]"),
        y: Axis::linear("z [m]"),
        series: none
            .pictures
            .into_iter()
            .map(|(time, links)| Series::new(format!("{time:.1} s"), links))
            .collect(),
        seen: if gravity > 10.0 {
            "The chain swings to the other side and back. The kinks at the joints are the gaps between \
             links, which the paper's picture shows too."
        } else {
            "The chain falls and swings through once. Its gaps, of less than 3 mm, can hardly be seen."
        }
        .into(),
    });
    outcome.plots.push(Plot {
        name: methods,
        title: format!("Largest joint error, all methods, g = {gravity} m/s²"),
        x: Axis::linear("time [s]"),
        y: Axis::logarithmic("largest error [mm]").within(1e-9, f64::INFINITY),
        series: vec![
            Series::new("none", none.after),
            Series::new("Baumgarte 50", baumgarte_50.after),
            Series::new("Baumgarte 200", baumgarte_200.after),
            Series::new("Baumgarte 2000", baumgarte_2000.after),
            Series::new("before the post-step", post.before),
            Series::new("after the post-step", post.after),
        ],
        seen: "The order is the paper's: no stabilization is worst, a larger constant is better, and the \
               post-step is better than all by orders of magnitude, though each step makes an error \
               like those of the others."
            .into(),
    });
    Ok(())
}

/// Figures 3 to 7, on the paper's linear axes.
fn figures(
    none: &Trace,
    baumgarte_50: &Trace,
    baumgarte_200: &Trace,
    baumgarte_2000: &Trace,
    post: &Trace,
    outcome: &mut Outcome,
) {
    let curve = |name: &str, curve: &Curve| Series::new(name, curve.clone());
    for (name, title, series, seen) in [
        (
            "figure3",
            "No stabilization (figure 3), g = 80 m/s²",
            vec![curve("none", &none.after)],
            "The error climbs in stairs, fastest where the chain is, to about 20 mm as in the paper.",
        ),
        (
            "figure4",
            "Baumgarte stabilization (figure 4), g = 80 m/s²",
            vec![
                curve("constant 50", &baumgarte_50.after),
                curve("constant 200", &baumgarte_200.after),
            ],
            "With 50 the error stays near 6 mm, with 200 near 3 mm; the paper reads 5 and 3.",
        ),
        (
            "figure5",
            "Baumgarte stabilization (figure 5), g = 80 m/s²",
            vec![curve("constant 2000", &baumgarte_2000.after)],
            "The curve becomes jagged, as in the paper, for each step overshoots the error of the one \
             before; at the end it grows without need.",
        ),
        (
            "figure6",
            "Post-stabilization (figure 6), g = 80 m/s²",
            vec![
                curve("before the post-step", &post.before),
                curve("after the post-step", &post.after),
            ],
            "What a step makes, the post-step takes away: the lower curve is barely to be seen.",
        ),
        (
            "figure7",
            "Post-stabilization, after the post-step (figure 7), g = 80 m/s²",
            vec![curve("after the post-step", &post.after)],
            "On its own scale: never above 0.01 mm, as in the paper.",
        ),
    ] {
        outcome.plots.push(Plot {
            name,
            title: title.into(),
            x: Axis::linear("time [s]"),
            y: Axis::linear("largest error [mm]"),
            series,
            seen: seen.into(),
        });
    }
}

/// How the errors fall with the step.
fn orders(context: &Context, scene: &Scene, outcome: &mut Outcome) -> Result<()> {
    let (mut none, mut before, mut after) = (Vec::new(), Vec::new(), Vec::new());
    for h in STEPS {
        let name = format!("h = {h} s");
        let unstabilized = trace(context, scene, &name, Scheme::None, h)?;
        let post = trace(context, scene, &name, Scheme::Post, h)?;
        none.push((h, largest(&unstabilized.after)));
        before.push((h, largest(&post.before)));
        after.push((h, largest(&post.after)));
    }
    // From 4 to 1 ms: below that, f32 has its say in the smallest of them.
    let order = |curve: &Curve| 0.5 * (curve[0].1 / curve[2].1).log2();
    for (name, curve, expected) in [
        ("none", &none, Expected::near(1.0, 0.2)),
        ("before the post-step", &before, Expected::near(2.0, 0.2)),
        ("after the post-step", &after, Expected::near(4.0, 0.5)),
    ] {
        outcome.row(
            format!("g = 9.81, {name}: order of the error in h"),
            "",
            expected,
            order(curve),
        );
    }
    outcome.plots.push(Plot {
        name: "orders",
        title: "Largest joint error over the step, g = 9.81 m/s²".into(),
        x: Axis::logarithmic("time step h [s]"),
        y: Axis::logarithmic("largest error [mm]"),
        series: vec![
            Series::new("none", none),
            Series::new("before the post-step", before),
            Series::new("after the post-step", after),
        ],
        seen: "The drift is of first order in h, what one step makes of second, and what the post-step \
               leaves of fourth."
            .into(),
    });
    Ok(())
}

fn trace(context: &Context, scene: &Scene, name: &str, scheme: Scheme, h: f64) -> Result<Trace> {
    let mut settings = simulate::settings(context, scene, Stabilization::both(scheme));
    let duration = scene.steps as f64 * settings.time_step;
    settings.time_step = h;
    let label = format!("chain6: g = {}, {name}", scene.world.gravity.norm());
    let picture_every = (duration / h / PICTURES as f64).round().max(1.0) as u64;
    let mut trace = Trace {
        after: Vec::new(),
        before: Vec::new(),
        pictures: vec![(0.0, links(&scene.world))],
        end: End::Done,
    };
    trace.end = context.run_while(&label, &scene.world, &settings, duration, |moment| {
        let time = moment.world.time;
        trace
            .after
            .push((time, MILLI * largest_anchor_error(moment.world)));
        trace
            .before
            .push((time, MILLI * largest_anchor_error(moment.before_post)));
        if moment.report.step.is_multiple_of(picture_every) {
            trace.pictures.push((time, links(moment.world)));
        }
        // A chain that has grown by ten links is none any more.
        let error = trace.after.last().map_or(0.0, |last| last.1);
        error < 10.0 * BLOWN_UP
    })?;
    Ok(trace)
}

/// Both ends of every link, along the chain, in the plane in which it swings.
fn links(world: &World) -> Curve {
    let mut ends = Vec::with_capacity(2 * world.bodies.len());
    for body in &world.bodies {
        if let Shape::Box { half_extents } = &body.shape {
            for half in [-half_extents.x, half_extents.x] {
                let end = body.pose.point(&Vec3::new(half, 0.0, 0.0));
                ends.push((end.x, end.z));
            }
        }
    }
    ends
}
