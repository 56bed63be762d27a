//! Joints, loads and stabilization of scene files: what is written is what the world gets.

use approx::assert_relative_eq;
use drystone::math::{Quat, Vec3};
use drystone::measure::joint_errors;
use drystone::scene::{Overrides, Scene};
use drystone::stabilize::{Baumgarte, Scheme, Stabilization};
use drystone::world::joint::{Joint, JointKind, Limits, Motor, Path as Curve};
use std::f64::consts::FRAC_PI_2;
use std::path::Path;

/// Two rods, one upright and one turned by 90 degrees about y, and the given tables.
fn scene(tables: &str) -> Scene {
    let text = format!(
        "name = \"joints\"\n[simulation]\ndt = 0.01\nsteps = 1\n
         [[body]]\nname = \"rod\"\nshape = {{ type = \"capsule\", radius = 0.1, half_length = 0.4 }}\n\
         position = [1, 2, 3]\nmass = 1\n
         [[body]]\nname = \"bar\"\nshape = {{ type = \"compound\", parts = [\
         {{ shape = {{ type = \"sphere\", radius = 0.1 }} }}, \
         {{ shape = {{ type = \"sphere\", radius = 0.1 }}, position = [0, 0, 1] }}] }}\n\
         rotation = {{ axis = [0, 1, 0], degrees = 90 }}\nposition = [1.2, 2, 3.5]\nmass = 2\n{tables}"
    );
    Scene::parse(Path::new("joints.toml"), &text, &Overrides::default())
        .unwrap_or_else(|e| panic!("{e}"))
}

/// The only joint of a scene whose tables are `type` and the given keys.
fn joint(kind: &str, keys: &str) -> (Scene, Joint) {
    let scene = scene(&format!(
        "[[joint]]\nname = \"j\"\ntype = \"{kind}\"\na = \"bar\"\nb = \"rod\"\n{keys}"
    ));
    let [joint] = &scene.world.joints[..] else {
        panic!("{} joints", scene.world.joints.len());
    };
    let joint = joint.clone();
    (scene, joint)
}

/// The frames of A and B in world axes: anchor and z axis.
fn placed(scene: &Scene, joint: &Joint) -> [(Vec3, Vec3); 2] {
    let bodies = &scene.world.bodies;
    let a = bodies[joint.body_a as usize].pose.compose(&joint.frame_a);
    let b = match joint.body_b {
        Some(b) => bodies[b as usize].pose.compose(&joint.frame_b),
        None => joint.frame_b,
    };
    [a, b].map(|pose| (pose.position, pose.direction(&Vec3::z())))
}

#[test]
fn an_anchor_in_world_axes_is_one_point_of_both_bodies() {
    let (scene, joint) = joint("hinge", "anchor = [1, 2, 3.5]\naxis = [0, 3, 0]\n");
    for (anchor, axis) in placed(&scene, &joint) {
        assert_relative_eq!(anchor, Vec3::new(1.0, 2.0, 3.5), epsilon = 1e-14);
        assert_relative_eq!(axis, Vec3::y(), epsilon = 1e-14);
    }
    let errors = joint_errors(&scene.world);
    assert!(
        errors.linear_max < 1e-14 && errors.angular_max < 1e-14,
        "{errors:?}"
    );
    let turn: Quat = (scene.world.bodies[0].pose.orientation * joint.frame_b.orientation)
        .rotation_to(&(scene.world.bodies[1].pose.orientation * joint.frame_a.orientation));
    assert!(turn.angle() < 1e-7, "the angle is 0 as placed");
}

#[test]
fn an_anchor_in_body_axes_is_where_the_file_describes_the_body() {
    // The bar's origin is the centre of its first ball, half a metre beside its centre of mass; its z axis
    // is the world's x axis.
    let (scene, only_a) = joint("ball", "anchor_a = [0, 0, 1]\n");
    for (anchor, _) in placed(&scene, &only_a) {
        assert_relative_eq!(anchor, Vec3::new(2.2, 2.0, 3.5), epsilon = 1e-14);
    }
    let (scene, only_b) = joint("ball", "anchor_b = [0, 0, 0.5]\n");
    for (anchor, _) in placed(&scene, &only_b) {
        assert_relative_eq!(anchor, Vec3::new(1.0, 2.0, 3.5), epsilon = 1e-14);
    }
    let (scene, both) = joint("ball", "anchor_a = [0, 0, 0]\nanchor_b = [0, 0, 0.5]\n");
    let [(a, _), (b, _)] = placed(&scene, &both);
    assert_relative_eq!(a - b, Vec3::new(0.2, 0.0, 0.0), epsilon = 1e-14);
    assert_relative_eq!(joint_errors(&scene.world).linear_max, 0.2, epsilon = 1e-14);
    // Nothing of what was written is lost to rounding.
    assert_eq!(both.frame_a.position, Vec3::new(0.0, 0.0, -0.5));
    assert_eq!(both.frame_b.position, Vec3::new(0.0, 0.0, 0.5));
}

