// Residuals of joint rows, as `block_residual` asks for them.

@group(0) @binding(6) var<storage, read> scales: array<JointScale>;

fn residual_of(at: u32, block: JointBlock, impulse: f32, a: BodyVelocity, b: BodyVelocity) -> f32 {
    return row_residual(block, scales[at], impulse, a, b);
}
