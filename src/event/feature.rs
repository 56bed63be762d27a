//! Features of convex shapes, and where two of them are nearest.
//!
//! A feature is a core, a point, line, circle or plane `x(u)`, and a ball about each of its points, of radius `r(u)`: a sphere is a
//! point, a capsule a line between two points, the side of a cylinder or a cone the axis with balls that taper. The gap of two features
//! is the stationary value of
//!
//! ```text
//! G(n, u, v) = n . (x_a(u) - x_b(v)) - r_a(u) - r_b(v),   |n| = 1,
//! ```
//!
//! the distance of two supporting planes. It is smooth where bodies touch and overlap, which the distance of the cores is not.

use crate::math::{self, Pose, Vec3, tangents};
use nalgebra::{SMatrix, SVector};

/// Directions of the normal, then those of the two cores: [`Feature`] for how many of them there are.
pub(super) type Unknowns = SVector<f64, 6>;

/// Steps of Newton's method for two curves; from where they cross at first it takes three or four.
const MAX_STEPS: u32 = 30;
/// Largest turn of the normal in one of these steps `[rad]`, and largest way along a circle over its radius.
const LARGEST_TURN: f64 = 0.3;
/// Sine of the angle between two curves below which their nearest points are not determined.
const PARALLEL: f64 = 1e-10;

/// A core and the radius about it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "scene", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Feature {
    /// A corner, or the centre of a ball.
    Point { at: Vec3, radius: f64 },
    /// The rim of a disk.
    Circle {
        center: Vec3,
        axis: Vec3,
        radius: f64,
    },
    /// An edge, or balls along a line: that at `at + s along` has radius `radius + s taper`.
    Line {
        at: Vec3,
        along: Vec3,
        radius: f64,
        taper: f64,
    },
    /// A face: `normal . x = offset`.
    Plane { normal: Vec3, offset: f64 },
}

/// A point of a core, and how the core goes on from there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) at: Vec3,
    /// `dx/du`, of as many unknowns as the core has.
    pub(super) along: [Vec3; 2],
    count: usize,
    /// `d^2 x/du^2` along the first of them.
    bend: Vec3,
    pub(super) radius: f64,
    /// `dr/du` along the first of them.
    pub(super) taper: f64,
}

/// Where two features are nearest, or overlap least.
#[derive(Debug, Clone, Copy)]
pub(super) struct Nearest {
    /// From the second to the first.
    pub(super) normal: Vec3,
    pub(super) places: [Place; 2],
    /// False where two curves run along each other: the points are then any of theirs.
    pub(super) is_determined: bool,
}

impl Feature {
    /// The feature of a frame in the axes that the frame is placed in.
    pub(super) fn placed(&self, pose: &Pose) -> Self {
        match *self {
            Self::Point { at, radius } => Self::Point {
                at: pose.point(&at),
                radius,
            },
            Self::Circle {
                center,
                axis,
                radius,
            } => Self::Circle {
                center: pose.point(&center),
                axis: pose.direction(&axis),
                radius,
            },
            Self::Line {
                at,
                along,
                radius,
                taper,
            } => Self::Line {
                at: pose.point(&at),
                along: pose.direction(&along),
                radius,
                taper,
            },
            Self::Plane { normal, offset } => {
                let normal = pose.direction(&normal);
                Self::Plane {
                    normal,
                    offset: offset + normal.dot(&pose.position),
                }
            }
        }
    }

    /// Order of the two features of a contact: what has fewer unknowns comes first, a circle before a line.
    pub(super) fn rank(&self) -> u8 {
        match self {
            Self::Point { .. } => 0,
            Self::Circle { .. } => 1,
            Self::Line { .. } => 2,
            Self::Plane { .. } => 3,
        }
    }

    /// True without a radius about the core.
    pub(super) fn is_sharp(&self) -> bool {
        match self {
            Self::Point { radius, .. } => *radius == 0.0,
            Self::Line { radius, taper, .. } => *radius == 0.0 && *taper == 0.0,
            Self::Circle { .. } | Self::Plane { .. } => true,
        }
    }

    /// The point of the core that is nearest to a point.
    fn near(&self, point: &Vec3) -> Place {
        match self {
            Self::Point { at, radius } => Place::point(*at, *radius),
            Self::Circle { center, axis, .. } => {
                let out = across(axis, &(point - center));
                self.on_circle(&unit_or(&out, axis))
            }
            Self::Line { at, along, .. } => self.on_line(along.dot(&(point - at))),
            Self::Plane { normal, offset } => {
                Place::plane(point - normal * (normal.dot(point) - offset), normal)
            }
        }
    }

