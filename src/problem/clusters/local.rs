//! One cluster by itself: its copies of bodies, and its links in local colours.

use super::links::Links;
use crate::constants::{CLUSTER_COPIES, CLUSTER_DEGREE};
use crate::problem::ProblemRef;

/// Number of a copy where there is none, because nothing moves the body.
pub const NO_COPY: u32 = u32::MAX;

/// Kinds of links, which have colours of their own: joints and contacts.
const KINDS: usize = 2;

/// A cluster whose place among the others is not known yet.
#[derive(Debug, Default)]
pub(super) struct Local {
    /// Links with their copies of body A and body B: joints, then contacts, colour after colour.
    pub(super) links: Vec<(u32, [u32; 2])>,
    /// First link of each colour, and one past the last of all.
    pub(super) colors: Vec<u32>,
    /// How many of the colours are of joints.
    pub(super) joint_colors: u32,
    /// Body of each copy.
    pub(super) copies: Vec<u32>,
    /// Joint rows.
    pub(super) joint_rows: u32,
    /// Contacts.
    pub(super) contacts: u32,
}

/// Links given to one cluster, and their movable bodies.
#[derive(Debug)]
pub(super) struct Members<'a> {
    links: &'a Links,
    /// Numbers of the links.
    list: &'a [u32],
    /// Body A and body B of each, in `bodies`; [`NO_COPY`] where nothing moves it.
    ends: Vec<[u32; 2]>,
    /// Movable bodies, in ascending order.
    bodies: Vec<u32>,
}

impl<'a> Members<'a> {
    pub(super) fn of(problem: &ProblemRef<'_>, links: &'a Links, list: &'a [u32]) -> Self {
        // Body, then link and side in one number.
        let mut all: Vec<(u32, u32)> = Vec::with_capacity(2 * list.len());
        for (index, &link) in (0..).zip(list) {
            for (side, body) in (0..).zip(links.list[link as usize].bodies) {
                if problem.bodies[body as usize].is_movable() {
                    all.push((body, 2 * index + side));
                }
            }
        }
        all.sort_unstable();
        let mut ends = vec![[NO_COPY; 2]; list.len()];
        let mut bodies: Vec<u32> = Vec::new();
        for (body, place) in all {
            if bodies.last() != Some(&body) {
                bodies.push(body);
            }
            ends[place as usize / 2][place as usize % 2] = bodies.len() as u32 - 1;
        }
        Self {
            links,
            list,
            ends,
            bodies,
        }
    }

    /// 0 for a joint, 1 for contacts; and the number of blocks.
    fn kind_and_length(&self, member: usize) -> (usize, u32) {
        let link = &self.links.list[self.list[member] as usize];
        (usize::from(!link.is_joint), link.members.len() as u32)
    }

    /// True if one cluster may have no more copies than it holds, and no more than `most` blocks.
    pub(super) fn fit(&self, most: u32) -> bool {
        self.cuts(most).len() == 1
    }

    /// The clusters: one, as a rule, or as many as copies and blocks ask for.
    pub(super) fn locals(&self, most: u32) -> Vec<Local> {
        let cuts = self.cuts(most);
        let ends = cuts.iter().skip(1).copied().chain([self.list.len()]);
        cuts.iter()
            .zip(ends)
            .map(|(&first, end)| self.local(first, end))
            .collect()
    }

    /// First member of each cluster.
    fn cuts(&self, most: u32) -> Vec<usize> {
        let mut degrees = vec![[0; KINDS]; self.bodies.len()];
        let mut cuts = vec![0];
        let (mut copies, mut blocks) = (0, 0);
        let mut member = 0;
        while member < self.list.len() {
            let (kind, length) = self.kind_and_length(member);
            let mut added = 0;
            for &end in &self.ends[member] {
                if let Some(degrees) = degrees.get_mut(end as usize) {
                    let before = copies_of(degrees);
                    degrees[kind] += 1;
                    added += copies_of(degrees) - before;
                }
            }
            let full = copies + added > CLUSTER_COPIES || blocks + length > most;
            if full && cuts.last() != Some(&member) {
                cuts.push(member);
                (copies, blocks) = (0, 0);
                degrees.fill([0; KINDS]);
                continue;
            }
            copies += added;
            blocks += length;
            member += 1;
        }
        cuts
    }

    /// Copies and colours of the members from `first` up to `end`.
    fn local(&self, first: usize, end: usize) -> Local {
        let mut degrees = vec![[0_u32; KINDS]; self.bodies.len()];
        for member in first..end {
            let (kind, _) = self.kind_and_length(member);
            for &end in &self.ends[member] {
                if let Some(degrees) = degrees.get_mut(end as usize) {
                    degrees[kind] += 1;
                }
            }
        }
        let mut local = Local::default();
        let mut first_copies = Vec::with_capacity(self.bodies.len());
        for (&body, degrees) in self.bodies.iter().zip(&degrees) {
            first_copies.push(local.copies.len() as u32);
            let count = copies_of(degrees);
            local.copies.extend((0..count).map(|_| body));
        }

        let mut seen = vec![[0_u32; KINDS]; self.bodies.len()];
        let mut taken = vec![[0_u64; KINDS]; local.copies.len()];
        let mut colored: Vec<(u32, u32, [u32; 2])> = Vec::with_capacity(end - first);
        for member in first..end {
            let (kind, length) = self.kind_and_length(member);
            // The links of one body go to its copies in turn, as evenly as can be.
            let copies = self.ends[member].map(|end| match degrees.get(end as usize) {
                None => NO_COPY,
                Some(degrees) => {
                    let turn = u64::from(seen[end as usize][kind]);
                    seen[end as usize][kind] += 1;
                    let copy = turn * u64::from(copies_of(degrees)) / u64::from(degrees[kind]);
                    first_copies[end as usize] + copy as u32
                }
            });
            let used = copies
                .iter()
                .filter_map(|&copy| taken.get(copy as usize))
                .fold(0, |used, taken| used | taken[kind]);
            // A copy has few links, so some of the 64 colours is free.
            let color = (!used).trailing_zeros();
            for &copy in &copies {
                if let Some(taken) = taken.get_mut(copy as usize) {
                    taken[kind] |= 1 << color;
                }
            }
            colored.push((64 * kind as u32 + color, self.list[member], copies));
            match kind {
                0 => local.joint_rows += length,
                _ => local.contacts += length,
            }
        }
        colored.sort_by_key(|&(color, ..)| color);
        let mut last = None;
        for (place, &(color, ..)) in (0..).zip(&colored) {
            if last.replace(color) != Some(color) {
                local.colors.push(place);
                local.joint_colors += u32::from(color < 64);
            }
        }
        local.colors.push(colored.len() as u32);
        local.links = colored
            .into_iter()
            .map(|(_, link, copies)| (link, copies))
            .collect();
        local
    }
}

/// Copies of a body in a cluster, so that none has more than [`CLUSTER_DEGREE`] links of a kind.
fn copies_of(degrees: &[u32; KINDS]) -> u32 {
    degrees[0].max(degrees[1]).div_ceil(CLUSTER_DEGREE)
}
