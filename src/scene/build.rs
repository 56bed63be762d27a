//! From a checked scene file to a world and settings.

use super::expect;
use super::generate::{self, Stream};
use super::joint::{self, Ends};
use super::meshes;
use super::place::Place;
use super::polyhedra;
use super::probe;
use super::schema::{self, ContainerShape, DEFAULT_MATERIAL, SceneFile, Walls};
use super::settings::settings;
use super::tables;
use super::{Camera, OutputSpec, Overrides, Scene};
use crate::constants::{REVOLUTION_SIDES, WALL_THICKNESS_RATIO};
use crate::error::{Error, Result};
use crate::math::{Mat3, Pose, Quat, Vec3};
use crate::world::{
    Body, CollisionGroups, CompoundPart, Joint, Keyframe, MassProperties, Material, Motion, Shape,
    TriangleMesh, World,
};
use nalgebra::{Quaternion, Unit};
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Name of the second body of a container whose walls have their own material.
pub(super) fn walls_name(container: &str) -> String {
    format!("{container}_walls")
}

/// Makes the scene of a file.
///
/// # Errors
/// [`Error::Scene`] for a mass that does not fit single precision, or a fill that does not fit its
/// region.
pub(super) fn scene(
    file: SceneFile,
    path: &Path,
    overrides: &Overrides,
    root: &Place<'_>,
) -> Result<Scene> {
    let time_step = overrides.time_step.unwrap_or(file.simulation.dt);
    let steps = match (
        overrides.steps,
        file.simulation.duration,
        file.simulation.steps,
    ) {
        (Some(steps), _, _) => steps,
        (None, Some(duration), _) => (duration / time_step).round().max(1.0) as u64,
        (None, None, steps) => steps.unwrap_or(1),
    };
    let frames_every = file.output.frames_every.or_else(|| {
        let rate = file.output.frames_per_second?;
        Some((1.0 / (rate * time_step)).round().max(1.0) as u64)
    });
    let seed = overrides.seed.unwrap_or(file.simulation.seed);
    let mut builder = Builder::new(&file);
    builder.bodies(&file, root)?;
    builder.tables(&file, root)?;
    builder.containers(&file)?;
    builder.chains(&file, root)?;
    builder.instances(&file, seed, root)?;
    builder.fills(&file, seed, root)?;
    builder.joints(&file, root)?;
    builder.loads(&file, root)?;
    builder.start(&file, root)?;
    let probes = probe::probes(&builder, &file.probes, &root.key("probe"))?;
    // A run that is cut short has not come to the end that the file means.
    let end = match (file.simulation.duration, file.simulation.steps) {
        (Some(duration), _) => duration,
        (None, steps) => steps.unwrap_or(1) as f64 * time_step,
    };
    let expectations = expect::expectations(&file, &probes, end, root)?;
    let world = builder.world;
    world.validate()?;
    let settings = settings(&file, overrides)?;
    Ok(Scene {
        name: file.name.clone(),
        description: file.description.clone(),
        path: Some(path.to_owned()),
        world,
        settings,
        steps,
        seed,
        probes,
        expectations,
        camera: file.camera.map(|given| Camera {
            eye: given.eye.as_ref().map(vector),
            target: given.target.as_ref().map(vector),
            field: given.field_of_view.map(f64::to_radians),
        }),
        output: OutputSpec {
            frames_every,
            metrics_every: file.output.metrics_every,
            checkpoint_every: file.output.checkpoint_every,
        },
        file,
    })
}

/// A world being filled, and what the names of the file have become.
pub(super) struct Builder {
    pub(super) world: World,
    materials: HashMap<String, u32>,
    /// Bodies of each name: one of a body or container, any number of a fill, chain or instance.
    pub(super) named: HashMap<String, Range<u32>>,
}

impl Builder {
    fn new(file: &SceneFile) -> Self {
        let mut world = World::new(vector(&file.simulation.gravity));
        let mut materials = HashMap::from([(DEFAULT_MATERIAL.to_owned(), 0)]);
        for (name, given) in &file.materials {
            let material = Material {
                friction: given.friction,
                restitution: given.restitution,
            };
            if name == DEFAULT_MATERIAL {
                world.materials[0] = material;
            } else {
                materials.insert(name.clone(), world.materials.len() as u32);
                world.materials.push(material);
            }
        }
        Self {
            world,
            materials,
            named: HashMap::new(),
        }
    }

    pub(super) fn material(&self, name: &str) -> Result<u32> {
        let known = self.materials.get(name).copied();
        known.ok_or_else(|| Error::invalid("material", format!("there is none named `{name}`")))
    }

    pub(super) fn add(&mut self, name: Option<&str>, body: Body) -> Result<()> {
        let index = self.world.add(match name {
            Some(name) => body.named(name),
            None => body,
        })?;
        if let Some(name) = name {
            self.named.insert(name.to_owned(), index..index + 1);
        }
        Ok(())
    }

