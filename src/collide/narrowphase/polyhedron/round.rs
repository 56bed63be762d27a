//! A polyhedron and what is round or flat: spheres, capsules, half-spaces.

use super::Standing;
use super::patch::MAX_VERTICES;
use crate::collide::narrowphase::envelope::{Bearing, bearing_points};
use crate::collide::narrowphase::manifold::{Manifold, Point};
use crate::collide::narrowphase::query::Query;
use crate::collide::narrowphase::segment::{closest_of_segments, closest_to_point};
use crate::constants::MAX_MANIFOLD_POINTS;
use crate::math::Vec3;
use crate::world::{Face, Solid};

/// What a point is nearest to on a solid's surface, in the solid's axes.
struct Nearest {
    /// Negative inside `[m]`.
    distance: f64,
    /// Unit vector out of the solid.
    normal: Vec3,
}

/// One point: where the solid is nearest to the sphere's centre, or the nearest face if that is inside.
pub(in crate::collide::narrowphase) fn sphere_polyhedron(
    (p, radius): (&Vec3, f64),
    (q, rotation, solid): Standing<'_>,
    query: &Query,
    manifold: &mut Manifold,
) {
    let local = rotation.tr_mul(&(p - q));
    let nearest = nearest(&solid, &local);
    let separation = nearest.distance - radius;
    let normal = rotation * nearest.normal;
    if separation > query.reach {
        manifold.set_apart(separation);
        return;
    }
    let position = p - normal * (radius + 0.5 * separation);
    manifold.offer(
        query,
        Point {
            feature: 0,
            position,
            normal,
            separation,
        },
    );
}

/// The vertices near the half-space; of more than a manifold has room for those that bear.
pub(in crate::collide::narrowphase) fn half_space_polyhedron(
    (p, rotation, solid): Standing<'_>,
    (q, normal, offset): (&Vec3, Vec3, f64),
    query: &Query,
    manifold: &mut Manifold,
) {
    let height = (p - q).dot(&normal) - offset;
    let up = rotation.tr_mul(&normal);
    let lowest = height + solid.lowest(&up);
    if lowest > query.reach {
        manifold.set_apart(lowest);
        return;
    }
    let u = up.cross(&Vec3::ith(up.iamin(), 1.0)).normalize();
    let v = up.cross(&u);
    let mut near = Vec::new();
    for (index, vertex) in (0..).zip(solid.vertices) {
        let separation = height + up.dot(vertex);
        if separation > query.reach {
            continue;
        }
        let position = p + rotation * vertex - normal * (0.5 * separation);
        if query.admits(&position, &normal, separation) {
            let at = [u.dot(vertex), v.dot(vertex), separation];
            let point = Point {
                feature: index,
                position,
                normal: query.orient(&normal),
                separation,
            };
            near.push((at, point));
        }
    }
    // All that there is room for: what falls stands on the first that is there.
    if near.len() <= MAX_MANIFOLD_POINTS {
        for (_, point) in near {
            manifold.push(point);
        }
        return;
    }
    // No face has more.
    if near.len() > MAX_VERTICES {
        near.sort_by(|(one, _), (other, _)| one[2].total_cmp(&other[2]));
        near.truncate(MAX_VERTICES);
    }
    let stays = |index: usize| query.keeps(near[index].1.feature, near[index].1.separation);
    let at = |index: usize| near[index].0;
    let bearing = Bearing {
        level: query.level_around(lowest),
        ..Bearing::POINTS
    };
    let (chosen, count) = bearing_points::<MAX_VERTICES>(near.len(), &bearing, at, stays);
    for &index in &chosen[..count] {
        manifold.push(near[index].1);
    }
}

/// Two points where the capsule lies along a face, one elsewhere.
pub(in crate::collide::narrowphase) fn capsule_polyhedron(
    (p, axis, half_length, radius): (&Vec3, &Vec3, f64, f64),
    (q, rotation, solid): Standing<'_>,
    query: &Query,
    manifold: &mut Manifold,
) {
    let (center, half) = (
        rotation.tr_mul(&(p - q)),
        rotation.tr_mul(axis) * half_length,
    );
    let ends = [center - half, center + half];
    let (index, face) = facing(&solid, &ends);
    let height = |x: &Vec3| face.normal.dot(x) - face.offset;
    let (on_axis, mut nearest) = nearest_to_segment(&solid, (&center, &half), face, &ends);
    let separation = nearest.distance - radius;
    if separation > query.reach {
        manifold.set_apart(separation);
        return;
    }
    // The stretch of the axis that is above the face.
    if let Some(stretch) = above(&solid, face, &ends) {
        let least = stretch.iter().map(height).fold(f64::INFINITY, f64::min);
        // Where the axis runs into the solid the face is the way out.
        if nearest.distance <= 0.0 || least <= nearest.distance * (1.0 + 1e-9) + 1e-12 * radius {
            for (end, at) in (0..).zip(&stretch) {
                let separation = height(at) - radius;
                let normal = rotation * face.normal;
                manifold.offer(
                    query,
                    Point {
                        feature: index << 1 | end,
                        position: q + rotation * at - normal * (radius + 0.5 * separation),
                        normal,
                        separation,
                    },
                );
            }
            return;
        }
    }
    if nearest.distance <= 0.0 {
        nearest.normal = face.normal;
    }
    let normal = rotation * nearest.normal;
    manifold.offer(
        query,
        Point {
            feature: u32::MAX >> 2,
            position: q + rotation * on_axis - normal * (radius + 0.5 * separation),
            normal,
            separation,
        },
    );
}

