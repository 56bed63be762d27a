//! A convex solid and a mesh, triangle by triangle.
//!
//! Each triangle stands for what is below it. It separates from the body along its own normal, along that of a triangle beyond
//! a ridge, which then sees to the contact itself, and along the axes of faces and edges that a ridge, a rim or a corner can be
//! touched in. Across a side beyond which the surface goes on level or upward nothing separates the two: there the triangle beyond
//! has points of its own, and the part of the body that is above this one bears along its normal.

use super::patch::{FEW_VERTICES, MAX_VERTICES, Patch, most_against};
use super::prism::Prism;
use super::way::{Way, way};
use super::{Along, Axis, Solids, Standing, distance};
use crate::collide::narrowphase::gathered::{Gathered, OF_BODY, On, StandingMesh, name};
use crate::collide::narrowphase::manifold::{Manifold, Point};
use crate::collide::narrowphase::query::Query;
use crate::constants::{
    CLIP_TOLERANCE, DEEPER_BY, EDGES_ALONG_FACE, FACET_ROOM, MESH_GROUP, NEARER_TRIANGLE,
    SHALLOW_ON_MESH,
};
use crate::math::{Aabb, Mat3, Vec3};
use crate::world::{Face, SideKind};

/// Rotation of a solid's axes for a triangle, by the triangle's normal in world axes.
pub(in crate::collide::narrowphase) type Turn<'a> = &'a dyn Fn(&Vec3) -> Mat3;

/// Gathers the points of a solid and the triangles that it is near. A solid that stands for a round one is turned for each
/// triangle. Returns what the two are apart by at least if there is none `[m]`.
pub(in crate::collide::narrowphase) fn solid_mesh(
    p: Standing<'_>,
    turn: Option<Turn<'_>>,
    mesh: StandingMesh<'_>,
    query: &Query,
    gathered: &mut Gathered<OF_BODY>,
) -> f64 {
    let (q, rotation, triangles) = mesh;
    let solid = p.2;
    // The body in the axes of the mesh.
    let (axes, origin) = (rotation.tr_mul(p.1), rotation.tr_mul(&(p.0 - q)));
    let empty = Aabb::empty();
    let (min, max) = solid
        .vertices
        .iter()
        .fold((empty.min, empty.max), |(min, max), vertex| {
            let at = origin + axes * vertex;
            (min.inf(&at), max.sup(&at))
        });
    let center = origin + axes * solid.center;
    let arms = solid.vertices.iter().map(|v| (v - solid.center).norm());
    let radius = arms.fold(0.0, f64::max);
    // A solid that is turned needs the room of what it stands for.
    let room = if turn.is_some() { radius } else { 0.0 };
    let near = Aabb { min, max }.grown(query.reach + FACET_ROOM * room);
    let search = Search {
        p,
        mesh,
        query,
        axes,
        origin,
        depth: 2.0 * radius + query.reach,
        size: solid.inner_radius(),
    };
    let turned_for =
        |triangle: u32| turn.map(|turn| turn(&(rotation * triangles.normals()[triangle as usize])));
    let touch = |triangle: u32, gathered: &mut Gathered<OF_BODY>| match turned_for(triangle) {
        None => search.touch(triangle, gathered),
        Some(axes) => search.turned(&axes).touch(triangle, gathered),
    };
    let mut misses = false;
    triangles.visit_near(&near, |triangle| {
        misses |= touch(triangle, gathered).is_some();
    });
    if misses && !gathered.overlap() {
        // A way out of a triangle that the body overlaps all the same.
        let mut missed: Option<(Along, u32)> = None;
        triangles.visit_near(&near, |triangle| {
            if let Some(best) = touch(triangle, gathered)
                && missed.is_none_or(|(other, _)| best.separation > other.separation)
                && match turned_for(triangle) {
                    None => search.overlaps(triangle),
                    Some(axes) => search.turned(&axes).overlaps(triangle),
                }
            {
                missed = Some((best, triangle));
            }
        });
        if let Some((best, triangle)) = missed {
            match turned_for(triangle) {
                None => search.offer_deepest(triangle, &best, gathered),
                Some(axes) => search
                    .turned(&axes)
                    .offer_deepest(triangle, &best, gathered),
            }
        }
    }
    if gathered.is_empty() {
        return triangles.distance(&center, 4.0 * (radius + query.reach)) - radius;
    }
    f64::NEG_INFINITY
}

