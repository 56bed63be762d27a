// Gauss-Seidel over clusters, each by itself; twin of `src/solver/cpu/cluster_sweep.rs`.
//
// One workgroup sweeps one cluster on copies of its bodies in workgroup memory, colour after colour behind
// workgroup barriers, and leaves the copies in slots for cluster_gather.

@group(0) @binding(2) var<storage, read> blocks: array<ContactBlock>;
@group(0) @binding(3) var<storage, read_write> impulses: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> memory: array<ContactMemory>;
@group(0) @binding(5) var<storage, read> words: array<u32>;
@group(0) @binding(6) var<storage, read> velocities: array<BodyVelocity>;
@group(0) @binding(7) var<storage, read> bodies: array<ClusterBody>;
@group(0) @binding(8) var<storage, read_write> changes: array<VelocityChange>;
@group(0) @binding(9) var<storage, read_write> progress: ClusterProgress;

@compute @workgroup_size(WORKGROUP_SIZE)
fn cluster_sweep(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_id) invocation: vec3<u32>,
) {
    let index = window.first + workgroup.x;
    sweep_cluster(index, invocation.x, has(REVERSE), has(REBUILD), has(STARTS));
}
