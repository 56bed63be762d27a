//! The checkpoints in the folder of a run.

use super::RunFolder;
use crate::constants::CHECKPOINTS_KEPT;
use crate::error::{Error, Result};
use crate::scene::Checkpoint;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

/// The folder `checkpoints` in that of a run, which one process holds at a time: its newest three checkpoints, each named by its step.
#[derive(Debug)]
pub struct CheckpointFolder {
    folder: RunFolder,
    /// Locked as long as it is open.
    _lock: File,
}

impl CheckpointFolder {
    /// Takes hold of the checkpoints of a run; the folder is made if there is none.
    ///
    /// # Errors
    /// [`Error::Invalid`] if another process has hold of them: the run is under way. [`Error::Io`] if the folder cannot be made.
    pub fn hold(folder: &RunFolder) -> Result<Self> {
        let path = Checkpoint::folder_of(folder.path());
        fs::create_dir_all(&path).map_err(|e| Error::io(&path, e))?;
        let name = path.join("lock");
        let io = |source| Error::io(&name, source);
        let lock = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&name)
            .map_err(io)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::invalid(
                    format!("run folder {}", folder.path().display()),
                    "the run is under way in another process",
                ));
            }
            Err(TryLockError::Error(source))
                if source.kind() == std::io::ErrorKind::Unsupported =>
            {
                // A file system without locks: there is no telling, and no reason not to run.
            }
            Err(TryLockError::Error(source)) => return Err(io(source)),
        }
        let held = Self {
            folder: folder.clone(),
            _lock: lock,
        };
        held.remove_partial(&path)?;
        Ok(held)
    }

    /// Removes what was half-written when a process ended.
    fn remove_partial(&self, path: &Path) -> Result<()> {
        let io = |source| Error::io(path, source);
        for entry in fs::read_dir(path).map_err(io)? {
            let file = entry.map_err(io)?.path();
            if file.extension().is_some_and(|ending| ending == "partial") {
                fs::remove_file(&file).map_err(|e| Error::io(&file, e))?;
            }
        }
        Ok(())
    }

    /// Files of the checkpoints, the newest first.
    ///
    /// # Errors
    /// [`Error::Io`] if the folder cannot be read.
    pub fn files(&self) -> Result<Vec<PathBuf>> {
        Checkpoint::files_in(&Checkpoint::folder_of(self.folder.path()))
    }

    /// Writes a checkpoint: beside, to the disk, and then under its name; removes all but the newest.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be written; those before it are left.
    pub fn write(&self, checkpoint: &Checkpoint) -> Result<PathBuf> {
        let name = checkpoint.name_in_run();
        let path = self.folder.write_to_disk(&name, &checkpoint.to_bytes())?;
        let files = self.files()?;
        let older = files.iter().skip_while(|file| **file != path);
        for file in older.skip(CHECKPOINTS_KEPT) {
            fs::remove_file(file).map_err(|e| Error::io(file, e))?;
        }
        Ok(path)
    }
}
