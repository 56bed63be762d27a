//! How near two bodies must come for a point to count as a contact.

use super::mover::{Kind, Mover};
use super::{ContactModel, Limits};
use crate::constants::{DEEPER_BY, MESH_SLOPE, STAYS_WITHIN};
use crate::math::Vec3;

/// The speculative limit of one pair of bodies. Positions are relative to body A's centre of mass,
/// in world axes: differences are taken once, before anything is rotated, so that gaps keep their
/// digits far from the origin.
#[derive(Debug, Clone, Copy)]
pub(in crate::collide) struct Query {
    margin: f64,
    time_step: f64,
    lead: f64,
    /// Velocity of A's centre of mass `[m/s]`.
    velocity_a: Vec3,
    /// Velocity of B's centre of mass `[m/s]`.
    velocity_b: Vec3,
    spin_a: Vec3,
    spin_b: Vec3,
    /// Speed that what hits the two may give them `[m/s]`.
    driven: f64,
    /// Bounding radii of A and B `[m]`.
    radii: [f64; 2],
    /// Centre of mass of B minus that of A `[m]`.
    pub(in crate::collide) offset: Vec3,
    /// No point with a larger separation is admitted, whatever its velocity `[m]`.
    pub(in crate::collide) reach: f64,
    /// No less than the distance of the bodies, as far as it is known `[m]`.
    pub(super) closest: f64,
    /// Points of boxes and polyhedra.
    pub(in crate::collide) model: ContactModel,
    /// 1 where normals are given from B to A, -1 where the shapes were swapped.
    sign: f64,
    /// Slope below the chosen points of a mesh from which on another one counts beside them.
    pub(super) slope: f64,
    /// From B to A, where the bodies had a point before: a direction to begin with.
    last_normal: Option<Vec3>,
    /// Points that the bodies had before.
    last_points: Names,
}

/// A set of names of points. It is small, and may hold others, too: beside eight names it has one in eight of the others.
#[derive(Debug, Clone, Copy, Default)]
#[cfg_attr(feature = "scene", derive(serde::Serialize, serde::Deserialize))]
pub(in crate::collide) struct Names(u64);

impl Names {
    pub(in crate::collide) fn of<'a>(features: impl Iterator<Item = &'a u64>) -> Self {
        Self(features.fold(0, |names, &feature| names | Self::bit(feature as u32)))
    }

    pub(in crate::collide) fn is_empty(self) -> bool {
        self.0 == 0
    }

    fn contains(self, feature: u32) -> bool {
        self.0 & Self::bit(feature) != 0
    }

    fn bit(feature: u32) -> u64 {
        1 << (feature.wrapping_mul(0x9e37_79b1) >> 26)
    }
}

impl Query {
    pub(in crate::collide) fn new(a: &Mover, b: &Mover, limits: Limits) -> Self {
        let offset = b.position - a.position;
        let mut speed = Mover::approach(a, b);
        for (turning, other) in [(a, b), (b, a)] {
            if turning.kind == Kind::Unbounded && turning.spin != Vec3::zeros() {
                // It turns past the other body, wherever that is.
                speed += turning.spin.norm() * (offset.norm() + other.bounding_radius);
            }
        }
        Self {
            margin: limits.margin,
            time_step: limits.time_step,
            lead: limits.lead,
            velocity_a: a.velocity,
            velocity_b: b.velocity,
            spin_a: a.spin,
            spin_b: b.spin,
            driven: f64::from(a.driven) + f64::from(b.driven),
            radii: [a.bounding_radius, b.bounding_radius],
            offset,
            reach: limits.margin + limits.time_step * speed,
            closest: f64::INFINITY,
            model: limits.model,
            sign: 1.0,
            slope: DEEPER_BY,
            last_normal: None,
            last_points: Names::default(),
        }
    }

    /// Asks for all points up to a separation `[m]`, whatever their velocity, of bodies whose centres of mass
    /// are apart by `offset`.
    pub(in crate::collide) fn within(offset: Vec3, separation: f64, radii: [f64; 2]) -> Self {
        Self {
            margin: separation,
            time_step: 0.0,
            lead: 0.0,
            velocity_a: Vec3::zeros(),
            velocity_b: Vec3::zeros(),
            spin_a: Vec3::zeros(),
            spin_b: Vec3::zeros(),
            driven: 0.0,
            radii,
            offset,
            reach: separation,
            closest: f64::INFINITY,
            model: ContactModel::Clipped,
            sign: 1.0,
            slope: DEEPER_BY,
            last_normal: None,
            last_points: Names::default(),
        }
    }

    /// The same for two bodies that had these points before: they keep those that bear, and on meshes those that span a face while it sways.
    pub(in crate::collide) fn after(self, last_points: Names) -> Self {
        let slope = if last_points.is_empty() {
            self.slope
        } else {
            MESH_SLOPE
        };
        Self {
            slope,
            last_points,
            ..self
        }
    }

