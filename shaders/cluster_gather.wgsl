// Gives every body the mean of its copies, and decides whether momentum goes on; twin of
// `src/solver/cpu/cluster_gather.rs` and of `momentum_step` in `src/solver/momentum.rs`.
//
// Every hub has a workgroup, momentum has the next, and then an invocation sums one body.

@group(0) @binding(5) var<storage, read> words: array<u32>;
@group(0) @binding(6) var<storage, read_write> velocities: array<BodyVelocity>;
@group(0) @binding(7) var<storage, read_write> bodies: array<ClusterBody>;
@group(0) @binding(8) var<storage, read> changes: array<VelocityChange>;
@group(0) @binding(9) var<storage, read_write> progress: ClusterProgress;

@compute @workgroup_size(WORKGROUP_SIZE)
fn cluster_gather(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_id) invocation: vec3<u32>,
) {
    let lane = invocation.x;
    let index = window.first + workgroup.x;
    let hubs = words[HUBS];
    if index < hubs {
        gather_hub(index, lane, has(REBUILD));
    } else if index == hubs {
        if !has(REBUILD) {
            judge(lane);
        }
    } else {
        let entry = (index - hubs - 1u) * WORKGROUP_SIZE + lane;
        if entry < words[BODIES] {
            gather_body(entry, has(REBUILD));
        }
    }
}
