//! Residual and time of the block Gauss–Seidel in f64 after 100, 1,000 and 10,000 sweeps, by local rule: on
//! recorded friction problems, random crowds, and piles of rocks with mu = 1. A table in Markdown.
//!
//! A figure is `max |r - P(r - rho u)| / rho` over the largest `|q|` for recorded problems, and the root mean
//! square of the same for others: in m/s for crowds, over `g h` for piles. Recorded problems are read from the folder that
//! `DRYSTONE_DATA` names, and left out without it. Piles are kept in `target/frozen`.
//!
//! ```text
//! DRYSTONE_DATA=FOLDER cargo bench --bench nsgs -- [SWEEPS] [NAME ...]
//! ```
//!
//! A number leaves out what takes more sweeps; names leave out all other problems and rules.

#[path = "../tests/support/friction_file.rs"]
mod friction_file;
#[path = "support/frozen.rs"]
mod frozen;
#[path = "../tests/support/problems.rs"]
mod random;
#[allow(
    dead_code,
    unreachable_pub,
    unused_imports,
    reason = "the bench uses a part"
)]
#[path = "../tests/support/recorded/mod.rs"]
mod recorded;
#[path = "support/mod.rs"]
mod support;

use drystone::problem::Problem;
use drystone::solver::nsgs::{Acceleration, Impulses, LocalRule, NsgsOptions, solve_from};
use frozen::Source;
use recorded::FrictionProblem;
use std::path::PathBuf;
use std::time::{Duration, Instant};

const SWEEPS: [u32; 3] = [100, 1_000, 10_000];

/// Something to solve.
enum Case {
    Recorded(Box<FrictionProblem>),
    /// A problem, and the speed that its residual is compared with `[m/s]`.
    Bodies(Box<Problem>, f64),
}

impl Case {
    /// The residual over the speed, and the sweeps made.
    fn solve(&self, options: &NsgsOptions) -> (f64, u32) {
        match self {
            Self::Recorded(problem) => {
                let solution = problem.solve(options).expect("valid options");
                (solution.verdict.relative_residual, solution.iterations)
            }
            Self::Bodies(problem, speed) => {
                let problem = &**problem;
                let start = Impulses::zeros(problem);
                let outcome = solve_from(problem, &start, options).expect("a valid problem");
                (outcome.residual_rms / speed, outcome.iterations)
            }
        }
    }
}

/// Rocks of unequal sides, every third an angle of two boxes, dropped into a box.
fn rocks(across: u32, count: u32, seed: u64) -> String {
    let spacing = 1.6;
    let width = spacing * f64::from(across) + 0.1;
    let half = 0.5 * width;
    let height = spacing * f64::from(count.div_ceil(across * across)) + spacing;
    format!(
        r#"name = "rocks"
[simulation]
dt = 0.016666666666666666
steps = 1
seed = {seed}
[solver]
method = "pgs"
iterations = 40
[stabilization]
method = "post"
iterations = 15
[materials.default]
friction = 1.0
[[container]]
name = "box"
inner = [{width}, {width}, {top}]
thickness = 1.0
[[fill]]
name = "pile"
region = {{ type = "box", min = [-{half}, -{half}, 0.05], max = [{half}, {half}, {height}] }}
arrangement = "jittered"
spacing = {spacing}
jitter = 0.02
count = {count}
shapes = [
    {{ shape = {{ type = "box", half_extents = [0.5, 0.35, 0.25] }} }},
    {{ shape = {{ type = "box", half_extents = [0.4, 0.35, 0.3] }} }},
    {{ shape = {{ type = "compound", parts = [
        {{ shape = {{ type = "box", half_extents = [0.45, 0.3, 0.2] }} }},
        {{ shape = {{ type = "box", half_extents = [0.25, 0.3, 0.3] }}, position = [0.15, 0.0, 0.2] }},
    ] }} }},
]
scale = {{ type = "uniform", min = 0.6, max = 1.0 }}
random_orientation = true
density = 2500.0
"#,
        top = height + 2.0
    )
}

