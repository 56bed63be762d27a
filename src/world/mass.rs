//! Mass, centre of mass and inertia.

use super::{Frustum, Shape};
use crate::constants::INERTIA_SYMMETRY_TOLERANCE;
use crate::error::{Error, Result};
use crate::math::{Mat3, Vec3};
use std::f64::consts::PI;

/// Mass and inertia of a body about its centre of mass, in body axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MassProperties {
    /// Mass `[kg]`; infinite for a body that nothing moves.
    pub mass: f64,
    /// One over the mass `[1/kg]`.
    pub inverse_mass: f64,
    /// Inertia `[kg m^2]`, zero where the mass is infinite.
    pub inertia: Mat3,
    /// Its inverse `[1/(kg m^2)]`, zero where the mass is infinite.
    pub inverse_inertia: Mat3,
}

impl MassProperties {
    /// Of a body that nothing moves.
    #[must_use]
    pub fn immovable() -> Self {
        Self {
            mass: f64::INFINITY,
            inverse_mass: 0.0,
            inertia: Mat3::zeros(),
            inverse_inertia: Mat3::zeros(),
        }
    }

    /// From a mass `[kg]` and an inertia about the centre of mass, in body axes `[kg m^2]`.
    ///
    /// # Errors
    /// [`Error::Invalid`] unless the mass is positive and finite, the inertia symmetric and positive
    /// definite, and both fit single precision, which the solvers use.
    pub fn new(mass: f64, inertia: Mat3) -> Result<Self> {
        if !(mass > 0.0 && mass.is_finite()) {
            return Err(Error::invalid(
                "mass",
                format!("{mass} kg is not positive and finite"),
            ));
        }
        let finite = inertia.iter().all(|x| x.is_finite());
        let asymmetry = (inertia - inertia.transpose()).abs().max();
        if !finite || asymmetry > INERTIA_SYMMETRY_TOLERANCE * inertia.abs().max() {
            return Err(Error::invalid(
                "inertia",
                format!("{inertia} is not a symmetric matrix of finite numbers"),
            ));
        }
        let Some(factor) = inertia.cholesky() else {
            return Err(Error::invalid(
                "inertia",
                format!("{inertia} is not positive definite"),
            ));
        };
        let inverse_inertia = factor.inverse();
        let inverse_mass = mass.recip();
        let fits = |x: f64| (x as f32).is_normal();
        if !fits(inverse_mass) || !(0..3).all(|at| fits(inverse_inertia[(at, at)])) {
            return Err(Error::invalid(
                "mass",
                format!("{mass:e} kg, or its inertia, does not fit single precision"),
            ));
        }
        Ok(Self {
            mass,
            inverse_mass,
            inertia,
            inverse_inertia,
        })
    }

    /// Of a homogeneous shape of a density `[kg/m^3]`, and its centre of mass in the axes in which
    /// the shape is given `[m]` (zero but for compounds and polyhedra). The inertia is about that centre.
    ///
    /// Parts of a compound simply add: where two overlap, the overlap counts twice.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a shape without volume or with an infinite one, or a density that is
    /// not positive and finite.
    pub fn from_density(shape: &Shape, density: f64) -> Result<(Self, Vec3)> {
        if !(density > 0.0 && density.is_finite()) {
            return Err(Error::invalid(
                "density",
                format!("{density} kg/m^3 is not positive and finite"),
            ));
        }
        let unit = Moments::of(shape)?;
        let properties = Self::new(density * unit.volume, unit.inertia * density)?;
        Ok((properties, unit.center))
    }

    /// Of a homogeneous shape of a mass `[kg]`, and its centre of mass as for
    /// [`MassProperties::from_density`].
    ///
    /// # Errors
    /// As for [`MassProperties::from_density`].
    pub fn from_mass(shape: &Shape, mass: f64) -> Result<(Self, Vec3)> {
        let unit = Moments::of(shape)?;
        let properties = Self::new(mass, unit.inertia * (mass / unit.volume))?;
        Ok((properties, unit.center))
    }

    /// True if the inertia is the same about every axis, to rounding: it then never turns.
    #[must_use]
    #[inline]
    pub fn is_isotropic(&self) -> bool {
        let [[xx, yx, zx], [xy, yy, zy], [xz, yz, zz]] = self.inertia.data.0;
        let tolerance = 1e-12 * xx.abs();
        let off = [yx, zx, xy, zy, xz, yz, yy - xx, zz - xx];
        // Without a way out at the first that is off: all are looked at together.
        off.iter()
            .fold(true, |all, off| all & (off.abs() <= tolerance))
    }
}

/// Principal axes that are those of the body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NearlySymmetricTop {
    /// Numbers of body axes: the last two are those whose moments of inertia differ least, as far as their inverses tell.
    pub(crate) axes: [usize; 3],
    /// One over the moment of inertia about each body axis `[1/(kg m^2)]`.
    pub(crate) inverse_moments: [f64; 3],
}

