//! Nearest points of two convex shapes, by simplices of points of their difference.

use super::Core;
use crate::constants::{CONVEX_ACCURACY, MAX_CONVEX_STEPS, NEAR_ACCURACY};
use crate::math::Vec3;

/// Height of a tetrahedron over an edge below which it counts as flat.
const FLAT: f64 = 1e-10;

/// Square of the sine between two sides of a triangle below which it counts as thin.
const THIN: f64 = 1e-10;

/// A point of the difference of two shapes, with the points that it comes from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Vertex {
    pub(super) on: [Vec3; 2],
    /// The point of P less that of Q.
    pub(super) apart: Vec3,
}

impl Vertex {
    /// Farthest along a direction.
    pub(super) fn farthest(p: &Core<'_>, q: &Core<'_>, direction: &Vec3) -> Self {
        let on = [p.farthest(direction), q.farthest(&-direction)];
        Self {
            on,
            apart: on[0] - on[1],
        }
    }
}

/// Up to four points of the difference, and the weights of its point that is nearest to the origin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Simplex {
    vertices: [Vertex; 4],
    weights: [f64; 4],
    count: usize,
}

/// The cores of two shapes.
pub(super) enum Outcome {
    /// Apart by more than asked for, and by `least` at least `[m]`; these points are not much farther apart.
    Beyond { on: [Vec3; 2], least: f64 },
    /// Nearest at these points, the one on P less that on Q with the shift.
    Apart { on: [Vec3; 2], apart: Vec3 },
    /// No farther apart than is of use: these points are near.
    Within { on: [Vec3; 2] },
    /// Nearly touching, or slightly overlapping, by about this way from Q to P `[m]`: rounding makes the search slow.
    Near(Vec3),
    /// They overlap.
    Overlap,
}

/// What bounds of the distance of two cores say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// They are farther apart than asked for.
    Beyond,
    /// No closer look is of use.
    Within,
    Unknown,
}

/// The nearest points of two cores of which the first is moved by `shift`, unless these are farther apart than `reach`, or
/// nearer than `near` `[m]`. Those on P are where it was before. Begins with a direction from Q to P.
pub(super) fn nearest(
    p: &Core<'_>,
    q: &Core<'_>,
    (shift, start): (&Vec3, &Vec3),
    [near, reach]: [f64; 2],
) -> Outcome {
    let first = Simplex::first(p, q, start).shifted(shift);
    nearest_unless((p, q), shift, near, first, |_, [least, _]| {
        if least > reach {
            Verdict::Beyond
        } else {
            Verdict::Unknown
        }
    })
}

/// The same, from a simplex of points of the shifted difference, unless there is a verdict on a unit vector from Q to P and on bounds of the distance, least and most `[m]`.
pub(super) fn nearest_unless(
    (p, q): (&Core<'_>, &Core<'_>),
    shift: &Vec3,
    near: f64,
    mut simplex: Simplex,
    verdict: impl Fn(&Vec3, [f64; 2]) -> Verdict,
) -> Outcome {
    let mut nearest = simplex.nearest();
    for _ in 0..MAX_CONVEX_STEPS {
        let squared = nearest.norm_squared();
        if squared <= simplex.rounding() {
            return Outcome::Overlap;
        }
        let mut vertex = Vertex::farthest(p, q, &-nearest);
        vertex.apart += shift;
        // No point of the difference is nearer to the origin than this.
        let least = nearest.dot(&vertex.apart);
        let most = squared.sqrt();
        match verdict(&(nearest / most), [least / most, most]) {
            Verdict::Beyond => {
                return Outcome::Beyond {
                    on: simplex.nearest_vertex().on,
                    least: least / most,
                };
            }
            Verdict::Within => {
                return Outcome::Within {
                    on: simplex.nearest_vertex().on,
                };
            }
            Verdict::Unknown => {}
        }
        if squared < near * near && squared - least <= NEAR_ACCURACY * squared {
            return Outcome::Near(nearest);
        }
        if squared - least <= CONVEX_ACCURACY * squared {
            break;
        }
        let mut next = simplex;
        if !simplex.has(&vertex.apart) {
            next.push(vertex);
            if next.reduce() {
                return Outcome::Overlap;
            }
        }
        let mut found = next.nearest();
        if found.norm_squared() >= squared {
            // The simplex is too thin for its weights: what is known of it is its nearest point.
            next = Simplex::of(simplex.nearest_vertex());
            next.push(vertex);
            next.reduce();
            found = next.nearest();
            if found.norm_squared() >= squared {
                break;
            }
        }
        (simplex, nearest) = (next, found);
    }
    let Vertex { on, apart } = simplex.nearest_vertex();
    Outcome::Apart { on, apart }
}

