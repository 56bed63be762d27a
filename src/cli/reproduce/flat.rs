//! Polygons in a plane.

/// Area of the convex hull of some points.
pub(crate) fn area_of_hull(points: &[[f64; 2]]) -> f64 {
    let mut points = points.to_vec();
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let mut hull = chain(points.iter());
    hull.extend(chain(points.iter().rev()));
    let sides = hull.iter().zip(hull.iter().cycle().skip(1));
    0.5 * sides.map(|(a, b)| a[0] * b[1] - a[1] * b[0]).sum::<f64>()
}

/// One half of the hull of sorted points, without its last one.
fn chain<'a>(points: impl Iterator<Item = &'a [f64; 2]>) -> Vec<[f64; 2]> {
    let mut chain: Vec<[f64; 2]> = Vec::new();
    for point in points {
        while let [.., a, b] = chain[..]
            && (b[0] - a[0]) * (point[1] - a[1]) <= (b[1] - a[1]) * (point[0] - a[0])
        {
            chain.pop();
        }
        chain.push(*point);
    }
    chain.pop();
    chain
}

/// A convex polygon clipped by the sides of another, both counter-clockwise.
pub(crate) fn clipped(mut polygon: Vec<[f64; 2]>, window: &[[f64; 2]]) -> Vec<[f64; 2]> {
    for (a, b) in window.iter().zip(window.iter().cycle().skip(1)) {
        let inside = |p: &[f64; 2]| (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
        let mut kept = Vec::new();
        for (p, q) in polygon.iter().zip(polygon.iter().cycle().skip(1)) {
            let (at_p, at_q) = (inside(p), inside(q));
            if at_p >= 0.0 {
                kept.push(*p);
            }
            if (at_p >= 0.0) != (at_q >= 0.0) {
                let part = at_p / (at_p - at_q);
                kept.push([0, 1].map(|k| p[k] + part * (q[k] - p[k])));
            }
        }
        polygon = kept;
    }
    polygon
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_that_overlap_share_a_square() {
        let square = |x: f64| vec![[x, x], [x + 1.0, x], [x + 1.0, x + 1.0], [x, x + 1.0]];
        assert!((area_of_hull(&square(0.3)) - 1.0).abs() < 1e-12);
        let shared = clipped(square(0.25), &square(0.0));
        assert!((area_of_hull(&shared) - 0.5625).abs() < 1e-12);
        assert!(clipped(square(2.0), &square(0.0)).is_empty());
        let with_inner = [square(0.0), vec![[0.5, 0.5], [0.5, 0.0]]].concat();
        assert!((area_of_hull(&with_inner) - 1.0).abs() < 1e-12);
    }
}
