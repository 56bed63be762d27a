//! From blocks to lanes.

use super::point::{lanes_of, put};
use super::simd::{Kernel, Simd};
use super::{IndexRow, LANES, LaneGroup, Lanes, NO_PLACE, Pairs, Points, Row};
use crate::constants::MIN_LANE_GROUPS_PER_THREAD;
use crate::problem::batches::{Batches, ContactBlock};
use crate::solver::cpu::shared_slice::SharedSlice;
use crate::solver::cpu::team::Team;
use bytemuck::Zeroable;
use std::ops::Range;

/// Groups in the order in which they go into lanes.
#[derive(Debug, Clone, Default)]
pub(super) struct Sorted {
    /// Groups of a colour, those with most points first.
    groups: Vec<u32>,
    /// Number of groups by number of points; then where the next of them goes.
    counts: Vec<u32>,
    /// First block of each group of the problem that is laid out, and one past the last.
    starts: Vec<u32>,
    /// Its colours.
    colors: Vec<Range<u32>>,
}

impl Sorted {
    /// A stable counting sort of the groups of a colour.
    fn sort(&mut self, starts: &[u32], groups: Range<u32>) {
        let points = |group: u32| {
            let group = group as usize;
            (starts[group + 1] - starts[group]) as usize
        };
        self.counts.clear();
        for group in groups.clone() {
            let points = points(group);
            if points >= self.counts.len() {
                self.counts.resize(points + 1, 0);
            }
            self.counts[points] += 1;
        }
        let mut next = 0;
        for count in self.counts.iter_mut().rev() {
            let first = next;
            next += *count;
            *count = first;
        }
        self.groups.clear();
        self.groups.resize(groups.len(), 0);
        for group in groups {
            let place = &mut self.counts[points(group)];
            self.groups[*place as usize] = group;
            *place += 1;
        }
    }
}

impl Lanes {
    /// Lays out the coloured contacts of a packed problem, their impulses included. Nothing is
    /// allocated once the memory has grown to the size of the problems.
    pub(in crate::solver::cpu) fn fill(&mut self, batches: &Batches, team: &Team) {
        self.lay_out(batches);
        let (count, width) = (self.groups.len(), self.width);
        let filling = Filling {
            batches,
            places: &self.places,
            groups: SharedSlice::new(&mut self.groups),
            pairs: SharedSlice::new(&mut self.pairs),
            points: SharedSlice::new(&mut self.points),
            impulses: SharedSlice::new(&mut self.impulses),
            residual_masses: SharedSlice::new(&mut self.residual_masses),
            cone_steps: SharedSlice::new(&mut self.cone_steps),
        };
        team.each(count, MIN_LANE_GROUPS_PER_THREAD, |_, groups| {
            let kernel = FillGroups {
                filling: &filling,
                groups,
            };
            // SAFETY: the team hands every lane group, with its points, to one thread.
            #[allow(unsafe_code, reason = "the team hands out each lane group once")]
            unsafe {
                width.run(kernel);
            }
        });
    }

    /// Which contact goes to which lane; as in the last problem where its groups were the same.
    fn lay_out(&mut self, batches: &Batches) {
        let contacts = &batches.contacts;
        let starts = &contacts.group_starts;
        if self.sorted.starts == *starts && self.sorted.colors == contacts.colors {
            return;
        }
        self.sorted.starts.clone_from(starts);
        self.sorted.colors.clone_from(&contacts.colors);
        self.groups.clear();
        self.places.clear();
        self.colors.clear();
        let mut sorted = std::mem::take(&mut self.sorted);
        for color in &contacts.colors {
            let first_group = self.groups.len() as u32;
            sorted.sort(starts, color.clone());
            for lanes in sorted.groups.chunks(LANES) {
                let longest = lanes[0] as usize;
                let first = self.places.len();
                let count = (starts[longest + 1] - starts[longest]) as usize;
                self.places
                    .resize(first + count, IndexRow([NO_PLACE; LANES]));
                for (lane, &group) in lanes.iter().enumerate() {
                    let blocks = starts[group as usize]..starts[group as usize + 1];
                    for (places, block) in self.places[first..].iter_mut().zip(blocks) {
                        places.0[lane] = block;
                    }
                }
                self.groups.push(LaneGroup {
                    first: first as u32,
                    end: (first + count) as u32,
                    friction: false,
                    mixed: false,
                });
            }
            self.colors.push(first_group..self.groups.len() as u32);
        }
        self.sorted = sorted;
        let points = self.places.len();
        self.pairs.resize(self.groups.len(), Pairs::zeroed());
        self.points.resize(points, Points::zeroed());
        self.impulses.resize(points, [Row::zeroed(); 3]);
        self.residual_masses.resize(points, Row::zeroed());
        self.cone_steps.resize(points, Row::zeroed());
    }

