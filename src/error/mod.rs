//! What can go wrong before or around a computation. Numerical outcomes are in
//! [`Report`](crate::solver::Report), not here.

#[cfg(feature = "scene")]
mod scene;

#[cfg(feature = "scene")]
pub use scene::SceneError;

use std::fmt;
use std::path::{Path, PathBuf};

/// The result of everything in drystone that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Bad input, a missing device, a limit that cannot be split, or trouble with a file.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A scene file that cannot be read as one; says where and what was expected.
    #[cfg(feature = "scene")]
    Scene(Box<SceneError>),
    /// A value handed to the library that has no meaning, such as a negative mass.
    Invalid {
        /// The thing that is wrong, as the caller named it.
        what: String,
        /// The finding, and what was expected.
        why: String,
    },
    /// No adapter fits what was asked for.
    NoAdapter(String),
    /// The adapter or device refused, ran out of memory, or was lost.
    Device(String),
    /// Something exceeds what a device or a solver can hold, and it cannot be split.
    Capacity {
        /// The thing that was exceeded.
        what: String,
        /// How much of it the problem needs.
        needed: u64,
        /// How much there is.
        available: u64,
    },
    /// A file could not be read or written.
    Io {
        /// The file.
        path: PathBuf,
        /// The operating system's word on it.
        source: std::io::Error,
    },
    /// A file that is not what it should be.
    File {
        /// The file, as it was named.
        path: PathBuf,
        /// Line and column, both from 1, of files of text.
        line_column: Option<(usize, usize)>,
        /// The field or the dataset, empty for the file as a whole.
        field: String,
        /// The finding, and what was expected.
        why: String,
    },
    /// The event stepper cannot go on; the world is as it was before the step.
    Event {
        /// When `[s]`.
        time: f64,
        /// The reason, and the contacts.
        why: String,
    },
    /// A value that must be finite is not; the step that produced it is named.
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

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            #[cfg(feature = "scene")]
            Self::Scene(error) => error.fmt(f),
            Self::Invalid { what, why } => write!(f, "invalid {what}: {why}"),
            Self::NoAdapter(why) => write!(f, "no GPU adapter: {why}"),
            Self::Device(why) => write!(f, "GPU device: {why}"),
            Self::Capacity {
                what,
                needed,
                available,
            } => write!(f, "{what}: {needed} needed, {available} available"),
            Self::Io { path, source } => write!(f, "{}: {source}", path.display()),
            Self::File {
                path,
                line_column,
                field,
                why,
            } => {
                write!(f, "{}", path.display())?;
                if let Some((line, column)) = line_column {
                    write!(f, ":{line}:{column}")?;
                }
                let colon = if field.is_empty() { "" } else { ": " };
                write!(f, "{colon}{field}: {why}")
            }
            Self::Event { time, why } => write!(f, "event stepper at t = {time} s: {why}"),
            Self::NonFinite { stage, what } => write!(f, "not finite after {stage}: {what}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}
