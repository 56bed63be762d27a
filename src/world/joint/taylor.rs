//! A quantity and its first two derivatives in time.
//!
//! The drift `(dJ/dt) V` of a row is the second derivative of its error while velocities and angular
//! velocities stay as they are. Errors are sums, products and quotients of points and axes that are
//! fixed to bodies, so that carrying two derivatives along with every value yields the drift of each
//! kind without a formula of its own (forward differentiation).

use crate::math::Vec3;
use std::ops::{Add, Div, Mul, Sub};

/// A number with its derivatives.
#[derive(Debug, Clone, Copy)]
pub(super) struct Taylor {
    pub(super) value: f64,
    pub(super) rate: f64,
    pub(super) second: f64,
}

impl Taylor {
    pub(super) fn constant(value: f64) -> Self {
        Self {
            value,
            rate: 0.0,
            second: 0.0,
        }
    }

    /// Of a positive number.
    pub(super) fn sqrt(self) -> Self {
        let value = self.value.sqrt();
        let rate = self.rate / (2.0 * value);
        Self {
            value,
            rate,
            second: (self.second - 2.0 * rate * rate) / (2.0 * value),
        }
    }

    /// The angle of the point (x, self) in the plane, away from the origin.
    pub(super) fn atan2(self, x: Self) -> Self {
        let y = self;
        let square = x.value * x.value + y.value * y.value;
        let rate = (x.value * y.rate - y.value * x.rate) / square;
        let growth = 2.0 * (x.value * x.rate + y.value * y.rate);
        Self {
            value: y.value.atan2(x.value),
            rate,
            second: (x.value * y.second - y.value * x.second - growth * rate) / square,
        }
    }
}

impl Add for Taylor {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            value: self.value + other.value,
            rate: self.rate + other.rate,
            second: self.second + other.second,
        }
    }
}

impl Sub for Taylor {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + other * Self::constant(-1.0)
    }
}

impl Mul for Taylor {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self {
            value: self.value * other.value,
            rate: self.rate * other.value + self.value * other.rate,
            second: self.second * other.value
                + 2.0 * self.rate * other.rate
                + self.value * other.second,
        }
    }
}

impl Div for Taylor {
    type Output = Self;
    fn div(self, by: Self) -> Self {
        let value = self.value / by.value;
        let rate = (self.rate - value * by.rate) / by.value;
        Self {
            value,
            rate,
            second: (self.second - 2.0 * rate * by.rate - value * by.second) / by.value,
        }
    }
}

/// A vector with its derivatives.
#[derive(Debug, Clone, Copy)]
pub(super) struct TaylorVec3 {
    pub(super) value: Vec3,
    pub(super) rate: Vec3,
    pub(super) second: Vec3,
}

impl TaylorVec3 {
    pub(super) fn constant(value: Vec3) -> Self {
        Self {
            value,
            rate: Vec3::zeros(),
            second: Vec3::zeros(),
        }
    }

    /// A direction that turns with an angular velocity.
    pub(super) fn turning(value: Vec3, spin: &Vec3) -> Self {
        let rate = spin.cross(&value);
        Self {
            value,
            rate,
            second: spin.cross(&rate),
        }
    }

    pub(super) fn component(&self, axis: usize) -> Taylor {
        Taylor {
            value: self.value[axis],
            rate: self.rate[axis],
            second: self.second[axis],
        }
    }

    pub(super) fn dot(&self, other: &Self) -> Taylor {
        Taylor {
            value: self.value.dot(&other.value),
            rate: self.rate.dot(&other.value) + self.value.dot(&other.rate),
            second: self.second.dot(&other.value)
                + 2.0 * self.rate.dot(&other.rate)
                + self.value.dot(&other.second),
        }
    }

    pub(super) fn cross(&self, other: &Self) -> Self {
        Self {
            value: self.value.cross(&other.value),
            rate: self.rate.cross(&other.value) + self.value.cross(&other.rate),
            second: self.second.cross(&other.value)
                + 2.0 * self.rate.cross(&other.rate)
                + self.value.cross(&other.second),
        }
    }

    /// Of a vector that is not zero.
    pub(super) fn norm(&self) -> Taylor {
        self.dot(self).sqrt()
    }
}

impl Sub for TaylorVec3 {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self {
            value: self.value - other.value,
            rate: self.rate - other.rate,
            second: self.second - other.second,
        }
    }
}

impl Mul<Taylor> for TaylorVec3 {
    type Output = Self;
    fn mul(self, by: Taylor) -> Self {
        Self {
            value: self.value * by.value,
            rate: self.rate * by.value + self.value * by.rate,
            second: self.second * by.value + self.rate * (2.0 * by.rate) + self.value * by.second,
        }
    }
}
