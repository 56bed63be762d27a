//! The folder of one run.

use crate::error::{Error, Result};
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// A folder that belongs to one run.
///
/// Files appear in it whole: they are written under a temporary name and renamed. Rows of
/// `metrics.csv` appear one whole row at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFolder {
    path: PathBuf,
}

impl RunFolder {
    /// Makes the folder of a run: `out`, or, without one, `runs/SCENE-N` below the current
    /// directory, `N` being one more than the highest that is there.
    ///
    /// Two processes that start at the same time get two folders.
    ///
    /// # Errors
    /// [`Error::Invalid`] if `out` exists and is anything but an empty folder; [`Error::Io`] if the
    /// folder cannot be made.
    pub fn create(out: Option<&Path>, scene_name: &str) -> Result<Self> {
        match out {
            Some(out) => Self::create_at(out),
            None => Self::create_in(Path::new("runs"), scene_name),
        }
    }

    /// Makes `parent/SCENE-N`; see [`RunFolder::create`].
    ///
    /// # Errors
    /// [`Error::Io`] if the folder cannot be made.
    pub fn create_in(parent: &Path, scene_name: &str) -> Result<Self> {
        fs::create_dir_all(parent).map_err(|e| Error::io(parent, e))?;
        let stem = file_stem(scene_name);
        let mut number = 1 + highest_number(parent, &stem)?;
        loop {
            let path = parent.join(format!("{stem}-{number}"));
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Self { path }),
                // Another run took this number between the look and the making.
                Err(e) if e.kind() == ErrorKind::AlreadyExists => number += 1,
                Err(e) => return Err(Error::io(&path, e)),
            }
        }
    }

    fn create_at(path: &Path) -> Result<Self> {
        if let Some(parent) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
            fs::create_dir_all(parent).map_err(|e| Error::io(parent, e))?;
        }
        match fs::create_dir(path) {
            Ok(()) => {}
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {
                let empty = fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
                if !empty {
                    return Err(Error::invalid(
                        format!("run folder {}", path.display()),
                        "it exists and is not an empty folder; runs are never overwritten",
                    ));
                }
            }
            Err(e) => return Err(Error::io(path, e)),
        }
        Ok(Self {
            path: path.to_owned(),
        })
    }

    /// The folder of a run that was begun.
    ///
    /// # Errors
    /// [`Error::Invalid`] if there is no scene in it, [`Error::Io`] if it cannot be looked at.
    pub fn open(path: &Path) -> Result<Self> {
        let about = fs::metadata(path).map_err(|e| Error::io(path, e))?;
        if !(about.is_dir() && path.join("scene.toml").is_file()) {
            return Err(Error::invalid(
                path.display().to_string(),
                "it is not the folder of a run: there is no scene.toml in it",
            ));
        }
        Ok(Self {
            path: path.to_owned(),
        })
    }

    /// Where it is, as it was named.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file, whole or not at all; `name` is relative to the folder and may name an existing
    /// folder in it. A file of that name is replaced.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be written.
    pub fn write(&self, name: &str, content: &[u8]) -> Result<PathBuf> {
        self.write_and(name, content, |_| Ok(()))
    }

    /// The same, and sees to it that the file is on the disk before it has its name.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be written.
    pub(super) fn write_to_disk(&self, name: &str, content: &[u8]) -> Result<PathBuf> {
        let path = self.write_and(name, content, File::sync_all)?;
        sync_folder(&path)?;
        Ok(path)
    }

    fn write_and(
        &self,
        name: &str,
        content: &[u8],
        end: impl FnOnce(&File) -> std::io::Result<()>,
    ) -> Result<PathBuf> {
        let path = self.path.join(name);
        let partial = self.path.join(format!("{name}.partial"));
        let written = File::create(&partial).and_then(|mut file| {
            file.write_all(content)?;
            end(&file)
        });
        if let Err(e) = written.and_then(|()| fs::rename(&partial, &path)) {
            // The rest of a failed write is of no use; that it may stay is not worth an error.
            let _ = fs::remove_file(&partial);
            return Err(Error::io(&path, e));
        }
        Ok(path)
    }

    /// Opens a file that must not exist yet, to write it bit by bit.
    ///
    /// # Errors
    /// [`Error::Io`] if it exists or cannot be made.
    pub fn create_file(&self, name: &str) -> Result<File> {
        let path = self.path.join(name);
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&path)
            .map_err(|e| Error::io(&path, e))
    }

    /// Makes a folder inside.
    ///
    /// # Errors
    /// [`Error::Io`] if it exists or cannot be made.
    pub fn create_subfolder(&self, name: &str) -> Result<PathBuf> {
        let path = self.path.join(name);
        fs::create_dir(&path).map_err(|e| Error::io(&path, e))?;
        Ok(path)
    }
}

/// Sees to it that the name of a file is on the disk, where folders can be asked for that.
pub(super) fn sync_folder(file: &Path) -> Result<()> {
    match file.parent() {
        Some(folder) if cfg!(unix) => File::open(folder)
            .and_then(|folder| folder.sync_all())
            .map_err(|e| Error::io(folder, e)),
        _ => Ok(()),
    }
}

/// A scene's name with everything replaced that is awkward in a file name.
pub(super) fn file_stem(scene_name: &str) -> String {
    let stem: String = scene_name
        .trim_start_matches('.')
        .chars()
        .map(|c| {
            if c.is_alphanumeric() || "_-.".contains(c) {
                c
            } else {
                '_'
            }
        })
        .collect();
    if stem.is_empty() {
        "scene".into()
    } else {
        stem
    }
}

/// The highest `N` of `STEM-N` in a folder, 0 if there is none.
fn highest_number(parent: &Path, stem: &str) -> Result<u64> {
    let mut highest = 0;
    for entry in fs::read_dir(parent).map_err(|e| Error::io(parent, e))? {
        let entry = entry.map_err(|e| Error::io(parent, e))?;
        let number = entry
            .file_name()
            .to_str()
            .and_then(|name| name.strip_prefix(stem)?.strip_prefix('-')?.parse().ok());
        highest = highest.max(number.unwrap_or(0));
    }
    Ok(highest)
}
