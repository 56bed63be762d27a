//! The folder of a run: never overwritten, and complete.

use drystone::Error;
use drystone::collide::Witnesses;
use drystone::math::Vec3;
use drystone::measure::{Axis, Energy, JointErrors, Penetration, Probe, ProbeKind, Seen};
use drystone::output::{MetricsWriter, Outcome, RunDescription, RunFolder, Summary};
use drystone::scene::{Finding, Verdict, When};
use drystone::solver::{Report, Status};
use drystone::step::{Settings, StepReport, Timings};
use drystone::world::World;
use std::collections::HashSet;
use std::time::Duration;

fn empty_world() -> World {
    World::new(Vec3::new(0.0, 0.0, -9.81))
}

fn step_report(step: u64) -> StepReport {
    StepReport {
        collisions: 0,
        by_velocity: false,
        step,
        time: step as f64 / 60.0,
        contacts: 7 * step as usize,
        contact_updates: 1,
        witnesses: Witnesses {
            pairs: 40,
            searched: 2 * step,
        },
        substeps: 0,
        capped: false,
        velocity: Report {
            status: Status::Converged,
            iterations: 30,
            residual_rms: 0.1,
            residual_max: 0.25,
            colors: 5,
            remainder_contacts: 2,
            ..Report::default()
        },
        position: Some(Report {
            iterations: 12,
            residual_rms: 1e-9,
            residual_max: 2.5e-7,
            ..Report::default()
        }),
        broken_joints: 1,
        joints_before_post: JointErrors {
            linear_max: 0.5,
            ..JointErrors::default()
        },
        joints: JointErrors {
            linear_max: 1e-4 * step as f64,
            velocity_max: 0.125,
            broken: step as usize,
            ..JointErrors::default()
        },
        penetration: Penetration {
            max: 1e-3,
            mean: 2e-4,
            count: 3,
        },
        energy: Energy {
            kinetic: 1.0 / 3.0,
            potential: -2e30,
        },
        timings: Timings {
            step: Duration::from_micros(1500 * step),
            ..Timings::default()
        },
    }
}

#[test]
fn numbers_follow_each_other_and_nothing_is_reused() {
    let home = tempfile::tempdir().unwrap();
    let runs = home.path().join("runs");
    let path = |n: u32| runs.join(format!("pile-{n}"));
    for n in 1..=3 {
        assert_eq!(RunFolder::create_in(&runs, "pile").unwrap().path(), path(n));
    }
    std::fs::remove_dir(path(2)).unwrap();
    assert_eq!(RunFolder::create_in(&runs, "pile").unwrap().path(), path(4));
    // Other names do not count.
    for other in ["pile-x", "pile-2-9", "piled-70", "heap-70"] {
        std::fs::create_dir(runs.join(other)).unwrap();
    }
    assert_eq!(RunFolder::create_in(&runs, "pile").unwrap().path(), path(5));
    let odd = RunFolder::create_in(&runs, "../a b/c").unwrap();
    assert_eq!(odd.path(), runs.join("_a_b_c-1"));
}

#[test]
fn simultaneous_runs_get_folders_of_their_own() {
    let home = tempfile::tempdir().unwrap();
    let paths: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    (0..10)
                        .map(|_| RunFolder::create_in(home.path(), "pile").unwrap())
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .map(|folder| folder.path().to_owned())
            .collect()
    });
    let distinct: HashSet<_> = paths.iter().collect();
    assert_eq!((paths.len(), distinct.len()), (80, 80));
}

#[test]
fn a_folder_that_holds_something_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let out = home.path().join("deep/er/run");
    let folder = RunFolder::create(Some(&out), "pile").unwrap();
    assert_eq!(folder.path(), out);
    RunFolder::create(Some(&out), "pile").expect("an empty folder may be used");
    folder.write("note.txt", b"mine").unwrap();
    let error = RunFolder::create(Some(&out), "pile").unwrap_err();
    assert!(matches!(error, Error::Invalid { .. }), "{error}");
    assert!(error.to_string().contains("never overwritten"), "{error}");
    assert_eq!(std::fs::read(out.join("note.txt")).unwrap(), b"mine");
    let file = out.join("note.txt");
    let error = RunFolder::create(Some(&file), "pile").unwrap_err();
    assert!(matches!(error, Error::Invalid { .. }), "{error}");
}

