//! A close look at two bodies of which little is known any more.

use super::{Bundles, KeptManifold, NO_SURROUNDINGS, Origin};
use crate::collide::ContactPoint;
use crate::collide::bundle::{Bundle, KeptPoint, bundles_of, names};
use crate::collide::couple::{Couple, Placement, has_faces};
use crate::collide::crowd::turn;
use crate::collide::narrowphase::{
    Kind, Limits, Manifold, Point, Query, box_box, contacts_of_pair, nearness, visit_manifolds,
};
use crate::collide::sphere_and_boxes::sphere_and_boxes;
use crate::collide::sphere_and_mesh::{Surroundings, sphere_and_mesh};
use crate::constants::KEPT_REACH_PER_MARGIN;
use crate::math::{Mat3, Vec3};
use crate::world::Shape;

/// A manifold whose bodies may have moved too far.
pub(super) struct Renewal<'a> {
    pub(super) couple: &'a Couple<'a>,
    /// Sum of the bodies' paths `[m]`.
    pub(super) path: f64,
    /// What the bodies are to be apart by so that there is no contact `[m]`.
    pub(super) needed: f64,
    /// No less than their distance, as far as it is known `[m]`.
    pub(super) closest: f64,
    pub(super) manifold: &'a mut KeptManifold,
    pub(super) origin: &'a mut Origin,
}

