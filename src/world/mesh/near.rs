//! Triangles of a mesh near a point, and their distances.

use super::{Feature, TriangleMesh};
use crate::constants::MESH_GROUP;
use crate::math::{Aabb, Vec3};

impl TriangleMesh {
    /// Visits the triangles whose boxes touch a box, in the mesh's axes.
    #[inline]
    pub(crate) fn visit_near(&self, aabb: &Aabb, visit: impl FnMut(u32)) {
        self.tree.visit(aabb, visit);
    }

    /// Visits the triangles whose boxes come within some distance of a point, in the mesh's axes `[m]`.
    #[inline]
    pub(crate) fn visit_ball(&self, center: &Vec3, radius: f64, visit: impl FnMut(u32)) {
        self.tree.visit_ball(center, radius, visit);
    }

    /// The same without those that no point within `room` of it touches within this distance, nor what they are nearest to.
    #[inline]
    pub(crate) fn visit_facing(
        &self,
        center: &Vec3,
        (radius, room): (f64, f64),
        visit: impl FnMut(u32),
    ) {
        self.tree.visit_facing(center, (radius, room), visit);
    }

    /// How far a point has to go before a triangle can touch it, or be nearest to it, within `range` `[m]`; 0 or less if it can.
    pub(crate) fn room_beside(&self, triangle: u32, point: &Vec3, range: f64) -> f64 {
        let facing = self.facing(triangle);
        if facing.is_any() {
            return -range;
        }
        let corners = self.corners(triangle);
        let beside = corners.map(|corner| facing.beside(&(corner - point)));
        let away = closest_on_sides(&beside, &Vec3::zeros()).map_or(0.0, |(on, _)| on.norm());
        away - facing.width(range)
    }

    /// The distance of a point from the surface, or `at_most` if it is farther `[m]`.
    pub(crate) fn distance(&self, point: &Vec3, at_most: f64) -> f64 {
        let nearest = self.tree.nearest(point, [0.0, at_most], |triangle| {
            self.squared_distance(triangle, point)
        });
        nearest.map_or(at_most, |(squared, _)| squared.sqrt())
    }

    /// A triangle that comes nearer to a point than a distance `[m]`, if there is one; `likely` is looked at first.
    pub(crate) fn one_within(&self, point: &Vec3, distance: f64, likely: u32) -> Option<u32> {
        if (likely as usize) < self.triangles.len()
            && self.squared_distance(likely, point) < distance * distance
        {
            return Some(likely);
        }
        let one = self.tree.nearest(point, [distance; 2], |triangle| {
            self.squared_distance(triangle, point)
        });
        one.map(|(_, triangle)| triangle)
    }

    fn squared_distance(&self, triangle: u32, point: &Vec3) -> f64 {
        let (on, _) = self.closest(triangle, point);
        (point - on).norm_squared()
    }

    /// The same of triangles only that face some direction, or to its side: not of the other side of a thin wall. Nor of those at
    /// some vertices that face nearly this way.
    pub(crate) fn distance_facing(
        &self,
        point: &Vec3,
        at_most: f64,
        direction: &Vec3,
        apart_from: &[u32],
    ) -> f64 {
        let nearest = self.tree.nearest(point, [0.0, at_most], |triangle| {
            let cosine = self.normals[triangle as usize].dot(direction);
            let corners = &self.triangles[triangle as usize];
            let is_alike = cosine > MESH_GROUP;
            if cosine < -0.5 || is_alike && corners.iter().any(|corner| apart_from.contains(corner))
            {
                return f64::INFINITY;
            }
            self.squared_distance(triangle, point)
        });
        nearest.map_or(at_most, |(squared, _)| squared.sqrt())
    }

    /// The distance of a point from the surface, negative behind a closed one `[m]`.
    #[cfg(feature = "scene")]
    pub(crate) fn signed_distance(&self, point: &Vec3) -> f64 {
        let distance = self.distance(point, f64::INFINITY);
        if !self.is_closed {
            return distance;
        }
        let near = Aabb {
            min: *point,
            max: *point,
        };
        let mut nearest = (f64::INFINITY, 1.0);
        let slack = 1e-9 * (distance + self.bounding_radius);
        self.visit_near(&near.grown(distance + slack), |triangle| {
            let (on, feature) = self.closest(triangle, point);
            let apart = point - on;
            if apart.norm_squared() < nearest.0 {
                let side = self.outward(triangle, feature).dot(&apart);
                nearest = (apart.norm_squared(), side);
            }
        });
        distance.copysign(nearest.1)
    }

