//! Sweeps in lanes have the bits of sweeps over one contact after the other, in every width.

use crate::support::problems::{Recipe, as_position_problem, random_problem};
use drystone::internals::batches::{Batches, BodyVelocity};
use drystone::internals::constants::MOMENTUM_REBUILD_PASSES;
use drystone::internals::cpu;
use drystone::internals::cpu::{BodyMomentum, Sweep, VelocityChange, contact_sweep};
use drystone::internals::momentum::{ContactMemory, Momentum, MomentumRule, momentum_step};
use drystone::internals::residual;
use drystone::problem::{FrictionCone, FrictionLaw, Problem};
use drystone::solver::cpu::{CpuSolver, Width};
use drystone::solver::{Method, Options, Solution, Solver};

/// The same solve by the kernels' twins, one contact after the other.
struct Reference {
    batches: Batches,
    momentum: Momentum,
    changes: Vec<VelocityChange>,
    contact_memory: Vec<ContactMemory>,
    body_memory: Vec<VelocityChange>,
}

impl Reference {
    fn new(problem: &Problem, method: Method) -> Self {
        let batches = Batches::pack(problem, method.max_colors(), true);
        let memory = |impulse| ContactMemory {
            previous: impulse,
            start: impulse,
        };
        let change = |velocity: &BodyVelocity| VelocityChange {
            linear: velocity.linear,
            angular: velocity.angular,
            ..VelocityChange::default()
        };
        Self {
            momentum: Momentum::of(rule(problem, method)),
            changes: vec![VelocityChange::default(); batches.slot_count() as usize],
            contact_memory: batches
                .contacts
                .impulses
                .iter()
                .copied()
                .map(memory)
                .collect(),
            body_memory: batches.velocities.iter().map(change).collect(),
            batches,
        }
    }

    fn sweep(&mut self, sweep: Sweep) {
        let mut velocities = std::mem::take(&mut self.batches.velocities);
        let mut impulses = std::mem::take(&mut self.batches.contacts.impulses);
        let batches = &self.batches;
        let colors = batches.contacts.colors.len();
        let batch = |batch: usize| {
            if batch < colors {
                contact_sweep(batches, batch, sweep, &mut velocities, &mut impulses);
            } else if !batches.contacts.remainder.elements.is_empty() {
                let remainder = &batches.contacts.remainder;
                let changes = &mut self.changes;
                cpu::contact_split(batches, sweep, &velocities, &mut impulses, changes);
                cpu::body_gather(remainder, changes, &mut velocities);
                cpu::hub_gather(remainder, changes, &mut velocities);
            }
        };
        (0..=colors).for_each(batch);
        self.batches.velocities = velocities;
        self.batches.contacts.impulses = impulses;
    }

    fn extrapolate(&mut self, rebuild: bool) {
        let factor = self.momentum.factor;
        if rebuild {
            self.extrapolate_bodies(BodyMomentum::BeforeRebuild);
            self.sweep(Sweep::Rebuild);
            self.extrapolate_bodies(BodyMomentum::AfterRebuild);
        } else {
            self.extrapolate_bodies(BodyMomentum::Whole);
        }
        let impulses = &mut self.batches.contacts.impulses;
        cpu::contact_momentum(factor, impulses, &mut self.contact_memory);
    }

    fn extrapolate_bodies(&mut self, part: BodyMomentum) {
        let velocities = &mut self.batches.velocities;
        cpu::body_momentum(
            part,
            self.momentum.factor,
            velocities,
            &mut self.body_memory,
        );
    }

    fn judge(&mut self) {
        let mut sums = Vec::new();
        let impulses = &self.batches.contacts.impulses;
        cpu::contact_progress(&self.batches, impulses, &self.contact_memory, &mut sums);
        self.momentum = momentum_step(self.momentum, &[], &sums);
    }

    fn solve(&mut self, method: Method, iterations: u32) {
        for done in 0..iterations {
            let has_momentum = method == Method::Nesterov;
            if has_momentum {
                self.extrapolate(done > 0 && done % MOMENTUM_REBUILD_PASSES == 0);
            }
            self.sweep(Sweep::Update);
            if has_momentum {
                self.judge();
            }
        }
    }

