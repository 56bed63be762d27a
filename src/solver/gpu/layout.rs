//! The kernels: their sources, what they bind, and their pipelines.

use super::device::GpuDevice;
use crate::constants::{
    IMPULSE_DEAD_BAND, MAX_FRICTION_DIRECTIONS, MOMENTUM_COSINE, MOMENTUM_COSINE_CONVEX,
    MOMENTUM_COSINE_FORWARD, WORKGROUP_SIZE,
};
use crate::error::Result;
use crate::problem::FrictionTable;
use crate::solver::residual::Control;
use bytemuck::{Pod, Zeroable};

/// Binding of the control uniform.
pub(super) const CONTROL_BINDING: u32 = 9;

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
    /// Repeats a part of the direction of joint rows' impulses.
    JointConjugate,
    /// The same of contacts' impulses.
    ContactConjugate,
    /// The same of bodies' velocities.
    BodyConjugate,
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
    /// Before an LCP of a step: joint rows where the bodies are now.
    SubstepJoints,
    /// The same of contacts.
    SubstepContacts,
}

/// What a kernel binds at one place, after the [`Window`] at binding 0. Blocks and what belongs to them
/// are those of the joints or of the contacts, whichever the dispatch treats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    Friction,
    Blocks,
    /// The same, to be written.
    BlocksMade,
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
    Impulses {
        writable: bool,
    },
    Velocities {
        writable: bool,
    },
    Inertias,
    Changes {
        writable: bool,
    },
    Partials {
        writable: bool,
    },
    Scales,
    /// The control and the sums that lead to it.
    Record,
    /// The last two points of the impulses.
    Memory {
        writable: bool,
    },
    /// The last velocities.
    BodyMemory,
    Momentum {
        writable: bool,
    },
    /// Sums of progress.
    Sums,
    JointSums,
    ContactSums,
    /// The joint rows' scales, to be written.
    ScalesMade,
    /// The LCPs of a step.
    Lcps,
    /// How they ended.
    Logs,
    /// What a step has done to the bodies.
    BodyStates {
        writable: bool,
    },
    /// Contacts or joint rows at the start of a step.
    Steps,
    /// Impulses kept and summed up.
    Totals,
}

impl Kernel {
    /// All kernels, in the order of a sweep.
    pub const ALL: [Self; 24] = [
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
        Self::JointConjugate,
        Self::ContactConjugate,
        Self::BodyConjugate,
        Self::JointProgress,
        Self::ContactProgress,
        Self::MomentumStep,
        Self::ResidualStep,
        Self::SubstepControl,
        Self::SubstepBodies,
        Self::SubstepJoints,
        Self::SubstepContacts,
    ];

