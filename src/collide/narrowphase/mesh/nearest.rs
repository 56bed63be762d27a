//! A ball and a mesh.

use crate::collide::narrowphase::direction::direction;
use crate::constants::MESH_DIRECTION;
use crate::math::Vec3;
use crate::world::{Feature, SideKind, TriangleMesh};
use arrayvec::ArrayVec;

/// Most triangles that a ball touches: of more the nearest.
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
    /// The triangles that touch a ball about the place, and the nearest one, are among these, in the order of the mesh; and among those of them
    /// that had no more room than the place has moved, and were no farther than this `[m]`.
    Known(&'a [Neighbour], [f64; 2]),
}

/// A triangle near some place.
#[derive(Debug, Clone, Copy)]
pub(in crate::collide) struct Neighbour {
    pub(in crate::collide) triangle: u32,
    /// Its distance from the place, or somewhat less `[m]`.
    pub(in crate::collide) distance: f32,
    /// How far from the place the nearest one is that it can touch, or somewhat less `[m]`.
    pub(in crate::collide) room: f32,
}

impl Near<'_> {
    /// Visits what may touch a ball, or be nearest to its centre.
    #[inline(always)]
    fn visit(self, mesh: &TriangleMesh, center: &Vec3, range: f64, mut visit: impl FnMut(u32)) {
        match self {
            Self::All => mesh.visit_facing(center, (range, 0.0), visit),
            Self::Known(neighbours, [gone, farthest]) => {
                for neighbour in neighbours {
                    if f64::from(neighbour.distance) <= farthest
                        && f64::from(neighbour.room) <= gone
                    {
                        visit(neighbour.triangle);
                    }
                }
            }
        }
    }
}

/// Adds where a ball touches a triangle to the nearest of such places.
fn add(touches: &mut ArrayVec<Touch, MOST>, mut touch: Touch) {
    if touches.try_push(touch).is_ok() {
        return;
    }
    for known in touches {
        if known.distance > touch.distance {
            std::mem::swap(known, &mut touch);
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
    let mut touches = ArrayVec::new();
    let mut any_behind = false;
    near.visit(mesh, center, range, |triangle| {
        if let Some((touch, is_behind)) = touch_within(mesh, triangle, center, range, true) {
            any_behind |= is_behind;
            if !is_behind {
                add(&mut touches, touch);
            }
        }
    });
    if any_behind && is_behind_nearest(mesh, center, range) {
        touches.clear();
        mesh.visit_ball(center, range, |triangle| {
            if let Some((touch, _)) = touch_within(mesh, triangle, center, range, false) {
                add(&mut touches, touch);
            }
        });
    }
    for touch in &touches {
        if touch.distance >= -radius {
            visit(*touch);
        }
    }
}

/// Where a point touches a triangle that is not farther than `range` `[m]`, and if it is behind it. A point that is not behind what is nearest to it
/// touches triangles only in directions that they face.
#[inline(always)]
fn touch_within(
    mesh: &TriangleMesh,
    triangle: u32,
    center: &Vec3,
    range: f64,
    is_faced: bool,
) -> Option<(Touch, bool)> {
    if let Some((height, is_above)) = mesh.above_hollow(triangle, center, range) {
        let normal = mesh.normals()[triangle as usize];
        let touch = Touch {
            triangle,
            on: center - normal * height,
            normal,
            distance: height,
        };
        return is_above.then_some((touch, false));
    }
    let (on, feature) = mesh.closest(triangle, center);
    let apart = center - on;
    let squared = apart.norm_squared();
    if squared > range * range {
        return None;
    }
    // On the surface itself it is rounding that has a direction.
    let has_direction = squared > (MESH_DIRECTION * range) * (MESH_DIRECTION * range);
    if is_faced && has_direction && !mesh.facing(triangle).holds(&apart) {
        return None;
    }
    touch(mesh, (triangle, feature), (&on, &apart))
}

/// True if a point is behind what is nearest to it within `range` `[m]`.
fn is_behind_nearest(mesh: &TriangleMesh, center: &Vec3, range: f64) -> bool {
    let mut nearest = (range * range, false);
    mesh.visit_ball(center, range, |triangle| {
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
    Some((touch(normal, distance), is_behind))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

    use super::*;

    /// The touches of a ball among all triangles of a mesh.
    fn among_all(mesh: &TriangleMesh, center: &Vec3, radius: f64, range: f64) -> Vec<[f64; 7]> {
        let is_behind_all = is_behind_nearest(mesh, center, range);
        let mut found = Vec::new();
        for triangle in 0..mesh.triangles().len() as u32 {
            if let Some((touch, is_behind)) = touch_within(mesh, triangle, center, range, false)
                && (!is_behind || is_behind_all)
                && touch.distance >= -radius
            {
                found.push(listed(&touch));
            }
        }
        found
    }

    fn listed(touch: &Touch) -> [f64; 7] {
        let Touch {
            on,
            normal,
            distance,
            ..
        } = touch;
        [on.x, on.y, on.z, normal.x, normal.y, normal.z, *distance]
    }

    #[test]
    fn what_does_not_face_a_ball_does_not_touch_it() {
        // Level, hills, a rough ground, steep stairs.
        let heights: [fn(f64, f64) -> f64; 4] = [
            |_, _| 0.0,
            |x, y| 0.6 * ((0.9 * x).sin() + (0.7 * y).cos()),
            |x, y| (12.9898 * x + 78.233 * y).sin(),
            |x, _| 3.0 * (0.25 * x).floor(),
        ];
        for height in heights {
            let field: Vec<Vec<f64>> = (0..=30)
                .map(|y| {
                    (0..=30)
                        .map(|x| height(f64::from(x), f64::from(y)))
                        .collect()
                })
                .collect();
            let field = TriangleMesh::height_field(&field, [1.0, 1.0]).unwrap();
            for mesh in [field.clone(), field.turned_inside_out()] {
                let (mut touched, mut behind) = (0, 0);
                for case in 0..160 {
                    let t = f64::from(case);
                    let [x, y] = [12.0 * (1.7 * t).sin(), 12.0 * (2.3 * t).cos()];
                    let radius = [0.3, 1.0, 2.0, 4.0][case as usize % 4];
                    let ground = height((x + 15.0).round(), (y + 15.0).round());
                    let up = radius * (2.2 * (0.37 * t).sin());
                    let center = Vec3::new(x, y, ground + up);
                    let range = 1.05 * radius;
                    let expected = among_all(&mesh, &center, radius, range);
                    let mut found = Vec::new();
                    let all = (&mesh, Near::All);
                    visit_touches(all, &center, radius, range, |touch| {
                        found.push(listed(&touch));
                    });
                    // Of very many the nearest.
                    if expected.len() <= MOST {
                        assert_eq!(found, expected, "case {case} of radius {radius}");
                    }
                    touched += expected.len();
                    behind += usize::from(is_behind_nearest(&mesh, &center, range));
                }
                assert!(touched > 24 && behind > 8, "{touched} {behind}");
            }
        }
    }
}
