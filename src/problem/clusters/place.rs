//! Where bodies are, relative to each other, as far as contacts and joints tell.
//!
//! A problem has no positions, only arms from centres of mass to contact points. Between two bodies
//! that touch, `x_b - x_a = arm_a - arm_b`; a breadth-first search through movable bodies adds these up.

use super::links::{Link, Links};
use crate::math::{self, V3};
use crate::problem::{JointRow, ProblemRef};

/// A movable body that something acts on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// Index of the body.
    pub(super) body: u32,
    /// Number of the component: bodies that contacts and joints link through movable bodies.
    pub(super) component: u32,
    /// Centre of mass, relative to the first body of the component `[m]`.
    pub(super) position: V3,
}

/// All movable bodies of `links`, component after component, each in the order of the search.
pub(super) fn places(problem: &ProblemRef<'_>, links: &Links) -> Vec<Place> {
    let neighbours = Neighbours::of(problem, links);
    let mut found: Vec<Place> = Vec::new();
    let mut reached = vec![false; problem.bodies.len()];
    let mut component = 0;
    for body in links.bodies(problem) {
        if std::mem::replace(&mut reached[body as usize], true) {
            continue;
        }
        let mut next = found.len();
        found.push(Place {
            body,
            component,
            position: [0.0; 3],
        });
        while let Some(&from) = found.get(next) {
            next += 1;
            for &(other, link) in neighbours.of_body(from.body) {
                if std::mem::replace(&mut reached[other as usize], true) {
                    continue;
                }
                let offset = links.list[link as usize].offset(problem);
                let sign = if links.list[link as usize].bodies[0] == from.body {
                    1.0
                } else {
                    -1.0
                };
                found.push(Place {
                    body: other,
                    component,
                    position: math::add(from.position, math::scale(offset, sign)),
                });
            }
        }
        component += 1;
    }
    found
}

/// The movable bodies that each body is linked with.
struct Neighbours {
    starts: Vec<u32>,
    /// Other body, and link.
    list: Vec<(u32, u32)>,
}

impl Neighbours {
    fn of(problem: &ProblemRef<'_>, links: &Links) -> Self {
        let inner = || {
            (0..).zip(&links.list).filter(|(_, link)| {
                link.bodies
                    .iter()
                    .all(|&body| problem.bodies[body as usize].is_movable())
            })
        };
        let mut starts = vec![0_u32; problem.bodies.len() + 2];
        for (_, link) in inner() {
            for body in link.bodies {
                starts[body as usize + 2] += 1;
            }
        }
        for body in 2..starts.len() {
            starts[body] += starts[body - 1];
        }
        let mut list = vec![(0, 0); starts.last().copied().unwrap_or(0) as usize];
        for (index, link) in inner() {
            let [a, b] = link.bodies;
            for (body, other) in [(a, b), (b, a)] {
                let at = &mut starts[body as usize + 1];
                list[*at as usize] = (other, index);
                *at += 1;
            }
        }
        Self { starts, list }
    }

    fn of_body(&self, body: u32) -> &[(u32, u32)] {
        let body = body as usize;
        &self.list[self.starts[body] as usize..self.starts[body + 1] as usize]
    }
}

impl Link {
    /// Position of B relative to A `[m]`.
    fn offset(&self, problem: &ProblemRef<'_>) -> V3 {
        let first = self.members.start as usize;
        if self.is_joint {
            joint_offset(&problem.joint_rows[first..self.members.end as usize])
        } else {
            let contact = &problem.contacts[first];
            math::sub(contact.arm_a, contact.arm_b)
        }
    }
}

/// The same of a joint, where three rows fix a point: for unit vectors `d` at right angles
/// `sum d x (arm x d) = 2 arm`. Nothing where they do not.
fn joint_offset(rows: &[JointRow]) -> V3 {
    let linear = || rows.iter().filter(|row| !row.is_angular());
    if linear().count() != 3 {
        return [0.0; 3];
    }
    linear().fold([0.0; 3], |offset, row| {
        let arms = math::add(row.angular_a, row.angular_b);
        math::add(offset, math::scale(math::cross(row.linear, arms), 0.5))
    })
}
