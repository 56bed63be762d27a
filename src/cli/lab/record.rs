//! Runs of scenes, and the columns of their probes over time.

use super::Lab;
use crate::experiments::curve::{Curve, mean_between};
use crate::plan;
use drystone::measure::Probe;
use drystone::scene::Scene;
use drystone::solver::cpu::CpuSolver;
use drystone::step::{Forces, Simulation};
use drystone::{Error, Result};

/// The probes' columns over time.
pub(super) struct Record {
    /// Of the scene, for messages.
    name: String,
    columns: Vec<String>,
    /// Time `[s]` and a value for each column.
    rows: Vec<(f64, Vec<f64>)>,
}

impl Record {
    /// A column over time.
    ///
    /// # Errors
    /// [`Error::Invalid`] if no probe of the scene has it.
    pub(super) fn curve(&self, column: &str) -> Result<Curve> {
        let at = self.columns.iter().position(|name| name == column);
        let at = at.ok_or_else(|| {
            Error::invalid(
                format!("scene {}", self.name),
                format!("no probe has the column `{column}` that the experiment measures"),
            )
        })?;
        let rows = self.rows.iter();
        Ok(rows.map(|(time, values)| (*time, values[at])).collect())
    }

    /// Mean of a column over the rows from a time on; not a number if there are none.
    ///
    /// # Errors
    /// As [`Record::curve`].
    pub(super) fn mean_from(&self, column: &str, from: f64) -> Result<f64> {
        Ok(mean_between(&self.curve(column)?, from, f64::INFINITY))
    }

    /// The last value of a column before a time; not a number if there is none.
    ///
    /// # Errors
    /// As [`Record::curve`].
    pub(super) fn last_before(&self, column: &str, time: f64) -> Result<f64> {
        let curve = self.curve(column)?;
        let mut before = curve.iter().rev().filter(|row| row.0 < time);
        Ok(before.next().map_or(f64::NAN, |row| row.1))
    }

    /// The value of a column at the end.
    ///
    /// # Errors
    /// As [`Record::curve`].
    pub(super) fn last(&self, column: &str) -> Result<f64> {
        self.last_before(column, f64::INFINITY)
    }
}

/// Runs a scene to its end, or until `is_over` says so of a row that was just written: time and values by column.
///
/// # Errors
/// The step's report.
pub(super) fn run(
    lab: &Lab,
    label: &str,
    mut scene: Scene,
    mut is_over: impl FnMut(&Record) -> bool,
) -> Result<Record> {
    lab.progress.part(label, scene.steps);
    let world = plan::take_world(&mut scene);
    let mut simulation = Simulation::new(world, scene.settings, Box::new(CpuSolver::new()))?;
    let mut record = Record {
        name: scene.name.clone(),
        columns: scene.probes.iter().flat_map(Probe::columns).collect(),
        rows: Vec::new(),
    };
    let mut forces = Forces::default();
    for step in 1..=scene.steps {
        simulation.step()?;
        lab.progress.step();
        if step.is_multiple_of(scene.output.metrics_every) || step == scene.steps {
            let seen = simulation.seen(&scene.probes, &mut forces);
            let values = scene.probes.iter().flat_map(|p| p.values(&seen)).collect();
            record.rows.push((seen.world.time, values));
            if is_over(&record) {
                break;
            }
        }
    }
    Ok(record)
}
