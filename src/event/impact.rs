//! Colliding contact (Baraff, section 8): impulses that change velocities at once.
//!
//! One contact: `j = -(1 + e) v / K`, K being the row's `J M^-1 J^T` (eq. 8-18). Several at once: `0 <= j _|_ v+ + e v- >= 0` for all together,
//! a linear complementarity problem of which one contact is the smallest case. Both keep joints, and have friction by the pyramid
//! of Stewart and Trinkle on the velocities after the impact.

use super::contact::{Contact, Identity, velocities};
use super::forces::{directions, joint_rows};
use super::rows::{Bilateral, Row, Tangent, Twist, Unilateral, inverse_masses, solve};
use super::{EventSettings, Impacts};
use crate::math::Vec3;
use crate::world::joint::Law;
use crate::world::{Body, World};

/// How an attempt to part what hits ended.
pub(super) enum Outcome {
    /// Nothing moves into anything any more.
    Parted {
        /// The number of impacts that there were.
        impacts: u32,
        /// Of each joint, the impulses of its linear and of its angular rows on A `[N s]`, `[N m s]`.
        of_joints: Vec<[Vec3; 2]>,
    },
    /// There are no impulses that do, or none were found.
    NoImpulses,
    /// Impacts one after the other did not end.
    Endless,
}

/// The most passes over contacts that hit one after the other.
const MAX_PASSES: u32 = 10_000;

/// A contact slower than this share of the resting speed is at rest already.
const AT_REST: f64 = 1e-9;

/// Changes the velocities of the bodies so that nothing moves into anything. What rested before, `held`, and is slower than an
/// impact is left to the forces that hold it.
pub(super) fn part(
    world: &World,
    bodies: &mut [Body],
    contacts: &[Contact],
    held: &[Identity],
    time: f64,
    h: f64,
    settings: &EventSettings,
) -> Outcome {
    let mut impacts = 0;
    let mut of_joints = vec![[Vec3::zeros(); 2]; world.joints.len()];
    if settings.impacts == Impacts::Sequential {
        let mut passes = 0;
        loop {
            let mut is_parted = true;
            for contact in contacts {
                if contact.placed(bodies).speed >= -settings.resting_speed {
                    continue;
                }
                is_parted = false;
                impacts += 1;
                if !push(
                    world,
                    bodies,
                    std::slice::from_ref(contact),
                    (time, h),
                    settings,
                    &mut of_joints,
                ) {
                    return Outcome::NoImpulses;
                }
            }
            if is_parted {
                break;
            }
            passes += 1;
            if passes == MAX_PASSES {
                return Outcome::Endless;
            }
        }
    }
    // Contacts slower than an impact come to rest, all at once.
    let slow = AT_REST * settings.resting_speed;
    let speed = |contact: &Contact| contact.placed(bodies).speed;
    let hits = contacts
        .iter()
        .filter(|contact| speed(contact) < -settings.resting_speed)
        .count();
    let lands = contacts
        .iter()
        .any(|contact| speed(contact) < -slow && !held.contains(&contact.identity()));
    let limits_hit = joint_rows(world, bodies, time, h).iter().any(|row| {
        let speed = row.as_row().rate(&velocities(bodies));
        matches!(row.asks.law, Law::Limit { gap } if gap <= settings.contact_distance)
            && speed < -slow
    });
    if hits > 0 || lands || limits_hit {
        impacts += hits as u32;
        if !push(world, bodies, contacts, (time, h), settings, &mut of_joints) {
            return Outcome::NoImpulses;
        }
    }
    Outcome::Parted { impacts, of_joints }
}

/// Impulses on some contacts and all joints together, those of the joints added to `of_joints`. False if there are none.
fn push(
    world: &World,
    bodies: &mut [Body],
    contacts: &[Contact],
    (time, h): (f64, f64),
    settings: &EventSettings,
    of_joints: &mut [[Vec3; 2]],
) -> bool {
    let twists = velocities(bodies);
    let mut bilateral: Vec<Bilateral> = Vec::new();
    let mut unilateral: Vec<Unilateral> = Vec::new();
    // Whose row each is.
    let (mut equalities, mut limits) = (Vec::new(), Vec::new());
    for joint in joint_rows(world, bodies, time, h) {
        let row = joint.as_row();
        let speed = row.rate(&twists);
        match joint.asks.law {
            Law::Equality { .. } => {
                bilateral.push((row, speed));
                equalities.push(joint);
            }
            Law::Velocity { now, .. } => {
                bilateral.push((row, speed - now));
                equalities.push(joint);
            }
            Law::Limit { gap } if gap <= settings.contact_distance => {
                unilateral.push(Unilateral {
                    normal: row,
                    offset: speed,
                    tangent: Tangent::Smooth,
                });
                limits.push(joint);
            }
            _ => {}
        }
    }
    for contact in contacts {
        let at = contact.placed(bodies);
        let bounce = if at.speed < -settings.resting_speed {
            contact.restitution * at.speed
        } else {
            0.0
        };
        let tangent = if contact.friction == 0.0 {
            Tangent::Smooth
        } else {
            let along = directions(&at.normal, settings.friction_directions).map(|direction| {
                let row = Row::at_point(contact.bodies, bodies, &at.point, &direction);
                (row, row.rate(&twists))
            });
            Tangent::Sticking {
                along: along.collect(),
                coefficient: contact.friction,
            }
        };
        unilateral.push(Unilateral {
            normal: contact.normal_row(&at, bodies),
            offset: at.speed + bounce,
            tangent,
        });
    }
    let inverse = inverse_masses(bodies);
    let Some(impulses) = solve(&bilateral, &unilateral, &inverse) else {
        return false;
    };
    for (row, impulse) in equalities.iter().zip(&impulses.bilateral) {
        row.add_to(*impulse, of_joints);
    }
    for (row, impulse) in limits.iter().zip(&impulses.normal) {
        row.add_to(*impulse, of_joints);
    }
    let mut changes: Vec<Twist> = vec![(Vec3::zeros(), Vec3::zeros()); bodies.len()];
    impulses.add_to(&bilateral, &unilateral, &mut changes);
    for (body, (change, of)) in bodies.iter_mut().zip(changes.iter().zip(&inverse)) {
        body.linear_velocity += change.0 * of.mass;
        body.angular_velocity += of.inertia * change.1;
    }
    true
}
