//! The adapter under test.

use drystone::solver::gpu::{AdapterChoice, GpuSolver, list_adapters};

/// The choice that `DRYSTONE_ADAPTER` makes, or else hardware before llvmpipe.
pub(crate) fn choice() -> AdapterChoice {
    if let Ok(name) = std::env::var("DRYSTONE_ADAPTER") {
        return AdapterChoice::named(name);
    }
    let hardware = list_adapters()
        .into_iter()
        .any(|adapter| adapter.usable && !adapter.software);
    if hardware {
        AdapterChoice::default()
    } else {
        AdapterChoice::named("llvmpipe")
    }
}

/// A solver on it.
pub(crate) fn solver() -> GpuSolver {
    GpuSolver::new(&choice()).expect("a GPU adapter, hardware or llvmpipe")
}

/// A solver on it whose device has lower limits.
pub(crate) fn limited(lower: impl FnOnce(&mut wgpu::Limits)) -> GpuSolver {
    GpuSolver::with_limits(&choice(), lower).expect("a GPU adapter, hardware or llvmpipe")
}
