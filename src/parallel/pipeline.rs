//! Domains of bodies that pass through stages of work, each domain at its own pace.
//!
//! A stage of a domain has two parts: the boundary, bodies that it shares with its neighbours, and the interior.
//! The boundary of a stage begins when the neighbours have done theirs in all stages before it; the interior waits for
//! nobody. So the news that a boundary is done travels while all threads are at their interiors, and a stage of
//! a microsecond costs no barrier.
//!
//! Each domain has a thread that works on it. A thread that waits for a domain whose thread is not there, works on
//! that domain itself. The lead alone always comes to the end.
//!
//! **A domain is at work** while its state is odd. A thread makes it so by compare and exchange from the even state of
//! the stage that comes next (`Acquire`), and lets it go with the state of the stage after (`Release`): so each part of
//! each stage is done once, and sees all that was done in its domain before. The number of boundaries done has a place of
//! its own: stored (`Release`) between boundary and interior, read (`Acquire`) by neighbours before their next
//! boundary. A domain whose work panics stays odd for good; the others stop because the [gate](super::gate) tells them.

use super::gate::Progress;
use super::sync::{Acquire, AtomicBool, AtomicU32, Line, Relaxed, Release, pause};
use crate::constants::TEAM_SPINS_BEFORE_HELPING;

/// Stages that all domains pass through.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stages<'a> {
    /// Number of stages.
    pub(crate) count: usize,
    /// By domain, a bit for each other domain whose boundaries it waits for.
    pub(crate) neighbours: &'a [u64],
}

/// Part of a stage of a domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Region {
    /// Waits for the neighbours, and they wait for it.
    Boundary,
    /// The rest.
    Interior,
}

/// Does a part of a stage: thread, stage, domain, region.
pub(super) type Work<'a> = &'a (dyn Fn(usize, usize, usize, Region) + Sync + 'a);

/// How far a domain is.
#[derive(Default)]
pub(super) struct Domain {
    place: Line<Place>,
    /// Number of boundaries done.
    boundaries: Line<AtomicU32>,
}

#[derive(Default)]
struct Place {
    /// Twice the stage that comes next, and one more while a thread is at work on it.
    state: AtomicU32,
    /// True if the thread of this number has come and has not been missed since.
    is_present: AtomicBool,
}

/// Domains on their way through the stages.
pub(super) struct Pipeline<'a> {
    domains: &'a [Domain],
    stages: Stages<'a>,
    lead: usize,
    work: Work<'a>,
}

const BUSY: u32 = 1;

impl<'a> Pipeline<'a> {
    /// Puts the domains, at least as many as have neighbours, before the first stage.
    pub(super) fn new(
        domains: &'a [Domain],
        stages: Stages<'a>,
        lead: usize,
        work: Work<'a>,
    ) -> Self {
        let domains = &domains[..stages.neighbours.len()];
        for domain in domains {
            domain.place.0.state.store(0, Relaxed);
            domain.boundaries.0.store(0, Relaxed);
        }
        Self {
            domains,
            stages,
            lead,
            work,
        }
    }

    /// Takes the domain of a thread on, or another that would stay behind. The lead is done when all domains
    /// are at the end.
    pub(super) fn advance(&self, me: usize, waited: u32) -> Progress {
        let count = self.domains.len();
        let own = self.domains.get(me);
        if waited == 0
            && let Some(own) = own
        {
            own.place.0.is_present.store(true, Relaxed);
        }
        if own.is_some() && self.pass(me, me) {
            return Progress::Worked;
        }
        let to_end = if me == self.lead {
            self.domains
        } else {
            own.map_or(&[][..], std::slice::from_ref)
        };
        let end = self.stages.count as u32 * 2;
        if to_end
            .iter()
            .all(|domain| domain.place.0.state.load(Relaxed) == end)
        {
            return Progress::Done;
        }
        let mut others = (0..count).filter(|&other| other != me);
        if others.any(|other| self.help(other, me, waited)) {
            Progress::Worked
        } else {
            Progress::Waits
        }
    }

    /// The neighbour that a domain has to wait for before a stage.
    fn awaited(&self, domain: usize, stage: u32) -> Option<&Domain> {
        let mut others = self.stages.neighbours[domain];
        while others != 0 {
            let other = &self.domains[others.trailing_zeros() as usize];
            if other.boundaries.0.load(Acquire) < stage {
                return Some(other);
            }
            others &= others - 1;
        }
        None
    }

    /// The stage that a domain is to do next, if this thread may do it.
    fn claim(&self, domain: usize) -> Option<u32> {
        let state = &self.domains[domain].place.0.state;
        let seen = state.load(Relaxed);
        let stage = seen >> 1;
        let is_free = seen & BUSY == 0 && (stage as usize) < self.stages.count;
        if !is_free || self.awaited(domain, stage).is_some() {
            return None;
        }
        state
            .compare_exchange(seen, seen | BUSY, Acquire, Relaxed)
            .is_ok()
            .then_some(stage)
    }

    /// Takes a domain on by a stage; by as many as it goes without a long wait if it is the thread's own.
    /// False if it has to wait.
    fn pass(&self, domain: usize, me: usize) -> bool {
        let Some(mut stage) = self.claim(domain) else {
            return false;
        };
        let Domain { place, boundaries } = &self.domains[domain];
        loop {
            (self.work)(me, stage as usize, domain, Region::Boundary);
            boundaries.0.store(stage + 1, Release);
            (self.work)(me, stage as usize, domain, Region::Interior);
            stage += 1;
            if domain != me || stage as usize == self.stages.count || self.is_long(domain, stage) {
                place.0.state.store(stage * 2, Release);
                return true;
            }
        }
    }

    /// Waits for a domain's neighbours before a stage; true if that takes long: the thread of one of them may be put
    /// aside by the system, and others are to take its domain on then, and this one.
    fn is_long(&self, domain: usize, stage: u32) -> bool {
        let mut waited = 0;
        while let Some(other) = self.awaited(domain, stage) {
            if waited == TEAM_SPINS_BEFORE_HELPING || !other.place.0.is_present.load(Relaxed) {
                return true;
            }
            pause(&mut waited);
        }
        false
    }

    /// Takes another thread's domain on by a stage if that thread is not there.
    fn help(&self, domain: usize, me: usize, waited: u32) -> bool {
        let owner = &self.domains[domain].place.0.is_present;
        let is_present = owner.load(Relaxed);
        let late = waited > 0 && waited.is_multiple_of(TEAM_SPINS_BEFORE_HELPING);
        if is_present && !late {
            return false;
        }
        let helped = self.pass(domain, me);
        if helped && is_present {
            owner.store(false, Relaxed);
        }
        helped
    }
}
