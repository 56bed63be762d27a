//! Convex polyhedra: vertices, faces and edges that agree with each other.

use super::flaw::Flaw;
use crate::constants::{FLAT_FACE, FLAT_POLYGON, MAX_FACE_VERTICES, MAX_POLYHEDRON_FACES};
use crate::error::{Error, Result};
use crate::math::{Aabb, Mat3, Vec3};
use std::collections::BTreeMap;

/// A convex polyhedron of positive volume.
#[derive(Debug, Clone, PartialEq)]
pub struct Polyhedron {
    vertices: Vec<Vec3>,
    faces: Vec<Face>,
    /// Vertices of the faces, one face after the other, counter-clockwise as seen from outside.
    loops: Vec<u32>,
    edges: Vec<Edge>,
    /// Volume `[m^3]`.
    volume: f64,
    /// Centre of mass of the homogeneous solid `[m]`.
    center: Vec3,
    /// Its inertia about the centre, over its density `[m^5]`.
    inertia: Mat3,
    /// See [`Polyhedron::inner_radius`] `[m]`.
    inner_radius: f64,
    /// See [`Polyhedron::bounding_radius`] `[m]`.
    bounding_radius: f64,
}

/// A face of a polyhedron: the part of the plane `normal . x = offset` within its vertices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Face {
    /// Outward unit normal.
    pub normal: Vec3,
    /// Distance of the plane from the origin along the normal `[m]`.
    pub offset: f64,
    /// Where its vertices begin in the list of all faces' vertices.
    pub(crate) first: u32,
    pub(crate) count: u32,
}

/// An edge of a polyhedron, between two of its faces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// Its ends; the first face has them in this order, the second in the opposite one.
    pub vertices: [u32; 2],
    /// The faces that it lies between.
    pub faces: [u32; 2],
}

impl Edge {
    pub(crate) const fn between(vertices: [u32; 2], faces: [u32; 2]) -> Self {
        Self { vertices, faces }
    }
}

/// A polyhedron, or what is laid out like one, as the search for contacts reads it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Solid<'a> {
    pub(crate) vertices: &'a [Vec3],
    pub(crate) faces: &'a [Face],
    pub(crate) loops: &'a [u32],
    pub(crate) edges: &'a [Edge],
    /// A point inside `[m]`.
    pub(crate) center: Vec3,
    /// See [`Self::inner_radius`], where it is known.
    pub(crate) known_inner_radius: Option<f64>,
}

impl<'a> Solid<'a> {
    /// The vertices of a face, counter-clockwise as seen from outside.
    #[inline(always)]
    pub(crate) fn corners(&self, face: &Face) -> impl ExactSizeIterator<Item = Vec3> + Clone + 'a {
        let vertices = self.vertices;
        let range = face.first as usize..(face.first + face.count) as usize;
        self.loops[range].iter().map(|&at| vertices[at as usize])
    }

    /// Distance of the nearest face from the inner point `[m]`.
    pub(crate) fn inner_radius(&self) -> f64 {
        if let Some(known) = self.known_inner_radius {
            return known;
        }
        let depths = self
            .faces
            .iter()
            .map(|face| face.offset - face.normal.dot(&self.center));
        depths.fold(f64::INFINITY, f64::min)
    }

    /// Least `direction . x` over the vertices.
    #[inline(always)]
    pub(crate) fn lowest(&self, direction: &Vec3) -> f64 {
        // Without the care that `f64::min` takes of NaN, which there is none of.
        let lower = |a: f64, b: f64| if b < a { b } else { a };
        // Four at a time, none of which waits for another.
        let mut least = [f64::INFINITY; 4];
        let fours = self.vertices.chunks_exact(4);
        let rest = fours.remainder();
        for four in fours {
            for (least, vertex) in least.iter_mut().zip(four) {
                *least = lower(*least, direction.dot(vertex));
            }
        }
        for (least, vertex) in least.iter_mut().zip(rest) {
            *least = lower(*least, direction.dot(vertex));
        }
        lower(lower(least[0], least[1]), lower(least[2], least[3]))
    }

    /// Index of the first of the vertices that are farthest along a direction.
    #[inline(always)]
    pub(crate) fn farthest(&self, direction: &Vec3) -> usize {
        // Places are numbers of the same kind as heights, and chosen by the same instructions.
        let (mut most, mut first) = ([f64::NEG_INFINITY; 4], [0.0; 4]);
        let mut keep = |some: &[Vec3], place: f64| {
            let places = most.iter_mut().zip(&mut first);
            for ((most, first), vertex) in places.zip(some) {
                let along = direction.dot(vertex);
                let is_farther = along > *most;
                *most = if is_farther { along } else { *most };
                *first = if is_farther { place } else { *first };
            }
        };
        let fours = self.vertices.chunks_exact(4);
        let rest = fours.remainder();
        let mut place = 0.0;
        for four in fours {
            keep(four, place);
            place += 4.0;
        }
        keep(rest, place);
        let found = (0..4).map(|k| (most[k], first[k] as usize + k));
        found
            .reduce(|best, other| {
                let is_first = other.0 > best.0 || (other.0 == best.0 && other.1 < best.1);
                if is_first { other } else { best }
            })
            .map_or(0, |(_, at)| at)
    }
}