#[test]
fn a_file_is_replaced_whole() {
    let home = tempfile::tempdir().unwrap();
    let folder = RunFolder::create(Some(&home.path().join("run")), "pile").unwrap();
    folder.write("a.txt", b"first").unwrap();
    folder.write("a.txt", b"second").unwrap();
    assert_eq!(
        std::fs::read(folder.path().join("a.txt")).unwrap(),
        b"second"
    );
    assert!(matches!(
        folder.write("missing/a.txt", b"x"),
        Err(Error::Io { .. })
    ));
    assert!(
        folder.create_file("a.txt").is_err(),
        "a streamed file must be new"
    );
    let names: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(names, ["a.txt"]);
}

#[test]
fn metrics_have_the_promised_columns_and_read_back() {
    let home = tempfile::tempdir().unwrap();
    let folder = RunFolder::create(Some(&home.path().join("run")), "pile").unwrap();
    let probes = [Probe {
        name: "bed, loose".into(),
        relative_to: None,
        kind: ProbeKind::BedHeight {
            axis: Axis::Z,
            quantile: 0.5,
            except: Vec::new(),
        },
    }];
    let mut metrics = MetricsWriter::create(&folder, &probes).unwrap();
    metrics
        .write(
            &step_report(1),
            &Seen::without_forces(&empty_world()),
            &probes,
        )
        .unwrap();
    let mut second = step_report(2);
    second.position = None;
    metrics
        .write(&second, &Seen::without_forces(&empty_world()), &probes)
        .unwrap();

    let text = std::fs::read_to_string(folder.path().join("metrics.csv")).unwrap();
    assert!(text.ends_with('\n'));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(
        lines[0].starts_with(
            "step,time,bodies,contacts,colors,iterations,residual_rms,residual_max,\
             position_residual_max,max_penetration,mean_penetration,kinetic_energy,\
             potential_energy,t_broad_ms,t_narrow_ms,t_pack_ms,t_solve_ms,t_position_ms,\
             t_step_ms"
        ),
        "{}",
        lines[0]
    );
    assert!(lines[0].ends_with(",\"bed, loose\""), "{}", lines[0]);
    // The comma in the probe's name is inside quotes.
    let columns: Vec<&str> = lines[0]
        .strip_suffix(",\"bed, loose\"")
        .unwrap()
        .split(',')
        .collect();
    let value = |line: usize, column: &str| {
        let fields: Vec<&str> = lines[line].split(',').collect();
        assert_eq!(fields.len(), columns.len() + 1);
        let at = columns.iter().position(|c| *c == column).unwrap();
        fields[at].to_owned()
    };
    assert_eq!(value(1, "time").parse::<f64>().unwrap(), 1.0 / 60.0);
    assert_eq!(value(1, "residual_rms"), "0.1", "shortest form of an f32");
    assert_eq!(value(1, "position_residual_max"), "2.5e-7");
    assert_eq!(
        value(1, "kinetic_energy").parse::<f64>().unwrap(),
        1.0 / 3.0
    );
    assert_eq!(value(1, "potential_energy").parse::<f64>().unwrap(), -2e30);
    assert_eq!(value(1, "t_step_ms"), "1.5000");
    assert_eq!(value(1, "status"), "converged");
    assert_eq!(value(1, "position_iterations"), "12");
    assert_eq!(value(1, "penetrating_contacts"), "3");
    assert_eq!(value(2, "joint_error"), "0.0002");
    assert_eq!(value(2, "joint_error_before_post"), "0.5");
    assert_eq!(value(2, "joint_velocity_error"), "0.125");
    assert_eq!(value(2, "joint_limit_angle_error"), "0.0");
    assert_eq!(value(2, "broken_joints"), "2");
    assert_eq!(value(2, "position_residual_max"), "NaN");
    assert_eq!(value(2, "position_status"), "none");
    assert_eq!(value(2, "witness_pairs"), "40");
    assert_eq!(value(2, "witness_searches"), "4");
    assert!(lines[1].ends_with(",0.0"), "the probe: {}", lines[1]);
}

