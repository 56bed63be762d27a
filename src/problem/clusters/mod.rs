//! A problem cut into clusters of bodies, each small enough for the memory of one workgroup.
//!
//! Bodies are taken in the order of a space-filling curve and cut into clusters; every contact run and
//! every joint goes to one cluster. A body that several clusters touch is split into as many copies, each
//! with its share of the mass; so is a body with very many contacts in one cluster. Within a cluster
//! copies are coloured: no two links of a colour share one. An iteration sweeps all clusters at once,
//! each over its colours, and then gives every body the mean of its copies.
//!
//! A copy has a share `s` of its body's mass, so `1/s` times the inverse mass, and the body's velocity is the
//! mean of its copies', weighted by shares: what an impulse does to a copy is then, in the mean, what
//! it does to the body. Shares are in proportion to `sqrt(sum m)` over the links of a copy, `m` being the
//! reduced mass of the two bodies: the copy of a heavy ball that stands on the floor needs most of it,
//! and those that carry small ones little. Copies with equal shares left a residual 2 % larger after 50
//! passes over 16,000 spheres, and with a hub of 20 times their radius among them 5 % larger; shares
//! in proportion to the sum itself were no better than equal ones.
//!
//! Mass splitting is after Tonge, Benevolenski and Voroshilov, "Mass splitting for jitter-free
//! parallel rigid body simulation" (2012), with clusters in place of single contacts.

mod curve;
mod cut;
mod links;
mod local;
mod place;

pub use local::NO_COPY;

use super::coloring::BodyPair;
use super::split_body::SplitBody;
use super::{AsProblem, ProblemRef};
use crate::constants::{CLUSTER_BLOCKS, CLUSTER_RUN, HUB_GATHER_THRESHOLD};
use crate::parallel;
use bytemuck::{Pod, Zeroable};
use links::Links;
use local::{Local, Members};
use std::ops::Range;

/// Where the parts of one cluster are; 40 bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct Cluster {
    /// First joint row, in the order of the clusters.
    pub first_joint_row: u32,
    /// Number of joint rows.
    pub joint_rows: u32,
    /// First contact, in the order of the clusters.
    pub first_contact: u32,
    /// Number of contacts.
    pub contacts: u32,
    /// First of its colours in [`Clusters::colors`]; one more entry there ends the last.
    pub first_color: u32,
    /// Number of colours of joints.
    pub joint_colors: u32,
    /// Number of all colours: those of joints, then those of contacts.
    pub colors: u32,
    /// First of its groups in [`Clusters::groups`].
    pub first_group: u32,
    /// First of its copies in [`Clusters::copies`].
    pub first_copy: u32,
    /// Number of copies.
    pub copies: u32,
}

/// Contacts of one pair of bodies, or the rows of a joint, which one invocation sweeps in order; 16
/// bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct ClusterGroup {
    /// First block, counted from the cluster's first joint row on; contacts come after these.
    pub first: u32,
    /// Number of blocks.
    pub count: u32,
    /// Copy of body A among those of the cluster, or [`NO_COPY`].
    pub copy_a: u32,
    /// Copy of body B, likewise.
    pub copy_b: u32,
}

/// A cluster's copy of a body; 16 bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct BodyCopy {
    /// Index of the body.
    pub body: u32,
    /// Where the copy is left after a sweep: the slots of a body are side by side.
    pub slot: u32,
    /// Its share of the body's mass; those of a body add up to 1.
    pub share: f32,
    /// One over that: how many such copies would make the body.
    pub copies: f32,
}

/// The clusters of a problem.
#[derive(Debug, Clone, Default)]
pub struct Clusters {
    /// The clusters.
    pub list: Vec<Cluster>,
    /// First group of each colour, counted within the cluster.
    pub colors: Vec<u32>,
    /// Groups, cluster by cluster and colour by colour.
    pub groups: Vec<ClusterGroup>,
    /// Copies, cluster by cluster.
    pub copies: Vec<BodyCopy>,
    /// Bodies with at most `HUB_GATHER_THRESHOLD` copies.
    pub bodies: Vec<SplitBody>,
    /// Bodies with more.
    pub hubs: Vec<SplitBody>,
    /// The problem's index of each contact, in the order of the clusters.
    pub(super) contact_source: Vec<u32>,
    /// The same of joint rows.
    pub(super) joint_source: Vec<u32>,
    /// First joint row of each joint, and one past the last.
    pub(super) joint_starts: Vec<u32>,
}

impl Cluster {
    /// Its joint rows.
    #[must_use]
    pub fn joint_range(&self) -> Range<usize> {
        let first = self.first_joint_row as usize;
        first..first + self.joint_rows as usize
    }

    /// Its contacts.
    #[must_use]
    pub fn contact_range(&self) -> Range<usize> {
        let first = self.first_contact as usize;
        first..first + self.contacts as usize
    }

    /// Joint rows and contacts together.
    #[must_use]
    pub fn blocks(&self) -> u32 {
        self.joint_rows + self.contacts
    }
}

impl Clusters {
    /// Cuts a problem.
    ///
    /// The result depends on the order of bodies, contacts and joint rows and on nothing else.
    #[must_use]
    pub fn cut(problem: &dyn AsProblem) -> Self {
        let problem = &problem.as_problem();
        let links = Links::of(problem, CLUSTER_RUN);
        let parts = cut::cut(problem, &links);
        let mut locals: Vec<Vec<Local>> = Vec::new();
        parallel::fill(&mut locals, parts.len(), 1, |part| {
            let members = Members::of(problem, &links, &parts[part]);
            members.locals(CLUSTER_BLOCKS).into_iter().collect()
        });
        let mut clusters = Self::default();
        for local in locals.iter().flatten() {
            clusters.append(local, &links);
        }
        clusters.joint_starts.push(problem.joint_rows.len() as u32);
        clusters.give_slots(problem.bodies.len());
        clusters.give_shares(problem);
        clusters
    }

