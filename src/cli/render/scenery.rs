//! A world as instances of shapes: what is drawn of every body.

use super::color::Rgb;
use super::shapes::{self, Corner};
use super::snapshot::{Extent, Force, Touch};
use bytemuck::{Pod, Zeroable};
use drystone::math::{Pose, Quat, Vec3};
use drystone::world::{BodyKind, Shape, World};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// Drawings beside the bodies.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Overlays<'a> {
    /// Forces between bodies, and the largest that is drawn `[N]`.
    pub(crate) forces: Option<(&'a [Force], f64)>,
    /// Points of contact.
    pub(crate) contacts: Option<&'a [Touch]>,
    /// True if joints are drawn.
    pub(crate) joints: bool,
    /// Ends of the spring that pulls at a body, the first on it `[m]`.
    pub(crate) pull: Option<[Vec3; 2]>,
}

impl Overlays<'_> {
    /// Opacity of bodies: a crowd seen through is a crowd of ghosts among which lines stand out.
    pub(super) fn opacity(&self) -> f64 {
        if self.forces.is_some() {
            0.10
        } else if self.contacts.is_some() || self.joints {
            0.45
        } else {
            1.0
        }
    }
}

/// Where a shape stands, as the shaders read it.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Instance {
    /// Fourth: half the length by which it is pulled apart along z `[m]`.
    position: [f32; 4],
    /// x, y, z, w.
    orientation: [f32; 4],
    /// Fourth: opacity.
    scale: [f32; 4],
    /// Fourth: the finish.
    color: [f32; 4],
}

/// Instances of one shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Batch {
    pub(super) corners: Range<u32>,
    pub(super) instances: Range<u32>,
    pub(super) casts_shadow: bool,
}

/// All that is drawn, relative to `origin`.
#[derive(Debug, Default)]
pub(crate) struct Scenery {
    pub(super) spheres: Vec<Instance>,
    pub(super) instances: Vec<Instance>,
    pub(super) corners: Vec<Corner>,
    pub(super) batches: Vec<Batch>,
    /// Middle of what is of interest `[m]`.
    pub(super) origin: Vec3,
    /// Radius of the ball about it within which shadows fall `[m]`.
    pub(super) radius: f64,
    /// Spacing of the lines on the ground `[m]`.
    pub(super) grid: f64,
}

/// Surfaces as `shaders/render/view.wgsl` numbers them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finish {
    Plain = 0,
    Bevelled = 1,
    Ground = 2,
    Line = 3,
}

/// A box that holds bodies, open to the eye.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bin {
    /// Index of its body.
    pub(crate) body: u32,
    /// Index of the body of its walls, if they have their own.
    pub(crate) walls: Option<u32>,
    /// Inner sides of its floor and the height that is drawn `[m]`.
    pub(crate) inner: Vec3,
}

/// Key that tells shapes apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Form {
    Box,
    Capsule,
    Cylinder,
    Cone,
    /// A square without an end.
    Ground,
    /// Lines cast no shadow.
    Line,
    Bin,
    /// Address of a solid or mesh.
    Solid(usize),
}

/// Key and surface of a shape that is drawn as triangles.
fn form_of(shape: &Shape) -> (Form, Finish) {
    match shape {
        Shape::Box { .. } => (Form::Box, Finish::Bevelled),
        Shape::Capsule { .. } => (Form::Capsule, Finish::Plain),
        Shape::Cylinder { .. } => (Form::Cylinder, Finish::Plain),
        Shape::Cone { .. } => (Form::Cone, Finish::Plain),
        Shape::Polyhedron(solid) => (Form::Solid(Arc::as_ptr(solid) as usize), Finish::Plain),
        Shape::Mesh(mesh) => (Form::Solid(Arc::as_ptr(mesh) as usize), Finish::Plain),
        // These are not drawn by themselves.
        Shape::Sphere { .. } | Shape::HalfSpace { .. } | Shape::Compound { .. } => {
            (Form::Ground, Finish::Plain)
        }
    }
}

/// Paint of what does not move.
const GROUND: Rgb = Rgb::new(0.79, 0.785, 0.77);
const WALL: Rgb = Rgb::new(0.76, 0.77, 0.78);
/// Opacity of the walls of a box.
const GLASS: f64 = 0.42;
const EDGE: Rgb = Rgb::new(0.16, 0.18, 0.21);

/// A scenery being filled.
pub(super) struct Builder<'a> {
    pub(super) scenery: Scenery,
    instances: HashMap<Form, Vec<Instance>>,
    corners: HashMap<Form, Vec<Corner>>,
    up: Vec3,
    pub(super) world: &'a World,
    /// Lowest point of what does not move, along `up` from the origin.
    lowest: f64,
    has_level_ground: bool,
}

