//! Cost of a step in substeps on the GPU backend to the host: processor time of
//! `GpuSolver::step` on wgpu's device that does nothing, so that no kernel runs and no adapter is
//! needed. What that device copies between its buffers, in place of a bus, counts too.
//!
//! Each sphere of a cubic lattice touches its six neighbours. Between two steps every number of the
//! geometry changes; pairs are kept, or one contact in `CHANGED` comes or goes. A table in Markdown, of the
//! least and the median of `TURNS` turns of `STEPS` steps.
//!
//! `cargo bench --bench gpu_host -- [--turns N] [--threads N,N] [SIDE ...]` takes lattices of these sides.

#[path = "support/processor.rs"]
mod processor;

use drystone::problem::{Body, Contact, Problem};
use drystone::solver::gpu::GpuSolver;
use drystone::solver::substeps::{GapLaw, SubstepPlan};
use drystone::solver::{Method, Options, Plan, Solution, Solver, Velocity};
use processor::processor_time;
use std::time::{Duration, Instant};

/// Spheres along an edge of the lattices.
const SIDES: [u32; 3] = [32, 64, 100];
/// The side of a trial.
const TRIAL: [u32; 1] = [6];
/// Steps of a turn.
const STEPS: u32 = 4;
/// Turns unless told otherwise.
const TURNS: usize = 5;
/// One contact in so many comes or goes between two steps where pairs change.
const CHANGED: usize = 1000;

#[allow(clippy::print_stdout, reason = "a bench speaks to its reader")]
fn main() {
    let Arguments {
        sides,
        threads,
        turns,
    } = arguments();
    println!(
        "| spheres | contacts | pairs | threads | processor time [ms] | median | time [ms] | median |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for side in sides {
        for pairs in [Pairs::Kept, Pairs::Changed] {
            for &threads in &threads {
                let pool = rayon::ThreadPoolBuilder::new()
                    .num_threads(threads)
                    .build()
                    .expect("a thread pool");
                let [busy, time] = pool.install(|| measure(side, pairs, turns));
                println!(
                    "| {} | {} | {pairs:?} | {threads} | {:.1} | {:.1} | {:.1} | {:.1} |",
                    side * side * side,
                    3 * side * side * (side - 1),
                    busy[0],
                    busy[turns / 2],
                    time[0],
                    time[turns / 2],
                );
            }
        }
    }
}

/// Which bodies touch in the next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pairs {
    Kept,
    Changed,
}

/// Processor time and time of a step, of each turn in order `[ms]`.
fn measure(side: u32, pairs: Pairs, turns: usize) -> [Vec<f64>; 2] {
    let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor {
        required_limits: wgpu::Limits {
            max_storage_buffer_binding_size: (2 << 30) - 4,
            max_buffer_size: (2 << 30) - 4,
            ..wgpu::Limits::default()
        },
        ..Default::default()
    });
    let mut solver = GpuSolver::from_device(device, queue).expect("kernels for these limits");
    let all = lattice(side);
    let mut problem = all.clone();
    let mut solution = Solution::default();
    let plan = plan();
    let mut number = 0;
    let mut step = || {
        number += 1;
        next_step(&all, pairs, number, &solution, &mut problem);
        let (busy, start) = (processor_time(), Instant::now());
        solver
            .step(&problem, &plan, &mut solution)
            .expect("a step of a valid problem");
        [processor_time() - busy, start.elapsed()]
    };
    // Memory that is kept from step to step is there after the first ones.
    for _ in 0..2 {
        step();
    }
    let mut measured = [Vec::new(), Vec::new()];
    for _ in 0..turns {
        let mut sums = [Duration::ZERO; 2];
        for _ in 0..STEPS {
            let [busy, time] = step();
            sums = [sums[0] + busy, sums[1] + time];
        }
        for (measured, sum) in measured.iter_mut().zip(sums) {
            measured.push(1e3 * sum.as_secs_f64() / f64::from(STEPS));
        }
    }
    for measured in &mut measured {
        measured.sort_by(f64::total_cmp);
    }
    measured
}

