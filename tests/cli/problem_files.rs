//! Problem files as the library reads them: the same bits again, and mistakes with their place.

use crate::problems::fclib;
use drystone::problem::{Body, Contact, FrictionCone, FrictionLaw, JointRow, Problem, Velocity};
use drystone::problem_file::{BodyProblem, Origin, ProblemFile};
use drystone::solver::substeps::{GapLaw, PositionPlan, SubstepPlan};
use drystone::solver::{Displacement, Method, Options, Plan, Solution};
use proptest::prelude::*;
use std::path::Path;

fn parse(bytes: Vec<u8>) -> drystone::Result<ProblemFile> {
    ProblemFile::parse(Path::new("some.file"), bytes)
}

fn bodies(text: &str) -> BodyProblem {
    match parse(text.into()).unwrap() {
        ProblemFile::Bodies(problem) => *problem,
        ProblemFile::Contacts(_) => panic!("bodies are expected"),
    }
}

/// A ball and a ground, in substeps.
fn ball() -> BodyProblem {
    let contact = Contact {
        bias: 0.25,
        impulse: [1.0, -0.5, 0.125],
        ..Contact::from_b_to_a([0, 1], [[0.0, 0.0, -0.5], [0.0; 3]], [0.0, 0.0, 1.0], 0.3)
    };
    let turn = |x: f32| Velocity {
        linear: [x, 0.0, 1.0],
        angular: [0.5, x, 0.25],
    };
    BodyProblem {
        title: "a \"ball\"\n".into(),
        origin: Some(Origin {
            scene: "ball".into(),
            step: u64::MAX,
            time: 0.1,
            backend: "cpu".into(),
            adapter: None,
        }),
        time_step: Some(1.0 / 60.0),
        problem: Problem {
            bodies: vec![
                Body::dynamic(
                    0.5,
                    [5.0, 0.1, 0.2, 6.0, 0.3, 7.0],
                    [1.0, 0.0, -3.0],
                    [0.1; 3],
                ),
                Body::immovable([0.0; 3], [0.0; 3]),
            ],
            contacts: vec![contact],
            increments: vec![turn(-0.0), turn(0.1)],
            gaps: vec![-0.001],
            restitutions: vec![0.5],
            loads: vec![9.81],
            sizes: vec![4.0],
            friction_cone: FrictionCone::Pyramid { directions: 8 },
            contact_softness: 0.1,
            ..Problem::default()
        },
        plan: Plan::Substeps(SubstepPlan {
            substeps: 8,
            time_step: 1.0 / 60.0,
            gap_law: GapLaw {
                rate: 0.3,
                load_time: 0.123_456_789_012_345_67,
                ..GapLaw::default()
            },
            restitution_threshold: 1e-3,
            calm_change: 0.0,
            velocity: Options {
                method: Method::Cluster,
                iterations: 1,
                ..Options::default()
            },
            position: Some(PositionPlan {
                options: Options::default(),
                max_correction: 0.1,
                max_turn: 0.2,
            }),
        }),
        surface_velocities: Vec::new(),
        solution: Some(Solution {
            impulses: vec![[2.0, 0.1, 0.2]],
            total_impulses: vec![[16.0, 0.1, 0.2]],
            changes: vec![turn(3.0), turn(0.0)],
            displacements: vec![
                Displacement {
                    linear: [0.1; 3],
                    angular: [0.2; 3]
                };
                2
            ],
            ..Solution::default()
        }),
    }
}

/// The same, divided by nothing, with a joint.
fn joined() -> BodyProblem {
    let mut file = ball();
    file.problem.joint_rows = vec![JointRow {
        body_a: 0,
        body_b: 1,
        linear: [1.0, 0.0, 0.0],
        angular_a: [0.0, 0.5, 0.0],
        angular_b: [0.0; 3],
        bias: -0.1,
        softness: 1e-9,
        lower: -JointRow::UNBOUNDED,
        upper: JointRow::UNBOUNDED,
        impulse: 0.75,
    }];
    file.problem.friction_cone = FrictionCone::Disk;
    file.problem.friction_law = FrictionLaw::Convex;
    for unread in [
        &mut file.problem.gaps,
        &mut file.problem.restitutions,
        &mut file.problem.loads,
        &mut file.problem.sizes,
    ] {
        unread.clear();
    }
    file.problem.increments.clear();
    file.problem.compliances = vec![0.001];
    file.plan = Plan::Once(Options {
        tolerance: 1e-7,
        warm_start: false,
        ..Options::default()
    });
    file.solution = None;
    file
}

/// The ball on a belt.
fn belt() -> BodyProblem {
    let mut file = ball();
    file.surface_velocities = vec![[0.5, -0.25, 0.0]];
    file
}

#[test]
fn what_is_written_is_read() {
    for file in [ball(), joined(), belt()] {
        let text = file.to_json().unwrap();
        let read = bodies(&text);
        assert_eq!(format!("{read:?}"), format!("{file:?}"));
        assert_eq!(read.to_json().unwrap(), text);
    }
}

