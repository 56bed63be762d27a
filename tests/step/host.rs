//! A host between two steps: loads, forces, and the memory of bodies.

use drystone::Error;
use drystone::math::Vec3;
use drystone::scene::{Overrides, Scene};
use drystone::solver::cpu::CpuSolver;
use drystone::step::Simulation;
use drystone::world::Load;

const G: f64 = 9.81;

/// A ball of 2 kg on a floor, one of 3 kg that hangs on a joint, and a free one of 1 kg.
const SCENE: &str = r#"
name = "three"
[simulation]
dt = 0.01
steps = 100
[[body]]
name = "floor"
kind = "fixed"
shape = { type = "half_space", normal = [0, 0, 1] }
[[body]]
name = "resting"
shape = { type = "sphere", radius = 0.5 }
position = [0, 0, 0.5]
mass = 2
[[body]]
name = "hanging"
shape = { type = "sphere", radius = 0.5 }
position = [5, 0, 3]
mass = 3
[[body]]
name = "free"
shape = { type = "sphere", radius = 0.5 }
position = [10, 0, 100]
mass = 1
[[joint]]
name = "hook"
type = "ball"
a = "hanging"
anchor = [5, 0, 4]
breaking_force = 1000
"#;

fn simulation(text: &str) -> Simulation {
    let scene = Scene::parse("three.toml".as_ref(), text, &Overrides::default()).unwrap();
    Simulation::new(scene.world, scene.settings, Box::new(CpuSolver::new())).unwrap()
}

fn push(body: u32, force: [f64; 3], from: f64, until: f64) -> Load {
    Load {
        body,
        point: Vec3::zeros(),
        force: force.into(),
        torque: Vec3::zeros(),
        from,
        until,
        frequency: 0.0,
    }
}

#[test]
fn contacts_and_joints_carry_the_weight() {
    for text in [SCENE, &SCENE[..SCENE.find("[[joint]]").unwrap()]] {
        let mut simulation = simulation(text);
        let (mut forces, mut loads) = (Vec::new(), Vec::new());
        simulation.contact_forces(&mut forces);
        simulation.joint_loads(&mut loads);
        assert!(forces.iter().all(|force| *force == Vec3::zeros()));
        assert!(loads.iter().all(|load| load.force == Vec3::zeros()));
        for _ in 0..50 {
            simulation.step().unwrap();
        }
        simulation.contact_forces(&mut forces);
        let contacts = simulation.contacts();
        assert_eq!(forces.len(), contacts.len());
        let on_ball: Vec<Vec3> = contacts
            .iter()
            .zip(&forces)
            .filter(|(contact, _)| contact.bodies == [0, 1])
            .map(|(_, force)| -force)
            .collect();
        assert_eq!(on_ball.len(), 1);
        let off = (on_ball[0] - Vec3::new(0.0, 0.0, 2.0 * G)).norm();
        assert!(off < 1e-3 * 2.0 * G, "{:?}", on_ball[0]);
        simulation.joint_loads(&mut loads);
        assert_eq!(loads.len(), simulation.world().joints.len());
        for load in &loads {
            let off = (load.force - Vec3::new(0.0, 0.0, 3.0 * G)).norm();
            assert!(off < 1e-3 * 3.0 * G, "{load:?}");
            assert!(load.torque.norm() < 1e-6, "{load:?}");
        }
    }
}

#[test]
fn a_joint_that_broke_carries_nothing() {
    let mut simulation = simulation(SCENE);
    simulation.step().unwrap();
    simulation
        .add_load(push(2, [0.0, 0.0, -2000.0], 0.01, 0.02))
        .unwrap();
    let report = simulation.step().unwrap();
    assert_eq!(report.broken_joints, 1);
    let mut loads = Vec::new();
    simulation.joint_loads(&mut loads);
    assert_eq!(loads[0].force, Vec3::zeros());
}

#[test]
fn a_load_acts_while_it_lasts_and_is_gone_after() {
    let (mut pushed, mut left_alone) = (simulation(SCENE), simulation(SCENE));
    for _ in 0..3 {
        pushed.step().unwrap();
        left_alone.step().unwrap();
    }
    let now = pushed.world().time;
    pushed
        .add_load(push(3, [50.0, 0.0, 0.0], now, now + 0.01))
        .unwrap();
    pushed
        .add_load(push(3, [0.0, 20.0, 0.0], now, now + 0.015))
        .unwrap();
    for _ in 0..2 {
        pushed.step().unwrap();
        left_alone.step().unwrap();
    }
    let gained =
        pushed.world().bodies[3].linear_velocity - left_alone.world().bodies[3].linear_velocity;
    let off = (gained - Vec3::new(0.5, 0.3, 0.0)).norm();
    assert!(off < 1e-6, "{gained:?}");
    // The others do not notice: contacts were not found anew.
    for body in 0..3 {
        assert_eq!(pushed.world().bodies[body], left_alone.world().bodies[body]);
    }
    let now = pushed.world().time;
    pushed
        .add_load(push(3, [1.0, 0.0, 0.0], now, now + 1.0))
        .unwrap();
    assert_eq!(pushed.world().loads.len(), 1);
}

#[test]
fn loads_without_meaning_are_refused() {
    let mut simulation = simulation(SCENE);
    for load in [
        push(0, [1.0, 0.0, 0.0], 0.0, 1.0),
        push(9, [1.0, 0.0, 0.0], 0.0, 1.0),
        push(1, [f64::NAN, 0.0, 0.0], 0.0, 1.0),
        push(1, [1.0, 0.0, 0.0], 1.0, 1.0),
    ] {
        let error = simulation.add_load(load).unwrap_err();
        assert!(matches!(error, Error::Invalid { .. }), "{error}");
        assert!(simulation.world().loads.is_empty());
    }
}

#[test]
fn bodies_that_are_given_away_stay_as_they_are() {
    let (mut lending, mut plain) = (simulation(SCENE), simulation(SCENE));
    for _ in 0..20 {
        let before = lending.world().bodies.clone();
        let memory = lending.world().bodies.as_ptr();
        let kept = lending.renew_bodies();
        assert_eq!(kept.as_ptr(), memory);
        lending.step().unwrap();
        plain.step().unwrap();
        assert_eq!(kept, before);
        assert_eq!(lending.world().bodies, plain.world().bodies);
        assert_ne!(lending.world().bodies, before);
    }
}
