//! Colliding contact: the impulse of a contact, what it does to velocities and to the energy, and what depends on the order of impacts.
//!
//! Source: Baraff, SIGGRAPH course notes 1997, section 8.

use super::bodies::{corners, ground};
use super::experiment::{Context, Experiment};
use super::outcome::{Expected, Outcome};
use drystone::Result;
use drystone::event::{EventSettings, EventStepper, Impacts};
use drystone::math::{Mat3, Pose, Quat, Vec3};
use drystone::measure::energy;
use drystone::world::{Body, CompoundPart, MassProperties, Material, Shape, World};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::sync::Arc;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "impacts",
    title: "Impulses of colliding contact, the energy that they take, and their order",
    source: "Baraff, SIGGRAPH course notes 1997, section 8, eqs 8-7 to 8-18, figure 25",
    run: reproduce,
};

/// Random impacts for each coefficient of restitution.
const CASES: u32 = 40;
/// A time so short that nothing moves in it `[s]`.
const INSTANT: f64 = 1e-12;

fn reproduce(_: &Context) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let mut random = Pcg64::seed_from_u64(51);
    for restitution in [0.0, 0.5, 1.0] {
        let mut found = Found::default();
        for _ in 0..CASES {
            found.add(&corner_on_face(restitution, &mut random)?, restitution);
        }
        outcome.row(
            format!("eq. 8-18, e = {restitution}, {CASES} corners that hit moving faces: impulse, largest relative difference"),
            "",
            Expected::at_most(1e-9),
            found.impulse,
        );
        outcome.published_row(
            format!(
                "figure 25 ({}): largest | v+ + e v- | over |v-|",
                ["d", "c", "b"][(2.0 * restitution) as usize]
            ),
            "",
            "v+ = -e v-",
            Expected::at_most(1e-9),
            found.law,
        );
        outcome.row(
            "the same: energy lost, largest difference from (1 - e^2) v^2 / 2K over what there was",
            "",
            Expected::at_most(1e-9),
            found.energy,
        );
        if restitution == 1.0 {
            outcome.published_row(
                "figure 25: largest change of the relative velocity along the face, over |v-|, of corners",
                "",
                "the same",
                Expected::at_least(0.1),
                found.along,
            );
        }
    }
    let mut spheres = Found::default();
    for _ in 0..CASES {
        spheres.add(&sphere_on_face(&mut random)?, 1.0);
    }
    outcome.published_row(
        "figure 25: the same of spheres",
        "",
        "the same",
        Expected::at_most(1e-9),
        spheres.along,
    );
    orders(&mut outcome)?;
    outcome.note(
        "The printed parenthesis of eqs 8-13 and 8-14 closes too late; K is 1/ma + 1/mb and the two terms of rotation. The velocity along a face \
         stays the same, as figure 25 says, where the impulse points to the centre of mass; a corner beside it is turned along the face.",
    );
    outcome.note(
        "A flat cube has contacts at four corners, here the spheres of a compound in each of their 24 orders. One after the other leave it spinning though \
         all is symmetric; the complementarity problem, all together, does not, whatever the order.",
    );
    Ok(outcome)
}

/// A body A that hits a body B at a point along a normal, before and after.
struct Impact {
    point: Vec3,
    normal: Vec3,
    before: World,
    after: World,
}

/// Largest differences from the formulas.
#[derive(Default)]
struct Found {
    impulse: f64,
    law: f64,
    energy: f64,
    along: f64,
}

impl Found {
    fn add(&mut self, impact: &Impact, restitution: f64) {
        let Impact {
            point,
            normal,
            before,
            after,
        } = impact;
        let relative = |world: &World| {
            let [a, b] = [0, 1].map(|body: usize| world.bodies[body].velocity_at(point));
            a - b
        };
        let (came, went) = (relative(before), relative(after));
        let speed = normal.dot(&came);
        // K of eq. 8-18, of a body without mass: nothing.
        let give = before.bodies.iter().map(|body| {
            let arm = point - body.pose.position;
            let turned = body.world_inverse_inertia() * arm.cross(normal);
            body.mass.inverse_mass + normal.dot(&turned.cross(&arm))
        });
        let give: f64 = give.sum();
        let expected = -(1.0 + restitution) * speed / give;
        let change = after.bodies[0].linear_velocity - before.bodies[0].linear_velocity;
        let impulse = normal.dot(&change) * before.bodies[0].mass.mass;
        self.impulse = self.impulse.max((impulse - expected).abs() / expected);
        let law = normal.dot(&went) + restitution * speed;
        self.law = self.law.max(law.abs() / speed.abs());
        let lost = energy(before).kinetic - energy(after).kinetic;
        let expected = (1.0 - restitution * restitution) * speed * speed / (2.0 * give);
        self.energy = self
            .energy
            .max((lost - expected).abs() / energy(before).kinetic);
        let turned = (went - came) - normal * normal.dot(&(went - came));
        self.along = self.along.max(turned.norm() / speed.abs());
    }
}

fn world(restitution: f64) -> World {
    let mut world = World::new(Vec3::zeros());
    world.materials = vec![Material {
        friction: 0.0,
        restitution,
    }];
    world
}

