//! Scenes that start where another run ended.

use crate::checkpoints::{assert_same, shaken};
use crate::program::Home;

#[test]
fn a_scene_starts_where_another_run_ended() {
    let home = Home::new();
    home.write("settle.toml", &shaken(80));
    home.run(&[
        "run",
        "settle.toml",
        "--no-picture",
        "--checkpoint-every",
        "10",
        "--out",
        "settled",
        "-q",
    ])
    .expect_code(0);
    let from = |path: &str| {
        let table = format!("[start]\nfrom = \"{path}\"\n[[container]]");
        shaken(40).replace("[[container]]", &table)
    };
    std::fs::create_dir(home.path("scenes")).unwrap();
    home.write("scenes/on.toml", &from("../settled"));
    home.write(
        "scenes/same.toml",
        &from("../settled/checkpoints/000000080.drystone"),
    );
    for name in ["on", "same"] {
        let file = format!("scenes/{name}.toml");
        home.run(&[
            "run",
            &file,
            "--frames",
            "20",
            "--no-picture",
            "--out",
            name,
            "-q",
        ])
        .expect_code(0);
    }
    // The frame of the start is that of the end, and the rest follows from the scene in the folder.
    home.run(&[
        "run",
        "settle.toml",
        "--frames",
        "80",
        "--no-picture",
        "--out",
        "settled2",
        "-q",
    ])
    .expect_code(0);
    let body = |file: &str| {
        let text = home.read(file);
        let at = text.find("<Points>").unwrap();
        text[at..text.find("</Points>").unwrap()].to_owned()
    };
    let end = body("settled2/frames/shaken_000080.vtp");
    assert!(end == body("on/frames/shaken_000000.vtp"));
    assert!(end != body("settled2/frames/shaken_000000.vtp"));
    assert_same(&home, "on", "same");
    std::fs::remove_dir_all(home.path("settled")).unwrap();
    home.run(&[
        "run",
        "on/scene.toml",
        "--frames",
        "20",
        "--no-picture",
        "--out",
        "again",
        "-q",
    ])
    .expect_code(0);
    assert_same(&home, "on", "again");
    // It is not there, is no checkpoint, or one of other bodies.
    let refused = |text: &str, parts: &[&str]| {
        home.write("scenes/bad.toml", text);
        let ended = home.run(&["check", "scenes/bad.toml"]).expect_code(2);
        for part in parts {
            assert!(ended.stderr.contains(part), "{part}: {}", ended.stderr);
        }
    };
    refused(
        &from("../settled"),
        &["bad.toml:10:8:", "settled", "No such file"],
    );
    refused(
        &from("on.toml"),
        &["bad.toml:10:8:", "does not begin as checkpoints do"],
    );
    let args = [
        "run",
        "settle.toml",
        "--steps",
        "2",
        "--no-picture",
        "--checkpoint-every",
        "1",
        "-q",
    ];
    home.run(&[&args[..], &["--out", "settled"]].concat())
        .expect_code(0);
    let other = from("../settled").replace("count = 40", "count = 39");
    refused(&other, &["bad.toml:10:8:", "48 bodies; the scene has 47"]);
    let other = from("../settled").replace("[0.1, 0.09, 0.07]", "[0.1, 0.09, 0.06]");
    refused(&other, &["bad.toml:10:8:", "bounding radius"]);
    let both = from("../settled").replace("[[container]]", "broken = [0]\n[[container]]");
    refused(&both, &["bad.toml:10:1:", "both `from` and states"]);
}
