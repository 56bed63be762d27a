//! Compounds, part by part.

use super::placed::Placed;
use crate::math::{Aabb, Pose};
use crate::world::{CompoundPart, Shape};

/// Visits the pairs of parts of two shapes whose boxes, grown by `reach` together, overlap; a shape
/// that is no compound is its own part 0. The first argument of `visit` is the upper half of the
/// feature: A's part in the upper 16 bits, B's in the lower. Returns what all other pairs of parts
/// are apart by at least `[m]`.
pub(super) fn part_pairs(
    a: &Placed<'_>,
    b: &Placed<'_>,
    reach: f64,
    mut visit: impl FnMut(u32, &Placed<'_>, &Placed<'_>),
) -> f64 {
    let whole_b = aabb(b);
    let mut apart = f64::INFINITY;
    for (part_a, a) in parts(a).enumerate() {
        let box_a = aabb(&a);
        let gap = gap(&box_a, &whole_b);
        if gap > reach {
            apart = apart.min(gap);
            continue;
        }
        for (part_b, b) in parts(b).enumerate() {
            let gap = self::gap(&box_a, &aabb(&b));
            if gap > reach {
                apart = apart.min(gap);
            } else {
                visit((part_a as u32) << 16 | part_b as u32, &a, &b);
            }
        }
    }
    apart
}

/// The largest gap between two boxes along an axis: no more than their distance `[m]`.
fn gap(a: &Aabb, b: &Aabb) -> f64 {
    (a.min - b.max).sup(&(b.min - a.max)).max()
}

fn parts<'a>(whole: &Placed<'a>) -> impl Iterator<Item = Placed<'a>> {
    let whole = *whole;
    let (parts, single): (&[CompoundPart], _) = match whole.shape {
        Shape::Compound { parts } => (parts, None),
        _ => (&[], Some(whole)),
    };
    single
        .into_iter()
        .chain(parts.iter().map(move |part| Placed {
            shape: &part.shape,
            position: whole.position + whole.orientation * part.pose.position,
            orientation: whole.orientation * part.pose.orientation,
        }))
}

fn aabb(placed: &Placed<'_>) -> Aabb {
    placed
        .shape
        .aabb(&Pose::new(placed.position, placed.orientation))
}
