//! drystone's own format, of which the head of the module has a table.

mod records;

use self::records::{
    BodyRecord, ContactRecord, FileRecord, FrictionRecord, HeadRecord, JointRowRecord,
};
use super::{BodyProblem, place, whole};
use crate::constants::MAX_SCENE_SUBSTEPS;
use crate::error::{Error, Result};
use crate::problem::{AsProblem, MovingSurfaces, Problem};
use crate::solver::{Plan, Solution};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::ser::Formatter;
use std::io;
use std::path::Path;

/// Name of the format.
const FORMAT: &str = "drystone-problem";

/// Its version.
const VERSION: u64 = 1;

/// Reads a problem from a text.
///
/// # Errors
/// [`Error::File`] for the first mistake.
pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<BodyProblem> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes)
        .map_err(|why| whole(path, format!("byte {} is not UTF-8", why.valid_up_to())))?;
    let reading = Reading { path, text };
    let head: HeadRecord = reading.parse()?;
    if head.format != FORMAT {
        let why = format!("\"{}\" is another format than \"{FORMAT}\"", head.format);
        return Err(reading.wrong("format", why));
    }
    if head.version != VERSION {
        return Err(reading.wrong(
            "version",
            format!("version {}; this program reads {VERSION}", head.version),
        ));
    }
    let file: FileRecord = reading.parse()?;
    // Numbers beyond f32 read as infinite.
    if let Err(why) = line(&file.plan) {
        return Err(reading.wrong("plan", why));
    }
    reading.is_whole(&file)?;
    let problem = BodyProblem::from(file);
    reading.validate(&problem)?;
    Ok(problem)
}

/// A text, and where it is from.
struct Reading<'a> {
    path: &'a Path,
    text: &'a str,
}

impl Reading<'_> {
    fn parse<T: DeserializeOwned>(&self) -> Result<T> {
        let mut json = serde_json::Deserializer::from_str(self.text);
        let parsed = serde_path_to_error::deserialize(&mut json);
        let (field, why) = match parsed {
            Ok(value) => match json.end() {
                Ok(()) => return Ok(value),
                Err(why) => (String::new(), why),
            },
            Err(error) => (error.path().to_string(), error.into_inner()),
        };
        let message = why.to_string();
        let place = format!(" at line {} column {}", why.line(), why.column());
        Err(Error::File {
            path: self.path.to_owned(),
            line_column: Some((why.line(), why.column())),
            field: if field == "." { String::new() } else { field },
            why: message.strip_suffix(&place).unwrap_or(&message).to_owned(),
        })
    }

    /// A mistake in a field.
    fn wrong(&self, field: &str, why: impl Into<String>) -> Error {
        Error::File {
            path: self.path.to_owned(),
            line_column: Some(place::of_field(self.text, field)),
            field: field.to_owned(),
            why: why.into(),
        }
    }

    /// Checks that what some bodies or contacts have all of them have.
    fn is_whole(&self, file: &FileRecord) -> Result<()> {
        type Number = fn(&ContactRecord) -> Option<f32>;
        let of_contacts: [(&str, Number); 5] = [
            ("gap", |contact| contact.gap),
            ("restitution", |contact| contact.restitution),
            ("load", |contact| contact.load),
            ("size", |contact| contact.size),
            ("compliance", |contact| contact.compliance),
        ];
        let of_contacts = of_contacts.map(|(field, of)| {
            let has = file.contacts.iter().map(|contact| of(contact).is_some());
            ("contacts", field, has.collect())
        });
        let has: Vec<bool> = file.bodies.iter().map(|b| b.increment.is_some()).collect();
        let lists = std::iter::once(("bodies", "increment", has)).chain(of_contacts);
        for (list, field, has) in lists {
            let lacks = has.iter().position(|has| !has);
            if let Some(first) = lacks.filter(|_| has.contains(&true)) {
                return Err(self.wrong(
                    &format!("{list}[{first}]"),
                    format!("no {field}, and others have one"),
                ));
            }
        }
        Ok(())
    }

    /// Checks what the numbers mean.
    fn validate(&self, file: &BodyProblem) -> Result<()> {
        if let Plan::Substeps(plan) = &file.plan
            && plan.substeps > MAX_SCENE_SUBSTEPS
        {
            let why = format!("{} substeps; {MAX_SCENE_SUBSTEPS} at most", plan.substeps);
            return Err(self.wrong("plan.substeps.substeps", why));
        }
        let place = |error: Error, or: &str| match error {
            Error::Invalid { what, why } => {
                let record = [
                    ("joint row ", "joint_rows"),
                    ("body ", "bodies"),
                    ("contact ", "contacts"),
                ];
                let index = |noun: &str| what.strip_prefix(noun)?.parse::<usize>().ok();
                let found = record
                    .iter()
                    .find_map(|(noun, list)| Some(format!("{list}[{}]", index(noun)?)));
                match found {
                    Some(field) => self.wrong(&field, why),
                    None => self.wrong(or, format!("{what}: {why}")),
                }
            }
            other => other,
        };
        let given = &file.problem.as_problem();
        let mut surfaces = MovingSurfaces::default();
        let problem = &surfaces
            .carry(given, &file.surface_velocities)
            .map_err(|error| place(error, "contacts"))?;
        problem
            .friction_cone
            .validate()
            .and_then(|()| problem.friction_law.validate(problem.friction_cone))
            .map_err(|error| place(error, "friction"))?;
        problem
            .validate_calm_change()
            .map_err(|error| place(error, "calm_change"))?;
        problem
            .validate()
            .map_err(|error| place(error, "contact_softness"))?;
        file.plan.validate().map_err(|error| place(error, "plan"))?;
        let plan = &file.plan;
        plan.validate_problem(problem)
            .map_err(|error| place(error, "contacts"))?;
        if let Some(h) = file.time_step
            && !(h > 0.0 && h.is_finite())
        {
            return Err(self.wrong("time_step", format!("{h} is not positive and finite")));
        }
        file.solution.as_ref().map_or(Ok(()), |solution| {
            shapes(&file.problem, solution)
                .map_err(|(field, why)| self.wrong(&format!("solution.{field}"), why))
        })
    }
}