struct Search<'a> {
    p: Standing<'a>,
    mesh: StandingMesh<'a>,
    query: &'a Query,
    /// From the body's axes to those of the mesh.
    axes: Mat3,
    /// Of the body's axes, in those of the mesh `[m]`.
    origin: Vec3,
    /// Of what is below a triangle `[m]`.
    depth: f64,
    /// A length of the body to compare with `[m]`.
    size: f64,
}

impl<'a> Search<'a> {
    /// The same for a solid with other axes.
    fn turned<'b>(&'b self, axes: &'b Mat3) -> Search<'b>
    where
        'a: 'b,
    {
        Search {
            p: (self.p.0, axes, self.p.2),
            axes: self.mesh.1.tr_mul(axes),
            ..*self
        }
    }

    /// Gathers the points of a triangle. Returns the axis that separates best from one that the body may overlap and has no point with.
    fn touch(&self, triangle: u32, gathered: &mut Gathered<OF_BODY>) -> Option<Along> {
        let mesh = self.mesh.2;
        let normal = mesh.normals()[triangle as usize];
        let local = self.axes.tr_mul(&normal);
        let height = normal.dot(&(self.origin - mesh.corners(triangle)[0]));
        if height + self.p.2.lowest(&local) > self.query.reach
            || height - self.p.2.lowest(&-local) < 0.0
        {
            // Too far above, or all of it behind.
            return None;
        }
        if self.is_apart(triangle) {
            return None;
        }
        let prism = Prism::new(mesh, triangle, self.depth, |kind| kind == SideKind::Ridge);
        let q = (self.mesh.0, self.mesh.1, prism.solid());
        let mut solids = Solids::of_size(self.p, q, self.size);
        // A face that is preferred need not be what the nearest features face each other along, where there are others.
        let mut missed: Option<Along> = None;
        let is_level = mesh.sides(triangle).iter().all(|side| !side.is_touched());
        for prefers in [true, false].into_iter().skip(usize::from(is_level)) {
            solids.prefers = prefers;
            let (best, is_beyond) = self.best_axis(triangle, &solids)?;
            if best.separation > self.query.reach {
                return None;
            }
            let is_known = missed.is_some_and(|before| before.axis == best.axis);
            missed = Some(best);
            if is_beyond || is_known {
                break;
            }
            let lowest = self.offer(triangle, (&prism, q), (&solids, &best), gathered);
            if lowest <= best.separation + DEEPER_BY * self.size {
                return None;
            }
        }
        missed.filter(|best| best.separation <= 0.0)
    }

    /// True if the body is so far beyond a side of a triangle, or the triangle in front of a face of the body, that they do not touch.
    fn is_apart(&self, triangle: u32) -> bool {
        let (solid, mesh) = (self.p.2, self.mesh.2);
        let corners = mesh.corners(triangle);
        let width = mesh.facing(triangle).width_from_within(self.query.reach);
        let is_beside = (0..3).any(|side| {
            let outward = -mesh.inward(triangle, side);
            let lowest = solid.lowest(&self.axes.tr_mul(&outward));
            let beyond = outward.dot(&(self.origin - corners[side])) + lowest;
            let length = outward.norm();
            beyond > length * (width + 2.0 * CLIP_TOLERANCE * length)
        });
        let corners = corners.map(|corner| self.axes.tr_mul(&(corner - self.origin)));
        is_beside
            || solid.faces.iter().any(|face| {
                let [a, b, c] = corners.map(|corner| face.normal.dot(&corner));
                a.min(b).min(c) - face.offset > self.query.reach
            })
    }

