//! One lane group after the other, from the contacts and bodies of a problem.
//!
//! A contact's numbers are those of its [`ContactBlock`](crate::problem::batches::ContactBlock), to the
//! same bits.

use super::substep::Frozen;
use super::{LaneGroup, NO_PLACE, Pairs, Points, Turns};
use crate::constants::PLAIN_NORMAL_ERROR;
use crate::parallel::SharedSlice;
use crate::problem::FrictionTable;
use crate::problem::batches::{
    BodyLanes, ContactLanes, SideVelocities, free_velocities, masses_of,
};
use crate::problem::bias::Scale;
use crate::problem::{ProblemRef, Velocity};
use crate::simd::{IndexRow, Kernel, LANES, Row, Simd, Vector, lanes_of, lanes_of_3, put, vector};
use crate::solver::cpu::calm::Reach;
use crate::solver::cpu::contact::{between, cone_step};
use crate::solver::cpu::gap::response;
use std::mem::offset_of;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// Numbers of a velocity.
const VELOCITY: usize = size_of::<Velocity>() / size_of::<f32>();

/// Contents of lanes.
#[derive(Debug, Clone, Copy)]
pub(in crate::solver::cpu) struct Given<'a> {
    pub(in crate::solver::cpu) problem: &'a ProblemRef<'a>,
    /// Start from the contacts' impulses.
    pub(in crate::solver::cpu) warm_start: bool,
    /// Biases follow from gaps, and those of contacts are left out.
    pub(in crate::solver::cpu) in_substeps: bool,
}

/// Lanes that several threads fill.
pub(super) struct Filling<'a> {
    pub(super) given: Given<'a>,
    pub(super) cone: &'a FrictionTable,
    /// The contact of each lane, or [`NO_PLACE`].
    pub(super) sources: &'a [IndexRow],
    /// Place of the velocity that stays zero.
    pub(super) zero: u32,
    pub(super) groups: SharedSlice<'a, LaneGroup>,
    pub(super) pairs: SharedSlice<'a, Pairs>,
    pub(super) points: SharedSlice<'a, Points>,
    /// Where normal rows are visited alone.
    pub(super) turns: Option<SharedSlice<'a, [Turns; 2]>>,
    pub(super) impulses: SharedSlice<'a, [Row; 3]>,
    pub(super) residual_masses: SharedSlice<'a, Row>,
    pub(super) cone_steps: SharedSlice<'a, Row>,
    /// Empty without substeps.
    pub(super) frozen: SharedSlice<'a, Frozen>,
    /// Becomes true once something may be wrong with the numbers of a contact.
    pub(super) is_doubtful: &'a AtomicBool,
}

/// Lane groups to be filled by one thread.
pub(super) struct FillGroups<'a, 'b> {
    pub(super) filling: &'b Filling<'a>,
    pub(super) groups: Range<usize>,
}

#[allow(unsafe_code, reason = "bytes meet SIMD")]
impl Kernel for FillGroups<'_, '_> {
    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        let mut doubts = Doubts::<S>::none();
        for group in self.groups {
            // SAFETY: the caller's promise.
            unsafe { self.filling.fill_group(group, &mut doubts) };
        }
        if !doubts.are_settled() {
            self.filling.is_doubtful.store(true, Ordering::Relaxed);
        }
    }
}

/// What tells, of some contacts, whether something may be wrong with their numbers: looked at while they
/// are at hand, and at all together.
struct Doubts<S> {
    /// Not finite if some number is not, or if the sum of a contact's is too large.
    sums: S,
    /// Largest difference of a normal's squared length from 1.
    lengths: S,
    /// Largest coefficient of friction below zero, without its sign.
    friction: S,
}

impl<S: Simd> Doubts<S> {
    #[inline(always)]
    fn none() -> Self {
        let zero = S::splat(0.0);
        Self {
            sums: zero,
            lengths: zero,
            friction: zero,
        }
    }

