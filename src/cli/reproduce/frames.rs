//! Contact sheets: frames of a scene, evenly spaced in time, on one picture.

#[cfg(feature = "gpu")]
use crate::image::sheet;
#[cfg(feature = "gpu")]
use crate::render::{Painter, frames};
use drystone::scene::Scene;

/// Frames of a sheet: three rows of three.
#[cfg(feature = "gpu")]
const FRAMES: u32 = 9;
/// Size of a frame `[pixels]`.
#[cfg(feature = "gpu")]
const SIZE: (u32, u32) = (360, 260);
#[cfg(feature = "gpu")]
const SAMPLES: u32 = 32;

/// Draws sheets on an adapter that is asked for once.
pub(super) struct Sheets {
    #[cfg(feature = "gpu")]
    painter: Painter,
}

impl Sheets {
    /// The adapter for pictures, or the reason why there is none.
    #[cfg(feature = "gpu")]
    pub(super) fn new(adapter: Option<&str>) -> Result<Self, String> {
        let painter = Painter::new(adapter).map_err(|why| why.to_string())?;
        Ok(Self { painter })
    }

    /// The reason why there are no pictures.
    #[cfg(not(feature = "gpu"))]
    pub(super) fn new(_: Option<&str>) -> Result<Self, String> {
        Err("this program was built without GPU support".into())
    }

    /// The scene from its start to its end, as a PNG file.
    #[cfg(feature = "gpu")]
    pub(super) fn of(&self, scene: &Scene) -> drystone::Result<Vec<u8>> {
        let images = frames(&self.painter, scene, FRAMES, SIZE, SAMPLES)?;
        let whole =
            sheet(&images).ok_or_else(|| drystone::Error::invalid("sheet", "it has no frames"))?;
        whole.png()
    }

    /// Nothing, since there are no sheets.
    #[cfg(not(feature = "gpu"))]
    pub(super) fn of(&self, _: &Scene) -> drystone::Result<Vec<u8>> {
        Ok(Vec::new())
    }
}
