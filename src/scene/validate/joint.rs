//! Checks of joints and loads.

use super::Names;
use super::number::{self, direction, finite, not_negative, position, positive, vector};
use crate::constants::UNIT_LENGTH_TOLERANCE;
use crate::error::Result;
use crate::scene::place::Place;
use crate::scene::schema::{Joint, JointType, Load, Motor, Path, Spring};
use std::collections::HashMap;
use std::f64::consts::TAU;

/// Checks joints and their names.
pub(super) fn joints(joints: &[Joint], names: &Names<'_>, place: &Place<'_>) -> Result<()> {
    let mut taken: HashMap<&str, usize> = HashMap::new();
    for (index, joint) in joints.iter().enumerate() {
        let place = place.at(index);
        if let Some(name) = &joint.name {
            let place = place.key("name");
            super::identifier(name, &place, false)?;
            if let Some(start) = taken.insert(name, place.start()) {
                return Err(super::taken(name, start, &place));
            }
        }
        self::joint(joint, names, &place)?;
    }
    Ok(())
}

fn joint(joint: &Joint, names: &Names<'_>, place: &Place<'_>) -> Result<()> {
    names.body(&joint.a, &place.key("a"))?;
    if let Some(b) = &joint.b {
        names.body(b, &place.key("b"))?;
        if *b == joint.a {
            return Err(place.key("b").error(
                format!("`{b}` is joined to itself"),
                "expected another body, or no `b` for the world",
            ));
        }
    }
    allowed(joint, place)?;
    anchors(joint, place)?;
    axes(joint, place)?;
    number::length(joint.length, "the length", &place.key("length"))?;
    if let Some(bounds) = &joint.limits {
        limits(bounds, joint.kind, &place.key("limits"))?;
    }
    if let Some(given) = &joint.motor {
        motor(given, &place.key("motor"))?;
    }
    if let Some(given) = &joint.spring {
        spring(given, &place.key("spring"))?;
    }
    match (&joint.path, joint.kind) {
        (None, JointType::PrescribedVelocity) => {
            return Err(place.key("type").error(
                "a prescribed velocity without a path",
                "add `path = { type = \"circle\", \"line\" or \"sinusoidal\", ... }`",
            ));
        }
        (Some(given), _) => path(given, &place.key("path"))?,
        (None, _) => {}
    }
    breaking(joint.breaking_force, joint.breaking_torque, place)
}

/// Checks what a joint breaks at.
pub(super) fn breaking(force: Option<f64>, torque: Option<f64>, place: &Place<'_>) -> Result<()> {
    positive(force, "the breaking force", &place.key("breaking_force"))?;
    positive(torque, "the breaking torque", &place.key("breaking_torque"))?;
    Ok(())
}

/// As a user would call a joint.
fn title(kind: JointType) -> &'static str {
    match kind {
        JointType::Ball => "a ball joint",
        JointType::Hinge => "a hinge",
        JointType::Slider => "a slider",
        JointType::Universal => "a universal joint",
        JointType::Fixed => "a fixed joint",
        JointType::Distance => "a distance joint",
        JointType::PlanarHinge => "a planar hinge",
        JointType::PrescribedVelocity => "a prescribed velocity",
    }
}

/// Checks that every key has a meaning for the joint's type.
fn allowed(joint: &Joint, place: &Place<'_>) -> Result<()> {
    use JointType::{Ball, Distance, Hinge, PlanarHinge, PrescribedVelocity, Slider, Universal};
    let one_axis = &[Ball, Hinge, Slider, PlanarHinge][..];
    let with_axis = &[Ball, Hinge, Slider, PlanarHinge, Universal][..];
    let keys = [
        ("axis", joint.axis.is_some(), one_axis),
        ("axis_a", joint.axis_a.is_some(), with_axis),
        ("axis_b", joint.axis_b.is_some(), with_axis),
        ("axes", joint.axes.is_some(), &[Universal]),
        ("length", joint.length.is_some(), &[Distance]),
        (
            "limits",
            joint.limits.is_some(),
            &[Ball, Hinge, Slider, PlanarHinge, Distance],
        ),
        (
            "motor",
            joint.motor.is_some(),
            &[Hinge, Slider, PlanarHinge, Distance],
        ),
        (
            "spring",
            joint.spring.is_some(),
            &[Hinge, Slider, PlanarHinge, Distance],
        ),
        ("path", joint.path.is_some(), &[PrescribedVelocity]),
    ];
    for (key, given, kinds) in keys {
        if given && !kinds.contains(&joint.kind) {
            let kinds: Vec<&str> = kinds.iter().map(|&kind| title(kind)).collect();
            return Err(place.name_of(key).error(
                format!("`{key}` of {}", title(joint.kind)),
                format!("expected it of {} only", super::either(&kinds)),
            ));
        }
    }
    if joint.length.is_some() && joint.limits.is_some() {
        return Err(place.name_of("length").error(
            "both `length` and `limits` are given",
            "expected one of them: the distance that is kept, or its bounds",
        ));
    }
    Ok(())
}

