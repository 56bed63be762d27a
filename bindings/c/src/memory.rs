//! The caller's memory.

use crate::fault::{Fault, Result};
use bytemuck::{AnyBitPattern, NoUninit};
use std::borrow::Cow;

/// A structure that begins with its own size.
///
/// # Safety
/// It is `repr(C)`, and its first member is a `u32`, its size.
pub(crate) unsafe trait Sized32: Copy {
    /// Name.
    const NAME: &'static str;
}

/// A structure of the caller's.
///
/// # Safety
/// A pointer that is neither null nor misaligned is to as much memory as the size in it says.
pub(crate) unsafe fn structure<T: Sized32>(from: *const T) -> Result<T> {
    check_pointer(from, T::NAME)?;
    // SAFETY: the caller's promise; a structure begins with its size.
    let size = unsafe { from.cast::<u32>().read() };
    if size as usize != size_of::<T>() {
        return Err(Fault::invalid(format!(
            "the size of {} is {size}; {} is expected: set struct_size, or build with the library's header",
            T::NAME,
            size_of::<T>()
        )));
    }
    // SAFETY: it is of this size, and all bits are values: members are numbers and pointers.
    Ok(unsafe { from.read() })
}

/// Writes a structure of the caller's, if there is one, whose size has been set.
///
/// # Safety
/// As [`structure`], and it may be written.
pub(crate) unsafe fn write_structure<T: Sized32>(to: *mut T, value: T) -> Result<()> {
    if to.is_null() {
        return Ok(());
    }
    // SAFETY: the caller's promise.
    unsafe {
        structure(to.cast_const())?;
        to.write(value);
    }
    Ok(())
}

/// An array of the caller's; of no elements where there is none.
///
/// # Safety
/// A pointer that is neither null nor misaligned is to `count` elements, which nobody writes while `'a` lasts.
pub(crate) unsafe fn array<'a, T: AnyBitPattern>(
    from: *const T,
    count: usize,
    what: &str,
) -> Result<&'a [T]> {
    check_array(from, count, what)?;
    if count == 0 {
        return Ok(&[]);
    }
    // SAFETY: the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts(from, count) })
}

/// The same of records that begin every `stride` bytes, or without a gap if that is 0, and that Rust has more strictly aligned than the caller: without a
/// copy where there is no gap and they happen to be.
///
/// # Safety
/// As [`array`]; T is as large as R.
pub(crate) unsafe fn records<'a, T: AnyBitPattern, R: AnyBitPattern + NoUninit>(
    from: *const T,
    count: usize,
    stride: usize,
    what: &str,
) -> Result<Cow<'a, [R]>> {
    const { assert!(size_of::<T>() == size_of::<R>()) };
    let stride = check_strided(from, count, stride, what)?;
    if count == 0 {
        return Ok(Cow::Borrowed(&[]));
    }
    let aligned = from.cast::<R>();
    if aligned.is_aligned() && stride == size_of::<R>() {
        // SAFETY: the caller's promise, and any bits are a record.
        return Ok(Cow::Borrowed(unsafe {
            std::slice::from_raw_parts(aligned, count)
        }));
    }
    // SAFETY: count records, read as they lie.
    let copied = (0..count).map(|at| unsafe { aligned.byte_add(at * stride).read_unaligned() });
    Ok(Cow::Owned(copied.collect()))
}

/// Bytes from one of the caller's records to the next, `stride` or without a gap if that is 0.
///
/// # Errors
/// `DS_INVALID` as [`check_array`], for records that overlap, and for a stride at which the second one is not aligned.
pub(crate) fn check_strided<T>(
    from: *const T,
    count: usize,
    stride: usize,
    what: &str,
) -> Result<usize> {
    let size = size_of::<T>();
    if stride == 0 {
        check_array(from, count, what)?;
        return Ok(size);
    }
    if stride < size || !stride.is_multiple_of(align_of::<T>()) {
        return Err(Fault::invalid(format!(
            "{what}: a stride of {stride} bytes; a multiple of {} of at least {size} is expected, or 0",
            align_of::<T>()
        )));
    }
    if count > isize::MAX as usize / stride {
        return Err(Fault::invalid(format!(
            "{what}: {count} of {stride} bytes are more than memory can hold"
        )));
    }
    check_array(from, count, what)?;
    Ok(stride)
}

/// An array of the caller's that is written, if there is one: of as many elements as `values` has.
///
/// # Safety
/// A pointer that is neither null nor misaligned is to so many elements.
pub(crate) unsafe fn write<T: Copy, S: NoUninit>(
    to: *mut T,
    values: &[S],
    what: &str,
) -> Result<()> {
    const { assert!(size_of::<T>() == size_of::<S>()) };
    if to.is_null() || values.is_empty() {
        return Ok(());
    }
    check_pointer(to, what)?;
    // SAFETY: the caller's promise; elements are as large.
    unsafe {
        std::ptr::copy_nonoverlapping(values.as_ptr(), to.cast::<S>(), values.len());
    }
    Ok(())
}

/// # Errors
/// `DS_INVALID` for a null pointer with a count, one that is not aligned, or a count that no memory holds.
pub(crate) fn check_array<T>(from: *const T, count: usize, what: &str) -> Result<()> {
    if count > isize::MAX as usize / size_of::<T>() {
        return Err(Fault::invalid(format!(
            "{what}: {count} is more than memory can hold"
        )));
    }
    if count == 0 {
        return Ok(());
    }
    check_pointer(from, what)
}

pub(crate) fn check_pointer<T>(from: *const T, what: &str) -> Result<()> {
    if from.is_null() {
        return Err(Fault::invalid(format!("{what}: the pointer is null")));
    }
    if !from.is_aligned() {
        return Err(Fault::invalid(format!(
            "{what}: the pointer is not aligned to {} bytes",
            align_of::<T>()
        )));
    }
    Ok(())
}
