//! Pictures: on whatever adapter there is, which may be Mesa's software one.

use crate::program::{Home, drop_scene, entries, program};
use std::io::Cursor;

/// Size, number of frames, and the pixels of the first frame, three bytes each.
fn decoded(home: &Home, name: &str) -> ((u32, u32), u32, Vec<u8>) {
    let file = std::fs::read(home.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    let mut reader = png::Decoder::new(Cursor::new(file)).read_info().unwrap();
    let info = reader.info();
    let frames = info
        .animation_control
        .map_or(1, |control| control.num_frames);
    let size = (info.width, info.height);
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    (size, frames, pixels)
}

/// Share of the pixels in which two pictures differ by more than rounding.
fn difference(a: &[u8], b: &[u8]) -> f64 {
    let different = |(a, b): (&[u8], &[u8])| a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > 8);
    let count = a
        .chunks(3)
        .zip(b.chunks(3))
        .filter(|pair| different(*pair))
        .count();
    count as f64 / (a.len() / 3) as f64
}

const SMALL: [&str; 6] = [
    "--size",
    "160x100",
    "--samples",
    "4",
    "--quiet",
    "--threads=1",
];

fn render(home: &Home, args: &[&str]) -> crate::program::Ended {
    home.run_with_gpu(&[&["render"], args, &SMALL].concat())
}

#[test]
fn a_scene_is_drawn_as_it_is_at_the_time_asked_for() {
    let home = Home::with_drop_scene();
    let ended = render(&home, &["drop.toml", "--at", "0", "--out", "start.png"]).expect_code(0);
    assert_eq!(ended.stdout, "start.png\n");
    render(&home, &["drop.toml"]).expect_code(0);
    let (size, _, start) = decoded(&home, "start.png");
    assert_eq!(size, (160, 100));
    let (_, _, end) = decoded(&home, "drop.png");
    // Bodies fall; the backdrop stays.
    let changed = difference(&start, &end);
    assert!((0.02..0.9).contains(&changed), "{changed}");
    // The same picture again, pixel by pixel.
    render(&home, &["drop.toml", "--at", "0", "--out", "again.png"]).expect_code(0);
    assert_eq!(difference(&start, &decoded(&home, "again.png").2), 0.0);
}

#[test]
fn colours_and_forces_change_the_picture() {
    let home = Home::with_drop_scene();
    render(&home, &["drop.toml"]).expect_code(0);
    let plain = decoded(&home, "drop.png").2;
    for color in ["material", "size", "speed", "force", "cluster"] {
        render(
            &home,
            &["drop.toml", "--color", color, "--out", "other.png"],
        )
        .expect_code(0);
        let changed = difference(&plain, &decoded(&home, "other.png").2);
        assert!(changed > 0.01, "{color}: {changed}");
    }
    render(&home, &["drop.toml", "--forces", "--out", "forces.png"]).expect_code(0);
    let changed = difference(&plain, &decoded(&home, "forces.png").2);
    assert!(changed > 0.05, "{changed}");
}

#[test]
fn several_times_make_a_sheet_an_animation_or_a_folder() {
    let home = Home::with_drop_scene();
    let times = ["drop.toml", "--every", "0.2"];
    render(&home, &times).expect_code(0);
    // 0, 0.2, 0.4 and 0.6 s: two in a row, and gaps of two pixels.
    assert_eq!(
        decoded(&home, "drop_sheet.png").0,
        (2 * 162 + 2, 2 * 102 + 2)
    );
    render(&home, &[&times[..], &["--out", "fall.apng"]].concat()).expect_code(0);
    let (size, frames, _) = decoded(&home, "fall.apng");
    assert_eq!((size, frames), ((160, 100), 4));
    render(&home, &[&times[..], &["--out", "a/b"]].concat()).expect_code(0);
    let names: Vec<String> = (0..4).map(|index| format!("drop_{index:04}.png")).collect();
    assert_eq!(entries(&home.path("a/b")), names);
}

#[test]
fn a_run_folder_is_drawn_and_a_run_ends_with_a_picture() {
    let home = Home::with_drop_scene();
    home.run_with_gpu(&["run", "drop.toml", "--backend", "cpu", "--out", "run", "-q"])
        .expect_code(0);
    let names = [
        "metrics.csv",
        "picture.png",
        "plot.svg",
        "report.html",
        "scene.toml",
        "summary.json",
    ];
    assert_eq!(entries(&home.path("run")), names);
    assert_eq!(decoded(&home, "run/picture.png").0, (960, 600));
    assert!(
        home.read("run/report.html")
            .contains("src=\"data:image/png;base64,iVBORw0KGgo")
    );
    let ended = render(&home, &["run", "--at", "0.5"]).expect_code(0);
    assert_eq!(ended.stdout.trim(), "run/drop.png");
    // The scene of the run is that of the file.
    render(&home, &["drop.toml", "--at", "0.5"]).expect_code(0);
    let (of_run, of_scene) = (
        decoded(&home, "run/drop.png").2,
        decoded(&home, "drop.png").2,
    );
    assert_eq!(difference(&of_run, &of_scene), 0.0);
}

