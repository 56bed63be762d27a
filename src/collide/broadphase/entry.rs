//! What the broadphase knows of a body, in one cache line.

use crate::math::{Aabb, Vec3};
use crate::world::{Body, CollisionGroups};

/// A body's grown box, and what it may touch.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(super) struct Entry {
    pub(super) aabb: Aabb,
    pub(super) body: u32,
    dynamic: bool,
    groups: CollisionGroups,
}

impl Entry {
    /// The entry of a body; see [`Entry::is_invalid`].
    pub(super) fn new(index: u32, body: &Body, reach: f64) -> Self {
        let finite = body.pose.position.iter().all(|x| x.is_finite())
            && body.pose.orientation.coords.iter().all(|x| x.is_finite());
        let aabb = if finite {
            body.shape.aabb(&body.pose).grown(reach)
        } else {
            Aabb {
                min: Vec3::repeat(f64::NAN),
                max: Vec3::repeat(f64::NAN),
            }
        };
        Self {
            aabb,
            body: index,
            dynamic: body.is_dynamic(),
            groups: body.groups,
        }
    }

    /// True if the pose is not finite or the reach is not a number.
    pub(super) fn is_invalid(&self) -> bool {
        self.aabb
            .min
            .iter()
            .chain(&self.aabb.max)
            .any(|x| x.is_nan())
    }

    /// True if the body goes to the grid.
    pub(super) fn is_bounded(&self) -> bool {
        self.aabb.is_finite()
    }

    /// True if the two may touch the same bodies.
    pub(super) fn is_alike(&self, other: &Self) -> bool {
        self.dynamic == other.dynamic && self.groups == other.groups
    }

    /// Largest side of the box `[m]`.
    pub(super) fn extent(&self) -> f64 {
        (self.aabb.max - self.aabb.min).max()
    }

    /// Middle of the box; halved first, so that no sum overflows.
    pub(super) fn center(&self, axis: usize) -> f64 {
        0.5 * self.aabb.min[axis] + 0.5 * self.aabb.max[axis]
    }

    /// True if one of the two can move and their groups allow contact.
    pub(super) fn concerns(&self, other: &Self) -> bool {
        (self.dynamic || other.dynamic) && self.groups.allow(other.groups)
    }

    /// True if the boxes share a point. All sides are compared at once: which of them is the first to
    /// tell the boxes apart cannot be predicted, and a wrong guess costs more than the comparisons.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        let (a, b) = (&self.aabb, &other.aabb);
        let below = |axis: usize| (a.min[axis] <= b.max[axis]) & (b.min[axis] <= a.max[axis]);
        below(0) & below(1) & below(2)
    }

    /// Appends the pair if the boxes overlap and it concerns anyone.
    pub(super) fn pair_with(&self, other: &Self, found: &mut Vec<[u32; 2]>) {
        if self.overlaps(other) && self.concerns(other) {
            found.push(ordered(self.body, other.body));
        }
    }
}

/// Two bodies as a pair, the smaller index first.
pub(super) fn ordered(i: u32, j: u32) -> [u32; 2] {
    if i < j { [i, j] } else { [j, i] }
}
