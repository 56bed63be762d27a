//! Hart's ratio metric of two convex polyhedra.
//!
//! Both solids grow or shrink about an inner point by the same factor t, `P(x, t) = x + t (P - x)`. The ratio metric is
//! the factor at which they touch (Hart, eq. 2),
//!
//! ```text
//! r = min t  such that  A_i R_i^T (x - x_i) <= t b_i,  i = 1, 2,
//! ```
//!
//! and `rho = (r - 1) / r` (eq. 3) is positive apart, zero in contact and negative in each other. Along the normal n of a
//! facet, or the product of two edges, let D be the distance of the centres, h1 and h2 how far the solids reach from them
//! towards each other, and `s = D - h1 - h2` the gap. The touch along n happens at `D / (h1 + h2)`, and the solids touch when
//! the last of them does:
//!
//! ```text
//! r = max D / (h1 + h2),    rho = max s / D,
//! ```
//!
//! over the facets of either solid and the pairs of edges that cross on the Gauss map (Hart's theorem of the maximum). The
//! program's dual gives the gradient: with `N = n / (h1 + h2)` and x* the point of touch,
//! `dr/dx1 = -N`, `dr/dx2 = N`, `dr/dtheta1 = -(x* - x1) x N`, `dr/dtheta2 = (x* - x2) x N`.

use super::{Arcs, Axis, Segment, Solids, Standing, distance};
use crate::error::{Error, Result};
use crate::math::{Pose, Vec3};
use crate::world::{Polyhedron, Solid};

/// How two convex polyhedra lie to each other by Hart's ratio metric.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RatioMetric {
    /// The factor r by which both have to grow about their centres to touch; above 1 apart, below 1 in each other.
    pub ratio: f64,
    /// Unit normal of the plane between them, from the second to the first.
    pub normal: Vec3,
    /// Sum of how far the two reach from their centres to that plane `[m]`.
    pub reach: f64,
    /// Where they touch when they have grown by `ratio`, in world axes `[m]`.
    pub point: Vec3,
    /// The points about which they grow, in world axes `[m]`.
    pub centers: [Vec3; 2],
}

impl RatioMetric {
    /// `rho = (r - 1) / r`: below 0 in each other, 1 at an infinite distance (Hart, eq. 3).
    #[must_use]
    pub fn depth(&self) -> f64 {
        1.0 - 1.0 / self.ratio
    }

    /// The gap along the normal `[m]`: exact where they touch.
    #[must_use]
    pub fn gap(&self) -> f64 {
        (self.ratio - 1.0) * self.reach
    }

    /// Derivatives of `rho` by the displacement of each solid `[1/m]` and by its rotation vector in world axes `[1/rad]`.
    /// Where several features touch at once it is that of one of them.
    #[must_use]
    pub fn gradient(&self) -> [(Vec3, Vec3); 2] {
        let along = -self.normal / (self.reach * self.ratio * self.ratio);
        let [first, second] = self
            .centers
            .map(|center| (self.point - center).cross(&along));
        [(-along, -first), (along, second)]
    }
}

/// The ratio metric of two polyhedra about their centres of mass.
///
/// # Errors
/// [`Error::Invalid`] for centres that coincide, where it is not defined, and for poses that are not finite.
pub fn ratio_metric(solids: [&Polyhedron; 2], poses: [&Pose; 2]) -> Result<RatioMetric> {
    let rotations = poses.map(|pose| *pose.orientation.to_rotation_matrix().matrix());
    let [p, q] = std::array::from_fn(|k| (&poses[k].position, &rotations[k], solids[k].solid()));
    let growth = Growth::new(p, q);
    let best = growth.best().filter(|best| best.ratio.is_finite());
    let best = best.ok_or_else(|| {
        Error::invalid(
            "ratio metric",
            "centres that coincide, or poses that are not finite, have none",
        )
    })?;
    Ok(growth.metric(&best))
}

