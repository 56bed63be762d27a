//! Manifolds that outlive a step.
//!
//! The points of two bodies are found anew only once the bodies have moved relative to each other by
//! more than a small part of their size. Until then each point is where the two points of the surfaces
//! went that it was between, its normal turns with the body whose face it is on, and its separation is
//! that of these two points along this normal. For a vertex above a face this is exact; otherwise the
//! error is of second order in the motion, but for a point on a round surface, which goes elsewhere as the body rolls: such points
//! are kept over far less of a motion. Bodies without a common point are left alone until they may
//! have come nearer than what they are known to be apart.
//!
//! Contacts are looked for several times in a step if something in the world is fast. All else that moves would be found as often; it is found once for several of these
//! parts of a step, as many as it takes for a small part of its size, and where the bodies are midway through them. Where they are at first, points would
//! be late by half of that time: a plank that rocks on a cylinder in the same world as something that spins would swing four times as far after sixteen seconds as at the start.
//! Points on round surfaces do not turn with these meanwhile (`Bundle::hold_round_points`).

mod renewal;
#[cfg(feature = "scene")]
mod saved;

use super::ContactPoint;
use super::bundle::{Bundle, KeptPoint};
use super::couple::{Couple, tolerance};
use super::crowd::Crowd;
use super::four::Four;
use super::narrowphase::{Limits, Mover};
use super::sphere_and_mesh::Surroundings;
use super::whereabouts::{Whereabouts, reach};
use crate::constants::{KEPT_MOTION_AT_REST, KEPT_MOTION_OF_ROUND, MAX_MANIFOLD_POINTS};
use crate::math::Vec3;
use crate::world::World;
use nalgebra::Vector3;
use renewal::{Relative, Renewal};
#[cfg(feature = "scene")]
pub(super) use saved::SavedManifold;

/// What is known of a pair of bodies of which one is no sphere and none is unbounded: as much as is
/// looked at in every step.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeptManifold {
    /// Sum of the paths of the bodies, and of what they can go in a step, up to which no point but
    /// those that are kept is nearer than the margin `[m]`.
    complete_until: f64,
    /// Sum of the paths less a bound of the motion since the points were found `[m]`; infinite if
    /// there are none.
    found_at: f64,
    /// First bundle of points.
    first: u32,
    bundles: Bundles,
}

/// Number of a manifold's bundles and, in the highest bit, whether a point is on a round surface, where it goes elsewhere as the body rolls: with both
/// in one word two manifolds and more fill a cache line.
#[derive(Debug, Clone, Copy)]
struct Bundles(u32);

/// What a manifold was found from, for when its paths are used up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Origin {
    /// All points that are not kept were farther apart than this `[m]`.
    reach: f64,
    /// Centre of the smaller body in the axes of the larger one `[m]`.
    position: Vec3,
    /// Axes of the smaller body in those of the larger one.
    rotation: [f32; 9],
    /// Name of the first point.
    feature: u32,
    /// Number of the search for contacts, within the same step, by which points that move are found again.
    stands_until: u64,
    /// Bundles that there is room for.
    capacity: u32,
    /// True if one of the two bodies is a sphere.
    has_sphere: bool,
    /// Place of the triangles around a sphere at a mesh, or [`NO_SURROUNDINGS`].
    surroundings: u32,
    /// A point of each body, relative to its centre of mass, in its axes: the two are not much farther apart than the nearest ones `[m]`.
    near: Option<[Vector3<f32>; 2]>,
}

/// For a pair that remembers no triangles.
const NO_SURROUNDINGS: u32 = u32::MAX;

/// What is kept of some pairs.
#[derive(Debug, Default)]
pub(super) struct Kept {
    manifolds: Vec<KeptManifold>,
    origins: Vec<Origin>,
    bundles: Vec<Bundle>,
    /// Triangles near spheres. What is found with them is what is found without: they are not saved.
    surroundings: Vec<Surroundings>,
    /// Points that are being found.
    points: Vec<KeptPoint>,
    /// Searches along all faces and edges of two solids.
    searches: u64,
}

