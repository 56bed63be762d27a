//! Contact points that are fixed to both bodies, as they are kept from step to step.

use super::ContactPoint;
use super::crowd::Crowd;
use super::four::{Four, Quad};
use super::narrowphase::{Limits, Names, Query};
use super::whereabouts::{Whereabouts, reach};
use crate::math::{self, Mat3, Vec3};

/// A contact point fixed to both bodies.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeptPoint {
    pub(super) feature: u64,
    /// On the surface of each body, relative to its centre of mass, in its axes `[m]`.
    pub(super) surface: [Vec3; 2],
    /// From B to A, in the axes of the body that the normal turns with.
    pub(super) normal: Vec3,
    /// Which of the two: 0 or 1.
    pub(super) normal_of: u32,
}

impl KeptPoint {
    fn shares_normal(&self, other: &Self) -> bool {
        self.normal_of == other.normal_of && self.normal == other.normal
    }
}

/// Two bodies that have turned since their points were where they are to stay.
#[derive(Debug)]
pub(super) struct Turned {
    /// From each body's axes to the world's, now.
    pub(super) rotations: [Mat3; 2],
    /// Centre of mass of B minus that of A, now `[m]`.
    pub(super) offset: Vec3,
    /// Rotation vectors `[rad]`.
    pub(super) by: [Vec3; 2],
    /// True for a body whose surface is round.
    pub(super) are_round: [bool; 2],
}

/// Points in a bundle: most manifolds take one.
const ROOM: usize = 4;

/// Points of two bodies that share a normal, as those of a face do, in order of their features: what
/// is needed of few points comes first, and a bundle fills four cache lines.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Bundle {
    /// As in [`KeptPoint`].
    normal: Vec3,
    normal_of: u32,
    count: u32,
    features: [u64; ROOM],
    surfaces: [[Vec3; 2]; ROOM],
}

impl Bundle {
    /// A place for points.
    pub(super) const EMPTY: Self = {
        let zero = Vec3::new(0.0, 0.0, 0.0);
        Self {
            normal: zero,
            normal_of: 0,
            count: 0,
            features: [0; ROOM],
            surfaces: [[zero; 2]; ROOM],
        }
    };

    /// From B to A, where these are the bodies' axes.
    pub(super) fn normal(&self, rotations: &[Mat3; 2]) -> Vec3 {
        rotations[usize::from(self.normal_of != 0)] * self.normal
    }

    /// Least distance of the two places of a point `[m]`, and whether a query of bodies with these axes admits one.
    pub(super) fn closest(&self, rotations: &[Mat3; 2], query: &Query) -> (f64, bool) {
        let normal = self.normal(rotations);
        let surfaces = self.surfaces.iter().take(self.count as usize);
        surfaces.fold((f64::INFINITY, false), |(closest, counts), [a, b]| {
            let [a, b] = [rotations[0] * a, query.offset + rotations[1] * b];
            let apart = a - b;
            let admits = query.admits(&((a + b) * 0.5), &normal, apart.dot(&normal));
            (closest.min(apart.norm()), counts | admits)
        })
    }

    /// Leaves points on round bodies where they were, seen from these bodies' middles, while the bodies turned: the surface goes on along the normal, and
    /// turns beneath the point. Points that turn with a wheel would brake it: they push ahead of its lowest point more than behind it.
    pub(super) fn hold_round_points(&mut self, turned: &Turned) {
        let Turned {
            rotations,
            offset,
            by,
            are_round,
        } = turned;
        let back = by.map(|turn| math::exp(&-turn));
        let leader = usize::from(self.normal_of != 0);
        let mut normal = self.normal(rotations);
        if are_round[leader] {
            normal = back[leader] * normal;
            self.normal = rotations[leader].tr_mul(&normal);
        }
        let held = |body: usize, arm: Vec3| {
            let still = back[body] * arm;
            still + normal * normal.dot(&by[body].cross(&still))
        };
        for surface in &mut self.surfaces[..self.count as usize] {
            let (mut a, mut b) = (
                rotations[0] * surface[0],
                offset + rotations[1] * surface[1],
            );
            let apart = |a: Vec3, b: Vec3| normal * normal.dot(&(a - b));
            match are_round {
                [true, true] => (a, b) = (held(0, a), offset + held(1, b - offset)),
                // The other point is the one across from it.
                [true, false] => {
                    a = held(0, a);
                    b = a - apart(a, b);
                }
                [false, true] => {
                    b = offset + held(1, b - offset);
                    a = b + apart(a, b);
                }
                [false, false] => {}
            }
            *surface = [rotations[0].tr_mul(&a), rotations[1].tr_mul(&(b - offset))];
        }
    }

