//! The pairs of bodies that may touch, and what is known of each.

#[cfg(feature = "scene")]
mod saved;

use super::crowd::Crowd;
use super::group::{Admission, Group};
use super::narrowphase::Mover;
use super::witnesses::Witnesses;
use super::{ContactPoint, Depths};
use crate::constants::{GROUP_BODIES, PARALLEL_PAIRS};
use crate::parallel::{self, SharedSlice, for_chunks};
use crate::world::World;
#[cfg(feature = "scene")]
pub(super) use saved::SavedCandidates;
use std::ops::Range;

/// Groups whose records one thread takes over at least: some 1 us each.
const PACKED_GROUPS_PER_THREAD: usize = 32;

/// Groups whose contacts, or pairs, one thread copies at least: some 1 us each.
const JOINED_GROUPS_PER_THREAD: usize = 16;

/// Groups between two joins: the memory of their contacts is used again.
const WAVE: usize = 512;

/// Pairs of bodies, sorted, with what is remembered of them.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    pairs: Vec<[u32; 2]>,
    /// What is kept of the pairs of every [`GROUP_BODIES`] first bodies.
    groups: Vec<Group>,
    /// Memory of the list before this one.
    before: Vec<[u32; 2]>,
    /// True for bodies whose pairs change.
    concerned: Vec<bool>,
    /// Pairs of each group, while they change.
    merged: Vec<Vec<[u32; 2]>>,
    /// Contacts that the threads found, by group of a wave.
    found: Vec<Vec<ContactPoint>>,
    /// Where those of each group, or its pairs, end among all.
    ends: Vec<usize>,
    /// How deep they are.
    depths: Vec<Depths>,
}

impl Candidates {
    pub(super) fn pairs(&self) -> &[[u32; 2]] {
        &self.pairs
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.pairs.clear();
        self.groups.iter_mut().for_each(Group::clear);
    }

    /// Takes over a new sorted list of pairs, for which it gives the memory of an old one; what is known of pairs that are in both lists
    /// stays.
    pub(super) fn replace(&mut self, pairs: &mut Vec<[u32; 2]>, movers: &[Mover]) {
        std::mem::swap(&mut self.pairs, &mut self.before);
        std::mem::swap(&mut self.pairs, pairs);
        self.carry(movers);
        parallel::for_each(&mut self.groups, PACKED_GROUPS_PER_THREAD, |_, group| {
            group.pack();
        });
    }

    /// Takes over the pairs of some bodies, sorted, in place of those that are known of them.
    pub(super) fn replace_pairs_of(
        &mut self,
        bodies: &[u32],
        pairs: &[[u32; 2]],
        movers: &[Mover],
    ) {
        self.concerned.resize(movers.len(), false);
        for &body in bodies {
            self.concerned[body as usize] = true;
        }
        std::mem::swap(&mut self.pairs, &mut self.before);
        let (before, concerned) = (&self.before, &self.concerned);
        let is_dropped = |[a, b]: [u32; 2]| concerned[a as usize] | concerned[b as usize];
        self.merged
            .resize_with(movers.len().div_ceil(GROUP_BODIES), Vec::new);
        parallel::for_each(
            &mut self.merged,
            PACKED_GROUPS_PER_THREAD,
            |group, merged| {
                let known = &before[stretch(before, group)];
                let added = &pairs[stretch(pairs, group)];
                merge(known, added, is_dropped, merged);
            },
        );
        for &body in bodies {
            self.concerned[body as usize] = false;
        }
        self.ends.clear();
        let mut end = 0;
        for merged in &self.merged {
            end += merged.len();
            self.ends.push(end);
        }
        self.pairs.resize(end, [0; 2]);
        let merged = &self.merged[..];
        join(merged, &self.ends, &mut self.pairs);
        self.carry(movers);
    }

    /// Hands each group its pairs, and what it knew of them in the list before.
    fn carry(&mut self, movers: &[Mover]) {
        let count = movers.len().div_ceil(GROUP_BODIES);
        if self.groups.len() < count {
            self.groups.resize_with(count, Group::default);
        }
        let (pairs, before) = (&self.pairs, &self.before);
        parallel::for_each(
            &mut self.groups,
            PACKED_GROUPS_PER_THREAD,
            |number, group| {
                group.set_pairs(stretch(pairs, number));
                group.carry(pairs, before, movers);
            },
        );
    }

