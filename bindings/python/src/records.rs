//! Records that arrays are of, and arrays of them.

use crate::error::{Failure, Result};
use bytemuck::Zeroable;
use drystone::problem::{Body, Contact, JointRow};
use numpy::{Element, PyArray1, PyArrayDescr, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList};
use std::mem::offset_of;

/// A field of a record: its name, its type as numpy writes it, and where it is.
type Field = (&'static str, &'static str, usize);

/// A contact of a simulation.
#[repr(C)]
#[derive(Debug, Clone, Copy, Zeroable)]
pub(crate) struct ContactRecord {
    pub(crate) bodies: [u32; 2],
    pub(crate) feature: u64,
    pub(crate) point: [f64; 3],
    pub(crate) normal: [f64; 3],
    pub(crate) separation: f64,
    pub(crate) force: [f64; 3],
}

/// A joint of a simulation.
#[repr(C)]
#[derive(Debug, Clone, Copy, Zeroable)]
pub(crate) struct JointRecord {
    pub(crate) body_a: i32,
    /// -1 for the world.
    pub(crate) body_b: i32,
    pub(crate) force: [f64; 3],
    pub(crate) torque: [f64; 3],
    /// 0 or 1.
    pub(crate) broken: u8,
    pub(crate) padding: [u8; 7],
}

/// A type of numpy for a record.
fn describe(py: Python<'_>, size: usize, fields: &[Field]) -> PyResult<Py<PyArrayDescr>> {
    let column = |entry: fn(&Field) -> &'static str| PyList::new(py, fields.iter().map(entry));
    let description = PyDict::new(py);
    description.set_item("names", column(|field| field.0)?)?;
    description.set_item("formats", column(|field| field.1)?)?;
    description.set_item("offsets", PyList::new(py, fields.iter().map(|f| f.2))?)?;
    description.set_item("itemsize", size)?;
    Ok(PyArrayDescr::new(py, description)?.unbind())
}