/// The part of a segment within the sides of a face, by its ends; nothing if there is none, or no length.
fn above(solid: &Solid<'_>, face: &Face, ends: &[Vec3; 2]) -> Option<[Vec3; 2]> {
    let (mut low, mut high) = (0.0, 1.0);
    let corners: Vec<Vec3> = solid.corners(face).collect();
    for (k, from) in corners.iter().enumerate() {
        let to = &corners[(k + 1) % corners.len()];
        let outward = (to - from).cross(&face.normal);
        let [start, end] = ends.map(|at| outward.dot(&(at - from)));
        if start > 0.0 && end > 0.0 {
            return None;
        }
        if start != end {
            let crossing = start / (start - end);
            if end > start {
                high = f64::min(high, crossing.max(0.0));
            } else {
                low = f64::max(low, crossing.min(1.0));
            }
        }
    }
    (low < high).then(|| [low, high].map(|t| ends[0].lerp(&ends[1], t)))
}

/// The face that a segment is highest above, by its lower end.
fn facing<'a>(solid: &Solid<'a>, ends: &[Vec3; 2]) -> (u32, &'a Face) {
    let lower = |face: &Face| {
        let [a, b] = ends.map(|x| face.normal.dot(&x) - face.offset);
        a.min(b)
    };
    let mut best = (0, &solid.faces[0]);
    for (index, face) in (0..).zip(solid.faces) {
        if lower(face) > lower(best.1) {
            best = (index, face);
        }
    }
    best
}

/// The point of a segment that is nearest to a solid, or its deepest end along `face` where it runs into the solid.
fn nearest_to_segment(
    solid: &Solid<'_>,
    (center, half): (&Vec3, &Vec3),
    face: &Face,
    ends: &[Vec3; 2],
) -> (Vec3, Nearest) {
    let mut best: Option<(Vec3, Nearest)> = None;
    let mut consider = |at: Vec3, found: Nearest| {
        if best
            .as_ref()
            .is_none_or(|(_, best)| found.distance < best.distance)
        {
            best = Some((at, found));
        }
    };
    for end in ends {
        consider(*end, nearest(solid, end));
    }
    let crosses = solid
        .faces
        .iter()
        .try_fold((0.0_f64, 1.0_f64), |(low, high), face| {
            let [a, b] = ends.map(|x| face.normal.dot(&x) - face.offset);
            let at = a / (a - b);
            let (low, high) = match (a > 0.0, b > 0.0) {
                (true, true) => return None,
                (true, false) => (low.max(at), high),
                (false, true) => (low, high.min(at)),
                (false, false) => (low, high),
            };
            (low < high).then_some((low, high))
        });
    if crosses.is_some() {
        let heights = ends.map(|x| face.normal.dot(&x) - face.offset);
        let lower = usize::from(heights[1] < heights[0]);
        let inside = Nearest {
            distance: heights[lower].min(0.0),
            normal: face.normal,
        };
        return (ends[lower], inside);
    }
    for edge in solid.edges {
        let [from, to] = edge.vertices.map(|at| solid.vertices[at as usize]);
        let (middle, half_edge) = ((from + to) * 0.5, (to - from) * 0.5);
        let (s, t) = closest_of_segments(center, half, &middle, &half_edge);
        let (on_axis, on_edge) = (center + half * s, middle + half_edge * t);
        let apart = on_axis - on_edge;
        let distance = apart.norm();
        if distance > 0.0 {
            consider(
                on_axis,
                Nearest {
                    distance,
                    normal: apart / distance,
                },
            );
        }
    }
    best.unwrap_or((
        *center,
        Nearest {
            distance: f64::INFINITY,
            normal: face.normal,
        },
    ))
}

/// Signed distance of a point from a solid, in its axes `[m]`: negative inside.
pub(crate) fn distance_from_solid(point: &Vec3, solid: &Solid<'_>) -> f64 {
    nearest(solid, point).distance
}

/// Where a solid's surface is nearest to a point.
fn nearest(solid: &Solid<'_>, point: &Vec3) -> Nearest {
    let mut inside = Nearest {
        distance: f64::NEG_INFINITY,
        normal: Vec3::z(),
    };
    let mut outside = (f64::INFINITY, Vec3::zeros());
    for face in solid.faces {
        let height = face.normal.dot(point) - face.offset;
        if height > inside.distance {
            inside = Nearest {
                distance: height,
                normal: face.normal,
            };
        }
        if height > 0.0 && height * height < outside.0 {
            let on_face = onto_face(solid, face, point);
            let squared = (point - on_face).norm_squared();
            if squared < outside.0 {
                outside = (squared, point - on_face);
            }
        }
    }
    let distance = outside.0.sqrt();
    if inside.distance > 0.0 && distance > 0.0 {
        return Nearest {
            distance,
            normal: outside.1 / distance,
        };
    }
    inside
}

/// The point of a face that is nearest to a point above or below it.
pub(super) fn onto_face(solid: &Solid<'_>, face: &Face, point: &Vec3) -> Vec3 {
    let corners = solid.corners(face);
    let count = corners.len();
    let range = face.first as usize..face.first as usize + count;
    let corner = |k: usize| solid.vertices[solid.loops[range.start + k % count] as usize];
    let mut best: Option<(f64, Vec3)> = None;
    for k in 0..count {
        let (from, to) = (corner(k), corner(k + 1));
        if (to - from).cross(&face.normal).dot(&(point - from)) > 0.0 {
            let (middle, half) = ((from + to) * 0.5, (to - from) * 0.5);
            let on_side = middle + half * closest_to_point(&middle, &half, point);
            let squared = (point - on_side).norm_squared();
            if best.is_none_or(|(least, _)| squared < least) {
                best = Some((squared, on_side));
            }
        }
    }
    let foot = point - face.normal * (face.normal.dot(point) - face.offset);
    best.map_or(foot, |(_, on_side)| on_side)
}