#[test]
fn axes_in_body_axes_turn_with_the_body() {
    let (scene, hinge) = joint("hinge", "anchor_a = [0, 0, 0]\naxis_a = [0, 0, 1]\n");
    for (_, axis) in placed(&scene, &hinge) {
        assert_relative_eq!(axis, Vec3::x(), epsilon = 1e-14);
    }
    let keys = "anchor_a = [0, 0, 0]\naxis_a = [0, 0, 1]\naxis_b = [0, 0, 1]\n";
    let (scene, apart) = joint("hinge", keys);
    let [(_, a), (_, b)] = placed(&scene, &apart);
    assert_relative_eq!(a, Vec3::x(), epsilon = 1e-14);
    assert_relative_eq!(b, Vec3::z(), epsilon = 1e-14);
    assert_relative_eq!(
        joint_errors(&scene.world).angular_max,
        FRAC_PI_2,
        epsilon = 1e-12
    );
}

#[test]
fn the_arms_of_a_universal_joint_are_x_of_a_and_y_of_b() {
    for keys in [
        "axes = [[0, 0, 2], [0, 1, 0]]",
        "axis_a = [-1, 0, 0]\naxis_b = [0, 1, 0]",
    ] {
        let (scene, joint) = joint("universal", &format!("anchor = [1, 2, 3.5]\n{keys}\n"));
        let bodies = &scene.world.bodies;
        let x = bodies[1].pose.compose(&joint.frame_a).direction(&Vec3::x());
        let y = bodies[0].pose.compose(&joint.frame_b).direction(&Vec3::y());
        assert_relative_eq!(x, Vec3::z(), epsilon = 1e-14);
        assert_relative_eq!(y, Vec3::y(), epsilon = 1e-14);
        assert!(joint_errors(&scene.world).angular_max < 1e-14);
    }
}

#[test]
fn what_needs_no_anchor_takes_the_origin_of_a() {
    let (scene, fixed) = joint(
        "fixed",
        "breaking_force = 10\nbreaking_torque = 3\ncollide = true\n",
    );
    for (anchor, _) in placed(&scene, &fixed) {
        assert_relative_eq!(anchor, Vec3::new(1.2, 2.0, 3.5), epsilon = 1e-14);
    }
    assert_eq!(
        (fixed.breaking_force, fixed.breaking_torque),
        (Some(10.0), Some(3.0))
    );
    assert!(fixed.collide);
    assert_eq!(fixed.name.as_deref(), Some("j"));
    let (_, slider) = joint("slider", "axis_b = [0, 0, 1]\nlimits = [-0.5, inf]\n");
    let limits = Limits {
        lower: -0.5,
        upper: f64::INFINITY,
    };
    assert_eq!(slider.limits, Some(limits));
}

#[test]
fn a_distance_is_that_as_placed_unless_given() {
    let anchors = "anchor_a = [0, 0, 1]\nanchor_b = [0, 0, 0]\n";
    let placed = (1.2_f64 * 1.2 + 0.5 * 0.5).sqrt();
    let (_, kept) = joint("distance", anchors);
    let JointKind::Distance { length } = kept.kind else {
        panic!("{:?}", kept.kind);
    };
    assert_relative_eq!(length, placed, epsilon = 1e-14);
    let (_, given) = joint("distance", &format!("{anchors}length = 2\n"));
    assert_eq!(given.kind, JointKind::Distance { length: 2.0 });
    let (_, spring) = joint(
        "distance",
        &format!("{anchors}spring = {{ stiffness = 5 }}\n"),
    );
    assert_relative_eq!(spring.spring.unwrap().rest, placed, epsilon = 1e-14);
    let (_, slider) = joint("slider", "axis = [0, 0, 1]\nspring = { damping = 5 }\n");
    assert_eq!(slider.spring.unwrap().rest, 0.0);
}

#[test]
fn motors_and_paths_are_read() {
    let hinge = |motor: &str| {
        let keys = format!("anchor = [0, 0, 0]\naxis = [0, 0, 1]\nmotor = {motor}\n");
        joint("hinge", &keys).1.motor.unwrap()
    };
    assert_eq!(
        hinge("{ type = \"velocity\", target = 2, max_force = 5 }"),
        Motor::Velocity {
            target: 2.0,
            max_force: 5.0
        }
    );
    assert_eq!(
        hinge("{ type = \"position\", target = 1, stiffness = 9 }"),
        Motor::Position {
            target: 1.0,
            stiffness: 9.0,
            damping: 0.0,
            max_force: f64::INFINITY
        }
    );
    let (_, driven) = joint(
        "prescribed_velocity",
        "anchor = [0, 0, 0]\npath = { type = \"sinusoidal\", amplitude = [0, 1, 0], frequency = 2 }\n",
    );
    let path = Curve::Sinusoidal {
        amplitude: Vec3::y(),
        frequency: 2.0,
        phase: 0.0,
    };
    assert_eq!(driven.kind, JointKind::PrescribedVelocity { path });
}

