//! The limit of each regime as steps become short: with the default's one sweep in a substep, with sweeps to a tolerance
//! that falls with the step, and so in the step of Cline and Pai.

use super::plan::{Column, Plan, Sweep};
use super::scenes::{Regime, Right};
use super::svg::{Anchor, Drawing};
use super::table::{length, short};
use super::{Outcome, run};
use std::fmt::Write as _;

/// Steps in a second.
const RATES: [f64; 6] = [30.0, 60.0, 120.0, 240.0, 480.0, 960.0];
/// Ways to solve a step, their colours, and what they are.
const WAYS: [(Sweep, &str, &str); 3] = [
    (Sweep::Default, "#3c78c8", "default: one sweep a substep"),
    (
        Sweep::Converged,
        "#c83c14",
        "its substeps, sweeps to a residual of 1e-3 g h",
    ),
    (
        Sweep::Post,
        "#1e8c5a",
        "rigid, with a position LCP, both to 1e-3",
    ),
];
/// Width and height of a panel in pixels, and panels in a row.
const PANEL: [f64; 2] = [250.0, 170.0];
const ACROSS: usize = 5;
/// Errors below are drawn as this one.
const LEAST_ERROR: f64 = 1e-6;

/// A regime's number over the length of the step.
pub(crate) struct Panel {
    name: String,
    what: &'static str,
    /// The right number, where it is known.
    right: Option<f64>,
    /// Of each way, at each of the rates; not a number where a run failed or took too long.
    values: [[f64; RATES.len()]; WAYS.len()],
}

/// The number that is to converge.
fn number(regime: &Regime, outcome: &Outcome) -> (&'static str, Option<f64>, f64) {
    let Outcome::Judged { number, seen, .. } = outcome else {
        return ("", None, f64::NAN);
    };
    match regime.right {
        // Rigid bodies do not sink in.
        Right::Stands { .. } => ("sank", Some(0.0), seen.sank),
        Right::Rests => ("mean penetration", Some(0.0), seen.mean_penetration),
        Right::GainsNothing => {
            // Free mechanisms lose nothing either.
            let bodies = &mut regime.world.bodies.iter();
            let is_free = bodies.all(|body| body.groups.collides_with == 0);
            ("energy lost", is_free.then_some(0.0), seen.lost)
        }
        _ => (number.what, number.right, number.value),
    }
}

pub(crate) fn run_all(plan: &Plan) -> Vec<Panel> {
    let size = plan.sizes[0];
    let regimes = plan.regimes(size).into_iter();
    regimes
        .map(|regime| {
            let mut panel = Panel {
                name: format!("{}, {}", regime.name, length(regime.size)),
                what: "",
                right: None,
                values: [[f64::NAN; RATES.len()]; WAYS.len()],
            };
            for (way, (sweep, ..)) in WAYS.into_iter().enumerate() {
                for (place, rate) in RATES.into_iter().enumerate() {
                    let outcome = run(&regime, &Column::new(size, rate, sweep), plan.limit);
                    let (what, right, value) = number(&regime, &outcome);
                    if !what.is_empty() {
                        (panel.what, panel.right) = (what, right);
                    }
                    panel.values[way][place] = value;
                    // Shorter steps take longer.
                    if matches!(outcome, Outcome::Slow(_)) {
                        break;
                    }
                }
            }
            eprintln!("{}: {:?}", panel.name, panel.values);
            panel
        })
        .collect()
}

/// A row a regime and way, a column a step.
pub(crate) fn table(panels: &[Panel]) -> String {
    let mut text = String::from("| regime | number | known | way |");
    for rate in RATES {
        let _ = write!(text, " 1/{rate} s |");
    }
    text += "\n|---|---|---|---|";
    text += &"---|".repeat(RATES.len());
    text += "\n";
    for panel in panels {
        for ((sweep, ..), values) in WAYS.iter().zip(&panel.values) {
            let right = panel.right.map_or(String::new(), short);
            let _ = write!(
                text,
                "| {} | {} | {right} | {} |",
                panel.name,
                panel.what,
                sweep.name()
            );
            for &value in values {
                let words = if value.is_nan() {
                    String::new()
                } else {
                    short(value)
                };
                let _ = write!(text, " {words} |");
            }
            text += "\n";
        }
    }
    text
}

