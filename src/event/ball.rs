//! A ball at a solid: the face, edge or corner that its centre is nearest to.

use super::contact::Meeting;
use crate::math::{Pose, Vec3};
use crate::world::{Face, Solid};

/// What a point is nearest to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Feature {
    Face(usize),
    Edge(usize),
    Corner(u32),
}

/// Distance of a ball's centre from a solid, in its axes `[m]`: negative inside.
pub(super) fn distance(solid: &Solid<'_>, center: &Vec3) -> f64 {
    nearest(solid, center).1
}

/// The contact of a ball with a solid; the centre is in the axes of the solid, `corner` and `pose` are the ball's centre and the
/// solid in the axes of their bodies.
pub(super) fn meeting(
    (center, corner, radius): (&Vec3, Vec3, f64),
    (solid, pose): (&Solid<'_>, &Pose),
) -> Meeting {
    let at = |vertex: u32| pose.point(&solid.vertices[vertex as usize]);
    match nearest(solid, center).0 {
        Feature::Face(face) => {
            let face = &solid.faces[face];
            let normal = pose.direction(&face.normal);
            Meeting::CornerOnFace {
                corner,
                radius,
                normal,
                offset: face.offset + normal.dot(&pose.position),
            }
        }
        Feature::Edge(edge) => {
            let [from, to] = solid.edges[edge].vertices.map(at);
            Meeting::BallOnEdge {
                center: corner,
                radius,
                point: from,
                along: (to - from).normalize(),
            }
        }
        Feature::Corner(vertex) => Meeting::Points {
            points: [corner, at(vertex)],
            distance: radius,
        },
    }
}

/// The nearest feature of a solid, and the distance of a point from it `[m]`. Inside it is the face with the least way out.
fn nearest(solid: &Solid<'_>, point: &Vec3) -> (Feature, f64) {
    let mut inside = (Feature::Face(0), f64::NEG_INFINITY);
    for (index, face) in solid.faces.iter().enumerate() {
        let height = face.normal.dot(point) - face.offset;
        // Nothing of a convex solid is nearer than the face that a point is above.
        if height > 0.0 && is_above(solid, face, point) {
            return (Feature::Face(index), height);
        }
        if height > inside.1 {
            inside = (Feature::Face(index), height);
        }
    }
    if inside.1 <= 0.0 {
        return inside;
    }
    let mut outside = (inside.0, f64::INFINITY);
    for (index, edge) in solid.edges.iter().enumerate() {
        let [from, to] = edge.vertices.map(|at| solid.vertices[at as usize]);
        let along = to - from;
        let part = along.dot(&(point - from)) / along.norm_squared();
        let (feature, on) = if part <= 0.0 {
            (Feature::Corner(edge.vertices[0]), from)
        } else if part >= 1.0 {
            (Feature::Corner(edge.vertices[1]), to)
        } else {
            (Feature::Edge(index), from + along * part)
        };
        let distance = (point - on).norm();
        if distance < outside.1 {
            outside = (feature, distance);
        }
    }
    outside
}

/// True for a point whose foot on the plane of a face is on the face.
fn is_above(solid: &Solid<'_>, face: &Face, point: &Vec3) -> bool {
    let corners = solid.corners(face);
    let next = solid
        .corners(face)
        .skip(1)
        .chain(solid.corners(face).take(1));
    corners
        .zip(next)
        .all(|(from, to)| (to - from).cross(&face.normal).dot(&(point - from)) <= 0.0)
}
