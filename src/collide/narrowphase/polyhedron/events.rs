//! Contact of two convex polyhedra as Hart's events: corners on faces and pairs of edges, and the nearly active ones among them.
//!
//! Each event m has a component of the ratio metric of its own, `Phi(m) = s / D` along its facet's normal or its edges' product,
//! which is smooth, and the metric is the largest component of those that bear (see `ratio.rs`). Nearly active (Hart, eqs 9 and 10)
//! are those with
//!
//! * `rho <= active` (E1),
//! * `|Phi(m) - rho| <= near` (E2, whose printed sign contradicts the theorem of the maximum),
//! * the event's point within both solids, grown until this event touches, and `lateral` (E3, E4; unlike as printed the grown ones, so that
//!   the event that gives rho is always one of them and the set is empty only where rho is above `active`).
//!
//! An event whose features get past each other's rims within a step, along the plane between the solids, counts as well where speeds are known.
//!
//! In perfect contact the region of contact is the convex hull of the events' points.

use super::ratio::{Growth, Touch};
use super::{Axis, Segment, Standing, distance};
use crate::collide::narrowphase::manifold::{Manifold, Point};
use crate::collide::narrowphase::polygon::four_points;
use crate::collide::narrowphase::query::Query;
use crate::constants::DEEPER_BY;
use crate::error::{Error, Result};
use crate::math::{Pose, Vec3};
use crate::world::{Face, Polyhedron};

/// The features that meet in an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Features {
    /// A corner of the first solid on a face of the second.
    CornerOfFirst {
        /// Index of the vertex.
        corner: u32,
        /// Index of the face.
        face: u32,
    },
    /// A corner of the second solid on a face of the first.
    CornerOfSecond {
        /// Index of the vertex.
        corner: u32,
        /// Index of the face.
        face: u32,
    },
    /// Edges of the first and of the second solid that are not parallel.
    Edges([u32; 2]),
}

/// One way in which two polyhedra touch, or nearly do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Event {
    /// The features that meet.
    pub features: Features,
    /// Midway between the two features, in world axes `[m]`.
    pub point: Vec3,
    /// Unit normal, from the second solid to the first.
    pub normal: Vec3,
    /// The gap s of the features along the normal `[m]`, negative when they are past each other.
    pub gap: f64,
    /// The event's component `Phi = s / D` of the ratio metric.
    pub component: f64,
}

/// Which events count as nearly active.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EventLimits {
    /// Largest rho of a pair that has events.
    pub active: f64,
    /// Largest distance of an event's component from rho, at least 0.
    pub near: f64,
    /// How far beyond the rims of its features an event may lie `[m]`, at least 0.
    pub lateral: f64,
    /// Events nearer to each other than this are one `[m]`, at least 0. Corners go before pairs of edges.
    pub merge: f64,
}

/// Offers the nearly active events of two solids, or the four that span the largest area.
pub(in crate::collide::narrowphase) fn offer_events(
    p: Standing<'_>,
    q: Standing<'_>,
    (near, lateral): (f64, f64),
    query: &Query,
    manifold: &mut Manifold,
) {
    let growth = Growth::new(p, q);
    let Some(best) = growth.best() else { return };
    // A gap within reach, as rho along the normal that counts.
    let gap = (best.ratio - 1.0) * best.reach;
    if gap > query.reach {
        // Bodies are no nearer than along the axis that separates them.
        manifold.set_apart(gap);
        return;
    }
    // Gaps that the step can close may become active within it.
    let closing = query.reach / (gap + best.reach);
    let limits = EventLimits {
        active: f64::INFINITY,
        near: near + closing,
        lateral: lateral * growth.solids.size,
        merge: 1e-4 * growth.solids.size,
    };
    let in_p = |point: &Vec3| p.1.tr_mul(&query.shift(&(p.0 + p.1 * point)));
    let mut found = Found {
        rho: 1.0 - 1.0 / best.ratio,
        growth: &growth,
        limits: &limits,
        shift: &in_p,
        events: Vec::new(),
    };
    found.corners();
    found.edges();
    let mut points: Vec<Point> = found.events.iter().map(Event::as_point).collect();
    points.retain(|point| query.admits(&point.position, &point.normal, point.separation));
    let across = -(p.1 * best.outward);
    let seed = if across.x.abs() < 0.6 {
        Vec3::x()
    } else {
        Vec3::y()
    };
    let u = across.cross(&seed).normalize();
    let v = across.cross(&u);
    let (chosen, count) = four_points(points.len(), DEEPER_BY, |index| {
        let point = &points[index];
        [
            u.dot(&point.position),
            v.dot(&point.position),
            point.separation,
        ]
    });
    for &index in &chosen[..count] {
        manifold.offer(query, points[index]);
    }
}

