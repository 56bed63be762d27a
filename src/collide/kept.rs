//! Manifolds that outlive a step.
//!
//! The points of two bodies are found anew only once the bodies have moved relative to each other by
//! more than a small part of their size. Until then each point is where the two points of the surfaces
//! went that it was between, its normal turns with the body whose face it is on, and its separation is
//! that of these two points along this normal. For a vertex above a face this is exact; otherwise the
//! error is of second order in the motion. Bodies without a common point are left alone until they may
//! have come nearer than what they are known to be apart.

use super::ContactPoint;
use super::crowd::turn;
use super::narrowphase::{
    Kind, Limits, Manifold, Mover, Point, Query, box_box, contacts_of_pair, visit_manifolds,
};
use super::sphere_and_boxes::sphere_and_boxes;
use crate::constants::{
    KEPT_MOTION_AT_REST, KEPT_MOTION_PER_RADIUS, KEPT_REACH_PER_MARGIN, KEPT_STEPS,
    MAX_MANIFOLD_POINTS,
};
use crate::math::{Mat3, Vec3};
use crate::world::{Shape, World};

/// A pair of bodies, where they are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Couple<'a> {
    pub(super) world: &'a World,
    pub(super) pair: [u32; 2],
    pub(super) movers: [&'a Mover; 2],
    /// From each body's axes to the world's.
    pub(super) rotations: [&'a Mat3; 2],
    /// Duration of a step, zero if nothing is known of steps `[s]`.
    pub(super) time_step: f64,
}

/// A contact point fixed to both bodies.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeptPoint {
    feature: u64,
    /// On the surface of each body, relative to its centre of mass, in its axes `[m]`.
    surface: [Vec3; 2],
    /// From B to A, in the axes of the body that the normal turns with.
    normal: Vec3,
    /// Which of the two: 0 or 1.
    normal_of: usize,
}

/// What is known of a pair of bodies of which one is no sphere and none is unbounded.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeptManifold {
    /// Sum of the paths of the bodies, and of what they can go in a step, up to which no point but
    /// those that are kept is nearer than the margin `[m]`.
    complete_until: f64,
    /// Sum of the paths less a bound of the motion since the points were found `[m]`.
    found_at: f64,
    /// All points that are not kept were farther apart than this `[m]`.
    reach: f64,
    /// Centre of the smaller body in the axes of the larger one, when the points were found `[m]`.
    position: Vec3,
    /// Axes of the smaller body in those of the larger one.
    rotation: [f32; 9],
    /// Name of the first point, by itself because the points are in memory that is far away.
    feature: u32,
    first: u32,
    count: u32,
    capacity: u32,
}

impl KeptManifold {
    /// A pair of which nothing is known.
    pub(super) const UNKNOWN: Self = Self {
        complete_until: f64::NEG_INFINITY,
        found_at: f64::NEG_INFINITY,
        reach: f64::NEG_INFINITY,
        position: Vec3::new(0.0, 0.0, 0.0),
        rotation: [0.0; 9],
        feature: 0,
        first: 0,
        count: 0,
        capacity: 0,
    };

    /// The manifold with its points copied from one store to another.
    pub(super) fn carried(&self, from: &[KeptPoint], to: &mut Vec<KeptPoint>) -> Self {
        let first = to.len();
        if self.count > 0 {
            let range = self.first as usize..(self.first + self.capacity) as usize;
            to.extend_from_slice(&from[range]);
        }
        Self {
            first: first as u32,
            capacity: (to.len() - first) as u32,
            ..*self
        }
    }

    /// Leaves the place of the points to another pair.
    pub(super) fn forget(&mut self) {
        *self = Self {
            first: self.first,
            capacity: self.capacity,
            ..Self::UNKNOWN
        };
    }

