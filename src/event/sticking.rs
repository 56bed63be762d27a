//! Contacts all of which stick.

use super::rows::{Bilateral, Forces, InverseMass, Row, Tangent, Unilateral, solve};
use crate::math::Vec3;

/// Forces under which every contact that presses sticks, if friction allows them; `pressing` are those without friction.
///
/// Along the contacts that press, two rows each push and pull against slip. That is the problem of contact without friction once more, of a symmetric matrix,
/// which Dantzig's method solves where paths of Lemke's get lost: bodies of unequal masses that rest on each other, which rounding
/// has turned by next to nothing.
pub(super) fn sticking(
    bilateral: &[Bilateral],
    unilateral: &[Unilateral],
    smooth: &[Unilateral],
    pressing: &Forces,
    inverse: &[InverseMass],
) -> Option<Forces> {
    let mut rows = bilateral.to_vec();
    let mut held = Vec::new();
    for (index, row) in unilateral.iter().enumerate() {
        if let Tangent::Sticking { along, coefficient } = &row.tangent
            && pressing.normal[index] > 0.0
        {
            rows.extend(across(along).map(|at| along[at]));
            held.push((index, along, *coefficient));
        }
    }
    let mut forces = solve(&rows, smooth, inverse)?;
    let tangential = forces.bilateral.split_off(bilateral.len());
    for (row, of) in unilateral.iter().zip(&mut forces.tangential) {
        if let Tangent::Sticking { along, .. } = &row.tangent {
            *of = vec![0.0; along.len()];
        }
    }
    for ((index, along, coefficient), pair) in held.into_iter().zip(tangential.chunks_exact(2)) {
        let [first, second] = across(along).map(|at| along[at].0.linear);
        let parts = parts_along(&(first * pair[0] + second * pair[1]), along);
        if parts.iter().sum::<f64>() > coefficient * forces.normal[index] {
            return None;
        }
        forces.tangential[index] = parts;
    }
    forces
        .hold_still(bilateral, unilateral, inverse)
        .then_some(forces)
}

/// Two of the directions of a pyramid, at a right angle if there are such.
fn across(along: &[(Row, f64)]) -> [usize; 2] {
    [0, (along.len() / 4).max(1)]
}

/// A force along a contact as parts, none negative, along the two directions of its pyramid that it is between; shape `[directions]`.
fn parts_along(force: &Vec3, along: &[(Row, f64)]) -> Vec<f64> {
    let count = along.len();
    let direction = |at: usize| along[at % count].0.linear;
    let part = |at: usize| direction(at).dot(force);
    let nearest = (0..count).max_by(|&a, &b| part(a).total_cmp(&part(b)));
    let nearest = nearest.unwrap_or(0);
    let [after, before] = [nearest + 1, nearest + count - 1];
    let beside = if part(after) > part(before) {
        after
    } else {
        before
    };
    let cosine = direction(nearest).dot(&direction(beside));
    let of = |one: usize, other: usize| {
        ((part(one) - cosine * part(other)) / (1.0 - cosine * cosine)).max(0.0)
    };
    let mut parts = vec![0.0; count];
    parts[nearest] = of(nearest, beside);
    parts[beside % count] = of(beside, nearest);
    parts
}
