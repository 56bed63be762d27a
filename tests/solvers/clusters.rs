//! Clusters: how a problem is cut, and what solves by clusters come to.

use crate::support::joints::{add_random_joints, ball};
use crate::support::problems::{Recipe, random_problem};
use drystone::internals::batches::Batches;
use drystone::internals::clusters::{Clusters, NO_COPY};
use drystone::internals::constants::{CLUSTER_BLOCKS, CLUSTER_COPIES, CLUSTER_DEGREE, GRAVITY};
use drystone::problem::{Contact, Problem};
use drystone::scene::{Overrides, Scene};
use drystone::solver::cpu::CpuSolver;
use drystone::solver::nsgs::NsgsSolver;
use drystone::solver::reference::LemkeSolver;
use drystone::solver::{Method, Options, Report, Solution, Solver, Status};
use drystone::step::Simulation;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

fn options(iterations: u32) -> Options {
    Options {
        method: Method::Cluster,
        iterations,
        ..Options::default()
    }
}

fn solve(problem: &Problem, options: &Options) -> (Report, Solution) {
    let mut solution = Solution::default();
    let report = CpuSolver::new()
        .solve(problem, options, &mut solution)
        .unwrap();
    (report, solution)
}

/// More bodies than one cluster holds, with contacts, joints and hubs of both.
fn crowd(seed: u64, friction: f32) -> Problem {
    let recipe = Recipe {
        movable: 1500,
        pairs: 4000,
        hub_pairs: 900,
        friction,
        ..Recipe::default()
    };
    let mut problem = random_problem(&recipe, seed);
    problem
        .contacts
        .sort_by_key(|contact| (contact.body_a, contact.body_b));
    add_random_joints(&mut problem, 3, 600, 200, seed);
    problem
}

/// Two movable bodies with many contacts.
fn one_pair(contacts: usize) -> Problem {
    let mut problem = random_problem(
        &Recipe {
            movable: 2,
            immovable: 0,
            pairs: 1,
            points: 1,
            ..Recipe::default()
        },
        1,
    );
    let first = problem.contacts[0];
    problem.contacts = (0..contacts)
        .map(|index| Contact {
            arm_a: [0.01 * (index % 10) as f32, 0.02 * (index % 7) as f32, 0.5],
            ..first
        })
        .collect();
    problem
}

#[test]
fn every_contact_and_row_is_in_one_cluster_that_one_workgroup_holds() {
    let problems = [
        crowd(1, 0.5),
        crowd(2, 0.0),
        one_pair(3000),
        random_problem(&Recipe::default(), 3),
        Problem::default(),
    ];
    for problem in &problems {
        let clusters = Clusters::cut(problem);
        let batches = Batches::pack_clusters(problem, &clusters, true);
        let mut contacts: Vec<u32> = batches.contacts.source.clone();
        contacts.sort_unstable();
        assert!(contacts.into_iter().eq(0..problem.contacts.len() as u32));
        let mut rows: Vec<u32> = batches.joints.source.clone();
        rows.sort_unstable();
        assert!(rows.into_iter().eq(0..problem.joint_rows.len() as u32));
        for cluster in &clusters.list {
            assert!(cluster.copies <= CLUSTER_COPIES && cluster.blocks() <= CLUSTER_BLOCKS);
            let counted: u32 = clusters.groups_of(cluster).iter().map(|g| g.count).sum();
            assert_eq!(counted, cluster.blocks());
        }
    }
    assert!(Clusters::cut(&problems[0]).list.len() >= 1500 / 256);
    assert_eq!(Clusters::cut(&problems[3]).list.len(), 1);
    assert!(Clusters::cut(&problems[4]).list.is_empty());
}

#[test]
fn no_two_groups_of_a_colour_share_a_copy_and_copies_have_few() {
    let problem = crowd(3, 0.5);
    let clusters = Clusters::cut(&problem);
    assert!(clusters.most_colors() <= 4 * CLUSTER_DEGREE);
    for cluster in &clusters.list {
        let groups = clusters.groups_of(cluster);
        let mut links: BTreeMap<(bool, u32), u32> = BTreeMap::new();
        for color in 0..cluster.colors as usize {
            let at = cluster.first_color as usize + color;
            let mut used = BTreeSet::new();
            for group in &groups[clusters.colors[at] as usize..clusters.colors[at + 1] as usize] {
                let is_joint = group.first < cluster.joint_rows;
                assert_eq!(is_joint, color < cluster.joint_colors as usize);
                for copy in [group.copy_a, group.copy_b] {
                    if copy != NO_COPY {
                        assert!(used.insert(copy), "copy {copy} twice");
                        *links.entry((is_joint, copy)).or_default() += 1;
                    }
                }
            }
        }
        assert!(links.values().all(|&count| count <= CLUSTER_DEGREE));
    }
}

