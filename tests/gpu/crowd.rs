//! Random contact problems that have everything: hubs, immovable bodies, manifolds of one to four
//! points, open and closed contacts, warm starts.

use drystone::internals::math::{V3, dot, scale};
use drystone::problem::{Body, Contact, FrictionCone, FrictionLaw, Problem};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// What a random problem is made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Crowd {
    pub(crate) seed: u64,
    /// Movable bodies with few contacts.
    pub(crate) bodies: u32,
    /// Movable bodies, each with `hub_contacts` pairs.
    pub(crate) hubs: u32,
    pub(crate) hub_contacts: u32,
    /// Pairs of random bodies, on top of those of the hubs.
    pub(crate) pairs: u32,
    pub(crate) friction_cone: FrictionCone,
    pub(crate) friction_law: FrictionLaw,
    pub(crate) frictionless: bool,
}

impl Default for Crowd {
    fn default() -> Self {
        Self {
            seed: 1,
            bodies: 300,
            hubs: 3,
            hub_contacts: 150,
            pairs: 700,
            friction_cone: FrictionCone::Disk,
            friction_law: FrictionLaw::Coulomb,
            frictionless: false,
        }
    }
}

impl Crowd {
    /// The problem: bodies 0 to 4 are immovable, then the hubs, then the others.
    pub(crate) fn problem(&self) -> Problem {
        let mut rng = Pcg64Mcg::seed_from_u64(self.seed);
        let immovable = 5;
        let mut bodies: Vec<Body> = (0..immovable)
            .map(|index| Body::immovable([0.1 * index as f32, 0.0, 0.0], [0.0, 0.2, 0.0]))
            .collect();
        for index in 0..self.hubs + self.bodies {
            let size = if index < self.hubs { 8.0 } else { 1.0 };
            bodies.push(random_body(&mut rng, size));
        }
        let count = bodies.len() as u32;
        let first_small = immovable + self.hubs;
        let mut pairs = Vec::new();
        for hub in immovable..first_small {
            for _ in 0..self.hub_contacts {
                pairs.push((hub, rng.random_range(first_small..count)));
            }
        }
        for _ in 0..self.pairs {
            let a = rng.random_range(first_small..count);
            let b = rng.random_range(0..count);
            if a != b && !(immovable..first_small).contains(&b) {
                pairs.push(if rng.random_bool(0.5) { (a, b) } else { (b, a) });
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut contacts = Vec::new();
        for (body_a, body_b) in pairs {
            let normal = random_unit(&mut rng);
            for _ in 0..rng.random_range(1..=4) {
                contacts.push(self.random_contact(&mut rng, body_a, body_b, normal));
            }
        }
        Problem {
            bodies,
            contacts,
            friction_cone: self.friction_cone,
            friction_law: self.friction_law,
            ..Problem::default()
        }
    }

    fn random_contact(&self, rng: &mut Pcg64Mcg, body_a: u32, body_b: u32, normal: V3) -> Contact {
        let friction = if self.frictionless || rng.random_bool(0.1) {
            0.0
        } else {
            rng.random_range(0.1..1.0)
        };
        let push = rng.random_range(0.0..0.2_f32);
        let slip = 0.5 * push * friction;
        Contact {
            body_a,
            body_b,
            arm_a: random_vector(rng, 0.5),
            arm_b: random_vector(rng, 0.5),
            normal,
            bias: rng.random_range(-0.05..0.2),
            friction,
            impulse: [push, slip, -slip],
        }
    }
}

fn random_vector(rng: &mut Pcg64Mcg, size: f32) -> V3 {
    [0; 3].map(|_| rng.random_range(-size..size))
}

fn random_unit(rng: &mut Pcg64Mcg) -> V3 {
    loop {
        let v = random_vector(rng, 1.0);
        let squared = dot(v, v);
        if (0.01..1.0).contains(&squared) {
            return scale(v, 1.0 / squared.sqrt());
        }
    }
}

/// A body whose inverse inertia is positive definite and full.
fn random_body(rng: &mut Pcg64Mcg, size: f32) -> Body {
    let inverse_mass = rng.random_range(0.5..2.0) / size;
    let (u, v) = (random_vector(rng, 1.0), random_vector(rng, 1.0));
    let entry = |i: usize, j: usize| {
        let diagonal = if i == j { 2.0 } else { 0.0 };
        inverse_mass * (diagonal + u[i] * u[j] + v[i] * v[j])
    };
    Body::dynamic(
        inverse_mass,
        [
            entry(0, 0),
            entry(0, 1),
            entry(0, 2),
            entry(1, 1),
            entry(1, 2),
            entry(2, 2),
        ],
        random_vector(rng, 1.0),
        random_vector(rng, 1.0),
    )
}
