//! Changed scenes: each is refused with a place, or runs and ends, well or not.

#[allow(dead_code, unreachable_pub, reason = "a module of the fuzz targets")]
#[path = "../../fuzz/src/mutation.rs"]
mod mutation;
#[allow(unreachable_pub, reason = "a module of the fuzz targets")]
#[path = "../../fuzz/src/scene_target.rs"]
mod scene_target;

use mutation::mutated;
use rand_pcg::Pcg64;
use scene_target::{is_small, run};
use std::path::Path;
use std::time::{Duration, Instant};

/// Longest that a scene may take: most take a millisecond.
const SLOW: Duration = Duration::from_secs(20);

#[test]
fn a_thousand_changed_scenes_are_refused_with_a_place_or_run() {
    let scenes = [
        "basics/incline.toml",
        "basics/roll.toml",
        "basics/stack30.toml",
        "joints/breaking_beam.toml",
        "joints/cardan.toml",
        "joints/door.toml",
        "joints/motor.toml",
        "joints/spring_mass.toml",
        "joints/tether.toml",
        "papers/dice3.toml",
        "papers/five_bodies.toml",
        "papers/tumbling_box.toml",
    ];
    let mut random = Pcg64::new(15, 16);
    let (mut count, mut ran, mut at) = (0, 0, 0);
    while count < 1_000 {
        let name = scenes[at % scenes.len()];
        at += 1;
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("scenes")
            .join(name);
        let text = mutated(&std::fs::read_to_string(&path).unwrap(), &mut random);
        if !is_small(&text) {
            continue;
        }
        count += 1;
        let start = Instant::now();
        // A panic shows the text that it was made of.
        let _shown = Shown(&text);
        ran += usize::from(run(&path, &text));
        assert!(start.elapsed() < SLOW, "{:?}", start.elapsed());
    }
    assert!(
        (100..900).contains(&ran),
        "{ran} ran: changes are too large or too small"
    );
}

/// Prints a text if it is dropped by a panic.
struct Shown<'a>(&'a str);

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            #[allow(clippy::print_stderr, reason = "a failed test shows its scene")]
            {
                eprintln!("{}", self.0);
            }
        }
    }
}
