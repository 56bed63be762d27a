//! Contacts packed for sweeps: one contiguous range per colour, and the mass-split remainder.
//!
//! A block is 64 bytes and its impulse 16 more; a sweep reads both, writes the impulse, and reads
//! and writes the two bodies' 32-byte velocities beside reading their 32-byte inertias: at most
//! `64 + 2 * 16 + 2 * (2 * 32 + 32) = 288` bytes per contact and iteration.

use super::coloring::{self, Group};
use super::{Body, Contact, FrictionTable, Problem};
use crate::constants::HUB_GATHER_THRESHOLD;
use crate::math::{self, V3};
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;
use std::ops::Range;

/// Slot number of a body that takes no part in mass splitting because nothing moves it.
pub const NO_SLOT: u32 = u32::MAX;

/// One contact as the kernels read it; 64 bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct ContactBlock {
    /// Unit normal from B to A.
    pub normal: [f32; 3],
    /// Bias of the normal row `[m/s]`.
    pub bias: f32,
    /// Contact point minus A's centre of mass `[m]`.
    pub arm_a: [f32; 3],
    /// Effective mass of the normal row, `1 / W_nn`, of the split bodies in the remainder `[kg]`.
    pub normal_mass: f32,
    /// Contact point minus B's centre of mass `[m]`.
    pub arm_b: [f32; 3],
    /// One over the largest eigenvalue of the tangential 2 x 2 block, likewise `[kg]`.
    pub tangent_mass: f32,
    /// Index of body A.
    pub body_a: u32,
    /// Index of body B.
    pub body_b: u32,
    /// Coefficient of friction.
    pub friction: f32,
    /// Step of the natural map, `3 / tr W` of the true bodies `[kg]`; see
    /// [`residual`](crate::solver::residual).
    pub residual_mass: f32,
}

/// Velocity of a body as the kernels read and write it; 32 bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct BodyVelocity {
    /// Velocity of the centre of mass `[m/s]`.
    pub linear: [f32; 3],
    /// One over the mass `[1/kg]`.
    pub inverse_mass: f32,
    /// Angular velocity `[rad/s]`.
    pub angular: [f32; 3],
    /// Unused.
    pub padding: f32,
}

/// Inverse inertia of a body in world axes; 32 bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct BodyInertia {
    /// `[xx, xy, xz, yy, yz, zz]` `[1/(kg m^2)]`.
    pub inverse: [f32; 6],
    /// Unused.
    pub padding: [f32; 2],
}

/// Where a contact of the remainder leaves its change of each body's velocity, and into how many
/// copies each body is split; 16 bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct SplitSlots {
    /// Slot of body A, or [`NO_SLOT`].
    pub slot_a: u32,
    /// Slot of body B, or [`NO_SLOT`].
    pub slot_b: u32,
    /// Number of contacts of body A in the remainder.
    pub copies_a: f32,
    /// Number of contacts of body B in the remainder.
    pub copies_b: f32,
}

/// The slots that one body sums up; 16 bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct SplitBody {
    /// Index of the body.
    pub body: u32,
    /// Its first slot.
    pub first_slot: u32,
    /// How many slots it has.
    pub slot_count: u32,
    /// Unused.
    pub padding: u32,
}

/// The remainder: contacts solved all at once on bodies split into one copy per contact.
#[derive(Debug, Clone, Default)]
pub struct Remainder {
    /// Its range in [`Batches::blocks`].
    pub blocks: Range<u32>,
    /// Beside each of its blocks; shape `[blocks.len()]`.
    pub slots: Vec<SplitSlots>,
    /// Bodies with at most [`HUB_GATHER_THRESHOLD`] slots.
    pub bodies: Vec<SplitBody>,
    /// Bodies with more.
    pub hubs: Vec<SplitBody>,
    /// Total number of slots.
    pub slot_count: u32,
}

/// A problem packed for sweeps. Everything a backend needs, and nothing that it changes but
/// `velocities` and `impulses`.
#[derive(Debug, Clone)]
pub struct Batches {
    /// All contacts: colour after colour, then the remainder.
    pub blocks: Vec<ContactBlock>,
    /// The problem's contact index of each block; shape `[blocks.len()]`.
    pub source: Vec<u32>,
    /// First block of each group of the coloured part, and one past the last.
    pub group_starts: Vec<u32>,
    /// Range of groups of each colour, in `group_starts`.
    pub colors: Vec<Range<u32>>,
    /// What found no colour.
    pub remainder: Remainder,
    /// Velocities at the start, with warm-start impulses applied; shape `[body_count]`.
    pub velocities: Vec<BodyVelocity>,
    /// Inverse inertias; shape `[body_count]`.
    pub inertias: Vec<BodyInertia>,
    /// Impulse `(normal, tangent 1, tangent 2, unused)` of each block at the start.
    pub impulses: Vec<[f32; 4]>,
    /// The friction cone.
    pub friction: FrictionTable,
}

