//! Expectations of scenes: when they count as held, and that those of the repository's scenes hold.

use drystone::measure::{Probe, Seen};
use drystone::scene::{Finding, Judge, Overrides, Scene, Verdict};
use drystone::solver::cpu::CpuSolver;
use drystone::step::{Forces, Simulation, StepReport};
use drystone::world::World;
use std::path::Path;

fn scene(expect: &str) -> Scene {
    let text = format!(
        "name = \"x\"\n[simulation]\ndt = 0.1\nduration = 1.0\n[[expect]]\nmeasure = \"contacts\"\n{expect}\n"
    );
    Scene::parse(Path::new("x.toml"), &text, &Overrides::default())
        .unwrap_or_else(|e| panic!("{e}"))
}

/// Verdict on an expectation about contacts, one number a step of 0.1 s. What is kept after each step is all that the next one needs.
fn judged(expect: &str, contacts: &[usize]) -> Finding {
    let scene = scene(expect);
    let mut judge = Judge::new(scene.expectations[0].clone());
    for (index, &contacts) in contacts.iter().enumerate() {
        judge = Judge::resumed(scene.expectations[0].clone(), &judge.judged());
        let report = StepReport {
            step: index as u64 + 1,
            time: 0.1 * (index + 1) as f64,
            contacts,
            ..StepReport::default()
        };
        let (world, probes): (&World, &[Probe]) = (&scene.world, &scene.probes);
        judge.step(&report, 0.1, &Seen::without_forces(world), probes);
    }
    judge.finding().clone()
}

#[test]
fn an_expectation_is_decided_when_its_time_is_over_and_not_before() {
    use Verdict::{Failed, Held, Open};
    let up = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
    for (expect, contacts, verdict) in [
        ("is = \">=\"\nvalue = 9", &up[..], Held),
        ("is = \">\"\nvalue = 9", &up[..], Failed),
        ("is = \">=\"\nvalue = 9", &up[..9], Open),
        ("is = \"<\"\nvalue = 9", &up[..], Failed),
        ("is = \"near\"\nvalue = 10\ntolerance = 1", &up[..], Held),
        ("is = \"near\"\nvalue = 11\ntolerance = 1", &up[..], Failed),
        // At 0.3 s there are 2.
        ("is = \"<=\"\nvalue = 2\nuntil = 0.3", &up[..3], Held),
        ("is = \"<\"\nvalue = 2\nuntil = 0.3", &up[..3], Failed),
        ("is = \">\"\nvalue = 4\nwhen = \"once\"", &up[..6], Held),
        ("is = \">\"\nvalue = 4\nwhen = \"once\"", &up[..5], Open),
        (
            "is = \">\"\nvalue = 4\nwhen = \"once\"\nuntil = 0.5",
            &up[..],
            Failed,
        ),
        (
            "is = \"<\"\nvalue = 4\nwhen = \"once\"\nfrom = 0.5",
            &up[..],
            Failed,
        ),
        (
            "is = \"<\"\nvalue = 4\nwhen = \"always\"\nuntil = 0.4",
            &up[..],
            Held,
        ),
        ("is = \"<\"\nvalue = 4\nwhen = \"always\"", &up[..3], Open),
        ("is = \"<\"\nvalue = 4\nwhen = \"always\"", &up[..5], Failed),
        (
            "is = \">\"\nvalue = 4\nwhen = \"always\"\nfrom = 0.6",
            &up[..],
            Held,
        ),
        (
            "is = \"near\"\nvalue = 1\nof = \"contacts\"\ntolerance = 0",
            &up[..],
            Held,
        ),
        (
            "is = \">=\"\nvalue = 0.5\nof = \"contacts\"\nwhen = \"always\"",
            &up[..],
            Held,
        ),
        (
            "is = \"near\"\nvalue = 4.5\ntolerance = 1e-12\nwhen = \"mean\"",
            &up[..],
            Held,
        ),
        ("is = \">\"\nvalue = 4.6\nwhen = \"mean\"", &up[..], Failed),
        ("is = \"<\"\nvalue = 1\nwhen = \"mean\"", &up[..9], Open),
        // Of 2 to 5.
        (
            "is = \"near\"\nvalue = 3.5\ntolerance = 1e-12\nwhen = \"mean\"\nfrom = 0.3\nuntil = 0.6",
            &up[..],
            Held,
        ),
        (
            "is = \"near\"\nvalue = 1\nof = \"contacts\"\ntolerance = 0\nwhen = \"mean\"",
            &up[..],
            Held,
        ),
    ] {
        assert_eq!(judged(expect, contacts).verdict, verdict, "{expect}");
    }
}

