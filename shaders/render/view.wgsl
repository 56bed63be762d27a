// Common to every pass of a picture: where it is seen from, and its two lights, one sample at a time. A picture is the
// mean of many samples, each with its own point on the sun, direction of the sky, and place within the pixel.

struct View {
    view_projection: mat4x4f,
    // Its inverse.
    to_scene: mat4x4f,
    // From the scene to the shadow maps.
    sun_projection: mat4x4f,
    sky_projection: mat4x4f,
    // w: 1 while a shadow map of the sky is drawn, else 0.
    eye: vec4f,
    up: vec4f,
    // Directions to the lights; w: size of a texel of the shadow map [m].
    sun: vec4f,
    sky: vec4f,
    sun_color: vec4f,
    // w: texels over which the shadow of a direction of the sky is spread.
    sky_color: vec4f,
    // Light that reaches everything, from above and from below.
    fill_above: vec4f,
    fill_below: vec4f,
    // Backdrop at the horizon and above.
    horizon: vec4f,
    zenith: vec4f,
    // Spacing of the grid on the ground, its line width, and where the ground begins to fade and has faded [m].
    ground: vec4f,
    // Width, height, number of the sample, strength of the grid.
    frame: vec4f,
}

struct Instance {
    // w: half the length by which the shape is pulled apart along its z axis [m].
    @location(0) position: vec4f,
    // x, y, z, w.
    @location(1) orientation: vec4f,
    // w: opacity.
    @location(2) scale: vec4f,
    // w: finish, one of those below.
    @location(3) color: vec4f,
}

const FINISH_PLAIN = 0.0;
const FINISH_BEVELLED = 1.0;
const FINISH_GROUND = 2.0;
// Not lit, as lines in a drawing.
const FINISH_LINE = 3.0;

@group(0) @binding(0) var<uniform> view: View;

fn rotate(q: vec4f, v: vec3f) -> vec3f {
    let t = 2.0 * cross(q.xyz, v);
    return v + q.w * t + cross(q.xyz, t);
}

fn rotate_back(q: vec4f, v: vec3f) -> vec3f {
    return rotate(vec4f(-q.xyz, q.w), v);
}

// A number in [0, 1) that differs from pixel to pixel and from sample to sample.
fn random(pixel: vec2f) -> f32 {
    let p = vec2u(pixel);
    var h = p.x * 0x9E3779B1u ^ p.y * 0x85EBCA77u ^ u32(view.frame.z) * 0xC2B2AE3Du;
    h = (h ^ (h >> 15u)) * 0x2C1B3C6Du;
    h = (h ^ (h >> 12u)) * 0x297A2D39u;
    h = h ^ (h >> 15u);
    return f32(h >> 8u) / 16777216.0;
}

// True if this sample shows a thing of some opacity: all of it or nothing, so that the mean of the samples has no noise. Its
// number keeps things behind each other from being shown by the same samples, and is the same wherever it moves.
fn is_shown(opacity: f32, which: u32) -> bool {
    if opacity >= 1.0 {
        return true;
    }
    let shift = f32((which * 0x9E3779B1u) >> 8u) / 16777216.0;
    return fract(shift + 0.61803399 * view.frame.z) < opacity;
}

// Place in a picture of a point of a thing; beyond every depth if this sample hides the thing.
fn place_of(instance: Instance, which: u32, projection: mat4x4f, point: vec3f) -> vec4f {
    let place = projection * vec4f(point, 1.0);
    return select(vec4f(0.0, 0.0, -1.0, 1.0), place, is_shown(instance.scale.w, which));
}

// Corner of a square of half length 1.
fn square(index: u32) -> vec2f {
    return vec2f(f32(index & 1u), f32(index >> 1u)) * 2.0 - 1.0;
}

// Two axes across a direction.
fn across(direction: vec3f) -> mat2x3f {
    let other = select(vec3f(0.0, 0.0, 1.0), vec3f(1.0, 0.0, 0.0), abs(direction.z) > 0.9);
    let first = normalize(cross(other, direction));
    return mat2x3f(first, cross(direction, first));
}

// Projection and direction of the light whose shadow map is being drawn.
fn light_projection() -> mat4x4f {
    if view.eye.w > 0.5 {
        return view.sky_projection;
    }
    return view.sun_projection;
}

fn light_direction() -> vec3f {
    return select(view.sun.xyz, view.sky.xyz, view.eye.w > 0.5);
}
