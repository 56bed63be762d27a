//! Whether a GPU steps a scene faster than the CPU: a short trial before the first step.
//!
//! Nothing touches yet when most scenes begin. So the trial is about spheres of a lattice, as many as the scene has bodies that move, each
//! of which touches its neighbours: three contacts a sphere, as in a pile.

use crate::args::BackendName;
use crate::backend::{self, Choice};
use bytemuck::Zeroable;
use drystone::Result;
use drystone::problem::{Body, Contact, Problem};
use drystone::solver::cpu::CpuSolver;
#[cfg(feature = "gpu")]
use drystone::solver::gpu::list_adapters;
use drystone::solver::substeps::SubstepPlan;
use drystone::solver::{Plan, Solution, Solver, Velocity};
use drystone::step::Settings;
use drystone::world::World;
use std::time::{Duration, Instant};

/// Moving bodies below which no GPU is tried: a step of 12 substeps dispatches some 500 kernels, of 4 us each on an H200, and one core of a CPU
/// sweeps the contacts of 1,000 bodies meanwhile.
#[cfg(feature = "gpu")]
const LEAST_BODIES: usize = 2_000;

/// Bodies of the largest trial; what is found there holds for more.
const MOST_BODIES: usize = 262_144;

/// A GPU is taken if its step is shorter by this factor: it has to be no matter of chance.
const GAIN: f64 = 1.2;

/// Steps of each that are timed.
const TURNS: u32 = 3;

/// The solver that a run of a world asks for. Under `auto` without an adapter's name a GPU is taken where a trial says that it is faster.
///
/// # Errors
/// As [`backend::choose`], and what the solvers of a trial report.
pub(crate) fn choose_for(
    world: &World,
    settings: &Settings,
    backend: BackendName,
    adapter: Option<&str>,
) -> Result<Choice> {
    if backend == BackendName::Auto && adapter.is_none() && settings.event.is_none() {
        choose(world, settings)
    } else {
        backend::choose(backend, adapter)
    }
}

/// The solver that is faster for a world, the GPU that would be taken without a name or the CPU.
fn choose(world: &World, settings: &Settings) -> Result<Choice> {
    let bodies = world.bodies.iter().filter(|body| body.is_dynamic()).count();
    // What the environment names is tried in any case.
    #[cfg(feature = "gpu")]
    if bodies < LEAST_BODIES && std::env::var_os("WGPU_ADAPTER_NAME").is_none() {
        let mut adapters = list_adapters().into_iter();
        if let Some(adapter) = adapters.find(|adapter| adapter.usable && !adapter.software) {
            return Ok(of_cpu(format!(
                "{bodies} bodies are few for {}",
                adapter.name
            )));
        }
    }
    let mut gpu = match backend::gpu(None) {
        Ok(gpu) => gpu,
        Err(why) => return Ok(of_cpu(why.to_string())),
    };
    let [of_gpu, of_cpu_alone] = times(&mut *gpu, world, settings, bodies)?;
    let name = gpu.adapter().unwrap_or_default();
    let milliseconds = |time: Duration| 1e3 * time.as_secs_f64();
    let said = format!(
        "tried on {bodies} spheres: {name} {:.2} ms a step, the CPU {:.2} ms",
        milliseconds(of_gpu),
        milliseconds(of_cpu_alone)
    );
    if is_worth_it(of_gpu, of_cpu_alone) {
        Ok(Choice {
            solver: gpu,
            note: Some(said),
        })
    } else {
        Ok(of_cpu(said))
    }
}

fn of_cpu(note: String) -> Choice {
    Choice {
        solver: Box::new(CpuSolver::new()),
        note: Some(note),
    }
}

fn is_worth_it(of_gpu: Duration, of_cpu: Duration) -> bool {
    of_gpu.mul_f64(GAIN) < of_cpu
}

