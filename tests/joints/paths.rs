//! Velocities of paths against differences of the paths themselves.

use drystone::internals::math;
use drystone::math::Vec3;
use drystone::world::joint::Path;
use std::f64::consts::TAU;

fn position(path: &Path, time: f64) -> Vec3 {
    match path {
        Path::Circle {
            radius,
            angular_velocity,
        } => math::exp(&(angular_velocity * time)) * radius,
        Path::Line { velocity } => velocity * time,
        Path::Sinusoidal {
            amplitude,
            frequency,
            phase,
        } => amplitude * (TAU * frequency * time + phase).sin(),
    }
}

#[test]
fn velocity_and_acceleration_are_derivatives_of_the_path() {
    let paths = [
        Path::Circle {
            radius: Vec3::new(0.5, 0.1, 0.0),
            angular_velocity: Vec3::new(-0.1, 0.5, 1.5),
        },
        Path::Line {
            velocity: Vec3::new(1.0, -2.0, 0.5),
        },
        Path::Sinusoidal {
            amplitude: Vec3::new(0.3, 0.0, -0.2),
            frequency: 0.7,
            phase: 0.4,
        },
    ];
    let dt = 1e-4;
    for path in &paths {
        for time in [0.0, 0.3, 2.0, 17.0] {
            let (velocity, acceleration) = path.velocity(time);
            let (past, next) = (position(path, time - dt), position(path, time + dt));
            assert!(((next - past) / (2.0 * dt) - velocity).norm() < 1e-7);
            let (past, _) = path.velocity(time - dt);
            let (next, _) = path.velocity(time + dt);
            assert!(((next - past) / (2.0 * dt) - acceleration).norm() < 1e-6);
        }
    }
}

#[test]
fn a_circle_at_time_zero_is_at_its_radius() {
    let path = Path::Circle {
        radius: Vec3::new(0.5, 0.0, 0.0),
        angular_velocity: Vec3::new(0.0, 0.0, 1.0),
    };
    let (velocity, acceleration) = path.velocity(0.0);
    assert!((velocity - Vec3::new(0.0, 0.5, 0.0)).norm() < 1e-15);
    assert!((acceleration - Vec3::new(-0.5, 0.0, 0.0)).norm() < 1e-15);
}
