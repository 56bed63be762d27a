//! Points of an earlier sitting, from a CSV file with the columns that this program writes. Columns are
//! found by their names; others are ignored.

use crate::point::{Origin, Point};
use crate::rapier;
use std::path::Path;

/// Reads the points of some scenes.
///
/// # Errors
/// A message for a file that cannot be read or lacks a column; rows without a time are left out.
pub(crate) fn read(path: &Path, scenes: &[String]) -> Result<Vec<Point>, String> {
    let text = std::fs::read_to_string(path).map_err(|why| format!("{}: {why}", path.display()))?;
    parse(&text, scenes).map_err(|why| format!("{}: {why}", path.display()))
}

fn parse(text: &str, scenes: &[String]) -> Result<Vec<Point>, String> {
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap_or("").split(',').collect();
    let optional = |name: &str| header.iter().position(|column| *column == name);
    let column = |name: &str| optional(name).ok_or_else(|| format!("no column {name}"));
    let (scene, engine) = (column("scene")?, column("engine")?);
    let (version, settings) = (column("version")?, column("settings")?);
    let (threads, time) = (column("threads")?, column("ms_per_step_median")?);
    let penetrations = [
        column("max_penetration")?,
        column("p99_penetration")?,
        column("mean_penetration")?,
    ];
    let [runs, energy, top, lost, substeps] = [
        "runs",
        "ke_per_body",
        "top_displacement",
        "lost",
        "outer_substeps",
    ]
    .map(optional);
    let points = lines.filter_map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        let text = |at: usize| cells.get(at).copied().unwrap_or("").to_owned();
        let number = |at: usize| cells.get(at)?.parse::<f64>().ok();
        let count = |at: usize| cells.get(at)?.parse::<usize>().ok();
        if !scenes.contains(&text(scene)) {
            return None;
        }
        let mut settings = text(settings);
        if let Some(substeps) = substeps.and_then(count).filter(|&n| n > 1) {
            settings += &format!(" substeps={substeps}");
        }
        let [max, p99, mean] = penetrations.map(number);
        Some(Point {
            scene: text(scene),
            engine: text(engine),
            version: text(version),
            settings,
            threads: count(threads)?,
            runs: runs.and_then(count).unwrap_or(1),
            origin: Origin::Recorded,
            ms_per_step: number(time)?,
            max_penetration: max?,
            p99_penetration: p99?,
            mean_penetration: mean?,
            ke_per_body: energy.and_then(number),
            lost: lost.and_then(count),
            top_displacement: top.and_then(number),
        })
    });
    Ok(points.collect())
}

/// Multiplies recorded times by how much slower Rapier with its own default is here than there, scene by
/// scene and number of threads by number of threads; what has no such pair is left as it is.
pub(crate) fn rescale(points: &mut [Point]) {
    let reference = |point: &Point, others: &[Point], origin: Origin| {
        let default = rapier::settings(4);
        let is_default = |other: &&Point| {
            let same_place = other.scene == point.scene && other.threads == point.threads;
            // Recordings tell a build of one thread from one of many: compare what comes before.
            let words = |settings: &str| settings.split(" feat=").next().map(str::to_owned);
            let native = !other.settings.contains("sse2");
            same_place
                && other.engine == rapier::NAME
                && other.origin == origin
                && words(&other.settings) == words(&default)
                && (native || origin == Origin::Interleaved)
        };
        others
            .iter()
            .find(is_default)
            .map(|other| other.ms_per_step)
    };
    let all = points.to_vec();
    for point in points.iter_mut().filter(|p| p.origin == Origin::Recorded) {
        let here = reference(point, &all, Origin::Interleaved);
        let there = reference(point, &all, Origin::Recorded);
        if let (Some(here), Some(there)) = (here, there) {
            point.ms_per_step *= here / there;
            point.settings += " (time rescaled)";
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_name_and_rows_without_a_time_left_out() {
        let text = "scene,engine,version,settings,threads,ms_per_step_median,max_penetration,\
                    p99_penetration,mean_penetration,note\n\
                    a,x,1,fast,1,2.5,0.1,0.05,0.01,n\n\
                    a,x,1,slow,1,,0.1,0.05,0.01,n\n\
                    b,x,1,fast,1,2.5,0.1,0.05,0.01,n\n";
        let found = parse(text, &["a".into()]).expect("a table");
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].ms_per_step, found[0].mean_penetration),
            (2.5, 0.01)
        );
        assert!(parse("scene,engine\n", &[]).is_err());
    }
}
