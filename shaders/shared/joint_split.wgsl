// A joint of the remainder, as `block_split` asks for it.

@group(0) @binding(8) var<storage, read> group_starts: array<u32>;

// First block of an element, and one past the last: its rows.
fn blocks_of(element: u32) -> vec2<u32> {
    let at = element - window.start_base;
    return vec2<u32>(group_starts[at], group_starts[at + 1u]) - window.block_base;
}

fn step_of(
    block: JointBlock,
    impulse: f32,
    a: BodyVelocity,
    inertia_a: BodyInertia,
    copies_a: f32,
    b: BodyVelocity,
    inertia_b: BodyInertia,
    copies_b: f32,
) -> RowUpdate {
    return stepped_row(block, impulse, a, inertia_a, copies_a, b, inertia_b, copies_b);
}

fn push_of(block: JointBlock, step: RowUpdate) -> Push {
    return Push(
        block.linear * step.change,
        block.angular_a * step.change,
        block.angular_b * step.change,
    );
}
