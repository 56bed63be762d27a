//! Scene files of drystone's, with any shapes, by the defaults of both engines.

use crate::engine::{Engine, cpu_seconds};
use crate::rapier::Rapier;
use drystone::scene::{Overrides, Scene};
use drystone::solver::cpu::CpuSolver;
use drystone::step::{Settings, Simulation, Timings};
use drystone::world::World;
use rayon::ThreadPool;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Parts of a run that times are given of.
const PARTS: usize = 5;

/// What is run, and how.
pub(crate) struct Plan<'a> {
    pub(crate) files: &'a [PathBuf],
    pub(crate) threads: &'a [usize],
    /// Steps that one takes before it is the other's turn.
    pub(crate) turn: usize,
    /// Steps, instead of the scene's.
    pub(crate) steps: Option<usize>,
}

/// Milliseconds of a step in each part.
#[derive(Debug, Clone, Copy, Default)]
struct Times {
    steps: [f64; PARTS],
    computed: [f64; PARTS],
}

impl Times {
    fn add(&mut self, part: usize, steps: usize, seconds: f64) {
        self.steps[part] += steps as f64;
        self.computed[part] += 1e3 * seconds;
    }

    /// Of each part, and of all.
    fn means(&self) -> Vec<f64> {
        let parts = self.computed.iter().zip(self.steps);
        let mut means: Vec<f64> = parts.map(|(ms, steps)| ms / steps.max(1.0)).collect();
        means.push(self.computed.iter().sum::<f64>() / self.steps.iter().sum::<f64>().max(1.0));
        means
    }
}

/// Runs the scenes; a section each.
pub(crate) fn table(plan: &Plan<'_>) -> Result<String, String> {
    let mut text = String::new();
    for file in plan.files {
        for &threads in plan.threads {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let pool = Arc::new(pool.map_err(|why| why.to_string())?);
            let section = race(plan, file, &pool)?;
            eprint!("{section}");
            text += &section;
        }
    }
    Ok(text)
}

fn race(plan: &Plan<'_>, file: &Path, pool: &Arc<ThreadPool>) -> Result<String, String> {
    let scene = Scene::load(file, &Overrides::default()).map_err(|why| why.to_string())?;
    let steps = plan.steps.unwrap_or(scene.steps as usize).max(PARTS);
    let mut world = scene.world.clone();
    let time_step = scene.settings.time_step;
    let settings = Settings {
        time_step,
        ..Settings::default()
    };
    let made = pool.install(|| Simulation::new(scene.world, settings, Box::new(CpuSolver::new())));
    let mut ours = made.map_err(|why| why.to_string())?;
    let mut theirs = Rapier::of_world(&world, time_step, 1.0, pool)?;
    let mut stages = Timings::default();
    let mut times = [Times::default(); 2];
    let mut done = 0;
    while done < steps {
        let part = done * PARTS / steps;
        let end = ((part + 1) * steps).div_ceil(PARTS);
        let count = plan.turn.max(1).min(end - done);
        let clock = || cpu_seconds().ok_or("the system does not tell the time of computing");
        let before = clock()?;
        for _ in 0..count {
            let report = pool
                .install(|| ours.step())
                .map_err(|why| why.to_string())?;
            stages.broad += report.timings.broad;
            stages.narrow += report.timings.narrow;
            stages.pack += report.timings.pack;
            stages.solve += report.timings.solve;
            stages.step += report.timings.step;
        }
        let between = clock()?;
        for _ in 0..count {
            theirs.step()?;
        }
        times[0].add(part, count, between - before);
        times[1].add(part, count, clock()? - between);
        done += count;
    }
    let mut text = format!(
        "## {}, {} dynamic bodies, {steps} steps, {} thread(s)\n\n| engine | ms of computing a step, by fifths of the run | all | \
         deepest [m] | mean depth [m] | rms speed [m/s] |\n|---|---|---|---|---|---|\n",
        scene.name,
        world.bodies.iter().filter(|body| body.is_dynamic()).count(),
        pool.current_num_threads(),
    );
    let means = times.map(|times| times.means());
    for (name, means) in ["drystone", "rapier3d"].into_iter().zip(&means) {
        if name == "drystone" {
            world.bodies.clone_from(&ours.world().bodies);
        } else {
            theirs.write(&mut world);
        }
        let [deepest, mean, speed] = state(&world)?;
        let words: Vec<String> = means.iter().map(|ms| format!("{ms:.2}")).collect();
        let _ = writeln!(
            text,
            "| {name} | {} | {} | {deepest:.2e} | {mean:.2e} | {speed:.2e} |",
            words[..PARTS].join(" "),
            words[PARTS],
        );
    }
    let ratios = means[0].iter().zip(&means[1]);
    let words: Vec<String> = ratios.map(|(a, b)| format!("{:.2}", a / b)).collect();
    let _ = writeln!(
        text,
        "| drystone over rapier3d | {} | {} | | | |\n",
        words[..PARTS].join(" "),
        words[PARTS]
    );
    let share =
        |stage: std::time::Duration| 100.0 * stage.as_secs_f64() / stages.step.as_secs_f64();
    let _ = writeln!(
        text,
        "Of drystone's time {:.0} % is the search for pairs, {:.0} % that for contacts, {:.0} % packing, {:.0} % the solver.\n",
        share(stages.broad),
        share(stages.narrow),
        share(stages.pack),
        share(stages.solve)
    );
    Ok(text)
}

/// Deepest and mean penetration of contacts found anew `[m]`, and root mean square speed `[m/s]`.
fn state(world: &World) -> Result<[f64; 3], String> {
    let solver = Box::new(CpuSolver::new());
    let fresh = Simulation::new(world.clone(), Settings::default(), solver)
        .map_err(|why| why.to_string())?;
    let found = fresh.penetration();
    let moving = world.bodies.iter().filter(|body| body.is_dynamic());
    let (sum, count) = moving.fold((0.0, 0.0), |(sum, count), body| {
        (sum + body.linear_velocity.norm_squared(), count + 1.0)
    });
    Ok([found.max, found.mean, f64::sqrt(sum / count)])
}
