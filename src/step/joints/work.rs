//! The work of joints, which do none.
//!
//! A joint that only holds bodies together does no work. Its rows do, by the error of a step: they are those of the start of a part, in which bodies turn, and what they put
//! right afterwards they move against the force that they carry. Mostly that comes and goes within a swing. Where a force grows many times over within a
//! part it does not: a chain of light links that stops the fall of a load a thousand times as heavy turns into energy
//! what its links were stretched by.
//!
//! So the work of the joints of each *mechanism*, the bodies that joints link to each other, is added up, as what impulses have
//! done to its bodies less the work of contacts, motors, springs and of what moves on its own. Up to a small share of the mechanism's
//! kinetic energy it may come and go (`WORK_OF_JOINTS`). What is more is taken back: the velocities of the mechanism's
//! bodies are scaled about its motion as one rigid body. Joints are held at velocities that are scaled as they were before, and momentum and
//! angular momentum stay.

use super::super::balance::mean_velocity;
use super::super::integrate::Momentum;
use super::Joints;
use crate::constants::WORK_OF_JOINTS;
use crate::math::{self, Mat3, Vec3};
use crate::problem::Problem;
use crate::problem::islands::first_of;
use crate::solver::Solution;
use crate::stabilize::joint_rows::velocity_of;
use crate::world::joint::Law;
use crate::world::{Body, World};

/// A body without joints.
const NONE: u32 = u32::MAX;

/// A mechanism, and the work of its joints.
#[derive(Debug, Clone, Copy, Default)]
struct Mechanism {
    /// Index of a body that holds it and that impulses do not move, or that of the world.
    held_by: Option<u32>,
    /// Work of its joints that was not taken back, at most 0 `[J]`.
    work: f64,
    /// Mass `[kg]`, and its first moment about the origin `[kg m]`.
    mass: f64,
    moment: Vec3,
    /// Momentum `[kg m/s]`.
    momentum: Vec3,
    /// About the centre of mass `[kg m^2/s]`.
    angular_momentum: Vec3,
    inertia: Mat3,
    /// Velocity of its motion as one body at the centre of mass, and its spin.
    rigid: (Vec3, Vec3),
    center: Vec3,
    /// Kinetic energy relative to that `[J]`.
    kinetic: f64,
    /// By what velocities relative to that are multiplied.
    scale: f64,
}

/// Work of the joints of each mechanism.
#[derive(Debug, Default)]
pub(super) struct Work {
    /// By body, the place of its mechanism, or [`NONE`].
    of: Vec<u32>,
    mechanisms: Vec<Mechanism>,
    /// Memory that is used again.
    sets: Vec<u32>,
}

impl Work {
    /// Finds the mechanisms of a world. Those that are as many as before keep their work.
    pub(super) fn begin_step(&mut self, world: &World) {
        let Self {
            of,
            mechanisms,
            sets,
        } = self;
        let bodies = world.bodies.len();
        let is_dynamic = |body: u32| {
            world
                .bodies
                .get(body as usize)
                .is_some_and(Body::is_dynamic)
        };
        let joints = || {
            let whole = world.joints.iter().filter(|joint| !joint.broken);
            whole.map(|joint| [joint.body_a, joint.body_b.unwrap_or(bodies as u32)])
        };
        sets.clear();
        sets.extend(0..bodies as u32);
        of.clear();
        of.resize(bodies, NONE);
        for [a, b] in joints() {
            for body in [a, b].into_iter().filter(|&body| is_dynamic(body)) {
                of[body as usize] = 0;
            }
            if is_dynamic(a) && is_dynamic(b) {
                let [a, b] = [a, b].map(|body| first_of(sets, body));
                sets[a.max(b) as usize] = a.min(b);
            }
        }
        let mut count = 0;
        for body in 0..bodies {
            if of[body] == NONE {
                continue;
            }
            let first = first_of(sets, body as u32) as usize;
            if first == body {
                of[body] = count;
                count += 1;
            } else {
                of[body] = of[first];
            }
        }
        if mechanisms.len() != count as usize {
            mechanisms.clear();
            mechanisms.resize(count as usize, Mechanism::default());
        }
        for mechanism in mechanisms.iter_mut() {
            mechanism.held_by = None;
        }
        for [a, b] in joints() {
            for (body, other) in [(a, b), (b, a)] {
                if is_dynamic(body) && !is_dynamic(other) {
                    mechanisms[of[body as usize] as usize].held_by = Some(other);
                }
            }
        }
    }

