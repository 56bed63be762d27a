//! Forces beside gravity: scripted pushes.

use super::Body;
use super::validate::is_finite;
use crate::math::Vec3;
use std::f64::consts::TAU;

/// A force and a torque on a body over a span of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Load {
    /// Index of the body.
    pub body: u32,
    /// Point of attack in body axes, from the centre of mass `[m]`.
    pub point: Vec3,
    /// In world axes `[N]`.
    pub force: Vec3,
    /// In world axes, beside that of the force about the centre of mass `[N m]`.
    pub torque: Vec3,
    /// First instant at which it acts `[s]`.
    pub from: f64,
    /// Instant from which on it acts no more `[s]`; infinite if it never ends.
    pub until: f64,
    /// Frequency with which force and torque swing as `sin(2 pi f (t - from))` `[Hz]`; zero for a
    /// constant load.
    pub frequency: f64,
}

impl Load {
    /// Impulse `[N s]`, and angular impulse about the centre of mass `[N m s]`, that it gives its body
    /// over a step of length `h` from `time` on, in world axes. It attacks at the body's point as it is
    /// at the start of the step.
    #[must_use]
    pub fn impulse(&self, body: &Body, time: f64, h: f64) -> (Vec3, Vec3) {
        let duration = self.effective_duration(time, h);
        let arm = body.pose.direction(&self.point);
        let torque = self.torque + arm.cross(&self.force);
        (self.force * duration, torque * duration)
    }

    /// Force `[N]` and torque about the body's centre of mass `[N m]` at an instant, in world axes.
    pub(crate) fn wrench(&self, body: &Body, time: f64) -> (Vec3, Vec3) {
        if time < self.from || time >= self.until {
            return (Vec3::zeros(), Vec3::zeros());
        }
        let share = if self.frequency == 0.0 {
            1.0
        } else {
            (TAU * self.frequency * (time - self.from)).sin()
        };
        let arm = body.pose.direction(&self.point);
        let torque = self.torque + arm.cross(&self.force);
        (self.force * share, torque * share)
    }

    /// The integral over the step of what multiplies the force `[s]`: the time during which it acts, or
    /// the integral of its sine over that time.
    fn effective_duration(&self, time: f64, h: f64) -> f64 {
        let start = self.from.max(time);
        let end = self.until.min(time + h);
        if end <= start {
            return 0.0;
        }
        if self.frequency == 0.0 {
            return end - start;
        }
        let phase = |t: f64| TAU * self.frequency * (t - self.from);
        // The difference of cosines, without cancellation for slow loads.
        let half = 0.5 * (phase(end) - phase(start));
        let middle = 0.5 * (phase(end) + phase(start));
        middle.sin() * half.sin() / half * (end - start)
    }

    pub(crate) fn check(&self, bodies: &[Body]) -> Result<(), String> {
        let body = bodies
            .get(self.body as usize)
            .ok_or_else(|| format!("body {} of {} does not exist", self.body, bodies.len()))?;
        if !body.is_dynamic() {
            return Err(format!("acts on body {}, which is not dynamic", self.body));
        }
        if ![self.point, self.force, self.torque].iter().all(is_finite) || !self.from.is_finite() {
            return Err("a number is not finite".into());
        }
        if self.until.is_nan() || self.until <= self.from {
            return Err(format!(
                "ends at {} s, not after its start at {} s",
                self.until, self.from
            ));
        }
        if !(self.frequency >= 0.0 && self.frequency.is_finite()) {
            return Err(format!(
                "a frequency of {} Hz is not a finite number of at least 0",
                self.frequency
            ));
        }
        Ok(())
    }
}
