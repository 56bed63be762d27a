// The mean of the samples, and from light to the numbers of a picture.

struct Frame {
    width: u32,
    height: u32,
    samples: u32,
    exposure: f32,
}

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<storage, read_write> light: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> picture: array<u32>;
@group(0) @binding(3) var shot: texture_2d<f32>;

@compute @workgroup_size(8, 8)
fn add(@builtin(global_invocation_id) at: vec3u) {
    if at.x >= frame.width || at.y >= frame.height {
        return;
    }
    light[at.y * frame.width + at.x] += textureLoad(shot, at.xy, 0);
}

// Highlights are pressed together above this share of white; below it nothing changes.
const SHOULDER = 0.72;

fn develop(linear: vec3f) -> vec3f {
    let color = max(linear * frame.exposure, vec3f(0.0));
    let peak = max(color.r, max(color.g, color.b));
    if peak <= SHOULDER {
        return color;
    }
    let room = 1.0 - SHOULDER;
    let pressed = 1.0 - room * room / (peak - SHOULDER + room);
    // Colours far too bright fade, as on film.
    let faded = 1.0 - 1.0 / (0.15 * (peak - pressed) + 1.0);
    return mix(color * (pressed / peak), vec3f(pressed), faded);
}

fn encode(linear: f32) -> f32 {
    return select(1.055 * pow(linear, 1.0 / 2.4) - 0.055, 12.92 * linear, linear <= 0.0031308);
}

@compute @workgroup_size(8, 8)
fn finish(@builtin(global_invocation_id) at: vec3u) {
    if at.x >= frame.width || at.y >= frame.height {
        return;
    }
    let index = at.y * frame.width + at.x;
    let color = develop(light[index].rgb / f32(frame.samples));
    let shown = vec3f(encode(color.r), encode(color.g), encode(color.b));
    picture[index] = pack4x8unorm(vec4f(clamp(shown, vec3f(0.0), vec3f(1.0)), 1.0));
}
