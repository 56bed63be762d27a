//! Steps of a simulation, and what is kept of them.

use crate::body_memory::Lender;
use crate::error::Result;
use drystone::measure::{self, RunawayWatch};
use drystone::output::{RunDescription, Summary};
use drystone::scene::Judge;
use drystone::solver::Solver;
use drystone::step::{self, Forces, StepReport};
use drystone::world::Body;
use std::time::{Duration, Instant};

/// Time for which steps are taken before signals are looked at.
const BETWEEN_SIGNALS: Duration = Duration::from_millis(50);

/// A world under way, and what is kept of its steps.
pub(crate) struct Inner {
    pub(crate) simulation: step::Simulation,
    pub(crate) lender: Lender,
    pub(crate) summary: Summary,
    pub(crate) judges: Vec<Judge>,
    /// Memory for what probes see.
    forces: Forces,
    pub(crate) watch: RunawayWatch,
    pub(crate) last: Option<StepReport>,
    /// Spent in steps.
    pub(crate) wall: Duration,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.lender.end(&mut self.simulation);
    }
}

impl Inner {
    pub(crate) fn new(
        scene: &drystone::scene::Scene,
        solver: Box<dyn Solver>,
        threads: usize,
    ) -> Result<Self> {
        let simulation = step::Simulation::new(scene.world.clone(), scene.settings, solver)?;
        let world = simulation.world();
        let watch = RunawayWatch::new(world, measure::energy(world), &simulation.penetration());
        let summary = Summary::new(RunDescription {
            scene: scene.name.clone(),
            backend: simulation.backend().to_owned(),
            adapter: simulation.adapter(),
            settings: scene.settings,
            seed: scene.seed,
            threads,
            steps_planned: scene.steps,
            bodies: world.bodies.len(),
            joints: world.joints.len(),
        });
        Ok(Self {
            simulation,
            lender: Lender::default(),
            summary,
            judges: scene.expectations.iter().cloned().map(Judge::new).collect(),
            forces: Forces::default(),
            watch,
            last: None,
            wall: Duration::ZERO,
        })
    }

    /// Takes steps until it is time to look at signals, and gives their number, at least 1.
    pub(crate) fn take_steps(&mut self, most: u64, scene: &drystone::scene::Scene) -> Result<u64> {
        let start = Instant::now();
        let mut taken = 0;
        while taken < most && (taken == 0 || start.elapsed() < BETWEEN_SIGNALS) {
            let report = self.simulation.step()?;
            let (h, world) = (scene.settings.time_step, self.simulation.world());
            self.summary.add(&report);
            if !self.judges.is_empty() {
                let seen = self.simulation.seen(&scene.probes, &mut self.forces);
                for judge in &mut self.judges {
                    judge.step(&report, h, &seen, &scene.probes);
                }
            }
            let runaway = self
                .watch
                .step(world, report.energy, &report.penetration, h);
            if runaway.is_some() {
                self.summary.add_runaway();
            }
            self.last = Some(report);
            taken += 1;
        }
        self.wall += start.elapsed();
        Ok(taken)
    }

    /// A body, to be changed.
    pub(crate) fn body_mut(&mut self, index: usize) -> &mut Body {
        self.lender.renew(&mut self.simulation);
        &mut self.simulation.world_mut().bodies[index]
    }

    /// Work done from outside is no energy that a step made.
    pub(crate) fn watch_anew(&mut self) {
        let world = self.simulation.world();
        let penetration = self.simulation.penetration();
        self.watch = RunawayWatch::new(world, measure::energy(world), &penetration);
    }
}
