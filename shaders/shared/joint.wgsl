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
fn trial_impulse(block: JointBlock, mass: f32, impulse: f32, a: BodyVelocity, b: BodyVelocity) -> f32 {
    let u = row_velocity(block, a, b) + block.softness * impulse;
    return impulse - mass * u;
}

// The nearest impulse within the bounds.
fn bounded(block: JointBlock, impulse: f32) -> f32 {
    return min(max(impulse, block.lower), block.upper);
}

// A row's new impulse, its change as a push, and the bodies after it.
struct RowUpdate {
    impulse: f32,
    push: Push,
    a: Copy,
    b: Copy,
}

// The impulse after one projected Gauss-Seidel update; changes within the dead band are left undone.
fn updated_row(block: JointBlock, impulse: f32, a: Copy, b: Copy) -> f32 {
    let next = bounded(block, trial_impulse(block, block.mass, impulse, a.velocity, b.velocity));
    if abs(next - impulse) <= dead_band(a, b) * abs(impulse) {
        return impulse;
    }
    return next;
}

// What a pass does to a row: an update, or where velocities are rebuilt the whole of its impulse as a
// change.
fn stepped_row(rebuilds: bool, block: JointBlock, impulse: f32, a: Copy, b: Copy) -> RowUpdate {
    var next = impulse;
    var change = impulse;
    if !rebuilds {
        next = updated_row(block, impulse, a, b);
        change = next - impulse;
    }
    let push = Push(block.linear * change, block.angular_a * change, block.angular_b * change);
    return RowUpdate(
        next,
        push,
        moved(a, push.linear, push.moment_a),
        moved(b, -push.linear, push.moment_b),
    );
}

// Natural-map residual of a row [m/s].
fn row_residual(block: JointBlock, scale: JointScale, impulse: f32, a: BodyVelocity, b: BodyVelocity) -> f32 {
    let projected = bounded(block, trial_impulse(block, scale.mass, impulse, a, b));
    return abs(impulse - projected) * scale.per_impulse;
}