/// A box whose lowest corner touches the top of another, both with velocities by which they meet.
fn corner_on_face(restitution: f64, random: &mut Pcg64) -> Result<Impact> {
    let half_extents = Vec3::from_fn(|_, _| random.random_range(0.1..0.3));
    let tilt = Quat::from_scaled_axis(Vec3::from_fn(|_, _| random.random_range(0.3..0.6)));
    let lowest = corners(&half_extents)
        .map(|corner| tilt * corner)
        .into_iter()
        .min_by(|a, b| a.z.total_cmp(&b.z))
        .unwrap_or_default();
    let point = Vec3::new(
        random.random_range(-0.4..0.4),
        random.random_range(-0.4..0.4),
        0.0,
    );
    let mut world = world(restitution);
    let shape = Shape::Box { half_extents };
    let mut upper = Body::dynamic_with_mass(shape, Pose::new(point - lowest, tilt), 1.5)?;
    let table = Shape::Box {
        half_extents: Vec3::new(0.5, 0.5, 0.2),
    };
    let below = Pose::new(Vec3::new(0.0, 0.0, -0.2), Quat::identity());
    let mut lower = Body::dynamic_with_mass(table, below, 4.0)?;
    for body in [&mut upper, &mut lower] {
        body.angular_velocity = Vec3::from_fn(|_, _| random.random_range(-2.0..2.0));
        body.linear_velocity = Vec3::from_fn(|_, _| random.random_range(-1.0..1.0));
    }
    // As fast towards each other as is asked for.
    let relative = upper.velocity_at(&point) - lower.velocity_at(&point);
    upper.linear_velocity.z -= relative.z + random.random_range(0.5..2.0);
    world.add(upper)?;
    world.add(lower)?;
    collide(world, point)
}

fn sphere_on_face(random: &mut Pcg64) -> Result<Impact> {
    let mut world = world(1.0);
    let pose = Pose::new(Vec3::z() * 0.2, Quat::identity());
    let velocity = Vec3::new(random.random_range(-1.0..1.0), 0.3, -1.0);
    let spin = Vec3::from_fn(|_, _| random.random_range(-2.0..2.0));
    let sphere = Shape::Sphere { radius: 0.2 };
    world.add(Body::dynamic_with_mass(sphere, pose, 1.0)?.moving(velocity, spin))?;
    world.add(ground())?;
    collide(world, Vec3::zeros())
}

fn collide(before: World, point: Vec3) -> Result<Impact> {
    let mut after = before.clone();
    let settings = EventSettings::for_world(&before, 1e-3);
    EventStepper::new(&before, settings)?.step(&mut after, INSTANT)?;
    Ok(Impact {
        point,
        normal: Vec3::z(),
        before,
        after,
    })
}

/// A cube that lands flat, on the four spheres of a compound, in all of their orders.
fn orders(outcome: &mut Outcome) -> Result<()> {
    let (mut one_by_one, mut together): (Vec<Vec3>, Vec<Vec3>) = (Vec::new(), Vec::new());
    let mut order = [0, 1, 2, 3];
    let mut all = Vec::new();
    permutations(&mut order, 0, &mut all);
    for order in &all {
        one_by_one.push(flat_landing(order, Impacts::Sequential)?);
        together.push(flat_landing(order, Impacts::Simultaneous)?);
    }
    let mut distinct: Vec<Vec3> = Vec::new();
    for spin in &one_by_one {
        if distinct.iter().all(|other| (other - spin).norm() > 1e-6) {
            distinct.push(*spin);
        }
    }
    let largest = |spins: &[Vec3]| spins.iter().map(Vec3::norm).fold(0.0, f64::max);
    outcome.published_row(
        format!(
            "section 8, flat cube, e = 0.5, corners one after the other: different outcomes of {} orders",
            all.len()
        ),
        "",
        "order matters",
        Expected::at_least(2.0),
        distinct.len() as f64,
    );
    outcome.row(
        "the same: largest spin afterwards",
        "rad/s",
        Expected::at_least(0.1),
        largest(&one_by_one),
    );
    outcome.row(
        "the same, all corners together by the complementarity problem: largest spin of 24 orders",
        "rad/s",
        Expected::at_most(1e-9),
        largest(&together),
    );
    Ok(())
}

/// Spin after the landing of a cube of 1 m and 1 kg at 1 m/s.
fn flat_landing(order: &[usize; 4], impacts: Impacts) -> Result<Vec3> {
    const RADIUS: f64 = 0.01;
    let corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)];
    let parts = order.map(|corner| CompoundPart {
        shape: Shape::Sphere { radius: RADIUS },
        pose: Pose::new(
            Vec3::new(corners[corner].0, corners[corner].1, -0.5 + RADIUS),
            Quat::identity(),
        ),
    });
    let mut world = world(0.5);
    let mut cube = Body::fixed(
        Shape::Compound {
            parts: Arc::from(parts.to_vec()),
        },
        Pose::new(Vec3::z() * 0.5, Quat::identity()),
    );
    cube.kind = drystone::world::BodyKind::Dynamic;
    cube.mass = MassProperties::new(1.0, Mat3::identity() / 6.0)?;
    cube.linear_velocity = -Vec3::z();
    world.add(cube)?;
    world.add(ground())?;
    let settings = EventSettings {
        impacts,
        ..EventSettings::for_world(&world, 1e-3)
    };
    EventStepper::new(&world, settings)?.step(&mut world, INSTANT)?;
    Ok(world.bodies[0].angular_velocity)
}

fn permutations(order: &mut [usize; 4], from: usize, all: &mut Vec<[usize; 4]>) {
    if from == order.len() {
        all.push(*order);
        return;
    }
    for at in from..order.len() {
        order.swap(from, at);
        permutations(order, from + 1, all);
        order.swap(from, at);
    }
}
