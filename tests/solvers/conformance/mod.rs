//! Every backend and every method on the same random problems of contacts, friction and joints, held
//! against the reference with the same friction polygon.
//!
//! The scenes of a family lie beside each other in one problem: they share nothing, so that one solve
//! serves them all. A scene is swept until its answer is exact: its residual is small, and either
//! its velocities are those of the reference (they **agree**), or exact arithmetic started from its
//! impulses finds a solution right beside it (**another solution**: it has several). What is left
//! after the last sweep is either **slow**, if as many sweeps in f64 do not get there either, or at
//! the **floor** of f32. A small residual with velocities that belong to no solution is a failure in
//! every family.
//!
//! Backends are run for some sweeps at a time, each time from the impulses that they returned: their
//! f32 velocities are then computed anew from the impulses. In one long solve the two drift apart by
//! the rounding of every update, 1e-4 g h after some thousand sweeps of redundant joints, and no
//! sweep notices.

#![allow(
    clippy::print_stdout,
    reason = "the tallies are what the suite is run for"
)]

mod families;

#[cfg(feature = "gpu")]
use crate::support::adapter;
use crate::support::mechanisms::beside;
use drystone::problem::Problem;
use drystone::solver::cpu::CpuSolver;
use drystone::solver::nsgs::{self, Acceleration, LocalRule, NsgsOptions, NsgsSolver};
use drystone::solver::reference::{LemkeSolver, Verdict, judge};
use drystone::solver::{Method, Options, Solution, Solver, Status};
use nalgebra::Vector3;
use rayon::prelude::*;
use std::time::Instant;

/// Velocity gained in a step of 1/60 s `[m/s]`: the unit of residuals.
pub(crate) const GH: f64 = 9.81 / 60.0;

/// A solver, a method, and its name in messages.
type Contender = (&'static str, Box<dyn Solver>, Method);

/// Every solver but the reference.
fn contenders() -> Vec<Contender> {
    #[cfg_attr(
        not(feature = "gpu"),
        allow(unused_mut, reason = "those of the GPU are added")
    )]
    let mut all: Vec<Contender> = vec![
        ("cpu pgs", Box::new(CpuSolver::new()), Method::GaussSeidel),
        ("cpu jacobi", Box::new(CpuSolver::new()), Method::Jacobi),
        ("nsgs", Box::new(NsgsSolver::new()), Method::GaussSeidel),
    ];
    #[cfg(feature = "gpu")]
    {
        all.push(("gpu pgs", Box::new(adapter::solver()), Method::GaussSeidel));
        all.push(("gpu jacobi", Box::new(adapter::solver()), Method::Jacobi));
    }
    all
}

/// Sweeps before the first look at a scene; then always twice as many in total.
const FIRST_LOOK: u32 = 100;

/// Sweeps from one set of impulses.
const ROUND: u32 = 25;

/// What is asked of a family.
pub(crate) struct Bounds {
    /// Most sweeps.
    pub(crate) sweeps: u32,
    /// Most sweeps on a software GPU, on which a dispatch takes a thousand times as long as the work
    /// in it, and most scenes that may be left then; of Gauss-Seidel, and of Jacobi.
    pub(crate) software: [(u32, usize); 2],
    /// Of velocities, over the largest speed of the scene.
    pub(crate) velocity: f64,
    /// Of residuals, over `g h`.
    pub(crate) residual: f64,
    /// Most scenes that a contender may leave because they are slow.
    pub(crate) slow: usize,
    /// Most scenes that it may leave at the floor of f32.
    pub(crate) floor: usize,
    /// Residual, over `g h`, that scenes at the floor are within.
    pub(crate) floor_residual: f64,
}

/// What came of the scenes of a family.
#[derive(Debug, Default)]
struct Tally {
    agree: usize,
    other: Vec<usize>,
    slow: Vec<usize>,
    floor: Vec<usize>,
    inexact: Vec<usize>,
    /// Largest of those that agree, over `g h`.
    residual: f64,
    /// Likewise, over the largest speed.
    velocity: f64,
    /// Largest of those that are slow, over `g h`.
    slow_residual: f64,
    /// Largest of those at the floor, over `g h`.
    floor_residual: f64,
    /// Sweeps after which half of the scenes were done, and after which all but a tenth were.
    half: u32,
    most: u32,
}

