// First block of an element of the remainder, and one past the last: a contact is one.
fn blocks_of(element: u32) -> vec2<u32> {
    return vec2<u32>(element, element + 1u) - window.block_base;
}
