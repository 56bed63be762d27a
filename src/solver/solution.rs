//! What a solver computes.

use super::Plan;
use crate::constants::TAKEN_BODIES_PER_THREAD;
use crate::error::{Error, Result};
use crate::math;
use crate::parallel;
use crate::problem::batches::{Batches, BodyVelocity};
use crate::problem::{AsProblem, JointRow, ProblemRef, Velocity, all_are_finite};
use bytemuck::{Pod, Zeroable};

/// What a solver computes. The vectors are reused from solve to solve.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "scene", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "scene", serde(deny_unknown_fields))]
pub struct Solution {
    /// Impulse `(normal, tangent 1, tangent 2)` `[N s]`, shape `[contact_count]`, in the order of the
    /// problem; of the last substep, to start the next step from.
    pub impulses: Vec<[f32; 3]>,
    /// Impulse of each joint row `[N s]` or `[N m s]`, shape `[joint_row_count]`.
    #[cfg_attr(feature = "scene", serde(default))]
    pub joint_impulses: Vec<f32>,
    /// Impulse of each contact over a whole step in substeps `[N s]`, shape `[contact_count]`; else empty.
    #[cfg_attr(
        feature = "scene",
        serde(default, skip_serializing_if = "Vec::is_empty")
    )]
    pub total_impulses: Vec<[f32; 3]>,
    /// Velocities after one solve, shape `[body_count]`, in the order of the problem; empty after substeps, where they follow from
    /// `changes` with all the digits that the caller has.
    #[cfg_attr(
        feature = "scene",
        serde(default, skip_serializing_if = "Vec::is_empty")
    )]
    pub velocities: Vec<Velocity>,
    /// What the impulses add to each body's velocity, shape `[body_count]`: the difference of
    /// `velocities` and the problem's, with the digits that subtracting them would lose.
    #[cfg_attr(
        feature = "scene",
        serde(default, skip_serializing_if = "Vec::is_empty")
    )]
    pub changes: Vec<Velocity>,
    /// How far impulses and corrections move each body over a step in substeps, shape `[body_count]`; else empty. What the
    /// velocity at the start and the increment do is not in it: that is `h v_0 + (n + 1) / (2 n) h
    /// increment`, which [`Plan::motion`] adds in f32, or the caller with all the digits that it has.
    #[cfg_attr(
        feature = "scene",
        serde(default, skip_serializing_if = "Vec::is_empty")
    )]
    pub displacements: Vec<Displacement>,
}

/// How far a body moves.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Default, Pod, Zeroable)]
#[cfg_attr(feature = "scene", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "scene", serde(deny_unknown_fields))]
pub struct Displacement {
    /// Of the centre of mass `[m]`.
    pub linear: [f32; 3],
    /// Rotation vector in world axes `[rad]`.
    pub angular: [f32; 3],
}

/// How a body moves in a step, forces, impulses and corrections included.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Default, Pod, Zeroable)]
pub struct Motion {
    /// Velocity at its end.
    pub velocity: Velocity,
    /// From its start to its end.
    pub displacement: Displacement,
}

impl Plan {
    /// How a body moves in a step of length `h` `[s]` (a plan in substeps is of the same), from the problem and its solution;
    /// immovable bodies move by their velocity.
    ///
    /// Solved once, the problem's velocities are those that the step would end with, forces included; in substeps those that it
    /// starts with, and forces are in [`Problem::increments`](crate::problem::Problem::increments). What comes out is the same of both.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the problem or the solution has no such body.
    pub fn motion(
        &self,
        h: f64,
        problem: &dyn AsProblem,
        solution: &Solution,
        body: usize,
    ) -> Result<Motion> {
        let motion = self.motion_of(h, &problem.as_problem(), solution)(body);
        motion.ok_or_else(|| {
            Error::invalid(
                format!("body {body}"),
                "no such body in the problem and its solution",
            )
        })
    }

