//! Boxes of a few bodies against all others, without making the grid anew.
//!
//! Bodies that follow each other in the order of the grid are near each other. Bounds of every stretch
//! of that order, and of every stretch of stretches, tell which of them a box can touch.

use super::entry::Entry;
use crate::constants::BODIES_PER_THREAD;
use crate::math::Aabb;
use crate::parallel::{self, SharedSlice, for_chunks};

/// Bodies in a stretch, and stretches in a stretch of stretches.
const WIDTH: usize = 64;

/// Stands for a body that is not in the order.
const NOWHERE: u32 = u32::MAX;

/// Bodies in the order of the grid, under two levels of bounds.
#[derive(Debug, Default)]
pub(super) struct Hierarchy {
    /// Place of each body in the order.
    places: Vec<u32>,
    /// Bounds of every stretch of bodies.
    fine: Vec<Aabb>,
    /// Bounds of every stretch of those.
    coarse: Vec<Aabb>,
}

impl Hierarchy {
    /// Takes over `body_count` bodies, of which some are in the order.
    pub(super) fn build(&mut self, sorted: &[Entry], body_count: usize) {
        self.places.clear();
        self.places.resize(body_count, NOWHERE);
        let places = SharedSlice::new(&mut self.places);
        for_chunks(sorted, BODIES_PER_THREAD, |first, entries| {
            for (place, entry) in (first..).zip(entries) {
                // SAFETY: no body comes twice in the order.
                #[allow(unsafe_code, reason = "each body has a place of its own")]
                unsafe {
                    places.write(entry.body as usize, place as u32);
                }
            }
        });
        let stretches = sorted.len().div_ceil(WIDTH);
        let least = BODIES_PER_THREAD / WIDTH;
        parallel::fill(&mut self.fine, stretches, least, |stretch| {
            let end = sorted.len().min((stretch + 1) * WIDTH);
            let entries = &sorted[stretch * WIDTH..end];
            let boxes = entries.iter().map(|entry| &entry.aabb);
            boxes.fold(Aabb::empty(), |all, aabb| all.merged(aabb))
        });
        self.coarse.clear();
        let stretches = self.fine.chunks(WIDTH);
        self.coarse.extend(stretches.map(|boxes| {
            boxes
                .iter()
                .fold(Aabb::empty(), |all, aabb| all.merged(aabb))
        }));
    }

    /// Takes over a body's new box; false for a body that is not in the order.
    pub(super) fn update(&mut self, sorted: &mut [Entry], entry: &Entry) -> bool {
        let place = self.places[entry.body as usize];
        let Some(known) = sorted.get_mut(place as usize) else {
            return false;
        };
        *known = *entry;
        let place = place as usize / WIDTH;
        self.fine[place] = self.fine[place].merged(&entry.aabb);
        let place = place / WIDTH;
        self.coarse[place] = self.coarse[place].merged(&entry.aabb);
        true
    }

    /// Appends the pairs of a body with all others in the order.
    pub(super) fn pairs_of(&self, sorted: &[Entry], entry: &Entry, found: &mut Vec<[u32; 2]>) {
        let regions = self.fine.chunks(WIDTH).zip(sorted.chunks(WIDTH * WIDTH));
        for (bounds, (fine, sorted)) in self.coarse.iter().zip(regions) {
            if !entry.aabb.overlaps(bounds) {
                continue;
            }
            for (bounds, entries) in fine.iter().zip(sorted.chunks(WIDTH)) {
                if !entry.aabb.overlaps(bounds) {
                    continue;
                }
                for other in entries {
                    if entry.overlaps(other) && other.body != entry.body {
                        entry.pair_with(other, found);
                    }
                }
            }
        }
    }
}
