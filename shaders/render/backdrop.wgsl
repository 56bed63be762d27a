// The background: one triangle over the whole picture.

struct BackdropPixel {
    @builtin(position) place: vec4f,
    @location(0) at: vec2f,
}

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> BackdropPixel {
    let at = vec2f(f32(index & 1u), f32(index >> 1u)) * 4.0 - 1.0;
    return BackdropPixel(vec4f(at, 1.0, 1.0), at);
}

@fragment
fn fragment(pixel: BackdropPixel) -> @location(0) vec4f {
    let far = view.to_scene * vec4f(pixel.at, 1.0, 1.0);
    return vec4f(backdrop(normalize(far.xyz / far.w - view.eye.xyz)), 1.0);
}
