//! Pictures on a graphics adapter, hardware or software: the mean of many samples, each with two shadow maps.

use super::pipelines::{DEPTH, LIGHT, Pipelines, entry};
use super::scenery::Scenery;
use super::view::{Camera, Frame, View, light};
use drystone::solver::gpu::AdapterChoice;
use drystone::{Error, Result};
use wgpu::util::DeviceExt;

/// Width and height of a shadow map `[pixels]`; the larger one for pictures of many samples, whose edges are sharp.
const SHADOW_SIZES: [u32; 2] = [1024, 2048];
/// Samples from which on a picture has the larger shadow maps.
const MANY_SAMPLES: u32 = 33;
/// Most pixels of a picture: what a storage binding of the usual size holds of its light.
pub(crate) const MAX_PIXELS: u64 = 1 << 23;

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
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    pipelines: Pipelines,
    name: String,
}

/// The images and buffers of one size of picture, and the light that samples have left in it.
pub(crate) struct Canvas {
    pub(crate) width: u32,
    pub(crate) height: u32,
    shadow_size: u32,
    light: wgpu::TextureView,
    depth: wgpu::TextureView,
    shadows: [wgpu::TextureView; 2],
    shadow_group: wgpu::BindGroup,
    #[cfg(feature = "view")]
    sum: wgpu::Buffer,
    /// Four bytes a pixel, rows from the top, once [`Painter::develop`] is done.
    pub(crate) picture: wgpu::Buffer,
    frame: wgpu::Buffer,
    developing: wgpu::BindGroup,
}

/// A scenery on the device.
pub(crate) struct Uploaded {
    scenery: Scenery,
    spheres: wgpu::Buffer,
    instances: wgpu::Buffer,
    corners: wgpu::Buffer,
}

impl Painter {
    /// Opens the adapter whose name contains `name`, else a hardware adapter, else a software one.
    ///
    /// # Errors
    /// [`Error::NoAdapter`] if there is none, [`Error::Device`] if it cannot be opened.
    pub(crate) fn new(name: Option<&str>) -> Result<Self> {
        let adapter = drystone::internals::gpu::adapter(&Self::choice(name))?;
        Self::on(&adapter)
    }

    /// The adapter whose name contains `name`, or any, software too.
    pub(crate) fn choice(name: Option<&str>) -> AdapterChoice {
        AdapterChoice {
            name: name.map(str::to_owned),
            allow_software: true,
        }
    }

    /// Opens an adapter.
    ///
    /// # Errors
    /// [`Error::Device`] if it cannot be opened.
    pub(crate) fn on(adapter: &wgpu::Adapter) -> Result<Self> {
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
        scenery: Scenery,
        camera: &Camera,
        size: (u32, u32),
        samples: u32,
    ) -> Result<Picture> {
        let canvas = self.canvas(size, samples)?;
        let uploaded = self.upload(scenery);
        for sample in 0..samples {
            let mut encoder = self.encoder();
            self.sample(&mut encoder, &canvas, &uploaded, camera, (sample, samples));
            self.queue.submit([encoder.finish()]);
        }
        let mut encoder = self.encoder();
        self.develop(&mut encoder, &canvas, samples);
        self.queue.submit([encoder.finish()]);
        self.read(&canvas)
    }

    /// A new encoder.
    pub(crate) fn encoder(&self) -> wgpu::CommandEncoder {
        self.device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }

    /// Copies a scenery to the device.
    pub(crate) fn upload(&self, scenery: Scenery) -> Uploaded {
        let buffer = |label, contents| self.vertices(label, contents);
        Uploaded {
            spheres: buffer("spheres", bytemuck::cast_slice(&scenery.spheres)),
            instances: buffer("instances", bytemuck::cast_slice(&scenery.instances)),
            corners: buffer("corners", bytemuck::cast_slice(&scenery.corners)),
            scenery,
        }
    }

    fn vertices(&self, label: &str, contents: &[u8]) -> wgpu::Buffer {
        // There is no empty buffer.
        let contents = if contents.is_empty() {
            &[0; 64]
        } else {
            contents
        };
        self.buffer_of(label, contents, wgpu::BufferUsages::VERTEX)
    }

    fn buffer_of(&self, label: &str, contents: &[u8], usage: wgpu::BufferUsages) -> wgpu::Buffer {
        let descriptor = wgpu::util::BufferInitDescriptor {
            label: Some(label),
            contents,
            usage,
        };
        self.device.create_buffer_init(&descriptor)
    }

    /// Adds the light of one of so many samples to a canvas.
    pub(crate) fn sample(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        canvas: &Canvas,
        uploaded: &Uploaded,
        camera: &Camera,
        sample: (u32, u32),
    ) {
        let size = (canvas.width, canvas.height);
        let view = View::of_sample(&uploaded.scenery, camera, size, sample, canvas.shadow_size);
        let groups = [view, view.of_the_sky()].map(|view| {
            let usage = wgpu::BufferUsages::UNIFORM;
            let uniform = self.buffer_of("view", bytemuck::bytes_of(&view), usage);
            self.pipelines.view_group(&self.device, &uniform)
        });
        for (map, group) in canvas.shadows.iter().zip(&groups) {
            let mut pass = begin(encoder, None, map);
            pass.set_bind_group(0, group, &[]);
            pass.set_pipeline(&self.pipelines.surface_shadow);
            uploaded.draw_surfaces(&mut pass, true);
            pass.set_pipeline(&self.pipelines.sphere_shadow);
            uploaded.draw_spheres(&mut pass);
        }
        {
            let mut pass = begin(encoder, Some(&canvas.light), &canvas.depth);
            pass.set_bind_group(0, &groups[0], &[]);
            pass.set_bind_group(1, &canvas.shadow_group, &[]);
            pass.set_pipeline(&self.pipelines.surface);
            uploaded.draw_surfaces(&mut pass, false);
            pass.set_pipeline(&self.pipelines.sphere);
            uploaded.draw_spheres(&mut pass);
            pass.set_pipeline(&self.pipelines.backdrop);
            pass.draw(0..3, 0..1);
        }
        canvas.dispatch(encoder, &self.pipelines.add);
    }

