//! Cost of sharing a loop: time of one `[us]`, by how much work is in it, on one thread and on several.
//!
//! Each figure is the least mean of a few loops in a row; all kinds are measured in turns.

#![allow(dead_code, unreachable_pub, unused_imports)]
#![allow(clippy::print_stdout, reason = "a bench speaks to its reader")]

#[path = "../../src/constants/mod.rs"]
mod constants;
#[path = "../../src/parallel/mod.rs"]
mod parallel;

use parallel::{SharedSlice, Stages, Team, for_chunks, together};
use std::hint::black_box;
use std::time::Instant;

/// Steps of work in a loop; each takes about a quarter of a nanosecond.
const WORK: [usize; 5] = [0, 1_000, 10_000, 100_000, 1_000_000];

const STAGES: usize = 12;
const KINDS: [&str; 3] = ["chunks", "domains", "a stage of a pipeline"];

fn busy(steps: usize) {
    for step in 0..steps {
        black_box(step);
    }
}

/// Mean time of a few runs `[us]`.
fn mean(mut run: impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..20 {
        run();
    }
    start.elapsed().as_secs_f64() * 1e6 / 20.0
}

fn loops(team: &Team, work: usize) -> [f64; KINDS.len()] {
    let threads = team.threads();
    let all = (1_u64 << threads) - 1;
    let neighbours: Vec<u64> = (0..threads).map(|domain| all & !(1 << domain)).collect();
    let stages = Stages {
        count: STAGES,
        neighbours: &neighbours,
    };
    [
        mean(|| team.each(64, 1, |_, part| busy(part.len() * work / 64))),
        mean(|| team.in_domains(threads, |_, _| busy(work / threads))),
        mean(|| team.pipeline(stages, |_, _, _, _| busy(work / threads / 2))) / STAGES as f64,
    ]
}

/// A loop that calls its team for itself.
fn alone(work: usize) -> f64 {
    let mut elements = [0_u8; 64];
    mean(|| {
        let slices = SharedSlice::new(&mut elements);
        for_chunks(slices, 1, |_, part| busy(part.len() * work / 64));
    })
}

fn main() {
    let most = std::thread::available_parallelism().map_or(1, usize::from);
    println!("us a loop: {}, chunks outside of a team", KINDS.join(", "));
    for work in WORK {
        for threads in [1, most] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let least = pool.expect("threads").install(|| {
                let mut least = [f64::INFINITY; KINDS.len() + 1];
                for _ in 0..(20_000_000 / (work + 1_000)) {
                    let [a, b, c] = together(threads, |team| loops(team, work));
                    for (least, time) in least.iter_mut().zip([a, b, c, alone(work)]) {
                        *least = least.min(time);
                    }
                }
                least
            });
            println!("{work:8} steps, {threads} threads: {least:8.2?}");
        }
    }
}
