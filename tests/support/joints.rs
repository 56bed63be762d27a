//! Joint rows for problems: balls, axles, springs, limits and motors.

#![allow(dead_code, unreachable_pub, reason = "each program uses a part")]

use drystone::internals::math;
use drystone::internals::math::V3;
use drystone::problem::{JointRow, Problem};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// A row without bias, softness or bounds along `linear` at the ends of two arms.
pub fn linear_row(body_a: u32, body_b: u32, linear: V3, arm_a: V3, arm_b: V3) -> JointRow {
    JointRow {
        body_a,
        body_b,
        linear,
        angular_a: math::cross(arm_a, linear),
        angular_b: math::scale(math::cross(arm_b, linear), -1.0),
        bias: 0.0,
        softness: 0.0,
        lower: -JointRow::UNBOUNDED,
        upper: JointRow::UNBOUNDED,
        impulse: 0.0,
    }
}

/// A row without bias, softness or bounds about `axis`.
pub fn angular_row(body_a: u32, body_b: u32, axis: V3) -> JointRow {
    JointRow {
        angular_a: axis,
        angular_b: math::scale(axis, -1.0),
        ..linear_row(body_a, body_b, [0.0; 3], [0.0; 3], [0.0; 3])
    }
}

/// The three rows that hold two points together.
pub fn ball(body_a: u32, body_b: u32, arm_a: V3, arm_b: V3) -> [JointRow; 3] {
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
        .map(|axis| linear_row(body_a, body_b, axis, arm_a, arm_b))
}

fn vector(random: &mut Pcg64, size: f32) -> V3 {
    [0; 3].map(|_| random.random_range(-size..size))
}

fn unit(random: &mut Pcg64) -> V3 {
    loop {
        let v = vector(random, 1.0);
        let length = math::dot(v, v).sqrt();
        if length > 0.1 && length < 1.0 {
            return math::scale(v, 1.0 / length);
        }
    }
}

/// The rows of one joint of a random kind, with warm-start impulses.
fn random_joint(random: &mut Pcg64, body_a: u32, body_b: u32) -> Vec<JointRow> {
    let (arm_a, arm_b) = (vector(random, 0.5), vector(random, 0.5));
    let mut rows = match random.random_range(0..3) {
        0 => ball(body_a, body_b, arm_a, arm_b).to_vec(),
        1 => {
            // A driven axle that may not turn back.
            let axis = unit(random);
            let (first, second) = math::tangents(axis);
            let mut rows = ball(body_a, body_b, arm_a, arm_b).to_vec();
            rows.extend([first, second, axis, axis].map(|a| angular_row(body_a, body_b, a)));
            rows[5].bias = random.random_range(-1.0..1.0);
            rows[5].lower = 0.0;
            rows[6].bias = random.random_range(-1.0..1.0);
            rows[6].lower = -0.02;
            rows[6].upper = 0.02;
            rows
        }
        _ => {
            let spring = JointRow {
                bias: random.random_range(-0.5..0.5),
                softness: random.random_range(0.0..2.0),
                ..linear_row(body_a, body_b, unit(random), arm_a, arm_b)
            };
            vec![spring]
        }
    };
    for row in &mut rows {
        row.impulse = random.random_range(-0.05..0.05);
    }
    rows
}

/// Adds `chains` random joints that link body after body from `first` on, and `spokes` joints of body
/// `hub` with the bodies after it.
pub fn add_random_joints(problem: &mut Problem, first: u32, links: u32, spokes: u32, seed: u64) {
    let random = &mut Pcg64::seed_from_u64(seed);
    let count = problem.bodies.len() as u32;
    let at = |index: u32| first + index % (count - first);
    let mut joints = Vec::new();
    for link in 0..links {
        joints.push((at(link), at(link + 1)));
    }
    for spoke in 0..spokes {
        joints.push((at(2 * spoke + 2), at(0)));
    }
    for (body_a, body_b) in joints {
        if body_a != body_b {
            problem
                .joint_rows
                .extend(random_joint(random, body_a, body_b));
        }
    }
}
