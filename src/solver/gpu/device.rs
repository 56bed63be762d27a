//! Choosing an adapter, opening a device, and noticing when it fails.

use crate::constants::{CLUSTER_COPIES, DEVICE_TIMEOUT, WORKGROUP_SIZE};
use crate::error::{Error, Result};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Storage buffers that the hungriest kernel binds, `cluster_sweep`.
const STORAGE_BUFFERS: u32 = 8;
/// Binding numbers: the storage buffers of the hungriest kernel, the window, the place of the friction
/// cone, and the control, which the kernels of clusters leave out.
const BINDINGS: u32 = STORAGE_BUFFERS + 2;
/// Workgroup memory of the hungriest kernel, `cluster_solve`: six numbers a copy, and the progress and two
/// padded vectors an invocation `[B]`.
const WORKGROUP_MEMORY: u32 = 24 * CLUSTER_COPIES + 48 * WORKGROUP_SIZE;

/// Which adapter to take.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AdapterChoice {
    /// Part of the adapter's name, in any case. `None` takes what the environment variable
    /// `WGPU_ADAPTER_NAME` says, or else the first hardware adapter.
    pub name: Option<String>,
    /// Take a software adapter if there is no hardware, even though none is named.
    pub allow_software: bool,
}

impl AdapterChoice {
    /// The adapter whose name contains `name`, software or not.
    #[must_use]
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: Some(name.into()),
            ..Self::default()
        }
    }

    /// The name asked for, here or in the environment.
    fn wanted(&self) -> Option<String> {
        let name = self
            .name
            .clone()
            .or_else(|| std::env::var("WGPU_ADAPTER_NAME").ok());
        name.filter(|name| !name.is_empty())
            .map(|name| name.to_lowercase())
    }
}

/// What is known of an adapter before it is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdapterSummary {
    /// Name, as the driver gives it.
    pub name: String,
    /// Graphics interface: `vulkan`, `metal`, `dx12` or `gl`.
    pub backend: String,
    /// Kind of device: `DiscreteGpu`, `IntegratedGpu`, `VirtualGpu`, `Cpu` or `Other`.
    pub device_type: String,
    /// Driver and its version.
    pub driver: String,
    /// True if it computes on the CPU.
    pub software: bool,
    /// True if it can run the kernels.
    pub usable: bool,
    /// Largest storage binding `[B]`; what exceeds it is split.
    pub max_binding: u64,
    /// Largest buffer `[B]`.
    pub max_buffer: u64,
}

impl AdapterSummary {
    fn of(adapter: &wgpu::Adapter) -> Self {
        let computes = adapter
            .get_downlevel_capabilities()
            .flags
            .contains(wgpu::DownlevelFlags::COMPUTE_SHADERS);
        Self::new(adapter.get_info(), &adapter.limits(), computes)
    }

    fn new(info: wgpu::AdapterInfo, limits: &wgpu::Limits, computes: bool) -> Self {
        Self {
            software: is_software(&info),
            usable: computes && check_limits(limits).is_ok(),
            backend: info.backend.to_string(),
            device_type: format!("{:?}", info.device_type),
            driver: format!("{} {}", info.driver, info.driver_info)
                .trim()
                .to_owned(),
            name: info.name,
            max_binding: limits.max_storage_buffer_binding_size,
            max_buffer: limits.max_buffer_size,
        }
    }
}

impl std::fmt::Display for AdapterSummary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({}", self.name, self.backend)?;
        if self.software {
            write!(f, ", software")?;
        }
        if !self.usable {
            write!(f, ", cannot run the kernels")?;
        }
        write!(f, ")")
    }
}

/// All adapters, those that would be taken first in front; GL's only where no native interface has a
/// usable one.
///
/// The environment variables of wgpu (`WGPU_BACKEND`, `WGPU_POWER_PREF`, ...) are honoured.
#[must_use]
pub fn list_adapters() -> Vec<AdapterSummary> {
    enumerate()
        .into_iter()
        .map(|(_, summary)| summary)
        .collect()
}

/// Adapters of the native interfaces, or, where none of these is usable, of GL.
///
/// GL comes second because opening it on a machine without a display makes some drivers write to
/// standard error, and because it names the same hardware again.
fn enumerate() -> Vec<(wgpu::Adapter, AdapterSummary)> {
    let allowed = allowed();
    let native = enumerate_on(allowed & !wgpu::Backends::GL);
    if native.iter().any(|(_, summary)| summary.usable) {
        return native;
    }
    let mut adapters = native;
    adapters.extend(enumerate_on(allowed & wgpu::Backends::GL));
    adapters
}

/// The interfaces that `WGPU_BACKEND` names, or all.
fn allowed() -> wgpu::Backends {
    wgpu::Backends::from_env().unwrap_or(wgpu::Backends::all())
}

