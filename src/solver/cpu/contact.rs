//! The arithmetic of one contact; twin of `shaders/shared/contact.wgsl`, operation by operation.

use super::sweep::Sweep;
use crate::constants::IMPULSE_DEAD_BAND;
use crate::math::{self, V3};
use crate::problem::FrictionTable;
use crate::problem::batches::{BodyInertia, BodyVelocity, ContactBlock};

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

/// Velocity of A's contact point relative to B's, plus the bias along the normal `[m/s]`; `a` and
/// `b` are what the impulses added to the bodies' velocities.
#[inline(always)]
pub(super) fn relative_velocity(block: &ContactBlock, a: &BodyVelocity, b: &BodyVelocity) -> V3 {
    let at_a = math::add_cross(a.linear, a.angular, block.arm_a);
    let at_b = math::add_cross(b.linear, b.angular, block.arm_b);
    math::add(block.free_velocity, math::sub(at_a, at_b))
}

/// Projects a tangential impulse onto the disk or polygon of the given radius.
///
/// On the polygon: the edge whose normal points most along the impulse is the one it leaves
/// through, because the polygon is regular.
#[inline(always)]
pub(super) fn project_friction(t: [f32; 2], radius: f32, cone: &FrictionTable) -> [f32; 2] {
    if cone.directions == 0 {
        let squared = t[0] * t[0] + t[1] * t[1];
        if squared <= radius * radius {
            return t;
        }
        let factor = radius / squared.sqrt();
        return [t[0] * factor, t[1] * factor];
    }
    let mut best = t[0] * cone.edges[0][0] + t[1] * cone.edges[0][1];
    let mut edge = [cone.edges[0][0], cone.edges[0][1]];
    for candidate in &cone.edges[1..cone.directions as usize] {
        let along = t[0] * candidate[0] + t[1] * candidate[1];
        if along > best {
            best = along;
            edge = [candidate[0], candidate[1]];
        }
    }
    let apothem = cone.apothem * radius;
    if best <= apothem {
        return t;
    }
    let half = cone.half_edge * radius;
    let sideways = (t[1] * edge[0] - t[0] * edge[1]).clamp(-half, half);
    [
        edge[0] * apothem - edge[1] * sideways,
        edge[1] * apothem + edge[0] * sideways,
    ]
}

/// The point of the cone `|t| <= friction * normal` that is closest to an impulse, its normal part
/// measured by one over `normal_mass` and its tangential part by one over `tangent_mass`.
#[inline(always)]
pub(super) fn project_onto_cone(
    normal: f32,
    t: [f32; 2],
    friction: f32,
    normal_mass: f32,
    tangent_mass: f32,
) -> [f32; 3] {
    let length = (t[0] * t[0] + t[1] * t[1]).sqrt();
    if length <= friction * normal {
        return [normal, t[0], t[1]];
    }
    let weight = friction * normal_mass;
    let along = tangent_mass * normal + weight * length;
    if along <= 0.0 {
        return [0.0; 3];
    }
    let nearest = along / (tangent_mass + friction * weight);
    let factor = friction * nearest / length;
    [nearest, t[0] * factor, t[1] * factor]
}

