// Changes of a velocity, summed over a workgroup.

var<workgroup> linear_sums: array<vec3<f32>, WORKGROUP_SIZE>;
var<workgroup> angular_sums: array<vec3<f32>, WORKGROUP_SIZE>;

// Adds up the changes of all invocations by halving strides; the first one finds the total in its place.
fn add_up_changes(lane: u32, linear: vec3<f32>, angular: vec3<f32>) {
    linear_sums[lane] = linear;
    angular_sums[lane] = angular;
    workgroupBarrier();
    for (var stride = WORKGROUP_SIZE / 2u; stride > 0u; stride = stride / 2u) {
        if lane < stride {
            linear_sums[lane] = linear_sums[lane] + linear_sums[lane + stride];
            angular_sums[lane] = angular_sums[lane] + angular_sums[lane + stride];
        }
        workgroupBarrier();
    }
}
