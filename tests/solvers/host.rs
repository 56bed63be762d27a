//! Help around a solve for an engine with bodies and contacts of its own.

use crate::support::backends;
use drystone::Error;
use drystone::problem::{
    Body, Contact, FrictionCone, HeldBodies, MovingSurfaces, Problem, ProblemRef, Velocity,
};
use drystone::solver::nsgs::NsgsSolver;
use drystone::solver::reference::LemkeSolver;
use drystone::solver::substeps::SubstepPlan;
use drystone::solver::{
    Displacement, Method, Motion, Options, Plan, Solution, Solver, Status, WarmStart,
    cpu::CpuSolver,
};
use drystone::stabilize::{PositionPass, Post};

pub(super) const H: f64 = 1.0 / 60.0;
pub(super) const GRAVITY: f64 = 9.81;
const UP: [f32; 3] = [0.0, 0.0, 1.0];

pub(super) fn apart(a: [f32; 3], b: [f32; 3]) -> f32 {
    (0..3).map(|i| (a[i] - b[i]).abs()).fold(0.0, f32::max)
}

/// A cube of 1 m and 1 kg on four corners above a fixed body; its gaps to it.
pub(super) fn cube(height: f32, speed: f32) -> Problem {
    let inertia = [1.0 / 6.0; 3];
    let cube = Body::from_local(
        1.0,
        inertia,
        [0.0, 0.0, 0.0, 1.0],
        [0.0, 0.0, speed],
        [0.0; 3],
    );
    let corners = [[-0.5, -0.5], [-0.5, 0.5], [0.5, -0.5], [0.5, 0.5]];
    let contacts =
        corners.map(|[x, y]| Contact::from_b_to_a([0, 1], [[x, y, -0.5], [x, y, 0.0]], UP, 0.5));
    Problem {
        bodies: vec![cube, Body::immovable([0.0; 3], [0.0; 3])],
        contacts: contacts.to_vec(),
        increments: vec![
            Velocity {
                linear: [0.0, 0.0, -(GRAVITY * H) as f32],
                angular: [0.0; 3],
            },
            Velocity::default(),
        ],
        gaps: vec![height - 0.5; 4],
        ..Problem::default()
    }
}

/// What a host keeps from step to step of the cube.
#[derive(Default)]
struct Host {
    solver: CpuSolver,
    solution: Solution,
    warm: WarmStart,
}

impl Host {
    fn step(&mut self, problem: &mut Problem, plan: &Plan) -> Motion {
        let keys = [(1, 0), (1, 1), (1, 2), (1, 3)];
        self.warm
            .load(&keys, plan, &mut problem.contacts, &mut problem.loads)
            .unwrap();
        self.solver.step(problem, plan, &mut self.solution).unwrap();
        self.warm
            .store(&keys, problem, plan, &self.solution)
            .unwrap();
        plan.motion(H, problem, &self.solution, 0).unwrap()
    }
}

#[test]
fn a_cube_that_a_host_moves_comes_to_rest() {
    let (mut height, mut speed) = (0.7, 0.0);
    let mut host = Host::default();
    for _ in 0..240 {
        let mut problem = cube(height, speed);
        let plan = Plan::from(SubstepPlan::recommended_for(&problem, H, GRAVITY));
        let motion = host.step(&mut problem, &plan);
        height += motion.displacement.linear[2];
        speed = motion.velocity.linear[2];
    }
    assert!((height - 0.5).abs() < 2e-3, "{height} m");
    assert!(speed.abs() < 1e-4, "{speed} m/s");
    let carried: f32 = host.solution.total_impulses.iter().map(|r| r[0]).sum();
    assert!(
        (f64::from(carried) / H - GRAVITY).abs() < 1e-2,
        "{carried} N s"
    );
}

#[test]
fn what_is_deep_comes_up_in_a_few_steps_and_gets_no_velocity() {
    // Taken back by velocities of contacts alone it takes 4 s.
    let (mut height, mut speed) = (0.3, 0.0_f32);
    let mut host = Host::default();
    for step in 0..60 {
        let mut problem = cube(height, speed);
        let plan = SubstepPlan::recommended_for_in(6, &problem, H, GRAVITY);
        let is_deep = height < 0.49;
        assert!(plan.position.is_some() || !is_deep, "step {step}");
        assert!(plan.position.is_none() || height < 0.4999, "step {step}");
        let plan = Plan::from(plan);
        let motion = host.step(&mut problem, &plan);
        height += motion.displacement.linear[2];
        speed = motion.velocity.linear[2];
        assert!(step < 10 || height > 0.49, "step {step}: {height} m");
        // The springs' own, by the size of the cube.
        assert!(height < 0.501 && speed < 0.03, "{height} m, {speed} m/s");
    }
    assert!(speed.abs() < 1e-3, "{speed} m/s");
}

