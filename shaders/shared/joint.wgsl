// The arithmetic of one joint row; twin of `src/solver/cpu/joint.rs`, operation by operation.

// J V + bias; `a` and `b` are what the impulses added to the bodies' velocities.
fn row_velocity(block: JointBlock, a: BodyVelocity, b: BodyVelocity) -> f32 {
    let linear = ordered_dot(block.linear, a.linear - b.linear);
    let angular_a = ordered_dot(block.angular_a, a.angular);
    let angular_b = ordered_dot(block.angular_b, b.angular);
    return block.free_velocity + ((linear + angular_a) + angular_b);
}

// The impulse that a step of `mass` against the velocity J V + bias + softness r leads to, before its
// bounds.
fn trial_impulse(
    block: JointBlock,
    mass: f32,
    impulse: f32,
    a: BodyVelocity,
    b: BodyVelocity,
) -> f32 {
    let u = row_velocity(block, a, b) + block.softness * impulse;
    return impulse - mass * u;
}

// The nearest impulse within the bounds.
fn bounded(block: JointBlock, impulse: f32) -> f32 {
    return min(max(impulse, block.lower), block.upper);
}

// The velocity of a body after an impulse and a moment, the body being one of `copies`, each with
// 1/copies of its mass.
fn row_applied(
    velocity: BodyVelocity,
    inertia: BodyInertia,
    impulse: vec3<f32>,
    moment: vec3<f32>,
    copies: f32,
) -> BodyVelocity {
    let angular = inertia_mul(inertia, moment);
    var after = velocity;
    after.linear = velocity.linear + impulse * (velocity.inverse_mass * copies);
    after.angular = velocity.angular + angular * copies;
    return after;
}

// A row's new impulse, its change, and the velocities after it.
struct RowUpdate {
    impulse: f32,
    change: f32,
    a: BodyVelocity,
    b: BodyVelocity,
}

// The impulse after one projected Gauss-Seidel update; changes within `dead_band` of it are left undone.
fn updated_row(
    block: JointBlock,
    impulse: f32,
    a: BodyVelocity,
    b: BodyVelocity,
    dead_band: f32,
) -> f32 {
    let next = bounded(block, trial_impulse(block, block.mass, impulse, a, b));
    if abs(next - impulse) <= dead_band * abs(impulse) {
        return impulse;
    }
    return next;
}

// What a pass does to a row: an update, or where velocities are rebuilt the whole of its impulse as a
// change.
fn stepped_row(
    block: JointBlock,
    impulse: f32,
    a: BodyVelocity,
    inertia_a: BodyInertia,
    copies_a: f32,
    b: BodyVelocity,
    inertia_b: BodyInertia,
    copies_b: f32,
) -> RowUpdate {
    if has(REBUILD) {
        return moved_by_row(
            block, impulse, impulse, a, inertia_a, copies_a, b, inertia_b, copies_b,
        );
    }
    let next = updated_row(block, impulse, a, b, dead_band(copies_a, copies_b));
    return moved_by_row(
        block, next, next - impulse, a, inertia_a, copies_a, b, inertia_b, copies_b,
    );
}

// The velocities after a change of a row's impulse to `next`.
fn moved_by_row(
    block: JointBlock,
    next: f32,
    change: f32,
    a: BodyVelocity,
    inertia_a: BodyInertia,
    copies_a: f32,
    b: BodyVelocity,
    inertia_b: BodyInertia,
    copies_b: f32,
) -> RowUpdate {
    return RowUpdate(
        next,
        change,
        row_applied(a, inertia_a, block.linear * change, block.angular_a * change, copies_a),
        row_applied(b, inertia_b, block.linear * -change, block.angular_b * change, copies_b),
    );
}

// Natural-map residual of a row [m/s].
fn row_residual(
    block: JointBlock,
    scale: JointScale,
    impulse: f32,
    a: BodyVelocity,
    b: BodyVelocity,
) -> f32 {
    let projected = bounded(block, trial_impulse(block, scale.mass, impulse, a, b));
    return abs(impulse - projected) * scale.per_impulse;
}
