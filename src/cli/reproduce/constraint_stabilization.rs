//! Baumgarte's constants as a damped oscillator: its overshoot and decay, the longest step that it stands, and its form for inequalities.
//!
//! Source: the note of Drake's documentation on constraint stabilization.

use super::bodies::{cuboid, ground};
use super::experiment::{Context, Experiment};
use super::outcome::{Expected, Outcome};
use super::simulate::{self, End};
use crate::plot::{Axis, Plot, Series};
use drystone::Result;
use drystone::event::{EventSettings, EventStepper, Feedback};
use drystone::math::{Pose, Quat, Vec3};
use drystone::scene::Scene;
use drystone::stabilize::{Baumgarte, Scheme, Stabilization};
use drystone::world::joint::{Joint, JointKind};
use drystone::world::{Body, Shape, World};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "constraint_stabilization",
    title: "Baumgarte's constants as frequency and damping: overshoot, decay, limits, and inequalities",
    source: "Drake, note on constraint stabilization (bilateral and unilateral forms, omega0 and zeta)",
    run: reproduce,
};

/// Halvings of the interval in which a limit is sought.
const BISECTIONS: usize = 12;
/// Steps of a run.
const STEPS: u64 = 600;

fn reproduce(context: &Context) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    oscillators(&mut outcome)?;
    limits(context, &mut outcome)?;
    inequality(&mut outcome)?;
    outcome.note(
        "The note gives the equations and no numbers: expected are those of the damped oscillator, and of its semi-implicit steps, which are stable for \
         b^2 + 4 a <= 4 with a = alpha h and b = beta h.",
    );
    outcome.note(
        "With an open gap the unilateral form pushes before there is contact where the approach is fast; velocity steps apply it to gaps that are \
         shut only.",
    );
    Ok(outcome)
}

/// The error of a joint that starts off by 1 mm, with different damping.
fn oscillators(outcome: &mut Outcome) -> Result<()> {
    let omega = 20.0;
    let mut series = Vec::new();
    for zeta in [0.5, 1.0, 2.0] {
        let mut world = World::new(Vec3::zeros());
        let body = world.add(cuboid(Vec3::repeat(0.1), 1e-3, 1.0)?)?;
        let frame = Pose::identity();
        world.add_joint(Joint::between(JointKind::Ball, body, frame, None, frame))?;
        let h = 1e-3;
        let settings = EventSettings {
            feedback: Feedback::oscillator(omega, zeta),
            ..EventSettings::for_world(&world, h)
        };
        let mut stepper = EventStepper::new(&world, settings)?;
        let mut curve = vec![(0.0, 1.0)];
        for _ in 0..600 {
            stepper.step(&mut world, h)?;
            curve.push((world.time, world.bodies[0].pose.position.z / 1e-3));
        }
        let least = curve
            .iter()
            .map(|point| point.1)
            .fold(f64::INFINITY, f64::min);
        match zeta {
            0.5 => outcome.row(
                "omega0 and zeta, joint off by 1, zeta = 0.5: overshoot",
                "",
                Expected::near((-std::f64::consts::PI / 3.0_f64.sqrt()).exp(), 1e-3),
                -least,
            ),
            1.0 => outcome.row(
                "the same, zeta = 1: overshoot",
                "",
                Expected::at_most(1e-9),
                (-least).max(0.0),
            ),
            _ => {
                let (late, later) = (curve[400], curve[600]);
                outcome.row(
                    "the same, zeta = 2: rate of its decay over omega0",
                    "",
                    Expected::near(2.0 - 3.0_f64.sqrt(), 1e-3),
                    (late.1 / later.1).ln() / (later.0 - late.0) / omega,
                );
            }
        }
        series.push(Series::new(format!("zeta = {zeta}"), curve));
    }
    outcome.plots.push(Plot {
        name: "oscillator",
        title: "Error of a joint that starts off, omega0 = 20 rad/s".into(),
        x: Axis::linear("time [s]"),
        y: Axis::linear("error over its start"),
        series,
        seen: "Critical damping brings the error to zero fastest without overshoot.".into(),
    });
    Ok(())
}

/// The largest omega0 h with which a velocity step's error does not grow.
fn limits(context: &Context, outcome: &mut Outcome) -> Result<()> {
    let scene = simulate::scene("baumgarte_limit")?;
    for zeta in [0.5, 1.0, 2.0_f64] {
        let (mut stable, mut unstable) = (0.0, 3.0);
        for _ in 0..BISECTIONS {
            let middle = 0.5 * (stable + unstable);
            if shrinks(context, &scene, middle, zeta)? {
                stable = middle;
            } else {
                unstable = middle;
            }
        }
        // b^2 + 4 zeta b = 4.
        let limit = 2.0 * ((zeta * zeta + 1.0).sqrt() - zeta);
        outcome.row(
            format!("bilateral form, zeta = {zeta}: largest omega0 h with which the error shrinks (b^2 + 4 a = 4)"),
            "",
            Expected::near(limit, 2e-3),
            stable,
        );
    }
    Ok(())
}