#[test]
fn shares_of_a_body_add_up_to_it_and_slots_are_handed_out_once() {
    let problem = crowd(4, 0.5);
    let clusters = Clusters::cut(&problem);
    let mut shares = vec![0.0; problem.bodies.len()];
    let mut slots = BTreeSet::new();
    for copy in &clusters.copies {
        assert!(problem.bodies[copy.body as usize].is_movable());
        assert!((f64::from(copy.share) * f64::from(copy.copies) - 1.0).abs() < 1e-6);
        shares[copy.body as usize] += f64::from(copy.share);
        assert!(slots.insert(copy.slot));
    }
    assert!(slots.into_iter().eq(0..clusters.copies.len() as u32));
    for (body, share) in shares.into_iter().enumerate() {
        assert!(
            share == 0.0 || (share - 1.0).abs() < 1e-6,
            "{body}: {share}"
        );
    }
    let lists = clusters.bodies.iter().chain(&clusters.hubs);
    for split in lists {
        let end = split.first_slot + split.slot_count;
        let copies = clusters.copies.iter();
        let own = copies.filter(|copy| (split.first_slot..end).contains(&copy.slot));
        assert!(own.clone().count() == split.slot_count as usize);
        assert!(own.map(|copy| copy.body).all(|body| body == split.body));
    }
}

/// A line of balls 1 m apart that touch, numbered in a scrambled order.
fn scrambled_line(count: u32) -> Problem {
    let place = |at: u32| (at * 7) % count;
    let mut problem = random_problem(
        &Recipe {
            movable: count,
            immovable: 0,
            pairs: 1,
            ..Recipe::default()
        },
        1,
    );
    problem.contacts = (1..count)
        .map(|at| Contact {
            body_a: place(at),
            body_b: place(at - 1),
            arm_a: [-0.5, 0.0, 0.0],
            arm_b: [0.5, 0.0, 0.0],
            normal: [1.0, 0.0, 0.0],
            bias: 0.0,
            friction: 0.0,
            impulse: [0.0; 3],
        })
        .collect();
    problem
}

#[test]
fn neighbours_share_a_cluster_whatever_their_numbers() {
    for joined in [false, true] {
        let mut problem = scrambled_line(2000);
        if joined {
            let links = std::mem::take(&mut problem.contacts);
            for contact in links {
                let (a, b) = (contact.body_a, contact.body_b);
                problem
                    .joint_rows
                    .extend(ball(a, b, contact.arm_a, contact.arm_b));
            }
        }
        let clusters = Clusters::cut(&problem);
        assert_eq!(clusters.list.len(), 8);
        // Only the body at each of the seven cuts has two copies.
        assert_eq!(clusters.copies.len(), 2000 + 7, "joined: {joined}");
    }
}

/// Largest difference of a velocity component, over the largest of the problem.
fn difference(problem: &Problem, a: &Solution, b: &Solution) -> f32 {
    let largest = |x: f32, y: f32| x.max(y.abs());
    let numbers = |s: &Solution| -> Vec<f32> {
        let velocities = s.velocities.iter();
        velocities
            .flat_map(|v| v.linear.into_iter().chain(v.angular))
            .collect()
    };
    let bodies = problem.bodies.iter();
    let scale = bodies
        .flat_map(|body| {
            body.linear_velocity
                .into_iter()
                .chain(body.angular_velocity)
        })
        .fold(0.0, largest);
    let (a, b) = (numbers(a), numbers(b));
    a.iter().zip(&b).map(|(x, y)| x - y).fold(0.0, largest) / scale
}

#[test]
fn many_clusters_converge_to_the_answer_of_the_serial_referee() {
    let recipe = Recipe {
        movable: 1500,
        pairs: 1200,
        points: 1,
        friction: 0.3,
        ..Recipe::default()
    };
    let mut problem = random_problem(&recipe, 5);
    // Chains of ten links each: what is off of a long one's end is many times its residual.
    for body in (1..200).filter(|body| body % 10 != 0) {
        let rows = ball(body, body - 1, [-0.1, 0.0, 0.0], [0.1, 0.0, 0.0]);
        problem.joint_rows.extend(rows);
    }
    assert!(Clusters::cut(&problem).list.len() > 3);
    let mut reference = Solution::default();
    let referee = Options {
        iterations: 2_000,
        tolerance: 1e-8,
        ..Options::default()
    };
    let judged = NsgsSolver::new()
        .solve(&problem, &referee, &mut reference)
        .unwrap();
    let (report, solution) = solve(&problem, &options(4_000));
    let off = difference(&problem, &solution, &reference);
    assert!(off < 1e-3, "{off:e}, {report:?}, {judged:?}");
}

