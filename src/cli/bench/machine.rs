//! What the measurements were made on.

use schemars::JsonSchema;
use serde::Serialize;

/// The machine and the build.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Machine {
    /// Model of the CPU, as the system names it.
    pub(crate) cpu: String,
    /// Hardware threads that the process may use.
    pub(crate) hardware_threads: usize,
    /// Threads that the measurements ran on.
    pub(crate) threads: usize,
    /// Vector instructions that were found.
    pub(crate) simd: String,
    /// Operating system and architecture.
    pub(crate) system: String,
    /// Commit that the program was built from, where `DRYSTONE_COMMIT` was set when it was.
    pub(crate) commit: Option<String>,
    /// True for a build with debug assertions, whose times mean little.
    pub(crate) debug_build: bool,
}

impl Machine {
    pub(crate) fn here() -> Self {
        let threads = rayon::current_num_threads();
        Self {
            cpu: cpu().unwrap_or_else(|| "unknown".to_owned()),
            hardware_threads: std::thread::available_parallelism().map_or(threads, usize::from),
            threads,
            simd: simd().to_owned(),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            commit: option_env!("DRYSTONE_COMMIT").map(str::to_owned),
            debug_build: cfg!(debug_assertions),
        }
    }
}

fn cpu() -> Option<String> {
    let name = match std::env::consts::OS {
        "linux" => model_name(&std::fs::read_to_string("/proc/cpuinfo").ok()?)?.to_owned(),
        "windows" => std::env::var("PROCESSOR_IDENTIFIER").ok()?,
        "macos" => {
            let output = std::process::Command::new("sysctl")
                .args(["-n", "machdep.cpu.brand_string"])
                .output()
                .ok()?;
            String::from_utf8(output.stdout).ok()?
        }
        _ => return None,
    };
    let name = name.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// The first model of `/proc/cpuinfo`; ARM kernels name none there.
fn model_name(info: &str) -> Option<&str> {
    let of_key = |key: &str| {
        info.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            (name.trim() == key).then(|| value.trim())
        })
    };
    of_key("model name").or_else(|| of_key("Hardware"))
}

#[cfg(target_arch = "x86_64")]
fn simd() -> &'static str {
    if is_x86_feature_detected!("avx512f") {
        "avx512"
    } else if is_x86_feature_detected!("avx2") {
        "avx2"
    } else {
        "sse2"
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn simd() -> &'static str {
    if cfg!(target_arch = "aarch64") {
        "neon"
    } else {
        "unknown"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_is_the_first_one() {
        let info =
            "processor\t: 0\nmodel name\t: A Fast CPU: 9\nprocessor\t: 1\nmodel name\t: Other\n";
        assert_eq!(model_name(info), Some("A Fast CPU: 9"));
        assert_eq!(model_name("processor : 0\n"), None);
    }
}
