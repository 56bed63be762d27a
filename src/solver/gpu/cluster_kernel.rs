//! The kernels of clusters: their sources, what they bind, and their pipelines.

use super::device::GpuDevice;
use super::layout::{Window, uniform};
use crate::constants::{
    CLUSTER_COPIES, IMPULSE_DEAD_BAND, MAX_FRICTION_DIRECTIONS, MOMENTUM_COSINE,
    MOMENTUM_REBUILD_PASSES, WORKGROUP_SIZE,
};
use crate::error::Result;
use crate::problem::FrictionTable;

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

/// What a kernel of clusters binds at one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClusterSlot {
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

/// Binding, what is bound there, and whether the kernel writes it.
type Binding = (u32, ClusterSlot, bool);

impl ClusterKernel {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Sweep, Self::Gather, Self::Solve, Self::Residual];

    /// Name of the file, of the entry point and of the CPU twin.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sweep => "cluster_sweep",
            Self::Gather => "cluster_gather",
            Self::Solve => "cluster_solve",
            Self::Residual => "cluster_residual",
        }
    }

    /// The whole WGSL module: shared parts, then the kernel.
    #[must_use]
    pub fn source(self) -> String {
        let contact = include_str!("../../../shaders/shared/contact.wgsl");
        let joint = include_str!("../../../shaders/shared/joint.wgsl");
        let momentum = include_str!("../../../shaders/shared/momentum.wgsl");
        let pass = include_str!("../../../shaders/shared/cluster_pass.wgsl");
        let mean = include_str!("../../../shaders/shared/cluster_mean.wgsl");
        let parts: &[&str] = match self {
            Self::Sweep => &[
                contact,
                joint,
                momentum,
                pass,
                include_str!("../../../shaders/cluster_sweep.wgsl"),
            ],
            Self::Gather => &[
                momentum,
                mean,
                include_str!("../../../shaders/cluster_gather.wgsl"),
            ],
            Self::Solve => &[
                contact,
                joint,
                momentum,
                pass,
                mean,
                include_str!("../../../shaders/cluster_solve.wgsl"),
            ],
            Self::Residual => &[
                contact,
                joint,
                include_str!("../../../shaders/cluster_residual.wgsl"),
            ],
        };
        // The length of an array in a uniform must be a constant; an `override` will not do.
        let constants =
            format!("const MAX_FRICTION_DIRECTIONS: u32 = {MAX_FRICTION_DIRECTIONS}u;\n");
        [
            &constants,
            include_str!("../../../shaders/shared/types.wgsl"),
            include_str!("../../../shaders/shared/math.wgsl"),
            include_str!("../../../shaders/shared/cluster.wgsl"),
        ]
        .into_iter()
        .chain(parts.iter().copied())
        .collect()
    }

    /// What it binds after the window at binding 0.
    pub(super) fn bindings(self) -> &'static [Binding] {
        use ClusterSlot::{
            Blocks, Bodies, Friction, Impulses, Memory, Partials, Progress, Slots, Velocities,
            Words,
        };
        match self {
            Self::Sweep => &[
                (1, Friction, false),
                (2, Blocks, false),
                (3, Impulses, true),
                (4, Memory, true),
                (5, Words, false),
                (6, Velocities, false),
                (7, Bodies, false),
                (8, Slots, true),
                (9, Progress, true),
            ],
            Self::Gather => &[
                (5, Words, false),
                (6, Velocities, true),
                (7, Bodies, true),
                (8, Slots, false),
                (9, Progress, true),
            ],
            Self::Solve => &[
                (1, Friction, false),
                (2, Blocks, false),
                (3, Impulses, true),
                (4, Memory, true),
                (5, Words, false),
                (6, Velocities, true),
                (7, Bodies, true),
                (8, Slots, true),
                (9, Progress, true),
            ],
            Self::Residual => &[
                (1, Friction, false),
                (2, Blocks, false),
                (3, Impulses, false),
                (4, Partials, true),
                (5, Words, false),
                (6, Velocities, false),
            ],
        }
    }

    /// The constants that it declares.
    fn constants(self) -> Vec<(&'static str, f64)> {
        let mut constants = vec![
            ("WORKGROUP_SIZE", f64::from(WORKGROUP_SIZE)),
            ("IMPULSE_DEAD_BAND", f64::from(IMPULSE_DEAD_BAND)),
        ];
        if self != Self::Residual {
            constants.push(("MOMENTUM_COSINE", f64::from(MOMENTUM_COSINE)));
        }
        if matches!(self, Self::Sweep | Self::Solve) {
            constants.push(("CLUSTER_COPIES", f64::from(CLUSTER_COPIES)));
        }
        if self == Self::Solve {
            constants.push((
                "MOMENTUM_REBUILD_PASSES",
                f64::from(MOMENTUM_REBUILD_PASSES),
            ));
        }
        constants
    }
}

/// Pipelines and bind group layouts, in the order of [`ClusterKernel::ALL`].
#[derive(Debug)]
pub(super) struct ClusterPipelines {
    kernels: Vec<(wgpu::BindGroupLayout, wgpu::ComputePipeline)>,
}

impl ClusterPipelines {
    /// Compiles all kernels of clusters.
    pub(super) fn new(gpu: &GpuDevice) -> Result<Self> {
        let kernels = ClusterKernel::ALL
            .into_iter()
            .map(|kernel| gpu.scoped(kernel.name(), || Ok(compile(&gpu.device, kernel))))
            .collect::<Result<_>>()?;
        Ok(Self { kernels })
    }

    pub(super) fn bind_group_layout(&self, kernel: ClusterKernel) -> &wgpu::BindGroupLayout {
        &self.kernels[kernel as usize].0
    }

    pub(super) fn pipeline(&self, kernel: ClusterKernel) -> &wgpu::ComputePipeline {
        &self.kernels[kernel as usize].1
    }
}

fn compile(
    device: &wgpu::Device,
    kernel: ClusterKernel,
) -> (wgpu::BindGroupLayout, wgpu::ComputePipeline) {
    let label = Some(kernel.name());
    let entry = |binding, ty| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty,
        count: None,
    };
    let mut entries = vec![entry(0, uniform(true, size_of::<Window>() as u64))];
    entries.extend(kernel.bindings().iter().map(|&(binding, slot, writable)| {
        let ty = match slot {
            ClusterSlot::Friction => uniform(false, size_of::<FrictionTable>() as u64),
            _ => wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Storage {
                    read_only: !writable,
                },
                has_dynamic_offset: false,
                min_binding_size: None,
            },
        };
        entry(binding, ty)
    }));
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
            constants: &kernel.constants(),
            // Every kernel writes its workgroup memory before it reads it.
            zero_initialize_workgroup_memory: false,
        },
        cache: None,
    });
    (bindings, pipeline)
}
