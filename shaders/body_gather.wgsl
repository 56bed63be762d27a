// Adds up what the contacts or joints of a remainder did to each body with few slots; twin of `body_gather` in
// `src/solver/cpu/body_gather.rs`. One invocation sums one body, in the order of its slots.

@group(0) @binding(2) var<storage, read> bodies: array<SplitBody>;
@group(0) @binding(3) var<storage, read> changes: array<VelocityChange>;
@group(0) @binding(4) var<storage, read_write> velocities: array<BodyVelocity>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn body_gather(@builtin(global_invocation_id) invocation: vec3<u32>) {
    if is_done() {
        return;
    }
    let entry = window.first + invocation.x;
    if entry >= window.end {
        return;
    }
    let split = bodies[entry - window.entry_base];
    let first = split.first_slot - window.slot_base;
    let sum = sum_of_changes(first, first + split.slot_count, 1u);
    velocities[split.body].linear = velocities[split.body].linear + sum.linear;
    velocities[split.body].angular = velocities[split.body].angular + sum.angular;
}
