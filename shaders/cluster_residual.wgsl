// Natural-map residual of every cluster; twin of `src/solver/cpu/cluster_residual.rs`. One workgroup
// takes one cluster: invocation i the blocks i, i + WORKGROUP_SIZE, ..., then halving strides.

@group(0) @binding(2) var<storage, read> blocks: array<ContactBlock>;
@group(0) @binding(3) var<storage, read> impulses: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> partials: array<Partial>;
@group(0) @binding(5) var<storage, read> words: array<u32>;
@group(0) @binding(6) var<storage, read> velocities: array<BodyVelocity>;
@group(0) @binding(7) var<storage, read> bodies: array<ClusterBody>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn cluster_residual(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_id) invocation: vec3<u32>,
) {
    let lane = invocation.x;
    let index = window.first + workgroup.x;
    let cluster = cluster_at(index);
    let base = cluster.first - window.block_base;
    var mine = Partial(0.0, 0.0);
    for (var place = lane; place < cluster.blocks; place += WORKGROUP_SIZE) {
        let block = blocks[base + place];
        let impulse = impulses[base + place];
        let a = velocities[block.body_a];
        let b = velocities[block.body_b];
        var residual = 0.0;
        if place < cluster.joint_rows {
            residual = row_residual(row_of(block), scale_of(block), impulse.x, a, b);
        } else {
            let body_a = Copy(a, inertia_of(block.body_a), 1.0);
            let body_b = Copy(b, inertia_of(block.body_b), 1.0);
            residual = natural_map_residual(block, impulse, body_a, body_b);
        }
        mine = plus(mine, partial_of(residual));
    }
    add_up(lane, mine);
    if lane == 0u {
        partials[index] = lanes[0];
    }
}
