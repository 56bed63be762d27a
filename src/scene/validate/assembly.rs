//! Checks of templates, instances and chains.

use super::number::{direction, length, not_negative, position, positive};
use super::{Named, Names, body, joint};
use crate::constants::MAX_SCENE_BODIES;
use crate::error::Result;
use crate::scene::assembly;
use crate::scene::place::Place;
use crate::scene::schema::{Chain, ChainJointType, Instance, JointType, SceneFile, Template};
use std::collections::HashMap;

/// Checks templates: their names are their own.
pub(super) fn templates(file: &SceneFile, place: &Place<'_>) -> Result<()> {
    let mut taken: HashMap<&str, usize> = HashMap::new();
    for (index, template) in file.templates.iter().enumerate() {
        let place = place.at(index);
        let name = place.key("name");
        super::identifier(&template.name, &name, false)?;
        if let Some(start) = taken.insert(&template.name, name.start()) {
            return Err(super::taken(&template.name, start, &name));
        }
        if template.bodies.is_empty() {
            return Err(name.error(
                format!("the template `{}` has no bodies", template.name),
                "add a table [[template.body]]",
            ));
        }
        let mut names = Names::new(file);
        for (index, given) in template.bodies.iter().enumerate() {
            let place = place.key("body").at(index);
            if let Some(name) = &given.name {
                names.claim(name, Named::Body, &place.key("name"))?;
            }
            body::body(given, &names, &place)?;
        }
        joint::joints(&template.joints, &names, &place.key("joint"))?;
    }
    Ok(())
}

/// Checks an instance, claims its names, and returns the number of its bodies.
pub(super) fn instance(
    instance: &Instance,
    file: &SceneFile,
    names: &mut Names<'_>,
    place: &Place<'_>,
) -> Result<u64> {
    let named = |template: &&Template| template.name == instance.template;
    let Some(template) = file.templates.iter().find(named) else {
        let known: Vec<&str> = file.templates.iter().map(|t| t.name.as_str()).collect();
        return Err(place.key("template").error(
            format!("there is no template `{}`", instance.template),
            super::candidates(&instance.template, &known, "add a table [[template]]"),
        ));
    };
    let prefix = instance.name.as_ref().unwrap_or(&instance.template);
    let key = if instance.name.is_some() {
        "name"
    } else {
        "template"
    };
    names.claim(prefix, Named::Group("instance"), &place.key(key))?;
    position(&instance.position, &place.key("position"))?;
    body::rotation(&instance.rotation, &place.key("rotation"))?;
    not_negative(instance.jitter, "the jitter", &place.key("jitter"))?;
    super::seed(instance.seed, place)?;
    for (at, &count) in instance.count.iter().flatten().enumerate() {
        super::count(
            count,
            MAX_SCENE_BODIES,
            "instances",
            &place.key("count").at(at),
        )?;
    }
    match (&instance.count, &instance.spacing) {
        (Some(count), None) if count.iter().any(|&n| n > 1) => {
            return Err(place.key("count").error(
                "many instances without a spacing",
                "add `spacing = [x, y, z]` [m]",
            ));
        }
        (None, Some(_)) => {
            return Err(place.name_of("spacing").error(
                "a spacing of one instance",
                "expected `count = [x, y, z]` with it",
            ));
        }
        (_, Some(spacing)) => position(spacing, &place.key("spacing"))?,
        (_, None) => {}
    }
    let copies = assembly::copies(instance);
    let bodies = copies.saturating_mul(template.bodies.len() as u64);
    if bodies > MAX_SCENE_BODIES {
        return Err(place.key("count").error(
            format!("{bodies} bodies in all"),
            format!("expected at most {MAX_SCENE_BODIES}"),
        ));
    }
    for copy in 0..copies {
        let prefix = assembly::copy_name(instance, copy);
        if instance.count.is_some() {
            names.made(&prefix, Named::Group("instance"), place);
        }
        for name in template.bodies.iter().filter_map(|body| body.name.as_ref()) {
            names.made(&format!("{prefix}.{name}"), Named::Body, place);
        }
    }
    Ok(bodies)
}

