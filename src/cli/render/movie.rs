//! Moving pictures by ffmpeg, where it is on the path.

use crate::files::Draft;
use crate::image::Image;
use drystone::{Error, Result};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// True if there is an ffmpeg that starts.
pub(crate) fn is_possible() -> bool {
    Command::new("ffmpeg")
        .arg("-version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Writes images of one size as MP4, `rate` a second.
///
/// # Errors
/// [`Error::Io`] if ffmpeg cannot be run, or the file cannot be written.
pub(crate) fn write(path: &Path, images: &[Image], rate: u16) -> Result<()> {
    let Some(first) = images.first() else {
        return Ok(());
    };
    let failed = |why: std::io::Error| Error::io(path, why);
    let draft = Draft::begin(path)?;
    let mut ffmpeg = Command::new("ffmpeg")
        .args([
            "-y",
            "-loglevel",
            "error",
            "-f",
            "rawvideo",
            "-pix_fmt",
            "rgb24",
        ])
        .args(["-s", &format!("{}x{}", first.width, first.height)])
        .args(["-r", &rate.to_string(), "-i", "-"])
        // Sizes that are odd are not known to most players.
        .args([
            "-vf",
            "pad=ceil(iw/2)*2:ceil(ih/2)*2",
            "-pix_fmt",
            "yuv420p",
        ])
        .args(["-crf", "18", "-movflags", "+faststart", "-f", "mp4"])
        .arg(draft.partial())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let sent = match ffmpeg.stdin.take() {
        Some(mut input) => images
            .iter()
            .try_for_each(|image| input.write_all(&image.pixels)),
        None => Ok(()),
    };
    let ended = ffmpeg.wait_with_output().map_err(failed)?;
    if ended.status.success() {
        sent.map_err(failed)?;
        return draft.keep();
    }
    let why = String::from_utf8_lossy(&ended.stderr);
    Err(failed(std::io::Error::other(format!(
        "ffmpeg: {}",
        why.trim()
    ))))
}
