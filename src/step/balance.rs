//! The energy balance of a step: the work of every impulse of its parts.

use super::Simulation;
use super::integrate::Momentum;
use crate::math::{self, Vec3};
use crate::measure::{self, Energy, EnergyBalance};
use crate::solver::Solution;
use crate::stabilize::joint_rows::velocity_of;
use crate::world::World;
use crate::world::joint::Law;

/// Linear and angular velocity.
pub(super) type Twist = (Vec3, Vec3);

/// Mean velocity of a body over a part that was solved; that of the body after the last one, the world, is zero.
pub(super) fn mean_velocity(
    world: &World,
    momenta: &[Momentum],
    solution: &Solution,
    body: u32,
) -> Twist {
    let at = body as usize;
    let (linear, angular) = velocity_of(&world.bodies, body);
    match world.bodies.get(at) {
        Some(body) if body.is_dynamic() => {
            let (change, gain) = (&solution.changes[at], momenta[at].gain);
            (
                linear + (gain.0 + math::widen(change.linear)) * 0.5,
                angular + (gain.1 + math::widen(change.angular)) * 0.5,
            )
        }
        _ => (linear, angular),
    }
}

impl Simulation {
    /// Work and dissipation since the start; `None` if [`Settings::energy_balance`](super::Settings::energy_balance) is not set.
    #[must_use]
    pub fn energy_balance(&self) -> Option<EnergyBalance> {
        self.balance
    }

    /// Takes in a world that was changed from outside.
    pub(super) fn balance_change(&mut self) {
        if let Some(balance) = &mut self.balance {
            let now = EnergyBalance::new(measure::energy(&self.world)).energy;
            balance.start += now - balance.energy;
            balance.energy = now;
        }
    }

    /// Takes in the energy at the end of a step.
    pub(super) fn balance_end(&mut self, energy: Energy) {
        if let Some(balance) = &mut self.balance {
            balance.energy = energy.kinetic + energy.potential;
        }
    }

    /// Takes in what a part of a step of length `h` was solved to, before the bodies move. Returns the energy that they have then `[J]`, if
    /// all that moves them is their mean velocity.
    pub(super) fn balance_part(&mut self, h: f64) -> Option<f64> {
        let mut balance = self.balance?;
        self.add_loads(h, &mut balance);
        self.add_contacts(&mut balance);
        self.add_joints(&mut balance);
        self.balance = Some(balance);
        let dynamic = self.world.bodies.iter().zip(&self.momenta).enumerate();
        let dynamic = dynamic.filter(|(_, (body, _))| body.is_dynamic());
        let energies = dynamic.map(|(at, (body, momentum))| {
            let change = &self.solution.changes[at];
            let linear = body.linear_velocity + momentum.gain.0 + math::widen(change.linear);
            let angular = body.angular_velocity + momentum.gain.1 + math::widen(change.angular);
            let way = (body.linear_velocity + linear) * (0.5 * h);
            let kinetic = 0.5 * body.mass.mass * linear.norm_squared()
                + 0.5 * angular.dot(&(body.world_inertia() * angular));
            kinetic - body.mass.mass * self.world.gravity.dot(&(body.pose.position + way))
        });
        Some(energies.sum())
    }

    /// Takes in how bodies have moved in a part, to this energy from the one that was expected.
    pub(super) fn balance_move(&mut self, expected: Option<f64>, energy: Energy) {
        if let (Some(balance), Some(expected)) = (&mut self.balance, expected) {
            balance.error += energy.kinetic + energy.potential - expected;
        }
    }

    fn mean_velocity(&self, body: u32) -> Twist {
        mean_velocity(&self.world, &self.momenta, &self.solution, body)
    }

    /// True for a body that impulses do not move.
    fn is_given(&self, body: u32) -> bool {
        let body = self.world.bodies.get(body as usize);
        body.is_none_or(|body| !body.is_dynamic())
    }

    fn add_loads(&self, h: f64, balance: &mut EnergyBalance) {
        if self.world.loads.is_empty() {
            return;
        }
        let gravity = self.world.gravity * h;
        let moved = self.world.bodies.iter().zip(&self.momenta).enumerate();
        for (at, (body, momentum)) in moved.filter(|(_, (body, _))| body.is_dynamic()) {
            let (linear, angular) = self.mean_velocity(at as u32);
            let impulse = (momentum.gain.0 - gravity) * body.mass.mass;
            let angular_impulse = body.world_inertia() * momentum.gain.1;
            balance.loads += impulse.dot(&linear) + angular_impulse.dot(&angular);
        }
    }

    fn add_contacts(&self, balance: &mut EnergyBalance) {
        let impulses = self.solution.contact_impulses();
        // Bodies of the problem may stand for surfaces; those of the points are the world's.
        let pairs = self.detector.contacts().iter().map(|point| point.bodies);
        let contacts = self.problem.contacts.iter().zip(pairs);
        for ((contact, [a, b]), &impulse) in contacts.zip(impulses) {
            if impulse == [0.0; 3] {
                continue;
            }
            let on_a = math::widen(contact.impulse_in_world(impulse));
            let normal = math::widen(contact.normal) * f64::from(impulse[0]);
            let sides = [(a, contact.arm_a, 1.0), (b, contact.arm_b, -1.0)];
            for (body, arm, sign) in sides {
                let (linear, angular) = self.mean_velocity(body);
                let velocity = (linear + angular.cross(&math::widen(arm))) * sign;
                let (work, of_normal) = (on_a.dot(&velocity), normal.dot(&velocity));
                balance.impacts -= of_normal;
                balance.friction -= work - of_normal;
                if self.is_given(body) {
                    balance.motions -= work;
                }
            }
        }
    }

    fn add_joints(&self, balance: &mut EnergyBalance) {
        let solved = self.problem.joint_rows.iter();
        let solved = solved.zip(&self.solution.joint_impulses);
        for ((row, &impulse), law) in solved.zip(self.joints.laws()) {
            let impulse = f64::from(impulse);
            let [linear, angular_a, angular_b] =
                [row.linear, row.angular_a, row.angular_b].map(math::widen);
            let sides = [
                (row.body_a, linear, angular_a),
                (row.body_b, -linear, angular_b),
            ];
            for (body, along, about) in sides {
                let (linear, angular) = self.mean_velocity(body);
                let work = impulse * (along.dot(&linear) + about.dot(&angular));
                match law {
                    Law::Equality { .. } | Law::Limit { .. } => balance.joints -= work,
                    Law::Motor { .. } | Law::Spring { .. } | Law::Velocity { .. } => {
                        balance.drives += work;
                    }
                }
                if self.is_given(body) {
                    balance.motions -= work;
                }
            }
        }
    }
}
