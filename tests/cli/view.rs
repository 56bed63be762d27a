//! The window, on a display of its own. Its pictures lie in `target/tmp` afterwards.

use crate::display::{Display, Shot, Shown};
use crate::program::{Home, program, without_gpu};
use std::path::Path;
use std::process::{Command, Stdio};

/// A ball that hangs by a rod, and an orange box on a floor.
const SCENE: &str = r#"name = "yard"
[simulation]
dt = 0.016666666666666666
steps = 60

[materials.a]
friction = 0.4
[materials.b]
friction = 0.4

[camera]
eye = [0, -6, 1.6]
target = [0, 0, 0.7]
field_of_view = 30

[[body]]
name = "floor"
kind = "fixed"
material = "a"
shape = { type = "half_space", normal = [0, 0, 1] }

[[body]]
name = "box"
material = "a"
shape = { type = "box", half_extents = [0.25, 0.25, 0.25] }
position = [-0.3, 0, 0.25]
density = 500

[[body]]
name = "ball"
material = "b"
shape = { type = "sphere", radius = 0.15 }
position = [1.5, 0, 0.8]
density = 500

[[joint]]
name = "string"
type = "ball"
a = "ball"
anchor = [1.5, 0, 1.6]
"#;

const SPACE: u32 = 0x20;

fn key(character: char) -> u32 {
    character.into()
}

fn view(home: &Home, args: &[&str]) -> Command {
    let mut command = program();
    command
        .args(["view", "--threads=1", "--size", "800x600"])
        .args(args)
        .current_dir(home.path("."));
    command
}

fn home() -> Home {
    let home = Home::new();
    home.write("yard.toml", SCENE);
    home
}

fn is_orange([r, g, b]: [u8; 3]) -> bool {
    let [r, g, b] = [r, g, b].map(u32::from);
    r > 90 && 10 * r > 14 * g && 10 * g > 11 * b
}

/// Middle of the orange box.
fn middle(shot: &Shot) -> Option<[f64; 2]> {
    let (count, middle) = shot.middle_of(is_orange);
    (count > 1500).then_some(middle)
}

fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

fn keep(shot: &Shot, name: &str) {
    shot.save(&Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("view_{name}.png")));
}

/// A shot once this is true of one.
fn shot_when(shown: &mut Shown<'_>, what: &str, is_it: impl Fn(&Shot) -> bool) -> Shot {
    shown.wait(what, |shown| Some(shown.shot()).filter(&is_it))
}

#[test]
fn a_body_is_pulled_by_the_pointer_and_the_run_obeys_the_keys() {
    let (home, display) = (home(), Display::new());
    let args = ["yard.toml", "--paused", "--color", "material"];
    let mut shown = Shown::start(&display, &mut view(&home, &args));
    assert_eq!(shown.time_when("paused"), 0.0);
    let with_keys = shot_when(&mut shown, "the box", |shot| middle(shot).is_some());
    keep(&with_keys, "keys");
    shown.key(key('h'));
    let start = shot_when(&mut shown, "less text", |shot| {
        shot.difference(&with_keys) > 0.03
    });
    keep(&start, "before");
    let from = middle(&start).unwrap();

    // One step at a time.
    shown.key(key('.'));
    let step = shown.time_after(0.0, "paused");
    assert!((step - 1.0 / 60.0).abs() < 1e-3, "{step}");

    // The box follows the pointer up and to the right, and hangs there by the point that was taken.
    shown.key(SPACE);
    shown.time_when("running");
    let to = [from[0] + 160.0, from[1] - 140.0];
    shown.drag(1, from, to);
    let hangs = |shot: &Shot| {
        middle(shot).is_some_and(|at| (at[0] - to[0]).abs() < 35.0 && at[1] < from[1] - 40.0)
    };
    shot_when(&mut shown, "the box below the pointer", hangs);
    std::thread::sleep(std::time::Duration::from_secs(2));
    let pulled = shot_when(&mut shown, "the box still there", hangs);
    keep(&pulled, "pulled");

    // Let go, it falls.
    shown.release(1);
    let fallen = shot_when(&mut shown, "the box on the floor", |shot| {
        middle(shot).is_some_and(|at| at[1] > from[1] - 12.0)
    });
    keep(&fallen, "after");
    assert!(distance(middle(&fallen).unwrap(), from) > 60.0);

    // Time stands still while it is paused.
    shown.key(SPACE);
    let paused = shown.time_when("paused");
    assert!(paused > 0.1, "{paused}");
    std::thread::sleep(std::time::Duration::from_millis(200));
    assert_eq!(shown.time_when("paused"), paused);

    // And all begins again.
    shown.key(key('r'));
    assert_eq!(shown.time_after(paused, "paused"), 0.0);
    shot_when(&mut shown, "the first picture again", |shot| {
        middle(shot).is_some_and(|at| distance(at, from) < 2.0) && shot.difference(&start) < 0.03
    });
    assert_eq!(shown.close().code(), Some(0));
}

