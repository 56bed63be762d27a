//! Stopping where bodies collide: times, impulses, resting forces and Baumgarte's constants at the level of accelerations.
//!
//! Source: Baraff, *Physically Based Modeling*, SIGGRAPH course notes 1997, sections 6 to 9; Drake's note on constraint stabilization.

use super::experiment::{Context, Experiment};
use super::outcome::{Expected, Outcome};
use crate::args::ExperimentBackend;
use crate::plot::{Axis, Plot, Series};
use drystone::Result;
use drystone::event::{EventSettings, EventStepper, Feedback, Impacts, TimeSearch};
use drystone::math::{Mat3, Pose, Quat, Vec3};
use drystone::measure::infeasibility;
use drystone::world::joint::{Joint, JointKind};
use drystone::world::{Body, Load, MassProperties, Material, Shape, World};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "event_stepper",
    title: "Collisions at their times, impulses, resting contact, and Baumgarte's constants",
    source: "Baraff, SIGGRAPH course notes 1997, sections 6-9, eqs 8-18 and 9-1 ff.; Drake, note on constraint stabilization",
    run,
};

const G: f64 = 9.81;

fn run(context: &Context) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    tumbling_box(&mut outcome)?;
    drops(&mut outcome)?;
    orders_of_impacts(&mut outcome);
    lowered_cubes(&mut outcome)?;
    resting(&mut outcome)?;
    oscillators(&mut outcome)?;
    outcome.note(
        "The notes give no numbers for these set-ups; the time of the tumbling box was computed beforehand by another program.",
    );
    outcome.note(
        "Printed code and text of the notes have errors that are put right here: products in a_ij and b_i that should be cross products, the \
         sign of a torque, and a parenthesis of eqs 8-13 and 8-14.",
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
    let ground = Shape::HalfSpace {
        normal: Vec3::z(),
        offset: 0.0,
    };
    world.add(Body::fixed(ground, Pose::identity()))?;
    Ok(world)
}

fn cuboid(half_extents: Vec3, height: f64, mass: f64) -> Result<Body> {
    let pose = Pose::new(Vec3::z() * height, Quat::identity());
    Body::dynamic_with_mass(Shape::Box { half_extents }, pose, mass)
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
            format!("tumbling box: time of its collision by {name}"),
            "s",
            Expected::near(0.402_380_399_4, 1e-8),
            found,
        );
        trials.push(f64::from(states));
    }
    outcome.published_row(
        "tumbling box: states computed by halving over those by the predictor",
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
            format!("box dropped by 1 m, e = {restitution}: height that it rises to"),
            "m",
            Expected::near(restitution * restitution, 1e-6),
            highest,
        );
    }
    Ok(())
}

/// A flat cube that hits with four corners at once: impulses of eq. 8-18 one after the other, in all orders, and all together.
fn orders_of_impacts(outcome: &mut Outcome) {
    let restitution = 0.5;
    let corners: Vec<Vec3> = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]
        .iter()
        .map(|&(x, y)| Vec3::new(x, y, -0.5))
        .collect();
    let (mass, inertia) = (1.0, 1.0 / 6.0);
    let mut spins: Vec<f64> = Vec::new();
    let mut order = [0, 1, 2, 3];
    permutations(&mut order, 0, &mut |order| {
        let (mut v, mut omega) = (Vec3::new(0.0, 0.0, -1.0), Vec3::zeros());
        for _ in 0..10_000 {
            let mut is_parted = true;
            for &corner in order {
                let arm = corners[corner];
                let speed = Vec3::z().dot(&(v + omega.cross(&arm)));
                if speed >= -1e-9 {
                    continue;
                }
                is_parted = false;
                let torque = arm.cross(&Vec3::z());
                let give = 1.0 / mass + torque.norm_squared() / inertia;
                let impulse = -(1.0 + restitution) * speed / give;
                v += Vec3::z() * (impulse / mass);
                omega += torque * (impulse / inertia);
            }
            if is_parted {
                break;
            }
        }
        spins.push(omega.norm());
    });
    let (least, largest) = spins
        .iter()
        .fold((f64::INFINITY, 0.0_f64), |(a, b), &spin| {
            (a.min(spin), b.max(spin))
        });
    outcome.published_row(
        format!(
            "flat cube, e = 0.5, one corner after the other, {} orders: largest spin afterwards",
            spins.len()
        ),
        "rad/s",
        "depends on the order",
        Expected::at_least(0.1),
        largest,
    );
    outcome.row(
        "the same: largest spin over the smallest",
        "",
        Expected::at_least(1.0 + 1e-9),
        largest / least.max(f64::MIN_POSITIVE),
    );
    outcome.note(
        "One corner after the other leaves a flat cube spinning, in directions that depend on the order, though all is symmetric; all corners \
         together by the complementarity problem leave none (the heights above).",
    );
}

