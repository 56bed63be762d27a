//! Rapier's bodies as drystone's, and back.

use crate::Error;
use drystone::problem::{Body, Velocity};
use drystone::solver::Motion;
use rapier3d::prelude::*;
use rapier3d::utils::AngularInertiaOps;

/// Index of the body that stands for all that is fixed.
pub(crate) const GROUND: u32 = 0;

/// Bodies that are not fixed, and the ground.
#[derive(Debug, Default)]
pub(crate) struct Bodies {
    pub(crate) records: Records,
    pub(crate) poses: Poses,
}

/// Bodies as drystone has them.
#[derive(Debug, Default)]
pub(crate) struct Records {
    /// The ground first.
    pub(crate) bodies: Vec<Body>,
    /// Changes of velocity by forces; shape of `bodies`.
    pub(crate) increments: Vec<Velocity>,
}

/// Places of bodies.
#[derive(Debug, Default)]
pub(crate) struct Poses {
    /// Those of the records but the ground, in their order.
    states: Vec<State>,
    /// By the first number of a handle: an index into the records.
    index: Vec<u32>,
    /// By the first number of a handle, from step to step.
    places: Vec<Option<Place>>,
}

/// A body in this step.
#[derive(Debug, Clone, Copy)]
struct State {
    handle: RigidBodyHandle,
    is_dynamic: bool,
    /// Of the centre of mass.
    frame: Pose,
    /// Velocities are multiplied with `1 / (1 + h damping)`.
    damping: [f32; 2],
}

/// Place of a body, and the one that Rapier was told.
#[derive(Debug, Clone, Copy)]
struct Place {
    handle: RigidBodyHandle,
    pose: Pose,
    told: Pose,
}

/// The speed of the fastest point of a body, roughly `[m/s]`.
pub(crate) fn fastest(bodies: &RigidBodySet) -> f32 {
    bodies
        .iter()
        .filter(|(_, body)| !body.is_fixed())
        .map(|(_, body)| {
            body.linvel().length() + body.angvel().length() * body.mass_properties().max_extent()
        })
        .fold(0.0, f32::max)
}

impl Bodies {
    /// Takes the world's bodies as they are.
    pub(crate) fn take(&mut self, world: &PhysicsWorld) -> Result<(), Error> {
        let h = world.integration_parameters.dt;
        let Self { records, poses } = self;
        poses.states.clear();
        records.bodies.clear();
        records.increments.clear();
        poses.index.clear();
        records.bodies.push(Body::immovable([0.0; 3], [0.0; 3]));
        records.increments.push(Velocity::default());
        for (handle, body) in world.bodies.iter() {
            if body.is_fixed() || !body.is_enabled() {
                continue;
            }
            let at = handle.into_raw_parts().0 as usize;
            if poses.index.len() <= at {
                poses.index.resize(at + 1, GROUND);
            }
            if poses.places.len() <= at {
                poses.places.resize(at + 1, None);
            }
            poses.index[at] = records.bodies.len() as u32;
            let place = poses.place(handle, body);
            poses.places[at] = Some(place);
            let local_com = body.local_center_of_mass();
            poses.states.push(State {
                handle,
                is_dynamic: body.is_dynamic(),
                frame: place.pose.prepend_translation(local_com),
                damping: [body.linear_damping(), body.angular_damping()]
                    .map(|d| 1.0 / (1.0 + h * d)),
            });
            let (record, increment) = if body.is_dynamic() {
                dynamic(handle, body, world.gravity, h)?
            } else {
                (kinematic(body, h), Velocity::default())
            };
            records.bodies.push(record);
            records.increments.push(increment);
        }
        Ok(())
    }
}

impl Poses {
    /// Index of a body in the problem.
    pub(crate) fn index(&self, handle: Option<RigidBodyHandle>) -> u32 {
        let at = handle.map(|handle| handle.into_raw_parts().0 as usize);
        at.and_then(|at| self.index.get(at).copied())
            .unwrap_or(GROUND)
    }

    /// The frame at the centre of mass; none of the ground.
    pub(crate) fn frame(&self, index: u32) -> Option<&Pose> {
        let state = (index as usize).checked_sub(1)?;
        Some(&self.states[state].frame)
    }

