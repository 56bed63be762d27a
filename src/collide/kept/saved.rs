//! Manifolds in checkpoints. Where a manifold has its place among others changes nothing of it, and is not saved.

use super::{Bundles, Kept, KeptManifold, Origin};
use crate::collide::bundle::{Bundle, SavedBundle};
use crate::math::Vec3;
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

/// A manifold as checkpoints hold it; fields are those of [`KeptManifold`] and [`Origin`].
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::collide) struct SavedManifold {
    complete_until: f64,
    found_at: f64,
    reach: f64,
    position: Vec3,
    rotation: [f32; 9],
    feature: u32,
    stands_until: u64,
    near: Option<[Vector3<f32>; 2]>,
    are_round: bool,
    bundles: Vec<SavedBundle>,
}

impl Kept {
    /// State of the manifold at a place for a checkpoint; `None` if there is none.
    pub(in crate::collide) fn saved(&self, place: u32) -> Option<SavedManifold> {
        let manifold = self.manifolds.get(place as usize)?;
        let origin = self.origins.get(place as usize)?;
        Some(SavedManifold {
            complete_until: manifold.complete_until,
            found_at: manifold.found_at,
            reach: origin.reach,
            position: origin.position,
            rotation: origin.rotation,
            feature: origin.feature,
            stands_until: origin.stands_until,
            near: origin.near,
            are_round: manifold.bundles.are_round(),
            bundles: self.bundles[manifold.range()]
                .iter()
                .map(Bundle::saved)
                .collect(),
        })
    }

    /// Puts a manifold that was saved at a place that was just added; false if it is none.
    pub(in crate::collide) fn restore(&mut self, place: u32, saved: &SavedManifold) -> bool {
        let first = self.bundles.len();
        self.bundles
            .extend(saved.bundles.iter().map_while(Bundle::restored));
        let count = self.bundles.len() - first;
        let place = place as usize;
        self.manifolds[place] = KeptManifold {
            complete_until: saved.complete_until,
            found_at: saved.found_at,
            first: first as u32,
            bundles: Bundles::new(count, saved.are_round),
        };
        self.origins[place] = Origin {
            reach: saved.reach,
            position: saved.position,
            rotation: saved.rotation,
            feature: saved.feature,
            stands_until: saved.stands_until,
            near: saved.near,
            capacity: count as u32,
            has_sphere: self.origins[place].has_sphere,
            surroundings: self.origins[place].surroundings,
        };
        count == saved.bundles.len()
    }
}
