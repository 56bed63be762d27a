//! Gauss–Seidel over the lane groups of a colour.

use super::{LaneGroup, Lanes, Pairs, Points, Share, SharedVelocities, Turns, Velocities};
use crate::constants::FIRST_VISITS;
use crate::parallel::{Region, SharedSlice, Stages, Team};
use crate::problem::FrictionTable;
use crate::problem::batches::Motion;
use crate::simd::{Kernel, LANES, Row, Simd, Vector, lanes_of, lanes_of_3, put, vector};
use crate::solver::cpu::block::{Sweep, Visit, visits};
use crate::solver::cpu::contact::{
    Beside, Bodies, Convex, Coulomb, Frictionless, Law, Mixed, Own, Rebuild, Rows, normal_row,
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

impl Strip<'_> {
    fn points(&self) -> Range<usize> {
        self.group.first as usize..self.group.end as usize
    }
}

/// A strip on its way through a pass.
struct Visited<'a, S: Simd> {
    strip: Strip<'a>,
    /// The bodies A and B.
    bodies: [Bodies<S>; 2],
    /// Their velocities before.
    before: [Motion<S>; 2],
    /// The next point.
    point: usize,
    /// How often it was visited before.
    visit: usize,
    /// See [`Beside`].
    undone: S,
}

impl<S: Simd> Visited<'_, S> {
    /// Goes on to the next point of the visit, or to the first one of the next visit.
    #[inline(always)]
    fn advance(&mut self) {
        let points = self.strip.points();
        self.point += 1;
        if self.point == points.end {
            self.point = points.start;
            self.visit += 1;
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
        // SAFETY: the caller's promise.
        unsafe {
            // The points of a strip are a chain of operations that wait for each other, longer than processors look ahead; two chains keep
            // them busy. So two strips, which have no body in common, take turns: a point of one is updated while the last one
            // of the other is still being applied to its bodies.
            while S::TAKES_TURNS && next + 1 < strips {
                let (mut p, mut q) = (self.begin::<S>(next), self.begin::<S>(next + 1));
                next += 2;
                if self.is_idle(&p) && self.is_idle(&q) {
                    continue;
                }
                let ([mut turns_p, mut last_p], [mut turns_q, mut last_q]) =
                    (self.turns(&p), self.turns(&q));
                while turns_p + turns_q > 0 {
                    let turns = turns_p.min(turns_q);
                    if turns > 0 {
                        let mut change_p = self.update(&p);
                        for _ in 1..turns {
                            let change_q = self.update(&q);
                            self.apply(&mut p, change_p);
                            change_p = self.update(&p);
                            self.apply(&mut q, change_q);
                        }
                        let change_q = self.update(&q);
                        self.apply(&mut p, change_p);
                        self.apply(&mut q, change_q);
                    }
                    self.go_on(&mut p, turns_p - turns);
                    self.go_on(&mut q, turns_q - turns);
                    turns_p = self.turns_left(&mut p, std::mem::take(&mut last_p));
                    turns_q = self.turns_left(&mut q, std::mem::take(&mut last_q));
                }
                self.scatter(&p);
                self.scatter(&q);
            }
            for strip in next..strips {
                let mut strip = self.begin::<S>(strip);
                if self.is_idle(&strip) {
                    continue;
                }
                let [mut turns, mut last] = self.turns(&strip);
                while turns > 0 {
                    self.go_on(&mut strip, turns);
                    turns = self.turns_left(&mut strip, std::mem::take(&mut last));
                }
                self.scatter(&strip);
            }
        }
    }
}

