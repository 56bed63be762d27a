// How the impulse of each block went on in the last sweep, summed over workgroups; twin of `contact_progress` and
// `joint_progress` in `src/solver/cpu/progress.rs`. One invocation takes one block. A dispatch starts at a multiple of the
// workgroup size, so that splitting the work changes no sum.

@group(0) @binding(2) var<storage, read> blocks: array<Block>;
@group(0) @binding(3) var<storage, read> impulses: array<Impulse>;
@group(0) @binding(4) var<storage, read> memory: array<Memory>;
@group(0) @binding(5) var<storage, read_write> sums: array<Progress>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn block_progress(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_id) invocation: vec3<u32>,
) {
    if is_done() {
        return;
    }
    let lane = invocation.x;
    let index = window.first + workgroup.x * WORKGROUP_SIZE + lane;
    var mine = Progress(0.0, 0.0, 0.0, 0.0);
    if index < window.end {
        let at = index - window.block_base;
        mine = progress_of(blocks[at], memory[at], impulses[at]);
    }
    add_up(lane, mine);
    if lane == 0u {
        sums[window.first / WORKGROUP_SIZE + workgroup.x - window.entry_base] = lanes[0];
    }
}
