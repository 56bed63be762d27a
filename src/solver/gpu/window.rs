//! What one dispatch is told: which elements it treats, and where the windows bound for it begin.

use super::device::GpuDevice;
use bytemuck::{Pod, Zeroable};

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
    /// Further work of the dispatch; a sum of the flags below.
    pub flags: u32,
    /// First bound group start; between the LCPs of a step the number of the LCP.
    pub start_base: u32,
}

/// Flags of a window, and the list of them that shaders begin with.
macro_rules! flags {
    ($($(#[$doc:meta])* $name:ident = $value:literal,)+) => {
        impl Window {
            $($(#[$doc])* pub(super) const $name: u32 = $value;)+

            /// Names and values of all flags.
            pub(super) const FLAGS: &'static [(&'static str, u32)] =
                &[$((stringify!($name), $value),)+];
        }
    };
}

flags! {
    /// The dispatch keeps the impulses it computes; see `block_split`.
    KEEPS_IMPULSES = 1,
    /// It sweeps clusters in reverse before it sweeps them forward.
    REVERSE = 2,
    /// It changes no impulse, and adds to velocities what the impulses do.
    REBUILD = 4,
    /// It precedes a rebuilding of velocities; see `body_momentum`.
    BEFORE_REBUILD = 8,
    /// It follows a rebuilding of velocities.
    AFTER_REBUILD = 16,
    /// It comes before the first sweep, and nothing is in the memory yet; of a sum in parts, it is the first part.
    STARTS = 32,
    /// Of a sum in parts, it is the last; see `residual_step`.
    ENDS = 64,
    /// It treats the remainder, whose bodies are split; see `contact_masses`.
    SPLITS = 128,
    /// It makes impulses those that were kept; see `substep_contacts`.
    RESTORES = 256,
    /// It makes them nothing.
    COLD = 512,
    /// It stands before a velocity LCP, or after it.
    VELOCITY = 1024,
    /// The same of a position LCP.
    POSITION = 2048,
}

/// Bytes from one window to the next in the uniform that holds them all.
pub(super) fn window_stride(gpu: &GpuDevice) -> u32 {
    (size_of::<Window>() as u32).next_multiple_of(gpu.limits.min_uniform_buffer_offset_alignment)
}

/// The windows, each at a multiple of `stride` bytes.
pub(super) fn spread(windows: &[Window], stride: usize) -> Vec<u32> {
    let mut words = vec![0; windows.len().max(1) * stride / size_of::<u32>()];
    for (window, place) in windows
        .iter()
        .zip(words.chunks_exact_mut(stride / size_of::<u32>()))
    {
        let window: &[u32] = bytemuck::cast_slice(std::slice::from_ref(window));
        place[..window.len()].copy_from_slice(window);
    }
    words
}