    /// Takes some contacts into account.
    #[inline(always)]
    fn see(&mut self, contact: &ContactLanes<S>) {
        let ([ax, ay, az], [bx, by, bz]) = (contact.arm_a, contact.arm_b);
        let ([x, y, z], [n, t1, t2]) = (contact.normal, contact.impulse);
        let (bias, mu) = (contact.bias, contact.friction);
        let sum =
            ((ax + ay) + (az + bx)) + ((by + bz) + (x + y)) + ((z + bias) + (mu + n)) + (t1 + t2);
        self.sums = self.sums + sum * S::splat(0.0);
        let length = vector::dot(contact.normal, contact.normal);
        self.lengths = (length - S::splat(1.0)).abs().max(self.lengths);
        self.friction = (S::splat(0.0) - mu).max(self.friction);
    }

    /// True if surely nothing is wrong with any of the contacts that were seen.
    #[inline(always)]
    fn are_settled(&self) -> bool {
        let mut rows = [Row([0.0; LANES]); 3];
        put(&mut rows[0], 0, self.sums);
        put(&mut rows[1], 0, self.lengths);
        put(&mut rows[2], 0, self.friction);
        let [sums, lengths, friction] = rows;
        sums.0.iter().all(|sum| *sum == 0.0)
            && lengths.0.iter().all(|length| *length <= PLAIN_NORMAL_ERROR)
            && friction.0.iter().all(|mu| *mu <= 0.0)
    }
}

/// Some lanes of a point.
struct Filled<S: Simd> {
    /// The contact of each, or some other contact where there is none.
    index: IndexRow,
    is: S::Mask,
    /// 1 where there is a contact, else 0.
    is_row: Row,
}

/// Bodies of one side, in some lanes.
struct Side<S> {
    bodies: BodyLanes<S>,
    /// What forces add to the velocities in a step in substeps.
    increment: (Vector<S>, Vector<S>),
    velocities: SideVelocities,
}

