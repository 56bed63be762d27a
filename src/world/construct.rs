//! Ways to make bodies and worlds.

use super::{Body, BodyKind, CollisionGroups, MassProperties, Material, Motion, Shape, World};
use crate::constants::{DEFAULT_FRICTION, DEFAULT_RESTITUTION};
use crate::error::{Error, Result};
use crate::math::{Pose, Vec3};

impl Default for Material {
    fn default() -> Self {
        Self {
            friction: DEFAULT_FRICTION,
            restitution: DEFAULT_RESTITUTION,
        }
    }
}

impl World {
    /// A world without bodies at time 0, with one material, the default one, at index 0.
    #[must_use]
    pub fn new(gravity: Vec3) -> Self {
        Self {
            gravity,
            bodies: Vec::new(),
            joints: Vec::new(),
            loads: Vec::new(),
            materials: vec![Material::default()],
            time: 0.0,
        }
    }

    /// Adds a body and returns its index.
    ///
    /// # Errors
    /// [`Error::Capacity`] for the 2^32nd body.
    pub fn add(&mut self, body: Body) -> Result<u32> {
        let index = u32::try_from(self.bodies.len()).map_err(|_| Error::Capacity {
            what: "bodies".into(),
            needed: self.bodies.len() as u64 + 1,
            available: u64::from(u32::MAX),
        })?;
        self.bodies.push(body);
        Ok(index)
    }

    /// Index of the body of a name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<u32> {
        let at = self
            .bodies
            .iter()
            .position(|body| body.name.as_deref() == Some(name))?;
        u32::try_from(at).ok()
    }
}

impl Body {
    /// A dynamic body at rest, of a homogeneous shape of a density `[kg/m^3]`. `frame` is the pose of
    /// the axes in which the shape is given; a compound's parts are moved so that its centre of mass
    /// is the body's origin.
    ///
    /// # Errors
    /// As [`MassProperties::from_density`].
    pub fn dynamic(shape: Shape, frame: Pose, density: f64) -> Result<Self> {
        let (mass, center) = MassProperties::from_density(&shape, density)?;
        Ok(Self::around(shape, frame, mass, center))
    }

    /// As [`Body::dynamic`], of a mass `[kg]`.
    ///
    /// # Errors
    /// As [`MassProperties::from_mass`].
    pub fn dynamic_with_mass(shape: Shape, frame: Pose, mass: f64) -> Result<Self> {
        let (mass, center) = MassProperties::from_mass(&shape, mass)?;
        Ok(Self::around(shape, frame, mass, center))
    }

    /// A body that nothing moves.
    #[must_use]
    pub fn fixed(shape: Shape, frame: Pose) -> Self {
        Self::around(shape, frame, MassProperties::immovable(), Vec3::zeros())
    }

    /// A body that moves as prescribed, from `frame` at time 0.
    #[must_use]
    pub fn kinematic(shape: Shape, frame: Pose, motion: Motion) -> Self {
        Self {
            kind: BodyKind::Kinematic,
            motion: Some(motion),
            ..Self::fixed(shape, frame)
        }
    }

    /// The body with its centre of mass at another place of the axes in which its shape was given `[m]`, where its surface
    /// stays. The inertia becomes that about the new centre, and keeps its size: change [`Body::mass`] for another one.
    #[must_use]
    pub fn with_center(self, center: &Vec3) -> Self {
        let frame = self.frame();
        Self {
            pose: Pose::new(frame.point(center), frame.orientation),
            shape: self.shape.recentered(&(center - self.center)),
            center: *center,
            ..self
        }
    }

    /// The body with a name.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        Self {
            name: Some(name.into()),
            ..self
        }
    }

    /// The body with a material of its world.
    #[must_use]
    pub fn of_material(self, material: u32) -> Self {
        Self { material, ..self }
    }

    /// The body with a velocity of its centre of mass `[m/s]` and an angular velocity in world axes
    /// `[rad/s]`.
    #[must_use]
    pub fn moving(self, linear: Vec3, angular: Vec3) -> Self {
        Self {
            linear_velocity: linear,
            angular_velocity: angular,
            ..self
        }
    }

    fn around(shape: Shape, frame: Pose, mass: MassProperties, center: Vec3) -> Self {
        let kind = if mass.inverse_mass > 0.0 {
            BodyKind::Dynamic
        } else {
            BodyKind::Fixed
        };
        Self {
            name: None,
            kind,
            pose: Pose::new(frame.point(&center), frame.orientation),
            linear_velocity: Vec3::zeros(),
            angular_velocity: Vec3::zeros(),
            mass,
            shape: shape.recentered(&center),
            center,
            material: 0,
            groups: CollisionGroups::ALL,
            motion: None,
        }
    }
}