impl Renewal<'_> {
    /// Looks at the true displacement. True if the manifold, of which `reach > needed`,
    /// still holds, or stands for this part of a step too: then its points on round surfaces are brought here.
    #[inline(always)]
    pub(super) fn is_confirmed(&mut self, now: &Relative, bundles: &mut [Bundle]) -> bool {
        let Self { path, needed, .. } = *self;
        let rotation = self.origin.rotation.iter();
        let before = Mat3::from_iterator(rotation.map(|&x| f64::from(x)));
        let moved = (now.position - self.origin.position).norm()
            + now.radius * turn(&(now.rotation - before));
        let manifold = &mut *self.manifold;
        manifold.complete_until = path + self.origin.reach - moved;
        if manifold.bundles.count() > 0 {
            manifold.found_at = path - moved;
        }
        let Couple {
            bodies: [a, b],
            time_step,
            ..
        } = *self.couple;
        let moved = path - manifold.found_at;
        if path + needed > manifold.complete_until {
            return false;
        }
        // Also where the bodies come by the place that points were found for.
        if self.couple.stands(moved, self.origin.stands_until) {
            self.hold_round_points(time_step, bundles);
            return true;
        }
        self.manifold.allows(moved, a, b, time_step)
    }

    /// Points on round surfaces stay as they were before the bodies turned for so long `[s]`.
    fn hold_round_points(&mut self, time: f64, bundles: &mut [Bundle]) {
        if self.manifold.bundles.are_round() && time != 0.0 {
            let turned = self.couple.turned_for(time);
            for bundle in &mut bundles[self.manifold.range()] {
                bundle.hold_round_points(&turned);
            }
        }
    }

    fn remember(&mut self, now: &Relative, reach: f64) {
        self.origin.position = now.position;
        for (kept, x) in self.origin.rotation.iter_mut().zip(now.rotation.iter()) {
            *kept = *x as f32;
        }
        self.origin.reach = reach;
        self.manifold.complete_until = self.path + reach;
        let has_points = self.manifold.bundles.count() > 0;
        self.manifold.found_at = if has_points { self.path } else { f64::INFINITY };
    }

    /// Finds the contact of a sphere and another body anew: a sphere's point cannot be kept, since it
    /// rolls; that the two are apart can.
    pub(super) fn refresh_distance(
        &mut self,
        limits: Limits,
        surroundings: &mut Vec<Surroundings>,
        found: &mut Vec<ContactPoint>,
    ) {
        let couple = self.couple;
        let first = found.len();
        let is_at_mesh = couple.movers.iter().any(|mover| mover.kind == Kind::Mesh);
        let found_there = if is_at_mesh {
            if self.origin.surroundings == NO_SURROUNDINGS {
                self.origin.surroundings = surroundings.len() as u32;
                surroundings.push(Surroundings::UNKNOWN);
            }
            let known = &mut surroundings[self.origin.surroundings as usize];
            sphere_and_mesh(couple, limits, known, found)
        } else {
            sphere_and_boxes(couple, limits, found)
        };
        let apart = found_there.unwrap_or_else(|| {
            found.truncate(first);
            let query = Query::new(couple.movers[0], couple.movers[1], limits);
            contacts_of_pair(couple.world, couple.pair, couple.movers, &query, found)
        });
        if found.len() > first {
            self.manifold.complete_until = f64::NEG_INFINITY;
            self.origin.reach = f64::NEG_INFINITY;
        } else {
            self.remember(&Relative::new(couple), apart);
        }
    }

    /// True if no velocities bring the two together, as far as few of their points tell. Two boxes are searched as soon.
    pub(super) fn is_out_of_reach(&mut self, limits: Limits, bundles: &[Bundle]) -> bool {
        let couple = self.couple;
        let movers = couple.movers;
        if limits.time_step == 0.0 || movers.iter().all(|mover| mover.kind == Kind::Box) {
            return false;
        }
        let rotations = couple.rotations();
        let offset = couple.offset();
        let [turn_a, turn_b] = &rotations;
        let query = Query::new(movers[0], movers[1], limits);
        let (mut closest, mut counts) = (f64::INFINITY, false);
        for bundle in &bundles[self.manifold.range()] {
            let (distance, admits) = bundle.closest(&rotations, &query);
            closest = closest.min(distance);
            counts |= admits;
        }
        // A point that was found and still counts needs no closer look.
        if counts {
            self.closest = closest;
            return false;
        }
        let near = self.origin.near;
        let before = near.map(|[a, b]| [turn_a * a.cast(), offset + turn_b * b.cast::<f64>()]);
        let Some(found) = nearness(couple.world, couple.pair, &query, before) else {
            self.closest = closest;
            return false;
        };
        let [a, b] = found.on;
        self.origin.near = Some([
            rotations[0].tr_mul(&a).cast(),
            rotations[1].tr_mul(&(b - offset)).cast(),
        ]);
        self.closest = closest.min((a - b).norm());
        let Some(apart) = found.beyond else {
            return false;
        };
        self.manifold.bundles = Bundles::NONE;
        if apart > self.needed {
            self.remember(&Relative::new(couple), apart);
        } else {
            self.origin.reach = f64::NEG_INFINITY;
            self.manifold.complete_until = self.path + apart;
            self.manifold.found_at = f64::INFINITY;
        }
        true
    }

    /// Finds all points anew, up to a larger separation than the `needed` one, so that they are
    /// complete for a while.
    pub(super) fn refresh(
        &mut self,
        margin: f64,
        points: &mut Vec<KeptPoint>,
        bundles: &mut Vec<Bundle>,
    ) {
        let couple = self.couple;
        let [a, b] = couple.movers;
        let parts = couple.parts();
        let midway = &couple.midway(parts);
        self.origin.stands_until = couple.search + u64::from(parts);
        let most = couple.tolerance() + midway.way;
        let reach = self.needed + KEPT_REACH_PER_MARGIN * margin + most;
        let before = (self.manifold.bundles.count() > 0).then_some(self.origin.feature);
        let rotations = &midway.rotations;
        let kept = &bundles[self.manifold.range()];
        let last_normal = before.map(|_| kept[0].normal(rotations));
        let radii = [a.bounding_radius, b.bounding_radius];
        let query = Query::within(midway.offset, reach, radii)
            .after(names(kept))
            .beginning_with(last_normal)
            .no_farther_than(self.closest + midway.gone);
        points.clear();
        let mut are_round = false;
        let mut keep = |have_faces: [bool; 2], parts: u32, manifold: &Manifold| {
            are_round |= have_faces != [true; 2] && !manifold.as_slice().is_empty();
            for point in manifold.as_slice() {
                points.push(fixed_to_bodies(rotations, &query, have_faces, parts, point));
            }
        };
        let apart = if a.kind == Kind::Box && b.kind == Kind::Box {
            let mut manifold = Manifold::new();
            box_box(
                (&Vec3::zeros(), &rotations[0], &a.half_extents),
                (&query.offset, &rotations[1], &b.half_extents),
                before,
                &query,
                &mut manifold,
            );
            keep([true; 2], 0, &manifold);
            manifold.apart()
        } else {
            let keep = |shapes: [&Shape; 2], parts: u32, manifold: &Manifold| {
                keep(shapes.map(has_faces), parts, manifold);
            };
            visit_manifolds(
                couple.world,
                couple.pair,
                (couple.movers, midway.orientations),
                before,
                &query,
                keep,
            )
        };
        points.sort_unstable_by_key(|point| point.feature);
        self.origin.feature = points.first().map_or(0, |point| point.feature as u32);
        self.keep(points, are_round, bundles);
        let reach = if points.is_empty() {
            apart.max(reach)
        } else {
            reach
        };
        self.remember(&Relative::of(couple, midway), reach);
        // Seen from the middles they are where they will be midway.
        self.hold_round_points(-midway.ahead, bundles);
        self.manifold.complete_until -= midway.gone;
        self.manifold.found_at -= midway.gone;
    }

    /// Puts points where the manifold has its place, or at the end if there is no room.
    fn keep(&mut self, points: &[KeptPoint], are_round: bool, bundles: &mut Vec<Bundle>) {
        let count = bundles_of(points);
        if count > self.origin.capacity as usize {
            self.manifold.first = bundles.len() as u32;
            self.origin.capacity = count as u32;
            bundles.resize(bundles.len() + count, Bundle::EMPTY);
        }
        self.manifold.bundles = Bundles::new(count, are_round);
        let mut rest = points;
        for bundle in &mut bundles[self.manifold.range()] {
            rest = bundle.take(rest);
        }
    }
}

