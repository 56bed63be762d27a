//! One measure of penetration for every engine, from poses alone, in f64.
//!
//! Sphere against sphere and sphere against box are exact; box against box is the least overlap over the
//! 15 axes of the separating-axis test. Lengths are in body diameters: the nominal 1 m of a pile of
//! spheres, or the first side of the last dynamic body.

use crate::scene::{Body, Scene};
use serde::Serialize;
use std::collections::HashMap;

type V3 = [f64; 3];

/// State of one body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BodyState {
    /// Of the centre `[m]`.
    pub(crate) position: V3,
    /// `(w, x, y, z)`.
    pub(crate) orientation: [f64; 4],
    /// `[m/s]`.
    pub(crate) linear_velocity: V3,
    /// In world axes `[rad/s]`.
    pub(crate) angular_velocity: V3,
}

/// What the state of a scene amounts to.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub(crate) struct Measure {
    /// Pairs that overlap, or are less than a fiftieth of a diameter apart.
    pub(crate) touching_pairs: usize,
    /// Pairs that overlap.
    pub(crate) overlapping_pairs: usize,
    /// Deepest overlap `[diameters]`.
    pub(crate) max_penetration: f64,
    /// 99th percentile over the pairs that overlap `[diameters]`.
    pub(crate) p99_penetration: f64,
    /// Mean over the pairs that overlap `[diameters]`.
    pub(crate) mean_penetration: f64,
    /// Mean kinetic energy of a dynamic body `[J]`.
    pub(crate) ke_per_body: f64,
    /// Dynamic bodies below the floor, beyond the walls, or without a place.
    pub(crate) lost: usize,
    /// How far the last dynamic body is from where it started `[m]`; of pyramids only.
    pub(crate) top_displacement: Option<f64>,
}

/// Where the scene starts.
pub(crate) fn start(scene: &Scene) -> Vec<BodyState> {
    let at_rest = |body: &Body| BodyState {
        position: body.position,
        orientation: body.orientation,
        linear_velocity: [0.0; 3],
        angular_velocity: [0.0; 3],
    };
    scene.bodies.iter().map(at_rest).collect()
}

/// Measures a state, shape `[body_count]`.
pub(crate) fn measure(scene: &Scene, states: &[BodyState]) -> Measure {
    let diameter = diameter(scene);
    let mut depths = depths(scene, states, 0.02 * diameter);
    let touching_pairs = depths.len();
    depths.retain(|&depth| depth > 0.0);
    depths.sort_by(f64::total_cmp);
    let quantile = |share: f64| {
        let rank = (depths.len().saturating_sub(1) as f64 * share) as usize;
        depths.get(rank).map_or(0.0, |depth| depth / diameter)
    };
    let count = scene.dynamic().count() as f64;
    let energy: f64 = scene
        .dynamic()
        .filter(|&i| is_finite(&states[i]))
        .map(|i| kinetic_energy(&scene.bodies[i], &states[i]))
        .sum();
    let last = scene.dynamic().last();
    Measure {
        touching_pairs,
        overlapping_pairs: depths.len(),
        max_penetration: quantile(1.0),
        p99_penetration: quantile(0.99),
        mean_penetration: depths.iter().sum::<f64>() / depths.len().max(1) as f64 / diameter,
        ke_per_body: energy / count,
        lost: lost(scene, states, diameter),
        top_displacement: last
            .filter(|_| scene.name.starts_with("pyramid"))
            .map(|i| norm(sub(states[i].position, scene.bodies[i].position))),
    }
}

fn diameter(scene: &Scene) -> f64 {
    if scene.name.starts_with("sphere_pile") {
        return 1.0;
    }
    let last = scene.dynamic().last();
    last.map_or(1.0, |i| 2.0 * scene.bodies[i].size[0])
}

