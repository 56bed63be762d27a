//! Time against mean and worst penetration, all points, as SVG.

use crate::point::{Accuracy, Origin, Point, Standing, front};
use plotters::coord::Shift;
use plotters::prelude::*;

const SIZE: (u32, u32) = (1500, 720);
const TITLE_HEIGHT: u32 = 50;
const LEGEND_HEIGHT: u32 = 60;
const INK: RGBColor = RGBColor(0x22, 0x26, 0x2B);
const GRID: RGBColor = RGBColor(0xD8, 0xDC, 0xE2);
/// drystone's colour, those of engines that are known, and the last one for any other.
const COLORS: [RGBColor; 8] = [
    RGBColor(0x1C, 0x6D, 0xB5),
    RGBColor(0xD0, 0x4F, 0x17),
    RGBColor(0x14, 0x8A, 0x5C),
    RGBColor(0x8E, 0x4B, 0xBE),
    RGBColor(0xA8, 0x7B, 0x00),
    RGBColor(0x5B, 0x62, 0x6E),
    RGBColor(0xC2, 0x2F, 0x6B),
    RGBColor(0x00, 0x8B, 0x9A),
];

/// A figure of one scene and number of threads: two panels side by side, both axes logarithmic. Recorded
/// points are hollow; drystone's best points are joined.
pub(crate) fn svg(title: &str, standings: &[&Standing]) -> Result<String, String> {
    let points: Vec<&Point> = standings
        .iter()
        .map(|standing| &standing.point)
        .filter(|point| point.is_sound())
        .collect();
    let mut engines: Vec<&str> = points.iter().map(|point| point.engine.as_str()).collect();
    engines.sort_by_key(|&engine| (engine != crate::ours::NAME, engine));
    engines.dedup();
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        draw(&root, title, &points, &engines).map_err(|why| format!("plot: {why}"))?;
        root.present().map_err(|why| format!("plot: {why}"))?;
    }
    Ok(text)
}

type Drawn = Result<(), Box<dyn std::error::Error>>;

fn draw(
    root: &DrawingArea<SVGBackend<'_>, Shift>,
    title: &str,
    points: &[&Point],
    engines: &[&str],
) -> Drawn {
    root.fill(&WHITE)?;
    let (head, rest) = root.split_vertically(TITLE_HEIGHT);
    head.draw(&Text::new(
        title.to_owned(),
        (20, 14),
        ("sans-serif", 26).into_font().color(&INK),
    ))?;
    let (body, legend) = rest.split_vertically(SIZE.1 - TITLE_HEIGHT - LEGEND_HEIGHT);
    let panels = body.split_evenly((1, 2));
    panel(&panels[0], "mean penetration", Accuracy::Mean, points)?;
    panel(&panels[1], "worst penetration", Accuracy::Worst, points)?;
    let width = SIZE.0 as i32 / (engines.len().max(1) as i32 + 1);
    for (place, engine) in engines.iter().enumerate() {
        let x = 30 + place as i32 * width;
        let color = color(engine);
        legend.draw(&Circle::new((x, 26), 7, color.filled()))?;
        let font = ("sans-serif", 20).into_font().color(&INK);
        legend.draw(&Text::new((*engine).to_owned(), (x + 16, 17), font))?;
    }
    Ok(())
}

fn panel(
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    what: &str,
    accuracy: Accuracy,
    points: &[&Point],
) -> Drawn {
    let place = |point: &Point| {
        let penetration = match accuracy {
            Accuracy::Mean => point.mean_penetration,
            Accuracy::Worst => point.max_penetration,
        };
        (point.ms_per_step, penetration)
    };
    let shown: Vec<&Point> = points
        .iter()
        .copied()
        .filter(|point| place(point).0 > 0.0 && place(point).1 > 0.0)
        .collect();
    let span = |values: &mut dyn Iterator<Item = f64>| {
        let ends = values.fold((f64::INFINITY, 0.0_f64), |(a, b), x| (a.min(x), b.max(x)));
        if ends.0 <= ends.1 {
            ends.0 / 1.5..ends.1 * 1.5
        } else {
            0.1..10.0
        }
    };
    let times = span(&mut shown.iter().map(|point| place(point).0));
    let depths = span(&mut shown.iter().map(|point| place(point).1));
    let mut chart = ChartBuilder::on(area)
        .margin(16)
        .x_label_area_size(54)
        .y_label_area_size(92)
        .build_cartesian_2d(times.log_scale(), depths.log_scale())?;
    let font = ("sans-serif", 18).into_font().color(&INK);
    chart
        .configure_mesh()
        .x_desc("time of a step [ms]")
        .y_desc(format!("{what} [body diameters]"))
        .label_style(font.clone())
        .axis_desc_style(font)
        .bold_line_style(GRID)
        .light_line_style(WHITE)
        .axis_style(INK)
        .x_label_formatter(&|x| sparse(*x))
        .y_label_formatter(&|y| sparse(*y))
        .draw()?;
    let ours: Vec<&Point> = shown.iter().copied().filter(|p| p.is_ours()).collect();
    let best = front(&ours, accuracy).into_iter().map(place);
    chart.draw_series(LineSeries::new(best, COLORS[0].stroke_width(3)))?;
    for point in shown {
        let color = color(&point.engine);
        let style = match point.origin {
            Origin::Recorded => color.stroke_width(2),
            _ => color.filled(),
        };
        let size = if point.is_ours() { 7 } else { 6 };
        chart.draw_series([Circle::new(place(point), size, style)])?;
    }
    Ok(())
}

/// The same colour for an engine in every picture.
fn color(engine: &str) -> RGBColor {
    const KNOWN: [&str; 7] = [
        crate::ours::NAME,
        "bullet",
        "physx",
        "chrono",
        "jolt",
        "ode",
        "mujoco",
    ];
    let engine = engine.trim_end_matches("-multicore");
    let place = KNOWN.iter().position(|known| *known == engine);
    COLORS[place.unwrap_or(COLORS.len() - 1)]
}

/// A number of an axis if it is 1, 2 or 5 of its decade; others would stand too close.
fn sparse(number: f64) -> String {
    let leading = number / 10.0_f64.powf(number.log10().floor());
    let is_shown = [1.0, 2.0, 5.0, 10.0]
        .iter()
        .any(|shown| (leading - shown).abs() < 1e-6);
    if is_shown {
        short(number)
    } else {
        String::new()
    }
}

/// A number of an axis, without needless digits.
fn short(number: f64) -> String {
    if (0.01..10_000.0).contains(&number) {
        let text = format!("{number:.3}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        format!("{number:.0e}")
    }
}
