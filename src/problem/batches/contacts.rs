//! Contacts as blocks.

use super::order::Order;
use super::{BodyInertia, BodyVelocity, Packed, Remainder};
use crate::math::{self, V3};
use crate::problem::coloring::{self, BodyPair};
use crate::problem::{Body, Contact, Problem};
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;

/// One contact as the kernels read it; 80 bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct ContactBlock {
    /// Unit normal from B to A.
    pub normal: [f32; 3],
    /// Effective mass of the normal row, `1 / W_nn`, of the split bodies in the remainder `[kg]`.
    pub normal_mass: f32,
    /// Contact point minus A's centre of mass `[m]`.
    pub arm_a: [f32; 3],
    /// One over the largest eigenvalue of the tangential 2 x 2 block, likewise `[kg]`.
    pub tangent_mass: f32,
    /// Contact point minus B's centre of mass `[m]`.
    pub arm_b: [f32; 3],
    /// Coefficient of friction.
    pub friction: f32,
    /// Velocity of A's point relative to B's without any impulse, plus the bias along the normal
    /// `[m/s]`.
    pub free_velocity: [f32; 3],
    /// Step of the natural map, `3 / tr W` of the true bodies `[kg]`; see
    /// [`residual`](crate::solver::residual).
    pub residual_mass: f32,
    /// Index of body A.
    pub body_a: u32,
    /// Index of body B.
    pub body_b: u32,
    /// Unused.
    pub padding: [u32; 2],
}

impl ContactBlock {
    /// Adds what an impulse does to the velocities of the two bodies.
    pub(super) fn apply(
        &self,
        [n, t1, t2, _]: [f32; 4],
        velocities: &mut [BodyVelocity],
        inertias: &[BodyInertia],
    ) {
        if [n, t1, t2] == [0.0; 3] {
            return;
        }
        let (tangent_1, tangent_2) = math::tangents(self.normal);
        let total = math::add(
            math::add(math::scale(self.normal, n), math::scale(tangent_1, t1)),
            math::scale(tangent_2, t2),
        );
        for (body, arm, sign) in [
            (self.body_a as usize, self.arm_a, 1.0),
            (self.body_b as usize, self.arm_b, -1.0),
        ] {
            let velocity = &mut velocities[body];
            let impulse = math::scale(total, sign);
            velocity.linear =
                math::add(velocity.linear, math::scale(impulse, velocity.inverse_mass));
            velocity.angular = math::add(
                velocity.angular,
                math::symmetric_mul(&inertias[body].inverse, math::cross(arm, impulse)),
            );
        }
    }
}

/// Colours and packs the contacts of a problem.
pub(super) fn pack(
    problem: &Problem,
    max_colors: usize,
    warm_start: bool,
) -> Packed<ContactBlock, [f32; 4]> {
    let (bodies, contacts) = (&problem.bodies, &problem.contacts);
    let groups = coloring::color(bodies, contacts, max_colors);
    let mut order = Order::by_color(&groups, contacts.len());
    let colored_groups = order.colored_groups() as usize;
    order.group_starts.truncate(colored_groups + 1);
    let colored = order.group_starts[colored_groups];

    let source = order.source;
    let pairs: Vec<_> = source[colored as usize..]
        .iter()
        .map(|&contact| contacts[contact as usize].body_pair())
        .collect();
    let remainder = Remainder::split(bodies, &pairs, colored);
    let blocks = source
        .par_iter()
        .with_min_len(1024)
        .enumerate()
        .map(|(index, &contact)| {
            let copies = remainder.copies(index as u32);
            block_of(&contacts[contact as usize], bodies, copies)
        })
        .collect();
    let impulses = source
        .par_iter()
        .with_min_len(4096)
        .map(|&contact| {
            let contact = &contacts[contact as usize];
            let [n, t1, t2] = contact.impulse;
            match (warm_start, contact.friction > 0.0) {
                (true, true) => [n, t1, t2, 0.0],
                (true, false) => [n, 0.0, 0.0, 0.0],
                (false, _) => [0.0; 4],
            }
        })
        .collect();
    Packed {
        blocks,
        source,
        group_starts: order.group_starts,
        colors: order.colors,
        remainder,
        impulses,
    }
}

fn block_of(contact: &Contact, bodies: &[Body], (copies_a, copies_b): (f32, f32)) -> ContactBlock {
    let [body_a, body_b] = contact.body_pair().map(|body| &bodies[body as usize]);
    let (tangent_1, tangent_2) = math::tangents(contact.normal);
    let entry = |d: V3, e: V3, copies_a: f32, copies_b: f32| {
        copies_a * delassus_entry(body_a, contact.arm_a, d, e)
            + copies_b * delassus_entry(body_b, contact.arm_b, d, e)
    };
    let split = |d: V3, e: V3| entry(d, e, copies_a, copies_b);
    let whole = |d: V3| entry(d, d, 1.0, 1.0);

    let (w11, w22) = (split(tangent_1, tangent_1), split(tangent_2, tangent_2));
    let w12 = split(tangent_1, tangent_2);
    let largest = 0.5 * (w11 + w22) + (0.25 * (w11 - w22) * (w11 - w22) + w12 * w12).sqrt();
    let trace = whole(contact.normal) + whole(tangent_1) + whole(tangent_2);
    ContactBlock {
        normal: contact.normal,
        normal_mass: inverse_or_zero(split(contact.normal, contact.normal)),
        arm_a: contact.arm_a,
        tangent_mass: inverse_or_zero(largest),
        arm_b: contact.arm_b,
        friction: contact.friction,
        free_velocity: free_velocity(contact, body_a, body_b),
        residual_mass: 3.0 * inverse_or_zero(trace),
        body_a: contact.body_a,
        body_b: contact.body_b,
        padding: [0; 2],
    }
}

/// Velocity of A's point relative to B's before the solve, plus the bias along the normal `[m/s]`.
///
/// In f64: the difference of two fast bodies' velocities keeps the digits that a contact needs.
fn free_velocity(contact: &Contact, body_a: &Body, body_b: &Body) -> V3 {
    let point_velocity = |body: &Body, arm: V3| {
        math::widen(body.linear_velocity)
            + math::widen(body.angular_velocity).cross(&math::widen(arm))
    };
    let normal = math::widen(contact.normal);
    // A normal is a unit vector up to rounding; along it the bias is to appear exactly.
    let bias = normal * (f64::from(contact.bias) / normal.norm_squared());
    math::narrow(
        &(point_velocity(body_a, contact.arm_a) - point_velocity(body_b, contact.arm_b) + bias),
    )
}

/// One body's part of the Delassus entry of two directions: `d . e / m + (r x d) . I^-1 (r x e)`.
fn delassus_entry(body: &Body, arm: V3, d: V3, e: V3) -> f32 {
    body.inverse_mass * math::dot(d, e)
        + math::dot(
            math::cross(arm, d),
            math::symmetric_mul(&body.inverse_inertia, math::cross(arm, e)),
        )
}

fn inverse_or_zero(x: f32) -> f32 {
    if x > 0.0 { 1.0 / x } else { 0.0 }
}
