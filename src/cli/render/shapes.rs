//! Surfaces as triangles: unit shapes that instances scale, and solids and meshes as they are.

use bytemuck::{Pod, Zeroable};
use drystone::math::Vec3;
use drystone::world::{Polyhedron, Shape, TriangleMesh};
use std::f32::consts::{FRAC_PI_2, TAU};

/// A corner of a triangle, as the shaders read it.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Corner {
    /// Place; the fourth number is the end of the shape, -1, 0 or 1, that it belongs to when the shape is pulled apart along z.
    pub(super) place: [f32; 4],
    /// Normal; the fourth number is of no use.
    pub(super) normal: [f32; 4],
}

fn corner(place: [f32; 3], end: f32, normal: [f32; 3]) -> Corner {
    Corner {
        place: [place[0], place[1], place[2], end],
        normal: [normal[0], normal[1], normal[2], 0.0],
    }
}

/// Corners of the triangles of a shape before they are scaled; none of one that is not drawn as triangles by itself.
pub(super) fn of(shape: &Shape) -> Vec<Corner> {
    match shape {
        Shape::Box { .. } => unit_box(),
        Shape::Capsule { .. } => capsule(20, 5),
        Shape::Cylinder { .. } => cylinder(),
        Shape::Cone { .. } => cone(),
        Shape::Polyhedron(faces) => solid(faces),
        Shape::Mesh(triangles) => mesh(triangles),
        Shape::Sphere { .. } | Shape::HalfSpace { .. } | Shape::Compound { .. } => Vec::new(),
    }
}

/// Factors of these corners along x, y and z, and half the length by which they are pulled apart along z `[m]`.
pub(super) fn scale(shape: &Shape) -> [f64; 4] {
    match shape {
        Shape::Sphere { radius } => [*radius, *radius, *radius, 0.0],
        Shape::Box { half_extents: h } => [h.x, h.y, h.z, 0.0],
        Shape::Capsule {
            half_length,
            radius,
        } => [*radius, *radius, *radius, *half_length],
        Shape::Cylinder {
            half_length,
            radius,
        } => [*radius, *radius, *half_length, 0.0],
        Shape::Cone { height, radius } => [*radius, *radius, *height, 0.0],
        Shape::Polyhedron(_)
        | Shape::Mesh(_)
        | Shape::HalfSpace { .. }
        | Shape::Compound { .. } => [1.0, 1.0, 1.0, 0.0],
    }
}

/// The triangles of a shape in its own axes `[m]`, three corners each.
#[cfg(feature = "view")]
pub(crate) fn placed(shape: &Shape) -> Vec<Vec3> {
    let [x, y, z, stretch] = scale(shape);
    let place = |corner: Corner| {
        let [cx, cy, cz, end] = corner.place.map(f64::from);
        Vec3::new(x * cx, y * cy, z * cz + stretch * end)
    };
    of(shape).into_iter().map(place).collect()
}

/// A flat polygon, as triangles, counter-clockwise.
fn polygon(corners: &[[f32; 3]], normal: [f32; 3], into: &mut Vec<Corner>) {
    for at in 1..corners.len().saturating_sub(1) {
        into.extend([0, at, at + 1].map(|at| corner(corners[at], 0.0, normal)));
    }
}

/// Six faces of the cube of half side 1, seen from outside, or five of them from inside: without the upper one.
fn cube(inside: bool) -> Vec<Corner> {
    let mut corners = Vec::with_capacity(36);
    for axis in 0..3 {
        for sign in [-1.0_f32, 1.0] {
            if inside && axis == 2 && sign > 0.0 {
                continue;
            }
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let mut face: Vec<[f32; 3]> = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
                .iter()
                .map(|&(a, b)| {
                    let mut place = [0.0; 3];
                    (place[axis], place[u], place[v]) = (sign, a, b);
                    place
                })
                .collect();
            let mut normal = [0.0; 3];
            normal[axis] = if inside { -sign } else { sign };
            if (sign < 0.0) != inside {
                face.reverse();
            }
            polygon(&face, normal, &mut corners);
        }
    }
    corners
}

/// The unit cube from outside.
fn unit_box() -> Vec<Corner> {
    cube(false)
}

/// The unit cube from inside, open above.
pub(super) fn open_box() -> Vec<Corner> {
    cube(true)
}

/// The square of half side 1 across z.
pub(super) fn square() -> Vec<Corner> {
    let mut corners = Vec::new();
    let places = [
        [-1.0, -1.0, 0.0],
        [1.0, -1.0, 0.0],
        [1.0, 1.0, 0.0],
        [-1.0, 1.0, 0.0],
    ];
    polygon(&places, [0.0, 0.0, 1.0], &mut corners);
    corners
}

/// A unit sphere whose halves are pulled apart along z.
pub(super) fn capsule(around: u16, rings: u16) -> Vec<Corner> {
    let place = |ring: i32, step: u16| {
        let latitude = FRAC_PI_2 * ring as f32 / f32::from(rings);
        let longitude = TAU * f32::from(step) / f32::from(around);
        let flat = latitude.cos();
        [
            flat * longitude.cos(),
            flat * longitude.sin(),
            latitude.sin(),
        ]
    };
    let rings = i32::from(rings);
    // Latitudes of the lower half, its equator, the equator of the upper half, and so on.
    let mut levels: Vec<(i32, f32)> = (-rings..=0).map(|ring| (ring, -1.0)).collect();
    levels.extend((0..=rings).map(|ring| (ring, 1.0)));
    let mut corners = Vec::new();
    for pair in levels.windows(2) {
        let ((low, low_end), (high, high_end)) = (pair[0], pair[1]);
        for step in 0..around {
            let [a, b] = [(low, low_end, step), (low, low_end, step + 1)];
            let [c, d] = [(high, high_end, step + 1), (high, high_end, step)];
            let make = |(ring, end, step): (i32, f32, u16)| {
                let at = place(ring, step);
                corner(at, end, at)
            };
            if low != -rings {
                corners.extend([a, b, c].map(make));
            }
            if high != rings {
                corners.extend([a, c, d].map(make));
            }
        }
    }
    corners
}

