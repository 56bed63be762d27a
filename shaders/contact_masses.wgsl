// Makes the blocks of contacts out of what is uploaded of them: the effective masses are computed here;
// twin of `Pack` in `src/problem/batches/contact_lanes.rs`. One invocation makes one block.

@group(0) @binding(2) var<storage, read> points: array<ContactPoint>;
@group(0) @binding(3) var<storage, read> pairs: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read> frictions: array<f32>;
@group(0) @binding(5) var<storage, read> velocities: array<BodyVelocity>;
@group(0) @binding(6) var<storage, read> inertias: array<BodyInertia>;
@group(0) @binding(7) var<storage, read> slots: array<SplitSlots>;
@group(0) @binding(8) var<storage, read_write> blocks: array<ContactBlock>;

// One body's part of the Delassus entry of two directions: d . e / m + (r x d) . I^-1 (r x e).
fn delassus_entry(
    inverse_mass: f32,
    inertia: BodyInertia,
    arm: vec3<f32>,
    d: vec3<f32>,
    e: vec3<f32>,
) -> f32 {
    return inverse_mass * ordered_dot(d, e)
        + ordered_dot(ordered_cross(arm, d), inertia_mul(inertia, ordered_cross(arm, e)));
}

fn inverse_or_zero(x: f32) -> f32 {
    if x > 0.0 {
        return 1.0 / x;
    }
    return 0.0;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn contact_masses(@builtin(global_invocation_id) invocation: vec3<u32>) {
    if is_done() {
        return;
    }
    let index = window.first + invocation.x;
    if index >= window.end {
        return;
    }
    let at = index - window.block_base;
    let point = points[at];
    let pair = pairs[at];
    var copies_a = 1.0;
    var copies_b = 1.0;
    if has(SPLITS) {
        copies_a = slots[index - window.entry_base].copies_a;
        copies_b = slots[index - window.entry_base].copies_b;
    }
    let normal = point.normal;
    let arm_a = vec3<f32>(point.arm_a_x, point.arm_a_yz.x, point.arm_a_yz.y);
    let arm_b = vec3<f32>(point.arm_b_xy.x, point.arm_b_xy.y, point.arm_b_z);
    let mass_a = velocities[pair.x].inverse_mass;
    let mass_b = velocities[pair.y].inverse_mass;
    let inertia_a = inertias[pair.x];
    let inertia_b = inertias[pair.y];
    let tangents = tangents_of(normal);
    let t1 = tangents.first;
    let t2 = tangents.second;

    let nn_a = delassus_entry(mass_a, inertia_a, arm_a, normal, normal);
    let nn_b = delassus_entry(mass_b, inertia_b, arm_b, normal, normal);
    let t11_a = delassus_entry(mass_a, inertia_a, arm_a, t1, t1);
    let t11_b = delassus_entry(mass_b, inertia_b, arm_b, t1, t1);
    let t22_a = delassus_entry(mass_a, inertia_a, arm_a, t2, t2);
    let t22_b = delassus_entry(mass_b, inertia_b, arm_b, t2, t2);
    let n1_a = delassus_entry(mass_a, inertia_a, arm_a, normal, t1);
    let n1_b = delassus_entry(mass_b, inertia_b, arm_b, normal, t1);
    let n2_a = delassus_entry(mass_a, inertia_a, arm_a, normal, t2);
    let n2_b = delassus_entry(mass_b, inertia_b, arm_b, normal, t2);
    let t12_a = delassus_entry(mass_a, inertia_a, arm_a, t1, t2);
    let t12_b = delassus_entry(mass_b, inertia_b, arm_b, t1, t2);

    let w11 = copies_a * t11_a + copies_b * t11_b;
    let w22 = copies_a * t22_a + copies_b * t22_b;
    let w12 = copies_a * t12_a + copies_b * t12_b;
    let wn1 = copies_a * n1_a + copies_b * n1_b;
    let wn2 = copies_a * n2_a + copies_b * n2_b;
    let half = 0.5 * (w11 + w22);
    let apart = w11 - w22;
    let largest = half + sqrt(0.25 * apart * apart + w12 * w12);
    let trace = ((nn_a + nn_b) + (t11_a + t11_b)) + (t22_a + t22_b);
    let normal_mass = inverse_or_zero(copies_a * nn_a + copies_b * nn_b);
    let tangent_mass = inverse_or_zero(largest);
    blocks[at] = ContactBlock(
        normal,
        normal_mass,
        arm_a,
        tangent_mass,
        arm_b,
        frictions[at],
        vec3<f32>(point.free_x, point.free_yz.x, point.free_yz.y),
        3.0 * inverse_or_zero(trace),
        pair.x,
        pair.y,
        vec2<f32>(wn1, wn2),
    );
}
