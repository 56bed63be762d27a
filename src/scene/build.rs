//! From a checked scene file to a world.

use super::body::{body, groups, motion};
use super::generate::{self, Filling, Stream, Watched};
use super::joint::{self, Ends};
use super::place::Place;
use super::schema::{self, ContainerShape, DEFAULT_MATERIAL, SceneFile, Walls};
use super::tables;
use super::vectors::{pose, vector};
use crate::constants::{REVOLUTION_SIDES, WALL_THICKNESS_RATIO};
use crate::error::{Error, Result};
use crate::math::{Pose, Quat, Vec3};
use crate::world::{Body, CompoundPart, Joint, Motion, Shape, TriangleMesh, World};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// A world being filled, and what the names of the file have become.
pub(super) struct Builder {
    pub(super) world: World,
    materials: HashMap<String, u32>,
    /// Bodies of each name: one of a body or container, any number of a fill, chain or instance.
    pub(super) named: HashMap<String, Range<u32>>,
}

impl Builder {
    /// All that is in a file, where it stands.
    pub(super) fn of_file(
        file: &SceneFile,
        seed: u64,
        watch: &mut dyn FnMut(&Filling<'_>),
        root: &Place<'_>,
    ) -> Result<Self> {
        let mut builder = Self::new(file);
        builder.bodies(file, root)?;
        builder.tables(file, root)?;
        builder.containers(file)?;
        builder.chains(file, root)?;
        builder.instances(file, seed, root)?;
        builder.fills(file, seed, watch, root)?;
        builder.joints(file, root)?;
        builder.loads(file, root)?;
        Ok(builder)
    }

    fn new(file: &SceneFile) -> Self {
        let mut world = World::new(vector(&file.simulation.gravity));
        let mut materials = HashMap::from([(DEFAULT_MATERIAL.to_owned(), 0)]);
        for (name, given) in &file.materials {
            if name == DEFAULT_MATERIAL {
                world.materials[0] = *given;
            } else {
                materials.insert(name.clone(), world.materials.len() as u32);
                world.materials.push(*given);
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
                    self.add(Some(&container.walls_name()), make(walls, other))?;
                }
            }
        }
        Ok(())
    }

    fn fills(
        &mut self,
        file: &SceneFile,
        seed: u64,
        watch: &mut dyn FnMut(&Filling<'_>),
        root: &Place<'_>,
    ) -> Result<()> {
        for (index, fill) in file.fills.iter().enumerate() {
            let material = self.material(&fill.material)?;
            let first = self.world.bodies.len() as u32;
            let stream = Stream::of_fill(seed, fill.seed.unwrap_or(index as u64));
            let place = root.key("fill").at(index);
            let watched = &mut Watched::new(fill, watch);
            generate::fill(&mut self.world, fill, material, stream, watched, &place)?;
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
