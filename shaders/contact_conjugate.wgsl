// Repeats a part of the direction of each contact's impulse in conjugate gradients, and makes the next one;
// twin of `contact_conjugate` in `src/solver/cpu/momentum.rs`.

@group(0) @binding(2) var<storage, read_write> impulses: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> memory: array<ContactMemory>;
@group(0) @binding(4) var<storage, read> momentum: array<Momentum>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn contact_conjugate(@builtin(global_invocation_id) invocation: vec3<u32>) {
    if is_done() {
        return;
    }
    let index = window.first + invocation.x;
    if index >= window.end {
        return;
    }
    let at = index - window.block_base;
    let now = impulses[at];
    let factor = momentum[0].factor;
    if has(STARTS) || factor < 0.0 {
        memory[at] = ContactMemory(vec4<f32>(0.0, 0.0, 0.0, 0.0), now);
        return;
    }
    let step = now - memory[at].start;
    let repeated = factor * memory[at].previous;
    let start = now + repeated;
    impulses[at] = start;
    memory[at] = ContactMemory(step + repeated, start);
}
