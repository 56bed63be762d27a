//! The lower envelope of points on an uneven ground: what a body of one face rests on.
//!
//! A face of a solid is above a plane by as much as its corners say, and four of them stand for all. Above an uneven ground some
//! other point may bear it. A body that moves as a whole changes the separation of a point as the same mixture of others changes
//! by which it lies between them: it is of no use as long as its own is no less than that mixture of theirs, and if it is less,
//! the body would sink onto it.

use super::polygon::{At, four_points};
use crate::constants::{DEEPER_BY, MAX_MANIFOLD_POINTS, MAX_MESH_POINTS};

/// Of some points, four that span a large area, and those that lie below the envelope of the ones chosen before, the lowest first; a
/// point beside them counts if it is lower than what is nearest to it by more than a slope. Points above `level` are not
/// among the four, and come last: those beside the others, the farthest first.
///
/// Returns their indices, and how many there are.
pub(super) fn bearing_points<const MOST: usize>(
    count: usize,
    (level, slope): (f64, f64),
    at: impl Fn(usize) -> At,
) -> ([usize; MAX_MESH_POINTS], usize) {
    let mut chosen = [0; MAX_MESH_POINTS];
    if count <= MAX_MANIFOLD_POINTS {
        return ([0, 1, 2, 3, 0, 0, 0, 0], count);
    }
    let mut points = [[0.0; 3]; MOST];
    let mut low = [0; MOST];
    let mut low_count = 0;
    for (index, point) in points[..count].iter_mut().enumerate() {
        *point = at(index);
        if point[2] <= level {
            low[low_count] = index;
            low_count += 1;
        }
    }
    let points = &points[..count];
    let (four, mut number) = four_points(low_count, f64::INFINITY, |k| points[low[k]]);
    for (place, k) in chosen.iter_mut().zip(&four[..number]) {
        *place = low[*k];
    }
    let mut envelope = Envelope {
        points,
        inside: [f64::INFINITY; MOST],
        beside: [(f64::INFINITY, 0.0); MOST],
    };
    for first in 0..number {
        envelope.lower_by(&chosen[..=first]);
    }
    let width = points.iter().fold(0.0_f64, |width, point| {
        width.max(squared(point, &points[0]))
    });
    let slack = DEEPER_BY * width.sqrt();
    while number < MAX_MESH_POINTS {
        let others = (0..count).filter(|index| !chosen[..number].contains(index));
        let below = others
            .clone()
            .map(|index| (index, envelope.below(index, slope) - slack));
        let beside = others
            .filter(|&index| points[index][2] > level)
            .map(|index| (index, envelope.away(index)));
        let Some(index) = largest(below).or_else(|| largest(beside)) else {
            break;
        };
        chosen[number] = index;
        number += 1;
        envelope.lower_by(&chosen[..number]);
    }
    chosen[..number].sort_unstable();
    (chosen, number)
}

/// The first with the largest measure above 0.
fn largest(measures: impl Iterator<Item = (usize, f64)>) -> Option<usize> {
    let best = measures.fold((None, 0.0), |best, (index, measure)| {
        if measure > best.1 {
            (Some(index), measure)
        } else {
            best
        }
    });
    best.0
}

/// What the chosen points say of the others.
struct Envelope<'a, const MOST: usize> {
    points: &'a [At],
    /// Least height among the triangles of chosen points that a point is in; infinite outside of all `[m]`.
    inside: [f64; MOST],
    /// Squared distance from the nearest line between two of them `[m^2]`, and the height of that there `[m]`.
    beside: [(f64, f64); MOST],
}

impl<const MOST: usize> Envelope<'_, MOST> {
    /// How far a point is below, and beside below a plane of some slope `[m]`.
    fn below(&self, index: usize, slope: f64) -> f64 {
        let (squared, height) = self.beside[index];
        let level = if self.inside[index] < f64::INFINITY {
            self.inside[index]
        } else {
            height - slope * squared.sqrt()
        };
        level - self.points[index][2]
    }

    /// Squared distance of a point from the triangles and lines of the chosen ones `[m^2]`.
    fn away(&self, index: usize) -> f64 {
        if self.inside[index] < f64::INFINITY {
            0.0
        } else {
            self.beside[index].0
        }
    }

    /// Takes the last of the chosen points into account.
    fn lower_by(&mut self, chosen: &[usize]) {
        let [others @ .., last] = chosen else {
            return;
        };
        let c = self.points[*last];
        for (index, point) in self.points.iter().enumerate() {
            if others.is_empty() {
                self.beside[index] = (squared(point, &c), c[2]);
            }
            for (k, &one) in others.iter().enumerate() {
                let a = self.points[one];
                let (distance, height) = beside(point, &a, &c);
                if distance < self.beside[index].0 {
                    self.beside[index] = (distance, height);
                }
                for &other in &others[k + 1..] {
                    if let Some(height) = between(point, [&a, &self.points[other], &c])
                        && height < self.inside[index]
                    {
                        self.inside[index] = height;
                    }
                }
            }
        }
    }
}

fn squared(a: &At, b: &At) -> f64 {
    let [x, y] = [0, 1].map(|k| a[k] - b[k]);
    x * x + y * y
}

/// Squared distance of a point from a line between two others `[m^2]`, and the height of that there `[m]`.
fn beside(point: &At, a: &At, b: &At) -> (f64, f64) {
    let along = [b[0] - a[0], b[1] - a[1]];
    let length = squared(a, b);
    let dot = along[0] * (point[0] - a[0]) + along[1] * (point[1] - a[1]);
    let part = if length > 0.0 {
        (dot / length).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let on = [0, 1, 2].map(|k| a[k] + part * (b[k] - a[k]));
    (squared(point, &on), on[2])
}

/// Height of a triangle at the place of a point within it.
fn between(point: &At, [a, b, c]: [&At; 3]) -> Option<f64> {
    let area =
        |a: &At, b: &At, c: &At| (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    let whole = area(a, b, c);
    let parts = [area(point, b, c), area(a, point, c), area(a, b, point)].map(|part| part / whole);
    let is_inside = whole.abs() > DEEPER_BY * squared(a, b).max(squared(b, c))
        && parts.iter().all(|&part| part >= -DEEPER_BY);
    is_inside.then(|| parts[0] * a[2] + parts[1] * b[2] + parts[2] * c[2])
}
