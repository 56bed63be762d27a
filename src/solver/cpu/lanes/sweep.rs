//! Gauss–Seidel over the lane groups of a colour.

use super::point::{self, Bodies, Point, lanes_of, lanes_of_3};
use super::simd::{Kernel, Simd, Width};
use super::{IndexRow, LANES, LaneGroup, Lanes, Pairs, Points, Row, Velocities};
use crate::problem::FrictionTable;
use crate::solver::cpu::shared_slice::SharedSlice;
use crate::solver::cpu::sweep::Sweep;
use std::ops::Range;

/// A pass over lanes, as several threads share it.
pub(in crate::solver::cpu) struct LaneSweep<'a> {
    width: Width,
    sweep: Sweep,
    cone: &'a FrictionTable,
    colors: &'a [Range<u32>],
    groups: &'a [LaneGroup],
    pairs: &'a [Pairs],
    points: &'a [Points],
    cone_steps: &'a [Row],
    impulses: SharedSlice<'a, [Row; 3]>,
    /// Of the position LCP of a substep, while that is being solved.
    biases: Option<&'a [Row]>,
    velocities: SharedSlice<'a, super::Aligned>,
    /// Place of the velocity that stays zero.
    zero: u32,
    /// Where the first thread's lanes of immovable bodies write.
    spare: u32,
}

impl Lanes {
    /// Lends impulses and velocities to a pass.
    pub(in crate::solver::cpu) fn begin_sweep<'a>(
        &'a mut self,
        sweep: Sweep,
        cone: &'a FrictionTable,
        velocities: &'a mut Velocities,
    ) -> LaneSweep<'a> {
        LaneSweep {
            width: self.width,
            sweep,
            cone,
            colors: &self.colors,
            groups: &self.groups,
            pairs: &self.pairs,
            points: &self.points,
            cone_steps: &self.cone_steps,
            impulses: SharedSlice::new(&mut self.impulses),
            biases: self.position.then_some(&self.steps.biases),
            zero: velocities.zero(),
            spare: velocities.spare(0),
            velocities: SharedSlice::new(&mut velocities.all),
        }
    }
}

/// Lane groups of a pass, and where the thread's lanes of immovable bodies write.
struct Part<'a, 'b> {
    pass: &'b LaneSweep<'a>,
    groups: Range<usize>,
    spare: u32,
}

#[allow(unsafe_code, reason = "bytes meet SIMD")]
impl Kernel for Part<'_, '_> {
    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        let Part {
            pass,
            groups,
            spare,
        } = self;
        for (group, pairs) in pass.groups[groups.clone()].iter().zip(&pass.pairs[groups]) {
            for first in (0..LANES).step_by(S::LANES) {
                // SAFETY: the caller's promise.
                unsafe {
                    match (pass.sweep, pass.biases, group.friction) {
                        (Sweep::Rebuild, ..) => pass.rebuild::<S>(group, pairs, first, spare),
                        (_, Some(biases), _) => {
                            pass.update_positions::<S>(biases, group, pairs, first, spare);
                        }
                        (_, None, true) if pass.cone.is_convex() => {
                            if group.mixed {
                                pass.update_convex::<S, true>(group, pairs, first, spare);
                            } else {
                                pass.update_convex::<S, false>(group, pairs, first, spare);
                            }
                        }
                        (_, None, true) => pass.update::<S, true>(group, pairs, first, spare),
                        (_, None, false) => pass.update::<S, false>(group, pairs, first, spare),
                    }
                }
            }
        }
    }
}

