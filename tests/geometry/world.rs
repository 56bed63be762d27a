//! Masses, motions and checks of worlds, against closed forms and an independent library.

use approx::assert_relative_eq;
use drystone::error::Error;
use drystone::math::{Mat3, Pose, Quat, Vec3};
use drystone::world::{
    Body, BodyKind, CompoundPart, Keyframe, MassProperties, Material, Motion, Polyhedron, Shape,
    World,
};
use parry3d_f64::mass_properties::MassProperties as Reference;
use parry3d_f64::math::{Pose as ReferencePose, Rotation, Vector};
use parry3d_f64::shape::{ConvexPolyhedron, Shape as _};
use std::f64::consts::{FRAC_PI_2, PI};
use std::sync::Arc;

const DENSITY: f64 = 2500.0;

fn sphere(radius: f64) -> Shape {
    Shape::Sphere { radius }
}

fn cuboid(x: f64, y: f64, z: f64) -> Shape {
    Shape::Box {
        half_extents: Vec3::new(x, y, z),
    }
}

fn capsule(half_length: f64, radius: f64) -> Shape {
    Shape::Capsule {
        half_length,
        radius,
    }
}

fn compound(parts: Vec<(Vec3, Vec3, Shape)>) -> Shape {
    Shape::Compound {
        parts: parts
            .into_iter()
            .map(|(position, turn, shape)| CompoundPart {
                pose: Pose::new(position, Quat::from_scaled_axis(turn)),
                shape,
            })
            .collect(),
    }
}

/// A crooked compound of all shapes of finite volume.
fn crooked() -> Shape {
    compound(vec![
        (
            Vec3::new(0.3, -0.1, 0.2),
            Vec3::new(0.4, 0.9, -0.2),
            cuboid(0.1, 0.25, 0.4),
        ),
        (Vec3::new(-0.5, 0.2, 0.0), Vec3::zeros(), sphere(0.3)),
        (
            Vec3::new(0.1, 0.6, -0.4),
            Vec3::new(-1.0, 0.3, 0.7),
            capsule(0.35, 0.12),
        ),
    ])
}

/// Turns y to z and lifts.
fn upright(lift: f64) -> ReferencePose {
    let turn = Rotation::from_scaled_axis(Vector::new(0.5 * PI, 0.0, 0.0));
    ReferencePose::from_parts(Vector::new(0.0, 0.0, lift), turn)
}

/// Mass, centre of mass, and inertia about it, by parry3d.
fn reference(shape: &Shape) -> Reference {
    match shape {
        Shape::Sphere { radius } => Reference::from_ball(DENSITY, *radius),
        Shape::Box { half_extents: h } => {
            Reference::from_cuboid(DENSITY, Vector::new(h.x, h.y, h.z))
        }
        Shape::Capsule {
            half_length,
            radius,
        } => Reference::from_capsule(
            DENSITY,
            Vector::new(0.0, 0.0, -half_length),
            Vector::new(0.0, 0.0, *half_length),
            *radius,
        ),
        // About y, and a cone about the middle of its height.
        Shape::Cylinder {
            half_length,
            radius,
        } => Reference::from_cylinder(DENSITY, *half_length, *radius).transform_by(&upright(0.0)),
        Shape::Cone { height, radius } => Reference::from_cone(DENSITY, 0.5 * height, *radius)
            .transform_by(&upright(0.25 * height)),
        Shape::Polyhedron(solid) => {
            let points = solid.vertices().iter().map(|v| Vector::new(v.x, v.y, v.z));
            let hull = ConvexPolyhedron::from_convex_hull(&points.collect::<Vec<_>>());
            hull.expect("a solid").mass_properties(DENSITY)
        }
        Shape::HalfSpace { .. } | Shape::Mesh(_) => panic!("it has no mass"),
        Shape::Compound { parts } => parts
            .iter()
            .map(|part| {
                let turn = part.pose.orientation.scaled_axis();
                let at = part.pose.position;
                let pose = ReferencePose::from_parts(
                    Vector::new(at.x, at.y, at.z),
                    Rotation::from_scaled_axis(Vector::new(turn.x, turn.y, turn.z)),
                );
                reference(&part.shape).transform_by(&pose)
            })
            .reduce(|sum, part| sum + part)
            .expect("a compound has parts"),
    }
}

