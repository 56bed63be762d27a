//! What every engine is asked for, and how their steps are timed side by side.

use crate::metric::BodyState;
use crate::scene::Scene;
use std::time::Instant;

/// What counts as the time of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum Clock {
    /// Mean over the second half of the steps.
    #[default]
    Mean,
    /// Median over these, which a few disturbed steps do not move.
    Median,
    /// Time of computing over the number of these steps, all threads together: what a crowded machine
    /// leaves alone. Comparable on one thread only; Linux only.
    Cpu,
}

/// A scene in an engine, about to be stepped.
pub(crate) trait Engine {
    /// One step of the scene's length.
    fn step(&mut self) -> Result<(), String>;

    /// The bodies now, shape `[body_count]`.
    fn states(&self) -> Vec<BodyState>;
}

/// An engine with its settings and its times.
pub(crate) struct Contestant {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    pub(crate) settings: String,
    pub(crate) engine: Box<dyn Engine>,
    /// Seconds of each step of the second half.
    times: Vec<f64>,
    /// Seconds of computing in the second half, over all threads; none where the system does not tell.
    cpu: Option<f64>,
    /// Why it stopped, if it did.
    pub(crate) failure: Option<String>,
}

impl Contestant {
    pub(crate) fn new(
        name: &'static str,
        version: &'static str,
        settings: String,
        engine: Box<dyn Engine>,
    ) -> Self {
        Self {
            name,
            version,
            settings,
            engine,
            times: Vec::new(),
            cpu: Some(0.0),
            failure: None,
        }
    }

    /// Time of a step of the second half `[ms]`.
    pub(crate) fn milliseconds(&self, clock: Clock) -> f64 {
        let count = self.times.len().max(1) as f64;
        match clock {
            Clock::Mean => 1e3 * self.times.iter().sum::<f64>() / count,
            Clock::Median => {
                let mut times = self.times.clone();
                times.sort_by(f64::total_cmp);
                1e3 * times.get(times.len() / 2).copied().unwrap_or(0.0)
            }
            Clock::Cpu => self.cpu.map_or(f64::NAN, |cpu| 1e3 * cpu / count),
        }
    }

    fn advance(&mut self, steps: usize, counts: bool) {
        let before = cpu_seconds();
        for _ in 0..steps {
            if self.failure.is_some() {
                return;
            }
            let start = Instant::now();
            self.failure = self.engine.step().err();
            if counts {
                self.times.push(start.elapsed().as_secs_f64());
            }
        }
        if counts {
            let spent = cpu_seconds()
                .zip(before)
                .map(|(after, before)| after - before);
            self.cpu = self.cpu.zip(spent).map(|(sum, spent)| sum + spent);
        }
    }
}

/// Seconds that this process has computed, all threads together, to the nanosecond; Linux only.
pub(crate) fn cpu_seconds() -> Option<f64> {
    let mut nanoseconds = 0_u64;
    for task in std::fs::read_dir("/proc/self/task").ok()? {
        let text = std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        nanoseconds += text.split_whitespace().next()?.parse::<u64>().ok()?;
    }
    Some(1e-9 * nanoseconds as f64)
}

/// Steps all of them to the end in turns of `turn` steps, so that a machine whose speed drifts is as
/// fast for one as for another.
pub(crate) fn race(scene: &Scene, steps: usize, turn: usize, contestants: &mut [Contestant]) {
    // Turns do not reach across the middle, where counting begins.
    let half = steps / 2;
    for (range, counts) in [(0..half, false), (half..steps, true)] {
        let mut done = range.start;
        while done < range.end {
            let count = turn.max(1).min(range.end - done);
            for contestant in contestants.iter_mut() {
                contestant.advance(count, counts);
            }
            done += count;
        }
    }
    for contestant in contestants {
        if let Some(why) = &contestant.failure {
            eprintln!(
                "{}: {} {}: {why}",
                scene.name, contestant.name, contestant.settings
            );
        }
    }
}
