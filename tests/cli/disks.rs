//! Disks that are full or not to be written: small file systems that are mounted for one call of the program, in a namespace of its own.
//!
//! Where nothing may be mounted, a limit on the size of files takes the place of a small disk, and the tests say that they have tried no other.

#![cfg(unix)]

use crate::checkpoints::{assert_same, shaken};
use crate::frames::vtkhdf;
use crate::program::{Csv, Ended, Home, entries, program, without_gpu};
use drystone::scene::Checkpoint;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The file system that is mounted on the folder `disk`, with all in it that is in the folder `stock`.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Disk {
    /// So many KiB.
    Small(u32),
    /// No room beyond its content.
    Full,
    ReadOnly,
}

impl Disk {
    /// Lines of a shell that make it.
    fn lines(self) -> String {
        let mount = |size| {
            format!("mount -t tmpfs -o size={size} none disk && cp -R stock/. disk || exit 99\n")
        };
        match self {
            Self::Small(size) => mount(format!("{size}k")),
            Self::Full => mount("32m".into()) + "dd if=/dev/zero of=disk/fill bs=4k 2>/dev/null\n",
            Self::ReadOnly => {
                mount("32m".into()) + "mount -o remount,ro,bind \"$PWD/disk\" || exit 99\n"
            }
        }
    }

    /// The same by other means; nothing if there are none.
    fn lines_without_mounts(self) -> Option<String> {
        match self {
            Self::Small(size) => Some(format!(
                "mkdir -p disk && cp -R stock/. disk\ntrap '' XFSZ; ulimit -f {size}\n"
            )),
            Self::Full | Self::ReadOnly => None,
        }
    }
}

/// True if this process may mount file systems in a namespace of its own.
#[allow(clippy::print_stdout, reason = "a test says that it has not tried all")]
fn may_mount() -> bool {
    let line = "mount -t tmpfs -o size=64k none /mnt && mount -o remount,ro,bind /mnt";
    let tried = Command::new("unshare")
        .args(["-rm", "sh", "-c", line])
        .output();
    let may = tried.is_ok_and(|tried| tried.status.success());
    if !may {
        println!("not tried: full and read-only file systems, since nothing may be mounted here");
    }
    may
}

/// The program on a disk; what the disk holds afterwards is in the folder `after`. Nothing if there is no such disk here.
fn on_disk(home: &Home, disk: Disk, gpu: bool, args: &[&str]) -> Option<Ended> {
    for folder in ["disk", "after"] {
        let _ = std::fs::remove_dir_all(home.path(folder));
        std::fs::create_dir(home.path(folder)).unwrap();
    }
    std::fs::create_dir_all(home.path("stock")).unwrap();
    let end = "\"$0\" \"$@\"\ncode=$?\nrm -f disk/fill; cp -R disk/. after; exit $code";
    let mut command = if may_mount() {
        let mut command = Command::new("unshare");
        command.args(["-rm", "sh", "-c", &(disk.lines() + end)]);
        command
    } else {
        let mut command = Command::new("sh");
        command.args(["-c", &(disk.lines_without_mounts()? + end)]);
        command
    };
    command.arg(program().get_program()).args(args);
    if !gpu {
        without_gpu(&mut command);
    }
    let ended = command.current_dir(home.path(".")).output().unwrap();
    let ended = Ended {
        code: ended.status.code().unwrap(),
        stdout: String::from_utf8(ended.stdout).unwrap(),
        stderr: String::from_utf8(ended.stderr).unwrap(),
    };
    assert_ne!(ended.code, 99, "no disk: {ended:#?}");
    assert!(!ended.stderr.contains("panicked"), "{ended:#?}");
    Some(ended)
}

/// Fails unless the program ended as on a disk without room.
fn assert_refused(ended: &Ended, disk: Disk) {
    assert_eq!(ended.code, 1, "{disk:?}: {ended:#?}");
    let reasons = ["No space left", "File too large", "Read-only file system"];
    let names = |line: &str| {
        line.starts_with("error: disk/") && reasons.iter().any(|why| line.contains(why))
    };
    assert!(ended.stderr.lines().any(names), "{disk:?}: {ended:#?}");
}

/// Every file in a folder and those below, with its bytes.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for name in entries(folder) {
        let path = folder.join(name);
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push((path.clone(), std::fs::read(path).unwrap()));
        }
    }
    found
}

