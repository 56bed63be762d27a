//! The contacts in lanes from substep to substep: gaps and biases where the bodies are now.
//!
//! Geometry, masses and lanes are those of the start of the step; see
//! [`substeps`](crate::solver::substeps). A point's velocity without the impulses of the substep is
//! `J v_0 + (k / n) J increment + J gained`, its gap `gap_0` plus the same with displacements.

use super::{DomainRanges, LaneGroup, Lanes, Pairs, Points, Velocities};
use crate::parallel::{SharedSlice, Team};
use crate::simd::{Kernel, LANES, Row, Simd, Vector, Width, lanes_of, lanes_of_3, put, vector};
use crate::solver::cpu::contact::{Motion, between};
use crate::solver::substeps::{PositionPlan, SubstepPlan};
use bytemuck::{Pod, Zeroable};
use std::ops::Range;

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
    /// Force that it has carried lately `[N]`.
    pub(super) load: Row,
}

/// Arrays beside the points that only steps in substeps need; all of shape `[points.len()]`.
#[derive(Debug, Clone, Default)]
pub(super) struct Steps {
    pub(super) frozen: Vec<Frozen>,
    /// Bias of each point in the position LCP `[m]`.
    pub(super) biases: Vec<Row>,
    /// Impulses over the whole step; whatever they were before the end of the first substep.
    totals: Vec<[Row; 3]>,
    /// True before that.
    fresh: bool,
    /// Impulses of the LCP that is not being solved.
    others: Vec<[Row; 3]>,
}

/// Impulses of a substep, and those of the step that they are added to.
pub(in crate::solver::cpu) struct Totals<'a> {
    width: Width,
    fresh: bool,
    impulses: &'a [[Row; 3]],
    totals: SharedSlice<'a, [Row; 3]>,
}

/// Numbers of a plan at one moment, as lanes use them.
#[derive(Debug, Clone, Copy)]
struct Moment {
    /// By what velocities and increments are multiplied to give displacements `[s]`.
    displacement: [f32; 2],
    /// Part of the step that is past.
    past: f32,
    /// Part of it when the substep is over.
    part: f32,
    /// One over the number of substeps.
    share: f32,
    per_substep: f32,
    substep: f32,
    rate: f32,
    memory: f32,
    max_push: f32,
    softness: f32,
    held: f32,
    held_load: f32,
    slop: f32,
    /// Penetration that is not pushed apart, the slop included `[m]`.
    unpushed: f32,
    threshold: f32,
}

impl Moment {
    /// Before the substep counted from 1.
    fn before(plan: &SubstepPlan, substep: u32) -> Self {
        let h_s = plan.substep_length();
        Self {
            displacement: plan.free_displacement(substep - 1).map(|x| x as f32),
            past: plan.part(substep - 1) as f32,
            part: plan.part(substep) as f32,
            share: 1.0 / plan.substeps as f32,
            per_substep: (1.0 / h_s) as f32,
            substep: h_s as f32,
            rate: plan.gap_law.rate,
            memory: plan.gap_law.memory,
            max_push: plan.gap_law.max_push,
            softness: plan.gap_law.softness,
            held: plan.gap_law.held,
            held_load: plan.gap_law.held_load,
            slop: plan.gap_law.slop,
            unpushed: plan.gap_law.slop + plan.gap_law.spared,
            threshold: plan.restitution_threshold,
        }
    }
}

impl Steps {
    /// Room for a step with so many points, and no impulses yet.
    pub(super) fn begin(&mut self, count: usize) {
        self.frozen.resize(count, Frozen::zeroed());
        self.biases.resize(count, Row::zeroed());
        self.totals.resize(count, [Row::zeroed(); 3]);
        self.fresh = true;
        self.others.resize(count, [Row::zeroed(); 3]);
    }
}

