//! Words on pictures: times, and the meaning of colours.

use super::color::{self, Legend};
use super::painter::Picture;
use crate::console::number;
use crate::image::Image;
use drystone::Result;
use std::ops::Range;

impl From<Picture> for Image {
    fn from(picture: Picture) -> Self {
        Self {
            width: picture.width,
            height: picture.height,
            pixels: picture
                .pixels
                .chunks_exact(4)
                .flat_map(|pixel| [pixel[0], pixel[1], pixel[2]])
                .collect(),
        }
    }
}

impl Image {
    /// Writes the time into the upper left corner.
    pub(crate) fn label(&mut self, words: &str) -> Result<()> {
        let size = text_size(self.height);
        self.write(words, (size as i32, size as i32 * 5 / 4), size, false)
    }

    /// Draws the scale of the colours into the lower right corner.
    pub(crate) fn legend(&mut self, legend: &Legend) -> Result<()> {
        let size = text_size(self.height);
        let right = self.width.saturating_sub(size * 2);
        let left = right.saturating_sub(size * SCALE_WIDTH);
        let top = self.height.saturating_sub(size * 2);
        self.scale(left..right, top, size);
        let above = top as i32 - size as i32 * 3 / 4;
        let place = (right as i32, above);
        self.write(&legend.words(), place, size * 4 / 5, true)
    }

    /// Draws a scale of colours below a height.
    pub(crate) fn scale(&mut self, columns: Range<u32>, top: u32, size: u32) {
        let (left, right) = (columns.start, columns.end.min(self.width));
        for x in left..right {
            let share = f64::from(x - left) / f64::from((columns.end - left).max(1));
            let paint = color::scale(share).bytes();
            for y in top..(top + size * 3 / 5).min(self.height) {
                let at = 3 * (y as usize * self.width as usize + x as usize);
                self.pixels[at..at + 3].copy_from_slice(&paint);
            }
        }
    }
}

/// Width of a scale `[sizes of text]`.
pub(crate) const SCALE_WIDTH: u32 = 9;

impl Legend {
    /// Quantity and values of the scale.
    pub(crate) fn words(&self) -> String {
        let (least, most) = (number(self.least), number(self.most));
        format!("{}: {least} to {most}", self.title)
    }
}

fn text_size(height: u32) -> u32 {
    (height / 30).clamp(10, 80)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]
mod tests {
    use super::*;

    #[test]
    fn words_and_scales_leave_ink() {
        let mut image = Image::plain(900, 600, [255; 3]);
        image.label("t = 1.25 s").unwrap();
        let dark = image.pixels.iter().filter(|&&part| part < 128).count();
        assert!(dark > 60, "{dark}");
        let legend = Legend {
            title: "speed [m/s]",
            least: 0.0,
            most: 2.5,
        };
        image.legend(&legend).unwrap();
        assert!(image.pixels[3 * 900 * 450..].iter().any(|&part| part < 100));
    }
}
