//! All experiments on one page: figures, tables and remarks in a single HTML file.

use super::Finding;
use super::outcome::Row;
use super::table::verdict;
use crate::console::number;
use crate::html::{self, escaped};
use crate::provenance::Provenance;
use drystone::Result;
use std::fmt::Write;

/// The page.
///
/// # Errors
/// What drawing a figure reports.
pub(super) fn page(title: &str, provenance: &Provenance, findings: &[Finding]) -> Result<String> {
    let mut html = String::new();
    let count = |pass: bool| {
        let rows = findings.iter().filter_map(Finding::outcome);
        rows.flat_map(|o| &o.rows)
            .filter(|row| row.passes() == pass)
            .count()
    };
    html.push_str(&html::head(title));
    // Writing to a string cannot fail.
    let _ = writeln!(html, "<h1>{title}</h1>");
    let (passed, failed) = (count(true), count(false));
    let _ = writeln!(html, "<p>{passed} of {} rows pass.</p>", passed + failed);
    html.push_str("<p class=\"soft\">");
    for (name, value) in provenance.lines() {
        let _ = write!(html, "{name}: {}<br>", escaped(&value));
    }
    html.push_str("</p>\n<ul>\n");
    for finding in findings {
        let _ = writeln!(
            html,
            "<li><a href=\"#{}\">{}</a>: {}</li>",
            escaped(finding.name),
            escaped(finding.title),
            verdict_of(finding.passes())
        );
    }
    html.push_str("</ul>\n");
    for finding in findings {
        section(&mut html, finding)?;
    }
    html.push_str(html::FOOT);
    Ok(html)
}

fn section(html: &mut String, finding: &Finding) -> Result<()> {
    let _ = writeln!(
        html,
        "<section id=\"{}\">\n<h2>{}</h2>\n<p class=\"soft\">{}</p>",
        escaped(finding.name),
        escaped(finding.title),
        escaped(finding.source)
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
                html.push_str(&html::figure(plot)?);
            }
            for sheet in &outcome.sheets {
                let _ = writeln!(
                    html,
                    "<figure><img alt=\"Frames of {0}\" style=\"width:100%;height:auto;display:block\" \
                     src=\"data:image/png;base64,{1}\"><figcaption>{0}: frames from its start to its end.</figcaption></figure>",
                    escaped(sheet.name),
                    html::base64(&sheet.file)
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
