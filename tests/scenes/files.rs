//! Scene files: every mistake is found where it is, and every scene of the repository reads.

use drystone::error::{Error, SceneError};
use drystone::scene::{Overrides, Scene};
use drystone::solver::{Method, Options};
use drystone::step::Settings;
use std::fs;
use std::path::{Path, PathBuf};

/// Files of a folder and its subfolders, sorted.
fn toml_files(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files = Vec::new();
    let mut folders = vec![root];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ext| ext == "toml") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// A scene's text and the scene, the largest ones with fewer bodies.
fn load(path: &Path) -> (String, Scene) {
    let text = fs::read_to_string(path).unwrap();
    let fewer = text.replace("count = 1000000\n", "count = 10000\n");
    let text = fewer.replace("count = 256000\n", "count = 10000\n");
    let scene = Scene::parse(path, &text, &Overrides::default());
    (text, scene.unwrap_or_else(|e| panic!("{e}")))
}

fn parse(text: &str, overrides: &Overrides) -> Scene {
    Scene::parse(Path::new("test.toml"), text, overrides).unwrap_or_else(|e| panic!("{e}"))
}

fn mistake(path: &Path, text: &str) -> SceneError {
    match Scene::parse(path, text, &Overrides::default()) {
        Err(Error::Scene(error)) => *error,
        Err(other) => panic!("{}: not a scene error: {other}", path.display()),
        Ok(_) => panic!("{}: no error", path.display()),
    }
}

/// Line and column that a broken file marks by a caret in a comment below; its beginning without one.
fn marked(text: &str) -> (usize, usize) {
    let lines: Vec<&str> = text.lines().collect();
    let mark = |line: &&str| line.starts_with('#') && line[1..].trim() == "^";
    let Some(at) = lines.iter().position(mark) else {
        return (1, 1);
    };
    (at, lines[at].find('^').unwrap() + 1)
}

#[test]
fn every_mistake_is_found_where_it_is() {
    let files = toml_files("tests/scenes/broken");
    assert!(files.len() >= 150, "{} broken files", files.len());
    let (mut messages, mut misplaced) = (String::new(), Vec::new());
    for file in &files {
        let text = fs::read_to_string(file).unwrap();
        let name = Path::new(file.file_name().unwrap());
        let error = mistake(name, &text);
        if error.line_column() != marked(&text) {
            misplaced.push(format!("expected at {:?}: {error}", marked(&text)));
        }
        assert!(!error.message.is_empty() && !error.help.is_empty());
        messages += &format!("{error}\n\n");
    }
    assert!(misplaced.is_empty(), "{}", misplaced.join("\n"));
    insta::assert_snapshot!("broken", messages);
}

#[test]
fn a_mistake_is_shown_with_its_line_and_a_caret() {
    let text =
        "name = \"x\"\n[simulation]\ndt = 0.1\nsteps = 1\n[solver]\nmethod = \"jakobi\" # é\n";
    let shown = mistake(Path::new("a/b.toml"), text).to_string();
    let expected = "a/b.toml:6:10: unknown value `jakobi`\n  \
                    |\n\
                    6 | method = \"jakobi\" # é\n  \
                    |          ^^^^^^^^\n  \
                    = did you mean `jacobi`? expected one of `pgs`, `jacobi`, `nesterov`, `cluster`";
    assert_eq!(shown, expected);
}

#[test]
fn files_that_cannot_be_read_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.toml");
    let error = Scene::load(&missing, &Overrides::default()).unwrap_err();
    assert!(matches!(error, Error::Io { .. }), "{error}");
    assert!(error.to_string().contains("missing.toml"), "{error}");

    let latin = folder.path().join("latin1.toml");
    fs::write(&latin, b"name = \"a\"\n# caf\xe9\n").unwrap();
    let Err(Error::Scene(error)) = Scene::load(&latin, &Overrides::default()) else {
        panic!("a file in Latin-1 was read");
    };
    assert_eq!(error.line_column(), (2, 6));
    assert!(error.to_string().contains("UTF-8"), "{error}");
}

#[test]
fn every_scene_reads_and_round_trips() {
    let files = toml_files("scenes");
    assert!(files.len() >= 29, "{} scenes", files.len());
    for file in &files {
        let (text, scene) = load(file);
        assert!(
            text.starts_with("# "),
            "{}: no opening comment",
            file.display()
        );
        assert!(!scene.description.is_empty());
        assert!(
            !scene.expectations.is_empty(),
            "{}: it expects nothing",
            file.display()
        );
        assert_eq!(
            Some(scene.name.as_str()),
            file.file_stem().and_then(|stem| stem.to_str())
        );

        let written = scene.resolved_toml();
        let again = Scene::parse(file, &written, &Overrides::default())
            .unwrap_or_else(|e| panic!("{written}\n{e}"));
        let same_but_for_the_file = Scene {
            file: scene.file.clone(),
            ..again.clone()
        };
        assert!(
            scene == same_but_for_the_file,
            "{}: {written}",
            file.display()
        );
        // The resolved file is a fixed point: nothing in it is left to defaults or rounding.
        assert_eq!(again.resolved_toml(), written);
    }
}

