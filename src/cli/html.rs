//! Parts of pages: their look, figures, text.

use crate::plot::{COLORS, GRID, INK, Plot};
use drystone::Result;
use drystone::internals::vtk;
use plotters::style::RGBColor;
use std::fmt::Write;

/// The look of the page; figures follow the reader's choice of light or dark through the rules that
/// [`dark_figures`] adds.
const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#22262b;--soft:#5b626e;--paper:#ffffff;--panel:#f6f7f9;--line:#d8dce2;--bad:#b3261e;--good:#12694a}
@media (prefers-color-scheme:dark){:root{--ink:#e6e8eb;--soft:#a5acb8;--paper:#15181c;--panel:#1e2228;--line:#3a404a;--bad:#ff8a80;--good:#6fd3a8}}
body{margin:0 auto;max-width:60rem;padding:1.5rem;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.7rem;margin:.2rem 0}h2{font-size:1.3rem;margin:2.6rem 0 .2rem;border-top:1px solid var(--line);padding-top:1.2rem}
p,ul{margin:.5rem 0}.soft{color:var(--soft)}a{color:inherit}
figure{margin:1rem 0;padding:.5rem;background:var(--panel);border:1px solid var(--line);border-radius:6px}
figure svg{display:block;width:100%;height:auto}figcaption{padding:.4rem .5rem;color:var(--soft)}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.92rem;margin:.6rem 0}
th,td{text-align:left;vertical-align:top;padding:.3rem .6rem;border-bottom:1px solid var(--line)}
td.number,th.number{text-align:right;font-variant-numeric:tabular-nums}
.pass{color:var(--good)}.fail{color:var(--bad);font-weight:700}
";

/// Colours of curves on a dark ground, in the order of [`COLORS`].
const DARK_COLORS: [&str; COLORS.len()] = [
    "#6cb4f0", "#ff9466", "#55d3a2", "#c99bf2", "#e6bd4f", "#b4bbc7", "#ff85b8",
];

/// Everything up to the first heading; [`FOOT`] ends the page.
pub(crate) fn head(title: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
         <title>{}</title>\n<style>\n{STYLE}{}</style>\n</head>\n<body>\n",
        escaped(title),
        dark_figures()
    )
}

/// The end of a page.
pub(crate) const FOOT: &str = "</body>\n</html>\n";

/// A plot with what is seen in it.
///
/// # Errors
/// As [`Plot::svg`].
pub(crate) fn figure(plot: &Plot) -> Result<String> {
    let label = format!("<svg role=\"img\" aria-label=\"{}\" ", escaped(&plot.title));
    let svg = plot.svg()?.replacen("<svg ", &label, 1);
    let seen = escaped(&plot.seen);
    Ok(format!(
        "<figure>\n{svg}<figcaption>{seen}</figcaption>\n</figure>\n"
    ))
}

/// Bytes as base 64, for files within a page.
pub(crate) fn base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    vtk::base64(bytes, &mut text);
    text
}

/// Rules that give the figures' colours their counterparts on a dark ground.
fn dark_figures() -> String {
    let mut rules = String::from(
        "figure svg>rect:first-of-type{fill:var(--panel)}\n@media (prefers-color-scheme:dark){\n",
    );
    let mut rule = |light: RGBColor, dark: &str| {
        let hex = format!("#{:02X}{:02X}{:02X}", light.0, light.1, light.2);
        for attribute in ["stroke", "fill"] {
            let _ = writeln!(
                rules,
                "figure svg [{attribute}=\"{hex}\"]{{{attribute}:{dark}}}"
            );
        }
    };
    rule(INK, "#e6e8eb");
    rule(GRID, "#3a404a");
    for (light, dark) in COLORS.into_iter().zip(DARK_COLORS) {
        rule(light, dark);
    }
    rules.push_str("}\n");
    rules
}

/// Text as HTML shows it.
pub(crate) fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '&' => html.push_str("&amp;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            other => html.push(other),
        }
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_64_is_that_of_rfc_4648() {
        for (text, coded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(text.as_bytes()), coded);
        }
        assert_eq!(base64(&[0xFB, 0xFF, 0xFE]), "+//+");
    }
}
