//! Two bodies that may touch.

use super::bundle::Turned;
use super::crowd::Stretch;
use super::four::{Four, Quad};
use super::narrowphase::Mover;
use super::whereabouts::Whereabouts;
use crate::constants::{
    KEPT_MOTION_AT_REST, KEPT_MOTION_OF_THIN, KEPT_MOTION_PER_RADIUS, KEPT_MOTION_WITHIN_STEP,
    KEPT_STEPS,
};
use crate::math::{self, Mat3, Quat, Vec3};
use crate::world::{Shape, World};

/// A pair of bodies, where they are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Couple<'a> {
    pub(super) world: &'a World,
    pub(super) pair: [u32; 2],
    pub(super) movers: [&'a Mover; 2],
    pub(super) bodies: [&'a Whereabouts; 2],
    /// Duration of a step, zero if nothing is known of steps `[s]`.
    pub(super) time_step: f64,
    pub(super) stretch: Stretch,
    /// Number of the search for contacts.
    pub(super) search: u64,
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

    fn shapes(&self) -> [&Shape; 2] {
        let bodies = &self.world.bodies;
        self.pair.map(|body| &bodies[body as usize].shape)
    }

    /// The bodies, having turned for so long `[s]`.
    pub(super) fn turned_for(&self, time: f64) -> Turned {
        Turned {
            rotations: self.rotations(),
            offset: self.offset(),
            by: self.movers.map(|mover| mover.spin * time),
            are_round: self.shapes().map(|shape| !has_faces(shape)),
        }
    }

    /// How far the bodies may be, in a part of a step, from where their points were found `[m]`.
    fn play(&self) -> f64 {
        let shapes = self.shapes();
        let of = |at: usize| {
            let by_radius = KEPT_MOTION_WITHIN_STEP * self.movers[at].bounding_radius;
            by_radius.min(KEPT_MOTION_OF_THIN * shapes[at].inner_radius())
        };
        of(0).min(of(1))
    }

    /// Parts of a step, from this one on, that points stand for which are found now: no more than bodies take to go from one side of where these are found to the other.
    /// Two shapes that are searched as soon as compared are found for each part, and compounds, whose parts differ.
    pub(super) fn parts(&self) -> u32 {
        let shapes = self.shapes();
        let is_quick = |shape: &&Shape| matches!(shape, Shape::Box { .. } | Shape::Capsule { .. });
        let is_compound = |shape: &&Shape| matches!(shape, Shape::Compound { .. });
        let is_each = shapes.iter().all(is_quick) || shapes.iter().any(is_compound);
        if self.stretch.parts == 1 || is_each {
            return 1;
        }
        let [a, b] = self.movers;
        let most = 2.0 * self.play() / (Mover::passing(a, b) * self.time_step);
        f64::from(self.stretch.parts).min(most).max(1.0) as u32
    }

    /// True if points that were found for an earlier part of this step stand for this one, by this search at the latest, of bodies that have moved so far from where these were
    /// found `[m]`.
    pub(super) fn stands(&self, moved: f64, until: u64) -> bool {
        self.stretch.is_within_step && self.search < until && moved <= self.play()
    }

    /// Where the bodies are midway through so many parts: the middle of the first one they have been moved to already.
    pub(super) fn midway(&self, parts: u32) -> Placement {
        let mut orientations = self
            .pair
            .map(|body| self.world.bodies[body as usize].pose.orientation);
        let [a, b] = self.movers;
        let (passing, later) = (Mover::passing(a, b), f64::from(parts - 1) * self.time_step);
        if later == 0.0 || passing == 0.0 {
            return Placement {
                orientations,
                rotations: self.rotations(),
                offset: self.offset(),
                gone: 0.0,
                way: 0.0,
                ahead: 0.0,
            };
        }
        let ahead = 0.5 * later;
        for (orientation, mover) in orientations.iter_mut().zip(self.movers) {
            *orientation = math::exp(&(mover.spin * ahead)) * *orientation;
        }
        Placement {
            orientations,
            rotations: orientations.map(|turned| turned.to_rotation_matrix().into_inner()),
            offset: self.offset() + (b.velocity - a.velocity) * ahead,
            gone: ahead * passing,
            way: self.play().min(later * Mover::approach(a, b)),
            ahead,
        }
    }

    /// Largest relative motion over which points are kept `[m]`.
    pub(super) fn tolerance(&self) -> f64 {
        tolerance(self.bodies[0], self.bodies[1], self.time_step)
    }
}

/// Two bodies where they are when points are looked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placement {
    /// From each body's axes to the world's.
    pub(super) orientations: [Quat; 2],
    pub(super) rotations: [Mat3; 2],
    /// Centre of mass of B minus that of A `[m]`.
    pub(super) offset: Vec3,
    /// No point of one has moved farther past the other to get there `[m]`.
    pub(super) gone: f64,
    /// How much farther than otherwise points are looked for, since they stand for longer than a part `[m]`.
    pub(super) way: f64,
    /// How long it takes to get there `[s]`.
    pub(super) ahead: f64,
}

/// True if the shape has faces all around.
pub(super) fn has_faces(shape: &Shape) -> bool {
    matches!(
        shape,
        Shape::Box { .. } | Shape::Polyhedron(_) | Shape::Mesh(_)
    )
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
