//! Whole solves: the GPU against the CPU, and against itself.

use crate::crowd::Crowd;
use crate::support::adapter;
use crate::support::joints::{add_random_joints, ball};
use drystone::problem::{Body, FrictionCone, FrictionLaw, Problem};
use drystone::solver::cpu::CpuSolver;
use drystone::solver::{Method, Options, Report, Solution, Solver, Status};

fn solve(solver: &mut impl Solver, problem: &Problem, options: &Options) -> (Report, Solution) {
    let mut solution = Solution::default();
    let report = solver
        .attempt(problem, &(*options).into(), &mut solution)
        .expect("a solve");
    (report.velocity, solution)
}

fn options(method: Method, iterations: u32) -> Options {
    Options {
        method,
        iterations,
        // The sweeps are under test.
        direct_joints: false,
        ..Options::default()
    }
}

/// Largest difference of a velocity component over the largest component.
fn velocity_difference(a: &Solution, b: &Solution) -> f32 {
    assert_eq!(a.velocities.len(), b.velocities.len());
    let numbers = |s: &Solution| -> Vec<f32> {
        s.velocities
            .iter()
            .flat_map(|v| v.linear.into_iter().chain(v.angular))
            .collect()
    };
    let (a, b) = (numbers(a), numbers(b));
    let scale = b.iter().fold(0.0_f32, |max, x| max.max(x.abs()));
    let most = a
        .iter()
        .zip(&b)
        .fold(0.0_f32, |max, (x, y)| max.max((x - y).abs()));
    if most == 0.0 { 0.0 } else { most / scale }
}

/// The velocity problem, and the frictionless position problem: separations in place of biases, and
/// bodies that have not moved yet.
fn problems(friction_cone: FrictionCone) -> [Problem; 2] {
    let velocity = Crowd {
        friction_cone,
        ..Crowd::default()
    }
    .problem();
    let mut position = Crowd {
        seed: 2,
        frictionless: true,
        ..Crowd::default()
    }
    .problem();
    for body in &mut position.bodies {
        *body = Body {
            linear_velocity: [0.0; 3],
            angular_velocity: [0.0; 3],
            ..*body
        };
    }
    for contact in &mut position.contacts {
        contact.bias *= 1e-3;
        contact.impulse = [0.0; 3];
    }
    [velocity, position]
}

#[test]
fn gpu_and_cpu_agree() {
    let mut gpu = adapter::solver();
    let mut cpu = CpuSolver::new();
    for method in Method::ALL {
        for cone in [FrictionCone::Disk, FrictionCone::Pyramid { directions: 8 }] {
            let mut problems = problems(cone).to_vec();
            if cone == FrictionCone::Disk {
                problems.push(Problem {
                    friction_law: FrictionLaw::Convex,
                    ..problems[0].clone()
                });
            }
            for problem in problems {
                let options = options(method, 25);
                let (gpu_report, gpu_solution) = solve(&mut gpu, &problem, &options);
                let (cpu_report, cpu_solution) = solve(&mut cpu, &problem, &options);
                let difference = velocity_difference(&gpu_solution, &cpu_solution);
                let off = (gpu_report.residual_rms - cpu_report.residual_rms).abs();
                println!(
                    "{} {cone:?}: velocities {difference:e}, residual {:e} against {:e}",
                    method.name(),
                    gpu_report.residual_rms,
                    cpu_report.residual_rms,
                );
                assert!(difference <= 1e-4, "{difference:e}");
                assert!(off <= 0.01 * cpu_report.residual_rms, "{off:e}");
                assert!(
                    (gpu_report.residual_max - cpu_report.residual_max).abs()
                        <= 0.01 * cpu_report.residual_max
                );
                assert_eq!(gpu_solution.impulses.len(), problem.contacts.len());
                assert_eq!(
                    (gpu_report.status, gpu_report.iterations),
                    (cpu_report.status, cpu_report.iterations)
                );
                assert_eq!(gpu_report.colors, cpu_report.colors);
                assert_eq!(gpu_report.remainder_contacts, cpu_report.remainder_contacts);
            }
        }
    }
}

