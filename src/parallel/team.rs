//! Threads that pass through stages of work together, without a queue and without sleeping.
//!
//! A colour of a small problem is a microsecond of work, less than it takes to hand a task to a
//! thread pool. So the threads of a solve are called once, and then pass from stage to stage by
//! themselves. The items of a stage are cut into chunks, of which each thread has a share of its own, the
//! same in every sweep, so that what it works on stays in its cache; who is done with his share
//! takes from those of others. A stage ends when all its chunks are done.
//!
//! Nobody waits for a thread that has not claimed a chunk: a thread that the pool never starts,
//! or that the system puts aside between two chunks, costs speed and nothing else. The calling thread alone
//! always comes to the end. What is computed must not depend on who computes it.

use super::relay::{Course, Half, Relay, Work as RelayWork};
use crate::constants::{
    MAX_TEAM_DOMAINS, TEAM_CHUNKS_PER_THREAD, TEAM_SPINS, TEAM_SPINS_BEFORE_HELPING,
};
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering};

/// Most stages that are passed without the calling thread coming back in between.
const MAX_STAGES: usize = 64;

/// Number of a run that never is: the team is dismissed.
const OVER: u32 = u32::MAX;

/// Items that are done in any order, or at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stage {
    /// How many.
    pub(crate) items: usize,
    /// Least number of them that is worth a thread's while.
    pub(crate) grain: usize,
}

/// What is done in each stage: thread, stage, items.
type Work<'a> = &'a (dyn Fn(usize, usize, Range<usize>) + Sync + 'a);

/// A run in progress.
struct Job<'a> {
    stages: &'a [Stage],
    threads: usize,
    work: Work<'a>,
}

/// How far the share of one thread is claimed: number of the run, stage, chunks.
#[repr(align(128))]
#[derive(Default)]
struct Share(AtomicU64);

/// Threads at work on the same stages.
#[derive(Default)]
pub(crate) struct Team {
    shares: Vec<Share>,
    relay: Relay,
    /// Number of the calling thread.
    lead: usize,
    /// Number of the run in progress, or of the last one.
    run: Line<AtomicU32>,
    /// True if that is of the relay.
    is_relay: AtomicBool,
    /// True while the calling thread is in a run.
    is_running: AtomicBool,
    /// Chunks done in this run.
    done: Line<AtomicU32>,
    stage_count: AtomicU32,
    /// Chunks before each stage, and of all.
    starts: Starts,
    /// What is to be done; only to be followed by who has claimed a chunk, because then the run cannot
    /// end.
    job: AtomicPtr<Job<'static>>,
}

#[repr(align(128))]
#[derive(Default)]
struct Line<T>(T);

struct Starts([AtomicU32; MAX_STAGES + 1]);

impl Default for Starts {
    fn default() -> Self {
        Self(std::array::from_fn(|_| AtomicU32::new(0)))
    }
}

impl fmt::Debug for Team {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Team")
            .field("threads", &self.shares.len())
            .finish_non_exhaustive()
    }
}

/// Dismisses the team when dropped, whatever happens.
pub(super) struct Dismissal<'a>(&'a Team);

impl Drop for Dismissal<'_> {
    fn drop(&mut self) {
        self.0.run.0.store(OVER, Ordering::Release);
    }
}

/// Keeps the work of a relay alive until nobody does it, even if the calling thread panics.
struct Unwinding<'a>(&'a Relay);

impl Drop for Unwinding<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.abandon();
        }
    }
}

/// Says that the calling thread is in a run, until this is dropped.
struct Running<'a>(&'a AtomicBool);

impl<'a> Running<'a> {
    fn begin(is_running: &'a AtomicBool) -> Self {
        is_running.store(true, Ordering::Relaxed);
        Self(is_running)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

/// Chunks of a stage that a thread has claimed; they count as done when this is dropped.
struct Claimed<'a> {
    done: &'a AtomicU32,
    chunks: u32,
}

impl Drop for Claimed<'_> {
    fn drop(&mut self) {
        if self.chunks > 0 {
            self.done.fetch_add(self.chunks, Ordering::AcqRel);
        }
    }
}

impl Stage {
    /// Number of chunks for so many threads.
    fn chunks(self, threads: usize) -> usize {
        let most = TEAM_CHUNKS_PER_THREAD * threads;
        (self.items / self.grain.max(1)).clamp(usize::from(self.items > 0), most)
    }

    /// Items of a chunk.
    fn chunk(self, chunks: usize, chunk: usize) -> Range<usize> {
        self.items * chunk / chunks..self.items * (chunk + 1) / chunks
    }
}

fn ticket(run: u32, stage: usize, next: u32) -> u64 {
    (u64::from(run) << 32) | ((stage as u64) << 24) | u64::from(next)
}

/// First chunk of the share of a thread.
fn share_start(chunks: u32, thread: usize, threads: usize) -> u32 {
    (chunks * thread as u32).div_ceil(threads as u32)
}

