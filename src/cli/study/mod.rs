//! `drystone study`: a scene over lists of steps, shares of correction and perturbed starts, and the orders of what is left over; for
//! several values of one of its keys, if asked for.

mod sample;
mod variation;

pub(crate) use sample::{Cell, Grid, order};

use crate::console::{self, scientific};
use crate::failure::Failure;
use crate::plan;
use crate::plot::{Axis, Plot, Series};
use crate::values::{not_negative_f64, positive, share, threads};
use clap::Args;
use drystone::output::RunFolder;
use drystone::scene::{Overrides, Scene};
use serde_json::{Value, json};
use std::path::PathBuf;
use variation::{Variation, parse as parse_variation};

/// File names of the results.
const TABLE: &str = "study.csv";
const RESULTS: &str = "study.json";
const FIGURE: &str = "infeasibility.svg";

/// A scene and the values that it is run with.
#[derive(Debug, Args)]
pub(crate) struct StudyArgs {
    /// Scene file (TOML).
    pub(crate) scene: PathBuf,
    /// Lengths of a step in seconds.
    #[arg(long = "dt", value_name = "SECONDS", value_delimiter = ',', value_parser = positive, default_values_t = [0.02, 0.01, 0.005, 0.0025])]
    pub(crate) time_steps: Vec<f64>,
    /// Shares of the error that a step corrects, from 0 (none) to below 2.
    #[arg(long = "gamma", value_name = "SHARE", allow_negative_numbers = true, value_delimiter = ',', value_parser = share, default_values_t = [0.0, 0.5, 1.0])]
    pub(crate) gammas: Vec<f64>,
    /// A key of the scene and its values: simulation.margin=0.001,0.01, materials.default.friction=0.1,0.5, body.plank.mass=1,2.
    #[arg(long, value_name = "KEY=VALUE,...", value_parser = parse_variation)]
    pub(crate) vary: Option<Variation>,
    /// Starts: the scene's own and perturbed ones.
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) seeds: u32,
    /// Largest displacement of a body along each axis in a perturbed start, in metres.
    #[arg(long, value_name = "METRES", default_value_t = 0.002, allow_negative_numbers = true, value_parser = not_negative_f64)]
    pub(crate) jitter: f64,
    /// Largest turn of a body about each axis in a perturbed start, in degrees.
    #[arg(long, value_name = "DEGREES", default_value_t = 0.5, allow_negative_numbers = true, value_parser = not_negative_f64)]
    pub(crate) tilt: f64,
    /// Length of each run in seconds, instead of the scene's.
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    pub(crate) duration: Option<f64>,
    /// Folder of the results: new or empty. Without it, runs/study-N with the next N.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Threads; all cores without it.
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<usize>,
}

/// A scene of a study, and what was measured.
struct Part {
    /// The varied key and its value, if there is one.
    label: Option<String>,
    scene: String,
    grid: Grid,
    cells: Vec<Cell>,
}

/// Measures, prints a table, and writes it with its figure: for each value of a varied key.
pub(crate) fn study(args: &StudyArgs) -> Result<(), Failure> {
    let scenes = match &args.vary {
        None => {
            let scene = Scene::load(&args.scene, &Overrides::default());
            vec![(None, scene.map_err(Failure::while_preparing)?)]
        }
        Some(variation) => {
            let labels = (0..variation.values.len()).map(|at| Some(variation.label(at)));
            labels.zip(variation.scenes(&args.scene)?).collect()
        }
    };
    for (_, scene) in &scenes {
        plan::needs_velocity_problems(scene, "study")?;
    }
    let pool = plan::thread_pool(args.threads)?;
    // A folder that cannot be made is found before the runs.
    let folder = RunFolder::create(args.out.as_deref(), "study").map_err(Failure::of_folder)?;
    let mut parts = Vec::with_capacity(scenes.len());
    for (label, mut scene) in scenes {
        let world = plan::take_world(&mut scene);
        let grid = grid(args, &scene);
        let cells = pool
            .install(|| grid.measure(&world, &scene.settings, || {}))
            .map_err(Failure::Run)?;
        parts.push(Part {
            label,
            scene: scene.name,
            grid,
            cells,
        });
    }
    let write = |name: &str, text: &str| folder.write(name, text.as_bytes()).map_err(Failure::Run);
    write(TABLE, &csv(&parts, args.vary.as_ref()))?;
    write(
        RESULTS,
        &format!("{:#}\n", results(&parts, args.vary.as_ref())),
    )?;
    let mut text = String::new();
    for (number, part) in (1..).zip(&parts) {
        let title = match &part.label {
            Some(label) => format!("{}, {label}", part.scene),
            None => part.scene.clone(),
        };
        let figure = plot(&title, &part.grid, &part.cells);
        let name = match &part.label {
            Some(_) => format!("infeasibility-{number}.svg"),
            None => FIGURE.to_owned(),
        };
        write(&name, &figure.svg().map_err(Failure::Run)?)?;
        if let Some(label) = &part.label {
            text.push_str(&format!("{label}\n"));
        }
        text.push_str(&table(&part.grid, &part.cells));
    }
    text.push_str(&format!("{}\n", folder.path().display()));
    Ok(console::out(&text)?)
}

fn grid(args: &StudyArgs, scene: &Scene) -> Grid {
    Grid {
        steps: args.time_steps.clone(),
        gammas: args.gammas.clone(),
        seeds: args.seeds,
        jitter: args.jitter,
        tilt: args.tilt.to_radians(),
        duration: args
            .duration
            .unwrap_or(scene.steps as f64 * scene.settings.time_step),
        solver: Grid::cpu,
    }
}

