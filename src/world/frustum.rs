//! Frusta about the z axis: cylinders and cones.

use crate::math::{Aabb, Mat3, Vec3, length};
use std::f64::consts::PI;

/// A disk at either end, and all points between: a cylinder where both are the same, a cone where the upper one is a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Frustum {
    /// Radii of the lower and of the upper disk `[m]`, of which one is positive.
    pub(crate) radii: [f64; 2],
    /// Where the disks are on the axis, the lower one first `[m]`.
    pub(crate) heights: [f64; 2],
    /// Unit vector out of the side, along the radius and along the axis.
    pub(crate) side_normal: [f64; 2],
}

/// Where a surface is nearest to a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct NearestOn {
    /// Negative inside `[m]`.
    pub(crate) distance: f64,
    /// Unit vector out of the solid.
    pub(crate) normal: Vec3,
}

impl Frustum {
    pub(crate) fn cylinder(half_length: f64, radius: f64) -> Self {
        Self {
            radii: [radius, radius],
            heights: [-half_length, half_length],
            side_normal: [1.0, 0.0],
        }
    }

    pub(crate) fn cone(height: f64, radius: f64) -> Self {
        Self {
            radii: [radius, 0.0],
            heights: [-0.25 * height, 0.75 * height],
            side_normal: [height, radius].map(|part| part / length(height, radius)),
        }
    }

    /// The farthest point along a direction.
    pub(crate) fn farthest(&self, direction: &Vec3) -> Vec3 {
        let across = length(direction.x, direction.y);
        let along = |end: usize| self.radii[end] * across + self.heights[end] * direction.z;
        let end = usize::from(along(1) > along(0));
        let out = if across > 0.0 {
            [direction.x / across, direction.y / across]
        } else {
            [1.0, 0.0]
        };
        self.on_rim(end, out)
    }

    /// The point of a rim in a direction across the axis, of length 1.
    pub(crate) fn on_rim(&self, end: usize, [x, y]: [f64; 2]) -> Vec3 {
        let radius = self.radii[end];
        Vec3::new(radius * x, radius * y, self.heights[end])
    }

    /// The least box that holds it, where its axes are turned.
    pub(crate) fn aabb(&self, center: &Vec3, axis: &Vec3) -> Aabb {
        let tilt = axis.map(|part| (1.0 - part * part).max(0.0).sqrt());
        let ends = [0, 1].map(|end| {
            let (middle, reach) = (center + axis * self.heights[end], tilt * self.radii[end]);
            Aabb {
                min: middle - reach,
                max: middle + reach,
            }
        });
        ends[0].merged(&ends[1])
    }

    /// Radius of the largest ball inside `[m]`.
    pub(crate) fn inner_radius(&self) -> f64 {
        let length = self.heights[1] - self.heights[0];
        // A ball on the lower disk that touches the side, if it fits below the upper one.
        let [out, up] = self.side_normal;
        (self.radii[0] * out / (1.0 + up)).min(0.5 * length)
    }

    /// Largest distance of a point from the origin `[m]`.
    pub(crate) fn bounding_radius(&self) -> f64 {
        let reach = |end: usize| length(self.radii[end], self.heights[end]);
        reach(0).max(reach(1))
    }

    /// Volume `[m^3]`, and the moments of inertia about the origin, the centroid, over the density `[m^5]`.
    pub(crate) fn mass(&self) -> (f64, Mat3) {
        let [r, top] = self.radii;
        let length = self.heights[1] - self.heights[0];
        let (volume, about, across) = if top > 0.0 {
            let volume = PI * r * r * length;
            (volume, 0.5 * r * r, 0.25 * r * r + length * length / 12.0)
        } else {
            let volume = PI * r * r * length / 3.0;
            let across = 0.15 * r * r + 0.0375 * length * length;
            (volume, 0.3 * r * r, across)
        };
        let diagonal = Vec3::new(across, across, about) * volume;
        (volume, Mat3::from_diagonal(&diagonal))
    }

    /// Where the surface is nearest to a point: in the plane through the axis and the point, that of a trapezium.
    pub(crate) fn nearest(&self, point: &Vec3) -> NearestOn {
        let across = length(point.x, point.y);
        let out = if across > 0.0 {
            Vec3::new(point.x / across, point.y / across, 0.0)
        } else {
            Vec3::x()
        };
        let ([r0, r1], [z0, z1]) = (self.radii, self.heights);
        let [side_out, side_up] = self.side_normal;
        let on_disks = [(z0 - point.z, [0.0, -1.0]), (point.z - z1, [0.0, 1.0])];
        let from_rims = [[across - r0, point.z - z0], [across - r1, point.z - z1]];
        let on_side = (
            side_out * from_rims[0][0] + side_up * from_rims[0][1],
            self.side_normal,
        );
        let highest =
            on_disks.into_iter().fold(
                on_side,
                |best, plane| if plane.0 > best.0 { plane } else { best },
            );
        // Where the point is along the side, from its ends.
        let along = from_rims.map(|[x, z]| side_out * z - side_up * x);
        let (distance, [radial, axial]) = if highest.0 <= 0.0 {
            highest
        } else if on_disks[0].0 > 0.0 && across <= r0 {
            on_disks[0]
        } else if on_disks[1].0 > 0.0 && across <= r1 {
            on_disks[1]
        } else if along[0] >= 0.0 && along[1] <= 0.0 {
            on_side
        } else {
            let [x, z] = from_rims[usize::from(along[0] >= 0.0)];
            let distance = length(x, z);
            (distance, [x / distance, z / distance])
        };
        NearestOn {
            // What is no number is far away.
            distance: distance.min(f64::MAX),
            normal: out * radial + Vec3::z() * axial,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points that are known to be some distance from a disk, the side, a rim or an apex.
    #[test]
    fn the_nearest_place_is_where_a_point_was_put_off() {
        for frustum in [Frustum::cylinder(0.7, 0.4), Frustum::cone(1.1, 0.6)] {
            let ([r0, r1], [z0, z1]) = (frustum.radii, frustum.heights);
            let [out, up] = frustum.side_normal;
            let middle = [0.5 * (r0 + r1), 0.5 * (z0 + z1)];
            let rim = [0.6_f64.cos(), -0.6_f64.sin()];
            // Halfway between the side's normal and that of the upper disk.
            let [x, z] = [out, up + 1.0].map(|part| part / length(out, up + 1.0));
            let places = [
                ([0.5 * r0, z0], [0.0, -1.0]),
                ([0.5 * r1, z1], [0.0, 1.0]),
                (middle, [out, up]),
                ([r0, z0], rim),
                ([r1, z1], [x, z]),
            ];
            for ([across, height], [radial, axial]) in places {
                for distance in [0.0, 1e-9, 0.1, 3.0] {
                    let [x, z] = [across + distance * radial, height + distance * axial];
                    let found = frustum.nearest(&Vec3::new(0.6 * x, -0.8 * x, z));
                    let about = format!("{frustum:?}, {across}, {height}: {found:?}, {distance}");
                    assert!((found.distance - distance).abs() < 1e-14, "{about}");
                    let normal = Vec3::new(0.6 * radial, -0.8 * radial, axial);
                    let off = (found.normal - normal).norm();
                    assert!(distance < 0.1 || off < 1e-12, "{about}");
                }
            }
            let inside = frustum.nearest(&Vec3::zeros());
            assert!(inside.distance < -0.1, "{inside:?}");
        }
    }
}