#[test]
fn masses_agree_with_parry() {
    for shape in [
        sphere(0.7),
        cuboid(0.1, 0.2, 0.3),
        capsule(0.4, 0.15),
        capsule(0.0, 0.15),
        Shape::Cylinder {
            half_length: 0.4,
            radius: 0.15,
        },
        Shape::Cone {
            height: 0.7,
            radius: 0.3,
        },
        Shape::Polyhedron(Arc::new(Polyhedron::regular(12, 0.4).unwrap())),
        Shape::Polyhedron(Arc::new(Polyhedron::wedge(0.2, 0.4, 0.3, 0.1).unwrap())),
        crooked(),
    ] {
        let (mass, center) = MassProperties::from_density(&shape, DENSITY).unwrap();
        let expected = reference(&shape);
        assert_relative_eq!(mass.mass, expected.mass(), max_relative = 1e-12);
        let com = expected.local_com;
        assert_relative_eq!(center, Vec3::new(com.x, com.y, com.z), epsilon = 1e-12);
        let inertia = expected.reconstruct_inertia_matrix();
        let expected = Mat3::from_fn(|row, column| inertia.col(column)[row]);
        assert_relative_eq!(mass.inertia, expected, max_relative = 1e-9, epsilon = 1e-9);
        let one = mass.inertia * mass.inverse_inertia;
        assert_relative_eq!(one, Mat3::identity(), epsilon = 1e-10);
        assert_relative_eq!(mass.mass * mass.inverse_mass, 1.0, epsilon = 1e-15);
    }
}

#[test]
fn simple_masses_have_their_closed_forms() {
    let (ball, _) = MassProperties::from_density(&sphere(2.0), 3.0).unwrap();
    assert_relative_eq!(ball.mass, 3.0 * 4.0 / 3.0 * PI * 8.0, max_relative = 1e-14);
    let expected = Mat3::identity() * (0.4 * ball.mass * 4.0);
    assert_relative_eq!(ball.inertia, expected, max_relative = 1e-14);

    let (plank, _) = MassProperties::from_mass(&cuboid(1.0, 0.5, 0.25), 12.0).unwrap();
    assert_eq!(plank.mass, 12.0);
    let expected = Vec3::new(0.25 + 0.0625, 1.0 + 0.0625, 1.0 + 0.25) * 4.0;
    assert_relative_eq!(plank.inertia.diagonal(), expected, max_relative = 1e-14);
    assert!(!plank.is_isotropic() && ball.is_isotropic());

    // A capsule of no length is a ball; a long one is nearly a rod, m L^2 / 12 across.
    let (short, _) = MassProperties::from_density(&capsule(0.0, 2.0), 3.0).unwrap();
    assert_relative_eq!(short.inertia, ball.inertia, max_relative = 1e-14);
    let (rod, _) = MassProperties::from_mass(&capsule(50.0, 0.01), 1.0).unwrap();
    assert_relative_eq!(
        rod.inertia[(0, 0)],
        100.0_f64.powi(2) / 12.0,
        max_relative = 1e-3
    );
}

#[test]
fn a_compound_is_moved_to_its_center_of_mass() {
    // A dumb-bell of balls of masses 1 and 8 at x = 0 and 0.9: the centre is at 0.8.
    let bell = compound(vec![
        (Vec3::zeros(), Vec3::zeros(), sphere(0.1)),
        (Vec3::new(0.9, 0.0, 0.0), Vec3::zeros(), sphere(0.2)),
    ]);
    let turn = Quat::from_axis_angle(&Vec3::z_axis(), FRAC_PI_2);
    let frame = Pose::new(Vec3::new(1.0, 2.0, 3.0), turn);
    let body = Body::dynamic(bell.clone(), frame, DENSITY).unwrap();
    assert_relative_eq!(body.center, Vec3::new(0.8, 0.0, 0.0), epsilon = 1e-12);
    assert_relative_eq!(
        body.pose.position,
        Vec3::new(1.0, 2.8, 3.0),
        epsilon = 1e-12
    );
    assert_relative_eq!(body.frame().position, frame.position, epsilon = 1e-12);
    let Shape::Compound { parts } = &body.shape else {
        panic!("it is a compound no more");
    };
    assert_relative_eq!(
        parts[0].pose.position,
        Vec3::new(-0.8, 0.0, 0.0),
        epsilon = 1e-12
    );
    // Parallel axes about z: 2/5 m r^2 + m d^2 of both.
    let m = DENSITY * 4.0 / 3.0 * PI * 1e-3;
    let expected = m * (0.4 * 0.01 + 0.64) + 8.0 * m * (0.4 * 0.04 + 0.01);
    assert_relative_eq!(body.mass.inertia[(2, 2)], expected, max_relative = 1e-12);

    // A body that nothing moves stays in the frame it was given in.
    let fixed = Body::fixed(bell, frame);
    assert_eq!((fixed.center, fixed.pose), (Vec3::zeros(), frame));
}

