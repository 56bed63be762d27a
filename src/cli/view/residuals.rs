//! Residuals of the last steps, as curves on the panel.

use crate::image::Image;
use drystone::Result;
use std::collections::VecDeque;

/// Steps that are shown.
const STEPS: usize = 240;
/// Paint of the rms, of the largest, and of lines at powers of ten.
const RMS: [u8; 3] = [0x2A, 0x2F, 0x36];
const LARGEST: [u8; 3] = [0x8C, 0x95, 0xA0];
const GRID: [u8; 3] = [0xDD, 0xE0, 0xE4];

/// Rms and largest residual of each of the last steps, the oldest first `[m/s]`.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Residuals(VecDeque<[f32; 2]>);

impl Residuals {
    /// Takes in those of another step.
    pub(super) fn add(&mut self, rms: f32, largest: f32) {
        if self.0.len() == STEPS {
            self.0.pop_front();
        }
        self.0.push_back([rms, largest]);
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Those of the last step.
    pub(super) fn last(&self) -> Option<[f32; 2]> {
        self.0.back().copied()
    }

    /// Powers of ten between which they are; nothing of fewer than two steps, or where all are zero.
    fn decades(&self) -> Option<(i32, i32)> {
        let logs = || self.0.iter().flatten().filter_map(|&value| log(value));
        // A power of ten is one in single precision too.
        let (low, high) = (
            (logs().min_by(f64::total_cmp)? + 1e-6).floor() as i32,
            (logs().max_by(f64::total_cmp)? - 1e-6).ceil() as i32,
        );
        (self.0.len() > 1).then_some((low, high.max(low + 1)))
    }

    /// A line about the curves; nothing if there are none.
    pub(super) fn words(&self) -> Option<String> {
        let (low, high) = self.decades()?;
        let steps = self.0.len();
        Some(format!(
            "residual of {steps} steps, rms and largest: 1e{low} to 1e{high} m/s"
        ))
    }

    /// Draws the curves into a part of an image: its left and upper end, width and height `[pixels]`.
    pub(super) fn draw(&self, image: &mut Image, part: [i32; 4]) -> Result<()> {
        let Some((low, high)) = self.decades() else {
            return Ok(());
        };
        let [left, top, width, height] = part;
        let row = |log: f64| {
            let share = (log - f64::from(low)) / f64::from(high - low);
            top + height - (share * f64::from(height)).round() as i32
        };
        for decade in low..=high {
            let at = row(f64::from(decade));
            image.curve(&[(left, at), (left + width, at)], GRID)?;
        }
        for (of, color) in [(1, LARGEST), (0, RMS)] {
            let mut points = Vec::new();
            for (step, residual) in self.0.iter().enumerate() {
                let column = left + (step as i32 * width) / (STEPS as i32 - 1);
                match log(residual[of]) {
                    Some(log) => points.push((column, row(log))),
                    // A step without contacts has none, and its curve a gap.
                    None => image.curve(&std::mem::take(&mut points), color)?,
                }
            }
            image.curve(&points, color)?;
        }
        Ok(())
    }
}

/// Logarithm to base 10, of what has one.
fn log(residual: f32) -> Option<f64> {
    let residual = f64::from(residual);
    (residual > 0.0 && residual.is_finite()).then(|| residual.log10())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]
mod tests {
    use super::*;
    use crate::image::PAPER;

    #[test]
    fn curves_are_where_their_residuals_say() {
        let mut residuals = Residuals::default();
        residuals.add(1e-5, 1e-2);
        assert_eq!(residuals.words(), None);
        for _ in 0..300 {
            residuals.add(1e-5, 1e-3);
        }
        residuals.add(0.0, f32::NAN);
        assert_eq!(residuals.0.len(), STEPS);
        assert_eq!(residuals.decades(), Some((-5, -3)));
        assert!(residuals.words().unwrap().ends_with("1e-5 to 1e-3 m/s"));
        let mut image = Image::plain(300, 60, PAPER);
        residuals.draw(&mut image, [10, 5, 239, 40]).unwrap();
        let at = |x: usize, y: usize| &image.pixels[3 * (300 * y + x)..][..3];
        assert_eq!((at(100, 5), at(100, 45)), (&LARGEST[..], &RMS[..]));
        // In the middle a line of the grid, at the last step a gap.
        assert_eq!((at(100, 25), at(100, 15)), (&GRID[..], &PAPER[..]));
        assert_eq!((at(249, 5), at(249, 45)), (&GRID[..], &GRID[..]));
    }
}