#[test]
fn frames_and_checkpoints_are_taken_in_place_of_steps() {
    let home = Home::with_drop_scene();
    let run = ["run", "drop.toml", "-q", "--backend=cpu", "--no-picture"];
    let frames = ["--out=framed", "--frames=10", "--frame-content=points"];
    home.run(&[&run[..], &frames].concat()).expect_code(0);
    let picture = |args: &[&str]| {
        let ended = render(&home, &[args, &["--out", "x.png"]].concat()).expect_code(0);
        (decoded(&home, "x.png").2, ended.stderr)
    };
    let [start, middle, end] =
        ["0", "0.5", "0.6"].map(|time| picture(&["drop.toml", "--at", time]).0);
    // Frames hold orientations in single precision.
    let (framed, _) = picture(&["framed", "--at", "0.5"]);
    assert!(difference(&framed, &middle) < 0.002);
    // They are what is drawn: here is another one in their place.
    let frame = |step: u32| home.path(&format!("framed/frames/drop_{step:06}.vtp"));
    std::fs::copy(frame(0), frame(30)).unwrap();
    assert!(difference(&picture(&["framed", "--at", "0.5"]).0, &start) < 0.002);
    // Forces are not in them: the scene is run.
    let forces = ["--forces", "--at", "0.5"];
    let [of_run, of_scene] =
        ["framed", "drop.toml"].map(|source| picture(&[&[source], &forces[..]].concat()).0);
    assert_eq!(difference(&of_run, &of_scene), 0.0);
    // One that is cut short is an error.
    let text = std::fs::read_to_string(frame(30)).unwrap();
    std::fs::write(frame(30), &text[..text.len() / 2]).unwrap();
    let ended = render(&home, &["framed", "--at", "0.5"]).expect_code(2);
    assert!(ended.stderr.contains("drop_000030.vtp"), "{}", ended.stderr);

    let every = ["--out=saved", "--checkpoint-every=0.25"];
    home.run(&[&run[..], &every].concat()).expect_code(0);
    let (saved, said) = picture(&["saved", "--at", "0.6"]);
    assert_eq!((difference(&saved, &end), said.as_str()), (0.0, ""));
    // A damaged one is named, and the one before it is taken.
    let newest = home.path("saved/checkpoints/000000030.drystone");
    let bytes = std::fs::read(&newest).unwrap();
    std::fs::write(&newest, &bytes[..bytes.len() - 9]).unwrap();
    let (saved, said) = picture(&["saved", "--at", "0.6"]);
    assert_eq!(difference(&saved, &end), 0.0);
    assert!(said.contains("000000030.drystone: refused"), "{said}");
}

#[test]
fn joints_and_contacts_are_drawn() {
    let home = Home::with_drop_scene();
    let ball = |name: &str, x: f64| {
        format!(
            "\n[[body]]\nname = \"{name}\"\ndensity = 1000\nposition = [{x}, -0.7, 0.1]\n\
             shape = {{ type = \"sphere\", radius = 0.1 }}\n"
        )
    };
    let joint = "\n[[joint]]\ntype = \"ball\"\na = \"a\"\nb = \"b\"\nanchor = [0, -0.7, 0.1]\n";
    let tied = drop_scene(40) + &ball("a", -0.2) + &ball("b", 0.2) + joint;
    home.write("tied.toml", &tied);
    for scene in ["drop.toml", "tied.toml"] {
        let picture = |flags: &[&str]| {
            render(&home, &[&[scene, "--out", "x.png"], flags].concat()).expect_code(0);
            decoded(&home, "x.png").2
        };
        let plain = picture(&["--contacts"]);
        assert!(difference(&plain, &picture(&[])) > 0.02);
        // Bodies are seen through for both; only one scene has a joint to draw.
        let joints = picture(&["--contacts", "--joints"]);
        assert_eq!(difference(&plain, &joints) > 0.0, scene == "tied.toml");
    }
}

#[test]
fn a_camera_of_the_scene_is_used() {
    let home = Home::with_drop_scene();
    let camera = "\n[camera]\neye = [0, 0, 60]\ntarget = [0, 0.1, 0]\nfield_of_view = 5\n";
    home.write("above.toml", &(drop_scene(40) + camera));
    render(&home, &["drop.toml", "--at", "0", "--out", "a.png"]).expect_code(0);
    render(&home, &["above.toml", "--at", "0", "--out", "b.png"]).expect_code(0);
    let changed = difference(&decoded(&home, "a.png").2, &decoded(&home, "b.png").2);
    assert!(changed > 0.3, "{changed}");
}

#[test]
fn what_cannot_be_drawn_is_refused_before_anything_is_run() {
    let home = Home::with_drop_scene();
    std::fs::create_dir(home.path("empty")).unwrap();
    for (args, says) in [
        (&["drop.toml", "--at", "5"][..], "after the end"),
        (&["drop.toml", "--size", "10x10"], "16 to 8192"),
        (&["drop.toml", "--size", "8192x8192"], "pixels of a picture"),
        (&["drop.toml", "--out", "x.jpg"], ".apng"),
        (&["empty"], "scene.toml"),
        (&["missing.toml"], "missing.toml"),
        (
            &["drop.toml", "--adapter", "nosuchadapter"],
            "nosuchadapter",
        ),
    ] {
        let ended = home.run_with_gpu(&[&["render", "--samples", "1", "-q"], args].concat());
        assert!(
            ended.code != 0 && ended.stderr.contains(says),
            "{args:?}: {ended:#?}"
        );
        assert!(!ended.stderr.contains("panicked"), "{ended:#?}");
    }
    assert_eq!(entries(&home.path(".")), ["drop.toml", "empty"]);
    // No adapter at all.
    let ended = home.run(&["render", "drop.toml"]).expect_code(2);
    assert!(ended.stderr.contains("adapter"), "{}", ended.stderr);
    // No ffmpeg.
    let mut command = program();
    command
        .args(["render", "drop.toml", "--out", "x.mp4"])
        .env("PATH", "");
    let output = command.current_dir(home.path(".")).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("ffmpeg"));
}
