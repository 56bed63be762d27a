//! Heaps of spheres of more and less friction.

use super::draft::{Draft, Grains};
use super::record;
use super::{Experiment, Lab};
use crate::experiments::outcome::{Expected, Outcome};
use crate::plot::{Axis, Plot, Series};
use drystone::Result;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "repose",
    title: "Heaps of spheres are steeper with more friction",
    source: "Zhou, Xu, Yu, Zulli 2002: angles of repose of spheres that a cylinder is lifted off",
    run: measure,
};

const FRICTIONS: &[f64] = &[0.1, 0.2, 0.3, 0.5, 0.8];
const QUICK_FRICTIONS: &[f64] = &[0.1, 0.5];
/// Radius of a quick tube over the spheres' diameter.
const QUICK_RADIUS: f64 = 5.0;

fn measure(lab: &Lab) -> Result<Outcome> {
    let mut draft = Draft::load(lab, "repose")?;
    let grains = Grains::of(&draft.scene()?.world);
    let count = (grains.count * lab.size * lab.choose(1.0, 0.3)).round();
    draft.set("fill.spheres.count", count)?;
    if lab.quick {
        let radius = QUICK_RADIUS * grains.diameter;
        draft.set("fill.spheres.region.radius", radius)?;
        let profile = format!("[[{radius}, 0.8], [{radius}, 0.0]]");
        draft.set("body.tube.shape.profile", profile)?;
    }
    let mut outcome = Outcome::default();
    let mut angles = Vec::new();
    for friction in lab.choose(FRICTIONS, QUICK_FRICTIONS) {
        draft.set("materials.glass.friction", friction)?;
        let label = format!("mu = {friction}");
        let record = record::run(lab, &label, draft.scene()?, |_| false)?;
        let angle = record.last("heap_angle")?;
        outcome.published_row(
            format!("slope of the heap, mu = {friction}"),
            "degrees",
            "15 to 28",
            Expected::near(21.5, lab.choose(6.5, 10.0)),
            angle,
        );
        angles.push((*friction, angle));
    }
    let rises = angles.windows(2).map(|pair| pair[1].1 - pair[0].1);
    outcome.row(
        "least rise of the slope from one friction to the next",
        "degrees",
        Expected::at_least(0.0),
        rises.fold(f64::INFINITY, f64::min),
    );
    outcome.note(format!(
        "{count} spheres on a floor of spheres; the line through the highest ones in cells of 1.5 d, from 0.2 to 0.8 of the heap's radius. Without rolling friction, which is not part of the contact law."
    ));
    outcome.plots.push(Plot {
        name: "slopes",
        title: "Slope of heaps over friction".into(),
        x: Axis::linear("coefficient of friction [1]"),
        y: Axis::linear("slope [degrees]").showing(10.0, 30.0),
        series: vec![
            Series::new(
                "15 and 28 degrees",
                vec![
                    (0.0, 15.0),
                    (0.8, 15.0),
                    (0.8, 28.0),
                    (0.0, 28.0),
                    (0.0, 15.0),
                ],
            )
            .broad(),
            Series::new("measured", angles),
        ],
        seen: "The slope grows with friction, less and less.".into(),
    });
    Ok(outcome)
}
