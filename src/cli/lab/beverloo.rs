//! Spheres run out of a silo.

use super::draft::{Draft, Grains};
use super::record;
use super::{Experiment, Lab};
use crate::experiments::fit;
use crate::experiments::outcome::{Expected, Outcome};
use crate::plot::{Axis, Plot, Series};
use drystone::Result;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "beverloo",
    title: "The rate of flow out of a silo grows with the power 5/2 of the outlet's width",
    source: "Beverloo, Leniger, van de Velde 1961: W = C rho_b sqrt(g) (D - k d)^(5/2)",
    run: measure,
};

const C: f64 = 0.58;
const K: f64 = 1.4;
/// Times at which the plate begins to move and from which the flow is steady `[s]`.
const OPENS: f64 = 0.6;
const STEADY: f64 = 0.85;
/// Longest time that is measured `[s]`.
const MEASURED: f64 = 1.5;
/// Share of the spheres that run out at most: the flow slows as the silo empties.
const SHARE: f64 = 0.35;
/// Width of the silo over the spheres' diameter.
const WIDTH: (f64, f64) = (24.0, 18.0);
/// Widths of outlets over the diameter.
const OUTLETS: &[f64] = &[6.0, 8.0, 10.0, 12.0];
const QUICK_OUTLETS: &[f64] = &[4.0, 6.0, 8.0];

fn measure(lab: &Lab) -> Result<Outcome> {
    let mut draft = Draft::load(lab, "beverloo")?;
    let scene = draft.scene()?;
    let grains = Grains::of(&scene.world);
    let gravity = scene.world.gravity.norm();
    let count = (grains.count * lab.size * lab.choose(1.0, 0.35)).round();
    // The scene's spheres differ by a tenth; what they are made of has a round size.
    let d = grains.diameter;
    let radius = 0.5 * d * lab.choose(WIDTH.0, WIDTH.1);
    draft.set("fill.spheres.count", count)?;
    draft.set("fill.spheres.region.radius", radius)?;
    draft.set("simulation.duration", STEADY + MEASURED)?;

    let (mut rates, mut packings) = (Vec::new(), Vec::new());
    for outlet in lab.choose(OUTLETS, QUICK_OUTLETS) {
        let profile = format!(
            "[[{radius}, 1.2], [{radius}, 0.0], [{}, 0.0]]",
            0.5 * outlet * d
        );
        draft.set("body.silo.shape.profile", profile)?;
        let label = format!("outlet of {outlet} d");
        let record = record::run(lab, &label, draft.scene()?, |record| {
            record
                .last("out_count")
                .is_ok_and(|out| out >= SHARE * count)
        })?;
        let mut out = record.curve("out_count")?;
        out.retain(|row| row.0 >= STEADY);
        rates.push((
            outlet * d,
            fit::line(&out).slope * grains.mass / grains.count,
        ));
        packings.push(record.last_before("bed", OPENS)?);
    }
    let packing = packings.iter().sum::<f64>() / packings.len() as f64;
    let bulk = packing * grains.mass / (grains.count * grains.volume);

    let logs: Vec<(f64, f64)> = rates
        .iter()
        .map(|&(outlet, rate)| ((outlet - K * d).ln(), rate.ln()))
        .collect();
    let roots: Vec<(f64, f64)> = rates
        .iter()
        .map(|&(outlet, rate)| (outlet, rate.powf(0.4)))
        .collect();
    let line = fit::line(&roots);
    let mut outcome = Outcome::default();
    outcome.published_row(
        "power of the outlet's width less 1.4 d",
        "",
        "2.5",
        Expected::near(2.5, lab.choose(0.2, 0.3)),
        fit::line(&logs).slope,
    );
    outcome.published_row(
        "C, with the power 5/2",
        "",
        "0.58",
        Expected::percent(C, lab.choose(15.0, 30.0)),
        line.slope.powf(2.5) / (bulk * gravity.sqrt()),
    );
    outcome.published_row(
        "k, with the power 5/2",
        "",
        "1.4",
        Expected::near(K, lab.choose(0.4, 0.8)),
        -line.start / (line.slope * d),
    );
    outcome.note(format!(
        "{count} spheres in a silo {:.0} d wide, packing {packing:.3} at rest; the rate is that from {:.2} s after the plate begins to move on, until {:.0} % are out.",
        2.0 * radius / d,
        STEADY - OPENS,
        100.0 * SHARE
    ));
    let law = |outlet: f64| C * bulk * gravity.sqrt() * (outlet - K * d).powf(2.5);
    outcome.plots.push(Plot {
        name: "rates",
        title: "Rate of flow out of a silo".into(),
        x: Axis::linear("outlet over diameter"),
        y: Axis::linear("rate^(2/5) [(kg/s)^(2/5)]"),
        series: vec![
            Series::new(
                "Beverloo's law",
                rates
                    .iter()
                    .map(|p| (p.0 / d, law(p.0).powf(0.4)))
                    .collect(),
            )
            .broad(),
            Series::new("measured", roots.iter().map(|p| (p.0 / d, p.1)).collect()),
        ],
        seen: "The rate to the power 2/5 grows as the outlet's width less k diameters.".into(),
    });
    Ok(outcome)
}