/// The same relative to the folder.
fn content(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let relative =
        |(path, bytes): (PathBuf, Vec<u8>)| (path.strip_prefix(folder).unwrap().to_owned(), bytes);
    files(folder).into_iter().map(relative).collect()
}

/// Fails unless a file is whole, as far as its name says what is in it.
fn assert_whole(path: &Path, bytes: &[u8]) {
    let place = path.display();
    let text = || std::str::from_utf8(bytes).unwrap();
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("csv") => {
            assert!(text().ends_with('\n'), "{place}");
            Csv::parse(text());
        }
        Some("json") => {
            let read = serde_json::from_slice::<serde_json::Value>(bytes);
            assert!(read.is_ok(), "{place}: {read:?}");
        }
        Some("vtp" | "vtu" | "vti" | "svg") => {
            let read = roxmltree::Document::parse(text());
            assert!(read.is_ok(), "{place}: {read:?}");
        }
        Some("pvd") => {
            let document = roxmltree::Document::parse(text()).unwrap();
            let frames = document
                .descendants()
                .filter_map(|node| node.attribute("file"));
            for frame in frames {
                assert!(path.with_file_name(frame).is_file(), "{place}: {frame}");
            }
        }
        Some("vtkhdf") => {
            let (count, times, points) = vtkhdf(path);
            assert!(count > 0 && times.len() == count, "{place}: {times:?}");
            assert!(points.iter().all(|x| x.is_finite()), "{place}");
        }
        Some("dump") => {
            let mut lines = text().lines();
            lines
                .find(|line| line.starts_with("ITEM: NUMBER OF "))
                .unwrap();
            let count: usize = lines.next().unwrap().parse().unwrap();
            let rows = text().split("ITEM: ").last().unwrap();
            assert!(rows.ends_with('\n'), "{place}");
            assert_eq!(rows.lines().count(), count + 1, "{place}");
        }
        Some("drystone") => drop(Checkpoint::from_bytes(bytes).unwrap()),
        Some("html") => assert!(text().trim_end().ends_with("</html>"), "{place}"),
        Some("png") => {
            let mut reader = png::Decoder::new(std::io::Cursor::new(bytes))
                .read_info()
                .unwrap();
            let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
            reader.next_frame(&mut pixels).unwrap();
        }
        Some("toml") => assert!(text().ends_with('\n'), "{place}"),
        _ => assert!(path.ends_with("lock") || path.ends_with("kept"), "{place}"),
    }
}

/// Files that were on the disk before, and stay.
fn stock(home: &Home) {
    std::fs::create_dir_all(home.path("stock")).unwrap();
    home.write("stock/kept", "as it was");
}

fn assert_stock_is_kept(home: &Home) {
    assert_eq!(home.read("after/kept"), "as it was");
}