/// True if the error of a pivot is smaller at the end of a run than half-way: by then what decays faster is gone.
fn shrinks(context: &Context, scene: &Scene, omega_h: f64, zeta: f64) -> Result<bool> {
    let h = scene.settings.time_step;
    let scheme = Scheme::Baumgarte(Baumgarte::oscillator(omega_h / h, zeta));
    let settings = simulate::settings(context, scene, Stabilization::both(scheme));
    let mut world = scene.world.clone();
    // On the line through the pivot the error is linear in the position.
    world.gravity = Vec3::zeros();
    let joint = &scene.world.joints[0];
    let error = |world: &World| {
        let body = &world.bodies[joint.body_a as usize];
        (body.pose.point(&joint.frame_a.position) - joint.frame_b.position).norm()
    };
    let start = error(&world);
    let (mut half_way, mut last) = (f64::INFINITY, start);
    let label = format!("zeta = {zeta}, omega0 h = {omega_h:.4}");
    let duration = STEPS as f64 * h;
    let end = context.run_while(&label, &world, &settings, duration, |moment| {
        last = error(moment.world);
        if moment.report.step == STEPS / 2 {
            half_way = last;
        }
        // Decided, or as small as the solver's numbers let it become.
        let is_decided = last > 1e3 * start || last < 1e-4 * start;
        !is_decided
    })?;
    Ok(match end {
        End::Diverged => false,
        End::Stopped => last < start,
        End::Done => last < half_way,
    })
}

/// `0 <= g'' + 2 alpha g' + beta^2 g _|_ lambda >= 0` for gaps and speeds of both signs.
fn inequality(outcome: &mut Outcome) -> Result<()> {
    const G: f64 = 9.81;
    let h = 1e-3;
    let feedback = Feedback::oscillator(50.0, 1.0);
    let (mut off, mut least_force, mut least_slack, mut product): (f64, f64, f64, f64) =
        (0.0, f64::INFINITY, f64::INFINITY, 0.0);
    let (mut pushes, mut free) = (0, 0);
    for gap in [-4e-3, -1e-3, 0.0, 1e-3, 4e-3, 8e-3] {
        for speed in [-0.2, -0.05, 0.0, 0.05, 0.2] {
            let mut world = World::new(Vec3::new(0.0, 0.0, -G));
            world.materials[0].friction = 0.0;
            world.add(ground())?;
            let sphere = Shape::Sphere { radius: 0.1 };
            let pose = Pose::new(Vec3::z() * (0.1 + gap), Quat::identity());
            let ball = Body::dynamic_with_mass(sphere, pose, 1.0)?;
            world.add(ball.moving(Vec3::z() * speed, Vec3::zeros()))?;
            let settings = EventSettings {
                feedback,
                contact_distance: 1e-2,
                resting_speed: 1.0,
                ..EventSettings::for_world(&world, h)
            };
            let stepper = EventStepper::new(&world, settings)?;
            let forces = stepper.contact_forces(&world, h)?;
            let force: f64 = forces.iter().map(|force| force.force.z).sum();
            let Feedback { alpha, beta } = feedback;
            let slack = force - G + 2.0 * alpha * speed + beta * beta * gap;
            let expected = (G - 2.0 * alpha * speed - beta * beta * gap).max(0.0);
            off = off.max((force - expected).abs());
            least_force = least_force.min(force);
            least_slack = least_slack.min(slack);
            product = product.max((force * slack).abs());
            if expected > 0.0 {
                pushes += 1;
            } else {
                free += 1;
            }
        }
    }
    outcome.published_row(
        format!("unilateral form, gaps and speeds of both signs, {pushes} that push and {free} that do not: least force"),
        "N",
        "lambda >= 0",
        Expected::at_least(0.0),
        least_force,
    );
    outcome.published_row(
        "the same: least g'' + 2 alpha g' + beta^2 g",
        "m/s^2",
        ">= 0",
        Expected::at_least(-1e-9),
        least_slack,
    );
    outcome.published_row(
        "the same: largest product of both",
        "",
        "0",
        Expected::at_most(1e-9),
        product,
    );
    outcome.row(
        "the same: largest difference from the closed form",
        "N",
        Expected::at_most(1e-9),
        off,
    );
    Ok(())
}
