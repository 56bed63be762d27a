//! `run` on the backends that referee the others.

use crate::program::{Csv, Home, entries};

/// Four balls fall on a floor and on each other.
fn small_scene(friction: &str) -> String {
    format!(
        r#"name = "small"

[simulation]
dt = 0.01
steps = 30

[solver]
iterations = 200
{friction}

[[body]]
kind = "fixed"
shape = {{ type = "half_space", normal = [0, 0, 1] }}

[[fill]]
region = {{ type = "box", min = [-0.15, -0.15, 0.02], max = [0.15, 0.15, 2.0] }}
arrangement = "jittered"
spacing = 0.22
jitter = 0.01
count = 4
density = 1000
shapes = [{{ shape = {{ type = "sphere", radius = 0.1 }} }}]
"#
    )
}

#[test]
fn the_references_run_a_scene_to_round_off() {
    let home = Home::new();
    home.write("small.toml", &small_scene("friction = { pyramid = 8 }"));
    let mut ends = Vec::new();
    for backend in ["lemke", "nsgs", "cpu"] {
        let args = [
            "run",
            "small.toml",
            "-q",
            "--backend",
            backend,
            "--out",
            backend,
        ];
        home.run(&args).expect_code(0);
        let summary: serde_json::Value =
            serde_json::from_str(&home.read(&format!("{backend}/summary.json"))).unwrap();
        assert_eq!(summary["backend"], backend);
        let metrics = Csv::parse(&home.read(&format!("{backend}/metrics.csv")));
        let contacts = metrics.numbers("contacts");
        assert!(contacts.iter().any(|&count| count >= 4.0), "{contacts:?}");
        if backend == "lemke" {
            let worst = metrics
                .numbers("residual_max")
                .into_iter()
                .fold(0.0, f64::max);
            assert!(worst < 1e-9, "{worst:e}");
        }
        ends.push(metrics.numbers("kinetic_energy"));
    }
    for (step, energies) in ends[0].iter().zip(&ends[1]).zip(&ends[2]).enumerate() {
        let ((pivoted, swept), single) = energies;
        assert!(
            (pivoted - swept).abs() < 1e-5 * (1.0 + pivoted),
            "step {step}"
        );
        assert!(
            (pivoted - single).abs() < 1e-3 * (1.0 + pivoted),
            "step {step}"
        );
    }
}

#[test]
fn a_disk_is_refused_before_anything_is_written() {
    let home = Home::new();
    home.write("small.toml", &small_scene(""));
    let args = ["run", "small.toml", "--backend", "lemke"];
    let ended = home.run(&args).expect_code(2);
    for part in ["friction = { pyramid = 8 }", "[solver]", "nsgs"] {
        assert!(ended.stderr.contains(part), "{part}: {}", ended.stderr);
    }
    assert!(entries(&home.path("runs")).is_empty());
    let with_adapter = [args.as_slice(), &["--adapter", "x"]].concat();
    home.run(&with_adapter).expect_code(2);
}

#[test]
fn flags_of_iterations_are_refused() {
    let home = Home::new();
    home.write("small.toml", &small_scene("friction = { pyramid = 8 }"));
    for (backend, flag, value) in [
        ("lemke", "--solver", "jacobi"),
        ("lemke", "--iterations", "5"),
        ("lemke", "--tolerance", "0.1"),
        ("nsgs", "--solver", "jacobi"),
    ] {
        let args = ["run", "small.toml", "--backend", backend, flag, value];
        let ended = home.run(&args).expect_code(2);
        for part in [backend, flag, "--backend cpu"] {
            assert!(ended.stderr.contains(part), "{part}: {}", ended.stderr);
        }
    }
    assert!(entries(&home.path("runs")).is_empty());
}

#[test]
fn too_large_a_scene_is_told_where_to_go() {
    let home = Home::with_drop_scene();
    let text = home.read("drop.toml");
    let pyramid = "iterations = 20\nfriction = { pyramid = 8 }";
    home.write("drop.toml", &text.replacen("iterations = 20", pyramid, 1));
    let ended = home
        .run(&["run", "drop.toml", "--backend", "lemke"])
        .expect_code(1);
    for part in ["600 available", "--backend cpu"] {
        assert!(ended.stderr.contains(part), "{part}: {}", ended.stderr);
    }
}
