//! Broken scene files: exit code 2, a message that starts with file, line and column, no run folder.

use crate::program::{Home, drop_scene, entries};

/// Replacements in the scene of [`drop_scene`], and the line that the message must name, in the
/// broken file.
const BREAKS: [(&str, &str, usize); 41] = [
    // TOML itself.
    ("name = \"drop\"", "name = \"drop", 1),
    ("name = \"drop\"", "name \"drop\"", 1),
    ("name = \"drop\"", "name = ", 1),
    ("[simulation]", "[simulation", 4),
    ("seed = 7", "seed = 7\nseed = 8", 8),
    ("steps = 40", "steps = 4_0_", 6),
    ("normal = [0, 0, 1]", "normal = [0, 0, 1", 20),
    ("[[probe]]", "[[probe]", 36),
    // Keys and types.
    ("name = \"drop\"", "name = 3", 1),
    ("name = \"drop\"", "titel = \"drop\"", 1),
    ("dt =", "time_stepp =", 5),
    ("dt = 0.016666666666666666", "dt = \"fast\"", 5),
    ("steps = 40", "steps = 4.5", 6),
    ("steps = 40", "steps = -40", 6),
    ("seed = 7", "seed = -7", 7),
    ("iterations = 20", "iterations = true", 11),
    ("[solver]", "[sollver]", 9),
    ("kind = \"fixed\"", "kind = \"glued\"", 19),
    ("type = \"half_space\"", "type = \"half_plane\"", 20),
    ("type = \"half_space\", ", "", 20),
    ("normal = [0, 0, 1]", "normal = [0, 1]", 20),
    ("normal = [0, 0, 1]", "normal = [0, 0, \"up\"]", 20),
    ("normal = [0, 0, 1]", "radius = 1", 20),
    ("radius = 0.1", "radius = 0.1, half_length = 1", 32),
    ("method = \"pgs\"", "method = \"newton\"", 10),
    ("density = 1000", "densty = 1000", 29),
    // Values.
    ("dt = 0.016666666666666666", "dt = 0", 5),
    ("dt = 0.016666666666666666", "dt = inf", 5),
    ("steps = 40", "steps = 0", 6),
    ("steps = 40", "steps = 40\nduration = 1.0", 7),
    ("iterations = 20", "iterations = 0", 11),
    ("iterations = 20", "tolerance = -1.0", 11),
    ("radius = 0.1", "radius = -0.1", 32),
    ("radius = 0.1", "radius = nan", 32),
    ("[0.05, 0.06, 0.07]", "[0.05, 0.0, 0.07]", 33),
    ("normal = [0, 0, 1]", "normal = [0, 0, 0]", 20),
    ("density = 1000", "density = 0", 29),
    ("jitter = 0.01", "jitter = -0.01", 27),
    ("count = 60", "count = 100000", 28),
    ("type = \"bed_height\"", "type = \"bed_hight\"", 37),
    ("name = \"bed\"", "name = \"bed\"\nquantile = 2", 39),
];

#[test]
fn every_mistake_is_placed_and_leaves_nothing() {
    let home = Home::new();
    let good = drop_scene(40);
    let mut wrong = Vec::new();
    for (index, (from, to, line)) in BREAKS.into_iter().enumerate() {
        assert!(good.contains(from), "{from}");
        let name = format!("bad{index}.toml");
        home.write(&name, &good.replacen(from, to, 1));
        let ended = home.run(&["run", &name]);
        let start = format!("{name}:{line}:");
        let column = ended.stderr.find(&start).and_then(|at| {
            ended.stderr[at + start.len()..]
                .split(':')
                .next()?
                .parse::<usize>()
                .ok()
        });
        if ended.code != 2 || column.is_none() || !ended.stdout.is_empty() {
            wrong.push(format!(
                "{from} -> {to} (line {line}): code {}\n{}",
                ended.code, ended.stderr
            ));
        }
        std::fs::remove_file(home.path(&name)).unwrap();
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(entries(&home.path(".")), [""; 0], "no run folder was made");
}

#[test]
fn a_message_shows_the_line_and_what_was_expected() {
    let home = Home::new();
    home.write(
        "bad.toml",
        &drop_scene(40).replace("iterations = 20", "iteratoins = 20"),
    );
    for command in ["run", "check", "compare"] {
        let ended = home.run(&[command, "bad.toml"]).expect_code(2);
        for part in ["bad.toml:11:1:", "iteratoins = 20", "iterations"] {
            assert!(ended.stderr.contains(part), "{part} in {}", ended.stderr);
        }
        assert!(
            !ended.stderr.contains('\u{1b}'),
            "no colour outside a terminal"
        );
    }
}

#[test]
fn files_that_are_no_text_are_refused() {
    let home = Home::new();
    std::fs::write(home.path("binary.toml"), [0xff, 0xfe, 0x00, 0x80]).unwrap();
    home.write("empty.toml", "");
    for name in ["binary.toml", "empty.toml"] {
        let ended = home.run(&["run", name]).expect_code(2);
        assert!(ended.stderr.contains(name), "{}", ended.stderr);
    }
    assert_eq!(entries(&home.path(".")), ["binary.toml", "empty.toml"]);
}
