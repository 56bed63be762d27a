//! Contacts with their forces: the network that carries a crowd, and the tensors that describe it.
//!
//! Sources: Rothenburg and Selvadurai 1981 and Christoffersen, Mehrabadi and Nemat-Nasser 1981 for the stress, Oda 1982 for the fabric.

use crate::collide::ContactPoint;
use crate::math::{Aabb, Mat3, Vec3};
use crate::world::World;

/// Force and torque, in world axes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Wrench {
    /// `[N]`
    pub force: Vec3,
    /// `[N m]`
    pub torque: Vec3,
}

/// Neighbours that press on the dynamic bodies.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Coordination {
    /// Mean number of bodies that a dynamic body presses on.
    pub mean: f64,
    /// The same of those that are no rattlers, rattlers left out of their neighbours. 0 if all are.
    pub bearing: f64,
    /// Share of rattlers among the dynamic bodies: of those that press on too few others, or on none with more than their own weight.
    pub rattlers: f64,
}

/// The contacts of a state, and the forces that act in them.
#[derive(Debug, Clone, Copy)]
pub struct ContactNetwork<'a> {
    world: &'a World,
    contacts: &'a [ContactPoint],
    forces: &'a [Vec3],
}

impl<'a> ContactNetwork<'a> {
    /// Of contacts, sorted by pair, and the forces on their bodies A `[N]`, of the same shape; what is missing of these is zero.
    #[must_use]
    pub fn new(world: &'a World, contacts: &'a [ContactPoint], forces: &'a [Vec3]) -> Self {
        Self {
            world,
            contacts,
            forces,
        }
    }

