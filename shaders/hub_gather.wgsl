// Adds up what the contacts or joints of a remainder did to each body with many slots; twin of `hub_gather` in
// `src/solver/cpu/body_gather.rs`. One workgroup sums one hub.

@group(0) @binding(2) var<storage, read> hubs: array<SplitBody>;
@group(0) @binding(3) var<storage, read> changes: array<VelocityChange>;
@group(0) @binding(4) var<storage, read_write> velocities: array<BodyVelocity>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn hub_gather(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_id) invocation: vec3<u32>,
) {
    if is_done() {
        return;
    }
    let lane = invocation.x;
    let hub = hubs[window.first + workgroup.x - window.entry_base];
    let sum = sum_of_hub(lane, hub.first_slot - window.slot_base, hub.slot_count);
    if lane == 0u {
        velocities[hub.body].linear = velocities[hub.body].linear + sum.linear;
        velocities[hub.body].angular = velocities[hub.body].angular + sum.angular;
    }
}
