//! What acts between two bodies: runs of contacts, and joints.

use crate::problem::ProblemRef;
use crate::problem::coloring::BodyPair;
use std::ops::Range;

/// Contacts of one pair of bodies, or the rows of a joint.
#[derive(Debug, Clone)]
pub(super) struct Link {
    /// Body A and body B.
    pub(super) bodies: [u32; 2],
    /// True for a joint.
    pub(super) is_joint: bool,
    /// Range in the problem's contacts or joint rows.
    pub(super) members: Range<u32>,
}

/// All links: joints, then contacts, each in the order of the problem.
#[derive(Debug)]
pub(super) struct Links {
    pub(super) list: Vec<Link>,
    /// Links of each movable body; shape `[body_count]`.
    pub(super) degrees: Vec<u32>,
}

impl Links {
    /// The links of a problem. Runs of more than `most` contacts are several.
    pub(super) fn of(problem: &ProblemRef<'_>, most: u32) -> Self {
        let mut list = Vec::new();
        list.extend(runs(problem.joint_rows, true, u32::MAX));
        list.extend(runs(problem.contacts, false, most));
        let mut degrees = vec![0; problem.bodies.len()];
        for &body in list.iter().flat_map(|link: &Link| &link.bodies) {
            degrees[body as usize] += u32::from(problem.bodies[body as usize].is_movable());
        }
        Self { list, degrees }
    }

    /// The movable bodies that have links, in ascending order.
    pub(super) fn bodies(&self, problem: &ProblemRef<'_>) -> impl Iterator<Item = u32> {
        (0..problem.bodies.len() as u32).filter(|&body| self.degrees[body as usize] > 0)
    }
}

fn runs<T: BodyPair>(items: &[T], is_joint: bool, most: u32) -> impl Iterator<Item = Link> {
    let mut end = 0;
    items
        .chunk_by(|a, b| a.body_pair() == b.body_pair())
        .flat_map(move |run| {
            let (start, bodies) = (end, run[0].body_pair());
            end += run.len() as u32;
            (start..end).step_by(most as usize).map(move |first| Link {
                bodies,
                is_joint,
                members: first..end.min(first.saturating_add(most)),
            })
        })
}
