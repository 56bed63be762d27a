//! The search for contacts in checkpoints.

use super::Detector;
use crate::collide::broadphase::SavedBroadphase;
use crate::collide::candidates::{Candidates, SavedCandidates};
use crate::collide::crowd::{Crowd, SavedCrowd};
use crate::collide::impulse_cache::{ImpulseCache, SavedImpulses};
use crate::collide::{ContactPoint, Depths, Witnesses};
use crate::world::World;
use serde::{Deserialize, Serialize};
use std::sync::atomic::AtomicU32;

/// All of a detector that a search depends on; fields are those of [`Detector`].
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SavedDetector {
    broadphase: SavedBroadphase,
    crowd: SavedCrowd,
    candidates: SavedCandidates,
    contacts: Vec<ContactPoint>,
    depths: Depths,
    witnesses: Witnesses,
    impulses: SavedImpulses,
    impulses_are_new: bool,
    reach: Vec<f64>,
    strayed: usize,
    excluding_joints: usize,
    is_current: bool,
}

impl Detector {
    /// Its state for a checkpoint.
    pub(crate) fn saved(&self) -> SavedDetector {
        SavedDetector {
            broadphase: self.broadphase.saved(),
            crowd: self.crowd.saved(),
            candidates: self.candidates.saved(),
            contacts: self.contacts.clone(),
            depths: self.depths,
            witnesses: self.witnesses,
            impulses: self.impulses.saved(),
            impulses_are_new: self.impulses_are_new,
            reach: self.reach.clone(),
            strayed: self.strayed,
            excluding_joints: self.excluding_joints,
            is_current: self.is_current,
        }
    }

    /// The detector that was saved of a world, which is as it was then, and searches like this one; `None` if it is none of it.
    pub(crate) fn restored(&self, saved: SavedDetector, world: &World) -> Option<Self> {
        let bodies = world.bodies.len();
        let exists = |contact: &ContactPoint| contact.bodies.iter().all(|&b| (b as usize) < bodies);
        if saved.reach.len() != bodies || !saved.contacts.iter().all(exists) {
            return None;
        }
        let crowd = Crowd::restored(saved.crowd, world)?;
        let candidates = Candidates::restored(saved.candidates, crowd.movers())?;
        Some(Self {
            broadphase: self.broadphase.restored(saved.broadphase, world)?,
            crowd,
            candidates,
            contacts: saved.contacts,
            depths: saved.depths,
            depths_of_chunks: Vec::new(),
            witnesses: saved.witnesses,
            impulses: ImpulseCache::restored(saved.impulses),
            impulses_are_new: saved.impulses_are_new,
            reach: saved.reach,
            found: Vec::new(),
            triangles: world.bodies.iter().map(|_| AtomicU32::default()).collect(),
            strays: Vec::new(),
            strayed: saved.strayed,
            excluding_joints: saved.excluding_joints,
            is_current: saved.is_current,
            model: self.model,
        })
    }
}
