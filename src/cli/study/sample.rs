//! Runs of one world with different steps, shares of correction and starts.

use drystone::math::{Quat, Vec3};
use drystone::measure::infeasibility;
use drystone::solver::Solver;
use drystone::solver::cpu::CpuSolver;
use drystone::stabilize::{Scheme, Stabilization};
use drystone::step::{Settings, Simulation};
use drystone::world::World;
use drystone::{Error, Result};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use rayon::prelude::*;

/// How often a perturbation that makes bodies overlap is halved.
const HALVINGS: u32 = 20;

/// The steps, shares and starts of a study.
#[derive(Debug, Clone)]
pub(crate) struct Grid {
    /// Lengths of a step `[s]`.
    pub(crate) steps: Vec<f64>,
    /// Shares of the error that a step corrects; 0 for none.
    pub(crate) gammas: Vec<f64>,
    /// Number of perturbed starts.
    pub(crate) seeds: u32,
    /// Largest displacement of a body's start along each axis `[m]`.
    pub(crate) jitter: f64,
    /// Largest turn of a body's start about each axis `[rad]`.
    pub(crate) tilt: f64,
    /// Length of each run `[s]`.
    pub(crate) duration: f64,
    /// Makes the solver of each run.
    pub(crate) solver: fn() -> Box<dyn Solver>,
}

/// All runs of one step and one share.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    pub(crate) gamma: f64,
    pub(crate) h: f64,
    /// One for each start.
    pub(crate) samples: Vec<Sample>,
}

/// The measures of one run.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sample {
    /// Mean over the steps of I(q).
    pub(crate) mean_infeasibility: f64,
    pub(crate) max_infeasibility: f64,
    /// `[m]`.
    pub(crate) max_penetration: f64,
    /// Largest energy over that of the start `[J]`, of a world without motors, at least 0.
    pub(crate) energy_gain: f64,
    /// `[J]`.
    pub(crate) final_kinetic_energy: f64,
}

impl Cell {
    /// Mean over the starts.
    pub(crate) fn mean_infeasibility(&self) -> f64 {
        let sum: f64 = self.samples.iter().map(|s| s.mean_infeasibility).sum();
        sum / self.samples.len() as f64
    }

    /// Standard deviation over the starts.
    pub(crate) fn spread(&self) -> f64 {
        let mean = self.mean_infeasibility();
        let squares = self
            .samples
            .iter()
            .map(|s| (s.mean_infeasibility - mean).powi(2));
        (squares.sum::<f64>() / self.samples.len() as f64).sqrt()
    }

    pub(crate) fn largest(&self, of: impl Fn(&Sample) -> f64) -> f64 {
        self.samples.iter().map(of).fold(0.0, f64::max)
    }
}

/// Order of the infeasibility in h by least squares on the logarithms of all runs' means, and its standard error; none for fewer than three
/// runs with an infeasibility or less than two steps.
pub(crate) fn order(cells: &[Cell], gamma: f64) -> Option<(f64, f64)> {
    let points: Vec<(f64, f64)> = cells
        .iter()
        .filter(|cell| cell.gamma == gamma)
        .flat_map(|cell| cell.samples.iter().map(|s| (cell.h, s.mean_infeasibility)))
        .filter(|point| point.1 > 0.0)
        .map(|(h, value)| (h.ln(), value.ln()))
        .collect();
    let count = points.len() as f64;
    let (x, y) = points
        .iter()
        .fold((0.0, 0.0), |(x, y), p| (x + p.0, y + p.1));
    let (x, y) = (x / count, y / count);
    let (mut along, mut squares) = (0.0, 0.0);
    for (h, value) in &points {
        along += (h - x) * (value - y);
        squares += (h - x) * (h - x);
    }
    if points.len() < 3 || squares <= 0.0 {
        return None;
    }
    let slope = along / squares;
    let off = points
        .iter()
        .map(|(h, value)| (value - y - slope * (h - x)).powi(2));
    let error = (off.sum::<f64>() / (count - 2.0) / squares).sqrt();
    Some((slope, error))
}

