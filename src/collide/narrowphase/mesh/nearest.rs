//! A ball and a mesh.

use crate::collide::narrowphase::direction::direction;
use crate::constants::MESH_DIRECTION;
use crate::math::Vec3;
use crate::world::{Feature, SideKind, TriangleMesh};

/// Most triangles that a ball is nearest to: of more the first ones found.
const MOST: usize = 16;

/// Where a ball touches a triangle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Touch {
    pub(super) triangle: u32,
    /// On the triangle `[m]`.
    pub(super) on: Vec3,
    /// Unit vector to the ball.
    pub(super) normal: Vec3,
    /// Of the centre from the surface along the normal `[m]`.
    pub(super) distance: f64,
}

/// The triangles of a mesh that are near a place.
#[derive(Debug, Clone, Copy)]
pub(in crate::collide) enum Near<'a> {
    /// Any.
    All,
    /// No others than these, in the order of the mesh, and of these none that was farther from a place not far away `[m]`.
    Known(&'a [Neighbour], f64),
}

/// A triangle and its distance from some place `[m]`, or somewhat less.
#[derive(Debug, Clone, Copy)]
pub(in crate::collide) struct Neighbour {
    pub(in crate::collide) triangle: u32,
    pub(in crate::collide) distance: f32,
}

impl Near<'_> {
    #[inline(always)]
    fn visit_ball(
        self,
        mesh: &TriangleMesh,
        center: &Vec3,
        range: f64,
        mut visit: impl FnMut(u32),
    ) {
        match self {
            Self::All => mesh.visit_ball(center, range, visit),
            Self::Known(neighbours, farthest) => {
                for neighbour in neighbours {
                    if f64::from(neighbour.distance) <= farthest {
                        visit(neighbour.triangle);
                    }
                }
            }
        }
    }
}

/// Visits the places where the surface is nearest to the centre of a ball among their surroundings, none farther from it than
/// `range`, and not those from which the ball has gone altogether. What the centre is behind of counts only if it is nearest of
/// all: else it is the other side of something that the ball is in front of.
pub(super) fn visit_touches(
    (mesh, near): (&TriangleMesh, Near<'_>),
    center: &Vec3,
    radius: f64,
    range: f64,
    mut visit: impl FnMut(Touch),
) {
    let mut found = [None; MOST];
    let mut count = 0;
    let mut any_behind = false;
    near.visit_ball(mesh, center, range, |triangle| {
        if let Some((height, is_above)) = mesh.above_hollow(triangle, center, range) {
            if is_above && count < MOST {
                let normal = mesh.normals()[triangle as usize];
                let touch = Touch {
                    triangle,
                    on: center - normal * height,
                    normal,
                    distance: height,
                };
                found[count] = Some((touch, false));
                count += 1;
            }
            return;
        }
        let (on, feature) = mesh.closest(triangle, center);
        let apart = center - on;
        let squared = apart.norm_squared();
        if squared > range * range {
            return;
        }
        if count < MOST
            && let Some((touch, is_behind)) =
                touch(mesh, (triangle, feature), (&on, &apart), radius)
        {
            found[count] = Some((touch, is_behind));
            count += 1;
            any_behind |= is_behind;
        }
    });
    let is_behind_all = any_behind && is_behind_nearest((mesh, near), center, range);
    for (touch, is_behind) in found[..count].iter().flatten() {
        if !is_behind || is_behind_all {
            visit(*touch);
        }
    }
}

/// True if a point is behind what is nearest to it within `range` `[m]`.
fn is_behind_nearest((mesh, near): (&TriangleMesh, Near<'_>), center: &Vec3, range: f64) -> bool {
    let mut nearest = (range * range, false);
    near.visit_ball(mesh, center, range, |triangle| {
        let (on, feature) = mesh.closest(triangle, center);
        let apart = center - on;
        if apart.norm_squared() < nearest.0 {
            let is_behind = mesh.outward(triangle, feature).dot(&apart) < 0.0;
            nearest = (apart.norm_squared(), is_behind);
        }
    });
    nearest.1
}

/// Where a triangle's nearest point is touched, and if that is from behind.
fn touch(
    mesh: &TriangleMesh,
    (triangle, feature): (u32, Feature),
    (on, apart): (&Vec3, &Vec3),
    radius: f64,
) -> Option<(Touch, bool)> {
    // Most are on the right side by far, and need no root.
    let far = apart.norm_squared();
    let misses = |way: &Vec3| {
        let along = apart.dot(way);
        along > 0.0 && along * along > MESH_DIRECTION * MESH_DIRECTION * (far * way.norm_squared())
    };
    let is_rim = |side: usize| mesh.sides(triangle)[side].kind == SideKind::Rim;
    let on_rim = match feature {
        Feature::Face => false,
        Feature::Side(side) => {
            let beyond = mesh.inward_beyond(triangle, side);
            if beyond.is_some_and(|way| misses(&way)) {
                return None;
            }
            is_rim(side)
        }
        Feature::Corner(corner) => {
            let vertex = mesh.triangles()[triangle as usize][corner];
            if mesh.edges_at(vertex).any(|way| misses(&way)) {
                return None;
            }
            is_rim(corner) || is_rim((corner + 2) % 3)
        }
    };
    let is_behind = mesh.outward(triangle, feature).dot(apart) < 0.0;
    let touch = |normal: Vec3, distance: f64| Touch {
        triangle,
        on: *on,
        normal,
        distance,
    };
    if feature != Feature::Face
        && (!is_behind || on_rim)
        && let Some((normal, distance)) = direction(apart)
    {
        return Some((touch(normal, distance), is_behind));
    }
    let normal = mesh.normals()[triangle as usize];
    let distance = normal.dot(apart);
    (distance >= -radius).then_some((touch(normal, distance), is_behind))
}
