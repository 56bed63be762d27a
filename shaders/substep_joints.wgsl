// Before an LCP of a step: takes the impulses of the last one, and makes joint rows what they are in the
// next; twin of `substep_joints` in `src/solver/cpu/substep_kernels.rs`. One invocation takes one row.

@group(0) @binding(2) var<storage, read> lcps: array<Lcp>;
@group(0) @binding(3) var<storage, read> steps: array<JointStep>;
@group(0) @binding(4) var<storage, read> states: array<BodyState>;
@group(0) @binding(5) var<storage, read_write> blocks: array<JointBlock>;
@group(0) @binding(6) var<storage, read_write> impulses: array<f32>;
@group(0) @binding(7) var<storage, read_write> totals: array<JointTotal>;
@group(0) @binding(8) var<storage, read_write> scales: array<JointScale>;

// The row's bias in a velocity LCP; see `RowLaw` of the library.
fn velocity_bias(step: JointStep, lcp: Lcp, error: f32, velocity: f32) -> f32 {
    let turned = step.rounding + lcp.past * step.change;
    if step.is_gap != 0u && error > 0.0 {
        return turned + error / lcp.substep_length;
    }
    return ((turned + step.offset) + step.rate * error) + step.memory * (velocity + turned);
}

// The row's bias in a position LCP.
fn position_bias(step: JointStep, error: f32) -> f32 {
    let most = step.max_correction;
    if most < 0.0 {
        return 0.0;
    }
    let least = max(error, -most);
    return select(min(least, most), least, step.is_gap != 0u);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn substep_joints(@builtin(global_invocation_id) invocation: vec3<u32>) {
    let index = window.first + invocation.x;
    if index >= window.end {
        return;
    }
    let at = index - window.block_base;
    if has(STARTS) {
        totals[at] = JointTotal(0.0, 0.0);
    }
    if has(KEEPS_IMPULSES) {
        totals[at].kept = impulses[at];
        totals[at].total = totals[at].total + impulses[at];
    }
    if has(RESTORES) {
        impulses[at] = totals[at].kept;
    }
    if has(COLD) {
        impulses[at] = 0.0;
    }
    if !has(VELOCITY) && !has(POSITION) {
        return;
    }
    let lcp = lcps[lcp_index()];
    let step = steps[at];
    var block = blocks[at];
    let a = states[block.body_a];
    let b = states[block.body_b];
    let moved = (ordered_dot(block.linear, a.moved_linear - b.moved_linear)
        + ordered_dot(block.angular_a, a.moved_angular))
        + ordered_dot(block.angular_b, b.moved_angular);
    let gained = (ordered_dot(block.linear, a.gained_linear - b.gained_linear)
        + ordered_dot(block.angular_a, a.gained_angular))
        + ordered_dot(block.angular_b, b.gained_angular);
    // Products come last: some compilers move what is added to a sum of two products between them.
    let path = (moved + lcp.start_factor * step.start) + lcp.increment_factor * step.increment;
    // A velocity LCP begins at part `past` of the step, a position LCP at part `part`.
    var part = lcp.past;
    if has(POSITION) {
        part = lcp.part;
    }
    let turning = ((0.5 * step.change) * lcp.time_step) * (part * part);
    let error = (step.error + path) + turning;
    var row = step.velocity;
    if has(POSITION) {
        row = step.position;
        block.free_velocity = position_bias(step, error);
    } else {
        let before = (step.start + lcp.past * step.increment) + gained;
        let bias = velocity_bias(step, lcp, error, before);
        block.free_velocity = ((step.start + lcp.part * step.increment) + gained) + bias;
    }
    block.mass = row.mass;
    block.softness = row.softness;
    block.lower = row.lower;
    block.upper = row.upper;
    // A row that moves nothing has no velocity either.
    if row.scale_mass == 0.0 {
        block.free_velocity = 0.0;
    }
    blocks[at] = block;
    scales[at] = JointScale(row.scale_mass, row.scale_per_impulse);
}
