@group(0) @binding(8) var<storage, read> group_starts: array<u32>;

// First block of an element of the remainder, and one past the last: the rows of a joint.
fn blocks_of(element: u32) -> vec2<u32> {
    let at = element - window.start_base;
    return vec2<u32>(group_starts[at], group_starts[at + 1u]) - window.block_base;
}
