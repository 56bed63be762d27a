// Mass-split Jacobi over the remainder; twin of `contact_split` and `joint_split` in `src/solver/cpu/sweep.rs`.
//
// One invocation takes one element, a contact or the rows of a joint in order, on its own copies of its bodies, against
// velocities that nobody changes, and leaves what it adds to each movable body in that body's slot. Where the slots exceed one
// binding, the dispatch is repeated for each window of them: all but the last throw their impulses away, so that every one
// starts from the same impulses and finds the same changes.

@group(0) @binding(2) var<storage, read> blocks: array<Block>;
@group(0) @binding(3) var<storage, read> slots: array<SplitSlots>;
@group(0) @binding(4) var<storage, read_write> impulses: array<Impulse>;
@group(0) @binding(5) var<storage, read> velocities: array<BodyVelocity>;
@group(0) @binding(6) var<storage, read> inertias: array<BodyInertia>;
@group(0) @binding(7) var<storage, read_write> changes: array<VelocityChange>;

// Leaves the change of the whole of a body by an impulse and a moment, if its slot is in the window.
fn leave(slot: u32, body: Copy, impulse: vec3<f32>, moment: vec3<f32>) {
    if slot < window.slot_base || slot >= window.slot_end {
        return;
    }
    changes[slot - window.slot_base] = VelocityChange(
        impulse * body.velocity.inverse_mass,
        0.0,
        inertia_mul(body.inertia, moment),
        0.0,
    );
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn block_split(@builtin(global_invocation_id) invocation: vec3<u32>) {
    if is_done() {
        return;
    }
    let element = window.first + invocation.x;
    if element >= window.end {
        return;
    }
    let rows = blocks_of(element);
    let pair = slots[element - window.entry_base];
    let body_a = blocks[rows.x].body_a;
    let body_b = blocks[rows.x].body_b;
    var a = Copy(velocities[body_a], inertias[body_a], pair.copies_a);
    var b = Copy(velocities[body_b], inertias[body_b], pair.copies_b);
    var total = Push();
    for (var index = rows.x; index < rows.y; index++) {
        let update = stepped(has(REBUILD), true, blocks[index], impulses[index], a, b);
        if has(KEEPS_IMPULSES) {
            impulses[index] = update.impulse;
        }
        a = update.a;
        b = update.b;
        total = Push(
            total.linear + update.push.linear,
            total.moment_a + update.push.moment_a,
            total.moment_b + update.push.moment_b,
        );
    }
    leave(pair.slot_a, a, total.linear, total.moment_a);
    leave(pair.slot_b, b, -total.linear, total.moment_b);
}