    /// How each body moves, as [`Self::motion`] says of one.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the solution is not of so many bodies.
    pub fn motions<'a>(
        &self,
        h: f64,
        problem: &'a dyn AsProblem,
        solution: &'a Solution,
    ) -> Result<impl Iterator<Item = Motion> + 'a> {
        let problem = problem.as_problem();
        let of = self.motion_of(h, &problem, solution);
        let count = problem.bodies.len();
        if count > 0 && of(count - 1).is_none() {
            return Err(Error::invalid(
                "solution",
                format!("not of {count} bodies, as the problem is"),
            ));
        }
        Ok((0..count).map_while(of))
    }

    /// How a body moves that is in the problem and in its solution.
    fn motion_of<'a>(
        &self,
        h: f64,
        problem: &ProblemRef<'a>,
        solution: &'a Solution,
    ) -> impl Fn(usize) -> Option<Motion> + use<'a> {
        let (bodies, increments) = (problem.bodies, problem.increments);
        let free = self.substeps().map(|plan| {
            let whole = h / f64::from(plan.time_step);
            plan.free_displacement(plan.substeps).map(|s| s * whole)
        });
        // A loop in which a compiler sees vectors.
        let sum = |[a, b, c]: [f64; 3], start: [f32; 3], increment: [f32; 3], change: [f32; 3]| {
            std::array::from_fn(|i| {
                let forced = a * f64::from(start[i]) + b * f64::from(increment[i]);
                (forced + c * f64::from(change[i])) as f32
            })
        };
        move |body| {
            let start = bodies.get(body)?;
            let start = [start.linear_velocity, start.angular_velocity];
            let change = solution.changes.get(body)?;
            let Some(free) = free else {
                let [linear, angular] = [
                    math::add(start[0], change.linear),
                    math::add(start[1], change.angular),
                ];
                let by = |velocity: [f32; 3]| velocity.map(|v| (h * f64::from(v)) as f32);
                return Some(Motion {
                    velocity: Velocity { linear, angular },
                    displacement: Displacement {
                        linear: by(linear),
                        angular: by(angular),
                    },
                });
            };
            let increment = increments.get(body)?;
            let moved = solution.displacements.get(body)?;
            let (of_velocity, of_displacement) = ([1.0; 3], [free[0], free[1], 1.0]);
            Some(Motion {
                velocity: Velocity {
                    linear: sum(of_velocity, start[0], increment.linear, change.linear),
                    angular: sum(of_velocity, start[1], increment.angular, change.angular),
                },
                displacement: Displacement {
                    linear: sum(of_displacement, start[0], increment.linear, moved.linear),
                    angular: sum(of_displacement, start[1], increment.angular, moved.angular),
                },
            })
        }
    }
}

impl Solution {
    /// Impulse of each contact over all that was solved `[N s]`, shape `[contact_count]`.
    #[must_use]
    pub fn contact_impulses(&self) -> &[[f32; 3]] {
        if self.total_impulses.is_empty() {
            &self.impulses
        } else {
            &self.total_impulses
        }
    }

    /// Drops what is of bodies from `count` on, such as those that [`MovingSurfaces`](crate::problem::MovingSurfaces) adds.
    pub fn keep_bodies(&mut self, count: usize) {
        self.velocities.truncate(count);
        self.changes.truncate(count);
        self.displacements.truncate(count);
    }

    /// Drops the impulses of joint rows from `count` on, such as those that [`RollingFriction`](crate::problem::RollingFriction) adds.
    pub fn keep_joint_rows(&mut self, count: usize) {
        self.joint_impulses.truncate(count);
    }

    /// True if every number is finite, and no joint impulse at the bound of those without bounds.
    ///
    /// The residual alone does not tell: a projection turns what is not a number into a bound.
    pub(crate) fn is_finite(&self) -> bool {
        let of_bodies: [&[f32]; 3] = [
            bytemuck::cast_slice(&self.velocities),
            bytemuck::cast_slice(&self.changes),
            bytemuck::cast_slice(&self.displacements),
        ];
        of_bodies.into_iter().all(all_are_finite)
            && all_are_finite(self.impulses.as_flattened())
            && all_are_finite(self.total_impulses.as_flattened())
            && self
                .joint_impulses
                .iter()
                .all(|r| r.abs() < JointRow::UNBOUNDED)
    }

    /// Takes what the sweeps left in `batches`: velocities, and impulses in the problem's order.
    pub(super) fn take_from(&mut self, problem: &ProblemRef<'_>, batches: &Batches) {
        self.take_from_block(0, problem, &batches.velocities, batches);
    }

    /// A solve has no substeps.
    pub(super) fn forget_substeps(&mut self) {
        self.displacements.clear();
        self.total_impulses.clear();
    }

    /// The same with these velocities, and of the contacts only those from a block on.
    pub(super) fn take_from_block(
        &mut self,
        first: usize,
        problem: &ProblemRef<'_>,
        velocities: &[BodyVelocity],
        batches: &Batches,
    ) {
        parallel::fill(
            &mut self.changes,
            velocities.len(),
            TAKEN_BODIES_PER_THREAD,
            |body| {
                let velocity = &velocities[body];
                Velocity {
                    linear: velocity.linear,
                    angular: velocity.angular,
                }
            },
        );
        let changes = &self.changes;
        parallel::fill(
            &mut self.velocities,
            changes.len(),
            TAKEN_BODIES_PER_THREAD,
            |body| {
                let (before, change) = (&problem.bodies[body], &changes[body]);
                Velocity {
                    linear: math::add(before.linear_velocity, change.linear),
                    angular: math::add(before.angular_velocity, change.angular),
                }
            },
        );
        self.forget_substeps();
        // Every contact and every row is in the batches once.
        let contacts = &batches.contacts;
        self.impulses.resize(contacts.impulses.len(), [0.0; 3]);
        let (source, impulses) = (&contacts.source[first..], &contacts.impulses[first..]);
        for (&contact, &[n, t1, t2, _]) in source.iter().zip(impulses) {
            self.impulses[contact as usize] = [n, t1, t2];
        }
        let joints = &batches.joints;
        self.joint_impulses.resize(joints.impulses.len(), 0.0);
        for (&row, &impulse) in joints.source.iter().zip(&joints.impulses) {
            self.joint_impulses[row as usize] = impulse;
        }
    }
}
