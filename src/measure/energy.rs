//! Mechanical energy of the dynamic bodies.

use crate::math::Vec3;
use crate::parallel;
use crate::world::{Body, World};
use rayon::prelude::*;

/// Mechanical energy `[J]`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Energy {
    /// `sum m v^2 / 2 + w . I w / 2` over dynamic bodies.
    pub kinetic: f64,
    /// `-sum m g . x` over dynamic bodies, zero at the world's origin.
    pub potential: f64,
}

/// Bodies summed by one thread before the sums are added in order: the result must not depend on
/// the number of threads.
const CHUNK: usize = 4096;

/// Energies of the dynamic bodies of a world.
#[must_use]
pub fn energy(world: &World) -> Energy {
    let chunks = world.bodies.chunks(CHUNK);
    let of_chunk = |bodies: &[Body]| of_bodies(bodies, &world.gravity);
    if !parallel::is_shared(world.bodies.len(), CHUNK) {
        return chunks.map(of_chunk).fold(Energy::default(), sum);
    }
    let parts: Vec<Energy> = world.bodies.par_chunks(CHUNK).map(of_chunk).collect();
    parts.into_iter().fold(Energy::default(), sum)
}

fn sum(a: Energy, b: Energy) -> Energy {
    Energy {
        kinetic: a.kinetic + b.kinetic,
        potential: a.potential + b.potential,
    }
}

/// Energies of some bodies, of the dynamic ones among them.
fn of_bodies(bodies: &[Body], gravity: &Vec3) -> Energy {
    let mut sum = Energy::default();
    for body in bodies.iter().filter(|b| b.is_dynamic()) {
        // An isotropic body's energy has no orientation, nor may its rounding have one.
        let spin = if body.mass.is_isotropic() {
            body.angular_velocity
        } else {
            body.pose.inverse_direction(&body.angular_velocity)
        };
        sum.kinetic += 0.5 * body.mass.mass * body.linear_velocity.norm_squared()
            + 0.5 * spin.dot(&(body.mass.inertia * spin));
        sum.potential -= body.mass.mass * gravity.dot(&body.pose.position);
    }
    sum
}