impl Polyhedron {
    /// From vertices and the polygons or triangles between them, counter-clockwise as seen from outside. Faces in one
    /// plane that share an edge become one, and vertices that no edge needs are left out.
    ///
    /// # Errors
    /// [`Error::Invalid`] unless the faces close a convex solid: a face of fewer than three vertices or without area, an
    /// edge that does not have a face on either side, a vertex outside of a face's plane, no volume, faces that look
    /// inward, numbers that are not finite, or more than 1,024 faces or 64 vertices of one.
    pub fn new(vertices: &[Vec3], faces: &[Vec<u32>]) -> Result<Self> {
        Self::of_faces(vertices, faces)
            .map_err(|flaw| Error::invalid("polyhedron", flaw.of_numbered("face")))
    }

    /// As [`Polyhedron::new`]; says which face is wrong.
    pub(crate) fn of_faces(vertices: &[Vec3], faces: &[Vec<u32>]) -> Result<Self, Flaw> {
        if let Some(at) = vertices
            .iter()
            .position(|v| !v.iter().all(|x| x.is_finite()))
        {
            return Err(Flaw::of_all(format!("vertex {at} is not finite")));
        }
        for (index, face) in faces.iter().enumerate() {
            if let Some(at) = face.iter().find(|&&at| at as usize >= vertices.len()) {
                let why = format!("it has vertex {at} of {}", vertices.len());
                return Err(Flaw::of(index, why));
            }
            if face.len() < 3 {
                return Err(Flaw::of(index, format!("it has {} vertices", face.len())));
            }
        }
        let bounds = Aabb::around(vertices.iter().copied());
        let extent = (bounds.max - bounds.min).norm();
        let flat = FLAT_FACE * extent;
        let given = Sides::of(vertices, faces)?;
        for (index, face) in faces.iter().enumerate() {
            let off = off_plane(vertices, face);
            if off > FLAT_POLYGON * extent {
                let why = format!(
                    "it is not flat: its vertices are up to {off:.3e} m apart along its normal"
                );
                return Err(Flaw::of(index, why));
            }
        }
        let (polygons, first_of) = merged(vertices, faces, &given, flat)?;
        Self::of_polygons(vertices, &polygons)
            .and_then(|solid| solid.checked(flat))
            .map_err(|flaw| flaw.of_faces(&first_of))
    }

    /// The vertices `[m]`.
    #[must_use]
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// The faces.
    #[must_use]
    pub fn faces(&self) -> &[Face] {
        &self.faces
    }

    /// Indices of the vertices of a face, counter-clockwise as seen from outside.
    #[must_use]
    pub fn vertices_of(&self, face: &Face) -> &[u32] {
        &self.loops[face.first as usize..(face.first + face.count) as usize]
    }

    /// The edges.
    #[must_use]
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Volume `[m^3]`.
    #[must_use]
    pub fn volume(&self) -> f64 {
        self.volume
    }

    /// Centre of mass of the homogeneous solid `[m]`.
    #[must_use]
    pub fn center(&self) -> Vec3 {
        self.center
    }

    /// Inertia of the solid of unit density about its centre of mass `[m^5]`.
    #[must_use]
    pub fn inertia(&self) -> Mat3 {
        self.inertia
    }

    /// Distance of the nearest face from the centre of mass `[m]`.
    #[must_use]
    pub fn inner_radius(&self) -> f64 {
        self.inner_radius
    }

    /// Distance of the farthest vertex from the origin `[m]`.
    #[must_use]
    pub fn bounding_radius(&self) -> f64 {
        self.bounding_radius
    }

