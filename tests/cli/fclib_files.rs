//! Problems of bodies written as FCLib's HDF5: read again they are the same problems.

use crate::problems::{impulses, solved};
use crate::program::{Home, drop_scene};
use drystone::problem::{
    AsProblem, Body, Contact, FrictionCone, FrictionLaw, JointRow, Problem, ProblemRef, Velocity,
};
use drystone::problem_file::{BodyProblem, ContactProblem, FclibForm, ProblemFile};
use drystone::solver::cpu::CpuSolver;
use drystone::solver::nsgs::{Impulses, NsgsOptions, solve_from};
use drystone::solver::substeps::{PositionPlan, SubstepPlan};
use drystone::solver::{Options, Plan, Solution, Solver};
use std::path::Path;

const FORMS: [FclibForm; 2] = [FclibForm::Local, FclibForm::Global];

fn contacts_of(file: &BodyProblem, form: FclibForm) -> ContactProblem {
    let bytes = file.to_fclib(form).unwrap();
    match ProblemFile::parse(Path::new("some.hdf5"), bytes).unwrap() {
        ProblemFile::Contacts(problem) => *problem,
        ProblemFile::Bodies(_) => panic!("contacts are expected"),
    }
}

fn solution_of(problem: &ContactProblem) -> Vec<[f64; 3]> {
    let mut impulses = vec![[0.0; 3]; problem.friction.len()];
    let delassus = problem.as_delassus();
    let report = delassus
        .solve(&mut impulses, &NsgsOptions::default())
        .unwrap();
    assert!(report.residual_max < 1e-12, "{report:?}");
    impulses
}

fn solution_of_bodies(problem: &ProblemRef<'_>) -> Vec<[f64; 3]> {
    let start = Impulses::zeros(problem);
    let outcome = solve_from(problem, &start, &NsgsOptions::default()).unwrap();
    assert!(outcome.residual_max < 1e-12, "{outcome:?}");
    outcome.impulses.contacts
}

fn largest_difference(a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
    assert_eq!(a.len(), b.len());
    let pairs = a.as_flattened().iter().zip(b.as_flattened());
    pairs.fold(0.0, |most, (a, b)| most.max((a - b).abs()))
}

/// Two bodies, one on the other, on a third that moves and turns and is not moved by impulses.
fn pile() -> BodyProblem {
    let up = [0.0, 0.0, 1.0];
    let tilted = [0.6, 0.0, 0.8];
    let contact = |bodies, arms, normal, friction, bias| Contact {
        bias,
        ..Contact::from_b_to_a(bodies, arms, normal, friction)
    };
    let problem = Problem {
        bodies: vec![
            Body::dynamic(
                0.5,
                [5.0, 0.1, 0.2, 6.0, 0.3, 7.0],
                [1.0, 0.25, -3.0],
                [0.1, -0.5, 0.75],
            ),
            Body::immovable([0.5, 0.0, 0.25], [0.0, 0.5, 1.0]),
            // It turns about two axes only.
            Body::dynamic(
                0.25,
                [3.0, 0.5, 0.0, 4.0, 0.0, 0.0],
                [0.0, 0.0, -4.0],
                [1.0, 0.0, 2.0],
            ),
        ],
        contacts: vec![
            contact([0, 1], [[0.3, 0.1, -0.5], [0.4, 0.0, 0.5]], up, 0.3, 0.125),
            contact([0, 1], [[-0.4, 0.2, -0.5], [-0.3, 0.0, 0.5]], up, 0.3, 0.0),
            contact(
                [2, 0],
                [[0.1, 0.2, -0.3], [0.2, 0.1, 0.5]],
                tilted,
                0.8,
                -0.25,
            ),
            contact([1, 2], [[0.5; 3], [0.0, 0.25, 0.5]], tilted, 0.0, 0.0),
        ],
        contact_softness: 0.1,
        ..Problem::default()
    };
    BodyProblem {
        title: "größer".into(),
        problem,
        ..BodyProblem::default()
    }
}

fn with_joint_rows(mut file: BodyProblem, softness: f32) -> BodyProblem {
    let row = |linear, angular_a, bodies: [u32; 2]| JointRow {
        body_a: bodies[0],
        body_b: bodies[1],
        linear,
        angular_a,
        angular_b: [0.25, 0.0, 0.125],
        bias: 0.0625,
        softness,
        lower: -JointRow::UNBOUNDED,
        upper: JointRow::UNBOUNDED,
        impulse: 0.0,
    };
    file.problem.joint_rows = vec![
        row([1.0, 0.0, 0.0], [0.0, 0.5, 0.0], [0, 2]),
        row([0.0, 1.0, 0.0], [0.5, 0.0, 0.0], [1, 0]),
    ];
    file
}

