//! The arithmetic of a contact point, in every lane; in lanes of one number the twin of
//! `shaders/shared/contact.wgsl`, operation by operation. Where the shader returns early, a lane keeps the value that it
//! would have returned.

use super::friction::{Project, project_onto_cone};
use crate::constants::IMPULSE_DEAD_BAND;
use crate::problem::FrictionTable;
use crate::problem::batches::{Motion, Turn, change_by};
use crate::simd::{Simd, Vector, vector};
use bytemuck::Zeroable;

/// Velocity and inertia of one body a lane.
#[derive(Clone, Copy)]
pub(super) struct Bodies<S> {
    pub(super) linear: Vector<S>,
    pub(super) inverse_mass: S,
    pub(super) angular: Vector<S>,
    pub(super) inertia: [S; 6],
}

impl<S: Simd> Bodies<S> {
    /// Adds an impulse at `arm`.
    #[inline(always)]
    pub(super) fn add(&mut self, arm: Vector<S>, impulse: Vector<S>) {
        self.push(impulse, vector::cross(arm, impulse));
    }

    /// Adds the opposite of an impulse at `arm`.
    #[inline(always)]
    pub(super) fn take(&mut self, arm: Vector<S>, impulse: Vector<S>) {
        let moment = vector::cross(arm, impulse);
        let (linear, angular) = change_by(impulse, moment, self.inverse_mass, &self.inertia);
        self.linear = vector::sub(self.linear, linear);
        self.angular = vector::sub(self.angular, angular);
    }

    /// Adds an impulse and a moment about the centre of mass.
    #[inline(always)]
    pub(super) fn push(&mut self, impulse: Vector<S>, moment: Vector<S>) {
        let (linear, angular) = change_by(impulse, moment, self.inverse_mass, &self.inertia);
        self.linear = vector::add(self.linear, linear);
        self.angular = vector::add(self.angular, angular);
    }

    /// Adds an impulse along a normal, of which a unit gives a body `spin`.
    #[inline(always)]
    pub(super) fn add_along(&mut self, normal: Vector<S>, spin: Vector<S>, impulse: S) {
        let linear = vector::scale(vector::scale(normal, impulse), self.inverse_mass);
        self.linear = vector::add(self.linear, linear);
        self.angular = vector::add(self.angular, vector::scale(spin, impulse));
    }

    /// Adds the opposite of an impulse along a normal, of which a unit gives a body `spin`.
    #[inline(always)]
    pub(super) fn take_along(&mut self, normal: Vector<S>, spin: Vector<S>, impulse: S) {
        let linear = vector::scale(vector::scale(normal, impulse), self.inverse_mass);
        self.linear = vector::sub(self.linear, linear);
        self.angular = vector::sub(self.angular, vector::scale(spin, impulse));
    }

    #[inline(always)]
    pub(super) fn motion(&self) -> Motion<S> {
        (self.linear, self.angular)
    }
}

/// One contact point a lane; fields as those of [`ContactBlock`](crate::problem::batches::ContactBlock).
#[repr(C)]
#[derive(Debug, Clone, Copy, Zeroable)]
pub(super) struct Point<S> {
    pub(super) normal: Vector<S>,
    pub(super) normal_mass: S,
    pub(super) arm_a: Vector<S>,
    pub(super) tangent_mass: S,
    pub(super) arm_b: Vector<S>,
    pub(super) friction: S,
    pub(super) free_velocity: Vector<S>,
    pub(super) coupling: [S; 2],
}

/// Motion of A's point relative to B's.
#[inline(always)]
pub(super) fn between<S: Simd>(
    (arm_a, arm_b): (Vector<S>, Vector<S>),
    (linear_a, angular_a): Motion<S>,
    (linear_b, angular_b): Motion<S>,
) -> Vector<S> {
    let at_a = vector::add_cross(linear_a, angular_a, arm_a);
    let at_b = vector::add_cross(linear_b, angular_b, arm_b);
    vector::sub(at_a, at_b)
}

