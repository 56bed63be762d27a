//! Avian's bodies as drystone's, and back.

use crate::groups::Groups;
use avian3d::dynamics::integrator::{VelocityIntegrationData, solve_gyroscopic_torque};
use avian3d::dynamics::rigid_body::forces::AccumulatedLocalAcceleration;
use avian3d::dynamics::solver::solver_body::{
    SolverBodies, SolverBody, SolverBodyFlags, SolverBodyIndex,
};
use avian3d::prelude::*;
use bevy::ecs::query::QueryData;
use bevy::prelude::*;
use drystone::problem::{Body, Velocity};
use drystone::solver::Motion;

/// Index of the body that stands for all that has no solver body: what is static or asleep.
pub(crate) const GROUND: u32 = 0;

/// Forces on a body and the mass that they meet.
#[derive(QueryData)]
#[query_data(mutable)]
pub(crate) struct BodyData {
    index: &'static SolverBodyIndex,
    rotation: &'static Rotation,
    inertia: &'static ComputedAngularInertia,
    forces: &'static mut VelocityIntegrationData,
    local: Option<&'static mut AccumulatedLocalAcceleration>,
}

/// Bodies of a step.
#[derive(Debug, Default)]
pub(crate) struct Bodies {
    pub(crate) records: Records,
}

/// Bodies as drystone has them: the ground, then the solver bodies in their order.
#[derive(Debug, Default)]
pub(crate) struct Records {
    pub(crate) bodies: Vec<Body>,
    /// Changes of velocity by forces; shape of `bodies`.
    pub(crate) increments: Vec<Velocity>,
}

impl Bodies {
    /// Takes all solver bodies; `parts` are the number of Avian's substeps and their length `[s]`, which its accelerations have been multiplied with.
    pub(crate) fn take(
        &mut self,
        solver_bodies: &SolverBodies,
        bodies: &Query<BodyData>,
        groups: &Groups,
        parts: (u32, f32),
    ) {
        let Records {
            bodies: records,
            increments,
        } = &mut self.records;
        records.clear();
        increments.clear();
        records.push(Body::immovable([0.0; 3], [0.0; 3]));
        let inertias = solver_bodies.inertias().iter();
        for (at, (body, inertia)) in solver_bodies.bodies().iter().zip(inertias).enumerate() {
            let linear = body.linear_velocity.to_array();
            let angular = body.angular_velocity.to_array();
            // Avian's bodies have no contacts with drystone's.
            records.push(if body.flags.is_kinematic() || groups.is_left(at) {
                Body::immovable(linear, angular)
            } else {
                let tensor = inertia.effective_inv_angular_inertia();
                let tensor = [
                    tensor.m00, tensor.m01, tensor.m02, tensor.m11, tensor.m12, tensor.m22,
                ];
                Body::dynamic(inertia.effective_inv_mass().x, tensor, linear, angular)
            });
        }
        increments.resize(records.len(), Velocity::default());
        for data in bodies {
            let at = data.index.0 as usize;
            let Some(body) = solver_bodies.get(*data.index) else {
                continue;
            };
            if records[at + 1].is_movable() {
                increments[at + 1] = increment(&data, body, parts);
            }
        }
    }

    /// Gives solver bodies their motions.
    pub(crate) fn give(
        &self,
        solver_bodies: &mut SolverBodies,
        bodies: &mut Query<BodyData>,
        groups: &Groups,
        motion: impl Fn(usize) -> drystone::Result<Motion>,
    ) -> drystone::Result<()> {
        for (at, body) in solver_bodies.bodies_mut().iter_mut().enumerate() {
            // In a step in which Avian moves bodies it moves those that are kinematic, too.
            let is_avians = groups.is_left(at)
                || body.flags.is_kinematic() && groups.left_count() > 0
                || body
                    .flags
                    .contains(SolverBodyFlags::CUSTOM_POSITION_INTEGRATION);
            if is_avians {
                continue;
            }
            let moved = motion(at + 1)?;
            if body.flags.is_dynamic() {
                body.linear_velocity = Vec3::from(moved.velocity.linear);
                body.angular_velocity = Vec3::from(moved.velocity.angular);
            }
            body.delta_position = Vec3::from(moved.displacement.linear);
            body.delta_rotation = Quat::from_scaled_axis(Vec3::from(moved.displacement.angular));
            // Avian's substeps, if there are any, pass it over.
            body.flags |= SolverBodyFlags::CUSTOM_POSITION_INTEGRATION;
            body.flags.remove(SolverBodyFlags::GYROSCOPIC_MOTION);
        }
        if groups.left_count() == 0 {
            return Ok(());
        }
        for mut data in bodies {
            if groups.is_left(data.index.0 as usize) {
                continue;
            }
            *data.forces = VelocityIntegrationData {
                linear_damping_rhs: 1.0,
                angular_damping_rhs: 1.0,
                ..default()
            };
            if let Some(mut local) = data.local {
                *local.bypass_change_detection() = default();
            }
        }
        Ok(())
    }
}

/// Change of a free body's velocity over a step, by Avian's own integration of it.
fn increment(data: &BodyDataReadOnlyItem, body: &SolverBody, parts: (u32, f32)) -> Velocity {
    let (count, h) = parts;
    let forces = data.forces;
    let [mut linear, mut angular] = [body.linear_velocity, body.angular_velocity];
    let mut rotation = data.rotation.0;
    let locked = body.flags.locked_axes();
    // Bodies with locked translations are Avian's.
    let free = Vec3::new(
        f32::from(!locked.is_rotation_x_locked()),
        f32::from(!locked.is_rotation_y_locked()),
        f32::from(!locked.is_rotation_z_locked()),
    );
    for _ in 0..count {
        if let Some(local) = data.local {
            linear += rotation * local.linear * h;
            angular += free * (rotation * local.angular) * h;
        }
        linear = linear * forces.linear_damping_rhs + forces.linear_increment;
        angular = angular * forces.angular_damping_rhs + forces.angular_increment;
        if body.is_gyroscopic() {
            solve_gyroscopic_torque(&mut angular, rotation, data.inertia, h);
        }
        if body.is_gyroscopic() || data.local.is_some() {
            rotation = Quat::from_scaled_axis(angular * h) * rotation;
        }
    }
    Velocity {
        linear: (linear - body.linear_velocity).to_array(),
        angular: (angular - body.angular_velocity).to_array(),
    }
}