/// Checks that a solution is one of the problem.
fn shapes(problem: &Problem, solution: &Solution) -> Result<(), (&'static str, String)> {
    let (bodies, contacts) = (problem.bodies.len(), problem.contacts.len());
    for (field, count, needed, may_lack) in [
        ("impulses", solution.impulses.len(), contacts, false),
        (
            "joint_impulses",
            solution.joint_impulses.len(),
            problem.joint_rows.len(),
            false,
        ),
        (
            "total_impulses",
            solution.total_impulses.len(),
            contacts,
            true,
        ),
        ("velocities", solution.velocities.len(), bodies, true),
        ("changes", solution.changes.len(), bodies, true),
        ("displacements", solution.displacements.len(), bodies, true),
    ] {
        if count != needed && !(may_lack && count == 0) {
            return Err((field, format!("{count} given; {needed} expected")));
        }
    }
    if solution.is_finite() {
        Ok(())
    } else {
        Err(("impulses", "every number must be finite".into()))
    }
}

/// Writes a problem as text.
///
/// # Errors
/// [`Error::NonFinite`] that names the first record with a number that is not finite.
pub(super) fn write(file: &BodyProblem) -> Result<String> {
    let mut text = Text::new()?;
    if !file.title.is_empty() {
        text.one("title", &file.title)?;
    }
    if let Some(origin) = &file.origin {
        text.one("origin", origin)?;
    }
    if let Some(h) = file.time_step {
        text.one("time_step", &h)?;
    }
    let problem = &file.problem;
    let friction = FrictionRecord {
        cone: problem.friction_cone,
        law: problem.friction_law,
    };
    text.one("friction", &friction)?;
    text.one("contact_softness", &problem.contact_softness)?;
    text.one("calm_change", &problem.calm_change)?;
    text.one("plan", &file.plan)?;
    let divided = file.plan.substeps().is_some();
    let bodies = problem.bodies.iter().enumerate();
    let increment = |index: usize| problem.increments.get(index).filter(|_| divided);
    text.many(
        "bodies",
        bodies.map(|(index, body)| BodyRecord::new(body, increment(index))),
    )?;
    let contacts = 0..problem.contacts.len();
    text.many(
        "contacts",
        contacts.map(|index| ContactRecord::new(file, index)),
    )?;
    text.many(
        "joint_rows",
        problem.joint_rows.iter().map(JointRowRecord::from),
    )?;
    if let Some(solution) = &file.solution {
        text.one("solution", solution)?;
    }
    Ok(text.end())
}

/// Writes a solution as text.
///
/// # Errors
/// [`Error::NonFinite`] for a number that is not finite.
pub(super) fn write_solution(solution: &Solution) -> Result<String> {
    line(solution).map_err(|why| not_finite("solution", &why))
}

/// An object in the making.
struct Text(String);

impl Text {
    fn new() -> Result<Self> {
        let mut text = Self("{".into());
        text.one("format", &FORMAT)?;
        text.one("version", &VERSION)?;
        Ok(text)
    }

    fn name(&mut self, name: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.0 += &format!("\n  \"{name}\": ");
    }

    fn one<T: Serialize>(&mut self, name: &str, value: &T) -> Result<()> {
        self.name(name);
        self.0 += &line(value).map_err(|why| not_finite(name, &why))?;
        Ok(())
    }

    /// A list with a line for each record.
    fn many<T: Serialize>(&mut self, name: &str, records: impl Iterator<Item = T>) -> Result<()> {
        self.name(name);
        self.0.push('[');
        let mut separator = "\n    ";
        for (index, record) in records.enumerate() {
            self.0 += separator;
            self.0 +=
                &line(&record).map_err(|why| not_finite(&format!("{name}[{index}]"), &why))?;
            separator = ",\n    ";
        }
        self.0 += if separator.starts_with(',') {
            "\n  ]"
        } else {
            "]"
        };
        Ok(())
    }

    fn end(self) -> String {
        self.0 + "\n}\n"
    }
}

fn not_finite(field: &str, why: &str) -> Error {
    Error::NonFinite {
        stage: "writing a problem",
        what: format!("{field}: {why}"),
    }
}

/// A record as a line of JSON.
///
/// # Errors
/// A text if a number is not finite.
fn line<T: Serialize>(record: &T) -> Result<String, String> {
    let mut line = Vec::new();
    let mut writer = serde_json::Serializer::with_formatter(&mut line, NoNull);
    record
        .serialize(&mut writer)
        .map_err(|why| why.to_string())?;
    String::from_utf8(line).map_err(|why| why.to_string())
}

/// Lines without `null`, which is how JSON would have numbers that are not finite.
struct NoNull;

impl Formatter for NoNull {
    fn write_null<W: ?Sized + io::Write>(&mut self, _: &mut W) -> io::Result<()> {
        Err(io::Error::other("every number must be finite"))
    }
}
