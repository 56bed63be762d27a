//! Shapes, in body axes with the centre of mass at the origin.

use super::{Frustum, Polyhedron, TriangleMesh};
use crate::math::{Aabb, Pose, Quat, Vec3};
use std::sync::Arc;

/// The geometry of a body.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A ball about the origin.
    Sphere {
        /// Radius `[m]`, positive.
        radius: f64,
    },
    /// A box about the origin, along the body axes.
    Box {
        /// Half of each side `[m]`, positive.
        half_extents: Vec3,
    },
    /// All points within `radius` of a segment along the body's z axis about the origin.
    Capsule {
        /// Half the length of the segment `[m]`, not negative.
        half_length: f64,
        /// Radius `[m]`, positive.
        radius: f64,
    },
    /// A cylinder about the body's z axis, its middle at the origin.
    Cylinder {
        /// Half its length along the axis `[m]`, positive.
        half_length: f64,
        /// Radius `[m]`, positive.
        radius: f64,
    },
    /// A cone about the body's z axis, its centroid at the origin: the base at `-height / 4`, the apex at `3 height / 4`.
    Cone {
        /// Distance of the apex from the base `[m]`, positive.
        height: f64,
        /// Radius of the base `[m]`, positive.
        radius: f64,
    },
    /// All points `x` with `normal . x <= offset`. Only for bodies that are not dynamic.
    HalfSpace {
        /// Outward unit normal, in body axes.
        normal: Vec3,
        /// Distance of the boundary from the origin along the normal `[m]`.
        offset: f64,
    },
    /// A convex polyhedron.
    Polyhedron(Arc<Polyhedron>),
    /// A surface of triangles. Only for bodies that are not dynamic.
    Mesh(Arc<TriangleMesh>),
    /// Several of the above, fixed to each other.
    Compound {
        /// The parts; none is a compound.
        parts: Arc<[CompoundPart]>,
    },
}

/// A part of a compound.
#[derive(Debug, Clone, PartialEq)]
pub struct CompoundPart {
    /// Where it is in the compound.
    pub pose: Pose,
    /// What it is; no compound.
    pub shape: Shape,
}

impl Shape {
    /// A cylinder's or a cone's frustum; none of other shapes.
    pub(crate) fn frustum(&self) -> Option<Frustum> {
        match *self {
            Self::Cylinder {
                half_length,
                radius,
            } => Some(Frustum::cylinder(half_length, radius)),
            Self::Cone { height, radius } => Some(Frustum::cone(height, radius)),
            _ => None,
        }
    }

    /// The shape seen from `origin`: the parts of a compound and the vertices of a polyhedron move by its opposite. Another
    /// shape becomes a compound of one part, unless the origin is where it was.
    #[must_use]
    pub fn recentered(self, origin: &Vec3) -> Self {
        // Bodies at their centres share what they are.
        if *origin == Vec3::zeros() {
            return self;
        }
        match self {
            Self::Compound { parts } => Self::Compound {
                parts: parts
                    .iter()
                    .map(|part| CompoundPart {
                        pose: Pose::new(part.pose.position - origin, part.pose.orientation),
                        shape: part.shape.clone(),
                    })
                    .collect(),
            },
            Self::Polyhedron(solid) => Self::Polyhedron(Arc::new(solid.moved(&-origin))),
            simple => Self::Compound {
                parts: Arc::new([CompoundPart {
                    pose: Pose::new(-origin, Quat::identity()),
                    shape: simple,
                }]),
            },
        }
    }

