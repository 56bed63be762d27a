//! `metrics.csv` as columns.

use drystone::output::metrics_units;
use drystone::scene::{Overrides, Scene};
use drystone::{Error, Result};
use std::collections::BTreeMap;
use std::path::Path;

/// The metrics of a run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Table {
    /// Name of the run: its folder's.
    pub(crate) name: String,
    header: Vec<String>,
    /// Shape `[columns][rows]`; what is no number is NaN.
    columns: Vec<Vec<f64>>,
    /// Units of columns by their names, as far as they are known.
    units: BTreeMap<String, String>,
}

impl Table {
    /// Reads the metrics of a run folder.
    ///
    /// # Errors
    /// [`Error::Io`] if the file cannot be read, [`Error::Invalid`] if a row has not as many fields as the header.
    pub(crate) fn read(folder: &Path) -> Result<Self> {
        let path = folder.join("metrics.csv");
        let text = std::fs::read_to_string(&path).map_err(|why| Error::io(&path, why))?;
        let name = folder
            .canonicalize()
            .ok()
            .and_then(|whole| Some(whole.file_name()?.to_string_lossy().into_owned()))
            .unwrap_or_else(|| folder.display().to_string());
        let table = Self::parse(name, &text)
            .map_err(|why| Error::invalid(path.display().to_string(), why))?;
        Ok(Self {
            units: units(folder).unwrap_or_default(),
            ..table
        })
    }

    fn parse(name: String, text: &str) -> std::result::Result<Self, String> {
        let mut lines = text.lines();
        let header: Vec<String> = lines
            .next()
            .unwrap_or("")
            .split(',')
            .map(str::to_owned)
            .collect();
        if !header.iter().any(|column| column == "time") {
            return Err("it has no column `time`".into());
        }
        let mut columns = vec![Vec::new(); header.len()];
        for (line, number) in lines.zip(2..) {
            let fields: Vec<&str> = line.split(',').collect();
            if fields.len() != header.len() {
                return Err(format!(
                    "line {number} has {} fields; expected {}",
                    fields.len(),
                    header.len()
                ));
            }
            for (column, field) in columns.iter_mut().zip(fields) {
                column.push(field.parse().unwrap_or(f64::NAN));
            }
        }
        Ok(Self {
            name,
            header,
            columns,
            units: BTreeMap::new(),
        })
    }

    /// A column of that name, if it has any number that is not 0.
    pub(super) fn column(&self, name: &str) -> Option<&[f64]> {
        let at = self.header.iter().position(|column| column == name)?;
        let values = self.columns.get(at)?.as_slice();
        values
            .iter()
            .any(|value| value.is_finite() && *value != 0.0)
            .then_some(values)
    }

    /// Times `[s]`.
    pub(super) fn times(&self) -> &[f64] {
        self.column("time").unwrap_or(&[])
    }

    /// Columns that not every run has, the probes', with their units; "" for one that is not known.
    pub(super) fn probes(&self) -> impl Iterator<Item = (&str, &str)> {
        let standard = metrics_units(&[]);
        let is_standard = move |column: &&String| standard.iter().any(|(name, _)| name == *column);
        let probes = self
            .header
            .iter()
            .filter(move |column| !is_standard(column));
        probes.map(|column| {
            let unit = self.units.get(column).map_or("", String::as_str);
            (column.as_str(), unit)
        })
    }
}

/// Units of the metrics of a run, by the names of columns: from its summary, or before it has one from its scene.
fn units(folder: &Path) -> Option<BTreeMap<String, String>> {
    #[derive(serde::Deserialize)]
    struct Summary {
        metrics_units: BTreeMap<String, String>,
    }
    let summary = std::fs::read(folder.join("summary.json")).ok();
    if let Some(summary) = summary.and_then(|text| serde_json::from_slice::<Summary>(&text).ok()) {
        return Some(summary.metrics_units);
    }
    let scene = Scene::load(&folder.join("scene.toml"), &Overrides::default()).ok()?;
    let units = metrics_units(&scene.probes).into_iter();
    Some(
        units
            .map(|(column, unit)| (column, unit.to_owned()))
            .collect(),
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_name_and_probes_are_what_not_every_run_has() {
        let text = "step,time,status,top,ball_vx,witness_pairs\n1,0.5,converged,0.25,0,1\n2,1,stalled,NaN,0,1\n";
        let table = Table::parse("run".into(), text).unwrap();
        assert_eq!(table.times(), [0.5, 1.0]);
        assert_eq!(table.column("top").unwrap()[0], 0.25);
        assert!(table.column("top").unwrap()[1].is_nan());
        assert_eq!(table.column("ball_vx"), None, "nothing but zeros");
        assert_eq!(table.column("status"), None, "no numbers");
        let probes: Vec<_> = table.probes().collect();
        assert_eq!(probes, [("top", ""), ("ball_vx", "")]);
        assert!(
            Table::parse("run".into(), "a,b\n")
                .unwrap_err()
                .contains("time")
        );
        let short = Table::parse("run".into(), "step,time\n1\n").unwrap_err();
        assert!(short.contains("line 2"), "{short}");
    }
}
