//! The distance of two boxes that do not overlap, from their vertices and edges.

use super::box_half_space::corner;
use super::segment::closest_of_lines;
use crate::math::{Mat3, Vec3};

/// What has been found so far.
struct Nearest {
    squared: f64,
    on_p: Vec3,
    on_q: Vec3,
    code: u32,
}

impl Nearest {
    fn consider(&mut self, on_p: Vec3, on_q: Vec3, code: u32) {
        let squared = (on_p - on_q).norm_squared();
        if squared < self.squared {
            *self = Self {
                squared,
                on_p,
                on_q,
                code,
            };
        }
    }
}

/// The closest points of two disjoint boxes and a name for the features they are on, in the axes of
/// the first box, P; `q` is the centre of the other one, its axes as columns, and its half extents.
///
/// The closest points are a vertex and a point of the other box, or on two edges: all vertices are
/// tried, then those edges that can be closer than what was found.
pub(super) fn closest_features(
    (center, rotation, half_q): (&Vec3, &Mat3, &Vec3),
    half_p: &Vec3,
) -> (Vec3, Vec3, u32) {
    let mut nearest = Nearest {
        squared: f64::INFINITY,
        on_p: Vec3::zeros(),
        on_q: *center,
        code: 0,
    };
    let clamp = |point: &Vec3, half: &Vec3| point.sup(&-half).inf(half);
    let onto_q =
        |point: &Vec3| center + rotation * clamp(&rotation.tr_mul(&(point - center)), half_q);
    for vertex in 0..8 {
        let on_q = center + rotation * corner(vertex, half_q);
        nearest.consider(clamp(&on_q, half_p), on_q, vertex);
        let on_p = corner(vertex, half_p);
        nearest.consider(on_p, onto_q(&on_p), 8 | vertex);
    }
    // An edge whose middle is farther from the other box than this and half its length has no point that
    // is nearer.
    let near = nearest.squared.sqrt();
    let mut edges_q = [(0, Vec3::zeros(), Vec3::zeros()); 12];
    let mut count = 0;
    for edge_q in 0..12 {
        let (middle, axis) = edge(edge_q, half_q);
        let middle = center + rotation * middle;
        if (middle - clamp(&middle, half_p)).norm() <= half_q[axis] + near {
            edges_q[count] = (edge_q, middle, rotation.column(axis) * half_q[axis]);
            count += 1;
        }
    }
    for edge_p in 0..12 {
        let (middle_p, axis) = edge(edge_p, half_p);
        if (middle_p - onto_q(&middle_p)).norm() > half_p[axis] + near {
            continue;
        }
        let half_edge_p = Vec3::ith(axis, half_p[axis]);
        for (edge_q, middle_q, half_edge_q) in &edges_q[..count] {
            // Ends of edges are vertices, which have been tried.
            if let Some((s, t)) = closest_of_lines(&middle_p, &half_edge_p, middle_q, half_edge_q)
                && s.abs() < 1.0
                && t.abs() < 1.0
            {
                nearest.consider(
                    middle_p + half_edge_p * s,
                    middle_q + half_edge_q * t,
                    16 | edge_p << 12 | edge_q << 8,
                );
            }
        }
    }
    (nearest.on_p, nearest.on_q, nearest.code)
}

/// Middle and direction of edge 0 to 11 of a box: four along each axis.
fn edge(index: u32, half_extents: &Vec3) -> (Vec3, usize) {
    let axis = (index / 4) as usize;
    let mut middle = Vec3::zeros();
    for (bit, k) in [(1, (axis + 1) % 3), (2, (axis + 2) % 3)] {
        middle[k] = if (index % 4) & bit == 0 {
            -half_extents[k]
        } else {
            half_extents[k]
        };
    }
    (middle, axis)
}
