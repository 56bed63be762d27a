//! The load in a column of spheres saturates.

use super::draft::{Draft, Grains};
use super::record;
use super::{Experiment, Lab};
use crate::experiments::fit;
use crate::experiments::outcome::{Expected, Outcome};
use crate::plot::{Axis, Plot, Series};
use drystone::Result;
use drystone::measure::ProbeKind;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "janssen",
    title: "The load on the base of a column saturates, since its wall carries the rest",
    source: "Janssen 1895: sigma = rho g l (1 - exp(-z / l))",
    run: measure,
};

/// From when on forces are averaged: the wall has gone up for half a second `[s]`.
const FROM: f64 = 1.5;
/// Width of a quick tube over the spheres' diameter.
const QUICK_WIDTH: f64 = 9.0;

fn measure(lab: &Lab) -> Result<Outcome> {
    let mut draft = Draft::load(lab, "janssen")?;
    let grains = Grains::of(&draft.scene()?.world);
    let count = (grains.count * lab.size * lab.choose(1.0, 0.3)).round();
    draft.set("fill.spheres.count", count)?;
    if lab.quick {
        let radius = 0.5 * QUICK_WIDTH * grains.diameter;
        draft.set("fill.spheres.region.radius", radius)?;
        let profile = format!("[[{radius}, 1.5], [{radius}, 0.0]]");
        draft.set("body.tube.shape.profile", profile)?;
    }
    let scene = draft.scene()?;
    let weight = Grains::of(&scene.world).mass * scene.world.gravity.norm();
    let probes = scene.probes.clone();
    let record = record::run(lab, "column", scene, |_| false)?;
    let top = record.mean_from("bed", FROM)?;
    // Downwards on the floor; the wall holds the spheres up.
    let base = -record.mean_from("base_fz", FROM)?;
    let wall = -record.mean_from("wall_fz", FROM)?;

    let mut loads = vec![(0.0, 0.0)];
    for probe in probes.iter().rev() {
        if let ProbeKind::Stress { within } = &probe.kind
            && within.max.z <= top
        {
            let sides = within.max - within.min;
            let stress = record.mean_from(&format!("{}_zz", probe.name), FROM)?;
            let depth = top - 0.5 * (within.min.z + within.max.z);
            loads.push((depth, stress * sides.x * sides.y));
        }
    }
    let per_length = weight / top;
    let law = |length: f64, depth: f64| -per_length * length * (-depth / length).exp_m1();
    let length = fit::least(0.01 * top, 100.0 * top, |length| {
        let off = loads.iter().map(|p| (p.1 - law(length, p.0)).powi(2));
        off.sum()
    });
    let mut outcome = Outcome::default();
    outcome.row(
        "R^2 of Janssen's law over the slabs",
        "",
        Expected::at_least(lab.choose(0.98, 0.95)),
        fit::explained(&loads[1..], |depth| law(length, depth)),
    );
    outcome.row(
        "load on the base over that of the law",
        "",
        Expected::near(1.0, lab.choose(0.1, 0.2)),
        base / law(length, top),
    );
    outcome.row(
        "floor and wall together over the weight",
        "",
        Expected::near(1.0, 0.02),
        (base + wall) / weight,
    );
    outcome.note(format!(
        "{count} spheres to a height of {:.1} d; l = {:.1} d. The base carries {:.0} % of the weight.",
        top / grains.diameter,
        length / grains.diameter,
        100.0 * base / weight
    ));
    let over = |loads: &[(f64, f64)]| -> Vec<(f64, f64)> {
        let scaled = loads.iter().map(|p| (p.0 / grains.diameter, p.1 / weight));
        scaled.collect()
    };
    let fitted: Vec<(f64, f64)> = (0..=60)
        .map(|k| f64::from(k) / 60.0 * top)
        .map(|depth| (depth, law(length, depth)))
        .collect();
    outcome.plots.push(Plot {
        name: "load",
        title: "Load through levels of a column".into(),
        x: Axis::linear("depth over diameter"),
        y: Axis::linear("load over weight [1]"),
        series: vec![
            Series::new("Janssen's law", over(&fitted)).broad(),
            Series::new("measured", over(&loads)),
        ],
        seen: "The load grows by the weight near the surface, and hardly at all deep below it."
            .into(),
    });
    Ok(outcome)
}
