//! Domains of bodies that pass through stages of work, each domain at its own pace.
//!
//! A stage of a domain has two halves: what concerns bodies that it shares with its neighbours, the interface, and
//! what does not, the interior. The first half of a stage begins when the neighbours have done their first
//! halves of all stages before it; for the second half nobody waits. So the news that a
//! thread has done its first half travels while all threads are at their second, and a stage of a microsecond
//! costs no barrier.
//!
//! Each domain has a thread that works on it. Whoever has to wait for a domain whose thread is not there, works on
//! it himself. The calling thread alone always comes to the end.

use super::team::pause;
use crate::constants::{MAX_TEAM_DOMAINS, TEAM_SPINS_BEFORE_HELPING};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering};

/// Stages that all domains pass through.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Course<'a> {
    /// How many.
    pub(crate) stages: usize,
    /// By domain, a bit for each other domain whose first halves it waits for.
    pub(crate) neighbours: &'a [u64],
}

/// Part of a stage of a domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Half {
    /// What waits for the neighbours, and what they wait for.
    Interface,
    /// The rest.
    Interior,
}

/// What is done: thread, stage, domain, half.
pub(super) type Work<'a> = &'a (dyn Fn(usize, usize, usize, Half) + Sync + 'a);

/// How far a domain is: number of the run, stage, and whether a thread is at work on it.
#[repr(align(128))]
#[derive(Default)]
struct Domain {
    state: AtomicU64,
    /// True if the thread of this number has come and has not been missed since.
    is_present: AtomicBool,
    /// By its neighbours' numbers.
    neighbours: AtomicU64,
    interface: Interface,
}

/// How many first halves of a domain are done: number of the run, stages. In a cache line of its own, because neighbours
/// look at it.
#[repr(align(128))]
#[derive(Default)]
struct Interface(AtomicU64);

/// Domains on their way through a course.
#[derive(Default)]
pub(super) struct Relay {
    domains: Vec<Domain>,
    /// Number of the calling thread.
    lead: usize,
    count: AtomicU32,
    stages: AtomicU32,
    /// True if the calling thread has panicked: nobody is to begin anything.
    is_abandoned: AtomicBool,
    /// What is to be done; only to be followed by who has claimed a domain that is not at the end.
    job: AtomicPtr<Work<'static>>,
}

const BUSY: u64 = 1;

fn reached(run: u32, stage: u32) -> u64 {
    (u64::from(run) << 32) | (u64::from(stage) << 1)
}

/// A domain at work; let go when this is dropped, whatever happens.
struct Claim<'a> {
    domain: &'a Domain,
    run: u32,
    /// The stage that it is at.
    stage: u32,
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.domain
            .state
            .store(reached(self.run, self.stage), Ordering::Release);
    }
}

impl Relay {
    /// Room for the domains of so many threads.
    pub(super) fn gather(&mut self, threads: usize, lead: usize) {
        self.lead = lead;
        self.domains
            .resize_with(threads.min(MAX_TEAM_DOMAINS), Domain::default);
        for domain in &mut self.domains {
            *domain.state.get_mut() = 0;
            *domain.interface.0.get_mut() = 0;
            *domain.is_present.get_mut() = false;
        }
        *self.is_abandoned.get_mut() = false;
    }

    /// Says that a thread has come to help.
    pub(super) fn enter(&self, me: usize) {
        if let Some(domain) = self.domains.get(me) {
            domain.is_present.store(true, Ordering::Relaxed);
        }
    }

    /// Puts the domains at the start of a course, and returns what a thread is to be told of it.
    pub(super) fn begin(&self, run: u32, course: &Course<'_>, work: &Work<'_>) {
        // The number of this run makes every claim of a straggler in the last one fail, before what he
        // reads changes.
        for (domain, &neighbours) in self.domains.iter().zip(course.neighbours) {
            domain.state.store(reached(run, 0), Ordering::Release);
            domain.interface.0.store(reached(run, 0), Ordering::Release);
            domain.neighbours.store(neighbours, Ordering::Release);
        }
        self.enter(self.lead);
        self.count
            .store(course.neighbours.len() as u32, Ordering::Release);
        self.stages.store(course.stages as u32, Ordering::Release);
        self.job.store(
            std::ptr::from_ref(work).cast_mut().cast(),
            Ordering::Release,
        );
    }