fn enumerate_on(backends: wgpu::Backends) -> Vec<(wgpu::Adapter, AdapterSummary)> {
    if backends.is_empty() {
        return Vec::new();
    }
    // Threads that open devices wait for each other.
    let mut known = INSTANCES.lock().unwrap_or_else(PoisonError::into_inner);
    let at = known.iter().position(|(of, _)| *of == backends);
    let at = at.unwrap_or_else(|| {
        let descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
        known.push((backends, instance(descriptor, backends)));
        known.len() - 1
    });
    adapters_of(&known[at].1, backends)
}

/// Instances without a display, by interfaces. They are made once in a process and stay: with one for each device a driver crashed
/// (NVIDIA 580) where threads opened and closed devices at the same time.
static INSTANCES: Mutex<Vec<(wgpu::Backends, wgpu::Instance)>> = Mutex::new(Vec::new());

/// An instance with these interfaces.
fn instance(mut descriptor: wgpu::InstanceDescriptor, backends: wgpu::Backends) -> wgpu::Instance {
    descriptor.backends = backends;
    // Nothing here is dispatched indirectly; ready for it, wgpu compiles pipelines of its own and lowers a limit.
    descriptor
        .flags
        .remove(wgpu::InstanceFlags::VALIDATION_INDIRECT_CALL);
    wgpu::Instance::new(descriptor)
}

/// Adapters of an instance, those that would be taken first in front.
fn adapters_of(
    instance: &wgpu::Instance,
    backends: wgpu::Backends,
) -> Vec<(wgpu::Adapter, AdapterSummary)> {
    let mut adapters: Vec<_> = pollster::block_on(instance.enumerate_adapters(backends))
        .into_iter()
        .map(|adapter| {
            let summary = AdapterSummary::of(&adapter);
            (adapter, summary)
        })
        .collect();
    adapters.sort_by_key(|(adapter, summary)| rank(&adapter.get_info(), summary));
    adapters
}

/// Order of preference: hardware, then the kind of device, then native interfaces before GL.
fn rank(info: &wgpu::AdapterInfo, summary: &AdapterSummary) -> (bool, u8, bool) {
    use wgpu::DeviceType::{Cpu, DiscreteGpu, IntegratedGpu, Other, VirtualGpu};
    let low_power = wgpu::PowerPreference::from_env() == Some(wgpu::PowerPreference::LowPower);
    let kind = match info.device_type {
        DiscreteGpu => 1,
        IntegratedGpu if low_power => 0,
        IntegratedGpu => 2,
        VirtualGpu => 3,
        Other => 4,
        Cpu => 5,
    };
    (summary.software, kind, info.backend == wgpu::Backend::Gl)
}

/// True for adapters that compute on the CPU, of which some call themselves something else.
fn is_software(info: &wgpu::AdapterInfo) -> bool {
    let name = format!("{} {}", info.name, info.driver).to_lowercase();
    info.device_type == wgpu::DeviceType::Cpu
        || ["llvmpipe", "lavapipe", "swiftshader", "softpipe"]
            .iter()
            .any(|software| name.contains(software))
}

/// The adapter of a choice.
///
/// # Errors
/// [`Error::NoAdapter`] if there is none.
pub fn choose(choice: &AdapterChoice) -> Result<wgpu::Adapter> {
    choose_of(enumerate(), choice)
}

/// The instance of a descriptor, which may have a display that surfaces are shown on.
#[must_use]
pub fn instance_of(descriptor: wgpu::InstanceDescriptor) -> wgpu::Instance {
    instance(descriptor, allowed())
}

/// The adapter of a choice, of those that can draw on a surface.
///
/// # Errors
/// [`Error::NoAdapter`] if there is none.
pub fn choose_for(
    surface: &wgpu::Surface<'_>,
    instance: &wgpu::Instance,
    choice: &AdapterChoice,
) -> Result<wgpu::Adapter> {
    let mut found = adapters_of(instance, allowed());
    found.retain(|(adapter, _)| adapter.is_surface_supported(surface));
    choose_of(found, choice)
}

fn choose_of(
    adapters: Vec<(wgpu::Adapter, AdapterSummary)>,
    choice: &AdapterChoice,
) -> Result<wgpu::Adapter> {
    let wanted = choice.wanted();
    let mut found = Vec::new();
    for (adapter, summary) in adapters {
        let fits = match &wanted {
            Some(name) => summary.name.to_lowercase().contains(name),
            None => choice.allow_software || !summary.software,
        };
        if fits && summary.usable {
            return Ok(adapter);
        }
        found.push(summary.to_string());
    }
    let wish = match wanted {
        Some(name) => format!("no usable adapter has \"{name}\" in its name"),
        None => "no hardware adapter was found".to_owned(),
    };
    let found = match found.len() {
        0 => "there is none at all".to_owned(),
        _ => format!("there are: {}", found.join("; ")),
    };
    let hint = if choice.allow_software {
        ""
    } else {
        " (a software adapter is taken only when asked for by name)"
    };
    Err(Error::NoAdapter(format!("{wish}; {found}{hint}")))
}

