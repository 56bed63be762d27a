//! A convex solid and a mesh, triangle by triangle.
//!
//! Each triangle stands for what is below it. It separates from the body along its own normal, along that of a triangle beyond
//! a ridge, which then sees to the contact itself, and along the axes of faces and edges that a ridge, a rim or a corner can be
//! touched in. Across a side beyond which the surface goes on level or upward nothing separates the two: there the triangle beyond
//! has points of its own, and the part of the body that is above this one bears along its normal.
//!
//! Where all triangles around one face nearly its way, whatever touches it does so nearly along its normal, and no other axis is looked at: that is most
//! of a ground. There the points are the body's vertices above triangles, and what ridges are below its lowest face; a gentle valley is no lower than what
//! is to either side of it.

use super::chords::Chords;
use super::front::Front;
use super::patch::most_against;
use super::prism::Prism;
use super::turned_solid::TurnedSolid;
use super::way::{Way, way};
use super::{Along, Axis, Solids, Standing, distance};
use crate::collide::narrowphase::gathered::{Gathered, OF_BODY, On, StandingMesh, name};
use crate::collide::narrowphase::manifold::{Manifold, Point};
use crate::collide::narrowphase::query::Query;
use crate::constants::{
    CLIP_TOLERANCE, DEEPER_BY, EDGES_ALONG_FACE, FACET_ROOM, MESH_GROUP, NEARER_TRIANGLE,
    SHALLOW_ON_MESH, SIDES_PER_DEPTH, VALLEY_ROOM,
};
use crate::math::{Aabb, Mat3, Vec3};
use crate::world::SideKind;

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
    let body = TurnedSolid::new(&solid, &rotation.tr_mul(p.1));
    let origin = rotation.tr_mul(&(p.0 - q));
    let arms = solid.vertices.iter().map(|v| (v - solid.center).norm());
    let radius = arms.fold(0.0, f64::max);
    // A solid that is turned needs the room of what it stands for.
    let room = if turn.is_some() { radius } else { 0.0 };
    let bounds = Aabb::around(body.solid().vertices.iter().copied()).grown(FACET_ROOM * room);
    let near = Aabb {
        min: bounds.min + origin,
        max: bounds.max + origin,
    };
    let near = near.grown(query.reach);
    let search = Search {
        body: &body,
        place: p.0,
        origin,
        mesh,
        query,
        depth: 2.0 * radius + query.reach,
        size: solid.inner_radius(),
    };
    // Looks at a triangle with the body as it is turned for it.
    let look_at = |triangle: u32, look: &mut dyn FnMut(&Search<'_>, &Front)| {
        // Beside the directions in which it can be touched the body has to come nearer.
        let room = triangles.facing(triangle).extents() * query.reach;
        let near = Aabb {
            min: bounds.min - room,
            max: bounds.max + room,
        };
        let [a, b, c] = triangles.corners(triangle);
        let corners = [a - origin, b - origin, c - origin];
        if near.is_beside(&corners) {
            return;
        }
        let front = Front::new(triangles, triangle, corners);
        let Some(turn) = turn else {
            return look(&search, &front);
        };
        let axes = rotation.tr_mul(&turn(&(rotation * front.face.normal)));
        let body = &TurnedSolid::new(&solid, &axes);
        look(&Search { body, ..search }, &front);
    };
    let mut missed = Vec::new();
    triangles.visit_near(&near, |triangle| {
        look_at(triangle, &mut |search, front| {
            if search.touch(front, gathered) {
                missed.push(triangle);
            }
        });
    });
    if !missed.is_empty() && !gathered.overlap() {
        // A way out of a triangle that the body overlaps all the same.
        let mut shallowest: Option<(Along, Point, u32)> = None;
        for triangle in missed {
            look_at(triangle, &mut |search, front| {
                if search.overlaps(front)
                    && let Some(best) = search.touch_along_axes(front, gathered)
                    && shallowest.is_none_or(|(other, ..)| best.separation > other.separation)
                    && let Some(point) = search.deepest(front, &best)
                {
                    shallowest = Some((best, point, triangle));
                }
            });
        }
        if let Some((_, point, triangle)) = shallowest {
            gathered.add(query, point, On::Face(triangle), 1e-6 * search.size);
        }
    }
    if gathered.is_empty() {
        let center = origin + body.solid().center;
        return triangles.distance(&center, 4.0 * (radius + query.reach)) - radius;
    }
    f64::NEG_INFINITY
}

