// Records of a step in substeps. Sizes and offsets equal those of the Rust structs of the same name in
// `src/solver/substeps/records.rs`.

// One LCP of the step; 100 bytes.
struct SubstepParams {
    start_factor: f32,
    increment_factor: f32,
    past: f32,
    part: f32,
    substep_length: f32,
    per_second: f32,
    rate: f32,
    memory: f32,
    max_push: f32,
    restitution_threshold: f32,
    max_correction: f32,
    max_turn: f32,
    tolerance: f32,
    check_every: u32,
    iteration_limit: u32,
    block_count: u32,
    momentum_rule: u32,
    slop: f32,
    spared: f32,
    softness: f32,
    held: f32,
    held_load: f32,
    spring_time: f32,
    calm_approach: f32,
    touching: f32,
}

// What impulses and corrections have done to a body since the start of the step; 64 bytes.
struct BodyState {
    gained_linear: vec3<f32>,
    padding: f32,
    gained_angular: vec3<f32>,
    padding_2: f32,
    moved_linear: vec3<f32>,
    padding_3: f32,
    moved_angular: vec3<f32>,
    padding_4: f32,
}

// A contact at the start of the step; 48 bytes.
struct ContactStep {
    start: vec3<f32>,
    gap: f32,
    increment: vec3<f32>,
    restitution: f32,
    load: f32,
    root_size: f32,
    share: f32,
    padding: f32,
}

// Impulses of a contact: of the last velocity LCP, and of all; 32 bytes.
struct ContactTotal {
    kept: vec4<f32>,
    total: vec4<f32>,
}

// A contact as the host gives it for a step; 96 bytes.
struct GivenContact {
    normal: vec3<f32>,
    friction: f32,
    arm_a: vec3<f32>,
    gap: f32,
    arm_b: vec3<f32>,
    restitution: f32,
    start: vec3<f32>,
    load: f32,
    increment: vec3<f32>,
    root_size: f32,
    impulse: vec3<f32>,
    share: f32,
}

// The LCP that a dispatch belongs to; its window has no other use for this member.
fn lcp_index() -> u32 {
    return window.start_base;
}
