//! What can go wrong before or around a computation. Numerical outcomes are in
//! [`Report`](crate::solver::Report), not here.

use std::path::{Path, PathBuf};

/// The result of everything in drystone that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Bad input, a missing device, a limit that cannot be split, or trouble with a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A scene file that cannot be read as one; says where and what was expected.
    #[error(transparent)]
    Scene(Box<SceneError>),
    /// A value handed to the library that has no meaning, such as a negative mass.
    #[error("invalid {what}: {why}")]
    Invalid {
        /// The thing that is wrong, as the caller named it.
        what: String,
        /// What was found and what was expected.
        why: String,
    },
    /// No adapter fits what was asked for.
    #[error("no GPU adapter: {0}")]
    NoAdapter(String),
    /// The adapter or device refused, ran out of memory, or was lost.
    #[error("GPU device: {0}")]
    Device(String),
    /// Something exceeds what a device or a solver can hold, and it cannot be split.
    #[error("{what}: {needed} needed, {available} available")]
    Capacity {
        /// The thing that was exceeded.
        what: String,
        /// How much of it the problem needs.
        needed: u64,
        /// How much there is.
        available: u64,
    },
    /// A file could not be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The operating system's word on it.
        source: std::io::Error,
    },
    /// A value that must be finite is not; the step that produced it is named.
    #[error("not finite after {stage}: {what}")]
    NonFinite {
        /// The stage of the step.
        stage: &'static str,
        /// The body or contact.
        what: String,
    },
}

impl Error {
    /// An [`Error::Invalid`] from its two parts.
    pub fn invalid(what: impl Into<String>, why: impl Into<String>) -> Self {
        Self::Invalid {
            what: what.into(),
            why: why.into(),
        }
    }

    /// An [`Error::Io`] that names the file.
    #[must_use]
    pub fn io(path: &Path, source: std::io::Error) -> Self {
        Self::Io {
            path: path.to_owned(),
            source,
        }
    }
}

impl From<SceneError> for Error {
    fn from(error: SceneError) -> Self {
        Self::Scene(Box::new(error))
    }
}

/// A mistake in a scene file: where it is, what it is, what was expected there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SceneError {
    /// The file, as it was named.
    pub path: PathBuf,
    /// The whole text of the file.
    pub text: String,
    /// Byte range of the mistake in `text`.
    pub span: std::ops::Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What was expected instead.
    pub help: String,
}

impl SceneError {
    /// Line and column of the mistake, both from 1; the column counts characters.
    #[must_use]
    pub fn line_column(&self) -> (usize, usize) {
        let start = self.span.start.min(self.text.len());
        let before = self.text.get(..start).unwrap_or("");
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.matches('\n').count() + 1;
        (line, before[line_start..].chars().count() + 1)
    }
}

impl std::fmt::Display for SceneError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (line, column) = self.line_column();
        let source = self.text.lines().nth(line - 1).unwrap_or("");
        let width = self
            .text
            .get(self.span.clone())
            .map_or(1, |at| at.lines().next().unwrap_or("").chars().count())
            .max(1);
        let gutter = line.to_string();
        let blank = " ".repeat(gutter.len());
        writeln!(
            f,
            "{}:{line}:{column}: {}",
            self.path.display(),
            self.message
        )?;
        writeln!(f, "{blank} |")?;
        writeln!(f, "{gutter} | {source}")?;
        writeln!(
            f,
            "{blank} | {}{}",
            " ".repeat(column - 1),
            "^".repeat(width)
        )?;
        write!(f, "{blank} = {}", self.help)
    }
}

impl std::error::Error for SceneError {}
