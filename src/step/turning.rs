//! Surfaces that turn under what lies on them.
//!
//! The velocity of a turning surface is that of its point below a body at the start of a part. A body that it takes along moves to where that velocity is
//! another, by `h w x u` for a surface that turns at w under a body that moves at u: held to the first one, it wanders outwards by
//! `(w h)^2 / 2` of its distance in every part. So each body that touches such a surface has in its problem a body of its own that stands for
//! it, which nothing moves and which gains that velocity evenly.

use super::halfway::Halfway;
use crate::math::{self, Vec3};
use crate::problem::Problem;
use crate::world::{Body, BodyKind, World};

/// Has contacts with kinematic bodies that turn follow what moves on them over a part of length `h` in so many substeps; the bodies that stand for surfaces come after
/// those of the world.
pub(super) fn follow(
    (world, halfway): (&World, &Halfway),
    (h, substeps): (f64, u32),
    problem: &mut Problem,
) {
    let Problem {
        bodies,
        increments,
        contacts,
        ..
    } = problem;
    let of_world = |body: u32| &world.bodies[body as usize];
    let turns =
        |body: &Body| body.kind == BodyKind::Kinematic && body.angular_velocity != Vec3::zeros();
    let mut last = ([u32::MAX; 2], [u32::MAX; 2]);
    for contact in contacts {
        let pair = [contact.body_a, contact.body_b];
        if pair != last.0 {
            let [a, b] = pair.map(of_world);
            let mut stand_for = pair;
            for (side, surface, other) in [(0, a, b), (1, b, a)] {
                if !(turns(surface) && other.is_dynamic()) {
                    continue;
                }
                let past = other.linear_velocity - surface.linear_velocity;
                let surface_spin = surface.angular_velocity;
                let gain = surface_spin.cross(&past) * h;
                let surface = pair[side] as usize;
                let (mut start, mut increment) = (bodies[surface], increments[surface]);
                // In the mean over the part half of it, as with a velocity that grows evenly, less what it gains until contacts are found.
                let late = gain * (-0.5 / f64::from(substeps));
                let [way, of_surface] =
                    [side ^ 1, side].map(|side| halfway.way_of(world, pair[side]));
                let ahead = surface_spin.cross(&(way - of_surface));
                let late = math::narrow(&(late - ahead));
                start.linear_velocity = math::add(start.linear_velocity, late);
                increment.linear = math::add(increment.linear, math::narrow(&gain));
                stand_for[side] = bodies.len() as u32;
                bodies.push(start);
                increments.push(increment);
            }
            last = (pair, stand_for);
        }
        [contact.body_a, contact.body_b] = last.1;
    }
}