    fn bodies(&mut self, file: &SceneFile, root: &Place<'_>) -> Result<()> {
        for (index, given) in file.bodies.iter().enumerate() {
            let made = body(given, &root.key("body").at(index))?;
            let material = self.material(&given.material)?;
            self.add(given.name.as_deref(), made.of_material(material))?;
        }
        Ok(())
    }

    fn tables(&mut self, file: &SceneFile, root: &Place<'_>) -> Result<()> {
        for (index, table) in file.tables.iter().enumerate() {
            let place = tables::place(&root.key("bodies_csv").at(index));
            let first = self.world.bodies.len() as u32;
            for row in table.rows.iter() {
                let made = body(&row.body, &place);
                let made = made.map_err(|error| tables::in_row(error, table, row))?;
                let material = self.material(&row.body.material)?;
                self.add(row.body.name.as_deref(), made.of_material(material))?;
            }
            if let Some(name) = &table.name {
                let last = self.world.bodies.len() as u32;
                self.named.insert(name.clone(), first..last);
            }
        }
        Ok(())
    }

    fn containers(&mut self, file: &SceneFile) -> Result<()> {
        for container in &file.containers {
            let frame = pose(&container.position, &container.rotation);
            let (mut floor, mut walls) = match container.shape {
                ContainerShape::Box => container_parts(container),
                ContainerShape::Cylinder => cylinder_parts(container)?,
            };
            let spin = container.spin.map(|spin| Motion::Constant {
                linear: Vec3::zeros(),
                angular: frame.direction(&Vec3::z()) * spin,
            });
            let prescribed = container.motion.as_ref().map(motion).or(spin);
            let make = |parts: Vec<CompoundPart>, material: u32| {
                let shape = match &parts[..] {
                    [only] if only.pose == Pose::identity() => only.shape.clone(),
                    _ => Shape::Compound {
                        parts: parts.into(),
                    },
                };
                let body = match &prescribed {
                    Some(motion) => Body::kinematic(shape, frame, motion.clone()),
                    None => Body::fixed(shape, frame),
                };
                Body {
                    groups: groups(&container.groups),
                    ..body.of_material(material)
                }
            };
            let material = self.material(&container.material)?;
            match &container.wall_material {
                None => {
                    floor.append(&mut walls);
                    self.add(Some(&container.name), make(floor, material))?;
                }
                Some(other) => {
                    let other = self.material(other)?;
                    self.add(Some(&container.name), make(floor, material))?;
                    self.add(Some(&walls_name(&container.name)), make(walls, other))?;
                }
            }
        }
        Ok(())
    }

    fn fills(&mut self, file: &SceneFile, seed: u64, root: &Place<'_>) -> Result<()> {
        for (index, fill) in file.fills.iter().enumerate() {
            let material = self.material(&fill.material)?;
            let first = self.world.bodies.len() as u32;
            let stream = Stream::of_fill(seed, fill.seed.unwrap_or(index as u64));
            let place = root.key("fill").at(index);
            generate::fill(&mut self.world, fill, material, stream, &place)?;
            if let Some(name) = &fill.name {
                let last = self.world.bodies.len() as u32;
                self.named.insert(name.clone(), first..last);
            }
        }
        Ok(())
    }

    pub(super) fn frame_of(&self, name: &str) -> Result<u32> {
        let known = self.named.get(name).map(|range| range.start);
        known.ok_or_else(|| Error::invalid("body", format!("there is none named `{name}`")))
    }

    fn joints(&mut self, file: &SceneFile, root: &Place<'_>) -> Result<()> {
        for (index, given) in file.joints.iter().enumerate() {
            let ends = Ends {
                a: self.frame_of(&given.a)?,
                b: given
                    .b
                    .as_deref()
                    .map(|name| self.frame_of(name))
                    .transpose()?,
            };
            let place = root.key("joint").at(index);
            let made = joint::joint(&self.world, given, ends, &Pose::identity(), &place)?;
            self.world.joints.push(Joint {
                name: given.name.as_deref().map(Into::into),
                ..made
            });
        }
        Ok(())
    }

    fn loads(&mut self, file: &SceneFile, root: &Place<'_>) -> Result<()> {
        for (index, given) in file.loads.iter().enumerate() {
            let body = self.frame_of(&given.body)?;
            if !self.world.bodies[body as usize].is_dynamic() {
                return Err(root.key("load").at(index).key("body").error(
                    format!("`{}` cannot be pushed", given.body),
                    "expected a dynamic body",
                ));
            }
            let load = joint::load(&self.world, given, body);
            self.world.loads.push(load);
        }
        Ok(())
    }
}

