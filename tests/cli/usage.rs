//! Help, usage errors, and the commands that need no scene.

use crate::program::{Home, entries, program, without_gpu};

#[test]
fn help_names_every_command_and_flag() {
    let home = Home::new();
    let help = home.run(&["--help"]).expect_code(0);
    for command in [
        "run",
        "check",
        "compare",
        "reproduce",
        "bench",
        "adapters",
        "schema",
        "completions",
    ] {
        assert!(help.stdout.contains(command), "{}", help.stdout);
    }
    let help = home.run(&["run", "--help"]).expect_code(0);
    for flag in [
        "--backend",
        "--adapter",
        "--solver",
        "--iterations",
        "--tolerance",
        "--steps",
        "--dt",
        "--threads",
        "--seed",
        "--out",
        "--frames",
        "--quiet",
        "Exit codes",
    ] {
        assert!(help.stdout.contains(flag), "{flag} in {}", help.stdout);
    }
    for command in [
        "check",
        "compare",
        "reproduce",
        "bench",
        "adapters",
        "schema",
        "completions",
    ] {
        let help = home.run(&[command, "--help"]).expect_code(0);
        assert!(help.stdout.contains("Usage: drystone"), "{}", help.stdout);
        assert!(help.stderr.is_empty());
    }
    let version = home.run(&["--version"]).expect_code(0);
    assert_eq!(
        version.stdout,
        format!("drystone {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn bad_usage_is_code_2_and_leaves_nothing() {
    let home = Home::with_drop_scene();
    home.write("not_a_folder", "");
    let cases: &[&[&str]] = &[
        &[],
        &["walk"],
        &["run"],
        &["run", "drop.toml", "extra"],
        &["run", "drop.toml", "--fast"],
        &["run", "drop.toml", "--backend", "tpu"],
        &["run", "drop.toml", "--backend", "gpu"],
        &["run", "drop.toml", "--backend", "cpu", "--adapter", "x"],
        &["run", "drop.toml", "--adapter", "no such adapter"],
        &["run", "drop.toml", "--solver", "newton"],
        &["run", "drop.toml", "--iterations", "0"],
        &["run", "drop.toml", "--iterations", "many"],
        &["run", "drop.toml", "--tolerance", "-1"],
        &["run", "drop.toml", "--tolerance", "inf"],
        &["run", "drop.toml", "--steps", "0"],
        &["run", "drop.toml", "--dt", "0"],
        &["run", "drop.toml", "--dt", "nan"],
        &["run", "drop.toml", "--threads", "0"],
        &["run", "drop.toml", "--seed", "-1"],
        &["run", "drop.toml", "--frames", "0"],
        &["run", "drop.toml", "--out", "not_a_folder"],
        &["run", "drop.toml", "--out", "."],
        &["run", "missing.toml"],
        &["run", "."],
        &["check", "missing.toml"],
        &["compare", "missing.toml"],
        &["compare", "drop.toml", "--adapter", "no such adapter"],
        &["bench", "--sizes", "0"],
        &["bench", "--backend", "gpu"],
        &["bench", "--backend", "cpu", "--adapter", "x"],
        &["bench", "--adapter", "no such adapter"],
        &["bench", "--json", "."],
        &["completions", "csh"],
    ];
    for args in cases {
        let ended = home.run(args).expect_code(2);
        assert!(ended.stdout.is_empty(), "{args:?}: {}", ended.stdout);
        assert!(!ended.stderr.is_empty(), "{args:?}");
        assert!(!ended.stderr.contains("panicked"), "{}", ended.stderr);
    }
    assert_eq!(
        entries(&home.path(".")),
        ["drop.toml", "not_a_folder"],
        "no run folder was made"
    );
}

#[test]
fn messages_name_what_is_wrong() {
    let home = Home::with_drop_scene();
    for (args, part) in [
        (["run", "missing.toml", "-q"].as_slice(), "missing.toml"),
        (&["run", "drop.toml", "--adapter", "quux"], "quux"),
        (&["run", "drop.toml", "--backend", "gpu"], "adapter"),
        (&["run", "drop.toml", "--out", "."], "never overwritten"),
        (&["run", "drop.toml", "--dt", "-3"], "positive"),
    ] {
        let ended = home.run(args).expect_code(2);
        assert!(ended.stderr.contains(part), "{args:?}: {}", ended.stderr);
    }
}

#[test]
fn the_schema_is_json() {
    let ended = Home::new().run(&["schema"]).expect_code(0);
    let schema: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    for key in ["name", "simulation", "solver", "body", "fill", "probe"] {
        assert!(schema["properties"].get(key).is_some(), "{key}");
    }
    jsonschema::validator_for(&schema).unwrap();
}

#[test]
fn completions_come_for_every_shell() {
    let home = Home::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ended = home.run(&["completions", shell]).expect_code(0);
        for word in ["drystone", "compare", "tolerance"] {
            assert!(ended.stdout.contains(word), "{word} for {shell}");
        }
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    for args in [["schema"].as_slice(), &["--help"], &["completions", "zsh"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ended = without_gpu(program().args(args))
            .stdout(writer)
            .output()
            .unwrap();
        assert_eq!(ended.status.code(), Some(0), "{args:?}: {ended:?}");
        assert!(ended.stderr.is_empty(), "{args:?}: {ended:?}");
    }
}

#[test]
fn check_reports_what_a_scene_holds() {
    let home = Home::with_drop_scene();
    let ended = home.run(&["check", "drop.toml"]).expect_code(0);
    for part in [
        "drop",
        "61: 60 dynamic, 1 fixed; ",
        "1 half-space",
        "40 of 0.016666666666666666 s",
        "pgs, 20 iterations",
        "post: pgs, 10 iterations",
        "overlaps at start",
        "none",
    ] {
        assert!(ended.stdout.contains(part), "{part} in {}", ended.stdout);
    }
    let ended = home
        .run(&[
            "check",
            "drop.toml",
            "--steps",
            "3",
            "--iterations",
            "5",
            "--solver",
            "jacobi",
        ])
        .expect_code(0);
    assert!(ended.stdout.contains("3 of 0.0166"), "{}", ended.stdout);
    assert!(
        ended.stdout.contains("jacobi, 5 iterations"),
        "{}",
        ended.stdout
    );

    home.write(
        "joints.toml",
        "name = \"joints\"\n[simulation]\ndt = 0.01\nsteps = 3\n\
         [stabilization]\njoints = { type = \"baumgarte\", kappa = 50 }\n\
         [[chain]]\nname = \"rope\"\ncount = 3\nstart = [0, 0, 0]\ndirection = [1, 0, 0]\n\
         shape = { type = \"sphere\", radius = 0.1 }\nmass = 1\npin = \"first\"\n\
         [[joint]]\ntype = \"hinge\"\na = \"rope.2\"\nanchor = [0.6, 0, 0]\naxis = [0, 1, 0]\n\
         [[load]]\nbody = \"rope.1\"\nforce = [0, 0, 1]\n",
    );
    let ended = home.run(&["check", "joints.toml"]).expect_code(0);
    for part in [
        "4: 3 ball, 1 hinge",
        "soft 0.1 of contacts, baumgarte, kappa 50 1/s of joints",
        "joint errors at start",
        "loads",
    ] {
        assert!(ended.stdout.contains(part), "{part} in {}", ended.stdout);
    }
    let ended = home
        .run(&["run", "joints.toml", "--backend", "cpu", "--out", "out"])
        .expect_code(0);
    assert!(ended.stdout.contains("joint errors"), "{}", ended.stdout);
    std::fs::remove_dir_all(home.path("out")).unwrap();
    std::fs::remove_file(home.path("joints.toml")).unwrap();

    // Two balls whose centres are 0.15 m apart overlap by 0.05 m.
    home.write(
        "overlap.toml",
        "name = \"overlap\"\n[simulation]\ndt = 0.01\nsteps = 1\n\
         [[body]]\nshape = { type = \"sphere\", radius = 0.1 }\nmass = 1\n\
         [[body]]\nshape = { type = \"sphere\", radius = 0.1 }\nmass = 1\nposition = [0.15, 0, 0]\n",
    );
    let ended = home.run(&["check", "overlap.toml"]).expect_code(0);
    assert!(
        ended.stdout.contains("1 contact points, 5.00e-2 m at most"),
        "{}",
        ended.stdout
    );
    assert_eq!(entries(&home.path(".")), ["drop.toml", "overlap.toml"]);
}
