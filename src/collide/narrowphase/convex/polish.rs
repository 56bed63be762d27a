//! The separation of two shapes from a direction that is nearly right.
//!
//! A shape has few features that the nearest points can be on, and the nearest point of a cylinder or a cone to a given point has a closed form. So
//! that of a feature of one to the other is a search along one line or one rim. What is found counts only if the farthest points along its
//! direction are apart by as much: no other direction separates the shapes more, then, but for those that overlap deeply.

use super::facing::{edge_across, face_along, farthest_vertex};
use super::{Between, Core, along};
use crate::collide::narrowphase::polyhedron::Standing;
use crate::collide::narrowphase::segment::closest_of_segments;
use crate::constants::{
    MAX_POLISHING_STEPS, POLISHED_SLOPE, POLISHING_ACCURACY, POLISHING_DEPTH, SIDEWAYS_SINE,
};
use crate::math::{Mat3, Vec3};
use crate::world::{Frustum, NearestOn};

/// A frustum where it stands.
#[derive(Clone, Copy)]
struct Round<'a> {
    position: &'a Vec3,
    rotation: &'a Mat3,
    frustum: &'a Frustum,
}

/// A place on a feature: its point, and how that moves on per length along the feature.
struct Place {
    at: Vec3,
    tangent: Vec3,
}

/// A feature with a parameter.
enum Curve<'a> {
    /// From the middle along a unit vector, up to a length on either side, with a radius around it `[m]`.
    Axis {
        middle: Vec3,
        axis: Vec3,
        half: f64,
        radius: f64,
        /// True if its ends belong to it.
        is_closed: bool,
    },
    /// A rim of a frustum, from the direction across its axis where the angle is 0.
    Rim {
        of: Round<'a>,
        end: usize,
        out: [f64; 2],
    },
}

/// Cores of which one is a cylinder or a cone, from a rough unit vector from Q to P; none if no feature can be told to be the right one.
pub(super) fn polished(p: &Core<'_>, q: &Core<'_>, rough: &Vec3) -> Option<Between> {
    let size = p.size().min(q.size());
    let confirmed = |found: Between| {
        let is_shallow = found.separation >= -POLISHING_DEPTH * size;
        let lost = found.separation - along(p, q, &found.normal);
        (is_shallow && lost.abs() <= POLISHING_ACCURACY * size).then_some(found)
    };
    for (sign, moving, other) in [(1.0, p, q), (-1.0, q, p)] {
        if let Core::Solid(solid) = other {
            let found = above_face(moving, *solid, &(rough * sign), sign);
            if let Some(found) = found.and_then(confirmed) {
                return Some(found);
            }
        }
        let Some(other) = Round::of(other) else {
            continue;
        };
        let oriented = |(place, near): (Vec3, NearestOn), radius: f64| {
            let separation = near.distance - radius;
            let on = [
                place - near.normal * radius,
                place - near.normal * near.distance,
            ];
            Between {
                normal: near.normal * sign,
                separation,
                on: if sign > 0.0 { on } else { [on[1], on[0]] },
            }
        };
        let toward = rough * -sign;
        for curve in Curve::of(moving, &toward).into_iter().flatten() {
            let Some(found) = curve
                .nearest_to(&other)
                .map(|found| oriented(found, curve.radius()))
            else {
                continue;
            };
            if let Some(found) = confirmed(found) {
                return Some(found);
            }
        }
    }
    None
}

/// The farthest point of a shape toward a solid's face, if it is in front of that; `up` is from the solid to the shape, and the normal that is
/// found, too, times `sign`.
fn above_face(
    core: &Core<'_>,
    (position, rotation, solid): Standing<'_>,
    up: &Vec3,
    sign: f64,
) -> Option<Between> {
    let (_, face) = face_along(&solid, &rotation.tr_mul(up));
    let normal = rotation * face.normal;
    let lowest = core.farthest(&-normal);
    let local = rotation.tr_mul(&(lowest - position));
    let mut corners = solid.corners(face);
    let first = corners.next()?;
    let mut from = first;
    for to in corners.chain([first]) {
        if (to - from).cross(&(local - from)).dot(&face.normal) < 0.0 {
            return None;
        }
        from = to;
    }
    let separation = face.normal.dot(&local) - face.offset;
    let on = [lowest, lowest - normal * separation];
    Some(Between {
        normal: normal * sign,
        separation,
        on: if sign > 0.0 { on } else { [on[1], on[0]] },
    })
}

