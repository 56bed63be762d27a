//! The kernels: their names, their sources, and what they bind.

use super::shader::{Access, Binding, Shader, ShaderSet, wgsl};
use super::slot::Slot;
use crate::constants::{
    FREE_APPROACH, MOMENTUM_COSINE, MOMENTUM_COSINE_CONVEX, MOMENTUM_COSINE_FORWARD, MOMENTUM_KEPT,
};
use crate::problem::FrictionTable;
use crate::solver::residual::Control;
use Access::{Read, Write};
use Slot::{
    Blocks, BodyMemory, BodyStates, Changes, ContactSums, Frictions, GroupStarts, Hubs, Impulses,
    Inertias, JointSums, Lcps, Logs, Memory, Momentum, Pairs, Partials, Points, Record, Scales,
    SplitBodies, SplitSlots, Steps, Sums, Totals, Velocities,
};

/// A kernel; each has a twin of the same name in [`cpu`](crate::solver::cpu).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kernel {
    /// Blocks of contacts, effective masses included, out of what is uploaded of them.
    ContactMasses,
    /// Sets velocities to nothing.
    BodyStart,
    /// Gauss–Seidel over the joints of one colour.
    JointSweep,
    /// Mass-split Jacobi over the joints of the remainder.
    JointSplit,
    /// Gauss–Seidel over the contacts of one colour.
    ContactSweep,
    /// Mass-split Jacobi over the contacts of the remainder.
    ContactSplit,
    /// Sums the changes of bodies with few slots.
    BodyGather,
    /// Sums the changes of hubs.
    HubGather,
    /// Natural-map residual of the joint rows, summed over workgroups.
    JointResidual,
    /// Natural-map residual of the contacts, summed over workgroups.
    ContactResidual,
    /// Repeats a part of the last change of joint rows' impulses.
    JointMomentum,
    /// The same of contacts' impulses.
    ContactMomentum,
    /// The same of bodies' velocities.
    BodyMomentum,
    /// How joint rows' impulses went on in a sweep, summed over workgroups.
    JointProgress,
    /// The same of contacts' impulses.
    ContactProgress,
    /// Whether momentum goes on.
    MomentumStep,
    /// The residual of all, and whether the solve is done.
    ResidualStep,
    /// Between two LCPs of a step: how the one ended, and when the next is to stop.
    SubstepControl,
    /// After an LCP of a step: velocities and displacements.
    SubstepBodies,
    /// The same of contacts.
    SubstepContacts,
}

const CONTACT: &str = wgsl!("shared/contact");
const JOINT: &str = wgsl!("shared/joint");
const SUBSTEP: &str = wgsl!("shared/substep");

/// The friction cone, of those that look at it.
const FRICTION: Binding<Slot> = (1, Slot::Friction, Access::uniform::<FrictionTable>());

/// Whether the solve is done, of those that do nothing then. The one that decides may not bind it,
/// because it writes it, and those between two LCPs have work to do then.
const CONTROL: Binding<Slot> = (9, Slot::Control, Access::uniform::<Control>());

/// What repeats a part of impulses' last change binds.
const IMPULSE_MOMENTUM: &[Binding<Slot>] = &[
    (2, Impulses, Write),
    (3, Memory, Write),
    (4, Momentum, Read),
    CONTROL,
];

/// What sums up how impulses went on binds.
const PROGRESS: &[Binding<Slot>] = &[
    (2, Blocks, Read),
    (3, Impulses, Read),
    (4, Memory, Read),
    (5, Sums, Write),
    CONTROL,
];

/// What the judgement of momentum declares beside what all kernels do.
const MOMENTUM_CONSTANTS: &[(&str, f64)] = &[
    ("MOMENTUM_COSINE", MOMENTUM_COSINE as f64),
    ("MOMENTUM_COSINE_FORWARD", MOMENTUM_COSINE_FORWARD as f64),
    ("MOMENTUM_COSINE_CONVEX", MOMENTUM_COSINE_CONVEX as f64),
    ("MOMENTUM_KEPT", MOMENTUM_KEPT as f64),
];

impl Kernel {
    /// All kernels, in the order of a sweep.
    pub const ALL: [Self; 20] = [
        Self::ContactMasses,
        Self::BodyStart,
        Self::JointSweep,
        Self::JointSplit,
        Self::ContactSweep,
        Self::ContactSplit,
        Self::BodyGather,
        Self::HubGather,
        Self::JointResidual,
        Self::ContactResidual,
        Self::JointMomentum,
        Self::ContactMomentum,
        Self::BodyMomentum,
        Self::JointProgress,
        Self::ContactProgress,
        Self::MomentumStep,
        Self::ResidualStep,
        Self::SubstepControl,
        Self::SubstepBodies,
        Self::SubstepContacts,
    ];

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

impl ShaderSet for Kernel {
    type Slot = Slot;

    const ALL: &'static [Self] = &Self::ALL;

    fn index(self) -> usize {
        self as usize
    }

