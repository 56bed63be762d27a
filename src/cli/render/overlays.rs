//! Lines and marks beside the bodies: forces, contacts, joints, and the spring that pulls at a body.

use super::color::Rgb;
use super::scenery::{Builder, Finish, Form, Overlays, instance, turn_to};
use super::shapes;
use super::snapshot::{Force, reach};
use drystone::math::{Pose, Vec3};
use drystone::world::Body;
use drystone::world::joint::{Joint, JointKind};

/// Paint of joints.
const JOINT: Rgb = Rgb::new(0.13, 0.20, 0.56);
/// Between anchors that should be one point.
const APART: Rgb = Rgb::new(0.86, 0.08, 0.12);
/// Points of contact.
const TOUCH: Rgb = Rgb::new(0.10, 0.13, 0.17);
/// Of bodies that overlap.
const OVERLAP: Rgb = Rgb::new(0.80, 0.18, 0.20);
/// The spring.
const SPRING: Rgb = Rgb::new(0.05, 0.42, 0.36);
/// Share of the smaller body's radius from which on anchors are drawn as two.
const ANCHORS_APART: f64 = 0.02;

impl Builder<'_> {
    pub(super) fn overlays(&mut self, overlays: &Overlays<'_>) {
        if let Some((forces, largest)) = overlays.forces {
            self.forces(forces, largest);
        }
        for touch in overlays.contacts.into_iter().flatten() {
            let color = if touch.separation < 0.0 {
                OVERLAP
            } else {
                TOUCH
            };
            self.dot(&touch.point, 0.09 * touch.reach, color);
            let out = touch.normal * (0.5 * touch.reach);
            self.segment(
                &(touch.point - out),
                &(touch.point + out),
                0.03 * touch.reach,
                color,
            );
        }
        if overlays.joints {
            self.joints();
        }
        if let Some([at, hand]) = overlays.pull {
            let thickness = 0.008 * self.scenery.radius;
            self.segment(&at, &hand, 0.5 * thickness, SPRING);
            self.dot(&at, 1.4 * thickness, SPRING);
            self.dot(&hand, 1.4 * thickness, SPRING);
        }
    }

    /// Lines between the bodies that press on each other, as thick as the force is large.
    fn forces(&mut self, forces: &[Force], largest: f64) {
        for force in forces {
            let share = (force.size / largest).clamp(0.0, 1.0);
            if share < 0.03 {
                continue;
            }
            let (from, to) = (force.from, force.to);
            let along = to - from;
            if along.norm() <= 0.0 {
                continue;
            }
            let radius = force.reach * 0.22 * share.sqrt();
            let color = Rgb::new(0.91, 0.72, 0.36).mix(Rgb::new(0.72, 0.10, 0.12), share);
            let pose = Pose::new(0.5 * (from + to), turn_to(&along.normalize()));
            let (origin, scale) = (self.scenery.origin, [radius; 3]);
            let half = 0.5 * along.norm();
            let made = instance(&origin, &pose, scale, half, color, 1.0, Finish::Plain);
            self.push(Form::Capsule, made, || shapes::capsule(20, 5));
        }
    }

    /// From the middle of each body to its anchor of a joint, and between anchors that are apart.
    fn joints(&mut self) {
        for joint in self.world.joints.iter().filter(|joint| !joint.broken) {
            let a = &self.world.bodies[joint.body_a as usize];
            let b = joint.body_b.map(|body| &self.world.bodies[body as usize]);
            let size = reach(&[Some(a), b]).unwrap_or(0.05 * self.scenery.radius);
            let anchor_a = a.pose.point(&joint.frame_a.position);
            self.segment(&a.pose.position, &anchor_a, 0.05 * size, JOINT);
            let anchor_b = match b {
                Some(b) => {
                    let anchor = b.pose.point(&joint.frame_b.position);
                    if b.is_dynamic() {
                        self.segment(&b.pose.position, &anchor, 0.05 * size, JOINT);
                    }
                    anchor
                }
                None => joint.frame_b.position,
            };
            self.dot(&anchor_a, 0.13 * size, JOINT);
            let (gap, is_error) = gap(joint, b, &(anchor_b - anchor_a));
            if gap > ANCHORS_APART * size {
                let color = if is_error { APART } else { JOINT };
                self.segment(&anchor_a, &anchor_b, 0.06 * size, color);
                self.dot(&anchor_b, 0.13 * size, color);
            }
        }
    }

    fn dot(&mut self, at: &Vec3, radius: f64, color: Rgb) {
        let pose = Pose::new(*at, turn_to(&Vec3::z()));
        self.line(&pose, 0.0, radius, color, 1.0);
    }

    /// A line between two points; nothing if they are one.
    fn segment(&mut self, from: &Vec3, to: &Vec3, radius: f64, color: Rgb) {
        let along = to - from;
        if along.norm() > 0.0 {
            let pose = Pose::new(0.5 * (from + to), turn_to(&along.normalize()));
            self.line(&pose, 0.5 * along.norm(), radius, color, 1.0);
        }
    }
}

/// Distance of a joint's anchors that is worth a line `[m]`, and whether there should be none. `off` is from A's anchor to that on `b`.
fn gap(joint: &Joint, b: Option<&Body>, off: &Vec3) -> (f64, bool) {
    match joint.kind {
        JointKind::Ball | JointKind::Hinge | JointKind::Universal | JointKind::Fixed => {
            (off.norm(), true)
        }
        // It holds nothing across its plane.
        JointKind::PlanarHinge => {
            let axis = joint.frame_b.direction(&Vec3::z());
            let axis = b.map_or(axis, |body| body.pose.direction(&axis));
            ((off - axis * off.dot(&axis)).norm(), true)
        }
        JointKind::Slider | JointKind::Distance { .. } => (off.norm(), false),
        JointKind::PrescribedVelocity { .. } => (0.0, false),
    }
}
