// Mass-split Jacobi over the joints of the remainder; twin of `src/solver/cpu/sweep.rs`.
//
// One invocation sweeps the rows of one joint, in order, on its own copies of its bodies, and leaves
// what they add together to each movable body in that body's slot. Where the slots exceed one
// binding, the dispatch is repeated for each window of them, as that of contact_split is.

@group(0) @binding(2) var<storage, read> blocks: array<JointBlock>;
@group(0) @binding(3) var<storage, read> slots: array<SplitSlots>;
@group(0) @binding(4) var<storage, read_write> impulses: array<f32>;
@group(0) @binding(5) var<storage, read> velocities: array<BodyVelocity>;
@group(0) @binding(6) var<storage, read> inertias: array<BodyInertia>;
@group(0) @binding(7) var<storage, read_write> changes: array<VelocityChange>;
@group(0) @binding(8) var<storage, read> group_starts: array<u32>;

// Leaves the change of one body by an impulse and a moment, if its slot is in the window.
fn leave(
    slot: u32,
    inverse_mass: f32,
    inertia: BodyInertia,
    impulse: vec3<f32>,
    moment: vec3<f32>,
) {
    if slot < window.slot_base || slot >= window.slot_end {
        return;
    }
    changes[slot - window.slot_base] = VelocityChange(
        impulse * inverse_mass,
        0.0,
        inertia_mul(inertia, moment),
        0.0,
    );
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn joint_split(@builtin(global_invocation_id) invocation: vec3<u32>) {
    if is_done() {
        return;
    }
    let group = window.first + invocation.x;
    if group >= window.end {
        return;
    }
    let first = group_starts[group - window.start_base] - window.block_base;
    let end = group_starts[group + 1u - window.start_base] - window.block_base;
    let pair = slots[group - window.entry_base];
    let body_a = blocks[first].body_a;
    let body_b = blocks[first].body_b;
    let inertia_a = inertias[body_a];
    let inertia_b = inertias[body_b];
    var velocity_a = velocities[body_a];
    var velocity_b = velocities[body_b];
    var total = vec3<f32>(0.0, 0.0, 0.0);
    var moment_a = vec3<f32>(0.0, 0.0, 0.0);
    var moment_b = vec3<f32>(0.0, 0.0, 0.0);
    for (var index = first; index < end; index++) {
        let block = blocks[index];
        let update = stepped_row(
            block,
            impulses[index],
            velocity_a,
            inertia_a,
            pair.copies_a,
            velocity_b,
            inertia_b,
            pair.copies_b,
        );
        if has(KEEPS_IMPULSES) {
            impulses[index] = update.impulse;
        }
        velocity_a = update.a;
        velocity_b = update.b;
        total = total + block.linear * update.change;
        moment_a = moment_a + block.angular_a * update.change;
        moment_b = moment_b + block.angular_b * update.change;
    }
    leave(pair.slot_a, velocity_a.inverse_mass, inertia_a, total, moment_a);
    leave(pair.slot_b, velocity_b.inverse_mass, inertia_b, -total, moment_b);
}
