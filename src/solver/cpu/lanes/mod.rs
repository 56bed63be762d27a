//! The coloured contacts in lanes: sixteen pairs of bodies side by side, one instruction for all.
//!
//! A colour's groups (all contacts of one pair) share no movable body, so their order does not
//! matter. Those of a thread's [`domain`](domains) are sorted by their number of points and laid side by side,
//! [`LANES`] to a lane group, those of one point apart from all others; it has as many points as its longest manifold. A lane without a group, or with
//! fewer points, has zero effective masses there: nothing moves it, and it moves nothing.
//!
//! Arithmetic is that of [`contact`](super::contact) in every [`Width`]: results have the same bits in all.

mod domains;
mod fill;
mod filling;
mod joints;
mod lay_out;
mod momentum;
mod residual;
mod substep;
mod sweep;

pub(super) use filling::Given;
pub(super) use joints::JointLanes;

use super::calm::Reach;
use super::contact::{Bodies, Point};
use crate::constants::PACKED_BODIES_PER_THREAD;
use crate::parallel::{self, SharedSlice};
use crate::problem::batches::{BodyVelocity, Motion, Turn};
use crate::simd::{IndexRow, LANES, Row, Simd, Width, lanes_of, lanes_of_3};
use bytemuck::{Pod, Zeroable};
use domains::Domains;
use std::ops::Range;

/// Place of a lane that holds no contact.
const NO_PLACE: u32 = u32::MAX;

/// The pairs of bodies of a lane group.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
struct Pairs {
    /// Place of body A's velocity in [`Velocities`].
    body_a: IndexRow,
    /// Of body B's.
    body_b: IndexRow,
    /// Inverse inertia of A, `[xx, xy, xz, yy, yz, zz]` `[1/(kg m^2)]`.
    inertia_a: [Row; 6],
    /// Of B.
    inertia_b: [Row; 6],
    /// See [`Reach`].
    arms: [Row; 2],
    /// Likewise.
    friction: Row,
}

impl Pairs {
    /// Of some lanes.
    #[inline(always)]
    fn reach<S: Simd>(&self, first: usize) -> Reach<S> {
        Reach {
            arms: [
                lanes_of(&self.arms[0], first),
                lanes_of(&self.arms[1], first),
            ],
            friction: lanes_of(&self.friction, first),
        }
    }
}

/// Contact points of sixteen lanes in memory.
type Points = Point<Row>;

impl Points {
    /// Some lanes of them.
    #[inline(always)]
    fn load<S: Simd>(&self, first: usize) -> Point<S> {
        Point {
            normal: lanes_of_3(&self.normal, first),
            normal_mass: lanes_of(&self.normal_mass, first),
            arm_a: lanes_of_3(&self.arm_a, first),
            tangent_mass: lanes_of(&self.tangent_mass, first),
            arm_b: lanes_of_3(&self.arm_b, first),
            friction: lanes_of(&self.friction, first),
            free_velocity: lanes_of_3(&self.free_velocity, first),
            coupling: [
                lanes_of(&self.coupling[0], first),
                lanes_of(&self.coupling[1], first),
            ],
        }
    }
}

/// Of a unit of points' normal impulses on one side's bodies.
type Turns = Turn<Row>;

impl Turns {
    /// Some lanes of them.
    #[inline(always)]
    fn load<S: Simd>(&self, first: usize) -> Turn<S> {
        Turn {
            arm: lanes_of_3(&self.arm, first),
            spin: lanes_of_3(&self.spin, first),
        }
    }
}

/// The last two impulses of points, as in [`ContactMemory`](crate::solver::momentum::ContactMemory).
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
struct Memory {
    previous: [Row; 3],
    start: [Row; 3],
}

/// A lane group: its points, and what it can leave out.
#[derive(Debug, Clone, Copy, Default)]
struct LaneGroup {
    /// First of its points.
    first: u32,
    /// One past the last.
    end: u32,
    /// False if no contact of it has friction.
    friction: bool,
    /// True if some contact of it has no friction, or no mass to measure tangential impulses by.
    mixed: bool,
}

/// Lane groups of a domain and colour.
#[derive(Debug, Clone, Copy, Default)]
struct Share {
    /// The first of them, those at the interface first.
    first: u32,
    /// First of the interior.
    interior: u32,
    /// One past the last.
    end: u32,
}

