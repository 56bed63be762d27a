//! Reads schema types from a parsed TOML document, keeping the place of every mistake.
//!
//! It differs from the `toml` crate's own deserializer in three ways: enums whose variant is named by
//! a key `type` are read without buffering, so that mistakes inside them keep their own place; tables
//! are read in the order of the file, so that the first mistake of the file is the one reported; and
//! errors come in two parts, what is wrong and what was expected.

use super::closest;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error as _, Expected, IntoDeserializer, MapAccess,
    SeqAccess, Unexpected, VariantAccess, Visitor, value::StrDeserializer,
};
use serde::forward_to_deserialize_any;
use std::fmt::{self, Display};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

/// Name of an enum that is a table with a key `type`; see [`tagged!`](super::schema::tagged).
pub(super) const TAGGED: &str = "$type";

/// A mistake, and where it is once that is known.
#[derive(Debug)]
pub(super) struct ReadError {
    pub(super) span: Option<Range<usize>>,
    pub(super) message: String,
    pub(super) help: String,
}

impl ReadError {
    fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            span: None,
            message: message.into(),
            help: help.into(),
        }
    }

    /// The innermost place wins.
    fn or_at(mut self, span: &Range<usize>) -> Self {
        self.span.get_or_insert_with(|| span.clone());
        self
    }
}

impl Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.message, self.help)
    }
}

impl std::error::Error for ReadError {}

impl serde::de::Error for ReadError {
    fn custom<T: Display>(message: T) -> Self {
        Self::new(message.to_string(), "see `drystone schema`")
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(
            format!("wrong type: {}", describe(&found)),
            format!("expected {}", plain(&expected.to_string())),
        )
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(
            format!("wrong value: {}", describe(&found)),
            format!("expected {}", plain(&expected.to_string())),
        )
    }

    fn invalid_length(length: usize, expected: &dyn Expected) -> Self {
        Self::new(
            format!("wrong length: {length} values"),
            format!("expected {}", plain(&expected.to_string())),
        )
    }

    fn unknown_variant(found: &str, expected: &'static [&'static str]) -> Self {
        Self::new(format!("unknown value `{found}`"), one_of(found, expected))
    }

    fn unknown_field(found: &str, expected: &'static [&'static str]) -> Self {
        Self::new(format!("unknown key `{found}`"), one_of(found, expected))
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new(
            format!("missing key `{field}`"),
            format!("add `{field} = ...` here"),
        )
    }
}

/// A found value as a user of TOML would call it.
fn describe(found: &Unexpected<'_>) -> String {
    match found {
        Unexpected::Bool(value) => format!("`{value}`"),
        Unexpected::Signed(value) => format!("the whole number {value}"),
        Unexpected::Unsigned(value) => format!("the whole number {value}"),
        Unexpected::Float(value) => format!("the number {value:?}"),
        Unexpected::Str(value) => format!("the string \"{value}\""),
        Unexpected::Seq => "an array".into(),
        Unexpected::Map => "a table".into(),
        other => other.to_string(),
    }
}

/// What serde expects, as a user of TOML would call it.
fn plain(expected: &str) -> String {
    match expected {
        "f64" | "f32" => "a number".into(),
        "u64" | "u32" => "a whole number of at least 0".into(),
        "a string" => "a string in quotes".into(),
        "a boolean" => "true or false".into(),
        "a sequence" => "an array".into(),
        "an array of length 3" => "an array of 3 numbers".into(),
        "an array of length 4" => "an array of 4 numbers".into(),
        other => other.strip_prefix("struct ").map_or_else(
            || other.to_owned(),
            |name| format!("a table ({})", name.to_lowercase()),
        ),
    }
}

fn one_of(found: &str, expected: &[&str]) -> String {
    let list = expected
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ");
    match closest(found, expected.iter().copied()) {
        Some(name) if expected.len() == 1 => format!("did you mean `{name}`?"),
        Some(name) => format!("did you mean `{name}`? expected one of {list}"),
        None if expected.len() == 1 => format!("expected {list}"),
        None => format!("expected one of {list}"),
    }
}

/// A value of the document.
#[derive(Clone, Copy)]
pub(super) struct Node<'a, 'de>(pub(super) &'a Spanned<DeValue<'de>>);

