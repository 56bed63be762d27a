//! Contacts of two parts of which one is round: a sphere, capsule, cylinder or cone, or of a part with a half-space.
//!
//! No direction has the supporting planes of two convex parts farther apart than the parts are, and the best of the normals of nearest
//! features is as far: with a rough direction of the search of `collide` the features are found that reach toward the other part, and
//! the gap is the largest separation along a normal of a face or of a pair of these. Contacts are the pairs whose gap is small and whose normal
//! separates nearly as well. A disk flat on a face touches in points of its rim that stay on it, in corners below it, and where
//! edges cross its rim.

use super::feature::{Feature, Nearest, tangents_of};
use super::form::{Bounded, Form, Part};
use super::starts::{TILTED, starts};
use crate::collide::{Core, direction_between, separation_along};
use crate::math::{Mat3, Pose, Vec3};
use std::f64::consts::TAU;

/// Share of a part's size by which a feature may reach less far than the part and still be nearest: the direction is rough.
const ROUGH: f64 = 0.01;
/// Cosine of the angle between a face's normal and the rough direction up to which it may be the normal.
const TURNED: f64 = 0.999;
/// Points of the rim that a flat disk stands on.
const RIM_POINTS: u32 = 4;

/// A rim that lies flat on a face, both in their bodies' axes.
pub(super) struct Rim<'a> {
    /// True if the rim is of the second part.
    pub(super) is_swapped: bool,
    pub(super) circle: Feature,
    pub(super) face: &'a Bounded,
}

impl Rim<'_> {
    /// A point of the rim by its angle.
    pub(super) fn point(&self, angle: f64) -> Feature {
        let at = match &self.circle {
            Feature::Circle {
                center,
                axis,
                radius,
            } => {
                let (first, second) = tangents_of(axis);
                center + (first * angle.cos() + second * angle.sin()) * *radius
            }
            _ => Vec3::zeros(),
        };
        Feature::Point { at, radius: 0.0 }
    }
}

/// Features that touch, in the bodies' axes, of ascending rank.
pub(super) struct Touch {
    /// True if the first is of the second part.
    pub(super) is_swapped: bool,
    pub(super) features: [Feature; 2],
    /// Where, and the normal to the first, in the axes of the second one's body.
    pub(super) near: Vec3,
    pub(super) toward: Vec3,
}

/// Two parts where they are, seen from the second body's centre.
pub(super) struct PartPair<'a> {
    parts: [&'a Part; 2],
    /// Of their bodies.
    poses: [Pose; 2],
    places: [(Vec3, Mat3); 2],
}

/// Two features, and where they are nearest.
struct Candidate<'a> {
    is_swapped: bool,
    of: [&'a Bounded; 2],
    nearest: Nearest,
}

impl Candidate<'_> {
    /// From the second part to the first.
    fn normal(&self) -> Vec3 {
        if self.is_swapped {
            -self.nearest.normal
        } else {
            self.nearest.normal
        }
    }
}

