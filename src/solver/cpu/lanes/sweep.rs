//! Gauss–Seidel over the lane groups of a colour.

use super::{LaneGroup, Lanes, Pairs, Points, Share, SharedVelocities, Turns, Velocities};
use crate::parallel::{Region, SharedSlice, Stages, Team};
use crate::problem::FrictionTable;
use crate::simd::{Kernel, LANES, Row, Simd, Vector, lanes_of, lanes_of_3, put, vector};
use crate::solver::cpu::block::{Sweep, Visit, visits};
use crate::solver::cpu::contact::{
    Bodies, Convex, Coulomb, Frictionless, Law, Mixed, Own, Rebuild, Rows, normal_row,
};
use crate::solver::cpu::friction::Disk;
use std::ops::Range;

/// A pass over lanes, as several threads share it.
struct LaneSweep<'a> {
    sweep: Sweep,
    cone: &'a FrictionTable,
    shares: &'a [Share],
    groups: &'a [LaneGroup],
    pairs: &'a [Pairs],
    points: &'a [Points],
    turns: &'a [[Turns; 2]],
    impulses: SharedSlice<'a, [Row; 3]>,
    /// Numbers that only some laws have; shape `[points.len()]` where these apply.
    numbers: &'a [Row],
    /// True while an LCP of normal rows is solved.
    is_frictionless: bool,
    /// Visits of a pair of one contact in a pass, and of one of several.
    visits: [&'static [Visit]; 2],
    bodies: SharedVelocities<'a>,
}

impl Lanes {
    /// Passes over the contacts with a colour after the other.
    pub(in crate::solver::cpu) fn sweep(
        &mut self,
        (sweep, passes): (Sweep, usize),
        cone: &FrictionTable,
        velocities: &mut Velocities,
        team: &Team,
    ) {
        let (width, colors) = (self.width, self.colors);
        let is_own = self.has_own_softness();
        let lanes = LaneSweep {
            sweep,
            cone,
            shares: &self.shares,
            groups: &self.groups,
            pairs: &self.pairs,
            points: &self.points,
            turns: &self.turns,
            impulses: SharedSlice::new(&mut self.impulses),
            numbers: if is_own {
                &self.softness
            } else {
                &self.cone_steps
            },
            is_frictionless: self.is_frictionless,
            visits: [1, 2].map(|contacts| visits(sweep, cone, contacts)),
            bodies: velocities.share(),
        };
        let rows = Rows::of_whole_bodies(cone);
        let stages = Stages {
            count: passes * colors,
            neighbours: &self.domains.neighbours,
        };
        team.pipeline(stages, |thread, stage, domain, region| {
            let share = lanes.shares[domain * colors + stage % colors];
            let mut left = match region {
                Region::Boundary => share.first as usize..share.interior as usize,
                Region::Interior => share.interior as usize..share.end as usize,
            };
            while !left.is_empty() {
                let (rule, groups) = lanes.take_alike(&mut left);
                let part = (groups, thread);
                // SAFETY: the team gives every domain to one thread at a time, whose number is its own, and begins
                // the boundary of a colour when those of all neighbours are done up to the colour before. Groups of a
                // colour have no movable body in common.
                #[allow(
                    unsafe_code,
                    reason = "the team runs domains one stage after the other"
                )]
                unsafe {
                    if is_own {
                        match rule {
                            Rule::Disk => width.compiled()(lanes.part(Coulomb(Disk, Own), part)),
                            Rule::Polygon => width.compiled()(lanes.part(Coulomb(cone, Own), part)),
                            Rule::Frictionless => {
                                width.compiled()(lanes.part(Frictionless(Own), part));
                            }
                            Rule::Convex => width.compiled()(lanes.part(Convex(Own), part)),
                            Rule::Mixed => width.compiled()(lanes.part(Mixed(cone, Own), part)),
                            Rule::Rebuild => width.compiled()(lanes.part(Rebuild, part)),
                        }
                        continue;
                    }
                    match rule {
                        Rule::Disk => width.compiled()(lanes.part(Coulomb(Disk, rows), part)),
                        Rule::Polygon => width.compiled()(lanes.part(Coulomb(cone, rows), part)),
                        Rule::Frictionless => {
                            width.compiled()(lanes.part(Frictionless(rows), part));
                        }
                        Rule::Convex => width.compiled()(lanes.part(Convex(rows), part)),
                        Rule::Mixed => width.compiled()(lanes.part(Mixed(cone, rows), part)),
                        Rule::Rebuild => width.compiled()(lanes.part(Rebuild, part)),
                    }
                }
            }
        });
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
    Frictionless,
    Convex,
    Mixed,
    Rebuild,
}

impl<'a> LaneSweep<'a> {
    /// Takes the first of some lane groups away that are updated by one rule.
    fn take_alike(&self, left: &mut Range<usize>) -> (Rule, Range<usize>) {
        let groups = &self.groups[left.clone()];
        let rule = self.rule(&groups[0]);
        let alike = groups.iter().take_while(|group| self.rule(group) == rule);
        let taken = left.start..left.start + alike.count();
        left.start = taken.end;
        (rule, taken)
    }