    /// Pairs of solids, and how many of them were searched since this was asked last.
    pub(super) fn take_witnesses(&mut self) -> Witnesses {
        let groups = self.groups.iter_mut();
        groups.fold(Witnesses::default(), |sum, group| {
            sum.plus(group.take_witnesses())
        })
    }

    /// Finds the contacts of all pairs, sorted by pair and feature, and returns their depths; `contacts` is
    /// overwritten.
    pub(super) fn find_contacts(
        &mut self,
        world: &World,
        crowd: &Crowd,
        admission: Admission,
        contacts: &mut Vec<ContactPoint>,
    ) -> Depths {
        let pairs = &self.pairs;
        // Summed by group, whoever finds its contacts, while they are in the cache.
        let mut depths = Depths::default();
        if !is_parallel(pairs.len()) {
            contacts.clear();
            for group in &mut self.groups {
                let first = contacts.len();
                group.find_contacts(world, crowd, pairs, admission, contacts);
                depths = depths.plus(Depths::of(&contacts[first..]));
            }
            return depths;
        }
        self.found.resize_with(WAVE, Vec::new);
        self.depths.resize(WAVE, Depths::default());
        let mut end = 0;
        for groups in self.groups.chunks_mut(WAVE) {
            let found = &mut self.found[..groups.len()];
            let slices = (
                SharedSlice::new(groups),
                SharedSlice::new(found),
                SharedSlice::new(&mut self.depths),
            );
            for_chunks(slices, 1, |_, (groups, found, depths)| {
                for ((group, found), depths) in groups.iter_mut().zip(found).zip(depths) {
                    found.clear();
                    group.find_contacts(world, crowd, pairs, admission, found);
                    *depths = Depths::of(found);
                }
            });
            depths = self.depths[..groups.len()]
                .iter()
                .fold(depths, |sum, part| sum.plus(*part));
            let found = &self.found[..groups.len()];
            self.ends.clear();
            for found in found {
                end += found.len();
                self.ends.push(end);
            }
            // What is there from the last step is written over.
            if let Some(any) = found.iter().find_map(|found| found.first())
                && contacts.len() < end
            {
                contacts.resize(end, *any);
            }
            join(found, &self.ends, contacts);
        }
        contacts.truncate(end);
        depths
    }
}

/// Where the pairs of a group are in a sorted list.
fn stretch(pairs: &[[u32; 2]], group: usize) -> Range<usize> {
    let first = (group * GROUP_BODIES) as u32;
    let start = pairs.partition_point(|pair| pair[0] < first);
    let end = first + GROUP_BODIES as u32;
    start..start + pairs[start..].partition_point(|pair| pair[0] < end)
}

/// Writes to `merged` what is not dropped of the pairs known, with those added, all of them sorted.
fn merge(
    known: &[[u32; 2]],
    added: &[[u32; 2]],
    is_dropped: impl Fn([u32; 2]) -> bool,
    merged: &mut Vec<[u32; 2]>,
) {
    merged.clear();
    let mut added = added.iter().peekable();
    for pair in known.iter().filter(|pair| !is_dropped(**pair)) {
        while let Some(other) = added.next_if(|other| *other < pair) {
            merged.push(*other);
        }
        merged.push(*pair);
    }
    merged.extend(added);
}

/// Copies what was found for each group to where it ends among all.
fn join<T: Copy + Send + Sync>(found: &[Vec<T>], ends: &[usize], all: &mut [T]) {
    let to = SharedSlice::new(all);
    for_chunks(
        (found, ends),
        JOINED_GROUPS_PER_THREAD,
        |_, (found, ends)| {
            for (found, &end) in found.iter().zip(ends) {
                // SAFETY: each group has its own stretch.
                #[allow(unsafe_code, reason = "groups' stretches lie one behind the other")]
                let to = unsafe { to.range(end - found.len()..end) };
                to.copy_from_slice(found);
            }
        },
    );
}

/// True if work on so many pairs is worth waking threads.
fn is_parallel(count: usize) -> bool {
    parallel::is_shared(count, PARALLEL_PAIRS / 2)
}
