//! Files that the program writes beside run folders.

use crate::failure::Failure;
use drystone::Error;
use std::path::Path;

/// Writes a file, whole or not at all, and makes the folders above it.
pub(crate) fn save(path: &Path, content: &[u8]) -> Result<(), Failure> {
    let write = || {
        if let Some(parent) = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty())
        {
            std::fs::create_dir_all(parent)?;
        }
        let mut partial = path.as_os_str().to_owned();
        partial.push(".partial");
        let written =
            std::fs::write(&partial, content).and_then(|()| std::fs::rename(&partial, path));
        if written.is_err() {
            // The rest of a failed write is of no use; that it may stay is not worth an error.
            let _ = std::fs::remove_file(&partial);
        }
        written
    };
    write().map_err(|why| Failure::Run(Error::io(path, why)))
}