impl KeptManifold {
    /// A pair of which nothing is known.
    const UNKNOWN: Self = Self {
        complete_until: f64::NEG_INFINITY,
        found_at: f64::NEG_INFINITY,
        first: 0,
        bundles: Bundles::NONE,
    };

    /// Places of its bundles among all.
    #[inline(always)]
    fn range(&self) -> std::ops::Range<usize> {
        let first = self.first as usize;
        first..first + self.bundles.count()
    }

    /// True if nothing that was found can have changed by more than it may.
    #[inline(always)]
    fn holds(&self, a: &Whereabouts, b: &Whereabouts, limits: Limits, time_step: f64) -> bool {
        let path = a.path() + b.path();
        if path + reach(a, b, limits) > self.complete_until {
            return false;
        }
        self.allows(path - self.found_at, a, b, time_step)
    }

    /// True if points are kept over this motion since they were found `[m]`.
    #[inline(always)]
    fn allows(&self, moved: f64, a: &Whereabouts, b: &Whereabouts, time_step: f64) -> bool {
        let (radius_a, radius_b) = (a.bounding_radius(), b.bounding_radius());
        let radius = if radius_a < radius_b {
            radius_a
        } else {
            radius_b
        };
        // At rest the least is allowed.
        if self.bundles.are_round() {
            moved <= KEPT_MOTION_OF_ROUND * radius
        } else {
            moved <= KEPT_MOTION_AT_REST * radius || moved <= tolerance(a, b, time_step)
        }
    }
}

impl Bundles {
    const NONE: Self = Self(0);
    const ROUND: u32 = 1 << 31;

    fn new(count: usize, are_round: bool) -> Self {
        debug_assert!(count < Self::ROUND as usize);
        Self(count as u32 | if are_round { Self::ROUND } else { 0 })
    }

    #[inline(always)]
    fn count(self) -> usize {
        (self.0 & !Self::ROUND) as usize
    }

    #[inline(always)]
    fn are_round(self) -> bool {
        self.0 & Self::ROUND != 0
    }
}

impl Origin {
    const UNKNOWN: Self = Self {
        reach: f64::NEG_INFINITY,
        position: Vec3::new(0.0, 0.0, 0.0),
        rotation: [0.0; 9],
        feature: 0,
        stands_until: 0,
        capacity: 0,
        has_sphere: false,
        surroundings: NO_SURROUNDINGS,
        near: None,
    };
}

