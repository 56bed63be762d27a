//! Bodies that bounce rise to the square of their restitution, whatever their shape and on however many points they land.

use drystone::math::{Pose, Quat, Vec3};
use drystone::solver::cpu::CpuSolver;
use drystone::step::{Settings, Simulation};
use drystone::world::joint::{Joint, JointKind};
use drystone::world::{Body, Material, Shape, World};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::f64::consts::FRAC_PI_2;

const G: f64 = 9.81;

fn cuboid(x: f64, y: f64, z: f64) -> Shape {
    Shape::Box {
        half_extents: Vec3::new(x, y, z),
    }
}

/// Shapes of about a size, how they are turned, and the height of their middle over what they lie on.
fn shapes(size: f64) -> Vec<(&'static str, Shape, Quat, f64)> {
    let upright = Quat::identity();
    let cylinder = |radius: f64, half_length: f64| Shape::Cylinder {
        radius: radius * size,
        half_length: half_length * size,
    };
    let sized = |x: f64, y: f64, z: f64| cuboid(x * size, y * size, z * size);
    let mut all = vec![
        ("cube", sized(0.5, 0.5, 0.5), upright, 0.5),
        ("brick", sized(0.5, 0.25, 0.1), upright, 0.1),
        ("plate", sized(0.5, 0.5, 0.05), upright, 0.05),
        ("tall box", sized(0.1, 0.1, 0.5), upright, 0.5),
        ("cylinder", cylinder(0.5, 0.5), upright, 0.5),
        ("disc", cylinder(0.5, 0.1), upright, 0.1),
        (
            "lying capsule",
            Shape::Capsule {
                radius: 0.2 * size,
                half_length: 0.5 * size,
            },
            Quat::from_axis_angle(&Vec3::x_axis(), FRAC_PI_2),
            0.2,
        ),
    ];
    for (.., height) in &mut all {
        *height *= size;
    }
    all
}

/// A plane of some restitution, alone in the world.
fn ground(restitution: f64) -> World {
    let mut world = World::new(Vec3::new(0.0, 0.0, -G));
    world.materials[0] = Material {
        friction: 0.3,
        restitution,
    };
    let ground = Shape::HalfSpace {
        normal: Vec3::z(),
        offset: 0.0,
    };
    world.add(Body::fixed(ground, Pose::identity())).unwrap();
    world
}

fn simulation(world: World, h: f64) -> Simulation {
    let settings = Settings {
        time_step: h,
        ..Settings::default()
    };
    Simulation::new(world, settings, Box::new(CpuSolver::new())).unwrap()
}

/// Over e^2 and e^4 times its fall, how high a body rises after its first and its second landing.
fn rises(
    (shape, turn, middle): (Shape, Quat, f64),
    restitution: f64,
    (size, h): (f64, f64),
    beside: bool,
) -> [f64; 2] {
    let fall = 2.0 * size;
    let mut world = ground(restitution);
    let pose = Pose::new(Vec3::new(0.0, 0.0, middle + fall), turn);
    world
        .add(Body::dynamic(shape, pose, 1000.0).unwrap())
        .unwrap();
    if beside {
        // Worlds with joints have substeps of their own.
        let away = Vec3::new(50.0 * size, 0.0, 50.0 * size);
        let pose = Pose::new(away, Quat::identity());
        let ball = Shape::Sphere { radius: 0.5 * size };
        let ball = world
            .add(Body::dynamic(ball, pose, 1000.0).unwrap())
            .unwrap();
        let above = away + Vec3::z() * size;
        let joint = Joint::at(JointKind::Ball, &world, ball, None, above, Vec3::z());
        world.add_joint(joint.unwrap()).unwrap();
    }
    let mut simulation = simulation(world, h);
    let first = (2.0 * fall / G).sqrt();
    let second = first * (1.0 + 2.0 * restitution);
    let third = second + first * 2.0 * restitution * restitution;
    let mut highest = [0.0_f64; 2];
    while simulation.world().time < third {
        simulation.step().unwrap();
        let time = simulation.world().time;
        let height = simulation.world().bodies[1].pose.position.z - middle;
        // Not while it lands.
        let flights = [(first, second), (second, third)];
        for (highest, (begin, end)) in highest.iter_mut().zip(flights) {
            let early = 0.2 * (end - begin);
            if time > begin + early && time < end - early {
                *highest = highest.max(height);
            }
        }
    }
    let squared = restitution * restitution;
    [
        highest[0] / (fall * squared),
        highest[1] / (fall * squared * squared),
    ]
}

