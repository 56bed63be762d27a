//! The pipelines of a picture.

use super::scenery::Instance;
use super::shapes::Corner;

/// Format of a sample of the picture, before tone mapping.
pub(super) const LIGHT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba16Float;
/// Format of depths.
pub(super) const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

macro_rules! shader {
    ($name:literal) => {
        include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/shaders/render/",
            $name,
            ".wgsl"
        ))
    };
}

/// Whole programs, each made of files in `shaders/render`.
pub(crate) const PROGRAMS: [(&str, &[&str]); 5] = [
    (
        "surface",
        &[shader!("view"), shader!("shade"), shader!("surface")],
    ),
    (
        "sphere",
        &[shader!("view"), shader!("shade"), shader!("sphere")],
    ),
    (
        "sphere_shadow",
        &[shader!("view"), shader!("sphere_shadow")],
    ),
    (
        "backdrop",
        &[shader!("view"), shader!("shade"), shader!("backdrop")],
    ),
    ("accumulate", &[shader!("accumulate")]),
];

/// The program that fills a window with a picture.
#[cfg(feature = "view")]
pub(crate) const PRESENT: &str = shader!("present");

/// All pipelines, and the layouts of what they bind.
pub(super) struct Pipelines {
    pub(super) surface: wgpu::RenderPipeline,
    pub(super) surface_shadow: wgpu::RenderPipeline,
    pub(super) sphere: wgpu::RenderPipeline,
    pub(super) sphere_shadow: wgpu::RenderPipeline,
    pub(super) backdrop: wgpu::RenderPipeline,
    pub(super) add: wgpu::ComputePipeline,
    pub(super) finish: wgpu::ComputePipeline,
    pub(super) developing: wgpu::BindGroupLayout,
    view: wgpu::BindGroupLayout,
    maps: wgpu::BindGroupLayout,
    sampler: wgpu::Sampler,
}

/// Settings of one render pipeline.
struct Draw<'a> {
    program: &'a wgpu::ShaderModule,
    vertex: &'a str,
    fragment: Option<&'a str>,
    buffers: &'a [Option<wgpu::VertexBufferLayout<'a>>],
    topology: wgpu::PrimitiveTopology,
    is_culled: bool,
    is_shadow: bool,
}

impl Pipelines {
    pub(super) fn new(device: &wgpu::Device) -> Self {
        let program = |index: usize| {
            let (name, parts) = PROGRAMS[index];
            device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(name),
                source: wgpu::ShaderSource::Wgsl(parts.join("\n").into()),
            })
        };
        let programs: Vec<wgpu::ShaderModule> = (0..PROGRAMS.len()).map(program).collect();
        let [view, maps, developing] = layouts(device);
        let instance = wgpu::VertexBufferLayout {
            array_stride: size_of::<Instance>() as u64,
            step_mode: wgpu::VertexStepMode::Instance,
            attributes: &wgpu::vertex_attr_array![0 => Float32x4, 1 => Float32x4, 2 => Float32x4, 3 => Float32x4],
        };
        let corner = wgpu::VertexBufferLayout {
            array_stride: size_of::<Corner>() as u64,
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes: &wgpu::vertex_attr_array![4 => Float32x4, 5 => Float32x4],
        };
        let lit = layout(device, &[&view, &maps]);
        let shadowed = layout(device, &[&view]);
        let surface = [Some(instance.clone()), Some(corner)];
        let sphere = [Some(instance)];
        let draw = |draw: Draw<'_>| {
            let layout = if draw.is_shadow { &shadowed } else { &lit };
            render(device, layout, &draw)
        };
        let base = Draw {
            program: &programs[0],
            vertex: "vertex",
            fragment: Some("fragment"),
            buffers: &surface,
            topology: wgpu::PrimitiveTopology::TriangleList,
            is_culled: true,
            is_shadow: false,
        };
        let compute = |entry_point| {
            device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(entry_point),
                layout: Some(&layout(device, &[&developing])),
                module: &programs[4],
                entry_point: Some(entry_point),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            })
        };
        Self {
            surface: draw(Draw { ..base }),
            surface_shadow: draw(Draw {
                vertex: "shadow_vertex",
                fragment: None,
                is_shadow: true,
                ..base
            }),
            sphere: draw(Draw {
                program: &programs[1],
                buffers: &sphere,
                topology: wgpu::PrimitiveTopology::TriangleStrip,
                is_culled: false,
                ..base
            }),
            sphere_shadow: draw(Draw {
                program: &programs[2],
                buffers: &sphere,
                topology: wgpu::PrimitiveTopology::TriangleStrip,
                is_culled: false,
                is_shadow: true,
                ..base
            }),
            backdrop: draw(Draw {
                program: &programs[3],
                buffers: &[],
                is_culled: false,
                ..base
            }),
            add: compute("add"),
            finish: compute("finish"),
            sampler: device.create_sampler(&wgpu::SamplerDescriptor {
                label: Some("shadow"),
                mag_filter: wgpu::FilterMode::Linear,
                min_filter: wgpu::FilterMode::Linear,
                compare: Some(wgpu::CompareFunction::LessEqual),
                ..wgpu::SamplerDescriptor::default()
            }),
            view,
            maps,
            developing,
        }
    }

    /// The view of a sample.
    pub(super) fn view_group(&self, device: &wgpu::Device, view: &wgpu::Buffer) -> wgpu::BindGroup {
        device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("view"),
            layout: &self.view,
            entries: &[entry(0, view.as_entire_binding())],
        })
    }

    /// The shadow maps of the sun and the sky.
    pub(super) fn maps_group(
        &self,
        device: &wgpu::Device,
        maps: &[wgpu::TextureView; 2],
    ) -> wgpu::BindGroup {
        device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("shadow maps"),
            layout: &self.maps,
            entries: &[
                entry(0, wgpu::BindingResource::TextureView(&maps[0])),
                entry(1, wgpu::BindingResource::TextureView(&maps[1])),
                entry(2, wgpu::BindingResource::Sampler(&self.sampler)),
            ],
        })
    }
}

