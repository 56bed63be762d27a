//! Threads that share loops without a queue and without sleeping.
//!
//! A colour of a small problem is a microsecond of work, less than it takes to hand a task to a
//! thread pool. So threads of the current rayon pool are called once for a step or a solve, and then wait for
//! loops at a [gate](super::gate). A large loop elsewhere calls them for itself. What is computed must not depend on who
//! computes it.

use super::gate::{Gate, Progress};
use super::pipeline::{Domain, Pipeline, Region, Stages};
use super::sync::{AtomicU32, Line, Relaxed};
use crate::constants::{MAX_TEAM_DOMAINS, TEAM_CHUNKS_PER_THREAD};
use std::cell::RefCell;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

/// Who shares the loops of a thread.
#[derive(Clone, Default)]
enum Company {
    /// Threads of the current pool, once they are called.
    #[default]
    Pool,
    /// Nobody.
    Alone,
    /// Those that have come.
    Team(Arc<Team>),
}

thread_local! {
    /// The company of this thread.
    static CURRENT: RefCell<Company> = const { RefCell::new(Company::Pool) };
}

/// A thread by itself.
static ALONE: LazyLock<Arc<Team>> = LazyLock::new(|| Arc::new(Team::new(1, 0)));

/// Threads at work on the same loops.
pub(crate) struct Team {
    gate: Gate,
    /// Number of the calling thread.
    lead: usize,
    /// Chunks claimed of the share of each thread.
    shares: Vec<Line<AtomicU32>>,
    domains: Vec<Domain>,
}

impl fmt::Debug for Team {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Team")
            .field("threads", &self.threads())
            .finish_non_exhaustive()
    }
}

/// Lets the helpers of a team go when dropped, whatever happens.
struct Dismissal<'a>(&'a Team);

impl Drop for Dismissal<'_> {
    fn drop(&mut self) {
        self.0.gate.dismiss();
    }
}

/// Puts back, when dropped, what was the current company.
struct Restored(Company);

impl Drop for Restored {
    fn drop(&mut self) {
        CURRENT.set(std::mem::take(&mut self.0));
    }
}

/// Does some work, for which so many threads of the current pool come together; all loops in it are
/// theirs. Within such work there is no other team.
///
/// The work goes into the pool if it does not come from there: a thread outside that led the pool's threads would wait for them for ever
/// if it then gave the pool itself something to do.
pub(crate) fn together<R: Send>(threads: usize, work: impl FnOnce(&Team) -> R + Send) -> R {
    if threads <= 1 || CURRENT.with_borrow(|company| !matches!(company, Company::Pool)) {
        return work(&Team::current());
    }
    let (mut work, mut done) = (Some(work), None);
    lead(threads, &mut |team| {
        done = work.take().map(|work| work(team));
    });
    done.unwrap_or_else(|| unreachable!("the work is done once"))
}

/// Calls threads of the pool together for some work. Not generic: what reaches into the pool is compiled once rather than for each loop.
fn lead(threads: usize, work: &mut (dyn FnMut(&Team) + Send)) {
    rayon::scope(|scope| {
        let lead = rayon::current_thread_index().unwrap_or(0);
        let team = Arc::new(Team::new(threads, lead));
        let _dismissal = Dismissal(&team);
        for _ in 1..threads {
            let team = Arc::clone(&team);
            scope.spawn(move |_| team.help_from_pool());
        }
        let _restored = Restored(CURRENT.replace(Company::Team(Arc::clone(&team))));
        work(&team);
    });
}

/// Does some work on the calling thread, without help from any other: no pool is called, nor started. For a host that has one thread
/// for drystone, it saves the way to a pool of one and back, on which data changes caches. Results are the same.
///
/// Work that has called threads together already goes on with them.
pub fn on_this_thread<R>(work: impl FnOnce() -> R) -> R {
    if is_together() {
        return work();
    }
    let _restored = Restored(CURRENT.replace(Company::Alone));
    work()
}

/// True on the threads of a team.
pub(crate) fn is_together() -> bool {
    CURRENT.with_borrow(|company| matches!(company, Company::Team(_)))
}

/// Number of threads that may share a loop of this thread.
pub(crate) fn threads() -> usize {
    let known = CURRENT.with_borrow(|company| match company {
        Company::Pool => None,
        Company::Alone => Some(1),
        Company::Team(team) => Some(team.threads()),
    });
    known.unwrap_or_else(rayon::current_num_threads)
}

