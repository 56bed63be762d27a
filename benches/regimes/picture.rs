//! One picture of the table: a cell for each regime and setting.

use super::plan::Column;
use super::svg::{Anchor, Drawing};
use super::table::{Row, head};

/// Width of the names, of a cell, and its height in pixels.
const NAMES: f64 = 330.0;
const WIDTH: f64 = 84.0;
const HEIGHT: f64 = 20.0;
/// Height of a line of the head.
const LINE: f64 = 16.0;
const RIGHT: &str = "#c6e5c8";
const WRONG: &str = "#f3b3a6";
const UNKNOWN: &str = "#e2e2e2";

pub(crate) fn draw(columns: &[Column], rows: &[Row]) -> String {
    let heads: Vec<[String; 4]> = columns.iter().map(head).collect();
    let top = 4.0 * LINE + 40.0;
    let width = NAMES + WIDTH * columns.len() as f64 + 12.0;
    let height = top + HEIGHT * (rows.len() as f64 + 2.0);
    let mut drawing = Drawing::new(width, height);
    drawing.words(
        [12.0, 22.0],
        14.0,
        Anchor::Start,
        "Regimes by one setting for all",
    );
    for (at, head) in heads.iter().enumerate() {
        for (line, words) in head.iter().enumerate() {
            let is_same = at > 0 && heads[at - 1][..=line] == head[..=line];
            // A line that all columns share is said once.
            if !is_same {
                let x = NAMES + WIDTH * at as f64 + 4.0;
                let y = 40.0 + LINE * (line as f64 + 0.7);
                drawing.words([x, y], 9.0, Anchor::Start, words);
            }
        }
    }
    for (place, row) in rows.iter().enumerate() {
        let y = top + HEIGHT * place as f64;
        let middle = y + 0.7 * HEIGHT;
        drawing.words([12.0, middle], 12.0, Anchor::Start, &row.name);
        drawing.words([NAMES - 8.0, middle], 10.0, Anchor::End, row.number);
        for (at, outcome) in row.outcomes.iter().enumerate() {
            let x = NAMES + WIDTH * at as f64;
            let fill = match outcome.is_right() {
                Some(true) => RIGHT,
                Some(false) => WRONG,
                None => UNKNOWN,
            };
            drawing.rectangle([x + 1.0, y + 1.0, WIDTH - 2.0, HEIGHT - 2.0], fill);
            let place = [x + 0.5 * WIDTH, middle];
            drawing.words(place, 9.5, Anchor::Middle, &outcome.words());
        }
    }
    let legend = [(RIGHT, "right"), (WRONG, "wrong"), (UNKNOWN, "not judged")];
    for (at, (fill, words)) in legend.into_iter().enumerate() {
        let x = 12.0 + 100.0 * at as f64;
        let y = top + HEIGHT * (rows.len() as f64 + 0.6);
        drawing.rectangle([x, y, 14.0, 14.0], fill);
        drawing.words([x + 20.0, y + 11.0], 11.0, Anchor::Start, words);
    }
    drawing.finish()
}