    /// Name of the file, of the entry point and of the CPU twin.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ContactMasses => "contact_masses",
            Self::BodyStart => "body_start",
            Self::JointSweep => "joint_sweep",
            Self::JointSplit => "joint_split",
            Self::ContactSweep => "contact_sweep",
            Self::ContactSplit => "contact_split",
            Self::BodyGather => "body_gather",
            Self::HubGather => "hub_gather",
            Self::JointResidual => "joint_residual",
            Self::ContactResidual => "contact_residual",
            Self::JointMomentum => "joint_momentum",
            Self::ContactMomentum => "contact_momentum",
            Self::BodyMomentum => "body_momentum",
            Self::JointConjugate => "joint_conjugate",
            Self::ContactConjugate => "contact_conjugate",
            Self::BodyConjugate => "body_conjugate",
            Self::JointProgress => "joint_progress",
            Self::ContactProgress => "contact_progress",
            Self::MomentumStep => "momentum_step",
            Self::ResidualStep => "residual_step",
            Self::SubstepControl => "substep_control",
            Self::SubstepBodies => "substep_bodies",
            Self::SubstepJoints => "substep_joints",
            Self::SubstepContacts => "substep_contacts",
        }
    }

    /// The whole WGSL module: shared parts, then the kernel.
    #[must_use]
    pub fn source(self) -> String {
        let contact = include_str!("../../../shaders/shared/contact.wgsl");
        let joint = include_str!("../../../shaders/shared/joint.wgsl");
        let substep = include_str!("../../../shaders/shared/substep.wgsl");
        let (shared, own) = match self {
            Self::ContactMasses => ("", include_str!("../../../shaders/contact_masses.wgsl")),
            Self::BodyStart => ("", include_str!("../../../shaders/body_start.wgsl")),
            Self::JointSweep => (joint, include_str!("../../../shaders/joint_sweep.wgsl")),
            Self::JointSplit => (joint, include_str!("../../../shaders/joint_split.wgsl")),
            Self::ContactSweep => (contact, include_str!("../../../shaders/contact_sweep.wgsl")),
            Self::ContactSplit => (contact, include_str!("../../../shaders/contact_split.wgsl")),
            Self::BodyGather => ("", include_str!("../../../shaders/body_gather.wgsl")),
            Self::HubGather => ("", include_str!("../../../shaders/hub_gather.wgsl")),
            Self::JointResidual => (joint, include_str!("../../../shaders/joint_residual.wgsl")),
            Self::ContactResidual => (
                contact,
                include_str!("../../../shaders/contact_residual.wgsl"),
            ),
            Self::JointMomentum => ("", include_str!("../../../shaders/joint_momentum.wgsl")),
            Self::ContactMomentum => ("", include_str!("../../../shaders/contact_momentum.wgsl")),
            Self::BodyMomentum => ("", include_str!("../../../shaders/body_momentum.wgsl")),
            Self::JointConjugate => ("", include_str!("../../../shaders/joint_conjugate.wgsl")),
            Self::ContactConjugate => ("", include_str!("../../../shaders/contact_conjugate.wgsl")),
            Self::BodyConjugate => ("", include_str!("../../../shaders/body_conjugate.wgsl")),
            Self::JointProgress => ("", include_str!("../../../shaders/joint_progress.wgsl")),
            Self::ContactProgress => ("", include_str!("../../../shaders/contact_progress.wgsl")),
            Self::MomentumStep => ("", include_str!("../../../shaders/momentum_step.wgsl")),
            Self::ResidualStep => ("", include_str!("../../../shaders/residual_step.wgsl")),
            Self::SubstepControl => (
                substep,
                include_str!("../../../shaders/substep_control.wgsl"),
            ),
            Self::SubstepBodies => (
                substep,
                include_str!("../../../shaders/substep_bodies.wgsl"),
            ),
            Self::SubstepJoints => (
                substep,
                include_str!("../../../shaders/substep_joints.wgsl"),
            ),
            Self::SubstepContacts => (
                substep,
                include_str!("../../../shaders/substep_contacts.wgsl"),
            ),
        };
        // The length of an array in a uniform must be a constant; an `override` will not do.
        let constants =
            format!("const MAX_FRICTION_DIRECTIONS: u32 = {MAX_FRICTION_DIRECTIONS}u;\n");
        [
            &constants,
            include_str!("../../../shaders/shared/types.wgsl"),
            include_str!("../../../shaders/shared/math.wgsl"),
            shared,
            own,
        ]
        .concat()
    }

    /// True if it does nothing once a solve is done; then it binds the control. The one that decides
    /// may not, because it writes it, and those between two LCPs have work to do then.
    pub(super) fn heeds_control(self) -> bool {
        !matches!(
            self,
            Self::ResidualStep
                | Self::SubstepControl
                | Self::SubstepBodies
                | Self::SubstepJoints
                | Self::SubstepContacts
        )
    }

    /// What it binds from binding 1 on, or from 2 on where there is no friction.
    pub(super) fn slots(self) -> &'static [(u32, Slot)] {
        use Slot::{
            Blocks, BlocksMade, BodyMemory, BodyStates, Changes, ContactSums, Friction, Frictions,
            GroupStarts, Hubs, Impulses, Inertias, JointSums, Lcps, Logs, Memory, Momentum, Pairs,
            Partials, Points, Record, Scales, ScalesMade, SplitBodies, SplitSlots, Steps, Sums,
            Totals, Velocities,
        };
        match self {
            Self::ContactMasses => &[
                (2, Points),
                (3, Pairs),
                (4, Frictions),
                (5, Velocities { writable: false }),
                (6, Inertias),
                (7, SplitSlots),
                (8, BlocksMade),
            ],
            Self::BodyStart => &[(2, Velocities { writable: true })],
            Self::JointSweep => &[
                (2, Blocks),
                (3, GroupStarts),
                (4, Impulses { writable: true }),
                (5, Velocities { writable: true }),
                (6, Inertias),
            ],
            Self::JointSplit => &[
                (2, Blocks),
                (3, SplitSlots),
                (4, Impulses { writable: true }),
                (5, Velocities { writable: false }),
                (6, Inertias),
                (7, Changes { writable: true }),
                (8, GroupStarts),
            ],
            Self::ContactSweep => &[
                (1, Friction),
                (2, Blocks),
                (3, GroupStarts),
                (4, Impulses { writable: true }),
                (5, Velocities { writable: true }),
                (6, Inertias),
            ],
            Self::ContactSplit => &[
                (1, Friction),
                (2, Blocks),
                (3, SplitSlots),
                (4, Impulses { writable: true }),
                (5, Velocities { writable: false }),
                (6, Inertias),
                (7, Changes { writable: true }),
            ],
            Self::BodyGather => &[
                (2, SplitBodies),
                (3, Changes { writable: false }),
                (4, Velocities { writable: true }),
            ],
            Self::HubGather => &[
                (2, Hubs),
                (3, Changes { writable: false }),
                (4, Velocities { writable: true }),
            ],
            Self::JointResidual => &[
                (2, Blocks),
                (3, Impulses { writable: false }),
                (4, Velocities { writable: false }),
                (5, Partials { writable: true }),
                (6, Scales),
            ],
            Self::ContactResidual => &[
                (1, Friction),
                (2, Blocks),
                (3, Impulses { writable: false }),
                (4, Velocities { writable: false }),
                (5, Partials { writable: true }),
            ],
            Self::JointMomentum
            | Self::ContactMomentum
            | Self::JointConjugate
            | Self::ContactConjugate => &[
                (2, Impulses { writable: true }),
                (3, Memory { writable: true }),
                (4, Momentum { writable: false }),
            ],
            Self::BodyMomentum | Self::BodyConjugate => &[
                (2, Velocities { writable: true }),
                (3, BodyMemory),
                (4, Momentum { writable: false }),
            ],
            Self::JointProgress | Self::ContactProgress => &[
                (2, Blocks),
                (3, Impulses { writable: false }),
                (4, Memory { writable: false }),
                (5, Sums),
            ],
            Self::MomentumStep => &[
                (2, JointSums),
                (3, ContactSums),
                (4, Momentum { writable: true }),
            ],
            Self::ResidualStep => &[(2, Partials { writable: false }), (3, Record)],
            Self::SubstepControl => &[
                (2, Lcps),
                (3, Record),
                (4, Logs),
                (5, Momentum { writable: true }),
            ],
            Self::SubstepBodies => &[
                (2, Lcps),
                (3, Velocities { writable: true }),
                (4, BodyStates { writable: true }),
            ],
            Self::SubstepJoints => &[
                (2, Lcps),
                (3, Steps),
                (4, BodyStates { writable: false }),
                (5, BlocksMade),
                (6, Impulses { writable: true }),
                (7, Totals),
                (8, ScalesMade),
            ],
            Self::SubstepContacts => &[
                (2, Lcps),
                (3, Steps),
                (4, Frictions),
                (5, BodyStates { writable: false }),
                (6, BlocksMade),
                (7, Impulses { writable: true }),
                (8, Totals),
            ],
        }
    }
}