/// A value, in the form in which a visitor takes it.
enum Found<'a, 'de> {
    Text(&'a str),
    Integer(i64),
    Number(f64),
    Flag(bool),
    Array(Values<'a, 'de>),
    Table(Entries<'a, 'de>),
}

// Functions of a visitor are compiled for each type that is read; what does not depend on it is in functions of its own.
impl<'a, 'de> Node<'a, 'de> {
    fn any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.found(&visitor)? {
            Found::Text(text) => visitor.visit_str(text),
            Found::Integer(number) => visitor.visit_i64(number),
            Found::Number(number) => visitor.visit_f64(number),
            Found::Flag(flag) => visitor.visit_bool(flag),
            Found::Array(mut values) => {
                let length = values.0.len();
                let read = visitor.visit_seq(&mut values)?;
                values.are_read(length)?;
                Ok(read)
            }
            Found::Table(entries) => visitor.visit_map(entries),
        }
    }

    fn found(self, expected: &dyn Expected) -> Result<Found<'a, 'de>, ReadError> {
        Ok(match self.0.get_ref() {
            DeValue::String(text) => Found::Text(text),
            DeValue::Integer(number) => Found::Integer(integer(number)?),
            DeValue::Float(number) => {
                // The parser has checked the grammar, which Rust's own contains.
                let value = number.as_str().parse();
                Found::Number(value.map_err(|_| {
                    ReadError::new(
                        format!("`{}` is not a number", number.as_str()),
                        "expected a number",
                    )
                })?)
            }
            DeValue::Boolean(value) => Found::Flag(*value),
            DeValue::Datetime(_) => {
                let found = Unexpected::Other("a date or time");
                return Err(ReadError::invalid_type(found, expected));
            }
            DeValue::Array(values) => Found::Array(Values(values.iter())),
            DeValue::Table(table) => Found::Table(Entries::new(table, None)),
        })
    }

    /// The variant of an enum.
    fn choice(self, name: &str, variants: &[&str]) -> Result<Choice<'a, 'de>, ReadError> {
        let value = self.0.get_ref();
        if name == TAGGED {
            let DeValue::Table(table) = value else {
                return Err(ReadError::new(
                    "wrong type",
                    format!(
                        "expected a table {{ type = ..., ... }}; types are {}",
                        one_of("", variants).trim_start_matches("expected one of ")
                    ),
                ));
            };
            return Ok(Choice::Tagged(tag(table, variants)?, table, self.0.span()));
        }
        match value {
            DeValue::String(text) => Ok(Choice::Unit(text.as_ref(), self.0.span())),
            DeValue::Table(table) if table.len() == 1 => table
                .iter()
                .next()
                .map(Choice::Keyed)
                .ok_or_else(|| ReadError::new("an empty table", one_of("", variants))),
            _ => Err(ReadError::new("wrong type", one_of("", variants))),
        }
    }
}

/// A whole number as the document writes it.
fn integer(number: &DeInteger<'_>) -> Result<i64, ReadError> {
    i64::from_str_radix(number.as_str(), number.radix()).map_err(|_| {
        ReadError::new(
            format!("the whole number {number} is too large"),
            "expected a number of 64 bits",
        )
    })
}

