//! What sweeps make of the start, alone and beside contacts.

use super::*;

#[test]
fn a_chain_of_a_thousand_links_needs_one_sweep() {
    let hanging = chain(1_000, [0.0, 0.0, -1.0]);
    for (name, problem) in [("hanging", hanging), ("shaken", shaken(1_000))] {
        let (solution, report) = solve(
            &mut CpuSolver::new(),
            &problem,
            Method::GaussSeidel,
            1,
            true,
        );
        assert_eq!(report.direct_rows, 3_000);
        assert!(report.residual_max < 1e-6, "{report:?}");
        if name == "hanging" {
            // The uppermost joint carries all.
            let weight = 1_000.0 * FALL;
            assert!((solution.joint_impulses[2] - weight).abs() < 1e-5 * weight);
        }
    }
}

/// A rope on the ground, one end of which is tied to it.
fn rope(links: u32) -> Problem {
    let mut problem = chain(links, [1.0, 0.0, 0.0]);
    for body in &mut problem.bodies[..links as usize] {
        body.linear_velocity[0] = 1.0;
    }
    problem.contacts = (0..links)
        .flat_map(|link| {
            [-0.5, 0.5].map(|end| Contact {
                body_a: link,
                body_b: links,
                arm_a: [end * LINK, 0.0, -0.01],
                arm_b: [(link as f32 + 0.5 + end) * LINK, 0.0, -0.01],
                normal: [0.0, 0.0, 1.0],
                bias: 0.0,
                friction: 0.5,
                impulse: [0.0; 3],
            })
        })
        .collect();
    problem
}

#[test]
fn sweeps_from_it_get_along_with_contacts() {
    let mut problem = rope(100);
    for step in 0..3 {
        for (name, mut solver, method) in solvers() {
            let [with, without] =
                [true, false].map(|direct| solve(&mut *solver, &problem, method, 30, direct).1);
            assert!(with.residual_max < 1e-4, "{name} {method:?}: {with:?}");
            assert!(
                with.residual_rms < without.residual_rms,
                "{name}: {without:?}"
            );
            // Cold, sweeps alone hardly begin.
            assert!(
                step > 0 || with.residual_rms < 1e-2 * without.residual_rms,
                "{name}"
            );
        }
        let (solution, _) = solve(
            &mut CpuSolver::new(),
            &problem,
            Method::GaussSeidel,
            30,
            true,
        );
        for (contact, impulse) in problem.contacts.iter_mut().zip(&solution.impulses) {
            contact.impulse = *impulse;
        }
        for (row, impulse) in problem.joint_rows.iter_mut().zip(&solution.joint_impulses) {
            row.impulse = *impulse;
        }
    }
}

#[test]
fn every_solver_starts_from_it() {
    let problem = shaken(100);
    for (name, mut solver, method) in solvers() {
        let (_, without) = solve(&mut *solver, &problem, method, 30, false);
        assert_eq!(without.direct_rows, 0);
        for iterations in [1, 30] {
            let (_, report) = solve(&mut *solver, &problem, method, iterations, true);
            assert_eq!(report.direct_rows, 300, "{name} {method:?}");
            assert!(report.residual_max < 1e-6, "{name} {method:?}: {report:?}");
            assert!(
                report.residual_rms < 1e-3 * without.residual_rms,
                "{name}: {without:?}"
            );
        }
    }
}
