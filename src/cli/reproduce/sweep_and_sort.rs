//! Baraff's sweep over sorted intervals, on the intervals of his figures.
//!
//! Source: Baraff, SIGGRAPH course notes 1997, section 7.2.1, figures 18 and 19.

use super::experiment::{Context, Experiment};
use super::outcome::{Expected, Outcome};
use crate::plot::{Axis, Plot, Series};
use drystone::Result;
use drystone::collide::PairSearch;
use drystone::internals::collide::{Broadphase, Line};
use drystone::math::{Pose, Quat, Vec3};
use drystone::world::{Body, Shape, World};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "sweep_and_sort",
    title: "Active lists and exchanges of the coherent sweep, literally",
    source: "Baraff, SIGGRAPH course notes 1997, section 7.2.1, figures 18 and 19",
    run: reproduce,
};

/// The order of figure 18: beginnings and ends of intervals that are numbered from 1.
const FIGURE_18: [(char, usize); 12] = [
    ('b', 3),
    ('b', 6),
    ('b', 1),
    ('e', 6),
    ('e', 1),
    ('b', 5),
    ('b', 2),
    ('e', 3),
    ('b', 4),
    ('e', 5),
    ('e', 2),
    ('e', 4),
];

fn reproduce(_: &Context) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let before = intervals(&FIGURE_18);
    // Figure 19: interval 4 has moved to the right, past the end of 5.
    let mut moved = FIGURE_18;
    moved.swap(8, 9);
    let after = intervals(&moved);

    let mut line = Line::default();
    line.reset(before.into_iter());
    let (mut at_b1, mut at_e3) = (Vec::new(), Vec::new());
    line.sweep(|end, active| {
        let mut active: Vec<usize> = active.iter().map(|other| other + 1).collect();
        active.sort_unstable();
        match (end.is_end(), end.entry() + 1) {
            (false, 1) => at_b1 = active,
            (true, 3) => at_e3 = active,
            _ => {}
        }
    });
    for (title, published, found, expected) in [
        (
            "figure 18a: active list at b1, intervals unlike",
            "{3, 6}",
            &at_b1,
            vec![3, 6],
        ),
        (
            "figure 18b: active list at e3, intervals unlike",
            "{2, 3, 5}",
            &at_e3,
            vec![2, 3, 5],
        ),
    ] {
        let missing = expected.iter().filter(|interval| !found.contains(interval));
        let more = found.iter().filter(|interval| !expected.contains(interval));
        outcome.published_row(
            title,
            "",
            published,
            Expected::near(0.0, 0.0),
            (missing.count() + more.count()) as f64,
        );
    }
    let mut exchanged = Vec::new();
    let exchanges = line.update(
        |at| after[at],
        |a, b| exchanged.push([a.min(b) + 1, a.max(b) + 1]),
    );
    outcome.published_row(
        "figure 19: exchanges that put the list of figure 18 in order",
        "",
        "1",
        Expected::near(1.0, 0.0),
        exchanges as f64,
    );
    outcome.published_row(
        "figure 19: pairs whose overlap is looked at again, other than 4 and 5",
        "",
        "4 and 5",
        Expected::near(0.0, 0.0),
        exchanged.iter().filter(|pair| **pair != [4, 5]).count() as f64
            + if exchanged.contains(&[4, 5]) {
                0.0
            } else {
                1.0
            },
    );
    in_space(&before, &after, &mut outcome)?;
    for (name, title, intervals) in [
        ("figure18", "Intervals in the order of figure 18", &before),
        (
            "figure19",
            "Intervals of figure 19: 4 has moved to the right",
            &after,
        ),
    ] {
        let series = (1..).zip(intervals).map(|(number, &(from, to))| {
            let height = f64::from(number);
            Series::new(
                format!("interval {number}"),
                vec![(from, height), (to, height)],
            )
            .broad()
        });
        outcome.plots.push(Plot {
            name,
            title: title.into(),
            x: Axis::linear("place in the sorted list [1]"),
            y: Axis::linear("interval"),
            series: series.collect(),
            seen: if name == "figure18" {
                "Where 1 begins, 3 and 6 are active; where 3 ends, 2, 3 and 5 are.".into()
            } else {
                "4 now begins after 5 has ended: one exchange in the list.".into()
            },
        });
    }
    Ok(outcome)
}

/// Each interval from the place of its beginning to that of its end.
fn intervals(order: &[(char, usize)]) -> [(f64, f64); 6] {
    let place = |kind: char, number: usize| {
        let at = order.iter().position(|&end| end == (kind, number));
        at.map_or(f64::NAN, |at| at as f64)
    };
    std::array::from_fn(|at| (place('b', at + 1), place('e', at + 1)))
}

/// The same as boxes in space, by the search that a step uses.
fn in_space(
    before: &[(f64, f64); 6],
    after: &[(f64, f64); 6],
    outcome: &mut Outcome,
) -> Result<()> {
    let mut world = World::new(Vec3::zeros());
    let place = |world: &mut World, intervals: &[(f64, f64); 6]| -> Result<()> {
        world.bodies.clear();
        for &(from, to) in intervals {
            let shape = Shape::Box {
                half_extents: Vec3::new(0.5 * (to - from), 1.0, 1.0),
            };
            let pose = Pose::new(Vec3::x() * (0.5 * (from + to)), Quat::identity());
            world.add(Body::dynamic_with_mass(shape, pose, 1.0)?)?;
        }
        Ok(())
    };
    let mut search = Broadphase::by(PairSearch::Sweep);
    let reach = [0.0; 6];
    let (mut first, mut second) = (Vec::new(), Vec::new());
    place(&mut world, before)?;
    search.find_pairs(&world, &reach, &mut first)?;
    place(&mut world, after)?;
    search.find_pairs(&world, &reach, &mut second)?;
    outcome.published_row(
        "the same as boxes: exchanges along all three axes",
        "",
        "1",
        Expected::near(1.0, 0.0),
        search.exchanges() as f64,
    );
    // Bodies are numbered from 0.
    let lost: Vec<_> = first.iter().filter(|pair| !second.contains(pair)).collect();
    let is_right = lost == [&[3, 4]] && second.iter().all(|pair| first.contains(pair));
    outcome.row(
        "the same: overlaps that end, if it is that of 4 and 5 alone",
        "",
        Expected::near(1.0, 0.0),
        if is_right {
            lost.len() as f64
        } else {
            f64::NAN
        },
    );
    Ok(())
}
