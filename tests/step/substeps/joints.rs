//! Joints in substeps: drives, limits, breaking, prescribed velocities.

use super::{load, parse, positions, simulation};
use drystone::stabilize::{Baumgarte, Scheme};
use drystone::step::Simulation;

/// A bar on a hinge at the origin, and what is asked of it.
fn bar(joint: &str, more: &str) -> String {
    format!(
        r#"
name = "bar"
[simulation]
dt = 0.01
steps = 50
[solver]
iterations = 400
[[body]]
name = "bar"
shape = {{ type = "box", half_extents = [0.5, 0.05, 0.05] }}
position = [0.5, 0, 0]
mass = 2.0
{more}
[[joint]]
a = "bar"
{joint}
"#
    )
}

#[test]
fn joints_do_what_they_do_in_smaller_steps() {
    let hinge = "type = \"hinge\"\nanchor = [0, 0, 0]\naxis = [0, 1, 0]\n";
    let cases = [
        ("swing", bar(hinge, "")),
        (
            "motor",
            bar(
                &format!(
                    "{hinge}motor = {{ type = \"velocity\", target = 2.0, max_force = 30.0 }}"
                ),
                "",
            ),
        ),
        (
            "weak motor",
            bar(
                &format!(
                    "{hinge}motor = {{ type = \"velocity\", target = -9.0, max_force = 4.0 }}"
                ),
                "",
            ),
        ),
        (
            "spring",
            bar(
                &format!("{hinge}spring = {{ stiffness = 60.0, damping = 2.0 }}"),
                "",
            ),
        ),
        ("limits", bar(&format!("{hinge}limits = [-0.4, 0.4]"), "")),
    ];
    for (name, text) in &cases {
        for scheme in [
            Scheme::Post,
            Scheme::Implicit,
            Scheme::Gamma { gamma: 0.5 },
            Scheme::Baumgarte(Baumgarte::Velocity { kappa: 30.0 }),
            Scheme::Baumgarte(Baumgarte::oscillator(30.0, 1.0)),
        ] {
            let make = |substeps: u32, time_step: f64| {
                simulation(parse(text), |scene| {
                    scene.settings.substeps = Some(substeps);
                    scene.settings.time_step = time_step;
                    scene.settings.stabilization.joints = scheme;
                })
            };
            let (mut whole, mut divided, mut small) =
                (make(0, 0.01), make(4, 0.01), make(0, 0.0025));
            let mut error = 0.0_f64;
            for _ in 0..50 {
                whole.step().unwrap();
                error = error.max(divided.step().unwrap().joints.linear_max);
                for _ in 0..4 {
                    small.step().unwrap();
                }
            }
            let apart = |a: &Simulation| (positions(a)[0] - positions(&small)[0]).norm();
            let (off, off_whole) = (apart(&divided), apart(&whole));
            assert!(
                off < 2.0 * off_whole + 1e-3,
                "{name}, {scheme:?}: {off} of {off_whole}"
            );
            assert!(error < 3e-3, "{name}, {scheme:?}: error {error}");
        }
    }
}

#[test]
fn joints_break_by_the_load_of_the_whole_step() {
    let text = |most: f64| {
        bar(
            &format!("type = \"fixed\"\nanchor = [0.5, 0, 0]\nbreaking_force = {most}"),
            "",
        )
    };
    // The weight is 19.62 N, whatever the number of substeps.
    for substeps in [0, 1, 5] {
        for (most, breaks) in [(19.0, true), (20.5, false)] {
            let mut run = simulation(parse(&text(most)), |scene| {
                scene.settings.substeps = Some(substeps);
            });
            let broke: usize = (0..20).map(|_| run.step().unwrap().broken_joints).sum();
            assert_eq!(broke > 0, breaks, "{substeps} substeps, {most} N");
        }
    }
}

#[test]
fn a_prescribed_velocity_is_followed() {
    let run = |substeps: u32| {
        let mut run = simulation(load("papers/three_link_bar"), |scene| {
            scene.settings.substeps = Some(substeps);
        });
        let (mut error, mut velocity) = (0.0_f64, 0.0_f64);
        for _ in 0..200 {
            let joints = run.step().unwrap().joints;
            error = error.max(joints.linear_max);
            velocity = velocity.max(joints.velocity_max);
        }
        (error, velocity)
    };
    let (whole, divided) = (run(0), run(4));
    assert!(divided.0 < 0.5 * whole.0, "{divided:?} {whole:?}");
    assert!(divided.1 < 1.05 * whole.1, "{divided:?} {whole:?}");
}