    /// Appends the contacts of the pair within `limits`.
    pub(super) fn find_contacts(
        &mut self,
        couple: &Couple<'_>,
        limits: Limits,
        points: &mut Vec<KeptPoint>,
        found: &mut Vec<ContactPoint>,
    ) {
        let [a, b] = couple.movers;
        let path = a.path + b.path;
        let needed = limits.margin + limits.time_step * (a.speed + b.speed);
        if path + needed > self.complete_until || path - self.found_at > tolerance(couple) {
            if a.kind == Kind::Sphere || b.kind == Kind::Sphere {
                let holds = self.reach > needed
                    && self.is_confirmed(couple, &Relative::new(couple), path, needed);
                if !holds {
                    self.refresh_distance(couple, limits, path, found);
                }
                return;
            }
            let relative = Relative::new(couple);
            if self.reach <= needed || !self.is_confirmed(couple, &relative, path, needed) {
                self.refresh(couple, &relative, path, needed, limits.margin, points);
            }
        }
        if self.count > 0 {
            let first = self.first as usize;
            let points = &points[first..first + self.count as usize];
            append_contacts(couple, limits, points, found);
        }
    }

    /// Looks at the true displacement, once the paths are used up. True if the manifold, of which
    /// `reach > needed`, still holds.
    fn is_confirmed(
        &mut self,
        couple: &Couple<'_>,
        now: &Relative,
        path: f64,
        needed: f64,
    ) -> bool {
        let before = Mat3::from_iterator(self.rotation.iter().map(|&x| f64::from(x)));
        let moved =
            (now.position - self.position).norm() + now.radius * turn(&(now.rotation - before));
        self.complete_until = path + self.reach - moved;
        if self.count > 0 {
            self.found_at = path - moved;
        }
        path + needed <= self.complete_until && path - self.found_at <= tolerance(couple)
    }

    fn remember(&mut self, now: &Relative, path: f64, reach: f64) {
        self.position = now.position;
        for (kept, x) in self.rotation.iter_mut().zip(now.rotation.iter()) {
            *kept = *x as f32;
        }
        self.reach = reach;
        self.complete_until = path + reach;
        self.found_at = if self.count > 0 { path } else { f64::INFINITY };
    }

    /// Finds the contact of a sphere and another body anew: a sphere's point cannot be kept, since it
    /// rolls; that the two are apart can.
    fn refresh_distance(
        &mut self,
        couple: &Couple<'_>,
        limits: Limits,
        path: f64,
        found: &mut Vec<ContactPoint>,
    ) {
        let first = found.len();
        let apart = sphere_and_boxes(couple, limits, found).unwrap_or_else(|| {
            found.truncate(first);
            let query = Query::new(couple.movers[0], couple.movers[1], limits);
            contacts_of_pair(couple.world, couple.pair, couple.movers, &query, found)
        });
        if found.len() > first {
            self.complete_until = f64::NEG_INFINITY;
            self.reach = f64::NEG_INFINITY;
        } else {
            self.remember(&Relative::new(couple), path, apart);
        }
    }

    /// Finds all points anew, up to a larger separation than the `needed` one, so that they are
    /// complete for a while.
    fn refresh(
        &mut self,
        couple: &Couple<'_>,
        relative: &Relative,
        path: f64,
        needed: f64,
        margin: f64,
        points: &mut Vec<KeptPoint>,
    ) {
        let [a, b] = couple.movers;
        let reach = needed + KEPT_REACH_PER_MARGIN * margin + tolerance(couple);
        let query = Query::within(a, b, reach);
        // Where the manifold's own place ends, if it is too small for the points.
        let (place, end) = (self.first as usize, (self.first + self.capacity) as usize);
        let before = (self.count > 0).then_some(self.feature);
        let (first, mut count) = (points.len(), 0);
        let mut keep = |are_boxes: [bool; 2], parts: u32, manifold: &Manifold| {
            for point in manifold.as_slice() {
                let kept = fixed_to_bodies(couple, &query, are_boxes, parts, point);
                if count < end - place {
                    points[place + count] = kept;
                } else {
                    if points.len() == first {
                        points.extend_from_within(place..end);
                    }
                    points.push(kept);
                }
                count += 1;
            }
        };
        let apart = if a.kind == Kind::Box && b.kind == Kind::Box {
            let mut manifold = Manifold::new();
            let [rotation_a, rotation_b] = couple.rotations;
            box_box(
                (&Vec3::zeros(), rotation_a, &a.half_extents),
                (&query.offset, rotation_b, &b.half_extents),
                before,
                &query,
                &mut manifold,
            );
            keep([true; 2], 0, &manifold);
            manifold.apart()
        } else {
            let keep = |shapes: [&Shape; 2], parts: u32, manifold: &Manifold| {
                let are_boxes = shapes.map(|shape| matches!(shape, Shape::Box { .. }));
                keep(are_boxes, parts, manifold);
            };
            visit_manifolds(couple.world, couple.pair, couple.movers, &query, keep)
        };
        if count > end - place {
            self.first = first as u32;
            self.capacity = count.next_multiple_of(MAX_MANIFOLD_POINTS) as u32;
            if let Some(&last) = points.last() {
                points.resize(first + self.capacity as usize, last);
            }
        }
        self.count = count as u32;
        let kept = self.first as usize..self.first as usize + count;
        let kept = &mut points[kept];
        kept.sort_unstable_by_key(|point| point.feature);
        self.feature = kept.first().map_or(0, |point| point.feature as u32);
        let reach = if count == 0 { apart.max(reach) } else { reach };
        self.remember(relative, path, reach);
    }
}

