//! Residuals over passes, one panel a problem, as an SVG.

use std::error::Error;

/// A method's residuals over `g h`, one for each pass.
pub(crate) struct Curve {
    pub(crate) name: &'static str,
    pub(crate) values: Vec<f32>,
}

/// What is drawn in one pair of axes.
pub(crate) struct Panel {
    pub(crate) title: String,
    pub(crate) curves: Vec<Curve>,
}

/// Draws the panels two in a row, with a line at each of the targets.
#[cfg(not(feature = "cli"))]
pub(crate) fn draw(_: &str, _: &[Panel], _: &[f32]) -> Result<(), Box<dyn Error>> {
    Err("plots need the feature `cli`".into())
}

/// Draws the panels two in a row, with a line at each of the targets.
#[cfg(feature = "cli")]
pub(crate) fn draw(path: &str, panels: &[Panel], targets: &[f32]) -> Result<(), Box<dyn Error>> {
    use plotters::prelude::*;
    /// Width and height of a panel in pixels.
    const PANEL: (u32, u32) = (620, 360);
    /// Width of the names beside a panel's axes.
    const NAMES: i32 = 140;
    const COLORS: [RGBColor; 7] = [
        RGBColor(34, 38, 43),
        RGBColor(160, 166, 176),
        RGBColor(200, 60, 20),
        RGBColor(230, 150, 20),
        RGBColor(60, 120, 200),
        RGBColor(20, 140, 90),
        RGBColor(140, 70, 190),
    ];
    let rows = panels.len().div_ceil(2).max(1);
    let root = SVGBackend::new(path, (2 * PANEL.0, rows as u32 * PANEL.1)).into_drawing_area();
    root.fill(&WHITE)?;
    for (area, panel) in root.split_evenly((rows, 2)).iter().zip(panels) {
        let passes = panel
            .curves
            .iter()
            .map(|c| c.values.len())
            .max()
            .unwrap_or(1);
        let mut chart = ChartBuilder::on(area)
            .caption(&panel.title, ("sans-serif", 18))
            .margin(10)
            .margin_right(NAMES)
            .x_label_area_size(36)
            .y_label_area_size(56)
            .build_cartesian_2d((1.0..passes as f64).log_scale(), (1e-4..2.0).log_scale())?;
        chart
            .configure_mesh()
            .x_desc("passes")
            .y_desc("rms residual over g h")
            .x_label_formatter(&|x| format!("{x:.0}"))
            .y_label_formatter(&|y| format!("{y:.0e}"))
            .max_light_lines(0)
            .draw()?;
        for &target in targets {
            let y = f64::from(target);
            let ends = [(1.0, y), (passes as f64, y)];
            chart.draw_series(LineSeries::new(ends, BLACK.mix(0.3)))?;
        }
        for (place, (curve, color)) in panel.curves.iter().zip(COLORS).enumerate() {
            let mut next = 1.0;
            let points = curve.values.iter().enumerate().filter_map(|(index, &y)| {
                let pass = (index + 1) as f64;
                // Points closer than this would fall on each other.
                let shown = pass >= next;
                if shown {
                    next = 1.05 * pass;
                }
                shown.then(|| (pass, f64::from(y).clamp(1e-4, 2.0)))
            });
            chart.draw_series(LineSeries::new(points, color.stroke_width(2)))?;
            let [left, y] = [PANEL.0 as i32 - NAMES + 8, 48 + 18 * place as i32];
            let ends = [(left, y), (left + 14, y)];
            area.draw(&PathElement::new(ends, color.stroke_width(2)))?;
            let font = ("sans-serif", 12).into_font();
            area.draw(&Text::new(curve.name, (left + 18, y - 6), font))?;
        }
    }
    root.present()?;
    Ok(())
}
