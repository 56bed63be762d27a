//! Order along a space-filling curve: bodies that follow each other there are near each other.

use super::place::Place;
use crate::parallel;

/// Bits of a coordinate on the curve: cells of a 65,536th of a component's longest side.
const BITS: u32 = 16;

/// Least number of places that are worth waking a thread for.
const PLACES_PER_THREAD: usize = 1 << 11;

/// Sorts places by component, and within one along Hilbert's curve; equals keep their order.
pub(super) fn sort(places: &mut Vec<Place>) {
    let mut keyed: Vec<(u64, u32, Place)> = Vec::with_capacity(places.len());
    for component in places.chunk_by(|a, b| a.component == b.component) {
        let bound = |pick: fn(f32, f32) -> f32| {
            component
                .iter()
                .map(|place| place.position)
                .reduce(|a, b| std::array::from_fn(|axis| pick(a[axis], b[axis])))
                .unwrap_or_default()
        };
        let (min, max) = (bound(f32::min), bound(f32::max));
        let longest = (0..3).fold(0.0_f32, |side, axis| side.max(max[axis] - min[axis]));
        let cells = (1_u32 << BITS) as f32;
        let scale = if longest > 0.0 { cells / longest } else { 0.0 };
        for place in component {
            let cell = std::array::from_fn(|axis| {
                // The cast saturates, also from what is not a number.
                let at = (place.position[axis] - min[axis]) * scale;
                (at as u32).min((1 << BITS) - 1)
            });
            keyed.push((hilbert(cell), keyed.len() as u32, *place));
        }
    }
    parallel::sort_by_key(&mut keyed, PLACES_PER_THREAD, |&(key, index, place)| {
        (place.component, key, index)
    });
    places.clear();
    places.extend(keyed.into_iter().map(|(_, _, place)| place));
}

/// Place of a cell on Hilbert's curve in three dimensions.
///
/// After Skilling, "Programming the Hilbert curve" (2004): undo the turns of the sub-cubes from the
/// largest to the smallest, Gray-encode, and interleave the bits.
fn hilbert(mut x: [u32; 3]) -> u64 {
    for bit in (1..BITS).rev() {
        let q = 1_u32 << bit;
        let low = q - 1;
        for axis in 0..3 {
            if x[axis] & q != 0 {
                x[0] ^= low;
            } else {
                let t = (x[0] ^ x[axis]) & low;
                x[0] ^= t;
                x[axis] ^= t;
            }
        }
    }
    x[1] ^= x[0];
    x[2] ^= x[1];
    let mut t = 0;
    for bit in (1..BITS).rev() {
        let q = 1_u32 << bit;
        if x[2] & q != 0 {
            t ^= q - 1;
        }
    }
    let x = x.map(|axis| axis ^ t);
    (0..BITS).rev().fold(0, |key, bit| {
        x.iter()
            .fold(key, |key, axis| (key << 1) | u64::from((axis >> bit) & 1))
    })
}

#[cfg(test)]
mod tests {
    use super::{BITS, hilbert};

    #[test]
    fn neighbours_on_the_curve_are_neighbours_in_space() {
        // The cells of a cube of 8 x 8 x 8 at the curve's coarsest levels.
        let shift = BITS - 3;
        let mut cells = Vec::new();
        for x in 0..8 {
            for y in 0..8 {
                for z in 0..8 {
                    let cell = [x, y, z].map(|axis: u32| axis << shift);
                    cells.push((hilbert(cell), [x, y, z]));
                }
            }
        }
        cells.sort_unstable();
        for pair in cells.windows(2) {
            let steps: u32 = (0..3)
                .map(|axis| pair[0].1[axis].abs_diff(pair[1].1[axis]))
                .sum();
            assert_eq!(steps, 1, "{pair:?}");
        }
    }
}
