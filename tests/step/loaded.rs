//! Bodies whose centre of mass is given by hand.

use drystone::math::Vec3;
use drystone::scene::{Overrides, Scene};
use drystone::solver::cpu::CpuSolver;
use drystone::step::Simulation;
use drystone::world::Shape;
use std::f64::consts::TAU;
use std::path::Path;

fn scene(bodies: &str, steps: u32) -> drystone::Result<Scene> {
    let text = format!(
        "name = \"loaded\"\n[simulation]\ndt = 0.005\nsteps = {steps}\n[materials.rough]\nfriction = 1.0\nrestitution = 0.0\n\
         [[body]]\nkind = \"fixed\"\nshape = {{ type = \"half_space\", normal = [0, 0, 1] }}\nmaterial = \"rough\"\n{bodies}"
    );
    Scene::parse(Path::new("loaded.toml"), &text, &Overrides::default())
}

fn simulation(bodies: &str) -> Simulation {
    let scene = scene(bodies, 1).unwrap();
    Simulation::new(scene.world, scene.settings, Box::new(CpuSolver::new())).unwrap()
}

#[test]
fn a_loaded_ball_rocks_as_a_pendulum_does() {
    // Rolling without slipping about the point below: omega^2 = m g d / (I + m (r - d)^2).
    let (radius, d, inertia) = (0.5_f64, 0.2, 0.08);
    let mut simulation = simulation(
        "[[body]]\nname = \"ball\"\nshape = { type = \"sphere\", radius = 0.5 }\nposition = [0, 0, 0.5]\n\
         rotation = { axis = [1, 0, 0], degrees = 3 }\nmass = 1.0\ninertia = [0.08, 0.08, 0.08]\n\
         center_of_mass = [0, 0, -0.2]\nmaterial = \"rough\"\n",
    );
    let body = &simulation.world().bodies[1];
    assert!((body.frame().position - Vec3::new(0.0, 0.0, 0.5)).norm() < 1e-12);
    assert!((body.pose.position.z - (0.5 - 0.2 * 3.0_f64.to_radians().cos())).abs() < 1e-12);

    // Times at which it passes the middle in one direction.
    let lean =
        |simulation: &Simulation| (simulation.world().bodies[1].pose.orientation * Vec3::z()).y;
    let mut crossings = Vec::new();
    let mut before = lean(&simulation);
    for _ in 0..1200 {
        let report = simulation.step().unwrap();
        let now = lean(&simulation);
        if before < 0.0 && now >= 0.0 {
            crossings.push(report.time - 0.005 * now / (now - before));
        }
        before = now;
    }
    let periods = crossings.len() - 1;
    assert!(periods >= 2, "{crossings:?}");
    let period = (crossings[periods] - crossings[0]) / periods as f64;
    let expected = TAU / (9.81 * d / (inertia + (radius - d).powi(2))).sqrt();
    assert!(
        (period / expected - 1.0).abs() < 0.02,
        "{period} {expected}"
    );
}

#[test]
fn a_block_stands_or_topples_by_where_its_weight_is() {
    let block = |fixed: bool, center: f64| {
        format!(
            "[[body]]\nkind = \"fixed\"\nshape = {{ type = \"box\", half_extents = [0.5, 0.5, 0.5] }}\nposition = [0, 0, 0.5]\n\
             material = \"rough\"\n[[body]]\nshape = {{ type = \"box\", half_extents = [0.5, 0.2, 0.2] }}\n\
             position = [0.4, 0, 1.2]\nmass = 1.0\ncenter_of_mass = [{center}, 0, 0]\nmaterial = \"rough\"\n{}",
            if fixed { "kind = \"fixed\"\n" } else { "" }
        )
    };
    // The edge below is at 0.5, 0.1 beyond the middle of the block.
    for (center, stands) in [(-0.3, true), (0.08, true), (0.12, false), (0.45, false)] {
        let mut simulation = simulation(&block(false, center));
        for _ in 0..400 {
            simulation.step().unwrap();
        }
        let top = simulation.world().bodies[2].frame().position.z;
        assert_eq!((top - 1.2).abs() < 1e-3, stands, "{center}: {top}");
    }
    let error = scene(&block(true, 0.1).replace("mass = 1.0\n", ""), 1).unwrap_err();
    assert!(error.to_string().contains("center_of_mass"), "{error}");
    let error = scene(&block(false, 0.7), 1).unwrap_err().to_string();
    assert!(
        error.contains("loaded.toml:") && error.contains("outside of the shape"),
        "{error}"
    );
}

#[test]
fn every_shape_stays_where_it_was_given() {
    let shapes = [
        "{ type = \"sphere\", radius = 0.5 }",
        "{ type = \"box\", half_extents = [0.5, 0.2, 0.3] }",
        "{ type = \"capsule\", half_length = 0.3, radius = 0.2 }",
        "{ type = \"cylinder\", half_length = 0.3, radius = 0.2 }",
        "{ type = \"cone\", height = 0.6, radius = 0.2 }",
        "{ type = \"rock\", points = 20, radii = [0.5, 0.4, 0.3], seed = 1 }",
        "{ type = \"compound\", parts = [{ shape = { type = \"sphere\", radius = 0.5 } }] }",
    ];
    for shape in shapes {
        let world = |center: &str| {
            let body = format!(
                "[[body]]\nshape = {shape}\nposition = [1, 2, 3]\nrotation = {{ axis = [1, 2, 1], degrees = 40 }}\n\
                 density = 1000\n{center}"
            );
            scene(&body, 1).unwrap().world
        };
        let (plain, moved) = (world(""), world("center_of_mass = [0.05, 0.1, -0.08]\n"));
        let [plain, moved] = [&plain.bodies[1], &moved.bodies[1]];
        assert_eq!(plain.mass, moved.mass, "{shape}");
        let [a, b] = [plain, moved].map(|body| body.shape.aabb(&body.pose));
        assert!(
            (a.min - b.min).norm() + (a.max - b.max).norm() < 1e-9,
            "{shape}"
        );
        assert!(!matches!(moved.shape, Shape::Sphere { .. }));
    }
}
