//! Runs: folders, files, repeatability.

use crate::program::{Csv, Home, drop_scene, entries};

const COLUMNS: &str = "step,time,bodies,contacts,colors,iterations,residual_rms,residual_max,\
    position_residual_max,max_penetration,mean_penetration,kinetic_energy,potential_energy,\
    t_broad_ms,t_narrow_ms,t_pack_ms,t_solve_ms,t_position_ms,t_step_ms";

#[test]
fn a_run_leaves_a_complete_folder() {
    let home = Home::with_drop_scene();
    let ended = home.run(&["run", "drop.toml"]).expect_code(0);
    assert_eq!(entries(&home.path("runs")), ["drop-1"]);
    assert_eq!(
        entries(&home.path("runs/drop-1")),
        [
            "metrics.csv",
            "plot.svg",
            "report.html",
            "scene.toml",
            "summary.json"
        ]
    );

    let text = home.read("runs/drop-1/metrics.csv");
    assert!(text.starts_with(COLUMNS), "{text}");
    let csv = Csv::parse(&text);
    assert_eq!(csv.header.last().unwrap(), "bed");
    let steps: Vec<f64> = (1..=40).map(f64::from).collect();
    assert_eq!(csv.numbers("step"), steps);
    assert!(csv.numbers("bodies").iter().all(|&n| n == 61.0));
    assert!(csv.numbers("iterations").iter().all(|&n| n <= 20.0));
    let contacts = csv.numbers("contacts");
    assert!(*contacts.last().unwrap() >= 60.0, "{contacts:?}");
    let time = *csv.numbers("time").last().unwrap();
    assert!((time - 40.0 / 60.0).abs() < 1e-12);
    // They fall, and the bed sinks.
    let bed = csv.numbers("bed");
    assert!(bed[39] < bed[0], "{bed:?}");

    let summary: serde_json::Value =
        serde_json::from_str(&home.read("runs/drop-1/summary.json")).unwrap();
    for key in [
        "scene",
        "version",
        "backend",
        "adapter",
        "solver",
        "steps",
        "bodies",
        "contacts_max",
        "colors_max",
        "status",
        "residual_rms_max",
        "max_penetration_final",
        "mean_penetration_final",
        "kinetic_energy_final",
        "step_ms_median",
        "wall_seconds",
    ] {
        assert!(summary.get(key).is_some(), "{key} in {summary:#}");
    }
    assert_eq!(summary["status"], "done");
    assert_eq!(summary["scene"], "drop");
    assert_eq!(summary["backend"], "cpu");
    assert_eq!(summary["steps"], 40);
    assert_eq!(summary["bodies"], 61);
    let largest = |column: &str| csv.numbers(column).into_iter().fold(0.0, f64::max);
    for (key, value) in [
        ("contacts_max", largest("contacts")),
        ("colors_max", largest("colors")),
        ("max_penetration", largest("max_penetration")),
        ("max_penetration_final", csv.numbers("max_penetration")[39]),
        ("kinetic_energy_final", csv.numbers("kinetic_energy")[39]),
    ] {
        assert_eq!(summary[key].as_f64().unwrap(), value, "{key}");
    }

    // The table at the end, and a few lines on the way.
    for part in [
        "runs/drop-1",
        "done: 40 of 40 steps",
        "m/s rms",
        "ms median",
    ] {
        assert!(ended.stdout.contains(part), "{part} in {}", ended.stdout);
    }
    let lines = ended
        .stderr
        .lines()
        .filter(|line| line.starts_with("step "))
        .count();
    assert!((10..=20).contains(&lines), "{}", ended.stderr);
    // auto, without a GPU, says what it took and why.
    assert!(
        ended.stderr.contains("on cpu (no GPU adapter"),
        "{}",
        ended.stderr
    );
}

#[test]
fn quiet_is_silent() {
    let home = Home::with_drop_scene();
    let ended = home
        .run(&["run", "drop.toml", "--quiet", "--steps", "2"])
        .expect_code(0);
    assert_eq!((ended.stdout.as_str(), ended.stderr.as_str()), ("", ""));
    assert_eq!(entries(&home.path("runs")), ["drop-1"]);
}

#[test]
fn nothing_is_ever_overwritten() {
    let home = Home::with_drop_scene();
    let args = ["run", "drop.toml", "-q", "--steps", "1", "--backend", "cpu"];
    for _ in 0..2 {
        home.run(&args).expect_code(0);
    }
    assert_eq!(entries(&home.path("runs")), ["drop-1", "drop-2"]);
    let out = [args.as_slice(), &["--out", "deep/here"]].concat();
    home.run(&out).expect_code(0);
    let before = home.read("deep/here/metrics.csv");
    home.run(&out).expect_code(2);
    assert_eq!(home.read("deep/here/metrics.csv"), before);
    assert_eq!(entries(&home.path("runs")), ["drop-1", "drop-2"]);
    std::fs::create_dir(home.path("empty")).unwrap();
    home.run(&[args.as_slice(), &["--out", "empty"]].concat())
        .expect_code(0);
    assert!(entries(&home.path("empty")).contains(&"summary.json".to_owned()));
}