    /// Bits of the impulses in the problem's order, of the velocities, and of the residual.
    fn bits(&self) -> Vec<u32> {
        let contacts = &self.batches.contacts;
        let mut impulses = vec![[0.0; 3]; contacts.source.len()];
        for (&source, &[n, t1, t2, _]) in contacts.source.iter().zip(&contacts.impulses) {
            impulses[source as usize] = [n, t1, t2];
        }
        let velocities = self.batches.velocities.iter();
        let velocities = velocities.flat_map(|v| v.linear.into_iter().chain(v.angular));
        let mut partials = Vec::new();
        cpu::contact_residual(
            &self.batches,
            &self.batches.velocities,
            &contacts.impulses,
            &mut partials,
        );
        let (rms, max) = residual::finish([&partials, &[]], impulses.len());
        let numbers = impulses.iter().flatten().copied().chain(velocities);
        numbers.chain([rms, max]).map(f32::to_bits).collect()
    }
}

fn rule(problem: &Problem, method: Method) -> MomentumRule {
    match method {
        Method::Nesterov if problem.is_convex() => MomentumRule::ForwardConvex,
        Method::Nesterov => MomentumRule::Forward,
        _ => MomentumRule::Symmetric,
    }
}

fn lanes_bits(problem: &Problem, width: Width, method: Method, iterations: u32) -> Vec<u32> {
    let options = Options {
        method,
        iterations,
        ..Options::default()
    };
    let mut solution = Solution::default();
    let mut solver = CpuSolver::with_width(width);
    // The second solve finds memory that another problem has used.
    let other = random_problem(&Recipe::default(), 99);
    solver.solve(&other, &options, &mut solution).unwrap();
    let report = solver.solve(problem, &options, &mut solution).unwrap();
    let changes = solution.changes.iter();
    let velocities = changes.flat_map(|v| v.linear.into_iter().chain(v.angular));
    let numbers = solution
        .impulses
        .iter()
        .flatten()
        .copied()
        .chain(velocities);
    numbers
        .chain([report.residual_rms, report.residual_max])
        .map(f32::to_bits)
        .collect()
}

fn check(problem: &Problem, method: Method, iterations: u32) {
    let mut reference = Reference::new(problem, method);
    reference.solve(method, iterations);
    let mut wanted = reference.bits();
    // Lanes have no response of a soft row but one over its mass: residuals are those of the scalar sweep to rounding.
    let residuals = 2 * usize::from(problem.contact_softness > 0.0);
    wanted.truncate(wanted.len() - residuals);
    for width in Width::ALL.into_iter().filter(|width| width.is_available()) {
        let mut found = lanes_bits(problem, width, method, iterations);
        found.truncate(found.len() - residuals);
        let different = wanted.iter().zip(&found).filter(|(a, b)| a != b).count();
        assert!(
            wanted.len() == found.len() && different == 0,
            "{method:?} {width:?}: {different} of {} numbers differ",
            wanted.len()
        );
    }
}

fn problems() -> Vec<Problem> {
    let mut problems = Vec::new();
    for (seed, cone) in [
        FrictionCone::Disk,
        FrictionCone::Pyramid { directions: 4 },
        FrictionCone::Pyramid { directions: 10 },
    ]
    .into_iter()
    .enumerate()
    {
        for (points, hub_pairs, friction) in [(1, 0, 0.5), (4, 80, 0.3), (6, 0, 0.0)] {
            let recipe = Recipe {
                cone,
                points,
                hub_pairs,
                friction,
                ..Recipe::default()
            };
            let mut problem = random_problem(&recipe, seed as u64);
            for (index, contact) in problem.contacts.iter_mut().enumerate() {
                if index % 5 == 0 {
                    contact.friction = 0.0;
                }
            }
            problems.push(problem);
        }
    }
    problems.push(as_position_problem(&problems[1]));
    // With contacts without friction among the others, and without.
    for (friction, hub_pairs, every) in [(0.5, 0, 5), (0.3, 80, 5), (0.5, 80, usize::MAX)] {
        let recipe = Recipe {
            points: 4,
            hub_pairs,
            friction,
            ..Recipe::default()
        };
        let mut problem = random_problem(&recipe, 17);
        problem.friction_law = FrictionLaw::Convex;
        for (index, contact) in problem.contacts.iter_mut().enumerate() {
            if index % every == 1 {
                contact.friction = 0.0;
            }
        }
        problems.push(problem);
    }
    problems
}

