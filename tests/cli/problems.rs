//! `drystone solve`, and problems that a run writes.

use crate::program::{Home, drop_scene};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A file of FCLib's that `make.py` beside it wrote.
pub(crate) fn fclib(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/cli/fclib")
        .join(name)
}

/// The outcome of solving a file, as JSON.
pub(crate) fn solved(home: &Home, file: &str, more: &[&str]) -> Value {
    let args = [&["solve", file, "--json"], more].concat();
    let ended = home.run(&args).expect_code(0);
    serde_json::from_str(&ended.stdout).unwrap()
}

/// Impulses of an answer, flat.
pub(crate) fn impulses(home: &Home, out: &str) -> Vec<f64> {
    let answer: Value = serde_json::from_str(&home.read(out)).unwrap();
    assert_eq!(answer["format"], "drystone-solution");
    let impulses = answer["solution"]["impulses"].as_array().unwrap();
    let numbers = impulses.iter().flat_map(|r| r.as_array().unwrap());
    numbers.map(|r| r.as_f64().unwrap()).collect()
}

#[test]
fn problems_of_fclib_are_solved_to_round_off() {
    let home = Home::new();
    let solve = |name: &str| {
        let file = fclib(name).display().to_string();
        let report = solved(&home, &file, &["--out", "out.json"]);
        let residual = &report["residual"];
        assert_eq!(residual["unit"], "m/s", "{name}");
        assert!(
            residual["max"].as_f64().unwrap() < 1e-12,
            "{name}: {report}"
        );
        assert_eq!(report["status"], "converged", "{name}");
        assert_eq!(report["backend"], "nsgs", "{name}");
        assert_eq!(report["title"], name.trim_end_matches(".hdf5"));
        impulses(&home, "out.json")
    };
    let same = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9);
    let free = solve("global.hdf5");
    assert_eq!(free.len(), 12);
    assert!(free[0] > 0.1 && free[6] > 0.1, "{free:?}");
    for form in ["csc", "csr", "triplet", "gzip"] {
        let local = solve(&format!("local_{form}.hdf5"));
        assert!(same(&local, &free), "{form}: {local:?}, {free:?}");
    }
    let held = solve("global_joint.hdf5");
    let local = solve("local_joint.hdf5");
    assert!(same(&held, &local), "{held:?}, {local:?}");
    assert!(!same(&held, &free), "the bar pulls");
    // mu g h / 2 by hand.
    assert!(same(&solve("plane.hdf5"), &[2.0, -1.0, 0.0]));
}

#[test]
fn the_table_of_a_solve_says_what_it_did() {
    let home = Home::new();
    let file = fclib("global.hdf5").display().to_string();
    let ended = home
        .run(&[
            "solve",
            &file,
            "--plain",
            "--repeat",
            "3",
            "--tolerance",
            "1e-6",
        ])
        .expect_code(0);
    for part in [
        "plain block Gauss-Seidel on nsgs",
        "m/s rms",
        "by the referee in f64",
        "the median of 3",
        "converged after",
        "4 contacts",
    ] {
        assert!(ended.stdout.contains(part), "{part}: {}", ended.stdout);
    }
    for flags in [
        &["--backend", "cpu"][..],
        &["--solver", "pgs"],
        &["--cold"],
        &["--adapter", "x"],
    ] {
        let args = [&["solve", &file], flags].concat();
        let ended = home.run(&args).expect_code(2);
        assert!(ended.stderr.contains(flags[0]), "{}", ended.stderr);
    }
}

/// Runs a scene, and solves the problems of some steps again.
fn again(home: &Home, scene: &str, steps: &str, flags: &[&str]) -> Vec<Value> {
    let run = [
        &[
            "run",
            scene,
            "--out",
            "run",
            "--no-picture",
            "--dump-problem",
            steps,
        ],
        flags,
    ];
    let ended = home.run(&run.concat()).expect_code(0);
    let last = steps.rsplit(',').next().unwrap();
    assert!(
        ended
            .stderr
            .contains(&format!("problem_{last}.json --backend")),
        "{}",
        ended.stderr
    );
    let backend = flags.iter().position(|flag| *flag == "--backend");
    let backend = backend.map_or("cpu", |at| flags[at + 1]);
    let reports = steps.split(',').map(|step| {
        let file = format!("run/problem_{step}.json");
        let report = solved(home, &file, &["--backend", backend]);
        assert_eq!(
            report["recorded"]["same_bits"], true,
            "{scene} {step}: {report}"
        );
        let touches = report["size"]["contacts"] != 0;
        assert_eq!(
            report["recorded"]["largest_impulse"].as_f64().unwrap() > 0.0,
            touches
        );
        report
    });
    let reports = reports.collect();
    std::fs::remove_dir_all(home.path("run")).unwrap();
    reports
}

#[test]
fn problems_of_a_run_are_solved_to_the_same_impulses() {
    let home = Home::new();
    // In substeps, by what the bodies do.
    let text = drop_scene(60).replace("method = \"post\"\niterations = 10\n", "");
    let text = text.replace("method = \"pgs\"\niterations = 20\n", "");
    home.write(
        "soft.toml",
        &text.replace("density = 1000", "density = 1000\nmaterial = \"rubber\"\n"),
    );
    let rubber = "\n[materials.rubber]\nfriction = 0.5\nrestitution = 0.6\n";
    home.write("soft.toml", &(home.read("soft.toml") + rubber));
    for report in again(&home, "soft.toml", "1,30,60", &["--threads", "2"])
        .iter()
        .skip(1)
    {
        assert!(
            report["task"].as_str().unwrap().contains(" substeps of "),
            "{report}"
        );
        let [last, worst] =
            ["residual", "worst_residual"].map(|name| report[name]["rms"].as_f64().unwrap());
        assert!(last > 0.0 && last <= worst, "{report}");
    }
    // As one problem, with every backend of the CPU.
    home.write("drop.toml", &drop_scene(40));
    for backend in ["cpu", "nsgs"] {
        let reports = again(&home, "drop.toml", "40", &["--backend", backend]);
        assert!(
            reports[0]["task"]
                .as_str()
                .unwrap()
                .starts_with("one problem")
        );
    }
    let few = drop_scene(20).replace("count = 60", "count = 4");
    home.write("few.toml", &few);
    let flags = ["--backend", "lemke", "--friction-directions", "4"];
    let reports = again(&home, "few.toml", "20", &flags);
    assert!(
        reports[0]["residual"]["max"].as_f64().unwrap() < 1e-5,
        "{}",
        reports[0]
    );
}