type Twists = [(Vector3<f64>, Vector3<f64>)];

fn largest(twists: &Twists) -> f64 {
    let numbers = twists.iter().flat_map(|(v, w)| v.iter().chain(w.iter()));
    numbers.fold(0.0, |max, x| max.max(x.abs()))
}

fn distance(a: &Twists, b: &Twists) -> f64 {
    let pairs = a.iter().zip(b);
    let differences: Vec<_> = pairs.map(|(a, b)| (a.0 - b.0, a.1 - b.1)).collect();
    largest(&differences)
}

/// A scene, the reference's answer, and that of a contender so far: in the scene's impulses.
#[derive(Clone)]
struct Case {
    index: usize,
    scene: Problem,
    reference: Vec<(Vector3<f64>, Vector3<f64>)>,
    /// Largest speed before or after `[m/s]`.
    speed: f64,
    velocities: Vec<(Vector3<f64>, Vector3<f64>)>,
}

impl Case {
    /// Solves a scene by the reference.
    fn new(index: usize, scene: &Problem) -> Self {
        let mut solver = LemkeSolver::new();
        let report = solver
            .solve(scene, &Options::default(), &mut Solution::default())
            .unwrap();
        let details = solver.report();
        assert_eq!(report.status, Status::Converged, "{index}: {details:?}");
        let verdict = &details.verdict;
        assert!(verdict.residual_max < 1e-8 * GH, "{index}: {details:?}");
        let case = Self {
            index,
            scene: scene.clone(),
            reference: verdict.velocities.clone(),
            speed: 0.0,
            velocities: Vec::new(),
        };
        let before = case.judge().velocities;
        Self {
            speed: largest(&before).max(largest(&case.reference)),
            ..case
        }
    }

    /// Judges the impulses in the scene.
    fn judge(&self) -> Verdict {
        let impulses: Vec<_> = self.scene.contacts.iter().map(|c| c.impulse).collect();
        let rows: Vec<_> = self.scene.joint_rows.iter().map(|r| r.impulse).collect();
        judge(&self.scene, &impulses, &rows).unwrap()
    }

    /// True if exact sweeps from here end in a solution with these velocities.
    fn is_beside_a_solution(&self, reach: f64) -> bool {
        let options = NsgsOptions {
            iterations: 100_000,
            ..NsgsOptions::default()
        };
        let start = nsgs::Impulses::of(&self.scene);
        let outcome = nsgs::solve_from(&self.scene, &start, &options).unwrap();
        outcome.residual_max < 1e-8 * GH && distance(&outcome.velocities, &self.velocities) < reach
    }

    /// True if plain sweeps in f64 get from nothing to where the bounds ask.
    fn is_reached_in_f64(&self, sweeps: u32, bounds: &Bounds) -> bool {
        let options = NsgsOptions {
            iterations: sweeps,
            local: LocalRule::Product { iterations: 1 },
            acceleration: Acceleration::None,
            ..NsgsOptions::default()
        };
        let start = nsgs::Impulses::zeros(&self.scene);
        let outcome = nsgs::solve_from(&self.scene, &start, &options).unwrap();
        outcome.residual_max < bounds.residual * GH
            && distance(&outcome.velocities, &self.reference) < bounds.velocity * self.speed
    }
}

