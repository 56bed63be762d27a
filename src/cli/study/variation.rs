//! One key of a scene file with other values.

use crate::failure::Failure;
use drystone::Error;
use drystone::scene::{Overrides, Scene};
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
        let table: toml::Table =
            toml::from_str(&text).map_err(|why| self.wrong(why.to_string()))?;
        let mut scenes = Vec::with_capacity(self.values.len());
        for value in &self.values {
            let mut changed = Value::Table(table.clone());
            let names: Vec<&str> = self.key.split('.').collect();
            put(&mut changed, &names, value).map_err(|why| self.wrong(why))?;
            let text = toml::to_string(&changed).map_err(|why| self.wrong(why.to_string()))?;
            let scene = Scene::parse(path, &text, &Overrides::default());
            scenes.push(scene.map_err(Failure::while_preparing)?);
        }
        Ok(scenes)
    }

    fn wrong(&self, why: String) -> Failure {
        Failure::while_preparing(Error::invalid(format!("--vary {}", self.key), why))
    }
}

/// Sets a key of a table, of a table in it, and so on; tables that do not exist are made.
fn put(within: &mut Value, names: &[&str], value: &Value) -> Result<(), String> {
    let Some((name, rest)) = names.split_first() else {
        *within = value.clone();
        return Ok(());
    };
    match within {
        Value::Table(table) => {
            let next = table
                .entry((*name).to_owned())
                .or_insert_with(|| Value::Table(toml::Table::new()));
            put(next, rest, value)
        }
        Value::Array(items) => {
            let named = |item: &Value| item.get("name").and_then(Value::as_str) == Some(name);
            let at = items
                .iter()
                .position(named)
                .or_else(|| name.parse().ok().filter(|at| *at < items.len()))
                .ok_or_else(|| format!("there is no {name} among {} of them", items.len()))?;
            put(&mut items[at], rest, value)
        }
        _ => Err(format!("what {name} is to be in is no table")),
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

    #[test]
    fn keys_lead_through_tables_and_named_items() {
        let text = "[a]\nb = 1\n[[body]]\nname = \"x\"\nmass = 1\n[[body]]\nmass = 2\n";
        let table: toml::Table = toml::from_str(text).unwrap_or_else(|why| panic!("{why}"));
        let mut value = Value::Table(table);
        for (key, new) in [
            ("a.b", 5),
            ("a.c.d", 6),
            ("body.x.mass", 7),
            ("body.1.mass", 8),
        ] {
            let names: Vec<&str> = key.split('.').collect();
            assert_eq!(
                put(&mut value, &names, &Value::Integer(new)),
                Ok(()),
                "{key}"
            );
        }
        let at = |value: &Value, names: &[&str]| {
            let found = names.iter().try_fold(value, |value, name| match value {
                Value::Array(items) => items.get(name.parse::<usize>().ok()?),
                _ => value.get(name),
            });
            found.and_then(Value::as_integer)
        };
        assert_eq!(at(&value, &["a", "b"]), Some(5));
        assert_eq!(at(&value, &["a", "c", "d"]), Some(6));
        assert_eq!(at(&value, &["body", "0", "mass"]), Some(7));
        assert_eq!(at(&value, &["body", "1", "mass"]), Some(8));
        for key in ["body.2.mass", "body.y.mass", "a.b.c"] {
            let names: Vec<&str> = key.split('.').collect();
            assert!(
                put(&mut value, &names, &Value::Integer(0)).is_err(),
                "{key}"
            );
        }
    }
}
