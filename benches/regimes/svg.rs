//! Elements of an SVG file, as text.

use std::fmt::Write as _;

/// A drawing of a size in pixels.
pub(crate) struct Drawing {
    text: String,
}

/// Where a text is, against its place.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

impl Drawing {
    pub(crate) fn new(width: f64, height: f64) -> Self {
        let text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
        );
        Self { text }
    }

    pub(crate) fn rectangle(&mut self, [x, y, width, height]: [f64; 4], fill: &str) {
        let _ = writeln!(
            self.text,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{fill}\"/>"
        );
    }

    pub(crate) fn words(&mut self, [x, y]: [f64; 2], size: f64, anchor: Anchor, words: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let words = words
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;");
        let _ = writeln!(
            self.text,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" text-anchor=\"{anchor}\">{words}</text>"
        );
    }

    /// A line through points; broken where one is not a number.
    pub(crate) fn line(&mut self, points: &[[f64; 2]], color: &str, width: f64) {
        let mut path = String::new();
        let mut is_broken = true;
        for [x, y] in points {
            if y.is_finite() {
                let _ = write!(path, "{}{x:.1} {y:.1} ", if is_broken { 'M' } else { 'L' });
            }
            is_broken = !y.is_finite();
        }
        let _ = writeln!(
            self.text,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\"/>"
        );
    }

    pub(crate) fn dot(&mut self, [x, y]: [f64; 2], radius: f64, color: &str) {
        let _ = writeln!(
            self.text,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{color}\"/>"
        );
    }

    pub(crate) fn finish(self) -> String {
        self.text + "</svg>\n"
    }
}
