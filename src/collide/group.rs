//! What is known of the pairs of some neighbouring bodies.
//!
//! Manifolds stay at their places while the list of pairs changes around them: they are many times
//! larger than what the list says of a pair. When much of the list has changed they are packed again in
//! its order, in which they are visited.

use super::ContactPoint;
use super::candidates::Admission;
use super::crowd::Crowd;
use super::kept::{Couple, KeptManifold, KeptPoint};
use super::narrowphase::{self, Kind, Mover};
use crate::world::World;
use std::ops::Range;

/// In place of a manifold, for a pair that keeps none.
const NO_MANIFOLD: u32 = u32::MAX;

/// What the list knows of a pair.
#[derive(Debug, Clone, Copy)]
struct Record {
    /// Place of its manifold in the group.
    manifold: u32,
    /// True for a pair that had contacts when it was last looked at.
    touching: bool,
}

/// Pairs that follow each other in the list, and their manifolds.
#[derive(Debug, Default)]
pub(super) struct Group {
    /// Where its pairs are in the list.
    range: Range<usize>,
    /// Where they were in the list before.
    range_before: Range<usize>,
    /// By pair.
    records: Vec<Record>,
    /// Memory of the records before.
    before: Vec<Record>,
    manifolds: Vec<KeptManifold>,
    /// Places of manifolds that no pair has.
    free: Vec<u32>,
    points: Vec<KeptPoint>,
    /// Memory of manifolds and points before they were packed.
    unpacked: (Vec<KeptManifold>, Vec<KeptPoint>),
}

/// True if the two bodies keep a manifold: spheres need none, and what is unbounded turns past others
/// without a limit.
fn keeps_manifold(movers: &[Mover], pair: [u32; 2]) -> bool {
    let [a, b] = pair.map(|body| movers[body as usize].kind);
    (a != Kind::Sphere || b != Kind::Sphere) && a != Kind::Unbounded && b != Kind::Unbounded
}

impl Group {
    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.range = 0..0;
        self.records.clear();
        self.manifolds.clear();
        self.free.clear();
        self.points.clear();
    }

    /// Says where the group's pairs are in a new list.
    pub(super) fn set_pairs(&mut self, range: Range<usize>) {
        self.range_before = std::mem::replace(&mut self.range, range);
    }

    /// Takes over what is known of pairs of the list before.
    pub(super) fn carry(&mut self, pairs: &[[u32; 2]], before: &[[u32; 2]], movers: &[Mover]) {
        let pairs = &pairs[self.range.clone()];
        let before = &before[self.range_before.clone()];
        if pairs == before {
            return;
        }
        std::mem::swap(&mut self.records, &mut self.before);
        self.records.clear();
        let mut known = before.iter().zip(&self.before).peekable();
        for pair in pairs {
            while let Some((_, dropped)) = known.next_if(|(other, _)| *other < pair) {
                if dropped.manifold != NO_MANIFOLD {
                    self.free.push(dropped.manifold);
                }
            }
            let record = match known.next_if(|(other, _)| *other == pair) {
                Some((_, record)) => *record,
                None => Record {
                    manifold: if keeps_manifold(movers, *pair) {
                        new_manifold(&mut self.manifolds, &mut self.free)
                    } else {
                        NO_MANIFOLD
                    },
                    touching: false,
                },
            };
            self.records.push(record);
        }
        let dropped = known.map(|(_, record)| record.manifold);
        self.free
            .extend(dropped.filter(|&place| place != NO_MANIFOLD));
        self.make_room();
    }

    /// Puts the manifolds, and their points, in the order of their pairs.
    pub(super) fn pack(&mut self) {
        if self.manifolds.is_empty() {
            return;
        }
        std::mem::swap(&mut self.manifolds, &mut self.unpacked.0);
        std::mem::swap(&mut self.points, &mut self.unpacked.1);
        self.manifolds.clear();
        self.points.clear();
        self.free.clear();
        let (manifolds, points) = &self.unpacked;
        for record in &mut self.records {
            if let Some(manifold) = manifolds.get(record.manifold as usize) {
                record.manifold = self.manifolds.len() as u32;
                self.manifolds
                    .push(manifold.carried(points, &mut self.points));
            }
        }
        self.make_room();
    }

    /// Makes room for what begins to touch, so that a pile at rest allocates nothing.
    fn make_room(&mut self) {
        if !self.manifolds.is_empty() {
            let spare = self.points.len() / 4 + 64;
            self.points.reserve(spare);
        }
    }

    /// Appends the contacts of the group's pairs, sorted by pair and feature.
    pub(super) fn find_contacts(
        &mut self,
        world: &World,
        crowd: &Crowd,
        pairs: &[[u32; 2]],
        admission: Admission,
        found: &mut Vec<ContactPoint>,
    ) {
        let movers = crowd.movers();
        let pairs = &pairs[self.range.clone()];
        for (&pair, record) in pairs.iter().zip(&mut self.records) {
            let movers_of = pair.map(|body| &movers[body as usize]);
            let mut limits = admission.limits;
            if let Some(margin) = admission.touching_margin
                && record.touching
            {
                limits.margin = margin;
            }
            let first = found.len();
            if let Some(manifold) = self.manifolds.get_mut(record.manifold as usize) {
                let couple = Couple {
                    world,
                    pair,
                    movers: movers_of,
                    rotations: pair.map(|body| &crowd.rotations()[body as usize]),
                    time_step: crowd.time_step(),
                };
                manifold.find_contacts(&couple, limits, &mut self.points, found);
            } else if movers_of.iter().all(|mover| mover.kind == Kind::Sphere) {
                found.extend(narrowphase::contact_of_spheres(pair, movers_of, limits));
            } else {
                narrowphase::contacts_of(world, movers, pair, limits, found);
            }
            if admission.touching_margin.is_some() {
                record.touching = found.len() > first;
            }
        }
    }
}

/// A place for the manifold of a pair of which nothing is known.
fn new_manifold(manifolds: &mut Vec<KeptManifold>, free: &mut Vec<u32>) -> u32 {
    if let Some(place) = free.pop() {
        manifolds[place as usize].forget();
        return place;
    }
    manifolds.push(KeptManifold::UNKNOWN);
    (manifolds.len() - 1) as u32
}
