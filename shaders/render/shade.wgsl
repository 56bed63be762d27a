// Light on a point of a surface.

@group(1) @binding(0) var sun_map: texture_depth_2d;
@group(1) @binding(1) var sky_map: texture_depth_2d;
@group(1) @binding(2) var nearer: sampler_comparison;

// Share of the light that reaches a place of a shadow map; all of it outside of the map.
fn reached(map: texture_depth_2d, place: vec4f) -> f32 {
    let uv = place.xy * vec2f(0.5, -0.5) + 0.5;
    let inside = all(abs(place.xy) < vec2f(0.998)) && place.z < 1.0;
    let share = textureSampleCompareLevel(map, nearer, clamp(uv, vec2f(0.0), vec2f(1.0)), place.z);
    return select(1.0, share, inside);
}

fn shade(pixel: vec2f, point: vec3f, normal: vec3f, albedo: vec3f, gloss: f32) -> vec3f {
    let to_eye = normalize(view.eye.xyz - point);
    let facing_sun = max(dot(normal, view.sun.xyz), 0.0);
    let facing_sky = max(dot(normal, view.sky.xyz), 0.0);
    // A surface that is seen at a low angle by a light is lifted further off its own shadow.
    let lift_sun = normal * view.sun.w * (0.8 + 1.8 * (1.0 - facing_sun));
    let lift_sky = normal * view.sky.w * (2.0 + 4.0 * (1.0 - facing_sky));
    let by_sun = reached(sun_map, view.sun_projection * vec4f(point + lift_sun, 1.0));
    let turn = 6.2831853 * random(pixel);
    let reach = view.sky_color.w / f32(textureDimensions(sky_map).x) * 2.0 * sqrt(random(pixel.yx + 7919.0));
    let aside = vec4f(vec2f(cos(turn), sin(turn)) * reach, 0.0, 0.0);
    let by_sky = reached(sky_map, view.sky_projection * vec4f(point + lift_sky, 1.0) + aside);
    let middle = normalize(view.sun.xyz + to_eye);
    let shine = gloss * pow(max(dot(normal, middle), 0.0), 48.0) * step(1e-4, facing_sun);
    // Uniform over the half of the sky above: twice the cosine has the mean 1.
    let middle_sky = normalize(view.sky.xyz + to_eye);
    let glaze = gloss * 0.6 * pow(max(dot(normal, middle_sky), 0.0), 12.0);
    let fill = mix(view.fill_below.rgb, view.fill_above.rgb, 0.5 + 0.5 * dot(normal, view.up.xyz));
    let diffuse = view.sun_color.rgb * facing_sun * by_sun + view.sky_color.rgb * 2.0 * facing_sky * by_sky + fill;
    return albedo * diffuse + view.sun_color.rgb * shine * by_sun + view.sky_color.rgb * glaze * by_sky;
}

fn backdrop(direction: vec3f) -> vec3f {
    let height = clamp(dot(direction, view.up.xyz) * 1.6 + 0.1, 0.0, 1.0);
    return mix(view.horizon.rgb, view.zenith.rgb, smoothstep(0.0, 1.0, height));
}
