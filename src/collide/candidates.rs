//! The pairs of bodies that may touch, and what is known of each.

use super::ContactPoint;
use super::crowd::Crowd;
use super::kept::{Couple, KeptManifold, KeptPoint};
use super::narrowphase::{self, Kind, Limits, Mover};
use crate::constants::PARALLEL_PAIRS;
use crate::world::World;
use rayon::prelude::*;

/// Pairs handled by one thread at a time; their contacts are joined in order.
const CHUNK: usize = 1024;

/// Chunks between two joins: the memory of their contacts is used again.
const WAVE: usize = 128;

/// Which points of a pair count.
#[derive(Debug, Clone, Copy)]
pub(super) struct Admission {
    pub(super) limits: Limits,
    /// Margin of pairs that touched when they were last looked at `[m]`; `None` to count all alike and
    /// to leave the record of which pairs touch as it is.
    pub(super) touching_margin: Option<f64>,
}

/// Pairs of bodies, sorted, with what is remembered of them.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    now: Pairs,
    /// Memory of the list before this one.
    before: Pairs,
    /// Memory of the list while it is being changed.
    merged: Vec<[u32; 2]>,
    /// True for bodies whose pairs change.
    concerned: Vec<bool>,
    /// Contacts that the threads found, by chunk of a wave.
    found: Vec<Vec<ContactPoint>>,
}

#[derive(Debug, Default)]
struct Pairs {
    pairs: Vec<[u32; 2]>,
    /// True for a pair with contacts, by pair.
    touching: Vec<bool>,
    /// What is kept of every [`CHUNK`] pairs.
    chunks: Vec<Chunk>,
    chunk_count: usize,
}

/// Manifolds of a stretch of pairs, for those that keep one, in order.
#[derive(Debug, Default)]
struct Chunk {
    manifolds: Vec<KeptManifold>,
    points: Vec<KeptPoint>,
}

/// True if the two bodies keep a manifold: spheres need none, and what is unbounded turns past others
/// without a limit.
fn keeps_manifold(a: Kind, b: Kind) -> bool {
    (a != Kind::Sphere || b != Kind::Sphere) && a != Kind::Unbounded && b != Kind::Unbounded
}

fn kinds(movers: &[Mover], pair: [u32; 2]) -> [Kind; 2] {
    pair.map(|body| movers[body as usize].kind)
}

impl Candidates {
    pub(super) fn pairs(&self) -> &[[u32; 2]] {
        &self.now.pairs
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        for list in [&mut self.now, &mut self.before] {
            list.pairs.clear();
            list.touching.clear();
            list.chunk_count = 0;
        }
    }