/// Makes a body, of the default material.
///
/// # Errors
/// [`Error::Scene`] for a mass or inertia that does not fit single precision.
pub(super) fn body(given: &schema::Body, place: &Place<'_>) -> Result<Body> {
    let frame = pose(&given.position, &given.rotation);
    let shape = shape(&given.shape)?;
    let body = match (given.kind, &given.motion) {
        (schema::Kind::Dynamic, _) => {
            let mass = (given.density, given.mass, given.inertia.as_ref());
            let body = dynamic(shape, frame, mass, place)?;
            match &given.center_of_mass {
                Some(center) => with_center(body, &vector(center), place)?,
                None => body,
            }
        }
        (_, Some(prescribed)) => Body::kinematic(shape, frame, motion(prescribed)),
        (_, None) => Body::fixed(shape, frame),
    };
    let body = body.moving(
        vector(&given.linear_velocity),
        vector(&given.angular_velocity),
    );
    Ok(Body {
        groups: groups(&given.groups),
        ..body
    })
}

/// Moves a body's centre of mass.
///
/// # Errors
/// [`Error::Scene`] for a place outside of the shape's bounding sphere.
fn with_center(body: Body, center: &Vec3, place: &Place<'_>) -> Result<Body> {
    let reach = body.shape.bounding_radius();
    if (center - body.center).norm() > reach {
        return Err(place.key("center_of_mass").error(
            "the centre of mass is outside of the shape",
            format!("expected a place no farther than {reach} m from the shape's own centre"),
        ));
    }
    Ok(body.with_center(center))
}

/// Makes a dynamic body of a density, or of a mass and perhaps an inertia.
///
/// # Errors
/// [`Error::Scene`] if they do not fit single precision.
pub(super) fn dynamic(
    shape: Shape,
    frame: Pose,
    (density, mass, inertia): (Option<f64>, Option<f64>, Option<&schema::Inertia>),
    place: &Place<'_>,
) -> Result<Body> {
    let made = match density {
        Some(density) => Body::dynamic(shape, frame, density),
        None => {
            let body = Body::dynamic_with_mass(shape, frame, mass.unwrap_or(f64::NAN));
            body.and_then(|body| match inertia {
                Some(inertia) => Ok(Body {
                    mass: MassProperties::new(body.mass.mass, matrix(inertia))?,
                    ..body
                }),
                None => Ok(body),
            })
        }
    };
    let key = if density.is_some() { "density" } else { "mass" };
    made.map_err(|error| {
        place.key(key).error(
            error.to_string(),
            "expected a mass and inertia within single precision",
        )
    })
}

/// Floor and lid, and walls, in the container's axes.
fn container_parts(container: &schema::Container) -> (Vec<CompoundPart>, Vec<CompoundPart>) {
    let inner = vector(&container.inner);
    let (half, height) = (inner * 0.5, inner.z);
    if container.walls == Walls::HalfSpaces {
        let plane = |normal: Vec3, offset: f64| CompoundPart {
            pose: Pose::identity(),
            shape: Shape::HalfSpace { normal, offset },
        };
        let mut floor = vec![plane(Vec3::z(), 0.0)];
        if container.closed == Some(true) {
            floor.push(plane(-Vec3::z(), -height));
        }
        let walls = vec![
            plane(Vec3::x(), -half.x),
            plane(-Vec3::x(), -half.x),
            plane(Vec3::y(), -half.y),
            plane(-Vec3::y(), -half.y),
        ];
        return (floor, walls);
    }
    let thickness = container
        .thickness
        .unwrap_or(WALL_THICKNESS_RATIO * inner.max());
    let t = 0.5 * thickness;
    let slab = |position: Vec3, half_extents: Vec3| CompoundPart {
        pose: Pose::new(position, Quat::identity()),
        shape: Shape::Box { half_extents },
    };
    let plate = Vec3::new(half.x + thickness, half.y + thickness, t);
    let mut floor = vec![slab(Vec3::new(0.0, 0.0, -t), plate)];
    if container.closed == Some(true) {
        floor.push(slab(Vec3::new(0.0, 0.0, height + t), plate));
    }
    let side = Vec3::new(t, half.y + thickness, 0.5 * height);
    let front = Vec3::new(half.x, t, 0.5 * height);
    let walls = vec![
        slab(Vec3::new(-half.x - t, 0.0, 0.5 * height), side),
        slab(Vec3::new(half.x + t, 0.0, 0.5 * height), side),
        slab(Vec3::new(0.0, -half.y - t, 0.5 * height), front),
        slab(Vec3::new(0.0, half.y + t, 0.5 * height), front),
    ];
    (floor, walls)
}