/// Bodies that are written one by one load in time that grows as their number: half a minute of names looked up in all of
/// the text before them is seconds.
#[test]
fn many_bodies_load_in_time_that_grows_as_their_number() {
    let mut text = String::from("name = \"many\"\n[simulation]\ndt = 0.01\nsteps = 1\n");
    for index in 0..30_000 {
        let (x, y) = (index % 200, index / 200);
        text += &format!(
            "[[body]]\nname = \"b{index}\"\nshape = {{ type = \"sphere\", radius = 0.1 }}\nposition = [{x}, {y}, 1]\nmass = 1\n"
        );
    }
    let start = std::time::Instant::now();
    assert_eq!(
        parse(&text, &Overrides::default()).world.bodies.len(),
        30_000
    );
    let time = start.elapsed().as_secs_f64();
    assert!(time < 8.0, "{time} s");
}

const TINY: &str = r#"
name = "tiny"
[simulation]
dt = 0.01
duration = 1.0
[solver]
friction = { pyramid = 6 }
[output]
frames_per_second = 25
[[fill]]
region = { type = "box", min = [0, 0, 0], max = [2, 2, 2] }
arrangement = "random"
count = 3
shapes = [{ shape = { type = "sphere", radius = 0.1 } }]
density = 1000
"#;

#[test]
fn overrides_replace_what_the_file_says() {
    let plain = parse(TINY, &Overrides::default());
    assert_eq!((plain.steps, plain.output.frames_every), (100, Some(4)));

    let overrides = Overrides {
        seed: Some(9),
        time_step: Some(0.002),
        iterations: Some(77),
        tolerance: Some(1e-4),
        method: Some(Method::Jacobi),
        ..Overrides::default()
    };
    let text = TINY.replace("[output]", "[stabilization]\nmethod = \"post\"\n[output]");
    let scene = parse(&text, &overrides);
    // The duration holds, and so does the frame rate.
    assert_eq!((scene.steps, scene.output.frames_every), (500, Some(20)));
    assert_eq!(scene.settings.solver.iterations, 77);
    assert_eq!(scene.settings.solver.tolerance, 1e-4);
    assert_eq!(scene.settings.solver.method, Method::Jacobi);
    let Some(post) = scene.settings.stabilization.post() else {
        panic!("the file asks for post-stabilization");
    };
    assert_eq!(post.solver.method, Method::Jacobi);
    assert_eq!(post.solver.iterations, 30);
    assert_ne!(scene.world, plain.world, "the seed has no effect");

    let mut again = parse(&scene.resolved_toml(), &Overrides::default());
    again.file = scene.file.clone();
    assert_eq!(again, scene);

    // A number of steps holds too.
    let counted = TINY.replace("duration = 1.0", "steps = 100");
    assert_eq!(parse(&counted, &overrides).steps, 100);
    let both = Overrides {
        steps: Some(7),
        ..overrides
    };
    assert_eq!(parse(TINY, &both).steps, 7);
}

/// Substeps and sweeps of a file's settings.
fn division(text: &str, overrides: &Overrides) -> (Option<u32>, u32) {
    let settings = parse(text, overrides).settings;
    (settings.substeps, settings.solver.iterations)
}

#[test]
fn a_file_that_says_nothing_of_solvers_gets_the_default_step() {
    let silent = TINY.replace("[solver]\nfriction = { pyramid = 6 }\n", "");
    let none = Overrides::default();
    let scene = parse(&silent, &none);
    let default = Settings {
        time_step: 0.01,
        ..Settings::default()
    };
    assert_eq!(scene.settings, default);
    assert_eq!(
        parse(&scene.resolved_toml(), &none).settings,
        scene.settings
    );
    // One number given changes that number, and sweeps where they follow from it.
    let with = |text: &str| silent.replace("[output]", &format!("{text}\n[output]"));
    let sweeps = default.solver.iterations;
    assert_eq!(division(&with("[solver]"), &none), (None, sweeps));
    assert_eq!(division(&with("[stabilization]"), &none), (None, sweeps));
    assert_eq!(
        division(&with("[solver]\niterations = 7"), &none),
        (None, 7)
    );
    let substeps = |count: u32| silent.replace("dt =", &format!("substeps = {count}\ndt ="));
    assert_eq!(division(&substeps(0), &none), (Some(0), 20));
    assert_eq!(division(&substeps(3), &none), (Some(3), 7));
    assert_eq!(division(&substeps(40), &none), (Some(40), 1));
    let post = with("[stabilization]\nmethod = \"post\"");
    assert_eq!(
        division(&post, &none),
        (None, Options::default().iterations)
    );
    let divided = Overrides {
        substeps: Some(4),
        ..none
    };
    assert_eq!(division(&silent, &divided), (Some(4), 5));
}

