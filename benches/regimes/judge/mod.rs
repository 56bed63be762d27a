//! Measures of a regime, and its verdict: the same for whatever steps it, from poses and
//! velocities alone.

mod fits;
mod verdict;

#[allow(unused_imports, reason = "those who judge use a part each")]
pub(crate) use verdict::{Check, Number, checks, is_right, number, remark};

use super::scenes::{Regime, Right};
use drystone::math::{Quat, Vec3};
use drystone::measure;
use drystone::solver::cpu::CpuSolver;
use drystone::step::{Settings, Simulation};
use drystone::world::World;
use std::time::Instant;

/// Times within the last tenth of a run at which penetrations are looked at.
const LOOKS: u64 = 10;
/// The turn of its vertical axis at which a body counts as toppling `[rad]`: below that at which a domino of the
/// closest row meets the next.
const TOPPLING: f64 = 0.1;

/// Something that steps a world.
pub(crate) trait Steps {
    /// One step; the number of sweeps that it took, 0 if that is not known.
    fn step(&mut self) -> Result<u32, String>;

    /// Sets poses and velocities of the same bodies in the same order.
    fn write(&self, world: &mut World);
}

impl Steps for Simulation {
    fn step(&mut self) -> Result<u32, String> {
        let report = Self::step(self).map_err(|why| why.to_string())?;
        Ok(report.velocity.iterations)
    }

    fn write(&self, world: &mut World) {
        world.time = self.world().time;
        for (to, from) in world.bodies.iter_mut().zip(&self.world().bodies) {
            to.pose = from.pose;
            to.linear_velocity = from.linear_velocity;
            to.angular_velocity = from.angular_velocity;
        }
    }
}

/// The measured outcome of a regime.
///
/// Where there is no gravity, the kinetic energy at the start takes the place of m g size, m being the mass of all.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    /// Sideways motion of the highest body over the size.
    pub(crate) sideways: f64,
    /// How much the highest body sank, over the size.
    pub(crate) sank: f64,
    /// Root mean square of speeds over the last tenth of the run, over sqrt(g size).
    pub(crate) rms: f64,
    /// Most that the energy was above that at the start, over m g size.
    pub(crate) gain: f64,
    /// Largest kinetic energy, over m g size.
    pub(crate) most_kinetic: f64,
    /// Energy that was lost from start to end, over the largest kinetic energy.
    pub(crate) lost: f64,
    /// Deepest penetration in the last tenth, over the size.
    pub(crate) penetration: f64,
    /// Mean penetration at the end, over the size.
    pub(crate) mean_penetration: f64,
    /// Kinetic energy at the end over that at the start.
    pub(crate) kinetic: f64,
    /// Power of time by which kinetic energy falls.
    pub(crate) power: f64,
    /// Angular momentum at the end along that at the start, over its size.
    pub(crate) spin: f64,
    /// How high the centre of mass of a shaken bed is above its place at rest, in the mean `[m]`.
    pub(crate) throw: f64,
    /// Peaks of the highest body's height over half its size, over the size.
    pub(crate) peaks: Vec<f64>,
    /// Share of the space that spheres fill far from walls.
    pub(crate) fraction: f64,
    /// Speed at which a wave of toppling runs along a row `[m/s]`.
    pub(crate) wave: f64,
    /// Angle from the vertical that a pendulum swings to at the end `[rad]`.
    pub(crate) swing: f64,
    /// Mean rate of the highest body about the vertical `[rad/s]`.
    pub(crate) precession: f64,
    /// Farthest that a top's angle from the vertical was from that at the start `[rad]`.
    pub(crate) tilt_off: f64,
    /// `[m/s]`
    pub(crate) fastest: f64,
    /// Mean time of a step `[ms]`.
    pub(crate) ms: f64,
    /// Median time of a step of the second half `[ms]`, which work of others on the machine moves little.
    pub(crate) ms_late: f64,
    /// Mean number of sweeps of a step.
    pub(crate) sweeps: f64,
}

