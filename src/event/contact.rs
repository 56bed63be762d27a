//! A contact by the features that meet in it, and how its gap moves.
//!
//! With p_a and p_b the bodies' points at the contact and n the normal from B to A, the gap is `d = n . (p_a - p_b)` and
//!
//! ```text
//! d'  = n . (v_a - v_b),
//! d'' = n . (a_a - a_b) + 2 n' . (v_a - v_b) + (terms that vanish with d)
//! ```
//!
//! (Baraff, section 9). Of a corner on a face n turns with B, `n' = w_b x n`. Of two edges
//! `n = n1 / |n1|`, `n1 = e_a x e_b`, `n' = (z - (z . n) n) / |n1|` with `z = (w_a x e_a) x e_b + e_a x (w_b x e_b)`. A sphere is a corner with a
//! radius, on a face, on another corner, or on an edge e of B: there `d'' ` has `(t . (v_a - v_b))^2 / |p_a - p_b|` besides, along `t = e x n`.

use super::rows::{Row, Twist};
use crate::math::{self, Vec3, tangents};
use crate::world::Body;

/// The features of A and of B, each in its body's axes.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "scene", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Meeting {
    /// A corner of A, or the centre of a sphere, on a face of B: `normal . x = offset`.
    CornerOnFace {
        corner: Vec3,
        radius: f64,
        normal: Vec3,
        offset: f64,
    },
    /// Edges of A and of B, each by a point and a direction; `sign` turns the product of these from B to A.
    Edges {
        points: [Vec3; 2],
        along: [Vec3; 2],
        sign: f64,
    },
    /// Two points, and the distance at which they touch.
    Points { points: [Vec3; 2], distance: f64 },
    /// The centre of a sphere of A and an edge of B, by a point and a direction.
    BallOnEdge {
        center: Vec3,
        radius: f64,
        point: Vec3,
        along: Vec3,
    },
}

/// Two bodies that touch at one point.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "scene", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Contact {
    /// A, whose corner it is, and B.
    pub(super) bodies: [usize; 2],
    pub(super) meeting: Meeting,
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
}

/// Acceleration of a body's point by its turning alone.
fn centripetal(body: &Body, point: &Vec3) -> Vec3 {
    let omega = &body.angular_velocity;
    omega.cross(&omega.cross(&(point - body.pose.position)))
}

impl Contact {
    /// Where it is and how it moves with the bodies' poses and velocities.
    pub(super) fn placed(&self, bodies: &[Body]) -> Placed {
        let [a, b] = self.bodies.map(|body| &bodies[body]);
        match self.meeting {
            Meeting::CornerOnFace {
                corner,
                radius,
                normal,
                offset,
            } => {
                let at = a.pose.point(&corner);
                let normal = b.pose.direction(&normal);
                let gap = normal.dot(&(at - b.pose.position)) - offset - radius;
                let slip = a.velocity_at(&at) - b.velocity_at(&at);
                let turning = b.angular_velocity.cross(&normal);
                let point = at - normal * radius;
                Placed {
                    point,
                    normal,
                    gap,
                    speed: normal.dot(&slip),
                    drift: normal.dot(&(centripetal(a, &at) - centripetal(b, &at)))
                        + 2.0 * turning.dot(&slip),
                    slip: across(&normal, &(a.velocity_at(&point) - b.velocity_at(&point))),
                }
            }
            Meeting::Edges {
                points,
                along,
                sign,
            } => {
                let [from_a, from_b] = [a.pose.point(&points[0]), b.pose.point(&points[1])];
                let [edge_a, edge_b] = [a.pose.direction(&along[0]), b.pose.direction(&along[1])];
                let product = edge_a.cross(&edge_b) * sign;
                let length = product.norm();
                let normal = product / length;
                let gap = normal.dot(&(from_a - from_b));
                // Closest points of the two lines.
                let between = from_b - from_a;
                let on_a = from_a
                    + edge_a * (between.cross(&edge_b).dot(&product) * sign / (length * length));
                let on_b = on_a - normal * gap;
                let slip = a.velocity_at(&on_a) - b.velocity_at(&on_b);
                let z = (a.angular_velocity.cross(&edge_a).cross(&edge_b)
                    + edge_a.cross(&b.angular_velocity.cross(&edge_b)))
                    * sign;
                let turning = across(&normal, &z) / length;
                Placed {
                    point: on_a - normal * (0.5 * gap),
                    normal,
                    gap,
                    speed: normal.dot(&slip),
                    drift: normal.dot(&(centripetal(a, &on_a) - centripetal(b, &on_b)))
                        + 2.0 * turning.dot(&slip)
                        - gap * turning.norm_squared(),
                    slip: across(&normal, &slip),
                }
            }
            Meeting::Points { points, distance } => {
                let [at_a, at_b] = [a.pose.point(&points[0]), b.pose.point(&points[1])];
                let apart = at_a - at_b;
                let length = apart.norm();
                let normal = if length > 0.0 {
                    apart / length
                } else {
                    Vec3::z()
                };
                let relative = a.velocity_at(&at_a) - b.velocity_at(&at_b);
                let turning = if length > 0.0 {
                    across(&normal, &relative) / length
                } else {
                    Vec3::zeros()
                };
                let gap = length - distance;
                let point = at_b + normal * (0.5 * (distance + gap));
                Placed {
                    point,
                    normal,
                    gap,
                    speed: normal.dot(&relative),
                    drift: normal.dot(&(centripetal(a, &at_a) - centripetal(b, &at_b)))
                        + turning.dot(&relative),
                    slip: across(&normal, &(a.velocity_at(&point) - b.velocity_at(&point))),
                }
            }
            Meeting::BallOnEdge {
                center,
                radius,
                point,
                along,
            } => {
                let at = a.pose.point(&center);
                let edge = b.pose.direction(&along);
                let apart = across(&edge, &(at - b.pose.point(&point)));
                let length = apart.norm();
                let normal = if length > 0.0 {
                    apart / length
                } else {
                    any_across(&edge)
                };
                let relative = a.velocity_at(&at) - b.velocity_at(&at);
                let around = edge.cross(&normal).dot(&relative);
                let bent = if length > 0.0 {
                    around * around / length
                } else {
                    0.0
                };
                let turning = b.angular_velocity.cross(&normal);
                let point = at - normal * radius;
                Placed {
                    point,
                    normal,
                    gap: length - radius,
                    speed: normal.dot(&relative),
                    drift: normal.dot(&(centripetal(a, &at) - centripetal(b, &at)))
                        + 2.0 * turning.dot(&relative)
                        + bent,
                    slip: across(&normal, &(a.velocity_at(&point) - b.velocity_at(&point))),
                }
            }
        }
    }