    /// Takes the first of the points, as many as share a normal and have room, and returns the others.
    pub(super) fn take<'a>(&mut self, points: &'a [KeptPoint]) -> &'a [KeptPoint] {
        let count = taken(points);
        let (points, others) = points.split_at(count);
        self.count = count as u32;
        if let Some(first) = points.first() {
            self.normal = first.normal;
            self.normal_of = first.normal_of;
        }
        let places = self.features.iter_mut().zip(&mut self.surfaces);
        for ((feature, surface), point) in places.zip(points) {
            *feature = point.feature;
            *surface = point.surface;
        }
        others
    }

    /// Appends those of the points that are within the limits, where they are now.
    #[inline(always)]
    pub(super) fn append_contacts<F: Four>(
        &self,
        crowd: &Crowd,
        pair: [u32; 2],
        (a, b): (&Whereabouts, &Whereabouts),
        limits: Limits,
        found: &mut Vec<ContactPoint>,
    ) {
        let reach = reach(a, b, limits);
        let normal_of = if self.normal_of == 0 { a } else { b };
        let normal: F = normal_of.turned(&self.normal);
        let origin: F = a.position();
        let offset = b.position::<F>().minus(origin);
        let points = self.features.iter().zip(&self.surfaces);
        for (&feature, surface) in points.take(self.count as usize) {
            let on_a: F = a.turned(&surface[0]);
            let on_b = b.turned::<F>(&surface[1]).plus(offset);
            let separation = on_a.minus(on_b).dot(normal);
            // Most points that do not count are beyond the reach of any velocity.
            if separation > reach {
                continue;
            }
            let position = on_a.plus(on_b).scaled(0.5);
            if separation > limits.margin
                && !closes(
                    crowd,
                    pair,
                    limits,
                    (position.quad(), normal.quad(), separation),
                )
            {
                continue;
            }
            found.push(ContactPoint {
                bodies: pair,
                feature,
                position: origin.plus(position).vector(),
                normal: normal.vector(),
                separation,
            });
        }
    }
}

/// A bundle as checkpoints hold it: without the room that it does not use.
#[cfg(feature = "scene")]
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct SavedBundle {
    normal: Vec3,
    normal_of: u32,
    points: Vec<(u64, [Vec3; 2])>,
}

#[cfg(feature = "scene")]
impl Bundle {
    /// Its state for a checkpoint.
    pub(super) fn saved(&self) -> SavedBundle {
        let points = self.features.iter().zip(&self.surfaces);
        let points = points.take(self.count as usize);
        SavedBundle {
            normal: self.normal,
            normal_of: self.normal_of,
            points: points
                .map(|(&feature, &surface)| (feature, surface))
                .collect(),
        }
    }

    /// The bundle that was saved; `None` for one of more points than there is room for.
    pub(super) fn restored(saved: &SavedBundle) -> Option<Self> {
        let mut bundle = Self {
            normal: saved.normal,
            normal_of: saved.normal_of,
            count: saved.points.len() as u32,
            ..Self::EMPTY
        };
        if saved.points.len() > ROOM {
            return None;
        }
        let places = bundle.features.iter_mut().zip(&mut bundle.surfaces);
        for ((feature, surface), &(name, points)) in places.zip(&saved.points) {
            (*feature, *surface) = (name, points);
        }
        Some(bundle)
    }
}

/// Names of the points of some bundles.
pub(super) fn names(bundles: &[Bundle]) -> Names {
    let points = bundles.iter();
    Names::of(points.flat_map(|bundle| &bundle.features[..bundle.count as usize]))
}

/// How many points of a list the next bundle takes.
fn taken(points: &[KeptPoint]) -> usize {
    let shared = points.iter().take(ROOM);
    shared
        .take_while(|point| point.shares_normal(&points[0]))
        .count()
}

/// How many bundles take all of the points.
pub(super) fn bundles_of(mut points: &[KeptPoint]) -> usize {
    let mut count = 0;
    while !points.is_empty() {
        points = &points[taken(points)..];
        count += 1;
    }
    count
}

/// True if the velocities bring the two bodies together at a point beyond the margin.
#[cold]
fn closes(
    crowd: &Crowd,
    pair: [u32; 2],
    limits: Limits,
    (position, normal, separation): (Quad, Quad, f64),
) -> bool {
    let [a, b] = pair.map(|body| &crowd.movers()[body as usize]);
    Query::new(a, b, limits).admits(&position.vector(), &normal.vector(), separation)
}