impl LaneSweep<'_> {
    /// Sweeps some lane groups of a colour.
    ///
    /// # Safety
    /// Each thread at work on this colour has a number of its own, less than [`Velocities`] has room
    /// for, and lane groups of its own. Nobody works on another colour meanwhile.
    #[allow(unsafe_code, reason = "the colouring makes groups disjoint")]
    pub(in crate::solver::cpu) unsafe fn run(
        &self,
        color: usize,
        groups: Range<usize>,
        thread: usize,
    ) {
        let first = self.colors[color].start as usize;
        let groups = first + groups.start..first + groups.end;
        let spare = self.spare + (super::SPARE_STRIDE * thread) as u32;
        // SAFETY: the caller's promise.
        unsafe {
            self.width.run(Part {
                pass: self,
                groups,
                spare,
            });
        }
    }

    #[inline(always)]
    #[allow(unsafe_code, reason = "bytes meet SIMD")]
    unsafe fn update<S: Simd, const FRICTION: bool>(
        &self,
        group: &LaneGroup,
        pairs: &Pairs,
        first: usize,
        spare: u32,
    ) {
        // SAFETY: the caller's promise.
        unsafe {
            let mut a = self.gather::<S>(&pairs.body_a, &pairs.inertia_a, first);
            let mut b = self.gather::<S>(&pairs.body_b, &pairs.inertia_b, first);
            let (from, to) = (group.first as usize, group.end as usize);
            for step in 0..to - from {
                let index = self.sweep.place(from, to, step);
                let point = Point::<S>::load(&self.points[index], first);
                let impulse = self.impulses.pointer(index).cast::<f32>().add(first);
                let normal = S::load(impulse);
                let normal = point::update_normal(&point, normal, &mut a, &mut b);
                normal.store(impulse);
                if FRICTION {
                    let (first, second) = (impulse.add(LANES), impulse.add(2 * LANES));
                    let tangential = [S::load(first), S::load(second)];
                    let tangential = point::update_tangents(
                        &point, self.cone, normal, tangential, &mut a, &mut b,
                    );
                    tangential[0].store(first);
                    tangential[1].store(second);
                }
            }
            self.scatter(&pairs.body_a, &a, first, spare);
            self.scatter(&pairs.body_b, &b, first, spare);
        }
    }

    #[inline(always)]
    #[allow(unsafe_code, reason = "bytes meet SIMD")]
    unsafe fn update_convex<S: Simd, const MIXED: bool>(
        &self,
        group: &LaneGroup,
        pairs: &Pairs,
        first: usize,
        spare: u32,
    ) {
        // SAFETY: the caller's promise.
        unsafe {
            let mut a = self.gather::<S>(&pairs.body_a, &pairs.inertia_a, first);
            let mut b = self.gather::<S>(&pairs.body_b, &pairs.inertia_b, first);
            let (from, to) = (group.first as usize, group.end as usize);
            for step in 0..to - from {
                let index = self.sweep.place(from, to, step);
                let point = Point::<S>::load(&self.points[index], first);
                let cone_step = lanes_of(&self.cone_steps[index], first);
                let place = self.impulses.pointer(index).cast::<f32>().add(first);
                let places = [place, place.add(LANES), place.add(2 * LANES)];
                let impulse = places.map(|place| S::load(place));
                let impulse = if MIXED {
                    point::update_mixed(&point, self.cone, cone_step, impulse, &mut a, &mut b)
                } else {
                    point::update_convex(&point, cone_step, impulse, &mut a, &mut b)
                };
                for (place, impulse) in places.into_iter().zip(impulse) {
                    impulse.store(place);
                }
            }
            self.scatter(&pairs.body_a, &a, first, spare);
            self.scatter(&pairs.body_b, &b, first, spare);
        }
    }

    #[inline(always)]
    #[allow(unsafe_code, reason = "bytes meet SIMD")]
    unsafe fn update_positions<S: Simd>(
        &self,
        biases: &[Row],
        group: &LaneGroup,
        pairs: &Pairs,
        first: usize,
        spare: u32,
    ) {
        // SAFETY: the caller's promise.
        unsafe {
            let mut a = self.gather::<S>(&pairs.body_a, &pairs.inertia_a, first);
            let mut b = self.gather::<S>(&pairs.body_b, &pairs.inertia_b, first);
            let (from, to) = (group.first as usize, group.end as usize);
            for step in 0..to - from {
                let index = self.sweep.place(from, to, step);
                let point = Point::<S>::load(&self.points[index], first);
                let bias = lanes_of(&biases[index], first);
                let impulse = self.impulses.pointer(index).cast::<f32>().add(first);
                let normal = S::load(impulse);
                let normal = point::update_position(&point, bias, normal, &mut a, &mut b);
                normal.store(impulse);
            }
            self.scatter(&pairs.body_a, &a, first, spare);
            self.scatter(&pairs.body_b, &b, first, spare);
        }
    }

    #[inline(always)]
    #[allow(unsafe_code, reason = "bytes meet SIMD")]
    unsafe fn rebuild<S: Simd>(&self, group: &LaneGroup, pairs: &Pairs, first: usize, spare: u32) {
        // SAFETY: the caller's promise.
        unsafe {
            let mut a = self.gather::<S>(&pairs.body_a, &pairs.inertia_a, first);
            let mut b = self.gather::<S>(&pairs.body_b, &pairs.inertia_b, first);
            for index in group.first as usize..group.end as usize {
                let point = Point::<S>::load(&self.points[index], first);
                let impulse = lanes_of_3(&*self.impulses.pointer(index), first);
                point::rebuild(&point, impulse, &mut a, &mut b);
            }
            self.scatter(&pairs.body_a, &a, first, spare);
            self.scatter(&pairs.body_b, &b, first, spare);
        }
    }

    #[inline(always)]
    #[allow(unsafe_code, reason = "bytes meet SIMD")]
    unsafe fn gather<S: Simd>(
        &self,
        index: &IndexRow,
        inertia: &[Row; 6],
        first: usize,
    ) -> Bodies<S> {
        // SAFETY: places are those of bodies, or the one that stays zero.
        unsafe {
            let velocities = self.velocities.pointer(0).cast::<f32>();
            let index = index.0.as_ptr().add(first);
            let [x, y, z, inverse_mass] = S::gather_4(velocities, 8, index);
            let [wx, wy, wz, _] = S::gather_4(velocities.add(4), 8, index);
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

    #[inline(always)]
    #[allow(unsafe_code, reason = "bytes meet SIMD")]
    unsafe fn scatter<S: Simd>(
        &self,
        index: &IndexRow,
        bodies: &Bodies<S>,
        first: usize,
        spare: u32,
    ) {
        let mut places = IndexRow([0; LANES]);
        for (place, &index) in places.0.iter_mut().zip(&index.0) {
            *place = if index == self.zero { spare } else { index };
        }
        let [x, y, z] = bodies.linear;
        let [wx, wy, wz] = bodies.angular;
        // SAFETY: no other lane and no other thread has one of these bodies; spare places are a
        // thread's own.
        unsafe {
            S::scatter_8(
                self.velocities.pointer(0).cast::<f32>(),
                places.0.as_ptr().add(first),
                [x, y, z, bodies.inverse_mass],
                [wx, wy, wz, S::splat(0.0)],
            );
        }
    }
}
