//! Impacts of what is much heavier than what it hits.
//!
//! A light body that lies on something else and is hit by something heavy is squeezed: in every sweep it takes no more than its own momentum off the heavy
//! body, `m v` of `M v`, which therefore goes on for about `M / m` substeps, and sinks in by `v h_s M / m` until the springs have stopped it. So the substeps that
//! its speed asks for are asked for `M / (2 m)` times over (see [`SQUEEZED_BY_RATIO`]). A body that closes in on several at once is slowed down by all of them: m is their sum.

use super::halfway::Halfway;
use super::weights::Load;
use crate::collide::ContactPoint;
use crate::constants::{MOTION_PER_SUBSTEP, SQUEEZED_BY_RATIO};
use crate::world::World;

/// The heavier body of a contact, which may squeeze the other one.
struct Heavier {
    body: usize,
    mass: f64,
    /// How far it goes towards the other one in a step, over what a substep stands for.
    way: f64,
}

/// Substeps that a contact asks for at most, its bodies closing in at this speed `[m/s]`, in a step of length `h`: as if the heavier body met nothing else. 0 if
/// neither is much heavier.
pub(super) fn of_contact(
    world: &World,
    loads: &[Load],
    point: &ContactPoint,
    closing: f64,
    h: f64,
) -> f64 {
    let [a, b] = point.bodies.map(|body| loads[body as usize].mass);
    heavier(world, loads, point, (closing, h)).map_or(0.0, |one| {
        one.way * one.mass / (a.min(b) * SQUEEZED_BY_RATIO)
    })
}

/// Substeps that these contacts ask for in a step of length `h`, the most of all; `met` is a buffer.
pub(super) fn of_all(
    (world, halfway): (&World, &Halfway),
    loads: &[Load],
    contacts: &[ContactPoint],
    met: &mut Vec<f64>,
    h: f64,
) -> f64 {
    let closing = |point: &ContactPoint| -halfway.slip(world, point).dot(&point.normal);
    let meets = |point: &&ContactPoint| point.separation - h * closing(point) < 0.0;
    // By body, the mass of those that it closes in on.
    met.clear();
    met.resize(loads.len(), 0.0);
    for pair in contacts.chunk_by(|one, next| one.bodies == next.bodies) {
        let [a, b] = pair[0].bodies.map(|body| body as usize);
        let move_both = loads[a].mass.max(loads[b].mass).is_finite();
        if move_both && pair.iter().any(|point| meets(&point)) {
            met[a] += loads[b].mass;
            met[b] += loads[a].mass;
        }
    }
    let substeps = |point: &ContactPoint| {
        heavier(world, loads, point, (closing(point), h)).map_or(0.0, |one| {
            one.way * one.mass / (met[one.body] * SQUEEZED_BY_RATIO)
        })
    };
    contacts
        .iter()
        .filter(meets)
        .map(substeps)
        .fold(0.0, f64::max)
}

fn heavier(
    world: &World,
    loads: &[Load],
    point: &ContactPoint,
    (closing, h): (f64, f64),
) -> Option<Heavier> {
    let [a, b] = point.bodies.map(|body| body as usize);
    let (heavy, light, toward) = if loads[a].mass > loads[b].mass {
        (a, b, -point.normal)
    } else {
        (b, a, point.normal)
    };
    let mass = loads[heavy].mass;
    if mass.is_infinite() || mass <= SQUEEZED_BY_RATIO * loads[light].mass {
        return None;
    }
    let body = &world.bodies[heavy];
    let lever = point.position - body.pose.position;
    let velocity = body.linear_velocity + body.angular_velocity.cross(&lever);
    // A light body that flies at a heavy one at rest does not squeeze itself.
    let speed = velocity.dot(&toward).min(closing);
    let size = loads[a].size.min(loads[b].size);
    Some(Heavier {
        body: heavy,
        mass,
        way: speed * h / (size * MOTION_PER_SUBSTEP),
    })
}
