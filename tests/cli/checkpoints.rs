//! Runs that are stopped or killed, and go on.

#![cfg(unix)]

use crate::program::{Csv, Home, entries, program, without_gpu};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Boxes, spheres and a driven arm in a container that is shaken, and a rope that breaks.
pub(crate) fn shaken(steps: u32) -> String {
    format!(
        r#"name = "shaken"
[simulation]
dt = 0.01
steps = {steps}
seed = 3
[materials.default]
restitution = 0.2
friction = 0.4
[[container]]
name = "box"
inner = [1.2, 1.2, 3]
motion = {{ type = "sinusoidal", amplitude = [0.01, 0, 0.04], frequency = 5 }}
[[body]]
name = "arm"
shape = {{ type = "box", half_extents = [0.25, 0.05, 0.05] }}
position = [0.25, 0.3, 0.5]
density = 900
[[joint]]
type = "hinge"
a = "arm"
anchor = [0.0, 0.3, 0.5]
axis = [0, 0, 1]
limits = [-1.0, 1.0]
motor = {{ type = "velocity", target = 2.0, max_force = 10.0 }}
[[chain]]
name = "rope"
count = 6
start = [-0.5, -0.4, 2.0]
end = [0.5, -0.4, 2.0]
sag = 0.25
shape = {{ type = "capsule", radius = 0.03, half_length = 0.05 }}
mass = 0.4
joint = {{ type = "ball", breaking_force = 20.0 }}
pin = "both"
[[fill]]
region = {{ type = "box", min = [-0.6, -0.6, 0.05], max = [0.6, 0.6, 2.9] }}
arrangement = "random"
count = 40
density = 1000
random_orientation = true
shapes = [
    {{ shape = {{ type = "sphere", radius = 0.1 }} }},
    {{ shape = {{ type = "box", half_extents = [0.1, 0.09, 0.07] }} }},
]
[[probe]]
type = "bed_height"
name = "bed"
[[expect]]
claim = "the bed is thrown up"
measure = "bed"
is = ">="
value = 0.01
when = "always"
"#
    )
}

/// The program begins in a folder, with no GPU in sight.
fn begin(home: &Home, args: &[&str]) -> Child {
    begin_with(home, args, false)
}

