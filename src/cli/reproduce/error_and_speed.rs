//! The error that a step makes grows with the square of the speed: of joints, and of contacts.
//!
//! Source: Cline and Pai 2003, figures 3 and 8 and what the text says of them.

use super::experiment::{Context, Experiment};
use super::outcome::{Expected, Outcome};
use super::simulate::{self, largest_anchor_error};
use crate::experiments::curve::Curve;
use crate::plot::{Axis, Plot, Series};
use drystone::Result;
use drystone::math::{Pose, Quat, Vec3};
use drystone::scene::Scene;
use drystone::stabilize::{Scheme, Stabilization};
use drystone::world::{Body, Shape, World};
use std::f64::consts::FRAC_PI_4;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "error_and_speed",
    title: "The error grows rapidly when bodies move quickly",
    source: "Cline and Pai 2003, section VI, figures 3, 8 and 9",
    run: reproduce,
};

/// Speeds `[rad/s]`, each twice the one before.
const SPEEDS: [f64; 5] = [0.5, 1.0, 2.0, 4.0, 8.0];

fn reproduce(context: &Context) -> Result<Outcome> {
    let scene = simulate::scene("chain6")?;
    let mut outcome = Outcome::default();
    let (mut joints, mut contacts) = (Vec::new(), Vec::new());
    for speed in SPEEDS {
        joints.push((speed, of_chain(context, &scene, speed)?));
        contacts.push((speed, of_contact(context, &scene, speed)?));
    }
    for (name, curve) in [
        ("figure 3: joints of a turning chain", &joints),
        (
            "figures 8 and 9: a face that turns and slides over an edge",
            &contacts,
        ),
    ] {
        let (first, last) = (curve[0], curve[curve.len() - 1]);
        outcome.published_row(
            format!("{name}: order of a step's error in the speed"),
            "",
            "grows rapidly",
            Expected::near(2.0, 0.1),
            (last.1 / first.1).ln() / (last.0 / first.0).ln(),
        );
    }
    rates(context, &mut outcome)?;
    outcome.plots.push(Plot {
        name: "speed",
        title: "Error of one step without stabilization, h = 1 ms".into(),
        x: Axis::logarithmic("speed [rad/s]"),
        y: Axis::logarithmic("error [m]"),
        series: vec![
            Series::new("joints of a chain", joints),
            Series::new("face on an edge", contacts),
        ],
        seen: "Both grow with the square of the speed.".into(),
    });
    Ok(outcome)
}

/// Error of the joints after a step of a straight chain that turns about its pin.
fn of_chain(context: &Context, scene: &Scene, speed: f64) -> Result<f64> {
    let mut world = scene.world.clone();
    world.gravity = Vec3::zeros();
    let turning = Vec3::y() * speed;
    for body in &mut world.bodies {
        body.linear_velocity = turning.cross(&body.pose.position);
        body.angular_velocity = turning;
    }
    let mut error = 0.0;
    one_step(context, scene, &world, |world| {
        error = largest_anchor_error(world);
    })?;
    Ok(error)
}

/// Penetration after a step of a plank that turns on an edge and slides over it.
fn of_contact(context: &Context, scene: &Scene, speed: f64) -> Result<f64> {
    let mut world = World::new(Vec3::zeros());
    world.materials[0].friction = 0.0;
    let edge_up = Quat::from_scaled_axis(Vec3::y() * FRAC_PI_4);
    let ledge = Shape::Box {
        half_extents: Vec3::new(0.1, 0.1, 0.1),
    };
    let top = 0.1 * 2.0_f64.sqrt();
    world.add(Body::fixed(
        ledge,
        Pose::new(Vec3::new(0.0, 0.0, -top), edge_up),
    ))?;
    let plank = Shape::Box {
        half_extents: Vec3::new(0.5, 0.05, 0.05),
    };
    let pose = Pose::new(Vec3::z() * 0.05, Quat::identity());
    // The point on the edge slides along the face, and the face turns under it.
    let turning = Vec3::y() * speed;
    let slide = Vec3::x() * speed;
    let at_center = slide + turning.cross(&(Vec3::z() * 0.05));
    world.add(Body::dynamic_with_mass(plank, pose, 1.0)?.moving(at_center, turning))?;
    let mut error = 0.0;
    one_step(context, scene, &world, |world| {
        let face = world.bodies[1].pose;
        // The edge's distance from the lower face, negative inside.
        error = (face.inverse_point(&Vec3::zeros()).z + 0.05).abs();
    })?;
    Ok(error)
}

fn one_step(
    context: &Context,
    scene: &Scene,
    world: &World,
    mut measure: impl FnMut(&World),
) -> Result<()> {
    let settings = simulate::settings(context, scene, Stabilization::both(Scheme::None));
    let h = settings.time_step;
    context.run("error_and_speed", world, &settings, h, |moment| {
        measure(moment.world);
    })?;
    Ok(())
}

/// The stairs of figure 3: how fast the error changes while the chain is fast, and while it is slow.
fn rates(context: &Context, outcome: &mut Outcome) -> Result<()> {
    let scene = simulate::scene("chain6_g80")?;
    let settings = simulate::settings(context, &scene, Stabilization::both(Scheme::None));
    let h = settings.time_step;
    let duration = scene.steps as f64 * h;
    // Change of the error over the energy of motion.
    let mut points: Curve = Vec::new();
    let mut before = 0.0;
    context.run(
        "error_and_speed",
        &scene.world,
        &settings,
        duration,
        |moment| {
            let error = largest_anchor_error(moment.world);
            points.push((moment.report.energy.kinetic, (error - before).abs() / h));
            before = error;
        },
    )?;
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let quarter = points.len() / 4;
    let mean = |part: &[(f64, f64)]| part.iter().map(|p| p.1).sum::<f64>() / part.len() as f64;
    outcome.published_row(
        "figure 3, g = 80: mean rate of the error in the fastest quarter of the steps over that in the slowest",
        "",
        "stair steps",
        Expected::at_least(2.0),
        mean(&points[points.len() - quarter..]) / mean(&points[..quarter]),
    );
    Ok(())
}