impl Slot {
    fn binding_type(self) -> wgpu::BindingType {
        let ty = match self {
            Self::Friction => {
                return uniform(false, size_of::<FrictionTable>() as u64);
            }
            Self::Partials { writable: true }
            | Self::Record
            | Self::BlocksMade
            | Self::ScalesMade
            | Self::Logs
            | Self::Totals
            | Self::BodyStates { writable: true }
            | Self::Sums
            | Self::BodyMemory
            | Self::Memory { writable: true }
            | Self::Momentum { writable: true }
            | Self::Impulses { writable: true }
            | Self::Velocities { writable: true }
            | Self::Changes { writable: true } => {
                wgpu::BufferBindingType::Storage { read_only: false }
            }
            _ => wgpu::BufferBindingType::Storage { read_only: true },
        };
        wgpu::BindingType::Buffer {
            ty,
            has_dynamic_offset: false,
            min_binding_size: None,
        }
    }
}

pub(super) fn uniform(has_dynamic_offset: bool, size: u64) -> wgpu::BindingType {
    wgpu::BindingType::Buffer {
        ty: wgpu::BufferBindingType::Uniform,
        has_dynamic_offset,
        min_binding_size: wgpu::BufferSize::new(size),
    }
}

/// Which elements one dispatch treats, and the first element of each bound window; 32 bytes.
///
/// Twin of the WGSL struct of the same name.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct Window {
    /// First element: a group (sweeps, joint split), a block (contact split, residuals) or an entry of
    /// the list (gathers).
    pub first: u32,
    /// One past the last element.
    pub end: u32,
    /// First bound block and impulse.
    pub block_base: u32,
    /// First bound pair of slots (counted in elements), list entry or partial.
    pub entry_base: u32,
    /// First bound slot of the changes.
    pub slot_base: u32,
    /// One past the last bound slot.
    pub slot_end: u32,
    /// What the dispatch does besides; a sum of the constants below.
    pub flags: u32,
    /// First bound group start; between the LCPs of a step the number of the LCP.
    pub start_base: u32,
}

