//! Why the program ends with a code that is not 0, and how that is shown.

use crate::console;
use drystone::Error;
use drystone::error::SceneError;
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource};
use std::io::IsTerminal;

/// The end of a command that did not do what was asked.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Bad usage or input: nothing was begun.
    Input(Error),
    /// It was begun and failed.
    Run(Error),
    /// Standard output could not be written.
    Output(std::io::Error),
    /// A signal ended it after a step; the report has said so.
    Interrupted(crate::signals::Signal),
    /// It was carried out and what it found is bad; the report has said so.
    Verdict,
}

impl Failure {
    /// What an error means while a command is being prepared: all is the input's fault but a device
    /// that fails.
    pub(crate) fn while_preparing(error: Error) -> Self {
        match error {
            Error::Device(_) | Error::Capacity { .. } => Self::Run(error),
            other => Self::Input(other),
        }
    }

    /// Reason why a folder for results could not be made: one that is there is the caller's mistake, a disk that refuses is not.
    pub(crate) fn of_folder(error: Error) -> Self {
        match error {
            Error::Io { .. } => Self::Run(error),
            other => Self::while_preparing(other),
        }
    }

    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Input(_) => 2,
            Self::Interrupted(signal) => signal.exit_code(),
            Self::Run(_) | Self::Output(_) | Self::Verdict => 1,
        }
    }

    /// Tells standard error.
    pub(crate) fn show(&self) {
        match self {
            Self::Input(Error::Scene(error)) => console::err(&with_source(&harmless(error))),
            Self::Input(error) | Self::Run(error) => {
                console::err(&format!("error: {}\n", shown(&error.to_string())));
            }
            Self::Output(error) => console::err(&format!("error: standard output: {error}\n")),
            Self::Verdict | Self::Interrupted(_) => {}
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::Output(error)
    }
}

/// A mistake in a scene with the lines around it.
#[derive(Debug)]
struct SceneDiagnostic<'a> {
    error: &'a SceneError,
    source: NamedSource<String>,
    label: LabeledSpan,
}

impl std::fmt::Display for SceneDiagnostic<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (line, column) = self.error.line_column();
        let path = self.error.path.display();
        write!(f, "{path}:{line}:{column}: {}", self.error.message)
    }
}

impl std::error::Error for SceneDiagnostic<'_> {}

impl Diagnostic for SceneDiagnostic<'_> {
    fn help<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        Some(Box::new(&self.error.help))
    }

    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        Some(&self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(std::iter::once(self.label.clone())))
    }
}

/// Text in which nothing steers a terminal: control characters but tabs and line ends become their pictures.
fn shown(text: &str) -> String {
    let picture = |character: char| match character {
        '\n' | '\t' | '\r' => character,
        '\u{0}'..='\u{1F}' => char::from_u32(0x2400 + character as u32).unwrap_or('\u{FFFD}'),
        '\u{7F}' => '\u{2421}',
        // The second set, and marks that turn the direction of writing.
        '\u{80}'..='\u{9F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => '\u{FFFD}',
        other => other,
    };
    text.chars().map(picture).collect()
}

/// The mistake with harmless text; its place moves with what becomes longer.
fn harmless(error: &SceneError) -> SceneError {
    let place = |at: usize| {
        let before = error.text.get(..at.min(error.text.len()));
        before.map_or(at, |before| shown(before).len())
    };
    SceneError {
        path: shown(&error.path.to_string_lossy()).into(),
        text: shown(&error.text),
        span: place(error.span.start)..place(error.span.end),
        message: shown(&error.message),
        help: shown(&error.help),
    }
}

/// The message with `file:line:column` in its first line, in colour on a terminal only.
fn with_source(error: &SceneError) -> String {
    let theme = if !std::io::stderr().is_terminal() {
        GraphicalTheme::none()
    } else if std::env::var_os("NO_COLOR").is_some() {
        GraphicalTheme::unicode_nocolor()
    } else {
        GraphicalTheme::unicode()
    };
    let mut text = String::new();
    let shown = diagnostic(error).is_some_and(|diagnostic| {
        GraphicalReportHandler::new_themed(theme)
            .with_wrap_lines(false)
            .render_report(&mut text, &diagnostic)
            .is_ok()
    });
    if shown {
        text
    } else {
        format!("error: {error}\n")
    }
}

/// `None` if there is no text to point at.
fn diagnostic(error: &SceneError) -> Option<SceneDiagnostic<'_>> {
    // A mistake at the very end of the file is shown at its last character.
    let last = error.text.char_indices().last()?.0;
    let start = error.span.start.min(last);
    let end = error.span.end.clamp(start, error.text.len());
    error.text.get(start..end)?;
    Some(SceneDiagnostic {
        error,
        source: NamedSource::new(error.path.display().to_string(), error.text.clone()),
        label: LabeledSpan::underline(start..end),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scene_error(text: &str, span: std::ops::Range<usize>) -> SceneError {
        SceneError {
            path: "pile.toml".into(),
            text: text.into(),
            span,
            message: "what is this?".into(),
            help: "expected something else".into(),
        }
    }

    #[test]
    fn every_place_in_a_file_can_be_shown() {
        for (text, span, place, snippet) in [
            ("a = 1\nb = 2\n", 6..7, "pile.toml:2:1:", "b = 2"),
            ("a = 1\nb = 2", 11..11, "pile.toml:2:6:", "b = 2"),
            ("a = 1\nb = 2\n", 12..12, "pile.toml:3:1:", ""),
            ("a = \"ä\u{1F9F1}\"", 4..12, "pile.toml:1:5:", "ä\u{1F9F1}"),
            ("", 0..0, "pile.toml:1:1:", ""),
            ("a", 7..9, "pile.toml:1:2:", "a"),
        ] {
            let shown = with_source(&scene_error(text, span.clone()));
            for part in [place, "what is this?", "expected something else", snippet] {
                assert!(shown.contains(part), "{part} at {span:?}:\n{shown}");
            }
            assert!(!shown.contains("Failed to read"), "{shown}");
        }
    }

    #[test]
    fn nothing_of_a_file_steers_the_terminal() {
        let text = "# \u{1b}[31mred\u{7}\u{9b}2J\u{202e}\nb = \u{1b}]0;x\u{7} 2\n";
        let at = text.rfind('2').unwrap_or(0);
        let shown = with_source(&harmless(&scene_error(text, at..at + 1)));
        assert!(
            !shown.contains(['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}']),
            "{shown:?}"
        );
        assert!(shown.contains("pile.toml:2:12:"), "{shown}");
        assert!(shown.contains("\u{241b}]0;x\u{2407} 2"), "{shown}");
    }
}
