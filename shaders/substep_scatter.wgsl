// After a step: brings the impulses of contacts into the order of the problem. One invocation takes one
// block, if the place of its impulses is bound.

// Of the last velocity LCP, and of all of them; 24 bytes.
struct ContactImpulses {
    kept_xy: vec2<f32>,
    kept_z: f32,
    total_x: f32,
    total_yz: vec2<f32>,
}

@group(0) @binding(2) var<storage, read> sources: array<u32>;
@group(0) @binding(3) var<storage, read> totals: array<ContactTotal>;
@group(0) @binding(4) var<storage, read_write> results: array<ContactImpulses>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn substep_scatter(@builtin(global_invocation_id) invocation: vec3<u32>) {
    let index = window.first + invocation.x;
    if index >= window.end {
        return;
    }
    let at = index - window.block_base;
    let source = sources[at];
    if source < window.slot_base || source >= window.slot_end {
        return;
    }
    let kept = totals[at].kept;
    let total = totals[at].total;
    results[source - window.slot_base] = ContactImpulses(kept.xy, kept.z, total.x, total.yz);
}
