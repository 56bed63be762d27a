//! How a job gets from one thread to others and back.
//!
//! The lead opens the gate, works on the job itself, closes the gate, and waits until nobody is inside.
//! A helper that finds the gate open enters, works on the job, and leaves. The lead waits for nobody who is not inside: a
//! helper that the system never starts costs speed and nothing else.
//!
//! **One word** holds it all: the number of the job, whether the gate is open, whether the team is
//! dismissed, and how many helpers are inside. Only the lead opens, closes and dismisses.
//!
//! | access | by | ordering | why |
//! |---|---|---|---|
//! | `job`, and all that jobs read: written | lead, while closed and empty | any | nobody reads |
//! | `word = number, open` | lead | `Release` | whoever enters sees what was written before |
//! | `word + 1`, by compare and exchange from an open word | helper | `Acquire` | fails if the lead has closed since |
//! | `job` read, work done | helper, while inside | any | the lead waits |
//! | `word - 1` | helper | `Release` | whoever finds nobody inside sees what the helper did |
//! | `word & !open` | lead | `Relaxed` | one order for all changes of a word: nobody enters after it |
//! | `word` read until nobody is inside | lead | `Acquire` | then all that helpers did has happened |
//!
//! All changes of the word while the gate is open read and write it at once, so they carry on what others released
//! before. A number that comes again after four billion jobs lets a helper miss one job at most: entering never rests on it.
//!
//! **Panics.** A helper's panic is caught before the helper leaves; the lead's own before it closes the gate. Either
//! makes all others stop before their next piece of work. The lead lets it go on, its own first, when
//! nobody is inside; the gate is then as good as new.

use super::sync::{Acquire, Release, pause, rest, spin_loop};
use super::sync::{AtomicBool, AtomicPtr, AtomicU64, Relaxed, yield_now};
use crate::constants::TEAM_SPINS;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, PoisonError};

/// How a thread's next piece of work went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    /// Something has been done.
    Worked,
    /// Nothing can be done now.
    Waits,
    /// There will be nothing to do for this thread.
    Done,
}

/// Does the next piece of work, given the number of the thread and how often in a row it has waited.
pub(super) type Job<'a> = &'a (dyn Fn(usize, u32) -> Progress + Sync + 'a);

/// Where helpers come to a job. All that they look at lies in one cache line: it travels once.
#[repr(align(128))]
#[derive(Default)]
pub(super) struct Gate {
    word: AtomicU64,
    /// The job; followed by helpers inside only.
    job: AtomicPtr<Job<'static>>,
    /// True from the opening of the gate until nobody is inside.
    is_busy: AtomicBool,
    /// True if somebody has panicked in this job.
    has_failed: AtomicBool,
    panics: Mutex<Vec<Box<dyn Any + Send>>>,
}

/// Memory of a helper.
#[derive(Default)]
struct Helper {
    /// Number of the job with which it is done.
    done: Option<u32>,
    /// How often in a row it has waited.
    waited: u32,
}

/// Outcome of a look at the gate.
enum Visit {
    Dismissed,
    /// There is nothing new.
    None,
    /// Nothing could be done for a while.
    Waits,
    /// There is nothing left to do.
    Done,
}

const OPEN: u64 = 1 << 31;
const DISMISSED: u64 = 1 << 30;
const INSIDE: u64 = DISMISSED - 1;

fn number(word: u64) -> u32 {
    (word >> 32) as u32
}

impl Gate {
    /// True while a job is done; true in particular for whoever works on it.
    pub(super) fn is_busy(&self) -> bool {
        self.is_busy.load(Relaxed)
    }

    /// Does a job with all helpers that come. Only the lead calls this, and only while the gate is not busy.
    pub(super) fn share(&self, lead: usize, job: Job<'_>) {
        let place: *const Job<'_> = &raw const job;
        self.job.store(place.cast_mut().cast(), Relaxed);
        self.is_busy.store(true, Relaxed);
        let next = number(self.word.load(Relaxed)).wrapping_add(1);
        self.word.store(u64::from(next) << 32 | OPEN, Release);
        let own = catch_unwind(AssertUnwindSafe(|| {
            let mut waited = 0;
            while !self.attend(lead, job, &mut waited) {
                yield_now();
            }
        }));
        if own.is_err() {
            self.has_failed.store(true, Relaxed);
        }
        self.word.fetch_and(!OPEN, Relaxed);
        let mut waited = 0;
        while self.word.load(Acquire) & INSIDE != 0 {
            pause(&mut waited);
        }
        self.is_busy.store(false, Relaxed);
        if self.has_failed.load(Relaxed) {
            self.has_failed.store(false, Relaxed);
            let mut panics = self.panics.lock().unwrap_or_else(PoisonError::into_inner);
            let theirs = std::mem::take(&mut *panics);
            drop(panics);
            if let Some(panic) = own.err().into_iter().chain(theirs).next() {
                resume_unwind(panic);
            }
        }
    }

    /// Helps until the team is dismissed. `me` is its number, which no other thread has.
    pub(super) fn help(&self, me: usize) {
        let mut helper = Helper::default();
        let mut idle = 0;
        loop {
            match self.visit(me, &mut helper) {
                Visit::Dismissed => return,
                Visit::None => rest(&mut idle),
                Visit::Waits => yield_now(),
                Visit::Done => idle = 0,
            }
        }
    }

    /// Looks whether there is a job, and helps with it.
    fn visit(&self, me: usize, helper: &mut Helper) -> Visit {
        let word = &self.word;
        let seen = word.load(Relaxed);
        if seen & DISMISSED != 0 {
            return Visit::Dismissed;
        }
        let is_new = seen & OPEN != 0 && helper.done != Some(number(seen));
        let enter = || word.compare_exchange(seen, seen + 1, Acquire, Relaxed);
        if !is_new || enter().is_err() {
            return Visit::None;
        }
        // SAFETY: whoever is inside keeps the lead in `share`, where the job lives.
        #[allow(unsafe_code, reason = "the lead waits for whoever is inside")]
        let job = unsafe { *self.job.load(Relaxed) };
        let attend = AssertUnwindSafe(|| self.attend(me, job, &mut helper.waited));
        let is_done = catch_unwind(attend).unwrap_or_else(|panic| {
            let panics = self.panics.lock();
            panics.unwrap_or_else(PoisonError::into_inner).push(panic);
            self.has_failed.store(true, Relaxed);
            true
        });
        word.fetch_sub(1, Release);
        if !is_done {
            return Visit::Waits;
        }
        *helper = Helper {
            done: Some(number(seen)),
            waited: 0,
        };
        Visit::Done
    }

    /// Lets all helpers go.
    pub(super) fn dismiss(&self) {
        self.word.store(DISMISSED, Release);
    }

    /// Works until there is nothing to do (true) or for a while nothing could be done (false): a thread that the system
    /// puts aside should not be inside.
    fn attend(&self, me: usize, job: Job<'_>, waited: &mut u32) -> bool {
        while !self.has_failed.load(Relaxed) {
            match job(me, *waited) {
                Progress::Worked => *waited = 0,
                Progress::Waits if *waited < TEAM_SPINS => {
                    *waited += 1;
                    spin_loop();
                }
                Progress::Waits => return false,
                Progress::Done => break,
            }
        }
        true
    }
}

#[cfg(all(test, loom))]
mod models;
