//! Bodies that start where a checkpoint left them.

use super::Checkpoint;
use super::build::Builder;
use super::place::Place;
use super::schema::{SceneFile, Start};
use crate::constants::QUATERNION_LENGTH_TOLERANCE;
use crate::error::{Error, Result};
use crate::math::{Pose, Quat, Vec3};
use crate::world::BodyKind;
use nalgebra::{Quaternion, Unit};
use std::path::Path;

/// Puts what a checkpoint holds in place of its name, which is relative to the folder of the scene at `path`.
///
/// # Errors
/// [`Error::Scene`] at the name of a file that cannot be read as a checkpoint.
pub(super) fn load(file: &mut SceneFile, path: &Path, root: &Place<'_>) -> Result<()> {
    let Some(start) = &mut file.start else {
        return Ok(());
    };
    let place = root.key("start");
    let Some(from) = start.from.take() else {
        return if start.states.is_empty() {
            Err(place.error(
                "a start without bodies",
                "add `from = \"...\"`, a checkpoint or the folder of a run",
            ))
        } else {
            Ok(())
        };
    };
    if !start.states.is_empty() || !start.broken.is_empty() {
        return Err(place
            .name_of("from")
            .error("both `from` and states are given", "expected one of them"));
    }
    let place = place.key("from");
    let named = path.parent().unwrap_or(Path::new("")).join(&from);
    let wrong = |file: &Path, why: Error| {
        place.error(
            format!("{}: {why}", file.display()),
            "expected a checkpoint, or the folder of a run with one",
        )
    };
    let checkpoint = if named.is_dir() {
        let folder = Checkpoint::folder_of(&named);
        let files = Checkpoint::files_in(&folder).map_err(|why| wrong(&named, why))?;
        let Some(newest) = files.into_iter().next() else {
            let why = Error::invalid("start", "there is no checkpoint in it");
            return Err(wrong(&named, why));
        };
        newest
    } else {
        named
    };
    let found = Checkpoint::read(&checkpoint).map_err(|why| wrong(&checkpoint, why))?;
    let world = found.world().map_err(|why| wrong(&checkpoint, why))?;
    start.radii = world.radii;
    let broken = world.broken.iter().enumerate();
    start.broken = broken
        .filter(|(_, broken)| **broken)
        .map(|(joint, _)| joint)
        .collect();
    start.states = world
        .bodies
        .iter()
        .map(|body| {
            let (p, q) = (body.pose.position, body.pose.orientation);
            let (v, w) = (body.linear_velocity, body.angular_velocity);
            [
                p.x, p.y, p.z, q.w, q.i, q.j, q.k, v.x, v.y, v.z, w.x, w.y, w.z,
            ]
        })
        .collect();
    Ok(())
}

impl Builder {
    /// Puts bodies where they start.
    ///
    /// # Errors
    /// [`Error::Scene`] if there are not as many bodies, or others, or a state is none.
    pub(super) fn start(&mut self, file: &SceneFile, root: &Place<'_>) -> Result<()> {
        let Some(start) = &file.start else {
            return Ok(());
        };
        let place = root.key("start");
        let key = if place.has("from") { "from" } else { "states" };
        let place_of_all = place.key(key);
        let world = &mut self.world;
        if start.states.len() != world.bodies.len() {
            return Err(place_of_all.error(
                format!(
                    "{} bodies; the scene has {}",
                    start.states.len(),
                    world.bodies.len()
                ),
                "expected a start of the same bodies",
            ));
        }
        for (index, (body, &radius)) in world.bodies.iter().zip(&start.radii).enumerate() {
            let here = body.shape.bounding_radius();
            if here != radius {
                let name = body.name.as_deref().unwrap_or("unnamed");
                return Err(place_of_all.error(
                    format!(
                        "body {index} ({name}) has a bounding radius of {radius} m there, and of {here} m here"
                    ),
                    "expected a start of the same bodies",
                ));
            }
        }
        let bodies = world.bodies.iter_mut().zip(&start.states);
        for (index, (body, state)) in bodies.enumerate() {
            let place = place_of_all.at(index);
            let [x, y, z, w, i, j, k, vx, vy, vz, wx, wy, wz] = *state;
            let rotation = Quaternion::new(w, i, j, k);
            if !state.iter().all(|number| number.is_finite()) {
                return Err(place.error(
                    format!("a number of body {index} is not finite"),
                    "expected 13 finite numbers",
                ));
            }
            let length = rotation.norm();
            if (length - 1.0).abs() > QUATERNION_LENGTH_TOLERANCE {
                return Err(place.error(
                    format!("the rotation of body {index} has length {length}"),
                    "expected a unit quaternion w, x, y, z",
                ));
            }
            // Numbers that a step left keep their bits.
            let rotation = if (length - 1.0).abs() < 1e-12 {
                Unit::new_unchecked(rotation)
            } else {
                Quat::from_quaternion(rotation)
            };
            let pose = Pose::new(Vec3::new(x, y, z), rotation);
            match body.kind {
                BodyKind::Fixed => {}
                BodyKind::Kinematic => body.pose = pose,
                BodyKind::Dynamic => {
                    body.pose = pose;
                    body.linear_velocity = Vec3::new(vx, vy, vz);
                    body.angular_velocity = Vec3::new(wx, wy, wz);
                }
            }
        }
        start.break_joints(&mut world.joints, &place)
    }
}

impl Start {
    /// Breaks the joints that are broken.
    fn break_joints(&self, joints: &mut [crate::world::Joint], place: &Place<'_>) -> Result<()> {
        for (at, &index) in self.broken.iter().enumerate() {
            let count = joints.len();
            let Some(joint) = joints.get_mut(index) else {
                let key = if place.has("from") {
                    place.key("from")
                } else {
                    place.key("broken").at(at)
                };
                return Err(key.error(
                    format!("joint {index} is broken there; the scene has {count} joints"),
                    "expected a start of the same joints",
                ));
            };
            joint.broken = true;
        }
        Ok(())
    }
}
