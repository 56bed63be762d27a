// Sums over a workgroup; what is in front of this says what a `Sum` is, and `plus` of two.

var<workgroup> lanes: array<Sum, WORKGROUP_SIZE>;

// Adds up the sums of all invocations by halving strides; the first one finds the total in its lane.
fn add_up(lane: u32, mine: Sum) {
    lanes[lane] = mine;
    workgroupBarrier();
    for (var stride = WORKGROUP_SIZE / 2u; stride > 0u; stride = stride / 2u) {
        if lane < stride {
            lanes[lane] = plus(lanes[lane], lanes[lane + stride]);
        }
        workgroupBarrier();
    }
}