#[test]
fn metrics_do_not_depend_on_threads_or_the_day() {
    let home = Home::with_drop_scene();
    for solver in ["pgs", "jacobi", "nesterov", "cluster"] {
        let mut seen = Vec::new();
        for (run, threads) in ["1", "2", "8", "8"].into_iter().enumerate() {
            let out = format!("{solver}{run}");
            let args = ["run", "drop.toml", "-q", "--backend", "cpu"];
            let more = ["--solver", solver, "--threads", threads, "--out", &out];
            home.run(&[args.as_slice(), &more].concat()).expect_code(0);
            seen.push(Csv::parse(&home.read(&format!("{out}/metrics.csv"))).without_times());
            let summary = home.read(&format!("{out}/summary.json"));
            assert!(
                summary.contains(&format!("\"threads\": {threads}")),
                "{summary}"
            );
            assert!(
                summary.contains(&format!("\"solver\": \"{solver}\"")),
                "{summary}"
            );
        }
        for other in &seen[1..] {
            assert!(seen[0] == *other, "{solver}: runs differ");
        }
    }
}

#[test]
fn the_scene_in_the_folder_runs_the_same_again() {
    let home = Home::with_drop_scene();
    let flags = [
        "--backend",
        "cpu",
        "--seed",
        "11",
        "--steps",
        "25",
        "--dt",
        "0.01",
        "--iterations",
        "7",
        "--tolerance",
        "1e-6",
        "--solver",
        "jacobi",
        "-q",
    ];
    let first = [["run", "drop.toml", "--out", "first"].as_slice(), &flags].concat();
    home.run(&first).expect_code(0);
    home.run(&[
        "run",
        "first/scene.toml",
        "--out",
        "again",
        "--backend",
        "cpu",
        "-q",
    ])
    .expect_code(0);
    let metrics = |run: &str| Csv::parse(&home.read(&format!("{run}/metrics.csv")));
    let first = metrics("first");
    assert_eq!(first.rows.len(), 25);
    assert!((first.numbers("time")[24] - 0.25).abs() < 1e-12);
    assert!(first.without_times() == metrics("again").without_times());
    assert_eq!(home.read("first/scene.toml"), home.read("again/scene.toml"));
    // Another seed is another heap.
    home.run(&[
        "run",
        "first/scene.toml",
        "--out",
        "other",
        "--backend",
        "cpu",
        "-q",
        "--seed",
        "12",
    ])
    .expect_code(0);
    assert!(first.without_times() != metrics("other").without_times());
}

#[test]
fn frames_come_when_asked_for() {
    let home = Home::with_drop_scene();
    let args = [
        "run",
        "drop.toml",
        "-q",
        "--backend",
        "cpu",
        "--steps",
        "7",
        "--frames",
        "3",
    ];
    home.run(&[args.as_slice(), &["--out", "vtp"]].concat())
        .expect_code(0);
    assert_eq!(
        entries(&home.path("vtp/frames")),
        ["drop_000000.vtp", "drop_000003.vtp", "drop_000006.vtp"]
    );
    let collection = home.read("vtp/drop.pvd");
    let document = roxmltree::Document::parse(&collection).unwrap();
    let times: Vec<f64> = document
        .descendants()
        .filter(|n| n.has_tag_name("DataSet"))
        .map(|n| n.attribute("timestep").unwrap().parse().unwrap())
        .collect();
    assert_eq!(times.len(), 3);
    for (time, step) in times.iter().zip([0.0, 3.0, 6.0]) {
        assert!((time - step / 60.0).abs() < 1e-12, "{times:?}");
    }
    let frame = home.read("vtp/frames/drop_000006.vtp");
    assert!(frame.contains("<CellData"), "surfaces of a small crowd");

    let more = [
        "--out",
        "vtu",
        "--frame-format",
        "vtu",
        "--frame-content",
        "points",
    ];
    home.run(&[args.as_slice(), &more].concat()).expect_code(0);
    let frame = home.read("vtu/frames/drop_000003.vtu");
    assert!(frame.contains("NumberOfPoints=\"61\""), "{frame}");
}