/// Velocity of A's contact point relative to B's, plus the bias along the normal `[m/s]`; `a` and `b` are
/// what the impulses added to the bodies' velocities.
#[inline(always)]
fn relative_velocity<S: Simd>(point: &Point<S>, a: Motion<S>, b: Motion<S>) -> Vector<S> {
    let apart = between((point.arm_a, point.arm_b), a, b);
    vector::add(point.free_velocity, apart)
}

/// The outcome of an update.
#[derive(Clone, Copy)]
pub(super) struct Updated<S> {
    /// New impulses, the normal one first.
    pub(super) impulse: Vector<S>,
    /// The whole change as a vector, which A is still to get and B to lose.
    pub(super) change: Vector<S>,
}

/// What an update goes by besides its point.
#[derive(Clone, Copy)]
pub(super) struct Beside<S> {
    /// Number of a law that has one.
    pub(super) number: S,
    /// Change of an impulse that is left undone beyond the dead band: none, or any where a pair is left `[N s]`.
    pub(super) undone: S,
}

impl<S: Simd> Beside<S> {
    /// With nothing left undone.
    #[inline(always)]
    pub(super) fn of(number: S) -> Self {
        Self {
            number,
            undone: S::splat(0.0),
        }
    }
}

/// What a pass does to a point.
pub(super) trait Law: Copy {
    /// How many of a point's impulses it reads and writes, the normal one first; the others it takes for
    /// zero.
    const ROWS: usize;

    /// True if it has a number of its own for each point.
    const HAS_NUMBER: bool = false;

    /// New impulses, for bodies that move so.
    fn update<S: Simd>(
        self,
        point: &Point<S>,
        beside: Beside<S>,
        impulse: Vector<S>,
        a: &Bodies<S>,
        b: &Bodies<S>,
    ) -> Updated<S>;

    /// Softness of its normal rows, where these are visited alone.
    fn rows(self) -> impl Softness;
}

/// The impulses as they are, the whole of them as a change.
#[derive(Clone, Copy)]
pub(super) struct Rebuild;

impl Law for Rebuild {
    const ROWS: usize = 3;

    #[inline(always)]
    fn update<S: Simd>(
        self,
        point: &Point<S>,
        _: Beside<S>,
        impulse: Vector<S>,
        _: &Bodies<S>,
        _: &Bodies<S>,
    ) -> Updated<S> {
        Updated {
            impulse,
            change: vector::in_world(point.normal, impulse),
        }
    }

    #[inline(always)]
    fn rows(self) -> impl Softness {
        // No row is visited alone.
        Own
    }
}

/// Softness and dead band, the same for all rows of some contacts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rows {
    /// Softness eps of normal rows.
    pub(super) softness: f32,
    /// `1 / (1 + eps)`.
    pub(super) hardness: f32,
    /// Change of an impulse, over the impulse, that is left undone.
    pub(super) dead_band: f32,
}

impl Rows {
    /// Those between whole bodies.
    #[inline(always)]
    pub(super) fn of_whole_bodies(cone: &FrictionTable) -> Self {
        Self {
            softness: cone.softness,
            hardness: cone.hardness,
            dead_band: IMPULSE_DEAD_BAND,
        }
    }
}

/// Softness of normal rows.
pub(super) trait Softness: Copy {
    /// True if it is the number of a law.
    const IS_NUMBER: bool;

    /// Softness eps and `1 / (1 + eps)`.
    fn of<S: Simd>(self, number: S) -> [S; 2];

    /// Change of an impulse, over the impulse, that is left undone.
    fn dead_band(self) -> f32;

    /// The [`cone_step`] of a point, which is the number of a law whose softness is not.
    fn cone_step<S: Simd>(self, point: &Point<S>, number: S) -> S;
}

impl Softness for Rows {
    const IS_NUMBER: bool = false;

    #[inline(always)]
    fn of<S: Simd>(self, _: S) -> [S; 2] {
        [S::splat(self.softness), S::splat(self.hardness)]
    }

    #[inline(always)]
    fn dead_band(self) -> f32 {
        self.dead_band
    }