/// Rods of 1 kg hung one on the other, pulled down by gravity for a step.
fn chain(links: u32) -> Problem {
    let mut problem = Problem {
        bodies: vec![Body::immovable([0.0; 3], [0.0; 3])],
        ..Problem::default()
    };
    for link in 1..=links {
        problem.bodies.push(Body::dynamic(
            1.0,
            [3000.0, 0.0, 0.0, 300.0, 0.0, 300.0],
            [0.0, 0.0, -0.1635],
            [0.0, 0.01 * (link % 7) as f32, 0.0],
        ));
        let hook = if link == 1 { 0.0 } else { 0.1 };
        problem
            .joint_rows
            .extend(ball(link, link - 1, [-0.1, 0.0, 0.0], [hook, 0.0, 0.0]));
    }
    problem
}

/// A crowd whose bodies are linked, with hubs of joints.
fn jointed_crowd() -> Problem {
    let mut problem = Crowd::default().problem();
    add_random_joints(&mut problem, 0, 10, 0, 1);
    add_random_joints(&mut problem, 5, 200, 120, 2);
    problem
}

#[test]
fn joints_agree_in_every_bit_with_the_cpu_on_lavapipe() {
    let mut gpu = adapter::solver();
    let summary = gpu.adapter_summary().clone();
    let exact = summary.name.contains("llvmpipe") && summary.backend == "vulkan";
    let mut joints_only = jointed_crowd();
    joints_only.contacts.clear();
    for problem in [chain(20), joints_only, jointed_crowd()] {
        for method in Method::ALL {
            let options = options(method, 20);
            let (gpu_report, gpu_solution) = solve(&mut gpu, &problem, &options);
            let (cpu_report, cpu_solution) = solve(&mut CpuSolver::new(), &problem, &options);
            assert_eq!(
                gpu_report.remainder_joint_rows,
                cpu_report.remainder_joint_rows
            );
            assert_eq!(gpu_report.colors, cpu_report.colors);
            if exact {
                assert_eq!(gpu_solution, cpu_solution, "{}", method.name());
                assert_eq!(gpu_report.residual_rms, cpu_report.residual_rms);
                assert_eq!(gpu_report.residual_max, cpu_report.residual_max);
            } else {
                let difference = velocity_difference(&gpu_solution, &cpu_solution);
                assert!(difference <= 1e-4, "{}: {difference:e}", method.name());
            }
        }
    }
}

#[test]
fn twenty_thousand_joints_run() {
    let problem = chain(20_000);
    let mut gpu = adapter::solver();
    for method in Method::ALL {
        let (first, _) = solve(&mut gpu, &problem, &options(method, 1));
        let (last, solution) = solve(&mut gpu, &problem, &options(method, 40));
        assert_eq!(solution.joint_impulses.len(), 60_000);
        assert_eq!(last.status, Status::MaxIterations);
        assert!(
            last.residual_rms < 0.5 * first.residual_rms,
            "{first:?} {last:?}"
        );
    }
}

#[test]
fn a_solve_improves_what_it_is_given() {
    let mut gpu = adapter::solver();
    let problem = Crowd::default().problem();
    for method in Method::ALL {
        let (first, _) = solve(&mut gpu, &problem, &options(method, 1));
        let (last, _) = solve(&mut gpu, &problem, &options(method, 200));
        assert!(
            last.residual_rms < 0.2 * first.residual_rms,
            "{first:?} {last:?}"
        );
    }
}

#[test]
fn two_runs_agree_in_every_bit() {
    let problem = Crowd::default().problem();
    let run = || {
        solve(
            &mut adapter::solver(),
            &problem,
            &options(Method::GaussSeidel, 40),
        )
    };
    let ((first_report, first), (second_report, second)) = (run(), run());
    assert_eq!(first, second);
    assert_eq!(first_report.residual_rms, second_report.residual_rms);
}

/// Rows of a softness of their own, a third of them rigid, in all methods and laws.
#[test]
fn contacts_have_their_own_softness() {
    let mut gpu = adapter::solver();
    let mut cpu = CpuSolver::new();
    for method in Method::ALL {
        for (law, softness) in [
            (FrictionLaw::Coulomb, 0.0),
            (FrictionLaw::Coulomb, 0.3),
            (FrictionLaw::Convex, 0.3),
        ] {
            let [mut problem, _] = problems(FrictionCone::Disk);
            problem.friction_law = law;
            problem.contact_softness = softness;
            let plain = problem.clone();
            let compliances = (0..problem.contacts.len()).map(|contact| 0.3 * (contact % 3) as f32);
            problem.compliances = compliances.collect();
            let options = options(method, 20);
            let (gpu_report, gpu_solution) = solve(&mut gpu, &problem, &options);
            let (cpu_report, cpu_solution) = solve(&mut cpu, &problem, &options);
            let difference = velocity_difference(&gpu_solution, &cpu_solution);
            assert!(
                difference <= 1e-4,
                "{method:?}, {law:?}, {softness}: {difference:e}"
            );
            let off = (gpu_report.residual_rms - cpu_report.residual_rms).abs();
            assert!(off <= 0.01 * cpu_report.residual_rms, "{off:e}");
            let (_, other) = solve(&mut gpu, &plain, &options);
            assert!(velocity_difference(&gpu_solution, &other) > 1e-3);
        }
    }
}

