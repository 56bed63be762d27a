//! `metrics.csv`: one row a step.

use super::RunFolder;
use crate::error::{Error, Result};
use crate::measure::{Probe, Seen};
use crate::step::StepReport;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::time::Duration;

/// Columns of every run, in this order; those of the scene's probes follow.
///
/// Times are in s, those of stages (`t_..._ms`) in ms of wall clock; energies in J; penetrations in
/// m; `residual_...` (velocity LCP) in m/s, `position_residual_...` in m. A step without a position
/// pass has `NaN` residuals and the status `none` there. `joint_...` are the largest errors of any
/// joint: `joint_error` in m, also before the position pass; of axes in rad; of prescribed velocities in
/// m/s; beyond limits in m and rad. `witness_pairs` and `witness_searches` are those of [`Witnesses`](crate::collide::Witnesses).
const COLUMNS: [&str; 36] = [
    "step",
    "time",
    "bodies",
    "contacts",
    "colors",
    "iterations",
    "residual_rms",
    "residual_max",
    "position_residual_max",
    "max_penetration",
    "mean_penetration",
    "kinetic_energy",
    "potential_energy",
    "t_broad_ms",
    "t_narrow_ms",
    "t_pack_ms",
    "t_solve_ms",
    "t_position_ms",
    "t_step_ms",
    "remainder_contacts",
    "penetrating_contacts",
    "status",
    "position_iterations",
    "position_residual_rms",
    "position_status",
    "joint_error",
    "joint_error_before_post",
    "joint_angle_error",
    "joint_velocity_error",
    "joint_limit_error",
    "joint_limit_angle_error",
    "broken_joints",
    "substeps",
    "contact_updates",
    "witness_pairs",
    "witness_searches",
];

/// Unit of a column; `1` for counts, and for words.
fn unit(column: &str) -> &'static str {
    match column {
        "time" => "s",
        "residual_rms" | "residual_max" | "joint_velocity_error" => "m/s",
        "position_residual_rms"
        | "position_residual_max"
        | "max_penetration"
        | "mean_penetration" => "m",
        "joint_error" | "joint_error_before_post" | "joint_limit_error" => "m",
        "joint_angle_error" | "joint_limit_angle_error" => "rad",
        "kinetic_energy" | "potential_energy" => "J",
        _ if column.starts_with("t_") => "ms",
        _ => "1",
    }
}

/// Unit of every column of `metrics.csv`, in their order.
#[must_use]
pub fn metrics_units(probes: &[Probe]) -> Vec<(String, &'static str)> {
    let standard = COLUMNS
        .iter()
        .map(|column| ((*column).to_owned(), unit(column)));
    let of_probes = probes.iter().flat_map(|probe| {
        let units = probe.units().iter().copied();
        probe.columns().into_iter().zip(units)
    });
    standard.chain(of_probes).collect()
}

/// Writes `metrics.csv`, one whole row at a time.
///
/// Numbers are in the shortest form that reads back to the same bits (f32 values to the same f32),
/// so two identical runs differ in the `t_..._ms` columns only.
#[derive(Debug)]
pub struct MetricsWriter {
    file: File,
    path: PathBuf,
    row: String,
    /// Of what is written.
    checksum: crc32fast::Hasher,
    bytes: u64,
}

/// Where a file of metrics ends in a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct MetricsMark {
    bytes: u64,
    checksum: u32,
}

impl MetricsWriter {
    /// Creates the file and writes its header.
    ///
    /// # Errors
    /// [`Error::Io`] if the file exists or cannot be written.
    pub fn create(folder: &RunFolder, probes: &[Probe]) -> Result<Self> {
        let name = "metrics.csv";
        let mut writer = Self {
            file: folder.create_file(name)?,
            path: folder.path().join(name),
            row: COLUMNS.join(","),
            checksum: crc32fast::Hasher::new(),
            bytes: 0,
        };
        for column in probes.iter().flat_map(Probe::columns) {
            writer.row.push(',');
            writer.row.push_str(&quoted(&column));
        }
        if let Err(why) = writer.write_row() {
            // Without a header it is no table.
            let _ = std::fs::remove_file(&writer.path);
            return Err(why);
        }
        Ok(writer)
    }

