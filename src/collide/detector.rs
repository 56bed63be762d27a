//! The search for contacts from step to step.
//!
//! In a pile at rest almost nothing changes between two steps, and what was found stays true for a
//! while. Bodies get boxes with room to move in, so that the list of pairs serves until one has left
//! its box; manifolds are kept while their bodies hardly move relative to each other; and pairs that
//! are known to be apart are not looked at until they may have come near. Nothing is missed: each of
//! these ends before it could be wrong, by a length that bodies cannot have gone unseen.

#[cfg(feature = "scene")]
mod saved;

use super::broadphase::{Broadphase, PairSearch};
use super::candidates::Candidates;
use super::crowd::{Crowd, Growth, Stretch};
use super::group::Admission;
use super::impulse_cache::{ImpulseCache, Remembered};
use super::narrowphase::{ContactModel, Limits, Mover};
use super::witnesses::Witnesses;
use super::{ContactPoint, Depths};
use crate::constants::{BODIES_PER_STRAY, CONTACTS_PER_THREAD, TOUCHING_MARGIN};
use crate::error::Result;
#[cfg(feature = "scene")]
use crate::math::Vec3;
use crate::parallel::{Chunked, SharedSlice, for_chunks};
use crate::world::{Shape, World};
#[cfg(feature = "scene")]
pub(crate) use saved::SavedDetector;
use std::sync::atomic::{AtomicU32, Ordering};

/// Finds contacts, and remembers what makes finding them again cheap.
///
/// It follows one world: [`Self::forget`] is to be called after changes other than moving and pushing
/// bodies by stepping.
#[derive(Debug, Default)]
pub struct Detector {
    broadphase: Broadphase,
    crowd: Crowd,
    candidates: Candidates,
    contacts: Vec<ContactPoint>,
    depths: Depths,
    /// The same of each chunk of contacts, while gaps are changed.
    depths_of_chunks: Vec<Depths>,
    witnesses: Witnesses,
    impulses: ImpulseCache,
    /// True if the cache has the impulses of the contacts, and not yet the contacts.
    impulses_are_new: bool,
    /// What boxes were grown by, shape `[body_count]` `[m]`.
    reach: Vec<f64>,
    /// Pairs as the broadphase found them.
    found: Vec<[u32; 2]>,
    /// A triangle that each body came to when pairs were found last, if it came to a mesh: it is looked at first.
    triangles: Vec<AtomicU32>,
    /// Bodies that have left their boxes.
    strays: Vec<u32>,
    /// How often bodies have left their boxes since the pairs of all were found.
    strayed: usize,
    /// Joints that keep bodies from colliding, when the pairs were found.
    excluding_joints: usize,
    is_current: bool,
    /// Of the last search for pairs.
    model: ContactModel,
}

impl Detector {
    /// A detector that knows nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A detector that looks at the given pairs only, sorted, of bodies that exist;
    /// [`Self::find_pairs`] is not to be called.
    #[must_use]
    pub fn of_pairs(world: &World, pairs: &[[u32; 2]]) -> Self {
        let mut detector = Self::default();
        detector.crowd.reset(world);
        let movers = detector.crowd.movers();
        detector.candidates.replace(&mut pairs.to_vec(), movers);
        detector
    }

    /// A detector whose broadphase searches in this way.
    #[must_use]
    pub fn by(search: PairSearch) -> Self {
        Self {
            broadphase: Broadphase::by(search),
            ..Self::default()
        }
    }

    /// Forgets what is known of the bodies: for a world that was changed from outside.
    pub fn forget(&mut self) {
        self.is_current = false;
    }

    /// Says what the next [`Self::find_contacts`] is for.
    pub(crate) fn begin_search(&mut self, stretch: Stretch) {
        self.crowd.begin_search(stretch);
    }

    /// Says that these bodies may be driven on so fast `[m/s]` by what hits them in the part that [`Self::begin_search`] has begun for.
    pub(crate) fn drive(&mut self, driven: &[(u32, f64)]) {
        self.crowd.drive(driven);
    }

