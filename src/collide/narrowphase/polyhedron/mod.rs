//! Two convex polyhedra: separating axes, then clipped faces or a pair of edges. A box beside a polyhedron is one.
//!
//! In the axes of the first solid, P. The separation along a face's normal is the least height of the other solid's
//! vertices above the face; along the product of two edges it is the height of one edge above the other. The
//! largest of all is minus the penetration depth of solids that overlap, and a lower bound of the distance of
//! others. Only those pairs of edges count whose arcs cross on the Gauss map: the edges' adjacent normals, those
//! of Q reversed (Gregorius 2013, *The separating axis test between convex polyhedra*).

mod axis;
mod chords;
mod cuboid;
mod distance;
mod edges;
pub(in crate::collide) mod events;
mod front;
mod mesh;
mod patch;
mod prism;
pub(in crate::collide) mod ratio;
mod round;
mod turned_solid;
mod way;

pub(crate) use cuboid::Cuboid;
pub(super) use mesh::solid_mesh;
#[cfg(feature = "scene")]
pub(crate) use round::distance_from_solid;
pub(super) use round::{capsule_polyhedron, half_space_polyhedron, sphere_polyhedron};

use super::manifold::{Manifold, Point};
use super::query::Query;
use crate::constants::{
    AXIS_LOYALTY, AXIS_PREFERENCE_ABSOLUTE, AXIS_PREFERENCE_RELATIVE, DEEPER_BY, EDGES_ALONG_FACE,
};
use crate::math::{Mat3, Pose, Vec3};
use crate::world::Solid;
use axis::{Along, Axis};
use edges::{Arc, Arcs, Segment, edges_with};
use patch::{FEW_VERTICES, MAX_VERTICES, Patch};

/// Kinds of features, in the two highest bits, as of two boxes: 0 and 1 are faces of P and of Q.
const EDGES: u32 = 2 << 30;
const NEAREST: u32 = 3 << 30;

/// Below this sine two edges count as parallel: faces separate as well as their product does.
const PARALLEL_EDGES: f64 = 1e-6;

/// A solid where it stands: centre of its axes, rotation, and what it is.
pub(in crate::collide) type Standing<'a> = (&'a Vec3, &'a Mat3, Solid<'a>);

/// Two solids in the axes of the first, P.
pub(super) struct Solids<'a> {
    pub(super) p: Solid<'a>,
    pub(super) q: Solid<'a>,
    /// Axes of Q, as columns.
    pub(super) relative: Mat3,
    /// Origin of Q's axes `[m]`.
    pub(super) from_p: Vec3,
    /// True if faces are preferred to edges, and those of P to those of Q, that do nearly as well.
    prefers: bool,
    /// Smallest of the solids' depths below their faces, a length to compare with `[m]`.
    size: f64,
}