impl Grid {
    /// A solver that sweeps on the CPU.
    pub(crate) fn cpu() -> Box<dyn Solver> {
        Box::new(CpuSolver::new())
    }

    /// Runs them all, on all threads, and calls `done` after each; the outcome does not depend on their number.
    ///
    /// # Errors
    /// Errors of a simulation.
    pub(crate) fn measure(
        &self,
        world: &World,
        settings: &Settings,
        done: impl Fn() + Sync,
    ) -> Result<Vec<Cell>> {
        let mut runs = Vec::new();
        for &gamma in &self.gammas {
            for &h in &self.steps {
                runs.extend((0..self.seeds).map(|seed| (gamma, h, seed)));
            }
        }
        let samples: Result<Vec<Sample>> = runs
            .par_iter()
            .map(|&(gamma, h, seed)| {
                let sample = self.sample(world, settings, gamma, h, seed);
                done();
                sample
            })
            .collect();
        let samples = samples?;
        let cells = runs
            .chunks(self.seeds as usize)
            .zip(samples.chunks(self.seeds as usize));
        let cell = |(runs, samples): (&[(f64, f64, u32)], &[Sample])| Cell {
            gamma: runs[0].0,
            h: runs[0].1,
            samples: samples.to_vec(),
        };
        Ok(cells.map(cell).collect())
    }

    fn sample(
        &self,
        world: &World,
        settings: &Settings,
        gamma: f64,
        h: f64,
        seed: u32,
    ) -> Result<Sample> {
        let scheme = if gamma == 0.0 {
            Scheme::None
        } else {
            Scheme::Gamma { gamma }
        };
        let settings = Settings {
            time_step: h,
            substeps: Some(0),
            stabilization: Stabilization {
                post: settings.stabilization.post,
                ..Stabilization::both(scheme)
            },
            ..*settings
        };
        let world = self.perturbed(world, seed);
        let steps = (self.duration / h).round().max(1.0) as u64;
        let mut run = Simulation::new(world, settings, (self.solver)())?;
        let mut sample = Sample::default();
        let start = drystone::measure::energy(run.world());
        for _ in 0..steps {
            let report = run.step()?;
            let now = infeasibility(run.world());
            if !now.is_finite() {
                return Err(Error::NonFinite {
                    stage: "study",
                    what: format!("infeasibility with gamma = {gamma}, h = {h} s, start {seed}"),
                });
            }
            sample.mean_infeasibility += now / steps as f64;
            sample.max_infeasibility = sample.max_infeasibility.max(now);
            sample.max_penetration = sample.max_penetration.max(report.penetration.max);
            let gain =
                report.energy.kinetic + report.energy.potential - start.kinetic - start.potential;
            sample.energy_gain = sample.energy_gain.max(gain);
            sample.final_kinetic_energy = report.energy.kinetic;
        }
        Ok(sample)
    }

    /// The world with its dynamic bodies moved and turned a little; start 0 is the world itself. The bound on the infeasibility
    /// holds for starts that have none: a body whose perturbation makes it overlap another gets a half of it, a quarter, and so on.
    pub(crate) fn perturbed(&self, world: &World, seed: u32) -> World {
        let mut world = world.clone();
        if seed == 0 {
            return world;
        }
        let mut random = Pcg64::seed_from_u64(u64::from(seed));
        let mut vector =
            |size: f64| Vec3::from_fn(|_, _| size * (2.0 * random.random::<f64>() - 1.0));
        for index in 0..world.bodies.len() {
            if !world.bodies[index].is_dynamic() {
                continue;
            }
            let start = world.bodies[index].pose;
            let (moved, turned) = (vector(self.jitter), vector(self.tilt));
            let mut share = 1.0;
            for _ in 0..HALVINGS {
                let pose = &mut world.bodies[index].pose;
                pose.position = start.position + moved * share;
                pose.orientation = Quat::from_scaled_axis(turned * share) * start.orientation;
                if infeasibility(&world) == 0.0 {
                    break;
                }
                world.bodies[index].pose = start;
                share *= 0.5;
            }
        }
        world
    }
}
