//! Packings of spheres with and without friction.

use super::draft::{Draft, Grains};
use super::record;
use super::{Experiment, Lab};
use crate::experiments::outcome::{Expected, Outcome};
use crate::plot::{Axis, Plot, Series};
use drystone::Result;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "packing",
    title: "Packing and neighbours of spheres that come to rest",
    source: "Agnolin, Roux 2007: 0.639 and 6 without friction, 0.593 and 4.5 with mu = 0.3",
    run: measure,
};

/// A packing of the source.
struct Known {
    friction: f64,
    packing: f64,
    within: f64,
    neighbours: f64,
    /// Neighbours of a sphere that carries anything, at least.
    least: u32,
}

const KNOWN: [Known; 2] = [
    Known {
        friction: 0.0,
        packing: 0.639,
        within: 0.01,
        neighbours: 6.0,
        least: 4,
    },
    Known {
        friction: 0.3,
        packing: 0.593,
        within: 0.015,
        neighbours: 4.5,
        least: 2,
    },
];
/// Tolerance of the neighbours.
const NEIGHBOURS_WITHIN: f64 = 0.3;

fn measure(lab: &Lab) -> Result<Outcome> {
    let mut draft = Draft::load(lab, "packing")?;
    let grains = Grains::of(&draft.scene()?.world);
    let count = (grains.count * lab.size * lab.choose(1.0, 0.3)).round();
    draft.set("fill.spheres.count", count)?;
    if lab.quick {
        let d = grains.diameter;
        let (half, core) = (5.0 * d, 2.5 * d);
        draft.set(
            "container.box.inner",
            format!("[{0}, {0}, 1.0]", 2.0 * half),
        )?;
        draft.set(
            "fill.spheres.region.min",
            format!("[-{half}, -{half}, 0.0]"),
        )?;
        draft.set("fill.spheres.region.max", format!("[{half}, {half}, 1.0]"))?;
        for probe in ["core", "neighbours"] {
            let (min, max) = (format!("probe.{probe}.min"), format!("probe.{probe}.max"));
            draft.set(&min, format!("[-{core}, -{core}, {}]", 2.5 * d))?;
            draft.set(&max, format!("[{core}, {core}, {}]", 9.5 * d))?;
        }
    }
    let widened = lab.choose(1.0, 2.0);
    let mut outcome = Outcome::default();
    let mut series = Vec::new();
    for known in &KNOWN {
        let mu = known.friction;
        draft.set("materials.ball.friction", mu)?;
        draft.set("probe.neighbours.least", known.least)?;
        let record = record::run(lab, &format!("mu = {mu}"), draft.scene()?, |_| false)?;
        outcome.row(
            format!("packing, mu = {mu}"),
            "",
            Expected::near(known.packing, widened * known.within),
            record.last("core")?,
        );
        outcome.row(
            format!("neighbours without rattlers, mu = {mu}"),
            "",
            Expected::near(known.neighbours, widened * NEIGHBOURS_WITHIN),
            record.last("neighbours_bearing")?,
        );
        outcome.note(format!(
            "mu = {mu}: {:.1} % of rattlers; {:.2} neighbours with them.",
            100.0 * record.last("neighbours_rattlers")?,
            record.last("neighbours")?
        ));
        let curve = record.curve("core")?;
        let end = curve.last().map_or(1.0, |row| row.0);
        let law = vec![(0.0, known.packing), (end, known.packing)];
        series.push(Series::new(format!("Agnolin and Roux, mu = {mu}"), law).broad());
        series.push(Series::new(format!("mu = {mu}"), curve));
    }
    outcome.note(format!(
        "{count} spheres poured by their weight into a box with walls, measured away from walls, floor and surface; the source compresses them from all sides, without weight, in a periodic box. A rattler presses on too few others, or on none with more than its own weight."
    ));
    outcome.plots.push(Plot {
        name: "packing",
        title: "Packing in the middle of a box".into(),
        x: Axis::linear("time [s]"),
        y: Axis::linear("packing [1]").within(0.55, 0.68),
        series,
        seen: "Spheres without friction pack more densely.".into(),
    });
    Ok(outcome)
}
