//! The coloured joints in lanes: sixteen joints side by side, row by row.
//!
//! Joints of a colour share no movable body. They are sorted by their number of rows and laid side by side; a joint with
//! fewer rows than the longest beside it has empty lanes, whose effective mass and bounds are zero. Impulses stay with the
//! blocks, where everything but sweeps wants them.

use super::{NO_PLACE, Pairs, SharedVelocities, Velocities};
use crate::constants::{IMPULSE_DEAD_BAND, MIN_BLOCKS_PER_THREAD};
use crate::parallel::{SharedSlice, Team};
use crate::problem::batches::{Batches, JointBlock, Packed};
use crate::simd::{IndexRow, Kernel, LANES, Row, Simd, Width, lanes_of, lanes_of_3, put};
use crate::solver::cpu::block::Sweep;
use crate::solver::cpu::contact::Bodies;
use crate::solver::cpu::joint::JointRow;
use bytemuck::Zeroable;
use std::ops::Range;

/// Joint rows of sixteen lanes in memory.
type Rows = JointRow<Row>;

/// The coloured joints of a problem in lanes. The memory is kept from problem to problem.
#[derive(Debug, Clone, Default)]
pub(in crate::solver::cpu) struct JointLanes {
    width: Width,
    /// Range of the rows of each lane group.
    groups: Vec<Range<u32>>,
    /// Shape `[groups.len()]`.
    pairs: Vec<Pairs>,
    rows: Vec<Rows>,
    /// Block of each lane, or [`NO_PLACE`]; shape `[rows.len()]`.
    places: Vec<IndexRow>,
    /// Lane groups of each colour.
    colors: Vec<Range<u32>>,
    /// Least lane groups of each colour that one thread sweeps at a time.
    grains: Vec<usize>,
    /// Number of the order that is laid out; see [`Packed::order`].
    laid_out_for: u64,
    /// The groups of a colour, those with most rows first.
    sorted: Vec<u32>,
}

impl JointLanes {
    /// Empty lanes of a width.
    pub(in crate::solver::cpu) fn new(width: Width) -> Self {
        Self {
            width,
            ..Self::default()
        }
    }

    /// Takes over the coloured joints of a problem, but for their impulses.
    pub(in crate::solver::cpu) fn fill(&mut self, batches: &Batches, team: &Team) {
        self.lay_out(&batches.joints);
        let pairs = SharedSlice::new(&mut self.pairs);
        let rows = SharedSlice::new(&mut self.rows);
        let (groups, places) = (&self.groups, &self.places);
        team.each(groups.len(), 1, |_, some| {
            for group in some {
                let range = groups[group].start as usize..groups[group].end as usize;
                // SAFETY: the team hands every lane group, with its rows, to one thread.
                #[allow(unsafe_code, reason = "the team hands out each lane group once")]
                let (pairs, rows) = unsafe {
                    (
                        &mut pairs.range(group..group + 1)[0],
                        rows.range(range.clone()),
                    )
                };
                fill_group(batches, &places[range], pairs, rows);
            }
        });
    }

    /// Which row goes to which lane; as in the last problem where its order was the same.
    fn lay_out(&mut self, joints: &Packed<JointBlock, f32>) {
        if self.laid_out_for == joints.order && joints.order != 0 {
            return;
        }
        self.laid_out_for = joints.order;
        self.groups.clear();
        self.places.clear();
        self.colors.clear();
        self.grains.clear();
        let starts = &joints.group_starts;
        let count_of = |group: u32| starts[group as usize + 1] - starts[group as usize];
        let mut sorted = std::mem::take(&mut self.sorted);
        for color in &joints.colors {
            let first = self.groups.len() as u32;
            sorted.clear();
            sorted.extend(color.clone());
            sorted.sort_by_key(|&group| std::cmp::Reverse(count_of(group)));
            for lanes in sorted.chunks(LANES) {
                let begin = self.places.len() as u32;
                let longest = lanes.first().map_or(0, |&group| count_of(group));
                for row in 0..longest {
                    let mut places = IndexRow([NO_PLACE; LANES]);
                    for (place, &group) in places.0.iter_mut().zip(lanes) {
                        if row < count_of(group) {
                            *place = starts[group as usize] + row;
                        }
                    }
                    self.places.push(places);
                }
                self.groups.push(begin..self.places.len() as u32);
            }
            let groups = first..self.groups.len() as u32;
            let rows = joints.blocks_of(color).len().max(1);
            self.grains
                .push((groups.len() * MIN_BLOCKS_PER_THREAD / rows).max(1));
            self.colors.push(groups);
        }
        self.sorted = sorted;
        self.pairs.resize(self.groups.len(), Pairs::zeroed());
        self.rows.resize(self.places.len(), Rows::zeroed());
    }

    /// One pass over the joints with a colour after the other.
    pub(in crate::solver::cpu) fn sweep(
        &mut self,
        sweep: Sweep,
        velocities: &mut Velocities,
        impulses: &mut [f32],
        team: &Team,
    ) {
        let colors = self.colors.len();
        let (bodies, impulses) = (velocities.share(), SharedSlice::new(impulses));
        let lanes = &*self;
        for color in 0..colors {
            let first = lanes.colors[color].start as usize;
            team.each(
                lanes.colors[color].len(),
                lanes.grains[color],
                |thread, groups| {
                    let part = Part {
                        lanes,
                        sweep,
                        groups: first + groups.start..first + groups.end,
                        bodies: &bodies,
                        spare: bodies.spare(thread),
                        impulses: &impulses,
                    };
                    // SAFETY: the team hands every lane group to one thread, and begins a colour when the one before it is
                    // done. No two joints of a colour have a movable body in common.
                    #[allow(unsafe_code, reason = "the colouring makes groups disjoint")]
                    unsafe {
                        lanes.width.compiled()(part);
                    }
                },
            );
        }
    }
}

