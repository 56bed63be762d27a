//! Small problems of bodies, contacts and joints, with seeds.
//!
//! All geometry lies on a grid of binary fractions, so that rows that repeat each other do so
//! exactly, in f32 as on paper.

use super::joints::{self, angular_row};
use drystone::internals::math::{V3, add, cross, dot, scale, sub, tangents};
use drystone::problem::{Body, Contact, FrictionCone, JointRow, Problem};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// What a problem is made of.
#[derive(Debug, Clone, Copy)]
pub struct Recipe {
    pub movable: u32,
    pub contacts: u32,
    pub joints: u32,
    /// Corners of the friction polygon.
    pub directions: u32,
    /// Largest coefficient of friction.
    pub friction: f32,
    /// Share of contacts and of joints that are there twice.
    pub redundant: f32,
    /// Largest ratio of two masses.
    pub mass_ratio: f32,
    /// Largest speed with which a contact pushes apart; 0 for none.
    pub push: f32,
    /// Size of the velocities before the solve `[m/s]`, `[rad/s]`.
    pub speed: f32,
    /// Distance of what is there twice from itself `[m]`.
    pub apart: f32,
    /// Length of lever arms, a power of two [m]; bodies have a radius of gyration of some 0.3 m.
    pub reach: f32,
    /// Pairs of immovable jaws that a body is clamped between.
    pub clamps: u32,
    /// Motors run, springs are stretched; without it they only brake.
    pub driven: bool,
}

impl Default for Recipe {
    fn default() -> Self {
        Self {
            movable: 3,
            contacts: 4,
            joints: 2,
            directions: 4,
            friction: 0.5,
            redundant: 0.0,
            mass_ratio: 10.0,
            push: 0.0,
            speed: 1.0,
            apart: 0.0,
            reach: 1.0,
            clamps: 0,
            driven: false,
        }
    }
}

/// A vector on the grid.
pub fn grid(random: &mut Pcg64) -> V3 {
    std::array::from_fn(|_| random.random_range(-32..=32) as f32 / 32.0)
}

fn direction(random: &mut Pcg64) -> V3 {
    loop {
        let v = grid(random);
        let length = dot(v, v).sqrt();
        if (0.1..1.0).contains(&length) {
            return scale(v, 1.0 / length);
        }
    }
}

/// A body of given inverse mass with unequal axes in general directions, of some 0.3 m radius.
pub fn body(random: &mut Pcg64, inverse_mass: f32, linear: V3, angular: V3) -> Body {
    let axis = direction(random);
    let (second, third) = tangents(axis);
    let mut inverse = [0.0; 6];
    for [x, y, z] in [axis, second, third] {
        let size = inverse_mass * random.random_range(5.0..20.0);
        let products = [x * x, x * y, x * z, y * y, y * z, z * z];
        for (sum, product) in inverse.iter_mut().zip(products) {
            *sum += size * product;
        }
    }
    Body::dynamic(inverse_mass, inverse, linear, angular)
}

