//! Groups in checkpoints.

use super::{Group, NO_MANIFOLD, Record, new_manifold};
use crate::collide::kept::SavedManifold;
use crate::collide::narrowphase::{Mover, Names};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// State of a pair for a checkpoint: its last contacts, and its manifold.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::collide) struct SavedPair {
    points: Names,
    manifold: Option<SavedManifold>,
}

impl Group {
    /// States of the group's pairs for a checkpoint, in their order.
    pub(in crate::collide) fn saved(&self) -> impl Iterator<Item = SavedPair> {
        self.records.iter().map(|record| SavedPair {
            points: record.points,
            manifold: self.kept.saved(record.manifold),
        })
    }

    /// Takes over pairs that were saved, which stand at `range` of the list. False if one is not such as its bodies have.
    pub(in crate::collide) fn restore(
        &mut self,
        range: Range<usize>,
        pairs: &[[u32; 2]],
        saved: &[SavedPair],
        movers: &[Mover],
    ) -> bool {
        self.clear();
        self.set_pairs(range.clone());
        for (&pair, saved) in pairs[range.clone()].iter().zip(&saved[range]) {
            let place = new_manifold(movers, pair, &mut self.kept, &mut self.free);
            let fits = match &saved.manifold {
                Some(manifold) => place != NO_MANIFOLD && self.kept.restore(place, manifold),
                None => place == NO_MANIFOLD,
            };
            if !fits {
                return false;
            }
            self.records.push(Record {
                manifold: place,
                points: saved.points,
            });
        }
        self.count_solids();
        self.kept.make_room();
        true
    }
}
