//! A box and a capsule.
//!
//! The capsule is the segment `c + t e`, `|t| <= 1`, thickened by its radius, in the box's axes. The
//! squared distance of its points from the box is convex in `t`, and its derivative
//! `2 sum_i e_i (p_i - clamp(p_i, -h_i, h_i))` piecewise linear with corners where the segment
//! crosses a face's plane: the closest point is found exactly. Where the segment itself reaches into
//! the box, the way out is along a face normal or across an edge and the segment.

use super::direction::sign;
use super::manifold::{Manifold, Point};
use super::query::Query;
use super::segment::closest_of_lines;
use super::sphere_box::closest_on_box;
use crate::constants::{
    AXIS_PREFERENCE_ABSOLUTE, AXIS_PREFERENCE_RELATIVE, CORE_CONTACT, DEEPER_BY, PARALLEL_SINE,
};
use crate::math::{Mat3, Vec3};

const LOWER_END: u32 = 0;
const UPPER_END: u32 = 1;
const BETWEEN: u32 = 2;
const ACROSS: u32 = 4;

/// A contact in the box's axes: a point of the box's surface, the outward normal, the signed
/// distance of the segment there.
#[derive(Debug, Clone, Copy)]
struct Core {
    surface: Vec3,
    normal: Vec3,
    distance: f64,
}

/// The closest points, and the ends of the stretch over which the segment lies along a face or an
/// edge of the box. Normals point from the capsule to the box.
pub(super) fn box_capsule(
    (p, rotation, half_extents): (&Vec3, &Mat3, &Vec3),
    (q, axis, half_length, radius): (&Vec3, &Vec3, f64, f64),
    query: &Query,
    manifold: &mut Manifold,
) {
    let center = rotation.tr_mul(&(q - p));
    let half = rotation.tr_mul(axis) * half_length;
    let t = closest_on_segment(&center, &half, half_extents);
    let at = center + half * t;
    let outside = at - at.sup(&-half_extents).inf(half_extents);
    let apart = outside.norm() - radius;
    if apart > query.reach {
        manifold.set_apart(apart);
        return;
    }
    let (nearest, feature) = if outside.norm() > CORE_CONTACT * half_extents.max() {
        let (surface, normal, distance) = closest_on_box(&at, half_extents);
        let core = Core {
            surface,
            normal,
            distance,
        };
        (core, BETWEEN)
    } else {
        way_out(&center, &half, half_extents)
    };
    let mut offer = |feature, core: &Core| {
        let separation = core.distance - radius;
        let middle = core.surface + core.normal * (0.5 * separation);
        manifold.offer(
            query,
            Point {
                feature,
                position: p + rotation * middle,
                normal: -(rotation * core.normal),
                separation,
            },
        );
        separation
    };
    let mut ends = f64::INFINITY;
    if let Some((low, high)) = stretch(&center, &half, half_extents, &nearest.normal) {
        for (feature, t) in [(LOWER_END, low), (UPPER_END, high)] {
            let at = center + half * t;
            ends = ends.min(offer(feature, &end_contact(&at, half_extents, &nearest)));
        }
    }
    if nearest.distance - radius < ends - DEEPER_BY * (radius + half_extents.max()) {
        offer(feature, &nearest);
    }
}

/// Parameter of a point of the segment that is closest to the box.
fn closest_on_segment(center: &Vec3, half: &Vec3, half_extents: &Vec3) -> f64 {
    let slope = |t: f64| {
        let at = center + half * t;
        half.dot(&(at - at.sup(&-half_extents).inf(half_extents)))
    };
    if slope(-1.0) > 0.0 {
        return -1.0;
    }
    if slope(1.0) < 0.0 {
        return 1.0;
    }
    let mut corners = [1.0; 7];
    for axis in 0..3 {
        for (slot, side) in [(2 * axis, -1.0), (2 * axis + 1, 1.0)] {
            let t = (side * half_extents[axis] - center[axis]) / half[axis];
            if t.abs() < 1.0 {
                corners[slot] = t;
            }
        }
    }
    corners.sort_unstable_by(f64::total_cmp);
    let (mut low, mut slope_low) = (-1.0, slope(-1.0));
    for high in corners {
        let slope_high = slope(high);
        if slope_high >= 0.0 {
            let rise = slope_high - slope_low;
            return if rise > 0.0 {
                low - (high - low) * (slope_low / rise)
            } else {
                0.5 * (low + high)
            };
        }
        (low, slope_low) = (high, slope_high);
    }
    1.0
}

