//! What does not bounce stays where it falls.

use drystone::math::{Pose, Quat, Vec3};
use drystone::scene::{Overrides, Scene};
use drystone::solver::cpu::CpuSolver;
use drystone::step::{Settings, Simulation};
use drystone::world::{Body, Shape, World};

/// A body of half height `half` that falls flat by `fall`, both in metres.
fn falls(shape: &str, (half, fall): (f64, f64), h: f64, more: &str) -> String {
    let height = half + fall;
    format!(
        r#"
name = "falls_flat"
[simulation]
dt = {h}
steps = 1
[[body]]
name = "ground"
kind = "fixed"
shape = {{ type = "half_space", normal = [0, 0, 1] }}
[[body]]
name = "falling"
shape = {shape}
position = [0, 0, {height}]
density = 1000
{more}
"#
    )
}

/// How high it hops after it has met the ground, over its fall.
fn hop(text: &str, half: f64, fall: f64, h: f64) -> f64 {
    let scene = Scene::parse("falls.toml".as_ref(), text, &Overrides::default()).unwrap();
    let solver = Box::new(CpuSolver::new());
    let mut simulation = Simulation::new(scene.world, scene.settings, solver).unwrap();
    let lasts = (2.0 * fall / 9.81).sqrt();
    let met = (lasts / h) as usize + 3;
    let mut highest = f64::NEG_INFINITY;
    for step in 0..3 * met {
        simulation.step().unwrap();
        if step >= met {
            highest = highest.max(simulation.world().bodies[1].pose.position.z - half);
        }
    }
    highest / fall
}

/// Of the fall, 1 to 4 % came back where a sweep took each corner once.
#[test]
fn what_falls_flat_does_not_hop() {
    for (size, h) in [
        (0.05, 1.0 / 60.0),
        (1.0, 1.0 / 60.0),
        (1.0, 1.0 / 240.0),
        (5.0, 1.0 / 60.0),
        (20.0, 1.0 / 60.0),
    ] {
        let [half, fifth, tenth] = [0.5, 0.2, 0.1].map(|part| part * size);
        let tall = 0.6 * size;
        for (shape, height) in [
            (
                format!("{{ type = \"box\", half_extents = [{half}, {half}, {half}] }}"),
                half,
            ),
            (
                format!("{{ type = \"box\", half_extents = [{half}, {half}, {tenth}] }}"),
                tenth,
            ),
            (
                format!("{{ type = \"box\", half_extents = [{fifth}, {fifth}, {tall}] }}"),
                tall,
            ),
            (
                format!("{{ type = \"cylinder\", radius = {half}, half_length = {fifth} }}"),
                fifth,
            ),
            (
                format!(
                    "{{ type = \"prism\", sides = 6, radius = {half}, half_length = {fifth} }}"
                ),
                fifth,
            ),
        ] {
            for fall in [0.3, 1.0, 5.0].map(|sizes| sizes * size) {
                let text = falls(&shape, (height, fall), h, "");
                let part = hop(&text, height, fall, h);
                assert!(part < 0.004, "{part} of {fall} m, {shape}, {h} s");
            }
        }
    }
}

/// Worlds with joints have substeps of their own.
#[test]
fn neither_does_it_beside_a_joint() {
    let pendulum = r#"
[[body]]
name = "hanging"
shape = { type = "sphere", radius = 0.5 }
position = [50, 0, 50]
density = 1000
[[joint]]
name = "hook"
type = "ball"
a = "hanging"
anchor = [50, 0, 51]
"#;
    let plate = "{ type = \"box\", half_extents = [0.5, 0.5, 0.1] }";
    for (fall, h) in [(0.3, 1.0 / 60.0), (5.0, 1.0 / 60.0), (1.0, 1.0 / 240.0)] {
        let text = falls(plate, (0.1, fall), h, pendulum);
        let part = hop(&text, 0.1, fall, h);
        assert!(part < 0.002, "{part} of {fall} m, {h} s");
    }
}