/// Depths of all pairs with a dynamic body, down to `-margin`.
fn depths(scene: &Scene, states: &[BodyState], margin: f64) -> Vec<f64> {
    let bodies = &scene.bodies;
    let reach = |i: usize| bounding_radius(&bodies[i]);
    let mut radii: Vec<f64> = scene.dynamic().map(reach).collect();
    radii.sort_by(f64::total_cmp);
    // Bodies of about the usual size meet in a grid; the few larger ones meet everything.
    let usual = 1.5 * radii[radii.len() / 2];
    let cell_size = 2.0 * usual + margin;
    let cell = |position: V3| position.map(|x| (x / cell_size).floor() as i64);
    let mut grid: HashMap<[i64; 3], Vec<usize>> = HashMap::new();
    for i in scene.dynamic() {
        if reach(i) <= usual && states[i].position.iter().all(|x| x.is_finite()) {
            grid.entry(cell(states[i].position)).or_default().push(i);
        }
    }
    let mut found = Vec::new();
    let mut check = |i: usize, j: usize| {
        let apart = norm(sub(states[i].position, states[j].position));
        if apart > reach(i) + reach(j) + margin {
            return;
        }
        let depth = depth(&bodies[i], &states[i], &bodies[j], &states[j]);
        if depth > -margin {
            found.push(depth);
        }
    };
    for (&[x, y, z], here) in &grid {
        for neighbour in (0..27).map(|k| [x + k % 3 - 1, y + k / 3 % 3 - 1, z + k / 9 - 1]) {
            for &j in grid.get(&neighbour).into_iter().flatten() {
                for &i in here.iter().filter(|&&i| i < j) {
                    check(i, j);
                }
            }
        }
    }
    let large: Vec<usize> = scene.dynamic().filter(|&i| reach(i) > usual).collect();
    for (rank, &i) in large.iter().enumerate() {
        for j in scene.dynamic().filter(|&j| reach(j) <= usual) {
            check(i, j);
        }
        for &j in &large[rank + 1..] {
            check(i, j);
        }
    }
    for j in (0..bodies.len()).filter(|&j| !bodies[j].is_dynamic) {
        for i in scene.dynamic() {
            check(i, j);
        }
    }
    found
}

/// Depth of an overlap `[m]`, negative for a gap; between boxes a gap is a lower bound.
fn depth(a: &Body, at_a: &BodyState, b: &Body, at_b: &BodyState) -> f64 {
    match (a.is_sphere, b.is_sphere) {
        (true, true) => a.size[0] + b.size[0] - norm(sub(at_a.position, at_b.position)),
        (true, false) => sphere_box(a.size[0], at_a, b.size, at_b),
        (false, true) => sphere_box(b.size[0], at_b, a.size, at_a),
        (false, false) => box_box(a.size, at_a, b.size, at_b),
    }
}

fn sphere_box(radius: f64, sphere: &BodyState, half: V3, of_box: &BodyState) -> f64 {
    let apart = sub(sphere.position, of_box.position);
    let local = axes(of_box.orientation).map(|axis| dot(apart, axis));
    let outside: V3 = std::array::from_fn(|k| local[k].abs() - half[k]);
    let distance = if outside.iter().all(|&x| x <= 0.0) {
        outside[0].max(outside[1]).max(outside[2])
    } else {
        norm(outside.map(|x| x.max(0.0)))
    };
    radius - distance
}

fn box_box(half_a: V3, a: &BodyState, half_b: V3, b: &BodyState) -> f64 {
    let (axes_a, axes_b) = (axes(a.orientation), axes(b.orientation));
    let apart = sub(b.position, a.position);
    let mut least = f64::MAX;
    let mut along = |direction: V3| {
        let length = norm(direction);
        if length < 1e-6 {
            return;
        }
        let unit = direction.map(|x| x / length);
        let reach = |half: V3, axes: &[V3; 3]| -> f64 {
            (0..3).map(|k| half[k] * dot(axes[k], unit).abs()).sum()
        };
        let overlap = reach(half_a, &axes_a) + reach(half_b, &axes_b) - dot(apart, unit).abs();
        least = least.min(overlap);
    };
    for k in 0..3 {
        along(axes_a[k]);
        along(axes_b[k]);
    }
    for of_a in axes_a {
        for of_b in axes_b {
            along(cross(of_a, of_b));
        }
    }
    least
}

fn lost(scene: &Scene, states: &[BodyState], diameter: f64) -> usize {
    let walls = scene.bodies.len() - scene.dynamic().count();
    let [half_x, half_y, _] = scene.bodies[0].size;
    let is_lost = |state: &BodyState| {
        let [x, y, z] = state.position;
        let beyond = walls == 5 && (x.abs() > half_x || y.abs() > half_y);
        !is_finite(state) || z < -0.5 * diameter || beyond
    };
    scene.dynamic().filter(|&i| is_lost(&states[i])).count()
}

