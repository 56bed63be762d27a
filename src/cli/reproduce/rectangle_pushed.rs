//! A rectangle that is pushed about on the ground and against a wall.
//!
//! Source: Cline and Pai 2003, section VI-B, figures 8 and 9.

use super::experiment::{Context, Experiment};
use super::outcome::Outcome;
use super::{pushed, simulate};
use drystone::Result;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "rectangle_pushed",
    title: "A pushed rectangle sinks into ground and wall without stabilization, and not with a post-step",
    source: "Cline and Pai 2003, section VI-B, figures 8 and 9",
    run,
};

fn run(context: &Context) -> Result<Outcome> {
    let scene = simulate::scene("rectangle_pushed")?;
    let mut outcome = pushed::measure(context, &scene)?;
    outcome.note(
        "In the paper a user pushes with a mouse, and the error is in units of the screen. Here a script \
         pushes: only what grows and what vanishes can be compared.",
    );
    Ok(outcome)
}