/// The shortest way out for a segment that reaches into the box, faces preferred.
fn way_out(center: &Vec3, half: &Vec3, half_extents: &Vec3) -> (Core, u32) {
    let faces = center.abs() - half.abs() - half_extents;
    let face = faces.imax();
    let length = half.norm();
    let mut edge = (0, f64::NEG_INFINITY);
    for i in 0..3 {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        let cross = half[i1].hypot(half[i2]);
        if cross > 1e-9 * length {
            let distance = (center[i2] * half[i1] - center[i1] * half[i2]).abs();
            let extent = half_extents[i1] * half[i2].abs() + half_extents[i2] * half[i1].abs();
            let separation = (distance - extent) / cross;
            if separation > edge.1 {
                edge = (i, separation);
            }
        }
    }
    let preferred = faces[face]
        + AXIS_PREFERENCE_RELATIVE * faces[face].abs()
        + AXIS_PREFERENCE_ABSOLUTE * half_extents.min();
    if edge.1 > preferred {
        return (across(center, half, half_extents, edge), ACROSS);
    }
    let side = sign(center[face]);
    let mut normal = Vec3::zeros();
    normal[face] = side;
    // The end that is deepest.
    let mut surface = center - half * sign(side * half[face]);
    let distance = side * surface[face] - half_extents[face];
    surface[face] = side * half_extents[face];
    let core = Core {
        surface,
        normal,
        distance,
    };
    (core, BETWEEN)
}

/// The contact of the segment with an edge of the box along axis `i`.
fn across(center: &Vec3, half: &Vec3, half_extents: &Vec3, (i, distance): (usize, f64)) -> Core {
    let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
    let mut normal = Vec3::zeros();
    normal[i1] = -half[i2];
    normal[i2] = half[i1];
    normal /= half[i1].hypot(half[i2]);
    normal *= sign(normal.dot(center));
    let mut middle = normal.map(sign).component_mul(half_extents);
    middle[i] = 0.0;
    let along = Vec3::ith(i, half_extents[i]);
    let (s, _) = closest_of_lines(&middle, &along, center, half).unwrap_or((0.0, 0.0));
    Core {
        surface: middle + along * s.clamp(-1.0, 1.0),
        normal,
        distance,
    }
}

/// Parameters between which the segment is beside the face or the edge that `normal` belongs to;
/// `None` if the segment is not nearly along an edge, or `normal` not nearly that of either.
fn stretch(center: &Vec3, half: &Vec3, half_extents: &Vec3, normal: &Vec3) -> Option<(f64, f64)> {
    let length = half.norm();
    if length == 0.0 {
        return None;
    }
    let largest = normal.abs().imax();
    let smallest = normal.abs().imin();
    let across_face = (1.0 - normal[largest].powi(2)).max(0.0).sqrt();
    let along_edge = normal[smallest].abs() < PARALLEL_SINE
        && half[smallest].abs() > (1.0 - PARALLEL_SINE.powi(2)).sqrt() * length;
    let beside = |axis: usize| {
        if across_face < PARALLEL_SINE {
            axis != largest
        } else {
            axis == smallest
        }
    };
    if across_face >= PARALLEL_SINE && !along_edge {
        return None;
    }
    let (mut low, mut high) = (-1.0_f64, 1.0_f64);
    for axis in (0..3).filter(|&axis| beside(axis)) {
        if half[axis].abs() > 1e-12 * length {
            let middle = -center[axis] / half[axis];
            let spread = half_extents[axis] / half[axis].abs();
            low = low.max(middle - spread);
            high = high.min(middle + spread);
        } else if center[axis].abs() > half_extents[axis] {
            return None;
        }
    }
    (low < high).then_some((low, high))
}

/// The contact at one point of the segment: with the plane of the face if `nearest` is on a face and
/// the point is beside it, otherwise with the closest point of the box.
fn end_contact(at: &Vec3, half_extents: &Vec3, nearest: &Core) -> Core {
    let face = nearest.normal.abs().imax();
    let side = sign(nearest.normal[face]);
    let across_face = (1.0 - nearest.normal[face].powi(2)).max(0.0).sqrt();
    if across_face < PARALLEL_SINE {
        let mut surface = *at;
        surface[face] = side * half_extents[face];
        let mut normal = Vec3::zeros();
        normal[face] = side;
        return Core {
            surface,
            normal,
            distance: side * at[face] - half_extents[face],
        };
    }
    if nearest.distance > 0.0 {
        let (surface, normal, distance) = closest_on_box(at, half_extents);
        return Core {
            surface,
            normal,
            distance,
        };
    }
    // Across the edge, along the same normal.
    let mut middle = nearest.normal.map(sign).component_mul(half_extents);
    let along = nearest.normal.abs().imin();
    middle[along] = at[along];
    let distance = nearest.normal.dot(&(at - middle));
    Core {
        surface: middle,
        normal: nearest.normal,
        distance,
    }
}
