//! Checks of bodies and containers.

use super::Names;
use super::number::{
    direction, finite, length, length_or_0, lengths, position, positive, positive_vector, vector,
};
use crate::constants::{
    INERTIA_SYMMETRY_TOLERANCE, MAX_COMPOUND_PARTS, MAX_EXTENT_RATIO, MAX_HULL_POINTS,
    MAX_PRISM_SIDES, MAX_REVOLUTION_SIDES, QUATERNION_LENGTH_TOLERANCE,
};
use crate::error::{Error, Result};
use crate::scene::place::Place;
use crate::scene::schema::{
    Body, Container, ContainerShape, Groups, Inertia, Kind, Motion, Rotation, Shape, Walls,
};
use crate::scene::vectors::matrix;
use crate::scene::{meshes, polyhedra};

pub(super) fn body(body: &Body, names: &Names<'_>, place: &Place<'_>) -> Result<()> {
    shape(&body.shape, body.kind == Kind::Dynamic, &place.key("shape"))?;
    position(&body.position, &place.key("position"))?;
    rotation(&body.rotation, &place.key("rotation"))?;
    vector(&body.linear_velocity, &place.key("linear_velocity"))?;
    vector(&body.angular_velocity, &place.key("angular_velocity"))?;
    names.material(&body.material, &place.key("material"))?;
    groups(&body.groups, &place.key("groups"))?;
    mass(body, place)?;
    match (body.kind, &body.motion) {
        (Kind::Kinematic, None) => Err(place.key("kind").error(
            "a kinematic body without a motion",
            "add `motion = { type = ..., ... }`, or make it fixed",
        )),
        (Kind::Dynamic | Kind::Fixed, Some(_)) => Err(place.name_of("motion").error(
            "a motion of a body that is not kinematic",
            "expected `kind = \"kinematic\"` with it",
        )),
        (Kind::Kinematic, Some(prescribed)) => motion(prescribed, &place.key("motion")),
        (_, None) => Ok(()),
    }
}

fn mass(body: &Body, place: &Place<'_>) -> Result<()> {
    positive(body.density, "the density", &place.key("density"))?;
    positive(body.mass, "the mass", &place.key("mass"))?;
    if let Some(given) = &body.inertia {
        inertia(given, &place.key("inertia"))?;
    }
    vector(&body.center_of_mass, &place.key("center_of_mass"))?;
    if body.kind == Kind::Dynamic {
        match (body.density, body.mass) {
            (Some(_), Some(_)) => return Err(place.both("density", "mass")),
            (None, None) => {
                return Err(place.error(
                    "a dynamic body without a mass",
                    "add `density = ...` [kg/m^3] or `mass = ...` [kg], or make it fixed",
                ));
            }
            (Some(_), None) if body.inertia.is_some() => {
                return Err(lone_inertia(place));
            }
            _ => return Ok(()),
        }
    }
    for key in [
        "density",
        "mass",
        "inertia",
        "center_of_mass",
        "linear_velocity",
        "angular_velocity",
    ] {
        let idle = match key {
            "linear_velocity" => body.linear_velocity == [0.0; 3],
            "angular_velocity" => body.angular_velocity == [0.0; 3],
            _ => !place.has(key),
        };
        if !idle {
            return Err(place.name_of(key).error(
                format!("`{key}` of a body that is not dynamic"),
                "expected none: only a dynamic body has a mass and a velocity of its own",
            ));
        }
    }
    Ok(())
}

pub(super) fn lone_inertia(place: &Place<'_>) -> Error {
    place
        .name_of("inertia")
        .error("an inertia without a mass", "expected `mass = ...` with it")
}

pub(super) fn inertia(inertia: &Inertia, place: &Place<'_>) -> Result<()> {
    let rows = match inertia {
        Inertia::Moments(moments) => return positive_vector(moments, place),
        Inertia::Matrix(rows) => rows,
    };
    for (at, row) in rows.iter().enumerate() {
        vector(row, &place.at(at))?;
    }
    let matrix = matrix(inertia);
    let uneven = (matrix - matrix.transpose()).abs().max();
    if uneven > INERTIA_SYMMETRY_TOLERANCE * matrix.abs().max() {
        return Err(place.error(
            "the matrix is not symmetric",
            "expected three rows whose numbers mirror at the diagonal",
        ));
    }
    if matrix.cholesky().is_none() {
        return Err(place.error(
            "the matrix is not positive definite",
            "expected an inertia that is positive about every axis",
        ));
    }
    Ok(())
}

