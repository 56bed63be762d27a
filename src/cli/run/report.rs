//! Pictures of a finished run: a picture, a plot, and a page with both.

use super::texts;
use crate::console::number;
use crate::curves;
use crate::html::{self, escaped};
use crate::plan::RunPlan;
use crate::plot::Plot;
use drystone::Result;
use drystone::output::{RunFolder, Summary};
use drystone::scene::Verdict;
use drystone::step::Simulation;
use std::fmt::Write;

/// Most bodies of a picture that nobody asked for: the world is copied for it.
#[cfg(feature = "gpu")]
const MOST_BODIES: usize = 200_000;

/// Writes `picture.png`, `plot.svg` and `report.html`; gives what there is to say about what could not be made.
///
/// # Errors
/// Report of writing the files.
pub(super) fn write(
    plan: &RunPlan,
    folder: &RunFolder,
    simulation: &Simulation,
    summary: &Summary,
    resolved: &str,
) -> Result<Option<String>> {
    let (picture, note) = if plan.choices.picture {
        match picture(plan, simulation) {
            Ok(file) => (Some(file), None),
            Err(why) => (None, Some(format!("no picture: {why}"))),
        }
    } else {
        (None, None)
    };
    if let Some(file) = &picture {
        folder.write("picture.png", file)?;
    }
    let plots = curves::of_run(folder.path())?;
    if !plots.is_empty() {
        folder.write("plot.svg", Plot::svg_of_all(&plots)?.as_bytes())?;
    }
    let page = page(folder, summary, picture.as_deref(), &plots, resolved)?;
    folder.write("report.html", page.as_bytes())?;
    Ok(note)
}

#[cfg(feature = "gpu")]
fn picture(plan: &RunPlan, simulation: &Simulation) -> std::result::Result<Vec<u8>, String> {
    let bodies = simulation.world().bodies.len();
    if bodies > MOST_BODIES {
        return Err(format!("{bodies} bodies; drystone render draws them"));
    }
    // The adapter of the run, if it has one: it is open already, and the driver with it.
    let painter = crate::render::Painter::new(plan.choices.adapter.as_deref())
        .map_err(|why| why.to_string())?;
    crate::render::of_the_end(&painter, &plan.scene, simulation)
        .and_then(|image| image.png())
        .map_err(|why| why.to_string())
}

#[cfg(not(feature = "gpu"))]
fn picture(_: &RunPlan, _: &Simulation) -> std::result::Result<Vec<u8>, String> {
    Err("this program was built without GPU support".into())
}

/// The page: one file with everything in it.
fn page(
    folder: &RunFolder,
    summary: &Summary,
    picture: Option<&[u8]>,
    plots: &[Plot],
    resolved: &str,
) -> Result<String> {
    let mut page = html::head(&format!("drystone: {}", summary.scene));
    // Writing to a string cannot fail.
    let _ = writeln!(page, "<h1>{}</h1>", escaped(&summary.scene));
    for finding in &summary.expectations {
        let class = if finding.verdict == Verdict::Held {
            "pass"
        } else {
            "fail"
        };
        let sentence = escaped(&texts::sentence(finding));
        let _ = writeln!(page, "<p class=\"{class}\">{sentence}</p>");
    }
    if let Some(file) = picture {
        let _ = writeln!(
            page,
            "<figure><img alt=\"The bodies at the end of the run\" style=\"width:100%;height:auto;display:block\" \
             src=\"data:image/png;base64,{}\"><figcaption>After {} s.</figcaption></figure>",
            html::base64(file),
            number(summary.time)
        );
    }
    page.push_str("<h2>Summary</h2>\n<div class=\"wide\"><table>\n<tbody>\n");
    let rows = texts::rows(folder, summary).into_iter();
    for (name, value) in rows.filter(|(name, _)| *name != "expectation") {
        let (name, value) = (escaped(name), escaped(&value));
        let _ = writeln!(page, "<tr><th>{name}</th><td>{value}</td></tr>");
    }
    page.push_str("</tbody>\n</table></div>\n<h2>Plots</h2>\n");
    for plot in plots {
        page.push_str(&html::figure(plot)?);
    }
    let _ = writeln!(
        page,
        "<h2>Scene</h2>\n<details><summary>With every default written out</summary><pre>{}</pre></details>",
        escaped(resolved)
    );
    page.push_str(html::FOOT);
    Ok(page)
}
