//! Stopping where bodies collide: times of collision by halving and by a predictor, and how high bodies rise again.
//!
//! Source: Baraff, *Physically Based Modeling*, SIGGRAPH course notes 1997, sections 6 and 8.

use super::bodies::{cuboid, ground};
use super::experiment::{Context, Experiment};
use super::outcome::{Expected, Outcome};
use crate::args::ExperimentBackend;
use drystone::Result;
use drystone::event::{EventSettings, EventStepper, TimeSearch};
use drystone::math::{Mat3, Vec3};
use drystone::world::{MassProperties, Material, World};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "event_stepper",
    title: "Collisions at their times, by halving and by a predictor",
    source: "Baraff, SIGGRAPH course notes 1997, sections 6 and 8, figures 13 and 14, eq. 8-10",
    run,
};

const G: f64 = 9.81;

fn run(context: &Context) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    tumbling_box(&mut outcome)?;
    drops(&mut outcome)?;
    outcome.note(
        "The notes give no numbers for these set-ups; the time of the tumbling box was computed beforehand by another program.",
    );
    if context.backend != ExperimentBackend::Cpu {
        outcome.note("The event stepper pivots in f64 on the CPU, whatever the backend.");
    }
    Ok(outcome)
}

fn world(restitution: f64) -> Result<World> {
    let mut world = World::new(Vec3::new(0.0, 0.0, -G));
    world.materials = vec![Material {
        friction: 0.0,
        restitution,
    }];
    world.add(ground())?;
    Ok(world)
}

fn tumbling_box(outcome: &mut Outcome) -> Result<()> {
    let mut trials = Vec::new();
    for (name, search) in [
        ("halving", TimeSearch::Bisection),
        ("the predictor", TimeSearch::Predictor),
    ] {
        let mut world = world(0.0)?;
        let mut body = cuboid(Vec3::new(0.2, 0.1, 0.05), 1.0, 1.0)?;
        body.mass = MassProperties::new(1.0, Mat3::from_diagonal(&Vec3::new(0.01, 0.02, 0.03)))?;
        body.angular_velocity = Vec3::new(1.0, 2.0, 0.5);
        world.add(body)?;
        let h = 0.01;
        let settings = EventSettings {
            search,
            gap_tolerance: 1e-9,
            ..EventSettings::for_world(&world, h)
        };
        let mut stepper = EventStepper::new(&world, settings)?;
        let mut states = 0;
        let mut found = f64::NAN;
        for _ in 0..100 {
            let report = stepper.step(&mut world, h)?;
            states += report.trials;
            if let Some(at) = report.collisions.first() {
                found = *at;
                break;
            }
        }
        outcome.row(
            format!("section 6, tumbling box: time of its collision by {name}"),
            "s",
            Expected::near(0.402_380_399_4, 1e-8),
            found,
        );
        trials.push(f64::from(states));
    }
    outcome.published_row(
        "section 6, tumbling box: states computed by halving over those by the predictor",
        "",
        "faster",
        Expected::at_least(2.0),
        trials[0] / trials[1],
    );
    Ok(())
}

/// A box that falls onto its face: how high it rises again, and the energy that it loses.
fn drops(outcome: &mut Outcome) -> Result<()> {
    for restitution in [0.0, 0.5, 1.0] {
        let mut world = world(restitution)?;
        world.add(cuboid(Vec3::repeat(0.1), 1.1, 2.0)?)?;
        let h = 0.01;
        let settings = EventSettings::for_world(&world, h);
        let mut stepper = EventStepper::new(&world, settings)?;
        let mut highest: f64 = 0.0;
        for _ in 0..60 {
            stepper.step(&mut world, h)?;
            let body = &world.bodies[1];
            if world.time > (2.0 / G).sqrt() {
                let rising = body.linear_velocity.z.max(0.0);
                highest = highest.max(body.pose.position.z - 0.1 + rising * rising / (2.0 * G));
            }
        }
        outcome.row(
            format!("eq. 8-10, box dropped by 1 m, e = {restitution}: height that it rises to"),
            "m",
            Expected::near(restitution * restitution, 1e-6),
            highest,
        );
    }
    Ok(())
}
