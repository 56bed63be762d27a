//! Parts of a frame, whatever their format: points, cells, and arrays on one or the other.

use super::FrameContent;
use super::surface::{self, Surface};
use crate::collide::ContactPoint;
use crate::constants::MAX_SURFACE_FRAME_BODIES;
use crate::math::{Aabb, Pose, Vec3};
use crate::measure::Seen;
use crate::world::{Body, BodyKind, Shape, World};

/// Cell types of VTK.
const VERTEX: u8 = 1;
const TRIANGLE: u8 = 5;
const POLYGON: u8 = 7;
const QUAD: u8 = 9;

/// Points and cells.
#[derive(Debug, Default)]
pub(super) struct Geometry {
    /// Coordinates `[m]`, shape `[3 point_count]`.
    pub(super) points: Vec<f64>,
    /// Points of the cells, one cell after the other.
    pub(super) connectivity: Vec<i64>,
    /// End of each cell in `connectivity`.
    pub(super) offsets: Vec<i64>,
    /// True if every cell is one point.
    pub(super) is_point_cloud: bool,
}

impl Geometry {
    pub(super) fn point_count(&self) -> usize {
        self.points.len() / 3
    }

    pub(super) fn cell_count(&self) -> usize {
        self.offsets.len()
    }

    /// VTK's type of every cell.
    pub(super) fn cell_types(&self) -> Vec<u8> {
        let mut start = 0;
        let ends = self.offsets.iter();
        ends.map(|&end| {
            let corners = end - start;
            start = end;
            match corners {
                1 => VERTEX,
                3 => TRIANGLE,
                4 => QUAD,
                _ => POLYGON,
            }
        })
        .collect()
    }

    fn push_cell(&mut self, points: impl IntoIterator<Item = i64>) {
        self.connectivity.extend(points);
        self.offsets.push(self.connectivity.len() as i64);
    }
}

/// A named array.
#[derive(Debug)]
pub(super) struct Attribute {
    pub(super) name: &'static str,
    pub(super) components: usize,
    pub(super) values: Values,
    /// True if it is the same in every frame of a run.
    pub(super) is_constant: bool,
}

/// Its values, all components of one element together.
#[derive(Debug)]
pub(super) enum Values {
    I32(Vec<i32>),
    U8(Vec<u8>),
    F32(Vec<f32>),
}

impl Attribute {
    pub(super) fn new(name: &'static str, components: usize, values: Values) -> Self {
        Self {
            name,
            components,
            values,
            is_constant: false,
        }
    }

    fn constant(name: &'static str, values: Values) -> Self {
        Self {
            is_constant: true,
            ..Self::new(name, 1, values)
        }
    }
}

impl Values {
    /// Little-endian, one after the other.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::I32(values) => bytes(values, i32::to_le_bytes),
            Self::U8(values) => values.clone(),
            Self::F32(values) => bytes(values, f32::to_le_bytes),
        }
    }
}

pub(super) fn bytes<T: Copy, const N: usize>(
    values: &[T],
    to_bytes: impl Fn(T) -> [u8; N],
) -> Vec<u8> {
    values.iter().flat_map(|&value| to_bytes(value)).collect()
}

