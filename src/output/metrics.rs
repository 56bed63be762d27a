//! `metrics.csv`: one row a step.

use super::RunFolder;
use crate::error::{Error, Result};
use crate::measure::{Probe, Seen};
use crate::solver::Report;
use crate::step::StepReport;
use crate::world::World;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::time::Duration;

/// A column: name, unit (`1` for counts and words), and value after a step.
type Column = (&'static str, &'static str, fn(&StepReport, &World) -> Cell);

/// A value in a row.
enum Cell {
    Count(u64),
    Number(f64),
    Single(f32),
    Milliseconds(Duration),
    Word(&'static str),
}

impl std::fmt::Display for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Count(count) => write!(f, "{count}"),
            Self::Number(number) => write!(f, "{number:?}"),
            Self::Single(number) => write!(f, "{number:?}"),
            Self::Milliseconds(time) => write!(f, "{:.4}", milliseconds(*time)),
            Self::Word(word) => f.write_str(word),
        }
    }
}

/// A number of the position pass; `NaN` without one.
fn position(report: &StepReport, number: fn(&Report) -> f32) -> Cell {
    Cell::Single(report.position.as_ref().map_or(f32::NAN, number))
}

/// Columns of every run, in this order; those of the scene's probes follow.
///
/// Times of stages (`t_..._ms`) are of wall clock. A step without a position pass has `NaN` residuals and the status `none` there.
/// `joint_...` are the largest errors of any joint: `joint_error` also before the position pass; then of axes, of prescribed velocities,
/// and beyond limits. `witness_pairs` and `witness_searches` are those of [`Witnesses`](crate::collide::Witnesses).
const COLUMNS: [Column; 36] = {
    use Cell::{Count, Milliseconds, Number, Single, Word};
    [
        ("step", "1", |r, _| Count(r.step)),
        ("time", "s", |r, _| Number(r.time)),
        ("bodies", "1", |_, world| Count(world.bodies.len() as u64)),
        ("contacts", "1", |r, _| Count(r.contacts as u64)),
        ("colors", "1", |r, _| Count(r.velocity.colors.into())),
        ("iterations", "1", |r, _| {
            Count(r.velocity.iterations.into())
        }),
        ("residual_rms", "m/s", |r, _| {
            Single(r.velocity.residual_rms)
        }),
        ("residual_max", "m/s", |r, _| {
            Single(r.velocity.residual_max)
        }),
        ("position_residual_max", "m", |r, _| {
            position(r, |p| p.residual_max)
        }),
        ("max_penetration", "m", |r, _| Number(r.penetration.max)),
        ("mean_penetration", "m", |r, _| Number(r.penetration.mean)),
        ("kinetic_energy", "J", |r, _| Number(r.energy.kinetic)),
        ("potential_energy", "J", |r, _| Number(r.energy.potential)),
        ("t_broad_ms", "ms", |r, _| Milliseconds(r.timings.broad)),
        ("t_narrow_ms", "ms", |r, _| Milliseconds(r.timings.narrow)),
        ("t_pack_ms", "ms", |r, _| Milliseconds(r.timings.pack)),
        ("t_solve_ms", "ms", |r, _| Milliseconds(r.timings.solve)),
        ("t_position_ms", "ms", |r, _| {
            Milliseconds(r.timings.position)
        }),
        ("t_step_ms", "ms", |r, _| Milliseconds(r.timings.step)),
        ("remainder_contacts", "1", |r, _| {
            Count(r.velocity.remainder_contacts.into())
        }),
        ("penetrating_contacts", "1", |r, _| {
            Count(r.penetration.count as u64)
        }),
        ("status", "1", |r, _| {
            Word(if r.capped {
                "capped"
            } else {
                r.velocity.status.name()
            })
        }),
        ("position_iterations", "1", |r, _| {
            Count(r.position.as_ref().map_or(0, |p| p.iterations.into()))
        }),
        ("position_residual_rms", "m", |r, _| {
            position(r, |p| p.residual_rms)
        }),
        ("position_status", "1", |r, _| {
            Word(r.position.as_ref().map_or("none", |p| p.status.name()))
        }),
        ("joint_error", "m", |r, _| Number(r.joints.linear_max)),
        ("joint_error_before_post", "m", |r, _| {
            Number(r.joints_before_post.linear_max)
        }),
        ("joint_angle_error", "rad", |r, _| {
            Number(r.joints.angular_max)
        }),
        ("joint_velocity_error", "m/s", |r, _| {
            Number(r.joints.velocity_max)
        }),
        ("joint_limit_error", "m", |r, _| Number(r.joints.limit_max)),
        ("joint_limit_angle_error", "rad", |r, _| {
            Number(r.joints.limit_angular_max)
        }),
        ("broken_joints", "1", |r, _| Count(r.joints.broken as u64)),
        ("substeps", "1", |r, _| Count(r.substeps.into())),
        ("contact_updates", "1", |r, _| {
            Count(r.contact_updates.into())
        }),
        ("witness_pairs", "1", |r, _| Count(r.witnesses.pairs)),
        ("witness_searches", "1", |r, _| Count(r.witnesses.searched)),
    ]
};

/// Unit of every column of `metrics.csv`, in their order.
#[must_use]
pub fn metrics_units(probes: &[Probe]) -> Vec<(String, &'static str)> {
    let standard = COLUMNS.map(|(name, unit, _)| (name.to_owned(), unit));
    let of_probes = probes.iter().flat_map(|probe| {
        let units = probe.units().iter().copied();
        probe.columns().into_iter().zip(units)
    });
    standard.into_iter().chain(of_probes).collect()
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
            row: COLUMNS.map(|(name, ..)| name).join(","),
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
        for (at, (_, _, value)) in COLUMNS.iter().enumerate() {
            let separator = if at == 0 { "" } else { "," };
            // Writing to a string cannot fail.
            let _ = write!(self.row, "{separator}{}", value(report, seen.world));
        }
        for value in probes.iter().flat_map(|probe| probe.values(seen)) {
            let _ = write!(self.row, ",{value:?}");
        }
        self.write_row()
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
