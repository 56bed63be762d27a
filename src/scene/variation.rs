//! Other values of some of a scene file's keys.

use crate::error::{Error, Result};
use toml::Value;

/// The text of a scene file with other values of some of its keys, in this order.
///
/// A key is the names of tables and the key in the last of them, with dots between; of an array of tables the `name` of one of
/// them, or its place counted from 0. A value is what TOML writes after `=`. Tables that do not exist are made. The text is written anew,
/// without its comments.
///
/// # Errors
/// [`Error::Invalid`] that names the first key which leads nowhere or whose value is none of TOML's, or if the text is not TOML.
pub fn with_values(text: &str, values: &[(&str, &str)]) -> Result<String> {
    let table: toml::Table = toml::from_str(text)
        .map_err(|why| Error::invalid("scene", format!("not TOML: {}", why.message())))?;
    let mut changed = Value::Table(table);
    for &(key, value) in values {
        let names: Vec<&str> = key.split('.').collect();
        if names.iter().any(|name| name.is_empty()) {
            return Err(Error::invalid(
                format!("key `{key}`"),
                "it is empty or has an empty part",
            ));
        }
        let value = value.parse::<Value>().map_err(|why| {
            let why = format!("`{value}` is no value of TOML: {}", why.message());
            Error::invalid(format!("key `{key}`"), why)
        })?;
        put(&mut changed, &names, &value)
            .map_err(|why| Error::invalid(format!("key `{key}`"), why))?;
    }
    toml::to_string(&changed).map_err(|why| Error::invalid("scene", why.to_string()))
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

    const TEXT: &str = "[a]\nb = 1\n[[body]]\nname = \"x\"\nmass = 1\n[[body]]\nmass = 2\n";

    #[test]
    fn keys_lead_through_tables_and_named_items() {
        let values = [
            ("a.b", "5"),
            ("a.c.d", "6"),
            ("body.x.mass", "7"),
            ("body.1.mass", "8"),
            ("a.e", "[\"f\", { g = 1.5 }]"),
        ];
        let text = with_values(TEXT, &values).unwrap();
        let value: Value = toml::from_str(&text).unwrap();
        let at = |names: &[&str]| {
            let found = names.iter().try_fold(&value, |value, name| match value {
                Value::Array(items) => items.get(name.parse::<usize>().ok()?),
                _ => value.get(name),
            });
            found.map(ToString::to_string)
        };
        assert_eq!(at(&["a", "b"]).as_deref(), Some("5"));
        assert_eq!(at(&["a", "c", "d"]).as_deref(), Some("6"));
        assert_eq!(at(&["body", "0", "mass"]).as_deref(), Some("7"));
        assert_eq!(at(&["body", "1", "mass"]).as_deref(), Some("8"));
        assert_eq!(at(&["a", "e", "1", "g"]).as_deref(), Some("1.5"));
    }

    #[test]
    fn keys_that_lead_nowhere_are_named() {
        for (key, value) in [
            ("body.2.mass", "0"),
            ("body.y.mass", "0"),
            ("a.b.c", "0"),
            ("", "0"),
            ("a..b", "0"),
            ("a.b", ""),
            ("a.b", "1\nc = 2"),
            ("a.b", "x"),
        ] {
            let error = with_values(TEXT, &[(key, value)]).unwrap_err().to_string();
            assert!(error.contains(&format!("`{key}`")), "{error}");
        }
    }
}
