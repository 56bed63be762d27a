//! Bodies and tangents.

use crate::fault::{Fault, ds_status, guarded};
use crate::memory::{check_array, check_pointer, check_strided};
use crate::problem::{ds_body, ds_contact};
use drystone::math::tangents;
use drystone::problem::Body;

/// A body that moves, from its mass [kg], its three principal moments of inertia [kg m^2] and the rotation from their axes to the world's, a unit
/// quaternion (x, y, z, w); velocities, three numbers each, in world axes [m/s], [rad/s].
///
/// # Safety
/// Pointers are to as many numbers as their types say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_body_from_local(
    body: *mut ds_body,
    mass: f32,
    inertia: *const f32,
    rotation: *const f32,
    linear_velocity: *const f32,
    angular_velocity: *const f32,
) -> ds_status {
    guarded(|| {
        check_pointer(body, "body")?;
        for (what, pointer) in [
            ("inertia", inertia),
            ("rotation", rotation),
            ("linear velocity", linear_velocity),
            ("angular velocity", angular_velocity),
        ] {
            check_pointer(pointer, what)?;
        }
        // SAFETY: the caller's promise.
        let (inertia, rotation, linear, angular) = unsafe {
            (
                inertia.cast::<[f32; 3]>().read(),
                rotation.cast::<[f32; 4]>().read(),
                linear_velocity.cast::<[f32; 3]>().read(),
                angular_velocity.cast::<[f32; 3]>().read(),
            )
        };
        let square: f32 = rotation.iter().map(|x| x * x).sum();
        let positive = |x: &f32| *x > 0.0 && x.is_finite();
        if !(positive(&mass) && inertia.iter().all(positive) && (square - 1.0).abs() < 1e-2) {
            return Err(Fault::invalid(
                "a body needs a positive mass and inertia, and a unit quaternion",
            ));
        }
        let made = Body::from_local(mass, inertia, rotation, linear, angular);
        // SAFETY: the caller's promise; the records have the same bytes.
        unsafe { body.write(bytemuck::cast(made)) };
        Ok(())
    })
}

/// The two tangents of a unit normal, three numbers each, along which the second and the third number of a contact's impulse are.
///
/// # Safety
/// Pointers are to three numbers each.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_tangents(
    normal: *const f32,
    tangent_1: *mut f32,
    tangent_2: *mut f32,
) -> ds_status {
    guarded(|| {
        check_pointer(normal, "normal")?;
        check_pointer(tangent_1, "first tangent")?;
        check_pointer(tangent_2, "second tangent")?;
        // SAFETY: the caller's promise.
        let normal = unsafe { normal.cast::<[f32; 3]>().read() };
        if !is_unit(normal) {
            return Err(Fault::invalid(format!(
                "the normal {normal:?} is no unit vector"
            )));
        }
        let (first, second) = tangents(normal);
        // SAFETY: the caller's promise.
        unsafe {
            tangent_1.cast::<[f32; 3]>().write(first);
            tangent_2.cast::<[f32; 3]>().write(second);
        }
        Ok(())
    })
}

/// The tangents of `count` contacts, which begin every `contact_stride` bytes as `ds_problem.contact_stride` says: the first and the second of each.
///
/// # Safety
/// Arrays are of `count` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_tangents_of(
    contacts: *const ds_contact,
    contact_stride: usize,
    count: usize,
    found: *mut [[f32; 3]; 2],
) -> ds_status {
    guarded(|| {
        let stride = check_strided(contacts, count, contact_stride, "contacts")?;
        check_array(found.cast_const(), count, "tangents")?;
        for at in 0..count {
            // By reference: for the error's sake a copy would be on the stack, and to read it back from there takes five times as long as the tangents.
            // SAFETY: the caller's promise.
            let normal = unsafe { &(*contacts.byte_add(at * stride)).normal };
            if !is_unit(*normal) {
                return Err(Fault::invalid(format!(
                    "contact {at}: the normal {normal:?} is no unit vector"
                )));
            }
            let (first, second) = tangents(*normal);
            // SAFETY: the caller's promise.
            unsafe { found.add(at).write([first, second]) };
        }
        Ok(())
    })
}

fn is_unit(normal: [f32; 3]) -> bool {
    let [x, y, z] = normal;
    (x * x + y * y + z * z - 1.0).abs() <= 1e-2
}
