//! What a run leaves on disk: one folder a run, never overwritten, with no half-written file in it.
//!
//! | file | content |
//! |---|---|
//! | `scene.toml` | the scene as it ran, every default written out |
//! | `metrics.csv` | one row a step: [`MetricsWriter`] |
//! | `summary.json` | the run in one object: [`Summary`] |
//! | `checkpoints/000000123.drystone` | on request, and where a signal ends a run, its state: [`CheckpointFolder`] |
//! | `NAME.pvd`, `frames/NAME_000123.vtp`, ... | on request, the state over time: [`FrameWriter`] |

mod checkpoints;
pub(crate) mod frames;
pub(crate) mod hdf5;
mod metrics;
mod run_folder;
mod summary;

pub use checkpoints::CheckpointFolder;
pub use frames::{Frame, FrameContent, FrameFormat, FrameMark, FrameOptions, FrameWriter};
pub use metrics::{MetricsMark, MetricsWriter, metrics_units};
pub use run_folder::RunFolder;
pub use summary::{Outcome, RunDescription, Summary};