#[test]
fn masses_without_meaning_are_refused() {
    let plane = Shape::HalfSpace {
        normal: Vec3::z(),
        offset: 0.0,
    };
    let nested = compound(vec![(Vec3::zeros(), Vec3::zeros(), crooked())]);
    let floored = compound(vec![(Vec3::zeros(), Vec3::zeros(), plane.clone())]);
    for shape in [
        sphere(0.0),
        sphere(-1.0),
        sphere(f64::NAN),
        cuboid(1.0, 0.0, 1.0),
        capsule(-1.0, 1.0),
        capsule(1.0, f64::INFINITY),
        sphere(1e-20),
        compound(Vec::new()),
        nested,
        floored,
        plane,
    ] {
        let result = MassProperties::from_density(&shape, DENSITY);
        assert!(matches!(result, Err(Error::Invalid { .. })), "{shape:?}");
    }
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(MassProperties::from_density(&sphere(1.0), bad).is_err());
        assert!(MassProperties::from_mass(&sphere(1.0), bad).is_err());
    }
    let indefinite = Mat3::from_diagonal(&Vec3::new(1.0, 1.0, -1.0));
    assert!(MassProperties::new(1.0, indefinite).is_err());
    let mut skewed = Mat3::identity();
    skewed[(0, 1)] = 0.5;
    assert!(MassProperties::new(1.0, skewed).is_err());
}

#[test]
fn sinusoidal_motion_starts_where_the_body_is() {
    let start = Pose::new(Vec3::new(1.0, 0.0, 0.0), Quat::identity());
    let motion = Motion::Sinusoidal {
        amplitude: Vec3::new(0.0, 0.0, 0.2),
        angular_amplitude: Vec3::new(0.3, 0.0, 0.0),
        frequency: 2.0,
        phase: 0.5,
        start: 1.0,
    };
    assert_eq!(motion.pose(&start, 0.0), start);
    assert_eq!(motion.pose(&start, 1.0), start);
    for time in [1.03, 1.2, 1.9] {
        let swing = (4.0 * PI * (time - 1.0) + 0.5).sin() - 0.5_f64.sin();
        let pose = motion.pose(&start, time);
        let expected = Vec3::new(1.0, 0.0, 0.2 * swing);
        assert_relative_eq!(pose.position, expected, epsilon = 1e-14);
        let turn = Vec3::new(0.3 * swing, 0.0, 0.0);
        assert_relative_eq!(pose.orientation.scaled_axis(), turn, epsilon = 1e-14);
    }
    // After a whole period it is back.
    assert_relative_eq!(
        motion.pose(&start, 1.5).position,
        start.position,
        epsilon = 1e-14
    );
}

