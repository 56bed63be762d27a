//! Pictures in a window: few samples of what moves, and more and more of what stays as it is.

use crate::image::Image;
use crate::render::{Camera, Canvas, MAX_PIXELS, PRESENT, Painter, Scenery, Uploaded};
use bytemuck::{Pod, Zeroable};
use drystone::internals::gpu::{adapter_for, instance_of};
use drystone::{Error, Result};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use winit::dpi::PhysicalSize;
use winit::window::Window;

/// Most pixels of a picture that software draws: a larger window is filled by a coarser picture, so that it answers.
const SOFTWARE_PIXELS: u64 = 1 << 19;
/// Samples that are added to a picture that stays, on hardware and by software.
const MORE_SAMPLES: [u32; 2] = [64, 32];
/// Most samples of what moves.
const MOST_SAMPLES: u32 = 16;
/// Time that the samples between two looks at the window may take.
const DRAWING: Duration = Duration::from_millis(24);
/// Distance of the panel from the border of the window `[pixels]`.
const BORDER: u32 = 12;

/// Uniforms of the shader that fills the window.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Present {
    picture: [u32; 2],
    window: [u32; 2],
    panel: [u32; 2],
    border: u32,
    wants_light: u32,
}

/// A window's surface, and what draws on it.
pub(super) struct Screen {
    window: Arc<Window>,
    instance: wgpu::Instance,
    surface: wgpu::Surface<'static>,
    painter: Painter,
    config: wgpu::SurfaceConfiguration,
    /// Nothing while the window has no pixels.
    canvas: Option<Canvas>,
    scene: Option<(Uploaded, Camera)>,
    /// Samples that a picture is begun with, and those that it has beyond.
    samples: (u32, u32),
    more: u32,
    most_pixels: u64,
    pace: u32,
    /// Samples that a picture is begun with at least.
    least: u32,
    layout: wgpu::BindGroupLayout,
    pipeline: wgpu::RenderPipeline,
    uniform: wgpu::Buffer,
    panel: wgpu::Buffer,
    panel_size: [u32; 2],
    /// First complaint of the device.
    trouble: Arc<Mutex<Option<String>>>,
}

impl Screen {
    /// Opens the adapter of a name, or any, for a window.
    ///
    /// # Errors
    /// [`Error::NoAdapter`] if none can draw on the window, [`Error::Device`] if it cannot be opened.
    pub(super) fn new(
        window: Arc<Window>,
        display: winit::event_loop::OwnedDisplayHandle,
        adapter: Option<&str>,
    ) -> Result<Self> {
        let display = Box::new(display);
        let instance = instance_of(wgpu::InstanceDescriptor::new_with_display_handle_from_env(
            display,
        ));
        let surface = surface(&instance, &window)?;
        let adapter = adapter_for(&surface, &instance, &Painter::choice(adapter))?;
        let capabilities = surface.get_capabilities(&adapter);
        let plain = capabilities.formats.iter().find(|format| !format.is_srgb());
        let Some(format) = plain.or(capabilities.formats.first()).copied() else {
            return Err(Error::NoAdapter(
                "the adapter cannot draw on the window".into(),
            ));
        };
        let painter = Painter::on(&adapter)?;
        let trouble = Arc::new(Mutex::new(None));
        let complaint = Arc::clone(&trouble);
        let complain = move |why: String| {
            let mut first = complaint.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert(why);
        };
        let lost = complain.clone();
        painter
            .device
            .on_uncaptured_error(Arc::new(move |why| complain(why.to_string())));
        painter
            .device
            .set_device_lost_callback(move |_, why| lost(format!("the device is lost: {why}")));
        let mut config = surface
            .get_default_config(&adapter, 1, 1)
            .ok_or_else(|| Error::NoAdapter("the adapter cannot draw on the window".into()))?;
        config.format = format;
        config.view_formats.clear();
        config.present_mode = wgpu::PresentMode::AutoVsync;
        config.desired_maximum_frame_latency = 1;
        let (layout, pipeline) = pipeline(&painter.device, format);
        let buffer = |label, size, usage| {
            painter.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size,
                usage: usage | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        };
        let is_software = adapter.get_info().device_type == wgpu::DeviceType::Cpu;
        let uniform = size_of::<Present>() as u64;
        Ok(Self {
            uniform: buffer("window", uniform, wgpu::BufferUsages::UNIFORM),
            panel: buffer("panel", 4, wgpu::BufferUsages::STORAGE),
            panel_size: [0; 2],
            window,
            instance,
            surface,
            painter,
            config,
            canvas: None,
            scene: None,
            samples: (0, 0),
            more: MORE_SAMPLES[usize::from(is_software)],
            most_pixels: if is_software {
                SOFTWARE_PIXELS
            } else {
                MAX_PIXELS
            },
            pace: 1,
            least: 1,
            layout,
            pipeline,
            trouble,
        })
    }

