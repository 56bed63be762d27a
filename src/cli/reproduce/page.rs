//! All experiments on one page: figures, tables and remarks in a single HTML file.

use super::experiment::Finding;
use super::outcome::Row;
use super::table::verdict;
use crate::console::number;
use crate::plot::{COLORS, GRID, INK};
use crate::provenance::Provenance;
use drystone::Result;
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

/// The page.
///
/// # Errors
/// What drawing a figure reports.
pub(crate) fn page(provenance: &Provenance, findings: &[Finding]) -> Result<String> {
    let mut html = String::new();
    let count = |pass: bool| {
        let rows = findings.iter().filter_map(Finding::outcome);
        rows.flat_map(|o| &o.rows)
            .filter(|row| row.passes() == pass)
            .count()
    };
    let title = "drystone: the papers' experiments";
    html.push_str("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    html.push_str("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n");
    // Writing to a string cannot fail.
    let _ = writeln!(html, "<title>{title}</title>");
    let _ = writeln!(
        html,
        "<style>\n{STYLE}{}</style>\n</head>\n<body>",
        dark_figures()
    );
    let _ = writeln!(html, "<h1>{title}</h1>");
    let (passed, failed) = (count(true), count(false));
    let _ = writeln!(html, "<p>{passed} of {} rows pass.</p>", passed + failed);
    html.push_str("<p class=\"soft\">");
    for (name, value) in provenance.lines() {
        let _ = write!(html, "{name}: {}<br>", escaped(&value));
    }
    html.push_str("</p>\n<ul>\n");
    for finding in findings {
        let experiment = finding.experiment;
        let _ = writeln!(
            html,
            "<li><a href=\"#{}\">{}</a>: {}</li>",
            escaped(experiment.name),
            escaped(experiment.title),
            verdict_of(finding.passes())
        );
    }
    html.push_str("</ul>\n");
    for finding in findings {
        section(&mut html, finding)?;
    }
    html.push_str("</body>\n</html>\n");
    Ok(html)
}

fn section(html: &mut String, finding: &Finding) -> Result<()> {
    let experiment = finding.experiment;
    let _ = writeln!(
        html,
        "<section id=\"{}\">\n<h2>{}</h2>\n<p class=\"soft\">{}</p>",
        escaped(experiment.name),
        escaped(experiment.title),
        escaped(experiment.source)
    );
    match &finding.result {
        Err(why) => {
            let _ = writeln!(
                html,
                "<p class=\"fail\">It could not be carried out: {}</p>",
                escaped(&why.to_string())
            );
        }
        Ok(outcome) => {
            for plot in &outcome.plots {
                let label = format!("<svg role=\"img\" aria-label=\"{}\" ", escaped(&plot.title));
                let svg = plot.svg()?.replacen("<svg ", &label, 1);
                let _ = writeln!(
                    html,
                    "<figure>\n{svg}<figcaption>{}</figcaption>\n</figure>",
                    escaped(&plot.seen)
                );
            }
            table(html, &outcome.rows);
            if !outcome.notes.is_empty() {
                html.push_str("<ul>\n");
                for note in &outcome.notes {
                    let _ = writeln!(html, "<li>{}</li>", escaped(note));
                }
                html.push_str("</ul>\n");
            }
        }
    }
    html.push_str("</section>\n");
    Ok(())
}

fn table(html: &mut String, rows: &[Row]) {
    html.push_str(
        "<div class=\"wide\"><table>\n<thead><tr><th>quantity</th>\
         <th class=\"number\">measured</th><th class=\"number\">expected</th>\
         <th class=\"number\">published</th><th>unit</th><th>verdict</th></tr></thead>\n<tbody>\n",
    );
    for row in rows {
        let published = row.published.as_deref().unwrap_or("–");
        let _ = writeln!(
            html,
            "<tr><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td>\
             <td class=\"number\">{}</td><td>{}</td><td class=\"{}\">{}</td></tr>",
            escaped(&row.quantity),
            escaped(&number(row.measured)),
            escaped(&row.expected.to_string()),
            escaped(published),
            escaped(row.unit),
            if row.passes() { "pass" } else { "fail" },
            verdict(row)
        );
    }
    html.push_str("</tbody>\n</table></div>\n");
}

fn verdict_of(passes: bool) -> &'static str {
    if passes {
        "<span class=\"pass\">pass</span>"
    } else {
        "<span class=\"fail\">FAIL</span>"
    }
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