#[test]
fn metrics_may_be_thinned_out() {
    let home = Home::new();
    let scene = drop_scene(10).replace(
        "[stabilization]",
        "[output]\nmetrics_every = 4\nframes_every = 5\n\n[stabilization]",
    );
    home.write("thin.toml", &scene);
    home.run(&["run", "thin.toml", "-q", "--out", "thin"])
        .expect_code(0);
    let csv = Csv::parse(&home.read("thin/metrics.csv"));
    assert_eq!(csv.numbers("step"), [4.0, 8.0, 10.0]);
    assert_eq!(entries(&home.path("thin/frames")).len(), 3);
}

#[test]
fn a_run_that_fails_is_code_1_and_says_so_in_its_summary() {
    let home = Home::new();
    // Nothing is wrong with 1e15 m/s in a file, but its energy in f32 impulses overflows.
    let scene = drop_scene(10).replace(
        "[[fill]]",
        "[[body]]\nshape = { type = \"sphere\", radius = 0.1 }\nmass = 1e30\n\
         position = [5, 0, 0.1]\nlinear_velocity = [0, 0, -1e15]\n\n[[fill]]",
    );
    home.write("burst.toml", &scene);
    let ended = home
        .run(&["run", "burst.toml", "--out", "burst"])
        .expect_code(1);
    assert!(ended.stderr.contains("error:"), "{}", ended.stderr);
    let summary: serde_json::Value =
        serde_json::from_str(&home.read("burst/summary.json")).unwrap();
    assert_eq!(summary["status"], "failed", "{summary:#}");
    assert!(!summary["error"].as_str().unwrap().is_empty());
    assert!(summary["steps"].as_u64().unwrap() < 10);
    assert!(home.read("burst/metrics.csv").starts_with(COLUMNS));
}

#[test]
fn the_event_stepper_runs_scenes_and_refuses_what_it_has_not() {
    let home = Home::new();
    let scene = |name: &str| {
        let root = env!("CARGO_MANIFEST_DIR");
        std::fs::read_to_string(format!("{root}/scenes/papers/{name}.toml")).unwrap()
    };
    for name in ["tumbling_box", "baraff_drop", "drake_oscillator"] {
        let file = format!("{name}.toml");
        home.write(&file, &scene(name));
        home.run(&["run", &file, "--out", name]).expect_code(0);
        let summary: serde_json::Value =
            serde_json::from_str(&home.read(&format!("{name}/summary.json"))).unwrap();
        assert_eq!(summary["stepper"], "event");
        assert_eq!(summary["backend"], "cpu");
        let is_dropped = name != "drake_oscillator";
        assert_eq!(summary["collisions"].as_u64().unwrap() > 0, is_dropped);
    }
    // It rises to a quarter of its height, in half of the time of its fall.
    let heights = Csv::parse(&home.read("baraff_drop/metrics.csv")).numbers("height_z");
    let fall = (2.0_f64 / 9.81).sqrt();
    let top = heights[((1.5 * fall) / 0.01) as usize - 1];
    assert!((top - 0.35).abs() < 1e-3, "{top}");
    for flags in [
        &["--backend", "lemke"][..],
        &["--iterations", "5"],
        &["--substeps", "2"],
        &["--tolerance", "1e-3"],
    ] {
        let mut args = vec!["run", "baraff_drop.toml"];
        args.extend(flags);
        let ended = home.run(&args).expect_code(2);
        assert!(ended.stderr.contains(flags[0]), "{}", ended.stderr);
    }
    let with_solver =
        scene("baraff_drop").replace("[materials", "[solver]\niterations = 5\n\n[materials");
    home.write("both.toml", &with_solver);
    let ended = home.run(&["check", "both.toml"]).expect_code(2);
    assert!(ended.stderr.contains("velocity_steps"), "{}", ended.stderr);
    // Bounces without end stop the run, or velocities and impulses go on.
    let endless = scene("baraff_drop").replace(
        "[materials",
        "[event]\nresting_speed = 0.0\nmax_events = 30\nvelocity_steps = false\n\n[materials",
    );
    home.write("endless.toml", &endless);
    let ended = home
        .run(&["run", "endless.toml", "--out", "endless"])
        .expect_code(1);
    assert!(ended.stderr.contains("do not end"), "{}", ended.stderr);
    home.write(
        "on.toml",
        &endless.replace("velocity_steps = false", "velocity_steps = true"),
    );
    home.run(&["run", "on.toml", "--out", "on"]).expect_code(0);
    let summary: serde_json::Value = serde_json::from_str(&home.read("on/summary.json")).unwrap();
    assert!(summary["velocity_steps"].as_u64().unwrap() > 0);
}

