//! Checks of a joint that was put together by hand.

use super::{Joint, JointKind, Limits, Motor, Spring};
use crate::error::{Error, Result};
use crate::math::Pose;
use crate::world::Body;
use std::f64::consts::TAU;

impl Joint {
    /// Checks every number and reference; `index` is the joint's, for the message.
    pub(in crate::world) fn validate(&self, index: usize, bodies: &[Body]) -> Result<()> {
        self.check(bodies).map_err(|why| {
            let what = self.name.as_ref().map_or_else(
                || format!("joint {index}"),
                |name| format!("joint {index} (`{name}`)"),
            );
            Error::invalid(what, why)
        })
    }

    fn check(&self, bodies: &[Body]) -> Result<(), String> {
        self.check_bodies(bodies)?;
        for (side, frame) in [("A", &self.frame_a), ("B", &self.frame_b)] {
            if !is_sound(frame) {
                return Err(format!(
                    "its frame {side} is not finite, or its rotation not a unit quaternion"
                ));
            }
        }
        match &self.kind {
            JointKind::Distance { length } => positive("a length", *length, "m")?,
            JointKind::PrescribedVelocity { path } => path.check()?,
            _ => {}
        }
        self.check_coordinate()?;
        let (force, torque) = (self.breaking_force, self.breaking_torque);
        force.map_or(Ok(()), |f| positive("a breaking force", f, "N"))?;
        torque.map_or(Ok(()), |t| positive("a breaking torque", t, "N m"))
    }

    fn check_bodies(&self, bodies: &[Body]) -> Result<(), String> {
        let find = |index: u32| {
            bodies
                .get(index as usize)
                .ok_or_else(|| format!("body {index} of {} does not exist", bodies.len()))
        };
        if self.body_b == Some(self.body_a) {
            return Err(format!("joins body {} to itself", self.body_a));
        }
        let a_moves = find(self.body_a)?.is_dynamic();
        let b_moves = match self.body_b {
            Some(b) => find(b)?.is_dynamic(),
            None => false,
        };
        if a_moves || b_moves {
            Ok(())
        } else {
            Err("joins nothing that is dynamic".into())
        }
    }

    fn check_coordinate(&self) -> Result<(), String> {
        let parts = [
            ("limits", self.limits.is_some()),
            ("a motor", self.motor.is_some()),
            ("a spring", self.spring.is_some()),
        ];
        if !self.kind.has_coordinate()
            && let Some((part, _)) = parts.iter().find(|(_, there)| *there)
        {
            return Err(format!(
                "{part} on a {} joint, which has no free coordinate",
                self.kind.name()
            ));
        }
        self.limits.map_or(Ok(()), |l| l.check(&self.kind))?;
        self.motor.map_or(Ok(()), |motor| motor.check())?;
        self.spring.map_or(Ok(()), |spring| spring.check())
    }
}

impl Limits {
    fn check(&self, kind: &JointKind) -> Result<(), String> {
        let Self { lower, upper } = *self;
        if lower.is_nan() || upper.is_nan() || lower == f64::INFINITY || upper == f64::NEG_INFINITY
        {
            return Err(format!("limits of {lower} and {upper} bound nothing"));
        }
        match kind {
            JointKind::Ball | JointKind::Distance { .. } if upper < 0.0 => {
                return Err(format!(
                    "an upper limit of {upper} is negative; a {} joint's coordinate never is",
                    kind.name()
                ));
            }
            JointKind::Ball => return Ok(()),
            JointKind::Hinge | JointKind::PlanarHinge
                if lower.is_finite() && upper.is_finite() && upper - lower > TAU =>
            {
                return Err(format!(
                    "limits of {lower} and {upper} rad span more than a turn; turns are not counted"
                ));
            }
            _ => {}
        }
        if lower > upper {
            return Err(format!(
                "the lower limit {lower} exceeds the upper one, {upper}"
            ));
        }
        Ok(())
    }
}

impl Motor {
    fn check(&self) -> Result<(), String> {
        match *self {
            Self::Velocity { target, max_force } => {
                finite("a motor's target", target)?;
                positive("a motor's largest force", max_force, "N or N m")
            }
            Self::Position {
                target,
                stiffness,
                damping,
                max_force,
            } => {
                finite("a motor's target", target)?;
                positive("a motor's stiffness", stiffness, "N/m or N m/rad")?;
                not_negative("a motor's damping", damping)?;
                if max_force == f64::INFINITY {
                    return Ok(());
                }
                positive("a motor's largest force", max_force, "N or N m")
            }
        }
    }
}

impl Spring {
    fn check(&self) -> Result<(), String> {
        not_negative("a spring's stiffness", self.stiffness)?;
        not_negative("a spring's damping", self.damping)?;
        finite("a spring's rest", self.rest)?;
        if self.stiffness == 0.0 && self.damping == 0.0 {
            return Err("a spring has neither stiffness nor damping".into());
        }
        Ok(())
    }
}

fn is_sound(frame: &Pose) -> bool {
    crate::world::validate::pose_is_sound(frame)
}

fn positive(what: &str, value: f64, unit: &str) -> Result<(), String> {
    if value > 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(format!(
            "{what} of {value} {unit} is not positive and finite"
        ))
    }
}

fn not_negative(what: &str, value: f64) -> Result<(), String> {
    if value >= 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(format!(
            "{what} of {value} is not a finite number of at least 0"
        ))
    }
}

fn finite(what: &str, value: f64) -> Result<(), String> {
    if value.is_finite() {
        Ok(())
    } else {
        Err(format!("{what} of {value} is not finite"))
    }
}
