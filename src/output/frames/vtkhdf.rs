//! VTKHDF: all frames of a run in one file, for ParaView.
//!
//! After the VTKHDF file format, version 2.0, *UnstructuredGrid* with *Steps*. The number of frames and the shapes of all arrays are known when
//! the run begins, so that every value has its place in the file from the start. A frame writes its values there and, last, the attribute
//! `NSteps` and the length of `Values`, the times (VTK's reader wants the two to agree), in one call: whenever the run ends, be it by `kill -9`, the file is whole and has the frames so far. Room that is not
//! written yet takes no space where files may have holes. Cells, and arrays that do not change, are there once.

use super::piece::{self, Piece, Values, bytes};
use super::vtk_xml::{self, Kind};
use super::{Frame, FrameContent, FrameFormat, FrameMark, FrameOptions, Recorder};
use crate::error::{Error, Result};
use crate::output::RunFolder;
use crate::output::hdf5::{self, Attribute, Type};
use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Place of the object headers of the group `Steps` and of its `Values`: in a sector of their own, which a disk writes as a whole.
const STEPS_AT: u64 = 512;
/// Bytes of the sector.
const SECTOR: usize = 512;
/// Attribute that counts the frames.
const COUNT: &str = "NSteps";

/// The file `STEM.vtkhdf`, and files of the contacts beside it, unless a format of VTK XML has them.
pub(super) fn recorders(
    folder: &RunFolder,
    stem: &str,
    options: &FrameOptions,
) -> Vec<Box<dyn Recorder>> {
    let mut recorders: Vec<Box<dyn Recorder>> = vec![Box::new(VtkHdf {
        path: folder.path().join(format!("{stem}.vtkhdf")),
        content: options.content,
        most: options.most,
        open: None,
        is_resumed: false,
    })];
    let are_there = [FrameFormat::Vtp, FrameFormat::Vtu]
        .iter()
        .any(|xml| options.formats.contains(xml));
    if options.contacts && !are_there {
        recorders.push(vtk_xml::contacts(folder, stem, Kind::PolyData));
    }
    recorders
}

#[derive(Debug)]
struct VtkHdf {
    path: PathBuf,
    content: FrameContent,
    /// Frames of the whole run.
    most: u64,
    /// From the first frame on.
    open: Option<Open>,
    /// True if the file was there before.
    is_resumed: bool,
}

/// A file whose layout is known.
#[derive(Debug)]
struct Open {
    file: File,
    layout: Layout,
}

impl Recorder for VtkHdf {
    fn record(&mut self, frame: &Frame<'_>, frames: &[FrameMark]) -> Result<()> {
        let piece = piece::bodies(frame.seen.world, self.content);
        let count = frames.len() as u64;
        if count > self.most {
            return Err(Error::invalid(
                self.path.display().to_string(),
                format!("it has room for {} frames", self.most),
            ));
        }
        let recorded = match &mut self.open {
            Some(open) => open.record(&piece, frame.seen.world.time, count),
            None => self
                .begin(&piece, frame.seen.world.time, count)
                .map(|open| self.open = Some(open)),
        };
        recorded.map_err(|e| Error::io(&self.path, e))
    }

    fn sync(&mut self, _: &[FrameMark]) -> Result<()> {
        match &self.open {
            Some(open) => open.file.sync_data().map_err(|e| Error::io(&self.path, e)),
            None => Ok(()),
        }
    }

    fn resume(&mut self, frames: &[FrameMark]) -> Result<()> {
        self.is_resumed = true;
        let count = frames.len() as u64;
        let cut = File::options()
            .read(true)
            .write(true)
            .open(&self.path)
            .and_then(|mut file| {
                let (steps, times_at) = read_steps(&mut file)?;
                write_at(&mut file, STEPS_AT, &sector(&steps, times_at, count))
            });
        cut.map_err(|e| Error::io(&self.path, e))
    }
}

