//! What is known of the pairs of some neighbouring bodies.
//!
//! Manifolds stay at their places while the list of pairs changes around them: they are many times
//! larger than what the list says of a pair. When much of the list has changed they are packed again in
//! its order, in which they are visited.

#[cfg(feature = "scene")]
mod saved;

use super::ContactPoint;
use super::crowd::Crowd;
#[cfg(target_arch = "x86_64")]
use super::four::Avx;
use super::four::{Four, Quad};
use super::kept::Kept;
use super::narrowphase::{self, ContactModel, Kind, Limits, Mover, Names};
use super::witnesses::Witnesses;
use crate::world::World;
#[cfg(feature = "scene")]
pub(super) use saved::SavedPair;
use std::ops::Range;

/// In place of a manifold, for a pair that keeps none.
const NO_MANIFOLD: u32 = u32::MAX;

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

/// What the list knows of a pair.
#[derive(Debug, Clone, Copy)]
struct Record {
    /// Place of its manifold in the group.
    manifold: u32,
    /// Its contacts when it was last looked at.
    points: Names,
}

impl Record {
    fn keeps_manifold(&self) -> bool {
        self.manifold != NO_MANIFOLD
    }
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
    kept: Kept,
    /// Places of manifolds that no pair has.
    free: Vec<u32>,
    /// Memory of what was kept before it was packed.
    unpacked: Kept,
    /// Its pairs of solids that keep manifolds.
    solids: u64,
}

impl Group {
    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.range = 0..0;
        self.records.clear();
        self.kept.clear();
        self.free.clear();
        self.solids = 0;
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
                    manifold: new_manifold(movers, *pair, &mut self.kept, &mut self.free),
                    points: Names::default(),
                },
            };
            self.records.push(record);
        }
        let dropped = known.map(|(_, record)| record.manifold);
        self.free
            .extend(dropped.filter(|&place| place != NO_MANIFOLD));
        self.count_solids();
        self.kept.make_room();
    }

    fn count_solids(&mut self) {
        let kept = &self.kept;
        let is_of_solids =
            |record: &&Record| record.keeps_manifold() && !kept.has_sphere(record.manifold);
        self.solids = self.records.iter().filter(is_of_solids).count() as u64;
    }

    /// Pairs of solids, and how many of them were searched since this was asked last.
    pub(super) fn take_witnesses(&mut self) -> Witnesses {
        Witnesses {
            pairs: self.solids,
            searched: self.kept.take_searches(),
        }
    }

    /// Puts the manifolds, and their points, in the order of their pairs.
    pub(super) fn pack(&mut self) {
        if self.kept.is_empty() {
            return;
        }
        std::mem::swap(&mut self.kept, &mut self.unpacked);
        self.kept.clear();
        self.free.clear();
        for record in &mut self.records {
            if let Some(place) = self.kept.carry(&self.unpacked, record.manifold) {
                record.manifold = place;
            }
        }
        self.kept.make_room();
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
        let pairs = &pairs[self.range.clone()];
        let mut start = 0;
        for records in self
            .records
            .chunk_by_mut(|one, next| one.keeps_manifold() == next.keeps_manifold())
        {
            let pairs = &pairs[start..start + records.len()];
            start += records.len();
            let search = Search {
                world,
                crowd,
                pairs,
                admission,
            };
            if records[0].keeps_manifold() {
                search.find_by_kept(records, &mut self.kept, found);
            } else {
                search.find_anew(records, found);
            }
        }
    }
}

/// The search for the contacts of some pairs.
struct Search<'a> {
    world: &'a World,
    crowd: &'a Crowd,
    pairs: &'a [[u32; 2]],
    admission: Admission,
}