impl Batches {
    /// Colours and packs a problem. With `warm_start` the contacts' impulses are the start and their
    /// effect is in `velocities`; without, both start from nothing.
    #[must_use]
    pub fn pack(problem: &Problem, max_colors: usize, warm_start: bool) -> Self {
        let groups = coloring::color(&problem.bodies, &problem.contacts, max_colors);
        let (source, group_starts, colors) = order_by_color(&groups, problem.contacts.len());
        let colored = group_starts.last().map_or(0, |&end| end);
        let remainder = split_remainder(problem, &source, colored);

        let blocks: Vec<ContactBlock> = source
            .par_iter()
            .with_min_len(1024)
            .enumerate()
            .map(|(index, &contact)| {
                let (copies_a, copies_b) = match index.checked_sub(colored as usize) {
                    Some(at) => (remainder.slots[at].copies_a, remainder.slots[at].copies_b),
                    None => (1.0, 1.0),
                };
                pack_contact(
                    &problem.contacts[contact as usize],
                    &problem.bodies,
                    copies_a,
                    copies_b,
                )
            })
            .collect();
        let impulses = source
            .par_iter()
            .with_min_len(4096)
            .map(|&contact| {
                let contact = &problem.contacts[contact as usize];
                let [n, t1, t2] = contact.impulse;
                match (warm_start, contact.friction > 0.0) {
                    (true, true) => [n, t1, t2, 0.0],
                    (true, false) => [n, 0.0, 0.0, 0.0],
                    (false, _) => [0.0; 4],
                }
            })
            .collect();

        let mut batches = Self {
            blocks,
            source,
            group_starts,
            colors,
            remainder,
            velocities: problem
                .bodies
                .par_iter()
                .with_min_len(4096)
                .map(velocity_of)
                .collect(),
            inertias: problem
                .bodies
                .par_iter()
                .with_min_len(4096)
                .map(inertia_of)
                .collect(),
            impulses,
            friction: problem.friction_cone.table(),
        };
        if warm_start {
            batches.apply_impulses();
        }
        batches
    }

    /// Range of blocks of a colour.
    #[must_use]
    pub fn color_blocks(&self, color: usize) -> Range<u32> {
        let groups = &self.colors[color];
        self.group_starts[groups.start as usize]..self.group_starts[groups.end as usize]
    }

    /// Number of batches that a sweep passes one after the other: the colours, and one more if there
    /// is a remainder.
    #[must_use]
    pub fn batch_count(&self) -> usize {
        self.colors.len() + usize::from(!self.remainder.blocks.is_empty())
    }

    /// Adds `M^-1 J^T r` of all start impulses to the velocities.
    fn apply_impulses(&mut self) {
        for (block, impulse) in self.blocks.iter().zip(&self.impulses) {
            let [n, t1, t2, _] = *impulse;
            if [n, t1, t2] == [0.0; 3] {
                continue;
            }
            let (tangent_1, tangent_2) = math::tangents(block.normal);
            let total = math::add(
                math::add(math::scale(block.normal, n), math::scale(tangent_1, t1)),
                math::scale(tangent_2, t2),
            );
            for (body, arm, sign) in [
                (block.body_a as usize, block.arm_a, 1.0),
                (block.body_b as usize, block.arm_b, -1.0),
            ] {
                let velocity = &mut self.velocities[body];
                let impulse = math::scale(total, sign);
                velocity.linear =
                    math::add(velocity.linear, math::scale(impulse, velocity.inverse_mass));
                velocity.angular = math::add(
                    velocity.angular,
                    math::symmetric_mul(&self.inertias[body].inverse, math::cross(arm, impulse)),
                );
            }
        }
    }
}

/// Contact order colour after colour with the remainder last; starts of the coloured groups; ranges
/// of groups of each colour. A stable counting sort.
fn order_by_color(groups: &[Group], contact_count: usize) -> (Vec<u32>, Vec<u32>, Vec<Range<u32>>) {
    let color_count = groups
        .iter()
        .filter_map(|g| g.color)
        .max()
        .map_or(0, |c| c as usize + 1);
    let bucket = |group: &Group| group.color.map_or(color_count, usize::from);
    let mut group_counts = vec![0_u32; color_count + 1];
    let mut contact_counts = vec![0_u32; color_count + 1];
    for group in groups {
        group_counts[bucket(group)] += 1;
        contact_counts[bucket(group)] += group.contacts.len() as u32;
    }
    let mut next_group = exclusive_sum(&group_counts);
    let mut next_contact = exclusive_sum(&contact_counts);
    let colors = (0..color_count)
        .map(|c| next_group[c]..next_group[c] + group_counts[c])
        .collect();
    let mut source = vec![0_u32; contact_count];
    let mut starts = vec![0_u32; next_group[color_count] as usize + 1];
    starts[next_group[color_count] as usize] = next_contact[color_count];
    for group in groups {
        let at = bucket(group);
        if at < color_count {
            starts[next_group[at] as usize] = next_contact[at];
            next_group[at] += 1;
        }
        for contact in group.contacts.clone() {
            source[next_contact[at] as usize] = contact;
            next_contact[at] += 1;
        }
    }
    (source, starts, colors)
}

