//! Checks of worlds that were put together by hand.

use super::{Body, BodyKind, Material, Shape, World};
use crate::constants::{MAX_COMPOUND_PARTS, UNIT_LENGTH_TOLERANCE};
use crate::error::{Error, Result};
use crate::math::{Pose, Vec3};

impl World {
    /// Checks every number and reference.
    ///
    /// # Errors
    /// [`Error::Invalid`] that names the first material, body, joint or load without meaning.
    pub fn validate(&self) -> Result<()> {
        if !is_finite(&self.gravity) {
            return Err(Error::invalid("gravity", "is not finite"));
        }
        if !self.time.is_finite() {
            return Err(Error::invalid("time", "is not finite"));
        }
        for (index, material) in self.materials.iter().enumerate() {
            material
                .check()
                .map_err(|why| Error::invalid(format!("material {index}"), why))?;
        }
        for (index, body) in self.bodies.iter().enumerate() {
            body.check(self.materials.len()).map_err(|why| {
                let what = body.name.as_ref().map_or_else(
                    || format!("body {index}"),
                    |name| format!("body {index} (`{name}`)"),
                );
                Error::invalid(what, why)
            })?;
        }
        for (index, joint) in self.joints.iter().enumerate() {
            joint.validate(index, &self.bodies)?;
        }
        for (index, load) in self.loads.iter().enumerate() {
            load.check(&self.bodies)
                .map_err(|why| Error::invalid(format!("load {index}"), why))?;
        }
        Ok(())
    }
}

impl Material {
    fn check(&self) -> Result<(), String> {
        if !(self.friction >= 0.0 && self.friction.is_finite()) {
            return Err(format!(
                "a friction of {} is not a finite number of at least 0",
                self.friction
            ));
        }
        if !(0.0..=1.0).contains(&self.restitution) {
            return Err(format!(
                "a restitution of {} is not from 0 to 1",
                self.restitution
            ));
        }
        Ok(())
    }
}

impl Body {
    fn check(&self, materials: usize) -> Result<(), String> {
        if self.material as usize >= materials {
            return Err(format!(
                "material {} of {materials} does not exist",
                self.material
            ));
        }
        if !pose_is_sound(&self.pose) {
            return Err("its pose is not finite, or its rotation not a unit quaternion".into());
        }
        if !is_finite(&self.linear_velocity) || !is_finite(&self.angular_velocity) {
            return Err("its velocity is not finite".into());
        }
        self.shape.check()?;
        if self.is_dynamic() {
            if !self.shape.bounding_radius().is_finite() {
                return Err("a half-space cannot be dynamic".into());
            }
            if self.shape.has_mesh() {
                return Err("a mesh cannot be dynamic".into());
            }
            if !(self.mass.mass > 0.0 && self.mass.mass.is_finite()) {
                return Err(format!(
                    "a mass of {} kg is not positive and finite",
                    self.mass.mass
                ));
            }
            if self.mass.inertia.cholesky().is_none() {
                return Err("its inertia is not positive definite".into());
            }
        }
        match (&self.motion, self.kind) {
            (None, BodyKind::Kinematic) => Err("is kinematic and has no motion".into()),
            (Some(_), BodyKind::Dynamic | BodyKind::Fixed) => {
                Err("has a motion and is not kinematic".into())
            }
            (Some(motion), BodyKind::Kinematic) => motion.validate().map_err(|e| e.to_string()),
            (None, _) => Ok(()),
        }
    }
}

impl Shape {
    fn has_mesh(&self) -> bool {
        match self {
            Self::Mesh(_) => true,
            Self::Compound { parts } => parts.iter().any(|part| part.shape.has_mesh()),
            _ => false,
        }
    }

    /// Checks the numbers of a shape.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a size that is not positive and finite, a normal that is not a unit
    /// vector, and a compound that is empty, too large, or holds another.
    pub fn validate(&self) -> Result<()> {
        self.check().map_err(|why| Error::invalid("shape", why))
    }

    fn check(&self) -> Result<(), String> {
        let positive = |what: &str, value: f64| {
            if value > 0.0 && value.is_finite() {
                Ok(())
            } else {
                Err(format!("{what} of {value} m is not positive and finite"))
            }
        };
        match self {
            Self::Sphere { radius } => positive("a radius", *radius),
            Self::Box { half_extents } => half_extents
                .iter()
                .try_for_each(|&side| positive("a half extent", side)),
            Self::Capsule {
                half_length,
                radius,
            } => {
                positive("a radius", *radius)?;
                if *half_length >= 0.0 && half_length.is_finite() {
                    Ok(())
                } else {
                    Err(format!(
                        "a half length of {half_length} m is not a finite number of at least 0"
                    ))
                }
            }
            Self::Cylinder {
                half_length,
                radius,
            } => {
                positive("a radius", *radius)?;
                positive("a half length", *half_length)
            }
            Self::Cone { height, radius } => {
                positive("a radius", *radius)?;
                positive("a height", *height)
            }
            // Sound since they were made.
            Self::Polyhedron(_) | Self::Mesh(_) => Ok(()),
            Self::HalfSpace { normal, offset } => {
                if !(is_finite(normal) && (normal.norm() - 1.0).abs() < UNIT_LENGTH_TOLERANCE) {
                    return Err("the normal of a half-space is not a unit vector".into());
                }
                if offset.is_finite() {
                    Ok(())
                } else {
                    Err("the offset of a half-space is not finite".into())
                }
            }
            Self::Compound { parts } => {
                if parts.is_empty() || parts.len() > MAX_COMPOUND_PARTS {
                    return Err(format!(
                        "a compound of {} parts: 1 to {MAX_COMPOUND_PARTS} are possible",
                        parts.len()
                    ));
                }
                for part in parts.iter() {
                    if matches!(part.shape, Self::Compound { .. }) {
                        return Err("a compound holds another".into());
                    }
                    if !pose_is_sound(&part.pose) {
                        return Err("the pose of a part is not finite".into());
                    }
                    part.shape.check()?;
                }
                Ok(())
            }
        }
    }
}

pub(super) fn is_finite(vector: &Vec3) -> bool {
    vector.iter().all(|x| x.is_finite())
}

pub(super) fn pose_is_sound(pose: &Pose) -> bool {
    let length = pose.orientation.as_ref().norm();
    is_finite(&pose.position) && (length - 1.0).abs() < UNIT_LENGTH_TOLERANCE
}
