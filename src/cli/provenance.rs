//! Where results come from: program, backend, date, command.

use serde::Serialize;
use std::time::{SystemTime, UNIX_EPOCH};

/// What a reader needs to make the results again.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
pub(crate) struct Provenance {
    pub(crate) version: &'static str,
    /// `cpu`, `lemke`, or the GPU and its adapter.
    pub(crate) backend: String,
    /// In UTC.
    pub(crate) date: String,
    /// The command line.
    pub(crate) command: String,
}

impl Provenance {
    /// Of this process, now.
    pub(crate) fn new(backend: String) -> Self {
        let seconds = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_secs());
        let words: Vec<String> = std::env::args_os()
            .skip(1)
            .map(|word| quoted(&word.to_string_lossy()))
            .collect();
        Self {
            version: env!("CARGO_PKG_VERSION"),
            backend,
            date: date(seconds),
            command: format!("drystone {}", words.join(" ")),
        }
    }

    /// Each with its name.
    pub(crate) fn lines(&self) -> [(&'static str, String); 4] {
        [
            ("drystone", self.version.to_owned()),
            ("backend", self.backend.clone()),
            ("date", self.date.clone()),
            ("command", self.command.clone()),
        ]
    }
}

/// A word as a shell reads it back.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-+=./:,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// The date and minute in UTC, so many seconds after the start of 1970.
fn date(seconds: u64) -> String {
    let is_leap = |year: u64| {
        year.is_multiple_of(400) || (year.is_multiple_of(4) && !year.is_multiple_of(100))
    };
    let mut days = seconds / 86_400;
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    let minutes = seconds / 60;
    format!(
        "{year}-{month:02}-{:02} {:02}:{:02} UTC",
        days + 1,
        minutes / 60 % 24,
        minutes % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_follow_the_calendar() {
        for (seconds, text) in [
            (0, "1970-01-01 00:00 UTC"),
            (951_782_399, "2000-02-28 23:59 UTC"),
            (951_782_400, "2000-02-29 00:00 UTC"),
            (951_868_800, "2000-03-01 00:00 UTC"),
            (1_735_689_599, "2024-12-31 23:59 UTC"),
            (1_735_689_600, "2025-01-01 00:00 UTC"),
        ] {
            assert_eq!(date(seconds), text);
        }
    }

    #[test]
    fn words_survive_a_shell() {
        assert_eq!(quoted("--output"), "--output");
        assert_eq!(quoted("my folder"), "'my folder'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted(""), "''");
    }
}