/// Disks of the given radii at the given heights, and the side between them, seen from outside.
fn frustum([low, high]: [f32; 2], [bottom, top]: [f32; 2], around: u16) -> Vec<Corner> {
    let out = |step: u16| {
        let longitude = TAU * f32::from(step) / f32::from(around);
        [longitude.cos(), longitude.sin()]
    };
    let on_rim = |radius: f32, height: f32, step: u16| {
        let [x, y] = out(step);
        [radius * x, radius * y, height]
    };
    let slope = (bottom - top) / (high - low);
    let steep = 1.0_f32.hypot(slope);
    let mut corners = Vec::new();
    for step in 0..around {
        let make = |radius: f32, height: f32, step: u16| {
            let [x, y] = out(step);
            let normal = [x / steep, y / steep, slope / steep];
            corner(on_rim(radius, height, step), 0.0, normal)
        };
        let next = step + 1;
        let [a, b] = [make(bottom, low, step), make(bottom, low, next)];
        let [c, d] = [make(top, high, next), make(top, high, step)];
        corners.extend([a, b, c]);
        if top > 0.0 {
            corners.extend([a, c, d]);
        }
    }
    let lower: Vec<[f32; 3]> = (0..around)
        .rev()
        .map(|step| on_rim(bottom, low, step))
        .collect();
    polygon(&lower, [0.0, 0.0, -1.0], &mut corners);
    if top > 0.0 {
        let upper: Vec<[f32; 3]> = (0..around).map(|step| on_rim(top, high, step)).collect();
        polygon(&upper, [0.0, 0.0, 1.0], &mut corners);
    }
    corners
}

/// The cylinder of radius 1 and half length 1.
fn cylinder() -> Vec<Corner> {
    frustum([-1.0, 1.0], [1.0, 1.0], 48)
}

/// The cone of radius 1 and height 1 about its centre of mass.
fn cone() -> Vec<Corner> {
    frustum([-0.25, 0.75], [1.0, 0.0], 48)
}

fn narrow(v: &Vec3) -> [f32; 3] {
    [v.x as f32, v.y as f32, v.z as f32]
}

/// The faces of a solid.
fn solid(solid: &Polyhedron) -> Vec<Corner> {
    let mut corners = Vec::new();
    for face in solid.faces() {
        let places: Vec<[f32; 3]> = solid
            .vertices_of(face)
            .iter()
            .map(|&at| narrow(&solid.vertices()[at as usize]))
            .collect();
        polygon(&places, narrow(&face.normal), &mut corners);
    }
    corners
}

/// Cosine of the angle between two faces below which the edge between them is drawn round.
const ROUND: f64 = 0.8;

/// The triangles of a mesh; where they meet at a small angle they share a normal.
fn mesh(mesh: &TriangleMesh) -> Vec<Corner> {
    let mut around: Vec<Vec<u32>> = vec![Vec::new(); mesh.vertices().len()];
    for (index, triangle) in mesh.triangles().iter().enumerate() {
        for &vertex in triangle {
            around[vertex as usize].push(index as u32);
        }
    }
    let mut corners = Vec::with_capacity(3 * mesh.triangles().len());
    for (triangle, own) in mesh.triangles().iter().zip(mesh.normals()) {
        for &vertex in triangle {
            let normal = around[vertex as usize]
                .iter()
                .map(|&other| mesh.normals()[other as usize])
                .filter(|other| other.dot(own) > ROUND)
                .fold(Vec3::zeros(), |sum, other| sum + other);
            let normal = if normal.norm() > 0.0 {
                normal.normalize()
            } else {
                *own
            };
            let place = narrow(&mesh.vertices()[vertex as usize]);
            corners.push(corner(place, 0.0, narrow(&normal)));
        }
    }
    corners
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unit_shapes_face_outward_and_are_closed() {
        for (name, corners, volume, sign) in [
            ("box", unit_box(), 8.0, 1.0),
            ("capsule", capsule(48, 12), 4.18, 1.0),
            ("cylinder", cylinder(), 6.265, 1.0),
            ("cone", cone(), 1.044, 1.0),
        ] {
            let mut sum = 0.0;
            for triangle in corners.chunks(3) {
                let [a, b, c] = [0, 1, 2].map(|at| {
                    let p = triangle[at].place;
                    Vec3::new(p[0].into(), p[1].into(), p[2].into())
                });
                sum += a.dot(&b.cross(&c)) / 6.0;
                let normal = triangle[0].normal;
                let normal = Vec3::new(normal[0].into(), normal[1].into(), normal[2].into());
                let facing = (b - a).cross(&(c - a)).dot(&normal);
                assert!(facing * sign > -1e-9, "{name}");
            }
            assert!((sum - volume).abs() < 0.1, "{name}: {sum}");
        }
        assert_eq!(open_box().len(), 30);
    }
}
