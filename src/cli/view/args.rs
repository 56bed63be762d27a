//! Flags of `drystone view`.

use crate::render::Look;
use crate::values::{size, threads};
use clap::Args;
use std::path::PathBuf;

/// A run to show in a window.
#[derive(Debug, Args)]
pub(crate) struct ViewArgs {
    /// Scene file, or the folder of a run.
    #[arg(value_name = "SCENE|RUN")]
    pub(crate) source: PathBuf,
    /// Simulate a run folder that has frames too: from its newest checkpoint, or from the start.
    #[arg(long)]
    pub(crate) live: bool,
    /// Begin with the run paused.
    #[arg(long)]
    pub(crate) paused: bool,
    /// Width and height of the window in pixels.
    #[arg(long, value_name = "WxH", value_parser = size, default_value = "1280x800")]
    pub(crate) size: (u32, u32),
    #[command(flatten)]
    pub(crate) look: Look,
    /// Part of the name of the adapter to draw on; without it hardware if there is some, else software.
    #[arg(long, value_name = "NAME")]
    pub(crate) adapter: Option<String>,
    /// Threads of the CPU's part; all cores without it.
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<usize>,
}
