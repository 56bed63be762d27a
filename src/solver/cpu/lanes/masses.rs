//! Effective masses of contacts whose bodies are whole; those of
//! [`ContactBlock`](crate::problem::batches::ContactBlock), to the same bits.

use crate::problem::FrictionTable;
use crate::simd::{Simd, Vector, vector};
use crate::solver::cpu::contact::cone_step as cone_step_of;

/// Masses of a contact `[kg]`, and its step in the convex law.
#[derive(Clone, Copy)]
pub(super) struct Masses<S> {
    pub(super) normal: S,
    pub(super) tangent: S,
    pub(super) residual: S,
    /// Of normal and tangents `[1/kg]`; see [`ContactBlock`](crate::problem::batches::ContactBlock).
    pub(super) coupling: [S; 2],
    /// Zero unless asked for.
    pub(super) cone_step: S,
}

/// One side of contacts: the body, and the arm to the contact.
#[derive(Clone, Copy)]
pub(super) struct Lever<'a, S> {
    pub(super) inverse_mass: S,
    pub(super) inertia: &'a [S; 6],
    pub(super) arm: Vector<S>,
}

/// A direction's arm `r x d`, and the spin `I^-1 (r x d)` that a unit impulse along it gives.
#[derive(Clone, Copy)]
struct Turn<S> {
    arm: Vector<S>,
    spin: Vector<S>,
}

impl<S: Simd> Lever<'_, S> {
    #[inline(always)]
    fn turn(&self, d: Vector<S>) -> Turn<S> {
        let arm = vector::cross(self.arm, d);
        Turn {
            arm,
            spin: vector::symmetric_mul(self.inertia, arm),
        }
    }

    /// This body's part of a Delassus entry, given the product of the two directions.
    #[inline(always)]
    fn entry(&self, straight: S, d: &Turn<S>, e: &Turn<S>) -> S {
        self.inverse_mass * straight + vector::dot(d.arm, e.spin)
    }
}

/// Masses of contacts between two bodies; the step only for the convex law.
#[inline(always)]
pub(super) fn masses_of<S: Simd>(
    normal: Vector<S>,
    a: Lever<'_, S>,
    b: Lever<'_, S>,
    cone: &FrictionTable,
) -> Masses<S> {
    let (t1, t2) = vector::tangents(normal);
    let (a_n, a_1, a_2) = (a.turn(normal), a.turn(t1), a.turn(t2));
    let (b_n, b_1, b_2) = (b.turn(normal), b.turn(t1), b.turn(t2));
    let d = vector::dot(normal, normal);
    let w_nn = a.entry(d, &a_n, &a_n) + b.entry(d, &b_n, &b_n);
    let d = vector::dot(t1, t1);
    let w_11 = a.entry(d, &a_1, &a_1) + b.entry(d, &b_1, &b_1);
    let d = vector::dot(t2, t2);
    let w_22 = a.entry(d, &a_2, &a_2) + b.entry(d, &b_2, &b_2);
    let d = vector::dot(t1, t2);
    let w_12 = a.entry(d, &a_1, &a_2) + b.entry(d, &b_1, &b_2);
    let normal_mass = inverse_or_zero(w_nn);
    let apart = w_11 - w_22;
    let root = S::splat(0.25) * apart * apart + w_12 * w_12;
    let tangent_mass = inverse_or_zero(S::splat(0.5) * (w_11 + w_22) + root.sqrt());
    let d = vector::dot(normal, t1);
    let w_n1 = a.entry(d, &a_n, &a_1) + b.entry(d, &b_n, &b_1);
    let d = vector::dot(normal, t2);
    let w_n2 = a.entry(d, &a_n, &a_2) + b.entry(d, &b_n, &b_2);
    let mut cone_step = S::splat(0.0);
    if cone.is_convex() {
        cone_step = cone_step_of([w_n1, w_n2], normal_mass, tangent_mass, cone.softness);
    }
    Masses {
        normal: normal_mass,
        tangent: tangent_mass,
        residual: S::splat(3.0) * inverse_or_zero(w_nn + w_11 + w_22),
        coupling: [w_n1, w_n2],
        cone_step,
    }
}

#[inline(always)]
fn inverse_or_zero<S: Simd>(x: S) -> S {
    let zero = S::splat(0.0);
    S::select(zero.lt(x), S::splat(1.0).over(x), zero)
}
