//! The spring between the pointer and a body.
//!
//! A damped spring pulls a point of the body to the hand: `F = k (hand - p) - c v`, with the stiffness `k = M w^2` and the damping
//! `c = 2 M w` of critical damping, M being the mass of all that hangs together by joints. The force is constant over a step h, and it
//! is the one that the spring has at the end of the step, if nothing but it moved the point (backward Euler):
//!
//! ```text
//! [1 + (c h + k h^2) W] F = k (hand - p) - (c + k h) v,
//! ```
//!
//! W being the inverse effective mass of the point. So it never throws the body beyond the hand, whatever the step, the mass and the lever. Nothing of
//! this brakes a body that turns about the hand, and a force that lags behind its lever drives that: the spin is damped by a torque of its own.

use drystone::Result;
use drystone::math::{Mat3, Vec3};
use drystone::step::Simulation;
use drystone::world::{Body, Load, World};

/// Share of the radius of the scene by which a weight stretches the spring that holds it, in short steps.
const STRETCH: f64 = 0.08;
/// Rate at which the spin of a body that is held is lost, as a share of the natural frequency.
const SPIN_LOSS: f64 = 0.25;
/// Acceleration of that weight `[m/s^2]`, where gravity is less.
const GRAVITY: f64 = 9.81;

/// A spring that pulls at a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Spring {
    pub(super) body: u32,
    /// In body axes, from the centre of mass `[m]`.
    point: Vec3,
    /// Its other end `[m]`.
    pub(super) hand: Vec3,
    /// Mass that it is made for `[kg]`.
    mass: f64,
    /// Natural frequency `[rad/s]`.
    frequency: f64,
}

impl Spring {
    /// A spring from a point of a body to where that point is; `radius` is that of the scene `[m]`. Nothing for a body that nothing moves.
    pub(super) fn new(world: &World, body: u32, point: Vec3, radius: f64) -> Option<Self> {
        let at = world
            .bodies
            .get(body as usize)
            .filter(|body| body.is_dynamic())?;
        let weight = world.gravity.norm().max(GRAVITY);
        Some(Self {
            body,
            point,
            hand: at.pose.point(&point),
            mass: mass_with(world, body),
            frequency: (weight / (STRETCH * radius)).sqrt(),
        })
    }

    /// Its end on the body `[m]`.
    pub(super) fn at(&self, world: &World) -> Vec3 {
        world.bodies[self.body as usize].pose.point(&self.point)
    }

    /// Pulls for the next step.
    ///
    /// # Errors
    /// As [`Simulation::add_load`].
    pub(super) fn pull(&self, simulation: &mut Simulation) -> Result<()> {
        let (world, h) = (simulation.world(), simulation.settings().time_step);
        let body = &world.bodies[self.body as usize];
        let loss = SPIN_LOSS * self.frequency;
        let load = Load {
            body: self.body,
            point: self.point,
            force: self.force(body, h),
            torque: body.world_inertia() * body.angular_velocity * (-loss / (1.0 + loss * h)),
            from: world.time,
            until: world.time + h,
            frequency: 0.0,
        };
        simulation.add_load(load)
    }

    /// Force over a step of length `h` `[N]`.
    fn force(&self, body: &Body, h: f64) -> Vec3 {
        let (k, c) = (
            self.mass * self.frequency.powi(2),
            2.0 * self.mass * self.frequency,
        );
        let arm = body.pose.direction(&self.point);
        let at = body.pose.position + arm;
        let wanted = (self.hand - at) * k - body.velocity_at(&at) * (c + k * h);
        let cross = arm.cross_matrix();
        let mobility = Mat3::identity() * body.mass.inverse_mass
            - cross * body.world_inverse_inertia() * cross;
        let whole = Mat3::identity() + mobility * (c * h + k * h * h);
        whole.lu().solve(&wanted).unwrap_or_else(Vec3::zeros)
    }
}

