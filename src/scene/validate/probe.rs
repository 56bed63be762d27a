//! Probes: names, and numbers.

use super::number::{corners, direction, length, vector, within};
use super::{Names, identifier, taken};
use crate::error::{Error, Result};
use crate::scene::place::Place;
use crate::scene::schema::{Probe, SceneFile, Stepper};
use std::collections::HashMap;

pub(super) fn probes(file: &SceneFile, names: &Names<'_>, place: &Place<'_>) -> Result<()> {
    let mut known: HashMap<&str, usize> = HashMap::new();
    for (index, probe) in file.probes.iter().enumerate() {
        let place = place.at(index);
        if matches!(probe, Probe::EnergyBalance(_)) && file.simulation.stepper == Stepper::Event {
            return Err(place.key("type").error(
                "the event stepper has no impulses to add up",
                "expected another probe, or another stepper",
            ));
        }
        let name = self::probe(probe, names, &place)?;
        identifier(name, &place.key("name"), false)?;
        if let Some(start) = known.insert(name, place.key("name").start()) {
            return Err(taken(name, start, &place.key("name")));
        }
    }
    Ok(())
}

/// Checks a probe but for its name, which it gives.
fn probe<'a>(probe: &'a Probe, names: &Names<'_>, place: &Place<'_>) -> Result<&'a str> {
    let body = |name: &str| names.body(name, &place.key("body"));
    let reference = |name: &Option<String>| match name {
        Some(name) => names.body(name, &place.key("relative_to")),
        None => Ok(()),
    };
    match probe {
        Probe::Position(probe) | Probe::Velocity(probe) | Probe::Spin(probe) => {
            body(&probe.body)?;
            reference(&probe.relative_to)?;
            Ok(&probe.name)
        }
        Probe::Top(probe) => {
            body(&probe.body)?;
            reference(&probe.relative_to)?;
            Ok(&probe.name)
        }
        Probe::BedHeight(probe) => {
            let quantile = place.key("quantile");
            within(probe.quantile, 0.0, 1.0, "the quantile", &quantile)?;
            reference(&probe.relative_to)?;
            for (at, name) in probe.except.iter().enumerate() {
                names.bodies(name, &place.key("except").at(at))?;
            }
            Ok(&probe.name)
        }
        Probe::Momentum(probe) | Probe::EnergyBalance(probe) => Ok(&probe.name),
        Probe::Coordination(probe) => {
            match (&probe.min, &probe.max) {
                (Some(min), Some(max)) => corners(min, max, place)?,
                (None, None) => {}
                (Some(_), None) => return Err(half_a_box("min", "max", place)),
                (None, Some(_)) => return Err(half_a_box("max", "min", place)),
            }
            Ok(&probe.name)
        }
        Probe::Surface(probe) => {
            length(probe.cell, "the side of a cell", &place.key("cell"))?;
            if let Some([x, y]) = probe.center {
                vector(&[x, y, 0.0], &place.key("center"))?;
            }
            Ok(&probe.name)
        }
        Probe::Fabric(probe) | Probe::Stress(probe) | Probe::Packing(probe) => {
            corners(&probe.min, &probe.max, place)?;
            Ok(&probe.name)
        }
        Probe::ContactForce(probe) | Probe::Power(probe) => {
            body(&probe.body)?;
            Ok(&probe.name)
        }
        // Joints of chains and instances are there only when these are made.
        Probe::JointForce(probe) => Ok(&probe.name),
        Probe::Beyond(probe) => {
            vector(&probe.point, &place.key("point"))?;
            direction(&probe.normal, "the normal", &place.key("normal"))?;
            Ok(&probe.name)
        }
        Probe::Mean(probe) => {
            for (at, name) in probe.bodies.iter().enumerate() {
                names.bodies(name, &place.key("bodies").at(at))?;
            }
            Ok(&probe.name)
        }
    }
}

/// A corner of a box without the other.
fn half_a_box(given: &str, missing: &str, place: &Place<'_>) -> Error {
    place.key(given).error(
        format!("a box has two corners, and there is no `{missing}`"),
        format!("expected `{missing}` as well, or neither"),
    )
}