    /// Gives bodies their motions, and tells Rapier of those that have moved by more than `recycle`.
    pub(crate) fn give(
        &mut self,
        world: &mut PhysicsWorld,
        recycle: f32,
        motion: impl Fn(usize) -> drystone::Result<Motion>,
    ) -> Result<(), Error> {
        let h = world.integration_parameters.dt;
        for (before, state) in self.states.iter().enumerate() {
            let moved = motion(before + 1)?;
            let Some(body) = world.bodies.get_mut(state.handle) else {
                continue;
            };
            let at = state.handle.into_raw_parts().0 as usize;
            let Some(place) = &mut self.places[at] else {
                continue;
            };
            if state.is_dynamic {
                let displacement = moved.displacement;
                let local_com = body.local_center_of_mass();
                let turn = Rotation::from_scaled_axis(Vector::from(displacement.angular));
                let rotation = (turn * place.pose.rotation).normalize();
                let center = state.frame.translation + Vector::from(displacement.linear);
                place.pose = Pose::from_parts(center - rotation * local_com, rotation);
                let [linear, angular] = state.damping;
                body.set_linvel(Vector::from(moved.velocity.linear) * linear, false);
                body.set_angvel(Vector::from(moved.velocity.angular) * angular, false);
            } else {
                place.pose = end_of_kinematic(body, h);
            }
            if recycle == 0.0 || far(body, place) > recycle || !state.is_dynamic {
                tell(body, place);
            }
        }
        Ok(())
    }

    pub(crate) fn pose(&self, handle: RigidBodyHandle, body: &RigidBody) -> Pose {
        self.place(handle, body).pose
    }

    pub(crate) fn publish(&mut self, world: &mut PhysicsWorld) {
        for state in &self.states {
            let at = state.handle.into_raw_parts().0 as usize;
            if let (Some(place), Some(body)) =
                (&mut self.places[at], world.bodies.get_mut(state.handle))
            {
                // A pose that somebody else has set since stays.
                if *body.position() == place.told {
                    tell(body, place);
                }
            }
        }
    }

    /// The place that is kept, or that of the body if it is new or was moved by somebody else.
    fn place(&self, handle: RigidBodyHandle, body: &RigidBody) -> Place {
        let at = handle.into_raw_parts().0 as usize;
        let kept = self.places.get(at).copied().flatten();
        let pose = *body.position();
        kept.filter(|place| place.handle == handle && place.told == pose)
            .unwrap_or(Place {
                handle,
                pose,
                told: pose,
            })
    }
}

/// Bound of how far a point of the body is from where Rapier has it `[m]`.
fn far(body: &RigidBody, place: &Place) -> f32 {
    let turn = place.pose.rotation * place.told.rotation.inverse();
    let local_com = body.local_center_of_mass();
    let moved = place.pose * local_com - place.told * local_com;
    moved.length() + turn.to_scaled_axis().length() * body.mass_properties().max_extent()
}

fn tell(body: &mut RigidBody, place: &mut Place) {
    body.set_position(place.pose, false);
    place.told = *body.position();
}

fn dynamic(
    handle: RigidBodyHandle,
    body: &RigidBody,
    gravity: Vector,
    h: f32,
) -> Result<(Body, Velocity), Error> {
    if body.locked_axes() != LockedAxes::empty() {
        return Err(Error::unsupported(format!("{handle:?} with locked axes")));
    }
    let mass = body.mass_properties();
    let inverse_mass = mass.local_mprops.inv_mass;
    let inertia = mass.effective_world_inv_inertia;
    let inverse_inertia = [
        inertia.m11,
        inertia.m12,
        inertia.m13,
        inertia.m22,
        inertia.m23,
        inertia.m33,
    ];
    let spin = body.angvel();
    let gyroscopic = if body.gyroscopic_forces_enabled() {
        body.angvel_with_gyroscopic_forces(h) - spin
    } else {
        Vector::ZERO
    };
    let push = gravity * body.gravity_scale() + body.user_force() * inverse_mass;
    let twist = inertia.transform_vector(body.user_torque());
    let record = Body::dynamic(
        inverse_mass,
        inverse_inertia,
        body.linvel().to_array(),
        spin.to_array(),
    );
    let increment = Velocity {
        linear: (push * h).to_array(),
        angular: (twist * h + gyroscopic).to_array(),
    };
    Ok((record, increment))
}

/// A body that is moved: by its velocities, or to its next pose.
fn kinematic(body: &RigidBody, h: f32) -> Body {
    if body.body_type() == RigidBodyType::KinematicVelocityBased {
        return Body::immovable(body.linvel().to_array(), body.angvel().to_array());
    }
    let (from, to) = (body.position(), body.next_position());
    let local_com = body.local_center_of_mass();
    let moved = *to * local_com - *from * local_com;
    let turned = (to.rotation * from.rotation.inverse()).to_scaled_axis();
    Body::immovable((moved / h).to_array(), (turned / h).to_array())
}

/// Its pose at the end of a step.
fn end_of_kinematic(body: &RigidBody, h: f32) -> Pose {
    if body.body_type() == RigidBodyType::KinematicVelocityBased {
        body.predict_position_using_velocity(h)
    } else {
        *body.next_position()
    }
}