/// Points are in the axes of the mesh, from the body's origin.
#[derive(Clone, Copy)]
struct Search<'a> {
    body: &'a TurnedSolid<'a>,
    /// The body's origin in the world's axes, and in those of the mesh from its own origin `[m]`.
    place: &'a Vec3,
    origin: Vec3,
    mesh: StandingMesh<'a>,
    query: &'a Query,
    /// Of what is below a triangle `[m]`.
    depth: f64,
    /// A length of the body to compare with `[m]`.
    size: f64,
}

impl Search<'_> {
    /// Gathers the points of a triangle. True if the body may overlap it and has no point as deep.
    fn touch(&self, front: &Front, gathered: &mut Gathered<OF_BODY>) -> bool {
        let Some(lowest) = self.lowest_above(front) else {
            return false;
        };
        if !self.is_touched_along_normal(front.triangle) {
            return self.touch_along_axes(front, gathered).is_some();
        }
        let is_deeper = self.is_less_deep_beyond(front, lowest) || {
            let offered = self.offer_front(front, gathered);
            offered > lowest + DEEPER_BY * self.size
        };
        is_deeper && lowest <= 0.0
    }

    /// Height of the body above the plane of a triangle; none of a body that does not touch it `[m]`.
    fn lowest_above(&self, front: &Front) -> Option<f64> {
        let (inside, [lowest, highest]) = front.extent(self.body.solid().vertices);
        // Too far above, or all of it behind.
        let is_away = lowest > self.query.reach || highest < 0.0;
        (!is_away && !self.is_apart(front, &inside)).then_some(lowest)
    }

    /// True if all that can touch a triangle does so nearly along its normal: there is no ridge, or its triangles face nearly the same way.
    fn is_touched_along_normal(&self, triangle: u32) -> bool {
        let mesh = self.mesh.2;
        mesh.are_alike_around(triangle, EDGES_ALONG_FACE)
            || mesh.sides(triangle).iter().all(|side| !side.is_touched())
    }

    /// The same by all axes along which they can be touched. Returns the one that separates best from a triangle that the body may overlap
    /// and has no point as deep with.
    fn touch_along_axes(&self, front: &Front, gathered: &mut Gathered<OF_BODY>) -> Option<Along> {
        let mesh = self.mesh.2;
        let prism = Prism::new(mesh, front, self.depth, |kind| kind == SideKind::Ridge);
        let mut solids = Solids::in_common_axes(self.body.solid(), prism.solid(), self.size);
        // A face that is preferred need not be what the nearest features face each other along, where there are others.
        let mut missed: Option<Along> = None;
        let is_level = mesh
            .sides(front.triangle)
            .iter()
            .all(|side| !side.is_touched());
        for prefers in [true, false].into_iter().skip(usize::from(is_level)) {
            solids.prefers = prefers;
            let best = self.best_axis(front, &solids)?;
            if best.separation > self.query.reach {
                return None;
            }
            let is_known = missed.is_some_and(|before| before.axis == best.axis);
            missed = Some(best);
            if is_known || self.is_less_deep_beyond(front, best.separation) {
                break;
            }
            let lowest = self.offer(front, (&solids, &best), gathered);
            if lowest <= best.separation + DEEPER_BY * self.size {
                return None;
            }
        }
        missed.filter(|best| best.separation <= 0.0)
    }

    /// True if the body is so far beyond a side of a triangle, of which it is within by as much at most, or the triangle in front of a face of the
    /// body, that they do not touch.
    fn is_apart(&self, front: &Front, inside: &[f64; 3]) -> bool {
        let reach = self.query.reach;
        let width = self.mesh.2.facing(front.triangle).width_from_within(reach);
        let is_beside = inside.iter().zip(&front.sides).any(|(inside, side)| {
            let beyond = -inside - 2.0 * CLIP_TOLERANCE;
            beyond > 0.0 && beyond * beyond * side.norm_squared() > width * width
        });
        let [a, b, c] = &front.corners;
        is_beside
            || self.body.solid().faces.iter().any(|face| {
                let above = |corner| face.normal.dot(corner) - face.offset;
                above(a) > reach && above(b) > reach && above(c) > reach
            })
    }

    /// True if the body overlaps what is straight below a triangle.
    fn overlaps(&self, front: &Front) -> bool {
        let prism = Prism::new(self.mesh.2, front, self.depth, |_| false);
        let solids = Solids {
            prefers: false,
            ..Solids::in_common_axes(self.body.solid(), prism.solid(), self.size)
        };
        if solids
            .best_face(0.0, None)
            .is_none_or(|face| face.along.separation > 0.0)
        {
            return false;
        }
        let mut edges = 0..solids.q.edges.len() as u32;
        let is_apart = |q: u32| {
            let edge = solids.edge_of_q(q);
            let mut is_apart = false;
            let arcs = self.body.arcs();
            arcs.visit_crossing(&solids.arc_of_q(q), |p| {
                let between = solids.between(&solids.edge_of_p(p), &edge);
                is_apart |= between.is_some_and(|(_, apart)| apart > 0.0);
            });
            is_apart
        };
        !edges.any(is_apart)
    }

    /// A point of a triangle that the body overlaps, although no face or edge of the two meets across the axis.
    fn deepest(&self, front: &Front, best: &Along) -> Option<Point> {
        let mesh = self.mesh.2;
        let prism = Prism::new(mesh, front, self.depth, |kind| kind == SideKind::Ridge);
        let solid = self.body.solid();
        let solids = Solids::in_common_axes(solid, prism.solid(), self.size);
        let outward = solids.outward(best.axis)?;
        let along = |at: &u32| outward.dot(&solid.vertices[*at as usize]);
        let vertices = 0..solid.vertices.len() as u32;
        let deepest = vertices.max_by(|a, b| along(a).total_cmp(&along(b)))?;
        let at = match best.axis {
            Axis::Edges(one, other) => {
                let across = [solids.edge_of_p(one), solids.edge_of_q(other)];
                let (from, to, _) = distance::crossing(&across[0], &across[1]);
                (from + to) * 0.5
            }
            _ => solid.vertices[deepest as usize] + outward * (0.5 * best.separation),
        };
        let rotation = self.mesh.1;
        Some(Point {
            feature: name(8, [mesh.patch(front.triangle), deepest]),
            position: self.place + rotation * at,
            normal: -(rotation * outward),
            separation: best.separation,
        })
    }

    /// True if the body is less deep below another triangle that has a corner in common with this one and meets it in a ridge. Two
    /// that face nearly the same way bear it together.
    fn is_less_deep_beyond(&self, front: &Front, separation: f64) -> bool {
        let mesh = self.mesh.2;
        let triangle = front.triangle;
        if mesh.are_alike_around(triangle, MESH_GROUP) {
            return false;
        }
        let corners = mesh.corners(triangle);
        let (normal, size) = (front.face.normal, self.size);
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
            let lowest = height + self.body.solid().lowest(&across);
            lowest > separation + 1e-9 * size
        })
    }

    /// The axis that separates best of those along which a triangle can be touched; nothing if the body is beside it.
    fn best_axis(&self, front: &Front, solids: &Solids<'_>) -> Option<Along> {
        let mesh = self.mesh.2;
        let sides = mesh.sides(front.triangle);
        let is_touched = |side: usize| sides[side].is_touched();
        let mut best = solids.along(Axis::FaceQ(0))?;
        for side in (0..3).filter(|&side| sides[side].kind == SideKind::Rim) {
            let along = solids.along(Axis::FaceQ(2 + side as u32))?;
            if along.separation > best.separation {
                best = along;
            }
        }
        if (0..3).any(is_touched) {
            let center = solids.q.center;
            for (index, face) in (0..).zip(solids.p.faces) {
                let least = solids.preferred_over(best.separation);
                if face.normal.dot(&center) - face.offset <= least {
                    continue;
                }
                let along = solids.along(Axis::FaceP(index))?;
                if along.separation <= least {
                    continue;
                }
                let direction = -face.normal;
                let lean = direction.dot(&front.face.normal);
                if lean > EDGES_ALONG_FACE || way(mesh, front.triangle, &direction) == Way::Found {
                    best = along;
                } else if along.separation > self.query.reach {
                    return None;
                }
            }
            for side in (0..3).filter(|&side| is_touched(side)) {
                let edge = solids.edge_of_q(side as u32);
                let arcs = self.body.arcs();
                let mut least = solids.preferred_over(best.separation);
                arcs.visit_crossing(&solids.arc_of_q(side as u32), |p| {
                    solids.improve((&mut best, &mut least), (&solids.edge_of_p(p), &edge));
                });
            }
        }
        Some(best)
    }

    /// Gathers the points of what an axis separates, as far as the triangle can be touched along it. Returns the least separation of
    /// one; minus infinity if another triangle sees to it.
    fn offer(
        &self,
        front: &Front,
        (solids, best): (&Solids<'_>, &Along),
        gathered: &mut Gathered<OF_BODY>,
    ) -> f64 {
        let (_, rotation, mesh) = self.mesh;
        let Some(outward) = solids.outward(best.axis) else {
            return f64::NEG_INFINITY;
        };
        let way = match best.axis {
            Axis::FaceQ(0) => Way::Front,
            _ => way(mesh, front.triangle, &-outward),
        };
        match way {
            Way::Beyond => f64::NEG_INFINITY,
            Way::Front => self.offer_front(front, gathered),
            Way::Found => {
                if let Axis::Edges(one, other) = best.axis
                    && !distance::crossing(&solids.edge_of_p(one), &solids.edge_of_q(other)).2
                {
                    return f64::INFINITY;
                }
                let mut manifold = Manifold::new();
                let [p, q] = [solids.p, solids.q].map(|solid| (self.place, rotation, solid));
                let lowest = solids.offer(best, (p, q), self.query, &mut manifold);
                let kind = match best.axis {
                    Axis::FaceP(_) => 5,
                    Axis::FaceQ(_) => 6,
                    Axis::Edges(..) => 7,
                };
                for point in manifold.as_slice() {
                    let local = rotation.tr_mul(&(point.position - self.place));
                    let below = front.face.offset - front.face.normal.dot(&local);
                    // Behind a rim there is nothing.
                    if below <= self.size {
                        let point = Point {
                            feature: name(kind, [front.triangle, point.feature]),
                            normal: self.query.orient(&point.normal),
                            ..*point
                        };
                        let on = On::Face(front.triangle);
                        gathered.add(self.query, point, on, 1e-6 * self.size);
                    }
                }
                lowest
            }
        }
    }

    /// Gathers the vertices of the body that are above a triangle, and what else bounds the part of its lowest face there, other
    /// than where a flat surface is cut. Returns the least separation of all, infinity if there are none.
    fn offer_front(&self, front: &Front, gathered: &mut Gathered<OF_BODY>) -> f64 {
        let lowest = self.offer_vertices(front, gathered);
        lowest.min(self.offer_face(front, gathered))
    }

    /// Of all faces: on an uneven ground a body can stand on vertices of several.
    fn offer_vertices(&self, front: &Front, gathered: &mut Gathered<OF_BODY>) -> f64 {
        let mesh = self.mesh.2;
        let is_valley = |side: usize| mesh.sides(front.triangle)[side].kind == SideKind::Valley;
        let mut lowest = f64::INFINITY;
        for (index, at) in (0..).zip(self.body.solid().vertices) {
            let (inside, separation) = front.place(at);
            let depth = VALLEY_ROOM * (-separation).max(0.0);
            let is_within = |side: usize| {
                let beyond = -inside[side];
                beyond <= CLIP_TOLERANCE
                    // Below two triangles that rise from their common side a place can be beside both.
                    || is_valley(side)
                        && beyond * beyond * front.sides[side].norm_squared() <= depth * depth
            };
            if separation <= self.query.reach && (0..3).all(is_within) {
                let patch = mesh.patch(front.triangle);
                let name = (name(1, [patch, index]), On::Face(front.triangle));
                let at = at - front.face.normal * (0.5 * separation);
                let sure = SIDES_PER_DEPTH * front.least_from_sides(&inside);
                let sure = (&[][..], sure.max(1e-9 * self.size));
                if self.offer_point(front, name, (at, separation), sure, gathered) {
                    lowest = lowest.min(separation);
                }
            }
        }
        lowest
    }

    /// Gathers where the lowest face of the body meets sides and corners of a triangle. Returns the least separation of what bounds the part of it
    /// above the triangle, infinity if there is none.
    fn offer_face(&self, front: &Front, gathered: &mut Gathered<OF_BODY>) -> f64 {
        let mesh = self.mesh.2;
        let triangle = front.triangle;
        let (sides, vertices) = (mesh.sides(triangle), mesh.triangles()[triangle as usize]);
        // Where the surface goes on level or gently upward the body bears on what is beyond: a side there lies no higher than the line
        // between the points on either side of it.
        let is_gentle = mesh.are_alike_around(triangle, EDGES_ALONG_FACE);
        let is_inner = sides.each_ref().map(|side| match side.kind {
            SideKind::Flat => true,
            SideKind::Valley => is_gentle,
            SideKind::Ridge | SideKind::Rim => false,
        });
        if is_inner == [true; 3] {
            return f64::INFINITY;
        }
        let solid = self.body.solid();
        let incident = most_against(&solid, &front.face.normal);
        let chords = Chords::new(front, solid.corners(incident.1));
        let sure = SHALLOW_ON_MESH * self.size;
        let mut lowest = chords.lowest_corner;
        for side in 0..3 {
            let Some(chord) = chords.of_side(side) else {
                continue;
            };
            if let Some(separation) = chord.height_at_start() {
                lowest = lowest.min(separation);
                if !(is_inner[side] && is_inner[(side + 2) % 3]) {
                    let vertex = vertices[side];
                    let name = (name(2, [vertex, 0]), On::Edge(triangle));
                    let at = front.corners[side] + front.face.normal * (0.5 * separation);
                    self.offer_point(front, name, (at, separation), (&[vertex], sure), gathered);
                }
            }
            for end in chord.ends_on_side() {
                lowest = lowest.min(end.height);
                if is_inner[side] {
                    continue;
                }
                let beyond = sides[side].beyond;
                let of_mesh = triangle.min(beyond) ^ triangle.max(beyond).rotate_left(16);
                let of_body = incident.0 << 8 | end.edge;
                let name = (name(3, [of_mesh, of_body]), On::Edge(triangle));
                let at = front.corners[side]
                    + front.sides[side] * end.along
                    + front.face.normal * (0.5 * end.height);
                let ends = [vertices[side], vertices[(side + 1) % 3]];
                self.offer_point(front, name, (at, end.height), (&ends, sure), gathered);
            }
        }
        lowest
    }

    /// Gathers a point of a triangle, halfway between the surfaces, unless it is deep below the triangle, but not as deep below
    /// another one: what it is below is that one. Triangles at the given vertices have the same point of the mesh, and are not others; nor is any
    /// for a point no deeper than `sure`. Returns true unless another one is nearer.
    fn offer_point(
        &self,
        front: &Front,
        (feature, on): (u32, On),
        (at, separation): (Vec3, f64),
        (vertices, sure): (&[u32], f64),
        gathered: &mut Gathered<OF_BODY>,
    ) -> bool {
        let (_, rotation, mesh) = self.mesh;
        if separation > self.query.reach {
            return true;
        }
        let normal = front.face.normal;
        if separation < -sure {
            let deep = self.origin + at + normal * (0.5 * separation);
            let nearer = (NEARER_TRIANGLE - 1.0) * separation;
            if mesh.distance_facing(&deep, nearer, &normal, vertices) < nearer {
                return false;
            }
        }
        let point = Point {
            feature,
            position: self.place + rotation * at,
            normal: rotation * normal,
            separation,
        };
        gathered.add(self.query, point, on, 1e-6 * self.size);
        true
    }
}
