//! Images as files: one, several on a sheet, or moving; and words on them.

#![cfg_attr(
    not(feature = "gpu"),
    allow(dead_code, reason = "pictures need an adapter, plots do not")
)]

use crate::fonts;
use drystone::{Error, Result};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::borrow::Cow;

/// Paint of words.
const INK: RGBColor = RGBColor(0x2A, 0x2F, 0x36);
/// Between the pictures of a sheet.
pub(crate) const PAPER: [u8; 3] = [0xF4, 0xF5, 0xF6];

/// Red, green and blue of every pixel, rows from the top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Image {
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Shape `[3 width height]`.
    pub(crate) pixels: Vec<u8>,
}

fn failed(why: impl std::fmt::Display) -> Error {
    Error::invalid("picture", why.to_string())
}

impl Image {
    /// One colour all over.
    pub(crate) fn plain(width: u32, height: u32, color: [u8; 3]) -> Self {
        let pixels = color.repeat(width as usize * height as usize);
        Self {
            width,
            height,
            pixels,
        }
    }

    /// The image as a PNG file.
    ///
    /// # Errors
    /// [`Error::Invalid`] if it cannot be encoded.
    pub(crate) fn png(&self) -> Result<Vec<u8>> {
        encode(
            self.width,
            self.height,
            None,
            [self.pixels.as_slice()].into_iter(),
        )
    }

    /// Writes words on it, their left end and middle height at a place; `size` is in pixels.
    pub(crate) fn write(
        &mut self,
        words: &str,
        at: (i32, i32),
        size: u32,
        right: bool,
    ) -> Result<()> {
        fonts::register();
        let root = BitMapBackend::with_buffer(&mut self.pixels, (self.width, self.height))
            .into_drawing_area();
        let end = if right { HPos::Right } else { HPos::Left };
        let style = ("sans-serif", size)
            .into_font()
            .color(&INK)
            .pos(Pos::new(end, VPos::Center));
        root.draw_text(words, &style, at).map_err(failed)
    }

    /// Draws a line from point to point, if there are two.
    #[cfg(feature = "view")]
    pub(crate) fn curve(&mut self, points: &[(i32, i32)], [r, g, b]: [u8; 3]) -> Result<()> {
        let root = BitMapBackend::with_buffer(&mut self.pixels, (self.width, self.height))
            .into_drawing_area();
        let line = PathElement::new(points, RGBColor(r, g, b));
        root.draw(&line).map_err(failed)
    }

    /// Width of words of a size `[pixels]`.
    #[cfg(feature = "view")]
    pub(crate) fn width_of(words: &str, size: u32) -> Result<u32> {
        fonts::register();
        let style = ("sans-serif", size).into_font();
        let (width, _) = style.box_size(words).map_err(failed)?;
        Ok(width)
    }

    /// The image at one of `factor` times the size, each pixel the mean of its part.
    pub(crate) fn shrunk(&self, factor: u32) -> Self {
        let (width, height) = (self.width / factor, self.height / factor);
        let mut pixels = Vec::with_capacity(3 * width as usize * height as usize);
        for y in 0..height {
            for x in 0..width {
                for part in 0..3 {
                    let mut sum = 0;
                    for row in y * factor..(y + 1) * factor {
                        let first = row as usize * self.width as usize + (x * factor) as usize;
                        let of_row = (first..first + factor as usize)
                            .map(|at| u32::from(self.pixels[3 * at + part]));
                        sum += of_row.sum::<u32>();
                    }
                    pixels.push((sum / (factor * factor)) as u8);
                }
            }
        }
        Self {
            width,
            height,
            pixels,
        }
    }

    fn copy_to(&self, whole: &mut Self, left: u32, top: u32) {
        let row = 3 * self.width as usize;
        for y in 0..self.height {
            let from = y as usize * row;
            let to = 3 * ((top + y) as usize * whole.width as usize + left as usize);
            whole.pixels[to..to + row].copy_from_slice(&self.pixels[from..from + row]);
        }
    }
}

/// Several images of one size on one, row by row.
pub(crate) fn sheet(images: &[Image]) -> Option<Image> {
    let first = images.first()?;
    let columns = (images.len() as f64).sqrt().ceil() as u32;
    let rows = (images.len() as u32).div_ceil(columns);
    let gap = (first.width / 80).max(2);
    let mut whole = Image::plain(
        columns * (first.width + gap) + gap,
        rows * (first.height + gap) + gap,
        PAPER,
    );
    for (image, index) in images.iter().zip(0..) {
        let (column, row) = (index % columns, index / columns);
        let left = gap + column * (first.width + gap);
        let top = gap + row * (first.height + gap);
        image.copy_to(&mut whole, left, top);
    }
    Some(whole)
}

/// Images of one size, one after the other, as an animated PNG file that repeats.
///
/// # Errors
/// [`Error::Invalid`] if there is no image, or it cannot be encoded.
pub(crate) fn animation(images: &[Image], rate: u16) -> Result<Vec<u8>> {
    let first = images.first().ok_or_else(|| failed("there is no image"))?;
    let frames = images.iter().map(|image| image.pixels.as_slice());
    encode(
        first.width,
        first.height,
        Some((images.len() as u32, rate)),
        frames,
    )
}

fn encode<'a>(
    width: u32,
    height: u32,
    animation: Option<(u32, u16)>,
    frames: impl Iterator<Item = &'a [u8]>,
) -> Result<Vec<u8>> {
    let mut file = Vec::new();
    let mut info = png::Info::with_size(width, height);
    info.color_type = png::ColorType::Rgb;
    info.bit_depth = png::BitDepth::Eight;
    info.srgb = Some(png::SrgbRenderingIntent::Perceptual);
    let mut encoder = png::Encoder::with_info(&mut file, info).map_err(failed)?;
    encoder.set_compression(png::Compression::Balanced);
    encoder.set_filter(png::Filter::Adaptive);
    if let Some((count, rate)) = animation {
        encoder.set_animated(count, 0).map_err(failed)?;
        encoder.set_frame_delay(1, rate).map_err(failed)?;
    }
    let mut writer = encoder.write_header().map_err(failed)?;
    for frame in frames {
        writer
            .write_image_data(&Cow::Borrowed(frame))
            .map_err(failed)?;
    }
    writer.finish().map_err(failed)?;
    Ok(file)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]
mod tests {
    use super::*;

    #[test]
    fn sheets_and_animations_hold_every_image() {
        let shades = [10, 90, 200].map(|shade| Image::plain(8, 6, [shade; 3]));
        let whole = sheet(&shades).unwrap();
        assert_eq!((whole.width, whole.height), (2 * 10 + 2, 2 * 8 + 2));
        for shade in [10, 90, 200] {
            let count = whole.pixels.iter().filter(|&&part| part == shade).count();
            assert_eq!(count, 3 * 8 * 6, "{shade}");
        }
        assert_eq!(sheet(&[]), None);

        let file = animation(&shades, 10).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(&file))
            .read_info()
            .unwrap();
        assert_eq!(reader.info().animation_control.unwrap().num_frames, 3);
        for shade in [10, 90, 200] {
            let mut frame = vec![0; reader.output_buffer_size().unwrap()];
            reader.next_frame(&mut frame).unwrap();
            assert!(frame.iter().all(|&part| part == shade));
        }
    }
}
