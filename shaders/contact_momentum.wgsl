// Repeats a part of the last change of each contact's impulse; twin of `contact_momentum` in
// `src/solver/cpu/momentum.rs`.

alias Impulse = vec4<f32>;
alias Memory = ContactMemory;

@compute @workgroup_size(WORKGROUP_SIZE)
fn contact_momentum(@builtin(global_invocation_id) invocation: vec3<u32>) {
    repeat_change(invocation.x);
}