/// Floor and lid, and walls, of a cylinder in its axes; all in one if they are of one material.
fn cylinder_parts(container: &schema::Container) -> Result<(Vec<CompoundPart>, Vec<CompoundPart>)> {
    let (radius, height) = (0.5 * container.inner[0], container.inner[2]);
    let sides = container.sides.unwrap_or(REVOLUTION_SIDES);
    let part = |profile: &[[f64; 2]]| -> Result<CompoundPart> {
        let mesh = TriangleMesh::revolution(profile, sides)?;
        Ok(CompoundPart {
            pose: Pose::identity(),
            shape: Shape::Mesh(Arc::new(mesh)),
        })
    };
    let wall = [[radius, height], [radius, 0.0]];
    let floor = [[radius, 0.0], [0.0, 0.0]];
    let lid = [[0.0, height], [radius, height]];
    let closed = container.closed.unwrap_or(true);
    if container.wall_material.is_none() {
        let whole = [lid[0], wall[0], wall[1], floor[1]];
        return Ok((vec![part(&whole[usize::from(!closed)..])?], Vec::new()));
    }
    let mut ends = vec![part(&floor)?];
    if closed {
        ends.push(part(&lid)?);
    }
    Ok((ends, vec![part(&wall)?]))
}

/// Makes a shape.
///
/// # Errors
/// [`Error::Invalid`] for a polyhedron or mesh that is none.
pub(super) fn shape(given: &schema::Shape) -> Result<Shape> {
    if let Some(mesh) = meshes::mesh(given) {
        return Ok(Shape::Mesh(Arc::new(mesh?)));
    }
    if let Some(solid) = polyhedra::polyhedron(given) {
        return Ok(Shape::Polyhedron(Arc::new(solid?)));
    }
    Ok(match given {
        schema::Shape::Sphere(ball) => Shape::Sphere {
            radius: ball.radius,
        },
        schema::Shape::Box(cuboid) => Shape::Box {
            half_extents: vector(&cuboid.half_extents),
        },
        schema::Shape::Capsule(capsule) => Shape::Capsule {
            half_length: capsule.half_length,
            radius: capsule.radius,
        },
        schema::Shape::Cylinder(cylinder) => Shape::Cylinder {
            half_length: cylinder.half_length,
            radius: cylinder.radius,
        },
        schema::Shape::Cone(cone) => Shape::Cone {
            height: cone.height,
            radius: cone.radius,
        },
        schema::Shape::HalfSpace(half) => Shape::HalfSpace {
            normal: vector(&half.normal).normalize(),
            offset: half.offset,
        },
        schema::Shape::Compound(compound) => Shape::Compound {
            parts: compound
                .parts
                .iter()
                .map(|part| {
                    Ok(CompoundPart {
                        pose: pose(&part.position, &part.rotation),
                        shape: shape(&part.shape)?,
                    })
                })
                .collect::<Result<_>>()?,
        },
        _ => return Err(Error::invalid("shape", "is not known")),
    })
}

fn motion(given: &schema::Motion) -> Motion {
    match given {
        schema::Motion::Constant(constant) => Motion::Constant {
            linear: vector(&constant.linear),
            angular: vector(&constant.angular),
        },
        schema::Motion::Sinusoidal(swing) => Motion::Sinusoidal {
            amplitude: vector(&swing.amplitude),
            angular_amplitude: vector(&swing.angular_amplitude),
            frequency: swing.frequency,
            phase: swing.phase,
            start: swing.start,
        },
        schema::Motion::Keyframed(path) => Motion::Keyframed {
            keyframes: path
                .keyframes
                .iter()
                .map(|frame| Keyframe {
                    time: frame.time,
                    pose: pose(&frame.position, &frame.rotation),
                })
                .collect(),
        },
    }
}

pub(super) fn groups(given: &schema::Groups) -> CollisionGroups {
    let mask = |groups: &[u32]| groups.iter().fold(0, |mask, group| mask | 1 << group);
    CollisionGroups {
        member: mask(&given.member),
        collides_with: mask(&given.collides_with),
    }
}

pub(super) fn vector(given: &schema::Vector) -> Vec3 {
    Vec3::from(*given)
}

/// Inertia as a matrix.
pub(super) fn matrix(given: &schema::Inertia) -> Mat3 {
    match given {
        schema::Inertia::Moments(moments) => Mat3::from_diagonal(&vector(moments)),
        schema::Inertia::Matrix(rows) => Mat3::from_fn(|row, column| rows[row][column]),
    }
}

pub(super) fn pose(position: &schema::Vector, rotation: &schema::Rotation) -> Pose {
    let orientation = match rotation {
        schema::Rotation::Quaternion([w, x, y, z]) => {
            Quat::from_quaternion(Quaternion::new(*w, *x, *y, *z))
        }
        schema::Rotation::AxisAngle(turn) => Quat::from_axis_angle(
            &Unit::new_normalize(vector(&turn.axis)),
            turn.degrees.to_radians(),
        ),
    };
    Pose::new(vector(position), orientation)
}
