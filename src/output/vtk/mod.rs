//! Frames for ParaView: one VTK XML file a frame, and a `.pvd` collection that gives their times.
//!
//! Two contents ([`FrameContent`]): bodies as points, with everything a glyph filter needs to draw
//! them, or their surfaces, triangulated coarsely. Two formats ([`FrameFormat`]): `.vtp`, and `.vtu`
//! for readers that know unstructured grids only, such as meshio.

mod geometry;
mod surface;
mod xml;

use super::RunFolder;
use super::run_folder::file_stem;
use crate::constants::MAX_SURFACE_FRAME_BODIES;
use crate::error::{Error, Result};
use crate::world::World;
use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs::File;
use std::path::PathBuf;

/// What a frame shows of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum FrameContent {
    /// Surfaces up to [`MAX_SURFACE_FRAME_BODIES`] bodies, points beyond.
    #[default]
    Auto,
    /// A point at its centre of mass, with the arrays `id`, `kind`, `shape`, `radius` `[m]`, `half_extents` `[m]`,
    /// `orientation` (quaternion w, x, y, z), `velocity` `[m/s]`, `angular_velocity` `[rad/s]` and
    /// `speed` `[m/s]`.
    ///
    /// `kind` is 0 dynamic, 1 fixed, 2 kinematic; `shape` is 0 sphere, 1 box, 2 capsule,
    /// 3 half-space, 4 compound, 5 polyhedron, 6 mesh, 7 cylinder, 8 cone. `radius` is that of the sphere about the centre of mass that holds
    /// the body, and `half_extents` those of its bounding box in body axes; both are 0 for a
    /// half-space.
    Points,
    /// Its surface, with the arrays `id`, `kind`, `shape`, `velocity`, `angular_velocity` and
    /// `speed` on every face. A half-space is a square under everything else.
    Surfaces,
}

/// File format of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum FrameFormat {
    /// VTK XML polygonal data, what ParaView users expect.
    #[default]
    Vtp,
    /// VTK XML unstructured grid, which more programs read.
    Vtu,
}

impl FrameFormat {
    /// Extension of its files.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Vtp => "vtp",
            Self::Vtu => "vtu",
        }
    }
}

/// Writes frames into the folder of a run.
#[derive(Debug)]
pub struct FrameWriter {
    folder: RunFolder,
    stem: String,
    content: FrameContent,
    format: FrameFormat,
    /// Time `[s]` and path relative to the run folder of every frame.
    frames: Vec<(f64, String)>,
    /// Of these, how many are surely on the disk.
    synced: usize,
}

impl FrameWriter {
    /// Makes the folder `frames` in a run's folder.
    ///
    /// # Errors
    /// [`Error::Io`](crate::Error::Io) if it cannot be made.
    pub fn create(
        folder: &RunFolder,
        scene_name: &str,
        content: FrameContent,
        format: FrameFormat,
    ) -> Result<Self> {
        folder.create_subfolder("frames")?;
        Ok(Self {
            folder: folder.clone(),
            stem: file_stem(scene_name),
            content,
            format,
            frames: Vec::new(),
            synced: 0,
        })
    }

    /// Goes on after these frames, which [`Self::mark`] gave: later ones, and what was half-written, are removed.
    ///
    /// # Errors
    /// [`Error::Io`](crate::Error::Io) if they cannot be removed.
    pub fn resume(
        folder: &RunFolder,
        scene_name: &str,
        content: FrameContent,
        format: FrameFormat,
        frames: Vec<(f64, String)>,
    ) -> Result<Self> {
        let writer = Self {
            folder: folder.clone(),
            stem: file_stem(scene_name),
            content,
            format,
            synced: frames.len(),
            frames,
        };
        let inside = folder.path().join("frames");
        let io = |source| Error::io(&inside, source);
        let known: HashSet<&str> = writer.frames.iter().map(|(_, name)| &name[..]).collect();
        for entry in std::fs::read_dir(&inside).map_err(io)? {
            let entry = entry.map_err(io)?;
            let name = entry.file_name().into_string().unwrap_or_default();
            if writer.is_own(&name) && !known.contains(&format!("frames/{name}")[..]) {
                std::fs::remove_file(entry.path()).map_err(|e| Error::io(&entry.path(), e))?;
            }
        }
        writer.write_collection()?;
        Ok(writer)
    }

    /// True for the name of a frame, or of one that is being written.
    fn is_own(&self, name: &str) -> bool {
        let name = name.strip_suffix(".partial").unwrap_or(name);
        let number = name
            .strip_prefix(&self.stem[..])
            .and_then(|rest| rest.strip_prefix('_'))
            .and_then(|rest| rest.strip_suffix(self.format.extension()))
            .and_then(|rest| rest.strip_suffix('.'));
        number.is_some_and(|number| number.parse::<u64>().is_ok())
    }

    /// Sees to it that all frames are on the disk, and gives time `[s]` and path of each.
    ///
    /// # Errors
    /// [`Error::Io`](crate::Error::Io) if one is not there.
    pub fn mark(&mut self) -> Result<Vec<(f64, String)>> {
        for (_, name) in &self.frames[self.synced..] {
            let path = self.folder.path().join(name);
            let synced = File::open(&path).and_then(|file| file.sync_all());
            synced.map_err(|e| Error::io(&path, e))?;
        }
        self.synced = self.frames.len();
        Ok(self.frames.clone())
    }

    /// Writes `frames/NAME_STEP` of a world after a step, and `NAME.pvd` anew, so that the
    /// collection always names exactly the frames that are there.
    ///
    /// # Errors
    /// [`Error::Io`](crate::Error::Io) if a file cannot be written.
    pub fn write(&mut self, step: u64, world: &World) -> Result<PathBuf> {
        let name = format!("frames/{}_{step:06}.{}", self.stem, self.format.extension());
        let document = frame(world, self.content, self.format);
        let path = self.folder.write(&name, document.as_bytes())?;
        self.frames.push((world.time, name));
        self.write_collection()?;
        Ok(path)
    }

    fn write_collection(&self) -> Result<PathBuf> {
        let name = format!("{}.pvd", self.stem);
        self.folder.write(&name, self.collection().as_bytes())
    }

    /// Number of frames written.
    #[must_use]
    pub fn count(&self) -> usize {
        self.frames.len()
    }

    fn collection(&self) -> String {
        let mut text = String::from(
            "<?xml version=\"1.0\"?>\n\
             <VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n\
             <Collection>\n",
        );
        for (time, file) in &self.frames {
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "<DataSet timestep=\"{time:?}\" group=\"\" part=\"0\" file=\"{file}\"/>"
            );
        }
        text.push_str("</Collection>\n</VTKFile>\n");
        text
    }
}

/// One frame as the text of a VTK XML file.
#[must_use]
pub fn frame(world: &World, content: FrameContent, format: FrameFormat) -> String {
    let surfaces = match content {
        FrameContent::Auto => world.bodies.len() <= MAX_SURFACE_FRAME_BODIES,
        FrameContent::Points => false,
        FrameContent::Surfaces => true,
    };
    let (geometry, attributes) = if surfaces {
        geometry::surfaces(world)
    } else {
        geometry::points(world)
    };
    xml::document(&geometry, &attributes, world.time, format)
}