impl VtkHdf {
    /// Records the first frame of this process: in the file that was resumed, or in a new one, which has its name once the frame is in it.
    fn begin(&self, piece: &Piece, time: f64, count: u64) -> std::io::Result<Open> {
        if self.is_resumed {
            let file = File::options().read(true).write(true).open(&self.path)?;
            let mut open = Open {
                file,
                layout: Layout::new(piece, self.most),
            };
            open.record(piece, time, count)?;
            return Ok(open);
        }
        let partial = self.path.with_extension("vtkhdf.partial");
        let begun = self.create(&partial, piece, time, count);
        let begun = begun.and_then(|open| std::fs::rename(&partial, &self.path).map(|()| open));
        if begun.is_err() {
            // The rest of a failed write is of no use; that it may stay is not worth an error.
            let _ = std::fs::remove_file(&partial);
        }
        begun
    }

    /// Makes a file with a frame.
    fn create(&self, path: &Path, piece: &Piece, time: f64, count: u64) -> std::io::Result<Open> {
        let mut layout = Layout::new(piece, self.most);
        let constants = std::mem::take(&mut layout.constants);
        let mut file = File::options()
            .create(true)
            .truncate(true)
            .read(true)
            .write(true)
            .open(path)?;
        file.set_len(layout.length)?;
        write_at(&mut file, 0, &layout.metadata)?;
        for (at, values) in &constants {
            write_at(&mut file, *at, values)?;
        }
        let mut open = Open { file, layout };
        open.record(piece, time, count)?;
        Ok(open)
    }
}

impl Open {
    /// Writes a frame, the `count`-th, and then that it is there.
    fn record(&mut self, piece: &Piece, time: f64, count: u64) -> std::io::Result<()> {
        let number = count - 1;
        write_at(
            &mut self.file,
            self.layout.times_at + 8 * number,
            &time.to_le_bytes(),
        )?;
        let points = bytes(&piece.geometry.points, f64::to_le_bytes);
        let varying = piece.attributes.iter().filter(|array| !array.is_constant);
        let arrays = varying.map(|array| (array.name, array.values.to_bytes()));
        for (name, values) in std::iter::once((POINTS, points)).chain(arrays) {
            let Some(&(at, length)) = self.layout.varying.get(name) else {
                return Err(changed());
            };
            if values.len() as u64 != length {
                return Err(changed());
            }
            write_at(&mut self.file, at + number * length, &values)?;
        }
        let sector = sector(&self.layout.steps, self.layout.times_at, count);
        write_at(&mut self.file, STEPS_AT, &sector)
    }
}

/// A frame of other bodies than the first.
fn changed() -> std::io::Error {
    std::io::Error::other(
        "the bodies of the run have changed, and the format has no room for others",
    )
}

fn write_at(file: &mut File, at: u64, values: &[u8]) -> std::io::Result<()> {
    file.seek(SeekFrom::Start(at))?;
    file.write_all(values)
}

/// The object header of `Steps`, and the address of the times.
fn read_steps(file: &mut File) -> std::io::Result<(Vec<u8>, u64)> {
    file.seek(SeekFrom::Start(STEPS_AT))?;
    let mut sector = vec![0; SECTOR];
    file.read_exact(&mut sector)?;
    let header = |begin: usize| {
        let rest = sector.get(begin..)?;
        let header = rest.get(..hdf5::header_length(rest)?)?;
        hdf5::is_sealed(header).then_some(header)
    };
    let found = header(0).and_then(|steps| {
        let values = header(steps.len().next_multiple_of(8))?;
        Some((steps.to_vec(), hdf5::address(values)?))
    });
    found.ok_or_else(|| {
        std::io::Error::other(
            "it is not as it was at the checkpoint: it has no steps of this program",
        )
    })
}

/// The object headers of `Steps` and of the times after so many frames.
fn sector(steps: &[u8], times_at: u64, count: u64) -> Vec<u8> {
    let mut sector = steps.to_vec();
    let at = hdf5::first_integer(COUNT);
    sector[at..at + 8].copy_from_slice(&count.to_le_bytes());
    hdf5::seal(&mut sector);
    sector.resize(sector.len().next_multiple_of(8), 0);
    sector.extend(hdf5::dataset(Type::F64, &[count], times_at));
    sector
}

/// Name of the points among the varying arrays.
const POINTS: &str = "Points";

/// Places in a file.
#[derive(Debug)]
struct Layout {
    /// All before the first value, with no frames.
    metadata: Vec<u8>,
    /// The object header of `Steps`.
    steps: Vec<u8>,
    /// Length of the file `[bytes]`.
    length: u64,
    /// Values that are there once, and where.
    constants: Vec<(u64, Vec<u8>)>,
    /// Place of the times of the frames.
    times_at: u64,
    /// Start of the values of an array, and their length in a frame `[bytes]`.
    varying: HashMap<&'static str, (u64, u64)>,
}

