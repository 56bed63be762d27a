//! `drystone plot`: the numbers of one or more runs over time.

mod figures;
mod table;

use crate::args::PlotArgs;
use crate::console;
use crate::failure::Failure;
use crate::files;
use crate::image;
use crate::plot::Plot;
use drystone::{Error, Result};
pub(crate) use figures::figures;
use std::path::{Path, PathBuf};
pub(crate) use table::Table;

/// Draws the figures of one run, or of several over each other.
pub(crate) fn plot(args: &PlotArgs) -> Result<(), Failure> {
    let runs: Vec<Table> = args
        .runs
        .iter()
        .map(|run| Table::read(run))
        .collect::<Result<_>>()
        .map_err(Failure::Input)?;
    let plots = figures(&runs);
    let out = args
        .out
        .clone()
        .unwrap_or_else(|| match args.runs.as_slice() {
            [only] => only.join("plot.svg"),
            _ => PathBuf::from("plot.svg"),
        });
    let extension = out.extension().and_then(|extension| extension.to_str());
    let content = match extension.map(str::to_lowercase).as_deref() {
        Some("svg") => Plot::svg_of_all(&plots).map(String::into_bytes),
        Some("png") => png(&plots),
        _ => {
            let what = format!("--out {}", out.display());
            return Err(Failure::Input(Error::invalid(
                what,
                "expected a name that ends with .svg or .png",
            )));
        }
    };
    files::save(&out, &content.map_err(Failure::Run)?)?;
    Ok(console::out(&format!("{}\n", out.display()))?)
}

/// All figures on one image.
fn png(plots: &[Plot]) -> Result<Vec<u8>> {
    let images = plots.iter().map(Plot::image).collect::<Result<Vec<_>>>()?;
    match image::sheet(&images) {
        Some(image) => image.png(),
        None => Err(Error::invalid("plot", "there is nothing to draw")),
    }
}

/// The figures of a run that has just ended.
///
/// # Errors
/// [`Error::Io`] if its metrics cannot be read, [`Error::Invalid`] if they are none.
pub(crate) fn of_run(folder: &Path) -> Result<Vec<Plot>> {
    Ok(figures(&[Table::read(folder)?]))
}
