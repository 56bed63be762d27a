// The picture in a window, and a panel with words over it.

struct Present {
    // Width and height of the picture, and of the window [pixels].
    picture: vec2u,
    window: vec2u,
    // Width and height of the panel, its distance from the left and upper border [pixels].
    panel: vec2u,
    border: u32,
    // 1 if the window wants light, and not the numbers of a picture.
    wants_light: u32,
}

@group(0) @binding(0) var<uniform> present: Present;
@group(0) @binding(1) var<storage, read> picture: array<u32>;
@group(0) @binding(2) var<storage, read> panel: array<u32>;

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
    return vec4f(vec2f(f32(index & 1u), f32(index >> 1u)) * 4.0 - 1.0, 0.0, 1.0);
}

fn decode(shown: vec3f) -> vec3f {
    return select(pow((shown + 0.055) / 1.055, vec3f(2.4)), shown / 12.92, shown <= vec3f(0.04045));
}

// Opacity of the panel.
const OPACITY = 0.88;

@fragment
fn fragment(@builtin(position) place: vec4f) -> @location(0) vec4f {
    let at = vec2u(place.xy);
    let source = min(at * present.picture / present.window, present.picture - 1u);
    var color = unpack4x8unorm(picture[source.y * present.picture.x + source.x]).rgb;
    let on_panel = at - present.border;
    if all(at >= vec2u(present.border)) && all(on_panel < present.panel) {
        let words = unpack4x8unorm(panel[on_panel.y * present.panel.x + on_panel.x]).rgb;
        color = mix(color, words, OPACITY);
    }
    if present.wants_light == 1u {
        color = decode(color);
    }
    return vec4f(color, 1.0);
}
