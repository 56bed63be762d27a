//! Polygons above a face: clipped by its sides, and the few points that stand for them.
//!
//! A body on a face rests where the centre of what presses on it is within the corners that are kept. It leans toward a centre that is not, and a corner on that
//! side comes to lie below the line between its neighbours, on which the body stands. [`bearing_outline`] keeps such corners, however
//! many; those above such lines carry nothing that others do not, and go as long as four are left.

use super::manifold::{Manifold, Point};
use super::query::Query;
use crate::constants::{BEARS_BELOW, MANIFOLD_TIE, MAX_MANIFOLD_POINTS, SPANNING_POINTS};
use crate::math::Vec3;
use arrayvec::ArrayVec;

/// Place of a vertex in the plane of a face, and its height above that `[m]`.
pub(super) type At = [f64; 3];

/// Indices of the points that stand for all, and how many there are.
pub(super) type Chosen = ([usize; MAX_MANIFOLD_POINTS], usize);

/// A vertex of a polygon that is clipped; the edges that meet there name it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Vertex {
    pub(super) at: At,
    pub(super) edge_in: u8,
    pub(super) edge_out: u8,
}

/// A convex polygon above a face, of up to `N` vertices.
#[derive(Debug, Clone, Copy)]
pub(super) struct Polygon<const N: usize> {
    vertices: [Vertex; N],
    count: usize,
}

impl<const N: usize> Polygon<N> {
    pub(super) const EMPTY: Self = Self {
        vertices: [Vertex {
            at: [0.0; 3],
            edge_in: 0,
            edge_out: 0,
        }; N],
        count: 0,
    };

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn vertices(&self) -> &[Vertex] {
        &self.vertices[..self.count]
    }

    /// Adds a vertex. A polygon and the lines that it is cut by bound their number by `N`.
    pub(super) fn push(&mut self, vertex: Vertex) {
        debug_assert!(self.count < N);
        if let Some(slot) = self.vertices.get_mut(self.count) {
            *slot = vertex;
            self.count += 1;
        }
    }

    /// Keeps the part that is beyond a line by nothing, and vertices beyond it by no more than the tolerance `[m]`. New edges get
    /// the name `cut`.
    #[inline(always)]
    pub(super) fn clip(&mut self, beyond: impl Fn(&At) -> f64, tolerance: f64, cut: u8) {
        if self
            .vertices()
            .iter()
            .all(|vertex| beyond(&vertex.at) <= tolerance)
        {
            return;
        }
        let vertices: ArrayVec<Vertex, N> = self.vertices().iter().copied().collect();
        self.count = 0;
        let Some(mut from) = vertices.first() else {
            return;
        };
        let mut out_from = beyond(&from.at);
        for index in 0..vertices.len() {
            let to = vertices.get(index + 1).unwrap_or(&vertices[0]);
            let out_to = beyond(&to.at);
            let (in_from, in_to) = (out_from <= tolerance, out_to <= tolerance);
            if in_from {
                self.push(*from);
            }
            // The way back along a line of two vertices crosses where the way there does.
            let is_way_back = vertices.len() == 2 && index == 1;
            if in_from != in_to && !is_way_back {
                // At the line itself, unless the inner vertex is already past it.
                let level = if out_from.min(out_to) <= 0.0 {
                    0.0
                } else {
                    tolerance
                };
                let part = (out_from - level) / (out_from - out_to);
                // The edge between the two either ends here, the cut following, or begins here.
                let edge = from.edge_out;
                let (edge_in, edge_out) = if in_from { (edge, cut) } else { (cut, edge) };
                self.push(Vertex {
                    at: [0, 1, 2].map(|k| from.at[k] + (to.at[k] - from.at[k]) * part),
                    edge_in,
                    edge_out,
                });
            }
            (from, out_from) = (to, out_to);
        }
    }

    /// Offers the vertices that a query admits, or those that are chosen of them and of what is to stay, each with its own height above the face, whose outward normal
    /// or its opposite is `normal`. Returns the least height of any, infinity if there is none.
    #[inline(always)]
    pub(super) fn offer(
        &self,
        normal: &Vec3,
        position: impl Fn(&At) -> Vec3,
        name: impl Fn(&Vertex) -> u32,
        choose: impl FnOnce(&[At], &[bool]) -> Chosen,
        query: &Query,
        manifold: &mut Manifold,
    ) -> f64 {
        let vertices = self.vertices().iter();
        let lowest = vertices.fold(f64::INFINITY, |least, vertex| least.min(vertex.at[2]));
        let admits = |vertex: &&Vertex| {
            let separation = vertex.at[2];
            query.surely_admits(separation)
                || separation <= query.reach
                    && query.admits(&position(&vertex.at), normal, separation)
        };
        let kept: ArrayVec<&Vertex, N> = self.vertices().iter().filter(admits).collect();
        let places: ArrayVec<At, N> = kept.iter().map(|vertex| vertex.at).collect();
        let stays = |vertex: &&Vertex| query.keeps(name(vertex), vertex.at[2]);
        let stay: ArrayVec<bool, N> = kept.iter().map(stays).collect();
        let (chosen, count) = choose(&places, &stay);
        for &index in &chosen[..count] {
            let vertex = kept[index];
            manifold.push(Point {
                feature: name(vertex),
                position: position(&vertex.at),
                normal: query.orient(normal),
                separation: vertex.at[2],
            });
        }
        lowest
    }
}