impl<'a> Round<'a> {
    fn of(core: &'a Core<'_>) -> Option<Self> {
        match core {
            Core::Frustum {
                position,
                rotation,
                frustum,
            } => Some(Self {
                position,
                rotation,
                frustum,
            }),
            _ => None,
        }
    }

    /// Its middle, and the way from there to its upper end.
    fn axis(&self) -> (Vec3, Vec3) {
        let [low, high] = self.frustum.heights;
        let axis = self.rotation.column(2);
        let middle = self.position + axis * (0.5 * (low + high));
        (middle, axis * (0.5 * (high - low)))
    }

    fn nearest(&self, point: &Vec3) -> NearestOn {
        let local = self.rotation.tr_mul(&(point - self.position));
        let near = self.frustum.nearest(&local);
        NearestOn {
            normal: self.rotation * near.normal,
            ..near
        }
    }
}

impl<'a> Curve<'a> {
    /// The features that a shape may turn toward a direction, the likelier one first.
    fn of(core: &'a Core<'_>, toward: &Vec3) -> [Option<Self>; 2] {
        match core {
            Core::Solid((position, rotation, solid)) => {
                let local = rotation.tr_mul(toward);
                let vertex = farthest_vertex(solid, &local);
                let (_, index) = edge_across(solid, vertex, &local);
                let ends = solid.edges[index as usize].vertices;
                let [from, to] = ends.map(|at| solid.vertices[at as usize]);
                let along = *rotation * (to - from);
                let half = 0.5 * along.norm();
                let edge = Curve::Axis {
                    middle: *position + *rotation * ((from + to) * 0.5),
                    axis: along / (2.0 * half),
                    half,
                    radius: 0.0,
                    is_closed: true,
                };
                [Some(edge), None]
            }
            Core::Capsule { position, half, .. } => {
                let length = half.norm();
                let axis = half.try_normalize(0.0).unwrap_or_else(Vec3::z);
                [
                    Some(Curve::Axis {
                        middle: *position,
                        axis,
                        half: length,
                        radius: 0.0,
                        is_closed: true,
                    }),
                    None,
                ]
            }
            Core::Frustum {
                position,
                rotation,
                frustum,
            } => {
                let local = rotation.tr_mul(toward);
                let end = usize::from(local.z > 0.0);
                let across = (local.x * local.x + local.y * local.y).sqrt();
                let out = if across > 0.0 {
                    [local.x / across, local.y / across]
                } else {
                    [1.0, 0.0]
                };
                let of = Round {
                    position,
                    rotation,
                    frustum,
                };
                let rim = Curve::Rim { of, end, out };
                let is_cylinder = frustum.radii[0] == frustum.radii[1];
                let axis = is_cylinder.then(|| Curve::Axis {
                    middle: of.axis().0,
                    axis: rotation.column(2).into_owned(),
                    half: of.axis().1.norm(),
                    radius: frustum.radii[0],
                    is_closed: false,
                });
                if local.z.abs() < SIDEWAYS_SINE {
                    [axis, Some(rim)]
                } else {
                    [Some(rim), None]
                }
            }
        }
    }

    fn radius(&self) -> f64 {
        match self {
            Curve::Axis { radius, .. } => *radius,
            Curve::Rim { .. } => 0.0,
        }
    }

    fn at(&self, length: f64) -> Place {
        match self {
            Curve::Axis { middle, axis, .. } => Place {
                at: middle + axis * length,
                tangent: *axis,
            },
            Curve::Rim { of, end, out } => {
                let radius = of.frustum.radii[*end];
                let (sine, cosine) = (length / radius).sin_cos();
                let [x, y] = *out;
                let out = [x * cosine - y * sine, x * sine + y * cosine];
                Place {
                    at: of.position + of.rotation * of.frustum.on_rim(*end, out),
                    tangent: of.rotation * Vec3::new(-out[1], out[0], 0.0),
                }
            }
        }
    }

    /// Where the search begins: on an axis beside the other one.
    fn start(&self, other: &Round<'_>) -> f64 {
        match self {
            Curve::Axis {
                middle, axis, half, ..
            } => {
                let (center, along) = other.axis();
                closest_of_segments(middle, &(axis * *half), &center, &along).0 * half
            }
            Curve::Rim { .. } => 0.0,
        }
    }