#[test]
fn overrides_without_meaning_are_refused() {
    let bad = [
        Overrides {
            time_step: Some(f64::NAN),
            ..Overrides::default()
        },
        Overrides {
            steps: Some(0),
            ..Overrides::default()
        },
        Overrides {
            iterations: Some(0),
            ..Overrides::default()
        },
        Overrides {
            tolerance: Some(-1.0),
            ..Overrides::default()
        },
        Overrides {
            seed: Some(u64::MAX),
            ..Overrides::default()
        },
    ];
    for overrides in bad {
        let result = Scene::parse(Path::new("tiny.toml"), TINY, &overrides);
        assert!(
            matches!(result, Err(Error::Invalid { .. })),
            "{overrides:?}"
        );
    }
}

#[cfg(feature = "cli")]
mod schema {
    use super::{fs, toml_files};
    use drystone::internals::scene::json_schema;

    fn as_json(text: &str) -> serde_json::Value {
        serde_json::to_value(toml::from_str::<toml::Table>(text).unwrap()).unwrap()
    }

    #[test]
    fn every_scene_fits_the_schema() {
        let validator = jsonschema::validator_for(&json_schema()).unwrap();
        for file in toml_files("scenes") {
            let (text, scene) = super::load(&file);
            for text in [&text, &scene.resolved_toml()] {
                if let Err(error) = validator.validate(&as_json(text)) {
                    panic!("{}: {error} at {}", file.display(), error.instance_path());
                }
            }
        }
    }

    #[test]
    fn broken_scenes_that_a_schema_can_tell_do_not_fit_it() {
        let validator = jsonschema::validator_for(&json_schema()).unwrap();
        let told = [
            "unknown_top_level_key",
            "misspelt_shape_key",
            "key_of_another_shape",
            "string_for_radius",
            "array_too_short",
            "zero_step",
            "negative_steps",
            "missing_name",
            "missing_shape",
            "missing_type",
            "misspelt_shape",
            "zero_radius",
            "negative_density",
            "empty_compound",
            "negative_friction",
            "restitution_above_one",
            "unknown_method",
            "no_iterations",
            "no_shapes",
            "probe_quantile",
            "joint_of_unknown_type",
            "motor_without_force",
            "motor_of_no_force",
            "motor_of_unknown_type",
            "negative_breaking_force",
            "unknown_scheme",
            "baumgarte_by_name",
            "negative_kappa",
            "gamma_of_2",
            "misspelt_scheme_key",
            "inertia_of_two_numbers",
            "chain_without_links",
        ];
        let files = toml_files("tests/scenes/broken");
        for name in told {
            let file = files
                .iter()
                .find(|file| file.to_string_lossy().ends_with(&format!("_{name}.toml")))
                .unwrap_or_else(|| panic!("no broken file {name}"));
            let value = as_json(&fs::read_to_string(file).unwrap());
            assert!(!validator.is_valid(&value), "{name} fits the schema");
        }
    }
}

#[test]
fn scene_of_the_readme_runs() {
    let readme =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let text: Vec<&str> = readme
        .split("```toml\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect();
    assert_eq!(
        text.len(),
        3,
        "the README walks through a scene in three parts"
    );
    // The others go into the file of the first.
    let joints = [0, 1 + 31 + 8, 1 + 31 + 8];
    for (parts, joints) in (1..).zip(joints) {
        readme_scene(&text[..parts].concat(), joints);
    }
}

fn readme_scene(text: &str, joints: usize) {
    let scene = Scene::parse(Path::new("README.md"), text, &Overrides::default())
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(scene.steps, 800);
    assert_eq!(scene.world.joints.len(), joints);
    let solver = Box::new(drystone::solver::cpu::CpuSolver::new());
    let mut simulation =
        drystone::step::Simulation::new(scene.world, scene.settings, solver).unwrap();
    for _ in 0..20 {
        simulation.step().unwrap();
    }
    assert!(!simulation.contacts().is_empty());
}
