//! Parts that the tests, benches and the program of this repository look into.
//!
//! Nothing here is for others: any of it changes or goes without notice.

/// Choices that tests, benches and the program refer to.
pub mod constants {
    pub use crate::constants::{
        AXIS_PREFERENCE_ABSOLUTE, AXIS_PREFERENCE_RELATIVE, CLIP_TOLERANCE, CLUSTER_BLOCKS,
        CLUSTER_COPIES, CLUSTER_DEGREE, EDGES_ALONG_FACE, FIRST_VISITS, FREE_APPROACH, GRAVITY,
        IMPULSE_DEAD_BAND, JOINT_SOFTNESS, KEPT_MOTION_PER_RADIUS, KEPT_ORDERS, MARGIN_PER_RADIUS,
        MAX_COLORS, MAX_FRICTION_DIRECTIONS, MIN_BLOCKS_OF_A_TEAM, MOMENTUM_COSINE,
        MOMENTUM_COSINE_CONVEX, MOMENTUM_COSINE_FORWARD, MOMENTUM_KEPT, MOMENTUM_REBUILD_PASSES,
        PAIR_VISITS, PARTING_HARDNESS, REFERENCE_MAX_EQUALITIES, SHARED_STIFFNESS, SUBSTEP_PUSH,
        SUBSTEP_PUSH_DEPTH_PER_RADIUS, TOUCHING_MARGIN, WORKGROUP_SIZE,
    };
    #[cfg(feature = "scene")]
    pub use crate::constants::{
        CAPPED_SHARE_WORTH_A_WARNING, MAX_SCENE_SUBSTEPS, MAX_SURFACE_FRAME_BODIES,
    };
}

/// Arithmetic in f32, and rotations.
pub mod math {
    pub use crate::math::rotation::exp;
    pub use crate::math::single::{V3, add, cross, dot, narrow, scale, sub, tangents, widen};
}

/// Linear complementarity problems.
pub mod lcp {
    pub use crate::lcp::reduction::Reduction;
    pub use crate::lcp::residual::{fischer_burmeister, min_map};
    pub use crate::lcp::{LcpProblem, LcpSolution, LcpStatus, MixedProblem};

    /// Principal pivoting.
    pub mod dantzig {
        pub use crate::lcp::dantzig::solve;
    }

    /// Complementary pivoting.
    pub mod lemke {
        pub use crate::lcp::lemke::{Options, solve, solve_with};
    }
}

/// Checkpoints, field by field.
#[cfg(feature = "scene")]
pub mod saved {
    pub use crate::step::saved::SavedState;
}

/// Packed problems.
pub mod batches {
    pub use crate::problem::batches::{
        Batches, BodyInertia, BodyVelocity, ContactBlock, JointBlock, JointScale, NO_SLOT, Packed,
        Remainder, SplitBody, SplitSlots,
    };
}

/// Problems cut into clusters.
pub mod clusters {
    pub use crate::problem::clusters::{Clusters, NO_COPY};
}

/// Colours.
pub mod coloring {
    pub use crate::problem::coloring::{BodyPair, Group, color};
}

/// The CPU twins of kernels.
pub mod cpu {
    pub use crate::solver::cpu::kernels::*;
}

/// The GPU's kernels.
#[cfg(feature = "gpu")]
pub mod gpu {
    pub use crate::solver::gpu::kernels::*;
}

/// Joint rows solved at once.
pub mod direct {
    pub use crate::solver::direct::{DirectStart, Mechanisms, start};
}

/// Nesterov's momentum.
pub mod momentum {
    pub use crate::solver::momentum::{
        ContactMemory, JointMemory, Momentum, MomentumRule, Progress, momentum_step,
    };
}

/// Sums of residuals.
pub mod residual {
    pub use crate::solver::residual::{Control, Partial, finish, gather};
}

/// Friction cones and steps in substeps, as kernels read them.
pub mod records {
    pub use crate::problem::friction::FrictionTable;
    pub use crate::solver::substeps::records::{
        BodyState, ContactStep, ContactTotal, GivenContact, PassKind, SubstepParams,
    };
}

/// Block Gauss–Seidel, over whatever has blocks.
pub mod nsgs {
    pub use crate::solver::nsgs::bodies::Bodies;
    pub use crate::solver::nsgs::cone::{Section, project_onto_cone};
    pub use crate::solver::nsgs::iteration::{Ending, Residual, System, iterate};
    pub use crate::solver::nsgs::local::ContactBlock;
}

/// Searches for contacts.
pub mod collide {
    pub use crate::collide::broadphase::sweep::{End, Line};
    pub use crate::collide::broadphase::{Broadphase, brute_force_pairs};
    pub use crate::collide::detector::Detector;
    pub use crate::collide::impulse_cache::ImpulseCache;
    pub use crate::collide::narrowphase::{Limits, find_contacts, separation, separation_of_round};
}

/// Resting contact as Baraff's `a_ij` and `b_i`.
pub mod event {
    pub use crate::event::system::{RestingContact, RestingSystem, resting_system};
}

/// Rows of joints.
pub mod joint {
    pub use crate::world::joint::row::{Law, Row};
}

/// Biases of rows, and the position pass.
pub mod stabilize {
    pub use crate::stabilize::post::PositionPass;
    pub use crate::stabilize::row::{Prescribed, RowState, Sweeps};
}

/// Frames of the bodies as VTK XML.
#[cfg(feature = "scene")]
pub mod vtk {
    pub use crate::output::frames::vtk_xml::{Kind, base64, bodies as frame};
}

/// The schema of scene files.
#[cfg(feature = "cli")]
pub mod scene {
    pub use crate::scene::json_schema;
}
