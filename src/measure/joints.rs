//! How far joints are from what they ask for.

use crate::world::World;
use crate::world::joint::{Joint, Law, Row};

/// Largest errors over a world's joints; each 0 if nothing has such an error.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JointErrors {
    /// Distance between what a joint holds together `[m]`: the length of the errors of its linear
    /// equalities.
    pub linear_max: f64,
    /// Angle between what a joint holds aligned `[rad]`.
    pub angular_max: f64,
    /// Length of the difference between a prescribed velocity and the actual one `[m/s]`.
    pub velocity_max: f64,
    /// Distance beyond a limit `[m]`.
    pub limit_max: f64,
    /// Angle beyond a limit `[rad]`.
    pub limit_angular_max: f64,
    /// Number of joints that broke; they have no errors.
    pub broken: usize,
}

/// Errors of a world's joints as it is now.
#[must_use]
pub fn joint_errors(world: &World) -> JointErrors {
    let mut found = JointErrors::default();
    let mut rows = Vec::new();
    for joint in &world.joints {
        if joint.broken {
            found.broken += 1;
            continue;
        }
        rows.clear();
        // Errors and velocities now depend on no step length.
        joint.rows(&world.bodies, world.time, 0.0, &mut rows);
        let (kind, coordinate) = rows.split_at(joint.kind_row_count());
        found.add_kind(world, joint, kind);
        for row in coordinate {
            found.add_coordinate(row);
        }
    }
    found
}

impl JointErrors {
    fn add_kind(&mut self, world: &World, joint: &Joint, rows: &[Row]) {
        let a = &world.bodies[joint.body_a as usize];
        let b = joint.body_b.map(|b| &world.bodies[b as usize]);
        let (mut linear, mut angular, mut velocity) = (0.0, 0.0, 0.0);
        for row in rows {
            match row.law {
                Law::Equality { error } if row.is_angular() => angular += error * error,
                Law::Equality { error } => linear += error * error,
                Law::Velocity { now, .. } => {
                    velocity += (row.velocity(a, b) - now).powi(2);
                }
                Law::Limit { .. } | Law::Motor { .. } | Law::Spring { .. } => {}
            }
        }
        self.linear_max = self.linear_max.max(linear.sqrt());
        self.angular_max = self.angular_max.max(joint.kind.angle(angular.sqrt()));
        self.velocity_max = self.velocity_max.max(velocity.sqrt());
    }

    /// Motors and springs ask for no place.
    fn add_coordinate(&mut self, row: &Row) {
        let violation = match row.law {
            Law::Limit { gap } => (-gap).max(0.0),
            Law::Equality { error } => error.abs(),
            _ => 0.0,
        };
        let largest = if row.is_angular() {
            &mut self.limit_angular_max
        } else {
            &mut self.limit_max
        };
        *largest = largest.max(violation);
    }
}
