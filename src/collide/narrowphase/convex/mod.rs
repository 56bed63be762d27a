//! Two convex shapes of which one is round: a cylinder or a cone, and a box, a polyhedron, a capsule or another such.
//!
//! Shapes are known by their farthest points along directions. The difference of the two sets is looked at as seen from the
//! origin: outside of it its nearest point gives the distance (Gilbert, Johnson and Keerthi 1988, *A fast procedure for
//! computing the distance between complex objects*), inside of it the nearest point of its boundary the depth (van den Bergen
//! 2001, *Proximity queries and penetration depth computation*). Either is exact to what its steps reach; a direction that is nearly right,
//! as that of the last contact is, leads to the features that touch, and from them to the rest at once. A face's normal that separates nearly as well is taken
//! instead, since it does not waver. The points are those of what the shapes turn toward each other along it: a face,
//! clipped by the sides of another, the stretch that two lines share, or one point.

mod contact;
mod core;
mod depth;
mod distance;
mod facets;
mod facing;
mod polish;

pub(crate) use core::Core;
pub(super) use facets::Facets;

use super::manifold::{Manifold, Point};
use super::query::Query;
use crate::constants::{
    AXIS_LOYALTY, AXIS_PREFERENCE_ABSOLUTE, AXIS_PREFERENCE_RELATIVE, CONVEX_ACCURACY,
    MAX_REFINEMENTS, NARROW_RIM, REFINEMENT_ACCURACY, REFINEMENT_GAP,
};
use crate::math::{Mat3, Vec3};
use crate::world::Frustum;
use contact::{Contact, NEAREST};
use distance::{Simplex, Verdict, Vertex};
use facing::{Facing, Toward};

/// How two convex shapes are apart or overlap.
#[derive(Debug, Clone, Copy)]
struct Between {
    /// Unit vector from Q to P along which they are apart most, or overlap least.
    normal: Vec3,
    /// Negative if they overlap `[m]`.
    separation: f64,
    /// Nearest points of the two, or the ends of the way out `[m]`.
    on: [Vec3; 2],
}

/// The separation of two convex shapes of which one is a cylinder or a cone `[m]`: minus their depth if they overlap.
pub(super) fn separation(p: &Core<'_>, q: &Core<'_>) -> f64 {
    between(p, q, f64::INFINITY, None).map_or_else(|apart| apart, |found| found.separation)
}

/// Unit vector from Q to P along which two convex shapes are apart most, or overlap least, to 1e-4.
pub(crate) fn direction_between(p: &Core<'_>, q: &Core<'_>) -> Vec3 {
    between(p, q, f64::INFINITY, None).map_or_else(|_| Vec3::z(), |found| found.normal)
}

/// The separation of two convex shapes along a direction from Q to P `[m]`.
pub(crate) fn separation_along(p: &Core<'_>, q: &Core<'_>, normal: &Vec3) -> f64 {
    along(p, q, normal) - p.radius() - q.radius()
}

/// How near two convex bodies are, as far as their velocities ask for it.
pub(in crate::collide) struct Nearness {
    /// A point of each, not much farther apart than the nearest ones `[m]`.
    pub(in crate::collide) on: [Vec3; 2],
    /// The least distance of bodies that no velocities bring together `[m]`.
    pub(in crate::collide) beyond: Option<f64>,
}

