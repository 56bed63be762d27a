//! The lower envelope of points between two bodies: those that one rests on.
//!
//! Four corners that span a face stand for all while the load on it stays between them. A face that is loaded beyond leans onto a corner that was left out,
//! and above an uneven ground any other point may bear it. A body that moves as a whole changes the separation of a point as the same mixture of others changes
//! by which it lies between them: it is of no use as long as its own is no less than that mixture of theirs, and if it is less,
//! the body would sink onto it.

use super::polygon::{At, Chosen, beside, four_points, squared_distance};
use crate::constants::{BEARS_BELOW, DEEPER_BY, MAX_MANIFOLD_POINTS, SPANNING_POINTS};
use arrayvec::ArrayVec;

/// Which points bear.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bearing {
    /// Points above it are not among the four, and come last: those beside the others, the farthest first `[m]`.
    pub(super) level: f64,
    /// A point beside the chosen ones counts if it is lower than what is nearest to it by more than this slope.
    pub(super) slope: f64,
    /// Depth below the chosen ones from which on a point counts, as a fraction of the width of all.
    pub(super) below: f64,
    /// True of corners of a convex polygon: none of them is between others. They have no level.
    pub(super) are_corners: bool,
}

impl Bearing {
    /// Of corners of a face; their heights are those above another face.
    pub(super) const CORNERS: Self = Self {
        level: f64::INFINITY,
        slope: DEEPER_BY,
        below: DEEPER_BY,
        are_corners: true,
    };

    /// Of any points.
    pub(super) const POINTS: Self = Self {
        are_corners: false,
        ..Self::CORNERS
    };

    /// Of corners some of which stand for a rim. With a tenth of this, and twelve corners, towers of cylinders went on swaying.
    pub(super) const OF_RIMS: Self = Self {
        below: BEARS_BELOW,
        ..Self::CORNERS
    };
}

/// Of some points, four that span a large area, those that are to stay, of too many the lowest, and those that lie below the envelope of the ones
/// chosen before, the lowest first.
///
/// Returns their indices, and how many there are.
pub(super) fn bearing_points<const MOST: usize>(
    count: usize,
    bearing: &Bearing,
    at: impl Fn(usize) -> At,
    stays: impl Fn(usize) -> bool,
) -> Chosen {
    if count <= SPANNING_POINTS {
        return (std::array::from_fn(|k| k), count);
    }
    let &Bearing {
        level,
        slope,
        below,
        are_corners,
    } = bearing;
    let points: ArrayVec<At, MOST> = (0..count).map(at).collect();
    let is_low = |index: &usize| points[*index][2] <= level;
    let low: ArrayVec<usize, MOST> = (0..count).filter(is_low).collect();
    let (four, number) = four_points(low.len(), f64::INFINITY, |k| points[low[k]]);
    let mut first: ArrayVec<usize, MAX_MANIFOLD_POINTS> =
        four[..number].iter().map(|&k| low[k]).collect();
    let mut staying: ArrayVec<usize, MOST> = (0..count)
        .filter(|&index| stays(index) && !first.contains(&index))
        .collect();
    staying.sort_by(|&a, &b| points[a][2].total_cmp(&points[b][2]));
    staying.truncate(first.remaining_capacity());
    first.extend(staying);
    let width = points.iter().fold(0.0_f64, |width, point| {
        width.max(squared_distance(point, &points[0]))
    });
    let slack = below * width.sqrt();
    // Between corners no line of chosen ones is higher than the highest of them.
    let heights = first.iter().map(|&index| points[index][2]);
    let top = heights.fold(f64::NEG_INFINITY, f64::max) - slack;
    let may_bear = |at: &At| !are_corners || at[2] < top;
    let mut envelope = Envelope::<MOST>::of(&points, &first, are_corners, may_bear);
    while !envelope.is_full() {
        let others = (0..).zip(&envelope.others);
        let below = others
            .clone()
            .map(|(place, other)| (place, other.below(slope) - slack));
        let beside = others
            .filter(|(_, other)| other.at[2] > level)
            .map(|(place, other)| (place, other.away()));
        let Some(place) = largest(below).or_else(|| largest(beside)) else {
            break;
        };
        envelope.choose(place);
    }
    envelope.chosen()
}