/// A regime that is being stepped by something.
pub(crate) struct Trial<'a> {
    regime: &'a Regime,
    time_step: f64,
    steps: u64,
    done: u64,
    world: World,
    dynamic: Vec<usize>,
    highest: usize,
    /// Of the dynamic bodies at the start.
    places: Vec<Vec3>,
    turns: Vec<Quat>,
    energy: f64,
    spin: Vec3,
    /// m g size, or the kinetic energy at the start `[J]`.
    unit: f64,
    /// Of all that is dynamic `[kg]`.
    mass: f64,
    seen: Seen,
    sweeps: f64,
    squares: f64,
    speeds: u64,
    /// Places of the highest body, from the start on `[m]`.
    path: Vec<Vec3>,
    /// Heights of the centre of all, from the start on `[m]`.
    centers: Vec<f64>,
    /// From the start on `[J]`.
    kinetics: Vec<f64>,
    /// How far the vertical axis of each dynamic body was turned after the last step `[rad]`.
    tilts: Vec<f64>,
    /// When it had turned by [`TOPPLING`] `[s]`; not a number where it has not.
    toppled: Vec<f64>,
    /// Seconds of each step.
    times: Vec<f64>,
}

impl<'a> Trial<'a> {
    pub(crate) fn new(regime: &'a Regime, time_step: f64) -> Result<Self, String> {
        let world = regime.world.clone();
        let dynamic: Vec<usize> = (0..world.bodies.len())
            .filter(|&b| world.bodies[b].is_dynamic())
            .collect();
        let height = |b: usize| world.bodies[b].pose.position.z;
        let highest = dynamic
            .iter()
            .copied()
            .max_by(|&a, &b| height(a).total_cmp(&height(b)))
            .ok_or("no body")?;
        let mass: f64 = dynamic
            .iter()
            .map(|&b| 1.0 / world.bodies[b].mass.inverse_mass)
            .sum();
        let pose = |&b: &usize| world.bodies[b].pose;
        let energy = measure::energy(&world);
        let weight = mass * world.gravity.norm();
        let mut trial = Self {
            regime,
            time_step,
            steps: (regime.duration / time_step).round() as u64,
            done: 0,
            places: dynamic.iter().map(|b| pose(b).position).collect(),
            turns: dynamic.iter().map(|b| pose(b).orientation).collect(),
            energy: energy.kinetic + energy.potential,
            spin: measure::momentum(&world).angular,
            unit: if weight > 0.0 {
                weight * regime.size
            } else {
                energy.kinetic
            },
            mass,
            seen: Seen {
                gain: f64::NEG_INFINITY,
                ..Seen::default()
            },
            sweeps: 0.0,
            squares: 0.0,
            speeds: 0,
            path: Vec::new(),
            centers: Vec::new(),
            kinetics: Vec::new(),
            tilts: vec![0.0; dynamic.len()],
            toppled: vec![f64::NAN; dynamic.len()],
            times: Vec::new(),
            world,
            dynamic,
            highest,
        };
        trial.record();
        Ok(trial)
    }

    pub(crate) fn is_over(&self) -> bool {
        self.done >= self.steps
    }

    /// So many steps, or fewer if it is over before.
    pub(crate) fn advance(&mut self, steps: u64, subject: &mut dyn Steps) -> Result<(), String> {
        for _ in 0..steps.min(self.steps - self.done) {
            let clock = Instant::now();
            self.sweeps += f64::from(subject.step()?);
            self.times.push(clock.elapsed().as_secs_f64());
            subject.write(&mut self.world);
            self.look();
            self.done += 1;
        }
        Ok(())
    }

    /// Adds the present state to the records; its energy above that at the start `[J]`.
    fn record(&mut self) -> f64 {
        let world = &self.world;
        let energy = measure::energy(world);
        self.kinetics.push(energy.kinetic);
        self.path.push(world.bodies[self.highest].pose.position);
        let bodies = self.dynamic.iter().map(|&b| &world.bodies[b]);
        let moments = bodies.map(|body| body.mass.mass * body.pose.position.z);
        self.centers.push(moments.sum::<f64>() / self.mass);
        energy.kinetic + energy.potential - self.energy
    }

    /// When bodies topple, between the last step and this one.
    fn record_tilts(&mut self) {
        let numbers = self.tilts.iter_mut().zip(&mut self.toppled);
        for ((b, start), (tilt, toppled)) in self.dynamic.iter().zip(&self.turns).zip(numbers) {
            let turn = self.world.bodies[*b].pose.orientation * start.inverse();
            let now = (turn * Vec3::z()).z.clamp(-1.0, 1.0).acos();
            if toppled.is_nan() && now >= TOPPLING {
                let share = (TOPPLING - *tilt) / (now - *tilt);
                *toppled = (self.done as f64 + share) * self.time_step;
            }
            *tilt = now;
        }
    }

