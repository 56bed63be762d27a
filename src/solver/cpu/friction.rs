//! The projections of an impulse onto the friction cone, in every lane; in lanes of one number the twin of
//! `shaders/shared/contact.wgsl`, operation by operation.

use crate::problem::FrictionTable;
use crate::simd::{Simd, Vector};

/// Projects a tangential impulse onto the disk of the given radius.
#[inline(always)]
fn project_onto_disk<S: Simd>(t: [S; 2], radius: S) -> [S; 2] {
    let squared = t[0] * t[0] + t[1] * t[1];
    let inside = squared.le(radius * radius);
    if S::all(inside) {
        return t;
    }
    let factor = radius.over(squared.sqrt());
    [
        S::select(inside, t[0], t[0] * factor),
        S::select(inside, t[1], t[1] * factor),
    ]
}

/// Projects a tangential impulse onto the polygon of the given radius.
///
/// The edge whose normal points most along the impulse is the one it leaves through, because the polygon is regular.
#[inline(always)]
fn project_onto_polygon<S: Simd>(t: [S; 2], radius: S, cone: &FrictionTable) -> [S; 2] {
    let mut edge = [S::splat(cone.edges[0][0]), S::splat(cone.edges[0][1])];
    let mut best = t[0] * edge[0] + t[1] * edge[1];
    for candidate in &cone.edges[1..cone.directions as usize] {
        let candidate = [S::splat(candidate[0]), S::splat(candidate[1])];
        let along = t[0] * candidate[0] + t[1] * candidate[1];
        let better = best.lt(along);
        best = S::select(better, along, best);
        edge = [
            S::select(better, candidate[0], edge[0]),
            S::select(better, candidate[1], edge[1]),
        ];
    }
    let apothem = S::splat(cone.apothem) * radius;
    let inside = best.le(apothem);
    let half = S::splat(cone.half_edge) * radius;
    let least = S::splat(-1.0) * half;
    let sideways = t[1] * edge[0] - t[0] * edge[1];
    let sideways = S::select(sideways.lt(least), least, sideways);
    let sideways = S::select(half.lt(sideways), half, sideways);
    [
        S::select(inside, t[0], edge[0] * apothem - edge[1] * sideways),
        S::select(inside, t[1], edge[1] * apothem + edge[0] * sideways),
    ]
}

/// The projection of tangential impulses onto a section of the friction cone, of a given radius.
pub(super) trait Project: Copy {
    fn project<S: Simd>(self, t: [S; 2], radius: S) -> [S; 2];
}

/// A section that is known to be a disk.
#[derive(Clone, Copy)]
pub(super) struct Disk;

impl Project for Disk {
    #[inline(always)]
    fn project<S: Simd>(self, t: [S; 2], radius: S) -> [S; 2] {
        project_onto_disk(t, radius)
    }
}

/// A section of either kind.
impl Project for &FrictionTable {
    #[inline(always)]
    fn project<S: Simd>(self, t: [S; 2], radius: S) -> [S; 2] {
        if self.directions == 0 {
            project_onto_disk(t, radius)
        } else {
            project_onto_polygon(t, radius, self)
        }
    }
}

/// The point of the cone `|t| <= friction * normal` that is closest to an impulse, its normal part
/// measured by one over `normal_mass` and its tangential part by one over `tangent_mass`.
#[inline(always)]
pub(super) fn project_onto_cone<S: Simd>(
    normal: S,
    t: [S; 2],
    friction: S,
    normal_mass: S,
    tangent_mass: S,
) -> Vector<S> {
    let zero = S::splat(0.0);
    let length = (t[0] * t[0] + t[1] * t[1]).sqrt();
    let inside = length.le(friction * normal);
    let weight = friction * normal_mass;
    let along = tangent_mass * normal + weight * length;
    let away = along.le(zero);
    let nearest = along.over(tangent_mass + friction * weight);
    let factor = (friction * nearest).over(length);
    [
        S::select(inside, normal, S::select(away, zero, nearest)),
        S::select(inside, t[0], S::select(away, zero, t[0] * factor)),
        S::select(inside, t[1], S::select(away, zero, t[1] * factor)),
    ]
}