    /// The point of a triangle that is nearest to a point, and where it is on the triangle.
    #[inline]
    pub(crate) fn closest(&self, triangle: u32, point: &Vec3) -> (Vec3, Feature) {
        let corners = self.corners(triangle);
        closest_on_sides(&corners, point).unwrap_or_else(|| {
            let normal = &self.normals[triangle as usize];
            let height = normal.dot(&(point - corners[0]));
            (point - normal * height, Feature::Face)
        })
    }
}

/// The point on the sides of a triangle that is nearest to a point, and where it is; `None` if one of the face is nearer.
///
/// By the regions of Ericson 2005, *Real-Time Collision Detection*, sec. 5.1.5.
#[inline]
fn closest_on_sides([a, b, c]: &[Vec3; 3], point: &Vec3) -> Option<(Vec3, Feature)> {
    let (ab, ac, ap) = (b - a, c - a, point - a);
    let (d1, d2) = (ab.dot(&ap), ac.dot(&ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return Some((*a, Feature::Corner(0)));
    }
    let bp = point - b;
    let (d3, d4) = (ab.dot(&bp), ac.dot(&bp));
    if d3 >= 0.0 && d4 <= d3 {
        return Some((*b, Feature::Corner(1)));
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return Some((a + ab * (d1 / (d1 - d3)), Feature::Side(0)));
    }
    let cp = point - c;
    let (d5, d6) = (ab.dot(&cp), ac.dot(&cp));
    if d6 >= 0.0 && d5 <= d6 {
        return Some((*c, Feature::Corner(2)));
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return Some((a + ac * (d2 / (d2 - d6)), Feature::Side(2)));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        let part = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return Some((b + (c - b) * part, Feature::Side(1)));
    }
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

    use super::*;

    /// Beside no axis is anything nearer or farther: along that of all directions a wall is a line, and no triangle any more.
    #[test]
    fn what_can_be_touched_in_all_directions_has_no_room_beside_it() {
        let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        for axis in 0..3 {
            let vertices = square.map(|[a, b]| {
                let mut vertex = Vec3::zeros();
                (vertex[(axis + 1) % 3], vertex[(axis + 2) % 3]) = (a, b);
                vertex
            });
            for first in [[0, 1, 2], [1, 2, 0], [2, 0, 1]] {
                let second = first.map(|corner| [0, 2, 3][corner as usize]);
                let mesh = TriangleMesh::new(&vertices, &[first, second]).unwrap();
                for part in [[0.6, 0.3], [0.3, 0.6]] {
                    let mut point = Vec3::zeros();
                    point[axis] = 0.01;
                    (point[(axis + 1) % 3], point[(axis + 2) % 3]) = (part[0], part[1]);
                    for triangle in 0..2 {
                        assert!(mesh.room_beside(triangle, &point, 0.02) <= 0.0);
                    }
                }
            }
        }
    }

    #[test]
    fn distances_are_those_of_all_triangles() {
        let heights: Vec<Vec<f64>> = (0..20)
            .map(|y| (0..30).map(|x| 0.3 * f64::from(x * y % 7)).collect())
            .collect();
        let field = TriangleMesh::height_field(&heights, [0.5, 0.7]).unwrap();
        for k in 0..300 {
            let t = f64::from(k);
            let point = Vec3::new(
                9.0 * (1.3 * t).sin(),
                8.0 * (0.7 * t).cos(),
                3.0 * (0.2 * t).sin(),
            );
            let all = (0..field.triangles.len() as u32)
                .map(|triangle| (field.closest(triangle, &point).0 - point).norm())
                .fold(f64::INFINITY, f64::min);
            assert!((field.distance(&point, f64::INFINITY) - all).abs() < 1e-12);
            assert_eq!(field.distance(&point, 0.5 * all), 0.5 * all);
            // Whichever is looked at first, one is found where there is one.
            let to = |triangle| (field.closest(triangle, &point).0 - point).norm();
            for likely in [0, k, 2 * k + 1, u32::MAX] {
                assert_eq!(field.one_within(&point, 0.99 * all, likely), None);
                let one = field.one_within(&point, 1.01 * all, likely).unwrap();
                assert!(to(one) < 1.01 * all);
            }
        }
    }
}
