//! Figures as SVG: curves over linear or logarithmic axes.

use crate::console::number;
use crate::fonts;
use crate::image::Image;
use drystone::{Error, Result};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Size of the drawing, in its own units; it is shown at a third of that or less, so that the
/// whole numbers of which curves are made do not show.
const SIZE: (u32, u32) = (2880, 1680);
/// Height of the title, and of one line of the legend.
const TITLE_HEIGHT: u32 = 108;
const LEGEND_HEIGHT: u32 = 76;
/// Curves named in one line of the legend.
const LEGEND_COLUMNS: usize = 3;
/// Decades that a logarithmic axis shows at most, counted from the largest value.
const MAX_DECADES: f64 = 17.0;
/// Share of a linear axis that stays free above and below the curves.
const HEADROOM: f64 = 0.04;

/// True if the parts of a curve are one line. On pixels the library draws out the corners of a line until they meet, far beyond a
/// sharp peak; there each part is a line of its own.
const JOINED: bool = true;

/// Text, axes and frame.
pub(crate) const INK: RGBColor = RGBColor(0x22, 0x26, 0x2B);
/// Lines behind the curves.
pub(crate) const GRID: RGBColor = RGBColor(0xD8, 0xDC, 0xE2);
/// Behind everything.
pub(crate) const PAPER: RGBColor = RGBColor(0xFF, 0xFF, 0xFF);
/// Curves in their order: told apart by hue and by lightness, on white and in print.
pub(crate) const COLORS: [RGBColor; 7] = [
    RGBColor(0x1C, 0x6D, 0xB5),
    RGBColor(0xD0, 0x4F, 0x17),
    RGBColor(0x14, 0x8A, 0x5C),
    RGBColor(0x8E, 0x4B, 0xBE),
    RGBColor(0xA8, 0x7B, 0x00),
    RGBColor(0x5B, 0x62, 0x6E),
    RGBColor(0xC2, 0x2F, 0x6B),
];

/// A figure.
#[derive(Debug, Clone)]
pub(crate) struct Plot {
    /// File name without ending; unique within its experiment.
    pub(crate) name: &'static str,
    /// What is drawn.
    pub(crate) title: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) series: Vec<Series>,
    /// What a reader sees in it, in a sentence or two.
    pub(crate) seen: String,
}

/// One of the two axes.
#[derive(Debug, Clone)]
pub(crate) struct Axis {
    /// Quantity and unit.
    pub(crate) label: String,
    pub(crate) scale: Scale,
    /// Ends that the axis does not go beyond, whatever the curves do.
    pub(crate) limits: (f64, f64),
    /// Range of a linear axis: none if its ends are the wrong way round.
    shown: (f64, f64),
}

/// How values become lengths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scale {
    Linear,
    /// Values that are not positive are left out.
    Logarithmic,
}

/// A curve.
#[derive(Debug, Clone)]
pub(crate) struct Series {
    pub(crate) label: String,
    pub(crate) points: Vec<(f64, f64)>,
    /// Drawn broad, so that a curve on top of it leaves it visible.
    pub(crate) broad: bool,
}

