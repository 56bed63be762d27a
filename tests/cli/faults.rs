//! Signals, runs that run away, and files that are none.

use crate::program::{Home, entries, program, without_gpu};

/// Boxes on a ground.
fn tower(gravity: f64, dt: f64, steps: u64) -> String {
    let mut text = format!(
        "name = \"tower\"\n[simulation]\ngravity = [0, 0, -{gravity}]\ndt = {dt}\nsteps = {steps}\n"
    );
    text += "[[body]]\nname = \"ground\"\nkind = \"fixed\"\nshape = { type = \"half_space\", normal = [0, 0, 1] }\n";
    for (index, height) in [0.5, 1.5, 2.5].iter().enumerate() {
        text += &format!(
            "[[body]]\nname = \"box{index}\"\nshape = {{ type = \"box\", half_extents = [0.5, 0.5, 0.5] }}\nposition = [0, 0, {height}]\nmass = 1\n"
        );
    }
    text
}

fn summary(home: &Home, run: &str) -> serde_json::Value {
    serde_json::from_str(&home.read(&format!("{run}/summary.json"))).unwrap()
}

#[cfg(unix)]
#[test]
fn signals_end_a_run_after_its_step() {
    let home = Home::new();
    home.write("tower.toml", &tower(9.81, 0.001, 1_000_000_000));
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        let mut command = program();
        command.args(["run", "tower.toml", "--threads=1", "--out", signal]);
        let child = without_gpu(&mut command)
            .current_dir(home.path("."))
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        // Rows in the file: steps are being taken.
        let metrics = home.path(&format!("{signal}/metrics.csv"));
        let begun = || std::fs::read_to_string(&metrics).is_ok_and(|text| text.lines().count() > 3);
        for _ in 0..3000 {
            if begun() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        let sent = std::process::Command::new("kill")
            .args([&format!("-{signal}"), &child.id().to_string()])
            .status()
            .unwrap();
        assert!(sent.success());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{signal}");
        let json = summary(&home, signal);
        assert_eq!(json["status"], "interrupted");
        assert_eq!(json["error"], format!("ended by SIG{signal}"));
        // The last row is that of the last step, and whole.
        let text = std::fs::read_to_string(&metrics).unwrap();
        let columns = |line: &str| line.split(',').count();
        let (first, last) = (text.lines().next().unwrap(), text.lines().last().unwrap());
        assert_eq!(columns(first), columns(last));
        assert!(last.starts_with(&format!("{},", json["steps"])), "{last}");
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(
            said.contains("interrupted: ") && said.contains(&format!("SIG{signal}")),
            "{said}"
        );
    }
}

