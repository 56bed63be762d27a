//! What a kernel is to the device: a WGSL module, and what it binds.

use super::window::Window;
use crate::constants::{
    FIRST_VISITS, IMPULSE_DEAD_BAND, MAX_FRICTION_DIRECTIONS, PAIR_VISITS, WORKGROUP_SIZE,
};

/// The text of a file in `shaders/`, by the words that make up its name without the ending.
macro_rules! wgsl {
    ($($word:literal),+) => {
        include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/shaders/",
            $($word,)+
            ".wgsl"
        ))
    };
}
pub(super) use wgsl;

/// How a kernel sees what it binds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// A uniform.
    Uniform,
    /// A storage array, to be read.
    Read,
    /// A storage array, to be read and written.
    Write,
}

/// Number of a binding, the variable that it is bound to, and how the kernel sees it.
pub(super) type Binding = (u32, String, Access);

/// One kernel.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shader {
    /// Name of the CPU twin.
    pub(super) name: &'static str,
    /// Name of the file and of the entry point.
    pub(super) entry: &'static str,
    /// What its module consists of, behind the part that all kernels share.
    parts: &'static [&'static str],
    /// True if it does nothing once the solve is done. The one that decides may not bind the control,
    /// because it writes it, and those between two LCPs have work to do then.
    heeds_control: bool,
    /// Constants that it declares, beside those that all kernels do.
    constants: &'static [(&'static str, f64)],
}

/// A kernel of some parts, which are files in `shaders/shared`, and behind them the file of its own name.
macro_rules! shader {
    ($name:literal $(, $part:literal)*) => {
        $crate::solver::gpu::shader::Shader::of($name, &[
            $($crate::solver::gpu::shader::wgsl!("shared/", $part),)*
            $crate::solver::gpu::shader::wgsl!($name),
        ])
    };
}
pub(super) use shader;

/// A set of kernels, with the [`Shader`] of each.
macro_rules! kernels {
    ($(#[$about:meta])* $set:ident { $($(#[$doc:meta])* $kernel:ident => $shader:expr,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $set {
            $($(#[$doc])* $kernel,)+
        }

        impl $set {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$kernel,)+];

            /// Name of the CPU twin, if there is one.
            #[must_use]
            pub fn name(self) -> &'static str {
                $crate::solver::gpu::shader::ShaderSet::shader(self).name
            }

            /// Name of the file and of the entry point.
            #[must_use]
            pub fn entry(self) -> &'static str {
                $crate::solver::gpu::shader::ShaderSet::shader(self).entry
            }

            /// The whole WGSL module: shared parts, then the kernel.
            #[must_use]
            pub fn source(self) -> String {
                $crate::solver::gpu::shader::ShaderSet::shader(self).source()
            }
        }

        impl $crate::solver::gpu::shader::ShaderSet for $set {
            const ALL: &'static [Self] = Self::ALL;

            fn shader(self) -> $crate::solver::gpu::shader::Shader {
                match self {
                    $(Self::$kernel => $shader,)+
                }
            }
        }
    };
}
pub(super) use kernels;

impl Shader {
    pub(super) fn of(entry: &'static str, parts: &'static [&'static str]) -> Self {
        Self {
            name: entry,
            entry,
            parts,
            heeds_control: true,
            constants: &[],
        }
    }

    /// The same as one of several kernels from one source, which differ in the parts before it.
    pub(super) fn named(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    /// The same, with constants of its own.
    pub(super) fn with_constants(self, constants: &'static [(&'static str, f64)]) -> Self {
        Self { constants, ..self }
    }

    /// The same, whether the solve is done or not.
    pub(super) fn in_any_case(self) -> Self {
        Self {
            heeds_control: false,
            ..self
        }
    }

    /// Its bindings after the [`Window`] at binding 0: the variables that the module declares, each in a line of
    /// its own.
    pub(super) fn bindings(&self) -> Vec<Binding> {
        let source = self.source();
        let declared = source.lines().filter_map(|line| {
            let line = line.strip_prefix("@group(0) @binding(")?;
            let (number, line) = line.split_once(") var<")?;
            let (access, line) = line.split_once("> ")?;
            let (name, _) = line.split_once(':')?;
            let access = match access {
                "uniform" => Access::Uniform,
                "storage, read_write" => Access::Write,
                _ => Access::Read,
            };
            Some((number.parse().ok()?, name.to_owned(), access))
        });
        declared
            .filter(|(_, name, _)| match name.as_str() {
                "window" => false,
                "control" => self.heeds_control,
                _ => true,
            })
            .collect()
    }

    /// The whole WGSL module.
    pub(super) fn source(&self) -> String {
        // The length of an array in a uniform must be a constant; an `override` will not do.
        let directions = ("MAX_FRICTION_DIRECTIONS", MAX_FRICTION_DIRECTIONS as u32);
        let mut source = String::new();
        for (name, value) in std::iter::once(&directions).chain(Window::FLAGS) {
            source += &format!("const {name}: u32 = {value}u;\n");
        }
        let shared = [wgsl!("shared/types"), wgsl!("shared/math")];
        source.extend(shared.iter().chain(self.parts).copied());
        source
    }

    /// The values of the module's `override` constants.
    pub(super) fn constants(&self) -> Vec<(&'static str, f64)> {
        let shared = [
            ("WORKGROUP_SIZE", f64::from(WORKGROUP_SIZE)),
            ("IMPULSE_DEAD_BAND", f64::from(IMPULSE_DEAD_BAND)),
            ("PAIR_VISITS", f64::from(PAIR_VISITS)),
            ("FIRST_VISITS", f64::from(FIRST_VISITS)),
        ];
        [&shared, self.constants].concat()
    }
}

/// Kernels that work on the same arrays.
pub(super) trait ShaderSet: Copy + Ord + 'static {
    /// All kernels.
    const ALL: &'static [Self];

    fn shader(self) -> Shader;
}