impl Team {
    /// A team of `threads`, of which the one with the number `lead` is the calling thread; each of the others is
    /// to call [`Team::help`].
    pub(super) fn gather(&mut self, threads: usize, lead: usize) {
        self.lead = lead.min(threads - 1);
        self.shares.resize_with(threads, Share::default);
        for share in &mut self.shares {
            *share.0.get_mut() = 0;
        }
        *self.run.0.get_mut() = 0;
        self.relay.gather(threads, self.lead);
    }

    /// Number of threads.
    pub(crate) fn threads(&self) -> usize {
        self.shares.len().max(1)
    }

    /// Lets the others go when dropped.
    pub(super) fn dismissal(&self) -> Dismissal<'_> {
        Dismissal(self)
    }

    /// What another thread than the calling one does until the team is dismissed. `me` is its number,
    /// which no other thread has.
    pub(super) fn help(&self, me: usize) {
        let mut last = 0;
        let mut idle = 0;
        loop {
            let run = self.run.0.load(Ordering::Acquire);
            if run == OVER {
                return;
            }
            if run == last {
                pause(&mut idle);
            } else {
                self.relay.enter(me);
                if self.is_relay.load(Ordering::Acquire) {
                    self.relay.take_part(run, me);
                } else {
                    self.take_part(run, me);
                }
                last = run;
                idle = 0;
            }
        }
    }

    /// Does the items of one stage.
    pub(crate) fn each(
        &self,
        items: usize,
        grain: usize,
        work: impl Fn(usize, Range<usize>) + Sync,
    ) {
        self.run(&[Stage { items, grain }], &|thread, _, range| {
            work(thread, range);
        });
    }

    /// Does all items of the first stage, then all of the second, and so on. Only the calling thread of the team
    /// calls this; from inside of work it gets no help.
    pub(crate) fn run(&self, stages: &[Stage], work: Work<'_>) {
        let threads = self.threads();
        for (part, stages) in stages.chunks(MAX_STAGES).enumerate() {
            let first = part * MAX_STAGES;
            let alone = threads == 1
                || self.is_running.load(Ordering::Relaxed)
                || stages.iter().all(|stage| stage.chunks(threads) <= 1);
            if alone {
                for (stage, size) in stages.iter().enumerate() {
                    if size.items > 0 {
                        work(self.lead, first + stage, 0..size.items);
                    }
                }
            } else if first == 0 {
                self.run_together(stages, work);
            } else {
                self.run_together(stages, &|thread, stage, items| {
                    work(thread, first + stage, items);
                });
            }
        }
    }

    /// Takes all domains through all stages of a course. Only the calling thread of the team calls this; from
    /// inside of work it gets no help.
    pub(crate) fn relay(&self, course: &Course<'_>, work: RelayWork<'_>) {
        let alone = self.threads() == 1 || self.is_running.load(Ordering::Relaxed);
        if alone || course.neighbours.len() == 1 {
            for stage in 0..course.stages {
                for half in [Half::Interface, Half::Interior] {
                    for domain in 0..course.neighbours.len() {
                        work(self.lead, stage, domain, half);
                    }
                }
            }
            return;
        }
        let run = self.run.0.load(Ordering::Relaxed) + 1;
        self.relay.begin(run, course, &work);
        self.is_relay.store(true, Ordering::Release);
        let _unwinding = Unwinding(&self.relay);
        let _running = Running::begin(&self.is_running);
        self.run.0.store(run, Ordering::Release);
        self.relay.take_part(run, self.lead);
    }

    /// Does something in each of some domains, which need not wait for each other.
    pub(crate) fn in_domains(&self, domains: usize, work: impl Fn(usize, usize) + Sync) {
        let neighbours = &[0; MAX_TEAM_DOMAINS][..domains];
        let course = Course {
            stages: 1,
            neighbours,
        };
        self.relay(&course, &|thread, _, domain, half| {
            if half == Half::Interior {
                work(thread, domain);
            }
        });
    }

    fn run_together(&self, stages: &[Stage], work: Work<'_>) {
        let threads = self.threads();
        let mut job = Job {
            stages,
            threads,
            work,
        };
        let run = self.run.0.load(Ordering::Relaxed) + 1;
        // Tickets of this run make every claim of a straggler in the last one fail, before what he
        // reads changes.
        for share in &self.shares {
            share.0.store(ticket(run, 0, 0), Ordering::Release);
        }
        let mut start = 0;
        for (stage, place) in stages.iter().zip(&self.starts.0) {
            place.store(start, Ordering::Release);
            start += stage.chunks(threads) as u32;
        }
        self.starts.0[stages.len()].store(start, Ordering::Release);
        self.stage_count
            .store(stages.len() as u32, Ordering::Release);
        self.job
            .store(std::ptr::from_mut(&mut job).cast(), Ordering::Release);
        self.done.0.store(0, Ordering::Release);
        self.is_relay.store(false, Ordering::Release);
        let _running = Running::begin(&self.is_running);
        self.run.0.store(run, Ordering::Release);
        self.take_part(run, self.lead);
    }

    /// Passes through the stages of a run; the calling thread leaves when all is done.
    fn take_part(&self, run: u32, me: usize) {
        let stages = self.stage_count.load(Ordering::Acquire) as usize;
        for stage in 0..stages.min(MAX_STAGES) {
            let start = self.starts.0[stage].load(Ordering::Acquire);
            let end = self.starts.0[stage + 1].load(Ordering::Acquire);
            let chunks = end.saturating_sub(start);
            self.work_on(run, stage, chunks, me, me);
            let mut waited = 0;
            let mut helped = false;
            while self.done.0.load(Ordering::Acquire) < end {
                if self.run.0.load(Ordering::Acquire) != run {
                    return;
                }
                if !helped && (me == self.lead || waited >= TEAM_SPINS_BEFORE_HELPING) {
                    helped = true;
                    for other in 1..self.threads() {
                        self.work_on(run, stage, chunks, (me + other) % self.threads(), me);
                    }
                } else {
                    pause(&mut waited);
                }
            }
        }
    }

    /// Does what is unclaimed of the share of thread `whose`.
    fn work_on(&self, run: u32, stage: usize, chunks: u32, whose: usize, me: usize) {
        let mut claimed = Claimed {
            done: &self.done.0,
            chunks: 0,
        };
        while let Some(chunk) = self.claim(run, stage, chunks, whose) {
            claimed.chunks += 1;
            let job = self.job.load(Ordering::Acquire);
            // SAFETY: a chunk of this run is claimed and not done, so `run_together` has not
            // returned, where the job lives.
            #[allow(unsafe_code, reason = "a claimed chunk keeps its job alive")]
            let job = unsafe { &*job };
            let size = job.stages[stage];
            let items = size.chunk(size.chunks(job.threads), chunk as usize);
            (job.work)(me, stage, items);
        }
    }

    /// Claims a chunk of a share, if there is one left in this run and stage, all before being done.
    fn claim(&self, run: u32, stage: usize, chunks: u32, whose: usize) -> Option<u32> {
        let threads = self.threads();
        let first = share_start(chunks, whose, threads);
        let count = share_start(chunks, whose + 1, threads) - first;
        let share = &self.shares[whose].0;
        let mut seen = share.load(Ordering::Acquire);
        loop {
            let (its_run, its_stage) = ((seen >> 32) as u32, (seen >> 24 & 0xFF) as usize);
            if its_run != run || its_stage > stage {
                return None;
            }
            let next = if its_stage < stage {
                0
            } else {
                (seen & 0xFF_FFFF) as u32
            };
            if next >= count {
                return None;
            }
            let claimed = ticket(run, stage, next + 1);
            match share.compare_exchange_weak(seen, claimed, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return Some(first + next),
                Err(now) => seen = now,
            }
        }
    }
}