impl<'de> Deserializer<'de> for Node<'_, 'de> {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.any(visitor).map_err(|e| e.or_at(&self.0.span()))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        let read = self.choice(name, variants);
        read.and_then(|choice| visitor.visit_enum(choice))
            .map_err(|e| e.or_at(&self.0.span()))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// The value of the key `type`.
fn tag<'a, 'de>(
    table: &'a DeTable<'de>,
    variants: &[&str],
) -> Result<&'a Spanned<DeValue<'de>>, ReadError> {
    let value = table
        .iter()
        .find(|(key, _)| key.get_ref() == "type")
        .map(|(_, value)| value)
        .ok_or_else(|| ReadError::new("missing key `type`", one_of("", variants)))?;
    if value.get_ref().is_str() {
        Ok(value)
    } else {
        Err(ReadError::new("wrong type", one_of("", variants)).or_at(&value.span()))
    }
}

/// The elements of an array.
struct Values<'a, 'de>(std::slice::Iter<'a, Spanned<DeValue<'de>>>);

impl Values<'_, '_> {
    /// An error if some of so many have not been read.
    fn are_read(&self, length: usize) -> Result<(), ReadError> {
        let rest = self.0.len();
        if rest == 0 {
            return Ok(());
        }
        Err(ReadError::new(
            format!("wrong length: {length} values"),
            format!("expected an array of {} values", length - rest),
        ))
    }
}

impl<'de> SeqAccess<'de> for &mut Values<'_, 'de> {
    type Error = ReadError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, ReadError> {
        self.0
            .next()
            .map(|value| seed.deserialize(Node(value)))
            .transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

/// A key and its value, each with its place.
type Entry<'a, 'de> = (
    &'a Spanned<std::borrow::Cow<'de, str>>,
    &'a Spanned<DeValue<'de>>,
);

/// The entries of a table in the order of the file.
struct Entries<'a, 'de> {
    rest: std::vec::IntoIter<Entry<'a, 'de>>,
    value: Option<&'a Spanned<DeValue<'de>>>,
}

impl<'a, 'de> Entries<'a, 'de> {
    fn new(table: &'a DeTable<'de>, except: Option<&str>) -> Self {
        let mut entries: Vec<Entry<'a, 'de>> = table
            .iter()
            .filter(|(key, _)| except != Some(key.get_ref().as_ref()))
            .collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        Self {
            rest: entries.into_iter(),
            value: None,
        }
    }
}

impl<'de> MapAccess<'de> for Entries<'_, 'de> {
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, ReadError> {
        let Some((key, value)) = self.rest.next() else {
            return Ok(None);
        };
        self.value = Some(value);
        let name: StrDeserializer<'_, ReadError> = key.get_ref().as_ref().into_deserializer();
        seed.deserialize(name)
            .map(Some)
            .map_err(|e| e.or_at(&key.span()))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, ReadError> {
        match self.value.take() {
            Some(value) => seed.deserialize(Node(value)),
            None => Err(ReadError::custom("a value was read before its key")),
        }
    }
}

/// A variant and what it holds.
enum Choice<'a, 'de> {
    /// `"variant"`.
    Unit(&'a str, Range<usize>),
    /// `{ variant = ... }`.
    Keyed(Entry<'a, 'de>),
    /// `{ type = "variant", ... }`.
    Tagged(&'a Spanned<DeValue<'de>>, &'a DeTable<'de>, Range<usize>),
}

impl<'de> EnumAccess<'de> for Choice<'_, 'de> {
    type Error = ReadError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), ReadError> {
        let (name, span) = match &self {
            Self::Unit(name, span) => (*name, span.clone()),
            Self::Keyed((key, _)) => (key.get_ref().as_ref(), key.span()),
            Self::Tagged(tag, ..) => (tag.get_ref().as_str().unwrap_or(""), tag.span()),
        };
        let name: StrDeserializer<'_, ReadError> = name.into_deserializer();
        let variant = seed.deserialize(name).map_err(|e| e.or_at(&span))?;
        Ok((variant, self))
    }
}

impl<'de> VariantAccess<'de> for Choice<'_, 'de> {
    type Error = ReadError;

    fn unit_variant(self) -> Result<(), ReadError> {
        match self {
            Self::Unit(..) => Ok(()),
            Self::Keyed((key, _)) => Err(ReadError::new(
                format!("`{}` takes no value", key.get_ref()),
                format!("write \"{}\"", key.get_ref()),
            )
            .or_at(&key.span())),
            Self::Tagged(_, table, span) => match Entries::new(table, Some("type")).rest.next() {
                None => Ok(()),
                Some((key, _)) => Err(ReadError::new(
                    format!("unknown key `{}`", key.get_ref()),
                    "expected nothing beside `type`",
                )
                .or_at(&key.span())
                .or_at(&span)),
            },
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, ReadError> {
        match self {
            Self::Unit(name, span) => Err(ReadError::new(
                format!("`{name}` needs a value"),
                format!("write {{ {name} = ... }}"),
            )
            .or_at(&span)),
            Self::Keyed((_, value)) => seed.deserialize(Node(value)),
            Self::Tagged(_, table, span) => seed
                .deserialize(serde::de::value::MapAccessDeserializer::new(Entries::new(
                    table,
                    Some("type"),
                )))
                .map_err(|e| e.or_at(&span)),
        }
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, ReadError> {
        Err(ReadError::invalid_type(Unexpected::TupleVariant, &visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        Err(ReadError::invalid_type(Unexpected::StructVariant, &visitor))
    }
}
