//! The few points that stand for the contact of two convex shapes.

use super::query::Query;
use crate::constants::MAX_MANIFOLD_POINTS;
use crate::math::Vec3;

/// A contact point of a pair of shapes, the normal from the second shape to the first.
#[derive(Debug, Clone, Copy)]
pub(in crate::collide) struct Point {
    pub(in crate::collide) feature: u32,
    /// Midway between the surfaces, relative to body A's centre of mass `[m]`.
    pub(in crate::collide) position: Vec3,
    pub(in crate::collide) normal: Vec3,
    pub(in crate::collide) separation: f64,
}

impl Point {
    pub(super) const NONE: Self = Self {
        feature: 0,
        position: Vec3::new(0.0, 0.0, 0.0),
        normal: Vec3::new(0.0, 0.0, 0.0),
        separation: 0.0,
    };
}

/// Up to `N` points, without an allocation.
#[derive(Debug, Clone, Copy)]
pub(in crate::collide) struct Points<const N: usize> {
    items: [Point; N],
    count: usize,
    /// No more than the distance of the two shapes, if it was found to be large `[m]`.
    apart: f64,
}

/// The points of a contact between two convex shapes, normals from B to A.
pub(in crate::collide) type Manifold = Points<MAX_MANIFOLD_POINTS>;

impl<const N: usize> Points<N> {
    pub(in crate::collide) fn new() -> Self {
        Self {
            items: [Point::NONE; N],
            count: 0,
            apart: f64::NEG_INFINITY,
        }
    }

    /// What the shapes are known to be apart by `[m]`; says nothing if there are points.
    pub(in crate::collide) fn apart(&self) -> f64 {
        self.apart
    }

    /// Remembers that the shapes are apart by at least `distance` `[m]`.
    pub(super) fn set_apart(&mut self, distance: f64) {
        self.apart = distance;
    }

    pub(in crate::collide) fn as_slice(&self) -> &[Point] {
        &self.items[..self.count]
    }

    pub(super) fn clear(&mut self) {
        self.count = 0;
        self.apart = f64::NEG_INFINITY;
    }

    /// Adds a point. The shapes of a pair bound the number of their candidates by `N`.
    pub(super) fn push(&mut self, point: Point) {
        debug_assert!(self.count < N);
        if let Some(slot) = self.items.get_mut(self.count) {
            *slot = point;
            self.count += 1;
        }
    }

    /// Adds a point if the query admits it, its normal turned to point from B to A.
    pub(super) fn offer(&mut self, query: &Query, point: Point) {
        if query.admits(&point.position, &point.normal, point.separation) {
            let normal = query.orient(&point.normal);
            self.push(Point { normal, ..point });
        }
    }

    /// The same for a deepest point; if there is no room, it takes the place of the nearest one.
    pub(super) fn offer_deepest(&mut self, query: &Query, point: Point) {
        if self.count == N && query.admits(&point.position, &point.normal, point.separation) {
            let away = |other: &Point| (other.position - point.position).norm_squared();
            let nearest = (1..N).fold(0, |best, slot| {
                if away(&self.items[slot]) < away(&self.items[best]) {
                    slot
                } else {
                    best
                }
            });
            let normal = query.orient(&point.normal);
            self.items[nearest] = Point { normal, ..point };
            return;
        }
        self.offer(query, point);
    }
}
