//! Arrays over memory that a Python object of ours owns.

use numpy::ndarray::{ArrayView1, ArrayView2, ShapeBuilder};
use numpy::{Element, PyArray, PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Rows of three numbers, one of each of `records`, at `offset` bytes in it: read-only, without a copy.
///
/// # Safety
/// `owner` keeps the records where they are and as they are for as long as it lives, and each record has three numbers of type T at
/// the offset.
pub(crate) unsafe fn triples<'py, T: Element, R>(
    owner: &Bound<'py, PyAny>,
    records: &[R],
    offset: usize,
) -> PyResult<Bound<'py, PyArray2<T>>> {
    const { assert!(size_of::<R>().is_multiple_of(size_of::<T>())) };
    let stride = size_of::<R>() / size_of::<T>();
    let shape = (records.len(), 3).strides((stride, 1));
    // SAFETY: the caller's promise; without records nothing is read.
    let array = unsafe {
        let first = records
            .as_ptr()
            .cast::<u8>()
            .wrapping_add(offset)
            .cast::<T>();
        let view = ArrayView2::from_shape_ptr(shape, first);
        PyArray2::borrow_from_array(&view, owner.clone())
    };
    read_only(array)
}

/// One number of each of `records`, at `offset` bytes in it: read-only, without a copy.
///
/// # Safety
/// As [`triples`], of one number.
pub(crate) unsafe fn numbers<'py, T: Element, R>(
    owner: &Bound<'py, PyAny>,
    records: &[R],
    offset: usize,
) -> PyResult<Bound<'py, PyArray1<T>>> {
    const { assert!(size_of::<R>().is_multiple_of(size_of::<T>())) };
    let stride = size_of::<R>() / size_of::<T>();
    let shape = records.len().strides(stride);
    // SAFETY: the caller's promise; without records nothing is read.
    let array = unsafe {
        let first = records
            .as_ptr()
            .cast::<u8>()
            .wrapping_add(offset)
            .cast::<T>();
        let view = ArrayView1::from_shape_ptr(shape, first);
        PyArray1::borrow_from_array(&view, owner.clone())
    };
    read_only(array)
}

/// The array, which nobody may write to from now on.
pub(crate) fn read_only<'py, T, D>(
    array: Bound<'py, PyArray<T, D>>,
) -> PyResult<Bound<'py, PyArray<T, D>>> {
    // Not by a borrow for writing: another thread may be reading the same memory, without the interpreter's lock.
    let flags = PyDict::new(array.py());
    flags.set_item("write", false)?;
    array.call_method("setflags", (), Some(&flags))?;
    Ok(array)
}