fn cases() -> Vec<(String, Case)> {
    let mut cases = Vec::new();
    if let Some(folder) = std::env::var_os("DRYSTONE_DATA") {
        let folder = PathBuf::from(folder).join("friction");
        let mut files: Vec<_> = std::fs::read_dir(folder)
            .expect("a folder with recorded problems")
            .map(|entry| entry.expect("a readable folder").path())
            .collect();
        files.sort();
        for file in files {
            let problem = friction_file::read(&file).expect("a recorded problem");
            cases.push((problem.name.clone(), Case::Recorded(Box::new(problem))));
        }
    }
    for (seed, friction) in [(1, 0.5), (2, 1.0), (3, 1.0), (4, 1.0), (5, 1.0), (6, 1.0)] {
        let recipe = random::Recipe {
            friction,
            ..random::Recipe::default()
        };
        let problem = random::random_problem(&recipe, seed);
        cases.push((
            format!("crowd_{seed}"),
            Case::Bodies(Box::new(problem), 1.0),
        ));
    }
    for (across, count, seed, steps) in [
        (3, 40, 3, 120),
        (3, 40, 4, 120),
        (3, 40, 5, 120),
        (4, 100, 6, 120),
        (4, 100, 7, 90),
        (5, 200, 3, 120),
        (5, 200, 3, 60),
        (8, 600, 3, 120),
    ] {
        let frozen = Source::Text(rocks(across, count, seed), steps).freeze();
        let speed = f64::from(frozen.gh);
        let name = format!("rocks_{count}_{seed}_{steps}");
        cases.push((name, Case::Bodies(Box::new(frozen.problem), speed)));
    }
    cases
}

fn rules() -> Vec<(&'static str, LocalRule, Acceleration)> {
    let product = |iterations| LocalRule::Product { iterations };
    let cone = |iterations| LocalRule::Cone { iterations };
    let anderson = Acceleration::default();
    vec![
        ("default", LocalRule::default(), anderson),
        ("product_1", product(1), anderson),
        ("product_2", product(2), anderson),
        ("product_5", product(5), anderson),
        ("product_50", product(50), anderson),
        ("cone_1", cone(1), anderson),
        ("cone_5", cone(5), anderson),
        ("cone_50", cone(50), anderson),
    ]
}

#[allow(clippy::print_stdout, reason = "a bench speaks to its reader")]
fn main() {
    let (mut most, mut names) = (if support::is_trial() { 100 } else { 10_000 }, Vec::new());
    for argument in std::env::args().skip(1).filter(|a| !a.starts_with('-')) {
        match argument.parse() {
            Ok(sweeps) => most = sweeps,
            Err(_) => names.push(argument),
        }
    }
    let cases = cases();
    let rules = rules();
    let is_one = |all: &mut dyn Iterator<Item = &str>| {
        let all: Vec<&str> = all.collect();
        names.iter().any(|name| all.contains(&name.as_str()))
    };
    let some_case = is_one(&mut cases.iter().map(|(name, _)| name.as_str()));
    let some_rule = is_one(&mut rules.iter().map(|(name, ..)| *name));
    let wanted = |some: bool, name: &str| !some || names.iter().any(|wanted| wanted == name);
    println!(
        "| problem | rule | 100 | 1,000 | 10,000 | sweeps | ms |\n|---|---|---|---|---|---|---|"
    );
    for (name, case) in cases.iter().filter(|(name, _)| wanted(some_case, name)) {
        for (rule, local, acceleration) in rules.iter().filter(|(rule, ..)| wanted(some_rule, rule))
        {
            let mut line = format!("| {name} | {rule} |");
            let (mut made, mut time) = (0, Duration::ZERO);
            for iterations in SWEEPS {
                if iterations > most {
                    line += " - |";
                    continue;
                }
                let options = NsgsOptions {
                    iterations,
                    local: *local,
                    acceleration: *acceleration,
                    ..NsgsOptions::default()
                };
                let start = Instant::now();
                let (residual, sweeps) = case.solve(&options);
                (made, time) = (sweeps, start.elapsed());
                line += &format!(" {residual:.1e} |");
            }
            println!("{line} {made} | {} |", time.as_millis());
        }
    }
}