    /// Takes over a new sorted list of pairs; what is known of pairs that are in both lists stays.
    pub(super) fn replace(&mut self, pairs: &[[u32; 2]], movers: &[Mover]) {
        std::mem::swap(&mut self.now, &mut self.before);
        let (now, before) = (&mut self.now, &self.before);
        now.pairs.clear();
        now.pairs.extend_from_slice(pairs);
        now.touching.clear();
        now.touching.resize(pairs.len(), false);
        now.chunk_count = pairs.len().div_ceil(CHUNK);
        if now.chunks.len() < now.chunk_count {
            now.chunks.resize_with(now.chunk_count, Chunk::default);
        }
        let chunks = &mut now.chunks[..now.chunk_count];
        if is_parallel(pairs.len()) {
            pairs
                .par_chunks(CHUNK)
                .zip(now.touching.par_chunks_mut(CHUNK))
                .zip(chunks)
                .for_each(|((pairs, touching), chunk)| {
                    chunk.carry(pairs, touching, before, movers);
                });
        } else {
            let stretches = pairs.chunks(CHUNK).zip(now.touching.chunks_mut(CHUNK));
            for ((pairs, touching), chunk) in stretches.zip(chunks) {
                chunk.carry(pairs, touching, before, movers);
            }
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
        concerned.clear();
        concerned.resize(movers.len(), false);
        for &body in bodies {
            concerned[body as usize] = true;
        }
        let concerns = |[a, b]: &[u32; 2]| concerned[*a as usize] | concerned[*b as usize];
        let known = self.now.pairs.iter().filter(|pair| concerns(pair));
        if known.eq(pairs) {
            return;
        }
        let mut merged = std::mem::take(&mut self.merged);
        merged.clear();
        let mut rest = pairs;
        for pair in self.now.pairs.iter().filter(|pair| !concerns(pair)) {
            let before = rest.partition_point(|other| other < pair);
            merged.extend_from_slice(&rest[..before]);
            rest = &rest[before..];
            merged.push(*pair);
        }
        merged.extend_from_slice(rest);
        self.replace(&merged, movers);
        self.merged = merged;
    }

    /// Finds the contacts of all pairs, sorted by pair and feature; `contacts` is overwritten.
    pub(super) fn find_contacts(
        &mut self,
        world: &World,
        crowd: &Crowd,
        admission: Admission,
        contacts: &mut Vec<ContactPoint>,
    ) {
        contacts.clear();
        let Pairs {
            pairs,
            touching,
            chunks,
            chunk_count,
        } = &mut self.now;
        let chunks = &mut chunks[..*chunk_count];
        if !is_parallel(pairs.len()) {
            let stretches = pairs.chunks(CHUNK).zip(touching.chunks_mut(CHUNK));
            for ((pairs, touching), chunk) in stretches.zip(chunks) {
                chunk.find_contacts(world, crowd, pairs, touching, admission, contacts);
            }
            return;
        }
        self.found.resize_with(WAVE, Vec::new);
        let waves = pairs
            .chunks(CHUNK * WAVE)
            .zip(touching.chunks_mut(CHUNK * WAVE))
            .zip(chunks.chunks_mut(WAVE));
        for ((pairs, touching), chunks) in waves {
            pairs
                .par_chunks(CHUNK)
                .zip(touching.par_chunks_mut(CHUNK))
                .zip(&mut *chunks)
                .zip(&mut self.found)
                .for_each(|(((pairs, touching), chunk), found)| {
                    found.clear();
                    chunk.find_contacts(world, crowd, pairs, touching, admission, found);
                });
            for found in &self.found[..chunks.len()] {
                contacts.extend_from_slice(found);
            }
        }
    }
}

impl Chunk {
    /// Takes over what another list knows of these pairs.
    fn carry(&mut self, pairs: &[[u32; 2]], touching: &mut [bool], from: &Pairs, movers: &[Mover]) {
        self.manifolds.clear();
        self.points.clear();
        let Some(first) = pairs.first() else {
            return;
        };
        let mut at = from.pairs.partition_point(|pair| pair < first);
        // The number of manifolds before this pair in its chunk.
        let counted = &from.pairs[at / CHUNK * CHUNK..at];
        let keeps = |pair: [u32; 2]| {
            let [a, b] = kinds(movers, pair);
            keeps_manifold(a, b)
        };
        let mut slot = counted.iter().filter(|pair| keeps(**pair)).count();
        for (pair, touching) in pairs.iter().zip(touching) {
            let mut known = None;
            while let Some(other) = from.pairs.get(at)
                && other <= pair
            {
                if at % CHUNK == 0 {
                    slot = 0;
                }
                if other == pair {
                    known = Some((at / CHUNK, slot));
                    *touching = from.touching[at];
                }
                slot += usize::from(keeps(*other));
                at += 1;
            }
            if keeps(*pair) {
                let manifold = known.map_or(KeptManifold::UNKNOWN, |(chunk, slot)| {
                    let chunk = &from.chunks[chunk];
                    chunk.manifolds[slot].carried(&chunk.points, &mut self.points)
                });
                self.manifolds.push(manifold);
            }
        }
        if !self.manifolds.is_empty() {
            // Room for what begins to touch, so that a pile at rest allocates nothing.
            let spare = self.points.len() / 4 + 64;
            self.points.reserve(spare);
        }
    }

    fn find_contacts(
        &mut self,
        world: &World,
        crowd: &Crowd,
        pairs: &[[u32; 2]],
        touching: &mut [bool],
        admission: Admission,
        found: &mut Vec<ContactPoint>,
    ) {
        let movers = crowd.movers();
        let mut manifolds = self.manifolds.iter_mut();
        for (&pair, touching) in pairs.iter().zip(touching) {
            let movers_of = pair.map(|body| &movers[body as usize]);
            let [a, b] = movers_of.map(|mover| mover.kind);
            let mut limits = admission.limits;
            if let Some(margin) = admission.touching_margin
                && *touching
            {
                limits.margin = margin;
            }
            let first = found.len();
            if a == Kind::Sphere && b == Kind::Sphere {
                found.extend(narrowphase::contact_of_spheres(pair, movers_of, limits));
            } else if !keeps_manifold(a, b) {
                narrowphase::contacts_of(world, movers, pair, limits, found);
            } else if let Some(manifold) = manifolds.next() {
                let couple = Couple {
                    world,
                    pair,
                    movers: movers_of,
                    rotations: pair.map(|body| &crowd.rotations()[body as usize]),
                };
                manifold.find_contacts(&couple, limits, &mut self.points, found);
            }
            if admission.touching_margin.is_some() {
                *touching = found.len() > first;
            }
        }
    }
}

/// True if work on so many pairs is worth waking threads.
fn is_parallel(count: usize) -> bool {
    count >= PARALLEL_PAIRS && rayon::current_num_threads() > 1
}