    /// The same solid with its vertices moved by `offset` `[m]`.
    #[must_use]
    pub fn moved(&self, offset: &Vec3) -> Self {
        let mut moved = self.clone();
        for vertex in &mut moved.vertices {
            *vertex += offset;
        }
        for face in &mut moved.faces {
            face.offset += face.normal.dot(offset);
        }
        moved.center += offset;
        moved.measured()
    }

    /// The same solid with its centre of mass at the origin.
    #[must_use]
    pub fn centered(&self) -> Self {
        let mut centered = self.moved(&-self.center);
        centered.center = Vec3::zeros();
        centered
    }

    /// The same solid, larger by a positive factor.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        let mut scaled = self.clone();
        for vertex in &mut scaled.vertices {
            *vertex *= factor;
        }
        for face in &mut scaled.faces {
            face.offset *= factor;
        }
        scaled.center *= factor;
        scaled.volume *= factor.powi(3);
        scaled.inertia *= factor.powi(5);
        scaled.measured()
    }

    pub(crate) fn solid(&self) -> Solid<'_> {
        Solid {
            vertices: &self.vertices,
            faces: &self.faces,
            loops: &self.loops,
            edges: &self.edges,
            center: self.center,
            known_inner_radius: (self.inner_radius > 0.0).then_some(self.inner_radius),
        }
    }

    /// Of polygons that have been merged: leaves out unused vertices, and finds planes, edges and moments.
    fn of_polygons(vertices: &[Vec3], polygons: &[Vec<u32>]) -> Result<Self, Flaw> {
        let mut places: BTreeMap<u32, u32> = polygons.iter().flatten().map(|&at| (at, 0)).collect();
        let mut kept = Vec::with_capacity(places.len());
        for (&at, place) in &mut places {
            *place = kept.len() as u32;
            kept.push(vertices[at as usize]);
        }
        let polygons: Vec<Vec<u32>> = polygons
            .iter()
            .map(|polygon| polygon.iter().map(|at| places[at]).collect())
            .collect();
        let (mut faces, mut loops) = (Vec::new(), Vec::new());
        for (index, polygon) in polygons.iter().enumerate() {
            let normal = twice_area(&kept, polygon)
                .try_normalize(f64::MIN_POSITIVE)
                .ok_or_else(|| Flaw::of(index, "it has no area"))?;
            let along = polygon.iter().map(|&at| normal.dot(&kept[at as usize]));
            faces.push(Face {
                normal,
                offset: along.fold(f64::NEG_INFINITY, f64::max),
                first: loops.len() as u32,
                count: polygon.len() as u32,
            });
            loops.extend_from_slice(polygon);
        }
        let edges = Sides::of(&kept, &polygons)?.edges();
        let (volume, center, inertia) = moments(&kept, &polygons);
        Ok(Self {
            vertices: kept,
            faces,
            loops,
            edges,
            volume,
            center,
            inertia,
            inner_radius: 0.0,
            bounding_radius: 0.0,
        }
        .measured())
    }

    /// With the radii that its vertices and faces have.
    fn measured(mut self) -> Self {
        self.inner_radius = 0.0;
        self.inner_radius = self.solid().inner_radius();
        let reach = self.vertices.iter().map(nalgebra::Matrix::norm);
        self.bounding_radius = reach.fold(0.0, f64::max);
        self
    }

    /// Looks for what makes the faces no convex solid; vertices may be beyond a plane by `flat` `[m]`.
    fn checked(self, flat: f64) -> Result<Self, Flaw> {
        if self.faces.len() > MAX_POLYHEDRON_FACES {
            let why = format!(
                "{} faces; at most {MAX_POLYHEDRON_FACES} are taken",
                self.faces.len()
            );
            return Err(Flaw::of(MAX_POLYHEDRON_FACES, why));
        }
        for (index, face) in self.faces.iter().enumerate() {
            if face.count as usize > MAX_FACE_VERTICES {
                let why = format!(
                    "{} vertices; at most {MAX_FACE_VERTICES} are taken",
                    face.count
                );
                return Err(Flaw::of(index, why));
            }
        }
        let positive = self.volume > 0.0 && self.inertia.cholesky().is_some();
        if !(positive && self.volume.is_finite()) {
            let why = if self.volume < 0.0 {
                "this face and those around it look inward"
            } else {
                FLAT
            };
            return Err(Flaw::of(0, why));
        }
        for (index, face) in self.faces.iter().enumerate() {
            let beyond = |v: &Vec3| face.normal.dot(v) - face.offset > flat;
            if let Some(vertex) = self.vertices.iter().find(|v| beyond(v)) {
                let why = format!(
                    "the solid is not convex: {} is outside of this face",
                    at(vertex)
                );
                return Err(Flaw::of(index, why));
            }
        }
        Ok(self)
    }
}

