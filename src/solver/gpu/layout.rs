//! The kernels: their sources, what they bind, and their pipelines.

use super::device::GpuDevice;
use crate::constants::{IMPULSE_DEAD_BAND, MAX_FRICTION_DIRECTIONS, WORKGROUP_SIZE};
use crate::error::Result;
use crate::problem::FrictionTable;
use bytemuck::{Pod, Zeroable};

/// A kernel; each has a twin of the same name in [`cpu`](crate::solver::cpu).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kernel {
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
}

/// What a kernel binds at one place, after the [`Window`] at binding 0. Blocks and what belongs to them
/// are those of the joints or of the contacts, whichever the dispatch treats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    Friction,
    Blocks,
    GroupStarts,
    SplitSlots,
    SplitBodies,
    Hubs,
    Impulses { writable: bool },
    Velocities { writable: bool },
    Inertias,
    Changes { writable: bool },
    Partials,
    Scales,
}

impl Kernel {
    /// All kernels, in the order of a sweep.
    pub const ALL: [Self; 8] = [
        Self::JointSweep,
        Self::JointSplit,
        Self::ContactSweep,
        Self::ContactSplit,
        Self::BodyGather,
        Self::HubGather,
        Self::JointResidual,
        Self::ContactResidual,
    ];

    /// Name of the file, of the entry point and of the CPU twin.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::JointSweep => "joint_sweep",
            Self::JointSplit => "joint_split",
            Self::ContactSweep => "contact_sweep",
            Self::ContactSplit => "contact_split",
            Self::BodyGather => "body_gather",
            Self::HubGather => "hub_gather",
            Self::JointResidual => "joint_residual",
            Self::ContactResidual => "contact_residual",
        }
    }

    /// The whole WGSL module: shared parts, then the kernel.
    #[must_use]
    pub fn source(self) -> String {
        let contact = include_str!("../../../shaders/shared/contact.wgsl");
        let joint = include_str!("../../../shaders/shared/joint.wgsl");
        let (shared, own) = match self {
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

    /// What it binds from binding 1 on, or from 2 on where there is no friction.
    pub(super) fn slots(self) -> &'static [(u32, Slot)] {
        use Slot::{
            Blocks, Changes, Friction, GroupStarts, Hubs, Impulses, Inertias, Partials, Scales,
            SplitBodies, SplitSlots, Velocities,
        };
        match self {
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
                (5, Partials),
                (6, Scales),
            ],
            Self::ContactResidual => &[
                (1, Friction),
                (2, Blocks),
                (3, Impulses { writable: false }),
                (4, Velocities { writable: false }),
                (5, Partials),
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
            Self::Partials
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

fn uniform(has_dynamic_offset: bool, size: u64) -> wgpu::BindingType {
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
    /// 1 if this dispatch keeps the impulses it computes.
    pub keeps_impulses: u32,
    /// First bound group start.
    pub start_base: u32,
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
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label,
        layout: Some(&layout),
        module: &module,
        entry_point: label,
        compilation_options: wgpu::PipelineCompilationOptions {
            constants: &[
                ("WORKGROUP_SIZE", f64::from(WORKGROUP_SIZE)),
                ("IMPULSE_DEAD_BAND", f64::from(IMPULSE_DEAD_BAND)),
            ],
            // Every kernel writes its workgroup memory before it reads it.
            zero_initialize_workgroup_memory: false,
        },
        cache: None,
    });
    (bindings, pipeline)
}
