//! The contacts in lanes from substep to substep: gaps and biases where the bodies are now.
//!
//! Geometry, masses and lanes are those of the start of the step; see
//! [`substeps`](crate::solver::substeps). A point's velocity without the impulses of the substep is
//! `J v_0 + (k / n) J increment + J gained`, its gap `gap_0` plus the same with displacements.

use super::{DomainRanges, LaneGroup, Lanes, Pairs, Points, Velocities};
use crate::parallel::{SharedSlice, Team};
use crate::simd::{Kernel, LANES, Row, Simd, Vector, lanes_of, lanes_of_3, put, vector};
use crate::solver::cpu::contact::between;
use crate::solver::cpu::gap::{Bias, Start, left_of_parting};
use crate::solver::substeps::records::SubstepParams;
use bytemuck::{Pod, Zeroable};

/// What stays the same of a point while a step lasts.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(super) struct Frozen {
    /// `J v_0` `[m/s]`.
    pub(super) start: [Row; 3],
    /// `J increment` `[m/s]`.
    pub(super) increment: [Row; 3],
    /// Gap at the start `[m]`.
    pub(super) gap: Row,
    pub(super) restitution: Row,
    /// See [`Start::response`].
    pub(super) response: Row,
    /// Force that it has carried lately `[N]`.
    pub(super) load: Row,
    /// Root of its size; see [`Problem::sizes`](crate::problem::Problem::sizes).
    pub(super) root_size: Row,
    /// See [`Start::share`].
    pub(super) share: Row,
}

/// Arrays beside the points that only steps in substeps need; all of shape `[points.len()]`.
#[derive(Debug, Clone, Default)]
pub(super) struct Steps {
    pub(super) frozen: Vec<Frozen>,
    /// Impulses over the whole step; whatever they were before the end of the first substep.
    totals: Vec<[Row; 3]>,
    /// True before that.
    fresh: bool,
    /// Impulses of the LCP that is not being solved.
    others: Vec<[Row; 3]>,
}

impl Frozen {
    /// Some lanes of a point.
    #[inline(always)]
    pub(super) fn load<S: Simd>(&self, points: &Points, first: usize) -> Start<S> {
        Start {
            normal: lanes_of_3(&points.normal, first),
            arms: (
                lanes_of_3(&points.arm_a, first),
                lanes_of_3(&points.arm_b, first),
            ),
            response: lanes_of(&self.response, first),
            velocity: lanes_of_3(&self.start, first),
            increment: lanes_of_3(&self.increment, first),
            gap: lanes_of(&self.gap, first),
            restitution: lanes_of(&self.restitution, first),
            load: lanes_of(&self.load, first),
            root_size: lanes_of(&self.root_size, first),
            share: lanes_of(&self.share, first),
        }
    }
}

impl Steps {
    /// Room for a step with so many points, and no impulses yet.
    pub(super) fn begin(&mut self, count: usize) {
        self.frozen.resize(count, Frozen::zeroed());
        self.totals.resize(count, [Row::zeroed(); 3]);
        self.fresh = true;
        self.others.resize(count, [Row::zeroed(); 3]);
    }
}

impl Lanes {
    /// Writes the points' velocities without impulses of the substep, biases included, for its velocity LCP.
    pub(in crate::solver::cpu) fn begin_substep(
        &mut self,
        params: &SubstepParams,
        bounces: bool,
        (gained, moved): (&Velocities, &Velocities),
        team: &Team,
    ) {
        if bounces {
            self.softness.resize(self.points.len(), Row::zeroed());
        }
        let points = SharedSlice::new(&mut self.points);
        let (groups, pairs, frozen) = (&self.groups, &self.pairs, &self.steps.frozen);
        let impulses = SharedSlice::new(&mut self.impulses);
        let softness = SharedSlice::new(&mut self.softness);
        let (width, domains) = (self.width, &self.ranges);
        team.in_domains(domains.len(), |_, domain| {
            let range = domains[domain].groups.clone();
            let kernel = VelocityBiases {
                params,
                softness: bounces.then_some(&softness),
                gained,
                moved,
                groups: &groups[range.clone()],
                pairs: &pairs[range],
                frozen,
                impulses: &impulses,
                points: &points,
            };
            // SAFETY: as above.
            #[allow(unsafe_code, reason = "the team hands out each lane group once")]
            unsafe {
                width.compiled()(kernel);
            }
        });
    }

