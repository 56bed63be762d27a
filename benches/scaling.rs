//! Time of a step against the number of bodies: piles of spheres like `scenes/bench/pile_spheres_16k`,
//! as wide as high at every size.
//!
//! Every pile falls first. Taller ones would need longer to come to rest than a bench may take: all but
//! the largest have landed when they are measured, and that one is still landing. The line before
//! each size says how many contacts a body has then, which is what the time per body goes by.

#[path = "support/mod.rs"]
mod support;

use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput};
use drystone::scene::{Overrides, Scene};
use std::time::Duration;
use support::{is_trial, pile_size, settled};

/// Spheres of a pile, and steps before it is measured.
const SIZES: [(u32, u32); 5] = [
    (1_000, 120),
    (4_000, 120),
    (16_000, 120),
    (64_000, 120),
    (256_000, 120),
];

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(3))
        .configure_from_args();
    let mut group = criterion.benchmark_group("scaling/pile_spheres");
    group.sampling_mode(SamplingMode::Flat);
    for (spheres, steps) in SIZES {
        // One step of the largest is all that a trial needs of it.
        let steps = if is_trial() {
            steps.min(16_000 / spheres)
        } else {
            steps
        };
        let mut simulation = settled(pile(spheres), steps);
        let bodies = pile_size(simulation.world());
        say(&format!(
            "{bodies} spheres after {steps} steps: {:.2} contacts a body",
            simulation.contacts().len() as f64 / bodies as f64
        ));
        group.throughput(Throughput::Elements(bodies));
        group.bench_function(BenchmarkId::from_parameter(spheres), |b| {
            b.iter(|| simulation.step().expect("a step of a valid scene"));
        });
    }
    group.finish();
    criterion.final_summary();
}

/// The pile of `scenes/bench/pile_spheres_16k`, with another number of spheres.
fn pile(spheres: u32) -> Scene {
    let spacing = 1.15;
    let columns = f64::from(spheres).cbrt().round();
    let layers = (f64::from(spheres) / (columns * columns)).ceil();
    let half = 0.5 * (spacing * columns + 0.05);
    let width = 2.0 * half;
    let top = spacing * (layers + 1.0) + 0.05;
    let height = 1.3 * top;
    let text = format!(
        r#"
        name = "pile_spheres_{spheres}"
        [simulation]
        dt = 0.016666666666666666
        steps = 1
        seed = 1
        [solver]
        method = "pgs"
        iterations = 30
        [stabilization]
        method = "post"
        iterations = 15
        [[container]]
        name = "box"
        inner = [{width:?}, {width:?}, {height:?}]
        thickness = 1.0
        [[fill]]
        name = "pile"
        region = {{ type = "box", min = [-{half:?}, -{half:?}, 0.05], max = [{half:?}, {half:?}, {top:?}] }}
        arrangement = "jittered"
        spacing = {spacing:?}
        jitter = 0.02
        count = {spheres}
        shapes = [{{ shape = {{ type = "sphere", radius = 0.5 }} }}]
        scale = {{ type = "uniform", min = 0.9, max = 1.1 }}
        density = 1000.0
        "#
    );
    Scene::parse("scaling".as_ref(), &text, &Overrides::default()).expect("a valid scene")
}

#[allow(clippy::print_stderr, reason = "a bench speaks to its reader")]
fn say(what: &str) {
    eprintln!("{what}");
}
