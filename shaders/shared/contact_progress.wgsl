// How the impulse of a contact went on in a sweep.
fn progress_of(block: ContactBlock, memory: ContactMemory, now: vec4<f32>) -> Progress {
    let normal = part(block.normal_mass, memory.previous.x, memory.start.x, now.x);
    let first = part(block.tangent_mass, memory.previous.y, memory.start.y, now.y);
    let second = part(block.tangent_mass, memory.previous.z, memory.start.z, now.z);
    return plus(plus(normal, first), second);
}