/// How near two convex shapes are, beginning with points of each that were near before, if there are any. None of shapes that overlap.
///
/// Bodies that fall side by side are within reach of their speeds, and in no danger of each other: what brings two together is a velocity along the normal
/// between them. A direction along which their farthest points are apart by `least`, and two points that are apart by `most`, leave this normal no farther
/// from it than a chord of the angle whose cosine is `least / most`. Once what the query admits along such normals is less than `least`, the two have no
/// contact.
pub(super) fn nearness(
    p: &Core<'_>,
    q: &Core<'_>,
    query: &Query,
    before: Option<[Vec3; 2]>,
) -> Option<Nearness> {
    let radii = p.radius() + q.radius();
    let size = p.size().min(q.size());
    let verdict = |normal: &Vec3, [least, most]: [f64; 2]| {
        if query.surely_admits(most - radii) {
            return Verdict::Within;
        }
        if least <= radii {
            return Verdict::Unknown;
        }
        // Points may have the normal of another axis, which separates nearly as well.
        let slack =
            (AXIS_PREFERENCE_ABSOLUTE + AXIS_LOYALTY) * size + AXIS_PREFERENCE_RELATIVE * least;
        let chord = |cosine: f64| (2.0 * (1.0 - cosine).max(0.0)).sqrt();
        let (off, other) = (chord(least / most), chord(1.0 - slack / least));
        if least - slack - radii > query.most_admitted(normal, off + other) {
            Verdict::Beyond
        } else if 2.0 * off < other || most - radii <= query.most_admitted(normal, -off) {
            // Or more would not be known of two nearer points.
            Verdict::Within
        } else {
            Verdict::Unknown
        }
    };
    let mut known = None;
    if let Some(on) = before {
        let apart = on[0] - on[1];
        let most = apart.norm();
        if most > 0.0 {
            let normal = apart / most;
            let vertex = Vertex::farthest(p, q, &-normal);
            let least = normal.dot(&vertex.apart);
            match verdict(&normal, [least, most]) {
                Verdict::Unknown => known = Some([Vertex { on, apart }, vertex]),
                found => {
                    return Some(Nearness {
                        on,
                        beyond: (found == Verdict::Beyond).then_some(least - radii),
                    });
                }
            }
        }
    }
    let simplex = match known {
        Some([near, vertex]) => Simplex::of(near).and(vertex),
        None => Simplex::first(p, q, &(p.inner_point() - q.inner_point())),
    };
    match distance::nearest_unless((p, q), &Vec3::zeros(), 0.0, simplex, verdict) {
        distance::Outcome::Beyond { on, least } => Some(Nearness {
            on,
            beyond: Some(least - radii),
        }),
        distance::Outcome::Within { on } | distance::Outcome::Apart { on, .. } => {
            Some(Nearness { on, beyond: None })
        }
        distance::Outcome::Near(_) | distance::Outcome::Overlap => None,
    }
}

/// The points of two convex shapes of which one is a cylinder or a cone.
///
/// Shapes that overlap stay on the face of the feature `before`, along its own normal, while the lowest point above it is as deep as they are. Of two disks that lie on
/// each other and cross, either's normal or another separates best by turns; loads that changed hands in every step drove heaps of them.
pub(super) fn convex_convex(
    p: &Core<'_>,
    q: &Core<'_>,
    before: Option<u32>,
    query: &Query,
    manifold: &mut Manifold,
) {
    let last_normal = query.last_normal();
    let found = match between(p, q, query.reach, last_normal) {
        Ok(found) if found.separation <= query.reach => found,
        Ok(found) => return manifold.set_apart(found.separation),
        Err(apart) => return manifold.set_apart(apart),
    };
    let size = p.size().min(q.size());
    let mut facing = [Facing::new(), Facing::new()];
    let lying = before
        .filter(|_| found.separation <= 0.0)
        .and_then(contact::shape_of_face)
        .and_then(|which| Some((which, face_normals(p, q, &found.normal)[which]?)));
    if let Some((reference, normal)) = lying {
        let found = Between { normal, ..found };
        let contact = Contact::of((p, q), found, query, &mut facing);
        let lowest = contact.clip_by(reference, manifold);
        if (lowest - found.separation).abs() <= contact.leave(reference) {
            if !contact.is_flat() {
                contact.offer_nearest(Some(reference), lowest, manifold);
            }
            return;
        }
        manifold.clear();
    }
    let (found, face_of) = along_face(p, q, found, size);
    let contact = Contact::of((p, q), found, query, &mut facing);
    let bears = |which: usize| matches!(contact.facing[which].toward, Toward::Face(_));
    let first =
        face_of.unwrap_or_else(|| usize::from(contact.facing[0].cosine < contact.facing[1].cosine));
    let reference = [first, 1 - first].into_iter().find(|&which| bears(which));
    let lowest = match reference {
        Some(which) => contact.clip_by(which, manifold),
        None => contact.on_lines(manifold),
    };
    contact.offer_nearest(reference, lowest, manifold);
}

