//! Crowds in checkpoints. What follows from the bodies as they are is not saved.

use super::{Anchor, Crowd, Whereabouts};
use crate::math::{Mat3, Vec3};
use crate::world::World;
use serde::{Deserialize, Serialize};

/// Paths of the bodies, and their boxes; fields are those of [`Crowd`].
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::collide) struct SavedCrowd {
    /// Where bodies were at the last search, shape `[body_count]` `[m]`.
    positions: Vec<Vec3>,
    /// Shape `[body_count]` `[m]`.
    paths: Vec<f64>,
    /// Shape of the whereabouts. Those of spheres are not followed.
    rotations: Vec<Mat3>,
    anchors: Vec<Anchor>,
    anchor_rotations: Vec<Mat3>,
    time_step: f64,
    search: u64,
}

impl Crowd {
    /// State of the crowd for a checkpoint.
    pub(in crate::collide) fn saved(&self) -> SavedCrowd {
        SavedCrowd {
            positions: self.movers.iter().map(|mover| mover.position).collect(),
            paths: self.movers.iter().map(|mover| mover.path).collect(),
            rotations: self.whereabouts.iter().map(Whereabouts::rotation).collect(),
            anchors: self.anchors.clone(),
            anchor_rotations: self.anchor_rotations.clone(),
            time_step: self.time_step,
            search: self.search,
        }
    }

    /// The crowd that was saved of a world, which has the velocities that it had then; `None` if it is none of it.
    pub(in crate::collide) fn restored(saved: SavedCrowd, world: &World) -> Option<Self> {
        let mut crowd = Self::default();
        crowd.reset(world);
        let anchored = [0, crowd.movers.len()].contains(&saved.anchors.len());
        let turned = if saved.anchors.is_empty() {
            0
        } else {
            crowd.whereabouts.len()
        };
        if saved.paths.len() != crowd.movers.len()
            || saved.positions.len() != crowd.movers.len()
            || saved.rotations.len() != crowd.whereabouts.len()
            || saved.anchor_rotations.len() != turned
            || !anchored
        {
            return None;
        }
        let places = saved.positions.into_iter().zip(saved.paths);
        for (mover, (position, path)) in crowd.movers.iter_mut().zip(places) {
            (mover.position, mover.path) = (position, path);
        }
        let movers = crowd.movers.iter().zip(&saved.rotations);
        for (known, (mover, rotation)) in crowd.whereabouts.iter_mut().zip(movers) {
            *known = Whereabouts::new(rotation, mover);
        }
        crowd.anchors = saved.anchors;
        crowd.anchor_rotations = saved.anchor_rotations;
        crowd.time_step = saved.time_step;
        crowd.search = saved.search;
        Some(crowd)
    }
}
