// Natural-map residual of every block, summed over workgroups; twin of `contact_residual` and `joint_residual` in
// `src/solver/cpu/residuals.rs`. One invocation takes one block. A dispatch starts at a multiple of the workgroup size, so
// that splitting the work changes no sum.

@group(0) @binding(2) var<storage, read> blocks: array<Block>;
@group(0) @binding(3) var<storage, read> impulses: array<Impulse>;
@group(0) @binding(4) var<storage, read> velocities: array<BodyVelocity>;
@group(0) @binding(5) var<storage, read_write> partials: array<Partial>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn block_residual(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_id) invocation: vec3<u32>,
) {
    if is_done() {
        return;
    }
    let lane = invocation.x;
    let index = window.first + workgroup.x * WORKGROUP_SIZE + lane;
    var residual = 0.0;
    if index < window.end {
        let at = index - window.block_base;
        let block = blocks[at];
        let a = velocities[block.body_a];
        let b = velocities[block.body_b];
        residual = residual_of(at, block, impulses[at], a, b);
    }
    add_up(lane, partial_of(residual));
    if lane == 0u {
        partials[window.first / WORKGROUP_SIZE + workgroup.x - window.entry_base] = lanes[0];
    }
}