impl MassProperties {
    /// The body axes as principal axes, if they are, to rounding.
    pub(crate) fn nearly_symmetric_top(&self) -> Option<NearlySymmetricTop> {
        let [[xx, yx, zx], [xy, yy, zy], [xz, yz, zz]] = self.inertia.data.0;
        let rounding = 1e-12 * xx.min(yy).min(zz);
        if ![yx, zx, xy, zy, xz, yz]
            .iter()
            .all(|&off| off.abs() <= rounding)
        {
            return None;
        }
        let [x, y, z] = [xx, yy, zz].map(|moment| 1.0 / moment);
        let [about_x, about_y, about_z] = [(y - z).abs(), (z - x).abs(), (x - y).abs()];
        let axes = if about_z <= about_x && about_z <= about_y {
            [2, 0, 1]
        } else if about_x <= about_y {
            [0, 1, 2]
        } else {
            [1, 2, 0]
        };
        // As far as rounding tells they are the same.
        let mut inverse_moments = [x, y, z];
        let [_, p, q] = axes;
        if (inverse_moments[p] - inverse_moments[q]).abs() <= 1e-12 * inverse_moments[p] {
            inverse_moments[q] = inverse_moments[p];
        }
        Some(NearlySymmetricTop {
            axes,
            inverse_moments,
        })
    }
}

/// Volume, centroid, and second moments about the centroid of a shape of unit density.
struct Moments {
    /// `[m^3]`.
    volume: f64,
    /// `[m]`.
    center: Vec3,
    /// Inertia over density `[m^5]`.
    inertia: Mat3,
}

impl Moments {
    fn of(shape: &Shape) -> Result<Self> {
        shape.validate()?;
        match shape {
            Shape::Sphere { radius } => {
                let volume = 4.0 / 3.0 * PI * radius.powi(3);
                Ok(Self::centered(
                    volume,
                    Vec3::repeat(0.4 * volume * radius * radius),
                ))
            }
            Shape::Box { half_extents: h } => {
                let volume = 8.0 * h.x * h.y * h.z;
                let square = h.component_mul(h);
                let diagonal = Vec3::new(
                    square.y + square.z,
                    square.z + square.x,
                    square.x + square.y,
                );
                Ok(Self::centered(volume, diagonal * (volume / 3.0)))
            }
            Shape::Capsule {
                half_length: h,
                radius: r,
            } => Ok(Self::capsule(*h, *r)),
            Shape::Cylinder {
                half_length,
                radius,
            } => Ok(Self::of_frustum(&Frustum::cylinder(*half_length, *radius))),
            Shape::Cone { height, radius } => {
                Ok(Self::of_frustum(&Frustum::cone(*height, *radius)))
            }
            Shape::Polyhedron(solid) => Ok(Self {
                volume: solid.volume(),
                center: solid.center(),
                inertia: solid.inertia(),
            }),
            Shape::HalfSpace { .. } => Err(Error::invalid(
                "mass",
                "a half-space has no finite volume, so it cannot be a dynamic body or part of one",
            )),
            Shape::Mesh(_) => Err(Error::invalid(
                "mass",
                "a mesh is a surface without mass, so it cannot be a dynamic body or part of one",
            )),
            Shape::Compound { parts } => {
                let mut found = Vec::with_capacity(parts.len());
                for part in parts.iter() {
                    found.push((part.pose, Self::of(&part.shape)?));
                }
                let volume: f64 = found.iter().map(|(_, part)| part.volume).sum();
                let center = found
                    .iter()
                    .map(|(pose, part)| pose.point(&part.center) * part.volume)
                    .sum::<Vec3>()
                    / volume;
                let mut inertia = Mat3::zeros();
                for (pose, part) in &found {
                    let rotation = pose.orientation.to_rotation_matrix();
                    let turned = rotation.matrix() * part.inertia * rotation.matrix().transpose();
                    let arm = pose.point(&part.center) - center;
                    // Parallel axes: I + m (|d|^2 1 - d d^T).
                    let moved = Mat3::identity() * arm.norm_squared() - arm * arm.transpose();
                    inertia += turned + moved * part.volume;
                }
                Ok(Self {
                    volume,
                    center,
                    inertia: 0.5 * (inertia + inertia.transpose()),
                })
            }
        }
    }

    fn of_frustum(frustum: &Frustum) -> Self {
        let (volume, inertia) = frustum.mass();
        Self {
            volume,
            center: Vec3::zeros(),
            inertia,
        }
    }

    /// A cylinder and two half balls. A half ball's centroid is 3 r / 8 above its base, which gives
    /// the mixed term of the transverse moment.
    fn capsule(h: f64, r: f64) -> Self {
        let cylinder = 2.0 * PI * r * r * h;
        let ball = 4.0 / 3.0 * PI * r.powi(3);
        let axial = (0.5 * cylinder + 0.4 * ball) * r * r;
        let transverse =
            cylinder * (h * h / 3.0 + 0.25 * r * r) + ball * (0.4 * r * r + h * h + 0.75 * h * r);
        Self::centered(cylinder + ball, Vec3::new(transverse, transverse, axial))
    }

    fn centered(volume: f64, diagonal: Vec3) -> Self {
        Self {
            volume,
            center: Vec3::zeros(),
            inertia: Mat3::from_diagonal(&diagonal),
        }
    }
}