impl Filling<'_> {
    /// # Safety
    /// Nobody else has this lane group.
    #[inline(always)]
    #[allow(unsafe_code, reason = "the caller's promise")]
    unsafe fn fill_group<S: Simd>(&self, group: usize, doubts: &mut Doubts<S>) {
        // SAFETY: the caller's promise.
        let (group, pairs) = unsafe {
            (
                &mut self.groups.range(group..group + 1)[0],
                &mut self.pairs.range(group..group + 1)[0],
            )
        };
        let mut friction = Row([0.0; LANES]);
        group.mixed = false;
        for first in (0..LANES).step_by(S::LANES) {
            let filled = self.filled::<S>(&self.sources[group.first as usize], first);
            // SAFETY: `filled` holds contacts.
            let [body_a, body_b] = unsafe {
                let index = filled.index.0.as_ptr().add(first);
                ContactLanes::<S>::gather(self.given.problem.contacts, index).bodies
            };
            let mut rows = [Row([0.0; LANES]); 2];
            put(&mut rows[0], first, body_a);
            put(&mut rows[1], first, body_b);
            let bodies: [IndexRow; 2] = bytemuck::cast(rows);
            let (to, inertia) = (&mut pairs.body_a, &mut pairs.inertia_a);
            let a = self.fill_side(&filled, first, &bodies[0], to, inertia);
            let (to, inertia) = (&mut pairs.body_b, &mut pairs.inertia_b);
            let b = self.fill_side(&filled, first, &bodies[1], to, inertia);
            let points = group.first as usize..group.end as usize;
            if self.given.in_substeps {
                // SAFETY: the caller's promise.
                let frozen = unsafe { self.frozen.range(points.clone()) };
                fill_shares(
                    &self.sources[points.clone()],
                    first..first + S::LANES,
                    frozen,
                );
            }
            for point in points.clone() {
                let filled = self.filled::<S>(&self.sources[point], first);
                let sums = (&mut friction, &mut *doubts);
                // SAFETY: the caller's promise; points are those of one group.
                unsafe {
                    group.mixed |= self.fill_point(point, first, &filled, [&a, &b], sums);
                }
            }
            // SAFETY: the caller's promise.
            let points = unsafe { self.points.range(points) };
            fill_reach::<S>(points, first, filled.is, pairs);
        }
        group.friction = friction.0.iter().fold(0, |all, mu| all | magnitude(*mu)) > 0;
    }

    #[inline(always)]
    fn filled<S: Simd>(&self, sources: &IndexRow, first: usize) -> Filled<S> {
        // One loop for each result, in which a compiler sees vectors.
        let index = IndexRow(sources.0.map(|source| match source {
            NO_PLACE => 0,
            source => source,
        }));
        let is_row = Row(sources
            .0
            .map(|source| f32::from(u8::from(source != NO_PLACE))));
        let count = self.given.problem.contacts.len() as u32;
        let beyond = index
            .0
            .iter()
            .fold(0, |some, &source| some | u32::from(source >= count));
        assert!(beyond == 0);
        Filled {
            index,
            is: S::splat(0.0).lt(lanes_of(&is_row, first)),
            is_row,
        }
    }

    /// The bodies of one side; immovable ones, and those of empty lanes, are the velocity that stays
    /// zero.
    #[inline(always)]
    fn fill_side<S: Simd>(
        &self,
        filled: &Filled<S>,
        first: usize,
        bodies: &IndexRow,
        places: &mut IndexRow,
        inertias: &mut [Row; 6],
    ) -> Side<S> {
        let all = &self.given.problem.bodies;
        let largest = bodies.0.iter().fold(0, |most, &body| most.max(body));
        assert!((largest as usize) < all.len());
        // SAFETY: all indices are those of bodies.
        #[allow(unsafe_code, reason = "bytes meet SIMD")]
        let mut some = unsafe { BodyLanes::<S>::gather(all, bodies.0.as_ptr().add(first)) };
        let zero = S::splat(0.0);
        let inverse_mass = S::select(filled.is, some.inverse_mass, zero);
        let movable = zero.lt(inverse_mass);
        some.inverse_mass = inverse_mass;
        for (row, entry) in inertias.iter_mut().zip(&mut some.inertia) {
            *entry = S::select(movable, *entry, zero);
            put(row, first, *entry);
        }
        let mut side = Side {
            bodies: some,
            increment: ([zero; 3], [zero; 3]),
            velocities: SideVelocities::NONE,
        };
        side.velocities.put(first, &some);
        let mut masses = Row([0.0; LANES]);
        put(&mut masses, first, inverse_mass);
        for lane in first..first + S::LANES {
            let moves = magnitude(masses.0[lane]) > 0;
            places.0[lane] = if moves { bodies.0[lane] } else { self.zero };
        }
        if self.given.in_substeps {
            let given = self.given.problem;
            assert!((largest as usize) < given.increments.len());
            // SAFETY: all bodies have increments.
            #[allow(unsafe_code, reason = "bytes meet SIMD")]
            unsafe {
                side.increment = gather_6(given.increments, bodies.0.as_ptr().add(first));
            }
        }
        side
    }

    /// One point of a lane group; true if some contact of it has no friction, or no mass to measure
    /// tangential impulses by, where the law is convex.
    ///
    /// # Safety
    /// Nobody else has this point.
    #[inline(always)]
    #[allow(unsafe_code, reason = "the caller's promise")]
    unsafe fn fill_point<S: Simd>(
        &self,
        point: usize,
        first: usize,
        filled: &Filled<S>,
        [a, b]: [&Side<S>; 2],
        (friction, doubts): (&mut Row, &mut Doubts<S>),
    ) -> bool {
        let one = point..point + 1;
        // SAFETY: `filled` holds contacts; the rest is the caller's promise.
        let (contact, to, impulses, residual_masses) = unsafe {
            let index = filled.index.0.as_ptr().add(first);
            (
                ContactLanes::<S>::gather(self.given.problem.contacts, index),
                &mut self.points.range(one.clone())[0],
                &mut self.impulses.range(one.clone())[0],
                &mut self.residual_masses.range(one.clone())[0],
            )
        };
        doubts.see(&contact);
        let zero = S::splat(0.0);
        let ContactLanes {
            arm_a,
            arm_b,
            normal,
            ..
        } = contact;
        let (at_a, at_b) = (a.bodies.lever(arm_a), b.bodies.lever(arm_b));
        let masses = masses_of(normal, at_a, at_b);
        for axis in 0..3 {
            put_filled(&mut to.normal[axis], first, filled, normal[axis]);
            put_filled(&mut to.arm_a[axis], first, filled, arm_a[axis]);
            put_filled(&mut to.arm_b[axis], first, filled, arm_b[axis]);
        }
        put_filled(&mut to.normal_mass, first, filled, masses.normal);
        put_filled(&mut to.tangent_mass, first, filled, masses.tangent);
        for (row, coupling) in to.coupling.iter_mut().zip(masses.coupling) {
            put_filled(row, first, filled, coupling);
        }
        put_filled(residual_masses, first, filled, masses.residual);
        if let Some(turns) = &self.turns {
            // SAFETY: the caller's promise.
            let turns = unsafe { &mut turns.range(one.clone())[0] };
            for (rows, turn) in turns.iter_mut().zip(masses.turns) {
                for axis in 0..3 {
                    put_filled(&mut rows.arm[axis], first, filled, turn.arm[axis]);
                    put_filled(&mut rows.spin[axis], first, filled, turn.spin[axis]);
                }
            }
        }
        let mu = S::select(filled.is, contact.friction, zero);
        put(&mut to.friction, first, mu);
        put(friction, first, mu.max(lanes_of(friction, first)));
        let impulse = if self.given.warm_start {
            let rough = zero.lt(mu);
            let [normal, t1, t2] = contact.impulse;
            [
                normal,
                S::select(rough, t1, zero),
                S::select(rough, t2, zero),
            ]
        } else {
            [zero; 3]
        };
        for (row, impulse) in impulses.iter_mut().zip(impulse) {
            put_filled(row, first, filled, impulse);
        }

        let arms = [&to.arm_a, &to.arm_b];
        let (lanes, velocities) = (first..first + S::LANES, [&a.velocities, &b.velocities]);
        let free = if self.given.in_substeps {
            // SAFETY: the caller's promise.
            let frozen = unsafe { &mut self.frozen.range(one.clone())[0] };
            fill_frozen(self.given.problem, to, first, filled, [a, b], frozen);
            let start = &mut frozen.start;
            free_velocities(lanes, &to.normal, None, arms, velocities, start);
            start
        } else {
            let mut biases = Row([0.0; LANES]);
            put(&mut biases, first, contact.bias);
            let free = &mut to.free_velocity;
            free_velocities(lanes, &to.normal, Some(&biases), arms, velocities, free);
            free
        };
        for row in free {
            put_filled(row, first, filled, lanes_of(row, first));
        }
        if !self.cone.is_convex() {
            return false;
        }
        // SAFETY: the caller's promise.
        let steps = unsafe { &mut self.cone_steps.range(one)[0] };
        let (normal, tangent) = (masses.normal, masses.tangent);
        let step = cone_step(
            masses.coupling,
            normal,
            tangent,
            S::splat(self.cone.softness),
        );
        put_filled(steps, first, filled, step);
        let mut mixed = false;
        for lane in first..first + S::LANES {
            let is_convex = to.friction.0[lane] > 0.0 && to.tangent_mass.0[lane] > 0.0;
            mixed |= filled.is_row.0[lane] > 0.0 && !is_convex;
        }
        mixed
    }
}

