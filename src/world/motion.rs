//! Prescribed motions of kinematic bodies.

use crate::error::{Error, Result};
use crate::math::{self, Pose, Quat, Vec3};
use std::f64::consts::TAU;

/// How a kinematic body moves away from where it started.
#[derive(Debug, Clone, PartialEq)]
pub enum Motion {
    /// Constant velocity from time 0 on.
    Constant {
        /// `[m/s]`.
        linear: Vec3,
        /// In world axes, about the body's origin `[rad/s]`.
        angular: Vec3,
    },
    /// `x(t) = x0 + amplitude sin(2 pi frequency (t - start) + phase) - amplitude sin(phase)`, once
    /// `t > start`; turning likewise by the rotation vector `angular_amplitude`, in world axes.
    Sinusoidal {
        /// Displacement `[m]`.
        amplitude: Vec3,
        /// Rotation vector `[rad]`.
        angular_amplitude: Vec3,
        /// `[Hz]`.
        frequency: f64,
        /// `[rad]`.
        phase: f64,
        /// `[s]`.
        start: f64,
    },
    /// Poses at times, linear in position and spherical-linear in rotation between them, held
    /// before the first and after the last.
    Keyframed {
        /// In order of time, at least one.
        keyframes: Vec<Keyframe>,
    },
}

/// A pose at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Keyframe {
    /// `[s]`.
    pub time: f64,
    /// Relative to where the body started, in world axes: its position is added to that of the
    /// start, its rotation follows that of the start.
    pub pose: Pose,
}

impl Motion {
    /// Pose at `time` `[s]` of a body whose pose at time 0 was `start`.
    #[must_use]
    pub fn pose(&self, start: &Pose, time: f64) -> Pose {
        let (shift, turn) = self.displacement(time);
        Pose::new(start.position + shift, turn * start.orientation)
    }

    /// Gain of the linear `[m/s]` and of the angular velocity `[rad/s]` over a part of length `h` that starts at `time`, if the velocity is
    /// taken to grow evenly; `None` of a motion that is not smooth in it.
    pub(crate) fn gain(&self, time: f64, h: f64) -> Option<(Vec3, Vec3)> {
        match self {
            Self::Constant { .. } => Some((Vec3::zeros(), Vec3::zeros())),
            Self::Sinusoidal {
                amplitude,
                angular_amplitude,
                frequency,
                phase,
                start,
            } => (time >= start - 1e-6 * h).then(|| {
                let since = time - start;
                let swing = |part: f64| (TAU * frequency * (since + part * h) + phase).sin();
                let off = swing(0.5) - 0.5 * (swing(0.0) + swing(1.0));
                let gain = -8.0 * off / h;
                (amplitude * gain, angular_amplitude * gain)
            }),
            Self::Keyframed { .. } => None,
        }
    }

    /// Largest acceleration of a point at a distance of `reach` from the body's origin `[m/s^2]`, but for that towards the origin; between keyframes the velocity
    /// counts as if it changed from the middle of a stretch to the middle of the next.
    pub(crate) fn peak_acceleration(&self, reach: f64) -> f64 {
        match self {
            Self::Constant { .. } => 0.0,
            Self::Keyframed { keyframes } => {
                let mut before = (Vec3::zeros(), Vec3::zeros(), 0.0);
                let mut peak: f64 = 0.0;
                let mut change = |linear: Vec3, angular: Vec3, length: f64| {
                    let (last, spin, time) = before;
                    let gain = (linear - last).norm() + (angular - spin).norm() * reach;
                    peak = peak.max(2.0 * gain / (time + length));
                    before = (linear, angular, length);
                };
                for pair in keyframes.windows(2) {
                    let [from, to] = [pair[0].pose, pair[1].pose];
                    let length = pair[1].time - pair[0].time;
                    let turn = to.orientation * from.orientation.inverse();
                    let linear = (to.position - from.position) / length;
                    change(linear, turn.scaled_axis() / length, length);
                }
                change(Vec3::zeros(), Vec3::zeros(), 0.0);
                peak
            }
            Self::Sinusoidal {
                amplitude,
                angular_amplitude,
                frequency,
                ..
            } => (amplitude.norm() + angular_amplitude.norm() * reach) * (TAU * frequency).powi(2),
        }
    }

    /// Translation `[m]` and rotation away from the start, both in world axes.
    fn displacement(&self, time: f64) -> (Vec3, Quat) {
        match self {
            Self::Constant { linear, angular } => (linear * time, math::exp(&(angular * time))),
            Self::Sinusoidal {
                amplitude,
                angular_amplitude,
                frequency,
                phase,
                start,
            } => {
                let since = (time - start).max(0.0);
                let swing = (TAU * frequency * since + phase).sin() - phase.sin();
                (amplitude * swing, math::exp(&(angular_amplitude * swing)))
            }
            Self::Keyframed { keyframes } => {
                let next = keyframes.partition_point(|frame| frame.time <= time);
                let before = next.checked_sub(1).and_then(|at| keyframes.get(at));
                let pose = match (before, keyframes.get(next)) {
                    (Some(a), Some(b)) => between(a, b, time),
                    (Some(only), None) | (None, Some(only)) => only.pose,
                    (None, None) => Pose::identity(),
                };
                (pose.position, pose.orientation)
            }
        }
    }

    /// Checks the numbers.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a number that is not finite, a negative frequency, or keyframes that
    /// are missing or not in order of time.
    pub fn validate(&self) -> Result<()> {
        let (vectors, scalars): (Vec<&Vec3>, Vec<f64>) = match self {
            Self::Constant { linear, angular } => (vec![linear, angular], Vec::new()),
            Self::Sinusoidal {
                amplitude,
                angular_amplitude,
                frequency,
                phase,
                start,
            } => {
                if *frequency < 0.0 {
                    return Err(Error::invalid(
                        "motion",
                        format!("a frequency of {frequency} Hz is negative"),
                    ));
                }
                (
                    vec![amplitude, angular_amplitude],
                    vec![*frequency, *phase, *start],
                )
            }
            Self::Keyframed { keyframes } => {
                if keyframes.is_empty() {
                    return Err(Error::invalid("motion", "there are no keyframes"));
                }
                if let Some(pair) = keyframes
                    .windows(2)
                    .find(|pair| pair[0].time >= pair[1].time)
                {
                    return Err(Error::invalid(
                        "motion",
                        format!(
                            "keyframe at {} s does not come after the one at {} s",
                            pair[1].time, pair[0].time
                        ),
                    ));
                }
                (
                    keyframes.iter().map(|frame| &frame.pose.position).collect(),
                    keyframes.iter().map(|frame| frame.time).collect(),
                )
            }
        };
        let finite = vectors
            .iter()
            .flat_map(|v| v.iter())
            .chain(&scalars)
            .all(|x| x.is_finite());
        if finite {
            Ok(())
        } else {
            Err(Error::invalid("motion", "a number is not finite"))
        }
    }
}

/// Linear in position; in rotation about one axis at a constant rate, the shorter way round.
fn between(a: &Keyframe, b: &Keyframe, time: f64) -> Pose {
    let share = (time - a.time) / (b.time - a.time);
    let turn = (b.pose.orientation * a.pose.orientation.inverse()).scaled_axis() * share;
    Pose::new(
        a.pose.position.lerp(&b.pose.position, share),
        math::exp(&turn) * a.pose.orientation,
    )
}
