//! What the types of a scene file cannot say: ranges, names, references, and keys that exclude each
//! other. Each check points at the value that is wrong.

mod assembly;
mod body;
mod camera;
mod event;
mod expect;
mod fill;
mod joint;
mod number;
mod probe;
mod stabilization;

use super::place::Place;
use super::schema::{Contacts, DEFAULT_MATERIAL, Fields, SceneFile};
use super::{closest, quoted, tables};
use crate::constants::{
    MAX_FIELD_CELLS, MAX_FIELD_WIDTH, MAX_FRICTION_DIRECTIONS, MAX_LISTED_NAMES, MAX_SCENE_BODIES,
    MAX_SCENE_ITERATIONS, MAX_SCENE_STEPS, MAX_SCENE_SUBSTEPS,
};
use crate::error::{Error, Result};
use crate::problem::{FrictionCone, FrictionLaw};
use number::{length, not_negative, positive, vector, within};
use std::collections::HashMap;

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Named {
    /// A body or container: one that has a frame.
    Body,
    /// The bodies of a fill, chain or instance, which it is.
    Group(&'static str),
}

/// Names in use, and where in the text each is given.
struct Names<'a> {
    kinds: HashMap<String, (Named, usize)>,
    file: &'a SceneFile,
}

/// Checks a scene file.
///
/// # Errors
/// [`Error::Scene`] for the first mistake, section by section.
pub(super) fn validate(file: &SceneFile, root: &Place<'_>) -> Result<()> {
    identifier(&file.name, &root.key("name"), true)?;
    simulation(file, &root.key("simulation"))?;
    solver(file, root)?;
    event::event(file, root)?;
    output(file, &root.key("output"))?;
    materials(file, &root.key("materials"))?;

    assembly::templates(file, &root.key("template"))?;
    let mut names = Names::new(file);
    for (index, body) in file.bodies.iter().enumerate() {
        let place = root.key("body").at(index);
        if let Some(name) = &body.name {
            names.claim(name, Named::Body, &place.key("name"))?;
        }
        body::body(body, &names, &place)?;
    }
    let mut count = 0_u64;
    for (index, table) in file.tables.iter().enumerate() {
        let place = root.key("bodies_csv").at(index);
        if let Some(name) = &table.name {
            names.claim(name, Named::Group("table"), &place.key("name"))?;
        }
        names.material(&table.material, &place.key("material"))?;
        let place = tables::place(&place);
        for row in table.rows.iter() {
            let name = row.body.name.as_ref();
            let claimed = name.map_or(Ok(()), |name| names.claim(name, Named::Body, &place));
            claimed
                .and_then(|()| body::body(&row.body, &names, &place))
                .map_err(|error| tables::in_row(error, table, row))?;
        }
        count += table.rows.len() as u64;
    }
    for (index, container) in file.containers.iter().enumerate() {
        let place = root.key("container").at(index);
        names.claim(&container.name, Named::Body, &place.key("name"))?;
        if container.wall_material.is_some() {
            let walls = container.walls_name();
            names.claim(&walls, Named::Body, &place.key("name"))?;
        }
        body::container(container, &names, &place)?;
    }
    for (index, chain) in file.chains.iter().enumerate() {
        assembly::chain(chain, &mut names, &root.key("chain").at(index))?;
        count += chain.count;
    }
    for (index, instance) in file.instances.iter().enumerate() {
        count += assembly::instance(instance, file, &mut names, &root.key("instance").at(index))?;
    }
    for (index, fill) in file.fills.iter().enumerate() {
        let place = root.key("fill").at(index);
        if let Some(name) = &fill.name {
            names.claim(name, Named::Group("fill"), &place.key("name"))?;
        }
        fill::fill(fill, &names, &place)?;
        count += fill.count.unwrap_or(0);
        if count > MAX_SCENE_BODIES {
            return Err(place.key("count").error(
                format!("{count} bodies in all"),
                format!("expected at most {MAX_SCENE_BODIES}"),
            ));
        }
    }
    joint::joints(&file.joints, &names, &root.key("joint"))?;
    for (index, load) in file.loads.iter().enumerate() {
        joint::load(load, &names, &root.key("load").at(index))?;
    }
    probe::probes(file, &names, &root.key("probe"))?;
    for (index, expect) in file.expects.iter().enumerate() {
        expect::expect(expect, &root.key("expect").at(index))?;
    }
    match &file.camera {
        Some(camera) => camera::camera(camera, &root.key("camera")),
        None => Ok(()),
    }
}

impl<'a> Names<'a> {
    /// No names yet.
    fn new(file: &'a SceneFile) -> Self {
        Self {
            kinds: HashMap::new(),
            file,
        }
    }

    fn claim(&mut self, name: &str, kind: Named, place: &Place<'_>) -> Result<()> {
        identifier(name, place, false)?;
        let before = self.kinds.insert(name.to_owned(), (kind, place.start()));
        match before {
            None => Ok(()),
            Some((_, start)) => Err(taken(name, start, place)),
        }
    }

