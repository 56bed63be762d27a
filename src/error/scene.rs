//! Mistakes in scene files.

use super::Error;
use std::path::PathBuf;

/// A mistake in a scene file: where it is, what it is, what was expected there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SceneError {
    /// The file, as it was named.
    pub path: PathBuf,
    /// The whole text of the file.
    pub text: String,
    /// Byte range of the mistake in `text`.
    pub span: std::ops::Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What was expected instead.
    pub help: String,
}

impl SceneError {
    /// Line and column of the mistake, both from 1; the column counts characters.
    #[must_use]
    pub fn line_column(&self) -> (usize, usize) {
        let start = self.span.start.min(self.text.len());
        let before = self.text.get(..start).unwrap_or("");
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.matches('\n').count() + 1;
        (line, before[line_start..].chars().count() + 1)
    }
}

impl std::fmt::Display for SceneError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (line, column) = self.line_column();
        let source = self.text.lines().nth(line - 1).unwrap_or("");
        let width = self
            .text
            .get(self.span.clone())
            .map_or(1, |at| at.lines().next().unwrap_or("").chars().count())
            .max(1);
        let gutter = line.to_string();
        let blank = " ".repeat(gutter.len());
        writeln!(
            f,
            "{}:{line}:{column}: {}",
            self.path.display(),
            self.message
        )?;
        writeln!(f, "{blank} |")?;
        writeln!(f, "{gutter} | {source}")?;
        writeln!(
            f,
            "{blank} | {}{}",
            " ".repeat(column - 1),
            "^".repeat(width)
        )?;
        write!(f, "{blank} = {}", self.help)
    }
}

impl std::error::Error for SceneError {}

impl From<SceneError> for Error {
    fn from(error: SceneError) -> Self {
        Self::Scene(Box::new(error))
    }
}
