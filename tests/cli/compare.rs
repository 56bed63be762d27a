//! `drystone compare` where there is no GPU.

use crate::program::{Home, drop_scene, entries};
use drystone::solver::Method;

#[test]
fn a_missing_gpu_is_said() {
    let home = Home::with_drop_scene();
    let ended = home.run(&["compare", "drop.toml"]).expect_code(0);
    assert!(
        ended.stdout.contains("only the CPU was measured"),
        "{}",
        ended.stdout
    );
    assert!(ended.stdout.contains("no GPU adapter"), "{}", ended.stdout);
    let rows: Vec<&str> = ended
        .stdout
        .lines()
        .filter(|line| line.starts_with("velocity ") || line.starts_with("position "))
        .collect();
    assert_eq!(
        rows.len(),
        2 * Method::ALL.len(),
        "two passes, every method: {}",
        ended.stdout
    );
    assert!(rows.iter().all(|row| row.contains(" cpu ")));
    assert_eq!(
        entries(&home.path(".")),
        ["drop.toml"],
        "nothing is written"
    );
}

#[test]
fn a_pass_that_does_not_exist_is_not_invented() {
    let home = Home::new();
    let scene = drop_scene(5).replace("method = \"post\"\niterations = 10", "method = \"none\"");
    home.write("drift.toml", &scene);
    let ended = home
        .run(&["compare", "drift.toml", "--solver", "jacobi"])
        .expect_code(0);
    assert!(
        ended.stdout.contains("has no position pass"),
        "{}",
        ended.stdout
    );
    let velocity = ended.stdout.lines().filter(|l| l.starts_with("velocity "));
    assert_eq!(velocity.count(), 1, "{}", ended.stdout);
}