/// Reason why faces are no solid.
const FLAT: &str = "this face and those around it hold no volume";

/// A vertex in a message.
fn at(vertex: &Vec3) -> String {
    format!("({}, {}, {})", vertex.x, vertex.y, vertex.z)
}

/// Which face has which edge: by the ends of the edge, the smaller one first, the faces that have them in this order
/// and in the opposite one.
struct Sides(BTreeMap<[u32; 2], [Option<u32>; 2]>);

impl Sides {
    fn of(vertices: &[Vec3], faces: &[Vec<u32>]) -> Result<Self, Flaw> {
        let vertex = |number: u32| at(&vertices[number as usize]);
        let mut sides = BTreeMap::new();
        for (index, face) in faces.iter().enumerate() {
            for (&from, &to) in face.iter().zip(face.iter().cycle().skip(1)) {
                if from == to {
                    let why = format!("it has the vertex {} twice in a row", vertex(from));
                    return Err(Flaw::of(index, why));
                }
                let (ends, turned) = ([from.min(to), from.max(to)], usize::from(from > to));
                let both: &mut [Option<u32>; 2] = sides.entry(ends).or_default();
                if let Some(other) = both[turned].replace(index as u32) {
                    let why = format!(
                        "it is on the same side of the edge from {} to {} as",
                        vertex(from),
                        vertex(to)
                    );
                    return Err(Flaw::of_two(index, why, other as usize));
                }
            }
        }
        for (&[from, to], both) in &sides {
            if let [Some(face), None] | [None, Some(face)] = both {
                let why = format!(
                    "the solid is open: the edge from {} to {} has a face on one side only",
                    vertex(from),
                    vertex(to)
                );
                return Err(Flaw::of(*face as usize, why));
            }
        }
        Ok(Self(sides))
    }

    fn edges(&self) -> Vec<Edge> {
        let edges = self.0.iter().filter_map(|(&vertices, faces)| {
            Some(Edge {
                vertices,
                faces: [faces[0]?, faces[1]?],
            })
        });
        edges.collect()
    }

    /// The face beyond the edge from one vertex to another.
    fn beyond(&self, from: u32, to: u32) -> Option<u32> {
        self.0.get(&[from.min(to), from.max(to)])?[usize::from(from < to)]
    }
}

