//! The convex parts of bodies, with their features.

use super::feature::Feature;
use crate::collide::{Core, Cuboid};
use crate::math::{Mat3, Pose, Vec3};
use crate::world::{Frustum, Polyhedron, Shape, Solid};
use std::sync::Arc;

/// The geometry of a part.
pub(super) enum Form {
    Sphere(f64),
    HalfSpace { normal: Vec3, offset: f64 },
    Cuboid(Box<Cuboid>),
    Polyhedron(Arc<Polyhedron>),
    Capsule { half_length: f64, radius: f64 },
    Frustum(Frustum),
}

/// A convex part of a body.
pub(super) struct Part {
    /// In the body's axes.
    pub(super) pose: Pose,
    pub(super) form: Form,
    /// In the body's axes.
    pub(super) features: Vec<Bounded>,
}

/// A feature as far as it is of a shape.
pub(super) struct Bounded {
    pub(super) feature: Feature,
    extent: Extent,
}

/// The part of a core that is of a shape.
enum Extent {
    Whole,
    /// Of a line, parameters of its ends.
    Span([f64; 2]),
    /// Of a plane.
    Disk {
        center: Vec3,
        radius: f64,
    },
    /// Of a plane, its corners counter-clockwise.
    Polygon(Vec<Vec3>),
}

impl Form {
    pub(super) fn solid(&self) -> Option<Solid<'_>> {
        match self {
            Self::Cuboid(cuboid) => Some(cuboid.solid()),
            Self::Polyhedron(solid) => Some(solid.solid()),
            _ => None,
        }
    }

    /// The form by its farthest points; none of a half-space.
    pub(super) fn core<'a>(&'a self, position: &'a Vec3, rotation: &'a Mat3) -> Option<Core<'a>> {
        let capsule = |half_length: f64, radius: f64| Core::Capsule {
            position: *position,
            half: rotation.column(2) * half_length,
            radius,
        };
        match self {
            Self::Sphere(radius) => Some(capsule(0.0, *radius)),
            Self::Capsule {
                half_length,
                radius,
            } => Some(capsule(*half_length, *radius)),
            Self::Frustum(frustum) => Some(Core::Frustum {
                position: *position,
                rotation: *rotation,
                frustum: *frustum,
            }),
            _ => Some(Core::Solid((position, rotation, self.solid()?))),
        }
    }

    /// Its features in its own axes.
    fn features(&self) -> Vec<Bounded> {
        let point = |at: Vec3, radius: f64| Bounded::whole(Feature::Point { at, radius });
        match self {
            Self::Sphere(radius) => vec![point(Vec3::zeros(), *radius)],
            Self::HalfSpace { normal, offset } => vec![Bounded::whole(Feature::Plane {
                normal: *normal,
                offset: *offset,
            })],
            Self::Capsule {
                half_length,
                radius,
            } => {
                let line = Feature::Line {
                    at: Vec3::zeros(),
                    along: Vec3::z(),
                    radius: *radius,
                    taper: 0.0,
                };
                let ends = [-half_length, *half_length];
                let mut features: Vec<Bounded> =
                    ends.map(|end| point(Vec3::z() * end, *radius)).into();
                features.push(Bounded::span(line, ends));
                features
            }
            Self::Frustum(frustum) => of_frustum(frustum),
            _ => self
                .solid()
                .map(|solid| of_solid(&solid))
                .unwrap_or_default(),
        }
    }
}

/// Disks, rims, an apex, and the side: the balls on the axis that touch it.
fn of_frustum(frustum: &Frustum) -> Vec<Bounded> {
    let [side_out, side_up] = frustum.side_normal;
    let mut features = Vec::new();
    for (end, sign) in [(0, -1.0), (1, 1.0)] {
        let (radius, center) = (frustum.radii[end], Vec3::z() * frustum.heights[end]);
        if radius == 0.0 {
            features.push(Bounded::whole(Feature::Point {
                at: center,
                radius: 0.0,
            }));
            continue;
        }
        features.push(Bounded {
            feature: Feature::Plane {
                normal: Vec3::z() * sign,
                offset: sign * frustum.heights[end],
            },
            extent: Extent::Disk { center, radius },
        });
        features.push(Bounded::whole(Feature::Circle {
            center,
            axis: Vec3::z(),
            radius,
        }));
    }
    let radii = frustum.radii.map(|radius| radius / side_out);
    let ends: [f64; 2] = std::array::from_fn(|end| frustum.heights[end] - side_up * radii[end]);
    let line = Feature::Line {
        at: Vec3::z() * ends[0],
        along: Vec3::z(),
        radius: radii[0],
        taper: (radii[1] - radii[0]) / (ends[1] - ends[0]),
    };
    features.push(Bounded::span(line, [0.0, ends[1] - ends[0]]));
    features
}

fn of_solid(solid: &Solid<'_>) -> Vec<Bounded> {
    let corners = solid
        .vertices
        .iter()
        .map(|&at| Bounded::whole(Feature::Point { at, radius: 0.0 }));
    let edges = solid.edges.iter().map(|edge| {
        let [from, to] = edge.vertices.map(|at| solid.vertices[at as usize]);
        let line = Feature::Line {
            at: from,
            along: (to - from).normalize(),
            radius: 0.0,
            taper: 0.0,
        };
        Bounded::span(line, [0.0, (to - from).norm()])
    });
    let faces = solid.faces.iter().map(|face| Bounded {
        feature: Feature::Plane {
            normal: face.normal,
            offset: face.offset,
        },
        extent: Extent::Polygon(solid.corners(face).collect()),
    });
    corners.chain(edges).chain(faces).collect()
}