impl Simplex {
    pub(super) fn of(vertex: Vertex) -> Self {
        Self {
            vertices: [vertex; 4],
            weights: [1.0, 0.0, 0.0, 0.0],
            count: 1,
        }
    }

    /// One to begin with, by a direction from Q to P.
    pub(super) fn first(p: &Core<'_>, q: &Core<'_>, start: &Vec3) -> Self {
        let toward = if *start == Vec3::zeros() {
            Vec3::x()
        } else {
            -start
        };
        Self::of(Vertex::farthest(p, q, &toward))
    }

    /// The part of it and another vertex that is nearest to the origin.
    pub(super) fn and(mut self, vertex: Vertex) -> Self {
        self.push(vertex);
        self.reduce();
        self
    }

    /// Of P moved by a shift.
    fn shifted(mut self, shift: &Vec3) -> Self {
        for vertex in &mut self.vertices {
            vertex.apart += shift;
        }
        self
    }

    fn vertices(&self) -> &[Vertex] {
        &self.vertices[..self.count]
    }

    fn push(&mut self, vertex: Vertex) {
        self.vertices[self.count] = vertex;
        self.count += 1;
    }

    fn has(&self, apart: &Vec3) -> bool {
        self.vertices().iter().any(|vertex| vertex.apart == *apart)
    }

    /// Square of the length that is lost in the rounding of the vertices `[m^2]`.
    fn rounding(&self) -> f64 {
        let squares = self
            .vertices()
            .iter()
            .map(|vertex| vertex.apart.norm_squared());
        1e-28 * squares.fold(0.0, f64::max)
    }

    fn weighted(&self, part: impl Fn(&Vertex) -> Vec3) -> Vec3 {
        let parts = self.vertices().iter().zip(self.weights);
        parts.map(|(vertex, weight)| part(vertex) * weight).sum()
    }

    /// The point that is nearest to the origin, as a vertex.
    fn nearest_vertex(&self) -> Vertex {
        Vertex {
            on: [0, 1].map(|of| self.weighted(|vertex| vertex.on[of])),
            apart: self.nearest(),
        }
    }

    fn nearest(&self) -> Vec3 {
        self.weighted(|vertex| vertex.apart)
    }

    /// Keeps the vertices of the face that is nearest to the origin, with weights. True if the origin is inside.
    fn reduce(&mut self) -> bool {
        let at = |k: usize| self.vertices[k].apart;
        let (kept, weights) = match self.count {
            2 => on_segment([0, 1], &at),
            3 => on_triangle([0, 1, 2], &at),
            _ => match on_tetrahedron(&at) {
                Some(found) => found,
                None => return true,
            },
        };
        let vertices = self.vertices;
        self.count = 0;
        for (index, weight) in kept.into_iter().zip(weights) {
            if weight > 0.0 {
                self.weights[self.count] = weight;
                self.vertices[self.count] = vertices[index];
                self.count += 1;
            }
        }
        false
    }
}

/// Vertices by their indices, and the weights of their point nearest to the origin.
type Nearest = ([usize; 3], [f64; 3]);