    /// Writes the points' biases in the position LCP after a substep, and puts its impulses, all zero, in the place of the
    /// velocity LCP's.
    pub(in crate::solver::cpu) fn begin_position(
        &mut self,
        params: &SubstepParams,
        moved: &Velocities,
        team: &Team,
    ) {
        std::mem::swap(&mut self.impulses, &mut self.steps.others);
        self.is_frictionless = true;
        let impulses = SharedSlice::new(&mut self.impulses);
        let points = SharedSlice::new(&mut self.points);
        let (groups, pairs) = (&self.groups, &self.pairs);
        let (frozen, others) = (&self.steps.frozen, &self.steps.others);
        let (domains, width) = (&self.ranges, self.width);
        team.in_domains(domains.len(), |_, domain| {
            let range = domains[domain].groups.clone();
            // SAFETY: points are those of one domain, which one thread has.
            #[allow(unsafe_code, reason = "the team hands out each domain once")]
            unsafe { impulses.range(domains[domain].points.clone()) }.fill([Row::zeroed(); 3]);
            let kernel = PositionBiases {
                params,
                moved,
                groups: &groups[range.clone()],
                pairs: &pairs[range],
                points: &points,
                frozen,
                impulses: others,
            };
            // SAFETY: as above.
            #[allow(unsafe_code, reason = "the team hands out each lane group once")]
            unsafe {
                width.compiled()(kernel);
            }
        });
    }

    /// Puts the velocity LCP's impulses back.
    pub(in crate::solver::cpu) fn end_position(&mut self) {
        std::mem::swap(&mut self.impulses, &mut self.steps.others);
        self.is_frictionless = false;
    }

    /// No impulses to start from.
    pub(in crate::solver::cpu) fn forget_impulses(&mut self) {
        self.impulses.fill([Row::zeroed(); 3]);
    }

    /// Adds the impulses of a substep of length `h_s` `[s]` to those of the step, the velocities that they are to what
    /// bodies have gained, and moves bodies by that. Where contacts [part](crate::constants::PARTING_HARDNESS) the impulse of their load is left.
    pub(in crate::solver::cpu) fn end_substep(
        &mut self,
        h_s: f32,
        velocities: &Velocities,
        (gained, moved): (&mut Velocities, &mut Velocities),
        team: &Team,
    ) {
        let fresh = std::mem::take(&mut self.steps.fresh);
        // As arrays, in which compilers see vectors.
        let velocities: &[[f32; 8]] = bytemuck::cast_slice(velocities.bodies());
        let gained = SharedSlice::new(bytemuck::cast_slice_mut(gained.bodies_mut()));
        let moved = SharedSlice::new(bytemuck::cast_slice_mut(moved.bodies_mut()));
        let totals = SharedSlice::new(&mut self.steps.totals);
        let impulses = SharedSlice::new(&mut self.impulses);
        let (domains, width) = (&self.ranges, self.width);
        let softness = (!self.softness.is_empty()).then_some(&self.softness);
        let frozen = &self.steps.frozen;
        team.in_domains(domains.len(), |_, domain| {
            let DomainRanges { points, bodies, .. } = domains[domain].clone();
            // SAFETY: the team hands every domain, with its bodies and points, to one thread; the kernel asks for
            // nothing.
            #[allow(unsafe_code, reason = "the team hands out each domain once")]
            unsafe {
                width.compiled()(SubstepEnd {
                    fresh,
                    totals: totals.range(points.clone()).as_flattened_mut(),
                    impulses: impulses.range(points.clone()),
                    softness: softness.map_or(&[], |softness| &softness[points.clone()]),
                    frozen: &frozen[points],
                    h_s,
                    velocities: &velocities[bodies.clone()],
                    gained: gained.range(bodies.clone()),
                    moved: moved.range(bodies),
                });
            }
        });
    }