    /// The same for two bodies of which a point had this normal before, from B to A.
    pub(in crate::collide) fn beginning_with(self, last_normal: Option<Vec3>) -> Self {
        Self {
            last_normal,
            ..self
        }
    }

    /// True of a point that the bodies had before and that touches, or nearly: what it bears would fall onto the others, and onto it again.
    pub(super) fn keeps(&self, feature: u32, separation: f64) -> bool {
        separation <= STAYS_WITHIN * self.radii[0].min(self.radii[1])
            && self.last_points.contains(feature)
    }

    /// The same for two bodies that are known to be no farther apart than this `[m]`.
    pub(in crate::collide) fn no_farther_than(self, closest: f64) -> Self {
        Self { closest, ..self }
    }

    /// From the second shape to the first, of a point that the bodies had before.
    pub(super) fn last_normal(&self) -> Option<Vec3> {
        self.last_normal.map(|normal| self.orient(&normal))
    }

    /// The same limit for shapes that are handed over in the opposite order.
    pub(super) fn swapped(&self) -> Self {
        Self {
            sign: -self.sign,
            ..*self
        }
    }

    /// The separation up to which points around the deepest one, of the given separation, are of use `[m]`: where that touches
    /// they are admitted whatever the velocities, where it is only near as far as any may be.
    pub(super) fn level_around(&self, deepest: f64) -> f64 {
        let level = 0.5 * self.margin;
        if deepest < level { level } else { self.reach }
    }

    /// True if the shapes are handed over in the opposite order, that of B first.
    pub(super) fn is_swapped(&self) -> bool {
        self.sign < 0.0
    }

    /// A normal from the second shape to the first as a normal from B to A.
    pub(super) fn orient(&self, normal: &Vec3) -> Vec3 {
        normal * self.sign
    }

    /// True if a gap counts whatever the velocities are.
    #[inline]
    pub(super) fn surely_admits(&self, separation: f64) -> bool {
        separation <= self.margin
    }

    /// A bound of the separations that [`Self::admits`] along normals that differ by vectors of up to `off` from one that is given from B to A. With
    /// `-off`, a separation that it admits along all of these.
    pub(super) fn most_admitted(&self, normal: &Vec3, off: f64) -> f64 {
        let turning = |spin: &Vec3, radius: f64| {
            if off > 0.0 {
                // Points are halfway between the surfaces.
                let arm = radius + 0.5 * self.reach;
                (spin.cross(normal).norm() + spin.norm() * off) * arm
            } else {
                0.0
            }
        };
        let turned = [
            turning(&self.spin_a, self.radii[0]),
            turning(&self.spin_b, self.radii[1]),
        ];
        let past = self.velocity_b - self.velocity_a;
        let closing_a = self.velocity_a.norm() * off - self.velocity_a.dot(normal) + turned[0];
        let closing_b = self.velocity_b.norm() * off + self.velocity_b.dot(normal) + turned[1];
        let swerve = past.norm() * off + turned[0] + turned[1];
        let closing = (past.dot(normal) + swerve)
            .max(closing_a)
            .max(closing_b)
            .max(0.0)
            + self.driven;
        let opening = swerve - past.dot(normal);
        self.margin + (self.time_step * closing).max(self.lead * opening)
    }

    /// How far B's point at a place relative to A's centre of mass moves past A's in the step `[m]`.
    pub(super) fn shift(&self, position: &Vec3) -> Vec3 {
        let velocity_a = self.velocity_a + self.spin_a.cross(position);
        let velocity_b = self.velocity_b + self.spin_b.cross(&(position - self.offset));
        (velocity_b - velocity_a) * self.time_step
    }

    /// True if the gap is within the margin, was so where the bodies came from, or can close in a step: by the approach of the two
    /// points, or of either to the other if that is stopped meanwhile by something else, and by what either is driven on with.
    pub(in crate::collide) fn admits(
        &self,
        position: &Vec3,
        normal: &Vec3,
        separation: f64,
    ) -> bool {
        if separation <= self.margin {
            return true;
        }
        if separation > self.reach {
            return false;
        }
        let velocity_a = self.velocity_a + self.spin_a.cross(position);
        let velocity_b = self.velocity_b + self.spin_b.cross(&(position - self.offset));
        let closing_a = -self.sign * velocity_a.dot(normal);
        let closing_b = self.sign * velocity_b.dot(normal);
        let both = closing_a + closing_b;
        let closing = both.max(closing_a).max(closing_b).max(0.0) + self.driven;
        let way = (self.time_step * closing).max(-self.lead * both);
        separation <= self.margin + way
    }
}
