//! Points in the plane of time and penetration, and how they compare.

use serde::Serialize;

/// Where a point comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Origin {
    /// Run in this process, in turns with the others.
    Interleaved,
    /// Another program, run from here.
    External,
    /// Read from a file: another sitting, perhaps another machine.
    Recorded,
}

/// One engine with one setting on one scene.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Point {
    pub(crate) scene: String,
    pub(crate) engine: String,
    pub(crate) version: String,
    pub(crate) settings: String,
    pub(crate) threads: usize,
    pub(crate) runs: usize,
    pub(crate) origin: Origin,
    /// Mean over the second half of the steps; median over the runs `[ms]`.
    pub(crate) ms_per_step: f64,
    /// `[body diameters]`, as the next two.
    pub(crate) max_penetration: f64,
    pub(crate) p99_penetration: f64,
    pub(crate) mean_penetration: f64,
    /// `[J]`.
    pub(crate) ke_per_body: Option<f64>,
    /// Bodies that fell out of the scene.
    pub(crate) lost: Option<usize>,
    /// Of pyramids only `[m]`.
    pub(crate) top_displacement: Option<f64>,
}

/// How a point stands to drystone's curve, or a point of drystone's to Rapier's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verdict {
    /// Some point of the curve is at least as fast and at least as accurate.
    Behind,
    /// Faster and more accurate than a point of the curve that no other point of it beats.
    Ahead,
    /// Faster and more accurate than every point of the curve.
    AheadOfAll,
    /// None of these: faster and less accurate, or the other way round.
    Apart,
    /// There is no curve to compare with.
    Alone,
}

impl Verdict {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Behind => "behind",
            Self::Ahead => "AHEAD",
            Self::AheadOfAll => "AHEAD OF ALL",
            Self::Apart => "apart",
            Self::Alone => "-",
        }
    }
}

/// Which penetrations a comparison is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Accuracy {
    Mean,
    Worst,
}

/// A point beside its opponents.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Standing {
    #[serde(flatten)]
    pub(crate) point: Point,
    /// How many times faster drystone is: the time of the fastest opponent that is at least as accurate in
    /// the mean, over the point's own, turned so that more than 1 is in drystone's favour. None if
    /// no opponent is as accurate.
    pub(crate) speedup_at_mean: Option<f64>,
    /// The same at the worst penetration.
    pub(crate) speedup_at_worst: Option<f64>,
    /// The same where both have to be as good.
    pub(crate) speedup_at_both: Option<f64>,
    /// A peer's place by time and mean penetration.
    pub(crate) by_mean: Verdict,
    /// A peer's place by time and worst penetration.
    pub(crate) by_worst: Verdict,
    /// True for a peer that is both faster and more accurate, in the mean and at worst, than every point of
    /// drystone's.
    pub(crate) dominates: bool,
}

impl Point {
    fn penetration(&self, accuracy: Accuracy) -> f64 {
        match accuracy {
            Accuracy::Mean => self.mean_penetration,
            Accuracy::Worst => self.max_penetration,
        }
    }

    pub(crate) fn is_ours(&self) -> bool {
        self.engine == crate::ours::NAME
    }

    fn is_rapier(&self) -> bool {
        self.engine == crate::rapier::NAME
    }

    /// A point that can be placed: nothing fell out, and its numbers are numbers.
    pub(crate) fn is_sound(&self) -> bool {
        let numbers = [
            self.ms_per_step,
            self.max_penetration,
            self.mean_penetration,
        ];
        numbers.iter().all(|x| x.is_finite()) && self.lost.unwrap_or(0) == 0
    }
}

/// Compares every point with its opponents of the same scene and number of threads: peers with
/// drystone's, and drystone's with Rapier's. Where Rapier was run here, its recorded points are no opponents.
pub(crate) fn standings(points: &[Point]) -> Vec<Standing> {
    let standing = |point: &Point| {
        let rapier_is_here = points
            .iter()
            .any(|other| other.is_rapier() && other.origin == Origin::Interleaved);
        let opponents: Vec<&Point> = points
            .iter()
            .filter(|other| other.scene == point.scene && other.threads == point.threads)
            .filter(|other| other.is_sound())
            .filter(|other| match point.is_ours() {
                true => other.is_rapier() && !(rapier_is_here && other.origin == Origin::Recorded),
                false => other.is_ours(),
            })
            .collect();
        let speedup = |accuracies: &[Accuracy]| {
            let as_good = opponents.iter().filter(|other| {
                let mut all = accuracies.iter();
                all.all(|&a| other.penetration(a) <= point.penetration(a))
            });
            let fastest = as_good
                .map(|other| other.ms_per_step)
                .min_by(f64::total_cmp)?;
            Some(if point.is_ours() {
                fastest / point.ms_per_step
            } else {
                point.ms_per_step / fastest
            })
        };
        let place = |accuracy| match point.is_ours() {
            true => Verdict::Alone,
            false => verdict(point, &opponents, accuracy),
        };
        let faster_and_more_accurate = |other: &&Point| {
            [Accuracy::Mean, Accuracy::Worst]
                .iter()
                .all(|&a| beats(point, other, a))
        };
        Standing {
            speedup_at_mean: speedup(&[Accuracy::Mean]),
            speedup_at_worst: speedup(&[Accuracy::Worst]),
            speedup_at_both: speedup(&[Accuracy::Mean, Accuracy::Worst]),
            by_mean: place(Accuracy::Mean),
            by_worst: place(Accuracy::Worst),
            dominates: !point.is_ours()
                && !opponents.is_empty()
                && opponents.iter().all(faster_and_more_accurate),
            point: point.clone(),
        }
    };
    points.iter().map(standing).collect()
}

