//! Templates and chains of scene files: where their bodies are, what they are called, and that their joints
//! are closed.

use approx::assert_relative_eq;
use drystone::math::Vec3;
use drystone::measure::joint_errors;
use drystone::scene::{Overrides, Scene};
use drystone::world::joint::JointKind;
use drystone::world::{Body, Joint};
use std::path::Path;

fn seeded(tables: &str, seed: u64) -> Scene {
    let text = format!("name = \"made\"\n[simulation]\ndt = 0.01\nsteps = 1\n{tables}");
    let overrides = Overrides {
        seed: Some(seed),
        ..Overrides::default()
    };
    Scene::parse(Path::new("made.toml"), &text, &overrides).unwrap_or_else(|e| panic!("{e}"))
}

fn scene(tables: &str) -> Scene {
    seeded(tables, 0)
}

fn body<'s>(scene: &'s Scene, name: &str) -> &'s Body {
    let mut bodies = scene.world.bodies.iter();
    bodies
        .find(|body| body.name.as_deref() == Some(name))
        .unwrap_or_else(|| panic!("there is no {name}"))
}

fn joint<'s>(scene: &'s Scene, name: &str) -> &'s Joint {
    let mut joints = scene.world.joints.iter();
    joints
        .find(|joint| joint.name.as_deref() == Some(name))
        .unwrap_or_else(|| panic!("there is no {name}"))
}

const ARM: &str = r#"
[[template]]
name = "arm"
[[template.body]]
name = "upper"
shape = { type = "capsule", radius = 0.05, half_length = 0.2 }
linear_velocity = [1, 0, 0]
mass = 1
[[template.body]]
name = "lower"
shape = { type = "capsule", radius = 0.05, half_length = 0.2 }
position = [0, 0, -0.5]
mass = 1
[[template.body]]
name = "base"
kind = "kinematic"
motion = { type = "constant", linear = [0, 0, 1] }
shape = { type = "sphere", radius = 0.1 }
position = [0, 1, 0]
[[template.joint]]
name = "elbow"
type = "hinge"
a = "lower"
b = "upper"
anchor = [0, 0, -0.25]
axis = [0, 1, 0]
[[template.joint]]
name = "drive"
type = "prescribed_velocity"
a = "upper"
anchor = [0, 0, 0.25]
path = { type = "line", velocity = [1, 0, 0] }
"#;

#[test]
fn an_instance_is_its_template_turned_and_moved() {
    let scene = scene(&format!(
        "{ARM}[[instance]]\ntemplate = \"arm\"\nposition = [5, 0, 1]\n\
         rotation = {{ axis = [0, 0, 1], degrees = 90 }}\n\
         [[load]]\nbody = \"arm.lower\"\nforce = [1, 0, 0]\n\
         [[joint]]\ntype = \"ball\"\na = \"arm.lower\"\nanchor = [5, 0, 0.25]\n\
         [[probe]]\nname = \"x\"\ntype = \"position\"\nbody = \"arm.upper\"\n"
    ));
    assert_eq!(scene.world.bodies.len(), 3);
    let base = body(&scene, "arm.base");
    assert_relative_eq!(
        base.pose.position,
        Vec3::new(4.0, 0.0, 1.0),
        epsilon = 1e-14
    );
    let upper = body(&scene, "arm.upper");
    assert_relative_eq!(upper.linear_velocity, Vec3::y(), epsilon = 1e-14);
    let elbow = joint(&scene, "arm.elbow");
    let lower = body(&scene, "arm.lower").pose.compose(&elbow.frame_a);
    assert_relative_eq!(lower.position, Vec3::new(5.0, 0.0, 0.75), epsilon = 1e-14);
    assert_relative_eq!(lower.direction(&Vec3::z()), -Vec3::x(), epsilon = 1e-14);
    let drive = joint(&scene, "arm.drive");
    assert_relative_eq!(
        drive.frame_b.position,
        Vec3::new(5.0, 0.0, 1.25),
        epsilon = 1e-14
    );
    let JointKind::PrescribedVelocity { path } = &drive.kind else {
        panic!("{:?}", drive.kind);
    };
    assert_relative_eq!(path.velocity(0.0).0, Vec3::y(), epsilon = 1e-14);
    let motion = base.motion.as_ref().unwrap();
    let later = motion.pose(&base.pose, 2.0).position - base.pose.position;
    assert_relative_eq!(later, Vec3::new(0.0, 0.0, 2.0), epsilon = 1e-14);
    assert!(joint_errors(&scene.world).linear_max < 1e-14);
}

