//! Broadphases in checkpoints: the boxes that bodies had when they were last looked for. Grids and sorted lists are made of
//! these anew; whatever their order is, they find the same pairs.

use super::entry::Entry;
use super::unbounded::{Parts, Unbounded};
use super::{Broadphase, PairSearch};
use crate::math::Aabb;
use crate::world::World;
use serde::{Deserialize, Serialize};

/// The boxes, and what is unbounded.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::collide) struct SavedBroadphase {
    /// Shape `[body_count]`.
    boxes: Vec<Aabb>,
    unbounded: Vec<Parts>,
}

impl Broadphase {
    /// Its state for a checkpoint.
    pub(in crate::collide) fn saved(&self) -> SavedBroadphase {
        SavedBroadphase {
            boxes: self.entries.iter().map(|entry| entry.aabb).collect(),
            unbounded: self
                .unbounded
                .iter()
                .map(|body| body.parts.clone())
                .collect(),
        }
    }

    /// The broadphase that was saved of a world, and searches like this one; `None` if it is none of it.
    pub(in crate::collide) fn restored(
        &self,
        saved: SavedBroadphase,
        world: &World,
    ) -> Option<Self> {
        let SavedBroadphase { boxes, unbounded } = saved;
        if boxes.len() != world.bodies.len() {
            return None;
        }
        let entry = |(index, (body, aabb))| {
            let mut entry = Entry::new(index, body, 0.0);
            entry.aabb = aabb;
            entry
        };
        let entries: Vec<Entry> = (0..)
            .zip(world.bodies.iter().zip(boxes))
            .map(entry)
            .collect();
        if entries.iter().any(Entry::is_invalid) {
            return None;
        }
        let without_bounds: Vec<Entry> = entries
            .iter()
            .filter(|entry| !entry.is_bounded())
            .copied()
            .collect();
        if without_bounds.len() != unbounded.len() {
            return None;
        }
        let unbounded = unbounded.into_iter().zip(without_bounds);
        let mut restored = Self::by(self.search);
        restored.unbounded = unbounded
            .map(|(parts, entry)| Unbounded { entry, parts })
            .collect();
        if self.search == PairSearch::Grid {
            restored.grid.build(&entries);
        }
        restored.entries = entries;
        Some(restored)
    }
}
