//! A file of its own for every frame, each whole or not there.

use super::{Frame, FrameMark, FrameOptions, Recorder};
use crate::error::{Error, Result};
use crate::output::RunFolder;
use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs::File;

/// The content of a frame's file.
pub(super) type Content = Box<dyn Fn(&Frame<'_>) -> std::io::Result<Vec<u8>> + Send>;

/// The files `frames/STEM_STEP.EXTENSION`.
pub(super) struct Series {
    pub(super) folder: RunFolder,
    pub(super) stem: String,
    pub(super) extension: &'static str,
    /// True if `STEM.pvd`, written anew with every frame, gives ParaView their times: it names exactly the frames that are there.
    pub(super) is_collected: bool,
    pub(super) content: Content,
}

/// Files of the bodies, and of the contacts if they are asked for.
pub(super) fn files(
    folder: &RunFolder,
    stem: &str,
    options: &FrameOptions,
    extension: &'static str,
    [bodies, contacts]: [Content; 2],
) -> Vec<Box<dyn Recorder>> {
    let series = |stem: String, content: Content| -> Box<dyn Recorder> {
        Box::new(Series {
            folder: folder.clone(),
            stem,
            extension,
            is_collected: false,
            content,
        })
    };
    let mut recorders = vec![series(stem.to_owned(), bodies)];
    if options.contacts {
        recorders.push(series(format!("{stem}_contacts"), contacts));
    }
    recorders
}

impl std::fmt::Debug for Series {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Series")
            .field("stem", &self.stem)
            .field("extension", &self.extension)
            .finish_non_exhaustive()
    }
}

impl Series {
    /// Path of a frame's file, relative to the run folder.
    fn name(&self, step: u64) -> String {
        format!("frames/{}_{step:06}.{}", self.stem, self.extension)
    }

    /// True for the name of a frame, or of one that is being written.
    fn is_own(&self, name: &str) -> bool {
        let name = name.strip_suffix(".partial").unwrap_or(name);
        let number = name
            .strip_prefix(&self.stem[..])
            .and_then(|rest| rest.strip_prefix('_'))
            .and_then(|rest| rest.strip_suffix(self.extension))
            .and_then(|rest| rest.strip_suffix('.'));
        number.is_some_and(|number| number.parse::<u64>().is_ok())
    }

    fn write_collection(&self, frames: &[FrameMark]) -> Result<()> {
        if !self.is_collected {
            return Ok(());
        }
        let mut text = String::from(
            "<?xml version=\"1.0\"?>\n\
             <VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n\
             <Collection>\n",
        );
        for &FrameMark { step, time } in frames {
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "<DataSet timestep=\"{time:?}\" group=\"\" part=\"0\" file=\"{}\"/>",
                self.name(step)
            );
        }
        text.push_str("</Collection>\n</VTKFile>\n");
        let name = format!("{}.pvd", self.stem);
        self.folder.write(&name, text.as_bytes()).map(drop)
    }
}

impl Recorder for Series {
    fn record(&mut self, frame: &Frame<'_>, frames: &[FrameMark]) -> Result<()> {
        let name = self.name(frame.step);
        let content = (self.content)(frame);
        let content = content.map_err(|why| Error::io(&self.folder.path().join(&name), why))?;
        self.folder.write(&name, &content)?;
        self.write_collection(frames)
    }

    fn sync(&mut self, newest: &[FrameMark]) -> Result<()> {
        for frame in newest {
            let path = self.folder.path().join(self.name(frame.step));
            let synced = File::open(&path).and_then(|file| file.sync_all());
            synced.map_err(|e| Error::io(&path, e))?;
        }
        Ok(())
    }

    fn resume(&mut self, frames: &[FrameMark]) -> Result<()> {
        let inside = self.folder.path().join("frames");
        let io = |source| Error::io(&inside, source);
        // First, since it may fail: it never names a frame that is not there.
        self.write_collection(frames)?;
        let known: HashSet<String> = frames.iter().map(|frame| self.name(frame.step)).collect();
        for entry in std::fs::read_dir(&inside).map_err(io)? {
            let entry = entry.map_err(io)?;
            let name = entry.file_name().into_string().unwrap_or_default();
            if self.is_own(&name) && !known.contains(&format!("frames/{name}")) {
                std::fs::remove_file(entry.path()).map_err(|e| Error::io(&entry.path(), e))?;
            }
        }
        Ok(())
    }
}