/// Depth rho of two solids about their inner points; none where these coincide.
pub(in crate::collide) fn depth_of_solids(
    (p, pose_p): (Solid<'_>, &Pose),
    (q, pose_q): (Solid<'_>, &Pose),
) -> Option<f64> {
    let rotations = [pose_p, pose_q].map(|pose| *pose.orientation.to_rotation_matrix().matrix());
    let growth = Growth::new(
        (&pose_p.position, &rotations[0], p),
        (&pose_q.position, &rotations[1], q),
    );
    growth.best().map(|best| 1.0 - 1.0 / best.ratio)
}

/// The factor of growth at which solids touch along one axis.
#[derive(Debug, Clone, Copy)]
pub(super) struct Touch {
    pub(super) axis: Axis,
    /// Unit normal in the axes of P, from P to Q.
    pub(super) outward: Vec3,
    /// `D / (h1 + h2)`.
    pub(super) ratio: f64,
    /// `h1 + h2` `[m]`.
    pub(super) reach: f64,
}

/// Two solids in the axes of the first, P, and the points about which they grow.
pub(super) struct Growth<'a> {
    pub(super) solids: Solids<'a>,
    pub(super) standing: Standing<'a>,
    /// Centres of P and of Q `[m]`.
    pub(super) centers: [Vec3; 2],
    pub(super) edges: [Vec<Segment>; 2],
}

impl<'a> Growth<'a> {
    pub(super) fn new(p: Standing<'a>, q: Standing<'a>) -> Self {
        let solids = Solids::new(p, q);
        let of_p = (0..p.2.edges.len() as u32).map(|at| solids.edge_of_p(at));
        let of_q = (0..q.2.edges.len() as u32).map(|at| solids.edge_of_q(at));
        Self {
            centers: [p.2.center, solids.of_q(&q.2.center)],
            edges: [of_p.collect(), of_q.collect()],
            solids,
            standing: p,
        }
    }

    /// From the centre of P to that of Q `[m]`.
    pub(super) fn apart(&self) -> Vec3 {
        self.centers[1] - self.centers[0]
    }

    /// The touch along an axis with this gap; none if the centres are on the wrong sides of it.
    pub(super) fn touch(&self, axis: Axis, outward: Vec3, gap: f64) -> Option<Touch> {
        let distance = outward.dot(&self.apart());
        (distance > 0.0).then(|| Touch {
            axis,
            outward,
            ratio: distance / (distance - gap),
            reach: distance - gap,
        })
    }

    /// The touch along each face of P, then of Q.
    pub(super) fn faces(&self) -> impl Iterator<Item = Touch> {
        let solids = &self.solids;
        let of_p = (0..).zip(solids.p.faces).filter_map(|(at, face)| {
            self.touch(Axis::FaceP(at), face.normal, solids.above_p(face).0)
        });
        let of_q = (0..).zip(solids.q.faces).filter_map(|(at, face)| {
            let outward = -(solids.relative * face.normal);
            self.touch(Axis::FaceQ(at), outward, solids.above_q(face).0)
        });
        of_p.chain(of_q)
    }

    /// The touch that happens last: the one that counts. None where the centres coincide.
    pub(super) fn best(&self) -> Option<Touch> {
        let mut best: Option<Touch> = None;
        let mut offer = |touch: Touch| {
            if best.is_none_or(|best| touch.ratio > best.ratio) {
                best = Some(touch);
            }
        };
        self.faces().for_each(&mut offer);
        let of_q = 0..self.edges[1].len() as u32;
        let of_q = Arcs::new(of_q.collect(), |at| self.solids.arc_of_q(at));
        for p in &self.edges[0] {
            of_q.visit_crossing(&self.solids.arc_of_p(p.index), |q| {
                let axis = Axis::Edges(p.index, q);
                if let Some(touch) = self
                    .solids
                    .between(p, &self.edges[1][q as usize])
                    .and_then(|(outward, gap)| self.touch(axis, outward, gap))
                {
                    offer(touch);
                }
            });
        }
        best
    }

    /// A corner of Q, or of P, after the growth.
    pub(super) fn grown(&self, of: usize, point: &Vec3, ratio: f64) -> Vec3 {
        self.centers[of] + (point - self.centers[of]) * ratio
    }

    /// Where the grown solids touch, in the axes of P.
    fn point(&self, touch: &Touch) -> Vec3 {
        let solids = &self.solids;
        match touch.axis {
            Axis::FaceP(_) => {
                let in_q = solids.relative.tr_mul(&touch.outward);
                let corner = solids.of_q(&lowest(&solids.q, &in_q));
                self.grown(1, &corner, touch.ratio)
            }
            Axis::FaceQ(_) => {
                let corner = lowest(&solids.p, &-touch.outward);
                self.grown(0, &corner, touch.ratio)
            }
            Axis::Edges(p, q) => {
                let grown = |of: usize, at: u32| {
                    let edge = self.edges[of][at as usize];
                    Segment {
                        from: self.grown(of, &edge.from, touch.ratio),
                        along: edge.along * touch.ratio,
                        ..edge
                    }
                };
                let (on_p, on_q, _) = distance::crossing(&grown(0, p), &grown(1, q));
                (on_p + on_q) * 0.5
            }
        }
    }

    /// A point of P's axes in the world.
    pub(super) fn in_world(&self, point: &Vec3) -> Vec3 {
        self.standing.0 + self.standing.1 * point
    }

    fn metric(&self, touch: &Touch) -> RatioMetric {
        RatioMetric {
            ratio: touch.ratio,
            normal: -(self.standing.1 * touch.outward),
            reach: touch.reach,
            point: self.in_world(&self.point(touch)),
            centers: self.centers.map(|center| self.in_world(&center)),
        }
    }
}

/// The vertex that reaches least far along a direction.
fn lowest(solid: &Solid<'_>, direction: &Vec3) -> Vec3 {
    let vertices = solid.vertices.iter();
    let least = vertices.min_by(|a, b| direction.dot(a).total_cmp(&direction.dot(b)));
    least.copied().unwrap_or(solid.center)
}