    /// Makes the picture of the mean of the samples that a canvas has got. It has to be submitted before the next call.
    pub(crate) fn develop(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        canvas: &Canvas,
        samples: u32,
    ) {
        let frame = canvas.frame_of(samples);
        self.queue
            .write_buffer(&canvas.frame, 0, bytemuck::bytes_of(&frame));
        canvas.dispatch(encoder, &self.pipelines.finish);
    }

    fn read(&self, canvas: &Canvas) -> Result<Picture> {
        let copy = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("copy"),
            size: canvas.picture.size(),
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = self.encoder();
        encoder.copy_buffer_to_buffer(&canvas.picture, 0, &copy, 0, canvas.picture.size());
        self.queue.submit([encoder.finish()]);
        let slice = copy.slice(..);
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
        copy.unmap();
        Ok(Picture {
            width: canvas.width,
            height: canvas.height,
            pixels,
        })
    }

    /// A canvas for pictures of about so many samples.
    ///
    /// # Errors
    /// [`Error::Capacity`] for a picture that is too large.
    pub(crate) fn canvas(&self, (width, height): (u32, u32), samples: u32) -> Result<Canvas> {
        let pixels = u64::from(width) * u64::from(height);
        let side = self.device.limits().max_texture_dimension_2d;
        if pixels > MAX_PIXELS || width.max(height) > side {
            return Err(Error::Capacity {
                what: "pixels of a picture".into(),
                needed: pixels,
                available: MAX_PIXELS.min(u64::from(side) * u64::from(side)),
            });
        }
        let shadow_size = SHADOW_SIZES[usize::from(samples >= MANY_SAMPLES)];
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
        let buffer = |label, size, usage| {
            self.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size,
                usage,
                mapped_at_creation: false,
            })
        };
        let seen = wgpu::TextureUsages::TEXTURE_BINDING;
        let none = wgpu::TextureUsages::empty();
        let light = texture("light", width, height, LIGHT, seen);
        let shadows =
            ["sun", "sky"].map(|label| texture(label, shadow_size, shadow_size, DEPTH, seen));
        let storage = wgpu::BufferUsages::STORAGE;
        let sum = storage | wgpu::BufferUsages::COPY_DST;
        let sum = buffer("sum of light", 16 * pixels, sum);
        let picture = storage | wgpu::BufferUsages::COPY_SRC;
        let picture = buffer("picture", 4 * pixels, picture);
        let frame = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let frame = buffer("frame", size_of::<Frame>() as u64, frame);
        let developing = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("developing"),
            layout: &self.pipelines.developing,
            entries: &[
                entry(0, frame.as_entire_binding()),
                entry(1, sum.as_entire_binding()),
                entry(2, picture.as_entire_binding()),
                entry(3, wgpu::BindingResource::TextureView(&light)),
            ],
        });
        let canvas = Canvas {
            width,
            height,
            shadow_size,
            shadow_group: self.pipelines.maps_group(&self.device, &shadows),
            shadows,
            depth: texture("depth", width, height, DEPTH, none),
            light,
            #[cfg(feature = "view")]
            sum,
            picture,
            frame,
            developing,
        };
        // Samples are added before anybody knows how many there will be.
        let frame = canvas.frame_of(1);
        self.queue
            .write_buffer(&canvas.frame, 0, bytemuck::bytes_of(&frame));
        Ok(canvas)
    }
}

impl Canvas {
    /// Takes the light of all samples away.
    #[cfg(feature = "view")]
    pub(crate) fn clear(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.clear_buffer(&self.sum, 0, None);
    }

    fn frame_of(&self, samples: u32) -> Frame {
        Frame {
            width: self.width,
            height: self.height,
            samples,
            exposure: light::EXPOSURE,
        }
    }

    /// One of the two steps from samples to the picture.
    fn dispatch(&self, encoder: &mut wgpu::CommandEncoder, pipeline: &wgpu::ComputePipeline) {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_bind_group(0, &self.developing, &[]);
        pass.set_pipeline(pipeline);
        pass.dispatch_workgroups(self.width.div_ceil(8), self.height.div_ceil(8), 1);
    }
}

impl Uploaded {
    fn draw_surfaces(&self, pass: &mut wgpu::RenderPass<'_>, shadows: bool) {
        pass.set_vertex_buffer(0, self.instances.slice(..));
        pass.set_vertex_buffer(1, self.corners.slice(..));
        for batch in &self.scenery.batches {
            if batch.casts_shadow || !shadows {
                pass.draw(batch.corners.clone(), batch.instances.clone());
            }
        }
    }

    fn draw_spheres(&self, pass: &mut wgpu::RenderPass<'_>) {
        pass.set_vertex_buffer(0, self.spheres.slice(..));
        pass.draw(0..4, 0..self.scenery.spheres.len() as u32);
    }
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