/// The points of a curve that no other point of it beats, from the fastest on.
pub(crate) fn front<'a>(curve: &[&'a Point], accuracy: Accuracy) -> Vec<&'a Point> {
    let mut sorted = curve.to_vec();
    sorted.sort_by(|a, b| {
        let times = a.ms_per_step.total_cmp(&b.ms_per_step);
        times.then(a.penetration(accuracy).total_cmp(&b.penetration(accuracy)))
    });
    let mut least = f64::INFINITY;
    sorted.retain(|point| {
        let better = point.penetration(accuracy) < least;
        least = least.min(point.penetration(accuracy));
        better
    });
    sorted
}

fn beats(a: &Point, b: &Point, accuracy: Accuracy) -> bool {
    a.ms_per_step < b.ms_per_step && a.penetration(accuracy) < b.penetration(accuracy)
}

fn verdict(point: &Point, curve: &[&Point], accuracy: Accuracy) -> Verdict {
    let front = front(curve, accuracy);
    let is_behind = |other: &&Point| {
        other.ms_per_step <= point.ms_per_step
            && other.penetration(accuracy) <= point.penetration(accuracy)
    };
    if front.is_empty() {
        Verdict::Alone
    } else if front.iter().any(is_behind) {
        Verdict::Behind
    } else if front.iter().all(|other| beats(point, other, accuracy)) {
        Verdict::AheadOfAll
    } else if front.iter().any(|other| beats(point, other, accuracy)) {
        Verdict::Ahead
    } else {
        Verdict::Apart
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(engine: &str, ms_per_step: f64, penetration: f64) -> Point {
        Point {
            scene: "pile".into(),
            engine: engine.into(),
            version: String::new(),
            settings: String::new(),
            threads: 1,
            runs: 1,
            origin: Origin::Interleaved,
            ms_per_step,
            max_penetration: 10.0 * penetration,
            p99_penetration: 5.0 * penetration,
            mean_penetration: penetration,
            ke_per_body: None,
            lost: None,
            top_displacement: None,
        }
    }

    #[test]
    fn peers_are_placed_by_the_curve() {
        let ours = [point("drystone", 1.0, 4e-3), point("drystone", 3.0, 1e-3)];
        for (ms, penetration, verdict, speedup) in [
            (2.0, 5e-3, Verdict::Behind, Some(2.0)),
            (1.0, 4e-3, Verdict::Behind, Some(1.0)),
            (0.5, 3e-3, Verdict::Ahead, Some(0.5 / 3.0)),
            (0.5, 5e-4, Verdict::AheadOfAll, None),
            (0.5, 5e-3, Verdict::Apart, Some(0.5)),
            (2.0, 2e-3, Verdict::Apart, Some(2.0 / 3.0)),
            (9.0, 1e-4, Verdict::Apart, None),
        ] {
            let mut points = ours.to_vec();
            points.push(point("other", ms, penetration));
            let found = standings(&points).pop().expect("one standing a point");
            assert_eq!(
                (found.by_mean, found.by_worst),
                (verdict, verdict),
                "{ms} {penetration}"
            );
            assert_eq!(found.speedup_at_both, speedup, "{ms} {penetration}");
            assert_eq!(found.dominates, verdict == Verdict::AheadOfAll);
        }
    }

    #[test]
    fn our_points_are_measured_against_rapiers() {
        let mut recorded = point("rapier3d", 0.1, 1e-3);
        recorded.origin = Origin::Recorded;
        let mut fallen = point("rapier3d", 0.1, 1e-3);
        fallen.lost = Some(3);
        let points = [
            point("drystone", 1.0, 4e-3),
            point("rapier3d", 4.0, 3e-3),
            point("rapier3d", 2.0, 4e-3),
            recorded,
            fallen,
        ];
        let found = &standings(&points)[0];
        assert_eq!(found.speedup_at_both, Some(2.0));
        assert_eq!(found.by_mean, Verdict::Alone);
    }

    #[test]
    fn a_front_has_no_point_that_another_beats() {
        let points = [
            point("drystone", 1.0, 4e-3),
            point("drystone", 2.0, 5e-3),
            point("drystone", 3.0, 1e-3),
            point("drystone", 3.0, 2e-3),
        ];
        let times: Vec<f64> = front(&points.iter().collect::<Vec<_>>(), Accuracy::Mean)
            .iter()
            .map(|point| point.ms_per_step)
            .collect();
        assert_eq!(times, [1.0, 3.0]);
    }
}
