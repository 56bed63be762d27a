//! Block Gauss–Seidel in f64 with a choice of projections: what each converges to is the question.
//!
//! A contact's block of `u = W r + q` is updated normal first,
//! `r_n <- max(0, r_n - u_n / W_nn)`, then, with `u_t` refreshed, `r_t <- P(r_t - u_t / d_t)` with the
//! largest eigenvalue `d_t` of its tangential block; or as a whole,
//! `r <- P_K(r - u' / d)` with the largest eigenvalue `d` of its block and the cone `K` of friction.

use super::random_contacts::Dense;
use nalgebra::{DVector, Matrix2, Matrix3, Vector2, Vector3};
use std::f64::consts::PI;

/// The set onto which impulses are projected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Projection {
    /// The regular polygon with corners at `mu r_n` in the directions `2 pi k / K`.
    Polygon { directions: u32 },
    /// `|r_t1| <= mu r_n` and `|r_t2| <= mu r_n`.
    Box,
    /// `|r_t| <= mu r_n`.
    Disk,
    /// The cone, of `u' = u + mu |u_t| n`: Coulomb's law after De Saxcé.
    ShiftedCone,
    /// The cone, of `u' = u`: the convex problem.
    Cone,
}

/// Sweeps `count` times from no impulse; `watch` sees the impulses after each sweep.
pub(crate) fn sweep(
    problem: &Dense,
    projection: Projection,
    count: usize,
    mut watch: impl FnMut(usize, &DVector<f64>),
) -> DVector<f64> {
    let mut impulses = DVector::zeros(problem.q.len());
    let blocks: Vec<Matrix3<f64>> = (0..problem.contacts())
        .map(|contact| {
            problem
                .delassus
                .fixed_view::<3, 3>(3 * contact, 3 * contact)
                .into_owned()
        })
        .collect();
    for number in 1..=count {
        for (contact, block) in blocks.iter().enumerate() {
            let velocity = relative_velocity(problem, contact, &impulses);
            let mut impulse: Vector3<f64> = impulses.fixed_rows::<3>(3 * contact).into_owned();
            let friction = problem.friction[contact];
            match projection {
                Projection::ShiftedCone | Projection::Cone => {
                    let step = 1.0 / block.symmetric_eigenvalues().max();
                    let shift = if projection == Projection::Cone {
                        0.0
                    } else {
                        friction * velocity.yz().norm()
                    };
                    let target = impulse - step * (velocity + Vector3::new(shift, 0.0, 0.0));
                    impulse = onto_cone(&target, friction);
                }
                Projection::Polygon { .. } | Projection::Box | Projection::Disk => {
                    let normal = (impulse.x - velocity.x / block[(0, 0)]).max(0.0);
                    let change = normal - impulse.x;
                    let slip = velocity.yz() + change * Vector2::new(block[(1, 0)], block[(2, 0)]);
                    let tangential: Matrix2<f64> = block.fixed_view::<2, 2>(1, 1).into_owned();
                    let step = 1.0 / tangential.symmetric_eigenvalues().max();
                    let target = impulse.yz() - step * slip;
                    let sliding = onto_section(projection, &target, friction * normal);
                    impulse = Vector3::new(normal, sliding.x, sliding.y);
                }
            }
            impulses
                .fixed_rows_mut::<3>(3 * contact)
                .copy_from(&impulse);
        }
        watch(number, &impulses);
    }
    impulses
}

/// `u` of a contact.
pub(crate) fn relative_velocity(
    problem: &Dense,
    contact: usize,
    impulses: &DVector<f64>,
) -> Vector3<f64> {
    let rows = problem.delassus.fixed_rows::<3>(3 * contact);
    rows * impulses + problem.q.fixed_rows::<3>(3 * contact)
}

/// The nearest point of the cone `|t| <= mu n`.
pub(crate) fn onto_cone(point: &Vector3<f64>, friction: f64) -> Vector3<f64> {
    let (normal, tangential) = (point.x, point.yz());
    let length = tangential.norm();
    if length <= friction * normal {
        return *point;
    }
    if friction * length <= -normal {
        return Vector3::zeros();
    }
    let height = (normal + friction * length) / (1.0 + friction * friction);
    let sliding = tangential * (friction * height / length);
    Vector3::new(height, sliding.x, sliding.y)
}

/// The nearest point of the cone's cross-section of that radius.
fn onto_section(projection: Projection, point: &Vector2<f64>, radius: f64) -> Vector2<f64> {
    match projection {
        Projection::Polygon { directions } => onto_polygon(point, directions, radius),
        Projection::Box => point.map(|x| x.clamp(-radius, radius)),
        _ => {
            let length = point.norm();
            if length <= radius {
                *point
            } else {
                point * (radius / length)
            }
        }
    }
}

/// The nearest point of a regular polygon with its first corner at `(radius, 0)`.
fn onto_polygon(point: &Vector2<f64>, directions: u32, radius: f64) -> Vector2<f64> {
    let half = PI / f64::from(directions);
    // The edge that faces the point, turned so that its normal is the first axis.
    let facing = ((point.y.atan2(point.x) / (2.0 * half)).floor() + 0.5) * 2.0 * half;
    let (sin, cos) = facing.sin_cos();
    let along = point.x * cos + point.y * sin;
    let across = point.y * cos - point.x * sin;
    if along <= radius * half.cos() {
        return *point;
    }
    let half_edge = radius * half.sin();
    let (along, across) = (radius * half.cos(), across.clamp(-half_edge, half_edge));
    Vector2::new(along * cos - across * sin, along * sin + across * cos)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points around the origin, inside and outside of everything.
    fn points() -> impl Iterator<Item = Vector2<f64>> {
        (0..40).flat_map(|i| {
            (1..5).map(move |j| {
                let (sin, cos) = (0.17 * f64::from(i)).sin_cos();
                Vector2::new(cos, sin) * (0.4 * f64::from(j))
            })
        })
    }

    #[test]
    fn projections_onto_polygons_are_the_nearest_points() {
        for directions in [4, 6, 8] {
            let corners: Vec<Vector2<f64>> = (0..directions)
                .map(|k| {
                    let angle = 2.0 * PI * f64::from(k) / f64::from(directions);
                    Vector2::new(angle.cos(), angle.sin())
                })
                .collect();
            for point in points() {
                let nearest = onto_polygon(&point, directions, 1.0);
                // The nearest point of a convex set: no corner lies beyond its tangent.
                let away = point - nearest;
                for corner in &corners {
                    assert!(
                        away.dot(&(corner - nearest)) < 1e-12,
                        "{point} {directions}"
                    );
                }
                let again = onto_polygon(&(nearest * (1.0 - 1e-12)), directions, 1.0);
                assert!((again - nearest).norm() < 1e-9);
            }
        }
    }

    #[test]
    fn projections_onto_the_cone_split_into_cone_and_polar_cone() {
        let friction = 0.7;
        for point in points() {
            for height in [-2.0, -0.3, 0.0, 0.4, 1.5] {
                let point = Vector3::new(height, point.x, point.y);
                let inside = onto_cone(&point, friction);
                let rest = point - inside;
                assert!(inside.yz().norm() <= friction * inside.x + 1e-12);
                assert!(inside.dot(&rest).abs() < 1e-12);
                assert!(friction * rest.yz().norm() <= 1e-12 || rest.x <= 1e-12);
                assert!(rest.x <= -friction * rest.yz().norm() + 1e-12);
            }
        }
    }
}