impl Layout {
    fn new(piece: &Piece, frames: u64) -> Self {
        let geometry = &piece.geometry;
        let (points, cells) = (geometry.point_count() as u64, geometry.cell_count() as u64);
        let mut file = Planner::default();
        let one = |value: u64| value.to_le_bytes().to_vec();
        let root = [
            file.constant("NumberOfPoints", Type::I64, &[1], one(points)),
            file.constant("NumberOfCells", Type::I64, &[1], one(cells)),
            file.constant(
                "NumberOfConnectivityIds",
                Type::I64,
                &[1],
                one(geometry.connectivity.len() as u64),
            ),
            file.constant(
                "Connectivity",
                Type::I64,
                &[geometry.connectivity.len() as u64],
                bytes(&geometry.connectivity, i64::to_le_bytes),
            ),
            file.constant(
                "Offsets",
                Type::I64,
                &[cells + 1],
                [0_i64]
                    .iter()
                    .chain(&geometry.offsets)
                    .flat_map(|at| at.to_le_bytes())
                    .collect(),
            ),
            file.constant("Types", Type::U8, &[cells], geometry.cell_types()),
            file.varying(POINTS, Type::F64, [points, 3], frames),
        ];
        let elements = if geometry.is_point_cloud {
            points
        } else {
            cells
        };
        let (mut data, mut offsets) = (Vec::new(), Vec::new());
        for array in &piece.attributes {
            let shape = [elements, array.components as u64];
            let kind = match &array.values {
                Values::U8(_) => Type::U8,
                Values::I32(_) => Type::I32,
                Values::F32(_) => Type::F32,
            };
            data.push(if array.is_constant {
                file.constant(array.name, kind, &shape, array.values.to_bytes())
            } else {
                file.varying(array.name, kind, shape, frames)
            });
            let by = if array.is_constant { 0 } else { elements };
            offsets.push(file.progression(array.name, frames, 0, by));
        }
        let times = file.dataset("Values", Type::F64, &[frames]);
        let steps = vec![
            file.progression("PartOffsets", frames, 0, 0),
            file.progression("NumberOfParts", frames, 1, 0),
            file.progression("PointOffsets", frames, 0, points),
            file.progression("CellOffsets", frames, 0, 0),
            file.progression("ConnectivityIdOffsets", frames, 0, 0),
        ];
        let (section, other) = if geometry.is_point_cloud {
            ("PointData", "CellData")
        } else {
            ("CellData", "PointData")
        };
        file.finish(times, steps, &root, [section, other], data, offsets)
    }
}

/// A dataset that is planned: its name, its kind and shape, and the place of its values after the metadata.
#[derive(Debug)]
struct Planned {
    name: &'static str,
    kind: Type,
    shape: Vec<u64>,
    at: u64,
}

/// Plans a file; places count from the end of the metadata.
#[derive(Debug, Default)]
struct Planner {
    length: u64,
    constants: Vec<(u64, Vec<u8>)>,
    varying: HashMap<&'static str, (u64, u64)>,
}

impl Planner {
    fn dataset(&mut self, name: &'static str, kind: Type, shape: &[u64]) -> Planned {
        let at = self.length;
        let size = shape
            .iter()
            .fold(kind.size(), |size, side| size.saturating_mul(*side));
        // Values are aligned; a length beyond all is refused by the file system.
        self.length = at.saturating_add(size.div_ceil(8).saturating_mul(8));
        Planned {
            name,
            kind,
            // Scalars have one dimension.
            shape: match shape {
                [count, 1] => vec![*count],
                shape => shape.to_vec(),
            },
            at,
        }
    }

    /// Values that are there once.
    fn constant(
        &mut self,
        name: &'static str,
        kind: Type,
        shape: &[u64],
        values: Vec<u8>,
    ) -> Planned {
        let planned = self.dataset(name, kind, shape);
        self.constants.push((planned.at, values));
        planned
    }