/// Geometry with arrays: on its points if every cell is one, else on its cells.
#[derive(Debug, Default)]
pub(super) struct Piece {
    pub(super) geometry: Geometry,
    pub(super) attributes: Vec<Attribute>,
    /// Names of the scalars and of the vectors that are shown first.
    pub(super) shown: [&'static str; 2],
}

/// Bodies, as points or surfaces.
pub(super) fn bodies(world: &World, content: FrameContent) -> Piece {
    let surfaces = match content {
        FrameContent::Auto => world.bodies.len() <= MAX_SURFACE_FRAME_BODIES,
        FrameContent::Points => false,
        FrameContent::Surfaces => true,
    };
    let (geometry, attributes) = if surfaces {
        surfaces_of(world)
    } else {
        points_of(world)
    };
    Piece {
        geometry,
        attributes,
        shown: ["speed", "velocity"],
    }
}

/// Every contact a point, with what [`FrameOptions::contacts`](super::FrameOptions::contacts) lists.
pub(super) fn contacts(seen: &Seen<'_>) -> Piece {
    let network = seen.network();
    let all: Vec<(&ContactPoint, Vec3)> = network.all().collect();
    let mut geometry = Geometry {
        is_point_cloud: true,
        ..Geometry::default()
    };
    for (index, (contact, _)) in all.iter().enumerate() {
        geometry.points.extend(contact.position.iter());
        geometry.push_cell([index as i64]);
    }
    let numbers = |name, value: &dyn Fn(&ContactPoint, &Vec3) -> f64| {
        let values = all
            .iter()
            .map(|(contact, force)| value(contact, force) as f32);
        Attribute::new(name, 1, Values::F32(values.collect()))
    };
    let ids = |name, side: usize| {
        let values = all.iter().map(|(contact, _)| contact.bodies[side] as i32);
        Attribute::new(name, 1, Values::I32(values.collect()))
    };
    let attributes = vec![
        ids("body_a", 0),
        ids("body_b", 1),
        numbers("gap", &|contact, _| contact.separation),
        numbers("normal_force", &|contact, force| force.dot(&contact.normal)),
        vectors("normal", all.iter().map(|(contact, _)| contact.normal)),
        vectors("force", all.iter().map(|(_, force)| *force)),
        vectors(
            "tangential_force",
            all.iter()
                .map(|(contact, force)| force - contact.normal * force.dot(&contact.normal)),
        ),
        vectors(
            "branch",
            all.iter().map(|(contact, _)| {
                let [a, b] = network.branch(contact);
                a - b
            }),
        ),
    ];
    Piece {
        geometry,
        attributes,
        shown: ["normal_force", "force"],
    }
}

/// Every body a point, arrays on points.
fn points_of(world: &World) -> (Geometry, Vec<Attribute>) {
    let bodies = &world.bodies;
    let mut geometry = Geometry {
        is_point_cloud: true,
        ..Geometry::default()
    };
    for (index, body) in bodies.iter().enumerate() {
        geometry.points.extend(body.pose.position.iter());
        geometry.push_cell([index as i64]);
    }
    let everybody: Vec<u32> = (0..bodies.len() as u32).collect();
    let mut attributes = body_attributes(world, &everybody);
    let masses = bodies.iter().map(|body| mass(body) as f32);
    attributes.push(Attribute::constant("mass", Values::F32(masses.collect())));
    let radii = bodies.iter().map(|body| radius(body) as f32);
    attributes.push(Attribute::constant("radius", Values::F32(radii.collect())));
    attributes.push(Attribute {
        is_constant: true,
        ..vectors("half_extents", bodies.iter().map(half_extents))
    });
    let orientations = bodies.iter().flat_map(|body| {
        let q = body.pose.orientation;
        [q.w as f32, q.i as f32, q.j as f32, q.k as f32]
    });
    attributes.push(Attribute::new(
        "orientation",
        4,
        Values::F32(orientations.collect()),
    ));
    (geometry, attributes)
}

/// The surface of every body, arrays on faces.
fn surfaces_of(world: &World) -> (Geometry, Vec<Attribute>) {
    let ground = GroundSquare::under(world);
    let templates = surface::Templates::new();
    let mut geometry = Geometry::default();
    let mut owners = Vec::new();
    for (index, body) in world.bodies.iter().enumerate() {
        let before = geometry.cell_count();
        add_shape(&mut geometry, &templates, &ground, &body.shape, &body.pose);
        owners.resize(owners.len() + geometry.cell_count() - before, index as u32);
    }
    let attributes = body_attributes(world, &owners);
    (geometry, attributes)
}

/// Arrays that repeat a property of each element's body.
fn body_attributes(world: &World, owners: &[u32]) -> Vec<Attribute> {
    let bodies = || owners.iter().map(|&body| &world.bodies[body as usize]);
    vec![
        Attribute::constant(
            "id",
            Values::I32(owners.iter().map(|&body| body as i32).collect()),
        ),
        Attribute::constant("kind", Values::U8(bodies().map(kind_number).collect())),
        Attribute::constant("shape", Values::U8(bodies().map(shape_number).collect())),
        Attribute::constant(
            "material",
            Values::I32(bodies().map(|body| body.material as i32).collect()),
        ),
        vectors("velocity", bodies().map(|body| body.linear_velocity)),
        vectors(
            "angular_velocity",
            bodies().map(|body| body.angular_velocity),
        ),
        Attribute::new(
            "speed",
            1,
            Values::F32(
                bodies()
                    .map(|body| body.linear_velocity.norm() as f32)
                    .collect(),
            ),
        ),
    ]
}

fn vectors(name: &'static str, values: impl Iterator<Item = Vec3>) -> Attribute {
    let narrowed = values.flat_map(|v| [v.x as f32, v.y as f32, v.z as f32]);
    Attribute::new(name, 3, Values::F32(narrowed.collect()))
}

pub(super) fn kind_number(body: &Body) -> u8 {
    match body.kind {
        BodyKind::Dynamic => 0,
        BodyKind::Fixed => 1,
        BodyKind::Kinematic => 2,
    }
}

pub(super) fn shape_number(body: &Body) -> u8 {
    match body.shape {
        Shape::Sphere { .. } => 0,
        Shape::Box { .. } => 1,
        Shape::Capsule { .. } => 2,
        Shape::HalfSpace { .. } => 3,
        Shape::Compound { .. } => 4,
        Shape::Polyhedron(_) => 5,
        Shape::Mesh(_) => 6,
        Shape::Cylinder { .. } => 7,
        Shape::Cone { .. } => 8,
    }
}

pub(super) fn kind_name(body: &Body) -> &'static str {
    match body.kind {
        BodyKind::Dynamic => "dynamic",
        BodyKind::Fixed => "fixed",
        BodyKind::Kinematic => "kinematic",
    }
}