fn anchors(joint: &Joint, place: &Place<'_>) -> Result<()> {
    let local = [("anchor_a", &joint.anchor_a), ("anchor_b", &joint.anchor_b)];
    for (key, anchor) in [("anchor", &joint.anchor), local[0], local[1]] {
        position(anchor, &place.key(key))?;
    }
    for (key, anchor) in local {
        if joint.anchor.is_some() && anchor.is_some() {
            return Err(place.name_of(key).error(
                format!("both `anchor` and `{key}` are given"),
                "expected either `anchor`, in world axes, or `anchor_a` and `anchor_b`, in those of \
                 the bodies",
            ));
        }
    }
    if joint.kind == JointType::Distance {
        if joint.anchor.is_some() {
            return Err(place.name_of("anchor").error(
                "a distance joint is between two points",
                "expected `anchor_a` and `anchor_b` instead",
            ));
        }
        if let Some((key, _)) = local.iter().find(|(_, anchor)| anchor.is_none()) {
            return Err(place.key("type").error(
                format!("a distance joint without `{key}`"),
                "expected both `anchor_a` and `anchor_b`",
            ));
        }
    }
    let free = matches!(joint.kind, JointType::Fixed | JointType::Slider);
    if !free && joint.anchor.is_none() && local.iter().all(|(_, anchor)| anchor.is_none()) {
        return Err(place.key("type").error(
            format!("{} without an anchor", title(joint.kind)),
            "add `anchor = [x, y, z]`, in world axes, or `anchor_a`, in those of body A",
        ));
    }
    Ok(())
}

fn axes(joint: &Joint, place: &Place<'_>) -> Result<()> {
    let local = [("axis_a", &joint.axis_a), ("axis_b", &joint.axis_b)];
    for (key, axis) in [("axis", &joint.axis), local[0], local[1]] {
        direction(axis, "the axis", &place.key(key))?;
    }
    for (at, arm) in joint.axes.iter().flatten().enumerate() {
        direction(arm, "the axis", &place.key("axes").at(at))?;
    }
    let world = if joint.axes.is_some() { "axes" } else { "axis" };
    for (key, axis) in local {
        if axis.is_some() && (joint.axis.is_some() || joint.axes.is_some()) {
            return Err(place.name_of(key).error(
                format!("both `{world}` and `{key}` are given"),
                format!(
                    "expected either `{world}`, in world axes, or `axis_a` and `axis_b`, in those of \
                     the bodies"
                ),
            ));
        }
    }
    let given = [joint.axis_a.is_some(), joint.axis_b.is_some()];
    match joint.kind {
        JointType::Universal if joint.axes.is_none() && given != [true; 2] => {
            Err(place.key("type").error(
                "a universal joint without two arms",
                "add `axes = [[...], [...]]`, in world axes, or `axis_a` and `axis_b`",
            ))
        }
        JointType::Hinge | JointType::Slider | JointType::PlanarHinge
            if joint.axis.is_none() && given == [false; 2] =>
        {
            Err(place.key("type").error(
                format!("{} without an axis", title(joint.kind)),
                "add `axis = [x, y, z]`, in world axes, or `axis_a`, in those of body A",
            ))
        }
        JointType::Ball
            if joint.limits.is_some() && joint.axis.is_none() && given == [false; 2] =>
        {
            Err(place.key("limits").error(
                "limits of a ball joint without an axis",
                "add `axis = [x, y, z]`, from which the swing is measured",
            ))
        }
        _ => Ok(()),
    }
}

