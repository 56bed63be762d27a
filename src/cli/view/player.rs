//! The thread on which a run goes on, in step with the clock, while the window answers.

use super::playback::Playback;
use super::residuals::Residuals;
use crate::render::{Look, Snapshot};
use drystone::math::Vec3;
use drystone::measure;
use drystone::{Error, Result};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Least time between two moments that are shown of a run that goes on.
const FRAME: Duration = Duration::from_micros(16_000);
/// Time by which a run may be late and still catch up; what is beyond is dropped.
const MOST_LATE: Duration = Duration::from_millis(100);
/// Time over which the pace is measured.
const PACE_TIME: Duration = Duration::from_millis(500);

/// A wish of the window.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Order {
    /// Goes on, or pauses.
    Run(bool),
    /// Pauses, and goes on by one moment.
    Forward,
    /// Pauses, and goes back by one moment.
    Back,
    /// Goes back to the start; runs on if it ran.
    Reset,
    /// Shows something else.
    Look(Look),
    /// Simulated seconds a second.
    Pace(f64),
    /// Takes hold of a point of a body, in body axes `[m]`.
    Grab(u32, Vec3),
    /// Moves the hand `[m]`.
    Hand(Vec3),
    /// Lets go.
    Release,
    /// The end.
    End,
}

/// A run at a time, as the window shows it.
#[derive(Debug, Clone)]
pub(super) struct Moment {
    pub(super) snapshot: Snapshot,
    /// Ends of the spring that pulls `[m]`, the first on the body.
    pub(super) pull: Option<[Vec3; 2]>,
    pub(super) is_running: bool,
    /// Simulated seconds a second, as far as that is known.
    pub(super) pace: Option<f64>,
    pub(super) facts: Facts,
    /// Reason why it does not go on, if it failed.
    pub(super) failure: Option<String>,
}

/// Numbers of a moment.
#[derive(Debug, Clone)]
pub(super) enum Facts {
    /// Of a simulation.
    Live {
        step: u64,
        /// Kinetic and potential `[J]`.
        energy: [f64; 2],
        contacts: usize,
        /// Deepest overlap `[m]`.
        overlap: f64,
        /// Largest distance of joints' anchors `[m]`, if there are joints.
        joint_error: Option<f64>,
        residuals: Residuals,
    },
    /// Number of the frame, and of all.
    Recorded { frame: usize, frames: usize },
}

/// The thread, and what it says.
pub(super) struct Player {
    orders: Sender<Order>,
    latest: Arc<Mutex<Option<Moment>>>,
    thread: Option<JoinHandle<()>>,
}

impl Player {
    /// Begins to play, on the threads of a pool; `wake` is called after each new moment.
    ///
    /// # Errors
    /// [`Error::Invalid`] if there is no thread for it.
    pub(super) fn start(
        playback: Playback,
        look: Look,
        is_running: bool,
        pool: rayon::ThreadPool,
        wake: impl Fn() + Send + 'static,
    ) -> Result<Self> {
        let (orders, received) = channel();
        let latest = Arc::new(Mutex::new(None));
        let playing = Playing {
            playback,
            look,
            is_running,
            pace: 1.0,
            clock: Clock::default(),
            failure: None,
            measured: None,
            shown: None,
            latest: Arc::clone(&latest),
            wake: Box::new(wake),
        };
        let thread = std::thread::Builder::new()
            .name("player".into())
            .spawn(move || pool.install(move || playing.play(&received)))
            .map_err(|why| Error::invalid("thread", why.to_string()))?;
        Ok(Self {
            orders,
            latest,
            thread: Some(thread),
        })
    }

    /// Passes a wish on.
    pub(super) fn order(&self, order: Order) {
        // A player that has failed says so in its last moment.
        let _ = self.orders.send(order);
    }