pub(super) fn shape_name(body: &Body) -> &'static str {
    match body.shape {
        Shape::Sphere { .. } => "sphere",
        Shape::Box { .. } => "box",
        Shape::Capsule { .. } => "capsule",
        Shape::HalfSpace { .. } => "half_space",
        Shape::Compound { .. } => "compound",
        Shape::Polyhedron(_) => "polyhedron",
        Shape::Mesh(_) => "mesh",
        Shape::Cylinder { .. } => "cylinder",
        Shape::Cone { .. } => "cone",
    }
}

/// Mass `[kg]`; zero unless dynamic.
pub(super) fn mass(body: &Body) -> f64 {
    if body.is_dynamic() {
        body.mass.mass
    } else {
        0.0
    }
}

/// Radius of the sphere about the centre of mass that holds a body; zero if there is none.
pub(super) fn radius(body: &Body) -> f64 {
    let radius = body.shape.bounding_radius();
    if radius.is_finite() { radius } else { 0.0 }
}

/// The box that holds all bodies but half-spaces; nothing without such bodies.
pub(super) fn bounds(world: &World) -> Option<Aabb> {
    let boxes = world.bodies.iter().map(|body| body.shape.aabb(&body.pose));
    let all = boxes
        .filter(Aabb::is_finite)
        .fold(Aabb::empty(), |all, aabb| all.merged(&aabb));
    all.is_finite().then_some(all)
}

/// Half the sides of the bounding box in body axes; zero if there is none.
pub(super) fn half_extents(body: &Body) -> Vec3 {
    let aabb = body.shape.aabb(&Pose::identity());
    if aabb.is_finite() {
        0.5 * (aabb.max - aabb.min)
    } else {
        Vec3::zeros()
    }
}