/// Soft rows that share an impulse gave way by more or less than they should: peaks were 0.66 to 1.44 of these.
#[test]
fn all_shapes_rise_by_the_square_of_restitution() {
    for (size, h) in [(1.0, 1.0 / 60.0), (1.0, 1.0 / 240.0), (0.05, 1.0 / 240.0)] {
        for restitution in [0.5, 0.9] {
            for (name, shape, turn, middle) in shapes(size) {
                let body = (shape, turn, middle);
                for (number, rise) in rises(body, restitution, (size, h), false)
                    .iter()
                    .enumerate()
                {
                    assert!(
                        (rise - 1.0).abs() < 0.02,
                        "{name} of {size} m, e = {restitution}, {h} s, bounce {number}: {rise}"
                    );
                }
            }
        }
    }
}

#[test]
fn so_they_do_beside_a_joint() {
    for (size, h) in [(1.0, 1.0 / 60.0), (0.05, 1.0 / 240.0)] {
        for (name, shape, turn, middle) in shapes(size) {
            let body = (shape, turn, middle);
            for (number, rise) in rises(body, 0.5, (size, h), true).iter().enumerate() {
                assert!(
                    (rise - 1.0).abs() < 0.02,
                    "{name} of {size} m, {h} s, bounce {number}: {rise}"
                );
            }
        }
    }
}

/// A bounce found in a search within the step is solved as well as one that was seen coming at its start.
#[test]
fn no_bounce_turns_what_lands_flat() {
    let (size, h) = (0.05, 1.0 / 60.0);
    let mut world = ground(0.5);
    for (place, (_, shape, turn, middle)) in (0_u32..).zip(shapes(size)) {
        let at = Vec3::new(3.0 * size * f64::from(place), 0.0, middle + 2.0 * size);
        let body = Body::dynamic(shape, Pose::new(at, turn), 1000.0);
        world.add(body.unwrap()).unwrap();
    }
    let mut simulation = simulation(world, h);
    let first = (4.0 * size / G).sqrt();
    while simulation.world().time < 1.8 * first {
        simulation.step().unwrap();
    }
    for (body, (name, ..)) in simulation.world().bodies[1..].iter().zip(shapes(size)) {
        let spin = body.angular_velocity.norm() * (size / G).sqrt();
        assert!(spin < 1e-4, "{name}: {spin}");
    }
}

/// Speeds of five balls in a row that touch, over that of the first ones, which hit the others so far into a step; at the most that their energy is over the start.
fn row_of_balls(
    restitution: f64,
    size: f64,
    speed: f64,
    (first, late): (usize, f64),
) -> ([f64; 5], f64) {
    let mut world = World::new(Vec3::zeros());
    world.materials[0].restitution = restitution;
    let (h, v) = (1.0 / 60.0, speed * (G * size).sqrt());
    for k in 0..5 {
        let is_fast = k < first;
        let gap = if is_fast { (1.0 + late) * h * v } else { 0.0 };
        let place = Vec3::x() * (size * k as f64 - gap);
        let ball = Shape::Sphere { radius: 0.5 * size };
        let pose = Pose::new(place, Quat::identity());
        let mut body = Body::dynamic(ball, pose, 1000.0).unwrap();
        body.linear_velocity.x = if is_fast { v } else { 0.0 };
        world.add(body).unwrap();
    }
    let mut run = simulation(world, h);
    let start = run
        .world()
        .bodies
        .iter()
        .map(|b| b.linear_velocity.x.powi(2));
    let start: f64 = start.sum();
    let mut most: f64 = 0.0;
    for _ in 0..12 {
        run.step().unwrap();
        let now = run
            .world()
            .bodies
            .iter()
            .map(|b| b.linear_velocity.x.powi(2));
        most = most.max(now.sum::<f64>() / start);
    }
    let speeds = std::array::from_fn(|k| run.world().bodies[k].linear_velocity.x / v);
    (speeds, most)
}

/// In places that no number of the machine stands for, balls of 5 cm were in each other by a rounding, pressed on each other, and left together. Two that hit three others
/// gained 0.11 of their energy with 0.9.
#[test]
fn a_row_of_balls_hands_an_impact_on_and_gains_nothing() {
    for (size, speed) in [(0.05, 0.3), (0.05, 3.0), (1.0, 1.0)] {
        for (first, late) in [(1, 0.2), (1, 0.9), (2, 0.1), (2, 0.5)] {
            let (speeds, most) = row_of_balls(1.0, size, speed, (first, late));
            let says =
                format!("{first} of {size} m, {late} of a step late: {speeds:?}, energy {most}");
            assert!(most < 1.0 + 1e-5, "{says}");
            for (k, speed) in speeds.iter().enumerate() {
                let right = if k >= 5 - first { 1.0 } else { 0.0 };
                assert!((speed - right).abs() < 0.01, "{says}");
            }
            for restitution in [0.9, 0.5] {
                let (speeds, most) = row_of_balls(restitution, size, speed, (first, late));
                let says = format!(
                    "{first} of {size} m, restitution {restitution}: {speeds:?}, energy {most}"
                );
                assert!(most < 1.0 + 1e-5, "{says}");
                let momentum: f64 = speeds.iter().sum();
                assert!((momentum - first as f64).abs() < 1e-4, "{says}");
            }
        }
    }
}

