//! The equations of motion and their derivatives, by finite differences of what the program computes.
//!
//! Source: Baraff, SIGGRAPH course notes 1997, appendices A, B and C.

use super::bodies::corners;
use super::experiment::{Context, Experiment};
use super::outcome::{Expected, Outcome};
use drystone::Result;
use drystone::event::{EventSettings, EventStepper};
use drystone::math::{Mat3, Pose, Quat, Vec3};
use drystone::measure::{energy, momentum};
use drystone::world::{Body, Load, MassProperties, Shape, World};
use nalgebra::Quaternion;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "motion_derivatives",
    title: "Appendices A to C: momentum, inertia, rotation, energy, and accelerations of points",
    source: "Baraff, SIGGRAPH course notes 1997, appendices A to C (from page D55 on)",
    run: reproduce,
};

/// Half extents of the body `[m]`.
const HALF: [f64; 3] = [0.4, 0.25, 0.1];
const MASS: f64 = 2.0;
/// Time of the differences `[s]`.
const STEP: f64 = 1e-4;

fn reproduce(_: &Context) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let force = Vec3::new(1.0, -2.0, 0.5);
    let torque = Vec3::new(0.1, 0.05, -0.2);
    let mut world = World::new(Vec3::zeros());
    let pose = Pose::new(
        Vec3::new(0.3, -0.2, 0.5),
        Quat::from_euler_angles(0.4, 0.7, -0.3),
    );
    let shape = Shape::Box {
        half_extents: Vec3::from(HALF),
    };
    let spin = Vec3::new(3.0, -2.0, 5.0);
    let body = Body::dynamic_with_mass(shape, pose, MASS)?.moving(Vec3::new(1.0, 0.5, -0.7), spin);
    world.add(body)?;
    world.loads.push(Load {
        body: 0,
        point: Vec3::zeros(),
        force,
        torque,
        from: 0.0,
        until: f64::INFINITY,
        frequency: 0.0,
    });
    // Three states, a step apart; the middle one is where the formulas are.
    let settings = EventSettings::for_world(&world, STEP);
    let mut stepper = EventStepper::new(&world, settings)?;
    let mut states = vec![world.clone()];
    for _ in 0..2 {
        stepper.step(&mut world, STEP)?;
        states.push(world.clone());
    }
    let body = |at: usize| -> &Body { &states[at].bodies[0] };
    let middle = body(1);
    let relative = |found: Vec3, expected: Vec3| (found - expected).norm() / expected.norm();

    let momenta: Vec<_> = states.iter().map(momentum).collect();
    outcome.row(
        "A-14: P' = F, relative difference",
        "",
        Expected::at_most(1e-9),
        relative(
            (momenta[2].linear - momenta[0].linear) / (2.0 * STEP),
            force,
        ),
    );
    // About the centre of mass.
    let own = |at: usize| body(at).world_inertia() * body(at).angular_velocity;
    outcome.row(
        "A-26: L' = tau, relative difference",
        "",
        Expected::at_most(1e-9),
        relative((own(2) - own(0)) / (2.0 * STEP), torque),
    );
    let turning = (body(2).world_inertia() - body(0).world_inertia()) / (2.0 * STEP);
    let omega = middle.angular_velocity;
    let alpha = (body(2).angular_velocity - body(0).angular_velocity) / (2.0 * STEP);
    outcome.row(
        "A-25: I' w + I w' = tau, relative difference",
        "",
        Expected::at_most(1e-4),
        relative(turning * omega + middle.world_inertia() * alpha, torque),
    );
    particles(&mut outcome, middle, &states[1])?;
    rotation(&mut outcome, middle);
    let inverse =
        (body(2).world_inverse_inertia() - body(0).world_inverse_inertia()) / (2.0 * STEP);
    let star = star(&omega);
    let expected = star * middle.world_inverse_inertia() - middle.world_inverse_inertia() * star;
    outcome.row(
        "C-8: (I^-1)' = w* I^-1 - I^-1 w*, relative difference",
        "",
        Expected::at_most(1e-6),
        (inverse - expected).norm() / expected.norm(),
    );
    let expected = middle.world_inverse_inertia() * (own(1).cross(&omega) + torque);
    outcome.row(
        "C-10: w' = I^-1 (L x w + tau), relative difference",
        "",
        Expected::at_most(1e-6),
        relative(alpha, expected),
    );
    let local = Vec3::new(0.4, -0.25, 0.1);
    let point = |at: usize| body(at).pose.point(&local);
    let found = (point(2) - point(1) * 2.0 + point(0)) / (STEP * STEP);
    let arm = middle.pose.direction(&local);
    let acceleration = expected.cross(&arm) + omega.cross(&omega.cross(&arm)) + force / MASS;
    outcome.row(
        "C-12: p'' = w' x r + w x (w x r) + v', relative difference",
        "",
        Expected::at_most(1e-6),
        relative(found, acceleration),
    );
    outcome.row(
        "C-11: p' = w x r + v, relative difference",
        "",
        Expected::at_most(1e-6),
        relative(
            (point(2) - point(0)) / (2.0 * STEP),
            middle.velocity_at(&point(1)),
        ),
    );
    outcome.note(
        "A box of 2 kg that tumbles under a constant force and torque, moved by the event stepper; differences over 1e-4 s before and after. Its eight \
         particles stand at 1/sqrt(3) of its half extents, which gives them the moments of the solid. Printed A-18 has a minus too many.",
    );
    Ok(outcome)
}

