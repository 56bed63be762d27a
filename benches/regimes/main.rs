//! Regimes: small scenes whose right outcome is known, all run with one setting.

#![allow(clippy::print_stdout, reason = "a bench prints its table")]

mod judge;
mod scenes;

use drystone::solver::cpu::CpuSolver;
use drystone::stabilize::Scheme;
use drystone::step::{Settings, Simulation};
use judge::{Seen, Trial};
use scenes::Regime;

fn run(regime: &Regime, settings: Settings) -> Result<Seen, String> {
    let mut trial = Trial::new(regime, settings.time_step)?;
    let solver = Box::new(CpuSolver::new());
    let simulation = Simulation::new(regime.world.clone(), settings, solver);
    let mut simulation = simulation.map_err(|why| why.to_string())?;
    while !trial.is_over() {
        trial.advance(60, &mut simulation)?;
    }
    Ok(trial.seen())
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let value = |name: &str| {
        let at = arguments.iter().position(|a| a == name)?;
        arguments.get(at + 1).cloned()
    };
    let number = |name: &str| value(name).and_then(|v| v.parse::<f64>().ok());
    let only = value("--only");
    let size = number("--size").unwrap_or(0.05);
    let h = number("--h").unwrap_or(1.0 / 60.0);
    println!(
        "{:28} {:>5} {:>9} {:>9} {:>9} {:>9} {:>8} {:>9} {:>8} {:>6} {:>8} {:>8}",
        "regime",
        "right",
        "sideways",
        "sank",
        "rms",
        "gain",
        "pen max",
        "pen mean",
        "fastest",
        "n",
        "ms",
        "ms late"
    );
    for regime in scenes::all(size) {
        if only
            .as_ref()
            .is_some_and(|o| !o.split(',').any(|o| regime.name.contains(o)))
        {
            continue;
        }
        let mut regime = regime;
        if let Some(t) = number("--time") {
            regime.duration = regime.duration.min(t);
        }
        let mut settings = Settings {
            time_step: h,
            ..Settings::default()
        };
        if let Some(n) = number("--substeps") {
            settings.substeps = Some(n as u32);
        }
        if let Some(m) = number("--iterations") {
            settings.solver.iterations = m as u32;
        }
        if let Some(m) = number("--margin") {
            settings.margin = Some(m * regime.world.smallest_radius());
        }
        if let Some(softness) = number("--soft") {
            settings.stabilization.contacts = Scheme::Soft { softness };
            settings.stabilization.joints = Scheme::Implicit;
        }
        if arguments.iter().any(|a| a == "--cold") {
            settings.solver.warm_start = false;
        }
        if arguments.iter().any(|a| a == "--post") {
            settings.stabilization.contacts = Scheme::Post;
            settings.substeps = Some(0);
            settings.solver.iterations = 20;
            settings.solver.tolerance = 1.6e-4;
            settings.stabilization.post.solver.iterations = 10;
        }
        match run(&regime, settings) {
            Err(error) => println!("{:28} {error}", regime.name),
            Ok(seen) => {
                println!(
                    "{:28} {:>5} {:9.4} {:9.4} {:9.2e} {:9.2e} {:8.5} {:9.6} {:8.3} {:6.1} {:8.4} {:8.4} {}",
                    regime.name,
                    if judge::is_right(&regime, &seen) {
                        "yes"
                    } else {
                        "NO"
                    },
                    seen.sideways,
                    seen.sank,
                    seen.rms,
                    seen.gain,
                    seen.penetration,
                    seen.mean_penetration,
                    seen.fastest,
                    seen.sweeps,
                    seen.ms,
                    seen.ms_late,
                    judge::remark(&regime, &seen)
                );
            }
        }
    }
}