/// Checks a chain and claims its names.
pub(super) fn chain(chain: &Chain, names: &mut Names<'_>, place: &Place<'_>) -> Result<()> {
    names.claim(&chain.name, Named::Group("chain"), &place.key("name"))?;
    super::count(chain.count, MAX_SCENE_BODIES, "links", &place.key("count"))?;
    course(chain, place)?;
    body::shape(&chain.shape, true, &place.key("shape"))?;
    match (chain.density, chain.mass) {
        (Some(density), None) => positive(density, "the density", &place.key("density"))?,
        (None, Some(mass)) => positive(mass, "the mass", &place.key("mass"))?,
        (Some(_), Some(_)) => return Err(place.both("density", "mass")),
        (None, None) => {
            return Err(place.error(
                "a chain without a mass",
                "add `density = ...` [kg/m^3], or `mass = ...` [kg] of a link",
            ));
        }
    }
    if let Some(inertia) = &chain.inertia {
        if chain.mass.is_none() {
            return Err(body::lone_inertia(place));
        }
        body::inertia(inertia, &place.key("inertia"))?;
    }
    names.material(&chain.material, &place.key("material"))?;
    body::groups(&chain.groups, &place.key("groups"))?;
    held(chain, &place.key("joint"))?;
    for link in 0..chain.count {
        names.made(&format!("{}.{link}", chain.name), Named::Body, place);
    }
    Ok(())
}

/// Checks where a chain runs.
fn course(chain: &Chain, place: &Place<'_>) -> Result<()> {
    position(&chain.start, &place.key("start"))?;
    let only_with = |key: &str, other: &str| {
        place.name_of(key).error(
            format!("`{key}` of a chain without `{other}`"),
            format!("expected it with `{other}` only"),
        )
    };
    match (&chain.direction, &chain.end) {
        (Some(_), Some(_)) => Err(place.both("direction", "end")),
        (None, None) => Err(place.error(
            "a chain that goes nowhere",
            "add `direction = [x, y, z]`, or `end = [x, y, z]` [m]",
        )),
        (Some(given), None) => {
            direction(given, "the direction", &place.key("direction"))?;
            if chain.sag.is_some() {
                return Err(only_with("sag", "end"));
            }
            length(chain.pitch, "the pitch", &place.key("pitch"))
        }
        (None, Some(end)) => {
            position(end, &place.key("end"))?;
            if *end == chain.start {
                return Err(place.key("end").error(
                    "the chain ends where it starts",
                    "expected another point than `start`",
                ));
            }
            if chain.pitch.is_some() {
                return Err(only_with("pitch", "direction"));
            }
            not_negative(chain.sag, "the sag", &place.key("sag"))
        }
    }
}

/// Checks what holds a chain together.
fn held(chain: &Chain, place: &Place<'_>) -> Result<()> {
    let traits = &chain.joint;
    let hinged = matches!(
        traits.kind,
        ChainJointType::Hinge | ChainJointType::PlanarHinge
    );
    let keys = [
        ("axis", traits.axis.is_some(), hinged),
        (
            "limits",
            traits.limits.is_some(),
            hinged || traits.kind == ChainJointType::Ball,
        ),
        ("spring", traits.spring.is_some(), hinged),
    ];
    for (key, given, allowed) in keys {
        if given && !allowed {
            return Err(place.name_of(key).error(
                format!("`{key}` of a joint that has none"),
                "expected it of a chain of hinges or planar hinges, limits also of ball joints",
            ));
        }
    }
    direction(&traits.axis, "the axis", &place.key("axis"))?;
    if let Some(limits) = &traits.limits {
        let kind = if hinged {
            JointType::Hinge
        } else {
            JointType::Ball
        };
        joint::limits(limits, kind, &place.key("limits"))?;
    }
    if let Some(spring) = &traits.spring {
        joint::spring(spring, &place.key("spring"))?;
    }
    joint::breaking(traits.breaking_force, traits.breaking_torque, place)
}
