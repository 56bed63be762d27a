// Repeats a part of the last change of each body's velocity; twin of `body_momentum` in
// `src/solver/cpu/momentum.rs`. Where velocities are rebuilt from impulses it runs twice: before that
// it keeps the last change and sets the velocity to zero, after that it repeats the change kept.

@group(0) @binding(2) var<storage, read_write> velocities: array<BodyVelocity>;
@group(0) @binding(3) var<storage, read_write> body_memory: array<VelocityChange>;
@group(0) @binding(4) var<storage, read> momentum: array<Momentum>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn body_momentum(@builtin(global_invocation_id) invocation: vec3<u32>) {
    if is_done() {
        return;
    }
    let body = window.first + invocation.x;
    if body >= window.end {
        return;
    }
    let linear = velocities[body].linear;
    let angular = velocities[body].angular;
    if has(STARTS) {
        body_memory[body].linear = linear;
        body_memory[body].angular = angular;
        return;
    }
    var linear_change = body_memory[body].linear;
    var angular_change = body_memory[body].angular;
    if !has(AFTER_REBUILD) {
        linear_change = linear - linear_change;
        angular_change = angular - angular_change;
    }
    if has(BEFORE_REBUILD) {
        body_memory[body].linear = linear_change;
        body_memory[body].angular = angular_change;
        velocities[body].linear = vec3<f32>(0.0, 0.0, 0.0);
        velocities[body].angular = vec3<f32>(0.0, 0.0, 0.0);
        return;
    }
    body_memory[body].linear = linear;
    body_memory[body].angular = angular;
    velocities[body].linear = linear + linear_change * momentum[0].factor;
    velocities[body].angular = angular + angular_change * momentum[0].factor;
}
