//! One's own contacts in substeps, started from the last step's impulses: balls of 1 kg and 1 m on a fixed one.
//! `cargo run --release --no-default-features --example own_contacts_in_substeps`

use drystone::problem::{Body, Contact, Problem, Velocity};
use drystone::solver::substeps::SubstepPlan;
use drystone::solver::{Plan, Solution, Solver, WarmStart, cpu::CpuSolver};

fn main() -> drystone::Result<()> {
    let (h, gravity) = (1.0 / 60.0, 9.81);
    let up = |z| [0.0, 0.0, z];
    let (mut heights, mut speeds) = ([-0.5, 0.5, 1.5, 2.5, 3.5_f32], [0.0_f32; 5]);
    let (mut solver, mut solution) = (CpuSolver::new(), Solution::default());
    let mut warm = WarmStart::default();
    let mut carried = 0.0; // by the lowest contact, N
    for _ in 0..240 {
        let mut problem = Problem::default();
        for (ball, mass) in [0.0, 1.0, 1.0, 1.0, 1.0].into_iter().enumerate() {
            let turning = [10.0 * mass, 0.0, 0.0, 10.0 * mass, 0.0, 10.0 * mass];
            problem
                .bodies
                .push(Body::dynamic(mass, turning, up(speeds[ball]), up(0.0)));
            problem.increments.push(Velocity {
                linear: up(-(gravity * h) as f32 * mass),
                angular: up(0.0),
            });
        }
        for below in 0..4_u32 {
            let (bodies, arms) = ([below + 1, below], [up(-0.5), up(0.5)]);
            let contact = Contact::from_b_to_a(bodies, arms, up(1.0), 0.5);
            problem.contacts.push(contact);
            let [a, b] = bodies.map(|body| heights[body as usize]);
            problem.gaps.push(a - b - 1.0);
        }
        let keys = [(0, 1), (1, 2), (2, 3), (3, 4)]; // any two numbers a contact, in any order
        let plan = Plan::from(SubstepPlan::recommended_for(&problem, h, gravity));
        warm.load(&keys, &plan, &mut problem.contacts, &mut problem.loads)?; // last step's impulses
        solver.step(&problem, &plan, &mut solution)?;
        warm.store(&keys, &problem, &plan, &solution)?;
        for ball in 1..5 {
            let motion = plan.motion(h, &problem, &solution, ball)?; // forces included
            heights[ball] += motion.displacement.linear[2];
            speeds[ball] = motion.velocity.linear[2];
        }
        carried = solution.total_impulses[0][0] / h as f32;
    }
    assert!((carried - 4.0 * 9.81).abs() < 0.4, "{carried} N");
    assert!((heights[4] - 3.5).abs() < 0.01, "{heights:?}");
    Ok(())
}

#[test]
fn runs() -> drystone::Result<()> {
    main()
}