/// A ball or a cube on a plate that shakes with three times g leaves it where the plate falls as fast as it does, and meets it again before it is
/// thrown anew.
#[test]
fn a_shaken_plate_throws_as_high_as_it_should() {
    let (g, amplitude, frequency) = (9.81, 0.0074547, 10.0);
    let w = std::f64::consts::TAU * frequency;
    // The ball leaves at an acceleration of -g.
    let sine: f64 = g / (amplitude * w * w);
    let speed = amplitude * w * (1.0 - sine * sine).sqrt();
    let highest = amplitude * sine + speed * speed / (2.0 * g);
    for shape in [
        "{ type = \"sphere\", radius = 0.025 }",
        "{ type = \"box\", half_extents = [0.025, 0.025, 0.025] }",
    ] {
        for steps in [60_u32, 120, 240, 1000] {
            let h = 1.0 / f64::from(steps);
            let text = format!(
                r#"
name = "shaken"
[simulation]
dt = {h}
steps = 1
[[body]]
name = "plate"
kind = "kinematic"
shape = {{ type = "box", half_extents = [0.5, 0.5, 0.02] }}
position = [0, 0, -0.02]
motion = {{ type = "sinusoidal", amplitude = [0, 0, {amplitude}], frequency = {frequency}, start = 0.2 }}
[[body]]
name = "thrown"
shape = {shape}
position = [0, 0, 0.025]
density = 1000
"#
            );
            let scene = Scene::parse("shaken.toml".as_ref(), &text, &Overrides::default()).unwrap();
            let solver = Box::new(CpuSolver::new());
            let mut simulation = Simulation::new(scene.world, scene.settings, solver).unwrap();
            for _ in 0..steps {
                simulation.step().unwrap();
                let since = simulation.world().time - 0.2;
                // Near the top, where the velocity is small, once the first throws are over.
                let phase = (since * frequency).fract();
                if since < 0.2 || !(0.4..0.6).contains(&phase) {
                    continue;
                }
                let body = &simulation.world().bodies[1];
                let rise = body.linear_velocity.z.powi(2) / (2.0 * g);
                let apex = body.pose.position.z - 0.025 + rise;
                let off = apex / highest - 1.0;
                let limit = if steps < 1000 { 0.03 } else { 0.002 };
                assert!(off.abs() < limit, "{shape}, 1/{steps} s, {since} s: {off}");
            }
        }
    }
}

/// Bodies that overlap are moved apart by the second LCP: that gives them no speed, and leaves their centre of mass where it is.
#[test]
fn what_is_moved_apart_stays_where_it_has_come_to() {
    for size in [0.005, 0.1, 5.0] {
        for substeps in ["", "substeps = 4"] {
            let radius = 0.5 * size;
            let scene = format!(
                r#"
name = "overlapping"
[simulation]
dt = 0.016666666666666666
steps = 1
gravity = [0, 0, 0]
{substeps}
[[body]]
name = "heavy"
shape = {{ type = "sphere", radius = {radius} }}
position = [0, 0, 0]
density = 5000
[[body]]
name = "light"
shape = {{ type = "sphere", radius = {radius} }}
position = [{}, 0, 0]
density = 1000
"#,
                0.4 * size
            );
            let scene = Scene::parse("two.toml".as_ref(), &scene, &Overrides::default()).unwrap();
            let solver = Box::new(CpuSolver::new());
            let mut simulation = Simulation::new(scene.world, scene.settings, solver).unwrap();
            let place = |simulation: &Simulation, body: usize| {
                simulation.world().bodies[body].pose.position.x
            };
            let middle =
                |simulation: &Simulation| (5.0 * place(simulation, 0) + place(simulation, 1)) / 6.0;
            let before = middle(&simulation);
            for _ in 0..120 {
                simulation.step().unwrap();
            }
            let apart = place(&simulation, 1) - place(&simulation, 0);
            assert!((0.995..1.03).contains(&(apart / size)), "{size}: {apart} m");
            assert!((middle(&simulation) - before).abs() < 1e-5 * size, "{size}");
            let bodies = &simulation.world().bodies;
            let speed = (bodies[1].linear_velocity - bodies[0].linear_velocity).norm();
            // Without gravity their springs push 0.0075 sizes a second, and soft rows hold a tenth of that impulse.
            assert!(speed <= 1.1 * 0.0075 * size, "{size}: {speed} m/s");
        }
    }
}

