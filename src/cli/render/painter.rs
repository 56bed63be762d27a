//! Pictures on a graphics adapter, hardware or software: the mean of many samples, each with two shadow maps.

use super::pipelines::{DEPTH, LIGHT, Pipelines};
use super::scenery::{Instance, Scenery};
use super::view::{Camera, Frame, View, light};
use drystone::solver::gpu::AdapterChoice;
use drystone::{Error, Result};
use wgpu::util::DeviceExt;

/// Width and height of a shadow map `[pixels]`; the larger one for pictures of many samples, whose edges are sharp.
const SHADOW_SIZES: [u32; 2] = [1024, 2048];
/// Samples from which on a picture has the larger shadow maps.
const MANY_SAMPLES: u32 = 33;
/// Most pixels of a picture: what a storage binding of the usual size holds of its light.
const MAX_PIXELS: u64 = 1 << 23;

/// A picture: rows from the top, four bytes a pixel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Picture {
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Red, green, blue and opacity, shape `[4 width height]`.
    pub(crate) pixels: Vec<u8>,
}

/// An open adapter that draws.
pub(crate) struct Painter {
    device: wgpu::Device,
    queue: wgpu::Queue,
    pipelines: Pipelines,
    name: String,
}

/// The images and buffers of one size of picture.
struct Canvas {
    light: wgpu::TextureView,
    depth: wgpu::TextureView,
    maps: [wgpu::TextureView; 2],
    sum: wgpu::Buffer,
    picture: wgpu::Buffer,
    copy: wgpu::Buffer,
    frame: wgpu::Buffer,
}

