//! Flags of `drystone render`.

use super::Look;
use crate::values::{not_negative_f64, positive, size, threads};
use clap::Args;
use std::path::PathBuf;

/// Bodies to draw, and how.
#[derive(Debug, Args)]
pub(crate) struct RenderArgs {
    /// Scene file, or the folder of a run.
    #[arg(value_name = "SCENE|RUN")]
    pub(crate) source: PathBuf,
    /// Time of a picture in seconds; may be repeated. Without it and --every, the end of the run.
    #[arg(long, value_name = "SECONDS", value_delimiter = ',', value_parser = not_negative_f64)]
    pub(crate) at: Vec<f64>,
    /// A picture of the start and of every so many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    pub(crate) every: Option<f64>,
    /// Width and height in pixels.
    #[arg(long, value_name = "WxH", value_parser = size, default_value = "1280x800")]
    pub(crate) size: (u32, u32),
    /// File or folder: .png is a picture, or a sheet of several; .apng moves; .mp4 moves and needs ffmpeg; a name
    /// without an ending is a folder of pictures. Without it NAME.png, or NAME_sheet.png, in the folder of the run or here.
    #[arg(long, value_name = "PATH")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) look: Look,
    /// Write the time into the corner of a single picture too.
    #[arg(long)]
    pub(crate) label: bool,
    /// Samples of a pixel: more are smoother and slower. Without it 96, or 40 of more than 12 pictures.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub(crate) samples: Option<u32>,
    /// Pictures a second of moving ones.
    #[arg(long, value_name = "N", default_value_t = 25, value_parser = clap::value_parser!(u16).range(1..=240))]
    pub(crate) rate: u16,
    /// Part of the name of the adapter to draw on; without it hardware if there is some, else software.
    #[arg(long, value_name = "NAME")]
    pub(crate) adapter: Option<String>,
    /// Threads of the CPU's part; all cores without it.
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<usize>,
    /// Show no progress.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}
