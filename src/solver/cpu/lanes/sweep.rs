//! Gauss–Seidel over the lane groups of a colour.

use super::update::{Convex, Coulomb, Mixed, Position, Rebuild, Smooth, Update};
use super::{LaneGroup, Lanes, Pairs, Points, Share, SharedVelocities, Velocities};
use crate::parallel::Region;
use crate::parallel::SharedSlice;
use crate::problem::FrictionTable;
use crate::simd::{Kernel, LANES, Row, Simd, Vector, Width, lanes_of, lanes_of_3, put};
use crate::solver::cpu::contact::{Bodies, Disk, Rows};
use crate::solver::cpu::sweep::Sweep;
use std::ops::Range;

/// A pass over lanes, as several threads share it.
pub(in crate::solver::cpu) struct LaneSweep<'a> {
    width: Width,
    sweep: Sweep,
    cone: &'a FrictionTable,
    shares: &'a [Share],
    neighbours: &'a [u64],
    colors: usize,
    groups: &'a [LaneGroup],
    pairs: &'a [Pairs],
    points: &'a [Points],
    cone_steps: &'a [Row],
    impulses: SharedSlice<'a, [Row; 3]>,
    /// Of the position LCP of a substep, while that is being solved.
    biases: Option<&'a [Row]>,
    bodies: SharedVelocities<'a>,
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
            shares: &self.shares,
            neighbours: &self.domains.neighbours,
            colors: self.colors,
            groups: &self.groups,
            pairs: &self.pairs,
            points: &self.points,
            cone_steps: &self.cone_steps,
            impulses: SharedSlice::new(&mut self.impulses),
            biases: self.position.then_some(&self.steps.biases),
            bodies: velocities.share(),
        }
    }
}

/// What is done to the points of a lane group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// Coulomb's law.
    Disk,
    /// The same with a polygon for the disk.
    Polygon,
    /// No friction.
    Smooth,
    Convex,
    Mixed,
    Position,
    Rebuild,
}

impl LaneSweep<'_> {
    /// Number of colours.
    pub(in crate::solver::cpu) fn colors(&self) -> usize {
        self.colors
    }

    /// By domain, a bit for each other domain with which it shares a body.
    pub(in crate::solver::cpu) fn neighbours(&self) -> &[u64] {
        self.neighbours
    }

    /// Sweeps the lane groups of a domain and colour, those of one region.
    ///
    /// # Safety
    /// Each thread at work has a number of its own, less than [`Velocities`] has room for, and domains of its
    /// own. Nobody works on another colour of the same domain meanwhile, nor on the boundary of two colours
    /// of neighbours.
    #[allow(unsafe_code, reason = "colouring and domains make groups disjoint")]
    pub(in crate::solver::cpu) unsafe fn run(
        &self,
        color: usize,
        domain: usize,
        region: Region,
        thread: usize,
    ) {
        let share = self.shares[domain * self.colors + color];
        let [first, interior, end] =
            [share.first, share.interior, share.end].map(|group| group as usize);
        let groups = match region {
            Region::Boundary => first..interior,
            Region::Interior => interior..end,
        };
        let spare = self.bodies.spare(thread);
        let rows = Rows::of_whole_bodies(self.cone);
        let Range { mut start, end } = groups;
        while start < end {
            let rule = self.rule(&self.groups[start]);
            let alike = self.groups[start..end]
                .iter()
                .take_while(|group| self.rule(group) == rule)
                .count();
            let part = (start..start + alike, spare);
            start += alike;
            // SAFETY: the caller's promise.
            unsafe {
                match (rule, self.biases) {
                    (Rule::Disk, _) => self.follow(Coulomb(Disk, rows), part),
                    (Rule::Polygon, _) => self.follow(Coulomb(self.cone, rows), part),
                    (Rule::Convex, _) => self.follow(Convex(self.cone_steps, rows), part),
                    (Rule::Mixed, _) => {
                        let (cone, steps) = (self.cone, self.cone_steps);
                        self.follow(Mixed { cone, steps }, part);
                    }
                    (Rule::Position, Some(biases)) => self.follow(Position(biases), part),
                    (Rule::Rebuild, _) => self.follow(Rebuild, part),
                    (Rule::Smooth | Rule::Position, _) => self.follow(Smooth(rows), part),
                }
            }
        }
    }

    fn rule(&self, group: &LaneGroup) -> Rule {
        if self.sweep == Sweep::Rebuild {
            Rule::Rebuild
        } else if self.biases.is_some() {
            Rule::Position
        } else if !group.friction {
            Rule::Smooth
        } else if !self.cone.is_convex() {
            if self.cone.directions == 0 {
                Rule::Disk
            } else {
                Rule::Polygon
            }
        } else if group.mixed {
            Rule::Mixed
        } else {
            Rule::Convex
        }
    }

    /// # Safety
    /// That of [`LaneSweep::run`].
    #[allow(unsafe_code, reason = "the caller's promise")]
    unsafe fn follow(&self, update: impl Update, (groups, spare): (Range<usize>, u32)) {
        // SAFETY: the caller's promise.
        unsafe {
            self.width.run(Part {
                pass: self,
                update,
                groups,
                spare,
            });
        }
    }
}

