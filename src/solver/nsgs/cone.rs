//! Projections onto the set of admissible contact impulses, f64.

use crate::problem::{FrictionCone, FrictionLaw};

/// What impulses are projected onto: the cross-section of the friction cone at unit radius, for tangential
/// impulses, or the cone itself.
#[derive(Debug, Clone, PartialEq)]
pub enum Section {
    /// The disk.
    Disk,
    /// The whole cone over the disk at once, by the convex law.
    Cone,
    /// The regular polygon.
    Polygon {
        /// Outward unit normals of its edges.
        edges: Vec<[f64; 2]>,
        /// Distance of an edge from the centre.
        apothem: f64,
        /// Half the length of an edge.
        half_edge: f64,
    },
}

impl Section {
    /// Of a problem with this cone and this law.
    #[must_use]
    pub fn new(cone: FrictionCone, law: FrictionLaw) -> Self {
        if law == FrictionLaw::Convex {
            return Self::Cone;
        }
        let FrictionCone::Pyramid { directions } = cone else {
            return Self::Disk;
        };
        let half = std::f64::consts::PI / f64::from(directions);
        Self::Polygon {
            edges: (0..directions)
                .map(|k| {
                    let (sin, cos) = (half * f64::from(2 * k + 1)).sin_cos();
                    [cos, sin]
                })
                .collect(),
            apothem: half.cos(),
            half_edge: half.sin(),
        }
    }

    /// The point of the section, scaled by `radius`, that is closest to `t`.
    ///
    /// On the polygon: the edge whose normal points most along `t` is the one that `t` leaves
    /// through, because the polygon is regular.
    #[must_use]
    pub fn project(&self, t: [f64; 2], radius: f64) -> [f64; 2] {
        match self {
            Self::Disk | Self::Cone => {
                let length = t[0].hypot(t[1]);
                if length <= radius {
                    t
                } else {
                    t.map(|x| x * (radius / length))
                }
            }
            Self::Polygon {
                edges,
                apothem,
                half_edge,
            } => {
                let (mut most, mut edge) = (f64::NEG_INFINITY, [1.0, 0.0]);
                for candidate in edges {
                    let along = t[0] * candidate[0] + t[1] * candidate[1];
                    if along > most {
                        (most, edge) = (along, *candidate);
                    }
                }
                let apothem = apothem * radius;
                if most <= apothem {
                    return t;
                }
                let reach = half_edge * radius;
                let sideways = (t[1] * edge[0] - t[0] * edge[1]).max(-reach).min(reach);
                [
                    edge[0] * apothem - edge[1] * sideways,
                    edge[1] * apothem + edge[0] * sideways,
                ]
            }
        }
    }
}

/// The point of Coulomb's cone `|r_t| <= mu r_n` that is closest to `r`, in the metric of `r`.
#[must_use]
pub fn project_onto_cone(r: [f64; 3], friction: f64) -> [f64; 3] {
    let [normal, t1, t2] = r;
    let length = t1.hypot(t2);
    if length <= friction * normal {
        return r;
    }
    if friction * length <= -normal {
        return [0.0; 3];
    }
    let nearest = (normal + friction * length) / (1.0 + friction * friction);
    let factor = friction * nearest / length;
    [nearest, factor * t1, factor * t2]
}

#[cfg(test)]
mod tests {
    use super::{Section, project_onto_cone};
    use crate::problem::{FrictionCone, FrictionLaw};

    #[test]
    fn what_is_projected_is_admissible_and_nearest() {
        for cone in [
            FrictionCone::Disk,
            FrictionCone::Pyramid { directions: 4 },
            FrictionCone::Pyramid { directions: 8 },
        ] {
            let section = Section::new(cone, FrictionLaw::Coulomb);
            for k in 0..60 {
                let angle = 0.1 + f64::from(k);
                let t = [3.0 * angle.cos(), 3.0 * angle.sin()];
                let p = section.project(t, 2.0);
                assert!(p[0].hypot(p[1]) <= 2.0 + 1e-12);
                let again = section.project(p, 2.0);
                assert!((again[0] - p[0]).hypot(again[1] - p[1]) < 1e-12);
                // The plane through p across t - p has the whole section on its other side.
                for j in 0..60 {
                    let corner = f64::from(j) * std::f64::consts::TAU / 60.0;
                    let other = section.project([9.0 * corner.cos(), 9.0 * corner.sin()], 2.0);
                    let side =
                        (t[0] - p[0]) * (other[0] - p[0]) + (t[1] - p[1]) * (other[1] - p[1]);
                    assert!(side <= 1e-12, "{cone:?} {t:?} {p:?} {other:?}");
                }
            }
        }
    }

    #[test]
    fn the_cone_and_its_polar_are_told_apart() {
        assert_eq!(project_onto_cone([1.0, 0.3, 0.4], 0.5), [1.0, 0.3, 0.4]);
        assert_eq!(project_onto_cone([-1.0, 0.3, 0.4], 0.5), [0.0; 3]);
        let [n, t1, t2] = project_onto_cone([0.0, 3.0, 4.0], 0.5);
        assert!((n - 2.0).abs() < 1e-15 && (t1 - 0.6).abs() < 1e-15 && (t2 - 0.8).abs() < 1e-15);
    }
}