impl Lanes {
    /// Writes the points' velocities without impulses of the substep, biases included, for the velocity
    /// LCP of a substep counted from 1.
    pub(in crate::solver::cpu) fn begin_substep(
        &mut self,
        plan: &SubstepPlan,
        substep: u32,
        bounces: bool,
        (gained, moved): (&Velocities, &Velocities),
        team: &Team,
    ) {
        let moment = Moment::before(plan, substep);
        let points = SharedSlice::new(&mut self.points);
        let (groups, pairs, frozen) = (&self.groups, &self.pairs, &self.steps.frozen);
        let impulses = SharedSlice::new(&mut self.impulses);
        let (width, domains) = (self.width, &self.ranges);
        team.in_domains(domains.len(), |_, domain| {
            let range = domains[domain].groups.clone();
            let kernel = VelocityBiases {
                moment,
                bounces,
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
                width.run(kernel);
            }
        });
    }

    /// Writes the biases of the position LCP after a substep counted from 1, and puts its impulses, all
    /// zero, in the place of the velocity LCP's.
    pub(in crate::solver::cpu) fn begin_position(
        &mut self,
        plan: &SubstepPlan,
        position: &PositionPlan,
        substep: u32,
        moved: &Velocities,
        team: &Team,
    ) {
        std::mem::swap(&mut self.impulses, &mut self.steps.others);
        self.position = true;
        let impulses = SharedSlice::new(&mut self.impulses);
        let displacement = plan.free_displacement(substep).map(|x| x as f32);
        let biases = SharedSlice::new(&mut self.steps.biases);
        let (groups, pairs, points) = (&self.groups, &self.pairs, &self.points);
        let (frozen, width) = (&self.steps.frozen, self.width);
        let domains = &self.ranges;
        team.in_domains(domains.len(), |_, domain| {
            let range = domains[domain].groups.clone();
            // SAFETY: points are those of one domain, which one thread has.
            #[allow(unsafe_code, reason = "the team hands out each domain once")]
            unsafe { impulses.range(domains[domain].points.clone()) }.fill([Row::zeroed(); 3]);
            let kernel = PositionBiases {
                displacement,
                slop: plan.gap_law.slop,
                max_correction: position.max_correction,
                moved,
                groups: &groups[range.clone()],
                pairs: &pairs[range],
                points,
                frozen,
                biases: &biases,
            };
            // SAFETY: as above.
            #[allow(unsafe_code, reason = "the team hands out each lane group once")]
            unsafe {
                width.run(kernel);
            }
        });
    }

    /// Puts the velocity LCP's impulses back.
    pub(in crate::solver::cpu) fn end_position(&mut self) {
        std::mem::swap(&mut self.impulses, &mut self.steps.others);
        self.position = false;
    }

    /// No impulses to start from.
    pub(in crate::solver::cpu) fn forget_impulses(&mut self) {
        self.impulses.fill([Row::zeroed(); 3]);
    }

    /// Lends impulses, to be added to those of the step, and says what is in each domain.
    pub(in crate::solver::cpu) fn begin_totals(&mut self) -> (Totals<'_>, &[DomainRanges]) {
        let totals = Totals {
            width: self.width,
            fresh: std::mem::take(&mut self.steps.fresh),
            impulses: &self.impulses,
            totals: SharedSlice::new(&mut self.steps.totals),
        };
        (totals, &self.ranges)
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

impl Totals<'_> {
    /// Adds the impulses of some points in a substep to those of the step.
    ///
    /// # Safety
    /// Nobody else has these points.
    #[allow(unsafe_code, reason = "the caller's promise")]
    pub(in crate::solver::cpu) unsafe fn add(&self, points: Range<usize>) {
        // SAFETY: the caller's promise.
        let totals = unsafe { self.totals.range(points.clone()) };
        let impulses = &self.impulses[points];
        if self.fresh {
            totals.copy_from_slice(impulses);
            return;
        }
        // SAFETY: the sum asks for nothing.
        unsafe {
            self.width.run(Sum {
                totals: totals.as_flattened_mut(),
                impulses: impulses.as_flattened(),
            });
        }
    }
}

/// Impulses that are added to totals.
struct Sum<'a> {
    totals: &'a mut [Row],
    impulses: &'a [Row],
}