    #[inline(always)]
    fn cone_step<S: Simd>(self, _: &Point<S>, number: S) -> S {
        number
    }
}

/// Each row's own, between whole bodies; see [`Problem::compliances`](crate::problem::Problem::compliances).
#[derive(Debug, Clone, Copy)]
pub(super) struct Own;

impl Softness for Own {
    const IS_NUMBER: bool = true;

    #[inline(always)]
    fn of<S: Simd>(self, number: S) -> [S; 2] {
        let one = S::splat(1.0);
        [number, one.over(one + number)]
    }

    #[inline(always)]
    fn dead_band(self) -> f32 {
        IMPULSE_DEAD_BAND
    }

    #[inline(always)]
    fn cone_step<S: Simd>(self, point: &Point<S>, number: S) -> S {
        cone_step(
            point.coupling,
            point.normal_mass,
            point.tangent_mass,
            number,
        )
    }
}

/// No friction.
#[derive(Clone, Copy)]
pub(super) struct Frictionless<R>(pub(super) R);

impl<R: Softness> Law for Frictionless<R> {
    const ROWS: usize = 1;
    const HAS_NUMBER: bool = R::IS_NUMBER;

    #[inline(always)]
    fn update<S: Simd>(
        self,
        point: &Point<S>,
        beside: Beside<S>,
        impulse: Vector<S>,
        a: &Bodies<S>,
        b: &Bodies<S>,
    ) -> Updated<S> {
        let u = relative_velocity(point, a.motion(), b.motion());
        let u_n = vector::dot(point.normal, u);
        let normal = pushed(point, (self.0, beside), u_n, impulse[0]);
        Updated {
            impulse: [normal, impulse[1], impulse[2]],
            change: vector::scale(point.normal, normal - impulse[0]),
        }
    }

    #[inline(always)]
    fn rows(self) -> impl Softness {
        self.0
    }
}

/// The impulse of a normal row, the other rows left as they are; `turns` are what it does to A and B.
#[inline(always)]
pub(super) fn normal_row<S: Simd>(
    point: &Point<S>,
    turns: &[Turn<S>; 2],
    law: (impl Softness, Beside<S>),
    impulse: S,
    (linear_a, angular_a): Motion<S>,
    (linear_b, angular_b): Motion<S>,
) -> S {
    let straight = vector::add(point.free_velocity, vector::sub(linear_a, linear_b));
    let turning = vector::dot(turns[0].arm, angular_a) - vector::dot(turns[1].arm, angular_b);
    let u_n = vector::dot(point.normal, straight) + turning;
    pushed(point, law, u_n, impulse)
}

/// The impulse of a normal row whose relative velocity is known.
#[inline(always)]
fn pushed<S: Simd>(
    point: &Point<S>,
    (rows, beside): (impl Softness, Beside<S>),
    u_n: S,
    impulse: S,
) -> S {
    let [softness, hardness] = rows.of(beside.number);
    let missing = point.normal_mass * u_n + softness * impulse;
    let normal = (impulse - missing * hardness).max(S::splat(0.0));
    let still = (normal - impulse)
        .abs()
        .le(S::splat(rows.dead_band()) * impulse + beside.undone);
    S::select(still, impulse, normal)
}

/// Coulomb's law, by a step of projected Gauss–Seidel: the normal row, then both tangential rows.
///
/// `r_n <- max(0, r_n - (u_n / W_nn + eps r_n) / (1 + eps))`, eps being the row's softness; then, with what this changes of
/// the tangential velocities by their [`coupling`](Point::coupling), `r_t <- P(r_t - u_t / d_t)` with P the projection at
/// radius `mu r_n` (Stewart–Trinkle's fixed point for a polygon, Coulomb's for the disk). Changes within the dead band of
/// the normal impulse, or of the radius, are left undone.
#[derive(Clone, Copy)]
pub(super) struct Coulomb<P, R>(pub(super) P, pub(super) R);