impl Kept {
    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.manifolds.clear();
        self.origins.clear();
        self.bundles.clear();
        self.surroundings.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.manifolds.is_empty()
    }

    /// Searches along all faces and edges of two solids since this was asked last.
    pub(super) fn take_searches(&mut self) -> u64 {
        std::mem::take(&mut self.searches)
    }

    /// Counts pairs that are searched without a look at what is kept of them.
    pub(super) fn add_searches(&mut self, places: impl Iterator<Item = u32>) {
        let of_solids = places.filter(|&place| !self.has_sphere(place));
        let count = of_solids.count() as u64;
        self.searches += count;
    }

    /// True if one of the two bodies of a manifold is a sphere.
    pub(super) fn has_sphere(&self, place: u32) -> bool {
        self.origins[place as usize].has_sphere
    }

    /// A place for the manifold of a pair of which nothing is known.
    pub(super) fn add(&mut self, has_sphere: bool) -> u32 {
        self.manifolds.push(KeptManifold::UNKNOWN);
        self.origins.push(Origin {
            has_sphere,
            ..Origin::UNKNOWN
        });
        (self.manifolds.len() - 1) as u32
    }

    /// Leaves the place of a manifold, and that of its points, to another pair.
    pub(super) fn forget(&mut self, place: u32, has_sphere: bool) {
        let (manifold, origin) = (
            &mut self.manifolds[place as usize],
            &mut self.origins[place as usize],
        );
        *manifold = KeptManifold {
            first: manifold.first,
            ..KeptManifold::UNKNOWN
        };
        *origin = Origin {
            capacity: origin.capacity,
            surroundings: origin.surroundings,
            has_sphere,
            ..Origin::UNKNOWN
        };
        if let Some(known) = self.surroundings.get_mut(origin.surroundings as usize) {
            *known = Surroundings::UNKNOWN;
        }
    }

    /// Adds a manifold of another store, and returns its place.
    pub(super) fn carry(&mut self, from: &Self, place: u32) -> Option<u32> {
        let manifold = from.manifolds.get(place as usize)?;
        let origin = from.origins.get(place as usize)?;
        let first = self.bundles.len();
        if manifold.bundles.count() > 0 {
            let range = manifold.first as usize..(manifold.first + origin.capacity) as usize;
            self.bundles.extend_from_slice(&from.bundles[range]);
        }
        self.manifolds.push(KeptManifold {
            first: first as u32,
            ..*manifold
        });
        let known = from.surroundings.get(origin.surroundings as usize);
        self.origins.push(Origin {
            capacity: (self.bundles.len() - first) as u32,
            surroundings: known.map_or(NO_SURROUNDINGS, |_| self.surroundings.len() as u32),
            ..*origin
        });
        self.surroundings.extend(known);
        Some((self.manifolds.len() - 1) as u32)
    }

    /// Makes room for what begins to touch, so that a pile at rest allocates nothing.
    pub(super) fn make_room(&mut self) {
        if !self.manifolds.is_empty() {
            let spare = self.bundles.len() / 4 + 64;
            self.bundles.reserve(spare);
            self.points.reserve(4 * MAX_MANIFOLD_POINTS);
            if !self.surroundings.is_empty() {
                self.surroundings.reserve(self.surroundings.len() / 4 + 16);
            }
        }
    }

    /// Appends the contacts of a pair within `limits`.
    #[inline(always)]
    pub(super) fn find_contacts<F: Four>(
        &mut self,
        place: u32,
        (world, crowd): (&World, &Crowd),
        pair: [u32; 2],
        limits: Limits,
        found: &mut Vec<ContactPoint>,
    ) {
        let mut manifold = self.manifolds[place as usize];
        let bodies = crowd.whereabouts();
        let (a, b) = (&bodies[pair[0] as usize], &bodies[pair[1] as usize]);
        if !manifold.holds(a, b, limits, crowd.time_step()) {
            manifold = self.renew(place, (world, crowd), pair, limits, found);
        }
        for bundle in &self.bundles[manifold.range()] {
            bundle.append_contacts::<F>(crowd, pair, (a, b), limits, found);
        }
    }

    /// Looks closely at a pair whose paths are used up. Returns the manifold as it is then, and appends the
    /// contacts of pairs that keep no points.
    #[inline(never)]
    fn renew(
        &mut self,
        place: u32,
        (world, crowd): (&World, &Crowd),
        pair: [u32; 2],
        limits: Limits,
        found: &mut Vec<ContactPoint>,
    ) -> KeptManifold {
        let [a, b] = [pair[0] as usize, pair[1] as usize];
        let (movers, bodies) = (crowd.movers(), crowd.whereabouts());
        let couple = &Couple {
            world,
            pair,
            movers: [&movers[a], &movers[b]],
            bodies: [&bodies[a], &bodies[b]],
            time_step: crowd.time_step(),
            stretch: crowd.stretch(),
            search: crowd.search(),
        };
        let path = bodies[a].path() + bodies[b].path();
        let needed = limits.margin + limits.time_step * Mover::approach(&movers[a], &movers[b]);
        let mut renewal = Renewal {
            couple,
            path,
            needed,
            closest: f64::INFINITY,
            manifold: &mut self.manifolds[place as usize],
            origin: &mut self.origins[place as usize],
        };
        let may_hold = renewal.origin.reach > needed;
        if renewal.origin.has_sphere {
            if !(may_hold && renewal.is_confirmed(&Relative::new(couple), &mut self.bundles)) {
                renewal.refresh_distance(limits, &mut self.surroundings, found);
            }
        } else {
            let is_known =
                may_hold && renewal.is_confirmed(&Relative::new(couple), &mut self.bundles);
            if !is_known && !renewal.is_out_of_reach(limits, &self.bundles) {
                self.searches += 1;
                renewal.refresh(limits.margin, &mut self.points, &mut self.bundles);
            }
        }
        *renewal.manifold
    }
}
