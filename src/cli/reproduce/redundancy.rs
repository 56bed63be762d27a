//! Constraints that repeat each other: the post-step stays what it is.
//!
//! Source: Cline and Pai 2003, sections IV-B and V, eqs 12 to 15.

use super::experiment::{Context, Experiment};
use super::outcome::{Expected, Outcome};
use super::random_contacts::{Dense, random};
use super::simulate;
use drystone::Result;
use drystone::internals::collide::Detector;
use drystone::internals::stabilize::PositionPass;
use drystone::math::Vec3;
use drystone::problem::{FrictionCone, Problem};
use drystone::solver::reference::LemkeSolver;
use drystone::solver::{Options, Solution, Solver};
use drystone::stabilize::{Post, Scheme, Stabilization};
use drystone::step::Simulation;
use drystone::world::World;
use nalgebra::DVector;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "redundancy",
    title: "Every constraint ten times over gives the same post-step",
    source: "Cline and Pai 2003, section V, eqs 14 and 15",
    run: reproduce,
};

/// How often each constraint is there.
const TIMES: usize = 10;
/// Random contact problems.
const SEEDS: u64 = 20;

fn reproduce(_: &Context) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    joints(&mut outcome)?;
    contacts(&mut outcome)?;
    outcome.note(
        "A detector may find many points between a pair of bodies, whose rows depend on each other: G G^T of eq. 12 is then singular. The \
         complementarity problem, and the weighted pseudo-inverse of eq. 14 that it is without inequalities, have one displacement all the same.",
    );
    Ok(outcome)
}

/// The chain with its joints, and with each of them ten times.
fn joints(outcome: &mut Outcome) -> Result<()> {
    let scene = simulate::scene("chain6")?;
    let mut settings = scene.settings;
    settings.stabilization = Stabilization::none();
    let mut simulation = Simulation::new(scene.world, settings, Box::new(LemkeSolver::new()))?;
    for _ in 0..300 {
        simulation.step()?;
    }
    let drifted = simulation.world().clone();
    let mut repeated = drifted.clone();
    for _ in 1..TIMES {
        repeated.joints.extend(drifted.joints.iter().cloned());
    }
    let once = corrected(&drifted)?;
    let often = corrected(&repeated)?;
    let moved = |world: &World| {
        let both = world.bodies.iter().zip(&drifted.bodies);
        let moved = both.map(|(after, before)| after.pose.position - before.pose.position);
        moved.collect::<Vec<Vec3>>()
    };
    let (once, often) = (moved(&once), moved(&often));
    let largest = once.iter().map(Vec3::norm).fold(0.0, f64::max);
    let off = once.iter().zip(&often).map(|(a, b)| (a - b).norm());
    outcome.row(
        "eq. 14, chain after 0.3 s: largest displacement dp of a post-step",
        "m",
        Expected::at_least(1e-5),
        largest,
    );
    outcome.row(
        format!("the same, each joint {TIMES} times: change of dp over dp"),
        "",
        Expected::at_most(1e-6),
        off.fold(0.0, f64::max) / largest,
    );
    Ok(())
}

fn corrected(world: &World) -> Result<World> {
    let mut world = world.clone();
    let radius = world.smallest_radius();
    let stabilization = Stabilization {
        post: Post {
            max_correction: Some(1.0),
            ..Post::default()
        },
        ..Stabilization::both(Scheme::Post)
    };
    PositionPass::new(radius).run(
        &stabilization,
        &mut world,
        &mut Detector::of_pairs(&scene_without_pairs(), &[]),
        1e-3,
        &mut LemkeSolver::new(),
    )?;
    Ok(world)
}

fn scene_without_pairs() -> World {
    World::new(Vec3::zeros())
}

/// Random contacts that are all to be pushed apart, once and ten times, beside the pseudo-inverse.
fn contacts(outcome: &mut Outcome) -> Result<()> {
    let (mut apart, mut from_formula): (f64, f64) = (0.0, 0.0);
    let mut all_push = 0;
    for seed in 0..SEEDS {
        let problem = position_problem(seed);
        let mut repeated = problem.clone();
        for _ in 1..TIMES {
            repeated.contacts.extend(problem.contacts.iter().copied());
        }
        let once = displacement(&problem)?;
        let often = displacement(&repeated)?;
        apart = apart.max((&often - &once).amax() / once.amax());
        // Where every contact pushes they are equalities, and eq. 14 is the answer.
        let dense = Dense::new(&repeated);
        let normals: Vec<usize> = (0..repeated.contacts.len()).map(|c| 3 * c).collect();
        let matrix = dense
            .delassus
            .select_rows(&normals)
            .select_columns(&normals);
        let error = DVector::from_fn(normals.len(), |i, _| -dense.q[normals[i]]);
        let inverse = matrix
            .pseudo_inverse(1e-9)
            .map_err(|why| drystone::Error::invalid("pseudo-inverse", why.to_owned()))?;
        let impulses = inverse * error;
        if impulses.min() > 0.0 {
            all_push += 1;
            let mut full = DVector::zeros(dense.q.len());
            for (at, impulse) in normals.iter().zip(impulses.iter()) {
                full[*at] = *impulse;
            }
            from_formula = from_formula.max((dense.velocities(&full) - &once).amax() / once.amax());
        }
    }
    outcome.published_row(
        format!(
            "eq. 15, {SEEDS} random sets of 7 contacts, each contact {TIMES} times: change of dp over dp"
        ),
        "",
        "singular",
        Expected::at_most(1e-6),
        apart,
    );
    outcome.row(
        "sets in which all contacts push, so that eq. 14 holds",
        "",
        Expected::at_least(1.0),
        f64::from(all_push),
    );
    outcome.row(
        "in these: difference from M^-1 G^T (G M^-1 G^T)^+ g of all copies (eq. 14)",
        "",
        Expected::at_most(1e-6),
        from_formula,
    );
    Ok(())
}

/// Contacts of which each is to be pushed apart, at rest and without friction.
fn position_problem(seed: u64) -> Problem {
    let mut problem = random(seed, FrictionCone::Disk);
    for body in &mut problem.bodies {
        body.linear_velocity = [0.0; 3];
        body.angular_velocity = [0.0; 3];
    }
    for (index, contact) in problem.contacts.iter_mut().enumerate() {
        contact.friction = 0.0;
        contact.bias = -1e-3 * (1.0 + index as f32 / 7.0);
    }
    // Fewer contacts than the bodies have ways to move: all can be satisfied.
    problem
}

fn displacement(problem: &Problem) -> Result<DVector<f64>> {
    let mut lemke = LemkeSolver::new();
    lemke.solve(problem, &Options::default(), &mut Solution::default())?;
    let numbers = lemke.report().verdict.changes.iter();
    let numbers: Vec<f64> = numbers
        .flat_map(|(linear, angular)| linear.iter().chain(angular.iter()).copied())
        .collect();
    Ok(DVector::from_vec(numbers))
}
