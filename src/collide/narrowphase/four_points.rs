//! The points of a polygon that stand for all of it.

use crate::constants::{DEEPER_BY, MANIFOLD_TIE, MAX_MANIFOLD_POINTS};

/// Place of a vertex in the plane of a face, and its height above that `[m]`.
pub(super) type At = [f64; 3];

/// Indices of those vertices of a polygon, in order, that span the largest area, with the deepest one among them; of few
/// vertices all.
///
/// The choice prefers the first of nearly equal vertices, so that it does not change under the noise of a step.
pub(super) fn four_points(
    count: usize,
    at: impl Fn(usize) -> At,
) -> ([usize; MAX_MANIFOLD_POINTS], usize) {
    if count <= MAX_MANIFOLD_POINTS {
        return ([0, 1, 2, 3], count);
    }
    let first = first_max(count, |k| squared_distance(&at(0), &at(k)));
    let second = first_max(count, |k| squared_distance(&at(first), &at(k)));
    let (a, b) = (at(first), at(second));
    let third = first_max(count, |k| twice_area(&a, &b, &at(k)).abs());
    let c = at(third);
    let turn = twice_area(&a, &b, &c).signum();
    // What a fourth point adds to the triangle is the triangle between it and the edge it is outside of.
    let fourth = first_max(count, |k| {
        let vertex = at(k);
        let outside = |from, to| -turn * twice_area(from, to, &vertex);
        outside(&a, &b)
            .max(outside(&b, &c))
            .max(outside(&c, &a))
            .max(0.0)
    });
    let mut kept = [first, second, third, fourth];

    let tie = DEEPER_BY * squared_distance(&a, &b).sqrt();
    let mut deepest = first;
    for index in kept.into_iter().chain(0..count) {
        if at(index)[2] < at(deepest)[2] - tie {
            deepest = index;
        }
    }
    if !kept.contains(&deepest) {
        let away = |slot: usize| squared_distance(&at(kept[slot]), &at(deepest));
        let nearest = (1..4).fold(
            0,
            |best, slot| if away(slot) < away(best) { slot } else { best },
        );
        kept[nearest] = deepest;
    }
    kept.sort_unstable();
    let mut distinct = 0;
    for slot in 0..kept.len() {
        if slot == 0 || kept[slot - 1] != kept[slot] {
            kept[distinct] = kept[slot];
            distinct += 1;
        }
    }
    (kept, distinct)
}

fn squared_distance(a: &At, b: &At) -> f64 {
    let [x, y] = [0, 1].map(|k| a[k] - b[k]);
    x * x + y * y
}

/// Twice the signed area of a triangle in the plane of the reference face `[m^2]`.
fn twice_area(a: &At, b: &At, c: &At) -> f64 {
    let [ab, ac] = [b, c].map(|to| [to[0] - a[0], to[1] - a[1]]);
    ab[0] * ac[1] - ab[1] * ac[0]
}

/// The first vertex whose measure, not negative, is largest or nearly so.
fn first_max(count: usize, measure: impl Fn(usize) -> f64) -> usize {
    let mut best = 0;
    let mut value = measure(0);
    for index in 1..count {
        let found = measure(index);
        if found > value * (1.0 + MANIFOLD_TIE) {
            best = index;
            value = found;
        }
    }
    best
}