/// Sweeps all cases from the impulses in their scenes, and puts back what comes of it.
fn advance(cases: &mut [Case], contender: &mut Contender, sweeps: u32) {
    let (name, solver, method) = contender;
    let scenes: Vec<_> = cases.iter().map(|case| case.scene.clone()).collect();
    let (mut all, starts) = beside(&scenes);
    let mut solution = Solution::default();
    // What sweeps in f64 need not begin anew.
    let round = if *name == "nsgs" { sweeps } else { ROUND };
    for _ in 0..sweeps / round {
        let options = Options {
            method: *method,
            iterations: round,
            ..Options::default()
        };
        solver.solve(&all, &options, &mut solution).unwrap();
        for (contact, impulse) in all.contacts.iter_mut().zip(&solution.impulses) {
            contact.impulse = *impulse;
        }
        for (row, impulse) in all.joint_rows.iter_mut().zip(&solution.joint_impulses) {
            row.impulse = *impulse;
        }
    }
    for (case, [body, contact, row]) in cases.iter_mut().zip(starts) {
        for (own, swept) in case.scene.contacts.iter_mut().zip(&all.contacts[contact..]) {
            own.impulse = swept.impulse;
        }
        for (own, swept) in case.scene.joint_rows.iter_mut().zip(&all.joint_rows[row..]) {
            own.impulse = swept.impulse;
        }
        case.velocities = solution.velocities[body..body + case.scene.bodies.len()]
            .iter()
            .map(|v| (Vector3::from(v.linear), Vector3::from(v.angular)))
            .map(|(v, w)| (v.cast(), w.cast()))
            .collect();
    }
}

/// Sweeps the scenes of a family until they are done or the sweeps are.
fn race(cases: &[Case], contender: &mut Contender, bounds: &Bounds) -> Tally {
    let mut tally = Tally::default();
    let mut left = cases.to_vec();
    let (mut sweeps, mut next) = (0, FIRST_LOOK);
    while !left.is_empty() && next <= bounds.sweeps {
        advance(&mut left, contender, next - sweeps);
        sweeps = next;
        next *= 2;
        left.retain(|case| {
            let residual = case.judge().residual_max / GH;
            let velocity = distance(&case.velocities, &case.reference) / case.speed;
            if residual > bounds.residual {
                return true;
            }
            if velocity <= bounds.velocity {
                tally.agree += 1;
                tally.residual = tally.residual.max(residual);
                tally.velocity = tally.velocity.max(velocity);
                return false;
            }
            if case.is_beside_a_solution(bounds.velocity * case.speed) {
                tally.other.push(case.index);
                return false;
            }
            true
        });
        for (share, at) in [(2, &mut tally.half), (10, &mut tally.most)] {
            if *at == 0 && left.len() * share <= cases.len() {
                *at = sweeps;
            }
        }
    }
    // Jacobi takes up to some ten times as many sweeps as Gauss-Seidel.
    let sweeps_in_f64 = if contender.2.max_colors() > 0 || contender.2 == Method::Cluster {
        sweeps
    } else {
        sweeps / 8
    };
    for case in &left {
        let residual = case.judge().residual_max / GH;
        if !case.is_reached_in_f64(sweeps_in_f64, bounds) {
            tally.slow.push(case.index);
            tally.slow_residual = tally.slow_residual.max(residual);
        } else if residual <= bounds.residual {
            tally.inexact.push(case.index);
        } else {
            tally.floor.push(case.index);
            tally.floor_residual = tally.floor_residual.max(residual);
        }
    }
    tally
}

/// Has every contender solve the scenes of a family.
pub(crate) fn check_family(name: &str, scenes: &[Problem], bounds: &Bounds) {
    let cases: Vec<_> = scenes
        .par_iter()
        .enumerate()
        .map(|(index, scene)| Case::new(index, scene))
        .collect();
    let mut failures = Vec::new();
    for mut contender in contenders() {
        let adapter = contender.1.adapter().unwrap_or_default();
        let software = bounds.software[usize::from(contender.2 == Method::Jacobi)];
        let software = adapter.contains("llvmpipe").then_some(software);
        let sweeps = software.map_or(bounds.sweeps, |(sweeps, _)| sweeps);
        let start = Instant::now();
        let tally = race(&cases, &mut contender, &Bounds { sweeps, ..*bounds });
        println!(
            "{name}, {} in {:.1?}: {tally:?}",
            contender.0,
            start.elapsed()
        );
        let is_good = tally.inexact.is_empty()
            && match software {
                Some((_, left)) => tally.slow.len() + tally.floor.len() <= left,
                None => {
                    tally.slow.len() <= bounds.slow
                        && tally.floor.len() <= bounds.floor
                        && tally.floor_residual <= bounds.floor_residual
                }
            };
        if !is_good {
            failures.push(contender.0);
        }
    }
    assert!(failures.is_empty(), "{name}: {failures:?} disagree");
}
