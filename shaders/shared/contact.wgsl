// The arithmetic of one contact; twin of `src/solver/cpu/contact.rs`, operation by operation.

@group(0) @binding(1) var<uniform> friction: FrictionTable;

// Velocity of A's contact point relative to B's, plus the bias along the normal [m/s]; `a` and `b` are
// what the impulses added to the bodies' velocities.
fn relative_velocity(block: ContactBlock, a: Copy, b: Copy) -> vec3<f32> {
    let at_a = add_cross(a.velocity.linear, a.velocity.angular, block.arm_a);
    let at_b = add_cross(b.velocity.linear, b.velocity.angular, block.arm_b);
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

// The point of the cone |t| <= mu * normal that is closest to an impulse, its normal part measured by
// one over `normal_mass` and its tangential part by one over `tangent_mass`.
fn project_onto_cone(
    normal: f32,
    t: vec2<f32>,
    mu: f32,
    normal_mass: f32,
    tangent_mass: f32,
) -> vec3<f32> {
    let length = sqrt(t.x * t.x + t.y * t.y);
    if length <= mu * normal {
        return vec3<f32>(normal, t.x, t.y);
    }
    let weight = mu * normal_mass;
    let along = tangent_mass * normal + weight * length;
    if along <= 0.0 {
        return vec3<f32>(0.0, 0.0, 0.0);
    }
    let nearest = along / (tangent_mass + mu * weight);
    let factor = mu * nearest / length;
    return vec3<f32>(nearest, t.x * factor, t.y * factor);
}

// A contact's new impulse, its whole change as a push, and the bodies after it.
struct Update {
    impulse: vec4<f32>,
    push: Push,
    a: Copy,
    b: Copy,
}

// Effect of a change of a contact's impulse on its bodies, `change` as a vector [N s].
fn push_of(block: ContactBlock, change: vec3<f32>) -> Push {
    return Push(change, ordered_cross(block.arm_a, change), ordered_cross(block.arm_b, -change));
}

// The update to this impulse, `change` being by how much it differs as a vector [N s].
fn updated_to(block: ContactBlock, impulse: vec4<f32>, change: vec3<f32>, a: Copy, b: Copy) -> Update {
    let push = push_of(block, change);
    return Update(
        impulse,
        push,
        moved(a, push.linear, push.moment_a),
        moved(b, -push.linear, push.moment_b),
    );
}

// W_nn of the whole bodies [1/kg].
fn normal_response(block: ContactBlock, a: Copy, b: Copy) -> f32 {
    let lever_a = ordered_cross(block.arm_a, block.normal);
    let lever_b = ordered_cross(block.arm_b, block.normal);
    return (a.velocity.inverse_mass + ordered_dot(lever_a, inertia_mul(a.inertia, lever_a)))
        + (b.velocity.inverse_mass + ordered_dot(lever_b, inertia_mul(b.inertia, lever_b)));
}

// Softness of the normal row of a contact with this impulse, whose fourth number says by how much it is softer than the
// problem's, over one over `normal_mass`: less for copies, whose row answers for a share of the body.
fn softness_of_row(block: ContactBlock, impulse: vec4<f32>, a: Copy, b: Copy) -> f32 {
    let softness = friction.softness + impulse.w;
    if softness == 0.0 || a.copies * b.copies == 1.0 {
        return softness;
    }
    return softness * (block.normal_mass * normal_response(block, a, b));
}

// The impulse of a normal row whose relative velocity is known.
fn pushed(block: ContactBlock, softness: f32, band: f32, u_n: f32, impulse: f32) -> f32 {
    let missing = block.normal_mass * u_n + softness * impulse;
    let hardness = 1.0 / (1.0 + softness);
    let normal = max(impulse - missing * hardness, 0.0);
    return select(normal, impulse, abs(normal - impulse) <= band * impulse);
}

// One projected Gauss-Seidel update: the normal row, then both tangential rows.
fn updated(block: ContactBlock, impulse: vec4<f32>, a: Copy, b: Copy) -> Update {
    let u = relative_velocity(block, a, b);
    let u_n = ordered_dot(block.normal, u);
    let softness = softness_of_row(block, impulse, a, b);
    let band = dead_band(a, b);
    let normal = pushed(block, softness, band, u_n, impulse.x);
    let push = normal - impulse.x;
    var t = vec2<f32>(0.0, 0.0);
    var change = block.normal * push;
    if block.friction != 0.0 {
        let tangents = tangents_of(block.normal);
        let slip = vec2<f32>(
            ordered_dot(tangents.first, u) + block.coupling.x * push,
            ordered_dot(tangents.second, u) + block.coupling.y * push,
        );
        let trial = vec2<f32>(
            impulse.y - block.tangent_mass * slip.x,
            impulse.z - block.tangent_mass * slip.y,
        );
        let radius = block.friction * normal;
        t = project_friction(trial, radius);
        let largest = max(abs(t.x - impulse.y), abs(t.y - impulse.z));
        if largest <= band * radius {
            t = impulse.yz;
        }
        change = (change + tangents.first * (t.x - impulse.y))
            + tangents.second * (t.y - impulse.z);
    }
    return updated_to(block, vec4<f32>(normal, t.x, t.y, impulse.w), change, a, b);
}

// Step of the convex law's projection, over the effective masses of the rows.
fn cone_step(block: ContactBlock, softness: f32) -> f32 {
    let w = block.coupling;
    let scale = block.normal_mass * block.tangent_mass;
    return 1.0 / ((1.0 + sqrt((w.x * w.x + w.y * w.y) * scale)) + softness);
}

// One update by the convex law: all three rows at once.
fn updated_convex(block: ContactBlock, impulse: vec4<f32>, a: Copy, b: Copy) -> Update {
    let tangents = tangents_of(block.normal);
    let u = relative_velocity(block, a, b);
    let softness = softness_of_row(block, impulse, a, b);
    let step = cone_step(block, softness);
    let normal_step = step * block.normal_mass;
    let tangent_step = step * block.tangent_mass;
    let trial = vec2<f32>(
        impulse.y - tangent_step * ordered_dot(tangents.first, u),
        impulse.z - tangent_step * ordered_dot(tangents.second, u),
    );
    let given_way = step * softness * impulse.x;
    var r = project_onto_cone(
        impulse.x - (normal_step * ordered_dot(block.normal, u) + given_way),
        trial,
        block.friction,
        block.normal_mass,
        block.tangent_mass,
    );
    let band = dead_band(a, b) * impulse.x;
    let sideways = max(abs(r.y - impulse.y), abs(r.z - impulse.z));
    if abs(r.x - impulse.x) <= band && sideways <= band * block.friction {
        r = impulse.xyz;
    }
    let change = (block.normal * (r.x - impulse.x) + tangents.first * (r.y - impulse.y))
        + tangents.second * (r.z - impulse.z);
    return updated_to(block, vec4<f32>(r, impulse.w), change, a, b);
}

// The normal row alone, the others left as they are. Bodies spin by what a unit of impulse does to them.
fn pressed(block: ContactBlock, impulse: vec4<f32>, a: Copy, b: Copy) -> Update {
    let lever_a = ordered_cross(block.arm_a, block.normal);
    let lever_b = ordered_cross(block.arm_b, block.normal);
    let straight = block.free_velocity + (a.velocity.linear - b.velocity.linear);
    let turning = ordered_dot(lever_a, a.velocity.angular) - ordered_dot(lever_b, b.velocity.angular);
    let u_n = ordered_dot(block.normal, straight) + turning;
    let softness = softness_of_row(block, impulse, a, b);
    let normal = pushed(block, softness, dead_band(a, b), u_n, impulse.x);
    let push = normal - impulse.x;
    let change = block.normal * push;
    return Update(
        vec4<f32>(normal, impulse.yzw),
        push_of(block, change),
        spun(a, lever_a, change, push),
        spun(b, lever_b, -change, -push),
    );
}

// A copy after an impulse of size `push` at a lever, `change` as a vector.
fn spun(body: Copy, lever: vec3<f32>, change: vec3<f32>, push: f32) -> Copy {
    let spin = inertia_mul(body.inertia, lever);
    var after = body;
    after.velocity.linear = body.velocity.linear + change * (body.velocity.inverse_mass * body.copies);
    after.velocity.angular = body.velocity.angular + (spin * push) * body.copies;
    return after;
}

// One update by the law of the problem: of all rows, or of the normal one.
fn updated_by_law(takes_all: bool, block: ContactBlock, impulse: vec4<f32>, a: Copy, b: Copy) -> Update {
    if !takes_all {
        return pressed(block, impulse, a, b);
    }
    // Between immovable bodies there is no mass to measure by, and nothing to do.
    if friction.law == 1u && block.friction > 0.0 && block.tangent_mass > 0.0 {
        return updated_convex(block, impulse, a, b);
    }
    return updated(block, impulse, a, b);
}

// Visits of a pair's contacts in a pass.
fn visits_of(contacts: u32, rebuilds: bool) -> u32 {
    let again = contacts > 1u && friction.is_soft != 0u && !rebuilds;
    return select(1u, PAIR_VISITS, again);
}

// True if a visit of so many takes all rows of a contact, not the normal one alone. The convex law finds a contact's rows together.
fn takes_all_rows(visit: u32, visits: u32) -> bool {
    return visits == 1u || visit % 2u == 1u || friction.law == 1u;
}

// How far from the centres of its bodies a pair's contacts are [m], and their largest coefficient of friction.
struct Reach {
    a: f32,
    b: f32,
    friction: f32,
}

// With a contact more.
fn with_contact(reach: Reach, block: ContactBlock) -> Reach {
    return Reach(
        max(reach.a, size_of(block.arm_a)),
        max(reach.b, size_of(block.arm_b)),
        max(reach.friction, block.friction),
    );
}

// True if visits of a pair have hardly changed its velocities, and it is left for the rest of a pass.
fn is_calm(reach: Reach, before_a: BodyVelocity, before_b: BodyVelocity, a: Copy, b: Copy) -> bool {
    let change_a = change_within(reach.a, before_a, a.velocity);
    let change_b = change_within(reach.b, before_b, b.velocity);
    return change_a + change_b < select(0.0, friction.calm_change, reach.friction > 0.0);
}

// Bound on the change of velocity within an arm's length of the centre [m/s].
fn change_within(arm: f32, before: BodyVelocity, now: BodyVelocity) -> f32 {
    return size_of(now.linear - before.linear) + size_of(now.angular - before.angular) * arm;
}

// Sum of the magnitudes of the components.
fn size_of(v: vec3<f32>) -> f32 {
    return (abs(v.x) + abs(v.y)) + abs(v.z);
}

// What a pass does to a contact: an update, or where velocities are rebuilt the whole of its impulse
// as a change of the bodies' velocities.
fn stepped(
    rebuilds: bool,
    takes_all: bool,
    block: ContactBlock,
    impulse: vec4<f32>,
    a: Copy,
    b: Copy,
) -> Update {
    if rebuilds {
        return restored(block, impulse, a, b);
    }
    return updated_by_law(takes_all, block, impulse, a, b);
}

// The whole of an impulse as a change of the bodies' velocities.
fn restored(block: ContactBlock, impulse: vec4<f32>, a: Copy, b: Copy) -> Update {
    let tangents = tangents_of(block.normal);
    let total = (block.normal * impulse.x + tangents.first * impulse.y)
        + tangents.second * impulse.z;
    return updated_to(block, impulse, total, a, b);
}

// Natural-map residual of a contact [m/s].
fn natural_map_residual(block: ContactBlock, impulse: vec4<f32>, a: Copy, b: Copy) -> f32 {
    if block.residual_mass == 0.0 {
        return 0.0;
    }
    let rho = block.residual_mass;
    let tangents = tangents_of(block.normal);
    let u = relative_velocity(block, a, b);
    var u_n = ordered_dot(block.normal, u);
    let softness = friction.softness + impulse.w;
    if softness > 0.0 {
        u_n += softness * (normal_response(block, a, b) * impulse.x);
    }
    let normal = max(impulse.x - rho * u_n, 0.0);
    var off = vec3<f32>(impulse.x - normal, 0.0, 0.0);
    if block.friction > 0.0 {
        let trial = vec2<f32>(
            impulse.y - rho * ordered_dot(tangents.first, u),
            impulse.z - rho * ordered_dot(tangents.second, u),
        );
        if friction.law == 1u {
            let nearest =
                project_onto_cone(impulse.x - rho * u_n, trial, block.friction, 1.0, 1.0);
            off = impulse.xyz - nearest;
            return sqrt(ordered_dot(off, off)) / rho;
        }
        let t = project_friction(trial, block.friction * normal);
        off.y = impulse.y - t.x;
        off.z = impulse.z - t.y;
    }
    return sqrt(ordered_dot(off, off)) / rho;
}
