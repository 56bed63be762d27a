//! Kernels as the device has compiled them.

use super::device::GpuDevice;
use super::kernel::Kernel;
use super::shader::{Access, Shader, ShaderSet};
use super::window::Window;
use crate::error::Result;
use std::marker::PhantomData;

/// Pipelines and bind group layouts of all kernels of a set.
#[derive(Debug)]
pub(super) struct Pipelines<Set = Kernel> {
    compiled: Vec<(wgpu::BindGroupLayout, wgpu::ComputePipeline)>,
    set: PhantomData<Set>,
}

impl<Set: ShaderSet> Pipelines<Set> {
    /// Compiles all kernels.
    pub(super) fn new(gpu: &GpuDevice) -> Result<Self> {
        let compiled = Set::ALL
            .iter()
            .map(|kernel| kernel.shader())
            .map(|shader| gpu.scoped(shader.name, || Ok(compile(&gpu.device, &shader))))
            .collect::<Result<_>>()?;
        Ok(Self {
            compiled,
            set: PhantomData,
        })
    }

    pub(super) fn pipeline(&self, kernel: Set) -> &wgpu::ComputePipeline {
        &self.compiled[kernel.index()].1
    }

    /// Binds the windows and what `resource` says for each of the kernel's slots.
    pub(super) fn bind<'r>(
        &self,
        gpu: &GpuDevice,
        kernel: Set,
        windows: wgpu::BindingResource<'r>,
        resource: impl Fn(Set::Slot) -> Result<wgpu::BindingResource<'r>>,
    ) -> Result<wgpu::BindGroup> {
        let shader = kernel.shader();
        let mut entries = vec![wgpu::BindGroupEntry {
            binding: 0,
            resource: windows,
        }];
        for &(binding, slot, _) in shader.bindings {
            entries.push(wgpu::BindGroupEntry {
                binding,
                resource: resource(slot)?,
            });
        }
        Ok(gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(shader.name),
            layout: &self.compiled[kernel.index()].0,
            entries: &entries,
        }))
    }
}

fn compile<Slot>(
    device: &wgpu::Device,
    shader: &Shader<Slot>,
) -> (wgpu::BindGroupLayout, wgpu::ComputePipeline) {
    let label = Some(shader.name);
    let windows = entry(0, Access::uniform::<Window>(), true);
    let others = shader.bindings.iter();
    let others = others.map(|&(binding, _, access)| entry(binding, access, false));
    let entries: Vec<_> = std::iter::once(windows).chain(others).collect();
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
        source: wgpu::ShaderSource::Wgsl(shader.source().into()),
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label,
        layout: Some(&layout),
        module: &module,
        entry_point: label,
        compilation_options: wgpu::PipelineCompilationOptions {
            constants: &shader.constants(),
            // Every kernel writes its workgroup memory before it reads it.
            zero_initialize_workgroup_memory: false,
        },
        cache: None,
    });
    (bindings, pipeline)
}

fn entry(binding: u32, access: Access, has_dynamic_offset: bool) -> wgpu::BindGroupLayoutEntry {
    let (ty, bytes) = match access {
        Access::Uniform(bytes) => (wgpu::BufferBindingType::Uniform, Some(bytes)),
        Access::Read => (wgpu::BufferBindingType::Storage { read_only: true }, None),
        Access::Write => (wgpu::BufferBindingType::Storage { read_only: false }, None),
    };
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty,
            has_dynamic_offset,
            min_binding_size: bytes.and_then(wgpu::BufferSize::new),
        },
        count: None,
    }
}
