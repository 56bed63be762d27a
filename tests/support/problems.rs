//! Random problems of contacts, with seeds.

#![allow(dead_code, unreachable_pub, reason = "each program uses a part")]

use drystone::problem::{Body, Contact, FrictionCone, Problem};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Make-up of a random problem.
#[derive(Debug, Clone, Copy)]
pub struct Recipe {
    pub movable: u32,
    pub immovable: u32,
    pub pairs: u32,
    /// Points of a manifold, from 1 to this many.
    pub points: u32,
    /// Further pairs that all share body 0.
    pub hub_pairs: u32,
    pub cone: FrictionCone,
    pub friction: f32,
}

impl Default for Recipe {
    fn default() -> Self {
        Self {
            movable: 60,
            immovable: 3,
            pairs: 200,
            points: 4,
            hub_pairs: 0,
            cone: FrictionCone::Disk,
            friction: 0.5,
        }
    }
}

/// A generator that gives the same numbers on every machine.
pub fn generator(seed: u64) -> Pcg64 {
    Pcg64::seed_from_u64(seed)
}

fn unit(random: &mut Pcg64) -> [f32; 3] {
    loop {
        let v: [f32; 3] = std::array::from_fn(|_| random.random_range(-1.0..1.0_f32));
        let length = drystone::internals::math::dot(v, v).sqrt();
        if length > 0.1 && length < 1.0 {
            return drystone::internals::math::scale(v, 1.0 / length);
        }
    }
}

fn within(random: &mut Pcg64, reach: f32) -> [f32; 3] {
    std::array::from_fn(|_| random.random_range(-reach..reach))
}

/// A symmetric positive definite inverse inertia.
fn inverse_inertia(random: &mut Pcg64, scale: f32) -> [f32; 6] {
    let d: [f32; 3] = std::array::from_fn(|_| scale * random.random_range(1.0..4.0_f32));
    let o: [f32; 3] = std::array::from_fn(|_| scale * random.random_range(-0.3..0.3_f32));
    [d[0], o[0], o[1], d[1], o[2], d[2]]
}

/// Bodies and contacts at random: any pairs, any normals, manifolds of several points.
pub fn random_problem(recipe: &Recipe, seed: u64) -> Problem {
    let random = &mut generator(seed);
    let mut bodies = Vec::new();
    for _ in 0..recipe.movable {
        let inverse_mass = random.random_range(0.2..5.0_f32);
        bodies.push(Body::dynamic(
            inverse_mass,
            inverse_inertia(random, inverse_mass),
            within(random, 2.0),
            within(random, 2.0),
        ));
    }
    for _ in 0..recipe.immovable {
        bodies.push(Body::immovable(within(random, 0.5), within(random, 0.5)));
    }
    let count = bodies.len() as u32;
    let mut contacts = Vec::new();
    for pair in 0..recipe.pairs + recipe.hub_pairs {
        let a = if pair < recipe.pairs {
            random.random_range(0..recipe.movable)
        } else {
            0
        };
        let b = (a + random.random_range(1..count)) % count;
        let normal = unit(random);
        for _ in 0..random.random_range(1..=recipe.points) {
            let impulse = random.random_range(0.0..0.1_f32);
            contacts.push(Contact {
                body_a: a,
                body_b: b,
                arm_a: within(random, 1.0),
                arm_b: within(random, 1.0),
                normal,
                bias: random.random_range(0.0..0.2_f32),
                friction: recipe.friction,
                impulse: [impulse, 0.0, 0.0],
            });
        }
    }
    Problem {
        bodies,
        contacts,
        friction_cone: recipe.cone,
        ..Problem::default()
    }
}

/// The same bodies and contacts as a position problem: at rest, no friction, some overlaps.
pub fn as_position_problem(problem: &Problem) -> Problem {
    let mut problem = problem.clone();
    for body in &mut problem.bodies {
        body.linear_velocity = [0.0; 3];
        body.angular_velocity = [0.0; 3];
    }
    for (index, contact) in problem.contacts.iter_mut().enumerate() {
        contact.friction = 0.0;
        contact.impulse = [0.0; 3];
        contact.bias = 1e-3 * ((index % 7) as f32 - 4.0);
    }
    problem
}