impl Axis {
    pub(crate) fn linear(label: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            scale: Scale::Linear,
            limits: (f64::NEG_INFINITY, f64::INFINITY),
            shown: (f64::INFINITY, f64::NEG_INFINITY),
        }
    }

    pub(crate) fn logarithmic(label: impl Into<String>) -> Self {
        Self {
            scale: Scale::Logarithmic,
            ..Self::linear(label)
        }
    }

    /// The axis cut off at both ends; what is beyond is not drawn.
    pub(crate) fn within(mut self, least: f64, largest: f64) -> Self {
        self.limits = (least, largest);
        self
    }

    /// The axis from one value to another at least: for pictures, whose two axes are to have one scale.
    pub(crate) fn showing(mut self, least: f64, largest: f64) -> Self {
        self.shown = (least, largest);
        self
    }

    /// Where a value lies on the axis, and whether it had to be brought back to an end of it.
    fn place(&self, value: f64) -> Option<(f64, bool)> {
        let inside = value.clamp(self.limits.0, self.limits.1);
        let place = match self.scale {
            Scale::Linear => inside,
            Scale::Logarithmic if inside > 0.0 => inside.log10(),
            Scale::Logarithmic => return None,
        };
        place.is_finite().then_some((place, inside != value))
    }

    /// Ends of the axis around the places of all curves, and the number of labels.
    fn span(&self, places: impl Iterator<Item = f64>, tight: bool) -> (f64, f64, usize) {
        let (least, largest) =
            places.fold(self.shown, |(a, b), place| (a.min(place), b.max(place)));
        if least > largest {
            return (0.0, 1.0, 6);
        }
        if self.scale == Scale::Logarithmic {
            let end = (largest - 1e-9).ceil();
            let start = (least + 1e-9).floor().clamp(end - MAX_DECADES, end - 1.0);
            return (start, end, (end - start) as usize + 1);
        }
        let room = if tight {
            0.0
        } else {
            HEADROOM * (largest - least)
        };
        let start = if least >= 0.0 && least < 0.3 * largest {
            0.0
        } else {
            least - room
        };
        let end = if largest > start {
            largest + room
        } else {
            start + 1.0
        };
        (start, end, 8)
    }

    /// The label of a place.
    fn tick(&self, place: f64) -> String {
        match self.scale {
            Scale::Linear => number(if place.abs() < 1e-12 { 0.0 } else { place }),
            Scale::Logarithmic if (-2.01..4.01).contains(&place) => number(10_f64.powf(place)),
            Scale::Logarithmic => format!("1e{place:.0}"),
        }
    }
}

impl Series {
    pub(crate) fn new(label: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self {
            label: label.into(),
            points,
            broad: false,
        }
    }

    /// Drawn broad.
    pub(crate) fn broad(mut self) -> Self {
        self.broad = true;
        self
    }

    fn style(&self, index: usize) -> ShapeStyle {
        COLORS[index % COLORS.len()].stroke_width(if self.broad { 22 } else { 6 })
    }

    /// The curve by at most about `count` points: the least and the largest of each stretch, so that no peak is lost.
    pub(crate) fn thinned(label: impl Into<String>, points: &[(f64, f64)], count: usize) -> Self {
        let stretch = (2 * points.len()).div_ceil(count.max(1)).max(1);
        if stretch <= 2 {
            return Self::new(label, points.to_vec());
        }
        let mut kept = Vec::with_capacity(count + 2);
        for part in points.chunks(stretch) {
            let by_value = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
            let (least, largest) = (part.iter().min_by(by_value), part.iter().max_by(by_value));
            let mut ends: Vec<(f64, f64)> = least.into_iter().chain(largest).copied().collect();
            ends.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
            ends.dedup();
            kept.extend(ends);
        }
        Self::new(label, kept)
    }

    /// The curve's upper envelope: at most `count` points, each the largest of a stretch, so that no
    /// peak is lost.
    pub(crate) fn envelope(label: impl Into<String>, points: &[(f64, f64)], count: usize) -> Self {
        let stretch = points.len().div_ceil(count.max(1)).max(1);
        let largest = points
            .chunks(stretch)
            .filter_map(|part| part.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1)))
            .collect();
        Self::new(label, largest)
    }
}

impl Plot {
    /// The figure as an SVG document.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the drawing cannot be made, which only a mistake in it can cause.
    pub(crate) fn svg(&self) -> Result<String> {
        fonts::register();
        let mut text = String::new();
        let root = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        self.draw(&root, JOINED)
            .and_then(|()| root.present().map_err(|why| why.to_string()))
            .map_err(|why| Error::invalid(format!("plot {}", self.name), why))?;
        drop(root);
        Ok(text)
    }

    /// Several figures below each other as one SVG document, two in a row.
    ///
    /// # Errors
    /// As [`Plot::svg`].
    pub(crate) fn svg_of_all(plots: &[Self]) -> Result<String> {
        fonts::register();
        let mut text = String::new();
        let columns = plots.len().clamp(1, 2);
        let rows = plots.len().div_ceil(columns).max(1);
        let whole = (SIZE.0 * columns as u32, SIZE.1 * rows as u32);
        let root = SVGBackend::with_string(&mut text, whole).into_drawing_area();
        let draw = || -> std::result::Result<(), String> {
            root.fill(&PAPER).map_err(|why| why.to_string())?;
            for (plot, area) in plots.iter().zip(root.split_evenly((rows, columns))) {
                plot.draw(&area, JOINED)?;
            }
            root.present().map_err(|why| why.to_string())
        };
        draw().map_err(|why| Error::invalid("plots", why))?;
        drop(root);
        Ok(text)
    }

