//! The points of two shapes by what they turn toward each other: a face clipped by another's sides, a stretch of lines, or one point.

use super::facing::{Facing, Toward};
use super::{Between, Core};
use crate::collide::narrowphase::envelope::{Bearing, bearing_corners};
use crate::collide::narrowphase::manifold::{Manifold, Point};
use crate::collide::narrowphase::polygon::{Polygon, Vertex};
use crate::collide::narrowphase::query::Query;
use crate::constants::{
    AXIS_LOYALTY, AXIS_PREFERENCE_ABSOLUTE, CLIP_TOLERANCE, MAX_FACE_VERTICES, NEAREST_STAYS_ABOVE,
    RIM_CORNERS, TURNED_TOWARD,
};
use crate::math::{Vec3, length};

/// Most corners of a rim and what it meets: of two rims and most solids, and of all.
const FEW_CORNERS: usize = 2 * RIM_CORNERS;
const MAX_CORNERS: usize = 2 * MAX_FACE_VERTICES;

/// Marks the name of an edge as a side of the reference face.
const SIDE: u8 = 1 << 6;

/// The reference face is the second shape's, as of two polyhedra.
const OF_Q: u32 = 1 << 30;

/// Names of single points and of points on lines.
pub(super) const NEAREST: u32 = 3 << 30;
const ON_LINES: u32 = 2 << 30;

/// Names a nearest point beside the corners on a face. None of these has it.
const NEAREST_ON_FACE: u32 = 0x3fff;

/// Which of the two shapes, P or Q, has the face that the point of a feature lies on.
pub(super) fn shape_of_face(feature: u32) -> Option<usize> {
    match feature & NEAREST {
        0 => Some(0),
        OF_Q => Some(1),
        _ => None,
    }
}

/// Data of the contact of two shapes, from which its points are made.
pub(super) struct Contact<'a> {
    pub(super) found: Between,
    /// The features that P and Q turn toward each other along the normal.
    pub(super) facing: &'a [Facing; 2],
    /// Of the balls around the cores `[m]`.
    pub(super) radii: [f64; 2],
    /// A length of the shapes to compare with `[m]`.
    pub(super) size: f64,
    pub(super) query: &'a Query,
}

impl<'a> Contact<'a> {
    /// Of two shapes that are apart or overlap so; fills in what they turn toward each other.
    pub(super) fn of(
        (p, q): (&Core<'_>, &Core<'_>),
        found: Between,
        query: &'a Query,
        facing: &'a mut [Facing; 2],
    ) -> Self {
        let directions = [-found.normal, found.normal];
        for ((core, direction), facing) in [p, q].into_iter().zip(&directions).zip(&mut *facing) {
            core.turn_toward(direction, facing);
        }
        for (which, core) in [p, q].into_iter().enumerate() {
            turn_to_edge((core, &directions[which]), facing, which);
        }
        Self {
            found,
            facing,
            radii: [p.radius(), q.radius()],
            size: p.size().min(q.size()),
            query,
        }
    }

    /// The point between two surfaces, of the place on P's core and the separation of the surfaces.
    fn midway(&self, on_p: &Vec3, separation: f64) -> Vec3 {
        on_p - self.found.normal * (self.radii[0] + 0.5 * separation)
    }

    /// Offers the nearest point if it is nearer than those that are there, of which it is given the least separation, and the face that they lie on.
    pub(super) fn offer_nearest(
        &self,
        reference: Option<usize>,
        lowest: f64,
        manifold: &mut Manifold,
    ) {
        let Between {
            normal,
            separation,
            on: [on_p, on_q],
        } = self.found;
        let feature = match reference {
            Some(0) => NEAREST_ON_FACE,
            Some(_) => OF_Q | NEAREST_ON_FACE,
            None => NEAREST,
        };
        let above = if self.query.keeps(feature, separation) {
            NEAREST_STAYS_ABOVE
        } else {
            AXIS_PREFERENCE_ABSOLUTE
        };
        if lowest > separation + above * self.size {
            let middle = (on_p + on_q) * 0.5 + normal * (0.5 * (self.radii[1] - self.radii[0]));
            let point = Point {
                feature,
                position: middle,
                normal,
                separation,
            };
            manifold.offer_deepest(self.query, point);
        }
    }

