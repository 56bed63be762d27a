//! Bodies in tables of comma-separated values.

use super::closest;
use super::place::Place;
use super::quoted;
use super::schema::{
    Body, BodyTable, BoxShape, Capsule, Cone, Cylinder, Groups, Kind, Rotation, Row, SceneFile,
    Shape, Sphere,
};
use crate::constants::MAX_SCENE_BYTES;
use crate::error::{Error, Result};
use csv::{ReaderBuilder, StringRecord, Trim};
use std::path::Path;
use std::sync::Arc;

/// Columns of numbers, in the order in which [`Fields`](super::schema::Fields) holds them.
const NUMBERS: [&str; 21] = [
    "x",
    "y",
    "z",
    "qw",
    "qx",
    "qy",
    "qz",
    "vx",
    "vy",
    "vz",
    "wx",
    "wy",
    "wz",
    "radius",
    "hx",
    "hy",
    "hz",
    "half_length",
    "height",
    "density",
    "mass",
];
/// Columns of words, likewise.
const WORDS: [&str; 3] = ["shape", "material", "name"];
/// Names of shapes.
const SHAPES: [&str; 5] = ["sphere", "box", "capsule", "cylinder", "cone"];

/// Reads the tables of a scene at `path`; files stand in the scene then.
///
/// # Errors
/// [`Error::Scene`] at the name of a file that cannot be read, with file, line and column of what is wrong in it.
pub(super) fn load(file: &mut SceneFile, path: &Path, root: &Place<'_>) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    for (at, table) in file.tables.iter_mut().enumerate() {
        let place = root.key("bodies_csv").at(at);
        read(table, folder, &place)?;
    }
    Ok(())
}

/// Where mistakes in the rows of a table are shown.
pub(super) fn place<'a>(place: &Place<'a>) -> Place<'a> {
    place.key(if place.has("file") { "file" } else { "text" })
}

/// A mistake in a row, with the row before what is wrong.
pub(super) fn in_row(error: Error, table: &BodyTable, row: &Row) -> Error {
    match error {
        Error::Scene(mut mistake) => {
            mistake.message = format!("{}:{}: {}", table.source, row.line, mistake.message);
            Error::Scene(mistake)
        }
        other => other,
    }
}

fn read(table: &mut BodyTable, folder: &Path, around: &Place<'_>) -> Result<()> {
    let place = place(around);
    if let Some(name) = table.file.take() {
        if !table.text.is_empty() {
            return Err(around.both("file", "text"));
        }
        let path = folder.join(&name);
        let wrong = |why: String| {
            place.error(
                format!("{}: {why}", path.display()),
                "expected a file of comma-separated values",
            )
        };
        let about = std::fs::metadata(&path).map_err(|why| wrong(why.to_string()))?;
        if !about.is_file() || about.len() > MAX_SCENE_BYTES {
            return Err(wrong(format!(
                "this is not a file of at most {MAX_SCENE_BYTES} bytes"
            )));
        }
        table.text = std::fs::read_to_string(&path).map_err(|why| wrong(why.to_string()))?;
        table.source = path.display().to_string();
    } else {
        table.source = "text".into();
    }
    let wrong = |line: u64, why: String| {
        place.error(
            format!("{}:{line}: {why}", table.source),
            "expected a body a row, as `drystone schema` describes it",
        )
    };
    let mut reader = ReaderBuilder::new()
        .trim(Trim::All)
        .comment(Some(b'#'))
        .from_reader(table.text.as_bytes());
    let unreadable = |why: csv::Error| {
        let line = line_of(why.position(), &table.text);
        let why = match why.kind() {
            csv::ErrorKind::UnequalLengths {
                expected_len, len, ..
            } => format!("{len} fields; the header has {expected_len}"),
            _ => why.to_string(),
        };
        wrong(line, why)
    };
    let header = reader.headers().map_err(unreadable)?.clone();
    let at = line_of(header.position(), &table.text);
    let columns = Columns::of(&header).map_err(|why| wrong(at, why))?;
    let (mut rows, mut record) = (Vec::new(), StringRecord::new());
    while reader.read_record(&mut record).map_err(unreadable)? {
        let line = line_of(record.position(), &table.text);
        let body = columns
            .body(&record, table)
            .map_err(|why| wrong(line, why))?;
        rows.push(Row { line, body });
    }
    table.rows = Arc::new(rows);
    Ok(())
}

/// Line of a record, from 1: its position is before the empty lines and comments that it follows.
fn line_of(position: Option<&csv::Position>, text: &str) -> u64 {
    let Some(position) = position else {
        return 1;
    };
    let rest = usize::try_from(position.byte())
        .ok()
        .and_then(|at| text.get(at..));
    let skipped = rest.map_or(0, |rest| {
        let lines = rest.lines();
        lines
            .take_while(|line| line.is_empty() || line.starts_with('#'))
            .count()
    });
    position.line() + skipped as u64
}