impl Search<'_> {
    /// Appends the contacts of pairs that keep no manifolds.
    fn find_anew(&self, records: &mut [Record], found: &mut Vec<ContactPoint>) {
        let movers = self.crowd.movers();
        let margins = self.admission.margins();
        for (&pair, record) in self.pairs.iter().zip(records) {
            let margin = margins[usize::from(!record.points.is_empty())];
            let limits = Limits {
                margin,
                ..self.admission.limits
            };
            let movers_of = pair.map(|body| &movers[body as usize]);
            let first = found.len();
            if movers_of.iter().all(|mover| mover.kind == Kind::Sphere) {
                found.extend(narrowphase::contact_of_spheres(pair, movers_of, limits));
            } else {
                let last = record.points;
                narrowphase::contacts_of(self.world, movers, pair, limits, last, found);
            }
            if self.admission.touching_margin.is_some() {
                let found = found[first..].iter();
                record.points = Names::of(found.map(|contact| &contact.feature));
            }
        }
    }

    /// Appends the contacts of pairs that keep manifolds.
    fn find_by_kept(&self, records: &mut [Record], kept: &mut Kept, found: &mut Vec<ContactPoint>) {
        // Events come and go within a step: what is kept stands for clipped faces.
        if self.admission.limits.model != ContactModel::Clipped {
            kept.add_searches(records.iter().map(|record| record.manifold));
            return self.find_anew(records, found);
        }
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx") {
            #[allow(unsafe_code, reason = "bytes meet SIMD")]
            // SAFETY: the processor has AVX.
            unsafe {
                return self.find_by_kept_with_avx(records, kept, found);
            }
        }
        self.find_by_kept_with::<Quad>(records, kept, found);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx")]
    fn find_by_kept_with_avx(
        &self,
        records: &mut [Record],
        kept: &mut Kept,
        found: &mut Vec<ContactPoint>,
    ) {
        self.find_by_kept_with::<Avx>(records, kept, found);
    }

    #[inline(always)]
    fn find_by_kept_with<F: Four>(
        &self,
        records: &mut [Record],
        kept: &mut Kept,
        found: &mut Vec<ContactPoint>,
    ) {
        let margins = self.admission.margins();
        for (&pair, record) in self.pairs.iter().zip(records) {
            let margin = margins[usize::from(!record.points.is_empty())];
            let limits = Limits {
                margin,
                ..self.admission.limits
            };
            let first = found.len();
            kept.find_contacts::<F>(
                record.manifold,
                (self.world, self.crowd),
                pair,
                limits,
                found,
            );
            if self.admission.touching_margin.is_some() {
                let found = found[first..].iter();
                record.points = Names::of(found.map(|contact| &contact.feature));
            }
        }
    }
}

/// A place for the manifold of a pair of which nothing is known, or [`NO_MANIFOLD`]: spheres need none,
/// and what is unbounded turns past others without a limit.
fn new_manifold(movers: &[Mover], pair: [u32; 2], kept: &mut Kept, free: &mut Vec<u32>) -> u32 {
    let kinds = pair.map(|body| movers[body as usize].kind);
    if kinds == [Kind::Sphere; 2] || kinds.contains(&Kind::Unbounded) {
        return NO_MANIFOLD;
    }
    let has_sphere = kinds.contains(&Kind::Sphere);
    let Some(place) = free.pop() else {
        return kept.add(has_sphere);
    };
    kept.forget(place, has_sphere);
    place
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

    use super::*;
    use crate::math::{Pose, Quat, Vec3};
    use crate::world::{Body, Shape};

    /// Contacts of all pairs of some boxes, found by some way to search.
    fn contacts(
        world: &World,
        find: impl FnOnce(&Search<'_>, &mut [Record], &mut Kept, &mut Vec<ContactPoint>),
    ) -> Vec<ContactPoint> {
        let mut crowd = Crowd::default();
        crowd.reset(world);
        crowd.set_time_step(0.01);
        let count = world.bodies.len() as u32;
        let pairs: Vec<[u32; 2]> = (0..count)
            .flat_map(|a| (a + 1..count).map(move |b| [a, b]))
            .collect();
        let mut group = Group::default();
        group.set_pairs(0..pairs.len());
        group.carry(&pairs, &[], crowd.movers());
        let admission = Admission {
            limits: Limits {
                margin: 0.01,
                time_step: 0.01,
                lead: 0.0,
                model: ContactModel::Clipped,
            },
            touching_margin: Some(0.02),
        };
        let search = Search {
            world,
            crowd: &crowd,
            pairs: &pairs,
            admission,
        };
        let mut found = Vec::new();
        find(&search, &mut group.records, &mut group.kept, &mut found);
        found
    }

    #[test]
    fn contacts_do_not_depend_on_instructions() {
        if !std::arch::is_x86_feature_detected!("avx") {
            return;
        }
        let mut world = World::new(Vec3::new(0.0, 0.0, -9.81));
        for k in 0..12 {
            let x = f64::from(k);
            let position = Vec3::new(100.3 + 0.1 * x, 0.07 * x * x, 0.9 * x);
            let tilt = Vec3::new(0.03 * x, -0.02 * x, 0.4 * x);
            let shape = Shape::Box {
                half_extents: Vec3::new(0.5, 0.6, 0.47),
            };
            let pose = Pose::new(position, Quat::from_scaled_axis(tilt));
            let mut body = Body::dynamic_with_mass(shape, pose, 1.0).unwrap();
            body.linear_velocity = Vec3::new(0.1, 0.2, -0.3 * x);
            world.add(body).unwrap();
        }
        let plain = contacts(&world, |search, records, kept, found| {
            search.find_by_kept_with::<Quad>(records, kept, found);
        });
        let fast = contacts(&world, |search, records, kept, found| {
            #[allow(unsafe_code, reason = "bytes meet SIMD")]
            // SAFETY: the processor has AVX.
            unsafe {
                search.find_by_kept_with_avx(records, kept, found);
            }
        });
        assert!(plain.len() > 20, "{} contacts", plain.len());
        assert_eq!(plain, fast);
    }
}