/// Small multiples: how far the number is from the known one, or else from the default's at the shortest step, as a
/// share of it, or as it is where it should be 0; both axes logarithmic, short steps to the right.
pub(crate) fn draw(panels: &[Panel]) -> String {
    let [width, height] = PANEL;
    let rows = panels.len().div_ceil(ACROSS).max(1) as f64;
    let mut drawing = Drawing::new(width * ACROSS as f64, height * rows + 50.0);
    for (at, (_, color, words)) in WAYS.into_iter().enumerate() {
        let x = 16.0 + 320.0 * at as f64;
        drawing.line(&[[x, 20.0], [x + 24.0, 20.0]], color, 2.0);
        drawing.words([x + 30.0, 24.0], 12.0, Anchor::Start, words);
    }
    for (place, panel) in panels.iter().enumerate() {
        let x = width * (place % ACROSS) as f64;
        let y = 40.0 + height * (place / ACROSS) as f64;
        draw_panel(&mut drawing, panel, [x, y]);
    }
    drawing.finish()
}

fn draw_panel(drawing: &mut Drawing, panel: &Panel, [x, y]: [f64; 2]) {
    let [width, height] = PANEL;
    let (left, right, top, bottom) = (x + 46.0, x + width - 14.0, y + 36.0, y + height - 24.0);
    drawing.words([x + 10.0, y + 14.0], 11.0, Anchor::Start, &panel.name);
    let finest = panel.values[0].iter().rev().find(|value| !value.is_nan());
    let Some(limit) = panel.right.or(finest.copied()) else {
        drawing.words([left, 0.5 * (top + bottom)], 10.0, Anchor::Start, "no run");
        return;
    };
    let of = if panel.right.is_some() {
        format!("{}, off {}", panel.what, short(limit))
    } else {
        format!("{}, off the shortest step's {}", panel.what, short(limit))
    };
    drawing.words([x + 10.0, y + 27.0], 9.0, Anchor::Start, &of);
    let scale = if limit == 0.0 { 1.0 } else { limit.abs() };
    let error = |value: f64| match ((value - limit) / scale).abs() {
        // The shortest step, off itself.
        0.0 if panel.right.is_none() => f64::NAN,
        error if error < LEAST_ERROR => LEAST_ERROR,
        error => error,
    };
    let logarithms = panel
        .values
        .map(|values| values.map(|value| error(value).log10()));
    let all = logarithms.iter().flatten().copied();
    let finite = || all.clone().filter(|value| value.is_finite());
    let low = finite().fold(f64::INFINITY, f64::min).floor();
    let high = finite().fold(low + 1.0, f64::max).ceil();
    let height_of = |value: f64| bottom - (value - low) / (high - low) * (bottom - top);
    let place_of = |at: usize| left + (right - left) * at as f64 / (RATES.len() - 1) as f64;
    for decade in low as i32..=high as i32 {
        let here = height_of(f64::from(decade));
        drawing.line(&[[left, here], [right, here]], "#dddddd", 0.7);
        let words = format!("1e{decade}");
        drawing.words([left - 4.0, here + 3.0], 8.0, Anchor::End, &words);
    }
    for (at, rate) in RATES.into_iter().enumerate() {
        let words = format!("1/{rate}");
        drawing.words([place_of(at), bottom + 12.0], 8.0, Anchor::Middle, &words);
    }
    for ((_, color, _), values) in WAYS.iter().zip(&logarithms) {
        let points: Vec<[f64; 2]> = values
            .iter()
            .enumerate()
            .map(|(at, &value)| [place_of(at), height_of(value)])
            .collect();
        drawing.line(&points, color, 1.5);
        for point in points.into_iter().filter(|point| point[1].is_finite()) {
            drawing.dot(point, 2.5, color);
        }
    }
}
