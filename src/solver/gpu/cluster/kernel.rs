//! The kernels of clusters: their names and their sources. What they bind is what these declare.

use crate::constants::{CLUSTER_COPIES, MOMENTUM_COSINE, MOMENTUM_KEPT, MOMENTUM_REBUILD_PASSES};
use crate::solver::gpu::shader::{Shader, ShaderSet, shader, wgsl};

/// A kernel of clusters; each but [`Self::Solve`] has a twin of the same name in
/// [`cpu`](crate::solver::cpu).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClusterKernel {
    /// Gauss–Seidel over clusters, each by itself.
    Sweep,
    /// Gives every body the mean of its copies, and decides whether momentum goes on.
    Gather,
    /// Both in turn, for a problem that is one cluster.
    Solve,
    /// Natural-map residual, summed over clusters.
    Residual,
}

/// An array that a kernel of clusters binds, or a part of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::solver::gpu) enum ClusterSlot {
    Friction,
    Blocks,
    Impulses,
    Memory,
    Partials,
    Words,
    Velocities,
    Bodies,
    Changes,
    Progress,
}

const CLUSTER: &str = wgsl!("shared/cluster");
const CONTACT: &str = wgsl!("shared/contact");
const JOINT: &str = wgsl!("shared/joint");
const MOMENTUM: &str = wgsl!("shared/momentum");
const CHANGES: &str = wgsl!("shared/changes");
const CONTACT_PROGRESS: &str = wgsl!("shared/contact_progress");
const PROGRESS: &str = wgsl!("shared/progress");
const RESIDUAL: &str = wgsl!("shared/residual");
const SUM: &str = wgsl!("shared/sum");
const PASS: &str = wgsl!("shared/cluster_pass");
const MEAN: &str = wgsl!("shared/cluster_mean");

const COSINE: (&str, f64) = ("MOMENTUM_COSINE", MOMENTUM_COSINE as f64);
const KEPT: (&str, f64) = ("MOMENTUM_KEPT", MOMENTUM_KEPT as f64);
const COPIES: (&str, f64) = ("CLUSTER_COPIES", CLUSTER_COPIES as f64);
const REBUILD_PASSES: (&str, f64) = ("MOMENTUM_REBUILD_PASSES", MOMENTUM_REBUILD_PASSES as f64);

impl ClusterKernel {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Sweep, Self::Gather, Self::Solve, Self::Residual];

    /// Name of the file and of the entry point, and of the CPU twin but for [`Self::Solve`].
    #[must_use]
    pub fn name(self) -> &'static str {
        self.shader().name
    }

    /// The whole WGSL module: shared parts, then the kernel.
    #[must_use]
    pub fn source(self) -> String {
        self.shader().source()
    }
}

impl ShaderSet for ClusterKernel {
    type Slot = ClusterSlot;

    const ALL: &'static [Self] = &Self::ALL;

    fn index(self) -> usize {
        self as usize
    }

    fn slot(variable: &str) -> Option<ClusterSlot> {
        Some(match variable {
            "friction" => ClusterSlot::Friction,
            "blocks" => ClusterSlot::Blocks,
            "impulses" => ClusterSlot::Impulses,
            "memory" => ClusterSlot::Memory,
            "partials" => ClusterSlot::Partials,
            "words" => ClusterSlot::Words,
            "velocities" => ClusterSlot::Velocities,
            "bodies" => ClusterSlot::Bodies,
            "changes" => ClusterSlot::Changes,
            "progress" => ClusterSlot::Progress,
            _ => return None,
        })
    }

    fn shader(self) -> Shader {
        let shader = match self {
            Self::Sweep => shader!(
                "cluster_sweep",
                CLUSTER,
                CONTACT,
                JOINT,
                PROGRESS,
                CONTACT_PROGRESS,
                SUM,
                MOMENTUM,
                PASS
            )
            .with_constants(&[COSINE, KEPT, COPIES]),
            Self::Gather => shader!(
                "cluster_gather",
                CLUSTER,
                PROGRESS,
                SUM,
                MOMENTUM,
                CHANGES,
                MEAN
            )
            .with_constants(&[COSINE, KEPT]),
            Self::Solve => shader!(
                "cluster_solve",
                CLUSTER,
                CONTACT,
                JOINT,
                PROGRESS,
                CONTACT_PROGRESS,
                SUM,
                MOMENTUM,
                PASS,
                CHANGES,
                MEAN
            )
            .with_constants(&[COSINE, KEPT, COPIES, REBUILD_PASSES]),
            Self::Residual => shader!("cluster_residual", CLUSTER, CONTACT, JOINT, RESIDUAL, SUM),
        };
        shader.in_any_case()
    }
}