fn kinetic_energy(body: &Body, state: &BodyState) -> f64 {
    let m = body.mass;
    let [a, b, c] = body.size;
    let inertia = if body.is_sphere {
        [0.4 * m * a * a; 3]
    } else {
        [b * b + c * c, a * a + c * c, a * a + b * b].map(|sum| m / 3.0 * sum)
    };
    let spin = axes(state.orientation).map(|axis| dot(state.angular_velocity, axis));
    let rotation: f64 = (0..3).map(|k| inertia[k] * spin[k] * spin[k]).sum();
    0.5 * m * dot(state.linear_velocity, state.linear_velocity) + 0.5 * rotation
}

fn is_finite(state: &BodyState) -> bool {
    let numbers = state.position.iter().chain(&state.linear_velocity);
    numbers.into_iter().all(|x| x.is_finite())
}

fn bounding_radius(body: &Body) -> f64 {
    if body.is_sphere {
        body.size[0]
    } else {
        norm(body.size)
    }
}

/// The body's axes in the world: columns of its rotation matrix.
fn axes(orientation: [f64; 4]) -> [V3; 3] {
    let length = orientation.iter().map(|x| x * x).sum::<f64>().sqrt();
    let [w, x, y, z] = orientation.map(|part| part / length);
    [
        [
            1.0 - 2.0 * (y * y + z * z),
            2.0 * (x * y + w * z),
            2.0 * (x * z - w * y),
        ],
        [
            2.0 * (x * y - w * z),
            1.0 - 2.0 * (x * x + z * z),
            2.0 * (y * z + w * x),
        ],
        [
            2.0 * (x * z + w * y),
            2.0 * (y * z - w * x),
            1.0 - 2.0 * (x * x + y * y),
        ],
    ]
}

fn sub(a: V3, b: V3) -> V3 {
    std::array::from_fn(|k| a[k] - b[k])
}

fn dot(a: V3, b: V3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: V3, b: V3) -> V3 {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn norm(a: V3) -> f64 {
    dot(a, a).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(is_sphere: bool, size: V3, position: V3) -> Body {
        Body {
            is_dynamic: true,
            is_sphere,
            size,
            mass: 1.0,
            position,
            orientation: [1.0, 0.0, 0.0, 0.0],
        }
    }

    fn scene_of(bodies: Vec<Body>) -> Scene {
        Scene {
            name: "test".into(),
            bodies,
            ..Scene::default()
        }
    }

    #[test]
    fn depths_are_those_of_closed_forms() {
        let cube = [0.5; 3];
        for (a, b, expected) in [
            (
                body(true, [0.5, 0.0, 0.0], [0.0; 3]),
                body(true, [0.5, 0.0, 0.0], [0.9, 0.0, 0.0]),
                0.1,
            ),
            (
                body(true, [0.5, 0.0, 0.0], [0.0; 3]),
                body(false, cube, [0.0, 0.0, 0.95]),
                0.05,
            ),
            (
                body(false, cube, [0.0; 3]),
                body(false, cube, [0.3, 0.98, 0.2]),
                0.02,
            ),
        ] {
            let scene = scene_of(vec![a, b]);
            let found = measure(&scene, &start(&scene));
            let diameter = diameter(&scene);
            assert!(
                (found.max_penetration * diameter - expected).abs() < 1e-12,
                "{found:?}"
            );
            assert_eq!(found.overlapping_pairs, 1);
        }
    }

    #[test]
    fn energy_counts_translation_and_rotation() {
        let scene = scene_of(vec![body(false, [0.5, 1.0, 1.5], [0.0; 3])]);
        let mut states = start(&scene);
        states[0].linear_velocity = [3.0, 0.0, 4.0];
        states[0].angular_velocity = [0.0, 2.0, 0.0];
        // 25 / 2, and a rotation about y with inertia (0.25 + 2.25) / 3.
        let expected = 12.5 + 0.5 * 2.5 / 3.0 * 4.0;
        assert!((measure(&scene, &states).ke_per_body - expected).abs() < 1e-12);
    }
}
