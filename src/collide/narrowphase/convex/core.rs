//! Convex shapes by their farthest points.

use super::Facing;
use super::facing::{self, Toward};
use crate::collide::narrowphase::polyhedron::Standing;
use crate::constants::{RIM_CORNERS, TURNED_TOWARD};
use crate::math::{Mat3, Vec3};
use crate::world::Frustum;
use std::array;
use std::f64::consts::TAU;
use std::sync::LazyLock;

/// A shape where it stands, relative to body A's centre of mass, in world axes.
pub(crate) enum Core<'a> {
    /// A box or a polyhedron.
    Solid(Standing<'a>),
    /// A cylinder or a cone: origin and directions of its axes.
    Frustum {
        position: Vec3,
        rotation: Mat3,
        frustum: Frustum,
    },
    /// A capsule: its segment, and the radius around it.
    Capsule {
        position: Vec3,
        half: Vec3,
        radius: f64,
    },
}

impl Core<'_> {
    /// Radius of the ball that is added to the core `[m]`.
    pub(crate) fn radius(&self) -> f64 {
        match self {
            Self::Capsule { radius, .. } => *radius,
            _ => 0.0,
        }
    }

    /// A length of the shape to compare with `[m]`: the radius of a ball inside.
    pub(super) fn size(&self) -> f64 {
        match self {
            Self::Solid((_, _, solid)) => solid.inner_radius(),
            Self::Frustum { frustum, .. } => frustum.inner_radius(),
            Self::Capsule { radius, .. } => *radius,
        }
    }

    /// A point inside of the core.
    pub(super) fn inner_point(&self) -> Vec3 {
        match self {
            Self::Solid((position, rotation, solid)) => *position + *rotation * solid.center,
            Self::Frustum { position, .. } | Self::Capsule { position, .. } => *position,
        }
    }

    /// The core's farthest point along a direction.
    pub(crate) fn farthest(&self, direction: &Vec3) -> Vec3 {
        match self {
            Self::Solid((position, rotation, solid)) => {
                let local = rotation.tr_mul(direction);
                *position + *rotation * solid.vertices[solid.farthest(&local)]
            }
            Self::Frustum {
                position,
                rotation,
                frustum,
            } => position + rotation * frustum.farthest(&rotation.tr_mul(direction)),
            Self::Capsule { position, half, .. } => {
                if half.dot(direction) > 0.0 {
                    position + half
                } else {
                    position - half
                }
            }
        }
    }

    /// Outward normal of the face that is turned most along a direction, if it is turned so.
    pub(super) fn face_toward(&self, direction: &Vec3) -> Option<Vec3> {
        match self {
            Self::Solid((_, rotation, solid)) => {
                let local = rotation.tr_mul(direction);
                let (_, face) = facing::face_along(solid, &local);
                (face.normal.dot(&local) >= TURNED_TOWARD).then(|| *rotation * face.normal)
            }
            Self::Frustum {
                rotation, frustum, ..
            } => {
                let axis = rotation.column(2).into_owned();
                let along = axis.dot(direction);
                let is_face =
                    along.abs() >= TURNED_TOWARD && frustum.radii[usize::from(along > 0.0)] > 0.0;
                is_face.then(|| axis.scale(along.signum()))
            }
            Self::Capsule { .. } => None,
        }
    }

    /// Fills in the feature turned most along a direction.
    pub(super) fn turn_toward(&self, direction: &Vec3, facing: &mut Facing) {
        match self {
            Self::Solid((position, rotation, solid)) => {
                let local = rotation.tr_mul(direction);
                facing.fill_by_solid((position, rotation, *solid), &local);
            }
            Self::Frustum {
                position,
                rotation,
                frustum,
            } => {
                let local = rotation.tr_mul(direction);
                // Corners that turn with the body. Those that begin where a disk leans go around the rim with every sway, under the same names.
                let corners = |_, _| &*CORNERS;
                facing.fill_by_frustum((position, rotation, frustum), &local, corners);
            }
            Self::Capsule { position, half, .. } => {
                let ends = [position - half, position + half];
                // A capsule without a length is a ball.
                if *half == Vec3::zeros() {
                    facing.fill((Toward::Point, 0.0, 0), ends.into_iter().take(1));
                } else {
                    let cosine = facing::across(half, direction);
                    facing.fill((Toward::Line, cosine, 0), ends.into_iter());
                }
            }
        }
    }

    /// Fills in the edge of a solid that is turned most along a direction, if it is turned so. False of other shapes.
    pub(super) fn turn_edge_toward(&self, direction: &Vec3, facing: &mut Facing) -> bool {
        let Self::Solid((position, rotation, solid)) = self else {
            return false;
        };
        facing.fill_by_edge(
            (position, rotation, *solid),
            &rotation.tr_mul(direction),
            TURNED_TOWARD,
        )
    }
}

/// Directions of the corners that stand for a rim.
static CORNERS: LazyLock<[[f64; 2]; RIM_CORNERS]> = LazyLock::new(|| {
    array::from_fn(|corner| {
        let (sine, cosine) = (TAU * corner as f64 / RIM_CORNERS as f64).sin_cos();
        [cosine, sine]
    })
});
