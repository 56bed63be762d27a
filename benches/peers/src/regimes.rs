//! The small scenes of `benches/regimes`, whose right outcome is known, by the defaults of both engines.

#[path = "../../regimes/judge/mod.rs"]
mod judge;
#[path = "../../regimes/scenes/mod.rs"]
mod scenes;

use crate::rapier::Rapier;
use drystone::solver::cpu::CpuSolver;
use drystone::step::{Settings, Simulation};
use drystone::world::World;
use judge::{Seen, Steps, Trial};
use rayon::ThreadPool;
use scenes::Regime;
use std::fmt::Write as _;
use std::sync::Arc;

const TIME_STEP: f64 = 1.0 / 60.0;

/// What is run, and how.
pub(crate) struct Plan<'a> {
    /// `[m]`
    pub(crate) sizes: &'a [f64],
    /// Parts of names; all regimes without any.
    pub(crate) names: &'a [String],
    pub(crate) threads: &'a [usize],
    /// Steps that one takes before it is the next one's turn.
    pub(crate) turn: usize,
    /// Most steps of a regime.
    pub(crate) steps: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Who {
    Drystone,
    /// With its length unit `[m]`.
    Rapier(f64),
}

impl Who {
    fn name(self) -> String {
        match self {
            Self::Drystone => "drystone".into(),
            Self::Rapier(1.0) => "rapier3d".into(),
            Self::Rapier(unit) => format!("rapier3d, length_unit {unit}"),
        }
    }

    fn start(self, regime: &Regime, pool: &Arc<ThreadPool>) -> Result<Box<dyn Steps>, String> {
        let world = regime.world.clone();
        Ok(match self {
            Self::Drystone => {
                let settings = Settings {
                    time_step: TIME_STEP,
                    ..Settings::default()
                };
                let made =
                    pool.install(|| Simulation::new(world, settings, Box::new(CpuSolver::new())));
                Box::new(OnThreads {
                    simulation: made.map_err(|why| why.to_string())?,
                    pool: pool.clone(),
                })
            }
            Self::Rapier(_) if !world.joints.is_empty() => {
                return Err("its joints are not translated".into());
            }
            Self::Rapier(unit) => Box::new(Rapier::of_world(&world, TIME_STEP, unit, pool)?),
        })
    }
}

/// drystone with a number of threads.
struct OnThreads {
    simulation: Simulation,
    pool: Arc<ThreadPool>,
}

impl Steps for OnThreads {
    fn step(&mut self) -> Result<u32, String> {
        let Self { simulation, pool } = self;
        pool.install(|| Steps::step(simulation))
    }

    fn write(&self, world: &mut World) {
        self.simulation.write(world);
    }
}

impl Steps for Rapier {
    fn step(&mut self) -> Result<u32, String> {
        crate::engine::Engine::step(self).map(|()| 0)
    }

    fn write(&self, world: &mut World) {
        Self::write(self, world);
    }
}

/// One of them in a regime.
struct Entry<'a> {
    who: Who,
    threads: usize,
    outcome: Result<(Box<dyn Steps>, Trial<'a>), String>,
}

/// Runs them in turns; the table, and a line of it on the error stream as soon as it is known.
pub(crate) fn table(plan: &Plan<'_>) -> Result<String, String> {
    let mut text = String::from(
        "| regime | size [m] | engine | right | sideways | sank | rms | penetration, largest | mean | \
         ms, mean | ms, late | sweeps | |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let mut done: Vec<(String, f64)> = Vec::new();
    for &size in plan.sizes {
        for mut regime in scenes::all(size) {
            let is_wanted = plan.names.is_empty()
                || plan
                    .names
                    .iter()
                    .any(|part| regime.name.contains(part.as_str()));
            // Some have a size of their own.
            let this = (regime.name.clone(), regime.size);
            if !is_wanted || done.contains(&this) {
                continue;
            }
            done.push(this);
            if let Some(steps) = plan.steps {
                regime.duration = regime.duration.min(steps as f64 * TIME_STEP);
            }
            let rows = rows(plan, &regime)?;
            eprint!("{rows}");
            text += &rows;
        }
    }
    Ok(text)
}

fn rows(plan: &Plan<'_>, regime: &Regime) -> Result<String, String> {
    let mut all = vec![Who::Drystone, Who::Rapier(1.0)];
    if (regime.size - 1.0).abs() > 1e-9 {
        all.push(Who::Rapier(regime.size));
    }
    let mut seen: Vec<(Who, usize, Result<Seen, String>)> = Vec::new();
    for &threads in plan.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = Arc::new(pool.map_err(|why| why.to_string())?);
        let mut entries: Vec<Entry<'_>> = all
            .iter()
            .map(|&who| Entry {
                who,
                threads,
                outcome: who
                    .start(regime, &pool)
                    .and_then(|subject| Ok((subject, Trial::new(regime, TIME_STEP)?))),
            })
            .collect();
        loop {
            let mut goes_on = false;
            for entry in &mut entries {
                let Ok((subject, trial)) = &mut entry.outcome else {
                    continue;
                };
                if trial.is_over() {
                    continue;
                }
                goes_on = true;
                if let Err(why) = trial.advance(plan.turn.max(1) as u64, subject.as_mut()) {
                    eprintln!("{}: {}: {why}", regime.name, entry.who.name());
                    entry.outcome = Err(why);
                }
            }
            if !goes_on {
                break;
            }
        }
        seen.extend(entries.into_iter().map(|entry| {
            let found = entry.outcome.map(|(_, trial)| trial.seen());
            (entry.who, entry.threads, found)
        }));
    }
    let mut text = String::new();
    for who in all {
        let of_it: Vec<_> = seen.iter().filter(|(other, ..)| *other == who).collect();
        let each = |what: &dyn Fn(&Seen) -> String| {
            let words: Vec<String> = of_it
                .iter()
                .map(|(.., seen)| seen.as_ref().map_or_else(|_| "failed".into(), what))
                .collect();
            words
        };
        // Times by the number of threads; what came of it once, if it is the same.
        let times = |what: &dyn Fn(&Seen) -> String| each(what).join(" / ");
        let once = |what: &dyn Fn(&Seen) -> String| {
            let mut words = each(what);
            words.dedup();
            words.join(" / ")
        };
        let verdict = |seen: &Seen| match judge::is_right(regime, seen) {
            true => "yes".to_owned(),
            false => "**no**".to_owned(),
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            regime.name,
            regime.size,
            who.name(),
            once(&verdict),
            once(&|s| format!("{:.4}", s.sideways)),
            once(&|s| format!("{:.3}", s.sank)),
            once(&|s| format!("{:.1e}", s.rms)),
            once(&|s| format!("{:.4}", s.penetration)),
            once(&|s| format!("{:.5}", s.mean_penetration)),
            times(&|s| format!("{:.4}", s.ms)),
            times(&|s| format!("{:.4}", s.ms_late)),
            once(&|s| format!("{:.1}", s.sweeps)),
            once(&|s| judge::remark(regime, s)),
        );
    }
    Ok(text)
}
