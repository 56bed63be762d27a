// Residuals of a workgroup's blocks, added up by halving strides.

@group(0) @binding(5) var<storage, read_write> partials: array<Partial>;

var<workgroup> lanes: array<Partial, WORKGROUP_SIZE>;

fn leave_partial(workgroup: u32, lane: u32, residual: f32) {
    lanes[lane] = Partial(residual * residual, residual);
    workgroupBarrier();
    for (var stride = WORKGROUP_SIZE / 2u; stride > 0u; stride = stride / 2u) {
        if lane < stride {
            let mine = lanes[lane];
            let other = lanes[lane + stride];
            lanes[lane] = Partial(
                mine.sum_of_squares + other.sum_of_squares,
                max(mine.max, other.max),
            );
        }
        workgroupBarrier();
    }
    if lane == 0u {
        partials[window.first / WORKGROUP_SIZE + workgroup - window.entry_base] = lanes[0];
    }
}
