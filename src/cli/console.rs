//! Writing to standard output and standard error.

use std::io::{ErrorKind, Result, Write};

/// Writes to standard output. A reader that has gone away (`drystone schema | head`) is no failure.
pub(crate) fn out(text: &str) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    match stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
    {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(e),
        _ => Ok(()),
    }
}

/// Writes to standard error, where nobody can be told if that fails.
pub(crate) fn err(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Rows as aligned columns, two spaces apart; the columns listed in `right` are flush right.
pub(crate) fn table(rows: &[Vec<String>], right: &[usize]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let padding = " ".repeat(widths[column] - cell.chars().count());
            if right.contains(&column) {
                line.push_str(&padding);
                line.push_str(cell);
            } else {
                line.push_str(cell);
                line.push_str(&padding);
            }
            line.push_str("  ");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Names and values as a table of two columns.
pub(crate) fn pairs(rows: impl IntoIterator<Item = (&'static str, String)>) -> String {
    let rows = rows.into_iter();
    let rows: Vec<_> = rows.map(|(name, value)| vec![name.into(), value]).collect();
    table(&rows, &[])
}

/// The head of a table.
pub(crate) fn names<const N: usize>(columns: [&str; N]) -> Vec<String> {
    columns.map(str::to_owned).into()
}

/// A number with an exponent and three digits: `1.23e-4`.
pub(crate) fn scientific(number: impl Into<f64>) -> String {
    let number = number.into();
    if number == 0.0 {
        "0".into()
    } else {
        format!("{number:.2e}")
    }
}

/// A number in a table: six digits at most where they are few enough to read, an exponent elsewhere.
pub(crate) fn number(number: f64) -> String {
    if number == 0.0 {
        return "0".into();
    }
    if !number.is_finite() {
        return if number.is_nan() {
            "not a number".into()
        } else if number > 0.0 {
            "infinite".into()
        } else {
            "-infinite".into()
        };
    }
    let magnitude = number.abs();
    if (1e-3..1e5).contains(&magnitude) {
        let decimals = (5 - magnitude.log10().floor() as i32).clamp(0, 8) as usize;
        let text = format!("{number:.decimals$}");
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text
        }
    } else {
        let text = format!("{number:.3e}");
        match text.split_once('e') {
            Some((digits, exponent)) if digits.contains('.') => {
                let digits = digits.trim_end_matches('0').trim_end_matches('.');
                format!("{digits}e{exponent}")
            }
            _ => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (value, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (0.082_842_712, "0.0828427"),
            (-19.56, "-19.56"),
            (600.0, "600"),
            (1.400_000_1e-5, "1.4e-5"),
            (3e-5, "3e-5"),
            (1.234_567e8, "1.235e8"),
            (f64::INFINITY, "infinite"),
            (f64::NAN, "not a number"),
        ] {
            assert_eq!(number(value), text);
        }
    }
}