    /// True of two faces that lie on each other. Where the bodies keep one, corners stand for the nearest point: it would run along a rim with every sway, come and go, and
    /// carry the load with it. Of 960 discs in 48 heaps 205 moved on with it.
    pub(super) fn is_flat(&self) -> bool {
        self.facing.iter().all(|facing| {
            matches!(facing.toward, Toward::Face(_)) && facing.cosine >= TURNED_TOWARD
        })
    }

    /// How much higher than the nearest points the corners on a face may be that the shapes lie on `[m]`. Of a rim that leans the lowest point may be between two
    /// corners; where two rims cross it may be farther out than either's sides.
    pub(super) fn leave(&self, reference: usize) -> f64 {
        let cosine = self.facing[1 - reference].cosine;
        let sine = (1.0 - cosine * cosine).max(0.0).sqrt();
        let bulge = self.facing[0].bulge + self.facing[1].bulge;
        AXIS_LOYALTY * self.size + 2.0 * bulge * sine
    }

    /// The points of one shape above the face of the other, P or Q. Returns the least separation, infinity if there are none.
    pub(super) fn clip_by(&self, reference: usize, manifold: &mut Manifold) -> f64 {
        let normal = self.found.normal;
        let [p, q] = self.facing;
        if reference == 0 {
            // Where the normal meets the face of P, from a point of Q.
            self.clip((p, &-normal), q, manifold, 0, |at, separation| {
                at + normal * (self.radii[1] + 0.5 * separation)
            })
        } else {
            self.clip((q, &normal), p, manifold, OF_Q, |at, separation| {
                self.midway(at, separation)
            })
        }
    }

    /// The points by a face that the other shape's feature lies on. Returns the least separation.
    fn clip(
        &self,
        reference: (&Facing, &Vec3),
        incident: &Facing,
        manifold: &mut Manifold,
        of: u32,
        middle: impl Fn(&Vec3, f64) -> Vec3,
    ) -> f64 {
        if reference.0.points.len() + incident.points.len() <= FEW_CORNERS {
            self.clip_corners::<FEW_CORNERS>(reference, incident, manifold, of, middle)
        } else {
            self.clip_corners::<MAX_CORNERS>(reference, incident, manifold, of, middle)
        }
    }

    /// The same of up to `MOST` corners of both: the incident points within the sides of the reference face, each with its own height above that along `up`.
    fn clip_corners<const MOST: usize>(
        &self,
        (reference, up): (&Facing, &Vec3),
        incident: &Facing,
        manifold: &mut Manifold,
        of: u32,
        middle: impl Fn(&Vec3, f64) -> Vec3,
    ) -> f64 {
        let Toward::Face(face) = reference.toward else {
            return f64::INFINITY;
        };
        let corners = &reference.points;
        let origin = corners[0];
        // Seen along the normal, which both lean toward: what is inside of both has the two in front of each other.
        let u = up.cross(&Vec3::ith(up.iamin(), 1.0)).normalize();
        let v = up.cross(&u);
        let slope = face.dot(up);
        let radii = self.radii[0] + self.radii[1];
        let laid = |at: &Vec3| {
            let arm = at - origin;
            // Beside a face that leans its plane may be passed by more than the shapes overlap.
            let height = (face.dot(&arm) / slope - radii).max(self.found.separation);
            [u.dot(&arm), v.dot(&arm), height]
        };
        let mut polygon = Polygon::<MOST>::EMPTY;
        let count = incident.points.len() as u8;
        for (at, edge) in incident.points.iter().zip(0..count) {
            polygon.push(Vertex {
                at: laid(at),
                edge_in: if edge == 0 { count - 1 } else { edge - 1 },
                edge_out: edge,
            });
        }
        let first = laid(&origin);
        let mut to = first;
        for k in 0..corners.len() {
            let from = to;
            to = corners.get(k + 1).map_or(first, laid);
            let [x, y] = [to[0] - from[0], to[1] - from[1]];
            let side = length(x, y);
            let outward = [y / side, -x / side];
            let bound = outward[0] * from[0] + outward[1] * from[1];
            let beyond = |at: &[f64; 3]| outward[0] * at[0] + outward[1] * at[1] - bound;
            polygon.clip(beyond, CLIP_TOLERANCE * self.size, SIDE | k as u8);
        }
        let faces = (reference.index & 0x3ff) << 20 | (incident.index & 0x3f) << 14;
        let place = |&[x, y, height]: &[f64; 3]| {
            let across = u * x + v * y;
            let on_core = origin + across + up * (height + radii - face.dot(&across) / slope);
            middle(&on_core, height)
        };
        let name = |vertex: &Vertex| {
            of | faces | u32::from(vertex.edge_in) << 7 | u32::from(vertex.edge_out)
        };
        polygon.offer(
            &self.found.normal,
            place,
            name,
            bearing_corners::<MOST>(&Bearing::OF_RIMS),
            self.query,
            manifold,
        )
    }

