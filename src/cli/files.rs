//! Files that the program writes beside run folders.

use crate::failure::Failure;
use drystone::{Error, Result};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Names and texts of files in a folder of `scenes`, as they are in the program.
macro_rules! scene_files {
    ($folder:literal: $($name:literal),+) => {
        &[$((
            $name,
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/scenes/", $folder, "/", $name, ".toml"))
        )),+]
    };
}
pub(crate) use scene_files;

/// A file that is written beside its place, under its name and `.partial`, and removed again unless it is kept. Something that is no
/// file, such as a device or a pipe, is written to as it is.
pub(crate) struct Draft {
    path: PathBuf,
    /// Its place, links followed.
    place: PathBuf,
    partial: Option<PathBuf>,
    file: File,
}

impl Draft {
    /// Begins an empty file, and makes the folders above it. One that has its name is left as it is until [`Self::keep`].
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be made.
    pub(crate) fn begin(path: &Path) -> Result<Self> {
        let begin = || {
            if let Some(parent) = path
                .parent()
                .filter(|parent| !parent.as_os_str().is_empty())
            {
                std::fs::create_dir_all(parent)?;
            }
            let place = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
            let partial = (!is_special(&place)).then(|| {
                let mut partial = place.clone().into_os_string();
                partial.push(".partial");
                PathBuf::from(partial)
            });
            let file = File::create(partial.as_ref().unwrap_or(&place))?;
            Ok(Self {
                path: path.to_owned(),
                place,
                partial,
                file,
            })
        };
        begin().map_err(|why| Error::io(path, why))
    }

    /// Path of the file for others to write.
    pub(crate) fn partial(&self) -> &Path {
        self.partial.as_ref().unwrap_or(&self.place)
    }

    /// Writes all of the file, and gives it its name.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be written.
    pub(crate) fn finish(mut self, content: &[u8]) -> Result<()> {
        let written = self.file.write_all(content);
        written.map_err(|why| Error::io(&self.path, why))?;
        self.keep()
    }

    /// Gives the file its name as it is.
    ///
    /// # Errors
    /// [`Error::Io`] if that fails.
    pub(crate) fn keep(mut self) -> Result<()> {
        let Some(partial) = &self.partial else {
            return Ok(());
        };
        std::fs::rename(partial, &self.place).map_err(|why| Error::io(&self.path, why))?;
        self.partial = None;
        Ok(())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let Some(partial) = &self.partial {
            // The rest of a failed write is of no use; that it may stay is not worth an error.
            let _ = std::fs::remove_file(partial);
        }
    }
}

/// True for devices, pipes and folders.
fn is_special(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|about| !about.is_file())
}

/// Writes a file, whole or not at all, and makes the folders above it.
pub(crate) fn save(path: &Path, content: &[u8]) -> std::result::Result<(), Failure> {
    let draft = Draft::begin(path);
    draft
        .and_then(|draft| draft.finish(content))
        .map_err(Failure::Run)
}

/// Finds out if a file can be written, before the work on its content begins. What is there stays.
///
/// # Errors
/// [`Error::Io`] if it cannot.
pub(crate) fn check(path: &Path) -> Result<()> {
    // To look into a pipe would end it.
    if is_special(path) && !path.is_dir() {
        return Ok(());
    }
    Draft::begin(path).map(drop)
}
