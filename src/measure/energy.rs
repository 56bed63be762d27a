//! Mechanical energy of the dynamic bodies.

use crate::math::Vec3;
use crate::parallel;
use crate::world::{Body, World};

/// Mechanical energy `[J]`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "scene", derive(serde::Serialize, serde::Deserialize))]
pub struct Energy {
    /// `sum m v^2 / 2 + w . I w / 2` over dynamic bodies.
    pub kinetic: f64,
    /// `-sum m g . x` over dynamic bodies, zero at the world's origin.
    pub potential: f64,
}

/// Bodies summed by one thread before the sums are added in order: the result must not depend on
/// the number of threads.
pub(crate) const CHUNK: usize = 256;

/// Chunks that one thread sums at least, some 2 us each.
const CHUNKS_PER_THREAD: usize = 16;

/// Energies of the dynamic bodies of a world.
#[must_use]
pub fn energy(world: &World) -> Energy {
    energy_of_chunks(world, &mut Vec::new())
}

/// The same; `energies` is memory that is used again.
pub(crate) fn energy_of_chunks(world: &World, energies: &mut Vec<Energy>) -> Energy {
    let chunks = world.bodies.len().div_ceil(CHUNK);
    parallel::fill(energies, chunks, CHUNKS_PER_THREAD, |chunk| {
        let end = world.bodies.len().min((chunk + 1) * CHUNK);
        let mut energy = Energy::default();
        energy.add(&world.bodies[chunk * CHUNK..end], &world.gravity);
        energy
    });
    energies
        .iter()
        .copied()
        .fold(Energy::default(), Energy::plus)
}

impl Energy {
    /// The sum of both.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            kinetic: self.kinetic + other.kinetic,
            potential: self.potential + other.potential,
        }
    }

    /// Adds the energies of some bodies, of the dynamic ones among them.
    #[inline]
    pub(crate) fn add(&mut self, bodies: &[Body], gravity: &Vec3) {
        for body in bodies.iter().filter(|b| b.is_dynamic()) {
            self.kinetic += 0.5 * body.mass.mass * body.linear_velocity.norm_squared()
                + body.rotational_energy();
            self.potential -= body.mass.mass * gravity.dot(&body.pose.position);
        }
    }
}
