// Natural-map residual of every contact, summed over workgroups; twin of
// `src/solver/cpu/residuals.rs`. One invocation takes one contact; the workgroup adds up by
// halving strides. A dispatch starts at a multiple of the workgroup size, so that splitting the work
// changes no sum.

@group(0) @binding(2) var<storage, read> blocks: array<ContactBlock>;
@group(0) @binding(3) var<storage, read> impulses: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> velocities: array<BodyVelocity>;
@group(0) @binding(6) var<storage, read> inertias: array<BodyInertia>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn contact_residual(
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
        let block = blocks[index - window.block_base];
        residual = natural_map_residual(
            block,
            impulses[index - window.block_base],
            velocities[block.body_a],
            inertias[block.body_a],
            velocities[block.body_b],
            inertias[block.body_b],
        );
    }
    leave_partial(workgroup.x, lane, residual);
}
