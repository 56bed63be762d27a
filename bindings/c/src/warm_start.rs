//! Impulses and loads from step to step.

use crate::fault::{Result, ds_status, guarded_alone};
use crate::handle::Handles;
use crate::memory::{array, check_array, check_pointer, check_strided, records, write};
use crate::plan::{ds_plan, plan};
use crate::problem::{ds_contact, ds_problem, given};
use crate::solver::{SOLVERS, ds_solver};
use bytemuck::{Pod, Zeroable};
use drystone::problem::Contact;
use drystone::solver::{ContactKey, Options, Plan, WarmStart};

/// Impulses and loads of the last step by the names of its contacts, opaque.
#[derive(Debug)]
pub struct ds_warm_start(());

/// Name of a contact: any two numbers that stand for the same point of the same two bodies in the next step.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct ds_key {
    /// Such as the pair.
    pub first: u64,
    /// Such as the feature.
    pub second: u64,
}

#[derive(Default)]
struct Held {
    cache: WarmStart,
    keys: Vec<ContactKey>,
    contacts: Vec<Contact>,
    loads: Vec<f32>,
}

impl Held {
    /// # Safety
    /// The pointer is to so many keys.
    unsafe fn take_keys(&mut self, keys: *const ds_key, count: usize) -> Result<()> {
        // SAFETY: the caller's promise.
        let keys = unsafe { array(keys, count, "keys")? };
        self.keys.clear();
        self.keys
            .extend(keys.iter().map(|key| (key.first, key.second)));
        Ok(())
    }
}

static WARM_STARTS: Handles<Held> = Handles::new("warm start");

/// # Safety
/// A plan that is not null is one.
unsafe fn plan_or_once(how: *const ds_plan) -> Result<Plan> {
    if how.is_null() {
        return Ok(Plan::Once(Options::default()));
    }
    // SAFETY: the caller's promise.
    Ok(Plan::Substeps(unsafe { plan(how)? }))
}

/// An empty cache of impulses.
///
/// # Safety
/// The pointer is to a pointer, which is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_warm_start_create(warm_start: *mut *mut ds_warm_start) -> ds_status {
    guarded_alone(|| {
        check_pointer(warm_start, "warm start")?;
        let handle = WARM_STARTS.add(Held::default());
        // SAFETY: the caller's promise.
        unsafe { warm_start.write(std::ptr::without_provenance_mut(handle)) };
        Ok(())
    })
}

/// Ends a cache; null is none.
#[unsafe(no_mangle)]
pub extern "C" fn ds_warm_start_destroy(warm_start: *mut ds_warm_start) -> ds_status {
    guarded_alone(|| WARM_STARTS.remove(warm_start.addr()))
}

/// Gives contacts the impulses that they had in the last step, in world axes, and zero to those that are new; and `loads`, unless it is null, their loads for
/// `ds_problem.loads`. Names may come in any order. `how` is the plan of the step, or null for `ds_solve`.
///
/// # Safety
/// Arrays are of `count` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_warm_start_load(
    warm_start: *mut ds_warm_start,
    keys: *const ds_key,
    contacts: *mut ds_contact,
    count: usize,
    how: *const ds_plan,
    loads: *mut f32,
) -> ds_status {
    // SAFETY: the caller's promise.
    unsafe { ds_warm_start_load_strided(warm_start, keys, contacts, 0, count, how, loads) }
}

/// The same for contacts that begin every `contact_stride` bytes, as `ds_problem.contact_stride` says.
///
/// # Safety
/// As `ds_warm_start_load`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_warm_start_load_strided(
    warm_start: *mut ds_warm_start,
    keys: *const ds_key,
    contacts: *mut ds_contact,
    contact_stride: usize,
    count: usize,
    how: *const ds_plan,
    loads: *mut f32,
) -> ds_status {
    guarded_alone(|| {
        WARM_STARTS.with(warm_start.addr(), |held| {
            // SAFETY: the caller's promise.
            unsafe {
                held.take_keys(keys, count)?;
                let from = contacts.cast_const();
                let stride = check_strided(from, count, contact_stride, "contacts")?;
                let given = records::<_, Contact>(from, count, stride, "contacts")?;
                held.contacts.clear();
                held.contacts.extend_from_slice(&given);
                drop(given);
                let how = plan_or_once(how)?;
                let Held {
                    cache,
                    keys,
                    contacts: to,
                    loads: found,
                } = held;
                cache.load(keys, &how, to, found)?;
                for (at, contact) in to.iter().enumerate() {
                    (*contacts.byte_add(at * stride)).impulse = contact.impulse;
                }
                write(loads, found, "loads")
            }
        })
    })
}

/// Remembers the impulses that a solver has just found for a problem, and forgets all others. `how` is the plan of the step, or null after `ds_solve`.
///
/// # Safety
/// There are as many keys as contacts, and the problem's arrays are as long as its counts say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_warm_start_store(
    warm_start: *mut ds_warm_start,
    keys: *const ds_key,
    problem: *const ds_problem,
    how: *const ds_plan,
    solver: *mut ds_solver,
) -> ds_status {
    guarded_alone(|| {
        WARM_STARTS.with(warm_start.addr(), |held| {
            // SAFETY: the caller's promise.
            unsafe {
                let how = plan_or_once(how)?;
                let given = given(problem, how.substeps().is_some())?;
                let problem = given.problem();
                problem.validate()?;
                held.take_keys(keys, problem.contacts.len())?;
                let Held { cache, keys, .. } = held;
                SOLVERS.with(solver.addr(), |solver| {
                    Ok(cache.store(keys, &problem, &how, &solver.solution)?)
                })
            }
        })
    })
}

/// Takes the impulses of a step, three numbers a contact [N s], into the loads of `count` contacts [N], for hosts that keep impulses themselves:
/// `total_impulses` of `ds_solution`. `sizes` are those of the problem, or null. Loads of a warm start are renewed when it is stored.
///
/// # Safety
/// Arrays are of `count` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_renew_loads(
    how: *const ds_plan,
    total_impulses: *const [f32; 3],
    sizes: *const f32,
    loads: *mut f32,
    count: usize,
) -> ds_status {
    guarded_alone(|| {
        // SAFETY: the caller's promise.
        unsafe {
            let plan = plan(how)?;
            let impulses = array(total_impulses, count, "total_impulses")?;
            let sizes = array(sizes, if sizes.is_null() { 0 } else { count }, "sizes")?;
            check_array(loads.cast_const(), count, "loads")?;
            if count > 0 {
                let loads = std::slice::from_raw_parts_mut(loads, count);
                plan.gap_law
                    .renew_loads(loads, impulses, sizes, plan.time_step.into());
            }
        }
        Ok(())
    })
}