#[test]
fn problems_keep_their_solutions() {
    let rigid = || {
        let mut file = pile();
        file.problem.contact_softness = 0.0;
        file.problem.contacts.remove(1);
        file
    };
    let springs = || {
        let mut file = pile();
        file.problem.compliances = vec![0.5, 0.0, 2.0, 1.0];
        file
    };
    for (name, file) in [
        ("soft", pile()),
        ("springs", springs()),
        ("rigid", rigid()),
        ("soft joints", with_joint_rows(pile(), 0.125)),
        ("rigid joints", with_joint_rows(rigid(), 0.0)),
    ] {
        let expected = solution_of_bodies(&file.problem.as_problem());
        assert!(expected[0][0] > 0.1, "{name}: {expected:?}");
        for form in FORMS {
            let read = contacts_of(&file, form);
            assert_eq!((read.title.as_str(), read.dimension), ("größer", 3));
            let found = solution_of(&read);
            let difference = largest_difference(&expected, &found);
            assert!(difference < 1e-9, "{name} {form:?}: {expected:?} {found:?}");
        }
    }
}

/// A belt's surface is a body of its own there.
#[test]
fn moving_surfaces_are_in_it() {
    let mut file = pile();
    file.surface_velocities = vec![[0.5, 0.0, 0.0], [0.0; 3], [0.0; 3], [0.0; 3]];
    let still = solution_of(&contacts_of(&pile(), FclibForm::Local));
    let found = FORMS.map(|form| solution_of(&contacts_of(&file, form)));
    assert!(largest_difference(&found[0], &found[1]) < 1e-9);
    assert!(largest_difference(&found[0], &still) > 1e-2);
}

/// Of a step in substeps it is the velocity problem of the last one.
#[test]
fn the_last_substep_is_in_it() {
    let mut file = pile();
    file.problem.gaps = vec![-0.01, 0.0, 0.02, -0.001];
    file.problem.increments = vec![Velocity::default(); 3];
    file.problem.increments[0].linear = [0.0, 0.0, -0.5];
    file.problem.compliances = vec![1e-4, 0.0, 0.0, 0.0];
    let options = Options {
        iterations: 4000,
        ..Options::default()
    };
    let mut plan = SubstepPlan::recommended_in(5, 1.0 / 60.0, 0.5, 9.81);
    plan.velocity = options;
    for position in [false, true] {
        if position {
            file.problem.compliances.clear();
        }
        plan.position = position.then_some(PositionPlan {
            options,
            max_correction: 0.01,
            max_turn: 0.1,
        });
        file.plan = Plan::Substeps(plan);
        let mut expected = Solution::default();
        CpuSolver::new()
            .step(&file.problem, &file.plan, &mut expected)
            .unwrap();
        let expected: Vec<[f64; 3]> = expected
            .impulses
            .iter()
            .map(|impulse| impulse.map(f64::from))
            .collect();
        assert!(expected[0][0] > 0.1, "{expected:?}");
        for form in FORMS {
            let read = contacts_of(&file, form);
            assert_eq!(read.title, "größer, the last of 5 substeps");
            let difference = largest_difference(&expected, &solution_of(&read));
            assert!(difference < 1e-5, "{form:?}: {difference}");
        }
    }
}

/// Rows of joints in a loop repeat each other: those that agree are read, those that contradict each other are not.
#[test]
fn joints_that_repeat_each_other_are_read() {
    let mut file = with_joint_rows(pile(), 0.0);
    let once = solution_of(&contacts_of(&file, FclibForm::Local));
    let repeated = file.problem.joint_rows[0];
    file.problem.joint_rows.push(repeated);
    for form in FORMS {
        let found = solution_of(&contacts_of(&file, form));
        assert!(largest_difference(&once, &found) < 1e-9, "{form:?}");
    }
    file.problem.joint_rows[2].bias += 0.001;
    for form in FORMS {
        let bytes = file.to_fclib(form).unwrap();
        let error = ProblemFile::parse(Path::new("some.hdf5"), bytes).unwrap_err();
        let error = error.to_string();
        assert!(error.contains("equalities contradict"), "{error}");
    }
}

/// Rows of joints of nothing but zeros, in a file of somebody else's.
#[test]
fn joints_without_numbers_are_read() {
    let bytes = std::fs::read(crate::problems::fclib("local_joint.hdf5")).unwrap();
    let read = |bytes| ProblemFile::parse(Path::new("some.hdf5"), bytes);
    assert!(read(bytes.clone()).is_ok());
    // R is 1 / 2 + 1 / 3, which a file has once; V and s stay, and ask for what there is not.
    let number = (0.5_f64 + 1.0 / 3.0).to_le_bytes();
    let at = bytes
        .windows(8)
        .position(|window| window == number)
        .unwrap();
    let mut changed = bytes;
    changed[at..at + 8].fill(0);
    let error = read(changed).unwrap_err().to_string();
    assert!(error.contains("equalities contradict"), "{error}");
}

