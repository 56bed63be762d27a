// All rounds of a problem that is one cluster, in one dispatch: cluster_sweep and cluster_gather by one
// workgroup in turn, as `ClusterSolve` in `src/solver/cpu/cluster.rs` does them. The window says which
// passes: from `first`, which is even, up to `end`.

@group(0) @binding(2) var<storage, read> blocks: array<ContactBlock>;
@group(0) @binding(3) var<storage, read_write> impulses: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> memory: array<ContactMemory>;
@group(0) @binding(5) var<storage, read> words: array<u32>;
@group(0) @binding(6) var<storage, read_write> velocities: array<BodyVelocity>;
@group(0) @binding(7) var<storage, read_write> bodies: array<ClusterBody>;
@group(0) @binding(8) var<storage, read_write> changes: array<VelocityChange>;
@group(0) @binding(9) var<storage, read_write> progress: ClusterProgress;

// Passes after which velocities are computed from impulses anew.
override MOMENTUM_REBUILD_PASSES: u32;

fn gather_all(lane: u32, rebuilds: bool) {
    storageBarrier();
    workgroupBarrier();
    for (var hub = 0u; hub < words[HUBS]; hub++) {
        gather_hub(hub, lane, rebuilds);
    }
    for (var entry = lane; entry < words[BODIES]; entry += WORKGROUP_SIZE) {
        gather_body(entry, rebuilds);
    }
    if !rebuilds {
        judge(lane);
    }
    storageBarrier();
    workgroupBarrier();
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn cluster_solve(@builtin(local_invocation_id) invocation: vec3<u32>) {
    let lane = invocation.x;
    for (var done = window.first; done < window.end; done += 2u) {
        if done > 0u && done % MOMENTUM_REBUILD_PASSES == 0u {
            sweep_cluster(0u, lane, false, true, false);
            gather_all(lane, true);
        }
        sweep_cluster(0u, lane, done + 1u < window.end, false, done == 0u);
        gather_all(lane, false);
    }
}