/// How bodies are shown.
pub(crate) struct Show<'a> {
    /// Colour of each body.
    pub(crate) colors: &'a [Rgb],
    /// Boxes that hold bodies.
    pub(crate) bins: &'a [Bin],
    /// Lines and marks beside the bodies.
    pub(crate) overlays: &'a Overlays<'a>,
    /// Subject of the picture.
    pub(crate) extent: &'a Extent,
}

impl Scenery {
    /// The scenery of a world.
    pub(crate) fn new(world: &World, show: &Show<'_>) -> Self {
        let extent = show.extent;
        let radius = extent.radius().max(1e-6);
        let up = up_of(world);
        let mut builder = Builder {
            scenery: Self {
                origin: extent.middle(),
                radius: 1.35 * radius,
                grid: grid_spacing(radius),
                ..Self::default()
            },
            instances: HashMap::new(),
            corners: HashMap::new(),
            up,
            world,
            lowest: f64::INFINITY,
            has_level_ground: false,
        };
        builder.bodies(show);
        builder.overlays(show.overlays);
        if !builder.has_level_ground {
            builder.studio_floor(extent);
        }
        builder.finish()
    }
}

/// Against gravity, or z where there is none.
pub(crate) fn up_of(world: &World) -> Vec3 {
    if world.gravity.norm() > 0.0 {
        -world.gravity.normalize()
    } else {
        Vec3::z()
    }
}

/// A round number near a fifth of a radius.
fn grid_spacing(radius: f64) -> f64 {
    let wish = 0.35 * radius;
    let power = 10_f64.powf(wish.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|digit| digit * power)
        .min_by(|a, b| (a - wish).abs().total_cmp(&(b - wish).abs()))
        .unwrap_or(1.0)
}

