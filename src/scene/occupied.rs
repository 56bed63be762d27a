//! Where bodies already are: a hash grid, so that a look around costs the same however many there
//! are.

use super::gap::gap;
use crate::math::{Aabb, Pose, Vec3};
use crate::world::{Shape, World};
use std::collections::HashMap;

/// Most cells that one body is entered in; a larger one is compared with every candidate.
const MAX_CELLS: f64 = 4096.0;

/// Most entries for one body on average, and for a few large ones among few; cells are widened until
/// they suffice, so that many small cells are not filled with bodies much larger than they.
const MEAN_ENTRIES: f64 = 32.0;
const SPARE_ENTRIES: f64 = 100_000.0;

/// Bodies by the cells that their bounding boxes touch.
pub(super) struct Occupied {
    /// Edge of a cell `[m]`.
    cell: f64,
    cells: HashMap<[i64; 3], Vec<u32>>,
    /// Bodies without an end, or with too many cells.
    large: Vec<u32>,
}

impl Occupied {
    /// All bodies of a world, in cells of at least the size of the bodies to come `[m]`.
    pub(super) fn new(world: &World, size: f64) -> Self {
        let mut occupied = Self {
            cell: size,
            cells: HashMap::new(),
            large: Vec::new(),
        };
        let bounds: Vec<Aabb> = world
            .bodies
            .iter()
            .map(|body| body.shape.aabb(&body.pose))
            .collect();
        let allowed = MEAN_ENTRIES * bounds.len() as f64 + SPARE_ENTRIES;
        let entries = |occupied: &Self| -> f64 {
            let finite = bounds.iter().filter(|bounds| bounds.is_finite());
            finite
                .map(|bounds| occupied.count(bounds).unwrap_or(MAX_CELLS))
                .sum()
        };
        while entries(&occupied) > allowed {
            occupied.cell *= 2.0;
        }
        for index in 0..world.bodies.len() {
            occupied.enter(world, index as u32);
        }
        occupied
    }

    /// Adds a body.
    pub(super) fn enter(&mut self, world: &World, index: u32) {
        let body = &world.bodies[index as usize];
        match self.range(&body.shape.aabb(&body.pose)) {
            Some((low, high)) => {
                for key in keys(low, high) {
                    self.cells.entry(key).or_default().push(index);
                }
            }
            None => self.large.push(index),
        }
    }

    /// True if the shape would overlap a body by more than `tolerance` `[m]`.
    pub(super) fn overlaps(
        &self,
        world: &World,
        shape: &Shape,
        pose: &Pose,
        tolerance: f64,
    ) -> bool {
        let bounds = shape.aabb(pose);
        let hits = |index: &u32| {
            let body = &world.bodies[*index as usize];
            bounds.overlaps(&body.shape.aabb(&body.pose))
                && gap(shape, pose, &body.shape, &body.pose) < -tolerance
        };
        if self.large.iter().any(hits) {
            return true;
        }
        match self.range(&bounds) {
            Some((low, high)) => keys(low, high)
                .any(|key| self.cells.get(&key).is_some_and(|at| at.iter().any(hits))),
            None => (0..world.bodies.len() as u32).any(|index| hits(&index)),
        }
    }

    /// First and last cell that a box touches; none if there are too many.
    fn range(&self, bounds: &Aabb) -> Option<([i64; 3], [i64; 3])> {
        self.count(bounds)?;
        let key = |v: &Vec3| [0, 1, 2].map(|axis| (v[axis] / self.cell).floor() as i64);
        Some((key(&bounds.min), key(&bounds.max)))
    }

    /// Number of cells that a box touches; none if there are too many.
    fn count(&self, bounds: &Aabb) -> Option<f64> {
        let cells = |axis: usize| {
            (bounds.max[axis] / self.cell).floor() - (bounds.min[axis] / self.cell).floor() + 1.0
        };
        let count = cells(0) * cells(1) * cells(2);
        (bounds.is_finite() && count <= MAX_CELLS).then_some(count)
    }
}

fn keys(low: [i64; 3], high: [i64; 3]) -> impl Iterator<Item = [i64; 3]> {
    (low[0]..=high[0]).flat_map(move |x| {
        (low[1]..=high[1]).flat_map(move |y| (low[2]..=high[2]).map(move |z| [x, y, z]))
    })
}
