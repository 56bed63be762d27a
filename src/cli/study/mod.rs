//! `drystone study`: a scene over lists of steps, shares of correction and perturbed starts, and the orders of what is left over.

mod sample;

pub(crate) use sample::{Cell, Grid, order};

use crate::args::StudyArgs;
use crate::console::{self, scientific};
use crate::failure::Failure;
use crate::plan;
use crate::plot::{Axis, Plot, Series};
use drystone::output::RunFolder;
use drystone::scene::{Overrides, Scene};
use serde_json::{Value, json};

/// File names of the results.
const TABLE: &str = "study.csv";
const RESULTS: &str = "study.json";
const FIGURE: &str = "infeasibility.svg";

/// Measures, prints a table, and writes it with its figure.
pub(crate) fn study(args: &StudyArgs) -> Result<(), Failure> {
    let mut scene =
        Scene::load(&args.scene, &Overrides::default()).map_err(Failure::while_preparing)?;
    plan::needs_velocity_problems(&scene, "study")?;
    let world = plan::take_world(&mut scene);
    let grid = Grid {
        steps: args.time_steps.clone(),
        gammas: args.gammas.clone(),
        seeds: args.seeds,
        jitter: args.jitter,
        tilt: args.tilt.to_radians(),
        duration: args
            .duration
            .unwrap_or(scene.steps as f64 * scene.settings.time_step),
        solver: Grid::cpu,
    };
    let cells = plan::thread_pool(args.threads)?
        .install(|| grid.measure(&world, &scene.settings, || {}))
        .map_err(Failure::Run)?;
    let folder =
        RunFolder::create(args.out.as_deref(), "study").map_err(Failure::while_preparing)?;
    let write = |name: &str, text: &str| folder.write(name, text.as_bytes()).map_err(Failure::Run);
    write(TABLE, &csv(&cells))?;
    write(
        RESULTS,
        &format!("{:#}\n", results(&scene.name, &grid, &cells)),
    )?;
    write(
        FIGURE,
        &plot(&scene.name, &grid, &cells)
            .svg()
            .map_err(Failure::Run)?,
    )?;
    let mut text = table(&grid, &cells);
    text.push_str(&format!("{}\n", folder.path().display()));
    console::out(&text)
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
    let reference = cells
        .iter()
        .map(Cell::mean_infeasibility)
        .fold(0.0, f64::max);
    if let Some(largest) = grid.steps.iter().copied().reduce(f64::max) {
        let points = grid
            .steps
            .iter()
            .map(|h| (*h, reference * (h / largest).powi(2)));
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

fn csv(cells: &[Cell]) -> String {
    let mut text = String::from(
        "gamma,h,seed,mean_infeasibility,max_infeasibility,max_penetration,energy_gain,final_kinetic_energy\n",
    );
    for cell in cells {
        for (seed, sample) in cell.samples.iter().enumerate() {
            text.push_str(&format!(
                "{},{},{seed},{:e},{:e},{:e},{:e},{:e}\n",
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
    text
}

fn results(scene: &str, grid: &Grid, cells: &[Cell]) -> Value {
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