    /// Largest number of colours in a cluster.
    #[must_use]
    pub fn most_colors(&self) -> u32 {
        let colors = self.list.iter().map(|cluster| cluster.colors);
        colors.max().unwrap_or(0)
    }

    /// The groups of a cluster.
    #[must_use]
    pub fn groups_of(&self, cluster: &Cluster) -> &[ClusterGroup] {
        let first_color = cluster.first_color as usize;
        let count = self.colors[first_color + cluster.colors as usize] as usize;
        let first = cluster.first_group as usize;
        &self.groups[first..first + count]
    }

    /// The copies of a cluster.
    #[must_use]
    pub fn copies_of(&self, cluster: &Cluster) -> &[BodyCopy] {
        let first = cluster.first_copy as usize;
        &self.copies[first..first + cluster.copies as usize]
    }

    /// The same of a copy of a group, [`NO_COPY`] being the whole of its body.
    #[must_use]
    pub fn copies_at(&self, cluster: &Cluster, copy: u32) -> f32 {
        let copies = self.copies_of(cluster);
        copies.get(copy as usize).map_or(1.0, |copy| copy.copies)
    }

    /// How many copies like those of each contact, or joint row, would make its two bodies; in the
    /// order of the clusters.
    pub(super) fn copies_of_blocks(&self, joints: bool) -> Vec<(f32, f32)> {
        let mut all = Vec::new();
        for cluster in &self.list {
            for group in self.groups_of(cluster) {
                if joints == (group.first < cluster.joint_rows) {
                    let [a, b] =
                        [group.copy_a, group.copy_b].map(|copy| self.copies_at(cluster, copy));
                    all.extend((0..group.count).map(|_| (a, b)));
                }
            }
        }
        all
    }

    fn append(&mut self, local: &Local, links: &Links) {
        self.list.push(Cluster {
            first_joint_row: self.joint_source.len() as u32,
            joint_rows: local.joint_rows,
            first_contact: self.contact_source.len() as u32,
            contacts: local.contacts,
            first_color: self.colors.len() as u32,
            joint_colors: local.joint_colors,
            colors: local.colors.len() as u32 - 1,
            first_group: self.groups.len() as u32,
            first_copy: self.copies.len() as u32,
            copies: local.copies.len() as u32,
        });
        self.colors.extend(&local.colors);
        let mut first = 0;
        for &(link, [copy_a, copy_b]) in &local.links {
            let link = &links.list[link as usize];
            let count = link.members.len() as u32;
            self.groups.push(ClusterGroup {
                first,
                count,
                copy_a,
                copy_b,
            });
            first += count;
            if link.is_joint {
                self.joint_starts.push(self.joint_source.len() as u32);
                self.joint_source.extend(link.members.clone());
            } else {
                self.contact_source.extend(link.members.clone());
            }
        }
        self.copies
            .extend(local.copies.iter().map(|&body| BodyCopy {
                body,
                slot: 0,
                share: 1.0,
                copies: 1.0,
            }));
    }

    /// Puts the slots of each body side by side.
    fn give_slots(&mut self, body_count: usize) {
        let mut counts = vec![0_u32; body_count];
        for copy in &self.copies {
            counts[copy.body as usize] += 1;
        }
        let mut first_slot = 0;
        let mut next = Vec::with_capacity(body_count);
        for (body, &slot_count) in (0..).zip(&counts) {
            next.push(first_slot);
            let list = match slot_count {
                0 => continue,
                n if n <= HUB_GATHER_THRESHOLD => &mut self.bodies,
                _ => &mut self.hubs,
            };
            list.push(SplitBody {
                body,
                first_slot,
                slot_count,
                padding: 0,
            });
            first_slot += slot_count;
        }
        for copy in &mut self.copies {
            let next = &mut next[copy.body as usize];
            copy.slot = *next;
            *next += 1;
        }
    }

    /// Shares out the mass of each body among its copies.
    fn give_shares(&mut self, problem: &ProblemRef<'_>) {
        let mut demands = vec![0.0_f64; self.copies.len()];
        for cluster in &self.list {
            for group in self.groups_of(cluster) {
                let [a, b] = self
                    .bodies_of(cluster, group, problem)
                    .map(|body| f64::from(problem.bodies[body as usize].inverse_mass));
                for copy in [group.copy_a, group.copy_b] {
                    if copy != NO_COPY {
                        demands[(cluster.first_copy + copy) as usize] += 1.0 / (a + b);
                    }
                }
            }
        }
        let mut totals = vec![0.0; problem.bodies.len()];
        for (demand, copy) in demands.iter_mut().zip(&self.copies) {
            *demand = demand.sqrt();
            totals[copy.body as usize] += *demand;
        }
        for (demand, copy) in demands.iter().zip(&mut self.copies) {
            let total = totals[copy.body as usize];
            copy.share = (demand / total) as f32;
            copy.copies = (total / demand) as f32;
        }
    }

    /// Body A and body B of a group.
    fn bodies_of(
        &self,
        cluster: &Cluster,
        group: &ClusterGroup,
        problem: &ProblemRef<'_>,
    ) -> [u32; 2] {
        match group.first.checked_sub(cluster.joint_rows) {
            None => {
                let row = self.joint_source[(cluster.first_joint_row + group.first) as usize];
                problem.joint_rows[row as usize].body_pair()
            }
            Some(first) => {
                let contact = self.contact_source[(cluster.first_contact + first) as usize];
                problem.contacts[contact as usize].body_pair()
            }
        }
    }
}
