//! Cost of the ratio metric with the number of faces, beside its closed form over all pairs of edges and beside the depth by EPA.
//!
//! Source: Hart's thesis talk, significance of the metric equivalence theorem, and future research.

use super::experiment::{Context, Experiment};
use super::outcome::{Expected, Outcome};
use super::random_solids::{Pair, rock};
use super::ratio_program;
use crate::experiments::fit::exponent;
use crate::plot::{Axis, Plot, Series};
use drystone::collide::ratio_metric;
use drystone::math::Pose;
use drystone::world::Polyhedron;
use drystone::{Error, Result};
use parry3d_f64::math::{Pose as ParryPose, Rotation, Vector};
use parry3d_f64::query;
use parry3d_f64::shape::ConvexPolyhedron;
use rand::SeedableRng;
use rand_pcg::Pcg64;
use std::hint::black_box;
use std::time::Instant;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "metric_cost",
    title: "Cost of the ratio metric over the number of faces, beside EPA",
    source: "Hart, thesis talk, significance of the metric equivalence theorem",
    run: reproduce,
};

/// Points of the hulls, each twice as many.
const POINTS: [usize; 5] = [16, 32, 64, 128, 256];
/// Pairs of each size.
const PAIRS: usize = 40;
/// Distance of the centres `[m]`: all pairs overlap.
const DISTANCE: f64 = 0.5;

fn reproduce(context: &Context) -> Result<Outcome> {
    let mut random = Pcg64::seed_from_u64(41);
    context
        .progress
        .part("metric_cost", (POINTS.len() * PAIRS) as u64);
    // Over the number of faces of both solids.
    let mut evaluations = Vec::new();
    let mut times = [const { Vec::new() }; 3];
    for points in POINTS {
        let mut faces = 0;
        let mut evaluated = 0;
        let mut sums = [0.0; 3];
        for _ in 0..PAIRS {
            let solids = [rock(points, &mut random)?, rock(points, &mut random)?];
            let pair = Pair::at_distance(solids, DISTANCE, &mut random);
            faces += pair
                .solids()
                .iter()
                .map(|solid| solid.faces().len())
                .sum::<usize>();
            let program = || {
                ratio_program::solve(pair.solids(), pair.poses())
                    .ok_or_else(|| Error::invalid("linear program", "it did not end"))
            };
            evaluated += program()?.evaluations;
            let shapes = [parry(&pair.solids[0])?, parry(&pair.solids[1])?];
            let poses = pair.poses.each_ref().map(placed);
            let by_epa = || query::contact(&poses[0], &shapes[0], &poses[1], &shapes[1], 0.0);
            sums[0] += least_time(|| program().is_ok());
            sums[1] += least_time(|| ratio_metric(pair.solids(), pair.poses()).is_ok());
            sums[2] += least_time(|| by_epa().is_ok());
            context.progress.step();
        }
        let faces = faces as f64 / PAIRS as f64;
        evaluations.push((faces, evaluated as f64 / PAIRS as f64));
        for (curve, sum) in times.iter_mut().zip(sums) {
            curve.push((faces, 1e6 * sum / PAIRS as f64));
        }
    }
    let mut outcome = Outcome::default();
    let [program, closed, epa] = times;
    outcome.published_row(
        "metric equivalence, linear program: order in m1 + m2 of the constraints that are evaluated",
        "",
        "O(m1 + m2)",
        Expected::near(1.0, 0.2),
        exponent(&evaluations),
    );
    outcome.published_row(
        "metric equivalence, closed form over all pairs of edges: order in m1 + m2 of its time",
        "",
        "O(m1^2 + m2^2)",
        Expected::near(2.0, 0.3),
        exponent(&closed),
    );
    outcome.row(
        "metric equivalence, EPA (parry3d): order in m1 + m2 of its time",
        "",
        Expected::at_most(1.2),
        exponent(&epa),
    );
    let last = POINTS.len() - 1;
    let beside = [0, last].map(|at| epa[at].1 / program[at].1);
    outcome.note(format!(
        "The talk plans to show that its metric is computed faster than the depth. Beside EPA, which looks for the farthest point from neighbour to \
         neighbour, it is not: EPA takes {:.2} of the program's time at {:.0} faces and {:.2} at {:.0}. It is beside Minkowski sums, whose cost the closed \
         form over all pairs of edges shares.",
        beside[0], epa[0].0, beside[1], epa[last].0
    ));
    outcome.note(
        "Pairs of hulls of random points that overlap by about half. Times of this machine, the least of three each. EPA gives the least translation that \
         parts the two, which the talk calls MPD; the ratio metric is equivalent to it and not the same number.",
    );
    outcome.plots.push(Plot {
        name: "cost",
        title: "Time of one pair".into(),
        x: Axis::logarithmic("faces of both [1]"),
        y: Axis::logarithmic("time [us]"),
        series: vec![
            Series::new("linear program", program),
            Series::new("closed form, all edges", closed),
            Series::new("EPA (parry3d)", epa),
        ],
        seen:
            "The program's time grows with the number of faces, the closed form's with its square."
                .into(),
    });
    Ok(outcome)
}

/// Least time of three calls `[s]`.
fn least_time(call: impl Fn() -> bool) -> f64 {
    let time = || {
        let start = Instant::now();
        black_box(call());
        start.elapsed().as_secs_f64()
    };
    (0..3).map(|_| time()).fold(f64::INFINITY, f64::min)
}

fn parry(solid: &Polyhedron) -> Result<ConvexPolyhedron> {
    let points: Vec<Vector> = solid
        .vertices()
        .iter()
        .map(|v| Vector::new(v.x, v.y, v.z))
        .collect();
    ConvexPolyhedron::from_convex_hull(&points)
        .ok_or_else(|| Error::invalid("hull", "parry3d makes none of these points"))
}

fn placed(pose: &Pose) -> ParryPose {
    let (at, turn) = (&pose.position, pose.orientation.quaternion());
    ParryPose::from_parts(
        Vector::new(at.x, at.y, at.z),
        Rotation::from_xyzw(turn.i, turn.j, turn.k, turn.w),
    )
}
