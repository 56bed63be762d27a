// Before an LCP of a step: takes the impulses of the last one, and makes contacts what they are in the
// next; twin of `substep_contacts` in `src/solver/cpu/substep_kernels.rs`. One invocation takes one contact.

@group(0) @binding(2) var<storage, read> lcps: array<SubstepParams>;
@group(0) @binding(3) var<storage, read> steps: array<ContactStep>;
@group(0) @binding(4) var<storage, read> frictions: array<f32>;
@group(0) @binding(5) var<storage, read> states: array<BodyState>;
@group(0) @binding(6) var<storage, read_write> blocks: array<ContactBlock>;
@group(0) @binding(7) var<storage, read_write> impulses: array<vec4<f32>>;
@group(0) @binding(8) var<storage, read_write> totals: array<ContactTotal>;

override FREE_APPROACH: f32;
override PARTING_HARDNESS: f32;

// Most that a penetration may take back in the velocity LCP, under the normal impulse that the contact has.
fn most_taken_back(params: SubstepParams, step: ContactStep, mass: f32, impulse: f32) -> f32 {
    let softness = params.softness * select(0.0, 1.0 / mass, mass > 0.0);
    let load = min(softness * (step.load * params.substep_length), params.held_load);
    let root = step.root_size;
    let held = min(max(load, params.held * (root * root)), softness * impulse);
    return params.max_push * root + held;
}

// The velocity that a gap asks for whether its contact bounces or not, `most` being the most that is taken back of it.
fn asked_of_gap(params: SubstepParams, step: ContactStep, gap: f32, velocity: f32, most: f32) -> f32 {
    let open = gap - params.slop;
    let deep = (gap + params.slop) + params.spared;
    let shut = max((params.rate * step.share) * min(deep, 0.0), -most) + params.memory * velocity;
    return select(shut, open * params.per_second, open > 0.0);
}

// The velocity that a contact asks for, and by how much the row is softer than others; see `SubstepPlan::contact_row` of the
// library.
fn velocity_row(
    params: SubstepParams,
    step: ContactStep,
    gap: f32,
    velocity: f32,
    gain: f32,
    of_gap: f32,
    presses: bool,
    parts: bool,
    least_approach: f32,
) -> vec2<f32> {
    let restitution = step.restitution;
    let open = gap - params.slop;
    var asked = of_gap;
    var softer = 0.0;
    let touching = params.touching * (step.root_size * step.root_size);
    let touches = gap + (2.0 * params.slop + touching) >= 0.0;
    let calm = touches && velocity + gain >= -params.calm_approach;
    let waits = open > 0.0 || calm;
    if restitution > 0.0 && parts {
        asked = max(asked, restitution * velocity);
        softer = -params.softness - PARTING_HARDNESS;
    }
    if restitution > 0.0 && waits && !presses {
        asked = FREE_APPROACH;
        softer = 0.0;
    }
    let meets = open + params.substep_length * velocity <= 0.0;
    if !(restitution > 0.0 && velocity < -least_approach && meets) {
        return vec2<f32>(asked, softer);
    }
    let half = 0.5 * gain;
    let speed = half + velocity;
    let fall = -2.0 * (gain * open) * params.per_second;
    let squared = restitution * restitution * (speed * speed + fall) - fall;
    let parting = sqrt(max(squared, 0.0)) + half;
    return vec2<f32>(select(min(-parting, asked), -parting, open > 0.0), -params.softness);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn substep_contacts(@builtin(global_invocation_id) invocation: vec3<u32>) {
    let index = window.first + invocation.x;
    if index >= window.end {
        return;
    }
    let at = index - window.block_base;
    // Rows are as soft as each other but for those that bounce or part.
    let parted = lcps[0].softness + impulses[at].w < 0.0;
    impulses[at].w = 0.0;
    if has(STARTS) {
        totals[at] = ContactTotal(vec4<f32>(0.0, 0.0, 0.0, 0.0), vec4<f32>(0.0, 0.0, 0.0, 0.0));
    }
    if has(KEEPS_IMPULSES) {
        totals[at].total = totals[at].total + impulses[at];
        if parted {
            let load = steps[at].load * lcps[0].substep_length;
            impulses[at] = vec4<f32>(min(load, impulses[at].x), 0.0, 0.0, 0.0);
        }
        totals[at].kept = impulses[at];
    }
    if has(RESTORES) {
        impulses[at] = totals[at].kept;
    }
    if has(COLD) {
        impulses[at] = vec4<f32>(0.0, 0.0, 0.0, 0.0);
    }
    if !has(VELOCITY) && !has(POSITION) {
        return;
    }
    let params = lcps[lcp_index()];
    let step = steps[at];
    let normal = blocks[at].normal;
    let arm_a = blocks[at].arm_a;
    let arm_b = blocks[at].arm_b;
    let a = states[blocks[at].body_a];
    let b = states[blocks[at].body_b];
    let moved = add_cross(a.moved_linear, a.moved_angular, arm_a)
        - add_cross(b.moved_linear, b.moved_angular, arm_b);
    // Products come last: some compilers move what is added to a sum of two products between them.
    let path = (moved + step.start * params.start_factor) + step.increment * params.increment_factor;
    let gap = step.gap + ordered_dot(normal, path);
    let mass = blocks[at].normal_mass;
    if has(POSITION) {
        let most = most_taken_back(params, step, mass, totals[at].kept.x);
        let open = gap + params.slop;
        let beyond = max(min(open + (params.spring_time / step.share) * most, 0.0), -params.max_correction);
        blocks[at].friction = 0.0;
        blocks[at].free_velocity = normal * select(beyond, open, open > 0.0);
        return;
    }
    let gained = add_cross(a.gained_linear, a.gained_angular, arm_a)
        - add_cross(b.gained_linear, b.gained_angular, arm_b);
    let before = (step.start + step.increment * params.past) + gained;
    let most = most_taken_back(params, step, mass, impulses[at].x);
    let gain = ordered_dot(normal, step.increment) * (params.part - params.past);
    let velocity = ordered_dot(normal, before);
    let threshold = params.restitution_threshold;
    let response = select(0.0, 1.0 / mass, mass > 0.0);
    let least_approach = max(threshold, response * impulses[at].x);
    let asked = asked_of_gap(params, step, gap, velocity, most);
    let parts = velocity > threshold + max(-asked, 0.0);
    if step.restitution > 0.0 && (parts || velocity < -least_approach) {
        impulses[at] = vec4<f32>(0.0, 0.0, 0.0, 0.0);
    }
    let presses = impulses[at].x > 0.0;
    let row = velocity_row(params, step, gap, velocity, gain, asked, presses, parts, least_approach);
    impulses[at].w = row.y;
    blocks[at].friction = frictions[at];
    blocks[at].free_velocity =
        ((step.start + step.increment * params.part) + gained) + normal * row.x;
}