/// What is in a domain.
#[derive(Debug, Clone, Default)]
pub(super) struct DomainRanges {
    /// Its lane groups, of all colours.
    groups: Range<usize>,
    /// Their points.
    pub(super) points: Range<usize>,
    /// Its bodies.
    pub(super) bodies: Range<usize>,
}

/// The coloured contacts of a problem in lanes. The memory is kept from problem to problem.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    width: Width,
    groups: Vec<LaneGroup>,
    /// Shape `[groups.len()]`.
    pairs: Vec<Pairs>,
    points: Vec<Points>,
    /// Shape `[points.len()]`, as all below; filled in where normal rows are visited alone.
    turns: Vec<[Turns; 2]>,
    impulses: Vec<[Row; 3]>,
    memory: Vec<Memory>,
    residual_masses: Vec<Row>,
    /// Steps of the convex law, filled in where that is the law.
    cone_steps: Vec<Row>,
    /// Softness of normal rows where they may be as soft as no other, else empty; see [`Self::has_own_softness`].
    softness: Vec<Row>,
    /// Index of each lane's block, or [`NO_PLACE`].
    places: Vec<IndexRow>,
    /// Index of each lane's contact in the problem, or [`NO_PLACE`].
    sources: Vec<IndexRow>,
    /// Lane groups of each domain, of each colour.
    shares: Vec<Share>,
    /// Number of colours.
    colors: usize,
    domains: Domains,
    /// Where the lane groups of each share begin.
    extents: Vec<lay_out::Extent>,
    ranges: Vec<DomainRanges>,
    /// Number of the order that is laid out, and for how many threads; see
    /// [`Packed::order`](crate::problem::batches::Packed::order).
    laid_out_for: (u64, usize),
    /// True while the position LCP of a substep is solved, which has normal rows only.
    is_frictionless: bool,
    steps: substep::Steps,
}

impl Lanes {
    /// Empty lanes of a width.
    pub(super) fn new(width: Width) -> Self {
        Self {
            width,
            ..Self::default()
        }
    }

    /// True if normal rows have a softness of their own each: never those of a position LCP in a step in substeps.
    fn has_own_softness(&self) -> bool {
        !self.softness.is_empty() && !self.is_frictionless
    }

    /// What is in each domain.
    pub(super) fn domain_ranges(&self) -> &[DomainRanges] {
        &self.ranges
    }

    /// Lane groups of a domain.
    fn domain_groups(&self, domain: usize) -> Range<usize> {
        match &self.shares[domain * self.colors..(domain + 1) * self.colors] {
            [] => 0..0,
            [only] => only.first as usize..only.end as usize,
            [first, .., last] => first.first as usize..last.end as usize,
        }
    }

    /// Points of some lane groups.
    fn points_of(&self, groups: Range<usize>) -> Range<usize> {
        match &self.groups[groups] {
            [] => 0..0,
            [only] => only.first as usize..only.end as usize,
            [first, .., last] => first.first as usize..last.end as usize,
        }
    }
}

/// A body's velocity where one load reads it.
#[repr(C, align(32))]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
struct Aligned(BodyVelocity);

/// What the impulses add to velocities: those of all bodies, then one that stays zero and stands for every
/// immovable body, then a place for each thread where lanes of immovable bodies may write.
#[derive(Debug, Clone, Default)]
pub(super) struct Velocities {
    all: Vec<Aligned>,
    bodies: usize,
}

/// Records between the places of two threads: two cache lines.
const SPARE_STRIDE: usize = 4;

impl Velocities {
    /// Takes the velocities of all bodies, and makes room for threads.
    pub(super) fn copy_from(&mut self, bodies: &[BodyVelocity], threads: usize) {
        self.bodies = bodies.len();
        parallel::fill(
            &mut self.all,
            bodies.len(),
            PACKED_BODIES_PER_THREAD,
            |body| Aligned(bodies[body]),
        );
        let spare = SPARE_STRIDE * (threads + 1);
        self.all.resize(bodies.len() + spare, Aligned::zeroed());
    }

    /// Velocities of nothing but zero, of bodies without mass.
    pub(super) fn clear(&mut self, bodies: usize, threads: usize) {
        self.bodies = bodies;
        let all = bodies + SPARE_STRIDE * (threads + 1);
        parallel::fill(&mut self.all, all, PACKED_BODIES_PER_THREAD, |_| {
            Aligned::zeroed()
        });
    }

