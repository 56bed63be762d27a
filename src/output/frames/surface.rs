//! Coarse surfaces of unit shapes, faces counterclockwise seen from outside.

use crate::math::Vec3;
use std::f64::consts::{FRAC_PI_2, TAU};

/// Corners of the polygons that stand for the circles of cylinders and cones.
const AROUND: u32 = 24;

/// Vertices and polygons.
#[derive(Debug)]
pub(super) struct Surface {
    pub(super) vertices: Vec<Vec3>,
    pub(super) faces: Vec<Vec<u32>>,
}

/// The surfaces that bodies are made of by scaling.
#[derive(Debug)]
pub(super) struct Templates {
    /// Of radius 1.
    pub(super) sphere: Surface,
    /// Of half side 1.
    pub(super) cube: Surface,
    /// A unit sphere whose two halves are not yet pulled apart along z.
    pub(super) capsule: Surface,
    /// Of radius 1 and half length 1.
    pub(super) cylinder: Surface,
    /// Of radius 1 and height 1.
    pub(super) cone: Surface,
}

impl Templates {
    pub(super) fn new() -> Self {
        Self {
            sphere: sphere(),
            cube: cube(),
            capsule: capsule(),
            cylinder: cylinder(),
            cone: cone(),
        }
    }
}

/// An icosahedron whose faces are split in four once: 42 vertices, 80 triangles.
fn sphere() -> Surface {
    // Corners of three golden rectangles.
    let long = f64::midpoint(1.0, 5.0_f64.sqrt());
    let mut vertices = Vec::with_capacity(42);
    for axis in 0..3 {
        for (a, b) in [(1.0, long), (-1.0, long), (1.0, -long), (-1.0, -long)] {
            let mut corner = Vec3::zeros();
            corner[axis] = a;
            corner[(axis + 1) % 3] = b;
            vertices.push(corner.normalize());
        }
    }
    // Its faces are the triples of corners at the length of an edge from each other.
    let edge = 1.1 * 2.0 / Vec3::new(1.0, long, 0.0).norm();
    let near = |a: usize, b: usize| (vertices[a] - vertices[b]).norm() < edge;
    let mut triangles = Vec::with_capacity(20);
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if near(a, b) && near(b, c) && near(c, a) {
                    let outward = vertices[a].dot(&vertices[b].cross(&vertices[c])) > 0.0;
                    triangles.push(if outward { [a, b, c] } else { [a, c, b] });
                }
            }
        }
    }
    let mut middles: Vec<((usize, usize), usize)> = Vec::with_capacity(30);
    let mut faces = Vec::with_capacity(80);
    for [a, b, c] in triangles {
        let mut middle = |from: usize, to: usize| {
            let key = (from.min(to), from.max(to));
            if let Some(&(_, at)) = middles.iter().find(|(known, _)| *known == key) {
                return at;
            }
            vertices.push((vertices[from] + vertices[to]).normalize());
            middles.push((key, vertices.len() - 1));
            vertices.len() - 1
        };
        let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
        for face in [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]] {
            faces.push(face.iter().map(|&vertex| vertex as u32).collect());
        }
    }
    Surface { vertices, faces }
}

/// 8 vertices, 6 squares.
fn cube() -> Surface {
    let sign = |corner: u32, bit: u32| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
    Surface {
        vertices: (0..8)
            .map(|corner| Vec3::new(sign(corner, 0), sign(corner, 1), sign(corner, 2)))
            .collect(),
        faces: [
            [0, 2, 3, 1],
            [4, 5, 7, 6],
            [0, 1, 5, 4],
            [2, 6, 7, 3],
            [0, 4, 6, 2],
            [1, 3, 7, 5],
        ]
        .iter()
        .map(|face| face.to_vec())
        .collect(),
    }
}

/// Corners of the polygon that stands for a circle of radius 1 at some height.
fn ring(height: f64) -> impl Iterator<Item = Vec3> {
    (0..AROUND).map(move |step| {
        let (sine, cosine) = (TAU * f64::from(step) / f64::from(AROUND)).sin_cos();
        Vec3::new(cosine, sine, height)
    })
}