    /// Name of the adapter.
    pub(super) fn adapter(&self) -> &str {
        self.painter.name()
    }

    /// Fits everything to a new size of the window.
    ///
    /// # Errors
    /// As [`Painter::canvas`].
    pub(super) fn resize(&mut self, size: PhysicalSize<u32>) -> Result<()> {
        self.samples = (0, 0);
        if size.width == 0 || size.height == 0 {
            self.canvas = None;
            return Ok(());
        }
        let side = self.painter.device.limits().max_texture_dimension_2d;
        (self.config.width, self.config.height) = (size.width.min(side), size.height.min(side));
        self.surface.configure(&self.painter.device, &self.config);
        // A picture of more pixels than there may be is drawn coarser, and spread.
        let mut picture = (self.config.width, self.config.height);
        while u64::from(picture.0) * u64::from(picture.1) > self.most_pixels {
            picture = (picture.0.div_ceil(2), picture.1.div_ceil(2));
        }
        self.canvas = Some(self.painter.canvas(picture, 1)?);
        Ok(())
    }

    /// Width and height of the window `[pixels]`; nothing while it has none.
    pub(super) fn size(&self) -> Option<(u32, u32)> {
        self.canvas
            .as_ref()
            .map(|_| (self.config.width, self.config.height))
    }

    /// Draws this scenery from now on, with so many samples at least while it moves.
    pub(super) fn show(&mut self, scenery: Scenery, camera: Camera, least: u32) {
        self.least = least;
        self.scene = Some((self.painter.upload(scenery), camera));
        self.samples = (0, 0);
    }

    /// Draws from another camera from now on.
    pub(super) fn look_from(&mut self, camera: Camera) {
        if let Some((_, from)) = &mut self.scene {
            *from = camera;
        }
        self.samples = (0, 0);
    }

    /// Lays another panel over the picture, or none.
    pub(super) fn lay(&mut self, panel: Option<&Image>) {
        let Some(panel) = panel else {
            self.panel_size = [0; 2];
            return;
        };
        let pixels: Vec<u8> = panel
            .pixels
            .chunks_exact(3)
            .flat_map(|pixel| [pixel[0], pixel[1], pixel[2], 255])
            .collect();
        if self.panel.size() < pixels.len() as u64 {
            self.panel = self.painter.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("panel"),
                size: pixels.len() as u64,
                usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
        }
        self.painter.queue.write_buffer(&self.panel, 0, &pixels);
        self.panel_size = [panel.width, panel.height];
    }

    /// Fills the window; true if the picture is not yet as smooth as it gets.
    ///
    /// # Errors
    /// [`Error::Device`] if the device fails.
    pub(super) fn draw(&mut self) -> Result<bool> {
        if self.scene.is_none() || self.canvas.is_none() {
            return Ok(false);
        }
        let texture = match self.surface.get_current_texture() {
            wgpu::CurrentSurfaceTexture::Success(texture)
            | wgpu::CurrentSurfaceTexture::Suboptimal(texture) => texture,
            wgpu::CurrentSurfaceTexture::Timeout => return Ok(true),
            // The window asks again once it is seen.
            wgpu::CurrentSurfaceTexture::Occluded => return Ok(false),
            wgpu::CurrentSurfaceTexture::Outdated => {
                self.surface.configure(&self.painter.device, &self.config);
                return Ok(true);
            }
            wgpu::CurrentSurfaceTexture::Lost => {
                self.check()?;
                self.surface = surface(&self.instance, &self.window)?;
                self.surface.configure(&self.painter.device, &self.config);
                return Ok(true);
            }
            wgpu::CurrentSurfaceTexture::Validation => {
                self.check()?;
                return Err(Error::Device("the window cannot be drawn on".into()));
            }
        };
        let start = Instant::now();
        let added = self.add_samples();
        self.present(&texture);
        self.window.pre_present_notify();
        self.painter.queue.present(texture);
        self.painter
            .device
            .poll(wgpu::PollType::wait_indefinitely())
            .map_err(|why| Error::Device(why.to_string()))?;
        self.check()?;
        self.keep_pace(added, start.elapsed());
        Ok(self.samples.1 < self.more)
    }

    /// As many samples next time as there is time for.
    fn keep_pace(&mut self, added: u32, took: Duration) {
        if added > 0 {
            let each = took.as_secs_f64() / f64::from(added);
            let fit = (DRAWING.as_secs_f64() / each.max(1e-6)) as u32;
            self.pace = fit.clamp(1, MOST_SAMPLES.min(2 * self.pace));
        }
    }