/// A body that flies by several times its size in a step meets what it was far from at the start of it, and stops before it.
#[test]
fn what_is_fast_passes_nothing() {
    let plate = r#"{ type = "box", half_extents = [0.01, 1, 1] }"#;
    let ball = r#"{ type = "sphere", radius = 0.1 }"#;
    let sheet = r#"{ type = "mesh", vertices = [[0, -1, -1], [0, 1, -1], [0, 1, 1], [0, -1, 1]], triangles = [[0, 2, 1], [0, 3, 2]] }"#;
    for speed in [12.0, 36.0, 100.0, 300.0] {
        for (shape, kind) in [
            (plate, "fixed"),
            (plate, "dynamic"),
            (ball, "fixed"),
            (sheet, "fixed"),
        ] {
            for start in 0..8 {
                let start = -1.2 - speed / 60.0 / 8.0 * f64::from(start);
                let density = if kind == "fixed" { "" } else { "density = 1e6" };
                let text = format!(
                    r#"
name = "flies"
[simulation]
dt = 0.016666666666666666
steps = 1
gravity = [0, 0, 0]
[[body]]
name = "stands"
kind = "{kind}"
shape = {shape}
{density}
[[body]]
name = "flies"
shape = {ball}
density = 1000
position = [{start}, 0, 0]
linear_velocity = [{speed}, 0, 0]
"#
                );
                let scene = Scene::parse("flies.toml".as_ref(), &text, &Overrides::default());
                let scene = scene.unwrap();
                let solver = Box::new(CpuSolver::new());
                let mut simulation = Simulation::new(scene.world, scene.settings, solver).unwrap();
                for _ in 0..16 {
                    simulation.step().unwrap();
                }
                let x = simulation.world().bodies[1].pose.position.x;
                assert!(
                    x < -0.09,
                    "{kind} {shape}, {speed} m/s from {start} m: {x} m"
                );
            }
        }
    }
}

/// Balls at rest that are hit within a step stop before what is behind them, though at the start of the step they were not on the way to it.
#[test]
fn what_is_hit_is_driven_through_nothing() {
    let plate = r#"{ type = "box", half_extents = [0.005, 1, 1] }"#;
    let sheet = r#"{ type = "mesh", vertices = [[0, -1, -1], [0, 1, -1], [0, 1, 1], [0, -1, 1]], triangles = [[0, 2, 1], [0, 3, 2]] }"#;
    let ball = |x: f64, radius: f64, speed: f64| {
        format!(
            r#"
[[body]]
shape = {{ type = "sphere", radius = {radius} }}
density = 1000
position = [{x}, 0, 0]
linear_velocity = [{speed}, 0, 0]
"#
        )
    };
    for speed in [3.0, 12.0, 36.0, 100.0] {
        for (shape, in_a_row) in [(plate, 1), (plate, 2), (sheet, 1)] {
            for gap in [0.002, 0.03, 0.1] {
                for start in 0..4 {
                    let way = speed / 60.0 * (0.1 + 0.25 * f64::from(start));
                    let row = (1..=in_a_row).map(|k| 0.2 * f64::from(k) - 0.1 + gap);
                    let row = row.map(|x| ball(-x, 0.1, 0.0)).collect::<String>();
                    let hitting = -0.2 * f64::from(in_a_row) - gap - way - 0.3;
                    let hitting = ball(hitting, 0.3, speed);
                    let text = format!(
                        r#"
name = "hits"
[simulation]
dt = 0.016666666666666666
steps = 1
gravity = [0, 0, 0]
[materials.default]
restitution = 0.5
[[body]]
kind = "fixed"
shape = {shape}
{row}
{hitting}
"#
                    );
                    let scene = Scene::parse("hits.toml".as_ref(), &text, &Overrides::default());
                    let scene = scene.unwrap();
                    let solver = Box::new(CpuSolver::new());
                    let mut simulation =
                        Simulation::new(scene.world, scene.settings, solver).unwrap();
                    for step in 0..8 {
                        simulation.step().unwrap();
                        for body in &simulation.world().bodies[1..] {
                            let x = body.pose.position.x;
                            assert!(
                                x < -0.03,
                                "step {step}, {shape}, {in_a_row} of {gap} m, {speed} m/s, {start}: {x} m"
                            );
                        }
                    }
                }
            }
        }
    }
}

