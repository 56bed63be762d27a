//! Joints in motion, stepped on the CPU, against closed forms.

mod drives;
mod guides;
mod swings;

use drystone::math::{Pose, Quat, Vec3};
use drystone::solver::Options;
use drystone::solver::cpu::CpuSolver;
use drystone::stabilize::{Post, Stabilization};
use drystone::step::{Settings, Simulation};
use drystone::world::joint::{Joint, JointKind};
use drystone::world::{Body, Shape, World};

const G: f64 = 9.81;

/// A world with or without gravity, along -z.
fn world(gravity: f64) -> World {
    World::new(-Vec3::z() * gravity)
}

/// A rod of 1 kg along x, 0.6 m long.
fn rod(position: Vec3) -> Body {
    let shape = Shape::Box {
        half_extents: Vec3::new(0.3, 0.03, 0.03),
    };
    let frame = Pose::new(position, Quat::identity());
    Body::dynamic_with_mass(shape, frame, 1.0).unwrap()
}

/// A ball of 1 kg.
fn ball(position: Vec3) -> Body {
    let shape = Shape::Sphere { radius: 0.1 };
    let frame = Pose::new(position, Quat::identity());
    Body::dynamic_with_mass(shape, frame, 1.0).unwrap()
}

/// Stepped until nothing is left that f32 shows.
fn simulation(world: World, h: f64) -> Simulation {
    let solver = Options {
        iterations: 400,
        tolerance: 1e-8,
        check_every: 5,
        ..Options::default()
    };
    let settings = Settings {
        time_step: h,
        solver,
        stabilization: Stabilization {
            post: Post {
                solver: Options {
                    warm_start: false,
                    ..solver
                },
                ..Post::default()
            },
            ..Stabilization::both(drystone::stabilize::Scheme::Post)
        },
        ..Settings::post_stabilized()
    };
    Simulation::new(world, settings, Box::new(CpuSolver::new())).unwrap()
}

/// Steps through a time, looking at the world after each.
fn run(simulation: &mut Simulation, duration: f64, mut look: impl FnMut(&World)) {
    let steps = (duration / simulation.settings().time_step).round() as usize;
    for _ in 0..steps {
        simulation.step().unwrap();
        look(simulation.world());
    }
}

fn coordinate(world: &World, joint: usize) -> (f64, f64) {
    let at = world.joints[joint].coordinate(&world.bodies).unwrap();
    (at.value, at.rate)
}

/// A ball on a slider along z of the world, without gravity.
fn sliding_ball(gravity: f64, adapt: impl Fn(Joint) -> Joint) -> World {
    let mut world = world(gravity);
    world.add(ball(Vec3::zeros())).unwrap();
    let slider = Joint::at(JointKind::Slider, &world, 0, None, Vec3::zeros(), Vec3::z()).unwrap();
    world.add_joint(adapt(slider)).unwrap();
    world
}
