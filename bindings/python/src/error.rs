//! Errors as exceptions.

use drystone::Error;
use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyType;

/// The result of everything that can fail in drystone.
pub(crate) type Result<T> = std::result::Result<T, Failure>;

/// An error of the library, or an exception already.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Of the library.
    Library(Box<Error>),
    /// Of Python.
    Python(PyErr),
}

impl Failure {
    /// A value without meaning.
    pub(crate) fn invalid(what: impl Into<String>, why: impl Into<String>) -> Self {
        Error::invalid(what, why).into()
    }

    /// Something that another thread is working on.
    pub(crate) fn busy(what: &str) -> Self {
        Self::Python(PyRuntimeError::new_err(format!(
            "this {what} is in use by another thread"
        )))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Library(Box::new(error))
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Self::Python(error)
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Python(error) => error,
            Failure::Library(error) => {
                Python::attach(|py| exception(py, &error).unwrap_or_else(|why| why))
            }
        }
    }
}

/// The exception of an error; see `errors.py`.
fn exception(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    let class = |name: &str| -> PyResult<Bound<'_, PyType>> {
        Ok(py
            .import("drystone.errors")?
            .getattr(name)?
            .cast_into::<PyType>()?)
    };
    let text = error.to_string();
    Ok(match error {
        Error::Scene(mistake) => {
            let (line, column) = mistake.line_column();
            let made = class("SceneError")?.call1((
                text,
                mistake.path.display().to_string(),
                line,
                column,
                &mistake.message,
                &mistake.help,
            ))?;
            PyErr::from_value(made)
        }
        Error::Io { path, source } => match source.raw_os_error() {
            // Python picks the class that belongs to the number, such as `FileNotFoundError`.
            Some(number) => {
                let said = source.to_string();
                let said = said.split(" (os error").next().unwrap_or_default();
                PyOSError::new_err((number, said.to_owned(), path.display().to_string()))
            }
            None => PyOSError::new_err(text),
        },
        Error::Invalid { .. } => PyErr::from_type(class("InvalidError")?, text),
        Error::NonFinite { .. } => PyErr::from_type(class("NonFiniteError")?, text),
        Error::NoAdapter(_) | Error::Device(_) | Error::Capacity { .. } => {
            PyErr::from_type(class("DeviceError")?, text)
        }
        _ => PyErr::from_type(class("Error")?, text),
    })
}