/// Contacts that come within reach in the middle of a step, which is divided for something else, divide what is left of it.
#[test]
fn what_is_hit_late_in_a_step_parts_along_the_line_of_centres() {
    let direction = |start: f64, turn: f64| {
        let text = format!(
            r#"
name = "hit_beside_the_middle"
[simulation]
dt = {H}
steps = 1
gravity = [0, 0, 0]
[materials.smooth]
friction = 0
[[body]]
name = "hit"
material = "smooth"
shape = {{ type = "sphere", radius = 0.1 }}
density = 1000
[[body]]
name = "flying"
material = "smooth"
shape = {{ type = "sphere", radius = 0.1 }}
density = 1000
position = [{start}, -0.12, 0]
linear_velocity = [36, 0, 0]
[[body]]
name = "turning"
shape = {{ type = "box", half_extents = [0.5, 0.1, 0.1] }}
density = 1000
position = [0, 50, 0]
angular_velocity = [0, 0, {turn}]
"#
        );
        let scene = Scene::parse("hit.toml".as_ref(), &text, &Overrides::default()).unwrap();
        let solver = Box::new(CpuSolver::new());
        let mut simulation = Simulation::new(scene.world, scene.settings, solver).unwrap();
        for _ in 0..8 {
            simulation.step().unwrap();
        }
        let velocity = simulation.world().bodies[0].linear_velocity;
        velocity.y.atan2(velocity.x).to_degrees()
    };
    const H: f64 = 1.0 / 60.0;
    // Half of the distance of the centres is 0.1 m, and they are 0.06 m off: 36.9 degrees.
    for turn in [0.0, 24.0, 48.0] {
        for start in 0..12 {
            let found = direction(-2.0 - 0.05 * f64::from(start), turn);
            assert!(
                (found - 36.9).abs() < 10.0,
                "{start}, {turn}: {found} degrees"
            );
        }
    }
}

/// Cubes lie on each other, and a heavier one falls on them: how deep anything is pressed in, over the size, and the fastest that it goes back, over its speed.
fn falls_on_cubes(
    count: u32,
    size: f64,
    (ratio, speed): (f64, f64),
    restitution: f64,
) -> (f64, f64) {
    let half = 0.5 * size;
    let cube = |middle: f64, density: f64, speed: f64| {
        format!(
            r#"
[[body]]
shape = {{ type = "box", half_extents = [{half}, {half}, {half}] }}
position = [0, 0, {middle}]
density = {density}
linear_velocity = [0, 0, -{speed}]
material = "it"
"#
        )
    };
    let mut text = format!(
        r#"
name = "falls_on_cubes"
[simulation]
dt = 0.016666666666666666
steps = 1
[materials.it]
friction = 0.5
restitution = {restitution}
[[body]]
kind = "fixed"
shape = {{ type = "half_space", normal = [0, 0, 1] }}
material = "it"
"#
    );
    for at in 0..count {
        text += &cube(half + f64::from(at) * size, 1000.0, 0.0);
    }
    let above = (f64::from(count) + 0.6) * size;
    text += &cube(above, 1000.0 * ratio, speed);
    let scene = Scene::parse("cubes.toml".as_ref(), &text, &Overrides::default()).unwrap();
    let solver = Box::new(CpuSolver::new());
    let mut simulation = Simulation::new(scene.world, scene.settings, solver).unwrap();
    let (mut deepest, mut fastest) = (0.0_f64, 0.0_f64);
    for _ in 0..40 {
        deepest = deepest.max(simulation.step().unwrap().penetration.max);
        let falling = simulation.world().bodies.last().unwrap();
        fastest = fastest.max(falling.linear_velocity.z);
    }
    (deepest / size, fastest / speed)
}

/// One was pressed in by half of its size where what falls had 100 times the mass, and by all of it with 1,000 times.
#[test]
fn what_is_heavy_does_not_squeeze_what_it_falls_on() {
    for (ratio, one, three) in [(10.0, 0.05, 0.2), (100.0, 0.1, 0.2), (1000.0, 0.2, 0.2)] {
        for (size, speeds) in [(0.05, [1.0, 4.0]), (1.0, [4.0, 10.0])] {
            for speed in speeds {
                let (found, _) = falls_on_cubes(1, size, (ratio, speed), 0.0);
                assert!(found < one, "{size} m, {ratio}, {speed} m/s: {found}");
            }
        }
        for (size, speed) in [(0.05, 2.0), (1.0, 5.0)] {
            let (found, _) = falls_on_cubes(3, size, (ratio, speed), 0.0);
            assert!(found < three, "three of {size} m, {ratio}: {found}");
        }
    }
}