    /// Takes a name that the file implies. It has a dot, which no name that is written has.
    fn made(&mut self, name: &str, kind: Named, place: &Place<'_>) {
        self.kinds.insert(name.to_owned(), (kind, place.start()));
    }

    /// Checks that a name stands for one body.
    fn body(&self, name: &str, place: &Place<'_>) -> Result<()> {
        match self.kinds.get(name) {
            Some((Named::Body, _)) => Ok(()),
            Some((Named::Group(what), _)) => Err(place.error(
                format!(
                    "`{name}` is a{} {what}",
                    if *what == "instance" { "n" } else { "" }
                ),
                "expected the name of one body or container",
            )),
            None => Err(self.unknown(name, |kind| kind == Named::Body, place)),
        }
    }

    /// Checks that a name stands for one body or for many.
    fn bodies(&self, name: &str, place: &Place<'_>) -> Result<()> {
        if self.kinds.contains_key(name) {
            return Ok(());
        }
        Err(self.unknown(name, |_| true, place))
    }

    fn unknown(&self, name: &str, wanted: impl Fn(Named) -> bool, place: &Place<'_>) -> Error {
        let mut known: Vec<&str> = self
            .kinds
            .iter()
            .filter(|(_, (kind, _))| wanted(*kind))
            .map(|(name, _)| name.as_str())
            .collect();
        known.sort_unstable();
        place.error(
            format!("there is no body `{name}`"),
            candidates(name, &known, "name a body first"),
        )
    }

    fn material(&self, name: &str, place: &Place<'_>) -> Result<()> {
        if name == DEFAULT_MATERIAL || self.file.materials.contains_key(name) {
            return Ok(());
        }
        let mut known: Vec<&str> = self.file.materials.keys().map(String::as_str).collect();
        known.push(DEFAULT_MATERIAL);
        Err(place.error(
            format!("there is no material `{name}`"),
            candidates(name, &known, "add a table [materials.NAME]"),
        ))
    }
}