/// Checks the numbers of a polyhedron and that they make one.
fn polyhedron(shape: &Shape, place: &Place<'_>) -> Result<()> {
    let length = |value: f64, key: &str| length(value, key, &place.key(key));
    match shape {
        Shape::Polyhedron(given) => {
            length(given.scale, "scale")?;
            for (at, point) in given.points.iter().enumerate() {
                position(point, &place.key("points").at(at))?;
            }
        }
        Shape::Prism(prism) => {
            let sides = u64::from(prism.sides);
            super::count(sides, MAX_PRISM_SIDES.into(), "sides", &place.key("sides"))?;
            length(prism.radius, "radius")?;
            length(prism.half_length, "half_length")?;
        }
        Shape::Regular(regular) => length(regular.radius, "radius")?,
        Shape::Rock(rock) => {
            let points = rock.points as u64;
            super::count(
                points,
                MAX_HULL_POINTS as u64,
                "points",
                &place.key("points"),
            )?;
            lengths(&rock.radii, &place.key("radii"))?;
        }
        Shape::Wedge(wedge) => {
            length(wedge.inner_half_width, "inner_half_width")?;
            length(wedge.outer_half_width, "outer_half_width")?;
            length(wedge.half_height, "half_height")?;
            length(wedge.half_depth, "half_depth")?;
        }
        _ => {}
    }
    match polyhedra::polyhedron(shape) {
        Some(Err(error)) => {
            Err(place.error(error.to_string(), "expected a convex solid with a volume"))
        }
        _ => Ok(()),
    }
}

/// Checks the numbers of a mesh and that they make one.
fn mesh(shape: &Shape, place: &Place<'_>) -> Result<()> {
    let expected = "expected triangles with an area that go on from each other on one side";
    match shape {
        Shape::Mesh(given) => {
            positive(given.scale, "scale", &place.key("scale"))?;
            for (at, vertex) in given.vertices.iter().enumerate() {
                position(vertex, &place.key("vertices").at(at))?;
            }
            return meshes::given_by_triangles(given).map(drop).map_err(|flaw| {
                let place = match flaw.face {
                    Some(at) => place.key("triangles").at(at),
                    None => place.clone(),
                };
                place.error(flaw.why, expected)
            });
        }
        Shape::HeightField(field) => {
            for (at, &side) in field.cell.iter().enumerate() {
                length(side, "the cell", &place.key("cell").at(at))?;
            }
            finite(field.scale, "the scale", &place.key("scale"))?;
            for (row, heights) in field.heights.iter().enumerate() {
                for (at, &height) in heights.iter().enumerate() {
                    finite(height, "the height", &place.key("heights").at(row).at(at))?;
                }
            }
        }
        Shape::Revolution(given) => {
            let sides = u64::from(given.sides);
            super::count(
                sides,
                MAX_REVOLUTION_SIDES.into(),
                "sides",
                &place.key("sides"),
            )?;
        }
        _ => {}
    }
    match meshes::mesh(shape) {
        Some(Err(error)) => Err(place.error(error.to_string(), expected)),
        _ => Ok(()),
    }
}

/// Checks that a body that moves is no needle and no sheet.
fn slender(extents: &[f64], moves: bool, place: &Place<'_>) -> Result<()> {
    let largest = extents.iter().copied().fold(0.0, f64::max);
    let least = extents.iter().copied().fold(f64::INFINITY, f64::min);
    if !moves || largest <= MAX_EXTENT_RATIO * least {
        return Ok(());
    }
    Err(place.error(
        format!("extents of {least:e} and {largest:e} m"),
        format!("expected none that is more than {MAX_EXTENT_RATIO:e} times another one of a body that moves"),
    ))
}

