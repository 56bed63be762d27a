//! Frozen velocity problems: those of a scene's last step, made once and kept in `target/frozen`.

#![allow(dead_code, reason = "each bench uses a part")]

use crate::support::by_two_problems;
use drystone::internals::constants::GRAVITY;
use drystone::problem::{Body, Contact, JointRow, Problem};
use drystone::scene::{Overrides, Scene};
use drystone::solver::cpu::CpuSolver;
use drystone::step::Simulation;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

/// A problem to solve, and the velocity that gravity adds in a step `[m/s]`.
#[derive(Debug, Clone)]
pub(crate) struct Frozen {
    pub(crate) problem: Problem,
    pub(crate) gh: f32,
}

/// Where a problem comes from.
pub(crate) enum Source {
    /// A file below `scenes`, and the steps it makes.
    File(&'static str, u32),
    /// Cubes of 1 m and 1 t on the ground, and the steps they make.
    Cubes(Vec<[f64; 3]>, u32),
    /// Spheres of 1 m +-10 % poured into a box.
    Spheres(Pour),
    /// A chain of rods of 1 kg, the last of them of this mass `[kg]`.
    Chain(u32, f32),
    /// The text of a scene, and the steps it makes.
    Text(String, u32),
}

/// Spheres of 1 m +-10 % on a jittered grid above the floor of a box.
pub(crate) struct Pour {
    /// Spheres along each side of the box.
    pub(crate) side: u32,
    /// How many in all.
    pub(crate) count: u32,
    /// Radius of a sphere among them, on the floor `[m]`; none if 0.
    pub(crate) intruder: f64,
    /// Steps before the problem is frozen.
    pub(crate) steps: u32,
}

/// Every problem by its name, short ones first.
pub(crate) fn sources() -> Vec<(&'static str, Source)> {
    let pour = |side, count, intruder, steps| {
        Source::Spheres(Pour {
            side,
            count,
            intruder,
            steps,
        })
    };
    vec![
        (
            "mass_ratio_100",
            Source::File("basics/mass_ratio_100.toml", 3),
        ),
        ("column40", Source::File("basics/column40.toml", 3)),
        ("chain_50", Source::Chain(50, 1.0)),
        ("chain_20_heavy", Source::Chain(20, 100.0)),
        ("wall_210", Source::Cubes(wall(20), 3)),
        ("wall_820", Source::Cubes(wall(40), 3)),
        ("pyramid_385", Source::Cubes(pyramid(10), 2)),
        (
            "pile_boxes_1k",
            Source::File("bench/pile_boxes_1k.toml", 100),
        ),
        (
            "pile_spheres_1k",
            Source::File("bench/pile_spheres_1k.toml", 100),
        ),
        ("wall_5050", Source::Cubes(wall(100), 2)),
        ("pyramid_2870", Source::Cubes(pyramid(20), 2)),
        ("pile_spheres_8k", pour(20, 8_000, 0.0, 150)),
        ("brazil_nut_8", pour(20, 8_000, 4.0, 150)),
        (
            "pile_spheres_16k",
            Source::File("bench/pile_spheres_16k.toml", 100),
        ),
        (
            "pile_spheres_16k_hub",
            Source::File("bench/pile_spheres_16k_hub.toml", 100),
        ),
        ("pile_spheres_64k", pour(40, 64_000, 0.0, 150)),
    ]
}

/// A wall of one cube less in each row, with gaps of 1 cm beside each.
fn wall(base: usize) -> Vec<[f64; 3]> {
    let rows = (0..base).flat_map(|row| (0..base - row).map(move |i| (row as f64, i as f64)));
    rows.map(|(row, i)| [1.01 * (i + 0.5 * row), 0.0, 0.5 + row])
        .collect()
}

/// Square layers of one row less each, likewise.
fn pyramid(base: usize) -> Vec<[f64; 3]> {
    let mut places = Vec::new();
    for layer in 0..base {
        for i in 0..base - layer {
            for j in 0..base - layer {
                let [x, y] = [i, j].map(|k| 1.01 * (k as f64 + 0.5 * layer as f64));
                places.push([x, y, 0.5 + layer as f64]);
            }
        }
    }
    places
}

/// The scene of some cubes.
fn cubes(places: &[[f64; 3]]) -> String {
    let mut text = String::from(
        r#"name = "cubes"
[simulation]
dt = 0.016666666666666666
steps = 1
[materials.default]
friction = 0.5
[[body]]
name = "floor"
kind = "fixed"
shape = { type = "half_space", normal = [0, 0, 1] }
"#,
    );
    for (index, place) in places.iter().enumerate() {
        let _ = writeln!(
            text,
            r#"[[body]]
name = "cube{index}"
shape = {{ type = "box", half_extents = [0.5, 0.5, 0.5] }}
position = {place:?}
density = 1000.0"#
        );
    }
    text
}

/// The scene of some spheres.
fn spheres(pour: &Pour) -> String {
    let width = 1.15 * f64::from(pour.side) + 0.05;
    let half = 0.5 * width;
    let height =
        1.15 * f64::from(pour.count.div_ceil(pour.side * pour.side)) + 2.0 * pour.intruder + 4.0;
    let mut text = format!(
        r#"name = "spheres"
[simulation]
dt = 0.016666666666666666
steps = 1
seed = 1
[solver]
method = "nesterov"
iterations = 40
[stabilization]
method = "post"
iterations = 20
[[container]]
name = "box"
inner = [{width}, {width}, {top}]
thickness = 1.0
"#,
        top = height + 2.0
    );
    if pour.intruder > 0.0 {
        let radius = pour.intruder;
        let _ = write!(
            text,
            r#"[[body]]
name = "intruder"
shape = {{ type = "sphere", radius = {radius} }}
position = [0.0, 0.0, {radius}]
density = 1000.0
"#
        );
    }
    let _ = write!(
        text,
        r#"[[fill]]
name = "pile"
region = {{ type = "box", min = [-{half}, -{half}, 0.05], max = [{half}, {half}, {height}] }}
arrangement = "jittered"
spacing = 1.15
jitter = 0.02
count = {count}
shapes = [{{ shape = {{ type = "sphere", radius = 0.5 }} }}]
scale = {{ type = "uniform", min = 0.9, max = 1.1 }}
density = 1000.0
"#,
        count = pour.count
    );
    text
}

impl Source {
    /// The problem, from `target/frozen` if it was made before.
    pub(crate) fn freeze(&self) -> Frozen {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let (text, file, steps) = match self {
            Self::Chain(links, last) => return chain(*links, *last),
            Self::File(file, steps) => {
                let path = root.join("scenes").join(file);
                let text = std::fs::read_to_string(&path).expect("a scene of this repository");
                (text, path, *steps)
            }
            Self::Cubes(places, steps) => (cubes(places), "cubes.toml".into(), *steps),
            Self::Spheres(pour) => (spheres(pour), "spheres.toml".into(), pour.steps),
            Self::Text(text, steps) => (text.clone(), "text.toml".into(), *steps),
        };
        let mut hasher = DefaultHasher::new();
        (&text, steps).hash(&mut hasher);
        let kept = root
            .join("target/frozen")
            .join(format!("{:016x}.bin", hasher.finish()));
        if let Some(frozen) = Frozen::read(&kept) {
            return frozen;
        }
        let mut scene = Scene::parse(&file, &text, &Overrides::default()).expect("a valid scene");
        if matches!(self, Self::File(..) | Self::Cubes(..)) {
            scene = by_two_problems(scene);
        }
        let frozen = after(scene, steps);
        frozen.write(&kept);
        frozen
    }
}

/// The velocity problem of a scene's last step; steps are solved with 200 iterations at most.
fn after(mut scene: Scene, steps: u32) -> Frozen {
    scene.settings.substeps = Some(0);
    let solver = &mut scene.settings.solver;
    solver.iterations = solver.iterations.min(200);
    let gh = (GRAVITY * scene.settings.time_step) as f32;
    let mut simulation =
        Simulation::new(scene.world, scene.settings, Box::new(CpuSolver::new())).expect("valid");
    for _ in 0..steps {
        simulation.step().expect("a step of a valid scene");
    }
    Frozen {
        problem: simulation.velocity_problem().clone(),
        gh,
    }
}

impl Frozen {
    /// Keeps bodies and contacts as they lie in memory; problems with joints are not kept.
    fn write(&self, path: &PathBuf) {
        if !self.problem.joint_rows.is_empty() {
            return;
        }
        let mut bytes = Vec::new();
        bytes.extend((self.problem.bodies.len() as u64).to_ne_bytes());
        bytes.extend(self.gh.to_ne_bytes());
        bytes.extend(bytemuck::cast_slice::<Body, u8>(&self.problem.bodies));
        bytes.extend(bytemuck::cast_slice::<Contact, u8>(&self.problem.contacts));
        if let Some(folder) = path.parent() {
            // Without it the next run makes the problem again.
            let _ = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(path, bytes));
        }
    }

