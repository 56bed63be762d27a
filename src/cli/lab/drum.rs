//! A bed of spheres in a drum that turns.

use super::draft::{Draft, Grains};
use super::record;
use super::{Experiment, Lab};
use crate::experiments::curve::mean_between;
use crate::experiments::outcome::{Expected, Outcome};
use crate::plot::{Axis, Plot, Series};
use drystone::Result;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "drum",
    title: "The bed of a drum that turns slowly stays at the same slope",
    source: "Henein, Brimacombe, Watkinson 1983; Mellmann 2001: rolling, at a Froude number of 1e-3",
    run: measure,
};

/// From when on the bed flows, and the middle of the time from there to the end `[s]`.
const FROM: f64 = 4.0;
const MIDDLE: f64 = 6.5;
/// Length of a quick drum over the spheres' diameter.
const QUICK_LENGTH: f64 = 3.0;

fn measure(lab: &Lab) -> Result<Outcome> {
    let mut draft = Draft::load(lab, "drum")?;
    let grains = Grains::of(&draft.scene()?.world);
    let count = (grains.count * lab.size * lab.choose(1.0, 0.25)).round();
    draft.set("fill.spheres.count", count)?;
    if lab.quick {
        let length = QUICK_LENGTH * grains.diameter;
        let half = 0.5 * length;
        draft.set("container.drum.inner", format!("[0.3, 0.3, {length}]"))?;
        draft.set("container.drum.position", format!("[0.0, {half}, 0.0]"))?;
        draft.set(
            "fill.spheres.region.min",
            format!("[-0.112, -{half}, -0.098]"),
        )?;
        draft.set("fill.spheres.region.max", format!("[0.112, {half}, 0.098]"))?;
    }
    let record = record::run(lab, "drum", draft.scene()?, |_| false)?;
    let angles = record.curve("bed_angle")?;
    let mean = |from: f64, until: f64| mean_between(&angles, from, until);
    let end = f64::INFINITY;
    let mut outcome = Outcome::default();
    outcome.published_row(
        "slope of the bed, mean",
        "degrees",
        "20 to 30",
        Expected::near(25.0, lab.choose(5.0, 8.0)),
        mean(FROM, end),
    );
    outcome.row(
        "its change from the first half of the time to the second",
        "degrees",
        Expected::near(0.0, lab.choose(2.0, 4.0)),
        mean(MIDDLE, end) - mean(FROM, MIDDLE),
    );
    outcome.note(format!(
        "{count} spheres; from {FROM} s on, when the drum has turned by {:.0} degrees.",
        (0.2557 * FROM).to_degrees()
    ));
    outcome.plots.push(Plot {
        name: "slope",
        title: "Slope of the bed in a drum".into(),
        x: Axis::linear("time [s]"),
        y: Axis::linear("slope [degrees]"),
        series: vec![Series::new("measured", angles)],
        seen: "The bed rises with the drum until it flows, and then keeps its slope.".into(),
    });
    Ok(outcome)
}