/// Checks a shape. `finite_volume` is true where it must have a mass.
pub(super) fn shape(shape: &Shape, finite_volume: bool, place: &Place<'_>) -> Result<()> {
    match shape {
        Shape::Sphere(ball) => length(ball.radius, "the radius", &place.key("radius")),
        Shape::Box(cuboid) => {
            let place = place.key("half_extents");
            lengths(&cuboid.half_extents, &place)?;
            slender(&cuboid.half_extents, finite_volume, &place)
        }
        Shape::Capsule(capsule) => {
            let of_radius = place.key("radius");
            length(capsule.radius, "the radius", &of_radius)?;
            let place = place.key("half_length");
            length_or_0(capsule.half_length, "the half length", &place)?;
            let extents = [capsule.radius, capsule.radius + capsule.half_length];
            slender(&extents, finite_volume, &of_radius)
        }
        Shape::Cylinder(cylinder) => {
            let of_radius = place.key("radius");
            length(cylinder.radius, "the radius", &of_radius)?;
            let place = place.key("half_length");
            length(cylinder.half_length, "the half length", &place)?;
            let extents = [cylinder.radius, cylinder.half_length];
            slender(&extents, finite_volume, &of_radius)
        }
        Shape::Cone(cone) => {
            let of_radius = place.key("radius");
            length(cone.radius, "the radius", &of_radius)?;
            length(cone.height, "the height", &place.key("height"))?;
            slender(&[cone.radius, cone.height], finite_volume, &of_radius)
        }
        Shape::Polyhedron(_)
        | Shape::Prism(_)
        | Shape::Regular(_)
        | Shape::Rock(_)
        | Shape::Wedge(_) => polyhedron(shape, place),
        Shape::Mesh(_) | Shape::HeightField(_) | Shape::Revolution(_) if finite_volume => {
            Err(place.key("type").error(
                "a dynamic body cannot be a mesh: a surface has no mass",
                "expected a convex solid or a compound of such, or a body that is fixed or kinematic",
            ))
        }
        Shape::Mesh(_) | Shape::HeightField(_) | Shape::Revolution(_) => mesh(shape, place),
        Shape::HalfSpace(_) if finite_volume => Err(place.key("type").error(
            "a dynamic body cannot be a half-space",
            "expected a shape of finite volume, or a body that is fixed or kinematic",
        )),
        Shape::HalfSpace(half) => {
            direction(&half.normal, "the normal", &place.key("normal"))?;
            finite(half.offset, "the offset", &place.key("offset"))
        }
        Shape::Compound(compound) => {
            let place = place.key("parts");
            if compound.parts.is_empty() || compound.parts.len() > MAX_COMPOUND_PARTS {
                return Err(place.error(
                    format!("a compound of {} parts", compound.parts.len()),
                    format!("expected 1 to {MAX_COMPOUND_PARTS}"),
                ));
            }
            for (index, part) in compound.parts.iter().enumerate() {
                let place = place.at(index);
                if matches!(part.shape, Shape::Compound(_)) {
                    return Err(place
                        .key("shape")
                        .key("type")
                        .error("a compound inside a compound", "expected any other shape"));
                }
                self::shape(&part.shape, finite_volume, &place.key("shape"))?;
                position(&part.position, &place.key("position"))?;
                rotation(&part.rotation, &place.key("rotation"))?;
            }
            Ok(())
        }
    }
}

pub(super) fn rotation(rotation: &Rotation, place: &Place<'_>) -> Result<()> {
    match rotation {
        Rotation::Quaternion(parts) => {
            for (at, &part) in parts.iter().enumerate() {
                finite(part, "a part of the quaternion", &place.at(at))?;
            }
            let length = parts.iter().map(|x| x * x).sum::<f64>().sqrt();
            if (length - 1.0).abs() <= QUATERNION_LENGTH_TOLERANCE {
                return Ok(());
            }
            Err(place.error(
                format!("the quaternion has length {length}"),
                "expected a unit quaternion [w, x, y, z], or { axis = [x, y, z], degrees = ... }",
            ))
        }
        Rotation::AxisAngle(turn) => {
            direction(&turn.axis, "the axis", &place.key("axis"))?;
            finite(turn.degrees, "the angle", &place.key("degrees"))
        }
    }
}

