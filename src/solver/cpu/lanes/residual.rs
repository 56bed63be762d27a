//! Natural-map residual of the contacts in lanes.

use super::{Lanes, NO_PLACE, Velocities};
use crate::constants::MIN_LANE_GROUPS_PER_THREAD;
use crate::parallel::{SharedSlice, Team};
use crate::problem::FrictionTable;
use crate::simd::{Kernel, LANES, Row, Simd, Vector, lanes_of, lanes_of_3, put};
use crate::solver::cpu::contact;
use std::ops::Range;

/// Residuals of some lane groups, written to the places of their blocks.
struct Residuals<'a> {
    lanes: &'a Lanes,
    cone: &'a FrictionTable,
    velocities: &'a Velocities,
    groups: Range<usize>,
    residuals: &'a SharedSlice<'a, f32>,
}

impl Lanes {
    /// Writes the residual of each contact `[m/s]` to the place of its block.
    pub(in crate::solver::cpu) fn residuals(
        &self,
        cone: &FrictionTable,
        velocities: &Velocities,
        residuals: &mut [f32],
        team: &Team,
    ) {
        let residuals = &SharedSlice::new(residuals);
        team.each(
            self.groups.len(),
            MIN_LANE_GROUPS_PER_THREAD,
            |_, groups| {
                let kernel = Residuals {
                    lanes: self,
                    cone,
                    velocities,
                    groups,
                    residuals,
                };
                // SAFETY: the team hands every lane group to one thread, and every block is in one lane.
                #[allow(unsafe_code, reason = "each block is in one lane")]
                unsafe {
                    self.width.compiled()(kernel);
                }
            },
        );
    }
}

#[allow(unsafe_code, reason = "bytes meet SIMD")]
impl Kernel for Residuals<'_> {
    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        let lanes = self.lanes;
        for group in self.groups {
            let (pairs, range) = (&lanes.pairs[group], &lanes.groups[group]);
            for first in (0..LANES).step_by(S::LANES) {
                // SAFETY: places in `pairs` are those of velocities; the rest is the caller's promise.
                unsafe {
                    let a = self.velocities.gather::<S>(&pairs.body_a, first);
                    let b = self.velocities.gather::<S>(&pairs.body_b, first);
                    for index in range.first as usize..range.end as usize {
                        let mut point = lanes.points[index].load::<S>(first);
                        if lanes.is_frictionless {
                            point.friction = S::splat(0.0);
                        }
                        let impulse: Vector<S> = lanes_of_3(&lanes.impulses[index], first);
                        let mass = lanes_of(&lanes.residual_masses[index], first);
                        let zero = S::splat(0.0);
                        let softness = if lanes.has_own_softness() {
                            lanes_of::<S>(&lanes.softness[index], first).max(zero)
                        } else {
                            S::splat(self.cone.softness)
                        };
                        let give = softness * impulse[0].over(point.normal_mass);
                        let give = S::select(zero.lt(point.normal_mass), give, zero);
                        let off = contact::residual(&point, self.cone, impulse, give, mass, a, b);
                        let mut row = Row([0.0; LANES]);
                        put(&mut row, first, off);
                        let places = &lanes.places[index].0[first..first + S::LANES];
                        for (&place, &off) in places.iter().zip(&row.0[first..]) {
                            if place != NO_PLACE {
                                self.residuals.write(place as usize, off);
                            }
                        }
                    }
                }
            }
        }
    }
}