fn on_segment([a, b]: [usize; 2], at: &impl Fn(usize) -> Vec3) -> Nearest {
    let along = at(b) - at(a);
    let squared = along.norm_squared();
    let share = if squared > 0.0 {
        (-at(a).dot(&along) / squared).clamp(0.0, 1.0)
    } else {
        0.0
    };
    ([a, b, b], [1.0 - share, share, 0.0])
}

/// Inside of the triangle, else on one of its sides. Of a thin triangle, whose inside is lost to rounding, whichever is nearer.
fn on_triangle([a, b, c]: [usize; 3], at: &impl Fn(usize) -> Vec3) -> Nearest {
    let [at_a, at_b, at_c] = [at(a), at(b), at(c)];
    let (ab, ac) = (at_b - at_a, at_c - at_a);
    let normal = ab.cross(&ac);
    // Above the triangle's inside its weights are the areas seen from there.
    let weights =
        [(at_b, at_c), (at_c, at_a), (at_a, at_b)].map(|(from, to)| normal.dot(&from.cross(&to)));
    let is_inside = weights[0] > 0.0 && weights[1] > 0.0 && weights[2] > 0.0;
    let sum = weights[0] + weights[1] + weights[2];
    let is_thin = normal.norm_squared() <= THIN * ab.norm_squared() * ac.norm_squared();
    if is_inside && !is_thin {
        return ([a, b, c], weights.map(|weight| weight / sum));
    }
    if !is_thin {
        // Behind one side only, or behind two: the other sides are farther away.
        let behind = [[b, c], [c, a], [a, b]];
        let mut best: Option<(f64, Nearest)> = None;
        for (side, weight) in behind.into_iter().zip(weights) {
            if weight <= 0.0 {
                keep_nearer(&mut best, on_segment(side, at), at);
            }
        }
        if let Some((_, found)) = best {
            return found;
        }
    }
    let sides = [[a, b], [b, c], [c, a]].map(|side| on_segment(side, at));
    let best = least(sides, at);
    if is_inside {
        return least([best, ([a, b, c], weights.map(|weight| weight / sum))], at);
    }
    best
}

/// On a face with the last vertex, since the origin lies on its side of the first three; None if the origin is inside.
fn on_tetrahedron(at: &impl Fn(usize) -> Vec3) -> Option<Nearest> {
    let last = at(3);
    let from_last = [at(0) - last, at(1) - last, at(2) - last];
    let mut best: Option<(f64, Nearest)> = None;
    for [a, b, other] in [[0, 1, 2], [1, 2, 0], [2, 0, 1]] {
        let normal = from_last[a].cross(&from_last[b]);
        let (origin, inside) = (-normal.dot(&last), normal.dot(&from_last[other]));
        // A flat tetrahedron has no inside.
        let is_flat = inside * inside
            <= FLAT * FLAT * normal.norm_squared() * from_last[other].norm_squared();
        if is_flat || origin * inside < 0.0 {
            keep_nearer(&mut best, on_triangle([a, b, 3], at), at);
        }
    }
    best.map(|(_, found)| found)
}

fn keep_nearer(best: &mut Option<(f64, Nearest)>, found: Nearest, at: &impl Fn(usize) -> Vec3) {
    let squared = place(&found, at).norm_squared();
    if best.is_none_or(|(least, _)| squared < least) {
        *best = Some((squared, found));
    }
}

fn least<const N: usize>(candidates: [Nearest; N], at: &impl Fn(usize) -> Vec3) -> Nearest {
    let mut best = candidates[0];
    let mut squared = place(&best, at).norm_squared();
    for found in &candidates[1..] {
        let other = place(found, at).norm_squared();
        if other < squared {
            (best, squared) = (*found, other);
        }
    }
    best
}

fn place((vertices, weights): &Nearest, at: &impl Fn(usize) -> Vec3) -> Vec3 {
    let parts = vertices.iter().zip(weights);
    parts.map(|(&vertex, &weight)| at(vertex) * weight).sum()
}
