//! How large the bodies of a problem are, which it does not say.

use super::{Body, ProblemRef};
use crate::constants::{RADIUS_PER_GYRATION, SAME_SIZE};
use crate::math;

impl ProblemRef<'_> {
    /// Radius of the smallest body that moves, as if it were a ball of the same mass and mean inverse inertia `[m]`; where none turns, its
    /// shortest arm, and 1 where there is none.
    #[must_use]
    pub fn smallest_radius(&self) -> f64 {
        let balls = self.bodies.iter().filter_map(radius_of_ball);
        let smallest = balls.fold(f64::INFINITY, f64::min);
        if smallest.is_finite() {
            return smallest;
        }
        let movable = |body: u32| self.bodies.get(body as usize).is_some_and(Body::is_movable);
        let arms = self
            .contacts
            .iter()
            .flat_map(|c| [(c.body_a, c.arm_a), (c.body_b, c.arm_b)]);
        let lengths = arms
            .filter(|&(body, _)| movable(body))
            .map(|(_, arm)| f64::from(math::dot(arm, arm)).sqrt())
            .filter(|&length| length > 0.0);
        let shortest = lengths.fold(f64::INFINITY, f64::min);
        if shortest.is_finite() { shortest } else { 1.0 }
    }

    /// Overwrites `sizes` with those of the contacts as [`Problem::sizes`](super::Problem::sizes) has them, bodies taken for balls as
    /// by [`Self::smallest_radius`]: for a host that gives the solver nothing but bodies.
    pub fn measure_sizes(&self, sizes: &mut Vec<f32>) {
        let radii: Vec<f64> = self
            .bodies
            .iter()
            .map(|body| radius_of_ball(body).unwrap_or(f64::INFINITY))
            .collect();
        let (mut smallest, mut largest) = (f64::INFINITY, 0.0_f64);
        for &radius in radii.iter().filter(|radius| radius.is_finite()) {
            (smallest, largest) = (smallest.min(radius), largest.max(radius));
        }
        let same = smallest * (1.0 + SAME_SIZE);
        if largest <= same {
            sizes.clear();
            sizes.resize(self.contacts.len(), 1.0);
            return;
        }
        let of = |body: u32| radii.get(body as usize).copied().unwrap_or(f64::INFINITY);
        sizes.clear();
        sizes.extend(self.contacts.iter().map(|contact| {
            let radius = of(contact.body_a).min(of(contact.body_b));
            if radius > same && radius.is_finite() {
                (radius / smallest) as f32
            } else {
                1.0
            }
        }));
    }
}

/// Nothing for a body that does not move or turn.
fn radius_of_ball(body: &Body) -> Option<f64> {
    let [xx, _, _, yy, _, zz] = body.inverse_inertia;
    let mean = f64::from(xx + yy + zz) / 3.0;
    let gyration = (f64::from(body.inverse_mass) / mean).sqrt();
    (body.is_movable() && mean > 0.0).then_some(RADIUS_PER_GYRATION * gyration)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Contact;
    use bytemuck::Zeroable as _;

    fn ball(radius: f32) -> Body {
        let inertia = 0.4 * radius * radius;
        Body::from_local(1.0, [inertia; 3], [0.0, 0.0, 0.0, 1.0], [0.0; 3], [0.0; 3])
    }

    fn sizes(bodies: &[Body]) -> Vec<f32> {
        let pairs = [(0, 1), (1, 2), (2, 3), (0, 3)];
        let contacts = pairs.map(|(body_a, body_b)| Contact {
            body_a,
            body_b,
            ..Contact::zeroed()
        });
        let problem = ProblemRef {
            bodies,
            contacts: &contacts,
            ..ProblemRef::default()
        };
        let mut sizes = vec![7.0; 9];
        problem.measure_sizes(&mut sizes);
        sizes
    }

    /// A contact is as large as the smaller of its bodies that moves.
    #[test]
    fn measures_sizes() {
        let floor = Body::immovable([0.0; 3], [0.0; 3]);
        let [one, same, two] = [1.0, 1.0005, 2.0].map(ball);
        let found = sizes(&[one, two, two, floor]);
        assert_eq!(found[0], 1.0);
        assert!(found[1..3].iter().all(|size| (size - 2.0).abs() < 1e-5));
        assert_eq!(found[3], 1.0);
        assert_eq!(sizes(&[one, same, one, floor]), [1.0; 4]);
        assert_eq!(sizes(&[floor; 4]), [1.0; 4]);
    }
}