impl Window {
    /// The dispatch keeps the impulses it computes.
    pub(super) const KEEPS_IMPULSES: u32 = 1;
    /// It takes the contacts or rows of a pair of bodies from the last to the first.
    pub(super) const REVERSE: u32 = 2;
    /// It changes no impulse, and adds to velocities what the impulses do.
    pub(super) const REBUILD: u32 = 4;
    /// It precedes a rebuilding of velocities.
    pub(super) const BEFORE_REBUILD: u32 = 8;
    /// It follows a rebuilding of velocities.
    pub(super) const AFTER_REBUILD: u32 = 16;
    /// It comes before the first sweep; of a sum in parts, it is the first part.
    pub(super) const STARTS: u32 = 32;
    /// Of a sum in parts, it is the last.
    pub(super) const ENDS: u32 = 64;
    /// It treats the remainder, whose bodies are split.
    pub(super) const SPLITS: u32 = 128;
    /// It makes impulses those that were kept.
    pub(super) const RESTORES: u32 = 256;
    /// It makes them nothing.
    pub(super) const COLD: u32 = 512;
    /// It stands before a velocity LCP, or after it.
    pub(super) const VELOCITY: u32 = 1024;
    /// The same of a position LCP.
    pub(super) const POSITION: u32 = 2048;
}

/// Pipelines and bind group layouts of all kernels, in the order of [`Kernel::ALL`].
#[derive(Debug)]
pub(super) struct Layouts {
    kernels: Vec<(wgpu::BindGroupLayout, wgpu::ComputePipeline)>,
}

impl Layouts {
    /// Compiles all kernels.
    pub(super) fn new(gpu: &GpuDevice) -> Result<Self> {
        let kernels = Kernel::ALL
            .into_iter()
            .map(|kernel| gpu.scoped(kernel.name(), || Ok(compile(&gpu.device, kernel))))
            .collect::<Result<_>>()?;
        Ok(Self { kernels })
    }

    pub(super) fn bind_group_layout(&self, kernel: Kernel) -> &wgpu::BindGroupLayout {
        &self.kernels[kernel as usize].0
    }

    pub(super) fn pipeline(&self, kernel: Kernel) -> &wgpu::ComputePipeline {
        &self.kernels[kernel as usize].1
    }
}

fn compile(
    device: &wgpu::Device,
    kernel: Kernel,
) -> (wgpu::BindGroupLayout, wgpu::ComputePipeline) {
    let label = Some(kernel.name());
    let entry = |binding, ty| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty,
        count: None,
    };
    let mut entries = vec![entry(0, uniform(true, size_of::<Window>() as u64))];
    entries.extend(
        kernel
            .slots()
            .iter()
            .map(|&(binding, slot)| entry(binding, slot.binding_type())),
    );
    if kernel.heeds_control() {
        let control = uniform(false, size_of::<Control>() as u64);
        entries.push(entry(CONTROL_BINDING, control));
    }
    let bindings = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label,
        entries: &entries,
    });
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label,
        bind_group_layouts: &[Some(&bindings)],
        immediate_size: 0,
    });
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label,
        source: wgpu::ShaderSource::Wgsl(kernel.source().into()),
    });
    let mut constants = vec![
        ("WORKGROUP_SIZE", f64::from(WORKGROUP_SIZE)),
        ("IMPULSE_DEAD_BAND", f64::from(IMPULSE_DEAD_BAND)),
    ];
    if kernel == Kernel::MomentumStep {
        constants.extend([
            ("MOMENTUM_COSINE", f64::from(MOMENTUM_COSINE)),
            (
                "MOMENTUM_COSINE_FORWARD",
                f64::from(MOMENTUM_COSINE_FORWARD),
            ),
            ("MOMENTUM_COSINE_CONVEX", f64::from(MOMENTUM_COSINE_CONVEX)),
        ]);
    }
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label,
        layout: Some(&layout),
        module: &module,
        entry_point: label,
        compilation_options: wgpu::PipelineCompilationOptions {
            constants: &constants,
            // Every kernel writes its workgroup memory before it reads it.
            zero_initialize_workgroup_memory: false,
        },
        cache: None,
    });
    (bindings, pipeline)
}