#[test]
fn a_finding_has_the_values_that_decided_it() {
    let found = judged(
        "is = \">\"\nvalue = 4\nwhen = \"once\"\nclaim = \"it fills\"",
        &[1, 3, 5, 9],
    );
    assert_eq!(found.claim, "it fills");
    assert_eq!(found.formula, "contacts > 4");
    assert_eq!((found.measured, found.bound), (Some(5.0), Some(4.0)));
    assert!((found.time.unwrap() - 0.3).abs() < 1e-12);
    assert_eq!((found.from, found.until), (0.0, 1.0));
    // The narrowest escape.
    let found = judged("is = \"<\"\nvalue = 9\nwhen = \"always\"", &[1, 7, 5]);
    assert_eq!((found.verdict, found.measured), (Verdict::Open, Some(7.0)));
    // The nearest miss.
    let found = judged(
        "is = \">\"\nvalue = 9\nwhen = \"once\"",
        &[1, 7, 5, 0, 0, 0, 0, 0, 0, 0],
    );
    assert_eq!(
        (found.verdict, found.measured),
        (Verdict::Failed, Some(7.0))
    );
}

/// The end that is meant is the file's, also where a command line cuts a run short.
#[test]
fn a_run_that_is_cut_short_leaves_its_end_open() {
    let text = "name = \"x\"\n[simulation]\ndt = 0.1\nsteps = 10\n[[expect]]\nmeasure = \"contacts\"\nis = \"<\"\nvalue = 1\n";
    let cut = Overrides {
        steps: Some(3),
        ..Overrides::default()
    };
    let scene = Scene::parse(Path::new("x.toml"), text, &cut).unwrap();
    assert_eq!(scene.expectations[0].until, 1.0);
    let again = Scene::parse(
        Path::new("x.toml"),
        &scene.resolved_toml(),
        &Overrides::default(),
    )
    .unwrap();
    assert_eq!((again.steps, again.expectations[0].until), (3, 1.0));
}

#[test]
fn the_tumbling_box_touches_when_it_should() {
    let collisions = |dt: f64| {
        let overrides = Overrides {
            time_step: Some(dt),
            steps: Some(1),
            ..Overrides::default()
        };
        let scene = Scene::load(Path::new("scenes/papers/tumbling_box.toml"), &overrides).unwrap();
        let solver = Box::new(CpuSolver::new());
        let mut run = Simulation::new(scene.world, scene.settings, solver).unwrap();
        run.step().unwrap().collisions
    };
    let at = 0.402_380_399_4;
    assert_eq!((collisions(at - 1e-8), collisions(at + 1e-8)), (0, 1));
}

/// Runs of up to this many steps times bodies are short enough for a test.
const SHORT: u64 = 60_000;

#[test]
fn expectations_of_the_short_scenes_hold() {
    let mut judged = 0;
    for folder in ["basics", "joints", "papers"] {
        for entry in std::fs::read_dir(Path::new("scenes").join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let scene = Scene::load(&path, &Overrides::default()).unwrap_or_else(|e| panic!("{e}"));
            if scene.steps * scene.world.bodies.len() as u64 > SHORT {
                continue;
            }
            let mut judges: Vec<Judge> = scene.expectations.into_iter().map(Judge::new).collect();
            let step = scene.settings.time_step;
            let solver = Box::new(CpuSolver::new());
            let mut simulation = Simulation::new(scene.world, scene.settings, solver).unwrap();
            let mut forces = Forces::default();
            for _ in 0..scene.steps {
                let report = simulation.step().unwrap();
                let seen = simulation.seen(&scene.probes, &mut forces);
                for judge in &mut judges {
                    judge.step(&report, step, &seen, &scene.probes);
                }
            }
            for judge in judges {
                let found = judge.finding();
                assert_eq!(
                    found.verdict,
                    Verdict::Held,
                    "{}: {found:?}",
                    path.display()
                );
                judged += 1;
            }
        }
    }
    assert!(judged >= 40, "{judged} expectations");
}