    /// The newest moment, unless it was taken before.
    pub(super) fn take(&self) -> Option<Moment> {
        self.latest
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    /// True if the thread has ended.
    pub(super) fn is_over(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        self.order(Order::End);
        if let Some(thread) = self.thread.take() {
            // It ends after the step that it is at. That it panicked has been told.
            let _ = thread.join();
        }
    }
}

/// Time of the run at a time of the clock.
#[derive(Debug, Clone, Copy, Default)]
struct Clock {
    since: Option<(Instant, f64)>,
}

impl Clock {
    /// Time until a moment of the run is due. A run that is later than it may be is on time from now on.
    fn until(&mut self, now: f64, next: f64, pace: f64) -> Duration {
        let (since, start) = *self.since.get_or_insert_with(|| (Instant::now(), now));
        let due = Duration::try_from_secs_f64((next - start) / pace).unwrap_or_default();
        let passed = since.elapsed();
        if passed > due + MOST_LATE {
            self.since = None;
        }
        due.saturating_sub(passed)
    }
}

struct Playing {
    playback: Playback,
    look: Look,
    is_running: bool,
    pace: f64,
    clock: Clock,
    failure: Option<String>,
    /// Clock when the pace was measured last, the time of the run then, and the pace.
    measured: Option<(Instant, f64, Option<f64>)>,
    /// Clock when a moment was shown last.
    shown: Option<Instant>,
    latest: Arc<Mutex<Option<Moment>>>,
    wake: Box<dyn Fn() + Send>,
}

impl Playing {
    fn play(mut self, orders: &Receiver<Order>) {
        self.show();
        loop {
            let order = match self.wait() {
                None => orders.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(time) => orders.recv_timeout(time),
            };
            match order {
                Ok(order) => {
                    if !self.carry_out(order) {
                        return;
                    }
                    // All that has come meanwhile.
                    while let Ok(order) = orders.try_recv() {
                        if !self.carry_out(order) {
                            return;
                        }
                    }
                    self.show();
                }
                Err(RecvTimeoutError::Timeout) => self.go_on(),
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// Time until there is something to do; nothing without an order.
    fn wait(&mut self) -> Option<Duration> {
        if !self.is_running {
            return None;
        }
        let Some(next) = self.playback.next_time() else {
            self.is_running = false;
            self.show();
            return None;
        };
        Some(self.clock.until(self.playback.time(), next, self.pace))
    }

    fn go_on(&mut self) {
        self.advance(Playback::forward);
        self.measure_pace();
        if !self.is_running || self.shown.is_none_or(|shown| shown.elapsed() >= FRAME) {
            self.show();
        }
    }

    /// Moves the run; it stops where that fails.
    fn advance(&mut self, by: impl FnOnce(&mut Playback) -> Result<()>) {
        if let Err(why) = by(&mut self.playback) {
            self.failure = Some(why.to_string());
            self.is_running = false;
        }
    }

    /// False for the end.
    fn carry_out(&mut self, order: Order) -> bool {
        match order {
            Order::Run(runs) => {
                self.is_running = runs && self.failure.is_none();
                self.start_clock();
            }
            Order::Forward | Order::Back => {
                self.is_running = false;
                self.start_clock();
                if order == Order::Back {
                    self.playback.back();
                } else if self.failure.is_none() {
                    self.advance(Playback::forward);
                }
            }
            Order::Reset => {
                self.failure = None;
                self.advance(Playback::reset);
                self.start_clock();
            }
            Order::Look(look) => self.look = look,
            Order::Pace(pace) => {
                self.pace = pace;
                self.start_clock();
            }
            Order::Grab(body, point) => {
                if let Some(live) = self.playback.live() {
                    live.grab(body, point);
                }
            }
            Order::Hand(to) => {
                if let Some(live) = self.playback.live() {
                    live.hand(to);
                }
            }
            Order::Release => {
                if let Some(live) = self.playback.live() {
                    live.release();
                }
            }
            Order::End => return false,
        }
        true
    }

    fn start_clock(&mut self) {
        self.clock = Clock::default();
        self.measured = None;
    }

    fn measure_pace(&mut self) {
        let (now, time) = (Instant::now(), self.playback.time());
        let (since, start, _) = *self.measured.get_or_insert((now, time, None));
        let passed = now - since;
        if passed >= PACE_TIME {
            let pace = (time - start) / passed.as_secs_f64();
            self.measured = Some((now, time, Some(pace)));
        }
    }

    /// Gives the window the moment as it is now.
    fn show(&mut self) {
        let snapshot = match self.playback.snapshot(&self.look) {
            Ok(snapshot) => snapshot,
            Err(why) => {
                self.failure = Some(why.to_string());
                self.is_running = false;
                Snapshot::default()
            }
        };
        let facts = self.facts();
        let moment = Moment {
            snapshot,
            pull: self.playback.live().and_then(|live| live.pull()),
            is_running: self.is_running,
            pace: self.measured.and_then(|(_, _, pace)| pace),
            facts,
            failure: self.failure.clone(),
        };
        *self.latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(moment);
        self.shown = Some(Instant::now());
        (self.wake)();
    }

    fn facts(&self) -> Facts {
        let live = match &self.playback {
            Playback::Live(live) => live,
            Playback::Recorded(recorded) => {
                let (frame, frames) = recorded.place();
                return Facts::Recorded { frame, frames };
            }
        };
        let simulation = live.simulation();
        let energy = live
            .last()
            .map_or_else(|| measure::energy(simulation.world()), |last| last.energy);
        let has_joints = simulation.world().joints.iter().any(|joint| !joint.broken);
        Facts::Live {
            step: simulation.steps(),
            energy: [energy.kinetic, energy.potential],
            contacts: simulation.contacts().len(),
            overlap: simulation.penetration().max,
            joint_error: has_joints.then(|| simulation.joint_errors().linear_max),
            residuals: live.residuals().clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_run_does_not_catch_up_without_end() {
        let mut clock = Clock::default();
        assert!(clock.until(2.0, 2.01, 0.1) > Duration::from_millis(90));
        assert!(clock.until(2.0, 2.01, 0.5) <= Duration::from_millis(20));
        let long_ago = Instant::now() - Duration::from_secs(5);
        clock.since = Some((long_ago, 0.0));
        // Due five seconds ago: at once, and the next one a step later.
        assert_eq!(clock.until(0.0, 0.01, 1.0), Duration::ZERO);
        assert!(clock.until(0.01, 0.51, 1.0) > Duration::from_millis(400));
    }
}
