//! Records that are quickly seen to be in order, so that only the others are looked at closely.

use crate::constants::{
    CHECKED_NUMBERS_PER_THREAD, CHECKED_RECORDS_PER_THREAD, PLAIN_NORMAL_ERROR,
};
use crate::error::{Error, Result};
use crate::parallel::{self, for_chunks};
use crate::problem::{Body, Contact, JointRow};
use bytemuck::Pod;
use std::sync::atomic::{AtomicBool, Ordering};

/// Records that are looked at together.
const SOME: usize = 64;

/// Exponent of an f32 that is not finite.
const NOT_FINITE: u32 = 0x7f80_0000;

/// A record of 64 bytes that is either in order, or wrong in a way that has words.
pub(super) trait Record: Pod + Sync {
    /// What it is called in errors.
    const NOUN: &'static str;

    /// Which of its 16 words are numbers: those from here on.
    const FIRST_NUMBER: usize;

    /// True if nothing but numbers that are not finite could be wrong with it.
    fn is_plain(&self, body_count: usize) -> bool;

    /// What is wrong with it.
    fn validate(&self, body_count: usize) -> std::result::Result<(), String>;
}

impl Record for Body {
    const NOUN: &'static str = "body";
    const FIRST_NUMBER: usize = 0;

    #[inline(always)]
    fn is_plain(&self, _: usize) -> bool {
        let [xx, _, _, yy, _, zz] = self.inverse_inertia;
        let turns = self
            .inverse_inertia
            .iter()
            .fold(false, |all, &x| all | (x != 0.0));
        let fits = (self.inverse_mass > 0.0) | ((self.inverse_mass == 0.0) & !turns);
        fits & (xx >= 0.0) & (yy >= 0.0) & (zz >= 0.0)
    }

    fn validate(&self, _: usize) -> std::result::Result<(), String> {
        self.validate()
    }
}

impl Record for Contact {
    const NOUN: &'static str = "contact";
    const FIRST_NUMBER: usize = 2;

    #[inline(always)]
    fn is_plain(&self, body_count: usize) -> bool {
        // Squared, the length may be off by twice as much as unsquared.
        let square = crate::math::dot(self.normal, self.normal);
        are_two_of(self.body_a, self.body_b, body_count)
            & ((square - 1.0).abs() <= PLAIN_NORMAL_ERROR)
            & (self.friction >= 0.0)
    }

    fn validate(&self, body_count: usize) -> std::result::Result<(), String> {
        self.validate(body_count)
    }
}

impl Record for JointRow {
    const NOUN: &'static str = "joint row";
    const FIRST_NUMBER: usize = 2;

    #[inline(always)]
    fn is_plain(&self, body_count: usize) -> bool {
        are_two_of(self.body_a, self.body_b, body_count)
            & (self.softness >= 0.0)
            & (self.lower <= self.upper)
    }

    fn validate(&self, body_count: usize) -> std::result::Result<(), String> {
        self.validate(body_count)
    }
}

#[inline(always)]
fn are_two_of(a: u32, b: u32, count: usize) -> bool {
    (a != b) & ((a.max(b) as usize) < count)
}

/// Checks all records.
///
/// # Errors
/// [`Error::Invalid`] that names the first one with something wrong.
pub(super) fn validate<T: Record>(records: &[T], body_count: usize) -> Result<()> {
    let is_doubtful = AtomicBool::new(false);
    for_chunks(records, CHECKED_RECORDS_PER_THREAD, |_, records| {
        if check(records, body_count).is_err() {
            is_doubtful.store(true, Ordering::Relaxed);
        }
    });
    if is_doubtful.into_inner() {
        // The first of them.
        return check(records, body_count);
    }
    Ok(())
}

/// True if surely nothing is wrong with any record.
pub(super) fn all_are_plain<T: Record>(records: &[T], body_count: usize) -> bool {
    let is_doubtful = AtomicBool::new(false);
    for_chunks(records, CHECKED_RECORDS_PER_THREAD, |_, records| {
        let mut parts = records.chunks(SOME);
        if !parts.all(|records| are_plain(records, body_count)) {
            is_doubtful.store(true, Ordering::Relaxed);
        }
    });
    !is_doubtful.into_inner()
}

/// True if all are finite.
pub(crate) fn all_are_finite(numbers: &[f32]) -> bool {
    // Without a way out at the first that is not, so that a compiler can look at several at once.
    let wrong = |some: u32, x: &f32| some | u32::from(!x.is_finite());
    let finite = |_, numbers: &[f32]| numbers.iter().fold(0, wrong) == 0;
    parallel::fold(numbers, CHECKED_NUMBERS_PER_THREAD, true, finite, |p, q| {
        p & q
    })
}

/// True if surely nothing is wrong with any of some contacts.
pub(super) fn contacts_are_plain(
    mut contacts: impl Iterator<Item = Contact>,
    body_count: usize,
) -> bool {
    contacts.all(|contact| are_plain(&[contact], body_count))
}

fn check<T: Record>(records: &[T], body_count: usize) -> Result<()> {
    for (chunk, records) in records.chunks(SOME).enumerate() {
        if are_plain(records, body_count) {
            continue;
        }
        for (index, record) in records.iter().enumerate() {
            record.validate(body_count).map_err(|why| {
                Error::invalid(format!("{} {}", T::NOUN, chunk * SOME + index), why)
            })?;
        }
    }
    Ok(())
}

/// True if surely nothing is wrong with any of some records.
fn are_plain<T: Record>(records: &[T], body_count: usize) -> bool {
    // The highest bit of a word's sum is set once one of its numbers was not finite.
    let mut seen = [0_u32; 16];
    let mut plain = true;
    for record in records {
        let words: &[u32; 16] = bytemuck::cast_ref(record);
        for (seen, word) in seen.iter_mut().zip(words) {
            *seen |= (word & NOT_FINITE) + (1 << 23);
        }
        plain &= record.is_plain(body_count);
    }
    let seen = seen[T::FIRST_NUMBER..]
        .iter()
        .fold(0, |all, seen| all | seen);
    plain && seen >> 31 == 0
}