    /// Gives the impulses back to their blocks.
    pub(in crate::solver::cpu) fn store_impulses(&self, impulses: &mut [[f32; 4]], team: &Team) {
        self.store(&self.impulses, impulses, team);
    }

    /// Gives numbers of points to the blocks.
    pub(super) fn store(&self, from: &[[Row; 3]], impulses: &mut [[f32; 4]], team: &Team) {
        let impulses = SharedSlice::new(impulses);
        team.each(
            self.places.len(),
            MIN_LANE_GROUPS_PER_THREAD,
            |_, points| {
                for point in points {
                    let rows = &from[point];
                    for (lane, &place) in self.places[point].0.iter().enumerate() {
                        if place != NO_PLACE {
                            let impulse = [rows[0].0[lane], rows[1].0[lane], rows[2].0[lane], 0.0];
                            // SAFETY: every block is in one lane.
                            #[allow(unsafe_code, reason = "each block is in one lane")]
                            unsafe {
                                impulses.write(place as usize, impulse);
                            }
                        }
                    }
                }
            },
        );
    }
}

/// Lanes that several threads fill.
struct Filling<'a> {
    batches: &'a Batches,
    places: &'a [IndexRow],
    groups: SharedSlice<'a, LaneGroup>,
    pairs: SharedSlice<'a, Pairs>,
    points: SharedSlice<'a, Points>,
    impulses: SharedSlice<'a, [Row; 3]>,
    residual_masses: SharedSlice<'a, Row>,
    cone_steps: SharedSlice<'a, Row>,
}

/// Lane groups to be filled by one thread.
struct FillGroups<'a, 'b> {
    filling: &'b Filling<'a>,
    groups: Range<usize>,
}

#[allow(unsafe_code, reason = "bytes meet SIMD")]
impl Kernel for FillGroups<'_, '_> {
    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        for group in self.groups {
            // SAFETY: the caller's promise.
            unsafe { self.filling.fill_group::<S>(group) };
        }
    }
}