    /// Those of the bodies.
    pub(super) fn bodies(&self) -> &[BodyVelocity] {
        bytemuck::cast_slice(&self.all[..self.bodies])
    }

    /// Those of the bodies.
    pub(super) fn bodies_mut(&mut self) -> &mut [BodyVelocity] {
        bytemuck::cast_slice_mut(&mut self.all[..self.bodies])
    }

    /// Leaves the bodies where they are, without velocity.
    pub(super) fn stop(&mut self) {
        for velocity in self.bodies_mut() {
            (velocity.linear, velocity.angular) = ([0.0; 3], [0.0; 3]);
        }
    }

    /// Linear and angular velocities of the bodies of some lanes.
    ///
    /// # Safety
    /// The index row holds places in here.
    #[inline(always)]
    #[allow(unsafe_code, reason = "bytes meet SIMD")]
    unsafe fn gather<S: Simd>(&self, index: &IndexRow, first: usize) -> Motion<S> {
        // SAFETY: the caller's promise.
        unsafe {
            let velocities = self.all.as_ptr().cast::<f32>();
            let index = index.0.as_ptr().add(first);
            let [[x, y, z, _], [wx, wy, wz, _]] = S::gather_8(velocities, index);
            ([x, y, z], [wx, wy, wz])
        }
    }

    /// To be read and written by several threads.
    fn share(&mut self) -> SharedVelocities<'_> {
        SharedVelocities {
            zero: self.bodies as u32,
            all: SharedSlice::new(&mut self.all),
        }
    }
}

/// Velocities that several threads read and write.
struct SharedVelocities<'a> {
    all: SharedSlice<'a, Aligned>,
    /// Place of the one that stays zero; those of the threads follow.
    zero: u32,
}

impl SharedVelocities<'_> {
    /// Where a thread's lanes of immovable bodies write.
    fn spare(&self, thread: usize) -> u32 {
        self.zero + (SPARE_STRIDE * (thread + 1)) as u32
    }

    /// The bodies of some lanes.
    ///
    /// # Safety
    /// The index row holds places in here; nobody writes there.
    #[inline(always)]
    #[allow(unsafe_code, reason = "bytes meet SIMD")]
    unsafe fn gather<S: Simd>(
        &self,
        index: &IndexRow,
        inertia: &[Row; 6],
        first: usize,
    ) -> Bodies<S> {
        // SAFETY: the caller's promise.
        unsafe {
            let velocities = self.all.pointer(0).cast::<f32>();
            let index = index.0.as_ptr().add(first);
            let [[x, y, z, inverse_mass], [wx, wy, wz, _]] = S::gather_8(velocities, index);
            Bodies {
                linear: [x, y, z],
                inverse_mass,
                angular: [wx, wy, wz],
                inertia: [
                    lanes_of(&inertia[0], first),
                    lanes_of(&inertia[1], first),
                    lanes_of(&inertia[2], first),
                    lanes_of(&inertia[3], first),
                    lanes_of(&inertia[4], first),
                    lanes_of(&inertia[5], first),
                ],
            }
        }
    }

    /// Writes the velocities of some lanes, those of immovable bodies to the thread's place.
    ///
    /// # Safety
    /// The index row holds places in here, of movable bodies each but once; nobody else has them.
    #[inline(always)]
    #[allow(unsafe_code, reason = "bytes meet SIMD")]
    unsafe fn scatter<S: Simd>(
        &self,
        index: &IndexRow,
        bodies: &Bodies<S>,
        (first, spare): (usize, u32),
    ) {
        let mut places = IndexRow([0; LANES]);
        let lanes = first..first + S::LANES;
        for (place, &index) in places.0[lanes.clone()].iter_mut().zip(&index.0[lanes]) {
            *place = if index == self.zero { spare } else { index };
        }
        let [x, y, z] = bodies.linear;
        let [wx, wy, wz] = bodies.angular;
        // SAFETY: the caller's promise.
        unsafe {
            S::scatter_8(
                self.all.pointer(0).cast::<f32>(),
                places.0.as_ptr().add(first),
                [x, y, z, bodies.inverse_mass],
                [wx, wy, wz, S::splat(0.0)],
            );
        }
    }
}
