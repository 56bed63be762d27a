//! Effective masses of contacts, in every lane.

use crate::simd::{Simd, Vector, vector};

/// Masses of a contact `[kg]`; see [`ContactBlock`](super::ContactBlock).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Masses<S> {
    pub(crate) normal: S,
    pub(crate) tangent: S,
    /// Step of the natural map.
    pub(crate) residual: S,
    /// Of normal and tangents `[1/kg]`.
    pub(crate) coupling: [S; 2],
}

/// One side of contacts: the body, and the arm to the contact.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lever<'a, S> {
    pub(crate) inverse_mass: S,
    pub(crate) inertia: &'a [S; 6],
    pub(crate) arm: Vector<S>,
    /// Copies that the body is split into, each with one over their number of its mass.
    pub(crate) copies: S,
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

/// Masses of contacts between two bodies.
#[inline(always)]
pub(crate) fn masses_of<S: Simd>(normal: Vector<S>, a: Lever<'_, S>, b: Lever<'_, S>) -> Masses<S> {
    let (t1, t2) = vector::tangents(normal);
    let turns = |side: &Lever<'_, S>| [side.turn(normal), side.turn(t1), side.turn(t2)];
    let (turns_a, turns_b) = (turns(&a), turns(&b));
    let directions = [normal, t1, t2];
    let entries = |d: usize, e: usize| {
        let straight = vector::dot(directions[d], directions[e]);
        [
            a.entry(straight, &turns_a[d], &turns_a[e]),
            b.entry(straight, &turns_b[d], &turns_b[e]),
        ]
    };
    let split = |[of_a, of_b]: [S; 2]| a.copies * of_a + b.copies * of_b;
    let whole = |[of_a, of_b]: [S; 2]| of_a + of_b;
    let (nn, w11, w22) = (entries(0, 0), entries(1, 1), entries(2, 2));
    let trace = whole(nn) + whole(w11) + whole(w22);
    let (w11, w22, w12) = (split(w11), split(w22), split(entries(1, 2)));
    let apart = w11 - w22;
    let root = S::splat(0.25) * apart * apart + w12 * w12;
    let largest = S::splat(0.5) * (w11 + w22) + root.sqrt();
    Masses {
        normal: inverse_or_zero(split(nn)),
        tangent: inverse_or_zero(largest),
        residual: S::splat(3.0) * inverse_or_zero(trace),
        coupling: [split(entries(0, 1)), split(entries(0, 2))],
    }
}

#[inline(always)]
fn inverse_or_zero<S: Simd>(x: S) -> S {
    let zero = S::splat(0.0);
    S::select(zero.lt(x), S::splat(1.0).over(x), zero)
}
