//! Time and memory of a step against the number of bodies: piles of spheres like
//! `scenes/bench/pile_spheres_16k`, about as wide as high at every size. A table in Markdown.
//!
//! Each pile is measured twice: falling, when hardly anything touches, and landed, after `STEPS` steps. Taller
//! ones would need longer to come to rest than a bench may take; the contacts a body has say how far each one
//! is. Memory is the peak of the process, where the system tells it, over what it was before the pile was made.
//!
//! `cargo bench --bench scaling -- [--steps STEPS] [SPHERES ...]` runs the sizes that are given.

#[path = "support/mod.rs"]
mod support;

use drystone::scene::{Overrides, Scene};
use drystone::solver::cpu::CpuSolver;
use drystone::step::Simulation;
use std::time::Instant;
use support::{by_two_problems, is_trial, pile_size};

/// Spheres of the piles, unless the command line says otherwise. A million more take a quarter of an hour and
/// have to be asked for.
const SIZES: [u32; 5] = [1_000, 4_000, 16_000, 64_000, 256_000];
/// Sizes of a trial.
const TRIAL: [u32; 2] = [500, 1_000];
/// Steps before a pile counts as landed.
const STEPS: u32 = 120;
/// Steps that a time is the mean of.
const TIMED: u32 = 5;

fn main() {
    let (sizes, steps) = arguments();
    say("| spheres | state | contacts a body | ms/step | ns/body | peak MiB | bytes/body |");
    say("|---|---|---|---|---|---|---|");
    for spheres in sizes {
        forget_peak();
        let before = resident("VmRSS:");
        let scene = pile(spheres);
        let mut simulation =
            Simulation::new(scene.world, scene.settings, Box::new(CpuSolver::new()))
                .expect("a valid scene");
        for (state, until) in [("falling", TIMED + 1), ("landed", steps)] {
            let untimed = until.saturating_sub(TIMED + done(&simulation));
            let mut step = || {
                simulation.step().expect("a step of a valid scene");
            };
            (0..untimed).for_each(|_| step());
            let start = Instant::now();
            (0..TIMED).for_each(|_| step());
            let time = start.elapsed() / TIMED;
            let bodies = pile_size(simulation.world()) as f64;
            let memory = before.zip(resident("VmHWM:")).map(|(before, peak)| {
                let grown = peak.saturating_sub(before) as f64;
                (peak as f64 / f64::from(1 << 20), grown / bodies)
            });
            let shown =
                |x: Option<f64>| x.map_or_else(|| "-".to_owned(), |number| format!("{number:.0}"));
            say(&format!(
                "| {spheres} | {state} | {:.2} | {:.3} | {:.0} | {} | {} |",
                simulation.contacts().len() as f64 / bodies,
                1e3 * time.as_secs_f64(),
                1e9 * time.as_secs_f64() / bodies,
                shown(memory.map(|m| m.0)),
                shown(memory.map(|m| m.1)),
            ));
        }
    }
}

/// Sizes, and steps until a pile counts as landed.
fn arguments() -> (Vec<u32>, u32) {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |word: &String| word.parse::<u32>().ok();
    let place = words.iter().position(|word| word == "--steps");
    let steps = place.and_then(|place| words.get(place + 1).and_then(number));
    let sizes: Vec<u32> = words
        .iter()
        .enumerate()
        .filter(|(at, _)| place.is_none_or(|place| *at != place + 1))
        .filter_map(|(_, word)| number(word))
        .collect();
    let usual: &[u32] = if is_trial() { &TRIAL } else { &SIZES };
    let sizes = if sizes.is_empty() {
        usual.to_vec()
    } else {
        sizes
    };
    (sizes, steps.unwrap_or(if is_trial() { 20 } else { STEPS }))
}

/// Steps that a simulation has made.
fn done(simulation: &Simulation) -> u32 {
    (simulation.world().time / simulation.settings().time_step).round() as u32
}

/// A line of `/proc/self/status` in bytes; nothing on systems without it.
fn resident(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(name))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes << 10)
}

/// Makes the system's peak of the memory begin anew, where it can; sizes grow, so little is lost elsewhere.
fn forget_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
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
    let scene = Scene::parse("scaling".as_ref(), &text, &Overrides::default());
    by_two_problems(scene.expect("a valid scene"))
}

#[allow(clippy::print_stdout, reason = "a bench speaks to its reader")]
fn say(what: &str) {
    println!("{what}");
}