/// Joins neighbouring faces that lie in one plane up to `flat` `[m]`, and leaves out vertices that are then between two faces
/// only. With each polygon comes the first of the faces in it.
fn merged(
    vertices: &[Vec3],
    faces: &[Vec<u32>],
    sides: &Sides,
    flat: f64,
) -> Result<(Vec<Vec<u32>>, Vec<usize>), Flaw> {
    // Every face starts with the plane of its own; the largest ones take in their neighbours first.
    let areas: Vec<Vec3> = faces
        .iter()
        .map(|face| twice_area(vertices, face))
        .collect();
    let mut order: Vec<usize> = (0..faces.len()).collect();
    order.sort_by(|&a, &b| areas[b].norm().total_cmp(&areas[a].norm()).then(a.cmp(&b)));
    let mut group_of = vec![usize::MAX; faces.len()];
    let mut groups = Vec::new();
    for &seed in &order {
        if group_of[seed] != usize::MAX {
            continue;
        }
        let Some(normal) = areas[seed].try_normalize(f64::MIN_POSITIVE) else {
            return Err(Flaw::of(seed, "it has no area"));
        };
        let offset = normal.dot(&vertices[faces[seed][0] as usize]);
        let lies_in = |face: usize| {
            areas[face].dot(&normal) >= 0.0
                && faces[face]
                    .iter()
                    .all(|&at| (normal.dot(&vertices[at as usize]) - offset).abs() <= flat)
        };
        let group = groups.len();
        let mut members = vec![seed];
        group_of[seed] = group;
        let mut next = 0;
        while next < members.len() {
            let face = &faces[members[next]];
            next += 1;
            for (&from, &to) in face.iter().zip(face.iter().cycle().skip(1)) {
                if let Some(other) = sides.beyond(from, to).map(|face| face as usize)
                    && group_of[other] == usize::MAX
                    && lies_in(other)
                {
                    group_of[other] = group;
                    members.push(other);
                }
            }
        }
        groups.push(members);
    }
    let mut polygons = Vec::with_capacity(groups.len());
    for (group, members) in groups.iter().enumerate() {
        // Edges with the group on one side only, by where they begin.
        let mut next = BTreeMap::new();
        for &face in members {
            let face = &faces[face];
            for (&from, &to) in face.iter().zip(face.iter().cycle().skip(1)) {
                let inner = sides
                    .beyond(from, to)
                    .is_some_and(|other| group_of[other as usize] == group);
                if !inner && next.insert(from, to).is_some() {
                    let why = format!("it meets itself at {}", at(&vertices[from as usize]));
                    return Err(Flaw::of(members[0], why));
                }
            }
        }
        let Some((&start, _)) = next.first_key_value() else {
            return Err(Flaw::of(members[0], FLAT));
        };
        let (mut polygon, mut corner) = (vec![start], next[&start]);
        while corner != start && polygon.len() <= next.len() {
            polygon.push(corner);
            let Some(&to) = next.get(&corner) else {
                let why = format!("it does not close at {}", at(&vertices[corner as usize]));
                return Err(Flaw::of(members[0], why));
            };
            corner = to;
        }
        if polygon.len() != next.len() {
            return Err(Flaw::of(members[0], "it has a hole"));
        }
        polygons.push(polygon);
    }
    let mut degrees: BTreeMap<u32, u32> = BTreeMap::new();
    for &at in polygons.iter().flatten() {
        *degrees.entry(at).or_default() += 1;
    }
    for polygon in &mut polygons {
        polygon.retain(|at| degrees[at] > 2);
    }
    let first_of: Vec<usize> = groups.iter().map(|members| members[0]).collect();
    if let Some(group) = polygons.iter().position(|polygon| polygon.len() < 3) {
        return Err(Flaw::of(first_of[group], FLAT));
    }
    Ok((polygons, first_of))
}

/// How far the vertices of a polygon are apart along its normal `[m]`; 0 of one without area.
fn off_plane(vertices: &[Vec3], polygon: &[u32]) -> f64 {
    let Some(normal) = twice_area(vertices, polygon).try_normalize(f64::MIN_POSITIVE) else {
        return 0.0;
    };
    let heights = polygon.iter().map(|&at| normal.dot(&vertices[at as usize]));
    let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), height| {
        (low.min(height), high.max(height))
    });
    high - low
}

/// Twice the area of a polygon, along its normal `[m^2]`.
fn twice_area(vertices: &[Vec3], polygon: &[u32]) -> Vec3 {
    let origin = vertices[polygon[0] as usize];
    let arm = |at: u32| vertices[at as usize] - origin;
    polygon
        .windows(2)
        .map(|pair| arm(pair[0]).cross(&arm(pair[1])))
        .sum()
}

/// Volume, centre of mass and inertia about it of the solid of unit density within some polygons, as the sum over the
/// tetrahedra between an inner point and the triangles that the polygons fall into.
fn moments(vertices: &[Vec3], polygons: &[Vec<u32>]) -> (f64, Vec3, Mat3) {
    let origin = vertices.iter().sum::<Vec3>() / vertices.len().max(1) as f64;
    let (mut six_volumes, mut first, mut second) = (0.0, Vec3::zeros(), Mat3::zeros());
    for polygon in polygons {
        let corner = |k: usize| vertices[polygon[k] as usize] - origin;
        for k in 1..polygon.len() - 1 {
            let [a, b, c] = [corner(0), corner(k), corner(k + 1)];
            let determinant = a.dot(&b.cross(&c));
            let sum = a + b + c;
            six_volumes += determinant;
            first += sum * determinant;
            // Of a tetrahedron with one corner at the origin: det (sum sum^T + aa^T + bb^T + cc^T) / 120.
            let squares = [sum, a, b, c].map(|v| v * v.transpose());
            second += squares.iter().sum::<Mat3>() * determinant;
        }
    }
    let volume = six_volumes / 6.0;
    let center = first / (24.0 * volume);
    let about_center = second / 120.0 - center * center.transpose() * volume;
    let inertia = Mat3::identity() * about_center.trace() - about_center;
    (
        volume,
        origin + center,
        0.5 * (inertia + inertia.transpose()),
    )
}
