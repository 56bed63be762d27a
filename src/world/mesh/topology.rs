//! How the triangles of a mesh hang together.

use super::{Facing, Flaw, Side, SideKind};
use crate::constants::{FLAT_SIDE, SMOOTH_PATCH};
use crate::math::Vec3;
use std::collections::HashMap;

/// Vertices at different places only, and the triangles between them.
pub(super) fn welded(given: &[Vec3], triangles: &[[u32; 3]]) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let mut places = HashMap::new();
    let mut vertices = Vec::with_capacity(given.len());
    let mut vertex = |at: u32| {
        let vertex = given[at as usize];
        // Zeros of either sign are one number.
        let bits = [vertex.x, vertex.y, vertex.z].map(|x| (x + 0.0).to_bits());
        *places.entry(bits).or_insert_with(|| {
            vertices.push(vertex);
            vertices.len() as u32 - 1
        })
    };
    let triangles = triangles.iter().map(|corners| corners.map(&mut vertex));
    let triangles = triangles.collect();
    (vertices, triangles)
}

/// The first two triangles that are one, if there are such.
pub(super) fn repeated(triangles: &[[u32; 3]]) -> Option<[usize; 2]> {
    let mut known = HashMap::with_capacity(triangles.len());
    for (index, corners) in triangles.iter().enumerate() {
        // From the corner of the smallest number on.
        let mut corners = *corners;
        let start = (0..3).min_by_key(|&k| corners[k]).unwrap_or(0);
        corners.rotate_left(start);
        if let Some(first) = known.insert(corners, index) {
            return Some([first, index]);
        }
    }
    None
}

/// The sides of all triangles, which came in some order. What more than two triangles share is a rim of each.
pub(super) fn sides_of(
    vertices: &[Vec3],
    triangles: &[[u32; 3]],
    normals: &[Vec3],
    order: &[u32],
) -> Result<Vec<[Side; 3]>, Flaw> {
    let mut users: HashMap<[u32; 2], (u32, [u32; 2])> = HashMap::with_capacity(2 * triangles.len());
    let ends = |corners: &[u32; 3], side: usize| [corners[side], corners[(side + 1) % 3]];
    let key = |[from, to]: [u32; 2]| [from.min(to), from.max(to)];
    for (index, corners) in triangles.iter().enumerate() {
        for side in 0..3 {
            let (count, first) = users
                .entry(key(ends(corners, side)))
                .or_insert((0, [u32::MAX; 2]));
            if let Some(place) = first.get_mut(*count as usize) {
                *place = index as u32;
            }
            *count += 1;
        }
    }
    let mut all = Vec::with_capacity(triangles.len());
    for (index, corners) in triangles.iter().enumerate() {
        let rim = Side {
            kind: SideKind::Rim,
            beyond: index as u32,
        };
        let mut sides = [rim; 3];
        for (side, place) in sides.iter_mut().enumerate() {
            let [from, to] = ends(corners, side);
            let (2, both) = users[&key([from, to])] else {
                continue;
            };
            let beyond = if both[0] == index as u32 {
                both[1]
            } else {
                both[0]
            };
            let other = &triangles[beyond as usize];
            let Some(turned) = (0..3).find(|&at| ends(other, at) == [to, from]) else {
                let [one, other] = [index, beyond as usize].map(|at| order[at]);
                let (first, other) = (one.min(other), one.max(other));
                let why = "it faces the other way than its neighbour,";
                return Err(Flaw::of_two(first as usize, why, other as usize));
            };
            let far = vertices[other[(turned + 2) % 3] as usize] - vertices[from as usize];
            let edge = vertices[to as usize] - vertices[from as usize];
            // Height of the other triangle's third corner over its distance from the edge: the sine of the angle
            // between the two, or what is left of it beyond a right angle.
            let rise = normals[index].dot(&far);
            let width = far.cross(&edge).norm() / edge.norm();
            let opposite = normals[index].dot(&normals[beyond as usize]) < 0.0;
            *place = Side {
                beyond,
                kind: if rise.abs() <= FLAT_SIDE * width && !opposite {
                    SideKind::Flat
                } else if rise > 0.0 {
                    SideKind::Valley
                } else {
                    SideKind::Ridge
                },
            };
        }
        all.push(sides);
    }
    Ok(all)
}