#[test]
fn springs_have_nothing_taken_back() {
    let mut problem = cube(0.3, 0.0);
    problem.compliances = vec![1e-3; 4];
    let plan = SubstepPlan::recommended_for(&problem, H, GRAVITY);
    assert!(plan.position.is_none());
    plan.validate_problem(&problem).unwrap();
    // Nor does a plan that knows nothing of gaps.
    let plan = SubstepPlan::recommended_for(
        &Problem {
            gaps: Vec::new(),
            ..cube(0.3, 0.0)
        },
        H,
        GRAVITY,
    );
    assert!(plan.position.is_none());
}

#[test]
fn the_radius_of_a_problem_is_that_of_a_ball_of_the_same_inertia() {
    let ball = |radius: f32, mass: f32| {
        let inertia = 0.4 * mass * radius * radius;
        Body::from_local(mass, [inertia; 3], [0.0, 0.0, 0.0, 1.0], [0.0; 3], [0.0; 3])
    };
    let problem = Problem {
        bodies: vec![
            ball(0.5, 3.0),
            ball(0.2, 80.0),
            Body::immovable([0.0; 3], [0.0; 3]),
        ],
        ..Problem::default()
    };
    let found = SubstepPlan::recommended_for(&problem, H, GRAVITY);
    let given = SubstepPlan::recommended(H, 0.2, GRAVITY);
    let off = found.gap_law.max_push / given.gap_law.max_push - 1.0;
    assert!(off.abs() < 1e-6, "{off}");
    assert_eq!(found.substeps, given.substeps);
    // Nothing that turns: by the arms.
    let mut problem = cube(0.5, 0.0);
    problem.bodies[0] = Body::dynamic(1.0, [0.0; 6], [0.0; 3], [0.0; 3]);
    let found = SubstepPlan::recommended_for(&problem, H, GRAVITY);
    let given = SubstepPlan::recommended(H, 0.75_f64.sqrt(), GRAVITY);
    assert!((found.gap_law.max_push / given.gap_law.max_push - 1.0).abs() < 1e-6);
    SubstepPlan::recommended_for(&Problem::default(), H, 0.0)
        .validate()
        .unwrap();
}

#[test]
fn motions_of_both_plans_agree_on_what_they_mean() {
    // Far above the ground: free fall.
    let mut problem = cube(100.0, 3.0);
    let (mut solver, mut solution) = (CpuSolver::new(), Solution::default());
    let divided = Plan::from(SubstepPlan::recommended(H, 0.8, GRAVITY));
    solver.step(&problem, &divided, &mut solution).unwrap();
    let in_substeps = divided.motion(H, &problem, &solution, 0).unwrap();
    let fallen = (3.0 - GRAVITY * H) as f32;
    assert!((in_substeps.velocity.linear[2] - fallen).abs() < 1e-6);
    let n = 16.0;
    let moved = 3.0 * H - (n + 1.0) / (2.0 * n) * GRAVITY * H * H;
    assert!((f64::from(in_substeps.displacement.linear[2]) - moved).abs() < 1e-7);
    problem.bodies[0].linear_velocity[2] = fallen;
    problem.contacts.clear();
    let once = Plan::from(Options::default());
    solver.step(&problem, &once, &mut solution).unwrap();
    let once = once.motion(H, &problem, &solution, 0).unwrap();
    assert_eq!(once.velocity, in_substeps.velocity);
    let moved = H * f64::from(fallen);
    assert!((f64::from(once.displacement.linear[2]) - moved).abs() < 1e-8);
    let error = divided.motion(H, &problem, &solution, 7).unwrap_err();
    assert!(error.to_string().contains("body 7"), "{error}");
}

#[test]
fn a_normal_from_a_to_b_swaps_the_bodies() {
    let (arms, normal) = ([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]], [0.6, 0.0, 0.8]);
    let contact = Contact::from_a_to_b([3, 4], arms, normal, 0.2);
    assert_eq!([contact.body_a, contact.body_b], [4, 3]);
    assert_eq!([contact.arm_a, contact.arm_b], [arms[1], arms[0]]);
    assert_eq!(contact.normal, normal);
    let impulse = [3.0, -1.0, 2.0];
    let back = contact.impulse_of(contact.impulse_in_world(impulse));
    assert!(apart(back, impulse) < 1e-6, "{back:?}");
}

