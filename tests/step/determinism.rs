//! Same machine, same backend, same bits: run to run, and for any number of threads.

#[cfg(feature = "gpu")]
use crate::support::adapter;
use crate::support::joints::add_random_joints;
use crate::support::problems::{Recipe, random_problem};
use drystone::internals::constants::MIN_BLOCKS_OF_A_TEAM;
use drystone::scene::{Overrides, Scene};
use drystone::solver::cpu::CpuSolver;
use drystone::solver::{Method, Options, Solution, Solver};
use drystone::step::{Settings, Simulation};
use drystone::world::World;
use std::path::Path;

/// Spheres, boxes and capsules with a hub among them, shaken in a box.
const SCENE: &str = r#"
name = "mixed"
[simulation]
dt = 0.01
# Touching soon.
gravity = [0, 0, -40]
steps = 60
seed = 5
[solver]
iterations = 12
[stabilization]
iterations = 12
[[container]]
name = "box"
inner = [3, 3, 6]
motion = { type = "sinusoidal", amplitude = [0, 0, 0.05], frequency = 4 }
[[body]]
name = "hub"
shape = { type = "sphere", radius = 0.9 }
position = [0, 0, 0.95]
density = 1000
[[fill]]
region = { type = "box", min = [-1.4, -1.4, 0.1], max = [1.4, 1.4, 5.0] }
arrangement = "random"
count = 500
density = 1000
random_orientation = true
scale = { type = "uniform", min = 0.8, max = 1.2 }
shapes = [
    { shape = { type = "sphere", radius = 0.15 }, fraction = 2 },
    { shape = { type = "box", half_extents = [0.12, 0.1, 0.08] }, fraction = 1 },
    { shape = { type = "capsule", radius = 0.08, half_length = 0.08 }, fraction = 1 },
]
"#;

/// Bits of every pose and velocity after a run, and the contacts of every step.
fn run(solver: Box<dyn Solver>, method: Method, steps: u64, threads: usize) -> Vec<u64> {
    let overrides = Overrides {
        method: Some(method),
        ..Overrides::default()
    };
    run_scene((SCENE, &overrides, 300), solver, steps, threads)
}

/// The same of a scene, in which so many contacts are touching at the end.
fn run_scene(
    (text, overrides, least): (&str, &Overrides, usize),
    solver: Box<dyn Solver>,
    steps: u64,
    threads: usize,
) -> Vec<u64> {
    let scene = Scene::parse(Path::new("mixed.toml"), text, overrides).unwrap();
    run_world((scene.world, scene.settings), least, solver, steps, threads)
}

/// The same of a world.
fn run_world(
    (world, settings): (World, Settings),
    least: usize,
    solver: Box<dyn Solver>,
    steps: u64,
    threads: usize,
) -> Vec<u64> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap();
    pool.install(|| {
        let mut simulation = Simulation::new(world, settings, solver).unwrap();
        let mut bits = Vec::new();
        for _ in 0..steps {
            let report = simulation.step().unwrap();
            bits.push(report.contacts as u64);
            bits.push(u64::from(report.velocity.residual_max.to_bits()));
            bits.push(report.energy.kinetic.to_bits());
            bits.push(report.penetration.mean.to_bits());
        }
        let contacts = simulation.contacts().len();
        assert!(contacts > least, "only {contacts} contacts");
        for body in &simulation.world().bodies {
            let numbers = body
                .pose
                .position
                .iter()
                .chain(body.pose.orientation.coords.iter())
                .chain(body.linear_velocity.iter())
                .chain(body.angular_velocity.iter());
            bits.extend(numbers.map(|x| x.to_bits()));
        }
        bits
    })
}

/// With so many contacts the threads stay together from the start of a step to its end.
#[test]
fn steps_of_a_team_do_not_depend_on_threads() {
    let text = SCENE.replace("count = 500", "count = 650");
    for substeps in [0, 3] {
        let overrides = Overrides {
            substeps: Some(substeps),
            ..Overrides::default()
        };
        let scene = (text.as_str(), &overrides, MIN_BLOCKS_OF_A_TEAM);
        let one = run_scene(scene, Box::new(CpuSolver::new()), 60, 1);
        for threads in [2, 3, 8] {
            let again = run_scene(scene, Box::new(CpuSolver::new()), 60, threads);
            assert!(
                one == again,
                "{substeps} substeps differ with {threads} threads"
            );
        }
    }
}

#[test]
fn cpu_does_not_depend_on_threads() {
    for method in Method::ALL {
        let one = run(Box::new(CpuSolver::new()), method, 30, 1);
        for threads in [1, 2, 8] {
            let again = run(Box::new(CpuSolver::new()), method, 30, threads);
            assert!(one == again, "{method:?} differs with {threads} threads");
        }
    }
}

#[cfg(feature = "gpu")]
#[test]
fn gpu_repeats_itself() {
    for method in Method::ALL {
        let overrides = Overrides {
            method: Some(method),
            ..Overrides::default()
        };
        // Software adapters are slow, and what falls freely needs none.
        let scene = Scene::parse(Path::new("mixed.toml"), SCENE, &overrides).unwrap();
        let (settings, solver) = (scene.settings, Box::new(CpuSolver::new()));
        let mut fall = Simulation::new(scene.world, settings, solver).unwrap();
        for _ in 0..25 {
            fall.step().unwrap();
        }
        let [one, again] = [1, 8].map(|threads| {
            let start = (fall.world().clone(), settings);
            run_world(start, 300, Box::new(adapter::solver()), 3, threads)
        });
        assert!(one == again, "{method:?} differs with 8 threads");
    }
}

/// Bits of the solution of a problem with thousands of joints and contacts, hubs of both among them.
fn solve_joints(mut solver: Box<dyn Solver>, method: Method, threads: usize) -> Vec<u32> {
    let recipe = Recipe {
        movable: 2_000,
        pairs: 3_000,
        hub_pairs: 200,
        ..Recipe::default()
    };
    let mut problem = random_problem(&recipe, 21);
    add_random_joints(&mut problem, 0, 1_900, 0, 22);
    add_random_joints(&mut problem, 0, 0, 300, 23);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap();
    let options = Options {
        method,
        iterations: 20,
        ..Options::default()
    };
    let mut solution = Solution::default();
    let report = pool
        .install(|| solver.solve(&problem, &options, &mut solution))
        .unwrap();
    // Clusters have copies of hubs in place of remainders.
    let has_remainders = report.remainder_joint_rows > 0 && report.remainder_contacts > 0;
    assert_eq!(has_remainders, method != Method::Cluster);
    let velocities = solution.changes.iter().chain(&solution.velocities);
    velocities
        .flat_map(|v| v.linear.into_iter().chain(v.angular))
        .chain(solution.impulses.into_iter().flatten())
        .chain(solution.joint_impulses.clone())
        .chain([report.residual_rms, report.residual_max])
        .map(f32::to_bits)
        .collect()
}

#[test]
fn joints_do_not_depend_on_threads() {
    for method in Method::ALL {
        let one = solve_joints(Box::new(CpuSolver::new()), method, 1);
        for threads in [1, 2, 8] {
            let again = solve_joints(Box::new(CpuSolver::new()), method, threads);
            assert!(one == again, "{method:?} differs with {threads} threads");
        }
        #[cfg(feature = "gpu")]
        assert!(
            solve_joints(Box::new(adapter::solver()), method, 1)
                == solve_joints(Box::new(adapter::solver()), method, 8),
            "{method:?} on the GPU"
        );
    }
}
