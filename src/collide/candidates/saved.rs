//! The list of pairs in checkpoints.

use super::{Candidates, stretch};
use crate::collide::group::{Group, SavedPair};
use crate::collide::narrowphase::Mover;
use crate::constants::GROUP_BODIES;
use serde::{Deserialize, Serialize};

/// The pairs, and what is known of each.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::collide) struct SavedCandidates {
    pairs: Vec<[u32; 2]>,
    known: Vec<SavedPair>,
}

impl Candidates {
    /// State of the list for a checkpoint.
    pub(in crate::collide) fn saved(&self) -> SavedCandidates {
        SavedCandidates {
            pairs: self.pairs.clone(),
            known: self.groups.iter().flat_map(Group::saved).collect(),
        }
    }

    /// The list that was saved; `None` if it is none of these bodies.
    pub(in crate::collide) fn restored(saved: SavedCandidates, movers: &[Mover]) -> Option<Self> {
        let SavedCandidates { pairs, known } = saved;
        let exists = |pair: &[u32; 2]| pair[0] < pair[1] && (pair[1] as usize) < movers.len();
        if known.len() != pairs.len()
            || !pairs.iter().all(exists)
            || !pairs.is_sorted_by(|one, next| one < next)
        {
            return None;
        }
        let count = movers.len().div_ceil(GROUP_BODIES);
        let mut groups = Vec::with_capacity(count);
        for number in 0..count {
            let mut group = Group::default();
            if !group.restore(stretch(&pairs, number), &pairs, &known, movers) {
                return None;
            }
            groups.push(group);
        }
        Some(Self {
            pairs,
            groups,
            ..Self::default()
        })
    }
}
