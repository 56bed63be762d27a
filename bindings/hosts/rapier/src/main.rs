//! The table: Rapier's own step beside drystone's in its place, in turns, one thread each.

use drystone_rapier::scenes::{Scene, State};
use drystone_rapier::{Host, Settings, Times};
use rapier3d::prelude::*;
use std::process::ExitCode;
use std::time::Instant;

/// Steps of a turn.
const TURN: usize = 10;

/// Somebody who steps a world.
enum Engine {
    Rapier,
    Drystone(Box<Host>),
}

struct Contestant {
    name: &'static str,
    engine: Engine,
    world: PhysicsWorld,
    /// Processor time of the steps `[s]`.
    seconds: f64,
    /// Of its parts, where they are known.
    times: Times,
}

impl Contestant {
    fn all(scene: Scene) -> Vec<Self> {
        let engine = |iterations: usize| {
            let mut world = scene.world();
            world.integration_parameters.num_solver_iterations = iterations;
            (Engine::Rapier, world)
        };
        let host = |substeps, recycle| {
            let settings = Settings { substeps, recycle };
            (
                Engine::Drystone(Box::new(Host::new(settings))),
                scene.world(),
            )
        };
        [
            ("Rapier, 4 iterations", engine(4)),
            ("Rapier, 12 iterations", engine(12)),
            ("drystone", host(None, 0.0)),
            ("drystone, 8 substeps", host(Some(8), 0.0)),
            ("drystone, recycling", host(None, 0.05)),
        ]
        .into_iter()
        .map(|(name, (engine, world))| Self {
            name,
            engine,
            world,
            seconds: 0.0,
            times: Times::default(),
        })
        .collect()
    }

    fn step(&mut self) -> Result<(), drystone_rapier::Error> {
        match &mut self.engine {
            Engine::Rapier => self.world.step(),
            Engine::Drystone(host) => {
                host.step(&mut self.world)?;
                let times = host.times();
                self.times.collide += times.collide;
                self.times.exchange += times.exchange;
                self.times.solve += times.solve;
            }
        }
        Ok(())
    }
}

/// Processor time of this thread, where the system tells it, else time `[s]`.
fn clock(began: Instant) -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok());
    nanoseconds.map_or_else(|| began.elapsed().as_secs_f64(), |n| 1e-9 * n as f64)
}

fn race(scene: Scene, steps: usize) -> Result<(), drystone_rapier::Error> {
    let began = Instant::now();
    let mut contestants = Contestant::all(scene);
    for turn in 0..steps.div_ceil(TURN) {
        for one in &mut contestants {
            let before = clock(began);
            for _ in turn * TURN..steps.min((turn + 1) * TURN) {
                one.step()?;
            }
            one.seconds += clock(began) - before;
        }
    }
    for one in &mut contestants {
        if let Engine::Drystone(host) = &mut one.engine {
            host.publish(&mut one.world);
        }
        let state = State::of(scene, &one.world);
        let per_step = |seconds: f64| format!("{:.2}", 1e3 * seconds / steps as f64);
        // Parts are timed by the wall's clock: what is told are their shares of the processor time.
        let Times {
            collide,
            exchange,
            solve,
        } = one.times;
        let share = one.seconds / (collide + exchange + solve);
        let parts = match one.engine {
            Engine::Rapier => " | | ".to_owned(),
            Engine::Drystone(_) => format!(
                "{} | {} | {}",
                per_step(share * collide),
                per_step(share * exchange),
                per_step(share * solve)
            ),
        };
        let stands = match scene {
            Scene::Wall if state.moved < 0.25 => "yes",
            Scene::Wall => "no",
            Scene::Boxes | Scene::Hulls | Scene::Mesh => "",
        };
        println!(
            "| {} | {} | {} | {parts} | {:.2} | {:.1} | {:.4} | {stands} | {} |",
            scene.name(),
            one.name,
            per_step(one.seconds),
            1e3 * state.mean_penetration,
            1e3 * state.worst_penetration,
            state.kinetic_energy,
            state.lost
        );
    }
    Ok(())
}

fn main() -> ExitCode {
    let given = std::env::args().nth(1);
    let steps = given.map_or(Ok(600), |text| text.parse());
    let Ok(steps) = steps else {
        eprintln!("drystone-rapier [STEPS]");
        return ExitCode::from(2);
    };
    println!(
        "| scene, {steps} steps | solver | step [ms] | of it collide | exchange | solve | mean [mm] | worst [mm] | kinetic energy [J a body] | stands | lost |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let ran = pool.map_err(|why| why.to_string()).and_then(|pool| {
        pool.install(|| {
            let mut scenes = Scene::ALL.into_iter();
            scenes.try_for_each(|scene| race(scene, steps))
        })
        .map_err(|why| why.to_string())
    });
    match ran {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}
