//! Where the sides of a triangle are above or below a convex polygon.

use super::front::Front;
use crate::constants::CLIP_TOLERANCE;
use crate::math::Vec3;

/// Where the boundary of the polygon crosses the line of a side.
#[derive(Debug, Clone, Copy)]
pub(super) struct End {
    /// Edge of the polygon, by the corner that it begins at.
    pub(super) edge: u32,
    /// From the start of the side, over its length.
    pub(super) along: f64,
    /// Of the polygon above the triangle `[m]`.
    pub(super) height: f64,
}

/// The part of a side's line that faces the polygon.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chord([End; 2]);

/// The chords of the three sides of a triangle.
pub(super) struct Chords {
    ends: [[End; 2]; 3],
    counts: [usize; 3],
    /// Least height of a corner that is within the triangle, infinite if there is none `[m]`.
    pub(super) lowest_corner: f64,
}

/// A corner of the polygon, and what [`Front::place`] says of it.
#[derive(Clone, Copy)]
struct Corner {
    at: Vec3,
    inside: [f64; 3],
    height: f64,
}

impl Chords {
    /// Of a triangle and the corners of a polygon, in order.
    pub(super) fn new(front: &Front, corners: impl ExactSizeIterator<Item = Vec3> + Clone) -> Self {
        let none = End {
            edge: 0,
            along: 0.0,
            height: 0.0,
        };
        let mut chords = Self {
            ends: [[none; 2]; 3],
            counts: [0; 3],
            lowest_corner: f64::INFINITY,
        };
        let seen = |at: Vec3| {
            let (inside, height) = front.place(&at);
            Corner { at, inside, height }
        };
        let count = corners.len() as u32;
        let Some(last) = corners.clone().last() else {
            return chords;
        };
        let mut from = seen(last);
        for (corner, index) in corners.zip(0..) {
            let to = seen(corner);
            if Front::holds(&to.inside) {
                chords.lowest_corner = chords.lowest_corner.min(to.height);
            }
            let edge = if index == 0 { count - 1 } else { index - 1 };
            for side in 0..3 {
                let is_in = |corner: &Corner| corner.inside[side] >= -CLIP_TOLERANCE;
                if is_in(&from) != is_in(&to) {
                    chords.cross(front, (side, edge), (&from, &to));
                }
            }
            from = to;
        }
        chords
    }

    /// Adds where an edge of the polygon, with an end to either side, crosses the line of a side.
    fn cross(&mut self, front: &Front, (side, edge): (usize, u32), (from, to): (&Corner, &Corner)) {
        // At the line itself, unless the inner corner is already past it.
        let level = from.inside[side]
            .max(to.inside[side])
            .clamp(-CLIP_TOLERANCE, 0.0);
        let part = (from.inside[side] - level) / (from.inside[side] - to.inside[side]);
        let at = from.at + (to.at - from.at) * part;
        let along = &front.sides[side];
        // A convex polygon crosses a line twice.
        if let Some(place) = self.ends[side].get_mut(self.counts[side]) {
            *place = End {
                edge,
                along: along.dot(&(at - front.corners[side])) / along.norm_squared(),
                height: from.height + (to.height - from.height) * part,
            };
            self.counts[side] += 1;
        }
    }

    /// The chord of a side; none if the polygon is to one side of its line.
    pub(super) fn of_side(&self, side: usize) -> Option<Chord> {
        (self.counts[side] == 2).then_some(Chord(self.ends[side]))
    }
}

impl Chord {
    /// Height of the polygon above the start of the side, if that is within the polygon `[m]`.
    pub(super) fn height_at_start(&self) -> Option<f64> {
        let [one, other] = self.0;
        let [low, high] = if one.along < other.along {
            [one, other]
        } else {
            [other, one]
        };
        (low.along < -CLIP_TOLERANCE && high.along > CLIP_TOLERANCE).then(|| {
            let part = -low.along / (high.along - low.along);
            low.height + (high.height - low.height) * part
        })
    }

    /// Its ends that are on the side.
    pub(super) fn ends_on_side(&self) -> impl Iterator<Item = End> {
        let on = -CLIP_TOLERANCE..=1.0 + CLIP_TOLERANCE;
        self.0
            .into_iter()
            .filter(move |end| on.contains(&end.along))
    }
}