fn exclusive_sum(counts: &[u32]) -> Vec<u32> {
    counts
        .iter()
        .scan(0, |sum, &count| {
            let before = *sum;
            *sum += count;
            Some(before)
        })
        .collect()
}

/// Gives every (contact, movable body) of the remainder a slot, the slots of a body side by side.
fn split_remainder(problem: &Problem, source: &[u32], first: u32) -> Remainder {
    let contacts = &source[first as usize..];
    if contacts.is_empty() {
        return Remainder {
            blocks: first..first,
            ..Remainder::default()
        };
    }
    let mut counts = vec![0_u32; problem.bodies.len()];
    let sides = |&contact: &u32| {
        let contact = &problem.contacts[contact as usize];
        [contact.body_a as usize, contact.body_b as usize]
    };
    for body in contacts.iter().flat_map(sides) {
        if problem.bodies[body].is_movable() {
            counts[body] += 1;
        }
    }
    let mut next = exclusive_sum(&counts);
    let mut remainder = Remainder {
        blocks: first..source.len() as u32,
        slot_count: counts.iter().sum(),
        ..Remainder::default()
    };
    for (body, (&slot_count, &first_slot)) in counts.iter().zip(&next).enumerate() {
        let list = match slot_count {
            0 => continue,
            n if n <= HUB_GATHER_THRESHOLD => &mut remainder.bodies,
            _ => &mut remainder.hubs,
        };
        list.push(SplitBody {
            body: body as u32,
            first_slot,
            slot_count,
            padding: 0,
        });
    }
    remainder.slots = contacts
        .iter()
        .map(|contact| {
            let [a, b] = sides(contact);
            let mut slot = |body: usize| {
                if counts[body] == 0 {
                    return NO_SLOT;
                }
                next[body] += 1;
                next[body] - 1
            };
            SplitSlots {
                slot_a: slot(a),
                slot_b: slot(b),
                copies_a: counts[a].max(1) as f32,
                copies_b: counts[b].max(1) as f32,
            }
        })
        .collect();
    remainder
}

fn velocity_of(body: &Body) -> BodyVelocity {
    BodyVelocity {
        linear: body.linear_velocity,
        inverse_mass: body.inverse_mass,
        angular: body.angular_velocity,
        padding: 0.0,
    }
}

fn inertia_of(body: &Body) -> BodyInertia {
    BodyInertia {
        inverse: body.inverse_inertia,
        padding: [0.0; 2],
    }
}

fn pack_contact(contact: &Contact, bodies: &[Body], copies_a: f32, copies_b: f32) -> ContactBlock {
    let (body_a, body_b) = (
        &bodies[contact.body_a as usize],
        &bodies[contact.body_b as usize],
    );
    let (tangent_1, tangent_2) = math::tangents(contact.normal);
    let entry = |d: V3, e: V3, copies_a: f32, copies_b: f32| {
        copies_a * delassus_entry(body_a, contact.arm_a, d, e)
            + copies_b * delassus_entry(body_b, contact.arm_b, d, e)
    };
    let split = |d: V3, e: V3| entry(d, e, copies_a, copies_b);
    let whole = |d: V3| entry(d, d, 1.0, 1.0);

    let (w11, w22) = (split(tangent_1, tangent_1), split(tangent_2, tangent_2));
    let w12 = split(tangent_1, tangent_2);
    let largest = 0.5 * (w11 + w22) + (0.25 * (w11 - w22) * (w11 - w22) + w12 * w12).sqrt();
    let trace = whole(contact.normal) + whole(tangent_1) + whole(tangent_2);
    ContactBlock {
        normal: contact.normal,
        bias: contact.bias,
        arm_a: contact.arm_a,
        normal_mass: inverse_or_zero(split(contact.normal, contact.normal)),
        arm_b: contact.arm_b,
        tangent_mass: inverse_or_zero(largest),
        body_a: contact.body_a,
        body_b: contact.body_b,
        friction: contact.friction,
        residual_mass: 3.0 * inverse_or_zero(trace),
    }
}

/// One body's part of the Delassus entry of two directions: `d . e / m + (r x d) . I^-1 (r x e)`.
fn delassus_entry(body: &Body, arm: V3, d: V3, e: V3) -> f32 {
    body.inverse_mass * math::dot(d, e)
        + math::dot(
            math::cross(arm, d),
            math::symmetric_mul(&body.inverse_inertia, math::cross(arm, e)),
        )
}

fn inverse_or_zero(x: f32) -> f32 {
    if x > 0.0 { 1.0 / x } else { 0.0 }
}