impl Painter {
    /// Opens the adapter whose name contains `name`, else a hardware adapter, else a software one.
    ///
    /// # Errors
    /// [`Error::NoAdapter`] if there is none, [`Error::Device`] if it cannot be opened.
    pub(crate) fn new(name: Option<&str>) -> Result<Self> {
        let choice = AdapterChoice {
            name: name.map(str::to_owned),
            allow_software: true,
        };
        let adapter = drystone::internals::gpu::adapter(&choice)?;
        let limits = wgpu::Limits::downlevel_defaults().using_resolution(adapter.limits());
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("pictures"),
            required_limits: wgpu::Limits {
                max_storage_buffer_binding_size: adapter.limits().max_storage_buffer_binding_size,
                max_buffer_size: adapter.limits().max_buffer_size,
                ..limits
            },
            ..wgpu::DeviceDescriptor::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))
            .map_err(|why| Error::Device(why.to_string()))?;
        let pipelines = Pipelines::new(&device);
        Ok(Self {
            device,
            queue,
            pipelines,
            name: adapter.get_info().name,
        })
    }

    /// Name of the adapter.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Draws a scenery.
    ///
    /// # Errors
    /// [`Error::Capacity`] for a picture that is too large, [`Error::Device`] if the adapter fails.
    pub(crate) fn paint(
        &self,
        scenery: &Scenery,
        camera: &Camera,
        (width, height): (u32, u32),
        samples: u32,
    ) -> Result<Picture> {
        let pixels = u64::from(width) * u64::from(height);
        let side = self.device.limits().max_texture_dimension_2d;
        if pixels > MAX_PIXELS || width.max(height) > side {
            return Err(Error::Capacity {
                what: "pixels of a picture".into(),
                needed: pixels,
                available: MAX_PIXELS.min(u64::from(side) * u64::from(side)),
            });
        }
        let shadows = SHADOW_SIZES[usize::from(samples >= MANY_SAMPLES)];
        let canvas = self.canvas((width, height), samples, shadows);
        let buffer = |label, contents: &[u8], usage| {
            let contents = if contents.is_empty() {
                &[0; 64]
            } else {
                contents
            };
            self.device
                .create_buffer_init(&wgpu::util::BufferInitDescriptor {
                    label: Some(label),
                    contents,
                    usage,
                })
        };
        let spheres = bytemuck::cast_slice(&scenery.spheres);
        let spheres = buffer("spheres", spheres, wgpu::BufferUsages::VERTEX);
        let instances = bytemuck::cast_slice(&scenery.instances);
        let instances = buffer("instances", instances, wgpu::BufferUsages::VERTEX);
        let corners = bytemuck::cast_slice(&scenery.corners);
        let corners = buffer("corners", corners, wgpu::BufferUsages::VERTEX);
        let maps = self.pipelines.maps_group(&self.device, &canvas.maps);
        for sample in 0..samples {
            let view =
                View::of_sample(scenery, camera, (width, height), (sample, samples), shadows);
            let sky = view.of_the_sky();
            let usage = wgpu::BufferUsages::UNIFORM;
            let uniforms = [view, sky].map(|view| buffer("view", bytemuck::bytes_of(&view), usage));
            let groups = uniforms
                .each_ref()
                .map(|uniform| self.pipelines.view_group(&self.device, uniform));
            let mut encoder = self
                .device
                .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            for (map, group) in canvas.maps.iter().zip(&groups) {
                let mut pass = begin(&mut encoder, None, map);
                pass.set_bind_group(0, group, &[]);
                pass.set_pipeline(&self.pipelines.surface_shadow);
                draw_surfaces(&mut pass, scenery, &instances, &corners, true);
                pass.set_pipeline(&self.pipelines.sphere_shadow);
                draw_spheres(&mut pass, &scenery.spheres, &spheres);
            }
            {
                let mut pass = begin(&mut encoder, Some(&canvas.light), &canvas.depth);
                pass.set_bind_group(0, &groups[0], &[]);
                pass.set_bind_group(1, &maps, &[]);
                pass.set_pipeline(&self.pipelines.surface);
                draw_surfaces(&mut pass, scenery, &instances, &corners, false);
                pass.set_pipeline(&self.pipelines.sphere);
                draw_spheres(&mut pass, &scenery.spheres, &spheres);
                pass.set_pipeline(&self.pipelines.backdrop);
                pass.draw(0..3, 0..1);
            }
            self.develop(&mut encoder, &canvas, &self.pipelines.add, (width, height));
            if sample + 1 == samples {
                self.develop(
                    &mut encoder,
                    &canvas,
                    &self.pipelines.finish,
                    (width, height),
                );
                encoder.copy_buffer_to_buffer(&canvas.picture, 0, &canvas.copy, 0, 4 * pixels);
            }
            self.queue.submit([encoder.finish()]);
        }
        self.read(&canvas, (width, height))
    }

    /// One of the two steps from samples to the picture.
    fn develop(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        canvas: &Canvas,
        pipeline: &wgpu::ComputePipeline,
        (width, height): (u32, u32),
    ) {
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("developing"),
            layout: &self.pipelines.developing,
            entries: &[
                entry(0, canvas.frame.as_entire_binding()),
                entry(1, canvas.sum.as_entire_binding()),
                entry(2, canvas.picture.as_entire_binding()),
                entry(3, wgpu::BindingResource::TextureView(&canvas.light)),
            ],
        });
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(width.div_ceil(8), height.div_ceil(8), 1);
    }

    fn read(&self, canvas: &Canvas, (width, height): (u32, u32)) -> Result<Picture> {
        let slice = canvas.copy.slice(..);
        let (sender, receiver) = std::sync::mpsc::channel();
        slice.map_async(wgpu::MapMode::Read, move |mapped| {
            // The receiver is there until the device has been waited for.
            let _ = sender.send(mapped);
        });
        let failed = |why: String| Error::Device(why);
        self.device
            .poll(wgpu::PollType::wait_indefinitely())
            .map_err(|why| failed(why.to_string()))?;
        receiver
            .recv()
            .map_err(|why| failed(why.to_string()))?
            .map_err(|why| failed(why.to_string()))?;
        let pixels = slice
            .get_mapped_range()
            .map_err(|why| failed(why.to_string()))?
            .to_vec();
        canvas.copy.unmap();
        Ok(Picture {
            width,
            height,
            pixels,
        })
    }

    fn canvas(&self, (width, height): (u32, u32), samples: u32, shadows: u32) -> Canvas {
        let texture = |label, width, height, format, usage| {
            self.device
                .create_texture(&wgpu::TextureDescriptor {
                    label: Some(label),
                    size: wgpu::Extent3d {
                        width,
                        height,
                        depth_or_array_layers: 1,
                    },
                    mip_level_count: 1,
                    sample_count: 1,
                    dimension: wgpu::TextureDimension::D2,
                    format,
                    usage: usage | wgpu::TextureUsages::RENDER_ATTACHMENT,
                    view_formats: &[],
                })
                .create_view(&wgpu::TextureViewDescriptor::default())
        };
        let pixels = u64::from(width) * u64::from(height);
        let buffer = |label, size, usage| {
            self.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size,
                usage,
                mapped_at_creation: false,
            })
        };
        let seen = wgpu::TextureUsages::TEXTURE_BINDING;
        let frame = Frame {
            width,
            height,
            samples,
            exposure: light::EXPOSURE,
        };
        Canvas {
            light: texture("light", width, height, LIGHT, seen),
            depth: texture("depth", width, height, DEPTH, wgpu::TextureUsages::empty()),
            maps: ["sun", "sky"].map(|label| texture(label, shadows, shadows, DEPTH, seen)),
            sum: buffer("sum of light", 16 * pixels, wgpu::BufferUsages::STORAGE),
            picture: buffer(
                "picture",
                4 * pixels,
                wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
            ),
            copy: buffer(
                "copy",
                4 * pixels,
                wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            ),
            frame: self
                .device
                .create_buffer_init(&wgpu::util::BufferInitDescriptor {
                    label: Some("frame"),
                    contents: bytemuck::bytes_of(&frame),
                    usage: wgpu::BufferUsages::UNIFORM,
                }),
        }
    }
}