    /// The row of the gap's speed.
    pub(super) fn normal_row(&self, at: &Placed, bodies: &[Body]) -> Row {
        Row::at_point(self.bodies, bodies, &at.point, &at.normal)
    }

    /// Acceleration of A's point against B's along a direction by the turning of the bodies, whose points are those at the contact.
    pub(super) fn centripetal_along(&self, at: &Placed, direction: &Vec3, bodies: &[Body]) -> f64 {
        let [a, b] = self
            .bodies
            .map(|body| centripetal(&bodies[body], &at.point));
        direction.dot(&(a - b))
    }
}

/// The part of a vector across a unit normal.
fn across(normal: &Vec3, vector: &Vec3) -> Vec3 {
    vector - normal * normal.dot(vector)
}

/// A unit vector across another.
fn any_across(direction: &Vec3) -> Vec3 {
    let (first, _) = tangents(math::narrow(direction));
    across(direction, &math::widen(first)).normalize()
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

    fn meeting(random: &mut Pcg64, bodies: &[Body], kind: u32) -> Meeting {
        // Both meet near a point.
        let at = vector(random);
        let local = |k: usize, point: &Vec3| bodies[k].pose.inverse_point(point);
        match kind {
            0 => {
                let normal = vector(random).normalize();
                Meeting::CornerOnFace {
                    corner: local(0, &at),
                    radius: 0.0,
                    normal,
                    offset: normal.dot(&local(1, &at)),
                }
            }
            1 => Meeting::Edges {
                points: [local(0, &at), local(1, &at)],
                along: [vector(random).normalize(), vector(random).normalize()],
                sign: 1.0,
            },
            2 => Meeting::Points {
                points: [local(0, &at), local(1, &(at + vector(random)))],
                distance: 0.3,
            },
            _ => Meeting::BallOnEdge {
                center: local(0, &at),
                radius: 0.3,
                point: local(1, &(at + vector(random))),
                along: vector(random).normalize(),
            },
        }
    }

    fn contact(meeting: Meeting) -> Contact {
        Contact {
            bodies: [0, 1],
            meeting,
            friction: 0.0,
            restitution: 0.0,
        }
    }

    #[test]
    fn rates_of_gaps_are_those_of_finite_differences() {
        let mut random = Pcg64::seed_from_u64(5);
        for case in 0..800 {
            let bodies = [body(&mut random), body(&mut random)];
            let contact = contact(meeting(&mut random, &bodies, case % 4));
            let angular = [vector(&mut random), vector(&mut random)];
            let linear = [vector(&mut random), vector(&mut random)];
            let moved = |t: f64| {
                let mut moved = bodies.clone();
                for (k, body) in moved.iter_mut().enumerate() {
                    let v = body.linear_velocity * t + linear[k] * (0.5 * t * t);
                    // With the angular acceleration to second order in time.
                    let turn = body.angular_velocity * t + angular[k] * (0.5 * t * t);
                    body.displace(&v, &turn);
                }
                contact.placed(&moved).gap
            };
            let at = contact.placed(&bodies);
            let step = 1e-4;
            let [low, middle, high] = [moved(-step), moved(0.0), moved(step)];
            let speed = (high - low) / (2.0 * step);
            assert!(
                (at.speed - speed).abs() < 1e-4 * (1.0 + speed.abs()),
                "{case}: {} {speed}",
                at.speed
            );
            let row = contact.normal_row(&at, &bodies);
            assert!((row.rate(&velocities(&bodies)) - at.speed).abs() < 1e-10);
            let twists: Vec<Twist> = (0..2).map(|k| (linear[k], angular[k])).collect();
            let expected = (high - 2.0 * middle + low) / (step * step);
            let found = row.rate(&twists) + at.drift;
            assert!(
                (found - expected).abs() < 1e-4 * (1.0 + expected.abs()),
                "{case}: {found} {expected}"
            );
        }
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
                        ..contact(meeting(&mut random, &two, k as u32 % 2))
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