const AXES: [V3; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// The anchors coincide.
pub fn ball(bodies: [u32; 2], arm_a: V3, arm_b: V3) -> Vec<JointRow> {
    joints::ball(bodies[0], bodies[1], arm_a, arm_b).to_vec()
}

/// A row that only turns about an axis.
pub fn turning(bodies: [u32; 2], axis: V3) -> JointRow {
    angular_row(bodies[0], bodies[1], axis)
}

/// The anchors coincide and the bodies turn about a common axis.
pub fn hinge(bodies: [u32; 2], arm_a: V3, arm_b: V3, axis: V3) -> Vec<JointRow> {
    let (first, second) = tangents(axis);
    let mut rows = ball(bodies, arm_a, arm_b);
    rows.extend([first, second].map(|axis| turning(bodies, axis)));
    rows
}

/// Rows of a joint of a random kind.
fn joint(
    random: &mut Pcg64,
    bodies: [u32; 2],
    arm_a: V3,
    arm_b: V3,
    recipe: &Recipe,
) -> Vec<JointRow> {
    let axis = AXES[random.random_range(0..3)];
    let speed = if recipe.driven {
        recipe.speed * random.random_range(-1.0..1.0)
    } else {
        0.0
    };
    match random.random_range(0..7) {
        0 | 1 => ball(bodies, arm_a, arm_b),
        2 => hinge(bodies, arm_a, arm_b, axis),
        3 => {
            let mut rows = ball(bodies, arm_a, arm_b);
            rows.extend(AXES.map(|axis| turning(bodies, axis)));
            rows
        }
        // A hinge with a motor of limited strength.
        4 => {
            let mut rows = hinge(bodies, arm_a, arm_b, axis);
            let most = recipe.speed * random.random_range(0.0..0.2);
            rows.push(JointRow {
                bias: -speed,
                lower: -most,
                upper: most,
                ..turning(bodies, axis)
            });
            rows
        }
        // A ball with a limit on one side or the other.
        5 => {
            let mut rows = ball(bodies, arm_a, arm_b);
            let gap = if random.random::<bool>() {
                0.0
            } else {
                0.3 * recipe.speed
            };
            let limit = if random.random::<bool>() {
                JointRow {
                    bias: gap,
                    lower: 0.0,
                    ..turning(bodies, axis)
                }
            } else {
                JointRow {
                    bias: -gap,
                    upper: 0.0,
                    ..turning(bodies, axis)
                }
            };
            rows.push(limit);
            rows
        }
        // A spring and damper between two points.
        _ => {
            let row = &ball(bodies, arm_a, arm_b)[random.random_range(0..3)];
            vec![JointRow {
                bias: speed,
                softness: 10.0_f32.powf(random.random_range(-2.0..1.0)),
                ..*row
            }]
        }
    }
}

/// Bodies and an immovable one, contacts anywhere in any direction, joints of every kind.
pub fn random_mechanism(random: &mut Pcg64, recipe: &Recipe) -> Problem {
    let mut problem = Problem {
        bodies: vec![Body::immovable([0.0; 3], [0.0; 3])],
        friction_cone: FrictionCone::Pyramid {
            directions: recipe.directions,
        },
        ..Problem::default()
    };
    for _ in 0..recipe.movable {
        let exponent = 0.5 * random.random_range(-1.0..1.0_f32);
        let inverse_mass = recipe.mass_ratio.powf(exponent);
        let linear = scale(grid(random), recipe.speed);
        let angular = scale(grid(random), recipe.speed);
        problem
            .bodies
            .push(body(random, inverse_mass, linear, angular));
    }
    let pair = |random: &mut Pcg64| {
        let a = random.random_range(1..=recipe.movable);
        [a, random.random_range(0..a)]
    };
    for _ in 0..recipe.contacts {
        let [body_a, body_b] = pair(random);
        let mut bias = 0.0;
        if recipe.push > 0.0 {
            bias = -random.random_range(0.0..recipe.push);
        } else if random.random::<f32>() < 0.3 {
            bias = recipe.speed * random.random_range(0.0..0.5);
        }
        let contact = Contact {
            body_a,
            body_b,
            arm_a: scale(grid(random), recipe.reach),
            arm_b: scale(grid(random), recipe.reach),
            normal: direction(random),
            bias,
            friction: random.random_range(0.0..=recipe.friction),
            impulse: [0.0; 3],
        };
        problem.contacts.push(contact);
        if random.random::<f32>() < recipe.redundant {
            problem.contacts.push(Contact {
                arm_a: add(contact.arm_a, [recipe.apart, 0.0, 0.0]),
                arm_b: add(contact.arm_b, [recipe.apart, 0.0, 0.0]),
                ..contact
            });
        }
    }
    for clamp in 0..recipe.clamps {
        let clamped = 1 + clamp % recipe.movable;
        let normal = direction(random);
        for side in [1.0, -1.0] {
            problem.contacts.push(Contact {
                body_a: clamped,
                body_b: 0,
                arm_a: scale(normal, -recipe.reach * side),
                arm_b: [0.0; 3],
                normal: scale(normal, side),
                bias: 0.0,
                friction: random.random_range(0.0..=recipe.friction),
                impulse: [0.0; 3],
            });
        }
    }
    for _ in 0..recipe.joints {
        let [body_a, body_b] = pair(random);
        let bodies = [body_a, body_b];
        let arm_a = scale(grid(random), recipe.reach);
        let arm_b = scale(grid(random), recipe.reach);
        let rows = joint(random, bodies, arm_a, arm_b, recipe);
        let twice = random.random::<f32>() < recipe.redundant;
        problem.joint_rows.extend(&rows);
        if twice {
            let shift = [recipe.apart, 0.0, 0.0];
            let again = rows.iter().filter(|row| row.is_equality()).map(|row| {
                let about = cross(shift, row.linear);
                JointRow {
                    angular_a: add(row.angular_a, about),
                    angular_b: sub(row.angular_b, about),
                    ..*row
                }
            });
            problem.joint_rows.extend(again);
            // Two bodies that do not move against each other, held once more a hand's breadth away.
            if rows.len() == 6 && rows.iter().all(JointRow::is_equality) {
                let shift = [0.25, 0.0, 0.0];
                let held = ball(bodies, add(arm_a, shift), add(arm_b, shift));
                problem.joint_rows.extend(held);
            }
        }
    }
    problem
}

/// Puts problems beside each other as one; returns where the bodies, contacts and joint rows of each
/// begin.
pub fn beside(problems: &[Problem]) -> (Problem, Vec<[usize; 3]>) {
    let mut all = Problem {
        friction_cone: problems[0].friction_cone,
        ..Problem::default()
    };
    let mut starts = Vec::new();
    for problem in problems {
        assert_eq!(problem.friction_cone, all.friction_cone);
        starts.push([all.bodies.len(), all.contacts.len(), all.joint_rows.len()]);
        let first = all.bodies.len() as u32;
        all.bodies.extend(&problem.bodies);
        all.contacts
            .extend(problem.contacts.iter().map(|c| Contact {
                body_a: c.body_a + first,
                body_b: c.body_b + first,
                ..*c
            }));
        all.joint_rows
            .extend(problem.joint_rows.iter().map(|r| JointRow {
                body_a: r.body_a + first,
                body_b: r.body_b + first,
                ..*r
            }));
    }
    (all, starts)
}

/// A generator that gives the same numbers on every machine.
pub fn generator(seed: u64) -> Pcg64 {
    Pcg64::seed_from_u64(seed)
}

/// Kinetic energy of the movable bodies, from f64 velocities `[J]`.
pub fn kinetic_energy(
    problem: &Problem,
    velocities: &[(nalgebra::Vector3<f64>, nalgebra::Vector3<f64>)],
) -> f64 {
    let movable = problem
        .bodies
        .iter()
        .zip(velocities)
        .filter(|(b, _)| b.is_movable());
    movable
        .map(|(body, (linear, angular))| {
            let [xx, xy, xz, yy, yz, zz] = body.inverse_inertia.map(f64::from);
            let inverse = nalgebra::Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
            let momentum = inverse.try_inverse().unwrap() * angular;
            0.5 * (linear.norm_squared() / f64::from(body.inverse_mass) + angular.dot(&momentum))
        })
        .sum()
}
