//! Which bodies touch, and where: pairs from the broadphase, contact points from the narrowphase.
//!
//! Both start from nothing each time. The `Detector` of a [`Simulation`](crate::step::Simulation) keeps what they
//! found while it stays true: pairs in `candidates.rs`, manifolds in `group.rs` and `kept.rs`, their points in `bundle.rs`, and
//! the motion that decides in `crowd.rs` and `whereabouts.rs`.

pub(crate) mod broadphase;
mod bundle;
mod candidates;
mod couple;
mod crowd;
mod depths;
pub(crate) mod detector;
mod four;
mod group;
pub(crate) mod impulse_cache;
mod kept;
pub(crate) mod narrowphase;
mod sphere_and_boxes;
mod sphere_and_mesh;
mod whereabouts;
mod witnesses;

pub use broadphase::PairSearch;
pub(crate) use crowd::Stretch;
pub(crate) use depths::Depths;
pub(crate) use detector::Detector;
#[cfg(feature = "scene")]
pub(crate) use detector::SavedDetector;
pub use narrowphase::ContactModel;
pub(crate) use narrowphase::polyhedron::events::events_of_solids;
pub use narrowphase::polyhedron::events::{Event, EventLimits, Features, events};
pub use narrowphase::polyhedron::ratio::{RatioMetric, ratio_metric};
pub(crate) use narrowphase::{
    Core, Cuboid, direction_between, ratio_of_bodies, separation_along, separation_of_solids,
};
pub use witnesses::Witnesses;

use crate::math::{self, Vec3};
use crate::problem::Contact;
use crate::world::World;

/// One point at which two bodies touch or nearly do.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "scene", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactPoint {
    /// Body A and body B, the smaller index first.
    pub bodies: [u32; 2],
    /// Names the point among those of the pair, the same from step to step: parts of compounds in
    /// the upper 32 bits (A's, then B's, 16 bits each), features of the two shapes in the lower.
    pub feature: u64,
    /// Midway between the two surfaces, in world axes `[m]`.
    pub position: Vec3,
    /// Unit vector from B to A.
    pub normal: Vec3,
    /// Signed gap along the normal `[m]`, negative when penetrating.
    pub separation: f64,
}

impl ContactPoint {
    /// The contact as the solvers see it. Arms are differences of f64 positions, narrowed after.
    #[must_use]
    pub fn for_solver(
        &self,
        world: &World,
        bias: f32,
        friction: f32,
        impulse: [f32; 3],
    ) -> Contact {
        let [a, b] = self.bodies;
        let arm =
            |body: u32| math::narrow(&(self.position - world.bodies[body as usize].pose.position));
        Contact {
            body_a: a,
            body_b: b,
            arm_a: arm(a),
            arm_b: arm(b),
            normal: math::narrow(&self.normal),
            bias,
            friction,
            impulse,
        }
    }
}