    fn rule(&self, group: &LaneGroup) -> Rule {
        if self.sweep == Sweep::Rebuild {
            Rule::Rebuild
        } else if self.is_frictionless || !group.friction {
            Rule::Frictionless
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

    /// Some lane groups, to be swept by a thread.
    fn part<L: Law>(&self, law: L, (groups, thread): (Range<usize>, usize)) -> Part<'a, '_, L> {
        Part {
            pass: self,
            law,
            groups,
            spare: self.bodies.spare(thread),
        }
    }
}

/// Lane groups of a pass that are updated alike, and where the thread's lanes of immovable bodies write.
struct Part<'a, 'b, L> {
    pass: &'b LaneSweep<'a>,
    law: L,
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

/// A point of a strip, and how often it was visited before.
#[derive(Debug, Clone, Copy, Default)]
struct Cursor {
    point: usize,
    visit: usize,
}

impl Strip<'_> {
    fn point_count(&self) -> usize {
        (self.group.end - self.group.first) as usize
    }

    /// The next point of the visit, or the first one of the next visit.
    #[inline(always)]
    fn next(&self, cursor: Cursor) -> Cursor {
        let point = cursor.point + 1;
        if point < self.point_count() {
            Cursor { point, ..cursor }
        } else {
            Cursor {
                point: 0,
                visit: cursor.visit + 1,
            }
        }
    }
}

/// How the impulses of a point have changed.
#[derive(Clone, Copy)]
enum Change<S> {
    /// As a vector.
    All(Vector<S>),
    /// Of the normal one.
    Normal(S),
}

/// # Safety
/// Each thread at work has a number of its own, less than [`Velocities`] has room for, and groups of its own. Nobody else
/// works on groups that have a movable body in common with them meanwhile.
#[allow(unsafe_code, reason = "bytes meet SIMD")]
impl<L: Law> Kernel for Part<'_, '_, L> {
    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        let strips = LANES / S::LANES * self.groups.len();
        let mut next = 0;
        // The points of a strip are a chain of operations that wait for each other, longer than processors look ahead; two chains keep
        // them busy. So two strips, which have no body in common, take turns: a point of one is updated while the last one
        // of the other is still being applied to its bodies.
        while S::TAKES_TURNS && next + 1 < strips {
            let (p, q) = (self.strip::<S>(next), self.strip::<S>(next + 1));
            next += 2;
            let turns = self.turns(&p).min(self.turns(&q));
            // SAFETY: the caller's promise.
            unsafe {
                let mut bodies_p = self.gather::<S>(&p);
                let mut bodies_q = self.gather::<S>(&q);
                if self.is_idle(&p, &bodies_p) && self.is_idle(&q, &bodies_q) {
                    continue;
                }
                let (mut at_p, mut at_q) = (Cursor::default(), Cursor::default());
                let mut change_p = self.update(&p, at_p, &bodies_p);
                for _ in 1..turns {
                    let change_q = self.update(&q, at_q, &bodies_q);
                    self.apply(&p, at_p, change_p, &mut bodies_p);
                    at_p = p.next(at_p);
                    change_p = self.update(&p, at_p, &bodies_p);
                    self.apply(&q, at_q, change_q, &mut bodies_q);
                    at_q = q.next(at_q);
                }
                let change_q = self.update(&q, at_q, &bodies_q);
                self.apply(&p, at_p, change_p, &mut bodies_p);
                self.finish(&p, (turns, p.next(at_p)), &mut bodies_p);
                self.apply(&q, at_q, change_q, &mut bodies_q);
                self.finish(&q, (turns, q.next(at_q)), &mut bodies_q);
            }
        }
        for strip in next..strips {
            let strip = self.strip::<S>(strip);
            // SAFETY: the caller's promise.
            unsafe {
                let mut bodies = self.gather::<S>(&strip);
                if !self.is_idle(&strip, &bodies) {
                    self.finish(&strip, (0, Cursor::default()), &mut bodies);
                }
            }
        }
    }
}

#[allow(unsafe_code, reason = "bytes meet SIMD")]
impl<L: Law> Part<'_, '_, L> {
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

    /// True in a position LCP whose contacts press nowhere in a strip, are asked for nothing, and see no motion: a pass would change
    /// nothing. That is most of a pile, of which a few pairs are deep.
    #[inline(always)]
    unsafe fn is_idle<S: Simd>(&self, strip: &Strip<'_>, [a, b]: &[Bodies<S>; 2]) -> bool {
        if !self.pass.is_frictionless || self.pass.sweep == Sweep::Rebuild {
            return false;
        }
        let (group, first) = (strip.group, strip.first);
        let zero = S::splat(0.0);
        let mut busy = (size(a.linear) + size(a.angular)) + (size(b.linear) + size(b.angular));
        for at in group.first as usize..group.end as usize {
            let points = &self.pass.points[at];
            let (normal, free) = (&points.normal, &points.free_velocity);
            let asked = vector::dot(lanes_of_3(normal, first), lanes_of_3(free, first));
            // SAFETY: impulses are one group's.
            let impulse = unsafe { lanes_of(&self.pass.impulses.range(at..at + 1)[0][0], first) };
            busy = busy + ((zero - asked).max(zero) + impulse);
        }
        let mut row = Row([0.0; LANES]);
        put(&mut row, first, busy);
        row.0.iter().all(|busy| *busy == 0.0)
    }

