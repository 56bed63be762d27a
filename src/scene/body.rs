//! Bodies and shapes of scene files as those of the world.

use super::meshes;
use super::place::Place;
use super::polyhedra;
use super::schema;
use super::vectors::{matrix, pose, vector};
use crate::error::{Error, Result};
use crate::math::{Pose, Vec3};
use crate::world::{Body, CollisionGroups, CompoundPart, Keyframe, MassProperties, Motion, Shape};
use std::sync::Arc;

/// Makes a body, of the default material.
///
/// # Errors
/// [`Error::Scene`] for a mass or inertia that does not fit single precision.
pub(super) fn body(given: &schema::Body, place: &Place<'_>) -> Result<Body> {
    let frame = pose(&given.position, &given.rotation);
    let shape = shape(&given.shape)?;
    let body = match (given.kind, &given.motion) {
        (schema::Kind::Dynamic, _) => {
            let mass = (given.density, given.mass, given.inertia.as_ref());
            let body = dynamic(shape, frame, mass, place)?;
            match &given.center_of_mass {
                Some(center) => with_center(body, &vector(center), place)?,
                None => body,
            }
        }
        (_, Some(prescribed)) => Body::kinematic(shape, frame, motion(prescribed)),
        (_, None) => Body::fixed(shape, frame),
    };
    let body = body.moving(
        vector(&given.linear_velocity),
        vector(&given.angular_velocity),
    );
    Ok(Body {
        groups: groups(&given.groups),
        ..body
    })
}

/// Moves a body's centre of mass.
///
/// # Errors
/// [`Error::Scene`] for a place outside of the shape's bounding sphere.
fn with_center(body: Body, center: &Vec3, place: &Place<'_>) -> Result<Body> {
    let reach = body.shape.bounding_radius();
    if (center - body.center).norm() > reach {
        return Err(place.key("center_of_mass").error(
            "the centre of mass is outside of the shape",
            format!("expected a place no farther than {reach} m from the shape's own centre"),
        ));
    }
    Ok(body.with_center(center))
}

/// Makes a dynamic body of a density, or of a mass and perhaps an inertia.
///
/// # Errors
/// [`Error::Scene`] if they do not fit single precision.
pub(super) fn dynamic(
    shape: Shape,
    frame: Pose,
    (density, mass, inertia): (Option<f64>, Option<f64>, Option<&schema::Inertia>),
    place: &Place<'_>,
) -> Result<Body> {
    let made = match density {
        Some(density) => Body::dynamic(shape, frame, density),
        None => {
            let body = Body::dynamic_with_mass(shape, frame, mass.unwrap_or(f64::NAN));
            body.and_then(|body| match inertia {
                Some(inertia) => Ok(Body {
                    mass: MassProperties::new(body.mass.mass, matrix(inertia))?,
                    ..body
                }),
                None => Ok(body),
            })
        }
    };
    let key = if density.is_some() { "density" } else { "mass" };
    made.map_err(|error| {
        place.key(key).error(
            error.to_string(),
            "expected a mass and inertia within single precision",
        )
    })
}

/// Makes a shape.
///
/// # Errors
/// [`Error::Invalid`] for a polyhedron or mesh that is none.
pub(super) fn shape(given: &schema::Shape) -> Result<Shape> {
    if let Some(mesh) = meshes::mesh(given) {
        return Ok(Shape::Mesh(Arc::new(mesh?)));
    }
    if let Some(solid) = polyhedra::polyhedron(given) {
        return Ok(Shape::Polyhedron(Arc::new(solid?)));
    }
    Ok(match given {
        schema::Shape::Sphere(ball) => Shape::Sphere {
            radius: ball.radius,
        },
        schema::Shape::Box(cuboid) => Shape::Box {
            half_extents: vector(&cuboid.half_extents),
        },
        schema::Shape::Capsule(capsule) => Shape::Capsule {
            half_length: capsule.half_length,
            radius: capsule.radius,
        },
        schema::Shape::Cylinder(cylinder) => Shape::Cylinder {
            half_length: cylinder.half_length,
            radius: cylinder.radius,
        },
        schema::Shape::Cone(cone) => Shape::Cone {
            height: cone.height,
            radius: cone.radius,
        },
        schema::Shape::HalfSpace(half) => Shape::HalfSpace {
            normal: vector(&half.normal).normalize(),
            offset: half.offset,
        },
        schema::Shape::Compound(compound) => Shape::Compound {
            parts: compound
                .parts
                .iter()
                .map(|part| {
                    Ok(CompoundPart {
                        pose: pose(&part.position, &part.rotation),
                        shape: shape(&part.shape)?,
                    })
                })
                .collect::<Result<_>>()?,
        },
        _ => return Err(Error::invalid("shape", "is not known")),
    })
}

pub(super) fn motion(given: &schema::Motion) -> Motion {
    match given {
        schema::Motion::Constant(constant) => Motion::Constant {
            linear: vector(&constant.linear),
            angular: vector(&constant.angular),
        },
        schema::Motion::Sinusoidal(swing) => Motion::Sinusoidal {
            amplitude: vector(&swing.amplitude),
            angular_amplitude: vector(&swing.angular_amplitude),
            frequency: swing.frequency,
            phase: swing.phase,
            start: swing.start,
        },
        schema::Motion::Keyframed(path) => Motion::Keyframed {
            keyframes: path
                .keyframes
                .iter()
                .map(|frame| Keyframe {
                    time: frame.time,
                    pose: pose(&frame.position, &frame.rotation),
                })
                .collect(),
        },
    }
}

pub(super) fn groups(given: &schema::Groups) -> CollisionGroups {
    let mask = |groups: &[u32]| groups.iter().fold(0, |mask, group| mask | 1 << group);
    CollisionGroups {
        member: mask(&given.member),
        collides_with: mask(&given.collides_with),
    }
}
