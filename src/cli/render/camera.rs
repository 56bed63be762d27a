//! Where a picture is taken from: as the scene says, or fitted to what moves in it.

use super::scenery::up_of;
use super::snapshot::Extent;
use super::view::Camera;
use drystone::math::Vec3;
use drystone::scene::Scene;
use drystone::world::World;

/// Height of the field of view unless a scene gives it `[rad]`: that of a long lens, which does not distort.
const FIELD: f64 = 0.42;
/// Height of the camera over the middle, as an angle `[rad]`, and its side.
const HEIGHT: f64 = 0.38;
const SIDE: f64 = 0.60;
/// The same for scenes that lie in a plane.
const PLANE_HEIGHT: f64 = 0.16;
const PLANE_SIDE: f64 = 0.22;
/// Free room around what is shown, as a share of it.
const ROOM: f64 = 1.12;
/// Thickness over breadth below which a scene lies in a plane.
const THIN: f64 = 0.25;

/// The camera of a run.
pub(crate) fn camera(
    scene: &Scene,
    world: &World,
    extent: &Extent,
    (width, height): (u32, u32),
) -> Camera {
    let up = up_of(world);
    let given = scene.camera;
    let field = given.and_then(|camera| camera.field).unwrap_or(FIELD);
    let target = given
        .and_then(|camera| camera.target)
        .unwrap_or_else(|| extent.middle());
    if let Some(eye) = given.and_then(|camera| camera.eye) {
        return Camera {
            eye,
            target,
            up,
            field,
        };
    }
    let toward = direction(extent, &up);
    let back = distance(
        extent,
        &target,
        &toward,
        &up,
        field,
        f64::from(width) / f64::from(height),
    );
    Camera {
        eye: target + toward * back,
        target,
        up,
        field,
    }
}

/// A camera that looks the same way at all of an extent.
#[cfg(feature = "view")]
pub(crate) fn fitted(camera: &Camera, extent: &Extent, (width, height): (u32, u32)) -> Camera {
    let [_, _, toward] = camera.axes();
    let target = extent.middle();
    let aspect = f64::from(width) / f64::from(height);
    let back = distance(extent, &target, &toward, &camera.up, camera.field, aspect);
    Camera {
        eye: target + toward * back,
        target,
        ..*camera
    }
}

/// From the middle to the camera.
fn direction(extent: &Extent, up: &Vec3) -> Vec3 {
    // Seen from the front: along y where z is up, with x to the right.
    let front = if up.y.abs() > 0.9 {
        Vec3::z()
    } else {
        -Vec3::y()
    };
    let front = (front - up * front.dot(up)).normalize();
    let right = up.cross(&front);
    let size = extent.max - extent.min;
    let deep = size.dot(&front.abs());
    let broad = size.dot(&right.abs());
    let (height, mut side) = if deep < THIN * broad.max(size.dot(&up.abs())) {
        (PLANE_HEIGHT, PLANE_SIDE)
    } else {
        (HEIGHT, SIDE)
    };
    // A deep and narrow scene is seen from its long side.
    if broad < THIN * deep {
        side = std::f64::consts::FRAC_PI_2 - PLANE_SIDE;
    }
    let level = front * side.cos() + right * side.sin();
    level * height.cos() + up * height.sin()
}

/// Distance from which all corners of the extent are in the picture `[m]`.
fn distance(
    extent: &Extent,
    target: &Vec3,
    toward: &Vec3,
    up: &Vec3,
    field: f64,
    aspect: f64,
) -> f64 {
    let right = up.cross(toward).normalize();
    let above = toward.cross(&right);
    let steep = (0.5 * field).tan();
    extent
        .corners()
        .iter()
        .map(|corner| {
            let off = corner - target;
            let across =
                (off.dot(&right).abs() / (steep * aspect)).max(off.dot(&above).abs() / steep);
            ROOM * across + off.dot(toward)
        })
        .fold(0.0, f64::max)
        .max(1e-6)
}
