//! `drystone compare`: the same problems to every backend.
//!
//! The world is advanced on the CPU. After each step the problems of its two passes, as the stepper
//! handed them over, are solved again from their beginning: with every method, on the CPU and on
//! every GPU that takes part, with a fixed number of iterations.

use crate::args::CompareArgs;
use crate::backend;
use crate::console::{self, scientific};
use crate::difference::{Difference, worst};
use crate::failure::Failure;
use crate::plan;
use drystone::Result;
use drystone::problem::Problem;
use drystone::scene::Scene;
use drystone::solver::cpu::CpuSolver;
use drystone::solver::{Method, Options, Report, Solution, Solver};
use drystone::step::{Settings, Simulation};
use drystone::world::World;
use std::time::Duration;

/// Velocities may differ by this much, relative to the largest one.
const VELOCITY_BOUND: f64 = 1e-4;
/// Residuals may differ by this much, relative to the CPU's.
const RESIDUAL_BOUND: f64 = 0.01;
/// Steps without `--steps`, if the scene has that many.
const DEFAULT_STEPS: u64 = 120;
/// Steps compared without `--every`, about.
const DEFAULT_SOLVES: u64 = 20;

/// Compares, reports, and fails if the backends disagree.
pub(crate) fn compare(args: &CompareArgs) -> Result<(), Failure> {
    let mut scene = plan::load(&args.scene, None, false)?;
    plan::needs_velocity_problems(&scene, "compare")?;
    let steps = match args.scene.steps {
        Some(steps) => steps,
        None => scene.steps.min(DEFAULT_STEPS),
    };
    let schedule = Schedule {
        skip: args.skip,
        steps,
        every: args.every.unwrap_or((steps / DEFAULT_SOLVES).max(1)),
    };
    let world = plan::take_world(&mut scene);
    plan::thread_pool(args.threads)?.install(|| {
        let mut gpus = Gpus::open(&args.adapter)?;
        let methods = match args.scene.solver {
            Some(method) => vec![method],
            None => Method::ALL.to_vec(),
        };
        let mut comparison = Comparison::new(&scene, &methods, args.scene.iterations, &gpus);
        comparison.run(world, &scene, &mut gpus, schedule)?;
        console::out(&comparison.report(&scene, &gpus))?;
        if comparison.disagreements().is_empty() {
            Ok(())
        } else {
            Err(Failure::Verdict)
        }
    })
}

/// Which steps are compared.
#[derive(Debug, Clone, Copy)]
struct Schedule {
    /// Steps before the first that is compared; `None` for those before both passes have contacts.
    skip: Option<u64>,
    /// Steps from that one on.
    steps: u64,
    /// Of which the first and each so-many-th after it are compared.
    every: u64,
}

/// The GPUs that take part, or why there are none.
struct Gpus {
    solvers: Vec<Box<dyn Solver>>,
    missing: Option<String>,
}

impl Gpus {
    /// Opens the adapters that are named; with no names, the hardware adapter that a run would
    /// take, and none if there is none.
    fn open(names: &[String]) -> Result<Self, Failure> {
        if names.is_empty() {
            return Ok(match backend::gpu(None) {
                Ok(solver) => Self {
                    solvers: vec![solver],
                    missing: None,
                },
                Err(why) => Self {
                    solvers: Vec::new(),
                    missing: Some(why.to_string()),
                },
            });
        }
        let open = |name: &String| backend::gpu(Some(name)).map_err(Failure::while_preparing);
        Ok(Self {
            solvers: names.iter().map(open).collect::<Result<_, _>>()?,
            missing: None,
        })
    }

    fn titles(&self) -> impl Iterator<Item = String> {
        self.solvers
            .iter()
            .map(|gpu| backend::title(gpu.backend(), gpu.adapter().as_deref()))
    }
}

/// Which of a step's two problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pass {
    Velocity,
    Position,
}

impl Pass {
    fn name(self) -> &'static str {
        match self {
            Self::Velocity => "velocity",
            Self::Position => "position",
        }
    }

    fn unit(self) -> &'static str {
        match self {
            Self::Velocity => "m/s",
            Self::Position => "m",
        }
    }

    fn problem(self, simulation: &Simulation) -> &Problem {
        match self {
            Self::Velocity => simulation.velocity_problem(),
            Self::Position => simulation.position_problem(),
        }
    }
}

/// Solves of one backend with one method in one pass.
#[derive(Debug, Default)]
struct Record {
    solves: u32,
    residual_rms: f64,
    residual_max: f64,
    time: Duration,
    difference: Difference,
}