    fn read(path: &Path) -> Option<Self> {
        let bytes = std::fs::read(path).ok()?;
        let (count, rest) = bytes.split_first_chunk::<8>()?;
        let (gh, rest) = rest.split_first_chunk::<4>()?;
        let split = u64::from_ne_bytes(*count) as usize * size_of::<Body>();
        let (bodies, contacts) = rest.split_at_checked(split)?;
        Some(Self {
            problem: Problem {
                bodies: values(bodies),
                contacts: values(contacts),
                ..Problem::default()
            },
            gh: f32::from_ne_bytes(*gh),
        })
    }
}

/// Numbers as they lay in memory.
fn values<T: bytemuck::AnyBitPattern>(bytes: &[u8]) -> Vec<T> {
    let parts = bytes.chunks_exact(size_of::<T>());
    parts.map(bytemuck::pod_read_unaligned).collect()
}

/// Rods of 0.2 m along x, joined by balls and hung at one end.
fn chain(links: u32, last: f32) -> Frozen {
    let gh = (GRAVITY / 60.0) as f32;
    let mut problem = Problem {
        bodies: vec![Body::immovable([0.0; 3], [0.0; 3])],
        ..Problem::default()
    };
    for link in 1..=links {
        let mass = if link == links { last } else { 1.0 };
        let inverse = 12.0 / (0.04 * mass);
        problem.bodies.push(Body::dynamic(
            1.0 / mass,
            [10.0 * inverse, 0.0, 0.0, inverse, 0.0, inverse],
            [0.0, 0.0, -gh],
            [0.0; 3],
        ));
        let arm_b = if link == 1 { 0.0 } else { 0.1 };
        // The arms lie along x: (arm, 0, 0) x axis.
        let moment = |arm: f32, axis: usize| match axis {
            1 => [0.0, 0.0, arm],
            2 => [0.0, -arm, 0.0],
            _ => [0.0; 3],
        };
        problem.joint_rows.extend((0..3).map(|axis| {
            let mut linear = [0.0; 3];
            linear[axis] = 1.0;
            JointRow {
                body_a: link,
                body_b: link - 1,
                linear,
                angular_a: moment(-0.1, axis),
                angular_b: moment(arm_b, axis).map(|x| -x),
                bias: 0.0,
                softness: 0.0,
                lower: -JointRow::UNBOUNDED,
                upper: JointRow::UNBOUNDED,
                impulse: 0.0,
            }
        }));
    }
    Frozen { problem, gh }
}
