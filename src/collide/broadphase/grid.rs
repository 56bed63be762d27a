//! A hierarchical grid without tables.
//!
//! Bodies are sorted by size level (power of two of the largest side of their box), then by the cell
//! of their centre, `z` first and `x` last. A level's cells are as wide as its largest body, so that
//! two bodies of a level overlap only in the same or in neighbouring cells. Those are five stretches
//! of the sorted list, and each of them moves forward as the list is walked: a sweep of five hands,
//! with no lookup at all. Against a coarser level a body looks into the two or three cells along
//! each axis that its box can reach, by a search that starts where the last one ended.

use super::entry::Entry;
use super::hierarchy::Hierarchy;
use crate::parallel;
use std::ops::Range;

/// Bits of a cell's key, over all three axes.
const KEY_BITS: u32 = 64;

/// Levels with no more bodies than this are tested body by body.
const FEW: usize = 8;

/// A body's place in the order: level, cell, body, from the highest bits on.
type SortKey = u128;

/// All bounded bodies of a step in cell order.
#[derive(Debug, Default)]
pub(super) struct Grid {
    keys: Vec<SortKey>,
    /// Cell of each body, in order.
    cells: Vec<u64>,
    /// Bodies, in order.
    sorted: Vec<Entry>,
    /// From the finest to the coarsest, nonempty ones only.
    levels: Vec<Level>,
    /// Level of the bodies of each exponent.
    level_of: Vec<u16>,
    extents: Extents,
    hierarchy: Hierarchy,
}

/// Bodies handled by one thread at a time where levels are found.
const CHUNK: usize = 1 << 13;

/// Least number of bodies handed to one thread where keys are made.
const KEYS_PER_THREAD: usize = 1 << 12;

/// A uniform grid.
#[derive(Debug, Clone)]
struct Level {
    range: Range<usize>,
    /// One over the width of a cell `[1/m]`.
    inverse_width: f64,
    half_width: f64,
    /// Coordinates of the corner of cell (1, 1, 1).
    origin: [f64; 3],
    /// Greatest cell along each axis; cell 0 and the one above stay empty.
    last: [f64; 3],
    /// Where the bits of y and z begin; x begins at 0.
    shift: [u32; 2],
}

/// What the levels are made from.
#[derive(Debug, Clone)]
struct Extents {
    /// Number and largest extent of the bodies of each exponent.
    levels: Vec<(usize, f64)>,
    min: [f64; 3],
    max: [f64; 3],
}

/// Exponents of positive f64, as stored.
const EXPONENTS: usize = 2048;

fn exponent(extent: f64) -> usize {
    (extent.to_bits() >> 52) as usize & (EXPONENTS - 1)
}

impl Default for Extents {
    /// Those of no body.
    fn default() -> Self {
        Self {
            levels: vec![(0, 0.0); EXPONENTS],
            min: [f64::INFINITY; 3],
            max: [f64::NEG_INFINITY; 3],
        }
    }
}

impl Extents {
    /// Takes all bounded bodies into account, and none from before.
    fn add_all(&mut self, entries: &[Entry]) {
        self.levels.fill((0, 0.0));
        (self.min, self.max) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for entry in entries.iter().filter(|entry| entry.is_bounded()) {
            self.add(entry);
        }
    }

    fn add(&mut self, entry: &Entry) {
        let extent = entry.extent();
        let level = &mut self.levels[exponent(extent)];
        level.0 += 1;
        level.1 = level.1.max(extent);
        for axis in 0..3 {
            let center = entry.center(axis);
            self.min[axis] = self.min[axis].min(center);
            self.max[axis] = self.max[axis].max(center);
        }
    }

    fn merge(mut self, other: &Self) -> Self {
        for (level, added) in self.levels.iter_mut().zip(&other.levels) {
            level.0 += added.0;
            level.1 = level.1.max(added.1);
        }
        for axis in 0..3 {
            self.min[axis] = self.min[axis].min(other.min[axis]);
            self.max[axis] = self.max[axis].max(other.max[axis]);
        }
        self
    }
}

