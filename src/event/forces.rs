//! Forces at an instant: gravity, loads, springs, joints and resting contact (Baraff, section 9).
//!
//! A contact that stays asks for `d'' + 2 alpha d' + beta^2 d >= 0`, a joint's row for `g'' + 2 alpha g' + beta^2 g = 0`: zero on the right with alpha
//! and beta for what rounding and the integrator leave (Baumgarte; both signs as in Drake's note).

use super::EventSettings;
use super::contact::{Contact, Placed, velocities};
use super::feature::tangents_of;
use super::rows::{
    Bilateral, Forces, InverseMass, Row, Tangent, Twist, Unilateral, inverse_masses, solve,
};
use super::sticking::sticking;
use crate::math::Vec3;
use crate::world::joint::{Law, Row as JointRow};
use crate::world::{Body, World};

/// A contact that neither hits nor parts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Resting {
    pub(super) contact: Contact,
    /// Direction of its slip when the step began; none if it sticks.
    pub(super) slips: Option<Vec3>,
}

/// State of a motor on its way to its velocity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Drive {
    /// It is there, and keeps it as far as its force allows.
    Holds,
    /// With its full force in this direction, 1 or -1.
    Pushes(f64),
}

/// Of each motor towards a velocity, in the order of the joints, what it is ahead of that `[m/s]` or `[rad/s]`, and if it turns.
pub(super) fn ahead_of_motors(
    world: &World,
    bodies: &[Body],
    time: f64,
    h: f64,
) -> Vec<(f64, bool)> {
    let twists = velocities(bodies);
    let rows = joint_rows(world, bodies, time, h);
    let of = |row: &RowOfJoint| match row.asks.law {
        Law::Motor { velocity, .. } => {
            Some((row.as_row().rate(&twists) - velocity, row.asks.is_angular()))
        }
        _ => None,
    };
    rows.iter().filter_map(of).collect()
}

/// Forces and torques at an instant.
pub(super) struct Acting {
    /// Force `[N]` and torque about the centre of mass `[N m]` on each body.
    pub(super) wrenches: Vec<Twist>,
    /// Of each contact, its force on A `[N]`.
    pub(super) of_contacts: Vec<Vec3>,
    /// Of each joint, the force of its linear rows and the torque of its angular ones on A `[N]`, `[N m]`.
    pub(super) of_joints: Vec<[Vec3; 2]>,
}

/// A row of a joint, and whose it is.
pub(super) struct RowOfJoint {
    pub(super) joint: usize,
    bodies: [Option<usize>; 2],
    pub(super) asks: JointRow,
}

impl RowOfJoint {
    /// The row as the solver sees it.
    pub(super) fn as_row(&self) -> Row {
        Row {
            bodies: self.bodies,
            linear: self.asks.linear,
            angular: [self.asks.angular_a, self.asks.angular_b],
        }
    }

    /// Adds its force, or impulse, on body A to those of the joints.
    pub(super) fn add_to(&self, amount: f64, of_joints: &mut [[Vec3; 2]]) {
        let [force, torque] = &mut of_joints[self.joint];
        if self.asks.is_angular() {
            *torque += self.asks.angular_a * amount;
        } else {
            *force += self.asks.linear * amount;
        }
    }
}

/// The joints' rows; none of those that are broken.
pub(super) fn joint_rows(world: &World, bodies: &[Body], time: f64, h: f64) -> Vec<RowOfJoint> {
    let mut rows = Vec::new();
    let mut all = Vec::new();
    for (index, joint) in world.joints.iter().enumerate() {
        rows.clear();
        joint.rows(bodies, time, h, &mut rows);
        let bodies = [
            Some(joint.body_a as usize),
            joint.body_b.map(|b| b as usize),
        ];
        all.extend(rows.iter().map(|&asks| RowOfJoint {
            joint: index,
            bodies,
            asks,
        }));
    }
    all
}

/// Forces and torques of gravity and loads.
pub(super) fn applied(world: &World, bodies: &[Body], time: f64) -> Vec<Twist> {
    let mut wrenches = vec![(Vec3::zeros(), Vec3::zeros()); bodies.len()];
    for (body, wrench) in bodies.iter().zip(&mut wrenches) {
        if body.is_dynamic() {
            wrench.0 += world.gravity * body.mass.mass;
        }
    }
    for load in &world.loads {
        let index = load.body as usize;
        let (force, torque) = load.wrench(&bodies[index], time);
        wrenches[index].0 += force;
        wrenches[index].1 += torque;
    }
    wrenches
}

