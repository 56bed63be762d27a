//! The scenes by name: the same bodies, to the last digit, as the files that other harnesses read.
//!
//! Those are made by a Python script, so the random numbers are Python's (a Mersenne twister, 53 bits a
//! number), and numbers are rounded to nine digits as that script writes them.

use crate::scene::{Body, Scene};
use std::f64::consts::PI;

/// Names of all scenes, from the fastest to the slowest.
pub(crate) const NAMES: [&str; 6] = [
    "sphere_pile_1000",
    "box_pile_1000",
    "pyramid_60",
    "sphere_pile_4000",
    "box_pile_4000",
    "sphere_pile_16000",
];

/// `[kg/m^3]`.
const DENSITY: f64 = 1000.0;
const UPRIGHT: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

/// The scene of a name.
pub(crate) fn scene(name: &str) -> Option<Scene> {
    match name {
        "sphere_pile_1000" => Some(sphere_pile(1000, 10)),
        "sphere_pile_4000" => Some(sphere_pile(4000, 16)),
        "sphere_pile_16000" => Some(sphere_pile(16000, 25)),
        "box_pile_1000" => Some(box_pile(1000, 9)),
        "box_pile_4000" => Some(box_pile(4000, 14)),
        "pyramid_60" => Some(pyramid(60)),
        _ => None,
    }
}

/// Spheres of 1 m +-10 % dropped from a jittered grid into a box.
fn sphere_pile(count: usize, columns: usize) -> Scene {
    let mut random = PythonRandom::new(12345 + count as u32);
    let spacing = 1.15;
    let mut scene = empty(format!("sphere_pile_{count}"), 50);
    let width = columns as f64 * spacing + 0.05;
    let height = 1.3 * spacing * count as f64 / columns as f64 / columns as f64 + 2.0;
    container(&mut scene, width, height, 1.0);
    for place in grid(count, columns, spacing) {
        let radius = 0.5 * (0.9 + 0.2 * random.next());
        let position = place.map(|x| x + 0.02 * (2.0 * random.next() - 1.0));
        let mass = DENSITY * 4.0 / 3.0 * PI * radius.powf(3.0);
        add(
            &mut scene,
            true,
            [radius, 0.0, 0.0],
            mass,
            position,
            UPRIGHT,
        );
    }
    scene
}

/// Cubes of 1 m, turned at random, dropped from a jittered grid into a box.
fn box_pile(count: usize, columns: usize) -> Scene {
    let mut random = PythonRandom::new(54321 + count as u32);
    let spacing = 1.8;
    let mut scene = empty(format!("box_pile_{count}"), 50);
    let width = columns as f64 * spacing + 0.05;
    let height = 1.2 * spacing * count as f64 / columns as f64 / columns as f64 + 2.0;
    container(&mut scene, width, height, 1.0);
    for place in grid(count, columns, spacing) {
        let position = place.map(|x| x + 0.02 * (2.0 * random.next() - 1.0));
        let orientation = random.orientation();
        add_box(&mut scene, true, [0.5; 3], position, orientation);
    }
    scene
}

/// A wall of cubes, one fewer in each row, a tenth of a side apart.
fn pyramid(base: usize) -> Scene {
    let mut scene = empty(format!("pyramid_{base}"), 10);
    let floor = [200.0, 200.0, 0.5];
    add_box(&mut scene, false, floor, [0.0, 0.0, -0.5], UPRIGHT);
    for row in 0..base {
        for k in 0..base - row {
            let x = (k as f64 - (base - row - 1) as f64 / 2.0) * 1.1;
            let position = [x, 0.0, row as f64 + 0.5];
            add_box(&mut scene, true, [0.5; 3], position, UPRIGHT);
        }
    }
    scene
}

fn empty(name: String, every: usize) -> Scene {
    Scene {
        name,
        time_step: 1.0 / 60.0,
        steps: 600,
        gravity: [0.0, 0.0, -9.81],
        friction: 0.5,
        restitution: 0.0,
        every,
        bodies: Vec::new(),
    }
}

/// A floor whose top is at z = 0, and four walls.
fn container(scene: &mut Scene, width: f64, height: f64, thickness: f64) {
    let half = width / 2.0;
    let floor = [half + thickness, half + thickness, thickness / 2.0];
    add_box(scene, false, floor, [0.0, 0.0, -thickness / 2.0], UPRIGHT);
    for side in [-1.0, 1.0] {
        let size = [thickness / 2.0, half + thickness, height / 2.0];
        let place = [side * (half + thickness / 2.0), 0.0, height / 2.0];
        add_box(scene, false, size, place, UPRIGHT);
    }
    for side in [-1.0, 1.0] {
        let size = [half, thickness / 2.0, height / 2.0];
        let place = [0.0, side * (half + thickness / 2.0), height / 2.0];
        add_box(scene, false, size, place, UPRIGHT);
    }
}