impl Record {
    fn add(&mut self, report: &Report, difference: Difference) {
        self.solves += 1;
        self.residual_rms = worst(self.residual_rms, f64::from(report.residual_rms));
        self.residual_max = worst(self.residual_max, f64::from(report.residual_max));
        self.time += report.solve_time;
        self.difference = self.difference.merge(difference);
    }

    fn agrees(&self) -> bool {
        self.difference.velocity <= VELOCITY_BOUND && self.difference.residual <= RESIDUAL_BOUND
    }
}

/// One pass with one method: the CPU's record, then one of every GPU.
struct Row {
    pass: Pass,
    method: Method,
    options: Options,
    cpu: Record,
    gpus: Vec<(String, Record)>,
}

struct Comparison {
    rows: Vec<Row>,
    bodies: usize,
    steps: u64,
    contacts_max: usize,
}

impl Comparison {
    fn new(scene: &Scene, methods: &[Method], iterations: Option<u32>, gpus: &Gpus) -> Self {
        let settings = &scene.settings;
        let mut passes = vec![(Pass::Velocity, settings.solver)];
        if let Some(post) = settings.stabilization.post() {
            passes.push((Pass::Position, post.solver));
        }
        let row = |pass, method, options: Options| Row {
            pass,
            method,
            // Without a tolerance: backends that stop at different iterations cannot be compared.
            options: Options {
                method,
                tolerance: 0.0,
                iterations: iterations.unwrap_or(options.iterations),
                ..options
            },
            cpu: Record::default(),
            gpus: gpus.titles().map(|gpu| (gpu, Record::default())).collect(),
        };
        Self {
            rows: passes
                .iter()
                .flat_map(|&(pass, options)| {
                    methods
                        .iter()
                        .map(move |&method| row(pass, method, options))
                })
                .collect(),
            bodies: 0,
            steps: 0,
            contacts_max: 0,
        }
    }

    fn run(
        &mut self,
        world: World,
        scene: &Scene,
        gpus: &mut Gpus,
        schedule: Schedule,
    ) -> Result<(), Failure> {
        self.bodies = world.bodies.len();
        // What is compared are single problems: steps that are not divided have two each.
        let settings = Settings {
            substeps: Some(0),
            ..scene.settings
        };
        let mut simulation = Simulation::new(world, settings, Box::new(CpuSolver::new()))
            .map_err(Failure::while_preparing)?;
        let mut cpu = CpuSolver::new();
        let mut compared = 0_u64;
        for step in 1..=scene
            .steps
            .max(schedule.skip.unwrap_or(0).saturating_add(schedule.steps))
        {
            simulation.step().map_err(Failure::Run)?;
            let waits = match schedule.skip {
                Some(skip) => step <= skip,
                None => compared == 0 && self.lacks_contacts(&simulation),
            };
            if waits {
                continue;
            }
            if compared.is_multiple_of(schedule.every) {
                self.solve(&simulation, &mut cpu, gpus)?;
            }
            compared += 1;
            if compared == schedule.steps {
                break;
            }
        }
        Ok(())
    }

    /// True if a pass that takes part has nothing to solve yet.
    fn lacks_contacts(&self, simulation: &Simulation) -> bool {
        let passes = match simulation.settings().stabilization.post() {
            None => &[Pass::Velocity][..],
            Some(_) => &[Pass::Velocity, Pass::Position],
        };
        passes
            .iter()
            .any(|pass| pass.problem(simulation).contacts.is_empty())
    }

    fn solve(
        &mut self,
        simulation: &Simulation,
        cpu: &mut CpuSolver,
        gpus: &mut Gpus,
    ) -> Result<(), Failure> {
        self.steps += 1;
        for row in &mut self.rows {
            let problem = row.pass.problem(simulation);
            if problem.contacts.is_empty() {
                continue;
            }
            self.contacts_max = self.contacts_max.max(problem.contacts.len());
            row.solve(problem, cpu, gpus).map_err(Failure::Run)?;
        }
        Ok(())
    }

    /// Rows and backends that are too far from the CPU.
    fn disagreements(&self) -> Vec<String> {
        self.rows
            .iter()
            .flat_map(|row| {
                row.gpus
                    .iter()
                    .filter(|(_, record)| !record.agrees())
                    .map(|(gpu, _)| {
                        format!(
                            "{gpu} in the {} pass, {}",
                            row.pass.name(),
                            row.method.name()
                        )
                    })
            })
            .collect()
    }