    /// Work that was not taken back, by mechanism.
    #[cfg(feature = "scene")]
    pub(super) fn kept(&self) -> Vec<f64> {
        self.mechanisms
            .iter()
            .map(|mechanism| mechanism.work)
            .collect()
    }

    /// The same, as it was saved.
    #[cfg(feature = "scene")]
    pub(super) fn restored(kept: &[f64]) -> Self {
        let mechanism = |&work| Mechanism {
            work,
            ..Mechanism::default()
        };
        Self {
            mechanisms: kept.iter().map(mechanism).collect(),
            ..Self::default()
        }
    }

    /// The mechanism of a body.
    fn mechanism(&mut self, body: u32) -> Option<&mut Mechanism> {
        let at = *self.of.get(body as usize)?;
        self.mechanisms.get_mut(at as usize)
    }

    /// Finds the motion of each mechanism as one body, and the kinetic energy of what else moves in it.
    fn find_motions(&mut self, world: &World) {
        for mechanism in &mut self.mechanisms {
            *mechanism = Mechanism {
                held_by: mechanism.held_by,
                work: mechanism.work,
                scale: 1.0,
                ..Mechanism::default()
            };
        }
        let Self { of, mechanisms, .. } = self;
        let linked = || (world.bodies.iter().zip(&*of)).filter(|(_, at)| **at != NONE);
        for (body, &at) in linked() {
            let (all, mass) = (&mut mechanisms[at as usize], body.mass.mass);
            all.mass += mass;
            all.moment += body.pose.position * mass;
            all.momentum += body.linear_velocity * mass;
        }
        for all in mechanisms.iter_mut() {
            all.center = all.moment / all.mass;
            all.rigid.0 = all.momentum / all.mass;
        }
        for (body, &at) in linked() {
            let (all, mass) = (&mut mechanisms[at as usize], body.mass.mass);
            let arm = body.pose.position - all.center;
            let inertia = body.world_inertia();
            let velocity = body.linear_velocity - all.rigid.0;
            all.angular_momentum += arm.cross(&velocity) * mass + inertia * body.angular_velocity;
            all.inertia +=
                inertia + (Mat3::identity() * arm.norm_squared() - arm * arm.transpose()) * mass;
        }
        for all in mechanisms.iter_mut() {
            all.rigid = match all.held_by {
                Some(body) => {
                    let (linear, spin) = velocity_of(&world.bodies, body);
                    let from = world.bodies.get(body as usize);
                    let arm = all.center - from.map_or(all.center, |body| body.pose.position);
                    (linear + spin.cross(&arm), spin)
                }
                None => {
                    let inverse = all.inertia.try_inverse();
                    let spin =
                        inverse.map_or(Vec3::zeros(), |inverse| inverse * all.angular_momentum);
                    (all.rigid.0, spin)
                }
            };
        }
        for (body, &at) in linked() {
            let all = &mut mechanisms[at as usize];
            let velocity = body.linear_velocity - all.velocity_at(&body.pose.position);
            let spin = body.angular_velocity - all.rigid.1;
            all.kinetic += 0.5 * body.mass.mass * velocity.norm_squared()
                + 0.5 * spin.dot(&(body.world_inertia() * spin));
        }
    }
}

impl Mechanism {
    /// Velocity of its motion as one body at a point.
    fn velocity_at(&self, point: &Vec3) -> Vec3 {
        self.rigid.0 + self.rigid.1.cross(&(point - self.center))
    }
}

