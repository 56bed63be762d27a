//! The arrays that kernels bind.

/// An array that a kernel binds, or a part of one. Blocks and what belongs to them
/// are those of the joints or of the contacts, whichever the dispatch treats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    Friction,
    Blocks,
    /// What changes of contacts from solve to solve.
    Points,
    /// Bodies of contacts.
    Pairs,
    /// Coefficients of friction.
    Frictions,
    GroupStarts,
    SplitSlots,
    SplitBodies,
    Hubs,
    Impulses,
    Velocities,
    Inertias,
    Changes,
    Partials,
    Scales,
    /// Whether the solve is done, and when it is to be.
    Control,
    /// The control and the sums that lead to it.
    Record,
    /// The last two points of the impulses.
    Memory,
    /// The last velocities.
    BodyMemory,
    Momentum,
    /// Sums of progress.
    Sums,
    JointSums,
    ContactSums,
    /// The LCPs of a step.
    Lcps,
    /// How they ended.
    Logs,
    /// What a step has done to the bodies.
    BodyStates,
    /// Contacts or joint rows at the start of a step.
    Steps,
    /// Impulses kept and summed up.
    Totals,
}

impl Slot {
    /// What a variable of a kernel stands for.
    pub(super) fn named(variable: &str) -> Option<Self> {
        Some(match variable {
            "friction" => Self::Friction,
            "blocks" => Self::Blocks,
            "points" => Self::Points,
            "pairs" => Self::Pairs,
            "frictions" => Self::Frictions,
            "group_starts" => Self::GroupStarts,
            "slots" => Self::SplitSlots,
            "bodies" => Self::SplitBodies,
            "hubs" => Self::Hubs,
            "impulses" => Self::Impulses,
            "velocities" => Self::Velocities,
            "inertias" => Self::Inertias,
            "changes" => Self::Changes,
            "partials" => Self::Partials,
            "scales" => Self::Scales,
            "control" => Self::Control,
            "record" => Self::Record,
            "memory" => Self::Memory,
            "body_memory" => Self::BodyMemory,
            "momentum" => Self::Momentum,
            "sums" => Self::Sums,
            "joint_sums" => Self::JointSums,
            "contact_sums" => Self::ContactSums,
            "lcps" => Self::Lcps,
            "logs" => Self::Logs,
            "states" => Self::BodyStates,
            "steps" => Self::Steps,
            "totals" => Self::Totals,
            _ => return None,
        })
    }
}
