//! Bodies without bounds: half-spaces and compounds that have one.

use super::entry::{Entry, ordered};
use crate::math::{Aabb, Pose, Vec3};
use crate::world::{Body, Shape};

/// A half-space in world axes: `normal . (x - point) <= reach`.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(feature = "scene", derive(serde::Serialize, serde::Deserialize))]
struct Plane {
    normal: Vec3,
    point: Vec3,
    reach: f64,
}

/// A body that does not fit into a grid.
#[derive(Debug, Clone)]
pub(super) struct Unbounded {
    pub(super) entry: Entry,
    pub(super) parts: Parts,
}

/// A body as the union of half-spaces and boxes.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "scene", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Parts {
    planes: Vec<Plane>,
    /// Holds the parts that are no half-spaces.
    rest: Aabb,
}

impl Unbounded {
    /// Like [`Self::set`], for a body that there was none in place of.
    pub(super) fn new(entry: Entry, body: &Body, reach: f64) -> Self {
        let mut new = Self {
            entry,
            parts: Parts {
                planes: Vec::new(),
                rest: Aabb::empty(),
            },
        };
        new.set(entry, body, reach);
        new
    }

    /// Replaces the body; keeps its memory.
    pub(super) fn set(&mut self, entry: Entry, body: &Body, reach: f64) {
        let Parts { planes, rest } = &mut self.parts;
        planes.clear();
        *rest = Aabb::empty();
        let mut add = |pose: &Pose, shape: &Shape| {
            if let Shape::HalfSpace { normal, offset } = shape {
                let normal = pose.direction(normal);
                planes.push(Plane {
                    normal,
                    point: pose.position + normal * *offset,
                    reach,
                });
            } else {
                *rest = rest.merged(&shape.aabb(pose).grown(reach));
            }
        };
        if let Shape::Compound { parts } = &body.shape {
            for part in parts.iter() {
                add(&body.pose.compose(&part.pose), &part.shape);
            }
        } else {
            add(&body.pose, &body.shape);
        }
        self.entry = entry;
    }

    /// True if the body's parts, grown by its reach, come to a box. Unbounded boxes always do.
    pub(super) fn reaches(&self, aabb: &Aabb) -> bool {
        !aabb.is_finite()
            || self.parts.rest.overlaps(aabb)
            || self.parts.planes.iter().any(|plane| plane.reaches(aabb))
    }
}

impl Plane {
    /// True if the lowest corner of a box is within reach.
    fn reaches(&self, aabb: &Aabb) -> bool {
        let lowest: f64 = (0..3)
            .map(|axis| {
                let side = if self.normal[axis] > 0.0 {
                    aabb.min[axis]
                } else {
                    aabb.max[axis]
                };
                self.normal[axis] * (side - self.point[axis])
            })
            .sum();
        lowest <= self.reach
    }
}

/// Appends the pairs of all unbounded bodies with the given ones; two unbounded bodies pair once.
pub(super) fn pairs_with(unbounded: &[Unbounded], entries: &[Entry], found: &mut Vec<[u32; 2]>) {
    for entry in entries {
        for body in unbounded {
            let other = &body.entry;
            let once = entry.is_bounded() || entry.body < other.body;
            if once
                && other.body != entry.body
                && other.concerns(entry)
                && body.reaches(&entry.aabb)
            {
                found.push(ordered(entry.body, other.body));
            }
        }
    }
}
