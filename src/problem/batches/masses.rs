//! Effective masses of contacts, in every lane.

use crate::simd::{Simd, Vector, vector};
use bytemuck::Zeroable;

/// Masses of a contact `[kg]`; see [`ContactBlock`](super::ContactBlock).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Masses<S> {
    pub(crate) normal: S,
    pub(crate) tangent: S,
    /// Step of the natural map.
    pub(crate) residual: S,
    /// Of normal and tangents `[1/kg]`.
    pub(crate) coupling: [S; 2],
    /// Of the normal, on A and B, which are whole.
    pub(crate) turns: [Turn<S>; 2],
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
#[repr(C)]
#[derive(Debug, Clone, Copy, Zeroable)]
pub(crate) struct Turn<S> {
    pub(crate) arm: Vector<S>,
    pub(crate) spin: Vector<S>,
}

impl<S: Simd> Lever<'_, S> {
    #[inline(always)]
    pub(crate) fn turn(&self, d: Vector<S>) -> Turn<S> {
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

/// Both sides of a contact, and how its directions turn them.
struct Sides<'a, S> {
    a: Lever<'a, S>,
    b: Lever<'a, S>,
    directions: [Vector<S>; 3],
    turns_a: [Turn<S>; 3],
    turns_b: [Turn<S>; 3],
}

impl<S: Simd> Sides<'_, S> {
    /// Both sides' parts of the Delassus entry of two directions `[1/kg]`.
    #[inline(always)]
    fn entries(&self, d: usize, e: usize) -> [S; 2] {
        let straight = vector::dot(self.directions[d], self.directions[e]);
        [
            self.a.entry(straight, &self.turns_a[d], &self.turns_a[e]),
            self.b.entry(straight, &self.turns_b[d], &self.turns_b[e]),
        ]
    }

    /// The entry of the copies.
    #[inline(always)]
    fn split(&self, [of_a, of_b]: [S; 2]) -> S {
        self.a.copies * of_a + self.b.copies * of_b
    }
}

/// Masses of contacts between two bodies.
///
/// There is no closure in here: it would not be compiled for the processor's vectors.
#[inline(always)]
pub(crate) fn masses_of<S: Simd>(normal: Vector<S>, a: Lever<'_, S>, b: Lever<'_, S>) -> Masses<S> {
    let (t1, t2) = vector::tangents(normal);
    let sides = Sides {
        a,
        b,
        directions: [normal, t1, t2],
        turns_a: [a.turn(normal), a.turn(t1), a.turn(t2)],
        turns_b: [b.turn(normal), b.turn(t1), b.turn(t2)],
    };
    let (nn, of_11, of_22) = (
        sides.entries(0, 0),
        sides.entries(1, 1),
        sides.entries(2, 2),
    );
    let trace = (nn[0] + nn[1]) + (of_11[0] + of_11[1]) + (of_22[0] + of_22[1]);
    let (w11, w22) = (sides.split(of_11), sides.split(of_22));
    let w12 = sides.split(sides.entries(1, 2));
    let apart = w11 - w22;
    let root = S::splat(0.25) * apart * apart + w12 * w12;
    let largest = S::splat(0.5) * (w11 + w22) + root.sqrt();
    Masses {
        normal: inverse_or_zero(sides.split(nn)),
        tangent: inverse_or_zero(largest),
        residual: S::splat(3.0) * inverse_or_zero(trace),
        coupling: [
            sides.split(sides.entries(0, 1)),
            sides.split(sides.entries(0, 2)),
        ],
        turns: [sides.turns_a[0], sides.turns_b[0]],
    }
}

#[inline(always)]
fn inverse_or_zero<S: Simd>(x: S) -> S {
    let zero = S::splat(0.0);
    S::select(zero.lt(x), S::splat(1.0).over(x), zero)
}