/// A few points: of the face that separates best, or of a pair of edges. Of axes that do nearly as well, that
/// of the feature `before` is preferred.
pub(in crate::collide) fn polyhedron_polyhedron(
    p: Standing<'_>,
    q: Standing<'_>,
    before: Option<u32>,
    query: &Query,
    manifold: &mut Manifold,
) {
    let mut solids = Solids::new(p, q);
    let before = before.and_then(Axis::of_feature);
    // An axis that kept them apart before most often still does.
    let mut known = before.and_then(|axis| solids.along(axis));
    if let Some(along) = known
        && along.separation > query.reach
    {
        manifold.set_apart(along.separation);
        return;
    }
    let Some(best_face) = solids.best_face(query.reach, known) else {
        return;
    };
    let face = best_face.along;
    if face.separation > query.reach {
        manifold.set_apart(face.separation);
        return;
    }
    // Of solids that are apart, a face that has a vertex of the other above it gives their distance; beside it there may be
    // edges that are nearer than that.
    let mut farthest = query.reach.min(query.closest + DEEPER_BY * solids.size);
    if face.separation > 0.0 {
        let lowest = solids.offer(&face, (p, q), query, manifold);
        if lowest <= face.separation + DEEPER_BY * solids.size {
            return;
        }
        manifold.clear();
        farthest = farthest.min(lowest);
    }
    let best = solids.best_edges(&best_face);
    if best.separation > query.reach {
        manifold.set_apart(best.separation);
        return;
    }
    // What separated before stays the axis while it does nearly as well, and while what it separates still faces
    // each other along it. A face does as well if what lies above or below it is as deep: where solids lie on each other the deepest vertex is beside the
    // face of the other one now, now over it, and so are the axes' separations by turns.
    let tolerance = AXIS_LOYALTY * solids.size;
    let lying = known.filter(|along| solids.lies_along(along, &best));
    known = known.filter(|along| best.separation <= along.separation + tolerance);
    let bearing = solids.bearing_face(known.unwrap_or(best));
    for (along, range) in [
        (lying, -tolerance..=tolerance),
        (bearing, f64::NEG_INFINITY..=0.0),
        (known, f64::NEG_INFINITY..=tolerance),
    ] {
        if let Some(along) = along {
            let lowest = solids.offer(&along, (p, q), query, manifold);
            if range.contains(&(lowest - best.separation)) {
                return;
            }
            manifold.clear();
        }
    }
    let mut lowest = solids.offer(&best, (p, q), query, manifold);
    let slack = DEEPER_BY * solids.size;
    if lowest <= best.separation + slack {
        return;
    }
    // A face that was preferred need not be the one that the closest features face each other along.
    solids.prefers = false;
    let best_face = solids.best_face(query.reach, known).unwrap_or(best_face);
    let (face, best) = (best_face.along, solids.best_edges(&best_face));
    for along in [solids.bearing_face(best), Some(best)]
        .into_iter()
        .flatten()
    {
        manifold.clear();
        lowest = solids.offer(&along, (p, q), query, manifold);
        if lowest <= best.separation + slack {
            return;
        }
    }
    // The axis gives the distance only where the closest features face each other along it. Beside a face, or past
    // the end of an edge, the solids are farther apart, in another direction.
    if best.separation > 0.0 {
        let near = solids.edges_near(&face, farthest);
        let nearest = distance::nearest_of_edges(solids.segments(&near));
        if let Some((on_p, on_q, code)) = nearest {
            let apart = on_p - on_q;
            let distance = apart.norm();
            if distance > 0.0 && distance < lowest - slack {
                let point = Point {
                    feature: NEAREST | code,
                    position: p.0 + p.1 * ((on_p + on_q) * 0.5),
                    normal: p.1 * (apart / distance),
                    separation: distance,
                };
                manifold.offer_deepest(query, point);
            }
        }
    } else if lowest == f64::INFINITY {
        solids.offer_deepest_vertex(&face, p, query, manifold);
    }
}

