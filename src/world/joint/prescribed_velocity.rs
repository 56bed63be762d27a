//! Prescribed velocity: A's anchor moves as a path does, seen from B.
//!
//! A non-holonomic constraint (Hong et al. 2006, eqs 25–31), treated as such even where it could be
//! integrated: it has no position error, and lets the anchor drift off the path. With `e = p_a - p_b`
//! and the world's axes d:
//!
//! ```text
//! J = [d, r_a x d] on A, [-d, -((r_b + e) x d)] on B,   J V = v_0(t)
//! drift = d . (w_a x (w_a x r_a) - w_b x (p_a' - v_b)),   v_b of B's centre of mass
//! ```
//!
//! B's velocity is that of its point under A's anchor, so that the impulses have one line of action.
//! Against the world the drift is that of eq. 31, `w x (w x r)`.

use super::placed::Placed;
use super::{Law, Path, Row};
use crate::math::Vec3;

pub(super) const ROWS: usize = 3;

pub(super) fn rows(at: &Placed, path: &Path, time: f64, h: f64, rows: &mut Vec<Row>) {
    let (now, derivative) = path.velocity(time);
    let (next, _) = path.velocity(time + h);
    let arm_b = at.arm_b_to_a();
    let center_velocity = at.b.velocity - at.b.spin.cross(&at.b.arm);
    let drift = at.a.spin.cross(&at.a.spin.cross(&at.a.arm))
        - at.b.spin.cross(&(at.a.velocity - center_velocity));
    for (axis, direction) in [Vec3::x(), Vec3::y(), Vec3::z()].iter().enumerate() {
        rows.push(Row {
            linear: *direction,
            angular_a: at.a.arm.cross(direction),
            angular_b: -arm_b.cross(direction),
            drift: drift[axis],
            law: Law::Velocity {
                now: now[axis],
                derivative: derivative[axis],
                next: next[axis],
            },
        });
    }
}