impl Filling<'_> {
    /// # Safety
    /// Nobody else has this lane group.
    #[inline(always)]
    #[allow(unsafe_code, reason = "the caller's promise")]
    unsafe fn fill_group<S: Simd>(&self, group: usize) {
        // SAFETY: the caller's promise; points are those of one group.
        unsafe {
            let range = &mut self.groups.range(group..group + 1)[0];
            let points = range.first as usize..range.end as usize;
            let pairs = &mut self.pairs.range(group..group + 1)[0];
            self.fill_pairs::<S>(pairs, &self.places[points.start]);
            let mut friction = Row([0.0; LANES]);
            range.mixed = false;
            for point in points {
                let one = point..point + 1;
                self.fill_points::<S>(
                    &self.places[point],
                    &mut self.points.range(one.clone())[0],
                    &mut self.impulses.range(one.clone())[0],
                    &mut self.residual_masses.range(one.clone())[0],
                    &mut friction,
                );
                if self.batches.friction.is_convex() {
                    let steps = &mut self.cone_steps.range(one)[0];
                    range.mixed |= self.fill_cone_steps(&self.places[point], steps);
                }
            }
            range.friction = friction.0.iter().any(|&friction| friction > 0.0);
        }
    }

    /// The two bodies of each lane; immovable ones, and those of empty lanes, are the velocity that
    /// stays zero.
    #[inline(always)]
    fn fill_pairs<S: Simd>(&self, pairs: &mut Pairs, places: &IndexRow) {
        let batches = self.batches;
        let zero = batches.velocities.len() as u32;
        let mut bodies = [[0; LANES]; 2];
        let mut filled = [false; LANES];
        for (lane, &place) in places.0.iter().enumerate() {
            filled[lane] = place != NO_PLACE;
            if filled[lane] {
                let block = &batches.contacts.blocks[place as usize];
                bodies[0][lane] = block.body_a;
                bodies[1][lane] = block.body_b;
            }
        }
        for (bodies, index, inertia) in [
            (&bodies[0], &mut pairs.body_a, &mut pairs.inertia_a),
            (&bodies[1], &mut pairs.body_b, &mut pairs.inertia_b),
        ] {
            let mut movable = Row([0.0; LANES]);
            for lane in 0..LANES {
                let body = bodies[lane];
                let moves = filled[lane] && batches.velocities[body as usize].inverse_mass > 0.0;
                index.0[lane] = if moves { body } else { zero };
                movable.0[lane] = if moves { 1.0 } else { 0.0 };
            }
            assert!(
                bodies
                    .iter()
                    .all(|&body| (body as usize) < batches.inertias.len())
            );
            for first in (0..LANES).step_by(S::LANES) {
                // SAFETY: a body's inertia is eight numbers.
                #[allow(unsafe_code, reason = "bytes meet SIMD")]
                let (low, high) = unsafe {
                    let inertias = batches.inertias.as_ptr().cast::<f32>();
                    let index = bodies.as_ptr().add(first);
                    (
                        S::gather_4(inertias, 8, index),
                        S::gather_4(inertias.add(4), 8, index),
                    )
                };
                let moves = S::splat(0.0).lt(lanes_of(&movable, first));
                let all = [low[0], low[1], low[2], low[3], high[0], high[1]];
                for (row, inverse) in inertia.iter_mut().zip(all) {
                    put(row, first, S::select(moves, inverse, S::splat(0.0)));
                }
            }
        }
    }

    /// Steps of the convex law; true if it is not the law of some contact here.
    #[inline(always)]
    fn fill_cone_steps(&self, places: &IndexRow, steps: &mut Row) -> bool {
        let mut mixed = false;
        for (step, &place) in steps.0.iter_mut().zip(&places.0) {
            *step = 0.0;
            if place != NO_PLACE {
                let block = &self.batches.contacts.blocks[place as usize];
                *step = block.cone_step;
                mixed |= !(block.friction > 0.0 && block.tangent_mass > 0.0);
            }
        }
        mixed
    }

    #[inline(always)]
    fn fill_points<S: Simd>(
        &self,
        places: &IndexRow,
        to: &mut Points,
        impulses: &mut [Row; 3],
        residual_masses: &mut Row,
        friction: &mut Row,
    ) {
        let contacts = &self.batches.contacts;
        let count = contacts.blocks.len().min(contacts.impulses.len());
        let mut filled = Row([0.0; LANES]);
        let mut index = IndexRow([0; LANES]);
        for (lane, &place) in places.0.iter().enumerate() {
            if place != NO_PLACE {
                assert!((place as usize) < count);
                filled.0[lane] = 1.0;
                index.0[lane] = place;
            }
        }
        for first in (0..LANES).step_by(S::LANES) {
            // SAFETY: a block is twenty numbers, an impulse four; empty lanes read those of block 0,
            // which is there because some lane is filled.
            #[allow(unsafe_code, reason = "bytes meet SIMD")]
            let (normal, arm_a, arm_b, free_velocity, impulse) = unsafe {
                let blocks = contacts.blocks.as_ptr().cast::<f32>();
                let index = index.0.as_ptr().add(first);
                (
                    S::gather_4(blocks, BLOCK, index),
                    S::gather_4(blocks.add(4), BLOCK, index),
                    S::gather_4(blocks.add(8), BLOCK, index),
                    S::gather_4(blocks.add(12), BLOCK, index),
                    S::gather_4(contacts.impulses.as_ptr().cast::<f32>(), 4, index),
                )
            };
            let filled = S::splat(0.0).lt(lanes_of(&filled, first));
            for axis in 0..3 {
                put_filled(&mut to.normal[axis], first, filled, normal[axis]);
                put_filled(&mut to.arm_a[axis], first, filled, arm_a[axis]);
                put_filled(&mut to.arm_b[axis], first, filled, arm_b[axis]);
                put_filled(
                    &mut to.free_velocity[axis],
                    first,
                    filled,
                    free_velocity[axis],
                );
                put_filled(&mut impulses[axis], first, filled, impulse[axis]);
            }
            put_filled(&mut to.normal_mass, first, filled, normal[3]);
            put_filled(&mut to.tangent_mass, first, filled, arm_a[3]);
            put_filled(&mut to.friction, first, filled, arm_b[3]);
            put_filled(residual_masses, first, filled, free_velocity[3]);
            let largest = lanes_of::<S>(&to.friction, first).max(lanes_of(friction, first));
            put(friction, first, largest);
        }
    }
}

/// Numbers of a block: four of each of normal, arms and free velocity with a number beside them, and
/// four more.
const BLOCK: usize = size_of::<ContactBlock>() / size_of::<f32>();

/// Overwrites lanes of a row, with zero where a lane is empty.
#[inline(always)]
fn put_filled<S: Simd>(row: &mut Row, first: usize, filled: S::Mask, lanes: S) {
    put(row, first, S::select(filled, lanes, S::splat(0.0)));
}
