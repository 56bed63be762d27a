// Records of the packed problem. Sizes and offsets equal those of the Rust structs of the same name; the Rust side declares
// `MAX_FRICTION_DIRECTIONS` and the flags of windows in front of this file.

// Invocations of a workgroup.
override WORKGROUP_SIZE: u32;

// Change of an impulse, over the impulse, that is rounding and left undone.
override IMPULSE_DEAD_BAND: f32;
// Visits of a pair of bodies with several soft contacts in a pass; every second one takes all rows.
override PAIR_VISITS: u32;
// Visits after which a pair whose velocities have hardly changed is left for the rest of a pass.
override FIRST_VISITS: u32;

// One contact; 80 bytes.
struct ContactBlock {
    normal: vec3<f32>,
    normal_mass: f32,
    arm_a: vec3<f32>,
    tangent_mass: f32,
    arm_b: vec3<f32>,
    friction: f32,
    free_velocity: vec3<f32>,
    residual_mass: f32,
    body_a: u32,
    body_b: u32,
    coupling: vec2<f32>,
}

// One joint row; 64 bytes.
struct JointBlock {
    linear: vec3<f32>,
    free_velocity: f32,
    angular_a: vec3<f32>,
    softness: f32,
    angular_b: vec3<f32>,
    mass: f32,
    lower: f32,
    upper: f32,
    body_a: u32,
    body_b: u32,
}

// What the residual of a joint row needs beside its block; 8 bytes.
struct JointScale {
    mass: f32,
    per_impulse: f32,
}

// What the impulses add to the velocity of a body; 32 bytes.
struct BodyVelocity {
    linear: vec3<f32>,
    inverse_mass: f32,
    angular: vec3<f32>,
    padding: f32,
}

// Inverse inertia of a body in world axes, in two loads; 32 bytes.
struct BodyInertia {
    // xx, xy, xz, yy
    inverse: vec4<f32>,
    // yz, zz, unused, unused
    inverse_rest: vec4<f32>,
}

// A body, or one of its copies, each with 1/copies of its mass.
struct Copy {
    velocity: BodyVelocity,
    inertia: BodyInertia,
    copies: f32,
}

// An impulse on A [N s], of which B gets the opposite, and the moments about their centres of mass [N m s].
struct Push {
    linear: vec3<f32>,
    moment_a: vec3<f32>,
    moment_b: vec3<f32>,
}

// Where a contact or joint of the remainder leaves its changes; 16 bytes. A slot of 2^32 - 1 is none,
// and is beyond every window.
struct SplitSlots {
    slot_a: u32,
    slot_b: u32,
    copies_a: f32,
    copies_b: f32,
}

// The slots that one body sums up; 16 bytes.
struct SplitBody {
    body: u32,
    first_slot: u32,
    slot_count: u32,
    padding: u32,
}

// What one contact or joint adds to the velocity of one body; 32 bytes.
struct VelocityChange {
    linear: vec3<f32>,
    padding: f32,
    angular: vec3<f32>,
    padding_2: f32,
}

// The friction cone, edges of the polygon at unit radius or none for the disk, its law (0 for
// Coulomb's, 1 for the convex one), the softness of normal rows, eps and 1 / (1 + eps), and 1 if a row is
// soft: by eps, or by itself.
struct FrictionTable {
    edges: array<vec4<f32>, MAX_FRICTION_DIRECTIONS>,
    directions: u32,
    apothem: f32,
    half_edge: f32,
    law: u32,
    softness: f32,
    hardness: f32,
    is_soft: u32,
    calm_change: f32,
}

// Sum of squares and maximum of the residuals of one workgroup; 8 bytes.
struct Partial {
    sum_of_squares: f32,
    max: f32,
}

// The last two points of a contact's impulse; 32 bytes.
struct ContactMemory {
    previous: vec4<f32>,
    start: vec4<f32>,
}

// The same of a joint row's impulse; 8 bytes.
struct JointMemory {
    previous: f32,
    start: f32,
}

// Sums over impulses of one sweep; 16 bytes.
struct Progress {
    along: f32,
    step: f32,
    change: f32,
    padding: f32,
}

// The sequence of momentum's factors; 16 bytes.
struct Momentum {
    sequence: f32,
    factor: f32,
    restarts: u32,
    rule: u32,
}

// When a solve stops, and how it stopped; 32 bytes.
struct Control {
    done: u32,
    iterations: u32,
    residual_rms: f32,
    residual_max: f32,
    tolerance: f32,
    check_every: u32,
    iteration_limit: u32,
    block_count: u32,
}

// Rules of momentum; 0 is that of symmetric sweeps.
const FORWARD: u32 = 1u;
const FORWARD_CONVEX: u32 = 2u;

// Which elements one dispatch treats, and the index of the first element of each bound window.
struct Window {
    // First element: a group (sweeps), a contact or joint of the remainder (block_split), a block (residuals) or an entry of
    // the list (gathers).
    first: u32,
    // One past the last element.
    end: u32,
    // First bound block and impulse.
    block_base: u32,
    // First bound pair of slots (counted in elements), list entry or partial.
    entry_base: u32,
    // First bound slot of the changes.
    slot_base: u32,
    // One past the last bound slot.
    slot_end: u32,
    // Further work of the dispatch; a sum of the flags in `src/solver/gpu/window.rs`.
    flags: u32,
    // First bound group start; between the LCPs of a step the number of the LCP.
    start_base: u32,
}

@group(0) @binding(0) var<uniform> window: Window;

// Read by every kernel that has to do nothing once a solve is done. A uniform: it costs no storage
// binding, and a branch on it is one that all invocations take.
@group(0) @binding(9) var<uniform> control: Control;

fn is_done() -> bool {
    return control.done != 0u;
}

// True if the dispatch has a flag.
fn has(flag: u32) -> bool {
    return (window.flags & flag) != 0u;
}
