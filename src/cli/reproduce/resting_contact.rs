//! Resting contact: contacts by the features that meet, the coefficients of their problem, and forces that go at once.
//!
//! Source: Baraff, SIGGRAPH course notes 1997, sections 7.1, 8 and 9 and appendix D.

use super::bodies::{corners, cuboid, ground, solid_box};
use super::experiment::{Context, Experiment};
use super::outcome::{Expected, Outcome};
use drystone::Result;
use drystone::collide::{EventLimits, Features, events};
use drystone::event::{EventSettings, EventStepper, Impacts};
use drystone::internals::collide::separation;
use drystone::internals::event::{RestingContact, RestingSystem, resting_system};
use drystone::math::{Pose, Quat, Vec3};
use drystone::measure::infeasibility;
use drystone::world::{Body, Load, Material, Shape, World};
use nalgebra::DVector;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::f64::consts::FRAC_PI_4;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "resting_contact",
    title: "Contacts of features, the coefficients a_ij and b_i, and forces that go at once",
    source: "Baraff, SIGGRAPH course notes 1997, sections 7.1, 8 and 9, figure 26, appendix D",
    run: reproduce,
};

const G: f64 = 9.81;
/// Random pairs of bodies of each kind of contact.
const PAIRS: usize = 40;
/// Time of the finite differences `[s]`.
const STEP: f64 = 1e-4;

fn reproduce(_: &Context) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    features(&mut outcome)?;
    lowered_cubes(&mut outcome)?;
    five_contacts(&mut outcome)?;
    rates(&mut outcome)?;
    wind(&mut outcome)?;
    stack(&mut outcome)?;
    outcome.note(
        "The printed compute_aij has a sign of a torque the wrong way and products that should be cross products, as have compute_ndot and \
         compute_b_vector; nothing else is missing in them.",
    );
    Ok(outcome)
}

/// A cube and a table: four corners on its face, or two of these and two pairs of edges over its rim.
fn features(outcome: &mut Outcome) -> Result<()> {
    let cube = |half: f64| solid_box(&Vec3::repeat(half));
    let (small, table) = (cube(0.5)?, cube(5.0)?);
    let limits = EventLimits {
        active: 1e-9,
        near: 1e-9,
        lateral: 1e-9,
        merge: 1e-4,
    };
    for (name, x, corners, edges) in [
        ("cube on a plane face", 0.3, 4.0, 0.0),
        ("cube that hangs over the rim", 4.8, 2.0, 2.0),
    ] {
        let pose = Pose::new(Vec3::new(x, 0.3, 5.5), Quat::identity());
        let found = events([&small, &table], [&pose, &Pose::identity()], &limits)?;
        let of = |wanted: fn(&Features) -> bool| {
            found.iter().filter(|event| wanted(&event.features)).count() as f64
        };
        let on_faces = of(|features| matches!(features, Features::CornerOfFirst { .. }));
        let crossing = of(|features| matches!(features, Features::Edges(_)));
        for (kind, expected, count) in [
            ("vertex/face contacts", corners, on_faces),
            ("edge/edge contacts", edges, crossing),
        ] {
            outcome.published_row(
                format!("section 8, {name}: {kind}, of {} in all", found.len()),
                "",
                format!("{expected}"),
                Expected::near(expected, 0.0),
                count,
            );
        }
    }
    Ok(())
}