/// Largest relative motion of two bodies over which their points are kept `[m]`: what they go in a few
/// steps, within limits. What comes to rest is looked at closely.
fn tolerance(couple: &Couple<'_>) -> f64 {
    let [a, b] = couple.movers;
    let radius = a.bounding_radius.min(b.bounding_radius);
    let most = KEPT_MOTION_PER_RADIUS * radius;
    if couple.time_step == 0.0 {
        return most;
    }
    let gone = KEPT_STEPS * couple.time_step * (a.speed + b.speed);
    gone.max(KEPT_MOTION_AT_REST * radius).min(most)
}

/// Pose of the smaller body in the axes of the larger one.
struct Relative {
    position: Vec3,
    rotation: Mat3,
    /// Bounding radius of the smaller one `[m]`.
    radius: f64,
}

impl Relative {
    fn new(couple: &Couple<'_>) -> Self {
        let [a, b] = couple.movers;
        let [rotation_a, rotation_b] = couple.rotations;
        let between = b.position - a.position;
        if a.bounding_radius >= b.bounding_radius {
            Self {
                position: rotation_a.tr_mul(&between),
                rotation: rotation_a.tr_mul(rotation_b),
                radius: b.bounding_radius,
            }
        } else {
            Self {
                position: -rotation_b.tr_mul(&between),
                rotation: rotation_b.tr_mul(rotation_a),
                radius: a.bounding_radius,
            }
        }
    }
}

/// A point of a manifold as points of the two bodies.
fn fixed_to_bodies(
    couple: &Couple<'_>,
    query: &Query,
    are_boxes: [bool; 2],
    parts: u32,
    point: &Point,
) -> KeptPoint {
    let [rotation_a, rotation_b] = couple.rotations;
    let half = point.normal * (0.5 * point.separation);
    let on_a = rotation_a.tr_mul(&(point.position + half));
    let on_b = rotation_b.tr_mul(&(point.position - half - query.offset));
    let normal_of = match are_boxes {
        // Faces of the second box are marked by this bit, alone of the two highest.
        [true, true] => usize::from(point.feature >> 30 == 1),
        [false, true] => 1,
        _ => 0,
    };
    KeptPoint {
        feature: u64::from(parts) << 32 | u64::from(point.feature),
        surface: [on_a, on_b],
        normal: couple.rotations[normal_of].tr_mul(&point.normal),
        normal_of,
    }
}

/// Appends those of the kept points that are within the limits, where they are now.
#[inline]
fn append_contacts(
    couple: &Couple<'_>,
    limits: Limits,
    points: &[KeptPoint],
    found: &mut Vec<ContactPoint>,
) {
    let [a, b] = couple.movers;
    let offset = b.position - a.position;
    let reach = limits.margin + limits.time_step * (a.speed + b.speed);
    for point in points {
        let on_a = couple.rotations[0] * point.surface[0];
        let on_b = couple.rotations[1] * point.surface[1] + offset;
        let normal = couple.rotations[point.normal_of & 1] * point.normal;
        let separation = (on_a - on_b).dot(&normal);
        let position = (on_a + on_b) * 0.5;
        // Most points that do not count are beyond the reach of any velocity.
        if separation > reach {
            continue;
        }
        if separation <= limits.margin
            || Query::new(a, b, limits).admits(&position, &normal, separation)
        {
            found.push(ContactPoint {
                bodies: couple.pair,
                feature: point.feature,
                position: a.position + position,
                normal,
                separation,
            });
        }
    }
}