/// What a step in substeps keeps of a point besides its velocity at the start.
#[inline(always)]
fn fill_frozen<S: Simd>(
    given: &ProblemRef<'_>,
    points: &Points,
    first: usize,
    filled: &Filled<S>,
    [a, b]: [&Side<S>; 2],
    frozen: &mut Frozen,
) {
    let arms = (
        lanes_of_3(&points.arm_a, first),
        lanes_of_3(&points.arm_b, first),
    );
    let apart = between(arms, a.increment, b.increment);
    for (row, apart) in frozen.increment.iter_mut().zip(apart) {
        put_filled(row, first, filled, apart);
    }
    let masses = lanes_of::<S>(&points.normal_mass, first);
    put(&mut frozen.response, first, response(masses));
    gather_numbers(given.gaps, first, filled, &mut frozen.gap);
    for (numbers, row) in [
        (&given.restitutions, &mut frozen.restitution),
        (&given.loads, &mut frozen.load),
    ] {
        if numbers.is_empty() {
            put(row, first, S::splat(0.0));
        } else {
            gather_numbers(numbers, first, filled, row);
        }
    }
    if given.sizes.is_empty() {
        put(&mut frozen.root_size, first, S::splat(1.0));
    } else {
        for lane in first..first + S::LANES {
            frozen.root_size.0[lane] = given.root_size(filled.index.0[lane] as usize);
        }
    }
}

