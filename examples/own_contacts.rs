//! One's own bodies and contacts: a ball that an engine moves, and that bounces and rolls.
//! `cargo run --release --no-default-features --example own_contacts`

use drystone::problem::{Body, Contact, Problem, bias};
use drystone::solver::{Options, Solution, Solver, cpu::CpuSolver};

fn main() -> drystone::Result<()> {
    let h = 1.0 / 240.0; // s
    let (mut height, mut velocity, mut spin) = (2.0_f32, [1.0, 0.0, 0.0_f32], [0.0_f32; 3]);
    let (mut solver, mut solution) = (CpuSolver::new(), Solution::default());
    let mut bounce = 0.0_f32;
    for step in 0..480 {
        // The engine's step: its search for contacts, and its forces.
        let (gap, approach) = (f64::from(height - 0.5), f64::from(velocity[2]));
        velocity[2] -= 9.81 * h as f32;

        // What drystone is given, and what it gives back.
        let ball = Body::dynamic(0.5, [5.0, 0.0, 0.0, 5.0, 0.0, 5.0], velocity, spin);
        let ground = Body::immovable([0.0; 3], [0.0; 3]);
        let touch = Contact {
            body_a: 0,
            body_b: 1,
            arm_a: [0.0, 0.0, -0.5],
            arm_b: [0.0; 3],
            normal: [0.0, 0.0, 1.0], // from B to A
            bias: bias::velocity(gap, approach, 0.5, 0.1, h),
            friction: 0.4,
            impulse: [0.0; 3], // the last step's, to start from
        };
        let mut problem = Problem::default();
        problem.bodies.extend([ball, ground]);
        problem.contacts.push(touch);
        let report = solver.solve(&problem, &Options::default(), &mut solution)?;
        assert!(report.residual_max < 1e-5); // m/s
        let solved = solution.velocities[0];
        (velocity, spin) = (solved.linear, solved.angular);

        height += velocity[2] * h as f32;
        if step > 140 {
            bounce = bounce.max(height - 0.5);
        }
    }
    assert!((bounce - 1.5 / 4.0).abs() < 0.02, "{bounce} m");
    assert!((velocity[0] - 0.5 * spin[1]).abs() < 1e-4, "it slides");
    Ok(())
}

#[test]
fn runs() -> drystone::Result<()> {
    main()
}
