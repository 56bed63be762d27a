//! The pairs of bodies that may touch, and what is known of each.

use super::ContactPoint;
use super::crowd::Crowd;
use super::group::Group;
use super::narrowphase::{Limits, Mover};
use crate::constants::{GROUP_BODIES, PARALLEL_PAIRS};
use crate::world::World;
use rayon::prelude::*;

/// Groups between two joins: the memory of their contacts is used again.
const WAVE: usize = 128;

/// Which points of a pair count.
#[derive(Debug, Clone, Copy)]
pub(super) struct Admission {
    pub(super) limits: Limits,
    /// Margin of pairs that touched when they were last looked at `[m]`; `None` to count all alike and
    /// to leave the record of which pairs touch as it is.
    pub(super) touching_margin: Option<f64>,
}

impl Admission {
    /// Margins of a pair that did not touch when it was last looked at, and of one that did `[m]`.
    pub(super) fn margins(&self) -> [f64; 2] {
        let margin = self.limits.margin;
        [margin, self.touching_margin.unwrap_or(margin)]
    }
}

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
        if is_parallel(pairs.len()) {
            self.groups.par_iter_mut().for_each(Group::pack);
        } else {
            self.groups.iter_mut().for_each(Group::pack);
        }
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
        let mut end = 0;
        for (index, group) in self.groups.iter_mut().enumerate() {
            let start = end;
            let bodies = ((index + 1) * GROUP_BODIES) as u32;
            end += pairs[start..].partition_point(|pair| pair[0] < bodies);
            group.set_pairs(start..end);
        }
        if is_parallel(pairs.len()) {
            let groups = self.groups.par_iter_mut();
            groups.for_each(|group| group.carry(pairs, before, movers));
        } else {
            let groups = self.groups.iter_mut();
            groups.for_each(|group| group.carry(pairs, before, movers));
        }
    }

    /// Finds the contacts of all pairs, sorted by pair and feature; `contacts` is overwritten.
    pub(super) fn find_contacts(
        &mut self,
        world: &World,
        crowd: &Crowd,
        admission: Admission,
        contacts: &mut Vec<ContactPoint>,
    ) {
        let pairs = &self.pairs;
        if !is_parallel(pairs.len()) {
            contacts.clear();
            for group in &mut self.groups {
                group.find_contacts(world, crowd, pairs, admission, contacts);
            }
            return;
        }
        self.found.resize_with(WAVE, Vec::new);
        let mut end = 0;
        for groups in self.groups.chunks_mut(WAVE) {
            let found = &mut self.found[..groups.len()];
            groups
                .par_iter_mut()
                .zip(found.par_iter_mut())
                .for_each(|(group, found)| {
                    found.clear();
                    group.find_contacts(world, crowd, pairs, admission, found);
                });
            let start = end;
            end += count(found);
            // What is there from the last step is written over.
            if let Some(any) = found.iter().find_map(|found| found.first())
                && contacts.len() < end
            {
                contacts.resize(end, *any);
            }
            join(found, &mut contacts[start..end]);
        }
        contacts.truncate(end);
    }
}

fn count(found: &[Vec<ContactPoint>]) -> usize {
    found.iter().map(Vec::len).sum()
}

/// Copies contacts that were found one group after the other, shared among threads.
fn join(found: &[Vec<ContactPoint>], contacts: &mut [ContactPoint]) {
    if let [only] = found {
        contacts.copy_from_slice(only);
    } else if !contacts.is_empty() {
        let (found, others) = found.split_at(found.len() / 2);
        let (contacts, rest) = contacts.split_at_mut(count(found));
        rayon::join(|| join(found, contacts), || join(others, rest));
    }
}

/// True if work on so many pairs is worth waking threads.
fn is_parallel(count: usize) -> bool {
    count >= PARALLEL_PAIRS && rayon::current_num_threads() > 1
}
