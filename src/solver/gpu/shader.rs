//! What a kernel is to the device: a WGSL module, and what it binds.

use crate::constants::{IMPULSE_DEAD_BAND, MAX_FRICTION_DIRECTIONS, WORKGROUP_SIZE};

/// The text of a file in `shaders/`, by its name without the ending.
macro_rules! wgsl {
    ($name:literal) => {
        include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/shaders/",
            $name,
            ".wgsl"
        ))
    };
}
pub(super) use wgsl;

/// How a kernel sees what it binds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// A uniform of so many bytes.
    Uniform(u64),
    /// A storage array, to be read.
    Read,
    /// A storage array, to be read and written.
    Write,
}

impl Access {
    /// A uniform that holds one `T`.
    pub(super) const fn uniform<T>() -> Self {
        Self::Uniform(size_of::<T>() as u64)
    }
}

/// Number of a binding, what is bound there, and how the kernel sees it.
pub(super) type Binding<Slot> = (u32, Slot, Access);

/// One kernel.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shader<Slot: 'static> {
    /// Name of the file, of the entry point and of the CPU twin.
    pub(super) name: &'static str,
    /// What its module consists of, behind the part that all kernels share.
    parts: &'static [&'static str],
    /// What it binds after the [`Window`](super::Window) at binding 0.
    pub(super) bindings: &'static [Binding<Slot>],
    /// Constants that it declares, beside those that all kernels do.
    constants: &'static [(&'static str, f64)],
}

impl<Slot> Shader<Slot> {
    pub(super) fn of(
        name: &'static str,
        parts: &'static [&'static str],
        bindings: &'static [Binding<Slot>],
    ) -> Self {
        Self {
            name,
            parts,
            bindings,
            constants: &[],
        }
    }

    /// The same, with constants of its own.
    pub(super) fn with_constants(self, constants: &'static [(&'static str, f64)]) -> Self {
        Self { constants, ..self }
    }

    /// The whole WGSL module.
    pub(super) fn source(&self) -> String {
        // The length of an array in a uniform must be a constant; an `override` will not do.
        let constants =
            format!("const MAX_FRICTION_DIRECTIONS: u32 = {MAX_FRICTION_DIRECTIONS}u;\n");
        let shared = [&constants, wgsl!("shared/types"), wgsl!("shared/math")];
        shared
            .into_iter()
            .chain(self.parts.iter().copied())
            .collect()
    }

    /// The values of the module's `override` constants.
    pub(super) fn constants(&self) -> Vec<(&'static str, f64)> {
        let shared = [
            ("WORKGROUP_SIZE", f64::from(WORKGROUP_SIZE)),
            ("IMPULSE_DEAD_BAND", f64::from(IMPULSE_DEAD_BAND)),
        ];
        [&shared, self.constants].concat()
    }
}

/// Kernels that work on the same arrays.
pub(super) trait ShaderSet: Copy + PartialEq + 'static {
    /// An array that a kernel can bind.
    type Slot: Copy + 'static;

    /// All kernels.
    const ALL: &'static [Self];

    /// Place of the kernel in [`Self::ALL`].
    fn index(self) -> usize;

    fn shader(self) -> Shader<Self::Slot>;
}
