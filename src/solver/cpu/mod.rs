//! The CPU backend: lanes and threads over the same batches, with the same arithmetic, as the GPU's.

mod block;
mod body_gather;
mod body_start;
mod calm;
mod cluster;
mod cluster_gather;
mod cluster_residual;
mod cluster_sweep;
mod contact;
mod extrapolation;
mod friction;
mod gap;
mod joint;
mod lanes;
mod momentum;
mod residuals;
mod run;
mod substep_kernels;
mod substeps;
mod sweep;
mod sweeping;

pub use crate::simd::Width;

/// The CPU twins of kernels, each by itself: for tests and benches.
pub(crate) mod kernels {
    pub use super::block::Sweep;
    pub use super::body_gather::{body_gather, hub_gather};
    pub use super::body_start::body_start;
    pub use super::cluster_gather::cluster_gather;
    pub use super::cluster_residual::cluster_residual;
    pub use super::cluster_sweep::{ClusterMemory, ClusterRound, cluster_sweep};
    pub use super::momentum::{BodyMomentum, body_momentum, contact_momentum, joint_momentum};
    pub use super::residuals::{
        contact_progress, contact_residual, joint_progress, joint_residual,
    };
    pub use super::substep_kernels::{substep_bodies, substep_contacts, substep_control};
    pub use super::sweep::{
        VelocityChange, contact_split, contact_sweep, joint_split, joint_sweep,
    };
}

pub(crate) use kernels::{BodyMomentum, ClusterRound, Sweep, VelocityChange};

use super::momentum::{ContactMemory, JointMemory, Momentum, Progress};
use super::residual::Partial;
use super::{Packer, Report};
use crate::constants::WORKGROUP_SIZE;
use crate::problem::batches::Batches;
use lanes::{JointLanes, Lanes, Velocities};
use std::ops::Range;
use substeps::SubstepMemory;

/// Elements of a workgroup.
const WORKGROUP: usize = WORKGROUP_SIZE as usize;

/// Least number of workgroups' worth of sums to wake a thread for.
const SUMS_PER_THREAD: usize = 128;

/// Every [`Method`](super::Method) on the current rayon thread pool.
///
/// Coloured contacts are swept in lanes of the processor's vectors. Results do not depend on the number
/// of threads, nor on the [`Width`] of vectors.
#[derive(Debug, Default)]
pub struct CpuSolver {
    packer: Packer,
    /// The coloured contacts, with their impulses while a solve lasts.
    lanes: Lanes,
    joint_lanes: JointLanes,
    /// What the impulses add to the velocities, while a solve lasts.
    velocities: Velocities,
    substeps: SubstepMemory,
    changes: Vec<VelocityChange>,
    residuals: Vec<f32>,
    terms: Vec<Progress>,
    contact_partials: Vec<Partial>,
    joint_partials: Vec<Partial>,
    momentum: Momentum,
    contact_memory: Vec<ContactMemory>,
    joint_memory: Vec<JointMemory>,
    body_memory: Vec<VelocityChange>,
    contact_sums: Vec<Progress>,
    joint_sums: Vec<Progress>,
    clusters: cluster::ClusterSolve,
    /// Reports as they were at looks at the residual.
    looks: Vec<Report>,
}

impl CpuSolver {
    /// A solver with empty buffers; they grow with the problems.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with vectors of a given width, or with arrays where the processor lacks them.
    #[must_use]
    pub fn with_width(width: Width) -> Self {
        Self {
            lanes: Lanes::new(width),
            joint_lanes: JointLanes::new(width),
            ..Self::default()
        }
    }

    /// Reports of the looks at the residual in the last solve, each as of that look: every [`Options::check_every`](super::Options::check_every) passes if there is a
    /// tolerance, else at the end. Of substeps one after the other; where each is packed anew, as with compliances, those of the last LCP alone.
    #[must_use]
    pub fn looks(&self) -> &[Report] {
        &self.looks
    }
}

/// Range of the contacts in the remainder.
fn remainder_contacts(batches: &Batches) -> Range<usize> {
    let elements = &batches.contacts.remainder.elements;
    elements.start as usize..elements.end as usize
}