/// A resource at a binding.
pub(super) fn entry(binding: u32, resource: wgpu::BindingResource<'_>) -> wgpu::BindGroupEntry<'_> {
    wgpu::BindGroupEntry { binding, resource }
}

/// Begins to draw on a cleared image, or on a shadow map alone.
fn begin<'e>(
    encoder: &'e mut wgpu::CommandEncoder,
    color: Option<&wgpu::TextureView>,
    depth: &wgpu::TextureView,
) -> wgpu::RenderPass<'e> {
    let attachment = color.map(|view| {
        Some(wgpu::RenderPassColorAttachment {
            view,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations {
                load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                store: wgpu::StoreOp::Store,
            },
        })
    });
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: None,
        color_attachments: attachment.as_slice(),
        depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
            view: depth,
            depth_ops: Some(wgpu::Operations {
                load: wgpu::LoadOp::Clear(1.0),
                store: wgpu::StoreOp::Store,
            }),
            stencil_ops: None,
        }),
        ..wgpu::RenderPassDescriptor::default()
    })
}

fn draw_surfaces(
    pass: &mut wgpu::RenderPass<'_>,
    scenery: &Scenery,
    instances: &wgpu::Buffer,
    corners: &wgpu::Buffer,
    shadows: bool,
) {
    pass.set_vertex_buffer(0, instances.slice(..));
    pass.set_vertex_buffer(1, corners.slice(..));
    for batch in &scenery.batches {
        if batch.casts_shadow || !shadows {
            pass.draw(batch.corners.clone(), batch.instances.clone());
        }
    }
}

fn draw_spheres(pass: &mut wgpu::RenderPass<'_>, spheres: &[Instance], buffer: &wgpu::Buffer) {
    pass.set_vertex_buffer(0, buffer.slice(..));
    pass.draw(0..4, 0..spheres.len() as u32);
}
