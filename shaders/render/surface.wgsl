// Surfaces of triangles: boxes, capsules, solids, meshes, the ground, lines.

struct Corner {
    // w: -1, 0 or 1, the end of the shape that it moves with when the shape is pulled apart.
    @location(4) place: vec4f,
    @location(5) normal: vec4f,
}

struct Pixel {
    @builtin(position) place: vec4f,
    @location(0) point: vec3f,
    @location(1) normal: vec3f,
    @location(2) local: vec3f,
    @location(3) @interpolate(flat) scale: vec4f,
    @location(4) @interpolate(flat) color: vec4f,
    @location(5) @interpolate(flat) orientation: vec4f,
}

fn local_point(instance: Instance, corner: Corner) -> vec3f {
    return corner.place.xyz * instance.scale.xyz + vec3f(0.0, 0.0, corner.place.w * instance.position.w);
}

@vertex
fn vertex(instance: Instance, corner: Corner, @builtin(instance_index) which: u32) -> Pixel {
    let local = local_point(instance, corner);
    let point = instance.position.xyz + rotate(instance.orientation, local);
    var pixel: Pixel;
    pixel.place = place_of(instance, which, view.view_projection, point);
    pixel.point = point;
    pixel.normal = rotate(instance.orientation, corner.normal.xyz / instance.scale.xyz);
    pixel.local = local;
    pixel.scale = instance.scale;
    pixel.color = instance.color;
    pixel.orientation = instance.orientation;
    return pixel;
}

// The normal of a box, bent outward next to its edges as if they were rounded.
fn bevelled(local: vec3f, half: vec3f, flat_normal: vec3f) -> vec3f {
    let width = 0.10 * min(half.x, min(half.y, half.z));
    let near = clamp((abs(local) - (half - width)) / width, vec3f(0.0), vec3f(1.0));
    let bend = sign(local) * near * near * 0.75;
    return normalize(flat_normal + bend * (1.0 - abs(flat_normal)));
}

// Share of a line of the grid at a coordinate, smoothed over the width of a pixel.
fn line(coordinate: f32, spacing: f32, width: f32, blur: f32) -> f32 {
    let off = abs(fract(coordinate / spacing + 0.5) - 0.5) * spacing;
    let edge = max(blur, width);
    return (1.0 - smoothstep(0.0, edge, off)) * min(1.0, width / max(blur, 1e-9));
}

@fragment
fn fragment(pixel: Pixel) -> @location(0) vec4f {
    let finish = pixel.color.w;
    if finish == FINISH_LINE {
        return vec4f(pixel.color.rgb, 1.0);
    }
    var normal = normalize(pixel.normal);
    if finish == FINISH_BEVELLED {
        let flat_normal = rotate_back(pixel.orientation, normal);
        normal = rotate(pixel.orientation, bevelled(pixel.local, pixel.scale.xyz, flat_normal));
    }
    if finish != FINISH_GROUND {
        return vec4f(shade(pixel.place.xy, pixel.point, normal, pixel.color.rgb, 0.055), 1.0);
    }
    let at = pixel.local.xy;
    let blur = fwidth(at.x) + fwidth(at.y);
    let spacing = view.ground.x;
    let lines = max(line(at.x, spacing, view.ground.y, blur), line(at.y, spacing, view.ground.y, blur));
    let albedo = pixel.color.rgb * (1.0 - view.frame.w * lines);
    let lit = shade(pixel.place.xy, pixel.point, normal, albedo, 0.0);
    let away = length(pixel.point.xyz);
    let faded = smoothstep(view.ground.z, view.ground.w, away);
    return vec4f(mix(lit, backdrop(normalize(pixel.point - view.eye.xyz)), faded), 1.0);
}

@vertex
fn shadow_vertex(instance: Instance, corner: Corner, @builtin(instance_index) which: u32) -> @builtin(position) vec4f {
    let point = instance.position.xyz + rotate(instance.orientation, local_point(instance, corner));
    return place_of(instance, which, light_projection(), point);
}