    /// Gives the impulses of the last substep and those of the step to the problem's contacts.
    pub(in crate::solver::cpu) fn store_step(
        &self,
        impulses: &mut [[f32; 3]],
        totals: &mut [[f32; 3]],
        team: &Team,
    ) {
        let from = [self.impulses.as_slice(), self.steps.totals.as_slice()];
        self.store(from, [impulses, totals], team);
    }
}

/// 1 where the numbers of a [`BodyVelocity`](crate::problem::batches::BodyVelocity) are velocities, else 0.
const IS_MOTION: [f32; 8] = [1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0];

/// Impulses that are added to totals, and velocities to what bodies have gained and moved.
struct SubstepEnd<'a> {
    fresh: bool,
    totals: &'a mut [Row],
    impulses: &'a mut [[Row; 3]],
    /// Of the normal rows, or empty where all are as soft.
    softness: &'a [Row],
    frozen: &'a [Frozen],
    h_s: f32,
    velocities: &'a [[f32; 8]],
    gained: &'a mut [[f32; 8]],
    moved: &'a mut [[f32; 8]],
}

#[allow(unsafe_code, reason = "bytes meet SIMD")]
impl Kernel for SubstepEnd<'_> {
    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        let impulses = self.impulses.as_flattened();
        if self.fresh {
            self.totals.copy_from_slice(impulses);
        } else {
            // Compilers do this one number at a time, or gather numbers of several points.
            for (total, impulse) in self.totals.iter_mut().zip(impulses) {
                for first in (0..LANES).step_by(S::LANES) {
                    let sum = lanes_of::<S>(total, first) + lanes_of(impulse, first);
                    put(total, first, sum);
                }
            }
        }
        let zero = S::splat(0.0);
        let each = self.impulses.iter_mut().zip(self.softness);
        for ((impulses, softness), frozen) in each.zip(self.frozen) {
            for first in (0..LANES).step_by(S::LANES) {
                let parts = lanes_of::<S>(softness, first).lt(zero);
                let impulse: Vector<S> = lanes_of_3(impulses, first);
                let load = lanes_of::<S>(&frozen.load, first) * S::splat(self.h_s);
                let kept = left_of_parting(impulse, load);
                for (row, (all, kept)) in impulses.iter_mut().zip(impulse.into_iter().zip(kept)) {
                    put(row, first, S::select(parts, kept, all));
                }
            }
        }
        // The instructions are those of the width.
        let state = self.gained.iter_mut().zip(self.moved);
        for ((gained, moved), velocity) in state.zip(self.velocities) {
            for axis in 0..8 {
                gained[axis] += IS_MOTION[axis] * velocity[axis];
                moved[axis] += IS_MOTION[axis] * (gained[axis] * self.h_s);
            }
        }
    }
}

struct VelocityBiases<'a> {
    params: &'a SubstepParams,
    /// Of the normal rows, if contacts may bounce.
    softness: Option<&'a SharedSlice<'a, Row>>,
    gained: &'a Velocities,
    moved: &'a Velocities,
    groups: &'a [LaneGroup],
    pairs: &'a [Pairs],
    frozen: &'a [Frozen],
    impulses: &'a SharedSlice<'a, [Row; 3]>,
    points: &'a SharedSlice<'a, Points>,
}

