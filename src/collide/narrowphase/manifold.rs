//! The few points that stand for the contact of two convex shapes.

use super::query::Query;
use crate::constants::{DEEPER_BY, MANIFOLD_TIE, MAX_MANIFOLD_POINTS};
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
    const NONE: Self = Self {
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
    pub(super) fn new() -> Self {
        Self {
            items: [Point::NONE; N],
            count: 0,
            apart: f64::NEG_INFINITY,
        }
    }

    /// What the shapes are known to be apart by `[m]`; says nothing if there are points.
    pub(super) fn apart(&self) -> f64 {
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
            self.push(Point {
                normal: query.orient(&point.normal),
                ..point
            });
        }
    }
}

/// Adds to `manifold` the candidates or, if they are too many, those that span the largest area,
/// with the deepest one among them.
///
/// The choice prefers the first of nearly equal candidates, so that it does not change under the
/// noise of a step.
pub(super) fn reduce(candidates: &[Point], manifold: &mut Manifold) {
    if candidates.len() <= MAX_MANIFOLD_POINTS {
        for point in candidates {
            manifold.push(*point);
        }
        return;
    }
    let start = candidates[0];
    let first = first_max(candidates, |p| (p.position - start.position).norm_squared());
    let a = candidates[first];
    let span = |p: &Point| (p.position - a.position).norm_squared();
    let second = first_max(candidates, span);
    let b = candidates[second];
    let third = first_max(candidates, |p| twice_area(&a, &b, p, &a.normal).abs());
    let c = candidates[third];
    let turn = twice_area(&a, &b, &c, &a.normal).signum();
    // What a fourth point adds to the triangle is the triangle between it and the edge it is
    // outside of.
    let gain = |p: &Point| {
        [(&a, &b), (&b, &c), (&c, &a)]
            .iter()
            .map(|(from, to)| -turn * twice_area(from, to, p, &a.normal))
            .fold(0.0, f64::max)
    };
    let fourth = first_max(candidates, gain);
    let mut kept = [first, second, third, fourth];

    let depth = |index: usize| -candidates[index].separation;
    let mut deepest = kept[0];
    for index in kept.into_iter().chain(0..candidates.len()) {
        if depth(index) > depth(deepest) + DEEPER_BY * span(&b).sqrt() {
            deepest = index;
        }
    }
    if !kept.contains(&deepest) {
        let away =
            |i: &usize| (candidates[*i].position - candidates[deepest].position).norm_squared();
        let nearest = (1..4).fold(0, |best, slot| {
            if away(&kept[slot]) < away(&kept[best]) {
                slot
            } else {
                best
            }
        });
        kept[nearest] = deepest;
    }
    kept.sort_unstable();
    for (i, &index) in kept.iter().enumerate() {
        if i == 0 || kept[i - 1] != index {
            manifold.push(candidates[index]);
        }
    }
}

/// Twice the signed area of a triangle seen against the normal `[m^2]`.
fn twice_area(a: &Point, b: &Point, c: &Point, normal: &Vec3) -> f64 {
    (b.position - a.position)
        .cross(&(c.position - a.position))
        .dot(normal)
}

/// The first candidate whose measure, not negative, is largest or nearly so.
fn first_max(points: &[Point], measure: impl Fn(&Point) -> f64) -> usize {
    let mut best = 0;
    let mut value = measure(&points[0]);
    for (index, point) in points.iter().enumerate().skip(1) {
        let found = measure(point);
        if found > value * (1.0 + MANIFOLD_TIE) {
            best = index;
            value = found;
        }
    }
    best
}