/// Layouts of the view, of the shadow maps, and of what is developed.
fn layouts(device: &wgpu::Device) -> [wgpu::BindGroupLayout; 3] {
    let make = |label, stages, types: &[wgpu::BindingType]| {
        let entries: Vec<wgpu::BindGroupLayoutEntry> = (0..)
            .zip(types)
            .map(|(binding, &ty)| wgpu::BindGroupLayoutEntry {
                binding,
                visibility: stages,
                ty,
                count: None,
            })
            .collect();
        device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some(label),
            entries: &entries,
        })
    };
    let buffer = |ty| wgpu::BindingType::Buffer {
        ty,
        has_dynamic_offset: false,
        min_binding_size: None,
    };
    let image = |sample_type| wgpu::BindingType::Texture {
        sample_type,
        view_dimension: wgpu::TextureViewDimension::D2,
        multisampled: false,
    };
    let uniform = buffer(wgpu::BufferBindingType::Uniform);
    let storage = buffer(wgpu::BufferBindingType::Storage { read_only: false });
    let depth = image(wgpu::TextureSampleType::Depth);
    let light = image(wgpu::TextureSampleType::Float { filterable: false });
    let nearer = wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Comparison);
    [
        make("view", wgpu::ShaderStages::VERTEX_FRAGMENT, &[uniform]),
        make(
            "shadow maps",
            wgpu::ShaderStages::FRAGMENT,
            &[depth, depth, nearer],
        ),
        make(
            "developing",
            wgpu::ShaderStages::COMPUTE,
            &[uniform, storage, storage, light],
        ),
    ]
}

fn layout(device: &wgpu::Device, groups: &[&wgpu::BindGroupLayout]) -> wgpu::PipelineLayout {
    let groups: Vec<Option<&wgpu::BindGroupLayout>> = groups.iter().copied().map(Some).collect();
    device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &groups,
        ..wgpu::PipelineLayoutDescriptor::default()
    })
}

fn render(
    device: &wgpu::Device,
    layout: &wgpu::PipelineLayout,
    draw: &Draw<'_>,
) -> wgpu::RenderPipeline {
    let target = [Some(wgpu::ColorTargetState::from(LIGHT))];
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(draw.vertex),
        layout: Some(layout),
        vertex: wgpu::VertexState {
            module: draw.program,
            entry_point: Some(draw.vertex),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers: draw.buffers,
        },
        primitive: wgpu::PrimitiveState {
            topology: draw.topology,
            cull_mode: draw.is_culled.then_some(wgpu::Face::Back),
            ..wgpu::PrimitiveState::default()
        },
        depth_stencil: Some(wgpu::DepthStencilState {
            format: DEPTH,
            depth_write_enabled: Some(true),
            depth_compare: Some(wgpu::CompareFunction::LessEqual),
            stencil: wgpu::StencilState::default(),
            bias: wgpu::DepthBiasState::default(),
        }),
        multisample: wgpu::MultisampleState::default(),
        fragment: draw.fragment.map(|entry_point| wgpu::FragmentState {
            module: draw.program,
            entry_point: Some(entry_point),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            targets: if draw.is_shadow { &[] } else { &target },
        }),
        multiview_mask: None,
        cache: None,
    })
}

/// A resource at a binding.
pub(super) fn entry(binding: u32, resource: wgpu::BindingResource<'_>) -> wgpu::BindGroupEntry<'_> {
    wgpu::BindGroupEntry { binding, resource }
}