/// Adds `sign * impulse` to a body of which there are `copies`, each with `1/copies` of its mass.
#[inline(always)]
pub(super) fn apply(
    velocity: &mut BodyVelocity,
    inertia: &BodyInertia,
    arm: V3,
    impulse: V3,
    copies: f32,
) {
    let angular = math::symmetric_mul(&inertia.inverse, math::cross(arm, impulse));
    velocity.linear = math::add(
        velocity.linear,
        math::scale(impulse, velocity.inverse_mass * copies),
    );
    velocity.angular = math::add(velocity.angular, math::scale(angular, copies));
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

/// Softness of the normal row, over one over [`ContactBlock::normal_mass`]: that of the problem for whole
/// bodies, less for copies, whose row answers for a share of the body.
#[inline(always)]
fn softness_of_row(
    block: &ContactBlock,
    cone: &FrictionTable,
    a: (&BodyVelocity, &BodyInertia, f32),
    b: (&BodyVelocity, &BodyInertia, f32),
) -> f32 {
    if cone.softness == 0.0 || a.2 * b.2 == 1.0 {
        cone.softness
    } else {
        cone.softness * (block.normal_mass * normal_response(block, (a.0, a.1), (b.0, b.1)))
    }
}

/// One projected Gauss–Seidel update of a contact: the normal row, then both tangential rows.
///
/// `r_n <- max(0, r_n - (u_n / W_nn + eps r_n) / (1 + eps))`, eps being the row's softness; then, with what this changes of the tangential velocities by
/// their [`coupling`](ContactBlock::coupling), `r_t <- P(r_t - u_t / d_t)` with P the projection at radius
/// `mu r_n` (Stewart–Trinkle's fixed point for a polygon, Coulomb's for the disk). Changes within
/// [`dead_band`] of the normal impulse, or of the radius, are left undone. Returns the new impulse and the whole change as a
/// vector `[N s]`; `a` and `b` are the velocities after it.
#[inline(always)]
pub(super) fn update(
    block: &ContactBlock,
    cone: &FrictionTable,
    impulse: [f32; 4],
    a: (&mut BodyVelocity, &BodyInertia, f32),
    b: (&mut BodyVelocity, &BodyInertia, f32),
) -> ([f32; 4], V3) {
    let (velocity_a, inertia_a, copies_a) = a;
    let (velocity_b, inertia_b, copies_b) = b;
    let u = relative_velocity(block, velocity_a, velocity_b);
    let u_n = math::dot(block.normal, u);
    let softness = softness_of_row(
        block,
        cone,
        (velocity_a, inertia_a, copies_a),
        (velocity_b, inertia_b, copies_b),
    );
    let missing = block.normal_mass * u_n + softness * impulse[0];
    let hardness = 1.0 / (1.0 + softness);
    let mut normal = (impulse[0] - missing * hardness).max(0.0);
    let dead_band = dead_band(copies_a, copies_b);
    if (normal - impulse[0]).abs() <= dead_band * impulse[0] {
        normal = impulse[0];
    }
    let push = normal - impulse[0];
    let mut t = [0.0; 2];
    let mut change = math::scale(block.normal, push);
    if block.friction != 0.0 {
        let (tangent_1, tangent_2) = math::tangents(block.normal);
        let slip = [
            math::dot(tangent_1, u) + block.coupling[0] * push,
            math::dot(tangent_2, u) + block.coupling[1] * push,
        ];
        let trial = [
            impulse[1] - block.tangent_mass * slip[0],
            impulse[2] - block.tangent_mass * slip[1],
        ];
        let radius = block.friction * normal;
        t = project_friction(trial, radius, cone);
        let largest = (t[0] - impulse[1]).abs().max((t[1] - impulse[2]).abs());
        if largest <= dead_band * radius {
            t = [impulse[1], impulse[2]];
        }
        change = math::add(
            math::add(change, math::scale(tangent_1, t[0] - impulse[1])),
            math::scale(tangent_2, t[1] - impulse[2]),
        );
    }
    apply(velocity_a, inertia_a, block.arm_a, change, copies_a);
    apply(
        velocity_b,
        inertia_b,
        block.arm_b,
        math::scale(change, -1.0),
        copies_b,
    );
    ([normal, t[0], t[1], 0.0], change)
}

/// Step of the convex law's projection, over the effective masses of the rows.
///
/// It is one over a bound of the largest eigenvalue of a contact's Delassus block `W`, its rows scaled by
/// their effective masses `m_n` and `m_t`: the scaled block is `[1, c^T; c, T]` with `T <= 1`, hence at most
/// `1 + |c| + eps`, where `|c|^2 = (W_n1^2 + W_n2^2) m_n m_t` and eps is the softness of the normal row. It is 1
/// where a rigid normal and tangents are not coupled, as between spheres.
#[inline(always)]
fn cone_step(block: &ContactBlock, softness: f32) -> f32 {
    let [w_n1, w_n2] = block.coupling;
    let scale = block.normal_mass * block.tangent_mass;
    1.0 / ((1.0 + ((w_n1 * w_n1 + w_n2 * w_n2) * scale).sqrt()) + softness)
}

/// One update of a contact with friction by the convex law: all three rows at once,
/// `r <- P(r - k D u)` with `D` the effective masses of the rows, `k` the [`cone_step`], and `P` the
/// projection onto the cone in the metric of `D^-1`.
/// Where normal and tangents are not coupled this solves the contact exactly. Returns as [`update`]
/// does; changes within [`dead_band`] are left undone.
#[inline(always)]
fn update_convex(
    block: &ContactBlock,
    cone: &FrictionTable,
    impulse: [f32; 4],
    a: (&mut BodyVelocity, &BodyInertia, f32),
    b: (&mut BodyVelocity, &BodyInertia, f32),
) -> ([f32; 4], V3) {
    let (velocity_a, inertia_a, copies_a) = a;
    let (velocity_b, inertia_b, copies_b) = b;
    let (tangent_1, tangent_2) = math::tangents(block.normal);
    let u = relative_velocity(block, velocity_a, velocity_b);
    let softness = softness_of_row(
        block,
        cone,
        (velocity_a, inertia_a, copies_a),
        (velocity_b, inertia_b, copies_b),
    );
    let cone_step = cone_step(block, softness);
    let normal_step = cone_step * block.normal_mass;
    let tangent_step = cone_step * block.tangent_mass;
    let trial = [
        impulse[1] - tangent_step * math::dot(tangent_1, u),
        impulse[2] - tangent_step * math::dot(tangent_2, u),
    ];
    let given_way = cone_step * softness * impulse[0];
    let mut r = project_onto_cone(
        impulse[0] - (normal_step * math::dot(block.normal, u) + given_way),
        trial,
        block.friction,
        block.normal_mass,
        block.tangent_mass,
    );
    let dead_band = dead_band(copies_a, copies_b) * impulse[0];
    let sideways = (r[1] - impulse[1]).abs().max((r[2] - impulse[2]).abs());
    if (r[0] - impulse[0]).abs() <= dead_band && sideways <= dead_band * block.friction {
        r = [impulse[0], impulse[1], impulse[2]];
    }
    let normal = math::scale(block.normal, r[0] - impulse[0]);
    let change = math::add(
        math::add(normal, math::scale(tangent_1, r[1] - impulse[1])),
        math::scale(tangent_2, r[2] - impulse[2]),
    );
    apply(velocity_a, inertia_a, block.arm_a, change, copies_a);
    apply(
        velocity_b,
        inertia_b,
        block.arm_b,
        math::scale(change, -1.0),
        copies_b,
    );
    ([r[0], r[1], r[2], 0.0], change)
}

/// What a pass does to a contact: an update, or where velocities are rebuilt the whole of its impulse
/// as a change of the bodies' velocities. Returns as [`update`] does.
#[inline(always)]
pub(super) fn step(
    sweep: Sweep,
    block: &ContactBlock,
    cone: &FrictionTable,
    impulse: [f32; 4],
    a: (&mut BodyVelocity, &BodyInertia, f32),
    b: (&mut BodyVelocity, &BodyInertia, f32),
) -> ([f32; 4], V3) {
    if sweep != Sweep::Rebuild {
        // Between immovable bodies there is no mass to measure by, and nothing to do.
        if cone.is_convex() && block.friction > 0.0 && block.tangent_mass > 0.0 {
            return update_convex(block, cone, impulse, a, b);
        }
        return update(block, cone, impulse, a, b);
    }
    let (tangent_1, tangent_2) = math::tangents(block.normal);
    let normal = math::scale(block.normal, impulse[0]);
    let total = math::add(
        math::add(normal, math::scale(tangent_1, impulse[1])),
        math::scale(tangent_2, impulse[2]),
    );
    apply(a.0, a.1, block.arm_a, total, a.2);
    apply(b.0, b.1, block.arm_b, math::scale(total, -1.0), b.2);
    (impulse, total)
}

/// Natural-map residual of a contact `[m/s]`; see [`residual`](crate::solver::residual).
#[inline(always)]
pub(super) fn residual(
    block: &ContactBlock,
    cone: &FrictionTable,
    impulse: [f32; 4],
    (a, inertia_a): (&BodyVelocity, &BodyInertia),
    (b, inertia_b): (&BodyVelocity, &BodyInertia),
) -> f32 {
    if block.residual_mass == 0.0 {
        return 0.0;
    }
    let rho = block.residual_mass;
    let (tangent_1, tangent_2) = math::tangents(block.normal);
    let u = relative_velocity(block, a, b);
    let mut u_n = math::dot(block.normal, u);
    if cone.softness > 0.0 {
        let response = normal_response(block, (a, inertia_a), (b, inertia_b));
        u_n += cone.softness * (response * impulse[0]);
    }
    let normal = (impulse[0] - rho * u_n).max(0.0);
    let mut off = [impulse[0] - normal, 0.0, 0.0];
    if block.friction > 0.0 {
        let trial = [
            impulse[1] - rho * math::dot(tangent_1, u),
            impulse[2] - rho * math::dot(tangent_2, u),
        ];
        if cone.is_convex() {
            let nearest =
                project_onto_cone(impulse[0] - rho * u_n, trial, block.friction, 1.0, 1.0);
            off = math::sub([impulse[0], impulse[1], impulse[2]], nearest);
            return math::dot(off, off).sqrt() / rho;
        }
        let t = project_friction(trial, block.friction * normal, cone);
        off[1] = impulse[1] - t[0];
        off[2] = impulse[2] - t[1];
    }
    math::dot(off, off).sqrt() / rho
}