/// Mass of a body and of all that joints tie to it `[kg]`.
fn mass_with(world: &World, body: u32) -> f64 {
    let mut tied = vec![false; world.bodies.len()];
    let mut found = vec![body];
    tied[body as usize] = true;
    let mut links: Vec<Vec<u32>> = vec![Vec::new(); world.bodies.len()];
    for joint in world.joints.iter().filter(|joint| !joint.broken) {
        if let Some(other) = joint.body_b {
            links[joint.body_a as usize].push(other);
            links[other as usize].push(joint.body_a);
        }
    }
    let mut mass = 0.0;
    while let Some(index) = found.pop() {
        mass += world.bodies[index as usize].mass.mass;
        for &other in &links[index as usize] {
            let other_body = &world.bodies[other as usize];
            if other_body.is_dynamic() && !std::mem::replace(&mut tied[other as usize], true) {
                found.push(other);
            }
        }
    }
    mass
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]
mod tests {
    use super::*;
    use drystone::math::{Pose, Quat};
    use drystone::solver::cpu::CpuSolver;
    use drystone::step::Settings;
    use drystone::world::Shape;
    use drystone::world::joint::{Joint, JointKind};

    /// A rod that floats.
    fn rod(gravity: f64) -> World {
        let mut world = World::new(Vec3::new(0.0, 0.0, -gravity));
        let shape = Shape::Box {
            half_extents: Vec3::new(0.5, 0.05, 0.05),
        };
        let at = Pose::new(Vec3::zeros(), Quat::identity());
        world.bodies.push(Body::dynamic(shape, at, 500.0).unwrap());
        world
    }

    fn pulled(gravity: f64, h: f64, hand: Vec3, time: f64) -> (Simulation, Spring, f64) {
        let world = rod(gravity);
        let mut spring = Spring::new(&world, 0, Vec3::new(0.45, 0.0, 0.0), 0.5).unwrap();
        spring.hand = hand;
        let settings = Settings {
            time_step: h,
            ..Settings::default()
        };
        let mut simulation = Simulation::new(world, settings, Box::new(CpuSolver::new())).unwrap();
        let mut fastest = 0.0_f64;
        for _ in 0..(time / h) as usize {
            spring.pull(&mut simulation).unwrap();
            simulation.step().unwrap();
            fastest = fastest.max(simulation.world().bodies[0].linear_velocity.norm());
        }
        (simulation, spring, fastest)
    }

    #[test]
    fn the_point_comes_to_the_hand_and_stays_whatever_the_step() {
        let hand = Vec3::new(1.0, 0.6, 0.0);
        for h in [0.1, 1.0 / 60.0, 0.001] {
            let (simulation, spring, fastest) = pulled(0.0, h, hand, 8.0);
            let off = (spring.at(simulation.world()) - hand).norm();
            assert!(off < 0.03, "{h}: {off}");
            // Never faster than the spring's own time allows.
            assert!(fastest < 0.9 * spring.frequency, "{h}: {fastest}");
        }
    }

    #[test]
    fn a_weight_hangs_a_small_share_of_the_scene_below_the_hand() {
        let hand = Vec3::new(0.45, 0.0, 0.0);
        let (simulation, spring, _) = pulled(9.81, 1.0 / 240.0, hand, 30.0);
        let below = hand.z - spring.at(simulation.world()).z;
        // The share of the force that the end of the step takes away is made up for by more of it.
        let longer = (1.0 + spring.frequency / 240.0).powi(2);
        let expected = STRETCH * 0.5 * longer;
        assert!((below / expected - 1.0).abs() < 0.05, "{below}, {expected}");
    }

    #[test]
    fn a_link_is_pulled_with_the_strength_of_its_chain() {
        let mut world = rod(9.81);
        let other = world.bodies[0].clone();
        world.bodies.push(other);
        assert_eq!(mass_with(&world, 0), world.bodies[0].mass.mass);
        world.joints.push(Joint::new(JointKind::Ball, 0, Some(1)));
        assert_eq!(mass_with(&world, 0), 2.0 * world.bodies[0].mass.mass);
    }
}
