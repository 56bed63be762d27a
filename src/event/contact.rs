//! A contact by the features that meet in it, and how its gap moves.
//!
//! With G of `feature.rs`, whose stationary value over `z = (n, u, v)` the gap is, and p_a, p_b the bodies' points at the contact,
//!
//! ```text
//! d'  = n . (v_a - v_b),
//! d'' = n . (a_a - a_b) - g . H^-1 g,   g = dG'/dz,   H = d^2 G/dz^2,
//! ```
//!
//! where v and a are of points that stay on their bodies. Baraff's formulas (section 9) are that for a corner on a face and for two edges;
//! what a rolling rim, ball or cone adds is in H too. `z' = -H^-1 g` is how the contact moves over the two bodies.

use super::feature::{Feature, Nearest, Unknowns, across, tangents_of};
use super::rows::{Row, Twist};
use crate::math::{Pose, Vec3};
use crate::world::Body;

/// Key by which a contact is known from others.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "scene", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Identity {
    pub(super) bodies: [usize; 2],
    pub(super) features: [Feature; 2],
}

/// Two bodies that touch at one point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Contact {
    /// A, whose corner it is, and B.
    pub(super) bodies: [usize; 2],
    /// In the bodies' axes, of ascending rank.
    pub(super) features: [Feature; 2],
    /// Where the contact was found and its normal, in B's axes: two curves may touch elsewhere too.
    pub(super) near: Vec3,
    pub(super) toward: Vec3,
    pub(super) friction: f64,
    pub(super) restitution: f64,
}

/// A contact where the bodies are now.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Placed {
    /// Where the force acts `[m]`.
    pub(super) point: Vec3,
    /// From B to A.
    pub(super) normal: Vec3,
    /// `[m]`.
    pub(super) gap: f64,
    /// `d'` `[m/s]`.
    pub(super) speed: f64,
    /// Part of `d''` that accelerations of the bodies' centres and angular ones do not make `[m/s^2]`.
    pub(super) drift: f64,
    /// Slip of A against B `[m/s]`.
    pub(super) slip: Vec3,
    /// The same part of the derivative of the relative velocity at the contact `[m/s^2]`.
    pub(super) slip_drift: Vec3,
}

/// Acceleration of a body's point by its turning alone.
fn centripetal(body: &Body, point: &Vec3) -> Vec3 {
    let omega = &body.angular_velocity;
    omega.cross(&omega.cross(&(point - body.pose.position)))
}

impl Contact {
    pub(super) fn identity(&self) -> Identity {
        Identity {
            bodies: self.bodies,
            features: self.features,
        }
    }

    /// Of a tilted rim on a face, how far its middle is above its lowest point `[m]`, and how fast that point goes around it by the turning of
    /// the disk `[rad/s]`.
    pub(super) fn tilt(&self, bodies: &[Body]) -> Option<(f64, f64)> {
        let [a, b] = self.bodies.map(|body| &bodies[body]);
        let (Feature::Circle { axis, radius, .. }, Feature::Plane { normal, .. }) =
            (self.features[0], self.features[1])
        else {
            return None;
        };
        let (axis, normal) = (a.pose.direction(&axis), b.pose.direction(&normal));
        let tilt = axis.cross(&normal).norm();
        let turning = axis.cross(&(a.angular_velocity - b.angular_velocity));
        Some((radius * tilt, turning.norm() / tilt))
    }

