// The arithmetic of one contact; twin of `src/solver/cpu/contact.rs`, operation by operation.

@group(0) @binding(1) var<uniform> friction: FrictionTable;

// Velocity of A's contact point relative to B's, plus the bias along the normal [m/s]; `a` and `b` are
// what the impulses added to the bodies' velocities.
fn relative_velocity(block: ContactBlock, a: BodyVelocity, b: BodyVelocity) -> vec3<f32> {
    let at_a = add_cross(a.linear, a.angular, block.arm_a);
    let at_b = add_cross(b.linear, b.angular, block.arm_b);
    return block.free_velocity + (at_a - at_b);
}

// Projects a tangential impulse onto the disk or polygon of the given radius.
fn project_friction(t: vec2<f32>, radius: f32) -> vec2<f32> {
    if friction.directions == 0u {
        let squared = t.x * t.x + t.y * t.y;
        if squared <= radius * radius {
            return t;
        }
        let factor = radius / sqrt(squared);
        return vec2<f32>(t.x * factor, t.y * factor);
    }
    var edge = friction.edges[0].xy;
    var best = t.x * edge.x + t.y * edge.y;
    for (var k = 1u; k < friction.directions; k++) {
        let candidate = friction.edges[k].xy;
        let along = t.x * candidate.x + t.y * candidate.y;
        if along > best {
            best = along;
            edge = candidate;
        }
    }
    let apothem = friction.apothem * radius;
    if best <= apothem {
        return t;
    }
    let half = friction.half_edge * radius;
    let sideways = min(max(t.y * edge.x - t.x * edge.y, -half), half);
    return vec2<f32>(
        edge.x * apothem - edge.y * sideways,
        edge.y * apothem + edge.x * sideways,
    );
}

// The velocity of a body after an impulse [N s] at `arm`, the body being one of `copies`, each with
// 1/copies of its mass.
fn applied(
    velocity: BodyVelocity,
    inertia: BodyInertia,
    arm: vec3<f32>,
    impulse: vec3<f32>,
    copies: f32,
) -> BodyVelocity {
    let angular = inertia_mul(inertia, ordered_cross(arm, impulse));
    var after = velocity;
    after.linear = velocity.linear + impulse * (velocity.inverse_mass * copies);
    after.angular = velocity.angular + angular * copies;
    return after;
}

// A contact's new impulse, its whole change as a vector [N s], and the velocities after it.
struct Update {
    impulse: vec4<f32>,
    total: vec3<f32>,
    a: BodyVelocity,
    b: BodyVelocity,
}

// One projected Gauss-Seidel update: the normal row, then both tangential rows.
fn updated(
    block: ContactBlock,
    impulse: vec4<f32>,
    a: BodyVelocity,
    inertia_a: BodyInertia,
    copies_a: f32,
    b: BodyVelocity,
    inertia_b: BodyInertia,
    copies_b: f32,
) -> Update {
    let u = relative_velocity(block, a, b);
    let u_n = ordered_dot(block.normal, u);
    var normal = max(impulse.x - block.normal_mass * u_n, 0.0);
    let band = dead_band(copies_a, copies_b);
    if abs(normal - impulse.x) <= band * impulse.x {
        normal = impulse.x;
    }
    let change_n = block.normal * (normal - impulse.x);
    var after_a = applied(a, inertia_a, block.arm_a, change_n, copies_a);
    var after_b = applied(b, inertia_b, block.arm_b, -change_n, copies_b);
    if block.friction == 0.0 {
        return Update(vec4<f32>(normal, 0.0, 0.0, 0.0), change_n, after_a, after_b);
    }

    let tangents = tangents_of(block.normal);
    let slip = relative_velocity(block, after_a, after_b);
    let trial = vec2<f32>(
        impulse.y - block.tangent_mass * ordered_dot(tangents.first, slip),
        impulse.z - block.tangent_mass * ordered_dot(tangents.second, slip),
    );
    let radius = block.friction * normal;
    var t = project_friction(trial, radius);
    let largest = max(abs(t.x - impulse.y), abs(t.y - impulse.z));
    if largest <= band * radius {
        t = impulse.yz;
    }
    let change_t = tangents.first * (t.x - impulse.y) + tangents.second * (t.y - impulse.z);
    after_a = applied(after_a, inertia_a, block.arm_a, change_t, copies_a);
    after_b = applied(after_b, inertia_b, block.arm_b, -change_t, copies_b);
    return Update(vec4<f32>(normal, t.x, t.y, 0.0), change_n + change_t, after_a, after_b);
}

// What a pass does to a contact: an update, or where velocities are rebuilt the whole of its impulse
// as a change of the bodies' velocities.
fn stepped(
    block: ContactBlock,
    impulse: vec4<f32>,
    a: BodyVelocity,
    inertia_a: BodyInertia,
    copies_a: f32,
    b: BodyVelocity,
    inertia_b: BodyInertia,
    copies_b: f32,
) -> Update {
    if !has(REBUILD) {
        return updated(block, impulse, a, inertia_a, copies_a, b, inertia_b, copies_b);
    }
    let tangents = tangents_of(block.normal);
    let total = (block.normal * impulse.x + tangents.first * impulse.y)
        + tangents.second * impulse.z;
    return Update(
        impulse,
        total,
        applied(a, inertia_a, block.arm_a, total, copies_a),
        applied(b, inertia_b, block.arm_b, -total, copies_b),
    );
}

// Natural-map residual of a contact [m/s].
fn natural_map_residual(
    block: ContactBlock,
    impulse: vec4<f32>,
    a: BodyVelocity,
    b: BodyVelocity,
) -> f32 {
    if block.residual_mass == 0.0 {
        return 0.0;
    }
    let rho = block.residual_mass;
    let tangents = tangents_of(block.normal);
    let u = relative_velocity(block, a, b);
    let u_n = ordered_dot(block.normal, u);
    let normal = max(impulse.x - rho * u_n, 0.0);
    var off = vec3<f32>(impulse.x - normal, 0.0, 0.0);
    if block.friction > 0.0 {
        let trial = vec2<f32>(
            impulse.y - rho * ordered_dot(tangents.first, u),
            impulse.z - rho * ordered_dot(tangents.second, u),
        );
        let t = project_friction(trial, block.friction * normal);
        off.y = impulse.y - t.x;
        off.z = impulse.z - t.y;
    }
    return sqrt(ordered_dot(off, off)) / rho;
}
