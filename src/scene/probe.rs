//! Probes of a scene, once its bodies and joints are there.

use super::build::Builder;
use super::place::Place;
use super::schema;
use super::vectors::{bounds, vector};
use crate::error::Result;
use crate::math::Aabb;
use crate::measure::{Probe, ProbeKind};

/// The probes of a scene file.
///
/// # Errors
/// [`Error::Scene`](crate::Error::Scene) for what cannot be measured.
pub(super) fn probes(
    builder: &Builder,
    given: &[schema::Probe],
    place: &Place<'_>,
) -> Result<Vec<Probe>> {
    let probes = given.iter().enumerate();
    probes
        .map(|(index, given)| probe(builder, given, &place.at(index)))
        .collect()
}

fn probe(builder: &Builder, given: &schema::Probe, place: &Place<'_>) -> Result<Probe> {
    let (name, relative_to, kind) = match given {
        schema::Probe::Position(probe) => {
            let body = builder.frame_of(&probe.body)?;
            let kind = ProbeKind::Position { body };
            (&probe.name, probe.relative_to.as_deref(), kind)
        }
        schema::Probe::Velocity(probe) => {
            let body = builder.frame_of(&probe.body)?;
            let kind = ProbeKind::Velocity { body };
            (&probe.name, probe.relative_to.as_deref(), kind)
        }
        schema::Probe::Spin(probe) => {
            let body = builder.frame_of(&probe.body)?;
            let kind = ProbeKind::Spin { body };
            (&probe.name, probe.relative_to.as_deref(), kind)
        }
        schema::Probe::Top(probe) => {
            let body = builder.frame_of(&probe.body)?;
            let reach = builder.world.bodies[body as usize].shape.bounding_radius();
            if !reach.is_finite() {
                return Err(place.key("body").error(
                    format!("`{}` has no highest point", probe.body),
                    "expected a body without half-spaces",
                ));
            }
            let axis = probe.axis;
            let kind = ProbeKind::Top { body, axis };
            (&probe.name, probe.relative_to.as_deref(), kind)
        }
        schema::Probe::BedHeight(probe) => {
            let kind = ProbeKind::BedHeight {
                axis: probe.axis,
                quantile: probe.quantile,
                except: bodies(builder, &probe.except),
            };
            (&probe.name, probe.relative_to.as_deref(), kind)
        }
        schema::Probe::Coordination(probe) => {
            let within = match (probe.min, probe.max) {
                (Some(min), Some(max)) => bounds(&min, &max),
                _ => Aabb::everything(),
            };
            let least = probe.least;
            let kind = ProbeKind::Coordination { within, least };
            (&probe.name, None, kind)
        }
        schema::Probe::Packing(probe) => {
            let within = bounds(&probe.min, &probe.max);
            (&probe.name, None, ProbeKind::Packing { within })
        }
        schema::Probe::Surface(probe) => {
            let (cell, center) = (probe.cell, probe.center);
            (&probe.name, None, ProbeKind::Surface { cell, center })
        }
        schema::Probe::EnergyBalance(probe) => (&probe.name, None, ProbeKind::EnergyBalance),
        schema::Probe::Momentum(probe) => (&probe.name, None, ProbeKind::Momentum),
        schema::Probe::Fabric(probe) => {
            let within = bounds(&probe.min, &probe.max);
            (&probe.name, None, ProbeKind::Fabric { within })
        }
        schema::Probe::Stress(probe) => {
            let within = bounds(&probe.min, &probe.max);
            (&probe.name, None, ProbeKind::Stress { within })
        }
        schema::Probe::ContactForce(probe) => {
            let body = builder.frame_of(&probe.body)?;
            (&probe.name, None, ProbeKind::ContactForce { body })
        }
        schema::Probe::Power(probe) => {
            let body = builder.frame_of(&probe.body)?;
            (&probe.name, None, ProbeKind::Power { body })
        }
        schema::Probe::JointForce(probe) => {
            let mut joints = builder.world.joints.iter();
            let at = joints.position(|joint| joint.name.as_deref() == Some(&*probe.joint));
            let Some(joint) = at else {
                return Err(place.key("joint").error(
                    format!("there is no joint named `{}`", probe.joint),
                    "expected the name of a joint",
                ));
            };
            let joint = joint as u32;
            (&probe.name, None, ProbeKind::JointForce { joint })
        }
        schema::Probe::Beyond(probe) => {
            let normal = vector(&probe.normal).normalize();
            let offset = normal.dot(&vector(&probe.point));
            (&probe.name, None, ProbeKind::Beyond { normal, offset })
        }
        schema::Probe::Mean(probe) => {
            let bodies = if probe.bodies.is_empty() {
                (0..builder.world.bodies.len() as u32).collect()
            } else {
                bodies(builder, &probe.bodies)
            };
            (&probe.name, None, ProbeKind::Mean { bodies })
        }
    };
    Ok(Probe {
        name: name.clone(),
        relative_to: relative_to.map(|name| builder.frame_of(name)).transpose()?,
        kind,
    })
}

/// Indices of the bodies of some names.
fn bodies(builder: &Builder, names: &[String]) -> Vec<u32> {
    let ranges = names.iter().filter_map(|name| builder.named.get(name));
    let mut all: Vec<u32> = ranges.cloned().flatten().collect();
    all.sort_unstable();
    all.dedup();
    all
}
