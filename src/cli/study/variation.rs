//! One key of a scene file with other values.

use crate::failure::Failure;
use drystone::Error;
use drystone::scene::{Overrides, Scene, with_values};
use std::path::Path;
use toml::Value;

/// A key and the values that it takes, one after the other.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Variation {
    /// Names of tables and the key in the last of them, with dots between; of an array of tables the `name` of one of them, or its place
    /// counted from 0.
    pub(crate) key: String,
    pub(crate) values: Vec<Value>,
}

/// `KEY=VALUE,VALUE,...`, the values as TOML writes them.
pub(crate) fn parse(text: &str) -> Result<Variation, String> {
    let (key, values) = text.split_once('=').ok_or("expected KEY=VALUE,VALUE,...")?;
    let key = key.trim();
    if key.is_empty() || key.split('.').any(str::is_empty) {
        return Err("the key is empty or has an empty part".into());
    }
    // A list of TOML's own: strings need quotes, arrays are values as well.
    let list: toml::Table = toml::from_str(&format!("values = [{values}]"))
        .map_err(|_| format!("{values} is no list of TOML values; strings need quotes"))?;
    match list.get("values") {
        Some(Value::Array(values)) if !values.is_empty() => Ok(Variation {
            key: key.to_owned(),
            values: values.clone(),
        }),
        _ => Err("no value".into()),
    }
}

impl Variation {
    /// A value with its key.
    pub(crate) fn label(&self, at: usize) -> String {
        format!("{} = {}", self.key, self.values[at])
    }

    /// The scene of a file, once for each value.
    pub(crate) fn scenes(&self, path: &Path) -> Result<Vec<Scene>, Failure> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| Failure::while_preparing(Error::io(path, source)))?;
        // Whatever is wrong with the file itself is told of it, not of a changed one.
        Scene::parse(path, &text, &Overrides::default()).map_err(Failure::while_preparing)?;
        let mut scenes = Vec::with_capacity(self.values.len());
        for value in &self.values {
            let text = with_values(&text, &[(&self.key, &value.to_string())])
                .map_err(|why| self.wrong(why))?;
            let scene = Scene::parse(path, &text, &Overrides::default());
            scenes.push(scene.map_err(Failure::while_preparing)?);
        }
        Ok(scenes)
    }

    fn wrong(&self, error: Error) -> Failure {
        let why = match error {
            Error::Invalid { why, .. } => why,
            other => other.to_string(),
        };
        Failure::while_preparing(Error::invalid(format!("--vary {}", self.key), why))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_tomls_own() {
        let found =
            parse("materials.default.friction=0.1,0.2").unwrap_or_else(|why| panic!("{why}"));
        assert_eq!(found.key, "materials.default.friction");
        assert_eq!(found.values, [Value::Float(0.1), Value::Float(0.2)]);
        assert_eq!(found.label(1), "materials.default.friction = 0.2");
        let found = parse("simulation.contacts=\"events\", \"clipped\"");
        assert_eq!(found.map(|found| found.values.len()), Ok(2));
        for wrong in ["a", "=1", "a..b=1", "a=", "a=x", "a=1]"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
