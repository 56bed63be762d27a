//! `mutate TARGET SECONDS SEED FILE...`: gives a target changes of files, for so long. What goes wrong panics; `last.TARGET` holds
//! the input that was under way.

use drystone_fuzz::mutation::{mutated, mutated_bytes};
use rand::RngExt;
use rand_pcg::Pcg64;
use std::time::{Duration, Instant};

/// Longest that an input may take.
const SLOW: Duration = Duration::from_secs(10);

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let [_, target, seconds, seed, files @ ..] = &args[..] else {
        panic!("expected TARGET SECONDS SEED FILE...");
    };
    let seconds: u64 = seconds.parse().expect("a number of seconds");
    let run: fn(&[u8]) = match target.as_str() {
        "scene" => drystone_fuzz::scene,
        "problem" => drystone_fuzz::problem,
        "mesh" => drystone_fuzz::mesh,
        "checkpoint" => drystone_fuzz::checkpoint,
        other => panic!("no target {other}"),
    };
    let files: Vec<Vec<u8>> = files
        .iter()
        .map(|file| std::fs::read(file).expect("a file that can be read"))
        .collect();
    let mut random = Pcg64::new(seed.parse().expect("a number"), 0);
    let begin = Instant::now();
    let (mut count, mut slowest) = (0_u64, Duration::ZERO);
    while begin.elapsed() < Duration::from_secs(seconds) {
        let file = &files[random.random_range(0..files.len())];
        let input = match std::str::from_utf8(file) {
            Ok(text) if random.random_range(0..4) > 0 => mutated(text, &mut random).into_bytes(),
            _ => mutated_bytes(file, &mut random),
        };
        std::fs::write(format!("last.{target}"), &input).expect("a file that can be written");
        let start = Instant::now();
        run(&input);
        let taken = start.elapsed();
        assert!(taken < SLOW, "an input that took {taken:?}");
        slowest = slowest.max(taken);
        count += 1;
    }
    println!("{target}: {count} inputs in {seconds} s, the slowest took {slowest:?}");
}