#[test]
fn a_run_on_a_small_disk_leaves_only_whole_files() {
    let home = Home::new();
    home.write("shaken.toml", &shaken(40));
    stock(&home);
    // Without frames and checkpoints rows are what there is no room for.
    for formats in [None, Some("vtp,vtkhdf"), Some("vtu"), Some("lammps,csv")] {
        let mut run = vec!["run", "shaken.toml", "--no-picture"];
        if let Some(formats) = formats {
            run.extend([
                "--frames=10",
                "--frame-content=points",
                "--frame-contacts",
                "--checkpoint-every=0.1",
                "--frame-format",
                formats,
            ]);
        }
        run.push("--out");
        home.run(&[&run[..], &["whole"]].concat()).expect_code(0);
        let args = [&run[..], &["disk/run"]].concat();
        let mut failed_at = Vec::new();
        for size in (4..64).step_by(12).chain((64..4000).step_by(40)) {
            let disk = Disk::Small(size);
            let Some(ended) = on_disk(&home, disk, false, &args) else {
                return;
            };
            for (path, bytes) in files(&home.path("after")) {
                assert_whole(&path, &bytes);
            }
            assert_stock_is_kept(&home);
            if ended.code == 0 {
                assert_same(&home, "after/run", "whole");
                break;
            }
            assert_refused(&ended, disk);
            let said = &ended.stderr;
            let mut places = said
                .lines()
                .filter_map(|line| line.strip_prefix("error: disk/run/"));
            let place = places
                .next()
                .and_then(|place| place.split(['/', ':']).next());
            failed_at.extend(place.map(str::to_owned));
            let run = home.path("after/run");
            if run.join("scene.toml").exists() && !run.join("summary.json").exists() {
                assert!(said.contains("warning: no summary: disk/run/"), "{said}");
            }
            let checkpoints = entries(&run.join("checkpoints"));
            let is_resumable = checkpoints.iter().any(|name| name.ends_with(".drystone"));
            let offered = ended.stdout.contains("go on: drystone resume disk/run");
            let is_done = ended.stdout.contains("status          done");
            assert_eq!(offered, is_resumable && !is_done, "{ended:#?}");
            assert!(!ended.stdout.contains("report.html"), "{ended:#?}");
            // With room it goes on, to the same files.
            if offered && failed_at.len() % 4 == 0 {
                home.run(&["resume", "after/run", "-q"]).expect_code(0);
                assert_same(&home, "after/run", "whole");
            }
        }
        assert!(home.path("after/run/report.html").exists(), "{formats:?}");
        failed_at.sort();
        failed_at.dedup();
        println!("{formats:?}: the disk was full at {failed_at:?}");
        let expected: &[&str] = match formats {
            None => &["metrics.csv", "report.html"],
            Some(_) => &["frames", "checkpoints"],
        };
        for &place in expected {
            let failed = failed_at.iter().any(|other| other == place);
            assert!(failed, "{place}: {failed_at:?}");
        }
        std::fs::remove_dir_all(home.path("whole")).unwrap();
    }
}

#[test]
fn a_run_is_not_resumed_where_nothing_can_be_written() {
    let home = Home::new();
    // Its last rows and its last frame are younger than its newest checkpoint.
    home.write("shaken.toml", &shaken(35));
    stock(&home);
    let run = [
        "run",
        "shaken.toml",
        "--frames=5",
        "--frame-content=points",
        "--frame-contacts",
        "--frame-format=vtp,vtkhdf",
        "--checkpoint-every=0.1",
        "--no-picture",
        "-q",
        "--out",
    ];
    home.run(&[&run[..], &["whole"]].concat()).expect_code(0);
    home.run(&[&run[..], &["stock/run"]].concat())
        .expect_code(0);
    std::fs::remove_file(home.path("stock/run/summary.json")).unwrap();
    let before = content(&home.path("stock"));
    for disk in [Disk::Full, Disk::ReadOnly] {
        let Some(ended) = on_disk(&home, disk, false, &["resume", "disk/run"]) else {
            return;
        };
        assert_refused(&ended, disk);
        // No checkpoint is to blame, and none is lost.
        assert!(!ended.stderr.contains("refused"), "{ended:#?}");
        let after = content(&home.path("after"));
        assert!(before == after, "{disk:?}: {ended:#?}");
    }
    home.run(&["resume", "after/run", "-q"]).expect_code(0);
    assert_same(&home, "after/run", "whole");
}

#[test]
fn what_cannot_be_written_replaces_nothing() {
    let home = Home::with_drop_scene();
    stock(&home);
    let run = [
        "run",
        "drop.toml",
        "--steps=3",
        "--dump-problem=2",
        "-q",
        "--out",
        "run",
    ];
    home.run(&run).expect_code(0);
    let commands: [(&str, &[&str]); 8] = [
        ("", &["run", "drop.toml", "-q", "--out", "disk/new"]),
        ("p.svg", &["plot", "run", "--out", "disk/p.svg"]),
        ("p.png", &["plot", "run", "--out", "disk/p.png"]),
        (
            "s.json",
            &["solve", "run/problem_2.json", "--out", "disk/s.json"],
        ),
        (
            "b.json",
            &["bench", "--quick", "--sizes=40", "--json", "disk/b.json"],
        ),
        (
            "",
            &[
                "study",
                "drop.toml",
                "--seeds=1",
                "--duration=0.05",
                "--out",
                "disk/new",
            ],
        ),
        ("", &["lab", "haff", "--quick", "-q", "--out", "disk/new"]),
        ("", &["reproduce", "solvability", "-q", "--out", "disk/new"]),
    ];
    for (file, args) in commands {
        let old = home.path(&format!("stock/{file}"));
        if !file.is_empty() {
            std::fs::write(&old, "old").unwrap();
        }
        for disk in [Disk::Small(8), Disk::ReadOnly] {
            let Some(ended) = on_disk(&home, disk, false, args) else {
                continue;
            };
            // A limit on the size of files is none on their number.
            if ended.code != 0 || may_mount() {
                assert_refused(&ended, disk);
            }
            if disk == Disk::ReadOnly {
                // It is found before anything is computed.
                assert_eq!(ended.stdout, "", "{args:?}");
            }
            if !file.is_empty() {
                assert_eq!(home.read(&format!("after/{file}")), "old", "{args:?}");
                std::fs::remove_file(home.path(&format!("after/{file}"))).unwrap();
            }
            for (path, bytes) in files(&home.path("after")) {
                assert_whole(&path, &bytes);
            }
            assert_stock_is_kept(&home);
        }
        if !file.is_empty() {
            std::fs::remove_file(old).unwrap();
        }
    }
}