/// Equal cubes, one lowered into the other: no vertex is inside, and no edge goes through a face.
fn lowered_cubes(outcome: &mut Outcome) -> Result<()> {
    let depth = 1e-3;
    let mut world = World::new(Vec3::zeros());
    for height in [0.0, 1.0 - depth] {
        world.add(cuboid(Vec3::repeat(0.5), height, 1.0)?)?;
    }
    let [lower, upper] = [0, 1].map(|body: usize| world.bodies[body].pose);
    let inside = |pose: &Pose, point: &Vec3| pose.inverse_point(point).amax() < 0.5 - 1e-12;
    let local = corners(&Vec3::repeat(0.5));
    // An edge goes through a face if a point of it is inside.
    let through = |from: &Pose, of: &Pose| {
        let edges = (0..8).flat_map(|k| (0..3).map(move |axis| (k, k ^ (1 << axis))));
        let points = edges.flat_map(|(k, l)| {
            let [a, b] = [k, l].map(|k| from.point(&local[k]));
            (0..=20).map(move |part| a + (b - a) * (f64::from(part) / 20.0))
        });
        points.filter(|point| inside(of, point)).count()
    };
    outcome.published_row(
        "section 7.1, footnote 6: equal cubes, one lowered by 1 mm: points of their vertices and edges inside the other",
        "",
        "none",
        Expected::near(0.0, 0.0),
        (through(&lower, &upper) + through(&upper, &lower)) as f64,
    );
    outcome.row(
        "the same: the depth that is found",
        "m",
        Expected::near(depth, 1e-12),
        {
            let cube = solid_box(&Vec3::repeat(0.5))?;
            -separation((&cube, &lower), (&cube, &upper))
        },
    );
    outcome.row(
        "the same: infeasibility by the ratio metric",
        "",
        Expected::near(depth / (1.0 - depth), 1e-9),
        infeasibility(&world),
    );
    Ok(())
}

/// Settings by which every pair that is near counts as a contact that rests.
fn every_contact(world: &World) -> EventSettings {
    EventSettings {
        contact_distance: 1e-2,
        gap_tolerance: 1e-9,
        resting_speed: f64::MAX,
        ..EventSettings::for_world(world, 1e-3)
    }
}

/// Spheres on the ground and on each other with the five contacts of figure 26.
fn five_contacts(outcome: &mut Outcome) -> Result<()> {
    let mut world = World::new(Vec3::new(0.0, 0.0, -G));
    world.materials[0].friction = 0.0;
    world.add(ground())?;
    // Two on the ground, one on both, one on that.
    let height = 0.5 + 0.36_f64.sqrt();
    for (x, z, mass) in [
        (-0.8, 0.5, 1.0),
        (0.8, 0.5, 2.0),
        (0.0, height, 3.0),
        (0.0, height + 1.0, 0.5),
    ] {
        let pose = Pose::new(Vec3::new(x, 0.0, z), Quat::identity());
        let radius = 0.5;
        world.add(Body::dynamic_with_mass(
            Shape::Sphere { radius },
            pose,
            mass,
        )?)?;
    }
    let stepper = EventStepper::new(&world, every_contact(&world))?;
    let system = resting_system(&stepper, &world)?;
    outcome.row(
        "figure 26: contacts of four spheres that rest on each other",
        "",
        Expected::near(5.0, 0.0),
        system.contacts.len() as f64,
    );
    let of = |bodies: [u32; 2]| {
        let mut found = system.contacts.iter();
        found.position(|contact| {
            contact.bodies == bodies || contact.bodies == [bodies[1], bodies[0]]
        })
    };
    let entry = |row: Option<usize>, column: Option<usize>| match (row, column) {
        (Some(row), Some(column)) => system.matrix[(row, column)],
        _ => f64::NAN,
    };
    let (first, last) = (of([0, 1]), of([3, 4]));
    for (name, value) in [("a_15", entry(first, last)), ("a_51", entry(last, first))] {
        outcome.published_row(
            format!(
                "figure 26: {name}, of the contact with the ground and that of the topmost body"
            ),
            "1/kg",
            "0",
            Expected::near(0.0, 0.0),
            value,
        );
    }
    let others = [of([1, 3]), of([2, 3])].map(|middle| entry(middle, last).abs());
    outcome.row(
        "figure 26: least | a_i5 | of the contacts of the body below the topmost",
        "1/kg",
        Expected::at_least(0.01),
        others.into_iter().fold(f64::INFINITY, f64::min),
    );
    Ok(())
}

