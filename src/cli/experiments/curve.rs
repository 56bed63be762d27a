//! Numbers over time, and what is read off them.

/// Points `(x, y)` in the order of x.
pub(crate) type Curve = Vec<(f64, f64)>;

/// Largest y; infinite if one is not a number.
pub(crate) fn largest(curve: &[(f64, f64)]) -> f64 {
    curve.iter().fold(f64::NEG_INFINITY, |most, &(_, y)| {
        if y.is_nan() {
            f64::INFINITY
        } else {
            most.max(y)
        }
    })
}

/// First y that is not zero; zero if there is none.
pub(crate) fn first(curve: &[(f64, f64)]) -> f64 {
    let found = curve.iter().map(|p| p.1).find(|&y| y != 0.0);
    found.unwrap_or(0.0)
}

/// Least y.
pub(crate) fn least(curve: &[(f64, f64)]) -> f64 {
    curve.iter().fold(f64::INFINITY, |least, p| least.min(p.1))
}

/// Mean y over the points with x in `from..until`.
pub(crate) fn mean_between(curve: &[(f64, f64)], from: f64, until: f64) -> f64 {
    let inside = || curve.iter().filter(|p| p.0 >= from && p.0 < until);
    inside().map(|p| p.1).sum::<f64>() / inside().count() as f64
}

/// How often the curve turns from rising to falling or back.
pub(crate) fn turns(curve: &[(f64, f64)]) -> usize {
    curve
        .windows(3)
        .filter(|w| (w[1].1 - w[0].1) * (w[2].1 - w[1].1) < 0.0)
        .count()
}

/// Largest rise from one point to the next; negative for a curve that falls throughout.
pub(crate) fn largest_rise(curve: &[(f64, f64)]) -> f64 {
    curve
        .windows(2)
        .map(|w| w[1].1 - w[0].1)
        .fold(f64::NEG_INFINITY, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_are_read_off() {
        let curve = [(0.0, 1.0), (1.0, 3.0), (2.0, 2.0), (3.0, 2.5), (4.0, 4.0)];
        assert_eq!(largest(&curve), 4.0);
        assert_eq!(least(&curve), 1.0);
        assert_eq!(first(&[(0.0, 0.0), (1.0, 7.0)]), 7.0);
        assert_eq!(turns(&curve), 2);
        assert_eq!(largest_rise(&curve), 2.0);
        assert_eq!(mean_between(&curve, 1.0, 3.0), 2.5);
        assert_eq!(largest(&[(0.0, 1.0), (1.0, f64::NAN)]), f64::INFINITY);
    }
}