/// Least times of a step of so many spheres on a GPU and on the CPU, in turns.
fn times(
    gpu: &mut dyn Solver,
    world: &World,
    settings: &Settings,
    bodies: usize,
) -> Result<[Duration; 2]> {
    let mut problem = lattice(bodies.min(MOST_BODIES));
    let plan = plan_of(world, settings);
    let mut cpu = CpuSolver::new();
    let mut least = [Duration::MAX; 2];
    let mut solution = Solution::default();
    // In the first turn memory is made and shaders are compiled.
    for turn in 0..=TURNS {
        change(&mut problem, turn);
        let solvers: [&mut dyn Solver; 2] = [&mut *gpu, &mut cpu];
        for (solver, least) in solvers.into_iter().zip(&mut least) {
            let start = Instant::now();
            solver.step(&problem, &plan, &mut solution)?;
            if turn > 0 {
                *least = start.elapsed().min(*least);
            }
        }
    }
    Ok(least)
}

/// How the scene has its steps solved: in its substeps, or all at once.
fn plan_of(world: &World, settings: &Settings) -> Plan {
    let (h, gravity) = (settings.time_step, world.gravity.norm());
    match settings.substeps {
        Some(0) => Plan::Once(settings.solver),
        Some(substeps) => Plan::Substeps(SubstepPlan {
            velocity: settings.solver,
            ..SubstepPlan::recommended_in(substeps, h, RADIUS, gravity)
        }),
        None => Plan::Substeps(SubstepPlan::recommended(h, RADIUS, gravity)),
    }
}

/// Radius of the spheres `[m]`.
const RADIUS: f64 = 0.5;

/// So many spheres of 2 kg, in rows, layer on layer.
fn lattice(bodies: usize) -> Problem {
    let side = (1..)
        .find(|side: &usize| side.pow(3) >= bodies)
        .unwrap_or(1);
    let mut contacts = Vec::new();
    for index in 0..bodies {
        let place = [index % side, index / side % side, index / (side * side)];
        for (axis, stride) in [1, side, side * side].into_iter().enumerate() {
            if place[axis] + 1 == side || index + stride >= bodies {
                continue;
            }
            let mut normal = [0.0; 3];
            normal[axis] = -1.0;
            contacts.push(Contact {
                body_a: index as u32,
                body_b: (index + stride) as u32,
                arm_a: normal.map(|x: f32| -RADIUS as f32 * x),
                arm_b: normal.map(|x| RADIUS as f32 * x),
                normal,
                friction: 0.5,
                ..Contact::zeroed()
            });
        }
    }
    let sphere = Body {
        inverse_mass: 0.5,
        inverse_inertia: [5.0, 0.0, 0.0, 5.0, 0.0, 5.0],
        ..Body::zeroed()
    };
    Problem {
        bodies: vec![sphere; bodies],
        increments: vec![Velocity::default(); bodies],
        gaps: vec![0.0; contacts.len()],
        loads: vec![0.0; contacts.len()],
        contacts,
        ..Problem::default()
    }
}

/// Makes another step of it: all numbers change a little, as they do where bodies move.
fn change(problem: &mut Problem, turn: u32) {
    let by = 1e-4 * turn as f32;
    for contact in &mut problem.contacts {
        let along = contact.normal.map(|x| (0.5 + by) * x);
        contact.arm_a = along.map(|x| -x);
        contact.arm_b = along;
    }
    problem.gaps.fill(-by);
    problem.loads.fill(by);
    for (body, increment) in problem.bodies.iter_mut().zip(&mut problem.increments) {
        body.linear_velocity = [by, 0.0, -by];
        increment.linear = [0.0, 0.0, -0.16 - by];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lattice_has_so_many_spheres_and_some_three_contacts_each() {
        for (bodies, contacts) in [(0, 0), (1, 0), (2, 1), (8, 12), (27, 54), (26, 51)] {
            let problem = lattice(bodies);
            assert_eq!(
                (problem.bodies.len(), problem.contacts.len()),
                (bodies, contacts)
            );
            problem.validate().expect("a sound problem");
        }
    }

    #[test]
    fn a_gpu_has_to_be_clearly_faster() {
        let ms = Duration::from_millis;
        assert!(is_worth_it(ms(10), ms(13)));
        assert!(!is_worth_it(ms(10), ms(11)));
        assert!(!is_worth_it(ms(10), ms(1)));
    }
}
