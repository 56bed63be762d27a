//! Rows as a text table of at most [`WIDTH`] columns.

use super::outcome::Row;
use crate::console::{self, number};

/// Columns of a terminal that the table keeps to.
const WIDTH: usize = 100;
/// Least width of the first column, which is the one that wraps.
const LEAST_QUANTITY: usize = 24;
/// The first column.
const QUANTITY: &str = "quantity";
/// The rest of the columns.
const HEADER: [&str; 5] = ["measured", "expected", "published", "unit", "verdict"];

/// The verdict as a word, so that it needs no colour.
pub(crate) fn verdict(row: &Row) -> &'static str {
    if row.passes() { "pass" } else { "FAIL" }
}

/// A header and a line per row; quantities that are too long for the width go on below.
pub(crate) fn table(rows: &[Row]) -> String {
    let cells = rows.iter().map(|row| {
        [
            number(row.measured),
            row.expected.to_string(),
            row.published.clone().unwrap_or_else(|| "-".into()),
            row.unit.to_owned(),
            verdict(row).to_owned(),
        ]
    });
    let cells: Vec<[String; 5]> = [HEADER.map(str::to_owned)]
        .into_iter()
        .chain(cells)
        .collect();
    let length = |text: &str| text.chars().count();
    let width = |column: usize| {
        cells
            .iter()
            .map(|row| length(&row[column]))
            .max()
            .unwrap_or(0)
    };
    let others: usize = (0..HEADER.len()).map(|column| width(column) + 2).sum();
    let longest = rows.iter().map(|row| length(&row.quantity)).max();
    let most = WIDTH.saturating_sub(others).max(LEAST_QUANTITY);
    let quantity_width = longest.unwrap_or(0).max(QUANTITY.len()).min(most);

    let mut lines = Vec::new();
    // It holds the column open where all that is in it is wrapped.
    let header = format!("{QUANTITY:quantity_width$}");
    let quantities = rows
        .iter()
        .map(|row| wrapped(&row.quantity, quantity_width));
    for (parts, cells) in [vec![header]].into_iter().chain(quantities).zip(cells) {
        let mut parts = parts.into_iter();
        lines.push(parts.next().into_iter().chain(cells).collect());
        lines.extend(parts.map(|part| vec![part]));
    }
    console::table(&lines, &[1])
}

/// Text in lines of at most `width`, broken between words; lines after the first are indented.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let used = line.chars().count();
        if !line.trim().is_empty() && used + 1 + word.chars().count() > width {
            lines.push(std::mem::replace(&mut line, "  ".into()));
        }
        if !line.trim().is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::outcome::{Expected, Outcome};

    #[test]
    fn tables_are_aligned_and_keep_to_their_width() {
        let mut outcome = Outcome::default();
        outcome.row("short", "m", Expected::at_most(1e-6), 2.5e-7);
        outcome.published_row(
            "a quantity whose description is longer than what is left of the line beside all the rest",
            "mm",
            "about 20",
            Expected::percent(19.6, 3.0),
            25.0,
        );
        let text = table(&outcome.rows);
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            lines.iter().all(|line| line.chars().count() <= WIDTH),
            "{text}"
        );
        let column = |line: &str, word: &str| {
            let at = line.find(word).map(|at| line[..at].chars().count());
            at.unwrap_or_else(|| panic!("{word} in {line}"))
        };
        let verdicts = column(lines[0], "verdict");
        assert_eq!(column(lines[1], "pass"), verdicts, "{text}");
        assert_eq!(column(lines[2], "FAIL"), verdicts, "{text}");
        assert!(lines[3].starts_with("  "), "{text}");
    }

    #[test]
    fn wrapping_loses_no_word() {
        let text = "one two three four five-hundred-and-something six";
        let lines = wrapped(text, 10);
        let words: Vec<&str> = lines.iter().flat_map(|l| l.split_whitespace()).collect();
        assert_eq!(words.join(" "), text);
        assert_eq!(wrapped("", 10), [""]);
    }
}