/// Accelerations by forces and torques, the turning of the bodies included; as given of bodies with a prescribed motion.
pub(super) fn free_accelerations(
    bodies: &[Body],
    prescribed: &[Twist],
    wrenches: &[Twist],
    inverse: &[InverseMass],
) -> Vec<Twist> {
    let of = |index: usize| {
        let body = &bodies[index];
        if !body.is_dynamic() {
            return prescribed[index];
        }
        let momentum = body.world_inertia() * body.angular_velocity;
        let torque = wrenches[index].1 - body.angular_velocity.cross(&momentum);
        (
            wrenches[index].0 * inverse[index].mass,
            inverse[index].inertia * torque,
        )
    };
    (0..bodies.len()).map(of).collect()
}

/// All that acts at `time`, with contact forces; none where there are no such forces.
///
/// `accelerations` are those of bodies with a prescribed motion, zero of others.
pub(super) fn acting(
    world: &World,
    bodies: &[Body],
    accelerations: &[Twist],
    (resting, drives): (&[Resting], &[Drive]),
    time: f64,
    h: f64,
    settings: &EventSettings,
) -> Option<Acting> {
    let mut wrenches = applied(world, bodies, time);
    let inverse = inverse_masses(bodies);
    let twists = velocities(bodies);
    let alpha = settings.feedback.alpha;
    let corrected = |error: f64, speed: f64| settings.feedback.of(error, speed);

    let mut bilateral: Vec<Bilateral> = Vec::new();
    let mut unilateral: Vec<Unilateral> = Vec::new();
    let rows = joint_rows(world, bodies, time, h);
    let mut drives = drives.iter();
    let mut sources = Vec::with_capacity(rows.len());
    for joint in &rows {
        let row = joint.as_row();
        let speed = row.rate(&twists);
        let drift = joint.asks.drift;
        let source = match joint.asks.law {
            Law::Equality { error } => {
                bilateral.push((row, drift + corrected(error, speed)));
                Source::Bilateral(bilateral.len() - 1)
            }
            Law::Velocity {
                now, derivative, ..
            } => {
                let offset = drift - derivative + 2.0 * alpha * (speed - now);
                bilateral.push((row, offset));
                Source::Bilateral(bilateral.len() - 1)
            }
            Law::Limit { gap } => {
                if gap <= settings.contact_distance && speed <= settings.resting_speed {
                    unilateral.push(Unilateral {
                        normal: row,
                        offset: drift + corrected(gap, speed),
                        tangent: Tangent::Smooth,
                    });
                    Source::Unilateral(unilateral.len() - 1, 0.0)
                } else {
                    Source::Given(0.0)
                }
            }
            Law::Spring {
                error,
                stiffness,
                damping,
                max_force,
            } => {
                let force = -stiffness * error - damping * speed;
                Source::Given(force.clamp(-max_force, max_force))
            }
            Law::Motor {
                velocity,
                max_force,
            } => match drives.next() {
                // From its full force backward on it may push twice as much.
                Some(Drive::Holds) | None => {
                    unilateral.push(Unilateral {
                        normal: row,
                        offset: drift + 2.0 * alpha * (speed - velocity),
                        tangent: Tangent::Limited {
                            most: 2.0 * max_force,
                        },
                    });
                    Source::Unilateral(unilateral.len() - 1, -max_force)
                }
                Some(Drive::Pushes(way)) => Source::Given(way * max_force),
            },
        };
        if let Source::Given(force) | Source::Unilateral(_, force) = source {
            row.add_to(&mut wrenches, force);
        }
        sources.push(source);
    }
    let limits = unilateral.len();

    // Accelerations without the forces that are sought.
    let free = free_accelerations(bodies, accelerations, &wrenches, &inverse);
    for (row, offset) in &mut bilateral {
        *offset += row.rate(&free);
    }
    for row in &mut unilateral {
        row.offset += row.normal.rate(&free);
    }
    for held in resting {
        let at = held.contact.placed(bodies);
        let normal = held.contact.normal_row(&at, bodies);
        let offset = normal.rate(&free) + at.drift + corrected(at.gap, at.speed);
        let tangent = tangent(held, &at, bodies, &free, settings, alpha);
        unilateral.push(Unilateral {
            normal,
            offset,
            tangent,
        });
    }
    let forces = forces(&bilateral, &unilateral, &inverse)?;
    let mut of_contacts = Vec::with_capacity(resting.len());
    for (index, held) in resting.iter().enumerate() {
        let mut own = vec![(Vec3::zeros(), Vec3::zeros()); bodies.len()];
        forces.add_contact_to(limits + index, &unilateral[limits + index], &mut own);
        of_contacts.push(own[held.contact.bodies[0]].0);
    }
    let mut of_joints = vec![[Vec3::zeros(); 2]; world.joints.len()];
    for (row, source) in rows.iter().zip(&sources) {
        let amount = match *source {
            Source::Bilateral(index) => forces.bilateral[index],
            Source::Unilateral(index, given) => forces.normal[index] + given,
            Source::Given(force) => force,
        };
        row.add_to(amount, &mut of_joints);
    }
    forces.add_to(&bilateral, &unilateral, &mut wrenches);
    Some(Acting {
        wrenches,
        of_contacts,
        of_joints,
    })
}