#[test]
fn a_grid_of_instances_is_numbered_x_first() {
    let scene = scene(&format!(
        "{ARM}[[instance]]\ntemplate = \"arm\"\nname = \"a\"\nposition = [1, 0, 0]\n\
         count = [2, 3, 2]\nspacing = [1, 2, 4]\n[[instance]]\ntemplate = \"arm\"\n\
         [[probe]]\nname = \"top\"\ntype = \"bed_height\"\nexcept = [\"a\", \"arm\"]\n"
    ));
    assert_eq!(scene.world.bodies.len(), 13 * 3);
    assert_eq!(scene.world.joints.len(), 13 * 2);
    for copy in 0..12 {
        let expected = Vec3::new(
            1.0 + f64::from(copy % 2),
            2.0 * f64::from(copy / 2 % 3),
            4.0 * f64::from(copy / 6),
        );
        let upper = body(&scene, &format!("a.{copy}.upper"));
        assert_relative_eq!(upper.pose.position, expected, epsilon = 1e-14);
        let elbow = joint(&scene, &format!("a.{copy}.elbow"));
        assert_eq!(elbow.body_b.unwrap() as usize, 3 * copy as usize);
    }
    assert_relative_eq!(body(&scene, "arm.upper").pose.position, Vec3::zeros());
}

#[test]
fn random_instances_repeat_with_their_seed_and_stay_near_their_places() {
    let tables = format!(
        "{ARM}[[instance]]\ntemplate = \"arm\"\ncount = [4, 4, 4]\nspacing = [2, 2, 2]\njitter = 0.1\n\
         random_rotation = true\n"
    );
    let (first, again, other) = (seeded(&tables, 1), seeded(&tables, 1), seeded(&tables, 2));
    assert_eq!(first.world, again.world);
    assert_ne!(first.world, other.world);
    let stream = format!("{tables}seed = 9\n");
    assert_ne!(first.world, seeded(&stream, 1).world);
    let mut up = Vec3::zeros();
    for copy in 0..64_u32 {
        let upper = body(&first, &format!("arm.{copy}.upper"));
        let [x, y, z] = [copy % 4, copy / 4 % 4, copy / 16].map(|k| 2.0 * f64::from(k));
        let off = upper.pose.position - Vec3::new(x, y, z);
        assert!(off.amax() <= 0.1, "{off}");
        up += upper.pose.direction(&Vec3::z()) / 64.0;
    }
    // The mean of 64 random directions is shorter than 3 / sqrt(3 * 64), but one time in a thousand.
    assert!(up.norm() < 0.4, "{up}");
    let errors = joint_errors(&first.world);
    assert!(
        errors.linear_max < 1e-13 && errors.angular_max < 1e-13,
        "{errors:?}"
    );
    // The resolved file is the same scene, whatever else is put before the instance.
    let written = Scene::parse(
        Path::new("w.toml"),
        &first.resolved_toml(),
        &Overrides::default(),
    );
    assert_eq!(written.unwrap().world, first.world);
}

#[test]
fn a_straight_chain_runs_in_its_direction() {
    let shape = "shape = { type = \"capsule\", radius = 0.02, half_length = 0.1 }\nmass = 0.1\n";
    let scene = scene(&format!(
        "[[chain]]\nname = \"rope\"\ncount = 5\nstart = [1, 0, 2]\ndirection = [0, 3, 0]\npin = \"both\"\n{shape}"
    ));
    assert_eq!((scene.world.bodies.len(), scene.world.joints.len()), (5, 6));
    for link in 0..5 {
        let body = body(&scene, &format!("rope.{link}"));
        let expected = Vec3::new(1.0, 0.2 * (f64::from(link) + 0.5), 2.0);
        assert_relative_eq!(body.pose.position, expected, epsilon = 1e-14);
        assert_relative_eq!(body.pose.direction(&Vec3::z()), Vec3::y(), epsilon = 1e-14);
    }
    assert_relative_eq!(
        joint(&scene, "rope.last").frame_b.position,
        Vec3::new(1.0, 1.0, 2.0),
        epsilon = 1e-14
    );
    assert_eq!(joint(&scene, "rope.0").body_b, Some(1));
    assert!(joint_errors(&scene.world).linear_max < 1e-14);
}