impl Event {
    fn as_point(&self) -> Point {
        let (kind, first, second) = match self.features {
            Features::CornerOfSecond { corner, face } => (0, face, corner),
            Features::CornerOfFirst { corner, face } => (1, face, corner),
            Features::Edges([first, second]) => (2, first, second),
        };
        Point {
            feature: kind << 30 | (first & 0x7fff) << 15 | second & 0x7fff,
            position: self.point,
            normal: self.normal,
            separation: self.gap,
        }
    }
}

/// The nearly active events of two polyhedra.
///
/// # Errors
/// As of [`ratio_metric`](super::ratio::ratio_metric).
pub fn events(
    solids: [&Polyhedron; 2],
    poses: [&Pose; 2],
    limits: &EventLimits,
) -> Result<Vec<Event>> {
    let rotations = poses.map(|pose| *pose.orientation.to_rotation_matrix().matrix());
    let [p, q] = std::array::from_fn(|k| (&poses[k].position, &rotations[k], solids[k].solid()));
    events_of_solids(p, q, limits).ok_or_else(|| {
        Error::invalid(
            "events",
            "centres that coincide, or poses that are not finite, have none",
        )
    })
}

/// See [`events`]; none where the ratio metric is not defined.
pub(crate) fn events_of_solids(
    p: Standing<'_>,
    q: Standing<'_>,
    limits: &EventLimits,
) -> Option<Vec<Event>> {
    let growth = Growth::new(p, q);
    let best = growth.best().filter(|best| best.ratio.is_finite())?;
    let rho = 1.0 - 1.0 / best.ratio;
    let mut found = Found {
        growth: &growth,
        limits,
        rho,
        shift: &|_| Vec3::zeros(),
        events: Vec::new(),
    };
    if rho <= limits.active {
        found.corners();
        found.edges();
    }
    Some(found.events)
}

struct Found<'a> {
    growth: &'a Growth<'a>,
    limits: &'a EventLimits,
    rho: f64,
    /// How far Q's point at a point moves past P's in the step, in the axes of P `[m]`.
    shift: &'a dyn Fn(&Vec3) -> Vec3,
    events: Vec<Event>,
}