/// Where the columns are in a row.
struct Columns {
    numbers: [Option<usize>; NUMBERS.len()],
    words: [Option<usize>; WORDS.len()],
}

impl Columns {
    fn of(header: &StringRecord) -> Result<Self, String> {
        let mut columns = Self {
            numbers: [None; NUMBERS.len()],
            words: [None; WORDS.len()],
        };
        for (at, name) in header.iter().enumerate() {
            let number = NUMBERS.iter().position(|known| *known == name);
            let place = match number {
                Some(number) => &mut columns.numbers[number],
                None => match WORDS.iter().position(|known| *known == name) {
                    Some(word) => &mut columns.words[word],
                    None => return Err(unknown("column", name, NUMBERS.iter().chain(&WORDS))),
                },
            };
            if place.replace(at).is_some() {
                return Err(format!("column `{name}` is there twice"));
            }
        }
        match columns.numbers[..3].iter().position(Option::is_none) {
            Some(missing) => Err(format!("column `{}` is missing", NUMBERS[missing])),
            None => Ok(columns),
        }
    }

    /// The body of a row.
    fn body(&self, record: &StringRecord, table: &BodyTable) -> Result<Body, String> {
        let field = |column: Option<usize>| {
            let text = column.and_then(|at| record.get(at));
            text.filter(|text| !text.is_empty())
        };
        let mut numbers = [None; NUMBERS.len()];
        for ((number, &column), name) in numbers.iter_mut().zip(&self.numbers).zip(NUMBERS) {
            if let Some(text) = field(column) {
                let read = text.parse().ok().filter(|x: &f64| x.is_finite());
                let shown: String = text.chars().take(40).collect();
                *number = Some(read.ok_or_else(|| {
                    format!(
                        "`{name}` is `{}`, not a finite number",
                        shown.escape_debug()
                    )
                })?);
            }
        }
        let [x, y, z, qw, qx, qy, qz, vx, vy, vz, wx, wy, wz, sizes @ ..] = numbers;
        let [radius, hx, hy, hz, half_length, height, density, mass] = sizes;
        let [shape, material, name] = self.words.map(field);
        let shape = shape.unwrap_or("sphere");
        let needed = |number: Option<f64>, name: &str| {
            number.ok_or_else(|| format!("`{name}` is missing, which a {shape} has"))
        };
        // Each size that is there has to be one of the shape.
        let own: &[&str] = match shape {
            "sphere" => &["radius"],
            "box" => &["hx", "hy", "hz"],
            "capsule" | "cylinder" => &["radius", "half_length"],
            "cone" => &["radius", "height"],
            _ => return Err(unknown("shape", shape, SHAPES.iter())),
        };
        for (name, size) in NUMBERS[13..19].iter().zip(&sizes[..6]) {
            if size.is_some() && !own.contains(name) {
                return Err(format!("`{name}` is given, which a {shape} has not"));
            }
        }
        let made = match shape {
            "box" => Shape::Box(BoxShape {
                half_extents: [needed(hx, "hx")?, needed(hy, "hy")?, needed(hz, "hz")?],
            }),
            "capsule" => Shape::Capsule(Capsule {
                radius: needed(radius, "radius")?,
                half_length: needed(half_length, "half_length")?,
            }),
            "cylinder" => Shape::Cylinder(Cylinder {
                radius: needed(radius, "radius")?,
                half_length: needed(half_length, "half_length")?,
            }),
            "cone" => Shape::Cone(Cone {
                radius: needed(radius, "radius")?,
                height: needed(height, "height")?,
            }),
            _ => Shape::Sphere(Sphere {
                radius: needed(radius, "radius")?,
            }),
        };
        let rotation = match [qw, qx, qy, qz] {
            [None, None, None, None] => Rotation::default(),
            [Some(w), Some(x), Some(y), Some(z)] => Rotation::Quaternion([w, x, y, z]),
            _ => return Err("a part of the rotation is missing: qw, qx, qy, qz".into()),
        };
        let zero = |numbers: [Option<f64>; 3]| numbers.map(|number| number.unwrap_or(0.0));
        let density = match mass {
            Some(_) => density,
            None => density.or(table.density),
        };
        Ok(Body {
            name: name.map(str::to_owned),
            kind: Kind::Dynamic,
            shape: made,
            position: [needed(x, "x")?, needed(y, "y")?, needed(z, "z")?],
            rotation,
            linear_velocity: zero([vx, vy, vz]),
            angular_velocity: zero([wx, wy, wz]),
            density,
            mass,
            inertia: None,
            center_of_mass: None,
            material: material.unwrap_or(&table.material).to_owned(),
            groups: Groups::default(),
            motion: None,
        })
    }
}

/// A name that is none of those that are known.
fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a &'static str>) -> String {
    let known: Vec<&str> = known.copied().collect();
    let shown: String = name.chars().take(40).collect();
    let help = match closest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("expected one of {}", quoted(&known)),
    };
    format!("there is no {what} `{}`; {help}", shown.escape_debug())
}