    /// True if the body overlaps what is straight below a triangle.
    fn overlaps(&self, triangle: u32) -> bool {
        let prism = Prism::new(self.mesh.2, triangle, self.depth, |_| false);
        let solids = Solids {
            prefers: false,
            ..Solids::new(self.p, (self.mesh.0, self.mesh.1, prism.solid()))
        };
        let Some(face) = solids.best_face(0.0) else {
            return false;
        };
        if face.separation > 0.0 {
            return false;
        }
        let all = solids.edges_near(&face, f64::INFINITY);
        solids.best_edges(&all, face).separation <= 0.0
    }

    /// Gathers a point of a triangle that the body overlaps, although no face or edge of the two meets across the axis.
    fn offer_deepest(&self, triangle: u32, best: &Along, gathered: &mut Gathered<OF_BODY>) {
        let prism = Prism::new(self.mesh.2, triangle, self.depth, |kind| {
            kind == SideKind::Ridge
        });
        let q = (self.mesh.0, self.mesh.1, prism.solid());
        let solids = Solids::new(self.p, q);
        let Some(outward) = solids.outward(best.axis) else {
            return;
        };
        let solid = self.p.2;
        let along = |at: &u32| outward.dot(&solid.vertices[*at as usize]);
        let vertices = 0..solid.vertices.len() as u32;
        let Some(deepest) = vertices.max_by(|a, b| along(a).total_cmp(&along(b))) else {
            return;
        };
        let at = match best.axis {
            Axis::Edges(one, other) => {
                let across = [solids.edge_of_p(one), solids.edge_of_q(other)];
                let (from, to, _) = distance::crossing(&across[0], &across[1]);
                (from + to) * 0.5
            }
            _ => solid.vertices[deepest as usize] + outward * (0.5 * best.separation),
        };
        let rotation = self.p.1;
        let point = Point {
            feature: name(8, [self.mesh.2.patch(triangle), deepest]),
            position: self.p.0 + rotation * at,
            normal: -(rotation * outward),
            separation: best.separation,
        };
        gathered.add(self.query, point, On::Face(triangle), 1e-6 * self.size);
    }

    /// True if the body is less deep below another triangle that has a corner in common with this one and meets it in a ridge. Two
    /// that face nearly the same way bear it together.
    fn is_less_deep_beyond(&self, triangle: u32, separation: f64) -> bool {
        let mesh = self.mesh.2;
        if mesh.facing(triangle).is_narrow(MESH_GROUP) {
            return false;
        }
        let corners = mesh.corners(triangle);
        let (normal, size) = (mesh.normals()[triangle as usize], self.size);
        let vertices = mesh.triangles()[triangle as usize];
        let around = vertices.iter().flat_map(|&vertex| mesh.fan(vertex));
        around.copied().any(|other| {
            let across = mesh.normals()[other as usize];
            if across.dot(&normal) > MESH_GROUP {
                return false;
            }
            let others = mesh.corners(other);
            let above = |n: &Vec3, from: &Vec3, points: &[Vec3; 3]| {
                let heights = points.iter().map(|point| n.dot(&(point - from)));
                heights.fold(f64::NEG_INFINITY, f64::max)
            };
            if above(&normal, &corners[0], &others) > 1e-6 * size
                || above(&across, &others[0], &corners) > 1e-6 * size
            {
                return false;
            }
            let height = across.dot(&(self.origin - others[0]));
            let lowest = height + self.p.2.lowest(&self.axes.tr_mul(&across));
            lowest > separation + 1e-9 * size
        })
    }

    /// The axis that separates best of those along which a triangle can be touched; nothing if the body is beside it. True
    /// with it if the body touches what is beyond it.
    fn best_axis(&self, triangle: u32, solids: &Solids<'_>) -> Option<(Along, bool)> {
        let mesh = self.mesh.2;
        let sides = mesh.sides(triangle);
        let is_touched = |side: usize| sides[side].is_touched();
        let mut best = solids.along(Axis::FaceQ(0))?;
        for side in (0..3).filter(|&side| sides[side].kind == SideKind::Rim) {
            let along = solids.along(Axis::FaceQ(2 + side as u32))?;
            if along.separation > best.separation {
                best = along;
            }
        }
        if (0..3).any(is_touched) {
            let center = solids.of_q(&solids.q.center);
            for (index, face) in (0..).zip(solids.p.faces) {
                let least = solids.preferred_over(best.separation);
                if face.normal.dot(&center) - face.offset <= least {
                    continue;
                }
                let along = solids.along(Axis::FaceP(index))?;
                if along.separation <= least {
                    continue;
                }
                let direction = -(self.axes * face.normal);
                let lean = direction.dot(&mesh.normals()[triangle as usize]);
                if lean > EDGES_ALONG_FACE || way(mesh, triangle, &direction) == Way::Found {
                    best = along;
                } else if along.separation > self.query.reach {
                    return None;
                }
            }
            let [of_p, mut of_q] = solids.edges_near(&best, self.query.reach);
            of_q.retain(|edge| edge.index < 3 && is_touched(edge.index as usize));
            best = solids.best_edges(&[of_p, of_q], best);
        }
        Some((best, self.is_less_deep_beyond(triangle, best.separation)))
    }