/// The same with the GPUs of this machine, if asked for.
fn begin_with(home: &Home, args: &[&str], gpu: bool) -> Child {
    let mut command = program();
    command.args(args);
    if !gpu {
        without_gpu(&mut command);
    }
    command
        .current_dir(home.path("."))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Rows of the metrics of a run so far.
fn rows(home: &Home, run: &str) -> usize {
    let text = std::fs::read_to_string(home.path(&format!("{run}/metrics.csv")));
    text.map_or(0, |text| text.lines().count().saturating_sub(1))
}

/// Waits until a run has so many rows, or has ended.
fn wait_for_rows(home: &Home, run: &str, count: usize, child: &mut Child) {
    for _ in 0..60_000 {
        if rows(home, run) >= count || child.try_wait().unwrap().is_some() {
            return;
        }
        std::thread::sleep(Duration::from_micros(500));
    }
    panic!("{run} has not come to {count} rows");
}

/// Everything that a run left but times, and where it differs.
pub(crate) fn assert_same(home: &Home, run: &str, other: &str) {
    let metrics = |run: &str| Csv::parse(&home.read(&format!("{run}/metrics.csv"))).without_times();
    assert!(
        metrics(run) == metrics(other),
        "metrics of {run} and {other}"
    );
    let names = |run: &str| entries(&home.path(&format!("{run}/frames")));
    assert_eq!(names(run), names(other));
    let mut files = vec!["scene.toml".to_owned()];
    for file in ["shaken.pvd", "shaken_contacts.pvd", "shaken.vtkhdf"] {
        let are_there = [run, other].map(|run| home.path(&format!("{run}/{file}")).exists());
        assert_eq!(are_there[0], are_there[1], "{file}");
        if are_there[0] {
            files.push(file.to_owned());
        }
    }
    let bytes = |run: &str, file: &str| std::fs::read(home.path(&format!("{run}/{file}"))).unwrap();
    files.extend(names(run).into_iter().map(|name| format!("frames/{name}")));
    for file in files {
        let [one, two] = [run, other].map(|run| bytes(run, &file));
        assert!(one == two, "{file} of {run} and {other}");
    }
    let summary = |run: &str| {
        let text = home.read(&format!("{run}/summary.json"));
        let mut json: serde_json::Value = serde_json::from_str(&text).unwrap();
        let fields = json.as_object_mut().unwrap();
        for time in [
            "step_ms_median",
            "step_ms_max",
            "wall_seconds",
            "resumes",
            "threads",
        ] {
            assert!(fields.remove(time).is_some(), "{time}");
        }
        json
    };
    assert_eq!(summary(run), summary(other));
}

/// Kills a run of the scene at some random moments, once or more often, resumes it each time, and compares it with one that was not.
fn killed_runs_go_on(home: &Home, backend: &[&str], steps: usize, moments: usize) {
    let run = [
        "run",
        "shaken.toml",
        "--no-picture",
        "--frames",
        "20",
        "--frame-format",
        "vtp,vtkhdf",
        "--frame-contacts",
    ];
    let run = [&run[..], backend, &["--out"]].concat();
    let gpu = backend.contains(&"--adapter");
    let finish = |args: &[&str]| {
        let ended = begin_with(home, args, gpu).wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(ended.status.code(), Some(0), "{args:?}: {said}");
        said
    };
    finish(&[&run[..], &["whole"]].concat());
    let mut random = Pcg64::seed_from_u64(11);
    for moment in 0..moments {
        let out = format!("killed{moment}");
        let every = ["0.01", "0.07", "0.3"][moment % 3];
        let mut args = [&run[..], &[&out, "--checkpoint-every", every]].concat();
        let resume = ["resume", &out];
        // Each third one is killed again.
        let kills = 1 + usize::from(moment % 3 == 2);
        let mut least = 0;
        let mut killed = 0;
        for _ in 0..kills {
            least = random.random_range(least..steps);
            let mut child = begin_with(home, &args, gpu);
            wait_for_rows(home, &out, least, &mut child);
            std::thread::sleep(Duration::from_micros(random.random_range(0..3000)));
            child.kill().unwrap();
            killed += usize::from(child.wait().unwrap().signal() == Some(9));
            let written = entries(&home.path(&format!("{out}/checkpoints")));
            if written.iter().any(|name| name.ends_with(".drystone")) {
                args = resume.to_vec();
            } else {
                // Before its first checkpoint there is nothing to go on with.
                let ended = home.run(&resume).expect_code(2);
                let known = ["--checkpoint-every", "no scene.toml", "No such file"];
                let said = &ended.stderr;
                assert!(known.iter().any(|why| said.contains(why)), "{said}");
                let folder = home.path(&out);
                if folder.exists() {
                    std::fs::remove_dir_all(folder).unwrap();
                }
            }
        }
        let said = finish(&args);
        if killed > 0 && args == resume {
            assert!(said.contains("resumed after step"), "{said}");
        }
        assert_same(home, &out, "whole");
        let partial = |folder: &str| {
            entries(&home.path(&format!("{out}/{folder}")))
                .iter()
                .any(|name| name.ends_with(".partial"))
        };
        assert!(
            !["", "frames", "checkpoints"].into_iter().any(partial),
            "{out}"
        );
        std::fs::remove_dir_all(home.path(&out)).unwrap();
    }
}

/// Moments of a kill; more of them by hand.
fn moments(usual: usize) -> usize {
    let asked = std::env::var("DRYSTONE_KILLS");
    asked.map_or(usual, |asked| asked.parse().unwrap())
}

#[test]
fn a_run_that_is_killed_goes_on_to_the_same_bits() {
    let home = Home::new();
    home.write("shaken.toml", &shaken(240));
    killed_runs_go_on(&home, &["--backend", "cpu"], 240, moments(6));
}

#[cfg(feature = "gpu")]
#[test]
fn a_run_on_an_adapter_that_is_killed_goes_on_to_the_same_bits() {
    let home = Home::new();
    home.write("shaken.toml", &shaken(60));
    let adapter = crate::gpu::adapter();
    killed_runs_go_on(&home, &["--adapter", &adapter], 60, moments(2));
}

#[test]
fn signals_leave_a_checkpoint_and_say_how_to_go_on() {
    let home = Home::new();
    home.write("shaken.toml", &shaken(240));
    let args = [
        "run",
        "shaken.toml",
        "--frames",
        "20",
        "--no-picture",
        "--backend",
        "cpu",
    ];
    home.run(&[&args[..], &["--out", "whole"]].concat())
        .expect_code(0);
    // Nothing of checkpoints is asked for.
    let mut child = begin(&home, &[&args[..], &["--out", "ended"]].concat());
    for (signal, code, least) in [("INT", 130, 30), ("TERM", 143, 90), ("HUP", 129, 150)] {
        wait_for_rows(&home, "ended", least, &mut child);
        let sent = Command::new("kill")
            .args([&format!("-{signal}"), &child.id().to_string()])
            .status();
        assert!(sent.unwrap().success());
        let ended = child.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(code), "{signal}");
        let said = String::from_utf8(ended.stdout).unwrap();
        assert!(said.contains("go on: drystone resume ended\n"), "{said}");
        child = begin(&home, &["resume", "ended", "--threads", "1"]);
    }
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0));
    assert_same(&home, "ended", "whole");
    let json: serde_json::Value = serde_json::from_str(&home.read("ended/summary.json")).unwrap();
    assert_eq!((&json["resumes"], &json["threads"]), (&3.into(), &1.into()));
    // It is done.
    let ended = home.run(&["resume", "ended"]).expect_code(0);
    assert!(
        ended.stdout.contains("nothing to resume"),
        "{}",
        ended.stdout
    );
    assert_same(&home, "ended", "whole");
}