/// Two boxes that meet at a corner on a face or at two edges, and move.
fn pair(random: &mut Pcg64, is_edges: bool) -> Result<World> {
    let mut world = World::new(Vec3::zeros());
    world.materials[0].friction = 0.0;
    let mut vector = |size: f64| Vec3::from_fn(|_, _| size * random.random_range(-1.0..1.0));
    let small = Quat::from_scaled_axis(vector(0.1));
    let half = Vec3::new(0.3, 0.25, 0.2);
    let (below, above) = if is_edges {
        // An edge along x under one along y.
        let low = Quat::from_scaled_axis(Vec3::x() * FRAC_PI_4);
        let high = Quat::from_scaled_axis(Vec3::y() * FRAC_PI_4);
        (small * low, Quat::from_scaled_axis(vector(0.1)) * high)
    } else {
        let tilt = Quat::from_scaled_axis(Vec3::new(0.6, 0.5, 0.0) + vector(0.1));
        (small, tilt)
    };
    let shape = Shape::Box { half_extents: half };
    world.add(Body::dynamic_with_mass(
        shape.clone(),
        Pose::new(Vec3::zeros(), below),
        2.0,
    )?)?;
    world.add(Body::dynamic_with_mass(
        shape,
        Pose::new(Vec3::z() * 2.0, above),
        1.0,
    )?)?;
    for body in &mut world.bodies {
        body.linear_velocity = vector(1.0);
        body.angular_velocity = vector(2.0);
    }
    // Lowered until they touch.
    let solid = solid_box(&half)?;
    for _ in 0..60 {
        let [p, q] = [0, 1].map(|body: usize| world.bodies[body].pose);
        world.bodies[1].pose.position.z -= separation((&solid, &p), (&solid, &q));
    }
    Ok(world)
}

/// Appendix D: a_ij beside the formula, speeds and accelerations of gaps beside finite differences.
fn rates(outcome: &mut Outcome) -> Result<()> {
    let mut random = Pcg64::seed_from_u64(61);
    for (name, is_edges) in [("vertex/face", false), ("edge/edge", true)] {
        let (mut matrix, mut speed, mut acceleration): (f64, f64, f64) = (0.0, 0.0, 0.0);
        let mut found = 0;
        for _ in 0..PAIRS {
            let world = pair(&mut random, is_edges)?;
            let stepper = EventStepper::new(&world, every_contact(&world))?;
            let system = resting_system(&stepper, &world)?;
            let Some(at) = nearest(&system, None) else {
                continue;
            };
            found += 1;
            for (i, first) in system.contacts.iter().enumerate() {
                for (j, second) in system.contacts.iter().enumerate() {
                    let expected = coupling(&world, first, second);
                    let off = (system.matrix[(i, j)] - expected).abs();
                    matrix = matrix.max(off / (1.0 + expected.abs()));
                }
            }
            // A force between the bodies at the contact.
            let force = random.random_range(1.0..10.0);
            let contact = system.contacts[at];
            let mut forces = DVector::zeros(system.contacts.len());
            forces[at] = force;
            let expected = (&system.matrix * forces + &system.offset)[at];
            let gap = |time: f64| -> Result<f64> {
                let moved = pushed(&world, &contact, force, time);
                let system = resting_system(&stepper, &moved)?;
                Ok(nearest(&system, Some(&contact)).map_or(f64::NAN, |at| system.contacts[at].gap))
            };
            let [low, middle, high] = [gap(-STEP)?, gap(0.0)?, gap(STEP)?];
            let by_difference = (high - low) / (2.0 * STEP);
            let off = (contact.speed - by_difference).abs() / (1.0 + by_difference.abs());
            speed = speed.max(off);
            let by_difference = (high - 2.0 * middle + low) / (STEP * STEP);
            let off = (expected - by_difference).abs() / (1.0 + by_difference.abs());
            acceleration = acceleration.max(off);
        }
        for (what, expected, measured) in [
            (
                "a_ij beside n . (F/m + (I^-1 T) x r) of both bodies",
                1e-12,
                matrix,
            ),
            ("d' beside finite differences", 1e-4, speed),
            (
                "d'' = a_ii f + b_i beside finite differences",
                1e-4,
                acceleration,
            ),
        ] {
            outcome.row(
                format!("appendix D, {found} {name} contacts: {what}, largest difference"),
                "",
                Expected::at_most(expected),
                measured,
            );
        }
    }
    Ok(())
}