#[test]
fn the_view_turns_and_shows_what_keys_ask_for() {
    let (home, display) = (home(), Display::new());
    let mut shown = Shown::start(&display, &mut view(&home, &["yard.toml", "--paused"]));
    shown.key(key('h'));
    shown.key(key('.'));
    shown.time_after(0.0, "paused");
    let mut last = shot_when(&mut shown, "a picture", |shot| shot.pixels[0] != [0; 3]);
    let mut changes = |shown: &mut Shown<'_>, name: &str, least: f64| {
        last = shot_when(shown, name, |shot| shot.difference(&last) > least);
        keep(&last, name);
    };
    for (letter, name, least) in [
        ('c', "material", 0.005),
        ('j', "joints", 0.005),
        ('k', "contacts", 0.0005),
        ('f', "forces", 0.005),
    ] {
        shown.key(key(letter));
        changes(&mut shown, name, least);
    }
    // Two steps have residuals to compare: curves below the text, until they are hidden.
    let has_curves = |shot: &Shot| {
        let at = |x: usize| shot.pixels[200 * shot.width + x][0];
        at(16).abs_diff(at(6)) > 5
    };
    shown.key(key('.'));
    let curves = shot_when(&mut shown, "residuals", has_curves);
    keep(&curves, "residuals");
    shown.key(key('e'));
    shot_when(&mut shown, "no residuals", |shot| !has_curves(shot));
    // Beside the bodies the pointer turns the view, and the wheel goes nearer.
    shown.drag(1, [700.0, 80.0], [500.0, 120.0]);
    shown.release(1);
    changes(&mut shown, "turned", 0.03);
    shown.press(4);
    shown.release(4);
    changes(&mut shown, "nearer", 0.005);
    shown.drag(2, [400.0, 300.0], [400.0, 200.0]);
    shown.release(2);
    changes(&mut shown, "moved", 0.03);
    shown.key(key('a'));
    changes(&mut shown, "all", 0.03);
    shown.key(key('v'));
    changes(&mut shown, "first", 0.03);

    shown.resize(500, 400);
    let small = shot_when(&mut shown, "the small window", |shot| {
        shot.width == 500 && shot.pixels.last() != Some(&[0; 3])
    });
    keep(&small, "small");
    assert_eq!(small.pixels.len(), 500 * 400);
    // It still answers.
    shown.key(key('.'));
    shown.time_after(0.034, "paused");
    shown.key(key('q'));
    assert_eq!(shown.ended().code(), Some(0));
}

#[test]
fn frames_of_a_run_are_shown_again() {
    let (home, display) = (home(), Display::new());
    let falling = SCENE.replace("[-0.3, 0, 0.25]", "[-0.3, 0, 1.2]");
    home.write("yard.toml", &falling);
    let run = [
        "run",
        "yard.toml",
        "-q",
        "--backend=cpu",
        "--no-picture",
        "--out=run",
    ];
    let frames = ["--frames=10", "--frame-content=points", "--steps=30"];
    home.run(&[&run[..], &frames].concat()).expect_code(0);

    let args = ["run", "--paused", "--color", "material"];
    let mut shown = Shown::start(&display, &mut view(&home, &args));
    shown.key(key('h'));
    let start = shot_when(&mut shown, "the box", |shot| middle(shot).is_some());
    let from = middle(&start).unwrap();
    // To the end, by itself.
    shown.key(SPACE);
    let mut time = 0.0;
    while time < 0.49 {
        time = shown.time_after(time, "paused");
    }
    assert!((time - 0.5).abs() < 1e-9);
    let end = shot_when(&mut shown, "the box below", |shot| {
        middle(shot).is_some_and(|at| at[1] > from[1] + 60.0)
    });
    keep(&end, "replayed");
    // One frame back.
    shown.key(key(','));
    let before = shown.time_after(0.5, "paused");
    assert!((before - 20.0 / 60.0).abs() < 1e-3, "{before}");
    assert_eq!(shown.close().code(), Some(0));
}

#[test]
fn what_cannot_be_shown_is_said() {
    let home = home();
    let fails = |command: &mut Command, code: i32, says: &str| {
        let output = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.contains(says) && !said.contains("panicked"), "{said}");
    };
    let mut hidden = view(&home, &["yard.toml"]);
    for name in ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"] {
        hidden.env_remove(name);
    }
    fails(&mut hidden, 1, "drystone render");
    let mut nowhere = view(&home, &["yard.toml"]);
    nowhere
        .env("DISPLAY", ":64999")
        .env_remove("WAYLAND_DISPLAY");
    fails(&mut nowhere, 1, "drystone render");
    let display = Display::new();
    let mut blind = view(&home, &["yard.toml"]);
    fails(without_gpu(display.show(&mut blind)), 1, "adapter");
    fails(&mut view(&home, &["missing.toml"]), 2, "missing.toml");
    home.write("yard.toml", &SCENE.replace("dt = 0.0", "dt = -0.0"));
    fails(&mut view(&home, &["yard.toml"]), 2, "yard.toml:3");
}
