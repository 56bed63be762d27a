//! Records of plans, and what they are here.

use crate::solver::substeps::{GapLaw, PositionPlan, SubstepPlan};
use crate::solver::{Method, Options, Plan};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum MethodRecord {
    Pgs,
    Jacobi,
    Nesterov,
    Cluster,
}

impl From<MethodRecord> for Method {
    fn from(record: MethodRecord) -> Self {
        match record {
            MethodRecord::Pgs => Self::GaussSeidel,
            MethodRecord::Jacobi => Self::Jacobi,
            MethodRecord::Nesterov => Self::Nesterov,
            MethodRecord::Cluster => Self::Cluster,
        }
    }
}

impl From<Method> for MethodRecord {
    fn from(method: Method) -> Self {
        match method {
            Method::GaussSeidel => Self::Pgs,
            Method::Jacobi => Self::Jacobi,
            Method::Nesterov => Self::Nesterov,
            Method::Cluster => Self::Cluster,
        }
    }
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct OptionsRecord {
    method: MethodRecord,
    iterations: u32,
    tolerance: f32,
    check_every: u32,
    warm_start: bool,
    direct_joints: bool,
    direct_damping: f32,
}

impl Default for OptionsRecord {
    fn default() -> Self {
        Options::default().into()
    }
}

impl From<Options> for OptionsRecord {
    fn from(options: Options) -> Self {
        let Options {
            method,
            iterations,
            tolerance,
            check_every,
            warm_start,
            direct_joints,
            direct_damping,
        } = options;
        Self {
            method: method.into(),
            iterations,
            tolerance,
            check_every,
            warm_start,
            direct_joints,
            direct_damping,
        }
    }
}

impl From<OptionsRecord> for Options {
    fn from(record: OptionsRecord) -> Self {
        Self {
            method: record.method.into(),
            iterations: record.iterations,
            tolerance: record.tolerance,
            check_every: record.check_every,
            warm_start: record.warm_start,
            direct_joints: record.direct_joints,
            direct_damping: record.direct_damping,
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum PlanRecord {
    Once(OptionsRecord),
    Substeps(SubstepsRecord),
}

impl Default for PlanRecord {
    fn default() -> Self {
        Self::Once(OptionsRecord::default())
    }
}

impl From<&Plan> for PlanRecord {
    fn from(plan: &Plan) -> Self {
        match plan {
            Plan::Once(options) => Self::Once((*options).into()),
            Plan::Substeps(plan) => Self::Substeps(plan.into()),
        }
    }
}

impl From<PlanRecord> for Plan {
    fn from(record: PlanRecord) -> Self {
        match record {
            PlanRecord::Once(options) => Self::Once(options.into()),
            PlanRecord::Substeps(record) => Self::Substeps(record.into()),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SubstepsRecord {
    substeps: u32,
    time_step: f32,
    gap_law: GapLawRecord,
    restitution_threshold: f32,
    velocity: OptionsRecord,
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<PositionRecord>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GapLawRecord {
    rate: f32,
    memory: f32,
    max_push: f32,
    softness: f32,
    held: f32,
    held_load: f32,
    load_time: f64,
    slop: f32,
    spared: f32,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PositionRecord {
    options: OptionsRecord,
    max_correction: f32,
    max_turn: f32,
}

impl From<&SubstepPlan> for SubstepsRecord {
    fn from(plan: &SubstepPlan) -> Self {
        let SubstepPlan {
            substeps,
            time_step,
            gap_law,
            restitution_threshold,
            velocity,
            position,
        } = *plan;
        let GapLaw {
            rate,
            memory,
            max_push,
            softness,
            held,
            held_load,
            load_time,
            slop,
            spared,
        } = gap_law;
        Self {
            substeps,
            time_step,
            gap_law: GapLawRecord {
                rate,
                memory,
                max_push,
                softness,
                held,
                held_load,
                load_time,
                slop,
                spared,
            },
            restitution_threshold,
            velocity: velocity.into(),
            position: position.map(|position| PositionRecord {
                options: position.options.into(),
                max_correction: position.max_correction,
                max_turn: position.max_turn,
            }),
        }
    }
}

impl From<SubstepsRecord> for SubstepPlan {
    fn from(record: SubstepsRecord) -> Self {
        let law = record.gap_law;
        Self {
            substeps: record.substeps,
            time_step: record.time_step,
            gap_law: GapLaw {
                rate: law.rate,
                memory: law.memory,
                max_push: law.max_push,
                softness: law.softness,
                held: law.held,
                held_load: law.held_load,
                load_time: law.load_time,
                slop: law.slop,
                spared: law.spared,
            },
            restitution_threshold: record.restitution_threshold,
            velocity: record.velocity.into(),
            position: record.position.map(|position| PositionPlan {
                options: position.options.into(),
                max_correction: position.max_correction,
                max_turn: position.max_turn,
            }),
        }
    }
}