    /// Opens the file of a run that goes on from a checkpoint. What follows the mark is left as it is until [`Self::cut`].
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be read, [`Error::Invalid`] if it is not the one that was marked.
    pub fn resume(folder: &RunFolder, mark: &MetricsMark) -> Result<Self> {
        let path = folder.path().join("metrics.csv");
        let io = |source| Error::io(&path, source);
        let mut file = File::options()
            .read(true)
            .write(true)
            .open(&path)
            .map_err(io)?;
        let mut checksum = crc32fast::Hasher::new();
        let mut buffer = vec![0; 1 << 16];
        let mut left = mark.bytes;
        while left > 0 {
            let most = usize::try_from(left)
                .unwrap_or(usize::MAX)
                .min(buffer.len());
            let count = file.read(&mut buffer[..most]).map_err(io)?;
            if count == 0 {
                break;
            }
            checksum.update(&buffer[..count]);
            left -= count as u64;
        }
        if left > 0 || checksum.clone().finalize() != mark.checksum {
            return Err(Error::invalid(
                path.display().to_string(),
                "it is not as it was at the checkpoint: rows are missing, were changed, or are of another run",
            ));
        }
        Ok(Self {
            file,
            path,
            row: String::new(),
            checksum,
            bytes: mark.bytes,
        })
    }

    /// Removes what follows the mark that the run goes on from.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be removed.
    pub fn cut(&mut self) -> Result<()> {
        let end = SeekFrom::Start(self.bytes);
        let cut = self.file.set_len(self.bytes);
        let cut = cut.and_then(|()| self.file.seek(end));
        cut.map(drop).map_err(|e| Error::io(&self.path, e))
    }

    /// Sees to it that all rows are on the disk, and marks where they end.
    ///
    /// # Errors
    /// [`Error::Io`] if they cannot be written.
    pub fn mark(&mut self) -> Result<MetricsMark> {
        self.file
            .sync_data()
            .map_err(|e| Error::io(&self.path, e))?;
        Ok(MetricsMark {
            bytes: self.bytes,
            checksum: self.checksum.clone().finalize(),
        })
    }

    /// Writes the row of a step.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be written.
    pub fn write(&mut self, report: &StepReport, seen: &Seen<'_>, probes: &[Probe]) -> Result<()> {
        self.row.clear();
        // Writing to a string cannot fail.
        let _ = self.format(report, seen, probes);
        self.write_row()
    }

    fn format(
        &mut self,
        report: &StepReport,
        seen: &Seen<'_>,
        probes: &[Probe],
    ) -> std::fmt::Result {
        let row = &mut self.row;
        let velocity = &report.velocity;
        let position = report.position.as_ref();
        write!(
            row,
            "{},{:?},{},{},{},{}",
            report.step,
            report.time,
            seen.world.bodies.len(),
            report.contacts,
            velocity.colors,
            velocity.iterations,
        )?;
        write!(
            row,
            ",{:?},{:?},{:?}",
            velocity.residual_rms,
            velocity.residual_max,
            position.map_or(f32::NAN, |p| p.residual_max),
        )?;
        for number in [
            report.penetration.max,
            report.penetration.mean,
            report.energy.kinetic,
            report.energy.potential,
        ] {
            write!(row, ",{number:?}")?;
        }
        let times = &report.timings;
        for time in [
            times.broad,
            times.narrow,
            times.pack,
            times.solve,
            times.position,
            times.step,
        ] {
            write!(row, ",{:.4}", milliseconds(time))?;
        }
        write!(
            row,
            ",{},{},{},{},{:?},{}",
            velocity.remainder_contacts,
            report.penetration.count,
            if report.capped {
                "capped"
            } else {
                velocity.status.name()
            },
            position.map_or(0, |p| p.iterations),
            position.map_or(f32::NAN, |p| p.residual_rms),
            position.map_or("none", |p| p.status.name()),
        )?;
        let joints = &report.joints;
        for error in [
            joints.linear_max,
            report.joints_before_post.linear_max,
            joints.angular_max,
            joints.velocity_max,
            joints.limit_max,
            joints.limit_angular_max,
        ] {
            write!(row, ",{error:?}")?;
        }
        write!(
            row,
            ",{},{},{},{},{}",
            joints.broken,
            report.substeps,
            report.contact_updates,
            report.witnesses.pairs,
            report.witnesses.searched
        )?;
        for value in probes.iter().flat_map(|probe| probe.values(seen)) {
            write!(row, ",{value:?}")?;
        }
        Ok(())
    }

    /// One write call a row: a reader, or an interruption, never sees half of one. Of a row that a full disk takes in part, nothing stays.
    fn write_row(&mut self) -> Result<()> {
        self.row.push('\n');
        let row = self.row.as_bytes();
        if let Err(why) = self.file.write_all(row) {
            // The error of the row matters more than one of removing its part.
            let _ = self.cut();
            return Err(Error::io(&self.path, why));
        }
        let row = self.row.as_bytes();
        self.checksum.update(row);
        self.bytes += row.len() as u64;
        Ok(())
    }
}

/// A duration in ms.
pub(super) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// A CSV field, quoted where it must be (RFC 4180).
pub(super) fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}
