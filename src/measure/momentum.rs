//! Momentum of the dynamic bodies.

use crate::math::Vec3;
use crate::parallel;
use crate::world::World;

/// Linear and angular momentum, world axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Momentum {
    /// `sum m v` over dynamic bodies `[kg m/s]`.
    pub linear: Vec3,
    /// `sum x cross m v + I w` over dynamic bodies, about the world's origin `[kg m^2/s]`.
    pub angular: Vec3,
}

/// Bodies summed by one thread before the sums are added in order: the result must not depend on
/// the number of threads.
const CHUNK: usize = 4096;

/// Momentum of the dynamic bodies of a world.
#[must_use]
pub fn momentum(world: &World) -> Momentum {
    let zero = Momentum {
        linear: Vec3::zeros(),
        angular: Vec3::zeros(),
    };
    let add = |sum: Momentum, part: Momentum| Momentum {
        linear: sum.linear + part.linear,
        angular: sum.angular + part.angular,
    };
    let chunks: Vec<_> = world.bodies.chunks(CHUNK).collect();
    let mut partial = Vec::new();
    parallel::fill(&mut partial, chunks.len(), 1, |chunk| {
        let dynamic = chunks[chunk].iter().filter(|body| body.is_dynamic());
        dynamic.fold(zero, |sum, body| {
            let linear = body.mass.mass * body.linear_velocity;
            let spin = body.world_inertia() * body.angular_velocity;
            let angular = body.pose.position.cross(&linear) + spin;
            add(sum, Momentum { linear, angular })
        })
    });
    partial.into_iter().fold(zero, add)
}