    /// The shape, larger by a positive factor.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        match self {
            Self::Sphere { radius } => Self::Sphere {
                radius: radius * factor,
            },
            Self::Box { half_extents } => Self::Box {
                half_extents: half_extents * factor,
            },
            Self::Capsule {
                half_length,
                radius,
            } => Self::Capsule {
                half_length: half_length * factor,
                radius: radius * factor,
            },
            Self::Cylinder {
                half_length,
                radius,
            } => Self::Cylinder {
                half_length: half_length * factor,
                radius: radius * factor,
            },
            Self::Cone { height, radius } => Self::Cone {
                height: height * factor,
                radius: radius * factor,
            },
            Self::HalfSpace { normal, offset } => Self::HalfSpace {
                normal: *normal,
                offset: offset * factor,
            },
            // Bodies of one size share it.
            Self::Polyhedron(_) if factor == 1.0 => self.clone(),
            Self::Polyhedron(solid) => Self::Polyhedron(Arc::new(solid.scaled(factor))),
            Self::Mesh(mesh) => Self::Mesh(Arc::new(mesh.scaled(factor))),
            Self::Compound { parts } => {
                let scaled = parts.iter().map(|part| CompoundPart {
                    pose: Pose::new(part.pose.position * factor, part.pose.orientation),
                    shape: part.shape.scaled(factor),
                });
                Self::Compound {
                    parts: scaled.collect(),
                }
            }
        }
    }

    /// A box in world axes that holds the shape at `pose`, the least one but of a mesh that is turned; unbounded for a
    /// half-space.
    #[must_use]
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        match self {
            Self::Sphere { radius } => Aabb {
                min: pose.position.add_scalar(-radius),
                max: pose.position.add_scalar(*radius),
            },
            Self::Box { half_extents } => {
                let rotation = pose.orientation.to_rotation_matrix();
                let reach = rotation.matrix().abs() * half_extents;
                Aabb {
                    min: pose.position - reach,
                    max: pose.position + reach,
                }
            }
            Self::Capsule {
                half_length,
                radius,
            } => {
                let axis = pose.direction(&Vec3::z()) * *half_length;
                let reach = axis.abs().add_scalar(*radius);
                Aabb {
                    min: pose.position - reach,
                    max: pose.position + reach,
                }
            }
            Self::Cylinder {
                half_length,
                radius,
            } => {
                let disks = Frustum::cylinder(*half_length, *radius);
                disks.aabb(&pose.position, &pose.direction(&Vec3::z()))
            }
            Self::Cone { height, radius } => {
                let disks = Frustum::cone(*height, *radius);
                disks.aabb(&pose.position, &pose.direction(&Vec3::z()))
            }
            Self::Polyhedron(solid) => {
                let rotation = pose.orientation.to_rotation_matrix();
                let vertices = solid.vertices().iter();
                Aabb::around(vertices.map(|vertex| pose.position + rotation * vertex))
            }
            Self::Mesh(mesh) => {
                // Of its many vertices the box in its own axes stands for all.
                let bounds = mesh.bounds();
                let rotation = pose.orientation.to_rotation_matrix();
                let middle = pose.position + rotation * ((bounds.min + bounds.max) * 0.5);
                let reach = rotation.matrix().abs() * ((bounds.max - bounds.min) * 0.5);
                Aabb {
                    min: middle - reach,
                    max: middle + reach,
                }
            }
            Self::HalfSpace { .. } => Aabb::everything(),
            Self::Compound { parts } => parts.iter().fold(Aabb::empty(), |all, part| {
                all.merged(&part.shape.aabb(&pose.compose(&part.pose)))
            }),
        }
    }

    /// Radius of the largest ball inside `[m]`: of a compound, inside one of its parts; infinite for a
    /// half-space, and for a mesh, which has no other side.
    #[must_use]
    pub fn inner_radius(&self) -> f64 {
        match self {
            Self::Sphere { radius } | Self::Capsule { radius, .. } => *radius,
            Self::Box { half_extents } => half_extents.min(),
            Self::Cylinder {
                half_length,
                radius,
            } => Frustum::cylinder(*half_length, *radius).inner_radius(),
            Self::Cone { height, radius } => Frustum::cone(*height, *radius).inner_radius(),
            Self::Polyhedron(solid) => solid.inner_radius(),
            Self::HalfSpace { .. } | Self::Mesh(_) => f64::INFINITY,
            Self::Compound { parts } => parts
                .iter()
                .map(|part| part.shape.inner_radius())
                .fold(f64::INFINITY, f64::min),
        }
    }

    /// Largest distance of a point of the shape from the origin `[m]`; infinite for a half-space.
    #[must_use]
    pub fn bounding_radius(&self) -> f64 {
        match self {
            Self::Sphere { radius } => *radius,
            Self::Box { half_extents } => half_extents.norm(),
            Self::Cylinder {
                half_length,
                radius,
            } => Frustum::cylinder(*half_length, *radius).bounding_radius(),
            Self::Cone { height, radius } => Frustum::cone(*height, *radius).bounding_radius(),
            Self::Polyhedron(solid) => solid.bounding_radius(),
            Self::Mesh(mesh) => mesh.bounding_radius(),
            Self::Capsule {
                half_length,
                radius,
            } => half_length + radius,
            Self::HalfSpace { .. } => f64::INFINITY,
            Self::Compound { parts } => parts.iter().fold(0.0, |reach: f64, part| {
                reach.max(part.pose.position.norm() + part.shape.bounding_radius())
            }),
        }
    }
}