#[test]
fn a_chain_with_sag_hangs_on_an_arc_between_its_ends() {
    let (start, end, sag) = (Vec3::new(0.0, 0.0, 5.0), Vec3::new(3.0, 4.0, 5.0), 1.5);
    let scene = scene(&format!(
        "[[chain]]\nname = \"bridge\"\ncount = 10\nstart = [0, 0, 5]\nend = [3, 4, 5]\nsag = {sag}\n\
         shape = {{ type = \"box\", half_extents = [0.2, 0.4, 0.02] }}\nalong = \"x\"\nmass = 1\n\
         joint = {{ type = \"hinge\" }}\npin = \"both\"\n"
    ));
    let errors = joint_errors(&scene.world);
    assert!(
        errors.linear_max < 1e-13 && errors.angular_max < 1e-13,
        "{errors:?}"
    );
    let [first, last] = ["bridge.first", "bridge.last"].map(|name| joint(&scene, name).frame_b);
    assert_relative_eq!(first.position, start, epsilon = 1e-13);
    assert_relative_eq!(last.position, end, epsilon = 1e-13);
    let middle = joint(&scene, "bridge.4");
    let lowest = body(&scene, "bridge.4")
        .pose
        .compose(&middle.frame_a)
        .position;
    let expected = (start + end) * 0.5 - Vec3::z() * sag;
    assert_relative_eq!(lowest, expected, epsilon = 1e-13);
    let across = Vec3::new(-0.8, 0.6, 0.0);
    for link in &scene.world.bodies {
        assert_relative_eq!(link.pose.direction(&Vec3::y()), across, epsilon = 1e-13);
        assert!(link.pose.direction(&Vec3::z()).z > 0.0, "upside down");
    }
    for joint in &scene.world.joints {
        let a = &scene.world.bodies[joint.body_a as usize].pose;
        assert_relative_eq!(
            a.compose(&joint.frame_a).direction(&Vec3::z()),
            across,
            epsilon = 1e-13
        );
    }
}

#[test]
fn chains_of_every_joint_start_closed_in_every_direction() {
    for kind in ["ball", "hinge", "universal", "fixed", "planar_hinge"] {
        for direction in ["[1, 0, 0]", "[0, 0, 1]", "[0, 0, -1]", "[1, 2, -3]"] {
            for along in ["x", "y", "z"] {
                let scene = scene(&format!(
                    "[[chain]]\nname = \"c\"\ncount = 4\nstart = [0, 0, 0]\ndirection = {direction}\n\
                     along = \"{along}\"\npin = \"both\"\njoint = {{ type = \"{kind}\" }}\n\
                     shape = {{ type = \"box\", half_extents = [0.1, 0.2, 0.3] }}\nmass = 1\n"
                ));
                assert_eq!(scene.world.joints.len(), 5);
                let errors = joint_errors(&scene.world);
                let worst = errors.linear_max.max(errors.angular_max);
                assert!(worst < 1e-13, "{kind} {direction} {along}: {errors:?}");
            }
        }
    }
}

#[test]
fn the_swing_of_a_chain_is_that_between_neighbours() {
    let scene = scene(
        "[[chain]]\nname = \"c\"\ncount = 8\nstart = [0, 0, 0]\nend = [1, 0, 0]\nsag = 0.3\n\
         shape = { type = \"sphere\", radius = 0.05 }\nmass = 1\nalong = \"x\"\n\
         joint = { type = \"ball\", limits = [0, 0.1] }\n",
    );
    // An arc of 4 atan(2 s / D) in 8 chords turns by an eighth of it at each joint.
    let turn = 4.0 * (0.6_f64).atan() / 8.0;
    let beyond = joint_errors(&scene.world).limit_angular_max;
    assert_relative_eq!(beyond, turn - 0.1, epsilon = 1e-12);
}
