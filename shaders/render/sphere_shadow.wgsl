// Spheres in a shadow map: a square across the light, raised to the side of the sphere that the light sees.

struct ShadowPixel {
    @builtin(position) place: vec4f,
    @location(0) at: vec2f,
    @location(1) @interpolate(flat) center: vec4f,
}

@vertex
fn vertex(
    instance: Instance,
    @builtin(vertex_index) index: u32,
    @builtin(instance_index) which: u32,
) -> ShadowPixel {
    let radius = instance.scale.x;
    let at = square(index);
    let point = instance.position.xyz + across(light_direction()) * (at * radius);
    let place = place_of(instance, which, light_projection(), point);
    return ShadowPixel(place, at, vec4f(instance.position.xyz, radius));
}

@fragment
fn fragment(pixel: ShadowPixel) -> @builtin(frag_depth) f32 {
    let inside = 1.0 - dot(pixel.at, pixel.at);
    if inside < 0.0 {
        discard;
    }
    let direction = light_direction();
    let surface = across(direction) * pixel.at + direction * sqrt(max(inside, 0.0));
    return (light_projection() * vec4f(pixel.center.xyz + surface * pixel.center.w, 1.0)).z;
}
