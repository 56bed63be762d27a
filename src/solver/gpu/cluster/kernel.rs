//! The kernels of clusters: their names and their sources. What they bind is what these declare.

use crate::constants::{CLUSTER_COPIES, MOMENTUM_COSINE, MOMENTUM_KEPT, MOMENTUM_REBUILD_PASSES};
use crate::solver::gpu::shader::{kernels, shader};

const COSINE: (&str, f64) = ("MOMENTUM_COSINE", MOMENTUM_COSINE as f64);
const KEPT: (&str, f64) = ("MOMENTUM_KEPT", MOMENTUM_KEPT as f64);
const COPIES: (&str, f64) = ("CLUSTER_COPIES", CLUSTER_COPIES as f64);
const REBUILD_PASSES: (&str, f64) = ("MOMENTUM_REBUILD_PASSES", MOMENTUM_REBUILD_PASSES as f64);

kernels! {
    /// A kernel of clusters; each but [`Self::Solve`] has a twin of the same name in [`cpu`](crate::solver::cpu).
    ClusterKernel {
        /// Gauss–Seidel over clusters, each by itself.
        Sweep => shader!(
            "cluster_sweep", "cluster", "contact", "joint", "progress", "contact_progress", "sum", "momentum", "cluster_pass"
        )
        .with_constants(&[COSINE, KEPT, COPIES])
        .in_any_case(),
        /// Gives every body the mean of its copies, and decides whether momentum goes on.
        Gather => shader!("cluster_gather", "cluster", "progress", "sum", "momentum", "changes", "cluster_mean")
            .with_constants(&[COSINE, KEPT])
            .in_any_case(),
        /// Both in turn, for a problem that is one cluster.
        Solve => shader!(
            "cluster_solve", "cluster", "contact", "joint", "progress", "contact_progress", "sum", "momentum", "cluster_pass",
            "changes", "cluster_mean"
        )
        .with_constants(&[COSINE, KEPT, COPIES, REBUILD_PASSES])
        .in_any_case(),
        /// Natural-map residual, summed over clusters.
        Residual => shader!("cluster_residual", "cluster", "contact", "joint", "residual", "sum").in_any_case(),
    }
}