/// A ball that hits a rack of fifteen which nearly touch had 1.9 times its energy afterwards with a restitution of 1, in large worlds 1.15 times with 0.9.
#[test]
fn a_rack_that_is_broken_gains_nothing() {
    let (d, h) = (0.057, 1.0 / 60.0);
    for (restitution, others) in [(1.0, 0), (0.9, 0), (1.0, 700), (0.9, 700)] {
        let mut world = ground(restitution);
        world.materials[0].friction = 0.0;
        let ball = |x: f64, y: f64, speed: f64| {
            let pose = Pose::new(Vec3::new(x, y, 0.5 * d), Quat::identity());
            let body = Body::dynamic(Shape::Sphere { radius: 0.5 * d }, pose, 1700.0).unwrap();
            body.moving(Vec3::x() * speed, Vec3::zeros())
        };
        for row in 0..5 {
            for place in 0..=row {
                let apart = d + 5e-4;
                let x = f64::from(row) * apart * 0.75_f64.sqrt();
                let y = (f64::from(place) - 0.5 * f64::from(row)) * apart;
                world.add(ball(x, y, 0.0)).unwrap();
            }
        }
        world.add(ball(-1.1 * d, 0.0, 1.0)).unwrap();
        // Contacts of which there are too many for several sweeps of all.
        for k in 0..others {
            world
                .add(ball(20.0 + 2.0 * d * f64::from(k), 0.0, 0.0))
                .unwrap();
        }
        let potential = drystone::measure::energy(&world).potential;
        let start = drystone::measure::energy(&world).kinetic;
        let mut run = simulation(world, h);
        for _ in 0..12 {
            let energy = run.step().unwrap().energy;
            let part = (energy.kinetic + energy.potential - potential) / start;
            assert!(
                part < 1.005,
                "{restitution}, {others} others: {part} of the energy"
            );
        }
        let last = &run.world().bodies[15];
        assert!(
            last.linear_velocity.norm() > 0.1,
            "the corner of the rack was not hit"
        );
    }
}

/// `n^3` elastic spheres of diameter `d` on a lattice `space` wide, in a room that fits it, with up to this speed along each axis.
fn gas(n: u32, d: f64, space: f64, speed: f64) -> World {
    let side = f64::from(n) * space;
    let mut world = World::new(Vec3::zeros());
    world.materials[0] = Material {
        friction: 0.0,
        restitution: 1.0,
    };
    for axis in 0..3 {
        for sign in [1.0, -1.0] {
            let mut normal = Vec3::zeros();
            normal[axis] = sign;
            let wall = Shape::HalfSpace {
                normal,
                offset: -0.5 * side,
            };
            world.add(Body::fixed(wall, Pose::identity())).unwrap();
        }
    }
    let mut random = Pcg64::seed_from_u64(5);
    for k in 0..n.pow(3) {
        let middle = 0.5 * f64::from(n - 1);
        let place = [k % n, k / n % n, k / (n * n)].map(|at| space * (f64::from(at) - middle));
        let pose = Pose::new(Vec3::from(place), Quat::identity());
        let mut ball = Body::dynamic(Shape::Sphere { radius: 0.5 * d }, pose, 1000.0).unwrap();
        ball.linear_velocity = Vec3::from_fn(|_, _| random.random_range(-speed..speed));
        world.add(ball).unwrap();
    }
    world
}

/// 64 elastic spheres in a room of which they fill a third had 4 times their energy after two seconds.
#[test]
fn a_dense_gas_gains_nothing() {
    let world = gas(4, 0.05, 1.15 * 0.05, 0.7);
    let start = drystone::measure::energy(&world).kinetic;
    let mut run = simulation(world, 1.0 / 60.0);
    for _ in 0..60 {
        let report = run.step().unwrap();
        let part = report.energy.kinetic / start;
        assert!(part < 1.005, "{part} of the energy at {} s", report.time);
    }
}

/// Of a room of which spheres fill 0.3. A fast gas had 0.87 of its energy after a second: what parts after an impact gave way to the next one that pressed it back, and came back
/// without a bounce. A slow one had 1.007 after five: a few impacts were solved as if each were alone, of bodies that had met another in the same substep.
#[test]
fn a_dense_gas_loses_next_to_nothing() {
    let d = 0.05;
    let space = d * (std::f64::consts::PI / 6.0 / 0.3).cbrt();
    for (speed, rate, seconds) in [(2.8, 240_u32, 1), (0.7, 1000, 5)] {
        let world = gas(6, d, space, speed);
        let start = drystone::measure::energy(&world).kinetic;
        let mut run = simulation(world, 1.0 / f64::from(rate));
        let mut part = 1.0;
        for _ in 0..rate * seconds {
            part = run.step().unwrap().energy.kinetic / start;
        }
        assert!(
            (0.995..1.003).contains(&part),
            "{part} of the energy, 1/{rate} s"
        );
    }
}
