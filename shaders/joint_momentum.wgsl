// Repeats a part of the last change of each joint row's impulse; twin of `joint_momentum` in
// `src/solver/cpu/momentum.rs`.

alias Impulse = f32;
alias Memory = JointMemory;

@compute @workgroup_size(WORKGROUP_SIZE)
fn joint_momentum(@builtin(global_invocation_id) invocation: vec3<u32>) {
    repeat_change(invocation.x);
}