    /// The point of a line at a parameter.
    fn on_line(&self, s: f64) -> Place {
        match self {
            Self::Line {
                at,
                along,
                radius,
                taper,
            } => Place {
                at: at + along * s,
                along: [*along, Vec3::zeros()],
                count: 1,
                bend: Vec3::zeros(),
                radius: radius + s * taper,
                taper: *taper,
            },
            other => other.near(&Vec3::zeros()),
        }
    }

    /// The point of a circle in a direction from its centre, of length 1 and across the axis.
    fn on_circle(&self, out: &Vec3) -> Place {
        match self {
            Self::Circle {
                center,
                axis,
                radius,
            } => Place {
                at: center + out * *radius,
                // By the angle, over the radius: unit vectors have unknowns of one size.
                along: [axis.cross(out), Vec3::zeros()],
                count: 1,
                bend: -out / *radius,
                radius: 0.0,
                taper: 0.0,
            },
            other => other.near(&Vec3::zeros()),
        }
    }

    /// The place some way along a curve from another.
    fn further(&self, from: &Place, way: f64) -> Place {
        match self {
            Self::Circle {
                center,
                axis,
                radius,
            } => {
                let angle = (way / radius).clamp(-LARGEST_TURN, LARGEST_TURN);
                let out = (from.at - center) * angle.cos() + from.along[0] * (radius * angle.sin());
                self.on_circle(&unit_or(&across(axis, &out), axis))
            }
            Self::Line { .. } => self.near(&(from.at + from.along[0] * way)),
            Self::Point { .. } | Self::Plane { .. } => *from,
        }
    }
}

impl Place {
    fn point(at: Vec3, radius: f64) -> Self {
        Self {
            at,
            along: [Vec3::zeros(); 2],
            count: 0,
            bend: Vec3::zeros(),
            radius,
            taper: 0.0,
        }
    }

    fn plane(at: Vec3, normal: &Vec3) -> Self {
        let (first, second) = tangents_of(normal);
        Self {
            along: [first, second],
            count: 2,
            ..Self::point(at, 0.0)
        }
    }
}

impl Nearest {
    /// Where the features, in world axes, of ascending rank, are nearest. Two curves can be so in several places: it is the one next to
    /// `near`, the normal on the side of `normal`.
    pub(super) fn of([a, b]: [&Feature; 2], near: &Vec3, normal: &Vec3) -> Self {
        match (a, b) {
            (Feature::Circle { axis, .. }, Feature::Plane { normal, .. }) => {
                let down = -across(axis, normal);
                let place = if down.norm() > 0.0 {
                    a.on_circle(&down.normalize())
                } else {
                    a.near(near)
                };
                Self::new(*normal, [place, b.near(&place.at)])
            }
            (_, Feature::Plane { normal, .. }) => {
                let place = a.near(near);
                Self::new(*normal, [place, b.near(&place.at)])
            }
            (
                Feature::Point { at: point, .. },
                Feature::Line {
                    at, along, taper, ..
                },
            ) => {
                let s = along.dot(&(point - at));
                let out = across(along, &(point - at));
                let length = out.norm();
                let out = if length > 0.0 {
                    out / length
                } else {
                    unit_or(&across(along, normal), along)
                };
                let cosine = (1.0 - taper * taper).max(0.0).sqrt();
                // Balls that taper are touched along the normal of their envelope.
                let place = b.on_line(s + length * taper / cosine);
                let normal = out * cosine - along * *taper;
                Self::new(normal, [a.near(point), place])
            }
            (Feature::Point { at: point, .. }, _) => {
                let places = [a.near(point), b.near(point)];
                let apart = places[0].at - places[1].at;
                let length = apart.norm();
                let normal = if length > 0.0 {
                    apart / length
                } else {
                    *normal
                };
                Self::new(normal, places)
            }
            _ => Self::of_curves([a, b], near, normal),
        }
    }

    fn new(normal: Vec3, places: [Place; 2]) -> Self {
        Self {
            normal,
            places,
            is_determined: true,
        }
    }

