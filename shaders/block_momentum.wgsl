// Repeats a part of the last change of each block's impulse; twin of `contact_momentum` and `joint_momentum` in
// `src/solver/cpu/momentum.rs`.

@group(0) @binding(2) var<storage, read_write> impulses: array<Impulse>;
@group(0) @binding(3) var<storage, read_write> memory: array<Memory>;
@group(0) @binding(4) var<storage, read> momentum: array<Momentum>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn block_momentum(@builtin(global_invocation_id) invocation: vec3<u32>) {
    if is_done() {
        return;
    }
    let index = window.first + invocation.x;
    if index >= window.end {
        return;
    }
    let at = index - window.block_base;
    let now = impulses[at];
    var start = now;
    if !has(STARTS) {
        start = now + momentum[0].factor * (now - memory[at].previous);
    }
    impulses[at] = start;
    memory[at] = Memory(now, start);
}