    fn shader(self) -> Shader<Slot> {
        match self {
            Self::ContactMasses => Shader::of(
                "contact_masses",
                &[wgsl!("contact_masses")],
                &[
                    (2, Points, Read),
                    (3, Pairs, Read),
                    (4, Frictions, Read),
                    (5, Velocities, Read),
                    (6, Inertias, Read),
                    (7, SplitSlots, Read),
                    (8, Blocks, Write),
                    CONTROL,
                ],
            ),
            Self::BodyStart => Shader::of(
                "body_start",
                &[wgsl!("body_start")],
                &[(2, Velocities, Write), CONTROL],
            ),
            Self::JointSweep => Shader::of(
                "joint_sweep",
                &[JOINT, wgsl!("joint_sweep")],
                &[
                    (2, Blocks, Read),
                    (3, GroupStarts, Read),
                    (4, Impulses, Write),
                    (5, Velocities, Write),
                    (6, Inertias, Read),
                    CONTROL,
                ],
            ),
            Self::JointSplit => Shader::of(
                "joint_split",
                &[JOINT, wgsl!("joint_split")],
                &[
                    (2, Blocks, Read),
                    (3, SplitSlots, Read),
                    (4, Impulses, Write),
                    (5, Velocities, Read),
                    (6, Inertias, Read),
                    (7, Changes, Write),
                    (8, GroupStarts, Read),
                    CONTROL,
                ],
            ),
            Self::ContactSweep => Shader::of(
                "contact_sweep",
                &[CONTACT, wgsl!("contact_sweep")],
                &[
                    FRICTION,
                    (2, Blocks, Read),
                    (3, GroupStarts, Read),
                    (4, Impulses, Write),
                    (5, Velocities, Write),
                    (6, Inertias, Read),
                    CONTROL,
                ],
            ),
            Self::ContactSplit => Shader::of(
                "contact_split",
                &[CONTACT, wgsl!("contact_split")],
                &[
                    FRICTION,
                    (2, Blocks, Read),
                    (3, SplitSlots, Read),
                    (4, Impulses, Write),
                    (5, Velocities, Read),
                    (6, Inertias, Read),
                    (7, Changes, Write),
                    CONTROL,
                ],
            ),
            Self::BodyGather => Shader::of(
                "body_gather",
                &[wgsl!("body_gather")],
                &[
                    (2, SplitBodies, Read),
                    (3, Changes, Read),
                    (4, Velocities, Write),
                    CONTROL,
                ],
            ),
            Self::HubGather => Shader::of(
                "hub_gather",
                &[wgsl!("hub_gather")],
                &[
                    (2, Hubs, Read),
                    (3, Changes, Read),
                    (4, Velocities, Write),
                    CONTROL,
                ],
            ),
            Self::JointResidual => Shader::of(
                "joint_residual",
                &[JOINT, wgsl!("joint_residual")],
                &[
                    (2, Blocks, Read),
                    (3, Impulses, Read),
                    (4, Velocities, Read),
                    (5, Partials, Write),
                    (6, Scales, Read),
                    CONTROL,
                ],
            ),
            Self::ContactResidual => Shader::of(
                "contact_residual",
                &[CONTACT, wgsl!("contact_residual")],
                &[
                    FRICTION,
                    (2, Blocks, Read),
                    (3, Impulses, Read),
                    (4, Velocities, Read),
                    (5, Partials, Write),
                    (6, Inertias, Read),
                    CONTROL,
                ],
            ),
            Self::JointMomentum => Shader::of(
                "joint_momentum",
                &[wgsl!("joint_momentum")],
                IMPULSE_MOMENTUM,
            ),
            Self::ContactMomentum => Shader::of(
                "contact_momentum",
                &[wgsl!("contact_momentum")],
                IMPULSE_MOMENTUM,
            ),
            Self::BodyMomentum => Shader::of(
                "body_momentum",
                &[wgsl!("body_momentum")],
                &[
                    (2, Velocities, Write),
                    (3, BodyMemory, Write),
                    (4, Momentum, Read),
                    CONTROL,
                ],
            ),
            Self::JointProgress => {
                Shader::of("joint_progress", &[wgsl!("joint_progress")], PROGRESS)
            }
            Self::ContactProgress => {
                Shader::of("contact_progress", &[wgsl!("contact_progress")], PROGRESS)
            }
            Self::MomentumStep => Shader::of(
                "momentum_step",
                &[wgsl!("momentum_step")],
                &[
                    (2, JointSums, Read),
                    (3, ContactSums, Read),
                    (4, Momentum, Write),
                    CONTROL,
                ],
            )
            .with_constants(MOMENTUM_CONSTANTS),
            Self::ResidualStep => Shader::of(
                "residual_step",
                &[wgsl!("residual_step")],
                &[(2, Partials, Read), (3, Record, Write)],
            ),
            Self::SubstepControl => Shader::of(
                "substep_control",
                &[SUBSTEP, wgsl!("substep_control")],
                &[
                    (2, Lcps, Read),
                    (3, Record, Write),
                    (4, Logs, Write),
                    (5, Momentum, Write),
                ],
            ),
            Self::SubstepBodies => Shader::of(
                "substep_bodies",
                &[SUBSTEP, wgsl!("substep_bodies")],
                &[
                    (2, Lcps, Read),
                    (3, Velocities, Write),
                    (4, BodyStates, Write),
                ],
            ),
            Self::SubstepContacts => Shader::of(
                "substep_contacts",
                &[SUBSTEP, wgsl!("substep_contacts")],
                &[
                    (2, Lcps, Read),
                    (3, Steps, Read),
                    (4, Frictions, Read),
                    (5, BodyStates, Read),
                    (6, Blocks, Write),
                    (7, Impulses, Write),
                    (8, Totals, Write),
                ],
            )
            .with_constants(&[("FREE_APPROACH", FREE_APPROACH as f64)]),
        }
    }
}