    /// Values of every frame, one after the other.
    fn varying(&mut self, name: &'static str, kind: Type, shape: [u64; 2], frames: u64) -> Planned {
        let [count, components] = shape;
        let planned = self.dataset(name, kind, &[count.saturating_mul(frames), components]);
        let length = count * components * kind.size();
        self.varying.insert(name, (planned.at, length));
        planned
    }

    /// A number a frame: `first`, and so much more in each.
    fn progression(&mut self, name: &'static str, frames: u64, first: u64, by: u64) -> Planned {
        let planned = self.dataset(name, Type::I64, &[frames]);
        // Zeros are there already.
        if (first, by) != (0, 0) {
            let values = (0..frames).flat_map(|frame| (first + frame * by).to_le_bytes());
            self.constants.push((planned.at, values.collect()));
        }
        planned
    }

    /// The layout of the file, its groups being `VTKHDF`, two sections of data, and `Steps` with the offsets into the first of these.
    fn finish(
        self,
        times: Planned,
        steps: Vec<Planned>,
        root: &[Planned],
        sections: [&'static str; 2],
        data: Vec<Planned>,
        offsets: Vec<Planned>,
    ) -> Layout {
        // Lengths of headers do not depend on what addresses are in them: one pass finds where the values begin.
        let assemble = |values_at: u64| {
            let mut metadata = vec![0; STEPS_AT as usize + SECTOR];
            let mut put = |header: Vec<u8>| {
                let at = metadata.len() as u64;
                metadata.extend(header);
                metadata.resize(metadata.len().next_multiple_of(8), 0);
                at
            };
            let link = |planned: &Planned, put: &mut dyn FnMut(Vec<u8>) -> u64| {
                let at = values_at.saturating_add(planned.at);
                let header = hdf5::dataset(planned.kind, &planned.shape, at);
                (planned.name.to_owned(), put(header))
            };
            let links = |planned: &[Planned], put: &mut dyn FnMut(Vec<u8>) -> u64| {
                let links = planned.iter().map(|planned| link(planned, put));
                links.collect::<Vec<_>>()
            };
            let offsets = links(&offsets, &mut put);
            let offsets = put(hdf5::group(&[], &offsets));
            let nothing = put(hdf5::group(&[], &[]));
            let data = links(&data, &mut put);
            let data = put(hdf5::group(&[], &data));
            let mut in_steps = links(&steps, &mut put);
            in_steps.push((format!("{}Offsets", sections[0]), offsets));
            in_steps.push((format!("{}Offsets", sections[1]), nothing));
            let mut in_root = links(root, &mut put);
            in_root.push((sections[0].to_owned(), data));
            in_root.push((sections[1].to_owned(), nothing));
            in_root.push(("Steps".to_owned(), STEPS_AT));
            let about = [
                Attribute::integers("Version", &[2, 0]),
                Attribute::text("Type", "UnstructuredGrid"),
            ];
            let vtkhdf = put(hdf5::group(&about, &in_root));
            let top = put(hdf5::group(&[], &[("VTKHDF".to_owned(), vtkhdf)]));
            // The length of a header does not depend on the address in it.
            in_steps.push((times.name.to_owned(), 0));
            let count = [Attribute::integer(COUNT, 0)];
            let length = hdf5::group(&count, &in_steps).len();
            if let Some((_, at)) = in_steps.last_mut() {
                *at = STEPS_AT + length.next_multiple_of(8) as u64;
            }
            let steps = hdf5::group(&count, &in_steps);
            let length = values_at.saturating_add(self.length);
            metadata[..hdf5::SUPERBLOCK].copy_from_slice(&hdf5::superblock(top, length));
            let sector = sector(&steps, values_at.saturating_add(times.at), 0);
            metadata[STEPS_AT as usize..][..sector.len()].copy_from_slice(&sector);
            (metadata, steps)
        };
        let values_at = assemble(0).0.len() as u64;
        let (metadata, steps) = assemble(values_at);
        let moved = |at: u64| values_at.saturating_add(at);
        let constants = self.constants.into_iter();
        let varying = self.varying.into_iter();
        Layout {
            metadata,
            steps,
            length: moved(self.length),
            constants: constants.map(|(at, values)| (moved(at), values)).collect(),
            times_at: moved(times.at),
            varying: varying
                .map(|(name, (at, length))| (name, (moved(at), length)))
                .collect(),
        }
    }
}