impl Level {
    fn new(range: Range<usize>, extent: f64, extents: &Extents, entries: &[Entry]) -> Self {
        // Wider by more than the rounding of the coordinates, so that bodies that touch are never
        // two cells apart.
        let farthest = extents
            .min
            .iter()
            .chain(&extents.max)
            .fold(0.0, |far: f64, x| far.max(x.abs()));
        let width = (extent * (1.0 + 1e-9) + 16.0 * f64::EPSILON * farthest).max(1e-300);
        let mut origin = extents.min;
        let mut bits = [0, 1, 2].map(|axis| {
            let count = (extents.max[axis] - extents.min[axis]) / width + 4.0;
            count.log2().ceil().clamp(2.0, 1100.0) as u32
        });
        // Too many cells for a key: the widest axis gives up its far ends, where all bodies beyond
        // share the last cell.
        let wanted = bits;
        while bits.iter().sum::<u32>() > KEY_BITS {
            let widest = usize::from(bits[1] > bits[0]);
            let widest = if bits[2] > bits[widest] { 2 } else { widest };
            bits[widest] -= 1;
        }
        for axis in (0..3).filter(|&axis| bits[axis] < wanted[axis]) {
            let half = 0.5 * (2.0_f64).powi(bits[axis] as i32) * width;
            origin[axis] = median(entries, axis) - half;
        }
        Self {
            range,
            inverse_width: 1.0 / width,
            half_width: 0.5 * width,
            origin,
            last: bits.map(|bits| (2.0_f64).powi(bits as i32) - 2.0),
            shift: [bits[0], bits[0] + bits[1]],
        }
    }

    /// Cell of a coordinate along an axis, at least 1; never decreasing in the coordinate.
    fn cell(&self, axis: usize, x: f64) -> u64 {
        ((x - self.origin[axis]) * self.inverse_width + 1.0).clamp(1.0, self.last[axis]) as u64
    }

    fn key(&self, cell: [u64; 3]) -> u64 {
        cell[0] | cell[1] << self.shift[0] | cell[2] << self.shift[1]
    }

    fn key_of(&self, entry: &Entry) -> u64 {
        self.key([0, 1, 2].map(|axis| self.cell(axis, entry.center(axis))))
    }
}

/// A median of the centres along an axis, of a few bodies evenly taken.
fn median(entries: &[Entry], axis: usize) -> f64 {
    let stride = entries.len().div_ceil(1000).max(1);
    let mut sample: Vec<f64> = entries
        .iter()
        .step_by(stride)
        .filter(|entry| entry.is_bounded())
        .map(|entry| entry.center(axis))
        .collect();
    if sample.is_empty() {
        return 0.0;
    }
    let middle = sample.len() / 2;
    *sample.select_nth_unstable_by(middle, f64::total_cmp).1
}

impl Grid {
    /// Sorts the bounded bodies.
    pub(super) fn build(&mut self, entries: &[Entry]) {
        let chunks = entries.len().div_ceil(CHUNK);
        if parallel::is_shared(chunks, 1) {
            let mut parts = Vec::new();
            parallel::fill(&mut parts, chunks, 1, |chunk| {
                let mut extents = Extents::default();
                extents.add_all(&entries[chunk * CHUNK..entries.len().min((chunk + 1) * CHUNK)]);
                extents
            });
            self.extents = parts.iter().fold(Extents::default(), Extents::merge);
        } else {
            self.extents.add_all(entries);
        }

        self.levels.clear();
        self.level_of.resize(EXPONENTS, 0);
        let mut first = 0;
        for (exponent, &(count, extent)) in self.extents.levels.iter().enumerate() {
            if count > 0 {
                self.level_of[exponent] = self.levels.len() as u16;
                let range = first..first + count;
                self.levels
                    .push(Level::new(range, extent, &self.extents, entries));
                first += count;
            }
        }

        let (levels, level_of) = (&self.levels, &self.level_of);
        let key_of = |entry: &Entry| {
            let level = level_of[exponent(entry.extent())];
            let cell = levels[level as usize].key_of(entry);
            SortKey::from(level) << 96 | SortKey::from(cell) << 32 | SortKey::from(entry.body)
        };
        // Bodies without bounds come last, and go.
        parallel::fill(&mut self.keys, entries.len(), KEYS_PER_THREAD, |body| {
            let entry = &entries[body];
            if entry.is_bounded() {
                key_of(entry)
            } else {
                SortKey::MAX
            }
        });
        parallel::sort_by_key(&mut self.keys, KEYS_PER_THREAD, |&key| key);
        self.keys.truncate(first);
        let keys = &self.keys;
        parallel::fill(&mut self.sorted, keys.len(), KEYS_PER_THREAD, |place| {
            entries[keys[place] as u32 as usize]
        });
        parallel::fill(&mut self.cells, keys.len(), KEYS_PER_THREAD, |place| {
            (keys[place] >> 32) as u64
        });
        self.hierarchy.build(&self.sorted, entries.len());
    }