#[test]
fn what_cannot_go_on_is_refused_with_the_reason() {
    let home = Home::new();
    home.write("shaken.toml", &shaken(1_000_000));
    let args = [
        "run",
        "shaken.toml",
        "--out",
        "run",
        "--checkpoint-every",
        "0.05",
    ];
    let mut child = begin(&home, &args);
    wait_for_rows(&home, "run", 40, &mut child);
    // It is under way.
    let ended = home.run(&["resume", "run"]).expect_code(2);
    assert!(
        ended.stderr.contains("under way in another process"),
        "{}",
        ended.stderr
    );
    child.kill().unwrap();
    child.wait().unwrap();

    for (folder, why) in [("nothing", "No such file"), (".", "no scene.toml in it")] {
        let ended = home.run(&["resume", folder]).expect_code(2);
        assert!(ended.stderr.contains(why), "{}", ended.stderr);
    }
    let folder = home.path("run/checkpoints");
    let mut files: Vec<_> = entries(&folder);
    files.retain(|name| name.ends_with(".drystone"));
    // A fourth one is there if it was killed after the newest was written and before the oldest was removed.
    assert!((3..=4).contains(&files.len()), "{files:?}");
    if files.len() == 4 {
        std::fs::remove_file(folder.join(files.remove(0))).unwrap();
    }
    let metrics = home.path("run/metrics.csv");
    let whole = std::fs::read(&metrics).unwrap();
    let newest = folder.join(&files[2]);
    let bytes = std::fs::read(&newest).unwrap();
    let scene = home.read("run/scene.toml");
    let again = |text: &str| {
        // Two steps more than there are, at which it would end.
        let ended = begin(&home, &["resume", "run", "--quiet"]);
        let mut ended = ended;
        let before = rows(&home, "run");
        wait_for_rows(&home, "run", before.min(3), &mut ended);
        std::thread::sleep(Duration::from_millis(150));
        ended.kill().unwrap();
        let output = ended.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(text), "{text}: {said}");
        said
    };
    // The newest is damaged in one way or another: it is named, with the reason, and the one before is taken.
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 2] ^= 4;
    for (damaged, why) in [
        (&flipped[..], "its checksum is another one"),
        (&bytes[..bytes.len() / 3], "it is cut short"),
        (b"", "it is empty"),
    ] {
        std::fs::write(&newest, damaged).unwrap();
        let said = again(why);
        assert!(said.contains(&files[2]), "{said}");
        assert!(!said.contains(&files[1]), "{said}");
        // As it was.
        for name in entries(&folder) {
            if name.ends_with(".drystone") && !files.contains(&name) {
                std::fs::remove_file(folder.join(name)).unwrap();
            }
        }
        std::fs::write(&newest, &bytes).unwrap();
        std::fs::write(&metrics, &whole).unwrap();
    }
    // None is right: nothing is touched.
    let refused = |why: &str| {
        let before = std::fs::read(&metrics).unwrap();
        let ended = home.run(&["resume", "run"]).expect_code(2);
        for part in [why, "can be used", "scene.toml starts again"] {
            assert!(ended.stderr.contains(part), "{part}: {}", ended.stderr);
        }
        assert!(before == std::fs::read(&metrics).unwrap());
    };
    std::fs::write(
        home.path("run/scene.toml"),
        scene.replace("seed = 3", "seed = 4"),
    )
    .unwrap();
    refused("another scene than the scene.toml");
    std::fs::write(home.path("run/scene.toml"), &scene).unwrap();
    std::fs::write(&metrics, &whole[..whole.len() / 4]).unwrap();
    refused("rows are missing");
    let mut changed = whole.clone();
    changed[500] ^= 1;
    std::fs::write(&metrics, &changed).unwrap();
    refused("were changed");
    std::fs::write(&metrics, &whole).unwrap();
    for name in &files {
        std::fs::write(folder.join(name), b"drystone").unwrap();
    }
    refused("less than any checkpoint");
}