    /// Two curves, by Newton's method for the stationary point of G.
    fn of_curves([a, b]: [&Feature; 2], near: &Vec3, normal: &Vec3) -> Self {
        let start = [a.near(near), b.near(near)];
        let product = start[0].along[0].cross(&start[1].along[0]);
        let mut now = Self::new(*normal, start);
        if product.norm() <= PARALLEL {
            now.is_determined = false;
            return now;
        }
        // Across both curves, which it is of edges, unless balls that taper tilt it: then it is as it was.
        let sign = if product.dot(normal) < 0.0 { -1.0 } else { 1.0 };
        let crossing = Self::new(product.normalize() * sign, start);
        if crossing.residual().0.norm() < now.residual().0.norm() {
            now = crossing;
        }
        let mut before = f64::INFINITY;
        for _ in 0..MAX_STEPS {
            let (residual, size) = now.residual();
            // Newton's method ends where rounding does not let it on.
            if residual.norm() <= 1e-15 * size
                || (residual.norm() >= before && before <= 1e-9 * size)
            {
                return now;
            }
            before = residual.norm();
            let Some(step) = now.solve(&-residual) else {
                break;
            };
            let (first, second) = tangents_of(&now.normal);
            let turn = first * step[0] + second * step[1];
            let share = (LARGEST_TURN / turn.norm().max(f64::MIN_POSITIVE)).min(1.0);
            now.normal = (now.normal + turn * share).normalize();
            now.places = [
                a.further(&now.places[0], step[2] * share),
                b.further(&now.places[1], step[4] * share),
            ];
        }
        let (residual, size) = now.residual();
        now.is_determined = residual.norm() <= 1e-9 * size;
        now
    }

    /// The gap.
    pub(super) fn gap(&self) -> f64 {
        let [a, b] = &self.places;
        self.normal.dot(&(a.at - b.at)) - a.radius - b.radius
    }

    /// The first derivatives of G, and a length to compare them with.
    fn residual(&self) -> (Unknowns, f64) {
        let [a, b] = &self.places;
        let apart = a.at - b.at;
        let (first, second) = tangents_of(&self.normal);
        let residual = Unknowns::new(
            first.dot(&apart),
            second.dot(&apart),
            self.normal.dot(&a.along[0]) - a.taper,
            0.0,
            -self.normal.dot(&b.along[0]) - b.taper,
            0.0,
        );
        (residual, 1.0 + apart.norm())
    }

    /// The solution of an equation with the second derivatives of G; none where these are singular.
    pub(super) fn solve(&self, right: &Unknowns) -> Option<Unknowns> {
        let [a, b] = &self.places;
        let (first, second) = tangents_of(&self.normal);
        let mut matrix = SMatrix::<f64, 6, 6>::zeros();
        let apart = self.normal.dot(&(a.at - b.at));
        for (k, direction) in [first, second].into_iter().enumerate() {
            matrix[(k, k)] = -apart;
            for (column, along) in [a.along[0], a.along[1], -b.along[0], -b.along[1]]
                .into_iter()
                .enumerate()
            {
                matrix[(k, 2 + column)] = direction.dot(&along);
                matrix[(2 + column, k)] = direction.dot(&along);
            }
        }
        matrix[(2, 2)] = self.normal.dot(&a.bend);
        matrix[(4, 4)] = -self.normal.dot(&b.bend);
        // Unknowns that a core does not have stay zero.
        for (start, place) in [(2, a), (4, b)] {
            for k in place.count..2 {
                matrix[(start + k, start + k)] = 1.0;
            }
        }
        let solution = matrix.lu().solve(right)?;
        solution.iter().all(|x| x.is_finite()).then_some(solution)
    }
}

/// The part of a vector across a unit vector.
pub(super) fn across(normal: &Vec3, vector: &Vec3) -> Vec3 {
    vector - normal * normal.dot(vector)
}

/// A vector's direction; where it is zero, one across `axis`.
fn unit_or(vector: &Vec3, axis: &Vec3) -> Vec3 {
    vector
        .try_normalize(0.0)
        .unwrap_or_else(|| tangents_of(axis).0)
}

/// Two unit vectors across a unit normal, in f64.
pub(super) fn tangents_of(normal: &Vec3) -> (Vec3, Vec3) {
    let (first, _) = tangents(math::narrow(normal));
    let first = across(normal, &math::widen(first)).normalize();
    (first, normal.cross(&first))
}