    /// Takes a thread's domain through the course, and others where they would stay behind. The calling
    /// thread leaves when all are at the end.
    pub(super) fn take_part(&self, run: u32, me: usize) {
        let count = (self.count.load(Ordering::Acquire) as usize).min(self.domains.len());
        let stages = self.stages.load(Ordering::Acquire);
        let is_lead = me == self.lead;
        if me >= count && !is_lead {
            return;
        }
        let mut waited = 0;
        loop {
            if me < count && self.pass(run, stages, me, me) {
                waited = 0;
                continue;
            }
            let to_end = if is_lead { 0..count } else { me..me + 1 };
            if to_end
                .into_iter()
                .all(|domain| self.is_past(domain, run, stages))
            {
                return;
            }
            let mut others = (0..count).filter(|&other| other != me);
            if others.any(|other| self.help(run, stages, other, me, waited)) {
                waited = 0;
            } else {
                pause(&mut waited);
            }
        }
    }

    /// Makes all threads let their domains go, and waits for it; for a calling thread that panics.
    pub(super) fn abandon(&self) {
        self.is_abandoned.store(true, Ordering::SeqCst);
        for domain in &self.domains {
            let mut waited = 0;
            while domain.state.load(Ordering::SeqCst) & BUSY == BUSY {
                pause(&mut waited);
            }
        }
    }

    /// True if a domain is at the end of the course, or nobody is to take it there.
    fn is_past(&self, domain: usize, run: u32, stages: u32) -> bool {
        let state = self.domains[domain].state.load(Ordering::Acquire);
        state == reached(run, stages)
            || (state >> 32) as u32 != run
            || self.is_abandoned.load(Ordering::Acquire)
    }

    /// Which neighbour a domain has to wait for before a stage.
    fn awaited(&self, run: u32, stage: u32, domain: &Domain) -> Option<&Domain> {
        let mut others = domain.neighbours.load(Ordering::Acquire);
        while others != 0 {
            let other = &self.domains[others.trailing_zeros() as usize];
            if other.interface.0.load(Ordering::Acquire) < reached(run, stage) {
                return Some(other);
            }
            others &= others - 1;
        }
        None
    }

