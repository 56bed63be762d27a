//! Friction problems in JSON files.

use super::recorded::{FrictionProblem, GlobalForm, SparseMatrix};
use drystone::{Error, Result};
use serde_json::Value;
use std::path::Path;

/// Reads a problem from a JSON file.
///
/// The file has `kind`, `"local"` with `W` and `q` or `"global"` with `M`, `H`, `f` and `w`;
/// `mu`; `dimension`, which must be 3; and may have `name` and `contacts`. A matrix has `rows`,
/// `cols`, `format`, which must be `"csc"`, and in compressed columns `colptr`, `rowidx` and
/// `values`.
///
/// # Errors
/// [`Error::Io`] if the file cannot be read; [`Error::Invalid`] that names file and field if it
/// cannot be understood.
pub(crate) fn read(path: &Path) -> Result<FrictionProblem> {
    let text = std::fs::read_to_string(path).map_err(|source| Error::io(path, source))?;
    from_json(&text, &path.display().to_string())
}

/// Reads a problem from the text of a JSON file called `file`.
///
/// # Errors
/// As for [`read`].
pub(crate) fn from_json(text: &str, file: &str) -> Result<FrictionProblem> {
    let value: Value = serde_json::from_str(text)
        .map_err(|error| Error::invalid(file, format!("is no JSON: {error}")))?;
    let fields = Fields {
        value: &value,
        path: file.to_owned(),
    };
    let friction = fields.numbers("mu")?;
    let expect = |key: &str, found: usize, expected: usize| {
        if found == expected {
            Ok(())
        } else {
            Err(fields.wrong(key, format!("{found}; {expected} is expected")))
        }
    };
    expect("dimension", fields.count("dimension")?, 3)?;
    if value.get("contacts").is_some() {
        expect("contacts", fields.count("contacts")?, friction.len())?;
    }
    let mut problem = match fields.text("kind")? {
        "local" => {
            FrictionProblem::local(file, fields.matrix("W")?, fields.numbers("q")?, friction)
        }
        "global" => {
            let global = GlobalForm {
                mass: fields.matrix("M")?,
                directions: fields.matrix("H")?,
                force: fields.numbers("f")?,
                offset: fields.numbers("w")?,
            };
            FrictionProblem::global(file, global, friction)
        }
        other => Err(fields.wrong("kind", format!("\"{other}\"; local or global is expected"))),
    }?;
    if value.get("name").is_some() {
        fields.text("name")?.clone_into(&mut problem.name);
    }
    Ok(problem)
}

/// The fields of a JSON object, with its place for messages.
struct Fields<'a> {
    value: &'a Value,
    path: String,
}

impl<'a> Fields<'a> {
    fn wrong(&self, key: &str, why: impl Into<String>) -> Error {
        Error::invalid(format!("{}: {key}", self.path), why)
    }

    fn get(&self, key: &str) -> Result<&'a Value> {
        self.value
            .get(key)
            .ok_or_else(|| self.wrong(key, "is missing"))
    }

    fn text(&self, key: &str) -> Result<&'a str> {
        let value = self.get(key)?;
        value
            .as_str()
            .ok_or_else(|| self.wrong(key, "a text is expected"))
    }

    fn count(&self, key: &str) -> Result<usize> {
        count(self.get(key)?)
            .ok_or_else(|| self.wrong(key, "a whole number of at least 0 is expected"))
    }

    /// A list, each of its items read by `read`.
    fn list<T>(&self, key: &str, read: fn(&Value) -> Option<T>, expected: &str) -> Result<Vec<T>> {
        let items = self
            .get(key)?
            .as_array()
            .ok_or_else(|| self.wrong(key, "a list is expected"))?;
        let item = |(at, value): (usize, &Value)| {
            read(value).ok_or_else(|| {
                self.wrong(
                    &format!("{key}[{at}]"),
                    format!("{value}; {expected} is expected"),
                )
            })
        };
        items.iter().enumerate().map(item).collect()
    }

    fn numbers(&self, key: &str) -> Result<Vec<f64>> {
        self.list(key, Value::as_f64, "a number")
    }

    fn matrix(&self, key: &str) -> Result<SparseMatrix> {
        let inner = Self {
            value: self.get(key)?,
            path: format!("{}: {key}", self.path),
        };
        let format = inner.text("format")?;
        if format != "csc" {
            return Err(inner.wrong("format", format!("\"{format}\"; csc is expected")));
        }
        let whole = "a whole number of at least 0";
        SparseMatrix::new(
            inner.count("rows")?,
            inner.count("cols")?,
            inner.list("colptr", count, whole)?,
            inner.list("rowidx", count, whole)?,
            inner.numbers("values")?,
        )
        .map_err(|why| Error::invalid(inner.path, why))
    }
}

fn count(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|x| usize::try_from(x).ok())
}