/// Pose of the smaller body in the axes of the larger one.
pub(super) struct Relative {
    position: Vec3,
    rotation: Mat3,
    /// Bounding radius of the smaller one `[m]`.
    radius: f64,
}

impl Relative {
    #[inline(always)]
    pub(super) fn new(couple: &Couple<'_>) -> Self {
        Self::between(couple, couple.rotations(), couple.offset())
    }

    /// Where points are looked for.
    fn of(couple: &Couple<'_>, placement: &Placement) -> Self {
        Self::between(couple, placement.rotations, placement.offset)
    }

    #[inline(always)]
    fn between(couple: &Couple<'_>, [rotation_a, rotation_b]: [Mat3; 2], between: Vec3) -> Self {
        let [a, b] = couple.bodies;
        if a.bounding_radius() >= b.bounding_radius() {
            Self {
                position: rotation_a.tr_mul(&between),
                rotation: rotation_a.tr_mul(&rotation_b),
                radius: b.bounding_radius(),
            }
        } else {
            Self {
                position: -rotation_b.tr_mul(&between),
                rotation: rotation_b.tr_mul(&rotation_a),
                radius: a.bounding_radius(),
            }
        }
    }
}

/// A point of a manifold as points of the two bodies.
#[inline(always)]
fn fixed_to_bodies(
    rotations: &[Mat3; 2],
    query: &Query,
    have_faces: [bool; 2],
    parts: u32,
    point: &Point,
) -> KeptPoint {
    let half = point.normal * (0.5 * point.separation);
    let on_a = rotations[0].tr_mul(&(point.position + half));
    let on_b = rotations[1].tr_mul(&(point.position - half - query.offset));
    let normal_of = match have_faces {
        // Faces of the second solid are marked by this bit, alone of the two highest.
        [true, true] => u32::from(point.feature >> 30 == 1),
        [false, true] => 1,
        _ => 0,
    };
    KeptPoint {
        feature: u64::from(parts) << 32 | u64::from(point.feature),
        surface: [on_a, on_b],
        normal: rotations[normal_of as usize].tr_mul(&point.normal),
        normal_of,
    }
}