impl<'a> PartPair<'a> {
    /// Two parts, and the poses of their bodies.
    pub(super) fn new(parts: [&'a Part; 2], bodies: [&Pose; 2]) -> Self {
        let origin = bodies[1].position;
        let poses = bodies.map(|body| Pose::new(body.position - origin, body.orientation));
        let places = [0, 1].map(|k| {
            let pose = poses[k].compose(&parts[k].pose);
            (
                pose.position,
                *pose.orientation.to_rotation_matrix().matrix(),
            )
        });
        Self {
            parts,
            poses,
            places,
        }
    }

    fn cores(&self) -> [Option<Core<'_>>; 2] {
        [0, 1].map(|k| {
            let (position, rotation) = &self.places[k];
            self.parts[k].form.core(position, rotation)
        })
    }

    /// Outward normal of a half-space and the distance of its boundary from the origin.
    fn boundary(&self, which: usize) -> Option<(Vec3, f64)> {
        let Form::HalfSpace { normal, offset } = self.parts[which].form else {
            return None;
        };
        let (position, rotation) = &self.places[which];
        let normal = rotation * normal;
        Some((normal, offset + normal.dot(position)))
    }

    /// The separation along a direction from the second part to the first; of a half-space it is along its normal.
    fn along(&self, cores: &[Option<Core<'_>>; 2], normal: &Vec3) -> f64 {
        let height = |of: usize, core: &Core<'_>| {
            self.boundary(of).map_or(f64::INFINITY, |(normal, offset)| {
                normal.dot(&core.farthest(&-normal)) - core.radius() - offset
            })
        };
        match cores {
            [Some(p), Some(q)] => separation_along(p, q, normal),
            [Some(p), None] => height(1, p),
            [None, Some(q)] => height(0, q),
            [None, None] => f64::INFINITY,
        }
    }

    fn direction(&self, cores: &[Option<Core<'_>>; 2]) -> Vec3 {
        if let Some((normal, _)) = self.boundary(1) {
            return normal;
        }
        if let Some((normal, _)) = self.boundary(0) {
            return -normal;
        }
        let between = self.places[0].0 - self.places[1].0;
        match (&self.parts[0].form, &self.parts[1].form, cores) {
            (Form::Sphere(_), Form::Sphere(_), _) => {
                between.try_normalize(0.0).unwrap_or_else(Vec3::z)
            }
            (_, _, [Some(p), Some(q)]) => direction_between(p, q),
            _ => Vec3::z(),
        }
    }

    /// The features of a part that reach toward the other, in the part's place.
    fn facing(
        &self,
        which: usize,
        core: Option<&Core<'_>>,
        toward: &Vec3,
    ) -> Vec<(&'a Bounded, Feature)> {
        let part = self.parts[which];
        let pose = &self.poses[which];
        let local = pose.inverse_direction(toward);
        let farthest = core.map_or(f64::INFINITY, |core| {
            core.farthest(toward).dot(toward) + core.radius() - pose.position.dot(toward)
        });
        let slack = ROUGH * part.size();
        let faces = |one: &Bounded| match (one.reach(&local), one.feature) {
            (Some(reach), _) => reach >= farthest - slack,
            (None, Feature::Plane { normal, .. }) => normal.dot(&local) >= TURNED,
            _ => false,
        };
        let all = part.features.iter().filter(|one| faces(one));
        all.map(|one| (one, one.feature.placed(pose))).collect()
    }

    /// The separation, and pairs of features that may touch.
    fn candidates(&self) -> (f64, Vec<Candidate<'a>>) {
        let cores = self.cores();
        let rough = self.direction(&cores);
        let mut best = (rough, self.along(&cores, &rough));
        let mut consider = |normal: Vec3| {
            let separation = self.along(&cores, &normal);
            if separation > best.1 {
                best = (normal, separation);
            }
            best.0
        };
        let facing = [
            self.facing(0, cores[0].as_ref(), &-rough),
            self.facing(1, cores[1].as_ref(), &rough),
        ];
        let mut normal = rough;
        for (side, sign) in facing.iter().zip([-1.0, 1.0]) {
            for (_, feature) in side {
                if let Feature::Plane {
                    normal: of_face, ..
                } = feature
                {
                    normal = consider(of_face * sign);
                }
            }
        }
        let mut found = Vec::new();
        for first in &facing[0] {
            for second in &facing[1] {
                let is_swapped = first.1.rank() > second.1.rank();
                let ([low, high], sign) = if is_swapped {
                    ([second, first], -1.0)
                } else {
                    ([first, second], 1.0)
                };
                let toward = normal * sign;
                for start in starts([&low.1, &high.1], &toward) {
                    let nearest = Nearest::of([&low.1, &high.1], &start, &toward);
                    if nearest.is_determined {
                        let candidate = Candidate {
                            is_swapped,
                            of: [low.0, high.0],
                            nearest,
                        };
                        consider(candidate.normal());
                        found.push(candidate);
                    }
                }
            }
        }
        (best.1, found)
    }

    /// Distance of the parts `[m]`, negative for their depth.
    pub(super) fn separation(&self) -> f64 {
        self.candidates().0
    }

    /// Pairs of features whose gap is at most `distance` `[m]` and whose normal separates nearly as well as any, those on faces first, and
    /// the largest of their gaps; of parts that overlap all that are as deep.
    fn near(&self, distance: f64) -> (f64, Vec<Candidate<'a>>) {
        let (separation, mut candidates) = self.candidates();
        let farthest = distance.max(separation + distance);
        if separation > distance {
            candidates.clear();
        }
        let cores = self.cores();
        candidates.retain(|one| {
            one.nearest.gap() <= farthest
                && self.along(&cores, &one.normal()) >= separation - distance
        });
        candidates.sort_by_key(|one| u8::MAX - one.of[1].feature.rank());
        (farthest, candidates)
    }

    /// The features that touch with a gap of at most `distance` `[m]`.
    pub(super) fn touching(&self, distance: f64) -> Vec<Touch> {
        let (farthest, candidates) = self.near(distance);
        let mut found = Found {
            pair: self,
            merge: 4.0 * distance,
            touches: Vec::new(),
            places: Vec::new(),
        };
        let mut stands = false;
        for one in &candidates {
            if let Some((rim, tilt)) = self.flat(one, distance) {
                // The rim of the other disk adds nothing to one that is over it all around.
                if !stands {
                    stands = found.add_rim(one, &rim, tilt, (farthest, distance));
                }
                continue;
            }
            let [a, b] = &one.nearest.places;
            let poses = self.ordered(one.is_swapped);
            if one.of[0].holds(&poses[0].inverse_point(&a.at), distance)
                && one.of[1].holds(&poses[1].inverse_point(&b.at), distance)
            {
                found.add(one, one.of[0].feature, &a.at);
            }
        }
        found.touches
    }

    /// Rims that lie flat on faces.
    pub(super) fn rims(&self, distance: f64) -> Vec<Rim<'a>> {
        let (_, candidates) = self.near(distance);
        let flat = candidates.iter().filter_map(|one| self.flat(one, distance));
        flat.map(|(rim, _)| rim).collect()
    }

    /// The poses of the bodies of a candidate's features.
    fn ordered(&self, is_swapped: bool) -> [&Pose; 2] {
        if is_swapped {
            [&self.poses[1], &self.poses[0]]
        } else {
            [&self.poses[0], &self.poses[1]]
        }
    }

    /// The rim of a disk on a face, if it is within a distance all around, and the sine of its tilt.
    fn flat(&self, one: &Candidate<'a>, distance: f64) -> Option<(Rim<'a>, f64)> {
        let [pose, _] = self.ordered(one.is_swapped);
        let (Feature::Circle { axis, radius, .. }, Feature::Plane { .. }) =
            (one.of[0].feature, one.of[1].feature)
        else {
            return None;
        };
        let tilt = pose.direction(&axis).cross(&one.nearest.normal).norm();
        let rim = Rim {
            is_swapped: one.is_swapped,
            circle: one.of[0].feature,
            face: one.of[1],
        };
        (2.0 * radius * tilt <= distance).then_some((rim, tilt))
    }
}

/// Features that touch, found so far.
struct Found<'a> {
    pair: &'a PartPair<'a>,
    /// Distance from another of the same normal below which a contact is left out `[m]`.
    merge: f64,
    touches: Vec<Touch>,
    places: Vec<(Vec3, Vec3)>,
}

