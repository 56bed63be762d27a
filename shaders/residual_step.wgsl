// Adds up the workgroups' residuals, and decides whether a solve is done; twin of `gather` and
// `Control::check` in `src/solver/residual.rs`. One workgroup: invocation i takes the partials i,
// i + WORKGROUP_SIZE, ..., then halving strides. The lanes stay in the record from one dispatch of a
// look to the next, first those of the contacts, then those of the joint rows; each but the last of
// either takes a multiple of the workgroup size, so that splitting the work changes no sum.

struct Record {
    control: Control,
    lanes: array<Partial>,
}

@group(0) @binding(2) var<storage, read> partials: array<Partial>;
@group(0) @binding(3) var<storage, read_write> record: Record;

// True of a number that is neither infinite nor none: by its bits, because a compiler may take every
// number for finite.
fn finite(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7f800000u) != 0x7f800000u;
}

// What all residuals amount to.
fn check(total: Partial) {
    let before = record.control;
    var rms = 0.0;
    var most = 0.0;
    if before.block_count != 0u {
        rms = sqrt(total.sum_of_squares / f32(before.block_count));
        most = total.max;
    }
    let sound = finite(rms);
    record.control.residual_rms = rms;
    record.control.residual_max = most;
    record.control.iterations =
        min(before.iterations + before.check_every, before.iteration_limit);
    if !sound || (before.tolerance > 0.0 && rms <= before.tolerance) {
        record.control.done = 1u;
    }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn residual_step(@builtin(local_invocation_id) invocation: vec3<u32>) {
    let lane = invocation.x;
    var mine = Partial(0.0, 0.0);
    if !has(STARTS) {
        mine = record.lanes[lane];
    }
    for (var index = window.first + lane; index < window.end; index += WORKGROUP_SIZE) {
        mine = plus(mine, partials[index - window.entry_base]);
    }
    if !has(ENDS) {
        record.lanes[lane] = mine;
        return;
    }
    add_up(lane, mine);
    if lane == 0u && record.control.done == 0u {
        check(lanes[0]);
    }
}
