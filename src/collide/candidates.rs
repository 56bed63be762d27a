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

/// Groups whose contacts one thread copies at least: some 1 us each.
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
    /// Contacts that the threads found, by group of a wave.
    found: Vec<Vec<ContactPoint>>,
    /// Where those of each group end among all.
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

    /// Takes over a new sorted list of pairs; what is known of pairs that are in both lists stays.
    pub(super) fn replace(&mut self, pairs: &[[u32; 2]], movers: &[Mover]) {
        std::mem::swap(&mut self.pairs, &mut self.before);
        self.pairs.clear();
        self.pairs.extend_from_slice(pairs);
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
        let concerned = &mut self.concerned;
        concerned.resize(movers.len(), false);
        for &body in bodies {
            concerned[body as usize] = true;
        }
        std::mem::swap(&mut self.pairs, &mut self.before);
        self.pairs.clear();
        let mut rest = pairs.iter();
        let mut next = rest.next();
        for pair in &self.before {
            if concerned[pair[0] as usize] | concerned[pair[1] as usize] {
                continue;
            }
            while let Some(other) = next
                && other < pair
            {
                self.pairs.push(*other);
                next = rest.next();
            }
            self.pairs.push(*pair);
        }
        self.pairs.extend(next.into_iter().chain(rest));
        for &body in bodies {
            concerned[body as usize] = false;
        }
        self.carry(movers);
    }

    /// Hands each group its pairs, and what it knew of them in the list before.
    fn carry(&mut self, movers: &[Mover]) {
        let count = movers.len().div_ceil(GROUP_BODIES);
        if self.groups.len() < count {
            self.groups.resize_with(count, Group::default);
        }
        let (pairs, before) = (&self.pairs, &self.before);
        for (group, range) in self.groups.iter_mut().zip(stretches(pairs)) {
            group.set_pairs(range);
        }
        parallel::for_each(&mut self.groups, PACKED_GROUPS_PER_THREAD, |_, group| {
            group.carry(pairs, before, movers);
        });
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
            let to = SharedSlice::new(contacts);
            for_chunks(
                (found, self.ends.as_slice()),
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
        contacts.truncate(end);
        depths
    }
}

/// Where the pairs of each group are in a sorted list, without an end.
fn stretches(pairs: &[[u32; 2]]) -> impl Iterator<Item = Range<usize>> {
    let mut end = 0;
    (1..).map(move |number| {
        let start = end;
        let bodies = (number * GROUP_BODIES) as u32;
        end += pairs[start..].partition_point(|pair| pair[0] < bodies);
        start..end
    })
}

/// True if work on so many pairs is worth waking threads.
fn is_parallel(count: usize) -> bool {
    parallel::is_shared(count, PARALLEL_PAIRS / 2)
}