/// The points of a cylinder or a cone and a half-space, whose normal is in world axes.
///
/// Of a disk that leans they are the lowest of the rim, the one across, and one to either side, as far as the rim stays within
/// reach: on its lowest point alone a disk that is pressed down wobbles, and works its way in.
pub(super) fn frustum_half_space(
    (p, rotation, frustum): (&Vec3, &Mat3, &Frustum),
    (q, normal, offset): (&Vec3, Vec3, f64),
    query: &Query,
    manifold: &mut Manifold,
) {
    let height = |at: &Vec3| (at - q).dot(&normal) - offset;
    let down = rotation.tr_mul(&-normal);
    let lowest_point = p + rotation * frustum.farthest(&down);
    let separation = height(&lowest_point);
    if separation > query.reach {
        manifold.set_apart(separation);
        return;
    }
    let around = |[x, y]: [f64; 2], rise: f64| {
        let level = query.level_around(separation);
        let below = level - separation;
        let cosine = if below < rise {
            1.0 - below / rise
        } else {
            0.0
        };
        let cosine = cosine.min(NARROW_RIM);
        let sine = (1.0 - cosine * cosine).sqrt();
        let turns = [[1.0, 0.0], [cosine, sine], [-1.0, 0.0], [cosine, -sine]];
        turns.map(|[cosine, sine]| [x * cosine - y * sine, y * cosine + x * sine])
    };
    let mut facing = Facing::new();
    facing.fill_by_frustum((p, rotation, frustum), &down, around);
    let point_at = |feature: u32, at: &Vec3| {
        let separation = height(at);
        Point {
            feature,
            position: at - normal * (0.5 * separation),
            normal,
            separation,
        }
    };
    let mut lowest = f64::INFINITY;
    for (index, at) in (0..).zip(&facing.points) {
        let point = point_at(facing.index << 6 | index, at);
        lowest = lowest.min(point.separation);
        manifold.offer(query, point);
    }
    if lowest > separation + AXIS_PREFERENCE_ABSOLUTE * frustum.inner_radius() {
        manifold.offer_deepest(query, point_at(NEAREST, &lowest_point));
    }
}

/// One point: where the cylinder or cone is nearest to the sphere's centre, or the nearest way out if that is inside.
pub(super) fn sphere_frustum(
    (p, radius): (&Vec3, f64),
    (q, rotation, frustum): (&Vec3, &Mat3, &Frustum),
    query: &Query,
    manifold: &mut Manifold,
) {
    let nearest = frustum.nearest(&rotation.tr_mul(&(p - q)));
    let separation = nearest.distance - radius;
    manifold.set_apart(separation);
    let normal = rotation * nearest.normal;
    manifold.offer(
        query,
        Point {
            feature: 0,
            position: p - normal * (radius + 0.5 * separation),
            normal,
            separation,
        },
    );
}

/// The two by the features that a rough direction leads to, with the balls around the cores.
fn polished(p: &Core<'_>, q: &Core<'_>, rough: &Vec3) -> Option<Between> {
    let mut found = polish::polished(p, q, rough)?;
    found.separation -= p.radius() + q.radius();
    Some(found)
}

/// How the shapes are apart or overlap, or no more than their distance if that is above `reach` `[m]`.
fn between(
    p: &Core<'_>,
    q: &Core<'_>,
    reach: f64,
    last_normal: Option<Vec3>,
) -> Result<Between, f64> {
    if let Some(found) = last_normal.and_then(|normal| polished(p, q, &normal)) {
        return Ok(found);
    }
    let radii = p.radius() + q.radius();
    let near = REFINEMENT_GAP * (p.size() + q.size());
    let start = last_normal.unwrap_or_else(|| p.inner_point() - q.inner_point());
    let none = Vec3::zeros();
    let rough = match distance::nearest(p, q, (&none, &start), [near, reach + radii]) {
        distance::Outcome::Beyond { least, .. } => return Err(least - radii),
        distance::Outcome::Apart { on, apart } => {
            let distance = apart.norm();
            let normal = apart / distance;
            // Nearest points are apart by what the shapes are along their direction, unless the search got stuck.
            if distance - along(p, q, &normal) <= 2.0 * CONVEX_ACCURACY * distance {
                return Ok(Between {
                    normal,
                    separation: distance - radii,
                    on,
                });
            }
            normal
        }
        distance::Outcome::Near(way) => way.normalize(),
        distance::Outcome::Within { .. } | distance::Outcome::Overlap => depth::way_out(p, q),
    };
    Ok(polished(p, q, &rough).unwrap_or_else(|| refined(p, q, rough)))
}

