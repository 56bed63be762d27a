//! Impulses and loads that a host's contacts carry from step to step.

use super::substeps::{Rescaling, SubstepPlan};
use super::{Plan, Solution};
use crate::error::{Error, Result};
use crate::math::{self, V3};
use crate::problem::{AsProblem, Contact};

/// Name of a contact: any two numbers that stand for the same point of the same two bodies in the next step, such as the
/// pair and the feature.
pub type ContactKey = (u64, u64);

/// Impulses and loads of the last step, by the names of its contacts, which may come in any order.
///
/// Impulses are kept in world axes: a contact whose normal has turned since gets the same impulse, not the same components. Nothing is
/// allocated once the memory has grown to the number of contacts; contacts that come in the order of the last step are found
/// without a search. Of contacts with the same name the first counts, unless they come in the order of the last step.
#[derive(Debug, Clone, Default)]
pub struct WarmStart {
    keys: Vec<ContactKey>,
    /// In world axes `[N s]`; shape of `keys`.
    impulses: Vec<V3>,
    /// `[N]`; shape of `keys`.
    loads: Vec<f32>,
    /// Length of what the impulses are of `[s]`; 0 if it is not known.
    length: f64,
    /// Open addresses of names: one over an index into `keys`, 0 where there is none; as long as a power of 2.
    table: Vec<u32>,
    /// False if the table is of other names.
    is_found: bool,
}

impl WarmStart {
    /// Gives contacts the impulses that they had in the last step, zero to those that are new, and their loads for
    /// [`Problem::loads`](crate::problem::Problem::loads). Impulses of substeps of another length are scaled, for forces last; but what exceeds a load, which an impact has left, grows with no length. `loads` is overwritten and gets the shape of `contacts`.
    ///
    /// # Errors
    /// [`Error::Invalid`] if there is not one key a contact.
    pub fn load(
        &mut self,
        keys: &[ContactKey],
        plan: &Plan,
        contacts: &mut [Contact],
        loads: &mut Vec<f32>,
    ) -> Result<()> {
        one_each("keys of contacts", keys.len(), contacts.len())?;
        let length = length_of(plan);
        let rescaling = Rescaling::new(self.length, length);
        loads.clear();
        let mut next = 0;
        for (&key, contact) in keys.iter().zip(contacts) {
            let found = if self.keys.get(next) == Some(&key) {
                Some(next)
            } else {
                self.find(key)
            };
            match found {
                Some(at) => {
                    next = at + 1;
                    let (impulse, load) = (contact.impulse_of(self.impulses[at]), self.loads[at]);
                    let scale = rescaling.of_contact(impulse[0], load);
                    contact.impulse = math::scale(impulse, scale);
                    loads.push(load);
                }
                None => {
                    contact.impulse = [0.0; 3];
                    loads.push(0.0);
                }
            }
        }
        Ok(())
    }

    /// Remembers the impulses of a step that has been solved, and forgets all others.
    ///
    /// # Errors
    /// [`Error::Invalid`] if there is not one key and one impulse for each of the problem's contacts.
    pub fn store(
        &mut self,
        keys: &[ContactKey],
        problem: &dyn AsProblem,
        plan: &Plan,
        solution: &Solution,
    ) -> Result<()> {
        let problem = problem.as_problem();
        let count = problem.contacts.len();
        one_each("keys of contacts", keys.len(), count)?;
        one_each("impulses", solution.impulses.len(), count)?;
        if self.keys != keys {
            self.keys.clear();
            self.keys.extend_from_slice(keys);
            self.is_found = false;
        }
        self.impulses.clear();
        let contacts = problem.contacts.iter().zip(&solution.impulses);
        self.impulses
            .extend(contacts.map(|(contact, &impulse)| contact.impulse_in_world(impulse)));
        self.length = length_of(plan);
        self.loads.clear();
        if problem.loads.len() == count {
            self.loads.extend_from_slice(problem.loads);
        }
        self.loads.resize(count, 0.0);
        if let Plan::Substeps(plan) = plan {
            let h = f64::from(plan.time_step);
            let impulses = solution.contact_impulses();
            plan.gap_law
                .renew_loads(&mut self.loads, impulses, problem.sizes, h);
        }
        Ok(())
    }

    /// Forgets everything, as when bodies have been moved.
    pub fn clear(&mut self) {
        self.keys.clear();
        self.impulses.clear();
        self.loads.clear();
        self.is_found = false;
    }

    /// Index of a name.
    fn find(&mut self, key: ContactKey) -> Option<usize> {
        if !self.is_found {
            self.build();
        }
        let last = self.table.len() - 1;
        let mut place = spread(key) & last;
        loop {
            let at = (self.table[place] as usize).checked_sub(1)?;
            if self.keys[at] == key {
                return Some(at);
            }
            place = (place + 1) & last;
        }
    }

    /// Gives every name a place in the table, which is at most half full.
    fn build(&mut self) {
        let size = (2 * self.keys.len() + 1).next_power_of_two();
        self.table.clear();
        self.table.resize(size, 0);
        for (at, &key) in self.keys.iter().enumerate() {
            let mut place = spread(key) & (size - 1);
            while let Some(other) = (self.table[place] as usize).checked_sub(1) {
                if self.keys[other] == key {
                    break;
                }
                place = (place + 1) & (size - 1);
            }
            if self.table[place] == 0 {
                self.table[place] = at as u32 + 1;
            }
        }
        self.is_found = true;
    }
}

/// A name's bits, mixed: by the odd numbers and shifts of the finalizer of `splitmix64`.
#[inline]
fn spread((a, b): ContactKey) -> usize {
    let mut x = a ^ b.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (x ^ (x >> 31)) as usize
}

/// Length of what one impulse of a solution is of `[s]`; 0 if the plan does not say.
fn length_of(plan: &Plan) -> f64 {
    plan.substeps().map_or(0.0, SubstepPlan::substep_length)
}

fn one_each(what: &str, given: usize, needed: usize) -> Result<()> {
    if given == needed {
        return Ok(());
    }
    Err(Error::invalid(
        what,
        format!("{given} given; {needed} expected"),
    ))
}
