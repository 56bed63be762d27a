//! Measures of a regime, and its verdict: the same for whatever steps it, from poses and
//! velocities alone.

use super::scenes::{Regime, Right};
use drystone::math::Vec3;
use drystone::measure;
use drystone::solver::cpu::CpuSolver;
use drystone::step::{Settings, Simulation};
use drystone::world::World;
use std::time::Instant;

/// Times within the last tenth of a run at which penetrations are looked at.
const LOOKS: u64 = 10;

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
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    /// Sideways motion of the highest body over the size.
    pub(crate) sideways: f64,
    /// How much the highest body sank, over the size.
    pub(crate) sank: f64,
    /// Root mean square of speeds over the last tenth of the run, over sqrt(g size).
    pub(crate) rms: f64,
    /// Most that the energy was above that at the start, over m g size, m being the mass of all.
    pub(crate) gain: f64,
    /// Deepest penetration in the last tenth, over the size.
    pub(crate) penetration: f64,
    /// Mean penetration at the end, over the size.
    pub(crate) mean_penetration: f64,
    /// Kinetic energy at the end over that at the start.
    pub(crate) kinetic: f64,
    /// Median height that the centre of mass is thrown to in a cycle `[m]`.
    pub(crate) throw: f64,
    /// Peaks of the highest body's height over its height at rest `[m]`.
    pub(crate) peaks: Vec<f64>,
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
    start: Vec3,
    energy: measure::Energy,
    /// m g size.
    unit: f64,
    seen: Seen,
    sweeps: f64,
    squares: f64,
    speeds: u64,
    /// Heights of the highest body and of the centre of all after each step `[m]`.
    heights: Vec<[f64; 2]>,
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
        Ok(Self {
            regime,
            time_step,
            steps: (regime.duration / time_step).round() as u64,
            done: 0,
            start: world.bodies[highest].pose.position,
            energy: measure::energy(&world),
            unit: mass * world.gravity.norm().max(1e-9) * regime.size,
            world,
            dynamic,
            highest,
            seen: Seen {
                gain: f64::NEG_INFINITY,
                ..Seen::default()
            },
            sweeps: 0.0,
            squares: 0.0,
            speeds: 0,
            heights: Vec::new(),
            times: Vec::new(),
        })
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

    fn look(&mut self) {
        let (world, seen) = (&self.world, &mut self.seen);
        let body = |b: &usize| &world.bodies[*b];
        let energy = measure::energy(world);
        let gain = energy.kinetic + energy.potential - self.energy.kinetic - self.energy.potential;
        seen.gain = seen.gain.max(gain / self.unit);
        seen.kinetic = energy.kinetic / self.energy.kinetic.max(1e-30);
        let heights = self.dynamic.iter().map(|b| body(b).pose.position.z);
        self.heights.push([
            body(&self.highest).pose.position.z,
            heights.sum::<f64>() / self.dynamic.len() as f64,
        ]);
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
        let mut seen = self.seen;
        let size = self.regime.size;
        let count = self.done.max(1) as f64;
        seen.ms = 1e3 * self.times.iter().sum::<f64>() / count;
        let mut late = self.times[self.times.len() / 2..].to_vec();
        late.sort_by(f64::total_cmp);
        seen.ms_late = 1e3 * late.get(late.len() / 2).copied().unwrap_or(0.0);
        seen.sweeps = self.sweeps / count;
        let off = self.world.bodies[self.highest].pose.position - self.start;
        seen.sideways = off.xy().norm() / size;
        seen.sank = -off.z / size;
        let gravity = self.world.gravity.norm();
        seen.rms =
            (self.squares / self.speeds.max(1) as f64).sqrt() / (gravity * size).sqrt().max(1e-30);
        if matches!(self.regime.right, Right::Throw { .. }) {
            // Ten cycles a second; the first second is for settling, the second for the shaking to go on.
            let per_second = (1.0 / self.time_step).round() as usize;
            let height = |step: usize| self.heights.get(step).map_or(f64::NAN, |z| z[1]);
            let rest = height(per_second * 48 / 100);
            let mut peaks: Vec<f64> = (0..10)
                .map(|cycle| {
                    let from = 2 * per_second + cycle * per_second / 10;
                    (from..from + per_second / 10)
                        .map(|step| height(step) - rest)
                        .fold(f64::MIN, f64::max)
                })
                .collect();
            peaks.sort_by(f64::total_cmp);
            seen.throw = peaks[5];
        }
        for w in self.heights.windows(3) {
            let [before, here, after] = [w[0][0], w[1][0], w[2][0]].map(|z| z - 0.5 * size);
            if here > before && here >= after && here > 0.01 {
                seen.peaks.push(here);
            }
        }
        seen
    }
}

/// Whether it went right.
pub(crate) fn is_right(regime: &Regime, seen: &Seen) -> bool {
    match regime.right {
        Right::Stands { sideways } => {
            seen.sideways < sideways && seen.rms < 1e-3 && seen.sank < 0.1
        }
        Right::Rests => seen.rms < 1e-2,
        Right::Throw { height, within } => (seen.throw / height - 1.0).abs() < within,
        Right::KeepsKinetic { within } => (seen.kinetic - 1.0).abs() < within,
        Right::Bounces { peaks, within } => {
            seen.peaks.len() >= peaks.len()
                && peaks
                    .iter()
                    .zip(&seen.peaks)
                    .all(|(want, got)| (got / want - 1.0).abs() < within)
        }
        Right::Parts { speed } => seen.fastest < speed,
    }
}

/// The number that is judged where it is none of the usual ones, in words.
pub(crate) fn remark(regime: &Regime, seen: &Seen) -> String {
    match regime.right {
        Right::Throw { .. } => format!("throw {:.1} mm", 1e3 * seen.throw),
        Right::KeepsKinetic { .. } => format!("kinetic {:.4}", seen.kinetic),
        Right::Bounces { .. } => format!("peaks {:.4?}", &seen.peaks[..seen.peaks.len().min(2)]),
        Right::Parts { speed } => format!("fastest {:.2} of {speed:.2} m/s", seen.fastest),
        Right::Stands { .. } | Right::Rests => String::new(),
    }
}