#[test]
fn every_width_has_the_bits_of_scalar_sweeps() {
    for problem in problems() {
        for iterations in [1, 20] {
            check(&problem, Method::GaussSeidel, iterations);
        }
    }
}

/// Of pairs of several soft contacts some are left after the first visits of a sweep, and others of the same lane group are not.
#[test]
fn sweeps_that_leave_calm_pairs_have_them_too() {
    for law in [FrictionLaw::Coulomb, FrictionLaw::Convex] {
        let mut problem = random_problem(&Recipe::default(), 23);
        problem.friction_law = law;
        problem.contact_softness = 0.1;
        for (index, contact) in problem.contacts.iter_mut().enumerate() {
            if index % 3 == 0 {
                contact.friction = 0.0;
            }
        }
        let bits =
            |problem: &Problem| lanes_bits(problem, Width::detect(), Method::GaussSeidel, 20);
        let all_visits = bits(&problem);
        for calm_change in [1e-3, 0.01, 0.1] {
            problem.calm_change = calm_change;
            check(&problem, Method::GaussSeidel, 20);
            assert_ne!(bits(&problem), all_visits, "{law:?}, {calm_change}");
        }
    }
}

#[test]
fn momentum_and_rebuilt_velocities_have_them_too() {
    for problem in problems() {
        check(&problem, Method::Nesterov, 2 * MOMENTUM_REBUILD_PASSES + 4);
    }
}

#[test]
fn a_team_of_threads_has_them_too() {
    let recipe = Recipe {
        movable: 700,
        pairs: 2_500,
        hub_pairs: 300,
        ..Recipe::default()
    };
    let problem = random_problem(&recipe, 5);
    let alone = lanes_bits(&problem, Width::detect(), Method::Nesterov, 40);
    for threads in [2, 3, 5] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        for _ in 0..5 {
            let team = pool.install(|| lanes_bits(&problem, Width::detect(), Method::Nesterov, 40));
            assert!(alone == team, "{threads} threads differ");
        }
    }
    check(&problem, Method::Nesterov, 40);
}

#[test]
fn domains_with_an_interior_have_them_too() {
    let recipe = Recipe {
        movable: 900,
        pairs: 3_000,
        points: 4,
        ..Recipe::default()
    };
    let mut problem = random_problem(&recipe, 8);
    // Bodies touch those of about the same index, as in a pile that is made layer by layer.
    for contact in &mut problem.contacts {
        if contact.body_b < recipe.movable {
            contact.body_b = (contact.body_a + 1 + contact.body_b % 12) % recipe.movable;
        }
    }
    for method in [Method::GaussSeidel, Method::Nesterov] {
        let alone = lanes_bits(&problem, Width::detect(), method, 30);
        for threads in [2, 4] {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            for _ in 0..5 {
                let team = pool.install(|| lanes_bits(&problem, Width::detect(), method, 30));
                assert!(alone == team, "{method:?} with {threads} threads differs");
            }
        }
        check(&problem, method, 30);
    }
}

#[test]
fn solvers_of_one_pool_do_not_wait_for_each_other() {
    let recipe = Recipe {
        movable: 200,
        pairs: 800,
        ..Recipe::default()
    };
    let problem = random_problem(&recipe, 6);
    let alone = lanes_bits(&problem, Width::detect(), Method::GaussSeidel, 10);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(3)
        .build()
        .unwrap();
    let all = pool.install(|| {
        use rayon::prelude::*;
        let solves = (0..12).into_par_iter();
        solves
            .map(|_| lanes_bits(&problem, Width::detect(), Method::GaussSeidel, 10))
            .collect::<Vec<_>>()
    });
    assert!(all.into_iter().all(|bits| bits == alone));
}
