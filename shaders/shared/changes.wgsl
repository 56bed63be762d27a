// Sums of `changes` of a body's velocity, which lie one after the other.

var<workgroup> change_sums: array<VelocityChange, WORKGROUP_SIZE>;

// Adds up every change whose distance from the first is a multiple of `stride`, in order.
fn sum_of_changes(first: u32, end: u32, stride: u32) -> VelocityChange {
    var sum = VelocityChange();
    for (var slot = first; slot < end; slot += stride) {
        sum.linear = sum.linear + changes[slot].linear;
        sum.angular = sum.angular + changes[slot].angular;
    }
    return sum;
}

// Adds up changes by the whole workgroup: invocation i takes the changes i, i + WORKGROUP_SIZE, ..., then the sums are added
// by halving strides. The first invocation gets the total.
fn sum_of_hub(lane: u32, first: u32, count: u32) -> VelocityChange {
    change_sums[lane] = sum_of_changes(first + lane, first + count, WORKGROUP_SIZE);
    workgroupBarrier();
    for (var stride = WORKGROUP_SIZE / 2u; stride > 0u; stride = stride / 2u) {
        if lane < stride {
            change_sums[lane].linear = change_sums[lane].linear + change_sums[lane + stride].linear;
            change_sums[lane].angular = change_sums[lane].angular + change_sums[lane + stride].angular;
        }
        workgroupBarrier();
    }
    return change_sums[lane];
}
