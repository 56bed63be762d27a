//! Where a picture is seen from, and its light.

use super::scenery::Scenery;
use bytemuck::{Pod, Zeroable};
use drystone::math::Vec3;
use nalgebra::{Matrix4, Vector3};

/// The light of every picture, in shares of white.
pub(super) mod light {
    /// Exposure: factor of white paper in the sun.
    pub(crate) const EXPOSURE: f32 = 1.04;
    /// Height of the sun and its side, seen from the camera `[rad]`.
    pub(crate) const SUN_HEIGHT: f32 = 0.90;
    /// To the left of and behind the camera.
    pub(crate) const SUN_SIDE: f32 = -0.85;
    /// Angular radius of the sun `[rad]`: that of a softbox in a studio.
    pub(crate) const SUN_RADIUS: f32 = 0.085;
    /// Warm.
    pub(crate) const SUN: [f32; 3] = [0.80, 0.75, 0.66];
    /// Cool.
    pub(crate) const SKY: [f32; 3] = [0.42, 0.455, 0.50];
    /// Texels over which the shadow of one direction of the sky is spread: there are too few directions for its edges not to show.
    pub(crate) const SPREAD: f32 = 9.0;
    /// Samples from which on it is spread so far; of fewer it would show as grain.
    pub(crate) const SAMPLES_TO_SPREAD: u32 = 16;
    /// From above, without a shadow.
    pub(crate) const FILL_ABOVE: [f32; 3] = [0.07, 0.072, 0.075];
    /// From the floor.
    pub(crate) const FILL_BELOW: [f32; 3] = [0.10, 0.094, 0.086];
    /// Backdrop at the horizon.
    pub(crate) const HORIZON: [f32; 3] = [0.83, 0.845, 0.86];
    /// Backdrop above.
    pub(crate) const ZENITH: [f32; 3] = [0.60, 0.67, 0.75];
}

/// A camera, in the axes of the scene.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Camera {
    /// Where it is `[m]`.
    pub(crate) eye: Vec3,
    /// Where it looks `[m]`.
    pub(crate) target: Vec3,
    /// Which way is up.
    pub(crate) up: Vec3,
    /// Height of the field of view `[rad]`.
    pub(crate) field: f64,
}

impl Camera {
    /// Unit vectors to the right, up and back, as the picture has them.
    pub(crate) fn axes(&self) -> [Vec3; 3] {
        let back = (self.eye - self.target).normalize();
        let right = self.up.cross(&back);
        let right = if right.norm() > 1e-6 {
            right.normalize()
        } else {
            // Straight from above or below, any side is right.
            let other = if back.z.abs() > 0.9 {
                Vec3::x()
            } else {
                Vec3::z()
            };
            other.cross(&back).normalize()
        };
        [right, back.cross(&right), back]
    }

    /// Direction of what is seen at a place of a picture, which is given from -1 to 1 to the right and up.
    #[cfg(feature = "view")]
    pub(crate) fn ray(&self, [x, y]: [f64; 2], aspect: f64) -> Vec3 {
        let [right, above, back] = self.axes();
        let steep = (0.5 * self.field).tan();
        (right * (x * steep * aspect) + above * (y * steep) - back).normalize()
    }
}

/// The view of one sample, as the shaders read it.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct View {
    view_projection: [[f32; 4]; 4],
    to_scene: [[f32; 4]; 4],
    sun_projection: [[f32; 4]; 4],
    sky_projection: [[f32; 4]; 4],
    eye: [f32; 4],
    up: [f32; 4],
    sun: [f32; 4],
    sky: [f32; 4],
    sun_color: [f32; 4],
    sky_color: [f32; 4],
    fill_above: [f32; 4],
    fill_below: [f32; 4],
    horizon: [f32; 4],
    zenith: [f32; 4],
    ground: [f32; 4],
    frame: [f32; 4],
}

/// Size of a picture, as the shader that develops it reads it.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Frame {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) samples: u32,
    pub(super) exposure: f32,
}

/// Points that fill a square evenly (a sequence of additive recurrence), each coordinate in [0, 1).
fn even(index: u32, shift: f32) -> [f32; 2] {
    let index = index as f32;
    [0.754_877_7, 0.569_840_3].map(|step: f32| (shift + 0.5 + step * index).fract())
}

impl View {
    /// The same while the shadow map of the sky is drawn.
    pub(super) fn of_the_sky(mut self) -> Self {
        self.eye[3] = 1.0;
        self
    }