/// A hint that names what could have been meant.
pub(super) fn candidates(name: &str, known: &[&str], otherwise: &str) -> String {
    let listed = if known.len() > MAX_LISTED_NAMES {
        let more = known.len() - MAX_LISTED_NAMES;
        format!("{} and {more} more", quoted(&known[..MAX_LISTED_NAMES]))
    } else {
        quoted(known)
    };
    match closest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`? expected one of {listed}"),
        None if known.is_empty() => otherwise.to_owned(),
        None => format!("expected one of {listed}"),
    }
}

/// A name that something else has, which begins at the given place of the text.
fn taken(name: &str, start: usize, place: &Place<'_>) -> Error {
    let line = place.line_at(start);
    place.error(
        format!("the name `{name}` is taken"),
        format!("expected a name other than the one on line {line}"),
    )
}

/// `a, b or c`.
fn either(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// Checks the number of a stream of random numbers.
fn seed(seed: Option<u64>, place: &Place<'_>) -> Result<()> {
    if seed.is_some_and(|seed| seed > i64::MAX as u64) {
        return Err(place
            .key("seed")
            .error("the seed is too large", "expected at most 2^63 - 1"));
    }
    Ok(())
}

/// Names become columns and folders: they hold nothing that either could not.
fn identifier(name: &str, place: &Place<'_>, dots: bool) -> Result<()> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-' || (dots && c == '.');
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    if starts_well && name.chars().all(allowed) {
        return Ok(());
    }
    let message = if name.is_empty() {
        "the name is empty".to_owned()
    } else {
        format!("`{}` cannot be a name", name.escape_debug())
    };
    let help = if dots {
        "expected letters, digits, `_`, `-` and `.`, beginning with a letter, a digit or `_`"
    } else {
        "expected letters, digits, `_` and `-`, beginning with a letter, a digit or `_`"
    };
    Err(place.error(message, help))
}

fn simulation(file: &SceneFile, place: &Place<'_>) -> Result<()> {
    let simulation = &file.simulation;
    vector(&simulation.gravity, &place.key("gravity"))?;
    positive(simulation.dt, "the step", &place.key("dt"))?;
    if let Some(substeps) = simulation.substeps
        && substeps > MAX_SCENE_SUBSTEPS
    {
        return Err(place.key("substeps").error(
            format!("{substeps} substeps"),
            format!("expected 0 (a step that is not divided) to {MAX_SCENE_SUBSTEPS}"),
        ));
    }
    match (simulation.steps, simulation.duration) {
        (Some(_), Some(_)) => return Err(place.both("steps", "duration")),
        (None, None) => {
            return Err(place.error(
                "neither `steps` nor `duration` is given",
                "expected one of them, such as `duration = 10.0`",
            ));
        }
        (Some(steps), None) => {
            count(steps, MAX_SCENE_STEPS, "steps", &place.key("steps"))?;
        }
        (None, Some(duration)) => {
            let place = place.key("duration");
            positive(duration, "the duration", &place)?;
            if duration / simulation.dt > MAX_SCENE_STEPS as f64 {
                return Err(place.error(
                    format!("{:e} steps", duration / simulation.dt),
                    format!("expected at most {MAX_SCENE_STEPS}"),
                ));
            }
        }
    }
    if let Contacts::NearlyActive { near, lateral } = simulation.contacts {
        let place = place.key("contacts");
        not_negative(near, "the tolerance of events", &place)?;
        not_negative(lateral, "the lateral tolerance of events", &place)?;
    }
    positive(simulation.margin, "the margin", &place.key("margin"))?;
    not_negative(simulation.slop, "the slop", &place.key("slop"))?;
    not_negative(
        simulation.restitution_threshold,
        "the threshold",
        &place.key("restitution_threshold"),
    )?;
    seed(Some(simulation.seed), place)
}

/// Checks a number of things that there must be at least one of.
fn count(value: u64, most: u64, what: &str, place: &Place<'_>) -> Result<()> {
    if (1..=most).contains(&value) {
        return Ok(());
    }
    Err(place.error(format!("{value} {what}"), format!("expected 1 to {most}")))
}

fn solver(file: &SceneFile, root: &Place<'_>) -> Result<()> {
    let most = u64::from(MAX_SCENE_ITERATIONS);
    let (solver, place) = (&file.solver, root.key("solver"));
    let check = |iterations: u32, tolerance: f32, every: u32, place: &Place<'_>| {
        count(
            u64::from(iterations),
            most,
            "iterations",
            &place.key("iterations"),
        )?;
        if !(tolerance >= 0.0 && tolerance.is_finite()) {
            return Err(place.key("tolerance").error(
                format!("the tolerance is {tolerance}"),
                "expected a finite number of at least 0, within single precision",
            ));
        }
        count(
            u64::from(every),
            most,
            "iterations between checks",
            &place.key("check_every"),
        )
    };
    check(
        solver.iterations.unwrap_or(1),
        solver.tolerance,
        solver.check_every,
        &place,
    )?;
    if let FrictionCone::Pyramid { directions } = solver.friction
        && (directions < 4 || directions % 2 == 1 || directions as usize > MAX_FRICTION_DIRECTIONS)
    {
        return Err(place.key("friction").key("pyramid").error(
            format!("a pyramid of {directions} directions"),
            format!("expected an even number from 4 to {MAX_FRICTION_DIRECTIONS}"),
        ));
    }
    if solver.friction_law == FrictionLaw::Convex && solver.friction != FrictionCone::Disk {
        return Err(place.key("friction_law").error(
            "the convex law with a friction pyramid",
            "expected friction = \"disk\" beside it",
        ));
    }
    let (post, place) = (&file.stabilization, root.key("stabilization"));
    stabilization::schemes(post, &place)?;
    check(post.iterations, post.tolerance, post.check_every, &place)?;
    count(u64::from(post.steps), most, "steps", &place.key("steps"))?;
    positive(
        post.max_correction,
        "the correction",
        &place.key("max_correction"),
    )?;
    Ok(())
}

fn output(file: &SceneFile, place: &Place<'_>) -> Result<()> {
    let output = &file.output;
    if output.frames_every.is_some() && output.frames_per_second.is_some() {
        return Err(place.both("frames_every", "frames_per_second"));
    }
    if let Some(every) = output.frames_every {
        let what = "steps between two frames";
        count(every, MAX_SCENE_STEPS, what, &place.key("frames_every"))?;
    }
    positive(
        output.checkpoint_every,
        "the time between checkpoints",
        &place.key("checkpoint_every"),
    )?;
    positive(
        output.frames_per_second,
        "the frame rate",
        &place.key("frames_per_second"),
    )?;
    if let Some(given) = &output.fields {
        fields(given, &place.key("fields"))?;
    }
    count(
        output.metrics_every,
        MAX_SCENE_STEPS,
        "steps between two rows",
        &place.key("metrics_every"),
    )
}

fn fields(given: &Fields, place: &Place<'_>) -> Result<()> {
    number::corners(&given.min, &given.max, place)?;
    length(given.width, "the width", &place.key("width"))?;
    let side = given.side();
    if let Some(spacing) = given.spacing {
        let place = place.key("spacing");
        length(spacing, "the spacing", &place)?;
        if spacing > given.width || spacing * MAX_FIELD_WIDTH < given.width {
            return Err(place.error(
                format!("a spacing of {spacing} with a width of {}", given.width),
                format!("expected a number from 1/{MAX_FIELD_WIDTH} of the width to all of it"),
            ));
        }
    }
    let sides = given.min.iter().zip(&given.max);
    let cells: f64 = sides
        .map(|(min, max)| ((max - min) / side).ceil())
        .product();
    if cells > MAX_FIELD_CELLS {
        return Err(place.key("max").error(
            format!("a grid of {cells:.3e} cells"),
            format!("expected at most {MAX_FIELD_CELLS:e}"),
        ));
    }
    Ok(())
}

fn materials(file: &SceneFile, place: &Place<'_>) -> Result<()> {
    for (name, material) in &file.materials {
        identifier(name, &place.name_of(name), false)?;
        let place = place.key(name);
        not_negative(material.friction, "friction", &place.key("friction"))?;
        within(
            material.restitution,
            0.0,
            1.0,
            "restitution",
            &place.key("restitution"),
        )?;
    }
    Ok(())
}