    /// Gathers the points of what an axis separates, as far as the triangle can be touched along it. Returns the least separation of
    /// one; minus infinity if another triangle sees to it.
    fn offer(
        &self,
        triangle: u32,
        (prism, q): (&Prism, Standing<'_>),
        (solids, best): (&Solids<'_>, &Along),
        gathered: &mut Gathered<OF_BODY>,
    ) -> f64 {
        let mesh = self.mesh.2;
        let normal = mesh.normals()[triangle as usize];
        let Some(outward) = solids.outward(best.axis) else {
            return f64::NEG_INFINITY;
        };
        let direction = -(self.axes * outward);
        let way = match best.axis {
            Axis::FaceQ(0) => Way::Front,
            _ => way(mesh, triangle, &direction),
        };
        match way {
            Way::Beyond => f64::NEG_INFINITY,
            Way::Front => self.offer_front(triangle, prism, gathered),
            Way::Found => {
                if let Axis::Edges(one, other) = best.axis
                    && !distance::crossing(&solids.edge_of_p(one), &solids.edge_of_q(other)).2
                {
                    return f64::INFINITY;
                }
                let mut manifold = Manifold::new();
                let lowest = solids.offer(best, (self.p, q), self.query, &mut manifold);
                let kind = match best.axis {
                    Axis::FaceP(_) => 5,
                    Axis::FaceQ(_) => 6,
                    Axis::Edges(..) => 7,
                };
                for point in manifold.as_slice() {
                    let local = self.mesh.1.tr_mul(&(point.position - self.mesh.0));
                    let below = -normal.dot(&(local - prism.vertices[0]));
                    // Behind a rim there is nothing.
                    if below <= self.size {
                        let point = Point {
                            feature: name(kind, [triangle, point.feature]),
                            normal: self.query.orient(&point.normal),
                            ..*point
                        };
                        gathered.add(self.query, point, On::Face(triangle), 1e-6 * self.size);
                    }
                }
                lowest
            }
        }
    }

    /// Gathers the vertices of the body that are above a triangle, and what else bounds the part of its lowest face there, other
    /// than where a flat surface is cut. Returns the least separation of all, infinity if there are none.
    fn offer_front(&self, triangle: u32, prism: &Prism, gathered: &mut Gathered<OF_BODY>) -> f64 {
        let lowest = self.offer_vertices(triangle, gathered);
        let local = self.axes.tr_mul(&prism.faces[0].normal);
        let incident = most_against(&self.p.2, &local);
        lowest.min(if incident.1.count as usize + 3 <= FEW_VERTICES {
            self.offer_face::<FEW_VERTICES>((triangle, prism), incident, gathered)
        } else {
            self.offer_face::<MAX_VERTICES>((triangle, prism), incident, gathered)
        })
    }

    /// Of all faces: on an uneven ground a body can stand on vertices of several.
    fn offer_vertices(&self, triangle: u32, gathered: &mut Gathered<OF_BODY>) -> f64 {
        let mesh = self.mesh.2;
        let normal = mesh.normals()[triangle as usize];
        let corners = mesh.corners(triangle);
        let local = self.axes.tr_mul(&normal);
        let height = normal.dot(&(self.origin - corners[0]));
        let sides = [0, 1, 2].map(|side| mesh.inward(triangle, side));
        let mut lowest = f64::INFINITY;
        for (index, vertex) in (0..).zip(self.p.2.vertices) {
            let separation = height + local.dot(vertex);
            if separation > self.query.reach {
                continue;
            }
            let at = self.origin + self.axes * vertex;
            let is_inside = corners.iter().zip(&sides).all(|(from, inward)| {
                let inside = inward.dot(&(at - from));
                // The length of an inward vector is that of its side.
                inside >= -CLIP_TOLERANCE * inward.norm_squared()
            });
            if is_inside {
                let name = (name(1, [mesh.patch(triangle), index]), On::Face(triangle));
                let point = (at - normal * (0.5 * separation), separation);
                if self.offer_point(triangle, name, point, &[], gathered) {
                    lowest = lowest.min(separation);
                }
            }
        }
        lowest
    }

    /// Where a face of the body meets sides and corners of a triangle.
    fn offer_face<const MOST: usize>(
        &self,
        (triangle, prism): (u32, &Prism),
        incident: (u32, &Face),
        gathered: &mut Gathered<OF_BODY>,
    ) -> f64 {
        let mesh = self.mesh.2;
        let mut lowest = f64::INFINITY;
        let other = (&self.origin, &self.axes, self.p.2);
        let patch = Patch::<MOST>::new((prism.solid(), 0), other, incident);
        let corners = mesh.triangles()[triangle as usize];
        let is_flat = |side: u8| mesh.sides(triangle)[side as usize].kind == SideKind::Flat;
        for corner in patch.corners() {
            lowest = lowest.min(corner.separation);
            // A name, and the ends of the side of the mesh that the point is on.
            let (feature, ends) = match (corner.side_in, corner.side_out) {
                (None, None) => continue,
                (Some(one), Some(other)) => {
                    // Of two sides that follow each other the second begins at their common corner.
                    let first = if (one + 1) % 3 == other { other } else { one };
                    let vertex = corners[first as usize];
                    if is_flat(one) && is_flat(other) {
                        continue;
                    }
                    (name(2, [vertex, 0]), [vertex; 2])
                }
                (Some(side), None) | (None, Some(side)) => {
                    if is_flat(side) {
                        continue;
                    }
                    let edge = if corner.side_in.is_some() {
                        corner.edge_out
                    } else {
                        corner.edge_in
                    };
                    let beyond = mesh.sides(triangle)[side as usize].beyond;
                    let of_mesh = triangle.min(beyond) ^ triangle.max(beyond).rotate_left(16);
                    let of_body = incident.0 << 8 | u32::from(edge);
                    let ends = [side as usize, (side as usize + 1) % 3].map(|at| corners[at]);
                    (name(3, [of_mesh, of_body]), ends)
                }
            };
            let point = (corner.position, corner.separation);
            self.offer_point(
                triangle,
                (feature, On::Edge(triangle)),
                point,
                &ends,
                gathered,
            );
        }
        lowest
    }

    /// Gathers a point of a triangle, halfway between the surfaces, unless it is deep below the triangle, but not as deep below
    /// another one: what it is below is that one. Triangles at the given vertices have the same point of the mesh, and are not others.
    /// Returns true unless another one is nearer.
    fn offer_point(
        &self,
        triangle: u32,
        (feature, on): (u32, On),
        (at, separation): (Vec3, f64),
        vertices: &[u32],
        gathered: &mut Gathered<OF_BODY>,
    ) -> bool {
        let (q, rotation, mesh) = self.mesh;
        let normal = mesh.normals()[triangle as usize];
        let sure = match on {
            On::Face(_) => 1e-9,
            On::Edge(_) => SHALLOW_ON_MESH,
        };
        if separation < -sure * self.size {
            let deep = at + normal * (0.5 * separation);
            let nearer = (NEARER_TRIANGLE - 1.0) * separation;
            if mesh.distance_facing(&deep, nearer, &normal, vertices) < nearer {
                return false;
            }
        }
        let point = Point {
            feature,
            position: q + rotation * at,
            normal: rotation * normal,
            separation,
        };
        gathered.add(self.query, point, on, 1e-6 * self.size);
        true
    }
}