/// Where the force of a joint's row is from.
enum Source {
    /// Found with a row that pushes and pulls.
    Bilateral(usize),
    /// Found with a row that pushes, and known before that.
    Unilateral(usize, f64),
    /// Known.
    Given(f64),
}

/// The friction that a contact may have.
fn tangent(
    held: &Resting,
    at: &Placed,
    bodies: &[Body],
    free: &[Twist],
    settings: &EventSettings,
    alpha: f64,
) -> Tangent {
    let contact = &held.contact;
    if contact.friction == 0.0 {
        return Tangent::Smooth;
    }
    let along = |direction: &Vec3| Row::at_point(contact.bodies, bodies, &at.point, direction);
    if let Some(before) = held.slips {
        let speed = at.slip.norm();
        // Past its stop the slip would turn around within the step: where it stops is then found as an event.
        let direction = if speed > settings.sticking_speed && at.slip.dot(&before) > 0.0 {
            at.slip / speed
        } else {
            before
        };
        return Tangent::Sliding {
            against: along(&direction),
            coefficient: contact.friction,
        };
    }
    let rows = directions(&at.normal, settings.friction_directions).map(|direction| {
        let row = along(&direction);
        let offset =
            row.rate(free) + direction.dot(&at.slip_drift) + 2.0 * alpha * direction.dot(&at.slip);
        (row, offset)
    });
    Tangent::Sticking {
        along: rows.collect(),
        coefficient: contact.friction,
    }
}

/// Unit vectors evenly around a normal.
pub(super) fn directions(normal: &Vec3, count: u32) -> impl Iterator<Item = Vec3> {
    let (first, second) = tangents_of(normal);
    (0..count).map(move |k| {
        let angle = std::f64::consts::TAU * f64::from(k) / f64::from(count);
        first * angle.cos() + second * angle.sin()
    })
}

/// The forces; where nothing would slide without it, friction is left out: it can only be needed where something would. Where all may stick, that is
/// tried before the general problem.
fn forces(
    bilateral: &[Bilateral],
    unilateral: &[Unilateral],
    inverse: &[InverseMass],
) -> Option<Forces> {
    let all_may_stick = unilateral
        .iter()
        .all(|row| !matches!(row.tangent, Tangent::Sliding { .. }));
    let any_sticks = unilateral
        .iter()
        .any(|row| matches!(row.tangent, Tangent::Sticking { .. }));
    if !(all_may_stick && any_sticks) {
        return solve(bilateral, unilateral, inverse);
    }
    let smooth: Vec<Unilateral> = unilateral
        .iter()
        .map(|row| Unilateral {
            tangent: match &row.tangent {
                Tangent::Sticking { .. } => Tangent::Smooth,
                same => same.clone(),
            },
            ..row.clone()
        })
        .collect();
    if let Some(pressing) = solve(bilateral, &smooth, inverse) {
        let still = pressing
            .clone()
            .without_sliding(bilateral, unilateral, inverse)
            .or_else(|| sticking(bilateral, unilateral, &smooth, &pressing, inverse));
        if still.is_some() {
            return still;
        }
    }
    solve(bilateral, unilateral, inverse)
}