/// The distance of two solids or, negative, how far they must be moved to be apart `[m]`.
pub(crate) fn separation_of_solids(
    (p, pose_p): (Solid<'_>, &Pose),
    (q, pose_q): (Solid<'_>, &Pose),
) -> f64 {
    let rotations = [pose_p, pose_q].map(|pose| pose.orientation.to_rotation_matrix());
    let [rotation_p, rotation_q] = [rotations[0].matrix(), rotations[1].matrix()];
    let solids = Solids {
        prefers: false,
        ..Solids::new(
            (&pose_p.position, rotation_p, p),
            (&pose_q.position, rotation_q, q),
        )
    };
    let Some(face) = solids.best_face(f64::INFINITY, None) else {
        return f64::NEG_INFINITY;
    };
    let along_axis = solids.best_edges(&face).separation;
    if along_axis <= 0.0 {
        return along_axis;
    }
    // Of solids that are apart, nearest are a face and a vertex, along the face's normal, or two edges.
    let faces = solids.nearest_of_faces();
    let all = [
        (0..p.edges.len() as u32).collect(),
        (0..q.edges.len() as u32).collect(),
    ];
    let edges = distance::nearest_of_edges(solids.segments(&all))
        .map(|(on_p, on_q, _)| (on_p - on_q).norm());
    edges.map_or(faces, |edges| edges.min(faces))
}

impl<'a> Solids<'a> {
    fn new(p: Standing<'a>, q: Standing<'a>) -> Self {
        Self {
            relative: p.1.tr_mul(q.1),
            from_p: p.1.tr_mul(&(q.0 - p.0)),
            prefers: true,
            size: p.2.inner_radius().min(q.2.inner_radius()),
            p: p.2,
            q: q.2,
        }
    }

    /// Both in the same axes, with a length to compare with `[m]`.
    fn in_common_axes(p: Solid<'a>, q: Solid<'a>, size: f64) -> Self {
        Self {
            relative: Mat3::identity(),
            from_p: Vec3::zeros(),
            prefers: true,
            size,
            p,
            q,
        }
    }

    /// A point of Q in the axes of P.
    fn of_q(&self, local: &Vec3) -> Vec3 {
        self.from_p + self.relative * local
    }

    /// A point of P in the axes of Q.
    fn in_q(&self, point: &Vec3) -> Vec3 {
        self.relative.tr_mul(&(point - self.from_p))
    }

    /// Distance of the vertices of each solid from the other one `[m]`.
    fn nearest_of_faces(&self) -> f64 {
        let of_q = self
            .q
            .vertices
            .iter()
            .map(|v| round::distance_from_solid(&self.of_q(v), &self.p));
        let of_p = self
            .p
            .vertices
            .iter()
            .map(|v| round::distance_from_solid(&self.in_q(v), &self.q));
        of_q.chain(of_p).fold(f64::INFINITY, f64::min)
    }

    /// Separation that a later choice of axis must have to be preferred `[m]`.
    fn preferred_over(&self, separation: f64) -> f64 {
        if !self.prefers {
            return separation;
        }
        separation
            + AXIS_PREFERENCE_ABSOLUTE * self.size
            + AXIS_PREFERENCE_RELATIVE * separation.abs()
    }

    fn edge_of_p(&self, index: u32) -> Segment {
        let ends = self.p.edges[index as usize].vertices;
        Segment::new(index, ends.map(|at| self.p.vertices[at as usize]))
    }

    fn edge_of_q(&self, index: u32) -> Segment {
        let ends = self.q.edges[index as usize].vertices;
        Segment::new(
            index,
            ends.map(|at| self.of_q(&self.q.vertices[at as usize])),
        )
    }

    /// The arc of an edge of P on the Gauss map.
    fn arc_of_p(&self, index: u32) -> Arc {
        let faces = self.p.edges[index as usize].faces;
        Arc::new(faces.map(|at| self.p.faces[at as usize].normal))
    }

    fn arc_of_q(&self, index: u32) -> Arc {
        let faces = self.q.edges[index as usize].faces;
        Arc::new(faces.map(|at| -(self.relative * self.q.faces[at as usize].normal)))
    }

    /// Outward unit normal of P from face to face, in the axes of P.
    fn outward(&self, axis: Axis) -> Option<Vec3> {
        match axis {
            Axis::FaceP(face) => Some(self.p.faces[face as usize].normal),
            Axis::FaceQ(face) => Some(-(self.relative * self.q.faces[face as usize].normal)),
            Axis::Edges(p, q) => Some(self.between(&self.edge_of_p(p), &self.edge_of_q(q))?.0),
        }
    }

    /// Indices of the edges of P and of Q that can be nearer to each other than a face separates, or less deep in each other: those
    /// with a point in the slab between the lowest of Q and the face, grown by what they may be apart.
    fn edges_near(&self, face: &Along, reach: f64) -> [Vec<u32>; 2] {
        let outward = self.outward(face.axis).unwrap_or_else(Vec3::z);
        let slack = reach.max(-face.separation);
        let top = -self.p.lowest(&-outward);
        let bottom = top + face.separation;
        let in_q = self.relative.tr_mul(&outward);
        let shift = outward.dot(&self.from_p);
        let of_p = |at: &Vec3| outward.dot(at) >= bottom - slack;
        let of_q = |at: &Vec3| shift + in_q.dot(at) <= top + slack;
        [
            edges_with(&self.p, |edge| {
                edge.vertices
                    .iter()
                    .any(|&at| of_p(&self.p.vertices[at as usize]))
            }),
            edges_with(&self.q, |edge| {
                edge.vertices
                    .iter()
                    .any(|&at| of_q(&self.q.vertices[at as usize]))
            }),
        ]
    }

    /// Some edges of P and of Q.
    fn segments(&self, [of_p, of_q]: &[Vec<u32>; 2]) -> [Vec<Segment>; 2] {
        [
            of_p.iter().map(|&at| self.edge_of_p(at)).collect(),
            of_q.iter().map(|&at| self.edge_of_q(at)).collect(),
        ]
    }

    /// The unit product of two edges, out of P, and the height of Q's edge above P's along it; none for parallel ones.
    fn between(&self, p: &Segment, q: &Segment) -> Option<(Vec3, f64)> {
        let product = p.along.cross(&q.along);
        let squared = product.norm_squared();
        let parallel = PARALLEL_EDGES * PARALLEL_EDGES;
        if squared <= parallel * p.along.norm_squared() * q.along.norm_squared() {
            return None;
        }
        let normal = product / squared.sqrt();
        let outward = if normal.dot(&(p.from - self.p.center)) < 0.0 {
            -normal
        } else {
            normal
        };
        Some((outward, outward.dot(&(q.from - p.from))))
    }

    /// True of a face that an axis is nearly the normal of along which the solids overlap.
    fn lies_along(&self, face: &Along, axis: &Along) -> bool {
        let normals = self.outward(face.axis).zip(self.outward(axis.axis));
        axis.separation <= 0.0
            && !matches!(face.axis, Axis::Edges(..))
            && normals.is_some_and(|(one, other)| one.dot(&other) >= EDGES_ALONG_FACE)
    }

    /// Of edges that overlap and cross nearly along a face, this face: a point of edges that slides on a face comes
    /// and goes, and tips what rests on it.
    fn bearing_face(&self, along: Along) -> Option<Along> {
        let (Axis::Edges(..), true) = (along.axis, along.separation <= 0.0) else {
            return None;
        };
        let outward = self.outward(along.axis)?;
        let in_q = -self.relative.tr_mul(&outward);
        let facing = |solid: &Solid<'_>, normal: &Vec3| {
            let cosines = (0..)
                .zip(solid.faces)
                .map(|(at, face)| (at, face.normal.dot(normal)));
            cosines.fold(
                (0, -1.0),
                |best, now| if now.1 > best.1 { now } else { best },
            )
        };
        let (face_p, cosine_p) = facing(&self.p, &outward);
        let (face_q, cosine_q) = facing(&self.q, &in_q);
        if cosine_p.max(cosine_q) < EDGES_ALONG_FACE {
            return None;
        }
        self.along(if cosine_p >= cosine_q {
            Axis::FaceP(face_p)
        } else {
            Axis::FaceQ(face_q)
        })
    }

    /// Offers the points of what an axis separates. Returns the least separation of a point, infinity if there is none.
    fn offer(
        &self,
        along: &Along,
        (p, q): (Standing<'_>, Standing<'_>),
        query: &Query,
        manifold: &mut Manifold,
    ) -> f64 {
        match along.axis {
            Axis::FaceP(face) => {
                let other = (&self.from_p, &self.relative, self.q);
                offer_face((self.p, face), other, (0, p), query, manifold)
            }
            Axis::FaceQ(face) => {
                let center = -self.relative.tr_mul(&self.from_p);
                let other = (&center, &self.relative.transpose(), self.p);
                offer_face((self.q, face), other, (1 << 30, q), query, manifold)
            }
            Axis::Edges(edge_p, edge_q) => {
                let [on_p, on_q] = [self.edge_of_p(edge_p), self.edge_of_q(edge_q)];
                let Some((outward, separation)) = self.between(&on_p, &on_q) else {
                    return f64::INFINITY;
                };
                let (from_p, from_q, meet) = distance::crossing(&on_p, &on_q);
                if !meet && separation > 0.0 {
                    return f64::INFINITY;
                }
                let point = Point {
                    feature: EDGES | edge_p << 15 | edge_q,
                    position: p.0 + p.1 * ((from_p + from_q) * 0.5),
                    normal: -(p.1 * outward),
                    separation,
                };
                manifold.offer(query, point);
                separation
            }
        }
    }

    /// Offers the deepest vertex along a face where the clipped polygon is empty.
    fn offer_deepest_vertex(
        &self,
        along: &Along,
        p: Standing<'_>,
        query: &Query,
        manifold: &mut Manifold,
    ) {
        let Some(outward) = self.outward(along.axis) else {
            return;
        };
        let in_q = self.relative.tr_mul(&outward);
        let vertices = self.q.vertices.iter();
        let Some(deepest) = vertices.min_by(|a, b| in_q.dot(a).total_cmp(&in_q.dot(b))) else {
            return;
        };
        let point = Point {
            feature: NEAREST,
            position: p.0 + p.1 * (self.of_q(deepest) - outward * (0.5 * along.separation)),
            normal: -(p.1 * outward),
            separation: along.separation,
        };
        manifold.offer(query, point);
    }
}

/// Offers the corners of a face of another solid above or below a face; see [`Patch::offer`].
fn offer_face(
    (reference, index): (Solid<'_>, u32),
    other: (&Vec3, &Mat3, Solid<'_>),
    (of_q, at): (u32, Standing<'_>),
    query: &Query,
    manifold: &mut Manifold,
) -> f64 {
    let face = &reference.faces[index as usize];
    let incident = patch::most_against(&other.2, &other.1.tr_mul(&face.normal));
    let place = (at.0, at.1);
    if (face.count + incident.1.count) as usize <= FEW_VERTICES {
        let patch = Patch::<FEW_VERTICES>::new((reference, index), other, incident);
        patch.offer(of_q, place, query, manifold)
    } else {
        let patch = Patch::<MAX_VERTICES>::new((reference, index), other, incident);
        patch.offer(of_q, place, query, manifold)
    }
}