#[test]
fn buffers_left_by_another_problem_change_nothing() {
    let mut used = adapter::solver();
    let options = options(Method::GaussSeidel, 10);
    let large = Crowd {
        seed: 3,
        bodies: 900,
        pairs: 2500,
        ..Crowd::default()
    }
    .problem();
    let small = Crowd {
        seed: 4,
        bodies: 40,
        hubs: 1,
        pairs: 90,
        ..Crowd::default()
    }
    .problem();
    for problem in [&small, &large, &small] {
        let (_, reused) = solve(&mut used, problem, &options);
        let (_, fresh) = solve(&mut adapter::solver(), problem, &options);
        assert_eq!(reused, fresh);
    }
}

#[test]
fn a_tolerance_ends_the_solve_where_it_ends_on_the_cpu() {
    let problem = Crowd::default().problem();
    let (cold, _) = solve(
        &mut CpuSolver::new(),
        &problem,
        &options(Method::GaussSeidel, 64),
    );
    let options = Options {
        iterations: 500,
        tolerance: cold.residual_rms,
        check_every: 8,
        ..Options::default()
    };
    let (gpu, _) = solve(&mut adapter::solver(), &problem, &options);
    let (cpu, _) = solve(&mut CpuSolver::new(), &problem, &options);
    assert_eq!(gpu.status, Status::Converged);
    assert!(gpu.residual_rms <= options.tolerance);
    assert!(gpu.iterations.abs_diff(cpu.iterations) <= options.check_every);
    assert_eq!(gpu.iterations % options.check_every, 0);
}

#[test]
fn empty_problems_have_empty_solutions() {
    let mut gpu = adapter::solver();
    let (report, solution) = solve(&mut gpu, &Problem::default(), &Options::default());
    assert_eq!((report.residual_rms, report.residual_max), (0.0, 0.0));
    assert_eq!(solution, Solution::default());

    let alone = Problem {
        bodies: vec![Body::dynamic(
            1.0,
            [1.0; 6],
            [1.0, 2.0, 3.0],
            [4.0, 5.0, 6.0],
        )],
        ..Problem::default()
    };
    let tolerant = Options {
        tolerance: 1e-3,
        ..Options::default()
    };
    let (report, solution) = solve(&mut gpu, &alone, &tolerant);
    assert_eq!(report.status, Status::Converged);
    assert_eq!(solution.velocities[0].linear, [1.0, 2.0, 3.0]);
    assert_eq!(solution.velocities[0].angular, [4.0, 5.0, 6.0]);
    assert!(solution.impulses.is_empty());
}

#[test]
fn overflow_is_reported_as_not_finite() {
    let mut problem = Crowd::default().problem();
    problem.bodies[20].linear_velocity = [3e38; 3];
    problem.bodies[21].linear_velocity = [-3e38; 3];
    for contact in &mut problem.contacts {
        contact.arm_a = contact.arm_a.map(|x| 1e10 * x);
    }
    let options = options(Method::GaussSeidel, 5);
    let (gpu, _) = solve(&mut adapter::solver(), &problem, &options);
    let (cpu, _) = solve(&mut CpuSolver::new(), &problem, &options);
    assert_eq!(gpu.status, Status::NonFinite);
    assert_eq!(cpu.status, Status::NonFinite);
}

#[test]
fn invalid_input_is_refused() {
    let mut gpu = adapter::solver();
    let mut problem = Crowd::default().problem();
    problem.contacts[0].body_a = problem.bodies.len() as u32;
    assert!(
        gpu.solve(&problem, &Options::default(), &mut Solution::default())
            .is_err()
    );
    // And the solver still works.
    solve(&mut gpu, &Crowd::default().problem(), &Options::default());
}
