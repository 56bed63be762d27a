//! Which pairs of bodies may touch.
//!
//! Bodies of bounded size go to a hierarchical grid (`grid.rs`): one uniform grid for every power of
//! two of size, stored as a sorted list of cells rather than as a table, so that neither far-away
//! bodies nor a huge one among small ones cost memory or time. A few bodies that have moved are looked
//! up under bounds of that order (`hierarchy.rs`). Unbounded bodies are tested against all others.
//!
//! In place of the grid there is Baraff's coherent sort and sweep (`sweep.rs`): for small crowds that move slowly, of any mix of sizes.

mod brute_force;
mod entry;
mod grid;
mod hierarchy;
mod order;
#[cfg(feature = "scene")]
mod saved;
pub(crate) mod sweep;
mod unbounded;

pub use brute_force::brute_force_pairs;

use crate::error::{Error, Result};
use crate::parallel;
use crate::world::World;
use entry::Entry;
use grid::Grid;
#[cfg(feature = "scene")]
pub(super) use saved::SavedBroadphase;
use std::sync::atomic::{AtomicUsize, Ordering};
use sweep::Sweep;
use unbounded::Unbounded;

/// Bodies handled by one thread at a time, at least and at most; their pairs are joined and sorted afterwards.
const CHUNK: [usize; 2] = [256, 2048];

/// Chunks up to which they are as small as may be: several for each of many threads.
const CHUNKS: usize = 128;

/// Bodies that one thread looks up at a time: some 2 us each.
const LOOKUPS: usize = 32;

/// Boxes that one thread makes at least: some 50 ns each.
const ENTRIES_PER_THREAD: usize = 512;

/// How pairs of bodies of bounded size are found. Both give the same pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "scene", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "scene", serde(rename_all = "snake_case"))]
pub enum PairSearch {
    /// A hierarchical grid, built anew in every search, on all threads.
    #[default]
    Grid,
    /// Sorted lists along three axes that are kept from search to search (Baraff, section 7.2), on one thread.
    Sweep,
}

impl PairSearch {
    /// As scenes name it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Grid => "grid",
            Self::Sweep => "sweep",
        }
    }
}

/// Finds pairs of bodies that may touch; keeps its memory from step to step.
#[derive(Debug, Default)]
pub struct Broadphase {
    /// Box and groups of every body, shape `[body_count]`.
    entries: Vec<Entry>,
    /// Half-spaces and compounds that have one.
    unbounded: Vec<Unbounded>,
    grid: Grid,
    sweep: Sweep,
    search: PairSearch,
    /// Boxes of bodies that are looked up.
    moved: Vec<Entry>,
    /// Pairs as each chunk of the work found them.
    found: Vec<Vec<[u32; 2]>>,
    order: order::Order,
}

impl Broadphase {
    /// A broadphase that holds no memory yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A broadphase that searches in this way.
    #[must_use]
    pub fn by(search: PairSearch) -> Self {
        Self {
            search,
            ..Self::default()
        }
    }

    /// Exchanges in the sorted lists of the last search by [`PairSearch::Sweep`].
    #[must_use]
    pub fn exchanges(&self) -> usize {
        self.sweep.exchanges()
    }

    /// Finds the pairs `[a, b]`, `a < b`, of bodies of which at least one is dynamic, whose groups
    /// allow it, and whose axis-aligned boxes overlap once each is grown by `reach[i]` `[m]`, shape
    /// `[body_count]`. A half-space counts as what it is, not as its unbounded box: a body pairs
    /// with it if its grown box comes within the half-space's `reach` of it.
    ///
    /// `pairs` is overwritten, and sorted. An infinite `reach` pairs a body with all others.
    ///
    /// # Errors
    /// [`Error::NonFinite`] that names the first body whose pose has a number that is not finite, or
    /// whose reach is not a number; [`Error::Invalid`] if `reach` is too short.
    pub fn find_pairs(
        &mut self,
        world: &World,
        reach: &[f64],
        pairs: &mut Vec<[u32; 2]>,
    ) -> Result<()> {
        self.find_pairs_that(|_| true, world, reach, pairs)
    }