#[cfg(feature = "gpu")]
#[test]
fn pictures_that_cannot_be_written_replace_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::with_drop_scene();
    stock(&home);
    home.write("stock/p.png", "old");
    let render = ["render", "drop.toml", "--samples=1", "--size=320x200", "-q"];
    for disk in [Disk::Small(8), Disk::ReadOnly] {
        for out in ["disk/p.png", "disk/folder"] {
            let args = [&render[..], &["--at=0", "--out", out]].concat();
            let Some(ended) = on_disk(&home, disk, true, &args) else {
                continue;
            };
            assert_refused(&ended, disk);
            assert_eq!(home.read("after/p.png"), "old");
            assert!(entries(&home.path("after/folder")).is_empty());
            assert_stock_is_kept(&home);
        }
    }
    // A program that writes half of a movie in place of ffmpeg, and one that writes all.
    std::fs::create_dir(home.path("bin")).unwrap();
    home.write("m.mp4", "old");
    let path = std::env::var("PATH").unwrap();
    for (end, code, left) in [("exit 1", 1, "old"), ("exit 0", 0, "movie\n")] {
        home.write(
            "bin/ffmpeg",
            &format!(
                "#!/bin/sh\n[ \"$1\" = -version ] && exit 0\nfor last; do :; done\n\
                 cat >/dev/null; echo movie >\"$last\"; echo broken >&2; {end}\n"
            ),
        );
        let all = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(home.path("bin/ffmpeg"), all).unwrap();
        let mut command = program();
        command
            .args(render)
            .args(["--every=0.3", "--out=m.mp4"])
            .env("PATH", format!("{}:{path}", home.path("bin").display()));
        let ended = command.current_dir(home.path(".")).output().unwrap();
        assert_eq!(ended.status.code(), Some(code));
        assert_eq!(home.read("m.mp4"), left);
        if code == 1 {
            let said = String::from_utf8(ended.stderr).unwrap();
            assert!(said.contains("error: m.mp4: ffmpeg: broken"), "{said}");
        }
        assert!(!home.path("m.mp4.partial").exists());
    }
}

#[test]
fn a_pipe_is_written_to_and_stays_one() {
    let home = Home::with_drop_scene();
    home.run(&["run", "drop.toml", "--steps=3", "-q", "--out", "run"])
        .expect_code(0);
    let made = Command::new("mkfifo").arg(home.path("pipe.svg")).status();
    assert!(made.unwrap().success());
    let reader = Command::new("cat")
        .arg(home.path("pipe.svg"))
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    home.run(&["plot", "run", "--out", "pipe.svg"])
        .expect_code(0);
    let read = reader.wait_with_output().unwrap().stdout;
    assert!(String::from_utf8(read).unwrap().ends_with("</svg>\n"));
    assert_eq!(entries(&home.path(".")), ["drop.toml", "pipe.svg", "run"]);
    assert!(!home.path("pipe.svg").is_file());
    // A link stays one too.
    home.write("plot.svg", "old");
    std::os::unix::fs::symlink("plot.svg", home.path("link.svg")).unwrap();
    home.run(&["plot", "run", "--out", "link.svg"])
        .expect_code(0);
    assert!(home.path("link.svg").is_symlink());
    assert!(home.read("plot.svg").contains("<svg"));
}