/// Waits a moment; after a while by letting other threads of the machine go first.
pub(super) fn pause(waited: &mut u32) {
    if *waited < TEAM_SPINS {
        *waited += 1;
        std::hint::spin_loop();
    } else {
        std::thread::yield_now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    /// Every item once, and no stage before the one before it is done, whatever threads come.
    fn check(threads: usize, lead: usize, helpers: usize, stages: &[Stage]) {
        let mut team = Team::default();
        team.gather(threads, lead);
        let counts: Vec<Vec<AtomicUsize>> = stages
            .iter()
            .map(|stage| (0..stage.items).map(|_| AtomicUsize::new(0)).collect())
            .collect();
        std::thread::scope(|scope| {
            let _dismissal = team.dismissal();
            for me in (0..threads).filter(|&me| me != lead).take(helpers) {
                let team = &team;
                scope.spawn(move || team.help(me));
            }
            for round in 1..=200 {
                team.run(stages, &|_, stage, items| {
                    if let Some(before) = stage.checked_sub(1) {
                        assert!(
                            counts[before]
                                .iter()
                                .all(|count| count.load(Ordering::Relaxed) == round)
                        );
                    }
                    for item in items {
                        counts[stage][item].fetch_add(1, Ordering::Relaxed);
                    }
                });
                let all = counts.iter().flatten();
                assert!(
                    all.into_iter()
                        .all(|count| count.load(Ordering::Relaxed) == round)
                );
            }
        });
    }

    #[test]
    fn does_every_item_once_stage_by_stage() {
        let stage = |items, grain| Stage { items, grain };
        let stages = [
            stage(100, 1),
            stage(1, 1),
            stage(0, 4),
            stage(7, 4),
            stage(33, 2),
        ];
        for (threads, helpers) in [(1, 0), (2, 0), (2, 1), (3, 1), (4, 3)] {
            for lead in 0..threads {
                check(threads, lead, helpers, &stages);
            }
        }
        check(2, 1, 1, &[stage(10, 1); 150]);
    }
}
