// Before a step: brings what the host has given of contacts, in the order of the problem, into the order of
// the blocks. One invocation takes one block, if what is given of it is bound.

@group(0) @binding(2) var<storage, read> sources: array<u32>;
@group(0) @binding(3) var<storage, read> given: array<GivenContact>;
@group(0) @binding(4) var<storage, read_write> points: array<ContactPoint>;
@group(0) @binding(5) var<storage, read_write> steps: array<ContactStep>;
@group(0) @binding(6) var<storage, read_write> frictions: array<f32>;
@group(0) @binding(7) var<storage, read_write> impulses: array<vec4<f32>>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn substep_gather(@builtin(global_invocation_id) invocation: vec3<u32>) {
    let index = window.first + invocation.x;
    if index >= window.end {
        return;
    }
    let at = index - window.block_base;
    let source = sources[at];
    if source < window.slot_base || source >= window.slot_end {
        return;
    }
    let contact = given[source - window.slot_base];
    let arm_a = contact.arm_a;
    let arm_b = contact.arm_b;
    // The free velocity is made later.
    points[at] = ContactPoint(contact.normal, arm_a.x, arm_a.yz, arm_b.xy, arm_b.z, 0.0, vec2<f32>());
    steps[at] = ContactStep(
        contact.start,
        contact.gap,
        contact.increment,
        contact.restitution,
        contact.load,
        contact.root_size,
        contact.share,
        0.0,
    );
    frictions[at] = contact.friction;
    impulses[at] = vec4<f32>(contact.impulse, 0.0);
}