/// The matrix of `a x`.
fn star(a: &Vec3) -> Mat3 {
    a.cross_matrix()
}

/// Sums over particles beside what is known of the solid.
fn particles(outcome: &mut Outcome, body: &Body, world: &World) -> Result<()> {
    let share = MASS / 8.0;
    let points = corners(&(Vec3::from(HALF) / 3.0_f64.sqrt()));
    let arms: Vec<Vec3> = points
        .iter()
        .map(|point| body.pose.direction(point))
        .collect();
    let inertia: Mat3 = arms.iter().map(|r| -star(r) * star(r) * share).sum();
    let known = body.world_inertia();
    outcome.row(
        "A-20: I = sum -m r* r* over particles, relative difference",
        "",
        Expected::at_most(1e-12),
        (inertia - known).norm() / known.norm(),
    );
    let (by_density, _) =
        MassProperties::from_density(&body.shape, MASS / (8.0 * HALF.iter().product::<f64>()))?;
    outcome.row(
        "the same of the body's density",
        "",
        Expected::at_most(1e-12),
        (by_density.inertia - body.mass.inertia).norm() / body.mass.inertia.norm(),
    );
    let kinetic = arms.iter().map(|r| {
        let velocity = body.linear_velocity + body.angular_velocity.cross(r);
        0.5 * share * velocity.norm_squared()
    });
    let known = energy(world).kinetic;
    outcome.row(
        "C-3: T = (v M v + w I w) / 2 beside the sum over particles, relative difference",
        "",
        Expected::at_most(1e-12),
        (kinetic.sum::<f64>() - known).abs() / known,
    );
    Ok(())
}

/// Appendix B: the derivative of the quaternion.
fn rotation(outcome: &mut Outcome, body: &Body) {
    let turned = |time: f64| -> Quaternion<f64> {
        let mut turned = body.clone();
        turned.displace(&Vec3::zeros(), &(body.angular_velocity * time));
        *turned.pose.orientation.quaternion()
    };
    let found = (turned(STEP) - turned(-STEP)) / (2.0 * STEP);
    let expected =
        Quaternion::from_imag(body.angular_velocity) * *body.pose.orientation.quaternion() * 0.5;
    outcome.row(
        "appendix B: q' = w q / 2, relative difference",
        "",
        Expected::at_most(1e-6),
        (found - expected).norm() / expected.norm(),
    );
}