/// Neither where both may bounce. It bounced in each substep, on nothing but the light one's own mass, and sank through it with 100 times the mass; flat ones threw it back at
/// twice its speed.
#[test]
fn what_is_heavy_and_bounces_neither_sinks_in_nor_is_thrown_back() {
    for (restitution, ratio, speed) in [
        (0.3, 3.0, 4.0),
        (0.3, 30.0, 2.0),
        (0.3, 100.0, 8.0),
        (0.7, 100.0, 2.0),
        (0.3, 1000.0, 1.0),
        (0.7, 1000.0, 8.0),
    ] {
        for size in [0.05, 1.0] {
            let (deepest, fastest) = falls_on_cubes(1, size, (ratio, speed), restitution);
            let says = format!("{size} m, {ratio}, {speed} m/s, e = {restitution}");
            assert!(deepest < 0.1, "{says}: {deepest} deep");
            assert!(fastest < 0.3, "{says}: thrown back at {fastest}");
        }
    }
}

/// What has stopped it went on in the contacts above and below the one that lies, of which a sweep takes back a part: it went back with up to 0.34 of its speed.
#[test]
fn what_falls_on_one_that_lies_does_not_hop() {
    for ratio in [1.0, 3.0, 10.0, 30.0] {
        for (size, speed) in [(0.05, 1.0), (0.05, 4.0), (1.0, 2.0), (1.0, 8.0)] {
            let (_, fastest) = falls_on_cubes(1, size, (ratio, speed), 0.0);
            assert!(fastest < 0.15, "{size} m, {ratio}, {speed} m/s: {fastest}");
        }
    }
}

/// The step of the impact has hundreds of substeps, the next one few: what the impact had left was taken for a force that lasts, and threw the cube back with 0.75 of
/// its speed.
#[test]
fn an_impact_does_not_last_longer_because_substeps_do() {
    let text = r#"
name = "falls_on_a_ball"
[simulation]
dt = 0.016666666666666666
steps = 1
[[body]]
kind = "fixed"
shape = { type = "half_space", normal = [0, 0, 1] }
[[body]]
shape = { type = "sphere", radius = 0.5 }
position = [0, 0, 0.5]
density = 1000
[[body]]
shape = { type = "box", half_extents = [0.5, 0.5, 0.5] }
position = [0, 0, 1.6]
linear_velocity = [0, 0, -2]
density = 1e6
"#;
    let scene = Scene::parse("ball.toml".as_ref(), text, &Overrides::default()).unwrap();
    let solver = Box::new(CpuSolver::new());
    let mut simulation = Simulation::new(scene.world, scene.settings, solver).unwrap();
    let (mut most, mut least, mut fastest) = (0, u32::MAX, 0.0_f64);
    for _ in 0..40 {
        let substeps = simulation.step().unwrap().substeps;
        (most, least) = (most.max(substeps), least.min(substeps));
        fastest = fastest.max(simulation.world().bodies[2].linear_velocity.z);
    }
    assert!(most > 10 * least, "{least} to {most} substeps");
    assert!(fastest < 0.4, "{fastest} m/s");
}

/// A light ball that overlaps a heavy one by 0.15 of its diameter, and another light one on the other side, 0.09 of it away.
#[test]
fn what_is_pushed_out_of_one_body_is_not_pushed_into_another() {
    for (diameter, rate) in [(0.05_f64, 60.0), (1.0, 60.0), (0.05, 240.0)] {
        let mut world = World::new(Vec3::new(0.0, 0.0, -9.81));
        let ground = Shape::HalfSpace {
            normal: Vec3::z(),
            offset: 0.0,
        };
        world.add(Body::fixed(ground, Pose::identity())).unwrap();
        let mass = 1000.0 * diameter.powi(3);
        for (x, mass) in [(0.0, 30.0 * mass), (0.85, mass), (1.94, mass)] {
            let pose = Pose::new(Vec3::new(x, 0.0, 0.5) * diameter, Quat::identity());
            let radius = 0.5 * diameter;
            let ball = Body::dynamic_with_mass(Shape::Sphere { radius }, pose, mass);
            world.add(ball.unwrap()).unwrap();
        }
        let settings = Settings {
            time_step: 1.0 / rate,
            ..Settings::default()
        };
        let mut simulation = Simulation::new(world, settings, Box::new(CpuSolver::new())).unwrap();
        let mut deepest: f64 = 0.0;
        for _ in 0..rate as usize {
            simulation.step().unwrap();
            let [a, b] = [2, 3].map(|body| simulation.world().bodies[body].pose.position.x);
            deepest = deepest.max(1.0 - (b - a) / diameter);
        }
        let end = simulation.penetration().max / diameter;
        let what = format!("{diameter} m, 1/{rate} s: {deepest} in the third, {end} in the end");
        assert!(deepest < 0.03 && end < 0.01, "{what}");
    }
}
