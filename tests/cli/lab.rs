//! Laws measured by the program: rows, figures, the page, and how the command refuses.

use crate::program::{Home, entries};
use crate::reproduce::expect_whole_page;
use serde_json::Value;

#[test]
fn a_quick_experiment_holds_and_leaves_a_page() {
    let home = Home::new();
    let args = ["lab", "haff", "--quick", "--size", "0.5", "--output", "out"];
    let ended = home.run(&args).expect_code(0);
    let results = expect_whole_page(&home, "out");
    assert_eq!(results["pass"], true);
    let rows = results["experiments"][0]["rows"].as_array().unwrap();
    let power = rows[0]["measured"].as_f64().unwrap();
    assert!((power + 2.0).abs() < 0.2, "{power}");
    for part in ["haff: ", "-2", "pass", "2 of 2 rows pass", "index.html"] {
        assert!(ended.stdout.contains(part), "{part} in {}", ended.stdout);
    }
    assert!(ended.stderr.contains("haff (1 of 1)"), "{}", ended.stderr);
}

#[test]
fn the_list_names_every_experiment_with_its_scene() {
    let home = Home::new();
    let json = home.run(&["lab", "--list", "--json"]).expect_code(0);
    let list: Value = serde_json::from_str(&json.stdout).unwrap();
    let names = list.as_array().unwrap().iter();
    let mut names: Vec<String> = names
        .map(|e| format!("{}.toml", e["name"].as_str().unwrap()))
        .collect();
    names.sort();
    let scenes = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/lab");
    assert_eq!(names, entries(&scenes));
    assert!(entries(&home.path(".")).is_empty());
}

#[test]
fn scenes_of_a_folder_are_taken_and_what_they_lack_is_named() {
    let home = Home::new();
    let text = include_str!("../../scenes/lab/haff.toml");
    std::fs::create_dir(home.path("mine")).unwrap();
    let lab = ["lab", "haff", "--scenes", "mine", "--output", "out"];
    let ended = home.run(&lab).expect_code(2);
    assert!(ended.stderr.contains("haff.toml"), "{}", ended.stderr);
    // The probe has another name, so that its column is not there; one step is enough to find out.
    let changed = text
        .replace(
            "name = \"gas\"\ntype = \"mean\"",
            "name = \"air\"\ntype = \"mean\"",
        )
        .replace("gas_temperature", "air_temperature")
        .replace("duration = 4.0", "steps = 1")
        .replace("count = 4000", "count = 40");
    std::fs::write(home.path("mine/haff.toml"), changed).unwrap();
    assert!(entries(&home.path(".")) == ["mine"]);
    let ended = home.run(&lab).expect_code(1);
    assert!(
        ended
            .stdout
            .contains("no probe has the column `gas_temperature`"),
        "{}",
        ended.stdout
    );
    for args in [
        &["lab", "hoff"][..],
        &["lab", "--size", "0"],
        &["lab", "--threads", "0"],
        &["lab", "--dt", "-1"],
    ] {
        home.run(args).expect_code(2);
    }
}