/// Places in layers of `columns` by `columns`, the lowest first.
fn grid(count: usize, columns: usize, spacing: f64) -> impl Iterator<Item = [f64; 3]> {
    (0..count).map(move |index| {
        let (layer, rest) = (index / (columns * columns), index % (columns * columns));
        let (row, column) = (rest / columns, rest % columns);
        let middle = (columns as f64 - 1.0) / 2.0;
        [
            (column as f64 - middle) * spacing,
            (row as f64 - middle) * spacing,
            (layer as f64 + 0.5) * spacing + 0.05,
        ]
    })
}

fn add_box(
    scene: &mut Scene,
    is_dynamic: bool,
    half_extents: [f64; 3],
    position: [f64; 3],
    orientation: [f64; 4],
) {
    let [a, b, c] = half_extents;
    let mass = DENSITY * 8.0 * a * b * c;
    add(scene, false, half_extents, mass, position, orientation);
    if let Some(last) = scene.bodies.last_mut() {
        last.is_dynamic = is_dynamic;
    }
}

fn add(
    scene: &mut Scene,
    is_sphere: bool,
    size: [f64; 3],
    mass: f64,
    position: [f64; 3],
    orientation: [f64; 4],
) {
    scene.bodies.push(Body {
        is_dynamic: true,
        is_sphere,
        size: size.map(nine_digits),
        mass: nine_digits(mass),
        position: position.map(nine_digits),
        orientation: orientation.map(nine_digits),
    });
}

/// The number that nine significant digits of another one make.
fn nine_digits(number: f64) -> f64 {
    format!("{number:.8e}").parse().unwrap_or(number)
}

/// Python's `random.Random(seed)`: MT19937, seeded by an array of one word (Matsumoto and Nishimura 1998,
/// and their initialization of 2002).
struct PythonRandom {
    state: [u32; Self::N],
    at: usize,
}

impl PythonRandom {
    const N: usize = 624;
    const M: usize = 397;

    fn new(seed: u32) -> Self {
        let mut state = [0_u32; Self::N];
        state[0] = 19_650_218;
        for i in 1..Self::N {
            let last = state[i - 1];
            state[i] = 1_812_433_253_u32
                .wrapping_mul(last ^ (last >> 30))
                .wrapping_add(i as u32);
        }
        let mut i = 1;
        let mut advance = |state: &mut [u32; Self::N], factor: u32, add: &dyn Fn(usize) -> u32| {
            let last = state[i - 1];
            state[i] = (state[i] ^ (last ^ (last >> 30)).wrapping_mul(factor)).wrapping_add(add(i));
            i += 1;
            if i == Self::N {
                state[0] = state[Self::N - 1];
                i = 1;
            }
        };
        for _ in 0..Self::N {
            advance(&mut state, 1_664_525, &|_| seed);
        }
        for _ in 1..Self::N {
            advance(&mut state, 1_566_083_941, &|i| (i as u32).wrapping_neg());
        }
        state[0] = 0x8000_0000;
        Self { state, at: Self::N }
    }

    fn word(&mut self) -> u32 {
        if self.at == Self::N {
            for i in 0..Self::N {
                let next = self.state[(i + 1) % Self::N];
                let mixed = (self.state[i] & 0x8000_0000) | (next & 0x7fff_ffff);
                let twist = if next & 1 == 1 { 0x9908_b0df } else { 0 };
                self.state[i] = self.state[(i + Self::M) % Self::N] ^ (mixed >> 1) ^ twist;
            }
            self.at = 0;
        }
        let mut word = self.state[self.at];
        self.at += 1;
        word ^= word >> 11;
        word ^= (word << 7) & 0x9d2c_5680;
        word ^= (word << 15) & 0xefc6_0000;
        word ^ (word >> 18)
    }

    /// From 0 to 1.
    fn next(&mut self) -> f64 {
        let (high, low) = (self.word() >> 5, self.word() >> 6);
        (f64::from(high) * 67_108_864.0 + f64::from(low)) / 9_007_199_254_740_992.0
    }

    /// Uniform over all rotations (Shoemake 1992).
    fn orientation(&mut self) -> [f64; 4] {
        let u = self.next();
        let v = 2.0 * PI * self.next();
        let w = 2.0 * PI * self.next();
        let (a, b) = ((1.0 - u).sqrt(), u.sqrt());
        [b * w.cos(), a * v.sin(), a * v.cos(), b * w.sin()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_numbers_are_pythons() {
        // python3 -c "import random; r = random.Random(13345); print([r.random() for _ in range(3)])"
        let mut random = PythonRandom::new(13345);
        let drawn = [random.next(), random.next(), random.next()];
        assert_eq!(
            drawn,
            [0.14652098556311044, 0.8788210630689823, 0.5955604089370525]
        );
        let mut later = PythonRandom::new(13345);
        let thousandth = (0..1000).map(|_| later.next()).last();
        assert_eq!(thousandth, Some(0.026560265746836564));
    }

    #[test]
    fn scenes_survive_their_file() {
        for name in ["sphere_pile_1000", "box_pile_1000", "pyramid_60"] {
            let scene = scene(name).expect("a scene of this name");
            assert_eq!(Scene::parse(&scene.text()).as_ref(), Ok(&scene));
        }
    }
}
