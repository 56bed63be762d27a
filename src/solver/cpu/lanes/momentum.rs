//! Momentum of the contacts in lanes; see [`momentum`](crate::solver::momentum).

use super::{Lanes, Memory, NO_PLACE};
use crate::parallel::{SharedSlice, Team};
use crate::simd::{Kernel, LANES, Row, Simd, lanes_of, put};
use crate::solver::momentum::{Progress, progress_of};
use std::ops::Range;

/// Least number of points of sixteen lanes handed to one thread, each some ten nanoseconds.
const GRAIN: usize = 32;

impl Lanes {
    /// No momentum yet: the memory is where the solve starts.
    pub(in crate::solver::cpu) fn begin_momentum(&mut self) {
        self.memory.clear();
        self.memory
            .extend(self.impulses.iter().map(|&impulses| Memory {
                previous: impulses,
                start: impulses,
            }));
    }

    /// `r + b (r - r_previous)` for every contact.
    pub(in crate::solver::cpu) fn extrapolate(&mut self, factor: f32, team: &Team) {
        let width = self.width;
        let count = self.impulses.len();
        let impulses = SharedSlice::new(&mut self.impulses);
        let memory = SharedSlice::new(&mut self.memory);
        team.each(count, GRAIN, |_, points| {
            // SAFETY: the team hands every point to one thread.
            #[allow(unsafe_code, reason = "the team hands out each point once")]
            unsafe {
                width.compiled()(Extrapolation {
                    factor,
                    impulses: impulses.range(points.clone()),
                    memory: memory.range(points),
                });
            }
        });
    }

    /// Writes how the impulse of each contact went on to the place of its block.
    pub(in crate::solver::cpu) fn progress(&self, terms: &mut [Progress], team: &Team) {
        let terms = &SharedSlice::new(terms);
        team.each(self.points.len(), GRAIN, |_, points| {
            let kernel = Terms {
                lanes: self,
                points,
                terms,
            };
            // SAFETY: the team hands every point to one thread, and every block is in one lane.
            #[allow(unsafe_code, reason = "each block is in one lane")]
            unsafe {
                self.width.compiled()(kernel);
            }
        });
    }
}

struct Extrapolation<'a> {
    factor: f32,
    impulses: &'a mut [[Row; 3]],
    memory: &'a mut [Memory],
}

#[allow(unsafe_code, reason = "bytes meet SIMD")]
impl Kernel for Extrapolation<'_> {
    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        let factor = S::splat(self.factor);
        for (impulses, memory) in self.impulses.iter_mut().zip(self.memory) {
            for (axis, impulses) in impulses.iter_mut().enumerate() {
                for first in (0..LANES).step_by(S::LANES) {
                    let now = lanes_of::<S>(impulses, first);
                    let previous = lanes_of::<S>(&memory.previous[axis], first);
                    let start = now + factor * (now - previous);
                    put(impulses, first, start);
                    put(&mut memory.previous[axis], first, now);
                    put(&mut memory.start[axis], first, start);
                }
            }
        }
    }
}

struct Terms<'a> {
    lanes: &'a Lanes,
    points: Range<usize>,
    terms: &'a SharedSlice<'a, Progress>,
}

#[allow(unsafe_code, reason = "bytes meet SIMD")]
impl Kernel for Terms<'_> {
    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        let lanes = self.lanes;
        for index in self.points {
            let points = &lanes.points[index];
            let mut sums = [Row([0.0; LANES]); 3];
            for first in (0..LANES).step_by(S::LANES) {
                let (memory, now) = (&lanes.memory[index], &lanes.impulses[index]);
                let normal = term::<S>(&points.normal_mass, memory, now, 0, first);
                let first_tangent = term::<S>(&points.tangent_mass, memory, now, 1, first);
                let second_tangent = term::<S>(&points.tangent_mass, memory, now, 2, first);
                for (part, row) in sums.iter_mut().enumerate() {
                    let sum = normal[part] + first_tangent[part] + second_tangent[part];
                    put(row, first, sum);
                }
            }
            for (lane, &place) in lanes.places[index].0.iter().enumerate() {
                if place != NO_PLACE {
                    let term = Progress {
                        along: sums[0].0[lane],
                        step: sums[1].0[lane],
                        change: sums[2].0[lane],
                        ..Progress::default()
                    };
                    // SAFETY: the caller's promise.
                    unsafe { self.terms.write(place as usize, term) };
                }
            }
        }
    }
}

/// What one axis of the impulses adds to the sums.
#[inline(always)]
fn term<S: Simd>(mass: &Row, memory: &Memory, now: &[Row; 3], axis: usize, first: usize) -> [S; 3] {
    progress_of(
        lanes_of(mass, first),
        lanes_of(&memory.previous[axis], first),
        lanes_of(&memory.start[axis], first),
        lanes_of(&now[axis], first),
    )
}
