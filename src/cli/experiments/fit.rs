//! Fits of laws to points.

/// A line `y = start + slope x`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Line {
    pub(crate) start: f64,
    pub(crate) slope: f64,
}

/// The line of least squares; not numbers for less than two places.
pub(crate) fn line(points: &[(f64, f64)]) -> Line {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let (mut xx, mut xy) = (0.0, 0.0);
    for point in points {
        xx += (point.0 - x).powi(2);
        xy += (point.0 - x) * (point.1 - y);
    }
    let slope = xy / xx;
    Line {
        start: y - slope * x,
        slope,
    }
}

/// The exponent of a power law through points, by least squares on the logarithms.
pub(crate) fn exponent(points: &[(f64, f64)]) -> f64 {
    let logarithms: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    line(&logarithms).slope
}

/// Share of the squares of y about its mean that a law explains.
pub(crate) fn explained(points: &[(f64, f64)], law: impl Fn(f64) -> f64) -> f64 {
    let mean = points.iter().map(|p| p.1).sum::<f64>() / points.len() as f64;
    let all: f64 = points.iter().map(|p| (p.1 - mean).powi(2)).sum();
    let left: f64 = points.iter().map(|p| (p.1 - law(p.0)).powi(2)).sum();
    1.0 - left / all
}

/// The value of a law's parameter, between two positive ones, at which a loss is least.
pub(crate) fn least(from: f64, to: f64, loss: impl Fn(f64) -> f64) -> f64 {
    /// Values that are tried in each round, the next of which is between the neighbours of the best.
    const TRIED: u32 = 40;
    let (mut from, mut to) = (from.ln(), to.ln());
    let mut best = f64::NAN;
    for _ in 0..6 {
        let at = |k: u32| from + (to - from) * f64::from(k) / f64::from(TRIED);
        let losses = (0..=TRIED).map(|k| (at(k), loss(at(k).exp())));
        let found = losses.min_by(|a, b| a.1.total_cmp(&b.1));
        let around = (to - from) / f64::from(TRIED);
        best = found.map_or(f64::NAN, |found| found.0);
        (from, to) = (best - around, best + around);
    }
    best.exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laws_are_found_in_their_own_points() {
        let points: Vec<(f64, f64)> = (0..20)
            .map(|k| (f64::from(k), 3.0 - 0.5 * f64::from(k)))
            .collect();
        let found = line(&points);
        assert!((found.start - 3.0).abs() < 1e-12 && (found.slope + 0.5).abs() < 1e-12);
        assert!((explained(&points, |x| 3.0 - 0.5 * x) - 1.0).abs() < 1e-12);
        let mean = 3.0 - 0.5 * 9.5;
        assert!(explained(&points, |_| mean).abs() < 1e-12);
        assert!(!line(&points[..1]).slope.is_finite());
        let scale = least(0.1, 100.0, |scale| (scale - 7.3).powi(2));
        assert!((scale - 7.3).abs() < 1e-5, "{scale}");
    }
}
