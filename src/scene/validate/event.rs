//! Checks of what the event stepper is asked to do.

use super::count;
use super::number::{not_negative, positive};
use crate::error::Result;
use crate::scene::place::Place;
use crate::scene::schema::{Body, SceneFile, Shape, Solver, Stabilization, Stepper};

/// Settings of the event stepper, and those that it has no use for.
pub(super) fn event(file: &SceneFile, root: &Place<'_>) -> Result<()> {
    let place = root.key("event");
    if file.simulation.stepper != Stepper::Event {
        return match file.event {
            Some(_) => Err(place.error(
                "settings of the event stepper in a scene that does not use it",
                "expected `stepper = \"event\"` under [simulation], or no [event]",
            )),
            None => Ok(()),
        };
    }
    let given = file.event.unwrap_or_default();
    if !given.velocity_steps {
        for (key, is_given) in [
            ("solver", file.solver != Solver::default()),
            (
                "stabilization",
                file.stabilization != Stabilization::default(),
            ),
        ] {
            if is_given {
                return Err(root.key(key).error(
                    "the event stepper has no velocity problems",
                    format!("expected no [{key}], or `velocity_steps = true` under [event]"),
                ));
            }
        }
    }
    for (key, value) in [
        ("contact_distance", given.contact_distance),
        ("gap_tolerance", given.gap_tolerance),
        ("omega0", given.omega0),
    ] {
        positive(value, "it", &place.key(key))?;
    }
    for (key, value) in [
        ("resting_speed", given.resting_speed),
        ("alpha", given.alpha),
        ("beta", given.beta),
        ("zeta", given.zeta),
    ] {
        not_negative(value, "it", &place.key(key))?;
    }
    let oscillator = given.omega0.is_some() || given.zeta.is_some();
    let constants = given.alpha.is_some() || given.beta.is_some();
    if oscillator && constants
        || given.omega0.is_some() != given.zeta.is_some()
        || given.alpha.is_some() != given.beta.is_some()
    {
        return Err(place.error(
            "Baumgarte's constants are not given as one pair",
            "expected `alpha` and `beta`, or `omega0` and `zeta`",
        ));
    }
    if let Some(most) = given.max_events {
        count(
            u64::from(most),
            u64::from(u32::MAX),
            "events",
            &place.key("max_events"),
        )?;
    }
    contents(file, root)
}

/// Shapes that it does not know, wherever they are given.
fn contents(file: &SceneFile, root: &Place<'_>) -> Result<()> {
    bodies(&file.bodies, &root.key("body"))?;
    for (index, template) in file.templates.iter().enumerate() {
        let place = root.key("template").at(index);
        bodies(&template.bodies, &place.key("body"))?;
    }
    for (index, fill) in file.fills.iter().enumerate() {
        let place = root.key("fill").at(index).key("shapes");
        for (index, mixed) in fill.shapes.iter().enumerate() {
            shape(&mixed.shape, &place.at(index).key("shape"))?;
        }
    }
    for (index, chain) in file.chains.iter().enumerate() {
        let place = root.key("chain").at(index);
        shape(&chain.shape, &place.key("shape"))?;
    }
    Ok(())
}

fn bodies(bodies: &[Body], place: &Place<'_>) -> Result<()> {
    for (index, body) in bodies.iter().enumerate() {
        shape(&body.shape, &place.at(index).key("shape"))?;
    }
    Ok(())
}

fn shape(shape: &Shape, place: &Place<'_>) -> Result<()> {
    match shape {
        Shape::Sphere(_)
        | Shape::Box(_)
        | Shape::HalfSpace(_)
        | Shape::Capsule(_)
        | Shape::Cylinder(_)
        | Shape::Cone(_)
        | Shape::Polyhedron(_)
        | Shape::Prism(_)
        | Shape::Regular(_)
        | Shape::Rock(_)
        | Shape::Wedge(_) => Ok(()),
        Shape::Compound(compound) => {
            for (index, part) in compound.parts.iter().enumerate() {
                self::shape(&part.shape, &place.key("parts").at(index).key("shape"))?;
            }
            Ok(())
        }
        Shape::Mesh(_) | Shape::HeightField(_) | Shape::Revolution(_) => Err(place.error(
            "the event stepper has no contacts of meshes",
            "expected another shape, or another stepper",
        )),
    }
}