impl Builder<'_> {
    fn bodies(&mut self, show: &Show<'_>) {
        let opacity = show.overlays.opacity();
        for (index, body) in self.world.bodies.iter().enumerate() {
            if let Some(bin) = show.bins.iter().find(|bin| bin.body as usize == index) {
                self.bin(bin, &body.frame());
            } else if show.bins.iter().all(|bin| bin.walls != Some(index as u32)) {
                let color = show.colors.get(index).copied().unwrap_or(WALL);
                let opacity = if body.is_dynamic() { opacity } else { 1.0 };
                self.shape(&body.shape, &body.pose, color, opacity);
                let aabb = body.shape.aabb(&body.pose);
                // The floor stays where it is when something falls or shakes.
                if body.kind == BodyKind::Fixed && aabb.is_finite() {
                    let middle = 0.5 * (aabb.min + aabb.max) - self.scenery.origin;
                    let half = 0.5 * (aabb.max - aabb.min);
                    self.reach(middle.dot(&self.up) - half.dot(&self.up.abs()));
                }
            }
        }
    }

    fn shape(&mut self, shape: &Shape, pose: &Pose, color: Rgb, opacity: f64) {
        let origin = self.scenery.origin;
        match shape {
            Shape::Sphere { radius } => {
                let scale = [*radius; 3];
                let made = instance(&origin, pose, scale, 0.0, color, opacity, Finish::Plain);
                self.scenery.spheres.push(made);
            }
            Shape::HalfSpace { normal, offset } => self.half_space(pose, normal, *offset),
            Shape::Compound { parts } => {
                for part in parts.iter() {
                    self.shape(&part.shape, &pose.compose(&part.pose), color, opacity);
                }
            }
            Shape::Box { .. }
            | Shape::Capsule { .. }
            | Shape::Cylinder { .. }
            | Shape::Cone { .. }
            | Shape::Polyhedron(_)
            | Shape::Mesh(_) => {
                let (form, finish) = form_of(shape);
                let [x, y, z, stretch] = shapes::scale(shape);
                let made = instance(&origin, pose, [x, y, z], stretch, color, opacity, finish);
                self.push(form, made, || shapes::of(shape));
            }
        }
    }

    fn reach(&mut self, height: f64) {
        self.lowest = self.lowest.min(height);
    }

    pub(super) fn push(
        &mut self,
        form: Form,
        instance: Instance,
        corners: impl FnOnce() -> Vec<Corner>,
    ) {
        self.instances.entry(form).or_default().push(instance);
        self.corners.entry(form).or_insert_with(corners);
    }

    /// The boundary of a half-space: without an end if it is level, else a square as large as the scene.
    fn half_space(&mut self, pose: &Pose, normal: &Vec3, offset: f64) {
        let normal = pose.direction(normal);
        let height = normal.dot(&(self.scenery.origin - pose.position)) - offset;
        let middle = self.scenery.origin - normal * height;
        if normal.dot(&self.up) > 0.9999 {
            self.has_level_ground = true;
            self.ground(&middle, &normal);
        } else {
            let half = 1.15 * self.scenery.radius;
            let pose = Pose::new(middle, turn_to(&normal));
            let scale = [half, half, 1.0];
            let made = instance(
                &self.scenery.origin,
                &pose,
                scale,
                0.0,
                WALL,
                1.0,
                Finish::Plain,
            );
            self.push(Form::Solid(0), made, shapes::square);
            let slope = (1.0 - normal.dot(&self.up).powi(2)).max(0.0).sqrt();
            self.reach((middle - self.scenery.origin).dot(&self.up) - half * slope);
        }
    }

    fn ground(&mut self, middle: &Vec3, normal: &Vec3) {
        let orientation = turn_to(normal);
        // Lines of the grid stay where they are when the camera's target moves.
        let spacing = self.scenery.grid;
        let local = orientation.inverse() * middle;
        let snapped = Vec3::new(
            (local.x / spacing).round() * spacing,
            (local.y / spacing).round() * spacing,
            local.z,
        );
        let pose = Pose::new(orientation * snapped, orientation);
        let half = 60.0 * self.scenery.radius;
        let scale = [half, half, 1.0];
        let made = instance(
            &self.scenery.origin,
            &pose,
            scale,
            0.0,
            GROUND,
            1.0,
            Finish::Ground,
        );
        self.push(Form::Ground, made, shapes::square);
    }

    /// A floor below everything, for scenes without a ground.
    fn studio_floor(&mut self, extent: &Extent) {
        let lowest = self
            .lowest
            .min(extent.lowest(&self.up, &self.scenery.origin));
        let height = if lowest.is_finite() {
            lowest
        } else {
            -self.scenery.radius
        };
        let up = self.up;
        let middle = self.scenery.origin + up * (height - 0.02 * self.scenery.radius);
        self.ground(&middle, &up);
    }

    /// The inner faces of a box, and its edges; faces turned away from the eye are not drawn.
    fn bin(&mut self, bin: &Bin, frame: &Pose) {
        let half = 0.5 * bin.inner;
        let middle = Pose::new(frame.point(&Vec3::new(0.0, 0.0, half.z)), frame.orientation);
        let origin = self.scenery.origin;
        let scale = [half.x, half.y, half.z];
        let made = instance(&origin, &middle, scale, 0.0, WALL, GLASS, Finish::Plain);
        self.push(Form::Bin, made, shapes::open_box);
        let thickness = 0.0022 * self.scenery.radius;
        for axis in 0..3 {
            for (a, b) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
                let mut at = Vec3::zeros();
                at[(axis + 1) % 3] = a * half[(axis + 1) % 3];
                at[(axis + 2) % 3] = b * half[(axis + 2) % 3];
                let along = middle.direction(&Vec3::ith(axis, 1.0));
                let pose = Pose::new(middle.point(&at), turn_to(&along));
                self.line(&pose, half[axis], thickness, EDGE, 0.55);
            }
        }
    }

    pub(super) fn line(
        &mut self,
        pose: &Pose,
        half_length: f64,
        radius: f64,
        color: Rgb,
        opacity: f64,
    ) {
        let origin = self.scenery.origin;
        let made = instance(
            &origin,
            pose,
            [radius; 3],
            half_length,
            color,
            opacity,
            Finish::Line,
        );
        self.push(Form::Line, made, || shapes::capsule(6, 1));
    }

    fn finish(mut self) -> Scenery {
        let mut forms: Vec<Form> = self.instances.keys().copied().collect();
        forms.sort_unstable();
        for form in forms {
            let (Some(instances), Some(corners)) =
                (self.instances.remove(&form), self.corners.remove(&form))
            else {
                continue;
            };
            let scenery = &mut self.scenery;
            let first = scenery.corners.len() as u32;
            scenery.corners.extend(corners);
            let from = scenery.instances.len() as u32;
            scenery.instances.extend(instances);
            scenery.batches.push(Batch {
                corners: first..scenery.corners.len() as u32,
                instances: from..scenery.instances.len() as u32,
                casts_shadow: !matches!(form, Form::Line | Form::Ground),
            });
        }
        self.scenery
    }
}

/// The rotation that takes z to a direction.
pub(super) fn turn_to(direction: &Vec3) -> Quat {
    Quat::rotation_between(&Vec3::z(), direction)
        .unwrap_or_else(|| Quat::from_axis_angle(&Vec3::x_axis(), std::f64::consts::PI))
}

pub(super) fn instance(
    origin: &Vec3,
    pose: &Pose,
    scale: [f64; 3],
    stretch: f64,
    color: Rgb,
    opacity: f64,
    finish: Finish,
) -> Instance {
    let at = pose.position - origin;
    let q = pose.orientation;
    let [r, g, b] = color.linear();
    Instance {
        position: [at.x as f32, at.y as f32, at.z as f32, stretch as f32],
        orientation: [q.i as f32, q.j as f32, q.k as f32, q.w as f32],
        scale: [
            scale[0] as f32,
            scale[1] as f32,
            scale[2] as f32,
            opacity as f32,
        ],
        color: [r, g, b, f32::from(finish as u8)],
    }
}