/// Makes a record, or a wrapper of it, an element of arrays.
macro_rules! element {
    ($element:ty, $record:ty { $($field:ident: $format:literal),+ $(,)? }) => {
        // SAFETY: the record is `repr(C)`, copied bit by bit, every field is described where it is, and any bits are a value.
        unsafe impl Element for $element {
            const IS_COPY: bool = true;

            fn get_dtype(py: Python<'_>) -> Bound<'_, PyArrayDescr> {
                const { assert!(size_of::<$element>() == size_of::<$record>()) };
                static DTYPE: PyOnceLock<Py<PyArrayDescr>> = PyOnceLock::new();
                let fields = [$((stringify!($field), $format, offset_of!($record, $field))),+];
                let made = DTYPE.get_or_init(py, || {
                    describe(py, size_of::<$record>(), &fields).expect("numpy takes a description of ours")
                });
                made.clone_ref(py).into_bound(py)
            }

            fn clone_ref(&self, _: Python<'_>) -> Self {
                *self
            }
        }
    };
}

/// The library's records under types of ours, which numpy may know.
macro_rules! wrapped {
    ($(#[$meta:meta])* $name:ident($record:ty)) => {
        $(#[$meta])*
        #[repr(transparent)]
        #[derive(Debug, Clone, Copy, Zeroable)]
        pub(crate) struct $name(pub(crate) $record);

        impl $name {
            /// The library's records.
            pub(crate) fn peel(records: &[Self]) -> &[$record] {
                // SAFETY: it is transparent.
                unsafe { std::slice::from_raw_parts(records.as_ptr().cast(), records.len()) }
            }
        }
    };
}

wrapped!(
    /// A body of a problem.
    BodyRecord(Body)
);
wrapped!(
    /// A contact of a problem.
    ProblemContact(Contact)
);
wrapped!(
    /// A row of a joint.
    RowRecord(JointRow)
);

element!(
    ContactRecord,
    ContactRecord {
        bodies: "(2,)u4",
        feature: "u8",
        point: "(3,)f8",
        normal: "(3,)f8",
        separation: "f8",
        force: "(3,)f8",
    }
);

element!(
    JointRecord,
    JointRecord {
        body_a: "i4",
        body_b: "i4",
        force: "(3,)f8",
        torque: "(3,)f8",
        broken: "?",
    }
);

element!(
    BodyRecord,
    Body {
        linear_velocity: "(3,)f4",
        inverse_mass: "f4",
        angular_velocity: "(3,)f4",
        inverse_inertia: "(6,)f4",
    }
);

element!(
    ProblemContact,
    Contact {
        body_a: "u4",
        body_b: "u4",
        arm_a: "(3,)f4",
        arm_b: "(3,)f4",
        normal: "(3,)f4",
        bias: "f4",
        friction: "f4",
        impulse: "(3,)f4",
    }
);

element!(
    RowRecord,
    JointRow {
        body_a: "u4",
        body_b: "u4",
        linear: "(3,)f4",
        angular_a: "(3,)f4",
        angular_b: "(3,)f4",
        bias: "f4",
        softness: "f4",
        lower: "f4",
        upper: "f4",
        impulse: "f4",
    }
);

/// The types of numpy of all records, by name.
#[pyfunction]
pub(crate) fn dtypes(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    all.set_item("body", BodyRecord::get_dtype(py))?;
    all.set_item("contact", ProblemContact::get_dtype(py))?;
    all.set_item("joint_row", RowRecord::get_dtype(py))?;
    all.set_item("contact_point", ContactRecord::get_dtype(py))?;
    all.set_item("joint", JointRecord::get_dtype(py))?;
    Ok(all)
}

/// Zeros in memory as aligned as the records are for the solvers.
pub(crate) fn zeros<T: Element + Zeroable + Clone>(
    py: Python<'_>,
    count: usize,
) -> Result<Bound<'_, PyArray1<T>>> {
    let mut records = Vec::new();
    records.try_reserve_exact(count).map_err(|_| {
        Failure::invalid(
            "count",
            format!("{count} records are more than memory can hold"),
        )
    })?;
    records.resize(count, T::zeroed());
    Ok(PyArray1::from_vec(py, records))
}

/// An array of ``count`` records ``kind`` (``"body"``, ``"contact"`` or ``"joint_row"``), all zero, in memory that solvers read without a copy.
#[pyfunction]
pub(crate) fn aligned<'py>(py: Python<'py>, kind: &str, count: usize) -> Result<Bound<'py, PyAny>> {
    Ok(match kind {
        "body" => zeros::<BodyRecord>(py, count)?.into_any(),
        "contact" => zeros::<ProblemContact>(py, count)?.into_any(),
        "joint_row" => zeros::<RowRecord>(py, count)?.into_any(),
        _ => {
            return Err(Failure::invalid(
                "kind",
                format!("`{kind}` given; `body`, `contact` or `joint_row` is expected"),
            ));
        }
    })
}

/// One record of a body that moves, shape ``()``, dtype `body_dtype`.
///
/// ``mass`` [kg] and the principal moments ``inertia`` [kg m^2] are positive; ``orientation`` is the rotation from their axes to the world's, a unit
/// quaternion ``(w, x, y, z)``; velocities are in world axes [m/s], [rad/s].
#[pyfunction]
#[pyo3(signature = (mass, inertia, orientation=[1.0, 0.0, 0.0, 0.0], linear_velocity=[0.0; 3], angular_velocity=[0.0; 3]))]
pub(crate) fn body_from_local<'py>(
    py: Python<'py>,
    mass: f32,
    inertia: [f32; 3],
    orientation: [f32; 4],
    linear_velocity: [f32; 3],
    angular_velocity: [f32; 3],
) -> Result<Bound<'py, PyAny>> {
    let positive = |x: &f32| *x > 0.0 && x.is_finite();
    if !positive(&mass) || !inertia.iter().all(positive) {
        return Err(Failure::invalid(
            "mass and inertia",
            "every number must be positive and finite",
        ));
    }
    let [w, x, y, z] = orientation;
    let length = (w * w + x * x + y * y + z * z).sqrt();
    if length.is_nan() || (length - 1.0).abs() >= 1e-3 {
        return Err(Failure::invalid(
            "orientation",
            format!("the quaternion has length {length}, not 1"),
        ));
    }
    let body = Body::from_local(
        mass,
        inertia,
        [x, y, z, w],
        linear_velocity,
        angular_velocity,
    );
    let array = PyArray1::from_vec(py, vec![BodyRecord(body)]);
    Ok(array.reshape([0; 0])?.into_any())
}
