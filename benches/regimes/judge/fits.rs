//! Numbers that are read off a whole run, or off all bodies at its end.

use drystone::math::Vec3;
use drystone::world::{Body, Shape};
use std::f64::consts::TAU;

/// Height of the parabola through three values at equal distances, the middle one being the largest.
fn vertex([before, here, after]: [f64; 3]) -> f64 {
    let bend = before - 2.0 * here + after;
    if bend < 0.0 {
        here - (after - before).powi(2) / (8.0 * bend)
    } else {
        here
    }
}

/// Largest values between smaller ones, as parabolas through three have them: a ball at its highest is hardly ever
/// there at the end of a step.
pub(super) fn peaks(values: &[f64]) -> Vec<f64> {
    let is_peak = |w: &&[f64]| w[1] > w[0] && w[1] >= w[2];
    let found = values.windows(3).filter(is_peak);
    found.map(|w| vertex([w[0], w[1], w[2]])).collect()
}

/// The angle from the vertical to which a pendulum about the origin swings in the last fifth of its way `[rad]`.
pub(super) fn swing(path: &[Vec3]) -> f64 {
    let late = &path[path.len() * 4 / 5..];
    let angles: Vec<f64> = late.iter().map(|at| at.x.atan2(-at.z).abs()).collect();
    peaks(&angles).into_iter().fold(f64::NAN, f64::max)
}

/// Mean rate about the vertical through the origin `[rad/s]`, and the farthest that the angle from the vertical was
/// from `tilt` `[rad]`.
pub(super) fn precession(path: &[Vec3], h: f64, tilt: f64) -> [f64; 2] {
    let azimuths = path.windows(2).map(|w| {
        let turned = w[1].y.atan2(w[1].x) - w[0].y.atan2(w[0].x);
        turned - TAU * (turned / TAU).round()
    });
    let rate = azimuths.sum::<f64>() / (h * path.len().saturating_sub(1).max(1) as f64);
    let off = path
        .iter()
        .map(|at| ((at.z / at.norm()).clamp(-1.0, 1.0).acos() - tilt).abs());
    [rate, off.fold(0.0, f64::max)]
}

/// The power p of `E = E_0 (1 + t / tau)^p`, whose two numbers are fitted to the logarithms of kinetic energies at the
/// end of each step; the first is at time 0.
pub(super) fn cooling_power(energies: &[f64]) -> f64 {
    let steps = energies.len().saturating_sub(1) as f64;
    // At times that are spaced evenly in their logarithms, and each once.
    let mut times: Vec<usize> = (0..200)
        .map(|k| steps.powf(f64::from(k) / 199.0).round() as usize)
        .collect();
    times.dedup();
    let falls: Vec<(f64, f64)> = times
        .iter()
        .filter_map(|&t| Some((t as f64, (energies.get(t)? / energies[0]).ln())))
        .collect();
    let fit = |tau: f64| {
        let points = || falls.iter().map(|&(t, y)| ((t / tau).ln_1p(), y));
        let power =
            points().map(|(x, y)| x * y).sum::<f64>() / points().map(|(x, _)| x * x).sum::<f64>();
        let left = points().map(|(x, y)| (y - power * x).powi(2)).sum::<f64>();
        (power, left)
    };
    let fits = (0..400).map(|k| fit(steps.powf(f64::from(k) / 300.0)));
    let best = fits.min_by(|a, b| a.1.total_cmp(&b.1));
    best.map_or(f64::NAN, |(power, _)| power)
}

/// Speed of what passes bodies in a row, behind the first two fifths of them and before the last tenth `[m/s]`;
/// `passed` is when it passed each `[s]`, not a number where it did not.
pub(super) fn wave_speed(places: &[f64], passed: &[f64]) -> f64 {
    let (from, to) = (places.len() * 2 / 5, places.len() * 9 / 10);
    (places[to] - places[from]) / (passed[to] - passed[from])
}

/// Share of the space that spheres fill in the middle of a box about the z axis: 3.5 mean diameters `d` from the walls
/// at the outermost spheres, from the floor at 0, and from the top.
pub(super) fn packing_fraction(bodies: &[Body], d: f64) -> f64 {
    /// Points a mean diameter.
    const POINTS: f64 = 12.0;
    const FAR: f64 = 3.5;
    let spheres = bodies.iter().filter(|body| body.is_dynamic());
    let spheres: Vec<(Vec3, f64)> = spheres
        .filter_map(|body| match body.shape {
            Shape::Sphere { radius } => Some((body.pose.position, radius)),
            _ => None,
        })
        .collect();
    let reach = |axis: usize| {
        let ends = spheres.iter().map(|(at, radius)| at[axis].abs() + radius);
        ends.fold(0.0, f64::max)
    };
    let mut tops: Vec<f64> = spheres.iter().map(|(at, radius)| at.z + radius).collect();
    tops.sort_by(f64::total_cmp);
    // Lower than the few that lie on top.
    let top = tops[tops.len() * 49 / 50];
    let low = Vec3::new(FAR * d - reach(0), FAR * d - reach(1), FAR * d);
    let high = Vec3::new(-low.x, -low.y, top - FAR * d);
    let pitch = d / POINTS;
    let count = ((high - low) / pitch).map(|n| n.max(0.0) as i64);
    let mut is_filled = vec![false; (count.x * count.y * count.z) as usize];
    for (at, radius) in &spheres {
        let first = (at.add_scalar(-radius) - low).map(|x| (x / pitch).floor().max(0.0) as i64);
        let last = (at.add_scalar(*radius) - low).map(|x| (x / pitch).ceil() as i64);
        for k in first.z..last.z.min(count.z) {
            for j in first.y..last.y.min(count.y) {
                for i in first.x..last.x.min(count.x) {
                    let cell = Vec3::new(i as f64, j as f64, k as f64).add_scalar(0.5);
                    if (low + cell * pitch - at).norm_squared() < radius * radius {
                        is_filled[((k * count.y + j) * count.x + i) as usize] = true;
                    }
                }
            }
        }
    }
    let filled = is_filled.iter().filter(|&&filled| filled).count();
    filled as f64 / is_filled.len() as f64
}