impl Found<'_> {
    /// Adds two features that touch at a point, of which the first may be a point of a candidate's.
    fn add(&mut self, one: &Candidate<'_>, first: Feature, at: &Vec3) {
        let normal = one.normal();
        let is_same = |(place, along): &(Vec3, Vec3)| {
            (place - at).norm() <= self.merge && along.dot(&normal) >= TURNED
        };
        if self.places.iter().any(is_same) {
            return;
        }
        self.places.push((*at, normal));
        let [_, of_second] = self.pair.ordered(one.is_swapped);
        self.touches.push(Touch {
            is_swapped: one.is_swapped,
            features: [first, one.of[1].feature],
            near: of_second.inverse_point(at),
            toward: of_second.inverse_direction(&one.nearest.normal),
        });
    }

    /// Adds points of a rim that lies flat on a face, and its lowest one if it is tilted at all. True if all of the rim is over the face.
    fn add_rim(
        &mut self,
        one: &Candidate<'_>,
        rim: &Rim<'_>,
        tilt: f64,
        (farthest, tolerance): (f64, f64),
    ) -> bool {
        let [pose, of_face] = self.pair.ordered(one.is_swapped);
        let angles = (0..RIM_POINTS).map(|k| TAU * f64::from(k) / f64::from(RIM_POINTS));
        let mut points: Vec<Feature> = angles.map(|angle| rim.point(angle)).collect();
        if tilt > TILTED {
            points.push(Feature::Point {
                at: pose.inverse_point(&one.nearest.places[0].at),
                radius: 0.0,
            });
        }
        let face = one.of[1].feature.placed(of_face);
        let mut all = true;
        for point in points {
            let placed = point.placed(pose);
            let nearest = Nearest::of([&placed, &face], &Vec3::zeros(), &one.nearest.normal);
            let foot = of_face.inverse_point(&nearest.places[1].at);
            if !one.of[1].holds(&foot, tolerance) {
                all = false;
            } else if nearest.gap() <= farthest {
                self.add(one, point, &nearest.places[0].at);
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

    use super::*;
    use crate::math::Quat;
    use crate::world::{Polyhedron, Shape};
    use rand_pcg::Pcg64;
    use rand_pcg::rand_core::{Rng, SeedableRng};
    use std::f64::consts::FRAC_PI_2;
    use std::sync::Arc;

    fn number(random: &mut Pcg64) -> f64 {
        2.0 * (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64 - 1.0
    }

    fn vector(random: &mut Pcg64) -> Vec3 {
        Vec3::from_fn(|_, _| number(random))
    }

    fn shapes() -> Vec<Shape> {
        vec![
            Shape::Sphere { radius: 0.3 },
            Shape::Capsule {
                half_length: 0.4,
                radius: 0.2,
            },
            Shape::Cylinder {
                half_length: 0.3,
                radius: 0.25,
            },
            Shape::Cone {
                height: 0.7,
                radius: 0.3,
            },
            Shape::Box {
                half_extents: Vec3::new(0.2, 0.3, 0.4),
            },
            Shape::Polyhedron(Arc::new(Polyhedron::regular(12, 0.4).unwrap())),
        ]
    }

    fn part(shape: &Shape) -> Part {
        let mut parts = Vec::new();
        Part::of(shape, Pose::identity(), &mut parts).unwrap();
        parts.remove(0)
    }

    /// Where a function is nothing that is negative at the first end and positive at the second: by false position,
    /// where an end that stays counts half the next time (the Illinois method).
    fn zero_of(function: impl Fn(f64) -> f64, ends: [f64; 2]) -> f64 {
        let mut values = ends.map(&function);
        let mut ends = ends;
        let mut replaced = 2;
        for _ in 0..100 {
            let [below, above] = values;
            let at = (ends[0] * above - ends[1] * below) / (above - below);
            let value = function(at);
            if value.abs() < 1e-14 || at == ends[0] || at == ends[1] {
                return at;
            }
            let side = usize::from(value > 0.0);
            if side == replaced {
                values[1 - side] *= 0.5;
            }
            (ends[side], values[side], replaced) = (at, value, side);
        }
        panic!("no zero was found between {ends:?}");
    }

    /// The separation is that of two supporting planes, and so no more than the distance; the gap of a contact is that of two points, one of either part, and so
    /// no less. Where they agree both are right.
    #[test]
    fn gaps_of_contacts_are_the_distance_of_what_touches() {
        let mut random = Pcg64::seed_from_u64(11);
        let parts: Vec<Part> = shapes().iter().map(part).collect();
        let mut worst: f64 = 0.0;
        for case in 0..360 {
            let [first, second] = [case % 4, case / 4 % 6];
            // A part of the pairs has axes that are parallel or at right angles, and centres above each other.
            let is_aligned = case % 3 == 0;
            let turned = |random: &mut Pcg64| {
                if is_aligned {
                    let quarters = Vec3::ith(random.next_u64() as usize % 3, FRAC_PI_2);
                    Quat::from_scaled_axis(quarters * f64::from(random.next_u64() as u8 % 4))
                } else {
                    Quat::from_scaled_axis(vector(random) * 3.0)
                }
            };
            let rotations = [turned(&mut random), turned(&mut random)];
            let way = if is_aligned {
                Vec3::ith(random.next_u64() as usize % 3, 1.0)
            } else {
                vector(&mut random).normalize()
            };
            let beside = if case % 6 == 0 {
                Vec3::zeros()
            } else {
                vector(&mut random) * 0.2
            };
            let poses = |at: f64| {
                [
                    Pose::new(way * at + beside, rotations[0]),
                    Pose::new(Vec3::zeros(), rotations[1]),
                ]
            };
            let parts = [&parts[first], &parts[second]];
            let separation = |at: f64| {
                let [one, two] = poses(at);
                PartPair::new(parts, [&one, &two]).separation()
            };
            let gap_of_contacts = |at: f64| {
                let [one, two] = poses(at);
                let pair = PartPair::new(parts, [&one, &two]);
                let of = |touch: &Touch| {
                    let [one, two] = pair.ordered(touch.is_swapped);
                    let placed = [touch.features[0].placed(one), touch.features[1].placed(two)];
                    let (near, toward) = (two.point(&touch.near), two.direction(&touch.toward));
                    Nearest::of(placed.each_ref(), &near, &toward).gap()
                };
                let touches = pair.touching(1e-7);
                touches.iter().map(of).fold(f64::INFINITY, f64::min)
            };
            if separation(0.0) > 0.0 {
                continue;
            }
            let touching = zero_of(separation, [0.0, 2.5]);
            for past in [-1e-6, -1e-12, 1e-12, 5e-8] {
                let at = touching + past;
                let (separation, least) = (separation(at), gap_of_contacts(at));
                let off = (least - separation).abs();
                assert!(
                    off < 1e-10,
                    "{case}: {first} {second}: {separation} {least}"
                );
                worst = worst.max(off);
            }
        }
        assert!(worst > 0.0, "no pair touched");
    }
}
