//! Moves of the camera.

use super::pick::Ray;
use crate::render::Camera;
use drystone::math::{Quat, Vec3};

/// Turn of the camera for a move of the pointer over the height of the window `[rad]`.
const TURN: f64 = 3.0;
/// Angle that the camera keeps from straight above and below `[rad]`.
const CLEAR_OF_POLES: f64 = 0.03;
/// Change of the distance by a notch of the wheel.
const ZOOM: f64 = 0.88;

/// The ray of a place in a window, both in pixels.
pub(super) fn ray(camera: &Camera, at: [f64; 2], (width, height): (u32, u32)) -> Ray {
    let (width, height) = (f64::from(width), f64::from(height));
    let place = [2.0 * at[0] / width - 1.0, 1.0 - 2.0 * at[1] / height];
    Ray {
        from: camera.eye,
        along: camera.ray(place, width / height),
    }
}

/// Turns the camera about its target by a move of the pointer `[heights of the window]`.
pub(super) fn orbit(camera: &mut Camera, [x, y]: [f64; 2]) {
    let up = camera.up.normalize();
    let [right, ..] = camera.axes();
    let off = camera.eye - camera.target;
    let height = (off.normalize().dot(&up)).clamp(-1.0, 1.0).asin();
    let most = std::f64::consts::FRAC_PI_2 - CLEAR_OF_POLES;
    let wanted = (height + TURN * y).clamp(-most, most);
    let turn = |axis: &Vec3, angle: f64| {
        Quat::from_axis_angle(&nalgebra::Unit::new_normalize(*axis), angle)
    };
    let off = turn(&right, height - wanted) * off;
    camera.eye = camera.target + turn(&up, -TURN * x) * off;
}

/// Moves the camera and its target so that what is there follows the pointer `[heights of the window]`.
pub(super) fn shift(camera: &mut Camera, [x, y]: [f64; 2]) {
    let [right, above, _] = camera.axes();
    let height = 2.0 * (camera.eye - camera.target).norm() * (0.5 * camera.field).tan();
    let by = (above * y - right * x) * height;
    camera.eye += by;
    camera.target += by;
}

/// Moves the camera towards its target by notches of the wheel; it stays between these distances `[m]`.
pub(super) fn zoom(camera: &mut Camera, notches: f64, (least, most): (f64, f64)) {
    let off = camera.eye - camera.target;
    let distance = off.norm();
    let wanted = (distance * ZOOM.powf(notches)).clamp(least.min(distance), most.max(distance));
    camera.eye = camera.target + off * (wanted / distance);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn camera() -> Camera {
        Camera {
            eye: Vec3::new(0.0, -5.0, 1.0),
            target: Vec3::new(0.0, 0.0, 1.0),
            up: Vec3::z(),
            field: 0.6,
        }
    }

    #[test]
    fn rays_go_where_the_picture_shows() {
        let middle = ray(&camera(), [400.0, 300.0], (800, 600)).along;
        assert!((middle - Vec3::y()).norm() < 1e-12);
        // The upper border is half the field of view above the middle, and the right one is wider by the aspect.
        let above = ray(&camera(), [400.0, 0.0], (800, 600)).along;
        assert!((above.z / above.y - 0.3_f64.tan()).abs() < 1e-12);
        let right = ray(&camera(), [800.0, 300.0], (800, 600)).along;
        assert!((right.x / right.y - 0.3_f64.tan() * 4.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn the_camera_turns_about_its_target_and_never_over_a_pole() {
        let mut turned = camera();
        orbit(&mut turned, [0.1, 0.2]);
        assert!(((turned.eye - turned.target).norm() - 5.0).abs() < 1e-9);
        // A pointer that goes right and down takes the scene along: the eye goes left and up.
        assert!(turned.eye.x < 0.0 && turned.eye.z > 1.0, "{:?}", turned.eye);
        for _ in 0..50 {
            orbit(&mut turned, [0.0, 0.5]);
        }
        let [right, above, back] = turned.axes();
        assert!(back.z > 0.99 && above.z > 0.0 && right.z.abs() < 1e-6);
    }

    #[test]
    fn what_is_shifted_stays_under_the_pointer() {
        let mut moved = camera();
        shift(&mut moved, [0.25, -0.1]);
        let off = moved.target - camera().target;
        // 600 pixels are 10 tan(0.3) metres at the target.
        let height = 10.0 * 0.3_f64.tan();
        assert!((off.x + 0.25 * height).abs() < 1e-12 && (off.z + 0.1 * height).abs() < 1e-12);
        zoom(&mut moved, 3.0, (1.0, 9.0));
        let distance = (moved.eye - moved.target).norm();
        assert!((distance - 5.0 * ZOOM.powi(3)).abs() < 1e-9);
        zoom(&mut moved, 300.0, (1.0, 9.0));
        assert!(((moved.eye - moved.target).norm() - 1.0).abs() < 1e-9);
    }
}