    /// The ends of the stretch along which two lines that cross at a small angle are near each other. Returns the least
    /// separation, infinity if there is none.
    ///
    /// Each end has the separation and the normal of the round surfaces there. One point where the lines cross would not do: the
    /// bodies rock on it, the point runs from end to end, and they work into each other.
    pub(super) fn on_lines(&self, manifold: &mut Manifold) -> f64 {
        let [p, q] = self.facing;
        if !(p.is_line() && q.is_line() && p.lies_along(q)) {
            return f64::INFINITY;
        }
        let normal = self.found.normal;
        let ([from_p, to_p], [from_q, to_q]) = (p.ends(), q.ends());
        let (along_p, along_q) = (to_p - from_p, to_q - from_q);
        let length = along_p.norm();
        let axis = along_p / length;
        let [start, end] = [from_q, to_q].map(|at| axis.dot(&(at - from_p)));
        // The lines about which the surfaces curve, and how far these are from them.
        let between = |t: f64| {
            let (part_p, part_q) = (t / length, (t - start) / (end - start));
            let radius = |[from, to]: [f64; 2], part: f64| from + (to - from) * part;
            let [curve_p, curve_q] = [radius(p.curvature, part_p), radius(q.curvature, part_q)];
            let about_p = from_p + axis * t + normal * curve_p;
            let about_q = from_q + along_q * part_q - normal * curve_q;
            let radii = [curve_p + self.radii[0], curve_q + self.radii[1]];
            (about_p - about_q, about_q, radii)
        };
        let (mut low, mut high) = (start.min(end).max(0.0), start.max(end).min(length));
        if low >= high {
            return f64::INFINITY;
        }
        let aside = [low, high].map(|t| {
            let (apart, ..) = between(t);
            apart - normal * normal.dot(&apart)
        });
        let turn = (aside[1] - aside[0]) / (high - low);
        let (_, _, radii) = between(0.5 * (low + high));
        let radius = radii[0] + radii[1];
        // Beyond this the surfaces are not near each other.
        let near = radius + self.query.level_around(self.found.separation);
        let middle = radius + self.found.separation;
        let squared = turn.norm_squared();
        if squared > 0.0 {
            let crossing = low - aside[0].dot(&turn) / squared;
            let least = (aside[0] + turn * (crossing - low)).norm_squared();
            let reach = near * near - middle * middle - least;
            if reach <= 0.0 {
                return f64::INFINITY;
            }
            let half = (reach / squared).sqrt();
            (low, high) = (low.max(crossing - half), high.min(crossing + half));
            if low >= high {
                return f64::INFINITY;
            }
        }
        let mut lowest = f64::INFINITY;
        for (place, t) in [(0, low), (1, high)] {
            let (apart, about_q, radii) = between(t);
            let distance = apart.norm();
            if normal.dot(&apart) <= 0.0 {
                // Axes past each other: the surfaces there say nothing.
                return f64::INFINITY;
            }
            let normal = apart / distance;
            let separation = distance - radii[0] - radii[1];
            lowest = lowest.min(separation);
            manifold.offer(
                self.query,
                Point {
                    feature: ON_LINES | p.index << 15 | q.index << 1 | place,
                    position: about_q + normal * (radii[1] + 0.5 * separation),
                    normal,
                    separation,
                },
            );
        }
        lowest
    }
}

/// Turns to an edge in place of a face that leans beside it: what lies along the edge lies on that.
fn turn_to_edge((core, direction): (&Core<'_>, &Vec3), facing: &mut [Facing; 2], which: usize) {
    let (own, other) = (&facing[which], &facing[1 - which]);
    let leans = matches!(own.toward, Toward::Face(_)) && own.cosine < TURNED_TOWARD;
    if !leans || !other.is_line() {
        return;
    }
    let mut edge = Facing::new();
    if core.turn_edge_toward(direction, &mut edge) && edge.lies_along(other) {
        facing[which] = edge;
    }
}