    /// Where the feature is nearest to the other shape: the distance from that has no slope along the feature there.
    fn nearest_to(&self, other: &Round<'_>) -> Option<(Vec3, NearestOn)> {
        let [low, high] = match self {
            Curve::Axis { half, .. } => [-half, *half],
            Curve::Rim { of, end, .. } => {
                let radius = of.frustum.radii[*end];
                // The apex of a cone.
                if radius == 0.0 {
                    let apex = of.position + of.rotation * of.frustum.on_rim(*end, [1.0, 0.0]);
                    return Some((apex, other.nearest(&apex)));
                }
                [-radius, radius]
            }
        };
        let is_closed = matches!(
            self,
            Curve::Axis {
                is_closed: true,
                ..
            }
        );
        let scale = self.radius() + other.frustum.radii[0].max(other.frustum.radii[1]);
        let (mut here, mut last) = (self.start(other), None);
        // Places before and behind the one that is looked for, as far as they are known.
        let mut bracket = [low, high];
        for _ in 0..MAX_POLISHING_STEPS {
            let place = self.at(here);
            let near = other.nearest(&place.at);
            let slope = near.normal.dot(&place.tangent);
            let leaves = (here >= high && slope < 0.0) || (here <= low && slope > 0.0);
            if slope.abs() <= POLISHED_SLOPE || (is_closed && leaves) {
                return Some((place.at, near));
            }
            if leaves {
                return None;
            }
            bracket[usize::from(slope > 0.0)] = here;
            let step = match last {
                Some((there, before)) => slope * (here - there) / (slope - before),
                None => scale * slope,
            };
            last = Some((here, slope));
            let next = here - step;
            let is_within = next > bracket[0] && next < bracket[1];
            here = if is_within {
                next
            } else if last.is_some() && bracket[0] > low && bracket[1] < high {
                0.5 * (bracket[0] + bracket[1])
            } else if slope > 0.0 {
                bracket[0]
            } else {
                bracket[1]
            };
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::distance::{Outcome, nearest};
    use super::*;
    use crate::collide::narrowphase::polyhedron::Cuboid;
    use crate::math::Quat;
    use rand::{RngExt, SeedableRng};

    /// From a direction some degrees off, features of shapes that nearly touch lead to the separation that the general search finds.
    #[test]
    fn features_agree_with_the_general_search() {
        let mut random = rand_pcg::Pcg64::seed_from_u64(7);
        let mut told = [[0; 2]; 3];
        for index in 0..6000 {
            let mut vector = || Vec3::from_fn(|_, _| random.random_range(-1.0..1.0));
            let turn = |v: Vec3| {
                Quat::from_scaled_axis(v * 3.0)
                    .to_rotation_matrix()
                    .into_inner()
            };
            let (rotations, way, off) = ([turn(vector()), turn(vector())], vector(), vector());
            let sizes = vector().map(|x| 0.5 + 0.3 * x);
            let frustum = |which: usize| match index / 3 % 4 + which {
                0 | 1 | 3 => Frustum::cylinder(sizes.x, sizes.y),
                _ => Frustum::cone(2.0 * sizes.x, sizes.y),
            };
            let p = Core::Frustum {
                position: way.normalize() * 4.0,
                rotation: rotations[0],
                frustum: frustum(0),
            };
            let origin = Vec3::zeros();
            let cuboid = Cuboid::new(&sizes);
            let q = match index % 3 {
                0 => Core::Frustum {
                    position: origin,
                    rotation: rotations[1],
                    frustum: frustum(1),
                },
                1 => Core::Solid((&origin, &rotations[1], cuboid.solid())),
                _ => Core::Capsule {
                    position: origin,
                    half: rotations[1].column(0) * sizes.x,
                    radius: sizes.y,
                },
            };
            // Moved along their normal, nearest points stay nearest.
            let Outcome::Apart { apart, .. } =
                nearest(&p, &q, (&origin, &Vec3::x()), [0.0, f64::INFINITY])
            else {
                unreachable!("shapes that far apart")
            };
            let (normal, separation) = (apart.normalize(), 0.02 * off.x);
            let p = match p {
                Core::Frustum {
                    position,
                    rotation,
                    frustum,
                } => Core::Frustum {
                    position: position - apart + normal * separation,
                    rotation,
                    frustum,
                },
                other => other,
            };
            let found = polished(&p, &q, &(normal + off * 0.05).normalize());
            told[index % 3][usize::from(found.is_some())] += 1;
            if let Some(found) = found {
                let about = format!("{index}: {found:?}, {separation}, {normal}");
                // Out of an overlap there may be a shorter way.
                assert!(found.separation > separation - 1e-7, "{about}");
                if separation > 0.0 {
                    assert!(found.separation < separation + 1e-7, "{about}");
                    let gained = along(&p, &q, &found.normal) - along(&p, &q, &normal);
                    assert!(gained > -1e-8, "{about}");
                }
            }
        }
        for [missed, found] in told {
            assert!(2 * found > missed, "{told:?}");
        }
    }
}