/// The program with another limit on files, in blocks of 512 bytes, which is an error and no signal.
fn with_file_limit(home: &Home, blocks: u32, args: &str) -> (i32, String) {
    let program = env!("CARGO_BIN_EXE_drystone");
    let line = format!("trap '' XFSZ; ulimit -f {blocks}; exec '{program}' {args}");
    let mut command = Command::new("sh");
    command.args(["-c", &line]).current_dir(home.path("."));
    let ended = without_gpu(&mut command).output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    (ended.status.code().unwrap(), said)
}

#[test]
fn a_full_disk_ends_a_run_and_leaves_nothing_half_written() {
    let home = Home::new();
    home.write("shaken.toml", &shaken(60));
    home.run(&["run", "shaken.toml", "--no-picture", "--out", "whole", "-q"])
        .expect_code(0);
    let args = "run shaken.toml --no-picture --out full --checkpoint-every 0.2";
    // Enough for the first checkpoint, which has no contacts, and not for one of a bed.
    let first = {
        home.run(&[
            "run",
            "shaken.toml",
            "--steps",
            "1",
            "--out",
            "first",
            "--checkpoint-every",
            "1",
        ])
        .expect_code(0);
        let file = home.path("first/checkpoints/000000000.drystone");
        std::fs::metadata(file).unwrap().len()
    };
    let (code, said) = with_file_limit(&home, (first / 512 + 4) as u32, args);
    assert_eq!(code, 1, "{said}");
    assert!(
        said.contains("error: ") && said.contains("full/checkpoints/0000000"),
        "{said}"
    );
    let names = entries(&home.path("full/checkpoints"));
    assert!((2..6).contains(&names.len()), "{names:?}");
    assert!(
        !names.iter().any(|name| name.ends_with(".partial")),
        "{names:?}"
    );
    let json: serde_json::Value = serde_json::from_str(&home.read("full/summary.json")).unwrap();
    assert_eq!(json["status"], "failed");
    // With room it goes on.
    home.run(&["resume", "full", "-q"]).expect_code(0);
    assert_same(&home, "full", "whole");
    // Without room for a row of the metrics either, it fails too.
    let (code, said) = with_file_limit(&home, 1, "run shaken.toml --no-picture --out none");
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("error: "), "{said}");
}

/// The program as one who may not write to what root has: root may write anywhere.
fn as_nobody(home: &Home, args: &[&str]) -> (i32, String) {
    use std::os::unix::fs::PermissionsExt;
    let own = home.path("program");
    std::fs::copy(env!("CARGO_BIN_EXE_drystone"), &own).unwrap();
    let open = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(home.path("."), open.clone()).unwrap();
    std::fs::set_permissions(&own, open).unwrap();
    let mut command = Command::new(own);
    command.args(args).current_dir(home.path("."));
    let is_root = std::fs::metadata("/proc/self").is_ok_and(|about| {
        use std::os::unix::fs::MetadataExt;
        about.uid() == 0
    });
    if is_root {
        command.uid(65_534).gid(65_534);
    }
    let ended = without_gpu(&mut command).output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    (ended.status.code().unwrap(), said)
}

/// Takes the right to write to a folder from everyone but root.
fn lock_up(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o555)).unwrap();
}

#[test]
fn a_folder_that_is_not_to_be_written_is_an_error() {
    let home = Home::new();
    home.write("shaken.toml", &shaken(60));
    std::fs::create_dir(home.path("closed")).unwrap();
    lock_up(&home.path("closed"));
    let (code, said) = as_nobody(&home, &["run", "shaken.toml", "--out", "closed/run"]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("closed/run: Permission denied"), "{said}");
    assert_eq!(entries(&home.path("closed")), [""; 0]);
    // A run that cannot be gone on with, since nothing can be written.
    let args = [
        "run",
        "shaken.toml",
        "--steps",
        "20",
        "--checkpoint-every",
        "0.1",
        "--out",
        "run",
        "-q",
    ];
    home.run(&args).expect_code(0);
    std::fs::remove_file(home.path("run/summary.json")).unwrap();
    let before = home.read("run/metrics.csv");
    let (code, said) = as_nobody(&home, &["resume", "run"]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("Permission denied"), "{said}");
    assert_eq!(home.read("run/metrics.csv"), before);
}