    /// Updates of a strip in a pass.
    fn turns(&self, strip: &Strip<'_>) -> usize {
        strip.point_count() * self.visits(strip).len()
    }

    /// Visits of a strip in a pass.
    #[inline(always)]
    fn visits(&self, strip: &Strip<'_>) -> &'static [Visit] {
        self.pass.visits[usize::from(strip.point_count() > 1)]
    }

    /// The updates of a strip from a turn and its point on; writes what the bodies have come to.
    #[inline(always)]
    unsafe fn finish<S: Simd>(
        &self,
        strip: &Strip<'_>,
        (turn, mut at): (usize, Cursor),
        bodies: &mut [Bodies<S>; 2],
    ) {
        // SAFETY: the caller's promise.
        unsafe {
            for _ in turn..self.turns(strip) {
                let change = self.update(strip, at, bodies);
                self.apply(strip, at, change, bodies);
                at = strip.next(at);
            }
            self.scatter(strip, bodies);
        }
    }

    /// Updates the impulses of a point; returns their change.
    #[inline(always)]
    unsafe fn update<S: Simd>(
        &self,
        strip: &Strip<'_>,
        cursor: Cursor,
        [a, b]: &[Bodies<S>; 2],
    ) -> Change<S> {
        let at = strip.group.first as usize + cursor.point;
        // SAFETY: the caller's promise.
        unsafe {
            let point = self.pass.points[at].load(strip.first);
            let number = if L::HAS_NUMBER {
                lanes_of(&self.pass.numbers[at], strip.first)
            } else {
                S::splat(0.0)
            };
            if self.visits(strip)[cursor.visit] == Visit::Normals {
                // SAFETY: impulses are one group's.
                let row = &mut self.pass.impulses.range(at..at + 1)[0][0];
                let impulse = lanes_of(row, strip.first);
                let [of_a, of_b] = &self.pass.turns[at];
                let turns = [of_a.load(strip.first), of_b.load(strip.first)];
                let law = (self.law.rows(), number);
                let (a, b) = (a.motion(), b.motion());
                let normal = normal_row(&point, &turns, law, impulse, a, b);
                put(row, strip.first, normal);
                return Change::Normal(normal - impulse);
            }
            let impulse = self.impulse(strip, at);
            let updated = self.law.update(&point, number, impulse, a, b);
            self.set_impulse(strip, at, updated.impulse);
            Change::All(updated.change)
        }
    }

    /// Applies the change of a point's impulses to its bodies.
    #[inline(always)]
    fn apply<S: Simd>(
        &self,
        strip: &Strip<'_>,
        cursor: Cursor,
        change: Change<S>,
        [a, b]: &mut [Bodies<S>; 2],
    ) {
        let (at, first) = (strip.group.first as usize + cursor.point, strip.first);
        let points = &self.pass.points[at];
        match change {
            Change::All(change) => {
                a.add(lanes_of_3(&points.arm_a, first), change);
                b.take(lanes_of_3(&points.arm_b, first), change);
            }
            Change::Normal(change) => {
                let normal = lanes_of_3(&points.normal, first);
                let [of_a, of_b] = &self.pass.turns[at];
                a.add_along(normal, lanes_of_3(&of_a.spin, first), change);
                b.take_along(normal, lanes_of_3(&of_b.spin, first), change);
            }
        }
    }

    #[inline(always)]
    unsafe fn impulse<S: Simd>(&self, strip: &Strip<'_>, at: usize) -> Vector<S> {
        let mut impulse = [S::splat(0.0); 3];
        // SAFETY: impulses are one group's.
        let rows = unsafe { &self.pass.impulses.range(at..at + 1)[0] };
        for (impulse, row) in impulse.iter_mut().zip(rows).take(L::ROWS) {
            *impulse = lanes_of(row, strip.first);
        }
        impulse
    }

    #[inline(always)]
    unsafe fn set_impulse<S: Simd>(&self, strip: &Strip<'_>, at: usize, impulse: Vector<S>) {
        // SAFETY: impulses are one group's.
        let rows = unsafe { &mut self.pass.impulses.range(at..at + 1)[0] };
        for (row, impulse) in rows.iter_mut().zip(impulse).take(L::ROWS) {
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

/// Sum of the magnitudes of a vector's components.
#[inline(always)]
fn size<S: Simd>([x, y, z]: Vector<S>) -> S {
    (x.abs() + y.abs()) + z.abs()
}
