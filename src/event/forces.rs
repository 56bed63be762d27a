//! Forces at an instant: gravity, loads, springs, joints and resting contact (Baraff, section 9).
//!
//! A contact that stays asks for `d'' + 2 alpha d' + beta^2 d >= 0`, a joint's row for `g'' + 2 alpha g' + beta^2 g = 0`: zero on the right with alpha
//! and beta for what rounding and the integrator leave (Baumgarte; both signs as in Drake's note).

use super::contact::{Contact, Placed, velocities};
use super::rows::{
    Bilateral, Forces, InverseMass, Row, Tangent, Twist, Unilateral, inverse_masses, solve,
};
use super::{EventSettings, Feedback};
use crate::math::{self, Vec3, tangents};
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
    let of = |(of, row): &([Option<usize>; 2], JointRow)| match row.law {
        Law::Motor { velocity, .. } => {
            Some((as_row(*of, row).rate(&twists) - velocity, row.is_angular()))
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
}

/// The joints' rows with the bodies they are of.
pub(super) fn joint_rows(
    world: &World,
    bodies: &[Body],
    time: f64,
    h: f64,
) -> Vec<([Option<usize>; 2], JointRow)> {
    let mut rows = Vec::new();
    let mut all = Vec::new();
    for joint in &world.joints {
        rows.clear();
        joint.rows(bodies, time, h, &mut rows);
        let of = [
            Some(joint.body_a as usize),
            joint.body_b.map(|b| b as usize),
        ];
        all.extend(rows.iter().map(|row| (of, *row)));
    }
    all
}

/// The row of a joint as the solver sees it.
pub(super) fn as_row(bodies: [Option<usize>; 2], row: &JointRow) -> Row {
    Row {
        bodies,
        linear: row.linear,
        angular: [row.angular_a, row.angular_b],
    }
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
    let Feedback { alpha, beta } = settings.feedback;
    let corrected = |error: f64, speed: f64| 2.0 * alpha * speed + beta * beta * error;

    let mut bilateral: Vec<Bilateral> = Vec::new();
    let mut unilateral: Vec<Unilateral> = Vec::new();
    let rows = joint_rows(world, bodies, time, h);
    let mut drives = drives.iter();
    for (of, joint) in &rows {
        let row = as_row(*of, joint);
        let speed = row.rate(&twists);
        match joint.law {
            Law::Equality { error } => {
                bilateral.push((row, joint.drift + corrected(error, speed)));
            }
            Law::Velocity {
                now, derivative, ..
            } => {
                let offset = joint.drift - derivative + 2.0 * alpha * (speed - now);
                bilateral.push((row, offset));
            }
            Law::Limit { gap } => {
                if gap <= settings.contact_distance && speed <= settings.resting_speed {
                    unilateral.push(Unilateral {
                        normal: row,
                        offset: joint.drift + corrected(gap, speed),
                        tangent: Tangent::Smooth,
                    });
                }
            }
            Law::Spring {
                error,
                stiffness,
                damping,
                max_force,
            } => {
                let force = -stiffness * error - damping * speed;
                row.add_to(&mut wrenches, force.clamp(-max_force, max_force));
            }
            Law::Motor {
                velocity,
                max_force,
            } => match drives.next() {
                // From its full force backward on it may push twice as much.
                Some(Drive::Holds) | None => {
                    row.add_to(&mut wrenches, -max_force);
                    unilateral.push(Unilateral {
                        normal: row,
                        offset: joint.drift + 2.0 * alpha * (speed - velocity),
                        tangent: Tangent::Limited {
                            most: 2.0 * max_force,
                        },
                    });
                }
                Some(Drive::Pushes(way)) => row.add_to(&mut wrenches, way * max_force),
            },
        }
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
    forces.add_to(&bilateral, &unilateral, &mut wrenches);
    Some(Acting {
        wrenches,
        of_contacts,
    })
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
        let offset = row.rate(free)
            + contact.centripetal_along(at, &direction, bodies)
            + 2.0 * alpha * direction.dot(&at.slip);
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

/// Two unit vectors across a unit normal, in f64.
fn tangents_of(normal: &Vec3) -> (Vec3, Vec3) {
    let (first, _) = tangents(math::narrow(normal));
    let first = math::widen(first);
    let first = (first - normal * normal.dot(&first)).normalize();
    (first, normal.cross(&first))
}

/// The forces; where nothing would slide without it, friction is left out: it can only be needed where something would.
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
    if let Some(forces) = solve(bilateral, &smooth, inverse)
        && let Some(forces) = forces.without_sliding(bilateral, unilateral, inverse)
    {
        return Some(forces);
    }
    solve(bilateral, unilateral, inverse)
}
