//! The adapter under test.

use drystone::problem::Problem;
use drystone::solver::gpu::{AdapterChoice, GpuSolver, list_adapters};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

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

/// The problem with the last bit of arms and biases changed at random.
pub(crate) fn nudged(problem: &Problem, seed: u64) -> Problem {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut nudge = |x: &mut f32| {
        *x *= 1.0 + f32::EPSILON * rng.random_range(-1..=1) as f32;
    };
    let mut nudged = problem.clone();
    for contact in &mut nudged.contacts {
        let vectors = [&mut contact.arm_a, &mut contact.arm_b];
        vectors.into_iter().flatten().for_each(&mut nudge);
        nudge(&mut contact.bias);
    }
    nudged
}