    /// All contacts, with the forces on their bodies A `[N]`.
    pub fn all(&self) -> impl Iterator<Item = (&'a ContactPoint, Vec3)> + use<'a> {
        let forces = self.forces.iter().copied();
        let missing = std::iter::repeat(Vec3::zeros());
        self.contacts.iter().zip(forces.chain(missing))
    }

    /// Contacts that press, with the forces on their bodies A `[N]`.
    pub fn pressing(&self) -> impl Iterator<Item = (&'a ContactPoint, Vec3)> + use<'a> {
        self.all()
            .filter(|(contact, force)| force.dot(&contact.normal) > 0.0)
    }

    /// Neighbours of the dynamic bodies whose centres are in a box; those that press on fewer than `least` others are rattlers.
    #[must_use]
    pub fn coordination(&self, within: &Aabb, least: u32) -> Coordination {
        let bodies = &self.world.bodies;
        let mut pairs: Vec<([u32; 2], f64)> = Vec::new();
        for (contact, force) in self.pressing() {
            match pairs.last_mut() {
                Some((pair, sum)) if *pair == contact.bodies => *sum += force.norm(),
                _ => pairs.push((contact.bodies, force.norm())),
            }
        }
        let (mut neighbours, mut most) = (vec![0_u32; bodies.len()], vec![0.0_f64; bodies.len()]);
        for &(pair, force) in &pairs {
            for body in pair.map(|body| body as usize) {
                neighbours[body] += 1;
                most[body] = most[body].max(force);
            }
        }
        let gravity = self.world.gravity.norm();
        let is_rattler: Vec<bool> = (0..bodies.len())
            .map(|at| {
                let weight = bodies[at].mass.mass * gravity;
                bodies[at].is_dynamic() && (neighbours[at] < least || most[at] <= weight)
            })
            .collect();
        let mut bearing_neighbours = vec![0_u32; bodies.len()];
        for ([a, b], _) in pairs {
            bearing_neighbours[a as usize] += u32::from(!is_rattler[b as usize]);
            bearing_neighbours[b as usize] += u32::from(!is_rattler[a as usize]);
        }
        let (mut all, mut sum, mut bearing, mut sum_of_bearing) = (0.0, 0.0, 0.0, 0.0);
        let is_in = |at: &Vec3| (0..3).all(|k| within.min[k] <= at[k] && at[k] < within.max[k]);
        let inside = bodies.iter().enumerate();
        for (at, _) in inside.filter(|(_, b)| b.is_dynamic() && is_in(&b.pose.position)) {
            all += 1.0;
            sum += f64::from(neighbours[at]);
            if !is_rattler[at] {
                bearing += 1.0;
                sum_of_bearing += f64::from(bearing_neighbours[at]);
            }
        }
        let over = |sum: f64, count: f64| if count > 0.0 { sum / count } else { 0.0 };
        Coordination {
            mean: over(sum, all),
            bearing: over(sum_of_bearing, bearing),
            rattlers: over(all - bearing, all),
        }
    }

    /// Mean of `n n^T` over the points that press within a box, n being their normals; its trace is 1, or 0 without such points.
    #[must_use]
    pub fn fabric(&self, within: &Aabb) -> Mat3 {
        let (mut sum, mut count) = (Mat3::zeros(), 0.0);
        for (contact, _) in self.pressing_within(within) {
            sum += contact.normal * contact.normal.transpose();
            count += 1.0;
        }
        if count > 0.0 { sum / count } else { sum }
    }

    /// Stress of the contacts within a box, positive under pressure `[Pa]`: `sum f l^T / V`, f being the force on a body and l the way to
    /// its centre from that of the other, or from the point where the other is not dynamic, as far as it is within the box. So its zz is
    /// the mean over the box's heights of the force through a level, over the area.
    #[must_use]
    pub fn stress(&self, within: &Aabb) -> Mat3 {
        let mut sum = Mat3::zeros();
        for (contact, force) in self.pressing() {
            let [a, b] = self.branch(contact);
            sum += force * (a - b).transpose() * share_within(&b, &a, within);
        }
        let sides = within.max - within.min;
        sum / (sides.x * sides.y * sides.z)
    }

    /// Ends of the way that the force of a contact takes, at A and at B: the centre of the body, or the contact point if it is not dynamic.
    #[must_use]
    pub fn branch(&self, contact: &ContactPoint) -> [Vec3; 2] {
        contact.bodies.map(|body| {
            let body = &self.world.bodies[body as usize];
            if body.is_dynamic() {
                body.pose.position
            } else {
                contact.position
            }
        })
    }

    /// Force of all contacts on a body, and their torque about its centre of mass.
    #[must_use]
    pub fn on_body(&self, body: u32) -> Wrench {
        let center = self.world.bodies[body as usize].pose.position;
        let mut sum = Wrench::default();
        for (contact, force) in self.all() {
            let force = match contact.bodies {
                [a, _] if a == body => force,
                [_, b] if b == body => -force,
                _ => continue,
            };
            sum.force += force;
            sum.torque += (contact.position - center).cross(&force);
        }
        sum
    }

    /// Rate of the work that a body does on all that it touches `[W]`: its contact forces on them times its velocities at the points.
    #[must_use]
    pub fn power_of(&self, body: u32) -> f64 {
        let moving = &self.world.bodies[body as usize];
        let powers = self.all().map(|(contact, force)| {
            let on_other = match contact.bodies {
                [a, _] if a == body => -force,
                [_, b] if b == body => force,
                _ => return 0.0,
            };
            on_other.dot(&moving.velocity_at(&contact.position))
        });
        powers.sum()
    }

    fn pressing_within(
        &self,
        within: &Aabb,
    ) -> impl Iterator<Item = (&'a ContactPoint, Vec3)> + use<'a> {
        let Aabb { min, max } = *within;
        self.pressing().filter(move |(contact, _)| {
            let at = &contact.position;
            (0..3).all(|axis| min[axis] <= at[axis] && at[axis] < max[axis])
        })
    }
}

/// Share of the way between two points that is within a box.
fn share_within(from: &Vec3, to: &Vec3, within: &Aabb) -> f64 {
    let (mut start, mut end) = (0.0_f64, 1.0_f64);
    for axis in 0..3 {
        let (at, along) = (from[axis], to[axis] - from[axis]);
        let (min, max) = (within.min[axis], within.max[axis]);
        if along == 0.0 {
            if at < min || at >= max {
                return 0.0;
            }
            continue;
        }
        let (one, other) = ((min - at) / along, (max - at) / along);
        start = start.max(one.min(other));
        end = end.min(one.max(other));
    }
    (end - start).max(0.0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

    use super::*;
    use crate::math::{Pose, Quat};
    use crate::world::{Body, Shape};

    const ALL: Aabb = Aabb {
        min: Vec3::new(-1.0, -1.0, 0.0),
        max: Vec3::new(1.0, 1.0, 2.0),
    };

    fn point(bodies: [u32; 2], position: Vec3, normal: Vec3) -> ContactPoint {
        ContactPoint {
            bodies,
            feature: 0,
            position,
            normal,
            separation: 0.0,
        }
    }

    /// A ground and three balls of radius 0.5 m, one above the other, that weigh 1 N each.
    fn column() -> (World, Vec<ContactPoint>, Vec<Vec3>) {
        let mut world = World::new(-Vec3::z());
        let ground = Shape::HalfSpace {
            normal: Vec3::z(),
            offset: 0.0,
        };
        world.add(Body::fixed(ground, Pose::identity())).unwrap();
        let ball = Shape::Sphere { radius: 0.5 };
        for level in 0..3 {
            let at = Vec3::new(0.0, 0.0, 0.5 + f64::from(level));
            let pose = Pose::new(at, Quat::identity());
            world
                .add(Body::dynamic_with_mass(ball.clone(), pose, 1.0).unwrap())
                .unwrap();
        }
        let (mut contacts, mut forces) = (Vec::new(), Vec::new());
        for lower in 0..3_u32 {
            // Normals go from B, the upper one, to A.
            contacts.push(point(
                [lower, lower + 1],
                Vec3::z() * f64::from(lower),
                -Vec3::z(),
            ));
            forces.push(-Vec3::z() * f64::from(3 - lower));
        }
        (world, contacts, forces)
    }

    #[test]
    fn a_column_presses_by_its_weight() {
        let (world, contacts, forces) = column();
        let network = ContactNetwork::new(&world, &contacts, &forces);
        assert_eq!(network.pressing().count(), 3);
        assert_eq!(network.on_body(0).force, Vec3::new(0.0, 0.0, -3.0));
        assert_eq!(network.on_body(2).force, Vec3::new(0.0, 0.0, 1.0));
        let neighbours = network.coordination(&Aabb::everything(), 4);
        assert!((neighbours.mean - 5.0 / 3.0).abs() < 1e-12);
        assert_eq!((neighbours.bearing, neighbours.rattlers), (0.0, 1.0));
        // 3 N up to the first centre, 2 N to the second, 1 N from there to the box's end at 2 m, over 8 m^3.
        let stress = network.stress(&ALL);
        assert!((stress[(2, 2)] - (3.0 * 0.5 + 2.0 + 0.5) / 8.0).abs() < 1e-12);
        assert!((network.fabric(&ALL) - Vec3::z() * Vec3::z().transpose()).norm() < 1e-12);
    }

    #[test]
    fn forces_beside_the_centre_turn() {
        let (world, mut contacts, _) = column();
        contacts.truncate(1);
        contacts[0] = point([0, 1], Vec3::new(0.3, 0.0, 0.0), -Vec3::z());
        let forces = [Vec3::new(0.0, 0.0, -2.0)];
        let on_ball = ContactNetwork::new(&world, &contacts, &forces).on_body(1);
        assert_eq!(on_ball.force, Vec3::new(0.0, 0.0, 2.0));
        assert!((on_ball.torque - Vec3::new(0.0, -0.6, 0.0)).norm() < 1e-12);
        // The ground lifts the ball, and turns below it.
        let (mut lifting, forces) = (world.clone(), [Vec3::new(0.0, 0.0, -2.0)]);
        lifting.bodies[0].linear_velocity = Vec3::z() * 3.0;
        let network = ContactNetwork::new(&lifting, &contacts, &forces);
        assert_eq!((network.power_of(0), network.power_of(1)), (6.0, 0.0));
        lifting.bodies[0].angular_velocity = Vec3::y();
        let network = ContactNetwork::new(&lifting, &contacts, &forces);
        assert!((network.power_of(0) - 2.0 * (3.0 - 0.3)).abs() < 1e-12);
        let pull = [Vec3::z()];
        let pulled = ContactNetwork::new(&world, &contacts, &pull);
        assert_eq!(pulled.pressing().count(), 0);
        assert_eq!(pulled.stress(&ALL), Mat3::zeros());
    }
}
