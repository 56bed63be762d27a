//! Five boxes that are pushed about in a corner.
//!
//! Source: Cline and Pai 2003, section VI-B, figure 10.

use super::experiment::{Context, Experiment};
use super::outcome::Outcome;
use super::{pushed, simulate};
use drystone::Result;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "five_bodies",
    title: "Five boxes pushed about in a corner: penetration without stabilization and with a post-step",
    source: "Cline and Pai 2003, section VI-B, figure 10",
    run,
};

fn run(context: &Context) -> Result<Outcome> {
    let scene = simulate::scene("five_bodies")?;
    let mut outcome = pushed::measure(context, &scene)?;
    outcome.note(
        "The paper shows two pictures and no values; boxes, corner and pushes are chosen here.",
    );
    Ok(outcome)
}
