//! The command line: which regimes are run, and with which settings.

use super::scenes::{self, Regime};
use drystone::solver::cpu::CpuSolver;
use drystone::solver::nsgs::NsgsSolver;
use drystone::solver::{Method, Options, Solver};
use drystone::step::{Settings, Simulation};
use std::error::Error;

/// Time that a regime is stepped for where it is only tried `[s]`.
const TIME_OF_A_TRIAL: f64 = 0.1;
/// Most sweeps of a problem where they go on to a tolerance.
const SWEEPS_TO_TOLERANCE: u32 = 400;
/// That tolerance over g times the length of a step.
const TOLERANCE: f64 = 1e-3;

/// The solver of the problems of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sweep {
    /// The default: one of [`Method::GaussSeidel`] in a substep.
    Default,
    /// As many of another method.
    Of(Method),
    /// As many of the block Gauss–Seidel in f64.
    Nsgs,
    /// As many of [`Method::Nesterov`] as bring the residual below a tolerance.
    Converged,
    /// The same in the step of Cline and Pai in place of the default.
    Post,
}

impl Sweep {
    fn parse(name: &str) -> Result<Self, String> {
        let method = Method::ALL.into_iter().find(|method| method.name() == name);
        match (name, method) {
            ("default", _) => Ok(Self::Default),
            ("nsgs", _) => Ok(Self::Nsgs),
            ("converged", _) => Ok(Self::Converged),
            ("post", _) => Ok(Self::Post),
            (_, Some(method)) => Ok(Self::Of(method)),
            _ => Err(format!("no method {name}")),
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Of(method) => method.name(),
            Self::Nsgs => "nsgs",
            Self::Converged => "converged",
            Self::Post => "post",
        }
    }
}

/// A backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Backend {
    Cpu,
    Gpu,
}

impl Backend {
    fn parse(name: &str) -> Result<Self, String> {
        match name {
            "cpu" => Ok(Self::Cpu),
            "gpu" => Ok(Self::Gpu),
            _ => Err(format!("no backend {name}")),
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Gpu => "gpu",
        }
    }
}

/// One setting for all regimes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Column {
    /// `[m]`
    pub(crate) size: f64,
    /// Steps in a second.
    pub(crate) rate: f64,
    pub(crate) sweep: Sweep,
    pub(crate) backend: Backend,
    substeps: Option<u32>,
    iterations: Option<u32>,
}

impl Column {
    pub(crate) fn differs_in_size_only(&self, other: &Self) -> bool {
        let size = other.size;
        Self { size, ..*self } == *other
    }

    /// The default at another number of steps in a second, or with sweeps to a tolerance.
    pub(crate) fn new(size: f64, rate: f64, sweep: Sweep) -> Self {
        Self {
            size,
            rate,
            sweep,
            backend: Backend::Cpu,
            substeps: None,
            iterations: None,
        }
    }

    pub(crate) fn settings(&self, regime: &Regime) -> Settings {
        let mut settings = match self.sweep {
            Sweep::Post => Settings::post_stabilized(),
            _ => Settings::default(),
        };
        settings.time_step = 1.0 / self.rate;
        settings.substeps = self.substeps.or(settings.substeps);
        match self.sweep {
            Sweep::Default | Sweep::Nsgs => {}
            Sweep::Of(method) => settings.solver.method = method,
            Sweep::Converged | Sweep::Post => {
                // Of a gas: as if it were at rest in our gravity.
                let gravity = regime.world.gravity.norm().max(1.0);
                let tolerance = TOLERANCE * gravity * settings.time_step;
                let to_tolerance = |tolerance: f64, of: Options| Options {
                    method: Method::Nesterov,
                    iterations: SWEEPS_TO_TOLERANCE,
                    check_every: 4,
                    tolerance: tolerance as f32,
                    ..of
                };
                settings.solver = to_tolerance(tolerance, settings.solver);
                let post = &mut settings.stabilization.post;
                post.solver = to_tolerance(tolerance * settings.time_step, post.solver);
            }
        }
        if let Some(iterations) = self.iterations {
            settings.solver.iterations = iterations;
        }
        settings
    }

    pub(crate) fn simulation(&self, regime: &Regime) -> Result<Simulation, String> {
        let solver: Box<dyn Solver> = match (self.backend, self.sweep) {
            (_, Sweep::Nsgs) => Box::new(NsgsSolver::new()),
            (Backend::Gpu, _) => gpu()?,
            (Backend::Cpu, _) => Box::new(CpuSolver::new()),
        };
        let settings = self.settings(regime);
        Simulation::new(regime.world.clone(), settings, solver).map_err(|why| why.to_string())
    }
}

