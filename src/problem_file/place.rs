//! Where a field of a JSON text is.

use serde_json::value::RawValue;
use std::collections::HashMap;

/// Line and column of a byte, both from 1; columns count characters.
pub(super) fn line_column(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at.min(text.len())).unwrap_or("");
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
    (line, before[start..].chars().count() + 1)
}

/// Line and column of a field such as `contacts[3].normal` in a text that is JSON, or of the innermost part of it that is there.
pub(super) fn of_field(text: &str, field: &str) -> (usize, usize) {
    let mut value = text;
    for key in keys(field) {
        let Some(inner) = member(value, key) else {
            break;
        };
        value = inner;
    }
    let begin = value.as_ptr() as usize - text.as_ptr() as usize;
    let blank = value.len() - value.trim_start().len();
    line_column(text, begin + blank)
}

/// A step on the way to a field.
#[derive(Debug, Clone, Copy)]
enum Key<'a> {
    Name(&'a str),
    Index(usize),
}

fn keys(field: &str) -> impl Iterator<Item = Key<'_>> {
    let parts = field.split(['.', '[']).filter(|part| !part.is_empty());
    parts.map(|part| {
        let index = part.strip_suffix(']').and_then(|index| index.parse().ok());
        index.map_or(Key::Name(part), Key::Index)
    })
}

fn member<'a>(value: &'a str, key: Key<'_>) -> Option<&'a str> {
    match key {
        Key::Name(name) => {
            let object: HashMap<String, &'a RawValue> = serde_json::from_str(value).ok()?;
            object.get(name).map(|value| value.get())
        }
        Key::Index(index) => {
            let array: Vec<&'a RawValue> = serde_json::from_str(value).ok()?;
            array.get(index).map(|value| value.get())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found() {
        let text = "{\n  \"a\": [1,\n    {\"b\": 2}],\n \"ä\": 3, \"c\": {}\n}";
        for (field, place) in [
            ("", (1, 1)),
            ("a", (2, 8)),
            ("a[0]", (2, 9)),
            ("a[1]", (3, 5)),
            ("a[1].b", (3, 11)),
            ("a[1].nothing", (3, 5)),
            ("a[7]", (2, 8)),
            ("c", (4, 15)),
        ] {
            assert_eq!(of_field(text, field), place, "{field}");
        }
    }
}