    fn report(&self, scene: &Scene, gpus: &Gpus) -> String {
        let mut text = format!(
            "{}: {} bodies, {} steps compared, up to {} contacts\n\n",
            scene.name, self.bodies, self.steps, self.contacts_max,
        );
        let head = console::names([
            "pass",
            "solver",
            "backend",
            "solves",
            "iterations",
            "residual rms",
            "residual max",
            "d velocity",
            "d impulse",
            "d residual",
            "ms/solve",
        ]);
        let mut rows = vec![head];
        for row in &self.rows {
            rows.push(row.cells("cpu", &row.cpu, None));
            for (gpu, record) in &row.gpus {
                rows.push(row.cells(gpu, record, Some(&record.difference)));
            }
        }
        text.push_str(&console::table(&rows, &[3, 4, 5, 6, 7, 8, 9, 10]));
        text.push_str(
            "\nResiduals are the worst of all steps. Differences (d) are relative to the CPU with \
             the same solver: of velocity to the largest one, of impulse to the largest one, of \
             residual to the CPU's.\n",
        );
        if self.rows.iter().all(|row| row.pass == Pass::Velocity) {
            text.push_str("The scene has no position pass.\n");
        }
        for pass in [Pass::Velocity, Pass::Position] {
            let mut of_pass = self.rows.iter().filter(|row| row.pass == pass).peekable();
            if of_pass.peek().is_some() && of_pass.all(|row| row.cpu.solves == 0) {
                text.push_str(&format!(
                    "The {} pass never had a contact: nothing of it was compared.\n",
                    pass.name()
                ));
            }
        }
        text.push_str(&self.verdict(gpus));
        text
    }

    fn verdict(&self, gpus: &Gpus) -> String {
        if let Some(why) = &gpus.missing {
            return format!(
                "verdict: only the CPU was measured, there is nothing to compare: {why}\n"
            );
        }
        if self.rows.iter().all(|row| row.cpu.solves == 0) {
            return "verdict: no step had a contact, there is nothing to compare\n".into();
        }
        let bounds = format!(
            "velocities within {VELOCITY_BOUND:e}, residuals within {} %",
            100.0 * RESIDUAL_BOUND
        );
        let apart = self.disagreements();
        if apart.is_empty() {
            format!("verdict: CPU and GPU agree ({bounds})\n")
        } else {
            format!(
                "verdict: CPU and GPU DISAGREE (not {bounds}): {}\n",
                apart.join("; ")
            )
        }
    }
}

impl Row {
    /// Gives a problem to the CPU and to every GPU.
    fn solve(&mut self, problem: &Problem, cpu: &mut CpuSolver, gpus: &mut Gpus) -> Result<()> {
        let mut ours = Solution::default();
        let our_report = cpu.solve(problem, &self.options, &mut ours)?;
        self.cpu.add(&our_report, Difference::default());
        for (gpu, (_, record)) in gpus.solvers.iter_mut().zip(&mut self.gpus) {
            let mut theirs = Solution::default();
            let report = gpu.solve(problem, &self.options, &mut theirs)?;
            let difference = Difference::between(problem, (&ours, &our_report), (&theirs, &report));
            record.add(&report, difference);
        }
        Ok(())
    }

    fn cells(
        &self,
        backend: &str,
        record: &Record,
        difference: Option<&Difference>,
    ) -> Vec<String> {
        let unit = self.pass.unit();
        let relative = |number: fn(&Difference) -> f64| {
            difference
                .filter(|_| record.solves > 0)
                .map_or_else(|| "-".to_owned(), |d| scientific(number(d)))
        };
        let time = record.time.as_secs_f64() * 1e3 / f64::from(record.solves.max(1));
        vec![
            self.pass.name().to_owned(),
            self.method.name().to_owned(),
            backend.to_owned(),
            record.solves.to_string(),
            self.options.iterations.to_string(),
            format!("{} {unit}", scientific(record.residual_rms)),
            format!("{} {unit}", scientific(record.residual_max)),
            relative(|d| d.velocity),
            relative(|d| d.impulse),
            relative(|d| d.residual),
            format!("{time:.3}"),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreement_needs_velocities_and_residuals_within_bounds() {
        let record = |velocity, residual| Record {
            difference: Difference {
                velocity,
                impulse: 1.0,
                residual,
            },
            ..Record::default()
        };
        assert!(record(0.9 * VELOCITY_BOUND, 0.9 * RESIDUAL_BOUND).agrees());
        assert!(!record(1.1 * VELOCITY_BOUND, 0.0).agrees());
        assert!(!record(0.0, 1.1 * RESIDUAL_BOUND).agrees());
        assert!(!record(f64::NAN, 0.0).agrees());
        assert!(!record(0.0, f64::NAN).agrees());
    }
}