/// How far the contacts of pairs reach, `is` being the lanes that have some.
#[inline(always)]
fn fill_reach<S: Simd>(points: &[Points], first: usize, is: S::Mask, pairs: &mut Pairs) {
    let mut reach = Reach::<S>::none();
    for points in points {
        let arms = [
            lanes_of_3(&points.arm_a, first),
            lanes_of_3(&points.arm_b, first),
        ];
        reach = reach.with(arms, lanes_of(&points.friction, first));
    }
    put(&mut pairs.arms[0], first, reach.arms[0]);
    put(&mut pairs.arms[1], first, reach.arms[1]);
    // Lanes without contacts are calm, so that their group can be left.
    let friction = S::select(is, reach.friction, S::splat(1.0));
    put(&mut pairs.friction, first, friction);
}

/// Shares of the contacts of a pair in its stiffness, in some lanes.
#[inline(always)]
fn fill_shares(sources: &[IndexRow], lanes: Range<usize>, frozen: &mut [Frozen]) {
    for lane in lanes {
        let of_lane = sources.iter().map(|row| row.0[lane]);
        let count = of_lane.filter(|&source| source != NO_PLACE).count();
        let share = Scale::share_of(count);
        for frozen in frozen.iter_mut() {
            frozen.share.0[lane] = share;
        }
    }
}

/// A number of each contact; zero where a lane is empty.
#[inline(always)]
fn gather_numbers<S: Simd>(from: &[f32], first: usize, filled: &Filled<S>, to: &mut Row) {
    for lane in first..first + S::LANES {
        let number = from[filled.index.0[lane] as usize];
        let is = filled.is_row.0[lane] > 0.0;
        to.0[lane] = if is { number } else { 0.0 };
    }
}

/// Bits of a number but for its sign: zero where the number is.
#[inline(always)]
fn magnitude(x: f32) -> u32 {
    x.to_bits() << 1
}

/// A velocity of each lane.
///
/// # Safety
/// There are as many indices as lanes, all of them of velocities.
#[inline(always)]
#[allow(unsafe_code, reason = "bytes meet SIMD")]
unsafe fn gather_6<S: Simd>(velocities: &[Velocity], index: *const u32) -> (Vector<S>, Vector<S>) {
    const ANGULAR: usize = offset_of!(Velocity, angular) / size_of::<f32>();
    const LINEAR: usize = offset_of!(Velocity, linear) / size_of::<f32>();
    // SAFETY: a velocity is six numbers, three and three in a row; those of the first four and of the last
    // four lie within.
    unsafe {
        let from = velocities.as_ptr().cast::<f32>();
        let low: [S; 4] = S::gather_4(from, VELOCITY, index);
        let high: [S; 4] = S::gather_4(from.add(VELOCITY - 4), VELOCITY, index);
        let all = [low[0], low[1], low[2], low[3], high[2], high[3]];
        (
            [all[LINEAR], all[LINEAR + 1], all[LINEAR + 2]],
            [all[ANGULAR], all[ANGULAR + 1], all[ANGULAR + 2]],
        )
    }
}

/// Overwrites lanes of a row, with zero where a lane is empty.
#[inline(always)]
fn put_filled<S: Simd>(row: &mut Row, first: usize, filled: &Filled<S>, lanes: S) {
    put(row, first, S::select(filled.is, lanes, S::splat(0.0)));
}