impl Joints {
    /// Adds up what a solution has the joints of each mechanism do, before bodies move by it.
    pub(in crate::step) fn add_work(
        &mut self,
        world: &World,
        momenta: &[Momentum],
        problem: &Problem,
        solution: &Solution,
    ) {
        let work = &mut self.work;
        let mean = |body: u32| mean_velocity(world, momenta, solution, body);
        for (at, body) in world.bodies.iter().enumerate() {
            let Some(mechanism) = work.mechanism(at as u32) else {
                continue;
            };
            let (change, (linear, angular)) = (&solution.changes[at], mean(at as u32));
            let turned = body.world_inertia() * math::widen(change.angular);
            mechanism.work +=
                body.mass.mass * math::widen(change.linear).dot(&linear) + turned.dot(&angular);
        }
        let impulses = solution.contact_impulses();
        for (contact, &impulse) in problem.contacts.iter().zip(impulses) {
            if impulse == [0.0; 3] {
                continue;
            }
            let on_a = math::widen(contact.impulse_in_world(impulse));
            let sides = [
                (contact.body_a, contact.arm_a, on_a),
                (contact.body_b, contact.arm_b, -on_a),
            ];
            for (body, arm, impulse) in sides {
                if let Some(mechanism) = work.mechanism(body) {
                    let (linear, angular) = mean(body);
                    mechanism.work -= impulse.dot(&(linear + angular.cross(&math::widen(arm))));
                }
            }
        }
        let solved = problem.joint_rows.iter().zip(&solution.joint_impulses);
        for ((row, &impulse), solved) in solved.zip(self.rows.rows()) {
            let impulse = f64::from(impulse);
            let drives = !matches!(solved.law, Law::Equality { .. } | Law::Limit { .. });
            let [linear, angular_a, angular_b] =
                [row.linear, row.angular_a, row.angular_b].map(math::widen);
            let sides = [
                (row.body_a, row.body_b, linear, angular_a),
                (row.body_b, row.body_a, -linear, angular_b),
            ];
            for (body, other, along, about) in sides {
                let done = |(linear, angular): (Vec3, Vec3)| {
                    impulse * (along.dot(&linear) + about.dot(&angular))
                };
                match work.mechanism(body) {
                    Some(mechanism) if drives => mechanism.work -= done(mean(body)),
                    Some(_) => {}
                    // A row gives to the mechanism what it takes from a body that moves on its own.
                    None if !drives => {
                        let done = done(mean(body));
                        if let Some(mechanism) = work.mechanism(other) {
                            mechanism.work += done;
                        }
                    }
                    None => {}
                }
            }
        }
    }

    /// Takes back what joints have done, bodies having moved.
    pub(in crate::step) fn take_work_back(&mut self, world: &mut World) {
        self.work.find_motions(world);
        let mut is_any = false;
        for mechanism in &mut self.work.mechanisms {
            let least = -WORK_OF_JOINTS * mechanism.kinetic;
            mechanism.work = mechanism.work.max(least);
            if mechanism.work > 0.0 {
                let left = (1.0 - mechanism.work / mechanism.kinetic).max(0.0);
                mechanism.scale = left.sqrt();
                mechanism.work = 0.0;
                is_any = true;
            }
        }
        if !is_any {
            return;
        }
        for (body, &at) in world.bodies.iter_mut().zip(&self.work.of) {
            if at == NONE {
                continue;
            }
            let mechanism = &self.work.mechanisms[at as usize];
            if mechanism.scale < 1.0 {
                let rigid = mechanism.velocity_at(&body.pose.position);
                body.linear_velocity = rigid + (body.linear_velocity - rigid) * mechanism.scale;
                body.angular_velocity = mechanism.rigid.1
                    + (body.angular_velocity - mechanism.rigid.1) * mechanism.scale;
            }
        }
    }
}
