//! Mechanisms for problems: chains, wheels, ragdolls.

#![allow(dead_code, unreachable_pub, reason = "each program uses a part")]

use super::joints::{angular_row, ball};
use drystone::internals::math;
use drystone::internals::math::V3;
use drystone::problem::{Body, Problem};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Length of a link `[m]`.
pub const LINK: f32 = 0.1;

/// What gravity does to a velocity in a step of a sixtieth of a second `[m/s]`.
pub const FALL: f32 = 9.81 / 60.0;

/// A rod of 1 kg and length [`LINK`], as stiff to turn as a ball of that size, after a step's fall.
pub fn link() -> Body {
    let inverse_inertia = 12.0 / (LINK * LINK);
    let diagonal = [
        inverse_inertia,
        0.0,
        0.0,
        inverse_inertia,
        0.0,
        inverse_inertia,
    ];
    Body::dynamic(1.0, diagonal, [0.0, 0.0, -FALL], [0.0; 3])
}

/// A chain of ball joints along `direction` from a fixed body, the last one; at rest, but for gravity.
pub fn chain(links: u32, direction: V3) -> Problem {
    let arm = math::scale(direction, 0.5 * LINK);
    let back = math::scale(arm, -1.0);
    let mut bodies = vec![link(); links as usize];
    bodies.push(Body::immovable([0.0; 3], [0.0; 3]));
    let mut joint_rows = ball(0, links, back, [0.0; 3]).to_vec();
    for upper in 0..links - 1 {
        joint_rows.extend(ball(upper + 1, upper, back, arm));
    }
    Problem {
        bodies,
        joint_rows,
        ..Problem::default()
    }
}

/// A hanging chain with a bend at each link, and whose links move at random.
pub fn shaken(links: u32) -> Problem {
    let random = &mut Pcg64::seed_from_u64(9);
    let mut vector =
        |size: f32| -> V3 { std::array::from_fn(|_| random.random_range(-size..size)) };
    let mut problem = chain(links, [0.0, 0.0, -1.0]);
    problem.joint_rows.clear();
    let mut arm = [0.0; 3];
    for lower in 0..links {
        let body = &mut problem.bodies[lower as usize];
        body.linear_velocity = math::add(body.linear_velocity, vector(0.1));
        body.angular_velocity = vector(1.0);
        let upper = lower.checked_sub(1).unwrap_or(links);
        let next = math::add([0.0, 0.0, -0.5 * LINK], vector(0.2 * LINK));
        let rows = ball(lower, upper, math::scale(next, -1.0), arm);
        problem.joint_rows.extend(rows);
        arm = next;
    }
    problem
}

/// Adds a body with 10 limbs: 5 ball joints, 4 hinges and a stiff waist.
pub fn add_ragdoll(problem: &mut Problem) {
    let first = problem.bodies.len() as u32;
    problem.bodies.extend([link(); 11]);
    let [torso, pelvis] = [first, first + 1];
    let (up, down) = ([0.0, 0.02, 0.5 * LINK], [0.01, 0.0, -0.5 * LINK]);
    let rows = &mut problem.joint_rows;
    rows.extend(ball(pelvis, torso, up, down));
    rows.extend(
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
            .map(|axis| angular_row(pelvis, torso, axis)),
    );
    rows.extend(ball(first + 2, torso, down, up));
    for (limb, root) in [(3, torso), (5, torso), (7, pelvis), (9, pelvis)] {
        let [near, far] = [first + limb, first + limb + 1];
        let side = if limb % 4 == 3 { 0.05 } else { -0.05 };
        rows.extend(ball(near, root, up, [side, 0.0, 0.02]));
        rows.extend(ball(far, near, up, down));
        rows.extend([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|axis| angular_row(far, near, axis)));
    }
}
