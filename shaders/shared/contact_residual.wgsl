// Residuals of contacts, as `block_residual` asks for them.

@group(0) @binding(6) var<storage, read> inertias: array<BodyInertia>;

fn residual_of(_at: u32, block: ContactBlock, impulse: vec4<f32>, a: BodyVelocity, b: BodyVelocity) -> f32 {
    let body_a = Copy(a, inertias[block.body_a], 1.0);
    let body_b = Copy(b, inertias[block.body_b], 1.0);
    return natural_map_residual(block, impulse, body_a, body_b);
}