#[test]
fn a_run_that_runs_away_says_so_and_a_strict_one_stops() {
    let home = Home::new();
    home.write("tower.toml", &tower(1e8, 1.0, 5));
    let ended = home
        .run(&["run", "tower.toml", "--no-picture", "--out", "loose"])
        .expect_code(0);
    assert_eq!(
        ended
            .stderr
            .matches("warning: the run runs away at step 1")
            .count(),
        1,
        "{}",
        ended.stderr
    );
    let json = summary(&home, "loose");
    assert_eq!(
        (&json["runaway_steps"], &json["runaway_first"]),
        (&5.into(), &1.into())
    );
    let ended = home
        .run(&["run", "tower.toml", "--strict", "--out", "strict", "-q"])
        .expect_code(1);
    for part in ["step 1", "deep in each other", "`box", "runaway.json"] {
        assert!(ended.stderr.contains(part), "{part}: {}", ended.stderr);
    }
    assert_eq!(summary(&home, "strict")["status"], "failed");
    let dump: serde_json::Value = serde_json::from_str(&home.read("strict/runaway.json")).unwrap();
    assert_eq!(dump["step"], 1);
    assert_eq!(dump["bodies"].as_array().unwrap().len(), 4);
    assert!(dump["deepest_contacts"][0]["separation"].as_f64().unwrap() < -0.5);
    assert_eq!(dump["problem"], "problem_1.json");
    let solved = home
        .run(&["solve", "strict/problem_1.json", "--backend=cpu"])
        .expect_code(0);
    assert!(solved.stdout.contains("bit for bit"), "{}", solved.stdout);
    // On the earth they stand, and nobody complains.
    home.write("tower.toml", &tower(9.81, 0.01, 50));
    let args = [
        "run",
        "tower.toml",
        "--strict",
        "--no-picture",
        "--out",
        "calm",
    ];
    let ended = home.run(&args).expect_code(0);
    assert!(!ended.stderr.contains("runs away"), "{}", ended.stderr);
    assert_eq!(
        summary(&home, "calm")["runaway_first"],
        serde_json::Value::Null
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_without_an_end_is_refused() {
    let home = Home::new();
    let ended = home.run(&["check", "/dev/zero"]).expect_code(2);
    assert!(ended.stderr.contains("larger than"), "{}", ended.stderr);
}

#[test]
fn bytes_of_a_scene_do_not_reach_the_terminal_as_they_are() {
    let home = Home::new();
    home.write(
        "red.toml",
        "name = \"a\"\n# \u{1b}[31mred\u{7}\n\u{1b}]0;title\u{7} = 1\n",
    );
    let ended = home.run(&["check", "red.toml"]).expect_code(2);
    assert!(
        !ended.stderr.contains(['\u{1b}', '\u{7}']),
        "{:?}",
        ended.stderr
    );
    assert!(ended.stderr.contains("red.toml:2:3"), "{}", ended.stderr);
    assert_eq!(entries(&home.path(".")), ["red.toml"]);
}

#[test]
fn a_pyramid_is_given_to_a_scene_without_one() {
    let home = Home::new();
    home.write("tower.toml", &tower(9.81, 0.01, 3));
    let ended = home
        .run(&["run", "tower.toml", "--backend", "lemke"])
        .expect_code(2);
    assert!(
        ended.stderr.contains("--friction-directions 8"),
        "{}",
        ended.stderr
    );
    let args = [
        "run",
        "tower.toml",
        "--backend",
        "lemke",
        "--friction-directions",
        "8",
        "--out",
        "run",
        "-q",
    ];
    home.run(&args).expect_code(0);
    assert!(home.read("run/scene.toml").contains("pyramid = 8"));
    let ended = home
        .run(&["check", "tower.toml", "--friction-directions", "5"])
        .expect_code(2);
    assert!(ended.stderr.contains('5'), "{}", ended.stderr);
}

#[test]
fn every_column_has_its_unit_in_the_summary() {
    let home = Home::with_drop_scene();
    home.run(&["run", "drop.toml", "--steps", "2", "--out", "run", "-q"])
        .expect_code(0);
    let json = summary(&home, "run");
    let units = json["metrics_units"].as_object().unwrap();
    let text = home.read("run/metrics.csv");
    let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    assert_eq!(units.len(), header.len());
    for (column, unit) in [
        ("time", "s"),
        ("bed", "m"),
        ("t_solve_ms", "ms"),
        ("kinetic_energy", "J"),
        ("step", "1"),
    ] {
        assert!(header.contains(&column));
        assert_eq!(units[column], unit, "{column}");
    }
}

#[cfg(unix)]
#[test]
fn a_fill_that_takes_long_says_how_far_it_has_come_and_can_be_stopped() {
    use std::io::{BufRead, BufReader};
    use std::os::unix::process::ExitStatusExt;
    let home = Home::new();
    // Ten million places are looked at, all of them taken, before it is given up.
    home.write(
        "taken.toml",
        "name = \"taken\"\n[simulation]\ndt = 0.01\nsteps = 10\n\
         [[body]]\nkind = \"fixed\"\nshape = { type = \"half_space\", normal = [0, 0, 1], offset = 1e9 }\n\
         [[fill]]\nname = \"pile\"\narrangement = \"grid\"\ndensity = 1000\nrandom_orientation = true\ncount = 10\n\
         shapes = [{ shape = { type = \"box\", half_extents = [0.1, 0.1, 0.1] } }]\n\
         region = { type = \"box\", min = [-1e6, -1e6, 0], max = [1e6, 1e6, 1e6] }\n",
    );
    let mut command = program();
    command.args(["run", "taken.toml"]);
    let mut child = without_gpu(&mut command)
        .current_dir(home.path("."))
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    assert!(
        line.starts_with("fill pile: 0 of 10 bodies placed, "),
        "{line}"
    );
    let looked = line.split(", ").nth(1).unwrap().split(' ').next().unwrap();
    assert!(looked.parse::<u64>().unwrap() > 1000, "{line}");
    let sent = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
    assert_eq!(child.wait().unwrap().signal(), Some(2));
    // A quiet run says nothing of it.
    let mut command = program();
    command.args(["run", "taken.toml", "--quiet"]);
    let mut child = without_gpu(&mut command)
        .current_dir(home.path("."))
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_secs(1));
    child.kill().unwrap();
    let said = child.wait_with_output().unwrap().stderr;
    assert_eq!(String::from_utf8_lossy(&said), "");
    assert_eq!(entries(&home.path(".")), ["taken.toml"]);
}