impl<P: Project, R: Softness> Law for Coulomb<P, R> {
    const ROWS: usize = 3;
    const HAS_NUMBER: bool = R::IS_NUMBER;

    #[inline(always)]
    fn update<S: Simd>(
        self,
        point: &Point<S>,
        beside: Beside<S>,
        impulse: Vector<S>,
        a: &Bodies<S>,
        b: &Bodies<S>,
    ) -> Updated<S> {
        let Self(project, rows) = self;
        let zero = S::splat(0.0);
        let (tangent_1, tangent_2) = vector::tangents(point.normal);
        let u = relative_velocity(point, a.motion(), b.motion());
        let u_n = vector::dot(point.normal, u);
        let normal = pushed(point, (rows, beside), u_n, impulse[0]);
        let push = normal - impulse[0];
        let slip = [
            vector::dot(tangent_1, u) + point.coupling[0] * push,
            vector::dot(tangent_2, u) + point.coupling[1] * push,
        ];
        let trial = [
            impulse[1] - point.tangent_mass * slip[0],
            impulse[2] - point.tangent_mass * slip[1],
        ];
        let radius = point.friction * normal;
        let t = project.project(trial, radius);
        let largest = (t[0] - impulse[1]).abs().max((t[1] - impulse[2]).abs());
        let still = largest.le(S::splat(rows.dead_band()) * radius + beside.undone);
        let rough = zero.lt(point.friction);
        let t = [
            S::select(rough, S::select(still, impulse[1], t[0]), zero),
            S::select(rough, S::select(still, impulse[2], t[1]), zero),
        ];
        let change = [push, t[0] - impulse[1], t[1] - impulse[2]];
        Updated {
            impulse: [normal, t[0], t[1]],
            change: vector::in_world(point.normal, change),
        }
    }

    #[inline(always)]
    fn rows(self) -> impl Softness {
        self.1
    }
}

/// The convex law, all three rows at once: `r <- P(r - k D u)` with `D` the effective masses of the rows, `k`
/// the [`cone_step`], its number, and `P` the projection onto the cone in the metric of `D^-1`. Where normal and tangents are not
/// coupled this solves the contact exactly.
#[derive(Clone, Copy)]
pub(super) struct Convex<R>(pub(super) R);

impl<R: Softness> Law for Convex<R> {
    const ROWS: usize = 3;
    const HAS_NUMBER: bool = true;

    #[inline(always)]
    fn update<S: Simd>(
        self,
        point: &Point<S>,
        beside: Beside<S>,
        impulse: Vector<S>,
        a: &Bodies<S>,
        b: &Bodies<S>,
    ) -> Updated<S> {
        let rows = self.0;
        let cone_step = rows.cone_step(point, beside.number);
        let [softness, _] = rows.of(beside.number);
        let (tangent_1, tangent_2) = vector::tangents(point.normal);
        let u = relative_velocity(point, a.motion(), b.motion());
        let normal_step = cone_step * point.normal_mass;
        let tangent_step = cone_step * point.tangent_mass;
        let trial = [
            impulse[1] - tangent_step * vector::dot(tangent_1, u),
            impulse[2] - tangent_step * vector::dot(tangent_2, u),
        ];
        let given_way = cone_step * softness * impulse[0];
        let r = project_onto_cone(
            impulse[0] - (normal_step * vector::dot(point.normal, u) + given_way),
            trial,
            point.friction,
            point.normal_mass,
            point.tangent_mass,
        );
        let band = S::splat(rows.dead_band()) * impulse[0];
        let sideways = (r[1] - impulse[1]).abs().max((r[2] - impulse[2]).abs());
        // Still along the normal and sideways: a lane of both conditions keeps its impulse.
        let still_n = (r[0] - impulse[0]).abs().le(band + beside.undone);
        let still_t = sideways.le(band * point.friction + beside.undone);
        let kept = vector::select(still_t, impulse, r);
        let r = vector::select(still_n, kept, r);
        Updated {
            impulse: r,
            change: vector::in_world(point.normal, vector::sub(r, impulse)),
        }
    }