/// Checks limits of a joint.
pub(super) fn limits(limits: &[f64; 2], kind: JointType, place: &Place<'_>) -> Result<()> {
    let [lower, upper] = *limits;
    for (at, limit) in [lower, upper].into_iter().enumerate() {
        if limit.is_nan() {
            return Err(place
                .at(at)
                .error("a limit is not a number", "expected a number or `inf`"));
        }
    }
    if lower > upper || lower == f64::INFINITY || upper == f64::NEG_INFINITY {
        return Err(place.error(
            format!("the limits begin at {lower} and end at {upper}"),
            "expected [least, largest]",
        ));
    }
    let what = match kind {
        JointType::Ball if lower != 0.0 => {
            return Err(place.at(0).error(
                format!("the least swing of a ball joint is {lower}"),
                "expected [0, largest]: a swing has no direction",
            ));
        }
        JointType::Ball => "swing",
        JointType::Distance => "distance",
        JointType::Hinge | JointType::PlanarHinge
            if upper.is_finite() && upper - lower > TAU && lower.is_finite() =>
        {
            return Err(place.error(
                format!("the limits are {} rad apart", upper - lower),
                "expected radians, no more than a turn apart: turns are not counted",
            ));
        }
        _ => return Ok(()),
    };
    if lower < 0.0 {
        return Err(place.error(
            format!("a {what} is never below 0"),
            "expected limits of at least 0",
        ));
    }
    Ok(())
}

fn motor(motor: &Motor, place: &Place<'_>) -> Result<()> {
    let (target, force) = match motor {
        Motor::Velocity(motor) => (motor.target, Some(motor.max_force)),
        Motor::Position(motor) => {
            positive(motor.stiffness, "the stiffness", &place.key("stiffness"))?;
            not_negative(motor.damping, "the damping", &place.key("damping"))?;
            (motor.target, motor.max_force)
        }
    };
    finite(target, "the target", &place.key("target"))?;
    positive(force, "the largest force", &place.key("max_force"))
}

/// Checks a spring.
pub(super) fn spring(spring: &Spring, place: &Place<'_>) -> Result<()> {
    not_negative(spring.stiffness, "the stiffness", &place.key("stiffness"))?;
    not_negative(spring.damping, "the damping", &place.key("damping"))?;
    if spring.stiffness == 0.0 && spring.damping == 0.0 {
        return Err(place.error(
            "a spring without stiffness and damping",
            "expected at least one of `stiffness` and `damping` above 0",
        ));
    }
    finite(spring.rest, "the rest", &place.key("rest"))
}

fn path(path: &Path, place: &Place<'_>) -> Result<()> {
    match path {
        Path::Circle(circle) => {
            position(&circle.radius, &place.key("radius"))?;
            vector(&circle.angular_velocity, &place.key("angular_velocity"))?;
            let [radius, spin] =
                [&circle.radius, &circle.angular_velocity].map(super::super::vectors::vector);
            if radius.dot(&spin).abs() > UNIT_LENGTH_TOLERANCE * radius.norm() * spin.norm() {
                return Err(place.key("angular_velocity").error(
                    "the circle is not in the plane of its radius",
                    "expected an angular velocity perpendicular to `radius`",
                ));
            }
            Ok(())
        }
        Path::Line(line) => vector(&line.velocity, &place.key("velocity")),
        Path::Sinusoidal(swing) => {
            vector(&swing.amplitude, &place.key("amplitude"))?;
            positive(swing.frequency, "the frequency", &place.key("frequency"))?;
            finite(swing.phase, "the phase", &place.key("phase"))
        }
    }
}

/// Checks a load.
pub(super) fn load(load: &Load, names: &Names<'_>, place: &Place<'_>) -> Result<()> {
    names.body(&load.body, &place.key("body"))?;
    vector(&load.force, &place.key("force"))?;
    vector(&load.torque, &place.key("torque"))?;
    if load.force == [0.0; 3] && load.torque == [0.0; 3] {
        return Err(place.key("body").error(
            "a load without force and torque",
            "add `force = [x, y, z]` [N] or `torque = [x, y, z]` [N m]",
        ));
    }
    position(&load.point, &place.key("point"))?;
    finite(load.from, "the beginning", &place.key("from"))?;
    if let Some(until) = load.until {
        finite(until, "the end", &place.key("until"))?;
        if until <= load.from {
            return Err(place.key("until").error(
                format!("the load ends at {until} s, and begins at {} s", load.from),
                "expected `until` after `from`",
            ));
        }
    }
    not_negative(load.frequency, "the frequency", &place.key("frequency"))
}