#[test]
fn one_cluster_converges_to_lemkes_answer_with_friction() {
    let recipe = Recipe {
        movable: 30,
        pairs: 30,
        points: 1,
        friction: 0.3,
        cone: drystone::problem::FrictionCone::Pyramid { directions: 4 },
        ..Recipe::default()
    };
    for seed in 0..5 {
        let problem = random_problem(&recipe, seed);
        let mut reference = Solution::default();
        LemkeSolver::new()
            .solve(&problem, &Options::default(), &mut reference)
            .unwrap();
        let (report, solution) = solve(&problem, &options(2_000));
        let off = difference(&problem, &solution, &reference);
        assert!(off < 1e-3, "seed {seed}: {off:e}, {report:?}");
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let problem = crowd(6, 0.5);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| solve(&problem, &options(41)))
    };
    let (report, solution) = with(1);
    for threads in [2, 3, 8] {
        let (again, other) = with(threads);
        assert!(solution == other, "{threads} threads");
        assert_eq!(report.residual_rms, again.residual_rms);
    }
}

#[test]
fn looks_at_the_residual_come_after_whole_sweeps() {
    let problem = crowd(7, 0.5);
    let (unchecked, whole) = solve(&problem, &options(31));
    assert_eq!(unchecked.iterations, 31);
    for check_every in [1, 2, 3, 8] {
        let checked = Options {
            tolerance: f32::MIN_POSITIVE,
            check_every,
            ..options(31)
        };
        let (report, solution) = solve(&problem, &checked);
        assert_eq!(report.status, Status::MaxIterations);
        assert_eq!(report.iterations, 31);
        assert!(whole == solution, "looking every {check_every}");
    }
}

/// Spheres dropped into a box, and what their last step has to solve from nothing.
fn pile(hub: bool) -> (Problem, f32) {
    let hub = if hub {
        r#"[[body]]
name = "hub"
shape = { type = "sphere", radius = 5.0 }
position = [0.0, 0.0, 5.0]
density = 1000.0"#
    } else {
        ""
    };
    let text = format!(
        r#"name = "pile"
[simulation]
dt = 0.016666666666666666
steps = 60
seed = 1
[solver]
iterations = 20
[stabilization]
method = "post"
iterations = 10
[[container]]
name = "box"
inner = [14.4, 14.4, 40.0]
thickness = 4.0
{hub}
[[fill]]
region = {{ type = "box", min = [-7.2, -7.2, 0.05], max = [7.2, 7.2, 38.0] }}
arrangement = "jittered"
spacing = 1.15
jitter = 0.02
count = 2000
shapes = [{{ shape = {{ type = "sphere", radius = 0.5 }} }}]
scale = {{ type = "uniform", min = 0.9, max = 1.1 }}
density = 1000.0
"#
    );
    let scene = Scene::parse(Path::new("pile.toml"), &text, &Overrides::default()).unwrap();
    let gh = (GRAVITY * scene.settings.time_step) as f32;
    let solver = Box::new(CpuSolver::new());
    let mut simulation = Simulation::new(scene.world, scene.settings, solver).unwrap();
    for _ in 0..60 {
        simulation.step().unwrap();
    }
    (simulation.velocity_problem().clone(), gh)
}

#[test]
fn a_hub_costs_copies_and_neither_barriers_nor_passes() {
    let fifty = |problem: &Problem, method: Method| {
        let options = Options {
            method,
            warm_start: false,
            ..options(50)
        };
        solve(problem, &options).0
    };
    let (plain, gh) = pile(false);
    let (with_hub, _) = pile(true);
    let most = |problem: &Problem| {
        let clusters = Clusters::cut(problem);
        let all = clusters.bodies.iter().chain(&clusters.hubs);
        all.map(|body| body.slot_count).max().unwrap()
    };
    assert!(most(&plain) <= 8 && most(&with_hub) > 8);
    let [without, with] = [&plain, &with_hub].map(|problem| fifty(problem, Method::Cluster));
    assert_eq!(without.barriers, with.barriers);
    assert!(with.colors <= without.colors + 4, "{with:?} {without:?}");
    // The pile with a hub is another pile: how much harder it is, coloured sweeps say, which solve the
    // hub's contacts one after the other. Where it happens to be the easier one, that asks for nothing.
    let harder = fifty(&with_hub, Method::Nesterov).residual_rms
        / fifty(&plain, Method::Nesterov).residual_rms;
    let ratio = with.residual_rms / without.residual_rms;
    assert!(with.residual_rms < 0.3 * gh, "{with:?}");
    assert!(ratio < 1.05 * harder.max(1.0), "{ratio} against {harder}");
}

#[test]
fn barriers_are_a_tenth_of_coloured_ones() {
    let (problem, gh) = pile(false);
    let until = |method: Method| {
        let options = Options {
            method,
            tolerance: 2e-2 * gh,
            check_every: 2,
            warm_start: false,
            ..options(3_000)
        };
        let report = solve(&problem, &options).0;
        assert_eq!(report.status, Status::Converged, "{method:?}: {report:?}");
        report
    };
    let (coloured, clusters) = (until(Method::GaussSeidel), until(Method::Cluster));
    assert!(
        10 * clusters.barriers <= coloured.barriers,
        "{} of {}",
        clusters.barriers,
        coloured.barriers
    );
}