    fn claim(&self, run: u32, stages: u32, domain: usize) -> Option<Claim<'_>> {
        let domain = &self.domains[domain];
        let seen = domain.state.load(Ordering::Acquire);
        let stage = (seen & 0xFFFF_FFFF) as u32 >> 1;
        let is_free = (seen >> 32) as u32 == run && seen & BUSY == 0 && stage < stages;
        if !is_free
            || self.awaited(run, stage, domain).is_some()
            || self.is_abandoned.load(Ordering::Acquire)
        {
            return None;
        }
        let claimed =
            domain
                .state
                .compare_exchange(seen, seen | BUSY, Ordering::AcqRel, Ordering::Acquire);
        // Made only where it succeeded: it lets go when dropped.
        claimed.is_ok().then(|| Claim { domain, run, stage })
    }

    /// Takes a domain on by a stage; by as many as it goes without a long wait if it is the thread's own.
    /// False if it has to wait.
    fn pass(&self, run: u32, stages: u32, domain: usize, me: usize) -> bool {
        let Some(mut claim) = self.claim(run, stages, domain) else {
            return false;
        };
        let own = domain == me;
        if own {
            claim.domain.is_present.store(true, Ordering::Relaxed);
        }
        // SAFETY: a domain is claimed and not at the end, so `Team::relay` has not returned, where the
        // job lives.
        #[allow(unsafe_code, reason = "a claimed domain keeps its job alive")]
        let work = unsafe { *self.job.load(Ordering::Acquire) };
        loop {
            let stage = claim.stage as usize;
            work(me, stage, domain, Half::Interface);
            claim.stage += 1;
            let done = reached(run, claim.stage);
            claim.domain.interface.0.store(done, Ordering::Release);
            work(me, stage, domain, Half::Interior);
            if !own || claim.stage == stages {
                return true;
            }
            // A domain that waits for long is let go: its thread may be put aside by the system, and
            // others are to take it on then.
            let mut waited = 0;
            while let Some(other) = self.awaited(run, claim.stage, claim.domain) {
                if waited == TEAM_SPINS_BEFORE_HELPING || !other.is_present.load(Ordering::Relaxed)
                {
                    return true;
                }
                pause(&mut waited);
            }
        }
    }

    /// Takes another thread's domain on by a stage if that thread is not there.
    fn help(&self, run: u32, stages: u32, domain: usize, me: usize, waited: u32) -> bool {
        let owner = &self.domains[domain].is_present;
        let is_present = owner.load(Ordering::Relaxed);
        let late = waited > 0 && waited.is_multiple_of(TEAM_SPINS_BEFORE_HELPING);
        if is_present && !late {
            return false;
        }
        let helped = self.pass(run, stages, domain, me);
        if helped && is_present {
            owner.store(false, Ordering::Relaxed);
        }
        helped
    }
}

#[cfg(test)]
mod tests {
    use super::super::Team;
    use super::*;
    use std::sync::atomic::AtomicUsize;

    /// Every half once, the interface of a stage after those of the neighbours before it, whatever threads
    /// come.
    fn check(threads: usize, lead: usize, helpers: usize, neighbours: &[u64]) {
        const STAGES: usize = 60;
        let mut team = Team::default();
        team.gather(threads, lead);
        let course = Course {
            stages: STAGES,
            neighbours,
        };
        let zeros =
            || -> Vec<AtomicUsize> { neighbours.iter().map(|_| AtomicUsize::new(0)).collect() };
        let (interfaces, interiors) = (zeros(), zeros());
        std::thread::scope(|scope| {
            let _dismissal = team.dismissal();
            for me in (0..threads).filter(|&me| me != lead).take(helpers) {
                let team = &team;
                scope.spawn(move || team.help(me));
            }
            for round in 0..100 {
                team.relay(&course, &|_, stage, domain, half| {
                    let now = round * STAGES + stage;
                    let done =
                        |of: &[AtomicUsize], domain: usize| of[domain].load(Ordering::Relaxed);
                    assert_eq!(done(&interiors, domain), now);
                    if half == Half::Interior {
                        assert_eq!(interfaces[domain].load(Ordering::Relaxed), now + 1);
                        interiors[domain].store(now + 1, Ordering::Relaxed);
                        return;
                    }
                    for other in 0..neighbours.len() {
                        let is_neighbour = neighbours[domain] >> other & 1 == 1;
                        assert!(!is_neighbour || done(&interfaces, other) >= now);
                    }
                    interfaces[domain].store(now + 1, Ordering::Relaxed);
                });
                let all = (round + 1) * STAGES;
                let is_done = |count: &AtomicUsize| count.load(Ordering::Relaxed) == all;
                assert!(interfaces.iter().chain(&interiors).all(is_done));
            }
        });
    }

    #[test]
    fn domains_wait_for_the_interfaces_of_their_neighbours() {
        for (threads, helpers) in [(1, 0), (2, 1), (3, 0), (3, 1), (4, 3), (6, 5)] {
            for lead in [0, threads - 1] {
                check(threads, lead, helpers, &[0]);
                if threads > 1 {
                    check(threads, lead, helpers, &[2, 1]);
                }
                if threads > 2 {
                    check(threads, lead, helpers, &[2, 5, 2]);
                    check(threads, lead, helpers, &[0, 4, 2]);
                }
            }
        }
    }
}
