//! One's own contacts in substeps, started from the last step's impulses: balls of 1 kg and 1 m on a fixed one.
//! `cargo run --release --no-default-features --example own_contacts_in_substeps`

use drystone::problem::{Body, Contact, Problem, Velocity};
use drystone::solver::substeps::{GapLaw, SubstepPlan};
use drystone::solver::{Options, Plan, Solution, Solver, cpu::CpuSolver};

fn main() -> drystone::Result<()> {
    let (h, substeps) = (1.0 / 60.0, 16);
    let plan = Plan::Substeps(SubstepPlan {
        substeps,
        time_step: h,
        gap_law: GapLaw::default(),
        restitution_threshold: f32::MAX, // nothing bounces
        velocity: Options::default(),
        position: None,
    });
    let up = |z| [0.0, 0.0, z];
    let (mut heights, mut speeds) = ([-0.5, 0.5, 1.5, 2.5, 3.5_f32], [0.0_f32; 5]);
    let mut remembered = [[0.0; 3]; 4]; // [N s], of a ball and the one below
    let (mut solver, mut solution) = (CpuSolver::new(), Solution::default());
    for _ in 0..120 {
        let mut step = Problem::default();
        for (ball, mass) in [0.0, 1.0, 1.0, 1.0, 1.0].into_iter().enumerate() {
            let body = Body::dynamic(mass, [0.0; 6], up(speeds[ball]), up(0.0)); // no spin
            step.bodies.push(body);
            let [linear, angular] = [up(-9.81 * h * mass), up(0.0)];
            step.increments.push(Velocity { linear, angular });
        }
        for pair in 0..4 {
            step.gaps.push(heights[pair + 1] - heights[pair] - 1.0);
            step.contacts.push(Contact {
                body_a: pair as u32 + 1,
                body_b: pair as u32,
                arm_a: up(-0.5),
                arm_b: up(0.5),
                normal: up(1.0),
                bias: 0.0, // follows from the gap
                friction: 0.5,
                impulse: remembered[pair],
            });
        }
        solver.step(&step, &plan, &mut solution)?;
        remembered.copy_from_slice(&solution.impulses);
        for ball in 1..5 {
            let gained = step.increments[ball].linear[2];
            let free = speeds[ball] + gained * (substeps + 1) as f32 / (2 * substeps) as f32;
            heights[ball] += h * free + solution.displacements[ball].linear[2];
            speeds[ball] += gained + solution.changes[ball].linear[2];
        }
    }
    let carried = remembered[0][0] * substeps as f32 / h; // N
    assert!((carried - 4.0 * 9.81).abs() < 0.4, "{carried} N");
    Ok(())
}

#[test]
fn runs() -> drystone::Result<()> {
    main()
}
