//! Engines in programs of their own.
//!
//! Such a program takes `--scene FILE --out STEM --steps N --threads N`, beside whatever its command already
//! says; writes the final state to `STEM.poses.csv`; and prints a line of JSON with `engine`, `version`,
//! `settings` and `mean_ms`, its mean time of a step over the second half.

use crate::metric;
use crate::point::{Origin, Point};
use crate::poses;
use crate::scene::Scene;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs a program on a scene, whose file and results go into `folder`.
pub(crate) fn run(
    command: &str,
    scene: &Scene,
    steps: usize,
    threads: usize,
    folder: &Path,
) -> Result<Point, String> {
    let wrong = |why: String| format!("`{command}`: {why}");
    let mut words = command.split_whitespace();
    let program = words.next().ok_or_else(|| wrong("no program".into()))?;
    let file = folder.join(format!("{}.scene", scene.name));
    std::fs::write(&file, scene.text()).map_err(|why| wrong(why.to_string()))?;
    let stem = folder.join("external");
    let poses_file = folder.join("external.poses.csv");
    // What an earlier program left must not be taken for this one's.
    let _ = std::fs::remove_file(&poses_file);
    let output = Command::new(program)
        .args(words)
        .arg("--scene")
        .arg(&file)
        .arg("--out")
        .arg(&stem)
        .args(["--steps", &steps.to_string()])
        .args(["--threads", &threads.to_string()])
        .stderr(Stdio::inherit())
        .output()
        .map_err(|why| wrong(why.to_string()))?;
    if !output.status.success() {
        return Err(wrong(output.status.to_string()));
    }
    let printed = String::from_utf8_lossy(&output.stdout);
    let told: Value = printed
        .lines()
        .rev()
        .find_map(|line| serde_json::from_str(line).ok().filter(Value::is_object))
        .ok_or_else(|| wrong("no line of JSON".into()))?;
    let text = |key: &str| told[key].as_str().unwrap_or("").to_owned();
    let ms_per_step = told["mean_ms"]
        .as_f64()
        .ok_or_else(|| wrong("no mean_ms".into()))?;
    let states = poses::read(&poses_file, scene).map_err(wrong)?;
    let found = metric::measure(scene, &states);
    Ok(Point {
        scene: scene.name.clone(),
        engine: text("engine"),
        version: text("version"),
        settings: text("settings"),
        threads,
        runs: 1,
        origin: Origin::External,
        ms_per_step,
        max_penetration: found.max_penetration,
        p99_penetration: found.p99_penetration,
        mean_penetration: found.mean_penetration,
        ke_per_body: Some(found.ke_per_body),
        lost: Some(found.lost),
        top_displacement: found.top_displacement,
    })
}
