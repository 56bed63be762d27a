// Twin of the `[f32; 3]` part of `src/math.rs`: the built-in dot, cross and length may be rounded
// differently from one adapter to the next, so they are written out.

// a . b, summed from the first component on.
fn ordered_dot(a: vec3<f32>, b: vec3<f32>) -> f32 {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// a x b.
fn ordered_cross(a: vec3<f32>, b: vec3<f32>) -> vec3<f32> {
    return a.yzx * b.zxy - a.zxy * b.yzx;
}

// v + a x b, in an order that compilers have no reason to change.
fn add_cross(v: vec3<f32>, a: vec3<f32>, b: vec3<f32>) -> vec3<f32> {
    return (v + a.yzx * b.zxy) - a.zxy * b.yzx;
}

// An inverse inertia times a vector.
fn inertia_mul(inertia: BodyInertia, v: vec3<f32>) -> vec3<f32> {
    let m = inertia.inverse;
    let r = inertia.inverse_rest;
    return vec3<f32>(
        m.x * v.x + m.y * v.y + m.z * v.z,
        m.y * v.x + m.w * v.y + r.x * v.z,
        m.z * v.x + r.x * v.y + r.y * v.z,
    );
}

// A copy after an impulse [N s] and a moment about its centre of mass.
fn moved(body: Copy, impulse: vec3<f32>, moment: vec3<f32>) -> Copy {
    let angular = inertia_mul(body.inertia, moment);
    var after = body;
    after.velocity.linear = body.velocity.linear + impulse * (body.velocity.inverse_mass * body.copies);
    after.velocity.angular = body.velocity.angular + angular * body.copies;
    return after;
}

// Change of an impulse, over the impulse, that is left undone: nothing for copies of bodies, whose steps
// are small because each answers for a share of the body.
fn dead_band(a: Copy, b: Copy) -> f32 {
    return select(0.0, IMPULSE_DEAD_BAND, a.copies * b.copies == 1.0);
}

struct Tangents {
    first: vec3<f32>,
    second: vec3<f32>,
}

// Two unit tangents that make a right-handed frame with a unit normal.
fn tangents_of(n: vec3<f32>) -> Tangents {
    let sign = select(-1.0, 1.0, n.z >= 0.0);
    let a = -1.0 / (sign + n.z);
    let b = n.x * n.y * a;
    return Tangents(
        vec3<f32>(1.0 + sign * (n.x * n.x * a), sign * b, -sign * n.x),
        vec3<f32>(b, sign + n.y * n.y * a, -n.y),
    );
}