#[allow(unsafe_code, reason = "bytes meet SIMD")]
impl<'a, L: Law> Part<'a, '_, L> {
    /// A strip with its bodies, before its first visit.
    #[inline(always)]
    unsafe fn begin<S: Simd>(&self, strip: usize) -> Visited<'a, S> {
        let in_group = LANES / S::LANES;
        let group = self.groups.start + strip / in_group;
        let strip = Strip {
            group: &self.pass.groups[group],
            pairs: &self.pass.pairs[group],
            first: strip % in_group * S::LANES,
        };
        let Pairs {
            body_a,
            body_b,
            inertia_a,
            inertia_b,
            ..
        } = strip.pairs;
        let all = &self.pass.bodies;
        // SAFETY: places are those of bodies, or the one that stays zero.
        let (a, b): (Bodies<S>, Bodies<S>) = unsafe {
            (
                all.gather(body_a, inertia_a, strip.first),
                all.gather(body_b, inertia_b, strip.first),
            )
        };
        Visited {
            strip,
            bodies: [a, b],
            before: [a.motion(), b.motion()],
            point: strip.points().start,
            visit: 0,
            undone: S::splat(0.0),
        }
    }

    /// True in a position LCP whose contacts press nowhere in a strip, are asked for nothing, and see no motion: a pass would change
    /// nothing. That is most of a pile, of which a few pairs are deep.
    #[inline(always)]
    unsafe fn is_idle<S: Simd>(&self, visited: &Visited<'_, S>) -> bool {
        if !self.pass.is_frictionless || self.pass.sweep == Sweep::Rebuild {
            return false;
        }
        let (first, [a, b]) = (visited.strip.first, &visited.bodies);
        let zero = S::splat(0.0);
        let mut busy = (vector::size(a.linear) + vector::size(a.angular))
            + (vector::size(b.linear) + vector::size(b.angular));
        for at in visited.strip.points() {
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

    /// Updates of a strip in its first visits, and in those after them.
    fn turns<S: Simd>(&self, visited: &Visited<'_, S>) -> [usize; 2] {
        let (points, visits) = (
            visited.strip.points().len(),
            self.visits(&visited.strip).len(),
        );
        let first = visits.min(FIRST_VISITS as usize);
        [points * first, points * (visits - first)]
    }

    /// Leaves pairs whose first visits have hardly changed them: so many updates are still to be made, or none where all are left.
    #[inline(always)]
    fn turns_left<S: Simd>(&self, visited: &mut Visited<'_, S>, turns: usize) -> usize {
        let calm = self.pass.cone.calm_change;
        if turns == 0 || calm <= 0.0 || self.pass.is_frictionless {
            return turns;
        }
        let reach = visited.strip.pairs.reach(visited.strip.first);
        let [a, b] = &visited.bodies;
        let now = [a.motion(), b.motion()];
        let is_calm = reach.is_calm(calm, visited.before, now);
        visited.undone = S::select(is_calm, S::splat(f32::MAX), visited.undone);
        if S::all(is_calm) { 0 } else { turns }
    }

    /// Visits of a strip in a pass.
    #[inline(always)]
    fn visits(&self, strip: &Strip<'_>) -> &'static [Visit] {
        self.pass.visits[usize::from(strip.points().len() > 1)]
    }

    /// Some updates of a strip.
    #[inline(always)]
    unsafe fn go_on<S: Simd>(&self, visited: &mut Visited<'_, S>, turns: usize) {
        for _ in 0..turns {
            // SAFETY: the caller's promise.
            let change = unsafe { self.update(visited) };
            self.apply(visited, change);
        }
    }

    /// Updates the impulses of the next point; returns their change.
    #[inline(always)]
    unsafe fn update<S: Simd>(&self, visited: &Visited<'_, S>) -> Change<S> {
        let (at, first) = (visited.point, visited.strip.first);
        let [a, b] = &visited.bodies;
        // SAFETY: the caller's promise.
        unsafe {
            let point = self.pass.points[at].load(first);
            let beside = Beside {
                number: if L::HAS_NUMBER {
                    lanes_of(&self.pass.numbers[at], first)
                } else {
                    S::splat(0.0)
                },
                undone: visited.undone,
            };
            if self.visits(&visited.strip)[visited.visit] == Visit::Normals {
                // SAFETY: impulses are one group's.
                let row = &mut self.pass.impulses.range(at..at + 1)[0][0];
                let impulse = lanes_of(row, first);
                let [of_a, of_b] = &self.pass.turns[at];
                let turns = [of_a.load(first), of_b.load(first)];
                let law = (self.law.rows(), beside);
                let (a, b) = (a.motion(), b.motion());
                let normal = normal_row(&point, &turns, law, impulse, a, b);
                put(row, first, normal);
                return Change::Normal(normal - impulse);
            }
            let impulse = self.impulse(&visited.strip, at);
            let updated = self.law.update(&point, beside, impulse, a, b);
            self.set_impulse(&visited.strip, at, updated.impulse);
            Change::All(updated.change)
        }
    }

    /// Applies the change of the next point's impulses to its bodies, and goes on to the one after it.
    #[inline(always)]
    fn apply<S: Simd>(&self, visited: &mut Visited<'_, S>, change: Change<S>) {
        let (at, first) = (visited.point, visited.strip.first);
        let points = &self.pass.points[at];
        let [a, b] = &mut visited.bodies;
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
        visited.advance();
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

    /// Writes what the bodies of a strip have come to.
    #[inline(always)]
    unsafe fn scatter<S: Simd>(&self, visited: &Visited<'_, S>) {
        let (strip, [a, b]) = (&visited.strip, &visited.bodies);
        let place = (strip.first, self.spare);
        // SAFETY: the caller's promise.
        unsafe {
            self.pass.bodies.scatter(&strip.pairs.body_a, a, place);
            self.pass.bodies.scatter(&strip.pairs.body_b, b, place);
        }
    }
}
