//! Places in a scene file: where a value is written, for messages about it.

use crate::error::{Error, SceneError};
use std::ops::Range;
use std::path::Path;
use toml::Spanned;
use toml::de::DeValue;

/// A value of the file; or, if the file leaves it out, the innermost thing around it.
#[derive(Clone)]
pub(super) struct Place<'a> {
    path: &'a Path,
    text: &'a str,
    value: Option<&'a Spanned<DeValue<'a>>>,
    span: Range<usize>,
}

impl<'a> Place<'a> {
    /// The whole file.
    pub(super) fn root(path: &'a Path, text: &'a str, root: &'a Spanned<DeValue<'a>>) -> Self {
        Self {
            path,
            text,
            value: Some(root),
            span: 0..0,
        }
    }

    /// The value of a key of this table.
    pub(super) fn key(&self, key: &str) -> Self {
        let found = self
            .entry(key)
            .map(|(_, value)| (Some(value), value.span()));
        self.inner(found)
    }

    /// A key of this table itself.
    pub(super) fn name_of(&self, key: &str) -> Self {
        let found = self.entry(key).map(|(name, _)| (None, name.span()));
        self.inner(found)
    }

    /// An element of this array.
    pub(super) fn at(&self, index: usize) -> Self {
        let found = self
            .value
            .and_then(|value| value.get_ref().as_array()?.get(index))
            .map(|value| (Some(value), value.span()));
        self.inner(found)
    }

    /// True if the file has this key.
    pub(super) fn has(&self, key: &str) -> bool {
        self.entry(key).is_some()
    }

    fn entry(
        &self,
        key: &str,
    ) -> Option<(
        &'a Spanned<std::borrow::Cow<'a, str>>,
        &'a Spanned<DeValue<'a>>,
    )> {
        let table = self.value?.get_ref().as_table()?;
        table.iter().find(|(name, _)| name.get_ref() == key)
    }

    fn inner(&self, found: Option<(Option<&'a Spanned<DeValue<'a>>>, Range<usize>)>) -> Self {
        let (value, span) = found.unwrap_or_else(|| (None, self.span.clone()));
        Self {
            path: self.path,
            text: self.text,
            value,
            span,
        }
    }

    /// Where the place begins in the text `[bytes]`.
    pub(super) fn start(&self) -> usize {
        self.span.start
    }

    /// Line of another place of the same text, from 1. It counts lines from the beginning of the text: for messages only.
    pub(super) fn line_at(&self, start: usize) -> usize {
        let before = self.text.as_bytes().get(..start).unwrap_or(&[]);
        1 + before.iter().filter(|&&byte| byte == b'\n').count()
    }

    /// A mistake at this place: what is wrong, and what was expected.
    pub(super) fn error(&self, message: impl Into<String>, help: impl Into<String>) -> Error {
        self.scene_error(message.into(), help.into()).into()
    }

    /// Two keys of this table of which one is enough; the place of the mistake is the second one's.
    pub(super) fn both(&self, first: &str, second: &str) -> Error {
        self.name_of(second).error(
            format!("both `{first}` and `{second}` are given"),
            "expected one of them",
        )
    }

    fn scene_error(&self, message: String, help: String) -> SceneError {
        SceneError {
            path: self.path.to_owned(),
            text: self.text.to_owned(),
            span: self.span.clone(),
            message,
            help,
        }
    }
}