#[allow(unsafe_code, reason = "bytes meet SIMD")]
impl Kernel for Sum<'_> {
    // Compilers do this one number at a time, or gather numbers of several points.
    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        for (total, impulse) in self.totals.iter_mut().zip(self.impulses) {
            for first in (0..LANES).step_by(S::LANES) {
                let sum = lanes_of::<S>(total, first) + lanes_of(impulse, first);
                put(total, first, sum);
            }
        }
    }
}

/// Motion of A's points relative to B's.
#[inline(always)]
fn apart<S: Simd>(points: &Points, first: usize, a: Motion<S>, b: Motion<S>) -> Vector<S> {
    let arms = (
        lanes_of_3(&points.arm_a, first),
        lanes_of_3(&points.arm_b, first),
    );
    between(arms, a, b)
}

/// The smaller of two numbers.
#[inline(always)]
fn least<S: Simd>(a: S, b: S) -> S {
    S::select(a.lt(b), a, b)
}

struct VelocityBiases<'a> {
    moment: Moment,
    bounces: bool,
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
        let moment = &self.moment;
        let zero = S::splat(0.0);
        let start_time = S::splat(moment.displacement[0]);
        let increment_time = S::splat(moment.displacement[1]);
        let (past, part) = (S::splat(moment.past), S::splat(moment.part));
        for (group, pairs) in self.groups.iter().zip(self.pairs) {
            for first in (0..LANES).step_by(S::LANES) {
                // SAFETY: places in `pairs` are those of velocities; points are one group's.
                let ([gained_a, gained_b, moved_a, moved_b], all) = unsafe {
                    (
                        [
                            self.gained.gather::<S>(&pairs.body_a, first),
                            self.gained.gather::<S>(&pairs.body_b, first),
                            self.moved.gather::<S>(&pairs.body_a, first),
                            self.moved.gather::<S>(&pairs.body_b, first),
                        ],
                        self.points.range(group.first as usize..group.end as usize),
                    )
                };
                let frozen = &self.frozen[group.first as usize..group.end as usize];
                // SAFETY: impulses are one group's, as its points are.
                let impulses = unsafe {
                    self.impulses
                        .range(group.first as usize..group.end as usize)
                };
                for ((points, frozen), impulses) in all.iter_mut().zip(frozen).zip(impulses) {
                    let normal = lanes_of_3(&points.normal, first);
                    let start = lanes_of_3(&frozen.start, first);
                    let increment = lanes_of_3(&frozen.increment, first);
                    let gained = apart(points, first, gained_a, gained_b);
                    let moved = apart(points, first, moved_a, moved_b);
                    let start_n = vector::dot(normal, start);
                    let increment_n = vector::dot(normal, increment);
                    let gap = lanes_of::<S>(&frozen.gap, first)
                        + (start_time * start_n
                            + increment_time * increment_n
                            + vector::dot(normal, moved));
                    let velocity = start_n + past * increment_n + vector::dot(normal, gained);
                    let beyond_slop = gap - S::splat(moment.slop);
                    let open = S::splat(moment.per_substep) * beyond_slop;
                    let pushed = gap + S::splat(moment.unpushed);
                    let pushed = S::select(pushed.lt(zero), pushed, zero);
                    let mass = lanes_of::<S>(&points.normal_mass, first);
                    let softness = S::splat(moment.softness).over(mass);
                    let softness = S::select(zero.lt(mass), softness, zero);
                    let load = lanes_of::<S>(&frozen.load, first) * S::splat(moment.substep);
                    let load = least(softness * load, S::splat(moment.held_load));
                    let given_way = softness * lanes_of::<S>(&impulses[0], first);
                    let held = least(given_way, load.max(S::splat(moment.held)));
                    let most = S::splat(moment.max_push) + held;
                    let push = (S::splat(moment.rate) * pushed).max(zero - most);
                    let shut = push + S::splat(moment.memory) * velocity;
                    let is_open = zero.lt(beyond_slop);
                    let mut bias = S::select(is_open, open, shut);
                    if self.bounces {
                        let gain = S::splat(moment.share) * increment_n;
                        let restitution = lanes_of::<S>(&frozen.restitution, first);
                        let half = S::splat(0.5) * gain;
                        let speed = half + velocity;
                        let fall = S::splat(-2.0 * moment.per_substep) * (gain * beyond_slop);
                        let squared = restitution * restitution * (speed * speed + fall) - fall;
                        let parting = squared.max(zero).sqrt() + half;
                        let given_way = S::splat(moment.softness) * (parting - velocity - gain);
                        let bounce = zero - parting - given_way;
                        let wanted =
                            S::select(is_open, bounce, S::select(bounce.lt(bias), bounce, bias));
                        let meets = (beyond_slop + S::splat(moment.substep) * velocity).le(zero);
                        let fast = velocity.lt(S::splat(-moment.threshold));
                        let applies = S::select(meets, restitution, zero);
                        let applies = zero.lt(S::select(fast, applies, zero));
                        bias = S::select(applies, wanted, bias);
                        let moves = S::splat(moment.threshold).lt(velocity.abs());
                        let cold = zero.lt(S::select(moves, restitution, zero));
                        for row in impulses.iter_mut() {
                            let kept = S::select(cold, zero, lanes_of(row, first));
                            put(row, first, kept);
                        }
                    }
                    for axis in 0..3 {
                        let free = start[axis]
                            + part * increment[axis]
                            + gained[axis]
                            + normal[axis] * bias;
                        put(&mut points.free_velocity[axis], first, free);
                    }
                }
            }
        }
    }
}

