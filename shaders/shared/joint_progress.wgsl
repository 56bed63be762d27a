// How the impulse of a joint row went on in a sweep.
fn progress_of(block: JointBlock, memory: JointMemory, now: f32) -> Progress {
    return part(block.mass, memory.previous, memory.start, now);
}