/// Triangles at whose sides and corners the surface goes on in their plane or upward.
pub(super) fn hollow(count: usize, triangles: &[[u32; 3]], sides: &[[Side; 3]]) -> Vec<bool> {
    let is_sharp = |side: &Side| matches!(side.kind, SideKind::Ridge | SideKind::Rim);
    let mut sharp = vec![false; count];
    for (corners, sides) in triangles.iter().zip(sides) {
        for (at, side) in sides.iter().enumerate() {
            if is_sharp(side) {
                sharp[corners[at] as usize] = true;
                sharp[corners[(at + 1) % 3] as usize] = true;
            }
        }
    }
    let corners = triangles.iter();
    corners
        .map(|corners| corners.iter().all(|&at| !sharp[at as usize]))
        .collect()
}

/// The triangles at each vertex, and where those of a vertex end.
pub(super) fn fans_of(count: usize, triangles: &[[u32; 3]]) -> (Vec<u32>, Vec<u32>) {
    let mut pairs: Vec<[u32; 2]> = (0..)
        .zip(triangles)
        .flat_map(|(triangle, corners)| corners.map(|vertex| [vertex, triangle]))
        .collect();
    pairs.sort_unstable();
    let mut ends = vec![0; count];
    for (at, [vertex, _]) in pairs.iter().enumerate() {
        ends[*vertex as usize] = at as u32 + 1;
    }
    (pairs.iter().map(|[_, triangle]| *triangle).collect(), ends)
}

pub(super) fn vertex_normals(
    vertices: &[Vec3],
    triangles: &[[u32; 3]],
    normals: &[Vec3],
) -> Vec<Vec3> {
    let mut sums = vec![Vec3::zeros(); vertices.len()];
    for (corners, normal) in triangles.iter().zip(normals) {
        for k in 0..3 {
            let [at, one, other] =
                [k, (k + 1) % 3, (k + 2) % 3].map(|k| vertices[corners[k] as usize]);
            sums[corners[k] as usize] += normal * (one - at).angle(&(other - at));
        }
    }
    sums
}

/// Names the stretches of triangles whose normals turn little from one to the next.
pub(super) fn patches_of(sides: &[[Side; 3]], normals: &[Vec3]) -> Vec<u32> {
    let mut patches = vec![u32::MAX; sides.len()];
    let (mut count, mut open) = (0, Vec::new());
    for seed in 0..sides.len() {
        if patches[seed] != u32::MAX {
            continue;
        }
        let name = count;
        count += 1;
        patches[seed] = name;
        open.push(seed);
        while let Some(at) = open.pop() {
            for side in &sides[at] {
                let beyond = side.beyond as usize;
                if patches[beyond] == u32::MAX && normals[at].dot(&normals[beyond]) > SMOOTH_PATCH {
                    patches[beyond] = name;
                    open.push(beyond);
                }
            }
        }
    }
    patches
}

/// Least cosine of the angle between the normal of each triangle and those of the triangles that share a corner with it; -1 near a rim.
pub(super) fn cosines_around<'a>(
    triangles: &[[u32; 3]],
    sides: &[[Side; 3]],
    normals: &[Vec3],
    fan: impl Fn(u32) -> &'a [u32],
) -> Vec<f32> {
    let least = |(corners, normal): (&[u32; 3], &Vec3)| {
        let around = corners.iter().flat_map(|&corner| fan(corner));
        let cosines = around.map(|&at| {
            let beside = sides[at as usize];
            if beside.iter().any(|side| side.kind == SideKind::Rim) {
                -1.0
            } else {
                normal.dot(&normals[at as usize])
            }
        });
        // No larger when it is rounded.
        (cosines.fold(1.0, f64::min) as f32).next_down()
    };
    triangles.iter().zip(normals).map(least).collect()
}

/// Directions in which each triangle can be touched: in any, if a rim is near.
pub(super) fn facings_of<'a>(
    triangles: &[[u32; 3]],
    sides: &[[Side; 3]],
    normals: &[Vec3],
    fan: impl Fn(u32) -> &'a [u32],
) -> Vec<Facing> {
    let facing = |corners: &[u32; 3]| {
        let around = corners.iter().flat_map(|&corner| fan(corner));
        let mut beside = around.clone().flat_map(|&at| &sides[at as usize]);
        if beside.any(|side| side.kind == SideKind::Rim) {
            return Facing::ANY;
        }
        Facing::around(around.map(|&at| normals[at as usize]))
    };
    triangles.iter().map(facing).collect()
}