/// The mean infeasibility over h, a curve for each gamma.
pub(crate) fn plot(scene: &str, grid: &Grid, cells: &[Cell]) -> Plot {
    let series = grid.gammas.iter().map(|&gamma| {
        let of = cells.iter().filter(|cell| cell.gamma == gamma);
        Series::new(
            format!("gamma = {gamma}"),
            of.map(|cell| (cell.h, cell.mean_infeasibility())).collect(),
        )
    });
    let mut series: Vec<Series> = series.collect();
    // Below every curve, so that it hides none.
    let lowest = cells
        .iter()
        .map(|cell| cell.mean_infeasibility() / (cell.h * cell.h))
        .filter(|ratio| *ratio > 0.0)
        .fold(f64::INFINITY, f64::min);
    if lowest.is_finite() {
        let points = grid.steps.iter().map(|h| (*h, 0.5 * lowest * h * h));
        series.push(Series::new("slope 2", points.collect()).broad());
    }
    Plot {
        name: "infeasibility",
        title: format!("Mean infeasibility of {scene}"),
        x: Axis::logarithmic("h [s]"),
        y: Axis::logarithmic("mean of I(q)"),
        series,
        seen: "With a share of the error removed in every step the infeasibility falls with the square of h.".into(),
    }
}

fn table(grid: &Grid, cells: &[Cell]) -> String {
    let mut text = format!(
        "mean infeasibility I(q) over {} perturbed starts, and its spread\n{:>8}",
        grid.seeds, "gamma"
    );
    for h in &grid.steps {
        text.push_str(&format!("  {:>20}", format!("h = {h:.5} s")));
    }
    text.push_str("   order\n");
    for &gamma in &grid.gammas {
        text.push_str(&format!("{gamma:>8}"));
        for cell in cells.iter().filter(|cell| cell.gamma == gamma) {
            let spread = format!(
                "{} (+-{})",
                scientific(cell.mean_infeasibility()),
                scientific(cell.spread())
            );
            text.push_str(&format!("  {spread:>20}"));
        }
        let order = order(cells, gamma);
        text.push_str(&order.map_or("       -\n".into(), |(order, error)| {
            format!("  {order:>6.2} (+-{error:.2})\n")
        }));
    }
    text
}

/// A row for each run; the values of a varied key come first.
fn csv(parts: &[Part], vary: Option<&Variation>) -> String {
    let mut text = match vary {
        Some(variation) => format!("{},", quoted(&variation.key)),
        None => String::new(),
    };
    text.push_str(
        "gamma,h,seed,mean_infeasibility,max_infeasibility,max_penetration,energy_gain,final_kinetic_energy\n",
    );
    for (at, part) in parts.iter().enumerate() {
        let value = vary.map_or(String::new(), |variation| {
            format!("{},", quoted(&variation.values[at].to_string()))
        });
        for cell in &part.cells {
            for (seed, sample) in cell.samples.iter().enumerate() {
                text.push_str(&format!(
                    "{value}{},{},{seed},{:e},{:e},{:e},{:e},{:e}\n",
                    cell.gamma,
                    cell.h,
                    sample.mean_infeasibility,
                    sample.max_infeasibility,
                    sample.max_penetration,
                    sample.energy_gain,
                    sample.final_kinetic_energy
                ));
            }
        }
    }
    text
}

/// A field of a CSV file.
fn quoted(field: &str) -> String {
    if field.contains([',', '"']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

/// Measurements: an object, or one for each value of a varied key.
fn results(parts: &[Part], vary: Option<&Variation>) -> Value {
    let of = |part: &Part| measured(&part.scene, &part.grid, &part.cells);
    match (parts, vary) {
        ([part], None) => of(part),
        _ => json!({
            "key": vary.map(|variation| &variation.key),
            "values": parts.iter().enumerate().map(|(at, part)| {
                let mut found = of(part);
                found["value"] = json!(vary.map(|variation| &variation.values[at]));
                found
            }).collect::<Vec<_>>(),
        }),
    }
}

fn measured(scene: &str, grid: &Grid, cells: &[Cell]) -> Value {
    let of = |cell: &Cell| {
        json!({
            "gamma": cell.gamma,
            "h": cell.h,
            "mean_infeasibility": cell.mean_infeasibility(),
            "spread": cell.spread(),
            "runs_without_infeasibility": cell.samples.iter().filter(|s| s.mean_infeasibility == 0.0).count(),
            "max_infeasibility": cell.largest(|s| s.max_infeasibility),
            "max_penetration": cell.largest(|s| s.max_penetration),
            "energy_gain": cell.largest(|s| s.energy_gain),
        })
    };
    let orders = grid.gammas.iter().map(|&gamma| {
        json!({
            "gamma": gamma,
            "order": order(cells, gamma).map(|(order, _)| order),
            "order_error": order(cells, gamma).map(|(_, error)| error),
        })
    });
    json!({
        "scene": scene,
        "seeds": grid.seeds,
        "jitter": grid.jitter,
        "tilt": grid.tilt,
        "duration": grid.duration,
        "units": { "h": "s", "max_penetration": "m", "energy_gain": "J", "jitter": "m", "tilt": "rad", "duration": "s" },
        "cells": cells.iter().map(of).collect::<Vec<_>>(),
        "orders": orders.collect::<Vec<_>>(),
    })
}