    pub(super) fn of_sample(
        scenery: &Scenery,
        camera: &Camera,
        (width, height): (u32, u32),
        (sample, samples): (u32, u32),
        shadow_size: u32,
    ) -> Self {
        let near = |v: &Vec3| {
            let v = v - scenery.origin;
            Vector3::new(v.x as f32, v.y as f32, v.z as f32)
        };
        let (eye, target) = (near(&camera.eye), near(&camera.target));
        let up =
            Vector3::new(camera.up.x as f32, camera.up.y as f32, camera.up.z as f32).normalize();
        let reach = scenery.radius as f32;
        let distance = (target - eye).norm();
        // Pixels are sampled all over, and a little beyond their borders.
        let [x, y] = even(sample, 0.0);
        let jitter = [x, y].map(|at| (at - 0.5) * 1.3);
        let projection = perspective(
            camera.field as f32,
            width as f32 / height as f32,
            0.02 * distance,
            distance + 80.0 * reach,
            [
                2.0 * jitter[0] / width as f32,
                2.0 * jitter[1] / height as f32,
            ],
        );
        let view_projection = projection * look(&eye, &camera.axes());

        // The sun stands to the left of the camera and behind it.
        let forward = flat(&(target - eye), &up);
        let right = forward.cross(&up);
        let (side, height_of_sun) = (light::SUN_SIDE, light::SUN_HEIGHT);
        let level = right * side.sin() - forward * side.cos();
        let middle = level * height_of_sun.cos() + up * height_of_sun.sin();
        let [u, turn] = even(sample, 0.25);
        let (across, other) = around(&middle);
        let off = light::SUN_RADIUS * u.sqrt();
        let angle = std::f32::consts::TAU * turn;
        let sun = (middle + (across * angle.cos() + other * angle.sin()) * off).normalize();
        // A spiral over the half of the sky above, one turn of the golden angle a sample.
        let rise = (sample as f32 + 0.5) / samples as f32;
        let angle = 2.399_963 * sample as f32;
        let (across, other) = around(&up);
        let sky = up * rise
            + (across * angle.cos() + other * angle.sin()) * (1.0 - rise * rise).max(0.0).sqrt();

        let texel = 2.0 * reach / shadow_size as f32;
        let wide = |v: [f32; 3]| [v[0], v[1], v[2], 0.0];
        let share = samples as f32 / light::SAMPLES_TO_SPREAD as f32;
        let spread = light::SPREAD * share.min(1.0);
        let with = |v: &Vector3<f32>, w: f32| [v.x, v.y, v.z, w];
        Self {
            view_projection: view_projection.into(),
            to_scene: view_projection
                .try_inverse()
                .unwrap_or_else(Matrix4::identity)
                .into(),
            sun_projection: light_projection(&sun, reach).into(),
            sky_projection: light_projection(&sky, reach).into(),
            eye: with(&eye, 0.0),
            up: with(&up, 0.0),
            sun: with(&sun, texel),
            sky: with(&sky, texel),
            sun_color: wide(light::SUN),
            sky_color: [light::SKY[0], light::SKY[1], light::SKY[2], spread],
            fill_above: wide(light::FILL_ABOVE),
            fill_below: wide(light::FILL_BELOW),
            horizon: wide(light::HORIZON),
            zenith: wide(light::ZENITH),
            ground: [
                scenery.grid as f32,
                0.011 * scenery.grid as f32,
                2.2 * reach,
                9.0 * reach,
            ],
            frame: [width as f32, height as f32, sample as f32, 0.13],
        }
    }
}

/// A direction along the ground.
fn flat(direction: &Vector3<f32>, up: &Vector3<f32>) -> Vector3<f32> {
    let level = direction - up * direction.dot(up);
    if level.norm() > 1e-6 {
        level.normalize()
    } else {
        around(up).0
    }
}

/// Two unit vectors across a third.
fn around(direction: &Vector3<f32>) -> (Vector3<f32>, Vector3<f32>) {
    let other = if direction.z.abs() > 0.9 {
        Vector3::x()
    } else {
        Vector3::z()
    };
    let first = other.cross(direction).normalize();
    (first, direction.cross(&first))
}

/// From the scene to the axes of a camera, which looks along -z.
fn look(eye: &Vector3<f32>, axes: &[Vec3; 3]) -> Matrix4<f32> {
    let row = |axis: &Vec3| {
        let axis = Vector3::new(axis.x as f32, axis.y as f32, axis.z as f32);
        [axis.x, axis.y, axis.z, -axis.dot(eye)]
    };
    let [right, above, back] = axes.each_ref().map(row);
    let rows = [right, above, back, [0.0, 0.0, 0.0, 1.0]];
    Matrix4::from_fn(|i, j| rows[i][j])
}

/// Perspective with depths from 0 to 1, moved by a share of the picture.
fn perspective(field: f32, aspect: f32, near: f32, far: f32, shift: [f32; 2]) -> Matrix4<f32> {
    let scale = 1.0 / (0.5 * field).tan();
    let rows = [
        [scale / aspect, 0.0, -shift[0], 0.0],
        [0.0, scale, -shift[1], 0.0],
        [0.0, 0.0, far / (near - far), near * far / (near - far)],
        [0.0, 0.0, -1.0, 0.0],
    ];
    Matrix4::from_fn(|i, j| rows[i][j])
}

/// From the scene to the shadow map of a far light: all within `reach` of the origin.
fn light_projection(light: &Vector3<f32>, reach: f32) -> Matrix4<f32> {
    let (right, above) = around(light);
    let row = |axis: &Vector3<f32>, scale: f32, shift: f32| {
        [axis.x * scale, axis.y * scale, axis.z * scale, shift]
    };
    let rows = [
        row(&right, 1.0 / reach, 0.0),
        row(&above, 1.0 / reach, 0.0),
        row(light, -0.5 / (2.0 * reach), 0.5),
        [0.0, 0.0, 0.0, 1.0],
    ];
    Matrix4::from_fn(|i, j| rows[i][j])
}