/// The solver on the adapter that `DRYSTONE_ADAPTER` names, or on the first one, software or not.
#[cfg(feature = "gpu")]
fn gpu() -> Result<Box<dyn Solver>, String> {
    use drystone::solver::gpu::{AdapterChoice, GpuSolver};
    let choice = AdapterChoice {
        name: std::env::var("DRYSTONE_ADAPTER").ok(),
        allow_software: true,
    };
    match GpuSolver::new(&choice) {
        Ok(solver) => Ok(Box::new(solver)),
        Err(why) => Err(why.to_string()),
    }
}

#[cfg(not(feature = "gpu"))]
fn gpu() -> Result<Box<dyn Solver>, String> {
    Err("this build has no GPU backend".into())
}

/// The command line.
#[derive(Debug)]
pub(crate) struct Plan {
    /// `[m]`
    pub(crate) sizes: Vec<f64>,
    /// Steps in a second.
    rates: Vec<f64>,
    sweeps: Vec<Sweep>,
    backends: Vec<Backend>,
    /// Parts of names; all regimes without any.
    only: Vec<String>,
    /// Most that a regime is stepped for `[s]`.
    time: f64,
    /// Most that a run may take `[s]`.
    pub(crate) limit: f64,
    /// In place of those that the step chooses.
    substeps: Option<u32>,
    /// In place of one.
    iterations: Option<u32>,
    /// All numbers of every run, on the error stream, before the table.
    pub(crate) details: bool,
    pub(crate) picture: Option<String>,
    pub(crate) convergence: Option<String>,
}

impl Plan {
    pub(crate) fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let mut plan = Self {
            sizes: vec![0.05],
            rates: vec![60.0],
            sweeps: vec![Sweep::Default],
            backends: vec![Backend::Cpu],
            only: Vec::new(),
            time: f64::INFINITY,
            limit: f64::INFINITY,
            substeps: None,
            iterations: None,
            details: false,
            picture: None,
            convergence: None,
        };
        fn list<T, E: Into<Box<dyn Error>>>(
            text: &str,
            parse: impl Fn(&str) -> Result<T, E>,
        ) -> Result<Vec<T>, Box<dyn Error>> {
            let items = text.split(',');
            items.map(|item| parse(item).map_err(E::into)).collect()
        }
        // By the rule of criterion: `cargo bench` says so, and everything else only tries whether it runs.
        let (mut is_bench, mut is_test) = (false, false);
        while let Some(flag) = words.next() {
            match flag.as_str() {
                "--bench" => {
                    is_bench = true;
                    continue;
                }
                "--test" => {
                    is_test = true;
                    continue;
                }
                "--details" => {
                    plan.details = true;
                    continue;
                }
                _ => {}
            }
            let value = words.next().ok_or(format!("{flag} needs a value"))?;
            match flag.as_str() {
                "--sizes" => plan.sizes = list(&value, str::parse)?,
                "--steps" => plan.rates = list(&value, str::parse)?,
                "--methods" => plan.sweeps = list(&value, Sweep::parse)?,
                "--backends" => plan.backends = list(&value, Backend::parse)?,
                "--only" => plan.only = value.split(',').map(str::to_owned).collect(),
                "--time" => plan.time = value.parse()?,
                "--limit" => plan.limit = value.parse()?,
                "--substeps" => plan.substeps = Some(value.parse()?),
                "--iterations" => plan.iterations = Some(value.parse()?),
                "--picture" => plan.picture = Some(value),
                "--convergence" => plan.convergence = Some(value),
                _ => return Err(format!("no flag {flag}").into()),
            }
        }
        if is_test || !is_bench {
            plan.time = plan.time.min(TIME_OF_A_TRIAL);
        }
        Ok(plan)
    }

    /// Every combination, sizes changing last; nsgs has no GPU.
    pub(crate) fn columns(&self) -> Vec<Column> {
        let mut columns = Vec::new();
        for &size in &self.sizes {
            for &rate in &self.rates {
                for &sweep in &self.sweeps {
                    for &backend in &self.backends {
                        if (sweep, backend) == (Sweep::Nsgs, Backend::Gpu) {
                            continue;
                        }
                        columns.push(Column {
                            backend,
                            substeps: self.substeps,
                            iterations: self.iterations,
                            ..Column::new(size, rate, sweep)
                        });
                    }
                }
            }
        }
        columns
    }

    /// Those that are asked for, at a size `[m]`.
    pub(crate) fn regimes(&self, size: f64) -> Vec<Regime> {
        let mut regimes = scenes::all(size);
        regimes.retain(|regime| {
            let is_named = |part: &String| regime.name.contains(part.as_str());
            self.only.is_empty() || self.only.iter().any(is_named)
        });
        for regime in &mut regimes {
            regime.duration = regime.duration.min(self.time);
        }
        regimes
    }
}
