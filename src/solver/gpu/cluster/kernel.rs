//! The kernels of clusters: their names, their sources, and what they bind.

use crate::constants::{CLUSTER_COPIES, MOMENTUM_COSINE, MOMENTUM_KEPT, MOMENTUM_REBUILD_PASSES};
use crate::problem::FrictionTable;
use crate::solver::gpu::shader::{Access, Binding, Shader, ShaderSet, wgsl};
use Access::{Read, Write};
use ClusterSlot::{Blocks, Bodies, Impulses, Memory, Partials, Progress, Slots, Velocities, Words};

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
    Slots,
    Progress,
}

const CLUSTER: &str = wgsl!("shared/cluster");
const CONTACT: &str = wgsl!("shared/contact");
const JOINT: &str = wgsl!("shared/joint");
const MOMENTUM: &str = wgsl!("shared/momentum");
const PASS: &str = wgsl!("shared/cluster_pass");
const MEAN: &str = wgsl!("shared/cluster_mean");

/// The friction cone, of those that look at it.
const FRICTION: Binding<ClusterSlot> =
    (1, ClusterSlot::Friction, Access::uniform::<FrictionTable>());

const COSINE: (&str, f64) = ("MOMENTUM_COSINE", MOMENTUM_COSINE as f64);
const KEPT: (&str, f64) = ("MOMENTUM_KEPT", MOMENTUM_KEPT as f64);
const COPIES: (&str, f64) = ("CLUSTER_COPIES", CLUSTER_COPIES as f64);
const REBUILD_PASSES: (&str, f64) = ("MOMENTUM_REBUILD_PASSES", MOMENTUM_REBUILD_PASSES as f64);

impl ClusterKernel {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Sweep, Self::Gather, Self::Solve, Self::Residual];

    /// Name of the file, of the entry point and of the CPU twin.
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

    fn shader(self) -> Shader<ClusterSlot> {
        match self {
            Self::Sweep => Shader::of(
                "cluster_sweep",
                &[
                    CLUSTER,
                    CONTACT,
                    JOINT,
                    MOMENTUM,
                    PASS,
                    wgsl!("cluster_sweep"),
                ],
                &[
                    FRICTION,
                    (2, Blocks, Read),
                    (3, Impulses, Write),
                    (4, Memory, Write),
                    (5, Words, Read),
                    (6, Velocities, Read),
                    (7, Bodies, Read),
                    (8, Slots, Write),
                    (9, Progress, Write),
                ],
            )
            .with_constants(&[COSINE, KEPT, COPIES]),
            Self::Gather => Shader::of(
                "cluster_gather",
                &[CLUSTER, MOMENTUM, MEAN, wgsl!("cluster_gather")],
                &[
                    (5, Words, Read),
                    (6, Velocities, Write),
                    (7, Bodies, Write),
                    (8, Slots, Read),
                    (9, Progress, Write),
                ],
            )
            .with_constants(&[COSINE, KEPT]),
            Self::Solve => Shader::of(
                "cluster_solve",
                &[
                    CLUSTER,
                    CONTACT,
                    JOINT,
                    MOMENTUM,
                    PASS,
                    MEAN,
                    wgsl!("cluster_solve"),
                ],
                &[
                    FRICTION,
                    (2, Blocks, Read),
                    (3, Impulses, Write),
                    (4, Memory, Write),
                    (5, Words, Read),
                    (6, Velocities, Write),
                    (7, Bodies, Write),
                    (8, Slots, Write),
                    (9, Progress, Write),
                ],
            )
            .with_constants(&[COSINE, KEPT, COPIES, REBUILD_PASSES]),
            Self::Residual => Shader::of(
                "cluster_residual",
                &[CLUSTER, CONTACT, JOINT, wgsl!("cluster_residual")],
                &[
                    FRICTION,
                    (2, Blocks, Read),
                    (3, Impulses, Read),
                    (4, Partials, Write),
                    (5, Words, Read),
                    (6, Velocities, Read),
                    (7, Bodies, Read),
                ],
            ),
        }
    }
}