#[test]
fn numbers_that_are_not_finite_are_not_written() {
    let mut file = ball();
    file.problem.contacts[0].arm_b[1] = f32::NAN;
    let error = file.to_json().unwrap_err().to_string();
    assert!(
        error.contains("contacts[0]: every number must be finite"),
        "{error}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    /// Any f32 of any exponent, and any f64.
    #[test]
    fn numbers_keep_their_bits(single in any::<u32>(), double in any::<u64>()) {
        let (single, double) = (f32::from_bits(single), f64::from_bits(double));
        prop_assume!(single.is_finite() && double.is_finite());
        let mut file = ball();
        file.problem.contacts[0].bias = single;
        file.origin.as_mut().unwrap().time = double;
        let read = bodies(&file.to_json().unwrap());
        prop_assert_eq!(read.problem.contacts[0].bias.to_bits(), single.to_bits());
        prop_assert_eq!(read.origin.unwrap().time.to_bits(), double.to_bits());
    }

    /// Any bytes in place of others: a problem or an error, and no panic.
    #[test]
    fn bad_bytes_are_refused(
        seed in 0..3_usize,
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        kept in any::<prop::sample::Index>(),
        cut in prop::bool::weighted(0.2),
    ) {
        let mut bytes = match seed {
            0 => ball().to_json().unwrap().into_bytes(),
            1 => std::fs::read(fclib("local_joint.hdf5")).unwrap(),
            _ => std::fs::read(fclib("local_gzip.hdf5")).unwrap(),
        };
        for (at, byte) in edits {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if cut {
            bytes.truncate(kept.index(bytes.len()));
        }
        if let Err(error) = parse(bytes) {
            prop_assert!(error.to_string().starts_with("some.file"), "{error}");
        }
    }
}

/// A text with one thing changed is refused there.
#[test]
fn mistakes_in_json_have_a_place() {
    let text = ball().to_json().unwrap();
    for (from, to, place, said) in [
        (
            "drystone-problem",
            "other",
            ":2:13: format: ",
            "another format",
        ),
        (
            "\"version\": 1",
            "\"version\": 2",
            ":3:14: version: ",
            "version 2",
        ),
        (
            "\"version\": 1",
            "\"version\": \"1\"",
            ":3:16: version: ",
            "expected u64",
        ),
        (
            "\"bodies\": [\n",
            "\"bodies\": [\n{},",
            ": bodies[0]: ",
            "missing field",
        ),
        (
            "\"bodies\":[0,1]",
            "\"bodies\":[0,2]",
            ": contacts[0]: ",
            "body 2 does not exist",
        ),
        (
            "\"bodies\":[0,1]",
            "\"bodies\":[0,-1]",
            ": contacts[0].bodies[1]: ",
            "invalid value",
        ),
        (
            "\"bodies\":[0,1]",
            "\"bodies\":[0,1,1]",
            ": contacts[0].bodies",
            "trailing",
        ),
        (
            "\"normal\":[0.0,0.0,1.0]",
            "\"normal\":[0.0,0.0,2.0]",
            ": contacts[0]: ",
            "length 2",
        ),
        (
            "\"friction\":0.3",
            "\"friction\":-0.3",
            ": contacts[0]: ",
            "negative",
        ),
        (
            "\"friction\":0.3",
            "\"friction\":NaN",
            ": contacts: ",
            "expected value",
        ),
        (
            "\"friction\":0.3",
            "\"friction\":1e999",
            ": contacts[0].friction: ",
            "out of range",
        ),
        (
            "\"friction\":0.3",
            "\"frictoin\":0.3",
            ": contacts[0].frictoin: ",
            "unknown field",
        ),
        (
            ",\"gap\":-0.001",
            "",
            ": contacts: ",
            "gaps: 0 given; 1 expected",
        ),
        (
            "\"inverse_mass\":0.5",
            "\"inverse_mass\":-0.5",
            ": bodies[0]: ",
            "inverse mass -0.5",
        ),
        (
            "{\"pyramid\":8}",
            "{\"pyramid\":7}",
            ": friction: ",
            "7 directions",
        ),
        (
            "{\"pyramid\":8}",
            "\"cube\"",
            ": friction.cone: ",
            "unknown variant",
        ),
        ("\"substeps\":8", "\"substeps\":0", ": plan: ", "0 given"),
        (
            "\"substeps\":8",
            "\"substeps\":4000000000",
            ": plan.substeps.substeps: ",
            "at most",
        ),
        (
            "\"max_turn\":0.2",
            "\"max_turn\":1e300",
            ": plan",
            "out of range",
        ),
        (
            "\"contact_softness\": 0.1",
            "\"contact_softness\": -0.1",
            ": contact_softness: ",
            "at least 0",
        ),
        (
            "\"time_step\": 0.01",
            "\"time_step\": -0.01",
            ":6:16: time_step: ",
            "not positive",
        ),
        (
            "\"impulses\":[[2.0,0.1,0.2]]",
            "\"impulses\":[]",
            ": solution.impulses: ",
            "0 given; 1 expected",
        ),
        ("\n}\n", "\n} x", ": ", "trailing characters"),
        ("\n}\n", "\n", ": ", "EOF"),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        let error = parse(changed.into_bytes()).unwrap_err().to_string();
        assert!(
            error.starts_with("some.file:") && error.contains(place) && error.contains(said),
            "{to}: {error}"
        );
    }
    // Of two contacts one is on a belt, and that may be.
    let mut two = belt();
    two.problem.contacts.push(two.problem.contacts[0]);
    for list in [
        &mut two.problem.gaps,
        &mut two.problem.restitutions,
        &mut two.problem.loads,
        &mut two.problem.sizes,
    ] {
        list.push(list[0]);
    }
    two.solution = None;
    let read = bodies(&two.to_json().unwrap());
    assert_eq!(read.surface_velocities, [[0.5, -0.25, 0.0], [0.0; 3]]);
    for (from, to, said) in [
        ("[0.5,-0.25,0.0]", "[0.5,-0.25,1.0]", "not normal to its"),
        ("[0.5,-0.25,0.0]", "[1e38,3e38,0.0]", "not finite"),
        ("\"inverse_mass\":0.0", "\"inverse_mass\":1.0", "immovable"),
    ] {
        let changed = belt().to_json().unwrap().replacen(from, to, 1);
        let error = parse(changed.into_bytes()).unwrap_err().to_string();
        assert!(
            error.contains(": contacts[0]: ") && error.contains(said),
            "{error}"
        );
    }
    // Of two contacts one lacks what the other has.
    let (mut two, added) = (ball(), ball());
    two.problem.contacts.extend(&added.problem.contacts);
    two.problem.gaps.extend(&added.problem.gaps);
    two.problem.loads.extend(&added.problem.loads);
    two.solution = None;
    let error = parse(two.to_json().unwrap().into_bytes())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("contacts[1]: no restitution, and others have one"),
        "{error}"
    );
}

#[test]
fn texts_that_are_no_problem_are_refused() {
    for text in ["", "[]", "null", "\u{feff}", "name = 1", "\u{89}HDF"] {
        assert!(parse(text.into()).is_err(), "{text}");
    }
    assert!(parse(b"{\"format\": \"\xff\"}".to_vec()).is_err());
    // Nested without an end.
    let deep = format!("{{\"format\": {}", "[".repeat(1_000_000));
    let error = parse(deep.into_bytes()).unwrap_err().to_string();
    assert!(error.contains("1:"), "{error}");
}

#[test]
fn mistakes_in_hdf5_name_their_dataset() {
    for (name, place, said) in [
        ("no_q", "/fclib_local/vectors/q: ", "not found"),
        (
            "short_q",
            "/fclib_local/vectors/q: ",
            "2 numbers; 3 are expected",
        ),
        ("nan_in_q", "/fclib_local/vectors/q[1]: ", "not finite"),
        (
            "text_for_q",
            "/fclib_local/vectors/q: ",
            "numbers of 64 or 32 bits",
        ),
        (
            "negative_mu",
            "/fclib_local/vectors/mu[0]: ",
            "-0.5 is negative",
        ),
        ("five_dimensions", "/fclib_local/spacedim: ", "5 dimensions"),
        ("unknown_storage", "/fclib_local/W/nz: ", "-3"),
        (
            "too_many_triplets",
            "/fclib_local/W/p: ",
            "nz says 2147483647",
        ),
        (
            "no_numbers_of_rows",
            "/fclib_local/W/m: ",
            "-1 is no number",
        ),
        (
            "huge_matrix",
            "/fclib_local/W/n: ",
            "2147483647 is no number",
        ),
        ("descending_starts", "/fclib_local/W/p: ", "ascend"),
        ("row_beyond", "/fclib_local/W: ", "row 3, column 2 of 3 x 3"),
        ("negative_row", "/fclib_local/W/i[2]: ", "-1 is no index"),
        ("rolling", "/fclib_global_rolling: ", "rolling friction"),
        ("something_else", "/: ", "neither"),
    ] {
        let bytes = std::fs::read(fclib(&format!("broken/{name}.hdf5"))).unwrap();
        let error = parse(bytes).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("some.file: {place}")) && error.contains(said),
            "{name}: {error}"
        );
    }
}

/// Cut off anywhere.
#[test]
fn parts_of_hdf5_files_are_refused() {
    for name in ["local_csc.hdf5", "local_gzip.hdf5", "global_joint.hdf5"] {
        let whole = std::fs::read(fclib(name)).unwrap();
        assert!(parse(whole.clone()).is_ok());
        for length in (0..whole.len()).step_by(61) {
            let error = parse(whole[..length].to_vec()).unwrap_err().to_string();
            assert!(error.starts_with("some.file: "), "{name} {length}: {error}");
        }
    }
}
