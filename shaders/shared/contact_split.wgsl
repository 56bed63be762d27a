// A contact of the remainder, as `block_split` asks for it.

// First block of an element, and one past the last: a contact is one.
fn blocks_of(element: u32) -> vec2<u32> {
    return vec2<u32>(element, element + 1u) - window.block_base;
}

fn step_of(
    block: ContactBlock,
    impulse: vec4<f32>,
    a: BodyVelocity,
    inertia_a: BodyInertia,
    copies_a: f32,
    b: BodyVelocity,
    inertia_b: BodyInertia,
    copies_b: f32,
) -> Update {
    return stepped(true, block, impulse, a, inertia_a, copies_a, b, inertia_b, copies_b);
}

fn push_of(block: ContactBlock, step: Update) -> Push {
    return Push(
        step.total,
        ordered_cross(block.arm_a, step.total),
        ordered_cross(block.arm_b, -step.total),
    );
}