#[allow(unsafe_code, reason = "bytes meet SIMD")]
impl Kernel for VelocityBiases<'_> {
    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        let params = self.params;
        let zero = S::splat(0.0);
        let needs_velocity = self.softness.is_some() || params.memory != 0.0;
        for (group, pairs) in self.groups.iter().zip(self.pairs) {
            let range = group.first as usize..group.end as usize;
            for first in (0..LANES).step_by(S::LANES) {
                // SAFETY: places in `pairs` are those of velocities; points and impulses are one group's.
                let ([gained_a, gained_b, moved_a, moved_b], points, impulses) = unsafe {
                    (
                        [
                            self.gained.gather::<S>(&pairs.body_a, first),
                            self.gained.gather::<S>(&pairs.body_b, first),
                            self.moved.gather::<S>(&pairs.body_a, first),
                            self.moved.gather::<S>(&pairs.body_b, first),
                        ],
                        self.points.range(range.clone()),
                        self.impulses.range(range.clone()),
                    )
                };
                let frozen = &self.frozen[range.clone()];
                let each = points.iter_mut().zip(frozen).zip(impulses);
                for (at, ((points, frozen), impulses)) in range.clone().zip(each) {
                    let start = frozen.load::<S>(points, first);
                    let gained = between(start.arms, gained_a, gained_b);
                    let gap = start.gap_after(params, moved_a, moved_b);
                    let velocity = if needs_velocity {
                        let before = vector::add(start.velocity_at(params.past), gained);
                        vector::dot(start.normal, before)
                    } else {
                        zero
                    };
                    let pressing = lanes_of(&impulses[0], first);
                    let bias = if let Some(softness) = self.softness {
                        let Bias {
                            bias,
                            starts_cold,
                            softer,
                        } = start.bias_of_bounce(params, gap, velocity, pressing);
                        // SAFETY: as of points.
                        let softness = unsafe { &mut softness.range(at..at + 1)[0] };
                        put(softness, first, S::splat(params.softness) + softer);
                        let cold = zero.lt(starts_cold);
                        for row in impulses.iter_mut() {
                            let kept = S::select(cold, zero, lanes_of(row, first));
                            put(row, first, kept);
                        }
                        bias
                    } else {
                        start.bias(params, gap, velocity, pressing)
                    };
                    let without = vector::add(start.velocity_at(params.part), gained);
                    let free = vector::add(without, vector::scale(start.normal, bias));
                    for (row, free) in points.free_velocity.iter_mut().zip(free) {
                        put(row, first, free);
                    }
                }
            }
        }
    }
}

struct PositionBiases<'a> {
    params: &'a SubstepParams,
    moved: &'a Velocities,
    groups: &'a [LaneGroup],
    pairs: &'a [Pairs],
    points: &'a SharedSlice<'a, Points>,
    frozen: &'a [Frozen],
    /// Of the velocity LCP.
    impulses: &'a [[Row; 3]],
}

#[allow(unsafe_code, reason = "bytes meet SIMD")]
impl Kernel for PositionBiases<'_> {
    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        for (group, pairs) in self.groups.iter().zip(self.pairs) {
            let range = group.first as usize..group.end as usize;
            for first in (0..LANES).step_by(S::LANES) {
                // SAFETY: places in `pairs` are those of velocities; points are one group's.
                let (moved_a, moved_b, points) = unsafe {
                    (
                        self.moved.gather::<S>(&pairs.body_a, first),
                        self.moved.gather::<S>(&pairs.body_b, first),
                        self.points.range(range.clone()),
                    )
                };
                let given = self.frozen[range.clone()].iter();
                let given = given.zip(&self.impulses[range.clone()]);
                for (points, (frozen, impulses)) in points.iter_mut().zip(given) {
                    let start = frozen.load::<S>(points, first);
                    let gap = start.gap_after(self.params, moved_a, moved_b);
                    let impulse = lanes_of(&impulses[0], first);
                    let bias = start.position_bias(self.params, gap, impulse);
                    let free = vector::scale(start.normal, bias);
                    for (row, free) in points.free_velocity.iter_mut().zip(free) {
                        put(row, first, free);
                    }
                }
            }
        }
    }
}
