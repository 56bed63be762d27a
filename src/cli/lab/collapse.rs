//! Columns of spheres collapse.

use super::draft::{Draft, Grains};
use super::record;
use super::{Experiment, Lab};
use crate::experiments::outcome::{Expected, Outcome};
use crate::plot::{Axis, Plot, Series};
use drystone::Result;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "collapse",
    title: "A column that collapses spreads by what its height is over its radius",
    source: "Lube, Huppert, Sparks, Hallworth 2004: (r - r0) / r0 = 1.24 a below a = 1.7, 1.6 sqrt(a) above",
    run: measure,
};

/// Radius of the columns over the spheres' diameter.
const RADIUS: (f64, f64) = (20.0, 12.0);
/// Their heights over their radius.
const ASPECTS: &[f64] = &[0.5, 1.0, 1.5, 3.0];
const QUICK_ASPECTS: &[f64] = &[1.0, 2.0];
/// Packing of a column at rest.
const PACKING: f64 = 0.6;
/// Distance of the spheres of the floor over the diameter, and half the floor over the columns' radius.
const PITCH: f64 = 1.2;
const FLOOR: f64 = 4.7;
/// Time at which the tube begins to move `[s]`.
const OPENS: f64 = 0.6;

fn law(aspect: f64) -> f64 {
    if aspect < 1.7 {
        1.24 * aspect
    } else {
        1.6 * aspect.sqrt()
    }
}

fn measure(lab: &Lab) -> Result<Outcome> {
    let mut draft = Draft::load(lab, "collapse")?;
    let grains = Grains::of(&draft.scene()?.world);
    let d = grains.diameter;
    let radius = d * lab.choose(RADIUS.0, RADIUS.1) * lab.size.cbrt();
    let (high, pitch) = (8.0 * radius, PITCH * d);
    let across = (2.0 * FLOOR * radius / pitch).ceil();
    let corner = -0.5 * (across - 1.0) * pitch;
    draft.set("fill.spheres.region.radius", radius)?;
    draft.set("fill.spheres.region.height", high)?;
    draft.set(
        "body.tube.shape.profile",
        format!("[[{radius}, {high}], [{radius}, 0.0]]"),
    )?;
    draft.set(
        "instance.floor.position",
        format!("[{corner}, {corner}, {}]", -0.5 * d),
    )?;
    draft.set("instance.floor.count", format!("[{across}, {across}, 1]"))?;
    draft.set(
        "instance.floor.spacing",
        format!("[{pitch}, {pitch}, {pitch}]"),
    )?;

    let mut outcome = Outcome::default();
    let mut measured = Vec::new();
    for wanted in lab.choose(ASPECTS, QUICK_ASPECTS) {
        let volume = std::f64::consts::PI * wanted * radius.powi(3);
        let count = (PACKING * volume / grains.volume).round();
        draft.set("fill.spheres.count", count)?;
        let label = format!("column of {wanted} radii");
        let record = record::run(lab, &label, draft.scene()?, |_| false)?;
        let aspect = record.last_before("bed", OPENS)? / radius;
        let run_out = record.last("heap_radius")? / radius - 1.0;
        outcome.row(
            format!("(r - r0) / r0 of {count} spheres, a = {aspect:.2}"),
            "",
            Expected::percent(law(aspect), lab.choose(20.0, 30.0)),
            run_out,
        );
        measured.push((aspect, run_out));
    }
    outcome.note(format!(
        "r0 = {:.1} d; a from the height that 98 % of the spheres are below before the tube goes up; r is the radius of the disc whose area is that of the cells of a diameter in which there is a sphere.",
        radius / d
    ));
    let laws = (0..=60).map(|k| 0.05 + 0.055 * f64::from(k));
    outcome.plots.push(Plot {
        name: "run-out",
        title: "Run-out of columns".into(),
        x: Axis::linear("a = height over radius"),
        y: Axis::linear("(r - r0) / r0 [1]"),
        series: vec![
            Series::new("Lube et al.", laws.map(|a| (a, law(a))).collect()).broad(),
            Series::new("measured", measured),
        ],
        seen: "Low columns spread by their height, high ones by its root.".into(),
    });
    Ok(outcome)
}