#[test]
fn problems_without_a_form_are_refused() {
    let refused = |change: &dyn Fn(&mut BodyProblem), said: &str| {
        let mut file = with_joint_rows(pile(), 0.0);
        change(&mut file);
        for form in FORMS {
            let error = file.to_fclib(form).unwrap_err().to_string();
            assert!(error.contains(said), "{said}: {error}");
        }
    };
    refused(
        &|file| file.problem.friction_cone = FrictionCone::Pyramid { directions: 8 },
        "friction cone: a pyramid",
    );
    refused(
        &|file| file.problem.friction_law = FrictionLaw::Convex,
        "friction law: the convex one",
    );
    refused(
        &|file| file.problem.joint_rows[1].lower = 0.0,
        "joint row 1: it has bounds",
    );
    refused(
        &|file| file.problem.bodies[2].inverse_inertia[2] = 0.5,
        "body 2: its inverse inertia",
    );
    refused(
        &|file| file.problem.contacts[0].body_a = 9,
        "body 9 does not exist",
    );
    // Without friction all laws are one.
    let mut file = pile();
    for contact in &mut file.problem.contacts {
        contact.friction = 0.0;
    }
    file.problem.friction_law = FrictionLaw::Convex;
    assert!(file.to_fclib(FclibForm::Local).is_ok());
}

#[test]
fn a_run_writes_them() {
    let home = Home::new();
    home.write(
        "drop.toml",
        &drop_scene(12).replace("count = 60", "count = 16"),
    );
    let dump = |scene: &str, format: &str, flags: &[&str]| {
        let args = [
            "run",
            scene,
            "--out",
            format,
            "--no-picture",
            "--backend=cpu",
        ];
        let dumped = ["--dump-problem=12", "--dump-format", format];
        home.run(&[&args[..], &dumped, flags].concat())
    };
    dump("drop.toml", "json", &[]).expect_code(0);
    let flags = [
        "--backend=nsgs",
        "--iterations=10000",
        "--cold",
        "--out=json.out",
    ];
    let expected = solved(&home, "json/problem_12.json", &flags);
    let expected_impulses = impulses(&home, "json.out");
    let residual = |report: &serde_json::Value| report["residual"]["rms"].as_f64().unwrap();
    for format in ["fclib", "fclib-global"] {
        let ended = dump("drop.toml", format, &[]).expect_code(0);
        let file = format!("{format}/problem_12.hdf5");
        assert!(
            ended.stderr.contains(&format!("drystone solve {file}\n")),
            "{}",
            ended.stderr
        );
        let report = solved(&home, &file, &["--out=fclib.out"]);
        assert_eq!(report["title"], "step 12 of drop");
        assert_eq!(report["size"]["contacts"], expected["size"]["contacts"]);
        assert!(residual(&report) < 1e-7, "{report}");
        assert!(residual(&expected) < 1e-7, "{expected}");
        let found = impulses(&home, "fclib.out");
        let largest = expected_impulses
            .iter()
            .fold(0.0, |a: f64, b| a.max(b.abs()));
        assert_eq!(found.len(), expected_impulses.len());
        for (a, b) in expected_impulses.iter().zip(&found) {
            assert!((a - b).abs() < 1e-5 * largest, "{a} {b} of {largest}");
        }
    }
    // Problems without a form there: known before the run, or only at the step.
    let ended = dump("drop.toml", "other", &["--friction-directions=8"]).expect_code(2);
    assert!(ended.stderr.contains("fclib-global"), "{}", ended.stderr);
    let flags = ["--friction-directions=8"];
    let args = [
        "run",
        "drop.toml",
        "--dump-problem=2",
        "--dump-format=fclib",
    ];
    let ended = home.run(&[&args[..], &flags].concat()).expect_code(2);
    assert!(ended.stderr.contains("--dump-format"), "{}", ended.stderr);
    home.run(&["run", "drop.toml", "--dump-format=fclib"])
        .expect_code(2);
    let scene = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/joints/tether.toml");
    let args = ["run", &scene.display().to_string(), "--steps=2", "--quiet"];
    let flags = [
        "--out=tether",
        "--no-picture",
        "--dump-problem=2",
        "--dump-format=fclib",
    ];
    let ended = home.run(&[&args[..], &flags].concat()).expect_code(0);
    assert!(
        ended.stderr.contains("step 2 has no form in FCLib") && ended.stderr.contains("bounds"),
        "{}",
        ended.stderr
    );
    assert!(home.path("tether/problem_2.json").exists());
}