#[test]
fn a_study_fits_orders_and_writes_them() {
    let home = Home::new();
    let root = env!("CARGO_MANIFEST_DIR");
    let scene =
        std::fs::read_to_string(format!("{root}/scenes/papers/plank_on_prism.toml")).unwrap();
    home.write("plank.toml", &scene);
    let args = [
        "study",
        "plank.toml",
        "--dt",
        "0.01,0.005,0.0025",
        "--gamma",
        "0,1",
        "--seeds",
        "4",
        "--out",
        "study",
    ];
    let first = home.run(&args).expect_code(0);
    assert!(first.stdout.contains("order"), "{}", first.stdout);
    assert_eq!(
        entries(&home.path("study")),
        ["infeasibility.svg", "study.csv", "study.json"]
    );
    let results: serde_json::Value = serde_json::from_str(&home.read("study/study.json")).unwrap();
    let order = |at: usize| results["orders"][at]["order"].as_f64().unwrap();
    assert!((order(0) - 1.0).abs() < 0.2, "{results:#}");
    assert!((order(1) - 2.0).abs() < 0.2, "{results:#}");
    // Threads change nothing.
    let before = home.read("study/study.csv");
    let mut again = args.to_vec();
    again[9] = "again";
    again.extend(["--threads", "1"]);
    home.run(&again).expect_code(0);
    assert_eq!(home.read("again/study.csv"), before);
    // One of the scene's keys.
    let mut varied = args.to_vec();
    varied[9] = "varied";
    varied.extend(["--vary", "body.plank.mass=1,4"]);
    let ended = home.run(&varied).expect_code(0);
    assert!(
        ended.stdout.contains("body.plank.mass = 4"),
        "{}",
        ended.stdout
    );
    let results: serde_json::Value = serde_json::from_str(&home.read("varied/study.json")).unwrap();
    assert_eq!(results["key"], "body.plank.mass");
    for value in results["values"].as_array().unwrap() {
        let order = value["orders"][1]["order"].as_f64().unwrap();
        assert!((order - 2.0).abs() < 0.2, "{value:#}");
    }
    let table = home.read("varied/study.csv");
    let first = |value: &str| table.lines().filter(|line| line.starts_with(value)).count();
    assert_eq!([first("1,"), first("4,")], [24, 24]);
    // The plank's own mass changes nothing.
    let own: Vec<&str> = table
        .lines()
        .filter_map(|line| line.strip_prefix("1,"))
        .collect();
    assert_eq!(own, before.lines().skip(1).collect::<Vec<_>>());
    for wrong in [
        "body.plank=1",
        "body.nobody.mass=1",
        "simulation.mas=1",
        "simulation.dt",
    ] {
        home.run(&["study", "plank.toml", "--vary", wrong])
            .expect_code(2);
    }
    home.run(&["study", "plank.toml", "--gamma", "2"])
        .expect_code(2);
    home.run(&["study", "plank.toml", "--dt", "0"])
        .expect_code(2);
}

#[test]
fn a_run_says_whether_its_expectations_held() {
    let home = Home::new();
    let expects = |bound: f64| {
        let more = format!(
            "\n[[expect]]\nclaim = \"they land\"\nmeasure = \"contacts\"\nis = \">=\"\nvalue = {bound}\nwhen = \"once\"\n"
        );
        drop_scene(40) + &more
    };
    home.write("good.toml", &expects(1.0));
    home.write("bad.toml", &expects(1e6));
    home.write("silent.toml", &drop_scene(40));
    let ended = home
        .run(&["run", "good.toml", "--check", "--out", "good"])
        .expect_code(0);
    assert!(
        ended.stdout.contains("held: they land (contacts >= 1 once"),
        "{}",
        ended.stdout
    );
    // Only on request is it a failure.
    home.run(&["run", "bad.toml", "--out", "bad"])
        .expect_code(0);
    let ended = home
        .run(&["run", "bad.toml", "--check", "--out", "bad2"])
        .expect_code(1);
    assert!(
        ended.stdout.contains("failed: they land"),
        "{}",
        ended.stdout
    );
    let json: serde_json::Value = serde_json::from_str(&home.read("bad2/summary.json")).unwrap();
    assert_eq!(json["status"], "done");
    assert_eq!(json["expectations"][0]["verdict"], "failed");
    // An undecided expectation does not count as held.
    let cut = ["run", "bad.toml", "--check", "--steps", "2", "--out", "cut"];
    let ended = home.run(&cut).expect_code(1);
    assert!(
        ended.stdout.contains("not decided: they land"),
        "{}",
        ended.stdout
    );
    let ended = home.run(&["run", "silent.toml", "--check"]).expect_code(2);
    assert!(ended.stderr.contains("expects nothing"), "{}", ended.stderr);
    assert_eq!(entries(&home.path("runs")), [""; 0]);
}
