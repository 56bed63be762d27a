//! Calling a team together.

use super::Team;
use std::cell::RefCell;
use std::sync::Arc;

thread_local! {
    /// The team whose calling thread this is.
    static CURRENT: RefCell<Option<Arc<Team>>> = const { RefCell::new(None) };
}

/// Whoever calls threads together now and then, with the memory of their team.
#[derive(Debug, Default)]
pub(crate) struct Crew(Option<Arc<Team>>);

/// Puts back, when dropped, what was the current team.
struct Restored(Option<Arc<Team>>);

impl Drop for Restored {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

impl Crew {
    /// Does some work, for which so many threads of the current pool come together; all loops in it are
    /// theirs. Within such work, whoever calls for a team gets the same one.
    pub(crate) fn together<R: Send>(
        &mut self,
        threads: usize,
        work: impl FnOnce(&Team) -> R + Send,
    ) -> R {
        if let Some(team) = current() {
            return work(&team);
        }
        // The scope enters the pool even if nobody is called: from outside of it, every parallel loop would hand
        // its work over and wait.
        let memory = &mut self.0;
        rayon::scope(|scope| {
            let lead = rayon::current_thread_index().unwrap_or(0);
            let team = gathered(memory, threads, lead);
            let _dismissal = team.dismissal();
            for _ in 1..threads {
                scope.spawn(move |_| help(team));
            }
            if threads == 1 {
                return work(team);
            }
            let _restored = Restored(CURRENT.replace(Some(Arc::clone(team))));
            work(team)
        })
    }
}

/// The team whose calling thread this is, if there is one.
pub(super) fn current() -> Option<Arc<Team>> {
    CURRENT.with_borrow(Clone::clone)
}

/// True on the calling thread of a team.
pub(crate) fn is_together() -> bool {
    CURRENT.with_borrow(Option::is_some)
}

/// A team of so many threads in a memory.
fn gathered(memory: &mut Option<Arc<Team>>, threads: usize, lead: usize) -> &Arc<Team> {
    let mut team = memory.take().unwrap_or_default();
    if Arc::get_mut(&mut team).is_none() {
        // Somebody has not let go of it.
        team = Arc::default();
    }
    if let Some(team) = Arc::get_mut(&mut team) {
        team.gather(threads, lead);
    }
    memory.insert(team)
}

/// What a thread of the pool does for a team. A calling thread does not help others, even if the pool would have it so
/// while it waits for something: they might wait for each other.
///
/// Threads have the numbers that they have in the pool: whoever calls, a thread gets the share that it had the last
/// time, which may still be in its cache.
fn help(team: &Team) {
    if let Some(me) = rayon::current_thread_index()
        && me < team.threads()
        && !is_together()
    {
        team.help(me);
    }
}