#[test]
fn a_body_from_local_numbers_turns_as_its_axes_do() {
    // A quarter turn about z takes the x axis to y.
    let half = 0.5_f32.sqrt();
    let body = Body::from_local(
        2.0,
        [1.0, 2.0, 4.0],
        [0.0, 0.0, half, half],
        [1.0; 3],
        [2.0; 3],
    );
    let wanted = [0.5, 0.0, 0.0, 1.0, 0.0, 0.25];
    for (found, wanted) in body.inverse_inertia.iter().zip(wanted) {
        assert!((found - wanted).abs() < 1e-6, "{:?}", body.inverse_inertia);
    }
    assert_eq!(body.inverse_mass, 0.5);
    // Any rotation: against nalgebra.
    let rotation =
        nalgebra::UnitQuaternion::from_scaled_axis(nalgebra::Vector3::new(0.3_f32, -1.1, 0.7));
    let turn = rotation.to_rotation_matrix().into_inner();
    let local = nalgebra::Matrix3::from_diagonal(&nalgebra::Vector3::new(1.0, 0.5, 0.25));
    let wanted = turn * local * turn.transpose();
    let [x, y, z, w] = rotation.coords.into();
    let found =
        Body::from_local(1.0, [1.0, 2.0, 4.0], [x, y, z, w], [0.0; 3], [0.0; 3]).inverse_inertia;
    let upper = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)].map(|at| wanted[at]);
    for (found, wanted) in found.iter().zip(upper) {
        assert!((found - wanted).abs() < 1e-6);
    }
}

#[test]
fn islands_are_what_contacts_link() {
    let movable = Body::dynamic(1.0, [1.0, 0.0, 0.0, 1.0, 0.0, 1.0], [0.0; 3], [0.0; 3]);
    let ground = Body::immovable([0.0; 3], [0.0; 3]);
    let link = |a, b| Contact::from_b_to_a([a, b], [[0.0; 3]; 2], UP, 0.0);
    let bodies = [movable, movable, ground, movable, movable, movable, movable];
    let contacts = [link(6, 4), link(2, 0), link(2, 1), link(4, 3), link(99, 0)];
    let problem = ProblemRef {
        bodies: &bodies,
        contacts: &contacts,
        ..ProblemRef::default()
    };
    let mut islands = vec![9; 2];
    assert_eq!(problem.islands(&mut islands), 4);
    assert_eq!(islands, [0, 1, u32::MAX, 3, 3, 5, 3]);
}

#[test]
fn bodies_that_are_held_stay_where_they_are() {
    let problem = cube(0.45, -1.0);
    let mut held = HeldBodies::default();
    let plan = Plan::from(SubstepPlan::recommended(H, 0.5, GRAVITY));
    let (mut solver, mut solution) = (CpuSolver::new(), Solution::default());
    let borrowed = drystone::problem::AsProblem::as_problem(&problem);
    let resting = held.hold(&borrowed, &[true, false]).unwrap();
    solver.step(&resting, &plan, &mut solution).unwrap();
    let motion = plan.motion(H, &resting, &solution, 0).unwrap();
    assert_eq!(motion.velocity, Velocity::default());
    assert_eq!(motion.displacement.linear, [0.0; 3]);
    assert!(held.hold(&borrowed, &[true]).is_err());
}

/// Every backend and method, each with the sweeps that make it exact here.
fn all_solvers() -> Vec<(String, Box<dyn Solver>, Options)> {
    let options = |method| Options {
        method,
        iterations: 60,
        ..Options::default()
    };
    let swept = backends::solvers().into_iter();
    let mut all: Vec<(String, Box<dyn Solver>, Options)> = swept
        .map(|(name, solver, method)| {
            (format!("{name} {}", method.name()), solver, options(method))
        })
        .collect();
    let plain = options(Method::GaussSeidel);
    all.push(("nsgs".into(), Box::new(NsgsSolver::new()), plain));
    all.push(("lemke".into(), Box::new(LemkeSolver::new()), plain));
    all
}

/// The disk, or a polygon for pivots; it has corners along the axes, where belts run.
fn cone_of(solver: &str) -> FrictionCone {
    match solver {
        "lemke" => FrictionCone::Pyramid { directions: 8 },
        _ => FrictionCone::Disk,
    }
}