/// The contact nearest to another one, or of least gap.
fn nearest(system: &RestingSystem, to: Option<&RestingContact>) -> Option<usize> {
    let distance = |contact: &RestingContact| {
        to.map_or(contact.gap.abs(), |to| (contact.point - to.point).norm())
    };
    let contacts = 0..system.contacts.len();
    contacts
        .min_by(|&a, &b| distance(&system.contacts[a]).total_cmp(&distance(&system.contacts[b])))
}

/// Appendix D's a_ij, with its errors put right: what a unit force of contact j adds to the acceleration of contact i.
fn coupling(world: &World, i: &RestingContact, j: &RestingContact) -> f64 {
    let mut sum = 0.0;
    for (end, sign) in [(0, 1.0), (1, -1.0)] {
        let body = &world.bodies[i.bodies[end] as usize];
        for (other, direction) in [(0, 1.0), (1, -1.0)] {
            if j.bodies[other] != i.bodies[end] {
                continue;
            }
            let force = j.normal * direction;
            let torque = (j.point - body.pose.position).cross(&force);
            let arm = i.point - body.pose.position;
            let turned = body.world_inverse_inertia() * torque;
            sum += sign
                * i.normal
                    .dot(&(force * body.mass.inverse_mass + turned.cross(&arm)));
        }
    }
    sum
}

/// The bodies after a short time, a force between them at a contact.
fn pushed(world: &World, contact: &RestingContact, force: f64, time: f64) -> World {
    let mut moved = world.clone();
    for (end, sign) in [(0, 1.0), (1, -1.0)] {
        let body = &mut moved.bodies[contact.bodies[end] as usize];
        let push = contact.normal * (sign * force);
        let torque = (contact.point - body.pose.position).cross(&push);
        let gyration = body
            .angular_velocity
            .cross(&(body.world_inertia() * body.angular_velocity));
        let turning = body.world_inverse_inertia() * (torque - gyration);
        let linear =
            body.linear_velocity * time + push * (0.5 * time * time * body.mass.inverse_mass);
        let angular = body.angular_velocity * time + turning * (0.5 * time * time);
        body.displace(&linear, &angular);
    }
    moved
}

/// Wind that lifts a block: its resting force is gone at once.
fn wind(outcome: &mut Outcome) -> Result<()> {
    let h = 0.01;
    for (force, expected) in [(5.0, G - 5.0), (20.0, 0.0)] {
        let mut world = World::new(Vec3::new(0.0, 0.0, -G));
        world.add(ground())?;
        let block = world.add(cuboid(Vec3::repeat(0.5), 0.5, 1.0)?)?;
        world.loads.push(Load {
            body: block,
            point: Vec3::zeros(),
            force: Vec3::z() * force,
            torque: Vec3::zeros(),
            from: h,
            until: f64::INFINITY,
            frequency: 0.0,
        });
        let mut stepper = EventStepper::new(&world, EventSettings::for_world(&world, h))?;
        let resting = |stepper: &EventStepper, world: &World| -> Result<f64> {
            let forces = stepper.contact_forces(world, h)?;
            Ok(forces.iter().map(|force| force.force.z.abs()).sum())
        };
        let before = resting(&stepper, &world)?;
        stepper.step(&mut world, h)?;
        outcome.published_row(
            format!("section 9: block of {G} N, at the instant at which an upward wind of {force} N sets in: resting force"),
            "N",
            if expected > 0.0 { "less" } else { "0 at that instant" },
            Expected::near(expected, 1e-6),
            resting(&stepper, &world)?,
        );
        if expected == 0.0 {
            outcome.row("the same, before it", "N", Expected::near(G, 1e-6), before);
        }
    }
    Ok(())
}

/// Impacts one after the other rest in the end.
fn stack(outcome: &mut Outcome) -> Result<()> {
    let mut world = World::new(Vec3::new(0.0, 0.0, -G));
    world.materials = vec![Material {
        friction: 0.0,
        restitution: 0.5,
    }];
    world.add(ground())?;
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
        "section 9: ten cubes on each other, 5 s: largest speed at the end",
        "m/s",
        Expected::at_most(1e-9),
        speeds.fold(0.0, f64::max),
    );
    Ok(())
}