#[test]
fn the_summary_is_of_the_whole_run() {
    let home = tempfile::tempdir().unwrap();
    let folder = RunFolder::create(Some(&home.path().join("run")), "pile").unwrap();
    let mut summary = Summary::new(RunDescription {
        scene: "pile".into(),
        backend: "cpu".into(),
        adapter: None,
        settings: Settings::post_stabilized(),
        seed: 3,
        threads: 2,
        steps_planned: 4,
        bodies: 11,
        joints: 5,
    });
    let mut bad = step_report(2);
    bad.velocity.residual_rms = 0.5;
    bad.penetration.max = 0.02;
    bad.joints.linear_max = 0.03;
    bad.joints.limit_angular_max = 0.75;
    for report in [step_report(1), bad, step_report(3)] {
        summary.add(&report);
    }
    let error = Error::invalid("body 4", "its velocity is not finite");
    summary.finish(Some(&error), Duration::from_millis(2500));
    assert_eq!(summary.status, Outcome::Failed);
    summary.write(&folder).unwrap();

    let text = std::fs::read_to_string(folder.path().join("summary.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let expected = serde_json::json!({
        "scene": "pile",
        "version": env!("CARGO_PKG_VERSION"),
        "status": "failed",
        "error": "invalid body 4: its velocity is not finite",
        "backend": "cpu",
        "adapter": null,
        "solver": "pgs",
        "iterations": 30,
        "steps_planned": 4,
        "steps": 3,
        "bodies": 11,
        "joints": 5,
        "broken_joints": 3,
        "joint_error_max": 0.03,
        "joint_error_final": 1e-4 * 3.0,
        "joint_velocity_error_max": 0.125,
        "joint_limit_angle_error_max": 0.75,
        "witness_hit_rate": 0.9,
        "witness_hit_rate_final": 0.85,
        "contacts_max": 21,
        "contacts_final": 21,
        "colors_max": 5,
        "residual_rms_max": 0.5,
        "residual_max": 0.25,
        "max_penetration": 0.02,
        "max_penetration_final": 1e-3,
        "mean_penetration_final": 2e-4,
        "kinetic_energy_final": 1.0 / 3.0,
        "step_ms_median": 3.0,
        "step_ms_max": 4.5,
        "wall_seconds": 2.5,
    });
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&json[key], value, "{key}");
    }
    for (key, unit) in json["units"].as_object().unwrap() {
        assert!(json.get(key).is_some(), "{key} [{unit}] is no key");
    }

    assert_eq!(json["expectations"], serde_json::json!([]));

    summary.expectations.push(Finding {
        claim: "it fills".into(),
        formula: "contacts > 4".into(),
        when: When::Once,
        from: 0.0,
        until: 1.0,
        verdict: Verdict::Failed,
        time: Some(0.5),
        measured: Some(3.0),
        bound: Some(f64::INFINITY),
    });
    summary.residual_rms_max = f32::NAN;
    summary.finish(None, Duration::ZERO);
    summary.write(&folder).unwrap();
    let text = std::fs::read_to_string(folder.path().join("summary.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["status"], "done");
    assert!(json["residual_rms_max"].is_null());
    let found = &json["expectations"][0];
    assert_eq!(
        (&found["verdict"], &found["when"]),
        (&"failed".into(), &"once".into())
    );
    assert_eq!(found["measured"], 3.0);
    assert!(found["bound"].is_null());
}