    /// Brings the list of pairs up to date: all pairs of bodies that can have a contact within
    /// `limits`, or come to have one by being moved by up to `allowance` `[m]` towards each other.
    ///
    /// # Errors
    /// [`Error::NonFinite`](crate::Error::NonFinite) that names the first body whose pose or velocity
    /// is not finite.
    pub fn find_pairs(&mut self, world: &World, limits: Limits, allowance: f64) -> Result<()> {
        let known = self.is_current && self.crowd.movers().len() == world.bodies.len();
        if known {
            self.crowd.follow(world);
        } else {
            self.crowd.reset(world);
            self.candidates.clear();
        }
        self.model = limits.model;
        self.crowd.set_time_step(limits.time_step);
        let growth = Growth {
            margin: 0.5 * (TOUCHING_MARGIN * limits.margin + allowance),
            time_step: limits.time_step,
            gain: world.gravity.norm() * limits.time_step,
        };
        let excluding_joints = excluding_joints(world);
        if known && !self.crowd.is_loose() && excluding_joints == self.excluding_joints {
            self.crowd.find_strays(growth, &mut self.strays);
            if self.strays.is_empty() {
                return Ok(());
            }
            self.strayed += self.strays.len();
            let bodies = world.bodies.len();
            let are_few = self.strays.len() <= bodies / BODIES_PER_STRAY && self.strayed <= bodies;
            if are_few
                && self.strays.iter().all(|&body| self.crowd.is_bounded(body))
                && self.find_pairs_of_strays(world, growth)?
            {
                return Ok(());
            }
        }
        self.is_current = false;
        self.strayed = 0;
        self.crowd.anchor(world, growth, &mut self.reach);
        let (movers, reach) = (self.crowd.movers(), &self.reach);
        self.triangles.resize_with(movers.len(), AtomicU32::default);
        let triangles = &self.triangles;
        let may_touch = |pair: &[u32; 2]| may_touch(world, *pair, (movers, reach), triangles);
        self.broadphase
            .find_pairs_that(may_touch, world, reach, &mut self.found)?;
        self.excluding_joints = excluding_joints;
        self.drop_pairs_of_joints(world);
        self.candidates
            .replace(&mut self.found, self.crowd.movers());
        self.is_current = true;
        Ok(())
    }

    /// Finds the pairs of the strays anew, and leaves all others as they are. False if that does not
    /// do.
    fn find_pairs_of_strays(&mut self, world: &World, growth: Growth) -> Result<bool> {
        self.is_current = false;
        self.crowd
            .anchor_again(&self.strays, world, growth, &mut self.reach);
        let (movers, reach) = (self.crowd.movers(), &self.reach);
        let triangles = &self.triangles;
        let may_touch = |pair: &[u32; 2]| may_touch(world, *pair, (movers, reach), triangles);
        let (strays, found) = (&self.strays, &mut self.found);
        if !self
            .broadphase
            .find_pairs_of(strays, may_touch, world, reach, found)?
        {
            return Ok(false);
        }
        self.drop_pairs_of_joints(world);
        self.candidates
            .replace_pairs_of(&self.strays, &self.found, self.crowd.movers());
        self.is_current = true;
        Ok(true)
    }

    /// Leaves out pairs that joints keep from colliding.
    fn drop_pairs_of_joints(&mut self, world: &World) {
        if self.excluding_joints > 0 {
            drop_pairs(&mut self.found, &world.excluded_pairs());
        }
    }

    /// Pairs that may touch, sorted.
    #[must_use]
    pub fn pairs(&self) -> &[[u32; 2]] {
        self.candidates.pairs()
    }

    /// Finds the contacts of the pairs where the bodies were at [`Self::find_pairs`]: all points that
    /// [`find_contacts`](super::narrowphase::find_contacts) finds, to the tolerance
    /// [`KEPT_MOTION_PER_RADIUS`](crate::constants::KEPT_MOTION_PER_RADIUS), and points of pairs that
    /// touched last time up to a margin larger by [`TOUCHING_MARGIN`]; sorted by pair and feature. Of those pairs' corners, those
    /// that bear stay, and a point on a mesh counts beside them only below `crate::constants::MESH_SLOPE`.
    pub fn find_contacts(&mut self, world: &World, limits: Limits) {
        let admission = Admission {
            limits,
            touching_margin: Some(TOUCHING_MARGIN * limits.margin),
        };
        if std::mem::take(&mut self.impulses_are_new) {
            self.impulses.take_contacts(&mut self.contacts);
        }
        self.depths =
            self.candidates
                .find_contacts(world, &self.crowd, admission, &mut self.contacts);
        self.witnesses = self.witnesses.plus(self.candidates.take_witnesses());
    }

    /// Pairs whose witnesses are kept, counted at each [`Self::find_contacts`] since this was asked last.
    pub(crate) fn take_witnesses(&mut self) -> Witnesses {
        std::mem::take(&mut self.witnesses)
    }

    /// How deep the contacts are that were last found.
    pub(crate) fn depths(&self) -> Depths {
        self.depths
    }

    /// Where bodies were at the last search `[m]`, shape `[body_count]`.
    #[cfg(feature = "scene")]
    pub(crate) fn positions(&self) -> impl Iterator<Item = Vec3> {
        self.crowd.movers().iter().map(|mover| mover.position)
    }