    /// Adds samples to the picture; their number.
    fn add_samples(&mut self) -> u32 {
        let (Some((scene, camera)), Some(canvas)) = (&self.scene, &self.canvas) else {
            return 0;
        };
        let (begun, beyond) = self.samples;
        let numbers: Vec<(u32, u32)> = if begun == 0 {
            // An even set of its own, so that what moves is as bright as what stays.
            let count = self.pace.max(self.least);
            (0..count).map(|sample| (sample, count)).collect()
        } else {
            let end = (beyond + self.pace).min(self.more);
            let shift = u32::BITS - self.more.trailing_zeros();
            // Bits in reverse order: any first few of them are spread evenly.
            (beyond..end)
                .map(|place| (place.reverse_bits() >> shift, self.more))
                .collect()
        };
        if numbers.is_empty() {
            return 0;
        }
        let mut encoder = self.painter.encoder();
        if begun == 0 {
            canvas.clear(&mut encoder);
        }
        for sample in &numbers {
            self.painter
                .sample(&mut encoder, canvas, scene, camera, *sample);
        }
        let added = numbers.len() as u32;
        self.samples = if begun == 0 {
            (added, 0)
        } else {
            (begun, beyond + added)
        };
        let (begun, beyond) = self.samples;
        self.painter.develop(&mut encoder, canvas, begun + beyond);
        self.painter.queue.submit([encoder.finish()]);
        added
    }

    /// Copies picture and panel to the window.
    fn present(&self, texture: &wgpu::SurfaceTexture) {
        let Some(canvas) = &self.canvas else {
            return;
        };
        let present = Present {
            picture: [canvas.width, canvas.height],
            window: [self.config.width, self.config.height],
            panel: self.panel_size,
            border: BORDER,
            wants_light: u32::from(self.config.format.is_srgb()),
        };
        let painter = &self.painter;
        let bytes = bytemuck::bytes_of(&present);
        painter.queue.write_buffer(&self.uniform, 0, bytes);
        let buffers = [&self.uniform, &canvas.picture, &self.panel];
        let entries = [0, 1, 2].map(|at| wgpu::BindGroupEntry {
            binding: at as u32,
            resource: buffers[at].as_entire_binding(),
        });
        let group = painter
            .device
            .create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("window"),
                layout: &self.layout,
                entries: &entries,
            });
        let view = texture.texture.create_view(&Default::default());
        let mut encoder = painter.encoder();
        {
            let attachment = wgpu::RenderPassColorAttachment {
                view: &view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                    store: wgpu::StoreOp::Store,
                },
            };
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("window"),
                color_attachments: &[Some(attachment)],
                ..wgpu::RenderPassDescriptor::default()
            });
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.draw(0..3, 0..1);
        }
        painter.queue.submit([encoder.finish()]);
    }

    /// Fails if the device has complained.
    fn check(&self) -> Result<()> {
        let trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        match &*trouble {
            Some(why) => Err(Error::Device(format!("{}: {why}", self.adapter()))),
            None => Ok(()),
        }
    }
}

fn surface(instance: &wgpu::Instance, window: &Arc<Window>) -> Result<wgpu::Surface<'static>> {
    instance
        .create_surface(Arc::clone(window))
        .map_err(|why| Error::NoAdapter(format!("nothing can draw on the window: {why}")))
}

/// The pipeline that fills a window, and the layout of what it reads.
fn pipeline(
    device: &wgpu::Device,
    format: wgpu::TextureFormat,
) -> (wgpu::BindGroupLayout, wgpu::RenderPipeline) {
    let buffer = |binding, ty| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::FRAGMENT,
        ty: wgpu::BindingType::Buffer {
            ty,
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    };
    let read = wgpu::BufferBindingType::Storage { read_only: true };
    let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("window"),
        entries: &[
            buffer(0, wgpu::BufferBindingType::Uniform),
            buffer(1, read),
            buffer(2, read),
        ],
    });
    let pipelines = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("window"),
        bind_group_layouts: &[Some(&layout)],
        ..wgpu::PipelineLayoutDescriptor::default()
    });
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("present"),
        source: wgpu::ShaderSource::Wgsl(PRESENT.into()),
    });
    let pipeline = device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("window"),
        layout: Some(&pipelines),
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: Some("vertex"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers: &[],
        },
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: None,
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module: &module,
            entry_point: Some("fragment"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            targets: &[Some(format.into())],
        }),
        multiview_mask: None,
        cache: None,
    });
    (layout, pipeline)
}