struct PositionBiases<'a> {
    displacement: [f32; 2],
    slop: f32,
    max_correction: f32,
    moved: &'a Velocities,
    groups: &'a [LaneGroup],
    pairs: &'a [Pairs],
    points: &'a [Points],
    frozen: &'a [Frozen],
    biases: &'a SharedSlice<'a, Row>,
}

#[allow(unsafe_code, reason = "bytes meet SIMD")]
impl Kernel for PositionBiases<'_> {
    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        let start_time = S::splat(self.displacement[0]);
        let increment_time = S::splat(self.displacement[1]);
        let least = S::splat(-self.max_correction);
        let slop = S::splat(self.slop);
        for (group, pairs) in self.groups.iter().zip(self.pairs) {
            let range = group.first as usize..group.end as usize;
            for first in (0..LANES).step_by(S::LANES) {
                // SAFETY: places in `pairs` are those of velocities; biases are one group's.
                let (moved_a, moved_b, biases) = unsafe {
                    (
                        self.moved.gather::<S>(&pairs.body_a, first),
                        self.moved.gather::<S>(&pairs.body_b, first),
                        self.biases.range(range.clone()),
                    )
                };
                let frozen = self.frozen[range.clone()].iter();
                let points = self.points[range.clone()].iter();
                for ((bias, points), frozen) in biases.iter_mut().zip(points).zip(frozen) {
                    let normal = lanes_of_3(&points.normal, first);
                    let moved = apart(points, first, moved_a, moved_b);
                    let start_n = vector::dot(normal, lanes_of_3(&frozen.start, first));
                    let increment_n = vector::dot(normal, lanes_of_3(&frozen.increment, first));
                    let gap = lanes_of::<S>(&frozen.gap, first)
                        + (start_time * start_n
                            + increment_time * increment_n
                            + vector::dot(normal, moved));
                    put(bias, first, (gap + slop).max(least));
                }
            }
        }
    }
}