fn permutations(order: &mut [usize; 4], from: usize, visit: &mut impl FnMut(&[usize; 4])) {
    if from == order.len() {
        visit(order);
        return;
    }
    for at in from..order.len() {
        order.swap(from, at);
        permutations(order, from + 1, visit);
        order.swap(from, at);
    }
}

/// Equal cubes, one lowered into the other: no vertex is inside, and no edge goes through a face.
fn lowered_cubes(outcome: &mut Outcome) -> Result<()> {
    let mut world = World::new(Vec3::zeros());
    for height in [0.0, 0.999] {
        world.add(cuboid(Vec3::repeat(0.5), height, 1.0)?)?;
    }
    outcome.published_row(
        "equal cubes, one lowered by 1 mm into the other: depth of the ratio metric",
        "",
        "no vertex inside, no edge through a face",
        Expected::near(0.001 / 0.999, 1e-9),
        infeasibility(&world),
    );
    Ok(())
}

fn resting(outcome: &mut Outcome) -> Result<()> {
    // A cube that hangs over the rim of a table: two corners on its face, two edges across its rim.
    let mut table = World::new(Vec3::new(0.0, 0.0, -G));
    let top = Shape::Box {
        half_extents: Vec3::repeat(5.0),
    };
    table.add(Body::fixed(top, Pose::identity()))?;
    let mut cube = cuboid(Vec3::repeat(0.5), 5.5, 1.0)?;
    cube.pose.position.x = 4.8;
    table.add(cube)?;
    let h = 0.01;
    let stepper = EventStepper::new(&table, EventSettings::for_world(&table, h))?;
    let forces = stepper.contact_forces(&table, h)?;
    let on_rim = forces
        .iter()
        .filter(|force| (force.point.x - 5.0).abs() < 1e-9);
    outcome.published_row(
        "cube that hangs over a table's rim: contacts of edges, of four",
        "",
        "2 and 2",
        Expected::near(2.0, 0.0),
        on_rim.count() as f64 + if forces.len() == 4 { 0.0 } else { f64::NAN },
    );
    // Wind that lifts a block: its resting force is gone at once.
    for (force, expected) in [(5.0, G - 5.0), (20.0, 0.0)] {
        let mut world = world(0.0)?;
        let block = world.add(cuboid(Vec3::repeat(0.5), 0.5, 1.0)?)?;
        world.loads.push(Load {
            body: block,
            point: Vec3::zeros(),
            force: Vec3::z() * force,
            torque: Vec3::zeros(),
            from: 0.0,
            until: f64::INFINITY,
            frequency: 0.0,
        });
        let stepper = EventStepper::new(&world, EventSettings::for_world(&world, h))?;
        let forces = stepper.contact_forces(&world, h)?;
        outcome.row(
            format!("block of {G} N in an upward wind of {force} N: its resting force"),
            "N",
            Expected::near(expected, 1e-9),
            forces.iter().map(|force| force.force.z.abs()).sum(),
        );
    }
    // Both ways to treat impacts rest in the end.
    let mut world = world(0.5)?;
    for k in 0..10 {
        world.add(cuboid(Vec3::repeat(0.5), 0.5 + f64::from(k), 1.0)?)?;
    }
    let settings = EventSettings {
        impacts: Impacts::Sequential,
        ..EventSettings::for_world(&world, 1.0 / 60.0)
    };
    let mut stepper = EventStepper::new(&world, settings)?;
    for _ in 0..300 {
        stepper.step(&mut world, 1.0 / 60.0)?;
    }
    let speeds = world.bodies.iter().map(|body| body.linear_velocity.norm());
    outcome.row(
        "ten cubes on each other, 5 s: largest speed at the end",
        "m/s",
        Expected::at_most(1e-9),
        speeds.fold(0.0, f64::max),
    );
    Ok(())
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
                "joint off by 1, zeta = 0.5: overshoot",
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