    /// The same of pairs that `may_touch`; threads ask it at the same time.
    pub(super) fn find_pairs_that(
        &mut self,
        may_touch: impl Fn(&[u32; 2]) -> bool + Sync,
        world: &World,
        reach: &[f64],
        pairs: &mut Vec<[u32; 2]>,
    ) -> Result<()> {
        pairs.clear();
        let bodies = &world.bodies;
        if reach.len() < bodies.len() {
            return Err(Error::invalid(
                "reach",
                format!("{} numbers for {} bodies", reach.len(), bodies.len()),
            ));
        }
        let first_bad = AtomicUsize::new(usize::MAX);
        parallel::fill(
            &mut self.entries,
            bodies.len(),
            ENTRIES_PER_THREAD,
            |index| {
                let entry = Entry::new(index as u32, &bodies[index], reach[index]);
                if entry.is_invalid() {
                    first_bad.fetch_min(index, Ordering::Relaxed);
                }
                entry
            },
        );
        let first_bad = first_bad.into_inner();
        if first_bad < bodies.len() {
            return Err(nowhere(world, first_bad));
        }

        let mut count = 0;
        for &entry in self.entries.iter().filter(|entry| !entry.is_bounded()) {
            let index = entry.body as usize;
            let (body, reach) = (&bodies[index], reach[index]);
            match self.unbounded.get_mut(count) {
                Some(unbounded) => unbounded.set(entry, body, reach),
                None => self.unbounded.push(Unbounded::new(entry, body, reach)),
            }
            count += 1;
        }
        self.unbounded.truncate(count);
        if self.search == PairSearch::Sweep {
            self.sweep.find_pairs(&self.entries);
            pairs.extend(self.sweep.pairs());
            unbounded::pairs_with(&self.unbounded, &self.entries, pairs);
            if !self.unbounded.is_empty() {
                pairs.sort_unstable();
            }
            pairs.retain(may_touch);
            return Ok(());
        }
        self.grid.build(&self.entries);

        let count = self.entries.len();
        let size = (count / CHUNKS).clamp(CHUNK[0], CHUNK[1]);
        let found = some(&mut self.found, count.div_ceil(size));
        parallel::for_each(found, 1, |chunk, found| {
            found.clear();
            let range = chunk * size..count.min((chunk + 1) * size);
            unbounded::pairs_with(&self.unbounded, &self.entries[range.clone()], found);
            self.grid.pairs_from(range, found);
            found.retain(&may_touch);
        });
        self.order.sort(count, found, pairs);
        Ok(())
    }

    /// Finds the pairs that `may_touch` of a few bodies, of bounded size, with all others, which are where they were at
    /// the last search or when they were among the few. `few` is sorted; `pairs` is overwritten, and
    /// sorted. False if one of the few was unbounded then, or is now: all are to be searched for anew.
    ///
    /// # Errors
    /// As [`Self::find_pairs`] for the few.
    pub(super) fn find_pairs_of(
        &mut self,
        few: &[u32],
        may_touch: impl Fn(&[u32; 2]) -> bool + Sync,
        world: &World,
        reach: &[f64],
        pairs: &mut Vec<[u32; 2]>,
    ) -> Result<bool> {
        pairs.clear();
        parallel::fill(&mut self.moved, few.len(), ENTRIES_PER_THREAD, |at| {
            let index = few[at] as usize;
            Entry::new(few[at], &world.bodies[index], reach[index])
        });
        for &entry in &self.moved {
            let index = entry.body as usize;
            if entry.is_invalid() {
                return Err(nowhere(world, index));
            }
            let before = std::mem::replace(&mut self.entries[index], entry);
            let is_placed = match self.search {
                PairSearch::Grid => self.grid.update(&entry),
                PairSearch::Sweep => before.is_bounded() && entry.is_bounded(),
            };
            if !is_placed {
                return Ok(false);
            }
        }
        if self.search == PairSearch::Sweep {
            self.sweep.find_pairs(&self.entries);
            let is_of_few = |body: &u32| few.binary_search(body).is_ok();
            let found = self.sweep.pairs().iter().copied();
            pairs.extend(found.filter(|pair| pair.iter().any(is_of_few)));
            unbounded::pairs_with(&self.unbounded, &self.moved, pairs);
            pairs.sort_unstable();
            pairs.retain(may_touch);
            return Ok(true);
        }
        let moved = &self.moved;
        let found = some(&mut self.found, moved.len().div_ceil(LOOKUPS));
        parallel::for_each(found, 1, |chunk, found| {
            found.clear();
            let end = moved.len().min((chunk + 1) * LOOKUPS);
            let entries = &moved[chunk * LOOKUPS..end];
            unbounded::pairs_with(&self.unbounded, entries, found);
            for entry in entries {
                self.grid.pairs_of(entry, found);
            }
            found.retain(&may_touch);
        });
        self.order.sort(self.entries.len(), found, pairs);
        // Pairs among the few were found twice.
        pairs.dedup();
        Ok(true)
    }
}

/// The first lists, of which there are then so many at least; the memory of others stays.
fn some(lists: &mut Vec<Vec<[u32; 2]>>, count: usize) -> &mut [Vec<[u32; 2]>] {
    if lists.len() < count {
        lists.resize_with(count, Vec::new);
    }
    &mut lists[..count]
}

fn nowhere(world: &World, body: usize) -> Error {
    let name = world.bodies[body].name.as_deref().unwrap_or("unnamed");
    Error::NonFinite {
        stage: "broadphase",
        what: format!("pose or reach of body {body} ({name})"),
    }
}
