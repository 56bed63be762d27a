//! The shortest way out of an overlap: a polytope within the difference of two shapes grows toward its boundary.

use super::Core;
use super::distance::Vertex;
use crate::constants::{DEPTH_ACCURACY, MAX_CONVEX_STEPS};
use crate::math::Vec3;

/// A triangle of the polytope, counter-clockwise as seen from outside.
#[derive(Debug, Clone, Copy)]
struct Triangle {
    corners: [usize; 3],
    /// Outward unit normal.
    normal: Vec3,
    /// Distance of its plane from the origin `[m]`.
    distance: f64,
}

/// Direction from Q to P along which the way out of an overlap is shortest, up to a small error.
pub(super) fn way_out(p: &Core<'_>, q: &Core<'_>) -> Vec3 {
    let Some(first) = tetrahedron(p, q) else {
        // Shapes without a volume touch in passing.
        let between = p.inner_point() - q.inner_point();
        return between.try_normalize(0.0).unwrap_or_else(Vec3::z);
    };
    let mut vertices = Vec::with_capacity(MAX_CONVEX_STEPS + 4);
    vertices.extend_from_slice(&first);
    let lengths = vertices.iter().map(|vertex| vertex.apart.norm());
    let tolerance = DEPTH_ACCURACY * lengths.fold(0.0, f64::max);
    let flat = 1e-3 * tolerance;
    let mut triangles = faces_of(&vertices);
    let (mut horizon, mut grown) = (Vec::new(), Vec::new());
    let mut nearest = nearest_of(&triangles);
    // The way out along a triangle's normal ends at the farthest point along it, beyond the triangle.
    let mut shortest = (f64::INFINITY, nearest);
    for _ in 0..MAX_CONVEX_STEPS {
        let vertex = Vertex::farthest(p, q, &nearest.normal);
        let length = nearest.normal.dot(&vertex.apart);
        if length < shortest.0 {
            shortest = (length, nearest);
        }
        if length - nearest.distance <= tolerance {
            break;
        }
        vertices.push(vertex);
        // About an origin inside the polytope only grows: a triangle nearer than before is one whose normal is lost to rounding.
        let least = if nearest.distance >= 0.0 {
            nearest.distance - tolerance
        } else {
            f64::NEG_INFINITY
        };
        let grows = [flat, 0.0, -flat].into_iter().any(|flat| {
            grow(
                &triangles,
                &vertices,
                (flat, least),
                &mut horizon,
                &mut grown,
            )
        });
        if !grows {
            // Of directions that are known the best, as it is.
            let length = |triangle: &Triangle| {
                let vertex = Vertex::farthest(p, q, &triangle.normal);
                triangle.normal.dot(&vertex.apart)
            };
            for triangle in &triangles {
                let length = length(triangle);
                if length < shortest.0 {
                    shortest = (length, *triangle);
                }
            }
            break;
        }
        std::mem::swap(&mut triangles, &mut grown);
        nearest = nearest_of(&triangles);
    }
    -shortest.1.normal
}

/// The polytope with its last vertex, which is outside. Triangles go that this is above, or in the plane of within `flat`
/// `[m]`; edges of one of these only are where new triangles begin. False if one of those has no area or is nearer to the
/// origin than `least` `[m]`, or if there are more than a convex polytope of its vertices has (Euler): what rounding has folded
/// multiplies with every vertex.
fn grow(
    triangles: &[Triangle],
    vertices: &[Vertex],
    (flat, least): (f64, f64),
    horizon: &mut Vec<[usize; 2]>,
    grown: &mut Vec<Triangle>,
) -> bool {
    let new = vertices.len() - 1;
    let outside = vertices[new].apart;
    horizon.clear();
    grown.clear();
    for triangle in triangles {
        if triangle.normal.dot(&outside) <= triangle.distance - flat {
            grown.push(*triangle);
            continue;
        }
        let [a, b, c] = triangle.corners;
        for [from, to] in [[a, b], [b, c], [c, a]] {
            if let Some(at) = horizon.iter().position(|edge| *edge == [to, from]) {
                horizon.swap_remove(at);
            } else {
                horizon.push([from, to]);
            }
        }
    }
    if grown.len() + horizon.len() > 2 * vertices.len() - 4 {
        return false;
    }
    horizon.iter().all(|&[from, to]| {
        let made = Triangle::new(vertices, [from, to, new]);
        let made = made.filter(|made| made.distance >= least);
        grown.extend(made);
        made.is_some()
    })
}

impl Triangle {
    /// None for corners on a line.
    fn new(vertices: &[Vertex], corners: [usize; 3]) -> Option<Self> {
        let [a, b, c] = corners.map(|at| vertices[at].apart);
        let normal = (b - a).cross(&(c - a)).try_normalize(f64::MIN_POSITIVE)?;
        Some(Self {
            corners,
            normal,
            distance: normal.dot(&a),
        })
    }
}

fn nearest_of(triangles: &[Triangle]) -> Triangle {
    let rest = triangles[1..].iter();
    *rest.fold(&triangles[0], |best, triangle| {
        if triangle.distance < best.distance {
            triangle
        } else {
            best
        }
    })
}

/// The four triangles of a tetrahedron that is not flat.
fn faces_of(vertices: &[Vertex]) -> Vec<Triangle> {
    let at = |k: usize| vertices[k].apart;
    let is_left = (at(1) - at(0))
        .cross(&(at(2) - at(0)))
        .dot(&(at(3) - at(0)))
        < 0.0;
    let faces = if is_left {
        [[0, 1, 2], [0, 3, 1], [1, 3, 2], [0, 2, 3]]
    } else {
        [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
    };
    let mut triangles = Vec::with_capacity(2 * MAX_CONVEX_STEPS + 4);
    triangles.extend(
        faces
            .into_iter()
            .filter_map(|face| Triangle::new(vertices, face)),
    );
    triangles
}

/// Four points of the difference that span a volume, each as far as can be from what those before it span; none if there are
/// no such.
fn tetrahedron(p: &Core<'_>, q: &Core<'_>) -> Option<[Vertex; 4]> {
    let farthest = |directions: &[Vec3], measure: &dyn Fn(&Vec3) -> f64| {
        let found = directions
            .iter()
            .flat_map(|direction| [*direction, -direction])
            .map(|direction| Vertex::farthest(p, q, &direction))
            .max_by(|a, b| measure(&a.apart).total_cmp(&measure(&b.apart)));
        found.filter(|vertex| measure(&vertex.apart) > 0.0)
    };
    let axes = [Vec3::x(), Vec3::y(), Vec3::z()];
    let a = Vertex::farthest(p, q, &axes[0]);
    let from = a.apart;
    let b = farthest(&axes, &|at| (at - from).norm())?;
    let along = (b.apart - from).normalize();
    let across = axes.map(|axis| axis.cross(&along));
    let c = farthest(&across, &|at| (at - from).cross(&along).norm())?;
    let normal = along.cross(&(c.apart - from));
    let d = farthest(&[normal], &|at| (at - from).dot(&normal).abs())?;
    Some([a, b, c, d])
}