#[test]
fn a_belt_in_a_file_carries_what_lies_on_it() {
    let home = Home::new();
    let text = r#"{"format": "drystone-problem", "version": 1, "plan": {"once": {}},
        "bodies": [
            {"linear_velocity": [0, 0, -2], "angular_velocity": [0, 0, 0], "inverse_mass": 0.5, "inverse_inertia": [0, 0, 0, 0, 0, 0]},
            {"linear_velocity": [0, 0, 0], "angular_velocity": [0, 0, 0], "inverse_mass": 0, "inverse_inertia": [0, 0, 0, 0, 0, 0]}],
        "contacts": [{"bodies": [0, 1], "arm_a": [0, 0, 0], "arm_b": [0, 0, 0], "normal": [0, 0, 1], "friction": 0.5,
            "surface_velocity": [0.25, 0, 0]}]}"#;
    std::fs::write(home.path("belt.json"), text).unwrap();
    for flags in [
        &["--backend", "cpu"][..],
        &["--backend", "nsgs"],
        &["--backend", "lemke", "--friction-directions", "8"],
    ] {
        let report = solved(
            &home,
            "belt.json",
            &[flags, &["--out", "out.json"]].concat(),
        );
        let residual = report["residual"]["max"].as_f64().unwrap();
        assert!(residual < 1e-6, "{report}");
        assert_eq!(report["size"]["bodies"], 2);
        let answer: Value = serde_json::from_str(&home.read("out.json")).unwrap();
        let velocities = answer["solution"]["velocities"].as_array().unwrap();
        assert_eq!(velocities.len(), 2);
        let speed = velocities[0]["linear"][0].as_f64().unwrap();
        assert!((speed - 0.25).abs() < 1e-6, "{flags:?}: {speed}");
    }
}

#[test]
fn problems_with_joints_are_solved_to_the_same_impulses() {
    let home = Home::new();
    let scene = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/joints/rope_bridge.toml");
    let scene = scene.display().to_string();
    for report in again(&home, &scene, "3,40", &["--steps", "40"]) {
        assert!(
            report["size"]["joint_rows"].as_u64().unwrap() > 0,
            "{report}"
        );
    }
}

#[test]
fn other_settings_give_other_answers() {
    let home = Home::with_drop_scene();
    home.run(&[
        "run",
        "drop.toml",
        "--out",
        "run",
        "--no-picture",
        "--dump-problem",
        "40",
    ])
    .expect_code(0);
    let file = "run/problem_40.json";
    let report = solved(&home, file, &["--backend=cpu", "--cold"]);
    assert_eq!(report["recorded"]["same_bits"], false);
    assert!(report["recorded"]["largest_difference"].as_f64().unwrap() > 0.0);
    let long = solved(
        &home,
        file,
        &["--backend=cpu", "--iterations=2000", "--method=nesterov"],
    );
    assert_eq!(long["method"], "nesterov");
    let residual = |report: &Value| report["residual"]["rms"].as_f64().unwrap();
    assert!(
        residual(&long) < 0.1 * residual(&report),
        "{long}\n{report}"
    );
    let table = home
        .run(&["solve", file, "--backend=cpu", "--cold"])
        .expect_code(0);
    assert!(
        table.stdout.contains("impulses differ by"),
        "{}",
        table.stdout
    );
    // A problem that the file's is not.
    for (flags, said) in [
        (&["--backend=lemke"][..], "pyramid"),
        (&["--backend=nsgs", "--solver=pgs"], "--solver"),
        (&["--plain"], "--plain"),
        (&["--friction-directions=5"], "5 directions"),
    ] {
        let ended = home.run(&[&["solve", file], flags].concat()).expect_code(2);
        assert!(ended.stderr.contains(said), "{said}: {}", ended.stderr);
    }
}

#[test]
fn problems_that_are_not_there_are_refused() {
    let home = Home::with_drop_scene();
    let ended = home
        .run(&["run", "drop.toml", "--dump-problem", "41"])
        .expect_code(2);
    assert!(
        ended.stderr.contains("the run has 40 steps"),
        "{}",
        ended.stderr
    );
    assert!(!home.path("runs").exists());
    let ended = home.run(&["solve", "nothing.json"]).expect_code(2);
    assert!(ended.stderr.contains("nothing.json"), "{}", ended.stderr);
    #[cfg(target_os = "linux")]
    home.run(&["solve", "/dev/zero"]).expect_code(2);
    home.write(
        "bad.json",
        "{\n \"format\": \"drystone-problem\",\n \"version\": 1,\n \"bodies\": [{\"mass\": 1}]}",
    );
    let ended = home.run(&["solve", "bad.json"]).expect_code(2);
    assert!(
        ended
            .stderr
            .contains("bad.json:4:19: bodies[0].mass: unknown field"),
        "{}",
        ended.stderr
    );
}
