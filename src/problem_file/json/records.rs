//! Records of the format, and what they are here.

use super::plan::PlanRecord;
use crate::problem::{Body, Contact, FrictionCone, FrictionLaw, JointRow, Problem, Velocity};
use crate::problem_file::{BodyProblem, Origin};
use crate::solver::{Displacement, Solution};
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
    origin: Option<OriginRecord>,
    time_step: Option<f64>,
    #[serde(default)]
    friction: FrictionRecord,
    #[serde(default)]
    contact_softness: f32,
    #[serde(default)]
    pub(super) plan: PlanRecord,
    pub(super) bodies: Vec<BodyRecord>,
    pub(super) contacts: Vec<ContactRecord>,
    #[serde(default)]
    joint_rows: Vec<JointRowRecord>,
    solution: Option<SolutionRecord>,
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
            increments: bodies.iter().filter_map(BodyRecord::increment).collect(),
            gaps: numbers(|contact| contact.gap),
            restitutions: numbers(|contact| contact.restitution),
            loads: numbers(|contact| contact.load),
            sizes: numbers(|contact| contact.size),
            compliances: numbers(|contact| contact.compliance),
            bodies: bodies.iter().map(BodyRecord::body).collect(),
            contacts: contacts.iter().map(ContactRecord::contact).collect(),
            joint_rows: file.joint_rows.iter().map(JointRowRecord::row).collect(),
            friction_cone: file.friction.cone.into(),
            friction_law: file.friction.law.into(),
            contact_softness: file.contact_softness,
        };
        Self {
            title: file.title,
            origin: file.origin.map(Into::into),
            time_step: file.time_step,
            problem,
            surface_velocities,
            plan: file.plan.into(),
            solution: file.solution.map(Into::into),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OriginRecord {
    scene: String,
    step: u64,
    time: f64,
    backend: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    adapter: Option<String>,
}

impl From<&Origin> for OriginRecord {
    fn from(origin: &Origin) -> Self {
        let Origin {
            scene,
            step,
            time,
            backend,
            adapter,
        } = origin.clone();
        Self {
            scene,
            step,
            time,
            backend,
            adapter,
        }
    }
}

impl From<OriginRecord> for Origin {
    fn from(record: OriginRecord) -> Self {
        Self {
            scene: record.scene,
            step: record.step,
            time: record.time,
            backend: record.backend,
            adapter: record.adapter,
        }
    }
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct FrictionRecord {
    cone: ConeRecord,
    law: LawRecord,
}

impl FrictionRecord {
    pub(super) fn of(problem: &Problem) -> Self {
        Self {
            cone: match problem.friction_cone {
                FrictionCone::Disk => ConeRecord::Disk,
                FrictionCone::Pyramid { directions } => ConeRecord::Pyramid(directions),
            },
            law: match problem.friction_law {
                FrictionLaw::Coulomb => LawRecord::Coulomb,
                FrictionLaw::Convex => LawRecord::Convex,
            },
        }
    }
}

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ConeRecord {
    #[default]
    Disk,
    Pyramid(u32),
}

impl From<ConeRecord> for FrictionCone {
    fn from(record: ConeRecord) -> Self {
        match record {
            ConeRecord::Disk => Self::Disk,
            ConeRecord::Pyramid(directions) => Self::Pyramid { directions },
        }
    }
}

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum LawRecord {
    #[default]
    Coulomb,
    Convex,
}

impl From<LawRecord> for FrictionLaw {
    fn from(record: LawRecord) -> Self {
        match record {
            LawRecord::Coulomb => Self::Coulomb,
            LawRecord::Convex => Self::Convex,
        }
    }
}

/// A velocity, or a displacement.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TwistRecord {
    linear: [f32; 3],
    angular: [f32; 3],
}

impl From<Velocity> for TwistRecord {
    fn from(Velocity { linear, angular }: Velocity) -> Self {
        Self { linear, angular }
    }
}

impl From<TwistRecord> for Velocity {
    fn from(TwistRecord { linear, angular }: TwistRecord) -> Self {
        Self { linear, angular }
    }
}

impl From<Displacement> for TwistRecord {
    fn from(Displacement { linear, angular }: Displacement) -> Self {
        Self { linear, angular }
    }
}

impl From<TwistRecord> for Displacement {
    fn from(TwistRecord { linear, angular }: TwistRecord) -> Self {
        Self { linear, angular }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BodyRecord {
    linear_velocity: [f32; 3],
    angular_velocity: [f32; 3],
    inverse_mass: f32,
    inverse_inertia: [f32; 6],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) increment: Option<TwistRecord>,
}

impl BodyRecord {
    pub(super) fn new(body: &Body, increment: Option<&Velocity>) -> Self {
        Self {
            linear_velocity: body.linear_velocity,
            angular_velocity: body.angular_velocity,
            inverse_mass: body.inverse_mass,
            inverse_inertia: body.inverse_inertia,
            increment: increment.map(|&velocity| velocity.into()),
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

    fn increment(&self) -> Option<Velocity> {
        self.increment.map(Into::into)
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

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SolutionRecord {
    impulses: Vec<[f32; 3]>,
    #[serde(default)]
    joint_impulses: Vec<f32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    total_impulses: Vec<[f32; 3]>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    velocities: Vec<TwistRecord>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    changes: Vec<TwistRecord>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    displacements: Vec<TwistRecord>,
}

fn all<A: Clone, B: From<A>>(list: &[A]) -> Vec<B> {
    list.iter().cloned().map(B::from).collect()
}

impl From<&Solution> for SolutionRecord {
    fn from(solution: &Solution) -> Self {
        Self {
            impulses: solution.impulses.clone(),
            joint_impulses: solution.joint_impulses.clone(),
            total_impulses: solution.total_impulses.clone(),
            velocities: all(&solution.velocities),
            changes: all(&solution.changes),
            displacements: all(&solution.displacements),
        }
    }
}

impl From<SolutionRecord> for Solution {
    fn from(record: SolutionRecord) -> Self {
        Self {
            impulses: record.impulses,
            joint_impulses: record.joint_impulses,
            total_impulses: record.total_impulses,
            velocities: all(&record.velocities),
            changes: all(&record.changes),
            displacements: all(&record.displacements),
        }
    }
}
