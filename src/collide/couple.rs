//! Two bodies that may touch.

use super::four::{Four, Quad};
use super::narrowphase::Mover;
use super::whereabouts::Whereabouts;
use crate::constants::{KEPT_MOTION_AT_REST, KEPT_MOTION_PER_RADIUS, KEPT_STEPS};
use crate::math::{Mat3, Vec3};
use crate::world::World;

/// A pair of bodies, where they are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Couple<'a> {
    pub(super) world: &'a World,
    pub(super) pair: [u32; 2],
    pub(super) movers: [&'a Mover; 2],
    pub(super) bodies: [&'a Whereabouts; 2],
    /// Duration of a step, zero if nothing is known of steps `[s]`.
    pub(super) time_step: f64,
}

impl Couple<'_> {
    /// From each body's axes to the world's.
    #[inline(always)]
    pub(super) fn rotations(&self) -> [Mat3; 2] {
        [self.bodies[0].rotation(), self.bodies[1].rotation()]
    }

    /// Centre of mass of B minus that of A `[m]`.
    #[inline(always)]
    pub(super) fn offset(&self) -> Vec3 {
        let [a, b] = self.bodies;
        b.position::<Quad>().minus(a.position()).vector()
    }

    /// Largest relative motion over which points are kept `[m]`.
    pub(super) fn tolerance(&self) -> f64 {
        tolerance(self.bodies[0], self.bodies[1], self.time_step)
    }
}

/// Largest relative motion of two bodies over which their points are kept `[m]`: what they go in a few
/// steps, within limits. What comes to rest is looked at closely.
pub(super) fn tolerance(a: &Whereabouts, b: &Whereabouts, time_step: f64) -> f64 {
    let radius = a.bounding_radius().min(b.bounding_radius());
    let most = KEPT_MOTION_PER_RADIUS * radius;
    if time_step == 0.0 {
        return most;
    }
    let gone = KEPT_STEPS * time_step * (a.speed() + b.speed());
    gone.max(KEPT_MOTION_AT_REST * radius).min(most)
}
