//! The broadphase written down directly: every pair of bodies is tested.

use super::entry::Entry;
use super::unbounded::Unbounded;
use crate::math::Aabb;
use crate::world::World;

/// What [`Broadphase::find_pairs`](super::Broadphase::find_pairs) finds, by testing all pairs: the
/// reference for tests, in quadratic time. `reach` has shape `[body_count]` `[m]`.
#[must_use]
pub fn brute_force_pairs(world: &World, reach: &[f64]) -> Vec<[u32; 2]> {
    let bodies: Vec<(Aabb, Option<Unbounded>)> = world
        .bodies
        .iter()
        .zip(reach)
        .enumerate()
        .map(|(index, (body, reach))| {
            let aabb = body.shape.aabb(&body.pose).grown(*reach);
            let unbounded = (!aabb.is_finite())
                .then(|| Unbounded::new(Entry::new(index as u32, body, *reach), body, *reach));
            (aabb, unbounded)
        })
        .collect();
    let mut pairs = Vec::new();
    for (a, (aabb_a, unbounded_a)) in bodies.iter().enumerate() {
        for (b, (aabb_b, unbounded_b)) in bodies.iter().enumerate().skip(a + 1) {
            let (body_a, body_b) = (&world.bodies[a], &world.bodies[b]);
            let near = match (unbounded_a, unbounded_b) {
                (None, None) => aabb_a.overlaps(aabb_b),
                (Some(a), None) => a.reaches(aabb_b),
                (None, Some(b)) => b.reaches(aabb_a),
                (Some(_), Some(_)) => true,
            };
            if near
                && (body_a.is_dynamic() || body_b.is_dynamic())
                && body_a.groups.allow(body_b.groups)
            {
                pairs.push([a as u32, b as u32]);
            }
        }
    }
    pairs
}