/// Lane groups of a pass that are updated alike, and where the thread's lanes of immovable bodies write.
struct Part<'a, 'b, U> {
    pass: &'b LaneSweep<'a>,
    update: U,
    groups: Range<usize>,
    spare: u32,
}

/// Some lanes of a group: as many as a vector has, from `first` on.
#[derive(Clone, Copy)]
struct Strip<'a> {
    group: &'a LaneGroup,
    pairs: &'a Pairs,
    first: usize,
}

impl Strip<'_> {
    fn point_count(&self) -> usize {
        (self.group.end - self.group.first) as usize
    }
}

#[allow(unsafe_code, reason = "bytes meet SIMD")]
impl<U: Update> Kernel for Part<'_, '_, U> {
    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        let strips = LANES / S::LANES * self.groups.len();
        let mut next = 0;
        // SAFETY: the caller's promise.
        unsafe {
            while S::TAKES_TURNS && next + 1 < strips {
                self.update_two::<S>([self.strip::<S>(next), self.strip::<S>(next + 1)]);
                next += 2;
            }
            while next < strips {
                self.update_one::<S>(&self.strip::<S>(next));
                next += 1;
            }
        }
    }
}

#[allow(unsafe_code, reason = "bytes meet SIMD")]
impl<U: Update> Part<'_, '_, U> {
    #[inline(always)]
    fn strip<S: Simd>(&self, strip: usize) -> Strip<'_> {
        let in_group = LANES / S::LANES;
        let group = self.groups.start + strip / in_group;
        Strip {
            group: &self.pass.groups[group],
            pairs: &self.pass.pairs[group],
            first: strip % in_group * S::LANES,
        }
    }

    #[inline(always)]
    unsafe fn update_one<S: Simd>(&self, strip: &Strip<'_>) {
        // SAFETY: the caller's promise.
        unsafe {
            let mut bodies = self.gather::<S>(strip);
            self.finish(strip, 0, &mut bodies);
        }
    }

    /// Updates two strips, which have no body in common, in turns: a point of one is updated while the
    /// last one of the other is still being applied to its bodies.
    ///
    /// The points of a strip are a chain of operations that wait for each other, longer than processors
    /// look ahead; two chains keep them busy.
    #[inline(always)]
    unsafe fn update_two<S: Simd>(&self, [p, q]: [Strip<'_>; 2]) {
        let turns = p.point_count().min(q.point_count());
        if turns == 0 {
            return;
        }
        // SAFETY: the caller's promise.
        unsafe {
            let mut bodies_p = self.gather::<S>(&p);
            let mut change_p = self.update(&p, 0, &bodies_p);
            let mut bodies_q = self.gather::<S>(&q);
            for turn in 1..turns {
                let change_q = self.update(&q, turn - 1, &bodies_q);
                self.apply(&p, turn - 1, change_p, &mut bodies_p);
                change_p = self.update(&p, turn, &bodies_p);
                self.apply(&q, turn - 1, change_q, &mut bodies_q);
            }
            let change_q = self.update(&q, turns - 1, &bodies_q);
            self.apply(&p, turns - 1, change_p, &mut bodies_p);
            self.finish(&p, turns, &mut bodies_p);
            self.apply(&q, turns - 1, change_q, &mut bodies_q);
            self.finish(&q, turns, &mut bodies_q);
        }
    }

    /// Updates the points of a strip from `step` on, and writes what its bodies have come to.
    #[inline(always)]
    unsafe fn finish<S: Simd>(&self, strip: &Strip<'_>, step: usize, bodies: &mut [Bodies<S>; 2]) {
        // SAFETY: the caller's promise.
        unsafe {
            for step in step..strip.point_count() {
                let change = self.update(strip, step, bodies);
                self.apply(strip, step, change, bodies);
            }
            self.scatter(strip, bodies);
        }
    }

    /// Updates the impulses of a point; returns their change.
    #[inline(always)]
    unsafe fn update<S: Simd>(
        &self,
        strip: &Strip<'_>,
        step: usize,
        [a, b]: &[Bodies<S>; 2],
    ) -> Vector<S> {
        let at = strip.group.first as usize + step;
        // SAFETY: the caller's promise.
        unsafe {
            let point = self.pass.points[at].load(strip.first);
            let number = self.update.number(at, strip.first);
            let impulse = self.impulse(strip, at);
            let updated = self.update.update(&point, number, impulse, a, b);
            self.set_impulse(strip, at, updated.impulse);
            updated.change
        }
    }

    /// Applies the change of a point's impulses to its bodies.
    #[inline(always)]
    fn apply<S: Simd>(
        &self,
        strip: &Strip<'_>,
        step: usize,
        change: Vector<S>,
        [a, b]: &mut [Bodies<S>; 2],
    ) {
        let points = &self.pass.points[strip.group.first as usize + step];
        a.add(lanes_of_3(&points.arm_a, strip.first), change);
        b.take(lanes_of_3(&points.arm_b, strip.first), change);
    }

    #[inline(always)]
    unsafe fn impulse<S: Simd>(&self, strip: &Strip<'_>, at: usize) -> Vector<S> {
        let mut impulse = [S::splat(0.0); 3];
        // SAFETY: impulses are one group's.
        let rows = unsafe { &self.pass.impulses.range(at..at + 1)[0] };
        for (impulse, row) in impulse.iter_mut().zip(rows).take(U::ROWS) {
            *impulse = lanes_of(row, strip.first);
        }
        impulse
    }

    #[inline(always)]
    unsafe fn set_impulse<S: Simd>(&self, strip: &Strip<'_>, at: usize, impulse: Vector<S>) {
        // SAFETY: impulses are one group's.
        let rows = unsafe { &mut self.pass.impulses.range(at..at + 1)[0] };
        for (row, impulse) in rows.iter_mut().zip(impulse).take(U::ROWS) {
            put(row, strip.first, impulse);
        }
    }

    /// The bodies A and B of a strip.
    #[inline(always)]
    unsafe fn gather<S: Simd>(&self, strip: &Strip<'_>) -> [Bodies<S>; 2] {
        let (pairs, first) = (strip.pairs, strip.first);
        // SAFETY: places are those of bodies, or the one that stays zero.
        unsafe {
            [
                self.pass
                    .bodies
                    .gather(&pairs.body_a, &pairs.inertia_a, first),
                self.pass
                    .bodies
                    .gather(&pairs.body_b, &pairs.inertia_b, first),
            ]
        }
    }

    #[inline(always)]
    unsafe fn scatter<S: Simd>(&self, strip: &Strip<'_>, [a, b]: &[Bodies<S>; 2]) {
        // SAFETY: the caller's promise.
        unsafe {
            self.pass
                .bodies
                .scatter(&strip.pairs.body_a, a, (strip.first, self.spare));
            self.pass
                .bodies
                .scatter(&strip.pairs.body_b, b, (strip.first, self.spare));
        }
    }
}