impl Bounded {
    fn whole(feature: Feature) -> Self {
        Self {
            feature,
            extent: Extent::Whole,
        }
    }

    fn span(feature: Feature, ends: [f64; 2]) -> Self {
        Self {
            feature,
            extent: Extent::Span(ends),
        }
    }

    fn placed(&self, pose: &Pose) -> Self {
        let extent = match &self.extent {
            Extent::Whole => Extent::Whole,
            Extent::Span(ends) => Extent::Span(*ends),
            Extent::Disk { center, radius } => Extent::Disk {
                center: pose.point(center),
                radius: *radius,
            },
            Extent::Polygon(corners) => {
                Extent::Polygon(corners.iter().map(|corner| pose.point(corner)).collect())
            }
        };
        Self {
            feature: self.feature.placed(pose),
            extent,
        }
    }

    /// True for a point of the core that is of the shape, or no farther beside it than `tolerance` `[m]`.
    pub(super) fn holds(&self, point: &Vec3, tolerance: f64) -> bool {
        match (&self.extent, &self.feature) {
            (Extent::Span([low, high]), Feature::Line { at, along, .. }) => {
                let s = along.dot(&(point - at));
                s >= low - tolerance && s <= high + tolerance
            }
            (Extent::Disk { center, radius }, _) => (point - center).norm() <= radius + tolerance,
            (Extent::Polygon(corners), Feature::Plane { normal, .. }) => {
                let next = corners.iter().skip(1).chain(corners.first());
                corners.iter().zip(next).all(|(from, to)| {
                    let outward = (to - from).cross(normal).normalize();
                    outward.dot(&(point - from)) <= tolerance
                })
            }
            _ => true,
        }
    }

    /// How far the feature reaches along a direction `[m]`; none of a face.
    pub(super) fn reach(&self, direction: &Vec3) -> Option<f64> {
        match (self.feature, &self.extent) {
            (Feature::Point { at, radius }, _) => Some(at.dot(direction) + radius),
            (
                Feature::Circle {
                    center,
                    axis,
                    radius,
                },
                _,
            ) => Some(center.dot(direction) + radius * axis.cross(direction).norm()),
            (
                Feature::Line {
                    at,
                    along,
                    radius,
                    taper,
                },
                Extent::Span(ends),
            ) => {
                let end = |s: f64| (at + along * s).dot(direction) + radius + s * taper;
                Some(end(ends[0]).max(end(ends[1])))
            }
            _ => None,
        }
    }
}

impl Part {
    fn new(pose: Pose, form: Form) -> Self {
        let features = form.features();
        Self {
            features: features.iter().map(|one| one.placed(&pose)).collect(),
            pose,
            form,
        }
    }

    /// True for a cylinder or a cone.
    pub(super) fn has_rims(&self) -> bool {
        matches!(self.form, Form::Frustum(_))
    }

    /// A length of the part `[m]`.
    pub(super) fn size(&self) -> f64 {
        match &self.form {
            Form::Sphere(radius) => *radius,
            Form::HalfSpace { .. } => 0.0,
            Form::Capsule {
                half_length,
                radius,
            } => half_length + radius,
            Form::Frustum(frustum) => frustum.bounding_radius(),
            form => form.solid().map_or(0.0, |solid| {
                let radii = solid.vertices.iter().map(|v| (v - solid.center).norm());
                radii.fold(0.0, f64::max)
            }),
        }
    }

    /// The parts of a shape.
    ///
    /// # Errors
    /// Why the event stepper has no contacts for it.
    pub(super) fn of(
        shape: &Shape,
        pose: Pose,
        parts: &mut Vec<Self>,
    ) -> std::result::Result<(), String> {
        let form = match shape {
            Shape::Sphere { radius } => Form::Sphere(*radius),
            Shape::HalfSpace { normal, offset } => Form::HalfSpace {
                normal: *normal,
                offset: *offset,
            },
            Shape::Box { half_extents } => Form::Cuboid(Box::new(Cuboid::new(half_extents))),
            Shape::Polyhedron(solid) => Form::Polyhedron(Arc::clone(solid)),
            Shape::Capsule {
                half_length,
                radius,
            } => Form::Capsule {
                half_length: *half_length,
                radius: *radius,
            },
            Shape::Cylinder {
                half_length,
                radius,
            } => Form::Frustum(Frustum::cylinder(*half_length, *radius)),
            Shape::Cone { height, radius } => Form::Frustum(Frustum::cone(*height, *radius)),
            Shape::Compound { parts: inner } => {
                for part in inner.iter() {
                    Self::of(&part.shape, pose.compose(&part.pose), parts)?;
                }
                return Ok(());
            }
            Shape::Mesh(_) => return Err("the event stepper has no contacts of meshes".into()),
        };
        parts.push(Self::new(pose, form));
        Ok(())
    }
}