    /// The figure as an image.
    ///
    /// # Errors
    /// As [`Plot::svg`].
    pub(crate) fn image(&self) -> Result<Image> {
        fonts::register();
        let mut large = Image::plain(SIZE.0, SIZE.1, [0xFF; 3]);
        let root = BitMapBackend::with_buffer(&mut large.pixels, SIZE).into_drawing_area();
        self.draw(&root, !JOINED)
            .and_then(|()| root.present().map_err(|why| why.to_string()))
            .map_err(|why| Error::invalid(format!("plot {}", self.name), why))?;
        drop(root);
        Ok(large.shrunk(3))
    }

    /// A curve's pieces on the axes: it is broken where it is beyond an end, and each piece reaches
    /// that end.
    fn pieces(&self, series: &Series) -> Vec<Vec<(f64, f64)>> {
        let mut pieces = vec![Vec::new()];
        let mut previous: Option<((f64, f64), bool)> = None;
        for &(x, y) in &series.points {
            let placed = self.x.place(x).zip(self.y.place(y));
            let point = placed.map(|((x, x_out), (y, y_out))| ((x, y), x_out || y_out));
            match (previous, point) {
                (_, Some((here, false))) => {
                    if let (Some((edge, true)), Some(piece)) = (previous, pieces.last_mut()) {
                        piece.push(edge);
                    }
                    if let Some(piece) = pieces.last_mut() {
                        piece.push(here);
                    }
                }
                (Some((_, false)), Some((edge, true))) => {
                    if let Some(piece) = pieces.last_mut() {
                        piece.push(edge);
                    }
                    pieces.push(Vec::new());
                }
                (Some((_, false)), None) => pieces.push(Vec::new()),
                _ => {}
            }
            previous = point;
        }
        pieces
    }