fn add_shape(
    geometry: &mut Geometry,
    templates: &surface::Templates,
    ground: &GroundSquare,
    shape: &Shape,
    pose: &Pose,
) {
    match shape {
        Shape::Sphere { radius } => {
            add_surface(geometry, &templates.sphere, pose, |unit| unit * *radius);
        }
        Shape::Box { half_extents } => {
            add_surface(geometry, &templates.cube, pose, |corner| {
                corner.component_mul(half_extents)
            });
        }
        Shape::Capsule {
            half_length,
            radius,
        } => {
            // The template's lower half has z < 0 and its upper half z > 0, never 0.
            add_surface(geometry, &templates.capsule, pose, |unit| {
                unit * *radius + Vec3::z() * half_length.copysign(unit.z)
            });
        }
        Shape::Cylinder {
            half_length,
            radius,
        } => {
            add_surface(geometry, &templates.cylinder, pose, |unit| {
                unit.component_mul(&Vec3::new(*radius, *radius, *half_length))
            });
        }
        Shape::Cone { height, radius } => {
            add_surface(geometry, &templates.cone, pose, |unit| {
                unit.component_mul(&Vec3::new(*radius, *radius, *height))
            });
        }
        Shape::Polyhedron(solid) => {
            let first = geometry.point_count() as i64;
            for vertex in solid.vertices() {
                geometry.points.extend(pose.point(vertex).iter().copied());
            }
            for face in solid.faces() {
                let corners = solid.vertices_of(face).iter();
                geometry.push_cell(corners.map(|&at| first + i64::from(at)));
            }
        }
        Shape::Mesh(mesh) => {
            let first = geometry.point_count() as i64;
            for vertex in mesh.vertices() {
                geometry.points.extend(pose.point(vertex).iter().copied());
            }
            for corners in mesh.triangles() {
                geometry.push_cell(corners.iter().map(|&at| first + i64::from(at)));
            }
        }
        Shape::HalfSpace { normal, offset } => ground.add(geometry, pose, normal, *offset),
        Shape::Compound { parts } => {
            for part in parts.iter() {
                add_shape(
                    geometry,
                    templates,
                    ground,
                    &part.shape,
                    &pose.compose(&part.pose),
                );
            }
        }
    }
}

fn add_surface(
    geometry: &mut Geometry,
    surface: &Surface,
    pose: &Pose,
    place: impl Fn(&Vec3) -> Vec3,
) {
    let first = geometry.point_count() as i64;
    for vertex in &surface.vertices {
        geometry
            .points
            .extend(pose.point(&place(vertex)).iter().copied());
    }
    for face in &surface.faces {
        geometry.push_cell(face.iter().map(|&vertex| first + i64::from(vertex)));
    }
}

/// The part of a half-space's boundary that is drawn: a square below (or beside) the other bodies.
#[derive(Debug)]
struct GroundSquare {
    center: Vec3,
    half_side: f64,
}

impl GroundSquare {
    fn under(world: &World) -> Self {
        match bounds(world) {
            Some(all) => Self {
                center: 0.5 * (all.min + all.max),
                half_side: 0.5 * (all.max - all.min).norm(),
            },
            None => Self {
                center: Vec3::zeros(),
                half_side: 1.0,
            },
        }
    }

    fn add(&self, geometry: &mut Geometry, pose: &Pose, normal: &Vec3, offset: f64) {
        let normal = pose.direction(normal);
        let height = normal.dot(&(self.center - pose.position)) - offset;
        let middle = self.center - normal * height;
        let (right, up) = in_plane_axes(&normal);
        let first = geometry.point_count() as i64;
        for (x, y) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
            let corner = middle + self.half_side * (x * right + y * up);
            geometry.points.extend(corner.iter());
        }
        geometry.push_cell(first..first + 4);
    }
}

/// Two unit vectors that make a right-handed frame with a unit normal.
fn in_plane_axes(normal: &Vec3) -> (Vec3, Vec3) {
    // The coordinate axis furthest from the normal.
    let axis = Vec3::ith(normal.iamin(), 1.0);
    let right = axis.cross(normal).normalize();
    (right, normal.cross(&right))
}
