// Repeats a part of the direction of each body's velocity in conjugate gradients, and makes the next
// one; twin of `body_conjugate` in `src/solver/cpu/momentum.rs`. The first half of the memory has the
// directions, the second the velocities at the last start. Where velocities are rebuilt from impulses
// it runs twice: before that it keeps the last step and sets the velocity to zero.

@group(0) @binding(2) var<storage, read_write> velocities: array<BodyVelocity>;
@group(0) @binding(3) var<storage, read_write> memory: array<VelocityChange>;
@group(0) @binding(4) var<storage, read> momentum: array<Momentum>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn body_conjugate(@builtin(global_invocation_id) invocation: vec3<u32>) {
    if is_done() {
        return;
    }
    let body = window.first + invocation.x;
    if body >= window.end {
        return;
    }
    let kept = arrayLength(&velocities) + body;
    let linear = velocities[body].linear;
    let angular = velocities[body].angular;
    var linear_step = memory[kept].linear;
    var angular_step = memory[kept].angular;
    if !has(AFTER_REBUILD) {
        linear_step = linear - linear_step;
        angular_step = angular - angular_step;
    }
    if has(BEFORE_REBUILD) {
        memory[kept].linear = linear_step;
        memory[kept].angular = angular_step;
        velocities[body].linear = vec3<f32>(0.0, 0.0, 0.0);
        velocities[body].angular = vec3<f32>(0.0, 0.0, 0.0);
        return;
    }
    let factor = momentum[0].factor;
    if has(STARTS) || factor < 0.0 {
        memory[body].linear = vec3<f32>(0.0, 0.0, 0.0);
        memory[body].angular = vec3<f32>(0.0, 0.0, 0.0);
        memory[kept].linear = linear;
        memory[kept].angular = angular;
        return;
    }
    let linear_repeated = factor * memory[body].linear;
    let angular_repeated = factor * memory[body].angular;
    let linear_start = linear + linear_repeated;
    let angular_start = angular + angular_repeated;
    velocities[body].linear = linear_start;
    velocities[body].angular = angular_start;
    memory[body].linear = linear_step + linear_repeated;
    memory[body].angular = angular_step + angular_repeated;
    memory[kept].linear = linear_start;
    memory[kept].angular = angular_start;
}
