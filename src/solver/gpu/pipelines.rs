//! Kernels as the device has compiled them.

use super::device::GpuDevice;
use super::kernel::Kernel;
use super::shader::{Access, Binding, Shader, ShaderSet};
use super::window::Window;
use crate::error::Result;
use std::collections::BTreeMap;

/// Pipelines and bind group layouts of all kernels of a set.
#[derive(Debug)]
pub(super) struct Pipelines<Set = Kernel> {
    compiled: BTreeMap<Set, Compiled>,
}

/// A kernel as the device has compiled it, and what it binds.
#[derive(Debug)]
struct Compiled {
    layout: wgpu::BindGroupLayout,
    pipeline: wgpu::ComputePipeline,
    bindings: Vec<Binding>,
}

impl<Set: ShaderSet> Pipelines<Set> {
    /// Compiles all kernels.
    pub(super) fn new(gpu: &GpuDevice) -> Result<Self> {
        let compiled = Set::ALL
            .iter()
            .map(|kernel| {
                let shader = kernel.shader();
                gpu.scoped(shader.name, || Ok((*kernel, compile(&gpu.device, &shader))))
            })
            .collect::<Result<_>>()?;
        Ok(Self { compiled })
    }

    pub(super) fn pipeline(&self, kernel: Set) -> &wgpu::ComputePipeline {
        &self.compiled[&kernel].pipeline
    }

    /// Binds the windows and what `resource` says for each of the kernel's variables.
    pub(super) fn bind<'r>(
        &self,
        gpu: &GpuDevice,
        kernel: Set,
        windows: wgpu::BindingResource<'r>,
        resource: impl Fn(&str) -> Result<wgpu::BindingResource<'r>>,
    ) -> Result<wgpu::BindGroup> {
        let compiled = &self.compiled[&kernel];
        let mut entries = vec![wgpu::BindGroupEntry {
            binding: 0,
            resource: windows,
        }];
        for (binding, variable, _) in &compiled.bindings {
            entries.push(wgpu::BindGroupEntry {
                binding: *binding,
                resource: resource(variable)?,
            });
        }
        Ok(gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(kernel.shader().name),
            layout: &compiled.layout,
            entries: &entries,
        }))
    }
}

fn compile(device: &wgpu::Device, shader: &Shader) -> Compiled {
    let label = Some(shader.name);
    let bindings = shader.bindings();
    let windows = entry(0, Access::Uniform, Some(size_of::<Window>() as u64));
    let others = bindings.iter();
    let others = others.map(|(binding, _, access)| entry(*binding, *access, None));
    let entries: Vec<_> = std::iter::once(windows).chain(others).collect();
    let group_layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label,
        entries: &entries,
    });
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label,
        bind_group_layouts: &[Some(&group_layout)],
        immediate_size: 0,
    });
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label,
        source: wgpu::ShaderSource::Wgsl(shader.source().into()),
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label,
        layout: Some(&layout),
        module: &module,
        entry_point: Some(shader.entry),
        compilation_options: wgpu::PipelineCompilationOptions {
            constants: &shader.constants(),
            // Every kernel writes its workgroup memory before it reads it.
            zero_initialize_workgroup_memory: false,
        },
        cache: None,
    });
    Compiled {
        layout: group_layout,
        pipeline,
        bindings,
    }
}

/// An entry of a layout; with a size if dispatches see a part of so many bytes of what is bound.
fn entry(binding: u32, access: Access, part: Option<u64>) -> wgpu::BindGroupLayoutEntry {
    let ty = match access {
        Access::Uniform => wgpu::BufferBindingType::Uniform,
        Access::Read => wgpu::BufferBindingType::Storage { read_only: true },
        Access::Write => wgpu::BufferBindingType::Storage { read_only: false },
    };
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty,
            has_dynamic_offset: part.is_some(),
            min_binding_size: part.and_then(wgpu::BufferSize::new),
        },
        count: None,
    }
}