    fn draw<B: DrawingBackend>(
        &self,
        root: &DrawingArea<B, Shift>,
        is_joined: bool,
    ) -> std::result::Result<(), String> {
        fn text(error: impl std::fmt::Display) -> String {
            error.to_string()
        }
        let curves: Vec<_> = self.series.iter().map(|s| self.pieces(s)).collect();
        let points = || curves.iter().flatten().flatten();
        let places = |axis: fn(&(f64, f64)) -> f64| points().map(axis);
        let (left, right, x_labels) = self.x.span(places(|p| p.0), true);
        let (bottom, top, y_labels) = self.y.span(places(|p| p.1), false);

        let size = root.dim_in_pixel();
        root.fill(&PAPER).map_err(text)?;
        let (heading, rest) = root.split_vertically(TITLE_HEIGHT);
        let style = ("sans-serif", 60).into_font().color(&INK);
        heading
            .draw_text(&self.title, &style, (48, 32))
            .map_err(text)?;
        let lines = self.series.len().div_ceil(LEGEND_COLUMNS) as u32;
        let (legend, body) = rest.split_vertically(lines * LEGEND_HEIGHT);
        for (index, series) in self.series.iter().enumerate() {
            let width = size.0 as usize / LEGEND_COLUMNS;
            let x = (48 + index % LEGEND_COLUMNS * width) as i32;
            let y = ((index / LEGEND_COLUMNS) as u32 * LEGEND_HEIGHT + LEGEND_HEIGHT / 2) as i32;
            let line = vec![(x, y), (x + 88, y)];
            legend
                .draw(&PathElement::new(line, series.style(index)))
                .map_err(text)?;
            let style = ("sans-serif", 52)
                .into_font()
                .color(&INK)
                .pos(Pos::new(HPos::Left, VPos::Center));
            legend
                .draw_text(&series.label, &style, (x + 112, y))
                .map_err(text)?;
        }

        let mut chart = ChartBuilder::on(&body)
            .margin(40)
            .margin_right(80)
            .x_label_area_size(168)
            .y_label_area_size(300)
            .build_cartesian_2d(left..right, bottom..top)
            .map_err(text)?;
        let words = ("sans-serif", 52).into_font().color(&INK);
        chart
            .configure_mesh()
            .axis_style(INK.stroke_width(2))
            .bold_line_style(GRID.stroke_width(2))
            .set_all_tick_mark_size(10)
            .max_light_lines(0)
            .x_labels(x_labels)
            .y_labels(y_labels)
            .x_label_formatter(&|&place| self.x.tick(place))
            .y_label_formatter(&|&place| self.y.tick(place))
            .label_style(words.clone())
            .axis_desc_style(words)
            .x_desc(&self.x.label)
            .y_desc(&self.y.label)
            .draw()
            .map_err(text)?;
        for (index, (series, pieces)) in self.series.iter().zip(&curves).enumerate() {
            for piece in pieces.iter().filter(|piece| piece.len() > 1) {
                // What lies below the decades that are shown runs along their end.
                let line: Vec<(f64, f64)> =
                    piece.iter().map(|&(x, y)| (x, y.max(bottom))).collect();
                let style = series.style(index);
                if is_joined {
                    chart
                        .draw_series(LineSeries::new(line, style))
                        .map_err(text)?;
                } else {
                    let parts = line
                        .windows(2)
                        .map(|part| PathElement::new(part.to_vec(), style));
                    chart.draw_series(parts).map_err(text)?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]
mod tests {
    use super::*;

    fn plot(y: Axis, points: Vec<(f64, f64)>) -> Plot {
        Plot {
            name: "test",
            title: "a < b & c".into(),
            x: Axis::linear("time [s]"),
            y,
            series: vec![Series::new("one \"curve\"", points)],
            seen: String::new(),
        }
    }

    #[test]
    fn every_curve_makes_a_well_formed_document() {
        for points in [
            vec![],
            vec![(0.0, 0.0)],
            vec![(0.0, 1e-9), (1.0, 1e3)],
            vec![(0.0, 2.0), (1.0, 2.0)],
            vec![(0.0, -1.0), (1.0, f64::NAN), (2.0, f64::INFINITY)],
        ] {
            for y in [Axis::linear("y"), Axis::logarithmic("y")] {
                let svg = plot(y, points.clone()).svg().unwrap();
                let document = roxmltree::Document::parse(&svg).unwrap();
                let words: Vec<&str> = document
                    .descendants()
                    .filter(|node| node.has_tag_name("text"))
                    .filter_map(|node| node.text().map(str::trim))
                    .collect();
                for word in ["a < b & c", "one \"curve\"", "time [s]"] {
                    assert!(words.contains(&word), "{word} in {words:?}");
                }
            }
        }
    }

    #[test]
    fn logarithmic_axes_end_at_powers_of_ten() {
        let axis = Axis::logarithmic("error [m]");
        let places = [3e-7, 2e-3].map(|v| axis.place(v).unwrap().0);
        assert_eq!(axis.span(places.into_iter(), false), (-7.0, -2.0, 6));
        assert_eq!(axis.place(0.0), None);
        assert_eq!(axis.tick(-7.0), "1e-7");
        assert_eq!(axis.tick(-2.0), "0.01");
    }

    #[test]
    fn curves_are_broken_where_they_leave_the_axis() {
        let values = [1.0, 5.0, 6.0, 1.0, f64::NAN, 1.0, 1.0];
        let points = values.iter().enumerate().map(|(i, &y)| (i as f64, y));
        let plot = plot(Axis::linear("y").within(0.0, 3.0), points.collect());
        assert_eq!(
            plot.pieces(&plot.series[0]),
            [
                vec![(0.0, 1.0), (1.0, 3.0)],
                vec![(2.0, 3.0), (3.0, 1.0)],
                vec![(5.0, 1.0), (6.0, 1.0)]
            ]
        );
    }

    #[test]
    fn envelopes_keep_the_peaks() {
        let points: Vec<(f64, f64)> = (0..1000)
            .map(|i| (f64::from(i), if i == 537 { 9.0 } else { 1.0 }))
            .collect();
        let thinned = Series::envelope("x", &points, 100);
        assert!(thinned.points.len() <= 100);
        assert!(thinned.points.contains(&(537.0, 9.0)));
    }
}
