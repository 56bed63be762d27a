//! Forces of loads.

use super::body;
use drystone::math::{Pose, Quat, Vec3};
use drystone::world::Load;
use std::f64::consts::{FRAC_PI_2, TAU};

fn load() -> Load {
    Load {
        body: 0,
        point: Vec3::new(0.5, 0.0, 0.0),
        force: Vec3::new(0.0, 0.0, 4.0),
        torque: Vec3::new(0.0, 0.1, 0.2),
        from: 1.0,
        until: 3.0,
        frequency: 0.0,
    }
}

/// Impulse along z of 300 steps of 0.01 s.
fn total(load: &Load) -> f64 {
    let body = body(Pose::identity());
    let h = 0.01;
    (0..300)
        .map(|step| load.impulse(&body, f64::from(step) * h, h).0.z)
        .sum()
}

#[test]
fn a_load_acts_from_its_start_to_before_its_end() {
    let body = body(Pose::identity());
    for (time, acts) in [(0.5, false), (0.999, true), (2.999, true), (3.0, false)] {
        let (impulse, angular) = load().impulse(&body, time, 0.01);
        assert_eq!(impulse != Vec3::zeros(), acts, "at {time}");
        assert_eq!(angular != Vec3::zeros(), acts, "at {time}");
    }
}

#[test]
fn steps_add_up_to_the_whole_impulse() {
    let span = |from: f64, until: f64, frequency: f64| Load {
        from,
        until,
        frequency,
        ..load()
    };
    assert!((total(&span(0.123, 1.456, 0.0)) - 4.0 * 1.333).abs() < 1e-11);
    assert!((total(&span(2.5, f64::INFINITY, 0.0)) - 4.0 * 0.5).abs() < 1e-11);
    // One and a quarter of a period: the integral of the sine is 1 / (2 pi f).
    let swinging = total(&span(0.5, 0.5 + 1.25 / 3.0, 3.0));
    assert!((swinging - 4.0 / (TAU * 3.0)).abs() < 1e-11);
}

/// The point of attack turns with the body; force and torque keep their directions.
#[test]
fn the_force_turns_the_body_about_its_center() {
    let turned = Quat::from_scaled_axis(Vec3::z() * FRAC_PI_2);
    let body = body(Pose::new(Vec3::new(5.0, 6.0, 7.0), turned));
    let (impulse, angular) = load().impulse(&body, 1.0, 0.5);
    assert_eq!(impulse, Vec3::new(0.0, 0.0, 2.0));
    // At (0, 0.5, 0): 0.5 y x 4 z = 2 x.
    assert!((angular - Vec3::new(1.0, 0.05, 0.1)).norm() < 1e-15);
}
