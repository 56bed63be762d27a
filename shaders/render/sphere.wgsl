// Spheres, exact at any distance: a square towards the eye, and a ray from the eye through each of its pixels.

struct SpherePixel {
    @builtin(position) place: vec4f,
    // Of the point on the square, seen from the eye; for shadow maps in radii from the centre.
    @location(0) ray: vec3f,
    @location(1) @interpolate(flat) center: vec4f,
    @location(2) @interpolate(flat) color: vec4f,
}

struct SphereShade {
    @builtin(frag_depth) depth: f32,
    @location(0) color: vec4f,
}

@vertex
fn vertex(
    instance: Instance,
    @builtin(vertex_index) index: u32,
    @builtin(instance_index) which: u32,
) -> SpherePixel {
    let radius = instance.scale.x;
    let center = instance.position.xyz - view.eye.xyz;
    let distance = max(length(center), 1.001 * radius);
    let axes = across(center / distance);
    // The cone of tangents is this wide where the centre is.
    let reach = 1.001 * radius * distance / sqrt(distance * distance - radius * radius);
    let ray = center + axes * (square(index) * reach);
    return SpherePixel(
        place_of(instance, which, view.view_projection, view.eye.xyz + ray),
        ray,
        vec4f(center, radius),
        instance.color,
    );
}

@fragment
fn fragment(pixel: SpherePixel) -> SphereShade {
    let direction = normalize(pixel.ray);
    let along = dot(direction, pixel.center.xyz);
    let off = pixel.center.xyz - direction * along;
    let depth_squared = pixel.center.w * pixel.center.w - dot(off, off);
    if depth_squared < 0.0 {
        discard;
    }
    let hit = direction * (along - sqrt(max(depth_squared, 0.0)));
    let normal = (hit - pixel.center.xyz) / pixel.center.w;
    let point = view.eye.xyz + hit;
    let clip = view.view_projection * vec4f(point, 1.0);
    return SphereShade(clip.z / clip.w, vec4f(shade(pixel.place.xy, point, normal, pixel.color.rgb, 0.055), 1.0));
}