    #[inline(always)]
    fn rows(self) -> impl Softness {
        self.0
    }
}

/// Step of the convex law's projection, over the effective masses of the rows.
///
/// It is one over a bound of the largest eigenvalue of a contact's Delassus block `W`, its rows scaled by
/// their effective masses `m_n` and `m_t`: the scaled block is `[1, c^T; c, T]` with `T <= 1`, hence at most
/// `1 + |c| + eps`, where `|c|^2 = (W_n1^2 + W_n2^2) m_n m_t` and eps is the softness of the normal row. It is 1
/// where a rigid normal and tangents are not coupled, as between spheres.
#[inline(always)]
pub(super) fn cone_step<S: Simd>(
    [w_n1, w_n2]: [S; 2],
    normal_mass: S,
    tangent_mass: S,
    softness: S,
) -> S {
    let one = S::splat(1.0);
    let coupled = (w_n1 * w_n1 + w_n2 * w_n2) * (normal_mass * tangent_mass);
    one.over((one + coupled.sqrt()) + softness)
}

/// The convex law where some lanes have no friction, or no mass to measure tangential impulses by, and are
/// updated as by Coulomb's law.
#[derive(Clone, Copy)]
pub(super) struct Mixed<'a, R>(pub(super) &'a FrictionTable, pub(super) R);

impl<R: Softness> Law for Mixed<'_, R> {
    const ROWS: usize = 3;
    const HAS_NUMBER: bool = true;

    #[inline(always)]
    fn update<S: Simd>(
        self,
        point: &Point<S>,
        beside: Beside<S>,
        impulse: Vector<S>,
        a: &Bodies<S>,
        b: &Bodies<S>,
    ) -> Updated<S> {
        let zero = S::splat(0.0);
        let plain = Coulomb(self.0, self.1).update(point, beside, impulse, a, b);
        let convex = Convex(self.1).update(point, beside, impulse, a, b);
        let least = S::select(
            zero.lt(point.friction),
            S::select(zero.lt(point.tangent_mass), S::splat(1.0), zero),
            zero,
        );
        let is_convex = zero.lt(least);
        Updated {
            impulse: vector::select(is_convex, convex.impulse, plain.impulse),
            change: vector::select(is_convex, convex.change, plain.change),
        }
    }

    #[inline(always)]
    fn rows(self) -> impl Softness {
        self.1
    }
}

/// Natural-map residual `[m/s]`, with the step of the map `rho`; 0 where there is none. The normal row gives way by
/// `give`, eps times `W_nn` and its impulse. See [`solver`](crate::solver#the-residual).
#[inline(always)]
pub(super) fn residual<S: Simd>(
    point: &Point<S>,
    cone: &FrictionTable,
    impulse: Vector<S>,
    give: S,
    rho: S,
    a: Motion<S>,
    b: Motion<S>,
) -> S {
    let zero = S::splat(0.0);
    let (tangent_1, tangent_2) = vector::tangents(point.normal);
    let u = relative_velocity(point, a, b);
    let u_n = vector::dot(point.normal, u) + give;
    let normal = (impulse[0] - rho * u_n).max(zero);
    let trial = [
        impulse[1] - rho * vector::dot(tangent_1, u),
        impulse[2] - rho * vector::dot(tangent_2, u),
    ];
    let (pushed, t) = if cone.is_convex() {
        let one = S::splat(1.0);
        let shifted = impulse[0] - rho * u_n;
        let nearest = project_onto_cone(shifted, trial, point.friction, one, one);
        (nearest[0], [nearest[1], nearest[2]])
    } else {
        let t = cone.project(trial, point.friction * normal);
        (normal, t)
    };
    let rough = zero.lt(point.friction);
    let normal = S::select(rough, pushed, normal);
    let off = [
        impulse[0] - normal,
        S::select(rough, impulse[1] - t[0], zero),
        S::select(rough, impulse[2] - t[1], zero),
    ];
    let residual = vector::dot(off, off).sqrt().over(rho);
    S::select(rho.le(zero), zero, residual)
}
