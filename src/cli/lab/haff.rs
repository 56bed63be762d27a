//! A gas of inelastic spheres cools.

use super::draft::{Draft, Grains};
use super::record;
use super::{Experiment, Lab};
use crate::experiments::fit;
use crate::experiments::outcome::{Expected, Outcome};
use crate::plot::{Axis, Plot, Series};
use drystone::Result;
use std::f64::consts::PI;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "haff",
    title: "A gas of inelastic spheres cools by Haff's law",
    source: "Haff 1983: T = T0 / (1 + t/tau)^2",
    run: measure,
};

/// Share of the box that spheres fill.
const PACKING: f64 = 0.1;
/// Restitution of the scene's spheres.
const RESTITUTION: f64 = 0.9;
/// Times that are fitted, at equal ratios.
const TIMES: u32 = 80;

fn measure(lab: &Lab) -> Result<Outcome> {
    let mut draft = Draft::load(lab, "haff")?;
    let grains = Grains::of(&draft.scene()?.world);
    let count = (grains.count * lab.size * lab.choose(1.0, 0.2)).round();
    let side = (count * grains.volume / PACKING).cbrt();
    let half = 0.5 * side;
    draft.set("container.box.inner", format!("[{side}, {side}, {side}]"))?;
    draft.set("fill.gas.region.min", format!("[-{half}, -{half}, 0.0]"))?;
    draft.set("fill.gas.region.max", format!("[{half}, {half}, {side}]"))?;
    draft.set("fill.gas.count", count)?;
    let record = record::run(lab, "cooling", draft.scene()?, |_| false)?;
    let temperature = record.curve("gas_temperature")?;

    let (start, end) = (temperature[0].0, temperature[temperature.len() - 1].0);
    let mut points: Vec<(f64, f64)> = (0..=TIMES)
        .filter_map(|k| {
            let at = start * (end / start).powf(f64::from(k) / f64::from(TIMES));
            temperature.iter().find(|row| row.0 >= at).copied()
        })
        .collect();
    points.dedup();
    let fitted = |tau: f64| {
        let logs: Vec<(f64, f64)> = points
            .iter()
            .map(|(t, temperature)| ((t / tau).ln_1p(), temperature.ln()))
            .collect();
        let line = fit::line(&logs);
        let left = |p: &(f64, f64)| (p.1 - line.start - line.slope * p.0).powi(2);
        (line, logs.iter().map(left).sum::<f64>())
    };
    let tau = fit::least(0.01 * end, end, |tau| fitted(tau).1);
    let line = fitted(tau).0;
    let first = line.start.exp();

    // Centres keep half a diameter off the walls.
    let d = grains.diameter;
    let density = count / (side - d).powi(3);
    let phi = density * grains.volume;
    let chi = (1.0 - 0.5 * phi) / (1.0 - phi).powi(3);
    // One within d of where centres end has no partners beyond: (1 - z / d) / 2 of the directions are missing at z, 1.5 d over the side in the mean of six walls.
    let partners = 1.0 - 1.5 * d / (side - d);
    let rate = 4.0 * (PI * first).sqrt() * density * d * d * chi * partners;
    let kinetic = 6.0 / ((1.0 - RESTITUTION * RESTITUTION) * rate);

    let mut outcome = Outcome::default();
    outcome.published_row(
        "power of the fall of the temperature with 1 + t/tau",
        "",
        "-2",
        Expected::near(-2.0, lab.choose(0.1, 0.2)),
        line.slope,
    );
    outcome.row(
        "tau, beside that of kinetic theory",
        "s",
        Expected::percent(kinetic, lab.choose(10.0, 20.0)),
        tau,
    );
    outcome.note(format!(
        "{count} spheres, e = {RESTITUTION}, packing {PACKING} in a box of {:.1} d with elastic walls, not a periodic one; {phi:.3} of the space that centres have. {:.1} tau.",
        side / d,
        end / tau
    ));
    let law: Vec<(f64, f64)> = points
        .iter()
        .map(|&(t, _)| (t / tau, (1.0 + t / tau).powi(-2)))
        .collect();
    let measured = points
        .iter()
        .map(|&(t, temperature)| (t / tau, temperature / first));
    outcome.plots.push(Plot {
        name: "temperature",
        title: "Granular temperature of a cooling gas".into(),
        x: Axis::logarithmic("t / tau [1]"),
        y: Axis::logarithmic("T / T0 [1]"),
        series: vec![
            Series::new("Haff's law", law).broad(),
            Series::new("measured", measured.collect()),
        ],
        seen: "The temperature falls with the second power of the time.".into(),
    });
    Ok(outcome)
}