/// Of the corners of a convex polygon, in order and no more than a manifold has room for, those that a body leans on or that are
/// to stay, and of others four in all.
///
/// As long as more than four are left, the one nearest to the line between its neighbours goes, the first of nearly equal ones, unless it is lower than that line by
/// [`BEARS_BELOW`] of the width.
pub(super) fn bearing_outline(corners: &[At], stay: &[bool]) -> Chosen {
    let mut chosen = std::array::from_fn(|k| k);
    let mut count = corners.len();
    debug_assert!(count <= MAX_MANIFOLD_POINTS);
    if count <= SPANNING_POINTS {
        return (chosen, count);
    }
    let width = corners.iter().fold(0.0_f64, |width, corner| {
        width.max(squared_distance(&corners[0], corner))
    });
    let below = BEARS_BELOW * width.sqrt();
    while count > SPANNING_POINTS {
        let mut nearest = (count, f64::INFINITY);
        for place in 0..count {
            let corner = &corners[chosen[place]];
            let [from, to] = [(place + count - 1) % count, (place + 1) % count];
            let (squared, height) = beside(corner, &corners[chosen[from]], &corners[chosen[to]]);
            if !stay[chosen[place]]
                && corner[2] >= height - below
                && squared < nearest.1 * (1.0 - MANIFOLD_TIE)
            {
                nearest = (place, squared);
            }
        }
        let (place, _) = nearest;
        if place == count {
            break;
        }
        chosen.copy_within(place + 1..count, place);
        count -= 1;
    }
    (chosen, count)
}

/// Squared distance of a point from a line between two others `[m^2]`, and the height of that there `[m]`.
pub(super) fn beside(point: &At, a: &At, b: &At) -> (f64, f64) {
    let along = [b[0] - a[0], b[1] - a[1]];
    let length = squared_distance(a, b);
    let dot = along[0] * (point[0] - a[0]) + along[1] * (point[1] - a[1]);
    let part = if length > 0.0 {
        (dot / length).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let on = [0, 1, 2].map(|k| a[k] + part * (b[k] - a[k]));
    (squared_distance(point, &on), on[2])
}

/// Indices of those vertices of a polygon, in order, that span the largest area, with the deepest one among them; of few
/// vertices all.
///
/// The choice prefers the first of nearly equal vertices, and a deepest one that is not among those of the largest area takes a place if it
/// is deeper by more than `deeper_by` of the width, so that the choice does not change under the noise of a step.
pub(super) fn four_points(
    count: usize,
    deeper_by: f64,
    at: impl Fn(usize) -> At,
) -> ([usize; SPANNING_POINTS], usize) {
    if count <= SPANNING_POINTS {
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

    let tie = deeper_by * squared_distance(&a, &b).sqrt();
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

pub(super) fn squared_distance(a: &At, b: &At) -> f64 {
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{FRAC_PI_4, TAU};

    /// Corners of an octagon of radius 1 at the heights of a plane that falls by `lean` toward an angle.
    fn octagon(toward: f64, lean: f64) -> [At; 8] {
        std::array::from_fn(|k| {
            let angle = FRAC_PI_4 * k as f64;
            [angle.cos(), angle.sin(), -lean * (angle - toward).cos()]
        })
    }

    #[test]
    fn a_face_keeps_the_corners_that_it_leans_on_and_four_where_it_is_level() {
        let level = bearing_outline(&octagon(0.0, 0.0), &[false; 8]);
        assert_eq!(level.1, SPANNING_POINTS);
        for k in 0..64 {
            let toward = TAU * f64::from(k) / 64.0;
            // Noise does not choose.
            assert_eq!(bearing_outline(&octagon(toward, 1e-6), &[false; 8]), level);
            let corners = octagon(toward, 1e-2);
            let (chosen, count) = bearing_outline(&corners, &[false; 8]);
            let chosen = &chosen[..count];
            assert!((SPANNING_POINTS..=8).contains(&count), "{k}: {chosen:?}");
            for (index, corner) in corners.iter().enumerate() {
                let place = chosen.iter().filter(|&&kept| kept < index).count();
                let [from, to] = [place + count - 1, place].map(|at| &corners[chosen[at % count]]);
                let (_, height) = beside(corner, from, to);
                let is_kept = chosen.contains(&index);
                assert!(
                    is_kept || corner[2] >= height - 2.0 * BEARS_BELOW,
                    "{k}: {index} {chosen:?}"
                );
            }
        }
    }
}
