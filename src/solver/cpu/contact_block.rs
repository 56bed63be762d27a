//! One contact of a block, on bodies of which there may be copies: the law of [`contact`] in a single lane.

use super::contact::{self, Bodies, Convex, Coulomb, Law, Point, Rebuild, Rows, Smooth, Updated};
use super::sweep::Sweep;
use crate::constants::IMPULSE_DEAD_BAND;
use crate::math::{self, V3};
use crate::problem::FrictionTable;
use crate::problem::batches::{BodyInertia, BodyVelocity, ContactBlock};

/// A body, and how many copies there are of it, each with one over their number of its mass.
pub(super) type Copies<'a> = (&'a mut BodyVelocity, &'a BodyInertia, f32);

/// Change of an impulse, over the impulse, that is left undone: [`IMPULSE_DEAD_BAND`] for whole
/// bodies, nothing for copies, whose steps are small because each answers for a share of the body.
#[inline(always)]
pub(super) fn dead_band(copies_a: f32, copies_b: f32) -> f32 {
    if copies_a * copies_b == 1.0 {
        IMPULSE_DEAD_BAND
    } else {
        0.0
    }
}

fn point_of(block: &ContactBlock) -> Point<f32> {
    Point {
        normal: block.normal,
        normal_mass: block.normal_mass,
        arm_a: block.arm_a,
        tangent_mass: block.tangent_mass,
        arm_b: block.arm_b,
        friction: block.friction,
        free_velocity: block.free_velocity,
        coupling: block.coupling,
    }
}

fn bodies_of(velocity: &BodyVelocity, inertia: &BodyInertia) -> Bodies<f32> {
    Bodies {
        linear: velocity.linear,
        inverse_mass: velocity.inverse_mass,
        angular: velocity.angular,
        inertia: inertia.inverse,
    }
}

/// `W_nn` of the whole bodies `[1/kg]`: the velocity along the normal that a unit of normal impulse makes.
#[inline(always)]
fn normal_response(
    block: &ContactBlock,
    a: (&BodyVelocity, &BodyInertia),
    b: (&BodyVelocity, &BodyInertia),
) -> f32 {
    let side = |(velocity, inertia): (&BodyVelocity, &BodyInertia), arm: V3| {
        let lever = math::cross(arm, block.normal);
        velocity.inverse_mass + math::dot(lever, math::symmetric_mul(&inertia.inverse, lever))
    };
    side(a, block.arm_a) + side(b, block.arm_b)
}

/// The rows of a block. Softness is over one over [`ContactBlock::normal_mass`]: that of the problem for whole
/// bodies, less for copies, whose row answers for a share of the body.
#[inline(always)]
fn rows_of(block: &ContactBlock, cone: &FrictionTable, a: &Copies<'_>, b: &Copies<'_>) -> Rows {
    let whole = a.2 * b.2 == 1.0;
    let softness = if whole || cone.softness == 0.0 {
        cone.softness
    } else {
        cone.softness * (block.normal_mass * normal_response(block, (a.0, a.1), (b.0, b.1)))
    };
    Rows {
        softness,
        hardness: 1.0 / (1.0 + softness),
        dead_band: dead_band(a.2, b.2),
    }
}

/// A pass over a contact: an update, or where velocities are rebuilt the whole of its impulse
/// as a change of the bodies' velocities. Returns the new impulse and the whole change as a
/// vector `[N s]`; `a` and `b` are the velocities after it.
#[inline(always)]
pub(super) fn step(
    sweep: Sweep,
    block: &ContactBlock,
    cone: &FrictionTable,
    [n, t1, t2, _]: [f32; 4],
    a: Copies<'_>,
    b: Copies<'_>,
) -> ([f32; 4], V3) {
    let (point, impulse) = (point_of(block), [n, t1, t2]);
    let rows = rows_of(block, cone, &a, &b);
    let (body_a, body_b) = (bodies_of(a.0, a.1), bodies_of(b.0, b.1));
    let (a_now, b_now) = (&body_a, &body_b);
    let Updated { impulse, change } = if sweep == Sweep::Rebuild {
        Rebuild.update(&point, 0.0, impulse, a_now, b_now)
    } else if cone.is_convex() && block.friction > 0.0 && block.tangent_mass > 0.0 {
        let step = contact::cone_step(
            block.coupling,
            block.normal_mass,
            block.tangent_mass,
            rows.softness,
        );
        Convex(rows).update(&point, step, impulse, a_now, b_now)
    } else if block.friction == 0.0 {
        Smooth(rows).update(&point, 0.0, [n, 0.0, 0.0], a_now, b_now)
    } else {
        // Between immovable bodies there is no mass to measure by, and nothing to do.
        Coulomb(cone, rows).update(&point, 0.0, impulse, a_now, b_now)
    };
    for ((velocity, inertia, copies), arm, impulse) in [
        (a, block.arm_a, change),
        (b, block.arm_b, math::scale(change, -1.0)),
    ] {
        velocity.push_copy((inertia, copies), impulse, math::cross(arm, impulse));
    }
    let [n, t1, t2] = impulse;
    ([n, t1, t2, 0.0], change)
}

/// Natural-map residual of a contact `[m/s]`; see [`solver`](crate::solver#the-residual).
#[inline(always)]
pub(super) fn residual(
    block: &ContactBlock,
    cone: &FrictionTable,
    [n, t1, t2, _]: [f32; 4],
    (a, inertia_a): (&BodyVelocity, &BodyInertia),
    (b, inertia_b): (&BodyVelocity, &BodyInertia),
) -> f32 {
    let give = if cone.softness > 0.0 {
        let response = normal_response(block, (a, inertia_a), (b, inertia_b));
        cone.softness * (response * n)
    } else {
        0.0
    };
    let motion = |body: &BodyVelocity| (body.linear, body.angular);
    contact::residual(
        &point_of(block),
        cone,
        [n, t1, t2],
        give,
        block.residual_mass,
        motion(a),
        motion(b),
    )
}
