//! Points of rims that lie flat on faces.
//!
//! A disk touches all along its rim, and four points of it stand for that until the forces on them would let it dip between two. Along the rim the
//! acceleration of the gap is a constant and a sine of the angle: where it is least, and negative, there is another contact, and the
//! forces are found again.

use super::contact::Contact;
use super::forces::{Drive, Resting, applied, free_accelerations};
use super::parts::FlatRim;
use super::rows::{Twist, inverse_masses};
use super::run::Run;
use crate::error::Result;
use crate::world::Body;
use std::f64::consts::{PI, TAU};

/// Rounds after which it is left at the points that there are: each halves the angle between two, or more.
const MAX_ROUNDS: u32 = 8;
/// Acceleration of a gap over that without contact forces above which it is none: points are then no nearer to each other than a
/// degree or two, and what is left of the dip is a collision.
const LEVEL: f64 = 1e-5;

/// Acceleration of the gap along a rim: a constant, and the amplitude and the angle of what varies.
struct Along {
    mean: f64,
    amplitude: f64,
    highest: f64,
}

impl Run<'_> {
    /// The contacts that neither hit nor part, with as many points of flat rims as carry them.
    pub(super) fn resting(&self, bodies: &[Body], drives: &[Drive]) -> Result<Vec<Resting>> {
        let mut resting = self.touching(bodies);
        if resting.is_empty() {
            return Ok(resting);
        }
        let settings = self.settings();
        let rims = self.pairs().rims(bodies, settings.contact_distance);
        if rims.is_empty() {
            return Ok(resting);
        }
        let inverse = inverse_masses(bodies);
        let prescribed = self.accelerations(bodies, self.time);
        let wrenches = applied(self.world(), bodies, self.time);
        let free = free_accelerations(bodies, &prescribed, &wrenches, &inverse);
        for _ in 0..MAX_ROUNDS {
            let acting = self.acting(bodies, self.time, (&resting, drives))?;
            let moved = free_accelerations(bodies, &prescribed, &acting.wrenches, &inverse);
            let before = resting.len();
            for rim in &rims {
                let without = self.along(rim, bodies, &free);
                let along = self.along(rim, bodies, &moved);
                let level = LEVEL * (without.mean.abs() + without.amplitude);
                if along.mean - along.amplitude >= -level {
                    continue;
                }
                let contact = rim.contact(along.highest + PI);
                let at = bodies[contact.bodies[1]]
                    .pose
                    .inverse_point(&contact.placed(bodies).point);
                if rim.rim.face.holds(&at, settings.contact_distance) {
                    resting.extend(self.hold(contact, bodies));
                }
            }
            if resting.len() == before {
                break;
            }
        }
        Ok(resting)
    }

    /// How the gap accelerates along a rim, by three of its points.
    fn along(&self, rim: &FlatRim<'_>, bodies: &[Body], accelerations: &[Twist]) -> Along {
        let feedback = self.settings().feedback;
        let at = |contact: Contact| {
            let at = contact.placed(bodies);
            contact.normal_row(&at, bodies).rate(accelerations)
                + at.drift
                + feedback.of(at.gap, at.speed)
        };
        let values = [0.0, TAU / 3.0, 2.0 * TAU / 3.0].map(|angle| at(rim.contact(angle)));
        let [first, second, third] = values;
        let (cosine, sine) = (
            (2.0 * first - second - third) / 3.0,
            (second - third) / 3.0_f64.sqrt(),
        );
        Along {
            mean: (first + second + third) / 3.0,
            amplitude: cosine.hypot(sine),
            highest: sine.atan2(cosine),
        }
    }
}