    /// Where it is and how it moves with the bodies' poses and velocities.
    pub(super) fn placed(&self, bodies: &[Body]) -> Placed {
        let [a, b] = self.bodies.map(|body| &bodies[body]);
        // From B's centre: far from the origin digits would be lost.
        let origin = b.pose.position;
        let from = |body: &Body| Pose::new(body.pose.position - origin, body.pose.orientation);
        let features = [
            self.features[0].placed(&from(a)),
            self.features[1].placed(&from(b)),
        ];
        let nearest = Nearest::of(
            features.each_ref(),
            &b.pose.direction(&self.near),
            &b.pose.direction(&self.toward),
        );
        let normal = nearest.normal;
        let [on_a, on_b] = &nearest.places;
        let at = [on_a.at + origin, on_b.at + origin];
        let velocities = [a.velocity_at(&at[0]), b.velocity_at(&at[1])];
        let relative = velocities[0] - velocities[1];

        let (first, second) = tangents_of(&normal);
        let turned = |along: &Vec3, body: &Body| normal.dot(&body.angular_velocity.cross(along));
        let rates = Unknowns::new(
            first.dot(&relative),
            second.dot(&relative),
            turned(&on_a.along[0], a),
            turned(&on_a.along[1], a),
            -turned(&on_b.along[0], b),
            -turned(&on_b.along[1], b),
        );
        let solved = nearest.is_determined.then(|| nearest.solve(&-rates));
        let moves = solved.flatten().unwrap_or_else(Unknowns::zeros);

        // The contact is midway between the two surfaces, and goes over both.
        let turning = first * moves[0] + second * moves[1];
        let surfaces = [at[0] - normal * on_a.radius, at[1] + normal * on_b.radius];
        let point = (surfaces[0] + surfaces[1]) * 0.5;
        let motion_a = velocities[0] + on_a.along[0] * moves[2] + on_a.along[1] * moves[3]
            - turning * on_a.radius
            - normal * (on_a.taper * moves[2]);
        let motion_b = velocities[1]
            + on_b.along[0] * moves[4]
            + on_b.along[1] * moves[5]
            + turning * on_b.radius
            + normal * (on_b.taper * moves[4]);
        let motion = (motion_a + motion_b) * 0.5;
        let carried = |body: &Body| {
            body.angular_velocity
                .cross(&(motion - body.linear_velocity))
        };
        Placed {
            point,
            normal,
            gap: nearest.gap(),
            speed: normal.dot(&relative),
            drift: normal.dot(&(centripetal(a, &at[0]) - centripetal(b, &at[1])))
                + rates.dot(&moves),
            slip: across(&normal, &(a.velocity_at(&point) - b.velocity_at(&point))),
            slip_drift: carried(a) - carried(b),
        }
    }

    /// The row of the gap's speed.
    pub(super) fn normal_row(&self, at: &Placed, bodies: &[Body]) -> Row {
        Row::at_point(self.bodies, bodies, &at.point, &at.normal)
    }
}

