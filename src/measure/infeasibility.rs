//! How far a state is from one that constraints allow.

use crate::collide::ratio_of_bodies;
use crate::world::{World, joint::Law};

/// Hart's measure of infeasibility, `I(q) = max { max(0, -rho), |Theta| }`: rho the ratio metric of each pair that may touch,
/// without unit, Theta the error of each equality of a joint `[m]` or `[rad]`.
///
/// Of two boxes or polyhedra rho is exact; where a sphere or a half-space is one of the two, the gap over the distance of the centres along
/// it, which is the same. Other pairs, and parts of compounds, count with none: they have [`penetration`](super::penetration()). Compares all
/// pairs: for small scenes.
#[must_use]
pub fn infeasibility(world: &World) -> f64 {
    let excluded = world.excluded_pairs();
    let mut worst: f64 = 0.0;
    for (b, other) in world.bodies.iter().enumerate() {
        for (a, body) in world.bodies[..b].iter().enumerate() {
            let may_touch = (body.is_dynamic() || other.is_dynamic())
                && body.groups.allow(other.groups)
                && !excluded.contains(&[a as u32, b as u32]);
            if may_touch && let Some(rho) = ratio_of_bodies(body, other) {
                worst = worst.max(-rho);
            }
        }
    }
    let mut rows = Vec::new();
    for joint in &world.joints {
        joint.rows(&world.bodies, world.time, 0.0, &mut rows);
    }
    for row in &rows {
        if let Law::Equality { error } = row.law {
            worst = worst.max(error.abs());
        }
    }
    worst
}