    /// Changes the gap of each contact.
    pub(crate) fn change_separations(&mut self, gap: impl Fn(&ContactPoint) -> f64 + Sync) {
        let chunks = self.contacts.len().div_ceil(CONTACTS_PER_THREAD);
        self.depths_of_chunks.resize(chunks, Depths::default());
        let slices = (
            Chunked(SharedSlice::new(&mut self.contacts), CONTACTS_PER_THREAD),
            SharedSlice::new(&mut self.depths_of_chunks),
        );
        for_chunks(slices, 1, |_, (contacts, depths)| {
            let chunks = contacts.chunks_mut(CONTACTS_PER_THREAD).zip(depths);
            for (contacts, depths) in chunks {
                for contact in contacts.iter_mut() {
                    contact.separation = gap(contact);
                }
                *depths = Depths::of(contacts);
            }
        });
        let depths = self.depths_of_chunks.iter();
        self.depths = depths.fold(Depths::default(), |sum, part| sum.plus(*part));
    }

    /// Contacts as they were last found.
    #[must_use]
    pub fn contacts(&self) -> &[ContactPoint] {
        &self.contacts
    }

    /// Finds the contacts of the pairs where bodies are now with `separation <= margin` `[m]`, and
    /// leaves [`Self::contacts`] as they are; `contacts` is overwritten. Bodies must not have left
    /// the reach of the last [`Self::find_pairs`].
    pub fn contacts_within(
        &mut self,
        world: &World,
        margin: f64,
        contacts: &mut Vec<ContactPoint>,
    ) {
        self.crowd.follow(world);
        let admission = Admission {
            limits: Limits {
                margin,
                time_step: 0.0,
                lead: 0.0,
                model: self.model,
            },
            touching_margin: None,
        };
        self.candidates
            .find_contacts(world, &self.crowd, admission, contacts);
        // These are looks within a step.
        let _ = self.candidates.take_witnesses();
    }

    /// Remembers the impulses of [`Self::contacts`]; see [`ImpulseCache::store`].
    pub fn store_impulses(&mut self, impulses: &[[f32; 3]]) {
        self.impulses.store_impulses(impulses);
        self.impulses_are_new = true;
    }

    /// Remembers the loads of the same contacts, to be called after it.
    pub(crate) fn store_loads(&mut self, loads: &[f32]) {
        self.impulses.store_loads(loads);
    }

    /// The remembered impulses.
    pub(crate) fn impulses(&self) -> Remembered<'_> {
        if self.impulses_are_new {
            self.impulses.of_contacts(&self.contacts)
        } else {
            self.impulses.remembered()
        }
    }
}

/// False for pairs whose boxes overlap, but not their bounding spheres; of a mesh, those of bodies whose bounding spheres come to none of its
/// triangles. `reach` is what bodies are grown by `[m]`, shape `[body_count]`, and `triangles` are the ones they came to before.
fn may_touch(
    world: &World,
    pair: [u32; 2],
    (movers, reach): (&[Mover], &[f64]),
    triangles: &[AtomicU32],
) -> bool {
    let [a, b] = pair.map(|body| body as usize);
    let near = movers[a].bounding_radius + movers[b].bounding_radius + reach[a] + reach[b];
    let distance = (movers[a].position - movers[b].position).norm_squared();
    if distance > near * near * (1.0 + 1e-12) {
        return false;
    }
    let reach = reach[a] + reach[b];
    comes_to(world, a, (&movers[b], reach), &triangles[b])
        && comes_to(world, b, (&movers[a], reach), &triangles[a])
}

/// False if the first of two bodies is a mesh, and the second, grown by `reach` `[m]`, comes to none of its triangles. The last one is remembered.
fn comes_to(
    world: &World,
    mesh: usize,
    (other, reach): (&Mover, f64),
    triangle: &AtomicU32,
) -> bool {
    let body = &world.bodies[mesh];
    let Shape::Mesh(mesh) = &body.shape else {
        return true;
    };
    let center = body.pose.inverse_point(&other.position);
    let near = (other.bounding_radius + reach) * (1.0 + 1e-12);
    let likely = triangle.load(Ordering::Relaxed);
    let found = mesh.one_within(&center, near, likely);
    if let Some(found) = found
        && found != likely
    {
        triangle.store(found, Ordering::Relaxed);
    }
    found.is_some()
}

/// The number of joints that keep their bodies from colliding.
fn excluding_joints(world: &World) -> usize {
    let joints = world.joints.iter();
    joints
        .filter(|joint| !joint.collide && !joint.broken)
        .count()
}

/// Leaves out some pairs; both lists are sorted.
fn drop_pairs(pairs: &mut Vec<[u32; 2]>, dropped: &[[u32; 2]]) {
    let mut rest = dropped;
    pairs.retain(|pair| {
        while let [first, others @ ..] = rest
            && first < pair
        {
            rest = others;
        }
        rest.first() != Some(pair)
    });
}
