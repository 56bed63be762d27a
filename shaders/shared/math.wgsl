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