/// Checks that the kernels fit into a device with these limits.
fn check_limits(limits: &wgpu::Limits) -> Result<()> {
    let needs = [
        (
            "storage buffers per shader stage",
            STORAGE_BUFFERS,
            limits.max_storage_buffers_per_shader_stage,
        ),
        (
            "bindings per bind group",
            BINDINGS,
            limits.max_bindings_per_bind_group,
        ),
        (
            "dynamic uniform buffers per pipeline layout",
            1,
            limits.max_dynamic_uniform_buffers_per_pipeline_layout,
        ),
        (
            "invocations per workgroup",
            WORKGROUP_SIZE,
            limits.max_compute_invocations_per_workgroup,
        ),
        (
            "workgroup size",
            WORKGROUP_SIZE,
            limits.max_compute_workgroup_size_x,
        ),
        (
            "bytes of workgroup memory",
            WORKGROUP_MEMORY,
            limits.max_compute_workgroup_storage_size,
        ),
        (
            "workgroups per dimension",
            1,
            limits.max_compute_workgroups_per_dimension,
        ),
    ];
    for (what, needed, available) in needs {
        if needed > available {
            return Err(Error::Capacity {
                what: format!("GPU device limit: {what}"),
                needed: u64::from(needed),
                available: u64::from(available),
            });
        }
    }
    Ok(())
}

/// An open device that knows whether it still works.
#[derive(Debug)]
pub(super) struct GpuDevice {
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    pub(super) summary: AdapterSummary,
    pub(super) limits: wgpu::Limits,
    lost: Arc<AtomicBool>,
}

impl GpuDevice {
    /// Opens the chosen adapter with its own limits, after `lower` has had a chance to lower them.
    pub(super) fn open(
        choice: &AdapterChoice,
        lower: impl FnOnce(&mut wgpu::Limits),
    ) -> Result<Self> {
        let adapter = choose(choice)?;
        let mut limits = adapter.limits();
        lower(&mut limits);
        check_limits(&limits)?;
        let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
            label: Some("drystone"),
            required_limits: limits,
            ..Default::default()
        }))
        .map_err(|error| Error::Device(format!("{}: {error}", adapter.get_info().name)))?;
        let opened = Self::adopt(device, queue)?;
        let lost = Arc::clone(&opened.lost);
        opened
            .device
            .set_device_lost_callback(move |_, _| lost.store(true, Ordering::Release));
        Ok(opened)
    }

    /// Takes a device that somebody else opened. Its device-lost callback stays theirs: loss shows
    /// in the readback that ends every solve.
    pub(super) fn adopt(device: wgpu::Device, queue: wgpu::Queue) -> Result<Self> {
        let limits = device.limits();
        check_limits(&limits)?;
        Ok(Self {
            summary: AdapterSummary::new(device.adapter_info(), &limits, true),
            limits,
            device,
            queue,
            lost: Arc::new(AtomicBool::new(false)),
        })
    }

    /// Fails if the device is known to be lost.
    pub(super) fn check(&self) -> Result<()> {
        // Loss is reported to the callback by polling only.
        let polled = self.device.poll(wgpu::PollType::Poll);
        if self.lost.load(Ordering::Acquire) {
            return Err(Error::Device(format!("{} is lost", self.summary)));
        }
        polled.map_err(|error| self.fail(&error.to_string()))?;
        Ok(())
    }

    /// Waits until `submission` is done.
    ///
    /// Nothing can cancel work that hangs; the device counts as lost from then on.
    pub(super) fn wait(&self, submission: wgpu::SubmissionIndex) -> Result<()> {
        self.device
            .poll(wgpu::PollType::Wait {
                submission_index: Some(submission),
                timeout: Some(DEVICE_TIMEOUT),
            })
            .map_err(|error| self.fail(&error.to_string()))?;
        self.check()
    }

    /// Marks the device as lost and says why.
    pub(super) fn fail(&self, why: &str) -> Error {
        self.lost.store(true, Ordering::Release);
        Error::Device(format!("{}: {why}", self.summary))
    }

    /// A new encoder; to be called within [`Self::scoped`].
    pub(super) fn encoder(&self) -> wgpu::CommandEncoder {
        self.device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor {
                label: Some("drystone"),
            })
    }

    /// Runs `work` and turns what the device has to complain about into an error.
    pub(super) fn scoped<T>(&self, stage: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let scopes = [
            wgpu::ErrorFilter::Internal,
            wgpu::ErrorFilter::OutOfMemory,
            wgpu::ErrorFilter::Validation,
        ]
        .map(|filter| self.device.push_error_scope(filter));
        let result = work();
        let mut complaint = None;
        for scope in scopes.into_iter().rev() {
            if let Some(error) = pollster::block_on(scope.pop()) {
                complaint.get_or_insert(error);
            }
        }
        match complaint {
            None => result,
            Some(error) => {
                self.check()?;
                Err(Error::Device(format!("{}, {stage}: {error}", self.summary)))
            }
        }
    }
}