#[test]
fn constant_and_keyframed_motions_interpolate() {
    let tilted = Quat::from_axis_angle(&Vec3::x_axis(), 0.7);
    let start = Pose::new(Vec3::new(0.0, 0.0, 5.0), tilted);
    let constant = Motion::Constant {
        linear: Vec3::new(1.0, 0.0, 0.0),
        angular: Vec3::new(0.0, 0.0, 0.5),
    };
    let pose = constant.pose(&start, 2.0);
    assert_relative_eq!(pose.position, Vec3::new(2.0, 0.0, 5.0));
    let turn = Quat::from_axis_angle(&Vec3::z_axis(), 1.0);
    assert_relative_eq!(
        pose.orientation.angle_to(&(turn * tilted)),
        0.0,
        epsilon = 1e-12
    );

    let at = |time: f64, x: f64, angle: f64| Keyframe {
        time,
        pose: Pose::new(
            Vec3::new(x, 0.0, 0.0),
            Quat::from_axis_angle(&Vec3::z_axis(), angle),
        ),
    };
    let path = Motion::Keyframed {
        keyframes: vec![
            at(1.0, 1.0, 0.0),
            at(3.0, 2.0, 1.0),
            at(4.0, 2.0, 1.0 + PI / 2.0),
        ],
    };
    for (time, x, angle) in [
        (0.0, 1.0, 0.0),
        (1.0, 1.0, 0.0),
        (1.5, 1.25, 0.25),
        (3.0, 2.0, 1.0),
        (3.5, 2.0, 1.0 + PI / 4.0),
        (9.0, 2.0, 1.0 + PI / 2.0),
    ] {
        let pose = path.pose(&start, time);
        assert_relative_eq!(pose.position, Vec3::new(x, 0.0, 5.0), epsilon = 1e-12);
        let expected = Quat::from_axis_angle(&Vec3::z_axis(), angle) * tilted;
        assert_relative_eq!(pose.orientation.angle_to(&expected), 0.0, epsilon = 1e-7);
    }
    assert!(path.validate().is_ok());
    let backwards = Motion::Keyframed {
        keyframes: vec![at(1.0, 0.0, 0.0), at(1.0, 1.0, 0.0)],
    };
    let empty = Motion::Keyframed {
        keyframes: Vec::new(),
    };
    let wild = Motion::Constant {
        linear: Vec3::new(f64::NAN, 0.0, 0.0),
        angular: Vec3::zeros(),
    };
    for motion in [backwards, empty, wild] {
        assert!(motion.validate().is_err(), "{motion:?}");
    }
}

/// Makes a world wrong in one way.
type Breakage = fn(&mut World);

#[test]
fn a_world_names_what_is_wrong_with_it() {
    let mut world = World::new(Vec3::new(0.0, 0.0, -9.81));
    let floor = Shape::HalfSpace {
        normal: Vec3::z(),
        offset: 0.0,
    };
    world
        .add(Body::fixed(floor.clone(), Pose::identity()))
        .unwrap();
    let ball = Body::dynamic(sphere(0.5), Pose::identity(), DENSITY)
        .unwrap()
        .named("ball");
    let index = world.add(ball).unwrap();
    assert_eq!(
        (index, world.find("ball"), world.find("floor")),
        (1, Some(1), None)
    );
    world.validate().unwrap();

    let broken: [(&str, Breakage); 9] = [
        ("material 3", |w| w.bodies[1].material = 3),
        ("pose", |w| w.bodies[1].pose.position.x = f64::NAN),
        ("velocity", |w| {
            w.bodies[1].linear_velocity.y = f64::INFINITY;
        }),
        ("radius", |w| {
            w.bodies[1].shape = Shape::Sphere { radius: 0.0 }
        }),
        ("mass", |w| w.bodies[1].mass.mass = -1.0),
        ("half-space", |w| {
            w.bodies[1].shape = w.bodies[0].shape.clone();
        }),
        ("no motion", |w| w.bodies[1].kind = BodyKind::Kinematic),
        ("inertia", |w| w.bodies[1].mass.inertia[(2, 2)] = 0.0),
        ("pose", |w| {
            w.bodies[1].pose.orientation =
                Quat::new_unchecked(w.bodies[1].pose.orientation.into_inner() * 2.0);
        }),
    ];
    for (word, break_it) in broken {
        let mut copy = world.clone();
        break_it(&mut copy);
        let message = copy.validate().unwrap_err().to_string();
        assert!(
            message.contains("body 1 (`ball`)") && message.contains(word),
            "{message}"
        );
    }
    for (friction, restitution) in [(-0.1, 0.0), (f64::NAN, 0.0), (0.5, 1.5), (0.5, f64::NAN)] {
        let mut copy = world.clone();
        copy.materials[0] = Material {
            friction,
            restitution,
        };
        assert!(
            copy.validate()
                .unwrap_err()
                .to_string()
                .contains("material 0")
        );
    }
}