fn plan() -> Plan {
    Plan::Substeps(SubstepPlan {
        substeps: 2,
        time_step: 1.0 / 60.0,
        gap_law: GapLaw::default(),
        restitution_threshold: 1.0,
        calm_change: 0.0,
        velocity: Options {
            method: Method::GaussSeidel,
            iterations: 12,
            ..Options::default()
        },
        position: None,
    })
}

/// Spheres of radius 0.5 m, those that follow each other in memory side by side.
fn lattice(side: u32) -> Problem {
    let body = Body {
        inverse_mass: 2.0,
        inverse_inertia: [20.0, 0.0, 0.0, 20.0, 0.0, 20.0],
        ..bytemuck::Zeroable::zeroed()
    };
    let count = side * side * side;
    let mut contacts = Vec::new();
    for index in 0..count {
        let place = [index % side, index / side % side, index / (side * side)];
        for (axis, stride) in [1, side, side * side].into_iter().enumerate() {
            if place[axis] + 1 == side {
                continue;
            }
            let mut normal = [0.0; 3];
            normal[axis] = -1.0;
            contacts.push(Contact {
                body_a: index,
                body_b: index + stride,
                arm_a: normal.map(|x: f32| -0.5 * x),
                arm_b: normal.map(|x| 0.5 * x),
                normal,
                friction: 0.5,
                ..bytemuck::Zeroable::zeroed()
            });
        }
    }
    Problem {
        bodies: vec![body; count as usize],
        increments: vec![
            Velocity {
                linear: [0.0, 0.0, -0.16],
                angular: [0.0; 3],
            };
            count as usize
        ],
        gaps: vec![1e-4; contacts.len()],
        restitutions: Vec::new(),
        loads: vec![0.0; contacts.len()],
        sizes: Vec::new(),
        contacts,
        ..Problem::default()
    }
}

/// Makes the next step of a scene from the last one: other numbers everywhere, and the impulses that were
/// found.
fn next_step(
    all: &Problem,
    pairs: Pairs,
    number: usize,
    solution: &Solution,
    problem: &mut Problem,
) {
    let is_gone = |at: usize| pairs == Pairs::Changed && at % CHANGED == number % CHANGED;
    let contacts = all.contacts.iter().enumerate();
    let contacts = contacts.filter(|&(at, _)| !is_gone(at));
    problem.contacts.clear();
    let shift = 1e-4 * number as f32;
    problem
        .contacts
        .extend(contacts.map(|(_, contact)| Contact {
            arm_a: contact.arm_a.map(|x| x + shift),
            arm_b: contact.arm_b.map(|x| x - shift),
            ..*contact
        }));
    let count = problem.contacts.len();
    for (contact, impulse) in problem.contacts.iter_mut().zip(&solution.impulses) {
        contact.impulse = *impulse;
    }
    problem.gaps.resize(count, 0.0);
    problem.gaps.fill(shift);
    problem.loads.resize(count, 0.0);
    problem.loads.fill(shift);
    for body in &mut problem.bodies {
        body.linear_velocity = [shift, 0.0, -shift];
        body.angular_velocity = [0.0, shift, shift];
    }
}

struct Arguments {
    sides: Vec<u32>,
    threads: Vec<usize>,
    turns: usize,
}

fn arguments() -> Arguments {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let is_trial = words.iter().any(|word| word == "--test") || !words.contains(&"--bench".into());
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    let mut found = Arguments {
        sides: Vec::new(),
        threads: if all > 1 { vec![1, all] } else { vec![1] },
        turns: if is_trial { 1 } else { TURNS },
    };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--turns" => {
                let turns = words.next().and_then(|word| word.parse().ok());
                found.turns = turns.unwrap_or(TURNS);
            }
            "--threads" => {
                let given = words.next().into_iter().flat_map(|word| word.split(','));
                found.threads = given.filter_map(|word| word.parse().ok()).collect();
            }
            word => found.sides.extend(word.parse::<u32>()),
        }
    }
    if found.sides.is_empty() {
        found.sides = if is_trial {
            TRIAL.to_vec()
        } else {
            SIDES.to_vec()
        };
    }
    found
}