/// The separation of shapes that nearly touch or overlap, from a rough direction.
///
/// Moved along it until there is a gap, the shapes have nearest points; along the direction of these they are apart by no less
/// than before.
fn refined(p: &Core<'_>, q: &Core<'_>, rough: Vec3) -> Between {
    let radii = p.radius() + q.radius();
    let gap = REFINEMENT_GAP * (p.size() + q.size());
    let mut best = Between {
        normal: rough,
        separation: along(p, q, &rough),
        on: [p.farthest(&-rough), q.farthest(&rough)],
    };
    for step in 0..MAX_REFINEMENTS {
        let shift = best.normal * (gap - best.separation);
        let distance::Outcome::Apart { on, apart } =
            distance::nearest(p, q, (&shift, &best.normal), [0.0, f64::INFINITY])
        else {
            break;
        };
        let Some(normal) = apart.try_normalize(0.0) else {
            break;
        };
        let separation = along(p, q, &normal);
        let gained = separation - best.separation;
        if gained >= 0.0 || step == 0 {
            best.on = on;
        }
        if gained > 0.0 {
            (best.normal, best.separation) = (normal, separation);
        }
        if gained <= REFINEMENT_ACCURACY * gap {
            break;
        }
    }
    best.separation -= radii;
    best
}

/// The separation of the cores along a direction from Q to P `[m]`.
fn along(p: &Core<'_>, q: &Core<'_>, normal: &Vec3) -> f64 {
    normal.dot(&(p.farthest(&-normal) - q.farthest(normal)))
}

/// The normals of the faces that two shapes turn toward each other along a direction, from Q to P.
fn face_normals(p: &Core<'_>, q: &Core<'_>, normal: &Vec3) -> [Option<Vec3>; 2] {
    let of_p = p.face_toward(&-normal).map(|outward| -outward);
    [of_p, q.face_toward(normal)]
}

/// The normal of a face that separates nearly as well as what was found, P's first, with the shape whose it is.
fn along_face(p: &Core<'_>, q: &Core<'_>, found: Between, size: f64) -> (Between, Option<usize>) {
    let radii = p.radius() + q.radius();
    let slack = AXIS_PREFERENCE_ABSOLUTE * size + AXIS_PREFERENCE_RELATIVE * found.separation.abs();
    let mut best: Option<(Between, usize)> = None;
    for (which, normal) in face_normals(p, q, &found.normal).into_iter().enumerate() {
        let Some(normal) = normal else { continue };
        let separation = along(p, q, &normal) - radii;
        let least = best.map_or(found.separation - slack, |(best, _)| {
            best.separation + AXIS_PREFERENCE_ABSOLUTE * size
        });
        if separation >= least {
            let along = Between {
                normal,
                separation,
                on: found.on,
            };
            best = Some((along, which));
        }
    }
    best.map_or((found, None), |(along, which)| (along, Some(which)))
}

#[cfg(test)]
mod tests {
    use super::contact::shape_of_face;
    use super::*;
    use crate::math::Quat;

    fn disk(position: Vec3, turn: &Vec3) -> Core<'static> {
        let turn = Quat::from_scaled_axis(*turn);
        Core::Frustum {
            position,
            rotation: turn.to_rotation_matrix().into_inner(),
            frustum: Frustum::cylinder(0.05, 1.0),
        }
    }

    #[test]
    fn disks_that_lie_on_each_other_keep_the_face_while_they_sway() {
        let offset = Vec3::new(-1.0, -0.3, -0.099);
        for (lean, axis) in [-3e-4, -1e-4, 1e-4, 3e-4]
            .into_iter()
            .flat_map(|lean| [Vec3::x(), Vec3::y()].map(|axis| (lean, axis)))
        {
            let turn = axis * lean;
            let [p, q] = [disk(Vec3::zeros(), &turn), disk(offset, &Vec3::zeros())];
            let up = [Quat::from_scaled_axis(turn) * Vec3::z(), Vec3::z()];
            for (which, before) in [(0, 1), (1, 1 << 30 | 1)] {
                let query = Query::within(offset, 0.01, [1.0; 2]);
                let mut manifold = Manifold::new();
                convex_convex(&p, &q, Some(before), &query, &mut manifold);
                let points = manifold.as_slice();
                let what = format!("{turn:?}, {which}: {points:?}");
                assert!(points.len() >= 4, "{what}");
                for point in points {
                    assert_eq!(shape_of_face(point.feature), Some(which), "{what}");
                    assert!((point.normal - up[which]).norm() < 1e-12, "{what}");
                }
            }
        }
    }
}
