//! A rigid body.

use super::{MassProperties, Motion, Shape};
use crate::math::{self, Mat3, Pose, Quat, Vec3};
use crate::problem;

/// What moves a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyKind {
    /// Forces and contacts.
    Dynamic,
    /// Nothing.
    Fixed,
    /// Its [`Motion`], whatever it touches.
    Kinematic,
}

/// Which bodies a body can touch: two touch if each one's `collides_with` has a bit of the other's
/// `member`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CollisionGroups {
    /// Groups the body is in, one bit each.
    pub member: u32,
    /// Groups it touches.
    pub collides_with: u32,
}

impl CollisionGroups {
    /// In group 0, touching everything.
    pub const ALL: Self = Self {
        member: 1,
        collides_with: u32::MAX,
    };

    /// True if the two may touch.
    #[must_use]
    pub fn allow(self, other: Self) -> bool {
        self.collides_with & other.member != 0 && other.collides_with & self.member != 0
    }
}

/// A rigid body. Its pose is that of its centre of mass; its shape is given relative to that.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// Name in the scene file, if it has one.
    pub name: Option<Box<str>>,
    /// What moves it.
    pub kind: BodyKind,
    /// Centre of mass, and rotation from body to world axes.
    pub pose: Pose,
    /// Of the centre of mass `[m/s]`.
    pub linear_velocity: Vec3,
    /// In world axes `[rad/s]`.
    pub angular_velocity: Vec3,
    /// Mass and inertia; of a dynamic body only.
    pub mass: MassProperties,
    /// Geometry relative to the centre of mass, in body axes.
    pub shape: Shape,
    /// Centre of mass in the frame in which the body was described `[m]`; zero but for compounds,
    /// polyhedra, and bodies whose centre was given.
    pub center: Vec3,
    /// Index in [`World::materials`](super::World::materials).
    pub material: u32,
    /// What it touches.
    pub groups: CollisionGroups,
    /// Prescribed motion, of a kinematic body only.
    pub motion: Option<Motion>,
}

impl Body {
    /// True for a body that contacts can move.
    #[must_use]
    pub fn is_dynamic(&self) -> bool {
        self.kind == BodyKind::Dynamic
    }

    /// Bounding radius of a dynamic body `[m]`; infinite of others, so that the smaller of two that move is the least.
    pub(crate) fn moving_radius(&self) -> f64 {
        if self.is_dynamic() {
            self.shape.bounding_radius()
        } else {
            f64::INFINITY
        }
    }

    /// Pose of the frame in which the body was described: the scene file's `position` and `rotation`.
    #[must_use]
    pub fn frame(&self) -> Pose {
        Pose::new(
            self.pose.position - self.pose.orientation * self.center,
            self.pose.orientation,
        )
    }

    /// Velocity of the body's point at `world` `[m/s]`.
    #[must_use]
    pub fn velocity_at(&self, world: &Vec3) -> Vec3 {
        self.linear_velocity + self.angular_velocity.cross(&(world - self.pose.position))
    }

    /// Inertia about the centre of mass, in world axes `[kg m^2]`; zero unless dynamic.
    #[must_use]
    pub fn world_inertia(&self) -> Mat3 {
        self.in_world_axes(&self.mass.inertia)
    }

    /// Inverse inertia about the centre of mass, in world axes `[1/(kg m^2)]`; zero unless dynamic.
    #[must_use]
    #[inline]
    pub fn world_inverse_inertia(&self) -> Mat3 {
        self.in_world_axes(&self.mass.inverse_inertia)
    }

    /// Kinetic energy of its rotation `[J]`; zero unless dynamic.
    #[must_use]
    #[inline]
    pub fn rotational_energy(&self) -> f64 {
        // An isotropic body's energy has no orientation, nor may its rounding have one.
        let spin = if self.mass.is_isotropic() {
            self.angular_velocity
        } else {
            self.pose.inverse_direction(&self.angular_velocity)
        };
        0.5 * spin.dot(&(self.mass.inertia * spin))
    }

    #[inline]
    fn in_world_axes(&self, matrix: &Mat3) -> Mat3 {
        if self.mass.is_isotropic() {
            return *matrix;
        }
        let rotation = self.pose.orientation.to_rotation_matrix();
        rotation.matrix() * matrix * rotation.matrix().transpose()
    }

    /// Moves the body by a displacement `[m]` and a rotation vector `[rad]`, both in world axes.
    pub fn displace(&mut self, linear: &Vec3, angular: &Vec3) {
        self.displace_and_turn(linear, &math::exp(angular));
    }

    /// Moves the body by a displacement `[m]` and turns it, both in world axes.
    #[inline]
    pub(crate) fn displace_and_turn(&mut self, linear: &Vec3, rotation: &Quat) {
        self.pose.position += linear;
        self.pose.orientation = rotation * self.pose.orientation;
        // It was a unit quaternion up to rounding, which one step of Newton's squares.
        self.pose.orientation.renormalize_fast();
    }

    /// The body as the solvers see it, with the given velocities in place of its own.
    #[must_use]
    #[inline]
    pub fn for_solver(&self, linear: &Vec3, angular: &Vec3) -> problem::Body {
        let (linear, angular) = (math::narrow(linear), math::narrow(angular));
        if !self.is_dynamic() {
            return problem::Body::immovable(linear, angular);
        }
        let inverse = self.world_inverse_inertia();
        problem::Body::dynamic(
            self.mass.inverse_mass as f32,
            [
                inverse.m11 as f32,
                inverse.m12 as f32,
                inverse.m13 as f32,
                inverse.m22 as f32,
                inverse.m23 as f32,
                inverse.m33 as f32,
            ],
            linear,
            angular,
        )
    }
}