    /// Takes over a body's new box for [`Self::pairs_of`]; false for a body that is not in the grid.
    pub(super) fn update(&mut self, entry: &Entry) -> bool {
        entry.is_bounded() && self.hierarchy.update(&mut self.sorted, entry)
    }

    /// Appends the pairs of a body with all others in the grid.
    pub(super) fn pairs_of(&self, entry: &Entry, found: &mut Vec<[u32; 2]>) {
        self.hierarchy.pairs_of(&self.sorted, entry, found);
    }

    /// Appends the pairs of the bodies at these places of the order with bodies later in their own
    /// level, and with all of coarser levels.
    pub(super) fn pairs_from(&self, places: Range<usize>, found: &mut Vec<[u32; 2]>) {
        let end = places.end.min(self.sorted.len());
        for (index, level) in self.levels.iter().enumerate() {
            let places = places.start.max(level.range.start)..end.min(level.range.end);
            if !places.is_empty() {
                self.pairs_within(level, places.clone(), found);
                for coarse in &self.levels[index + 1..] {
                    self.pairs_between(places.clone(), coarse, found);
                }
            }
        }
    }

    fn pairs_within(&self, level: &Level, places: Range<usize>, found: &mut Vec<[u32; 2]>) {
        let (cells, bodies) = (
            &self.cells[..level.range.end],
            &self.sorted[..level.range.end],
        );
        let (y, z) = (1_u64 << level.shift[0], 1_u64 << level.shift[1]);
        // The rows of cells that follow a body's own, as offsets of the key of its own cell.
        let rows = [y, z - y, z, z + y];
        let first = cells[places.start];
        let mut hands = rows.map(|row| {
            places.start + cells[places.start..].partition_point(|&cell| cell < first + row - 1)
        });
        for place in places {
            let (cell, entry) = (cells[place], &bodies[place]);
            for (&other, body) in cells[place + 1..].iter().zip(&bodies[place + 1..]) {
                if other > cell + 1 {
                    break;
                }
                entry.pair_with(body, found);
            }
            for (row, hand) in rows.iter().zip(&mut hands) {
                let cell = cell + row;
                while cells.get(*hand).is_some_and(|&other| other < cell - 1) {
                    *hand += 1;
                }
                for (&other, body) in cells[*hand..].iter().zip(&bodies[*hand..]) {
                    if other > cell + 1 {
                        break;
                    }
                    entry.pair_with(body, found);
                }
            }
        }
    }

    fn pairs_between(&self, places: Range<usize>, coarse: &Level, found: &mut Vec<[u32; 2]>) {
        if coarse.range.len() <= FEW {
            for entry in &self.sorted[places] {
                for other in &self.sorted[coarse.range.clone()] {
                    entry.pair_with(other, found);
                }
            }
            return;
        }
        let cells = &self.cells[coarse.range.clone()];
        let bodies = &self.sorted[coarse.range.clone()];
        // Where the search in each row ended: neighbours in the order look into nearby cells.
        let mut hints = [0_usize; 16];
        for entry in &self.sorted[places] {
            let low =
                [0, 1, 2].map(|axis| coarse.cell(axis, entry.aabb.min[axis] - coarse.half_width));
            let high =
                [0, 1, 2].map(|axis| coarse.cell(axis, entry.aabb.max[axis] + coarse.half_width));
            for z in low[2]..=high[2] {
                for y in low[1]..=high[1] {
                    let row = ((z - low[2]) * 4 + (y - low[1])) as usize & 15;
                    let (from, to) = (coarse.key([low[0], y, z]), coarse.key([high[0], y, z]));
                    let mut at = lower_bound(cells, from, hints[row]);
                    hints[row] = at;
                    while at < cells.len() && cells[at] <= to {
                        entry.pair_with(&bodies[at], found);
                        at += 1;
                    }
                }
            }
        }
    }
}

/// First place whose cell is not below `from`, searched outward from a guess with doubling steps.
fn lower_bound(cells: &[u64], from: u64, guess: usize) -> usize {
    let mut step = 1;
    if guess < cells.len() && cells[guess] < from {
        let mut low = guess;
        while low + step < cells.len() && cells[low + step] < from {
            low += step;
            step *= 2;
        }
        let high = (low + step).min(cells.len());
        low + cells[low..high].partition_point(|&cell| cell < from)
    } else {
        let mut high = guess.min(cells.len());
        while high > step && cells[high - step] >= from {
            high -= step;
            step *= 2;
        }
        let low = high.saturating_sub(step);
        low + cells[low..high].partition_point(|&cell| cell < from)
    }
}