    fn look(&mut self) {
        let gain = self.record() / self.unit;
        self.record_tilts();
        let (world, seen) = (&self.world, &mut self.seen);
        let body = |b: &usize| &world.bodies[*b];
        seen.gain = seen.gain.max(gain);
        let speeds = self.dynamic.iter().map(|b| body(b).linear_velocity.norm());
        seen.fastest = speeds.fold(seen.fastest, f64::max);
        if self.done * 10 < self.steps * 9 {
            return;
        }
        for b in &self.dynamic {
            self.squares += body(b).linear_velocity.norm_squared();
            self.speeds += 1;
        }
        let until_end = self.steps - self.done - 1;
        if until_end.is_multiple_of((self.steps / 10 / LOOKS).max(1)) {
            // Contacts that nothing of an earlier step is kept of.
            let solver = Box::new(CpuSolver::new());
            if let Ok(fresh) = Simulation::new(world.clone(), Settings::default(), solver) {
                let found = fresh.penetration();
                seen.penetration = seen.penetration.max(found.max / self.regime.size);
                seen.mean_penetration = found.mean / self.regime.size;
            } else {
                (seen.penetration, seen.mean_penetration) = (f64::NAN, f64::NAN);
            }
        }
    }

    /// The measured outcome.
    pub(crate) fn seen(self) -> Seen {
        let mut seen = self.seen.clone();
        let size = self.regime.size;
        let count = self.done.max(1) as f64;
        seen.ms = 1e3 * self.times.iter().sum::<f64>() / count;
        let mut late = self.times[self.times.len() / 2..].to_vec();
        late.sort_by(f64::total_cmp);
        seen.ms_late = 1e3 * late.get(late.len() / 2).copied().unwrap_or(0.0);
        seen.sweeps = self.sweeps / count;
        let start = self.path[0];
        let off = self.path[self.path.len() - 1] - start;
        seen.sideways = off.xy().norm() / size;
        seen.sank = -off.z / size;
        seen.rms =
            (self.squares / self.speeds.max(1) as f64).sqrt() / (self.unit / self.mass).sqrt();
        let most = self.kinetics.iter().copied().fold(0.0, f64::max);
        let last = self.kinetics[self.kinetics.len() - 1];
        let energy = measure::energy(&self.world);
        seen.most_kinetic = most / self.unit;
        seen.lost = (self.energy - energy.kinetic - energy.potential) / most.max(1e-30);
        seen.kinetic = last / self.kinetics[0].max(1e-30);
        let spin = measure::momentum(&self.world).angular;
        seen.spin = spin.dot(&self.spin) / self.spin.norm_squared().max(1e-30);
        let heights = self.path.iter().map(|at| at.z / size - 0.5);
        seen.peaks = fits::peaks(&heights.collect::<Vec<f64>>());
        // Of the ball at rest.
        seen.peaks.retain(|&peak| peak > 0.1);
        match self.regime.right {
            Right::Throw { .. } => seen.throw = self.throw(),
            Right::Swings { .. } => seen.swing = fits::swing(&self.path),
            Right::Cools { .. } => seen.power = fits::cooling_power(&self.kinetics),
            Right::Packs { .. } => {
                seen.fraction = fits::packing_fraction(&self.world.bodies, size);
            }
            Right::Topples { .. } => {
                let places: Vec<f64> = self.places.iter().map(|at| at.x).collect();
                seen.wave = fits::wave_speed(&places, &self.toppled);
            }
            Right::Precesses { tilt, .. } => {
                [seen.precession, seen.tilt_off] =
                    fits::precession(&self.path, self.time_step, tilt);
            }
            _ => {}
        }
        seen
    }

    /// How high the centre of mass is above its place at rest, in the mean over whole cycles of 0.1 s, a second after
    /// shaking began. Of each cycle only the instants count that steps of every length have in common, its thirds:
    /// peaks are missed by long steps, and come high and low by turns.
    fn throw(&self) -> f64 {
        const THIRDS_IN_A_SECOND: f64 = 30.0;
        let steps = (1.0 / (THIRDS_IN_A_SECOND * self.time_step))
            .round()
            .max(1.0);
        let heights: Vec<f64> = self
            .centers
            .iter()
            .copied()
            .step_by(steps as usize)
            .collect();
        let (rest, shaken) = match (heights.get(14), heights.get(45..)) {
            (Some(rest), Some(shaken)) => (rest, &shaken[..shaken.len() / 3 * 3]),
            _ => return f64::NAN,
        };
        shaken.iter().sum::<f64>() / shaken.len() as f64 - rest
    }
}
