// Mass-split Jacobi over the remainder; twin of `src/solver/cpu/sweep.rs`.
//
// One invocation updates one contact against velocities that nobody changes, and leaves what it adds
// to each movable body in that body's slot. Where the slots exceed one binding, the dispatch is
// repeated for each window of them: all but the last throw their impulses away, so that every one
// starts from the same impulses and finds the same changes.

@group(0) @binding(2) var<storage, read> blocks: array<ContactBlock>;
@group(0) @binding(3) var<storage, read> slots: array<SplitSlots>;
@group(0) @binding(4) var<storage, read_write> impulses: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> velocities: array<BodyVelocity>;
@group(0) @binding(6) var<storage, read> inertias: array<BodyInertia>;
@group(0) @binding(7) var<storage, read_write> changes: array<VelocityChange>;

// Leaves the change of one body by an impulse at `arm`, if its slot is in the window.
fn leave(slot: u32, velocity: BodyVelocity, inertia: BodyInertia, arm: vec3<f32>, impulse: vec3<f32>) {
    if slot < window.slot_base || slot >= window.slot_end {
        return;
    }
    changes[slot - window.slot_base] = VelocityChange(
        impulse * velocity.inverse_mass,
        0.0,
        inertia_mul(inertia, ordered_cross(arm, impulse)),
        0.0,
    );
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn contact_split(@builtin(global_invocation_id) invocation: vec3<u32>) {
    if is_done() {
        return;
    }
    let index = window.first + invocation.x;
    if index >= window.end {
        return;
    }
    let block = blocks[index - window.block_base];
    let pair = slots[index - window.entry_base];
    let velocity_a = velocities[block.body_a];
    let velocity_b = velocities[block.body_b];
    let inertia_a = inertias[block.body_a];
    let inertia_b = inertias[block.body_b];
    let update = stepped(
        true,
        block,
        impulses[index - window.block_base],
        velocity_a,
        inertia_a,
        pair.copies_a,
        velocity_b,
        inertia_b,
        pair.copies_b,
    );
    if has(KEEPS_IMPULSES) {
        impulses[index - window.block_base] = update.impulse;
    }
    leave(pair.slot_a, velocity_a, inertia_a, block.arm_a, update.total);
    leave(pair.slot_b, velocity_b, inertia_b, block.arm_b, -update.total);
}