impl Found<'_> {
    fn is_near(&self, touch: &Touch) -> bool {
        (1.0 - 1.0 / touch.ratio - self.rho).abs() <= self.limits.near
    }

    /// True for a corner of P (0) or Q (1), grown by a factor, that lies in the other solid grown as much, but for the tolerance, or gets there
    /// along the plane between them within the step.
    fn is_in_other(&self, of: usize, point: &Vec3, touch: &Touch) -> bool {
        let growth = self.growth;
        let solids = &growth.solids;
        let shift = (self.shift)(point);
        let shift = shift - touch.outward * touch.outward.dot(&shift);
        let (solid, moved) = if of == 1 {
            (&solids.p, point + shift)
        } else {
            (&solids.q, point - shift)
        };
        let within = |at: &Vec3| {
            let from_center = at - growth.centers[1 - of];
            let local = if of == 1 {
                from_center
            } else {
                solids.relative.tr_mul(&from_center)
            };
            solid.faces.iter().all(|face: &Face| {
                let reach = face.offset - face.normal.dot(&solid.center);
                face.normal.dot(&local) <= touch.ratio * reach + self.limits.lateral
            })
        };
        within(point) || shift != Vec3::zeros() && within(&moved)
    }

    fn corners(&mut self) {
        let growth = self.growth;
        let solids = &growth.solids;
        for axis in growth.faces() {
            if !self.is_near(&axis) {
                continue;
            }
            let outward = axis.outward;
            let (corners, of) = match axis.axis {
                Axis::FaceP(_) => (solids.q.vertices, 1),
                _ => (solids.p.vertices, 0),
            };
            for (corner, local) in (0..).zip(corners) {
                let (at, gap, features) = match axis.axis {
                    Axis::FaceP(face) => {
                        let at = solids.of_q(local);
                        let gap = outward.dot(&at) - solids.p.faces[face as usize].offset;
                        (at, gap, Features::CornerOfSecond { corner, face })
                    }
                    Axis::FaceQ(face) => {
                        let of_face = &solids.q.faces[face as usize];
                        let gap = of_face.normal.dot(&solids.in_q(local)) - of_face.offset;
                        (*local, gap, Features::CornerOfFirst { corner, face })
                    }
                    Axis::Edges(..) => continue,
                };
                let Some(touch) = growth.touch(axis.axis, outward, gap) else {
                    continue;
                };
                let grown = growth.grown(of, &at, touch.ratio);
                if !self.is_near(&touch) || !self.is_in_other(of, &grown, &touch) {
                    continue;
                }
                // From the corner half of the way to the face.
                let back = if of == 1 { -0.5 * gap } else { 0.5 * gap };
                self.offer(features, &(at + outward * back), gap, &touch);
            }
        }
    }

    fn edges(&mut self) {
        let growth = self.growth;
        for p in &growth.edges[0] {
            for q in &growth.edges[1] {
                let Some((outward, gap)) = growth.solids.between(p, q) else {
                    continue;
                };
                let axis = Axis::Edges(p.index, q.index);
                let touch = growth.touch(axis, outward, gap);
                let Some(touch) = touch.filter(|touch| self.is_near(touch)) else {
                    continue;
                };
                if let Some(at) = self.crossing(p, q, &touch) {
                    self.offer(Features::Edges([p.index, q.index]), &at, gap, &touch);
                }
            }
        }
    }

    /// Midway between two edges; none if they do not cross when grown, or if the solids reach beyond them along their product.
    fn crossing(&self, p: &Segment, q: &Segment, touch: &Touch) -> Option<Vec3> {
        let growth = self.growth;
        let grown = |of: usize, edge: &Segment| Segment {
            from: growth.grown(of, &edge.from, touch.ratio),
            along: edge.along * touch.ratio,
            ..*edge
        };
        let (of_p, of_q) = (grown(0, p), grown(1, q));
        let meets = |q: &Segment| {
            let (on_p, on_q, _) = distance::crossing(&of_p, q);
            let beside = on_q - on_p;
            let beside = beside - touch.outward * touch.outward.dot(&beside);
            beside.norm() <= self.limits.lateral.max(f64::EPSILON * touch.reach)
        };
        if !meets(&of_q) {
            let shift = (self.shift)(&(of_q.from + of_q.along * 0.5));
            let shift = shift - touch.outward * touch.outward.dot(&shift);
            let moved = Segment {
                from: of_q.from + shift,
                ..of_q
            };
            if shift == Vec3::zeros() || !meets(&moved) {
                return None;
            }
        }
        let solids = &growth.solids;
        let in_q = solids.relative.tr_mul(&touch.outward);
        let lowest_q = touch.outward.dot(&solids.from_p) + solids.q.lowest(&in_q);
        let highest_p = -solids.p.lowest(&-touch.outward);
        let bears = growth.touch(touch.axis, touch.outward, lowest_q - highest_p)?;
        if !self.is_near(&bears) {
            return None;
        }
        let (on_p, on_q, _) = distance::crossing(p, q);
        Some((on_p + on_q) * 0.5)
    }

    fn offer(&mut self, features: Features, at: &Vec3, gap: f64, touch: &Touch) {
        let point = self.growth.in_world(at);
        let merge = self.limits.merge;
        if self
            .events
            .iter()
            .any(|other| (other.point - point).norm() < merge)
        {
            return;
        }
        self.events.push(Event {
            features,
            point,
            normal: -(self.growth.standing.1 * touch.outward),
            gap,
            component: 1.0 - 1.0 / touch.ratio,
        });
    }
}