impl Team {
    /// The team of this thread, or the thread alone.
    pub(crate) fn current() -> Arc<Self> {
        CURRENT.with_borrow(|company| match company {
            Company::Team(team) => Arc::clone(team),
            Company::Pool | Company::Alone => Arc::clone(&ALONE),
        })
    }

    /// A team of `threads`, of which the one with the number `lead` is the calling thread.
    fn new(threads: usize, lead: usize) -> Self {
        let helped = if threads > 1 { threads } else { 0 };
        Self {
            gate: Gate::default(),
            lead: lead.min(threads - 1),
            shares: (0..helped).map(|_| Line::default()).collect(),
            domains: (0..helped.min(MAX_TEAM_DOMAINS))
                .map(|_| Domain::default())
                .collect(),
        }
    }

    /// Number of threads.
    pub(crate) fn threads(&self) -> usize {
        self.shares.len().max(1)
    }

    /// Lets a thread of the pool help a team. One that has a team already does not help another, even if the
    /// pool would have it so while it waits for something: they might wait for each other.
    ///
    /// Threads have the numbers that they have in the pool: whoever calls, a thread gets the share that it had the last
    /// time, which may still be in its cache.
    fn help_from_pool(self: Arc<Self>) {
        if let Some(me) = rayon::current_thread_index()
            && me < self.threads()
            && !is_together()
        {
            let _restored = Restored(CURRENT.replace(Company::Team(Arc::clone(&self))));
            self.gate.help(me);
        }
    }

    /// Does all items of a loop, at least `grain` of them at a time: thread, items. From inside of work it
    /// gets no help.
    ///
    /// They are cut into chunks, of which each thread has a share of its own, the same in every loop over so many, so that
    /// what it works on stays in its cache; a thread whose share is done takes from those of others.
    pub(crate) fn each(
        &self,
        items: usize,
        grain: usize,
        work: impl Fn(usize, Range<usize>) + Sync,
    ) {
        self.each_chunk(items, grain, &work);
    }

    fn each_chunk(&self, items: usize, grain: usize, work: &(dyn Fn(usize, Range<usize>) + Sync)) {
        let threads = self.threads();
        let chunks = (items / grain.max(1)).min(TEAM_CHUNKS_PER_THREAD * threads);
        if chunks <= 1 || threads == 1 || self.gate.is_busy() {
            if items > 0 {
                work(self.lead, 0..items);
            }
            return;
        }
        for share in &self.shares {
            share.0.store(0, Relaxed);
        }
        let start = |thread: usize| (chunks * thread).div_ceil(threads);
        self.gate.share(self.lead, &|me, _| {
            for whose in (me..threads).chain(0..me) {
                let (first, end) = (start(whose), start(whose + 1));
                let claimed = &self.shares[whose].0;
                if first + (claimed.load(Relaxed) as usize) < end {
                    let chunk = first + claimed.fetch_add(1, Relaxed) as usize;
                    if chunk < end {
                        work(me, items * chunk / chunks..items * (chunk + 1) / chunks);
                        return Progress::Worked;
                    }
                }
            }
            Progress::Done
        });
    }

    /// Takes all domains through all stages: thread, stage, domain, region. From inside of work it gets no help.
    pub(crate) fn pipeline(
        &self,
        stages: Stages<'_>,
        work: impl Fn(usize, usize, usize, Region) + Sync,
    ) {
        let domains = stages.neighbours.len();
        if domains == 1 || self.threads() == 1 || self.gate.is_busy() {
            for stage in 0..stages.count {
                for region in [Region::Boundary, Region::Interior] {
                    for domain in 0..domains {
                        work(self.lead, stage, domain, region);
                    }
                }
            }
            return;
        }
        let pipeline = Pipeline::new(&self.domains, stages, self.lead, &work);
        self.gate
            .share(self.lead, &|me, waited| pipeline.advance(me, waited));
    }

    /// Does something in each of some domains, which need not wait for each other: thread, domain.
    pub(crate) fn in_domains(&self, domains: usize, work: impl Fn(usize, usize) + Sync) {
        let stages = Stages {
            count: 1,
            neighbours: &[0; MAX_TEAM_DOMAINS][..domains],
        };
        self.pipeline(stages, |thread, _, domain, region| {
            if region == Region::Interior {
                work(thread, domain);
            }
        });
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
