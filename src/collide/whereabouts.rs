//! Where a body is and how far it may have gone: all that a kept manifold is looked at with.

use super::four::{Four, Quad};
use super::narrowphase::{Limits, Mover};
use crate::math::{Mat3, Vec3};

/// Pose of a body and how far it may have gone, in two cache lines. Numbers about motion stand where
/// vectors of three leave room: arithmetic takes them along, and drops what comes of them.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Whereabouts {
    /// The body's axes, as columns; then its path, its speed and its bounding radius, as in
    /// [`Mover`].
    axes: [Quad; 3],
    /// Of the centre of mass `[m]`.
    position: Quad,
}

impl Whereabouts {
    #[inline(always)]
    pub(super) fn new(rotation: &Mat3, mover: &Mover) -> Self {
        let last = [mover.path, mover.speed, mover.bounding_radius];
        let axis = |k: usize| {
            Quad([
                rotation[(0, k)],
                rotation[(1, k)],
                rotation[(2, k)],
                last[k],
            ])
        };
        Self {
            axes: [axis(0), axis(1), axis(2)],
            position: Quad::of(&mover.position),
        }
    }

    /// Takes over where the body is now, but for its axes.
    pub(super) fn set_motion(&mut self, mover: &Mover) {
        self.axes[0].0[3] = mover.path;
        self.axes[1].0[3] = mover.speed;
        self.position = Quad::of(&mover.position);
    }

    /// From the body's axes to the world's.
    #[inline(always)]
    pub(super) fn rotation(&self) -> Mat3 {
        let [Quad([a, b, c, _]), Quad([d, e, f, _]), Quad([g, h, i, _])] = self.axes;
        Mat3::new(a, d, g, b, e, h, c, f, i)
    }

    /// A vector of the body's axes in those of the world.
    #[inline(always)]
    pub(super) fn turned<F: Four>(&self, local: &Vec3) -> F {
        let [x, y, z] = [
            F::of(&self.axes[0]),
            F::of(&self.axes[1]),
            F::of(&self.axes[2]),
        ];
        x.scaled(local.x)
            .plus(y.scaled(local.y))
            .plus(z.scaled(local.z))
    }

    /// Of the centre of mass `[m]`.
    #[inline(always)]
    pub(super) fn position<F: Four>(&self) -> F {
        F::of(&self.position)
    }

    /// No point of the body has gone farther since some time in the past `[m]`.
    #[inline(always)]
    pub(super) fn path(&self) -> f64 {
        self.axes[0].0[3]
    }

    /// Largest speed of a point of the body `[m/s]`.
    #[inline(always)]
    pub(super) fn speed(&self) -> f64 {
        self.axes[1].0[3]
    }

    /// Infinite for an unbounded shape `[m]`.
    #[inline(always)]
    pub(super) fn bounding_radius(&self) -> f64 {
        self.axes[2].0[3]
    }
}

/// Separation beyond which there is no contact, whatever the direction of the velocities `[m]`.
#[inline(always)]
pub(super) fn reach(a: &Whereabouts, b: &Whereabouts, limits: Limits) -> f64 {
    limits.margin + limits.time_step * (a.speed() + b.speed())
}
