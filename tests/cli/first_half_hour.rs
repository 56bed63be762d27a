//! The README's first half hour: its commands, as they stand there, with a scene that is shorter and pictures that are smaller.

#![cfg(unix)]

use crate::program::{Home, program, without_gpu};
use std::path::Path;
use std::process::Command;

/// Commands of the section, in their order.
fn commands() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let section = readme.split("### The first half hour\n").nth(1).unwrap();
    let block = section.split("```").nth(1).unwrap();
    let commands = block
        .lines()
        .map(|line| line.split('#').next().unwrap().trim());
    let commands = commands.filter(|line| !line.is_empty());
    commands.map(str::to_owned).collect()
}

#[test]
fn every_command_of_the_first_half_hour_does_what_it_says() {
    let home = Home::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let scene = "scenes/granular/brazil_nut.toml";
    let text = std::fs::read_to_string(root.join(scene)).unwrap();
    // A fiftieth of the time, and no end that is judged.
    let text = text.split("\n[[expect]]").next().unwrap();
    assert!(text.contains("duration = 20.0"));
    std::fs::create_dir_all(home.path("scenes/granular")).unwrap();
    home.write(scene, &text.replace("duration = 20.0", "duration = 0.4"));
    let program = Path::new(program().get_program()).to_owned();
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", program.parent().unwrap().display());
    let commands = commands();
    assert!(commands.len() >= 8, "{commands:?}");
    for command in &commands {
        // Cloning and building are what the tests come after.
        if command.starts_with("git ")
            || command.starts_with("cd ")
            || command.starts_with("cargo ")
        {
            continue;
        }
        let mut line = command.clone();
        if line.starts_with("drystone render") {
            if cfg!(not(feature = "gpu")) {
                continue;
            }
            line = line.replace("--samples 12", "--samples 2 --size 160x100");
            line = line.replace("--every 5", "--every 0.1");
            assert!(line.contains("160x100"), "{line}");
        }
        let mut shell = Command::new("sh");
        shell.args(["-c", &line]).env("PATH", &path);
        if !line.contains("render") {
            without_gpu(&mut shell);
        }
        let ended = shell.current_dir(home.path(".")).output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        // 124: stopped when its time was over, as it says; here it may be done before.
        let code = ended.status.code();
        let is_stopped = line.starts_with("timeout") && code == Some(124);
        assert!(code == Some(0) || is_stopped, "{line}: {code:?} {said}");
    }
    // The text around them promises this.
    for file in [
        "runs/brazil_nut-1/report.html",
        "runs/brazil_nut-1/brazil_nut_sheet.png",
        "runs/brazil_nut-2/summary.json",
        "both.svg",
    ] {
        assert!(
            home.path(file).exists() || cfg!(not(feature = "gpu")),
            "{file}"
        );
    }
    assert!(home.read("smooth.toml").contains("friction = 0.05"));
    let last: serde_json::Value =
        serde_json::from_str(&home.read("runs/brazil_nut-3/summary.json")).unwrap();
    assert_eq!(last["status"], "done");
}