/// Two polygons of 24 corners.
fn cylinder() -> Surface {
    let vertices = ring(-1.0).chain(ring(1.0)).collect();
    let mut faces = vec![
        (0..AROUND).rev().collect::<Vec<_>>(),
        (AROUND..2 * AROUND).collect(),
    ];
    faces.extend((0..AROUND).map(|step| {
        let next = (step + 1) % AROUND;
        vec![step, next, AROUND + next, AROUND + step]
    }));
    Surface { vertices, faces }
}

/// A polygon of 24 corners and an apex.
fn cone() -> Surface {
    let vertices = ring(-0.25).chain([Vec3::z() * 0.75]).collect();
    let mut faces = vec![(0..AROUND).rev().collect::<Vec<_>>()];
    faces.extend((0..AROUND).map(|step| vec![step, (step + 1) % AROUND, AROUND]));
    Surface { vertices, faces }
}

/// Rings of 12 vertices at three latitudes in each half, and two poles. The rings next to the
/// equator are so close to it that they are the ends of the cylinder.
fn capsule() -> Surface {
    const AROUND: u32 = 12;
    let tiny = 1e-9;
    let latitudes = [
        -2.0 / 3.0 * FRAC_PI_2,
        -1.0 / 3.0 * FRAC_PI_2,
        -tiny,
        tiny,
        1.0 / 3.0 * FRAC_PI_2,
        2.0 / 3.0 * FRAC_PI_2,
    ];
    let mut vertices = vec![-Vec3::z()];
    for latitude in latitudes {
        for step in 0..AROUND {
            let longitude = TAU * f64::from(step) / f64::from(AROUND);
            vertices.push(Vec3::new(
                latitude.cos() * longitude.cos(),
                latitude.cos() * longitude.sin(),
                latitude.sin(),
            ));
        }
    }
    vertices.push(Vec3::z());
    let ring = |ring: u32, step: u32| 1 + ring * AROUND + step % AROUND;
    let rings = latitudes.len() as u32;
    let top = vertices.len() as u32 - 1;
    // Faces of one kind stand together: some readers make a block of each run of cells.
    let mut faces = Vec::new();
    for step in 0..AROUND {
        faces.push(vec![0, ring(0, step + 1), ring(0, step)]);
        faces.push(vec![ring(rings - 1, step), ring(rings - 1, step + 1), top]);
    }
    for step in 0..AROUND {
        for lower in 0..rings - 1 {
            faces.push(vec![
                ring(lower, step),
                ring(lower, step + 1),
                ring(lower + 1, step + 1),
                ring(lower + 1, step),
            ]);
        }
    }
    Surface { vertices, faces }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// Volume by the divergence theorem, faces split into fans.
    fn volume(surface: &Surface) -> f64 {
        let at = |vertex: u32| surface.vertices[vertex as usize];
        surface
            .faces
            .iter()
            .flat_map(|face| (1..face.len() - 1).map(move |i| (face[0], face[i], face[i + 1])))
            .map(|(a, b, c)| at(a).dot(&at(b).cross(&at(c))) / 6.0)
            .sum()
    }

    #[test]
    fn surfaces_are_closed_and_face_outward() {
        for (surface, counts, least, most) in [
            (sphere(), (42, 80), 3.6, 4.19),
            (cube(), (8, 6), 8.0 - 1e-12, 8.0 + 1e-12),
            (capsule(), (74, 84), 3.5, 4.19),
            (cylinder(), (48, 26), 6.2, 6.29),
            (cone(), (25, 25), 1.03, 1.048),
        ] {
            assert_eq!((surface.vertices.len(), surface.faces.len()), counts);
            let mut edges: HashMap<(u32, u32), i32> = HashMap::new();
            for face in &surface.faces {
                for (i, &from) in face.iter().enumerate() {
                    let to = face[(i + 1) % face.len()];
                    *edges.entry((from, to)).or_default() += 1;
                }
            }
            for (&(from, to), &count) in &edges {
                assert_eq!(count, 1, "edge {from} {to} occurs twice in one direction");
                assert!(
                    edges.contains_key(&(to, from)),
                    "edge {from} {to} has one side"
                );
            }
            let volume = volume(&surface);
            assert!((least..=most).contains(&volume), "volume {volume}");
        }
    }
}