/// Of the corners of a polygon that lies on a face, those that bear.
pub(super) fn bearing_corners<const MOST: usize>(
    bearing: &Bearing,
) -> impl FnOnce(&[At], &[bool]) -> Chosen {
    |corners, stay| {
        let (at, stays) = (|index: usize| corners[index], |index: usize| stay[index]);
        bearing_points::<MOST>(corners.len(), bearing, at, stays)
    }
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

/// A point that is not chosen, and what the chosen ones say of it.
struct Other {
    index: usize,
    at: At,
    /// Least height among the triangles of chosen points that it is in; infinite outside of all `[m]`.
    inside: f64,
    /// Squared distance from the nearest line between two of them `[m^2]`, and the height of that there `[m]`.
    beside: (f64, f64),
}

impl Other {
    /// How far it is below, and beside below a plane of some slope `[m]`.
    fn below(&self, slope: f64) -> f64 {
        let (squared, height) = self.beside;
        let level = if self.inside < f64::INFINITY {
            self.inside
        } else {
            height - slope * squared.sqrt()
        };
        level - self.at[2]
    }

    /// Its squared distance from the triangles and lines of the chosen ones `[m^2]`.
    fn away(&self) -> f64 {
        if self.inside < f64::INFINITY {
            0.0
        } else {
            self.beside.0
        }
    }
}

/// Chosen points, and the others in order.
struct Envelope<const MOST: usize> {
    chosen: ArrayVec<(usize, At), MAX_MANIFOLD_POINTS>,
    others: ArrayVec<Other, MOST>,
    /// True if no point is between others.
    are_corners: bool,
}

impl<const MOST: usize> Envelope<MOST> {
    /// Of some points of which the first ones are chosen, with those of the others that may bear.
    fn of(
        points: &[At],
        first: &[usize],
        are_corners: bool,
        may_bear: impl Fn(&At) -> bool,
    ) -> Self {
        let others =
            (0..points.len()).filter(|index| may_bear(&points[*index]) && !first.contains(index));
        let mut envelope = Self {
            chosen: ArrayVec::new(),
            others: others
                .map(|index| Other {
                    index,
                    at: points[index],
                    inside: f64::INFINITY,
                    beside: (f64::INFINITY, 0.0),
                })
                .collect(),
            are_corners,
        };
        for &index in first {
            envelope.add((index, points[index]));
        }
        envelope
    }

    fn is_full(&self) -> bool {
        self.chosen.is_full()
    }

    /// Chooses one of the others.
    fn choose(&mut self, place: usize) {
        let Other { index, at, .. } = self.others.remove(place);
        if self.chosen.remaining_capacity() > 1 {
            self.add((index, at));
        } else {
            // Nothing is asked of the others any more.
            self.chosen.push((index, at));
        }
    }

    /// Takes a chosen point into account.
    fn add(&mut self, last: (usize, At)) {
        let c = &last.1;
        if self.others.is_empty() {
            self.chosen.push(last);
            return;
        }
        if self.chosen.is_empty() {
            for other in &mut self.others {
                other.beside = (squared_distance(&other.at, c), c[2]);
            }
        }
        for (k, (_, a)) in self.chosen.iter().enumerate() {
            let rest = &self.chosen[k + 1..];
            for (_, b) in rest.iter().filter(|_| !self.are_corners) {
                let Some(triangle) = Triangle::new([a, b, c]) else {
                    continue;
                };
                for other in &mut self.others {
                    let height = triangle.height_at(&other.at);
                    if height < other.inside {
                        other.inside = height;
                    }
                }
            }
            // Of no meaning for points that are inside.
            for other in &mut self.others {
                if other.inside.is_infinite() {
                    let near = beside(&other.at, a, c);
                    if near.0 < other.beside.0 {
                        other.beside = near;
                    }
                }
            }
        }
        self.chosen.push(last);
    }

    /// The indices of the chosen points, and how many there are.
    fn chosen(&self) -> Chosen {
        let mut indices = [0; MAX_MANIFOLD_POINTS];
        for (index, (chosen, _)) in indices.iter_mut().zip(&self.chosen) {
            *index = *chosen;
        }
        indices[..self.chosen.len()].sort_unstable();
        (indices, self.chosen.len())
    }
}

/// A triangle of three chosen points above a plane.
struct Triangle {
    a: At,
    /// Growth along the plane of the shares of the second and third corner `[1/m]`.
    shares: [[f64; 2]; 2],
    /// How far these corners are above the first `[m]`.
    rises: [f64; 2],
}

impl Triangle {
    /// None of points that are nearly on a line.
    fn new([a, b, c]: [&At; 3]) -> Option<Self> {
        let [ab, ac] = [b, c].map(|to| [to[0] - a[0], to[1] - a[1]]);
        let whole = ab[0] * ac[1] - ab[1] * ac[0];
        let longest = squared_distance(a, b).max(squared_distance(b, c));
        (whole.abs() > DEEPER_BY * longest).then(|| Self {
            a: *a,
            shares: [[ac[1], -ac[0]], [-ab[1], ab[0]]].map(|part| part.map(|x| x / whole)),
            rises: [b[2] - a[2], c[2] - a[2]],
        })
    }

    /// Its height at the place of a point; infinite beside it `[m]`.
    fn height_at(&self, point: &At) -> f64 {
        let [x, y] = [0, 1].map(|k| point[k] - self.a[k]);
        let [second, third] = self.shares.map(|share| share[0] * x + share[1] * y);
        let first = 1.0 - second - third;
        if first >= -DEEPER_BY && second >= -DEEPER_BY && third >= -DEEPER_BY {
            self.a[2] + second * self.rises[0] + third * self.rises[1]
        } else {
            f64::INFINITY
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use std::f64::consts::TAU;

    /// Corners of a regular polygon of radius 1, at the heights of a plane that falls by `lean` toward an angle.
    fn polygon(sides: usize, (toward, lean): (f64, f64)) -> Vec<At> {
        let corner = |k: usize| {
            let angle = TAU * k as f64 / sides as f64;
            [angle.cos(), angle.sin(), -lean * (angle - toward).cos()]
        };
        (0..sides).map(corner).collect()
    }

    fn bearing(corners: &[At], stay: &[bool]) -> Chosen {
        bearing_corners::<32>(&Bearing::CORNERS)(corners, stay)
    }

    #[test]
    fn a_face_that_leans_stands_on_its_lowest_corner() {
        for sides in 5..=32 {
            let (_, count) = bearing(&polygon(sides, (0.0, 0.0)), &[false; 32]);
            assert_eq!(count, SPANNING_POINTS);
            for k in 0..sides {
                let toward = TAU * k as f64 / sides as f64;
                let corners = polygon(sides, (toward, 1e-4));
                let (chosen, count) = bearing(&corners, &[false; 32]);
                let heights = chosen[..count].iter().map(|&index| corners[index][2]);
                let lowest = heights.fold(0.0, f64::min);
                // Of many corners one beside the lowest does as well.
                assert!(lowest < -0.9e-4, "{sides}: {k} {chosen:?}");
                assert!(
                    sides > 12 || chosen[..count].contains(&k),
                    "{sides}: {k} {chosen:?}"
                );
            }
        }
    }

    /// Corners are looked at less closely than any points, and those that bear are the same.
    #[test]
    fn corners_bear_as_points_do() {
        let mut random = rand_pcg::Pcg64::seed_from_u64(4);
        let mut beside_four = 0;
        for k in 0..2000 {
            let sides = 5 + k % 20;
            let lean = random.random_range(0.0..0.2);
            let mut corners = polygon(sides, (random.random_range(0.0..TAU), lean));
            let bend = random.random_range(0.0..0.1);
            for corner in &mut corners {
                corner[2] += bend * random.random_range(-1.0..1.0);
            }
            let stay: Vec<bool> = (0..sides).map(|_| random.random_range(0..4) == 0).collect();
            let points = Bearing {
                are_corners: false,
                ..Bearing::OF_RIMS
            };
            let found = [Bearing::OF_RIMS, points]
                .map(|bearing| bearing_corners::<32>(&bearing)(&corners, &stay));
            assert_eq!(found[0], found[1], "{corners:?}");
            beside_four += found[0].1 - SPANNING_POINTS;
        }
        assert!(beside_four > 2000, "{beside_four}");
    }

    #[test]
    fn corners_that_are_to_stay_do_while_there_is_room() {
        for sides in 5..=MAX_MANIFOLD_POINTS {
            let level = polygon(sides, (0.0, 0.0));
            for k in 0..sides {
                let mut stay = vec![false; sides];
                stay[k] = true;
                stay[(k + 1) % sides] = true;
                let (chosen, count) = bearing(&level, &stay);
                let chosen = &chosen[..count];
                assert!(chosen.contains(&k), "{sides}: {k} {chosen:?}");
                assert!(
                    chosen.contains(&((k + 1) % sides)),
                    "{sides}: {k} {chosen:?}"
                );
                assert!(count <= SPANNING_POINTS + 2, "{sides}: {k} {chosen:?}");
            }
            let (_, count) = bearing(&level, &vec![true; sides]);
            assert_eq!(count, sides);
        }
        let (_, count) = bearing(&polygon(32, (0.0, 0.0)), &[true; 32]);
        assert_eq!(count, MAX_MANIFOLD_POINTS);
    }
}
