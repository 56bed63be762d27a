// Geometry and free velocity of a contact, which change from solve to solve, in three loads; 48 bytes.
struct ContactPoint {
    normal: vec3<f32>,
    arm_a_x: f32,
    arm_a_yz: vec2<f32>,
    arm_b_xy: vec2<f32>,
    arm_b_z: f32,
    free_x: f32,
    free_yz: vec2<f32>,
}
