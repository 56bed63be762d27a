//! The points as Markdown, CSV and JSON.

use crate::point::{Origin, Point, Standing};
use serde::Serialize;
use std::fmt::Write as _;

/// What a reader needs to make the results again.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Provenance {
    pub(crate) command: String,
    pub(crate) drystone: &'static str,
    /// Of the working tree, if git tells; with `+` if it has changes.
    pub(crate) commit: Option<String>,
    pub(crate) cpu: String,
    pub(crate) cores: usize,
    pub(crate) target_features: &'static str,
}

#[derive(Serialize)]
struct Document<'a> {
    provenance: &'a Provenance,
    points: &'a [Standing],
}

impl Provenance {
    pub(crate) fn now() -> Self {
        let words: Vec<String> = std::env::args().skip(1).collect();
        Self {
            command: format!("drystone-peers {}", words.join(" ")),
            drystone: env!("CARGO_PKG_VERSION"),
            commit: commit(),
            cpu: cpu(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            target_features: if cfg!(target_feature = "avx512f") {
                "avx512"
            } else if cfg!(target_feature = "avx2") {
                "avx2"
            } else {
                "baseline"
            },
        }
    }
}

fn commit() -> Option<String> {
    let git = |args: &[&str]| {
        let output = std::process::Command::new("git")
            .args(["-C", env!("CARGO_MANIFEST_DIR")])
            .args(args)
            .output()
            .ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    let head = git(&["rev-parse", "--short", "HEAD"])?;
    let changed = git(&["status", "--porcelain", "--untracked-files=no"])?;
    Some(head + if changed.is_empty() { "" } else { "+" })
}

fn cpu() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = info.lines().find(|line| line.starts_with("model name"));
    let name = line.and_then(|line| line.split(": ").nth(1));
    name.unwrap_or(std::env::consts::ARCH).trim().to_owned()
}

/// Everything, in one document.
pub(crate) fn json(provenance: &Provenance, points: &[Standing]) -> Result<String, String> {
    let document = Document { provenance, points };
    serde_json::to_string_pretty(&document).map_err(|why| why.to_string())
}

/// One row a point; a later run can read it as recorded points.
pub(crate) fn csv(points: &[Standing]) -> String {
    let mut text = String::from(
        "scene,engine,version,settings,threads,outer_substeps,runs,ms_per_step_median,max_penetration,\
         p99_penetration,mean_penetration,ke_per_body,top_displacement,lost,origin,speedup_at_mean,\
         speedup_at_worst,speedup_at_both,by_mean,by_worst,dominates\n",
    );
    for standing in points {
        let point = &standing.point;
        let optional = |x: Option<f64>| x.map_or_else(String::new, |x| format!("{x:.4}"));
        let plain = |words: &str| words.replace(',', " ");
        let _ = writeln!(
            text,
            "{},{},{},{},{},1,{},{:.4},{:.6},{:.6},{:.6},{},{},{},{},{},{},{},{},{},{}",
            point.scene,
            plain(&point.engine),
            plain(&point.version),
            plain(&point.settings),
            point.threads,
            point.runs,
            point.ms_per_step,
            point.max_penetration,
            point.p99_penetration,
            point.mean_penetration,
            optional(point.ke_per_body),
            optional(point.top_displacement),
            point.lost.map_or_else(String::new, |n| n.to_string()),
            origin(point),
            optional(standing.speedup_at_mean),
            optional(standing.speedup_at_worst),
            optional(standing.speedup_at_both),
            standing.by_mean.word(),
            standing.by_worst.word(),
            standing.dominates,
        );
    }
    text
}

/// A table for each scene and number of threads, and what is to be read from it.
pub(crate) fn markdown(provenance: &Provenance, points: &[Standing]) -> String {
    let mut text = format!(
        "# drystone beside other engines\n\n\
         `{}`, drystone {}{}, {} ({} cores, {}).\n\n\
         Times are the mean over the second half of the steps, or what --clock says. Penetrations are in thousandths of a body \
         diameter, over the pairs that overlap in the last state. \"x at mean\" says how many times faster \
         drystone is at equal or better mean penetration: on a peer's row its fastest point that is \
         at least as accurate, on its own rows that point beside the fastest of Rapier's that is at \
         least as accurate; \"x at worst\" and \"x at both\" likewise; `-` where none is as accurate. \"mean\" \
         and \"worst\" place a peer by drystone's curve: behind it, AHEAD of some of it, or apart \
         (faster and less accurate than all of it, or slower and more accurate).\n",
        provenance.command,
        provenance.drystone,
        provenance
            .commit
            .as_ref()
            .map_or_else(String::new, |commit| format!(" at {commit}")),
        provenance.cpu,
        provenance.cores,
        provenance.target_features,
    );
    let mut groups: Vec<(&str, usize)> = Vec::new();
    for standing in points {
        let group = (standing.point.scene.as_str(), standing.point.threads);
        if !groups.contains(&group) {
            groups.push(group);
        }
    }
    for (scene, threads) in groups {
        let in_group = |s: &&Standing| s.point.scene == scene && s.point.threads == threads;
        let mut group: Vec<&Standing> = points.iter().filter(in_group).collect();
        group.sort_by(|a, b| a.point.ms_per_step.total_cmp(&b.point.ms_per_step));
        let plural = if threads == 1 { "thread" } else { "threads" };
        let _ = writeln!(
            text,
            "\n## {scene}, {threads} {plural}\n\n\
             | engine | settings | ms/step | mean | p99 | max | KE/body [J] | top moved [m] | x at mean \
             | x at worst | x at both | mean | worst |\n\
             |---|---|---|---|---|---|---|---|---|---|---|---|---|"
        );
        for standing in &group {
            text.push_str(&row(standing));
        }
        text.push_str(&summary(&group));
    }
    text
}

fn row(standing: &Standing) -> String {
    let point = &standing.point;
    let optional = |x: Option<f64>, digits: usize| {
        x.map_or_else(|| "-".to_owned(), |x| format!("{x:.digits$}"))
    };
    let bold = if point.is_ours() { "**" } else { "" };
    let note = match (point.is_sound(), point.origin) {
        (false, _) => " (bodies lost)",
        (true, Origin::Recorded) => " (recorded)",
        (true, _) => "",
    };
    format!(
        "| {bold}{}{bold} {} | {}{note} | {:.3} | {:.2} | {:.2} | {:.1} | {} | {} | {} | {} | {} | {} | {} |\n",
        point.engine,
        point.version,
        point.settings,
        point.ms_per_step,
        1e3 * point.mean_penetration,
        1e3 * point.p99_penetration,
        1e3 * point.max_penetration,
        optional(point.ke_per_body, 3),
        optional(point.top_displacement, 3),
        optional(standing.speedup_at_mean, 2),
        optional(standing.speedup_at_worst, 2),
        optional(standing.speedup_at_both, 2),
        standing.by_mean.word(),
        standing.by_worst.word(),
    )
}

/// What the table says in a line or two, lost comparisons included.
fn summary(group: &[&Standing]) -> String {
    let peers = || {
        group
            .iter()
            .filter(|s| !s.point.is_ours() && s.point.is_sound())
    };
    let named = |s: &&&Standing| format!("{} {}", s.point.engine, s.point.settings);
    let dominating: Vec<String> = peers().filter(|s| s.dominates).map(|s| named(&s)).collect();
    let lost: Vec<String> = peers()
        .filter(|s| s.speedup_at_both.is_none_or(|x| x < 1.0))
        .map(|s| named(&s))
        .collect();
    let list = |names: &[String]| match names.len() {
        0 => "none".to_owned(),
        _ => names.join("; "),
    };
    format!(
        "\nFaster and more accurate than every point of drystone's: {}.\n\
         Peers whose mean and worst penetration no point of drystone's reaches in their time: {}.\n",
        list(&dominating),
        list(&lost)
    )
}

fn origin(point: &Point) -> &'static str {
    match point.origin {
        Origin::Interleaved => "interleaved",
        Origin::External => "external",
        Origin::Recorded => "recorded",
    }
}
