//! What is found, as it is written to JSON. `drystone bench --schema` prints the schema of these types.

use super::machine::Machine;
use crate::provenance::Provenance;
use schemars::JsonSchema;
use serde::Serialize;

/// Everything of one run.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Results {
    /// Program, backends, date, command.
    pub(crate) provenance: Provenance,
    pub(crate) machine: Machine,
    pub(crate) adapter: Adapter,
    /// True for a quick run, whose numbers scatter more.
    pub(crate) quick: bool,
    /// Of a GPU only.
    pub(crate) dispatch: Option<DispatchCost>,
    pub(crate) sweeps: Vec<SweepCost>,
    pub(crate) residuals: Vec<TimeToResidual>,
    pub(crate) stages: Vec<StageTimes>,
}

/// The GPU that was measured.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Adapter {
    /// Its name, if there is one.
    pub(crate) name: Option<String>,
    /// Why none was measured.
    pub(crate) missing: Option<String>,
}

impl Adapter {
    pub(super) fn of(name: String) -> Self {
        Self {
            name: Some(name),
            missing: None,
        }
    }

    pub(super) fn none(why: String) -> Self {
        Self {
            name: None,
            missing: Some(why),
        }
    }
}

/// What work on a GPU costs before there is any work, from solves of a single contact.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct DispatchCost {
    pub(crate) backend: String,
    /// A solve of one iteration: packing, upload, submission, wait and transfer back `[us]`.
    pub(crate) round_trip_us: f64,
    /// What each further iteration adds: one dispatch, and the barrier after it `[us]`.
    pub(crate) per_dispatch_us: f64,
}

/// One pass over all contacts of a problem.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct SweepCost {
    pub(crate) problem: String,
    pub(crate) backend: String,
    pub(crate) method: String,
    pub(crate) bodies: u32,
    pub(crate) contacts: usize,
    /// Colours, each of which ends in a barrier.
    pub(crate) colors: u32,
    /// Time of a pass, all else left out: the difference of solves of few and of many iterations `[us]`.
    pub(crate) sweep_us: f64,
    /// Contacts times passes per second.
    pub(crate) contact_iterations_per_second: f64,
    /// The memory that a sweep has to move, over its time `[GB/s]`.
    pub(crate) gigabytes_per_second: f64,
    /// Memory that one contact and pass has to move `[B]`.
    pub(crate) bytes_per_contact: usize,
}

/// A cold start to a residual.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct TimeToResidual {
    pub(crate) problem: String,
    pub(crate) backend: String,
    pub(crate) method: String,
    pub(crate) contacts: usize,
    /// Root mean square residual to reach, over `g h`.
    pub(crate) target_over_gh: f32,
    /// True if it was reached.
    pub(crate) reached: bool,
    /// Passes that were made.
    pub(crate) passes: u32,
    /// Root mean square residual at the end, over `g h`.
    pub(crate) residual_over_gh: f32,
    /// Time of the whole solve, packing included `[ms]`.
    pub(crate) solve_ms: f64,
}

/// Mean times of the stages of a step `[ms]`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct StageTimes {
    pub(crate) scene: String,
    pub(crate) backend: String,
    pub(crate) bodies: u32,
    pub(crate) contacts: usize,
    pub(crate) steps: u32,
    pub(crate) broadphase_ms: f64,
    pub(crate) narrowphase_ms: f64,
    /// Building, colouring and packing the velocity problem.
    pub(crate) pack_ms: f64,
    /// Solving it.
    pub(crate) solve_ms: f64,
    /// The whole position pass.
    pub(crate) position_ms: f64,
    /// Integration and measures.
    pub(crate) other_ms: f64,
    pub(crate) step_ms: f64,
    /// Thousands of bodies stepped per second, all stages included.
    pub(crate) kilobodies_per_second: f64,
}
