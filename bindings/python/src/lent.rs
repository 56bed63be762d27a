//! Arrays of the caller's, read where they are.

use crate::error::{Failure, Result};
use crate::records;
use bytemuck::Zeroable;
use numpy::prelude::*;
use numpy::{Element, PyArray1, PyArrayDyn, PyReadonlyArrayDyn, PyUntypedArray};
use pyo3::prelude::*;

/// An array on loan. While there is one of an array, nothing of drystone writes to it; that no other thread does is the caller's part.
pub(crate) struct Lent<'py, T: Element> {
    array: PyReadonlyArrayDyn<'py, T>,
    /// True if it is a copy: the caller's memory was not aligned, or not in one piece.
    pub(crate) is_copy: bool,
}

impl<'py, T: Element + Zeroable + Clone> Lent<'py, T> {
    /// An array of some shape, whose numbers after the first are given.
    ///
    /// # Errors
    /// `InvalidError` for another type or shape, or for an array that drystone is writing to.
    pub(crate) fn of(given: &Bound<'py, PyAny>, what: &str, rest: &[usize]) -> Result<Self> {
        let array = typed::<T>(given, what, rest)?;
        let (array, is_copy) = if is_in_place(&array) {
            (array, false)
        } else {
            (copy_of(&array)?, true)
        };
        let array = array
            .try_readonly()
            .map_err(|why| Failure::invalid(what, why.to_string()))?;
        Ok(Self { array, is_copy })
    }

    /// Its elements.
    pub(crate) fn slice(&self) -> Result<&[T]> {
        let read = self.array.as_slice();
        read.map_err(|why| Failure::invalid("array", why.to_string()))
    }

    /// Where they are.
    pub(crate) fn address(&self) -> usize {
        self.array.data() as usize
    }
}

/// An array of a type and shape.
///
/// # Errors
/// `InvalidError` for any other.
pub(crate) fn typed<'py, T: Element>(
    given: &Bound<'py, PyAny>,
    what: &str,
    rest: &[usize],
) -> Result<Bound<'py, PyArrayDyn<T>>> {
    let wanted = numpy::dtype::<T>(given.py());
    let shape = || {
        let rest: String = rest.iter().map(|n| format!(", {n}")).collect();
        format!("(n{}{rest})", if rest.is_empty() { "," } else { "" })
    };
    let expected = || format!("a numpy array of shape {} and dtype {wanted}", shape());
    let Ok(array) = given.cast::<PyUntypedArray>() else {
        let kind = given.get_type().name()?;
        return Err(Failure::invalid(
            what,
            format!("{kind} given; {} is expected", expected()),
        ));
    };
    let found = array.shape();
    if !array.dtype().is_equiv_to(&wanted) || found.len() != 1 + rest.len() || found[1..] != *rest {
        let found: Vec<String> = found.iter().map(ToString::to_string).collect();
        return Err(Failure::invalid(
            what,
            format!(
                "an array of shape ({}) and dtype {} given; {} is expected",
                found.join(", "),
                array.dtype(),
                expected()
            ),
        ));
    }
    Ok(given.cast::<PyArrayDyn<T>>().map_err(PyErr::from)?.clone())
}

/// True if Rust may read the elements where they are, one after the other.
pub(crate) fn is_in_place<T: Element>(array: &Bound<'_, PyArrayDyn<T>>) -> bool {
    array.is_c_contiguous() && array.data().is_aligned()
}

/// A copy that is in one piece and aligned.
fn copy_of<'py, T: Element + Zeroable + Clone>(
    array: &Bound<'py, PyArrayDyn<T>>,
) -> Result<Bound<'py, PyArrayDyn<T>>> {
    let py = array.py();
    let copy: Bound<'py, PyArray1<T>> = records::zeros(py, array.len())?;
    let copy = copy.reshape(array.shape())?;
    py.import("numpy")?.call_method1("copyto", (&copy, array))?;
    Ok(copy)
}
