//! Records of the format that differ from the types here.

use crate::problem::{Body, Contact, FrictionCone, FrictionLaw, JointRow, Problem, Velocity};
use crate::problem_file::{BodyProblem, Origin};
use crate::solver::{Plan, Solution};
use serde::{Deserialize, Serialize};

/// Keys that decide if the rest can be read.
#[derive(Debug, Deserialize)]
pub(super) struct HeadRecord {
    pub(super) format: String,
    pub(super) version: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileRecord {
    #[allow(dead_code, reason = "read by the head")]
    format: String,
    #[allow(dead_code, reason = "read by the head")]
    version: u64,
    #[serde(default)]
    title: String,
    origin: Option<Origin>,
    time_step: Option<f64>,
    #[serde(default)]
    friction: FrictionRecord,
    #[serde(default)]
    contact_softness: f32,
    #[serde(default)]
    calm_change: f32,
    #[serde(default)]
    pub(super) plan: Plan,
    pub(super) bodies: Vec<BodyRecord>,
    pub(super) contacts: Vec<ContactRecord>,
    #[serde(default)]
    joint_rows: Vec<JointRowRecord>,
    solution: Option<Solution>,
}

impl From<FileRecord> for BodyProblem {
    fn from(file: FileRecord) -> Self {
        let (bodies, contacts) = (&file.bodies, &file.contacts);
        let numbers =
            |of: fn(&ContactRecord) -> Option<f32>| contacts.iter().filter_map(of).collect();
        let moving = contacts.iter().any(|c| c.surface_velocity.is_some());
        let of_surface = |contact: &ContactRecord| contact.surface_velocity.unwrap_or_default();
        let surface_velocities = contacts.iter().filter(|_| moving).map(of_surface).collect();
        let problem = Problem {
            increments: bodies.iter().filter_map(|body| body.increment).collect(),
            gaps: numbers(|contact| contact.gap),
            restitutions: numbers(|contact| contact.restitution),
            loads: numbers(|contact| contact.load),
            sizes: numbers(|contact| contact.size),
            compliances: numbers(|contact| contact.compliance),
            bodies: bodies.iter().map(BodyRecord::body).collect(),
            contacts: contacts.iter().map(ContactRecord::contact).collect(),
            joint_rows: file.joint_rows.iter().map(JointRowRecord::row).collect(),
            friction_cone: file.friction.cone,
            friction_law: file.friction.law,
            contact_softness: file.contact_softness,
            calm_change: file.calm_change,
        };
        Self {
            title: file.title,
            origin: file.origin,
            time_step: file.time_step,
            problem,
            surface_velocities,
            plan: file.plan,
            solution: file.solution,
        }
    }
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct FrictionRecord {
    pub(super) cone: FrictionCone,
    pub(super) law: FrictionLaw,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BodyRecord {
    linear_velocity: [f32; 3],
    angular_velocity: [f32; 3],
    inverse_mass: f32,
    inverse_inertia: [f32; 6],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) increment: Option<Velocity>,
}

impl BodyRecord {
    pub(super) fn new(body: &Body, increment: Option<&Velocity>) -> Self {
        Self {
            linear_velocity: body.linear_velocity,
            angular_velocity: body.angular_velocity,
            inverse_mass: body.inverse_mass,
            inverse_inertia: body.inverse_inertia,
            increment: increment.copied(),
        }
    }

    fn body(&self) -> Body {
        Body::dynamic(
            self.inverse_mass,
            self.inverse_inertia,
            self.linear_velocity,
            self.angular_velocity,
        )
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ContactRecord {
    bodies: [u32; 2],
    arm_a: [f32; 3],
    arm_b: [f32; 3],
    normal: [f32; 3],
    #[serde(default)]
    bias: f32,
    friction: f32,
    #[serde(default)]
    impulse: [f32; 3],
    #[serde(skip_serializing_if = "Option::is_none")]
    surface_velocity: Option<[f32; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) gap: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) restitution: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) load: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) size: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) compliance: Option<f32>,
}

impl ContactRecord {
    pub(super) fn new(file: &BodyProblem, index: usize) -> Self {
        let (problem, divided) = (&file.problem, file.plan.substeps().is_some());
        let contact = &problem.contacts[index];
        let of = |numbers: &[f32]| numbers.get(index).copied().filter(|_| divided);
        Self {
            bodies: [contact.body_a, contact.body_b],
            arm_a: contact.arm_a,
            arm_b: contact.arm_b,
            normal: contact.normal,
            bias: contact.bias,
            friction: contact.friction,
            impulse: contact.impulse,
            surface_velocity: file.surface_velocities.get(index).copied(),
            gap: of(&problem.gaps),
            restitution: of(&problem.restitutions),
            load: of(&problem.loads),
            size: of(&problem.sizes),
            compliance: problem.compliances.get(index).copied(),
        }
    }

    fn contact(&self) -> Contact {
        Contact {
            body_a: self.bodies[0],
            body_b: self.bodies[1],
            arm_a: self.arm_a,
            arm_b: self.arm_b,
            normal: self.normal,
            bias: self.bias,
            friction: self.friction,
            impulse: self.impulse,
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JointRowRecord {
    bodies: [u32; 2],
    linear: [f32; 3],
    angular_a: [f32; 3],
    angular_b: [f32; 3],
    bias: f32,
    softness: f32,
    lower: f32,
    upper: f32,
    #[serde(default)]
    impulse: f32,
}

impl From<&JointRow> for JointRowRecord {
    fn from(row: &JointRow) -> Self {
        Self {
            bodies: [row.body_a, row.body_b],
            linear: row.linear,
            angular_a: row.angular_a,
            angular_b: row.angular_b,
            bias: row.bias,
            softness: row.softness,
            lower: row.lower,
            upper: row.upper,
            impulse: row.impulse,
        }
    }
}

impl JointRowRecord {
    fn row(&self) -> JointRow {
        JointRow {
            body_a: self.bodies[0],
            body_b: self.bodies[1],
            linear: self.linear,
            angular_a: self.angular_a,
            angular_b: self.angular_b,
            bias: self.bias,
            softness: self.softness,
            lower: self.lower,
            upper: self.upper,
            impulse: self.impulse,
        }
    }
}