/// Writes the rows of a lane group, and their bodies.
fn fill_group(batches: &Batches, places: &[IndexRow], pairs: &mut Pairs, rows: &mut [Rows]) {
    let zero = batches.velocities.len() as u32;
    let blocks = &batches.joints.blocks;
    for (row, places) in rows.iter_mut().zip(places) {
        for (lane, &place) in places.0.iter().enumerate() {
            let block = blocks
                .get(place as usize)
                .copied()
                .unwrap_or(JointBlock::zeroed());
            for axis in 0..3 {
                row.linear[axis].0[lane] = block.linear[axis];
                row.angular_a[axis].0[lane] = block.angular_a[axis];
                row.angular_b[axis].0[lane] = block.angular_b[axis];
            }
            row.free_velocity.0[lane] = block.free_velocity;
            row.softness.0[lane] = block.softness;
            row.mass.0[lane] = block.mass;
            row.lower.0[lane] = block.lower;
            row.upper.0[lane] = block.upper;
        }
    }
    // Every joint has a first row.
    let Some(places) = places.first() else {
        return;
    };
    for (lane, &place) in places.0.iter().enumerate() {
        let block = blocks.get(place as usize);
        for (side, index, inertias) in [
            (0, &mut pairs.body_a, &mut pairs.inertia_a),
            (1, &mut pairs.body_b, &mut pairs.inertia_b),
        ] {
            let body = block.map(|block| [block.body_a, block.body_b][side]);
            let body = body.filter(|&body| batches.velocities[body as usize].inverse_mass > 0.0);
            index.0[lane] = body.unwrap_or(zero);
            for (axis, row) in inertias.iter_mut().enumerate() {
                let inverse = body.map(|body| batches.inertias[body as usize].inverse[axis]);
                row.0[lane] = inverse.unwrap_or(0.0);
            }
        }
    }
}

/// Lane groups of a colour, to be swept by one thread.
struct Part<'a, 'b> {
    lanes: &'b JointLanes,
    sweep: Sweep,
    groups: Range<usize>,
    bodies: &'b SharedVelocities<'a>,
    spare: u32,
    impulses: &'b SharedSlice<'a, f32>,
}

#[allow(unsafe_code, reason = "bytes meet SIMD")]
impl Kernel for Part<'_, '_> {
    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        for group in self.groups.clone() {
            for first in (0..LANES).step_by(S::LANES) {
                // SAFETY: the caller's promise.
                unsafe { self.sweep_strip::<S>(group, first) };
            }
        }
    }
}

#[allow(unsafe_code, reason = "bytes meet SIMD")]
impl Part<'_, '_> {
    #[inline(always)]
    unsafe fn sweep_strip<S: Simd>(&self, group: usize, first: usize) {
        let (pairs, rows) = (&self.lanes.pairs[group], &self.lanes.groups[group]);
        let (begin, end) = (rows.start as usize, rows.end as usize);
        // SAFETY: the caller's promise.
        unsafe {
            let mut a: Bodies<S> = self.bodies.gather(&pairs.body_a, &pairs.inertia_a, first);
            let mut b: Bodies<S> = self.bodies.gather(&pairs.body_b, &pairs.inertia_b, first);
            for at in begin..end {
                let row = self.lanes.rows[at].load::<S>(first);
                let places = &self.lanes.places[at];
                let mut impulses = Row([0.0; LANES]);
                for lane in first..first + S::LANES {
                    if places.0[lane] != NO_PLACE {
                        impulses.0[lane] = self.impulses.read(places.0[lane] as usize);
                    }
                }
                let impulse = lanes_of(&impulses, first);
                if self.sweep == Sweep::Rebuild {
                    row.apply(impulse, &mut a, &mut b);
                    continue;
                }
                let updated = row.update(impulse, a.motion(), b.motion(), IMPULSE_DEAD_BAND);
                row.apply(updated - impulse, &mut a, &mut b);
                put(&mut impulses, first, updated);
                for lane in first..first + S::LANES {
                    if places.0[lane] != NO_PLACE {
                        let place = places.0[lane] as usize;
                        self.impulses.write(place, impulses.0[lane]);
                    }
                }
            }
            self.bodies.scatter(&pairs.body_a, &a, (first, self.spare));
            self.bodies.scatter(&pairs.body_b, &b, (first, self.spare));
        }
    }
}

impl Rows {
    /// Some lanes of them.
    #[inline(always)]
    fn load<S: Simd>(&self, first: usize) -> JointRow<S> {
        JointRow {
            linear: lanes_of_3(&self.linear, first),
            free_velocity: lanes_of(&self.free_velocity, first),
            angular_a: lanes_of_3(&self.angular_a, first),
            softness: lanes_of(&self.softness, first),
            angular_b: lanes_of_3(&self.angular_b, first),
            mass: lanes_of(&self.mass, first),
            lower: lanes_of(&self.lower, first),
            upper: lanes_of(&self.upper, first),
        }
    }
}