/// Velocities of all bodies, shape `[body_count]`.
pub(super) fn velocities(bodies: &[Body]) -> Vec<Twist> {
    let of = |body: &Body| (body.linear_velocity, body.angular_velocity);
    bodies.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::super::rows::{InverseMass, Row, inverse_masses};
    use super::*;
    use crate::math::{Mat3, Pose, Quat};
    use crate::world::{MassProperties, Shape};
    use rand_pcg::Pcg64;
    use rand_pcg::rand_core::{Rng, SeedableRng};

    fn number(random: &mut Pcg64) -> f64 {
        2.0 * (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64 - 1.0
    }

    fn vector(random: &mut Pcg64) -> Vec3 {
        Vec3::from_fn(|_, _| number(random))
    }

    fn body(random: &mut Pcg64) -> Body {
        let pose = Pose::new(
            vector(random) * 2.0,
            Quat::from_scaled_axis(vector(random) * 3.0),
        );
        let shape = Shape::Sphere { radius: 1.0 };
        let principal = Vec3::from_fn(|_, _| 0.2 + 0.05 * number(random));
        let mass = MassProperties::new(1.0 + 0.5 * number(random), Mat3::from_diagonal(&principal));
        let mut body = Body::fixed(shape, pose);
        body.kind = crate::world::BodyKind::Dynamic;
        body.mass = mass.unwrap_or_else(|_| MassProperties::immovable());
        body.linear_velocity = vector(random);
        body.angular_velocity = vector(random) * 2.0;
        body
    }

    /// Features that are near each other at a point, the places to start from and the normal, by the number of the kind.
    fn features(random: &mut Pcg64, kind: u32) -> ([Feature; 2], Vec3, Vec3) {
        let at = vector(random);
        let normal = vector(random).normalize();
        let across_normal = |random: &mut Pcg64| across(&normal, &vector(random)).normalize();
        let line = |along: Vec3, touched: Vec3, sign: f64, size: f64, slope: f64| {
            // Balls of which that at the start touches a plane across the normal: their envelope, tilted by the taper, does.
            let tilted = along * (1.0 - slope * slope).sqrt() + normal * (sign * slope);
            Feature::Line {
                at: touched - normal * (sign * size),
                along: tilted,
                radius: size,
                taper: -slope,
            }
        };
        let circle = |random: &mut Pcg64, touched: Vec3, sign: f64| {
            let out = across_normal(random) * 0.6 + normal * (sign * 0.8);
            let axis = out.cross(&across_normal(random)).normalize();
            // Lowest, or highest, towards the other: the radius there is the normal's part across the axis.
            let out = across(&axis, &(normal * sign)).normalize();
            Feature::Circle {
                center: touched - out * 0.4,
                axis,
                radius: 0.4,
            }
        };
        let apart = at + vector(random);
        let features = match kind {
            0 => [
                Feature::Point { at, radius: 0.0 },
                Feature::Plane {
                    normal,
                    offset: normal.dot(&at),
                },
            ],
            1 => [
                line(across_normal(random), at, -1.0, 0.0, 0.0),
                line(across_normal(random), at, 1.0, 0.0, 0.0),
            ],
            2 => [
                Feature::Point { at, radius: 0.1 },
                Feature::Point {
                    at: apart,
                    radius: 0.2,
                },
            ],
            3 => [
                Feature::Point { at, radius: 0.3 },
                line(across_normal(random), apart, 1.0, 0.0, 0.0),
            ],
            4 => [
                Feature::Point { at, radius: 0.3 },
                line(across_normal(random), apart, 1.0, 0.2, 0.3),
            ],
            5 => [
                Feature::Point { at, radius: 0.3 },
                circle(random, apart, 1.0),
            ],
            6 => [
                circle(random, at, -1.0),
                Feature::Plane {
                    normal,
                    offset: normal.dot(&at),
                },
            ],
            7 => [
                circle(random, at, -1.0),
                line(across_normal(random), at, 1.0, 0.0, 0.0),
            ],
            8 => [
                circle(random, at, -1.0),
                line(across_normal(random), at, 1.0, 0.3, 0.2),
            ],
            9 => [circle(random, at, -1.0), circle(random, at, 1.0)],
            10 => [
                line(across_normal(random), at, -1.0, 0.3, 0.0),
                line(across_normal(random), at, 1.0, 0.2, 0.0),
            ],
            _ => [
                line(across_normal(random), at, -1.0, 0.3, 0.4),
                line(across_normal(random), at, 1.0, 0.2, -0.2),
            ],
        };
        (features, at, normal)
    }

    /// Kinds of [`features`].
    const KINDS: u32 = 12;

    fn contact(random: &mut Pcg64, bodies: &[Body], kind: u32) -> Contact {
        let (features, near, toward) = features(random, kind);
        let [a, b] = [0, 1].map(|k| {
            let pose = &bodies[k].pose;
            let inverse = pose.orientation.inverse();
            features[k].placed(&Pose::new(-(inverse * pose.position), inverse))
        });
        Contact {
            bodies: [0, 1],
            features: [a, b],
            near: bodies[1].pose.inverse_point(&near),
            toward: bodies[1].pose.inverse_direction(&toward),
            friction: 0.0,
            restitution: 0.0,
        }
    }

    /// Of five values a step apart, of which it is the one in the middle, over that step.
    fn derivative<T>(values: &[T; 5]) -> T
    where
        T: Copy + std::ops::Sub<Output = T> + std::ops::Mul<f64, Output = T>,
    {
        let [a, b, _, d, e] = *values;
        (d - b) * (8.0 / 12.0) - (e - a) * (1.0 / 12.0)
    }

    #[test]
    fn rates_of_gaps_are_those_of_finite_differences() {
        let mut random = Pcg64::seed_from_u64(5);
        let mut tried = [0; KINDS as usize];
        for case in 0..200 * KINDS {
            let bodies = [body(&mut random), body(&mut random)];
            let contact = contact(&mut random, &bodies, case % KINDS);
            let angular = [vector(&mut random), vector(&mut random)];
            let linear = [vector(&mut random), vector(&mut random)];
            let moved = |t: f64| {
                let mut moved = bodies.clone();
                for (k, body) in moved.iter_mut().enumerate() {
                    let v = body.linear_velocity * t + linear[k] * (0.5 * t * t);
                    // With the angular acceleration to second order in time.
                    let turn = body.angular_velocity * t + angular[k] * (0.5 * t * t);
                    body.displace(&v, &turn);
                    body.linear_velocity += linear[k] * t;
                    body.angular_velocity += angular[k] * t;
                }
                let at = contact.placed(&moved);
                let [a, b] = moved.map(|body| body.velocity_at(&at.point));
                (at.gap, a - b)
            };
            let at = contact.placed(&bodies);
            let step = 1e-4;
            let states = [-2.0, -1.0, 0.0, 1.0, 2.0].map(|k| moved(k * step));
            // Curves that run nearly along each other, or circles nearly in a plane, have derivatives that differences do not give.
            let size = at.drift.abs().max(at.slip_drift.norm());
            if size > 50.0 {
                continue;
            }
            tried[(case % KINDS) as usize] += 1;
            // Of fourth order.
            let relative = derivative(&states.map(|(_, relative)| relative)) / step;
            let gaps = states.map(|(gap, _)| gap);
            let speed = derivative(&gaps) / step;
            assert!(
                (at.speed - speed).abs() < 1e-4 * (1.0 + speed.abs()),
                "{case}: {} {speed}",
                at.speed
            );
            let row = contact.normal_row(&at, &bodies);
            assert!((row.rate(&velocities(&bodies)) - at.speed).abs() < 1e-10);
            let twists: Vec<Twist> = (0..2).map(|k| (linear[k], angular[k])).collect();
            let [a, b, c, d, e] = gaps;
            let expected = (16.0 * (b + d) - a - e - 30.0 * c) / (12.0 * step * step);
            let found = row.rate(&twists) + at.drift;
            assert!(
                (found - expected).abs() < 1e-4 * (1.0 + expected.abs()),
                "{case}: {found} {expected}"
            );
            for direction in [Vec3::x(), Vec3::y(), Vec3::z()] {
                let row = Row::at_point([0, 1], &bodies, &at.point, &direction);
                let found = row.rate(&twists) + direction.dot(&at.slip_drift);
                let expected = direction.dot(&relative);
                assert!(
                    (found - expected).abs() < 1e-4 * (1.0 + expected.abs()),
                    "{case}: {found} {expected}"
                );
            }
        }
        assert!(tried.iter().all(|&cases| cases > 100), "{tried:?}");
    }

    /// Baraff's `a_ij`: what a unit force of contact j adds to the acceleration of contact i, with the cross products and signs that the
    /// printed code lacks.
    fn baraff(
        bodies: &[Body],
        inverse: &[InverseMass],
        i: (&Contact, &Placed),
        j: (&Contact, &Placed),
    ) -> f64 {
        let mut sum = 0.0;
        for (end, sign) in [(0, 1.0), (1, -1.0)] {
            let x = i.0.bodies[end];
            let (mut force, mut torque) = (Vec3::zeros(), Vec3::zeros());
            for (other, direction) in [(0, 1.0), (1, -1.0)] {
                if j.0.bodies[other] == x {
                    force += j.1.normal * direction;
                    let arm = j.1.point - bodies[x].pose.position;
                    torque += arm.cross(&j.1.normal) * direction;
                }
            }
            let arm = i.1.point - bodies[x].pose.position;
            let moved = force * inverse[x].mass + (inverse[x].inertia * torque).cross(&arm);
            sum += sign * i.1.normal.dot(&moved);
        }
        sum
    }

    #[test]
    fn the_matrix_is_baraffs() {
        let mut random = Pcg64::seed_from_u64(6);
        for _ in 0..200 {
            let bodies: Vec<Body> = (0..3).map(|_| body(&mut random)).collect();
            let inverse = inverse_masses(&bodies);
            let contacts: Vec<Contact> = [[0, 1], [1, 2], [2, 0], [1, 0]]
                .iter()
                .enumerate()
                .map(|(k, &pair)| {
                    let two = pair.map(|at: usize| bodies[at].clone());
                    Contact {
                        bodies: pair,
                        ..contact(&mut random, &two, k as u32 % 2)
                    }
                })
                .collect();
            let placed: Vec<Placed> = contacts.iter().map(|c| c.placed(&bodies)).collect();
            let rows: Vec<Row> = contacts
                .iter()
                .zip(&placed)
                .map(|(contact, at)| contact.normal_row(at, &bodies))
                .collect();
            for i in 0..4 {
                for j in 0..4 {
                    let found = rows[i].coupled(&rows[j].response(&inverse));
                    let expected = baraff(
                        &bodies,
                        &inverse,
                        (&contacts[i], &placed[i]),
                        (&contacts[j], &placed[j]),
                    );
                    assert!((found - expected).abs() < 1e-12 * (1.0 + expected.abs()));
                }
            }
        }
    }
}
