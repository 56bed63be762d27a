//! Resting contact without friction as Baraff writes it: `d_i'' = sum_j a_ij f_j + b_i` (section 9.1, eq. 9-7).

use super::EventStepper;
use super::forces::{applied, free_accelerations};
use super::rows::inverse_masses;
use super::run::Run;
use crate::error::Result;
use crate::math::Vec3;
use crate::world::World;
use nalgebra::{DMatrix, DVector};

/// A contact of a [`RestingSystem`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RestingContact {
    /// Body A, whose corner it is, and B.
    pub bodies: [u32; 2],
    /// Where the force acts, in world axes `[m]`.
    pub point: Vec3,
    /// From B to A.
    pub normal: Vec3,
    /// Gap d `[m]`.
    pub gap: f64,
    /// `d'` `[m/s]`.
    pub speed: f64,
}

/// How the gaps of resting contacts accelerate with the forces of all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct RestingSystem {
    /// The contacts.
    pub contacts: Vec<RestingContact>,
    /// `a_ij`: acceleration of gap i by a unit force at contact j `[1/kg]`, shape `[contact_count, contact_count]`.
    pub matrix: DMatrix<f64>,
    /// `b_i`: acceleration of gap i without contact forces `[m/s^2]`, shape `[contact_count]`.
    pub offset: DVector<f64>,
}

/// The system of a world's resting contacts, without correction of gaps that are not zero, and without joints.
///
/// # Errors
/// [`Error::Invalid`](crate::Error::Invalid) for a world with shapes that the stepper does not know.
pub fn resting_system(stepper: &EventStepper, world: &World) -> Result<RestingSystem> {
    let run = Run::new(stepper, world, 0.0)?;
    let bodies = run.at(&world.bodies, world.time);
    let inverse = inverse_masses(&bodies);
    let prescribed = run.accelerations(&bodies, world.time);
    let wrenches = applied(world, &bodies, world.time);
    let free = free_accelerations(&bodies, &prescribed, &wrenches, &inverse);
    let placed: Vec<_> = run
        .touching(&bodies)
        .iter()
        .map(|held| (held.contact, held.contact.placed(&bodies)))
        .collect();
    let rows: Vec<_> = placed
        .iter()
        .map(|(contact, at)| contact.normal_row(at, &bodies))
        .collect();
    let count = rows.len();
    let offsets = rows.iter().zip(&placed);
    Ok(RestingSystem {
        matrix: DMatrix::from_fn(count, count, |i, j| {
            rows[i].coupled(&rows[j].response(&inverse))
        }),
        offset: DVector::from_iterator(
            count,
            offsets.map(|(row, (_, at))| row.rate(&free) + at.drift),
        ),
        contacts: placed
            .iter()
            .map(|(contact, at)| RestingContact {
                bodies: contact.bodies.map(|body| body as u32),
                point: at.point,
                normal: at.normal,
                gap: at.gap,
                speed: at.speed,
            })
            .collect(),
    })
}