#[test]
fn every_solver_has_surfaces_that_move() {
    let mut surfaces = MovingSurfaces::default();
    for (name, mut solver, options) in all_solvers() {
        for swapped in [false, true] {
            // 2 m/s downwards: friction of 0.5 gives up to 1 m/s.
            let mut problem = cube(0.5, -2.0);
            if swapped {
                for contact in &mut problem.contacts {
                    (contact.body_a, contact.body_b) = (contact.body_b, contact.body_a);
                    (contact.arm_a, contact.arm_b) = (contact.arm_b, contact.arm_a);
                    contact.normal = contact.normal.map(|x| -x);
                }
            }
            // The belt is the second body's: seen from the other side it is the cube that is carried backwards.
            let sign = if swapped { -1.0 } else { 1.0 };
            problem.friction_cone = cone_of(&name);
            let problem = drystone::problem::AsProblem::as_problem(&problem);
            for (speed, expected) in [(0.4, 0.4), (5.0, 1.0)] {
                let velocities = [[0.0, sign * speed, 0.0]; 4];
                let carried = surfaces.carry(&problem, &velocities).unwrap();
                let mut solution = Solution::default();
                solver.solve(&carried, &options, &mut solution).unwrap();
                let found = solution.velocities[0].linear;
                // Of the cube's lower side.
                let foot = found[1] + 0.5 * solution.velocities[0].angular[0];
                if speed < 1.0 {
                    assert!((foot - expected).abs() < 2e-3, "{name}: {foot} {found:?}");
                } else {
                    assert!(
                        (found[1] - expected).abs() < 2e-3,
                        "{name}: {foot} {found:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn in_substeps_a_belt_carries_a_cube_along() {
    let mut surfaces = MovingSurfaces::default();
    let solvers = backends::solvers_of(&[Method::GaussSeidel]).into_iter();
    let mut solvers: Vec<(&str, Box<dyn Solver>)> =
        solvers.map(|(name, solver, _)| (name, solver)).collect();
    solvers.push(("nsgs", Box::new(NsgsSolver::new())));
    solvers.push(("lemke", Box::new(LemkeSolver::new())));
    for (name, mut solver) in solvers {
        let (mut height, mut way, mut velocity) = (0.5_f32, 0.0_f32, Velocity::default());
        for _ in 0..60 {
            let mut problem = cube(height, 0.0);
            problem.bodies[0].linear_velocity = velocity.linear;
            problem.bodies[0].angular_velocity = velocity.angular;
            problem.friction_cone = cone_of(name);
            let problem = drystone::problem::AsProblem::as_problem(&problem);
            let carried = surfaces.carry(&problem, &[[0.8, 0.0, 0.0]; 4]).unwrap();
            let plan = Plan::from(SubstepPlan::recommended_for(&carried, H, GRAVITY));
            let mut solution = Solution::default();
            solver.step(&carried, &plan, &mut solution).unwrap();
            let motion = plan.motion(H, &carried, &solution, 0).unwrap();
            velocity = motion.velocity;
            // The belt stays where it is, and a cube that turned would leave it: it does not.
            way += motion.displacement.linear[0];
            height += motion.displacement.linear[2];
        }
        assert!(
            (velocity.linear[0] - 0.8).abs() < 5e-3,
            "{name}: {velocity:?}"
        );
        // By mu g it takes 0.8 / 4.9 s to get to the speed of the belt.
        let expected = 0.8 - 0.5 * 0.8 * 0.8 / (0.5 * GRAVITY as f32);
        assert!((way - expected).abs() < 0.02, "{name}: {way} {expected}");
        assert!((height - 0.5).abs() < 2e-3, "{name}: {height}");
    }
}

#[test]
fn surfaces_that_cannot_move_are_refused_and_none_cost_nothing() {
    let problem = cube(0.5, -1.0);
    let problem = drystone::problem::AsProblem::as_problem(&problem);
    let mut surfaces = MovingSurfaces::default();
    let still = surfaces.carry(&problem, &[[0.0; 3]; 4]).unwrap();
    assert!(std::ptr::eq(still.bodies, problem.bodies));
    assert!(std::ptr::eq(still.contacts, problem.contacts));
    let mut refused = |velocities: &[[f32; 3]], problem: &ProblemRef<'_>| {
        surfaces.carry(problem, velocities).unwrap_err().to_string()
    };
    let said = refused(&[[0.0; 3]; 3], &problem);
    assert!(said.contains("3 given; 4 expected"), "{said}");
    let mut velocities = [[0.0; 3]; 4];
    velocities[2] = [1.0, 0.0, 0.1];
    let said = refused(&velocities, &problem);
    assert!(
        said.contains("contact 2") && said.contains("normal"),
        "{said}"
    );
    velocities[2] = [f32::NAN, 0.0, 0.0];
    let said = refused(&velocities, &problem);
    assert!(
        said.contains("contact 2") && said.contains("finite"),
        "{said}"
    );
    velocities[2] = [1.0, 0.0, 0.0];
    let bodies = [problem.bodies[0]; 2];
    let said = refused(
        &velocities,
        &ProblemRef {
            bodies: &bodies,
            ..problem
        },
    );
    assert!(
        said.contains("contact 2") && said.contains("immovable"),
        "{said}"
    );
    let said = refused(
        &velocities,
        &ProblemRef {
            bodies: &bodies[..1],
            ..problem
        },
    );
    assert!(said.contains("does not exist"), "{said}");
}

#[test]
fn what_is_not_finite_is_an_error() {
    let mut problem = cube(0.5, -3e38);
    problem.increments[0].linear = [0.0, 0.0, -3e38];
    let mut solution = Solution::default();
    let plan = Plan::from(SubstepPlan::recommended(H, 0.5, GRAVITY));
    let error = CpuSolver::new()
        .step(&problem, &plan, &mut solution)
        .unwrap_err();
    assert!(matches!(error, Error::NonFinite { .. }), "{error}");
    let report = CpuSolver::new()
        .attempt(&problem, &plan, &mut solution)
        .unwrap();
    assert_eq!(report.velocity.status, Status::NonFinite);
}

/// The softness of a step in substeps, and what a calm pair is, are set once, in the plan.
#[test]
fn in_substeps_the_numbers_of_the_plan_count() {
    let plan = Plan::from(SubstepPlan::recommended(H, 0.5, GRAVITY));
    let mut problem = cube(0.499, 0.0);
    let mut solutions = [0.0, 0.1, 0.7].map(|softness| {
        problem.contact_softness = softness;
        problem.calm_change = softness;
        let mut solution = Solution::default();
        CpuSolver::new()
            .step(&problem, &plan, &mut solution)
            .unwrap();
        solution
    });
    let last = solutions[2].clone();
    solutions[..2].iter_mut().for_each(|s| assert_eq!(*s, last));
}

#[test]
fn the_position_pass_takes_bodies_apart_and_leaves_velocities_alone() {
    let problem = cube(0.47, -3.0);
    let mut pass = PositionPass::new(0.75_f64.sqrt());
    let post = Post {
        max_correction: Some(0.02),
        ..Post::default()
    };
    let mut solver = CpuSolver::new();
    let Problem {
        bodies,
        contacts,
        gaps,
        ..
    } = &problem;
    let moved = pass
        .displacements(bodies, contacts, gaps, &post, &mut solver)
        .unwrap();
    assert_eq!(moved.len(), 2);
    assert!((moved[0].linear[2] - 0.02).abs() < 1e-6, "{moved:?}");
    assert!(apart(moved[0].angular, [0.0; 3]) < 1e-6 && moved[1] == Displacement::default());
    // Bodies that are apart stay where they are.
    let moved = pass
        .displacements(bodies, contacts, &[0.1; 4], &post, &mut solver)
        .unwrap();
    assert_eq!(moved[0], Displacement::default());
    let wrong = [0.0, f32::NAN, 0.0, 0.0];
    assert!(
        pass.displacements(bodies, contacts, &wrong, &post, &mut solver)
            .is_err()
    );
    assert!(
        pass.displacements(bodies, contacts, &[], &post, &mut solver)
            .is_err()
    );
}

/// A cube that lands is visited five times a sweep, unless the plan says that so large a change is none.
#[test]
fn pairs_are_left_by_the_plan() {
    let plan = SubstepPlan::recommended(H, 0.5, GRAVITY);
    assert!(plan.calm_change > 0.0);
    let solve = |calm_change: f32| {
        let plan = SubstepPlan {
            calm_change,
            ..plan
        };
        let mut solution = Solution::default();
        let problem = cube(0.499, -0.1);
        CpuSolver::new()
            .step(&problem, &plan.into(), &mut solution)
            .unwrap();
        solution
    };
    assert_eq!(solve(0.0), solve(1e-12));
    assert_ne!(solve(0.0), solve(10.0));
}