#[test]
fn without_a_body_b_the_world_holds_on() {
    let scene = scene(
        "[[joint]]\ntype = \"ball\"\na = \"rod\"\nanchor_a = [0, 0, 0.5]\nanchor_b = [1, 2, 4]\n",
    );
    let joint = &scene.world.joints[0];
    assert_eq!(joint.body_b, None);
    let [(a, _), (b, _)] = placed(&scene, joint);
    assert_eq!((a, b), (Vec3::new(1.0, 2.0, 3.5), Vec3::new(1.0, 2.0, 4.0)));
}

#[test]
fn loads_act_where_the_body_is_described() {
    let scene = scene(
        "[[load]]\nbody = \"bar\"\nforce = [1, 2, 3]\npoint = [0, 0, 1]\nfrom = 0.5\nuntil = 2\n\
         [[load]]\nbody = \"rod\"\ntorque = [0, 0, 1]\nfrequency = 3\n",
    );
    let [push, swing] = &scene.world.loads[..] else {
        panic!("{:?}", scene.world.loads);
    };
    assert_eq!((push.body, push.point), (1, Vec3::new(0.0, 0.0, 0.5)));
    assert_eq!((push.from, push.until, push.frequency), (0.5, 2.0, 0.0));
    assert_eq!((swing.body, swing.point), (0, Vec3::zeros()));
    assert_eq!((swing.until, swing.frequency), (f64::INFINITY, 3.0));
}

#[test]
fn stabilization_is_one_line_or_one_for_each_kind() {
    let schemes = |keys: &str| {
        let scene = scene(&format!("[stabilization]\n{keys}\n"));
        let again = Scene::parse(
            Path::new("again.toml"),
            &scene.resolved_toml(),
            &Overrides::default(),
        )
        .unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(again.settings, scene.settings, "{keys}");
        (
            scene.settings.stabilization.contacts,
            scene.settings.stabilization.joints,
        )
    };
    let velocity = |kappa| Scheme::Baumgarte(Baumgarte::Velocity { kappa });
    let acceleration = |alpha, beta| Scheme::Baumgarte(Baumgarte::Acceleration { alpha, beta });
    let Stabilization {
        contacts, joints, ..
    } = Stabilization::default();
    let cases = [
        ("", (contacts, joints)),
        ("method = \"post\"", (Scheme::Post, Scheme::Post)),
        (
            "method = { type = \"soft\", softness = 0.2 }",
            (Scheme::Soft { softness: 0.2 }, joints),
        ),
        ("method = \"none\"", (Scheme::None, Scheme::None)),
        (
            "method = \"implicit\"",
            (Scheme::Implicit, Scheme::Implicit),
        ),
        ("joints = \"implicit\"", (contacts, Scheme::Implicit)),
        (
            "method = \"none\"\ncontacts = { type = \"gamma\", gamma = 0.5 }",
            (Scheme::Gamma { gamma: 0.5 }, Scheme::None),
        ),
        (
            "joints = { type = \"baumgarte\", kappa = 50 }",
            (contacts, velocity(50.0)),
        ),
        (
            "method = { type = \"baumgarte\", alpha = 10, beta = 20 }",
            (acceleration(10.0, 20.0), acceleration(10.0, 20.0)),
        ),
        (
            "contacts = \"none\"\njoints = { type = \"baumgarte\", omega0 = 20, zeta = 0.5 }",
            (Scheme::None, acceleration(10.0, 20.0)),
        ),
    ];
    for (keys, expected) in cases {
        assert_eq!(schemes(keys), expected, "{keys}");
    }
}

#[test]
fn an_inertia_is_three_moments_or_a_matrix() {
    let inertia = |given: &str| {
        let text = format!(
            "name = \"i\"\n[simulation]\ndt = 0.01\nsteps = 1\n[[body]]\nmass = 2\n\
             shape = {{ type = \"sphere\", radius = 1 }}\ninertia = {given}\n"
        );
        let scene = Scene::parse(Path::new("i.toml"), &text, &Overrides::default());
        scene.unwrap_or_else(|e| panic!("{e}")).world.bodies[0]
            .mass
            .inertia
    };
    let moments = inertia("[1, 2.5, 3]");
    assert_eq!(moments.diagonal(), Vec3::new(1.0, 2.5, 3.0));
    let matrix = inertia("[[1, 0.25, 0], [0.25, 2.5, 0], [0, 0, 3]]");
    assert_eq!(
        (matrix[(0, 1)], matrix[(1, 0)], matrix[(2, 2)]),
        (0.25, 0.25, 3.0)
    );
}
