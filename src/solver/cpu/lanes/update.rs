//! What a pass does to a contact point: the update by a law, or nothing but to apply its impulse.

use crate::problem::FrictionTable;
use crate::simd::{Row, Simd, Vector, lanes_of};
use crate::solver::cpu::contact::{self, Bodies, Point, Project, Rows, Updated};

/// What is done to a point.
pub(super) trait Update: Copy {
    /// How many of a point's impulses it reads and writes, the normal one first; the others it takes for
    /// zero.
    const ROWS: usize;

    /// A number of each lane of a point that only this law has; zero if it has none.
    #[inline(always)]
    fn number<S: Simd>(self, _point: usize, _first: usize) -> S {
        S::splat(0.0)
    }

    /// New impulses, for bodies that move so.
    fn update<S: Simd>(
        self,
        point: &Point<S>,
        number: S,
        impulse: Vector<S>,
        a: &Bodies<S>,
        b: &Bodies<S>,
    ) -> Updated<S>;
}

/// Coulomb's law, with the section of the friction cone and the softness of normal rows.
#[derive(Clone, Copy)]
pub(super) struct Coulomb<P>(pub(super) P, pub(super) Rows);

impl<P: Project> Update for Coulomb<P> {
    const ROWS: usize = 3;

    #[inline(always)]
    fn update<S: Simd>(
        self,
        point: &Point<S>,
        _: S,
        impulse: Vector<S>,
        a: &Bodies<S>,
        b: &Bodies<S>,
    ) -> Updated<S> {
        contact::update(point, self.0, self.1, impulse, a, b)
    }
}

/// Contacts without friction.
#[derive(Clone, Copy)]
pub(super) struct Smooth(pub(super) Rows);

impl Update for Smooth {
    const ROWS: usize = 1;

    #[inline(always)]
    fn update<S: Simd>(
        self,
        point: &Point<S>,
        _: S,
        impulse: Vector<S>,
        a: &Bodies<S>,
        b: &Bodies<S>,
    ) -> Updated<S> {
        contact::update_smooth(point, self.0, impulse, a, b)
    }
}

/// The convex law, with the steps of its projection.
#[derive(Clone, Copy)]
pub(super) struct Convex<'a>(pub(super) &'a [Row], pub(super) Rows);

impl Update for Convex<'_> {
    const ROWS: usize = 3;

    #[inline(always)]
    fn number<S: Simd>(self, point: usize, first: usize) -> S {
        lanes_of(&self.0[point], first)
    }

    #[inline(always)]
    fn update<S: Simd>(
        self,
        point: &Point<S>,
        number: S,
        impulse: Vector<S>,
        a: &Bodies<S>,
        b: &Bodies<S>,
    ) -> Updated<S> {
        contact::update_convex(point, self.1, number, impulse, a, b)
    }
}

/// The convex law where some lanes have no friction, or no mass to measure tangential impulses by.
#[derive(Clone, Copy)]
pub(super) struct Mixed<'a> {
    pub(super) cone: &'a FrictionTable,
    pub(super) steps: &'a [Row],
}

impl Update for Mixed<'_> {
    const ROWS: usize = 3;

    #[inline(always)]
    fn number<S: Simd>(self, point: usize, first: usize) -> S {
        lanes_of(&self.steps[point], first)
    }

    #[inline(always)]
    fn update<S: Simd>(
        self,
        point: &Point<S>,
        number: S,
        impulse: Vector<S>,
        a: &Bodies<S>,
        b: &Bodies<S>,
    ) -> Updated<S> {
        contact::update_mixed(point, self.cone, number, impulse, a, b)
    }
}

/// Normal rows of a position LCP, with biases of their own.
#[derive(Clone, Copy)]
pub(super) struct Position<'a>(pub(super) &'a [Row]);

impl Update for Position<'_> {
    const ROWS: usize = 1;

    #[inline(always)]
    fn number<S: Simd>(self, point: usize, first: usize) -> S {
        lanes_of(&self.0[point], first)
    }

    #[inline(always)]
    fn update<S: Simd>(
        self,
        point: &Point<S>,
        number: S,
        impulse: Vector<S>,
        a: &Bodies<S>,
        b: &Bodies<S>,
    ) -> Updated<S> {
        contact::update_position(point, number, impulse, a, b)
    }
}

/// The impulses as they are.
#[derive(Clone, Copy)]
pub(super) struct Rebuild;

impl Update for Rebuild {
    const ROWS: usize = 3;

    #[inline(always)]
    fn update<S: Simd>(
        self,
        point: &Point<S>,
        _: S,
        impulse: Vector<S>,
        _: &Bodies<S>,
        _: &Bodies<S>,
    ) -> Updated<S> {
        contact::rebuild(point, impulse)
    }
}
