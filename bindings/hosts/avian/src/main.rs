//! The table: Avian's own solver beside drystone's, in turns, one thread each; or a scene by one of them.

use bevy::prelude::*;
use drystone_avian::scenes::{Scene, State, headless};
use drystone_avian::{DrystonePlugin, Host, Settings, Times};
use std::process::ExitCode;
use std::time::Instant;

/// Steps of a turn.
const TURN: usize = 10;

/// Usage, printed for a command line that makes no sense.
const USAGE: &str = "drystone-avian [STEPS]\n\
    drystone-avian boxes|pyramid|move_marbles|chain avian|drystone [STEPS]";

struct Contestant {
    name: &'static str,
    app: App,
    /// Processor time of the steps `[s]`.
    seconds: f64,
    /// Time that has passed in them `[s]`.
    passed: f64,
    /// Of its parts, where they are known.
    times: Times,
}

impl Contestant {
    fn new(name: &'static str, scene: Scene, plugin: Option<DrystonePlugin>) -> Self {
        let mut app = headless();
        if let Some(plugin) = plugin {
            app.add_plugins(plugin);
        }
        scene.build(&mut app);
        app.finish();
        app.cleanup();
        // Bevy's clock stands still in the first update.
        app.update();
        Self {
            name,
            app,
            seconds: 0.0,
            passed: 0.0,
            times: Times::default(),
        }
    }

    fn all(scene: Scene) -> Vec<Self> {
        let plan = |substeps| {
            Some(DrystonePlugin {
                settings: Settings { substeps },
            })
        };
        let mut all = vec![Self::new("Avian", scene, None)];
        if scene != Scene::Chain {
            // The chain has 80 by itself.
            let mut finer = Self::new("Avian, 16 substeps", scene, None);
            finer
                .app
                .insert_resource(avian3d::prelude::SubstepCount(16));
            all.push(finer);
        }
        all.push(Self::new("drystone", scene, plan(None)));
        all.push(Self::new("drystone, 8 substeps", scene, plan(Some(8))));
        all.push(Self::new("drystone, 32 substeps", scene, plan(Some(32))));
        all
    }

    fn step(&mut self) {
        self.app.update();
        if let Some(host) = self.app.world().get_resource::<Host>() {
            let times = host.times();
            self.times.exchange += times.exchange;
            self.times.solve += times.solve;
        }
    }
}

/// Processor time of all threads, where the system tells it, else time `[s]`.
fn clock(began: Instant) -> f64 {
    let tasks = std::fs::read_dir("/proc/self/task").ok();
    let of_task = |task: std::io::Result<std::fs::DirEntry>| {
        let text = std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<u64>().ok()
    };
    let told = tasks.map(|tasks| tasks.filter_map(of_task).sum::<u64>());
    told.map_or_else(|| began.elapsed().as_secs_f64(), |n| 1e-9 * n as f64)
}

fn race(scene: Scene, steps: usize) {
    let began = Instant::now();
    let mut contestants = Contestant::all(scene);
    for turn in 0..steps.div_ceil(TURN) {
        for one in &mut contestants {
            let (before, start) = (clock(began), Instant::now());
            for _ in turn * TURN..steps.min((turn + 1) * TURN) {
                one.step();
            }
            one.seconds += clock(began) - before;
            one.passed += start.elapsed().as_secs_f64();
        }
    }
    for one in &mut contestants {
        let state = State::of(scene, &mut one.app);
        let per_step = |seconds: f64| format!("{:.2}", 1e3 * seconds / steps as f64);
        let host = one.app.world().get_resource::<Host>();
        let parts = host.map_or(" | ".into(), |_| {
            // Parts are timed by the wall's clock: what is told are their shares of the processor time.
            let Times { exchange, solve } = one.times;
            let share = one.seconds / one.passed;
            format!(
                "{} | {}",
                per_step(share * exchange),
                per_step(share * solve)
            )
        });
        let stands = match scene {
            Scene::Pyramid if state.moved < 0.25 => "yes",
            Scene::Pyramid => "no",
            Scene::Boxes | Scene::MoveMarbles | Scene::Chain => "",
        };
        println!(
            "| {} | {} | {} | {parts} | {:.2} | {:.1} | {:.4} | {stands} | {} |",
            scene.title(),
            one.name,
            per_step(one.seconds),
            1e3 * state.mean_penetration,
            1e3 * state.worst_penetration,
            state.kinetic_energy,
            state.lost
        );
    }
}

fn table(steps: usize) {
    println!(
        "| scene, {steps} steps | solver | step [ms] | of it exchange | solve | mean [mm] | worst [mm] | kinetic energy [J a body] | stands | lost |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for scene in Scene::ALL {
        race(scene, steps);
    }
}

/// A scene by one solver.
fn example(scene: Scene, by_drystone: bool, steps: usize) {
    let plugin = by_drystone.then(DrystonePlugin::default);
    let mut one = Contestant::new("", scene, plugin);
    for _ in 0..steps {
        one.step();
    }
    let state = State::of(scene, &mut one.app);
    println!("{state:?}");
    if let Some(host) = one.app.world().get_resource::<Host>() {
        let [contacts, left] = [host.contact_count(), host.left_to_avian()];
        println!("{contacts} contacts solved by drystone, {left} bodies moved by Avian");
    }
}

/// True if the command line makes sense.
fn run(given: &[&str]) -> bool {
    let steps = |text: Option<&&str>| text.map_or(Ok(600), |text| text.parse::<usize>());
    match given {
        [] => table(600),
        [text] => match text.parse() {
            Ok(steps) => table(steps),
            Err(_) => return false,
        },
        [scene, engine @ ("avian" | "drystone"), rest @ ..] if rest.len() < 2 => {
            let scene = Scene::ALL.into_iter().find(|known| known.name() == *scene);
            let (Some(scene), Ok(steps)) = (scene, steps(rest.first())) else {
                return false;
            };
            example(scene, *engine == "drystone", steps);
        }
        _ => return false,
    }
    true
}

fn main() -> ExitCode {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let given: Vec<&str> = given.iter().map(String::as_str).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1);
    if let Err(why) = pool.build_global() {
        eprintln!("{why}");
        return ExitCode::FAILURE;
    }
    if run(&given) {
        ExitCode::SUCCESS
    } else {
        eprintln!("{USAGE}");
        ExitCode::from(2)
    }
}