pub(super) fn groups(groups: &Groups, place: &Place<'_>) -> Result<()> {
    for (key, list) in [
        ("member", &groups.member),
        ("collides_with", &groups.collides_with),
    ] {
        for (at, &group) in list.iter().enumerate() {
            if group >= u32::BITS {
                return Err(place.key(key).at(at).error(
                    format!("there is no group {group}"),
                    format!("expected 0 to {}", u32::BITS - 1),
                ));
            }
        }
    }
    Ok(())
}

fn motion(motion: &Motion, place: &Place<'_>) -> Result<()> {
    match motion {
        Motion::Constant(constant) => {
            vector(&constant.linear, &place.key("linear"))?;
            vector(&constant.angular, &place.key("angular"))
        }
        Motion::Sinusoidal(swing) => {
            position(&swing.amplitude, &place.key("amplitude"))?;
            vector(&swing.angular_amplitude, &place.key("angular_amplitude"))?;
            positive(swing.frequency, "the frequency", &place.key("frequency"))?;
            finite(swing.phase, "the phase", &place.key("phase"))?;
            finite(swing.start, "the start", &place.key("start"))
        }
        Motion::Keyframed(path) => {
            let place = place.key("keyframes");
            if path.keyframes.is_empty() {
                return Err(place.error("there are no keyframes", "expected at least one"));
            }
            let mut last = f64::NEG_INFINITY;
            for (index, frame) in path.keyframes.iter().enumerate() {
                let place = place.at(index);
                finite(frame.time, "the time", &place.key("time"))?;
                position(&frame.position, &place.key("position"))?;
                rotation(&frame.rotation, &place.key("rotation"))?;
                if frame.time <= last {
                    return Err(place.key("time").error(
                        format!(
                            "the keyframe at {} s comes after the one at {last} s",
                            frame.time
                        ),
                        "expected keyframes in order of time",
                    ));
                }
                last = frame.time;
            }
            Ok(())
        }
    }
}

/// Checks what a container has of a cylinder.
fn cylinder(container: &Container, place: &Place<'_>) -> Result<()> {
    if container.shape == ContainerShape::Box {
        for key in ["sides", "spin"] {
            if place.has(key) {
                return Err(place.name_of(key).error(
                    format!("`{key}` of a container that is a box"),
                    "expected `shape = \"cylinder\"` with it",
                ));
            }
        }
        return Ok(());
    }
    if container.inner[0] != container.inner[1] {
        return Err(place.key("inner").at(1).error(
            format!(
                "a cylinder of width {} and depth {}",
                container.inner[0], container.inner[1]
            ),
            "expected its diameter for both",
        ));
    }
    if container.walls == Walls::HalfSpaces {
        return Err(place.key("walls").error(
            "a cylinder with walls of half-spaces",
            "expected none: its walls are a mesh",
        ));
    }
    if let Some(sides) = container.sides {
        super::count(
            sides.into(),
            MAX_REVOLUTION_SIDES.into(),
            "sides",
            &place.key("sides"),
        )?;
        if sides < 3 {
            return Err(place
                .key("sides")
                .error(format!("{sides} sides"), "expected at least 3"));
        }
    }
    match container.spin {
        Some(_) if container.motion.is_some() => Err(place.name_of("spin").error(
            "a spin beside a motion",
            "expected one of `spin` and `motion`",
        )),
        Some(spin) => finite(spin, "the spin", &place.key("spin")),
        None => Ok(()),
    }
}

pub(super) fn container(container: &Container, names: &Names<'_>, place: &Place<'_>) -> Result<()> {
    lengths(&container.inner, &place.key("inner"))?;
    position(&container.position, &place.key("position"))?;
    rotation(&container.rotation, &place.key("rotation"))?;
    length(
        container.thickness,
        "the thickness",
        &place.key("thickness"),
    )?;
    cylinder(container, place)?;
    names.material(&container.material, &place.key("material"))?;
    if let Some(walls) = &container.wall_material {
        names.material(walls, &place.key("wall_material"))?;
    }
    groups(&container.groups, &place.key("groups"))?;
    match &container.motion {
        Some(prescribed) => motion(prescribed, &place.key("motion")),
        None => Ok(()),
    }
}
