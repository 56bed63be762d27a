//! What the contacts' impulses at the start do to velocities, in lanes.

use super::lanes::{self, LANES, Lane, Work, at, records, transpose};
use super::{BodyInertia, BodyVelocity, ContactBlock, Packed};
use crate::math::{self, V3};
use bytemuck::Zeroable;

/// Adds what the impulses do to the velocities of their bodies.
pub(super) struct Apply<'a> {
    pub(super) contacts: &'a Packed<ContactBlock, [f32; 4]>,
    pub(super) velocities: &'a mut [BodyVelocity],
    pub(super) inertias: &'a [BodyInertia],
}

impl Apply<'_> {
    pub(super) fn run(&mut self) {
        let contacts = self.contacts;
        let mut numbers = Numbers::zeroed();
        let mut blocks = [0; LANES];
        for color in &contacts.colors {
            let starts = &contacts.group_starts[color.start as usize..=color.end as usize];
            let groups = starts.len() - 1;
            for first in (0..groups).step_by(LANES) {
                let starts = &starts[first..=groups.min(first + LANES)];
                // The k-th contacts of all groups, k after k.
                for k in 0.. {
                    let mut count = 0;
                    for ends in starts.windows(2) {
                        blocks[count] = ends[0] + k;
                        count += usize::from(ends[0] + k < ends[1]);
                    }
                    if count == 0 {
                        break;
                    }
                    self.some(&blocks[..count], &mut numbers);
                }
            }
        }
        let colored = contacts.group_starts.last().map_or(0, |&end| end as usize);
        for block in colored..contacts.blocks.len() {
            let impulse = contacts.impulses[block];
            contacts.blocks[block].apply(impulse, self.velocities, self.inertias);
        }
    }

    /// Blocks of groups of one colour: no two of them share a movable body.
    fn some(&mut self, blocks: &[u32], numbers: &mut Numbers) {
        let count = blocks.len();
        let (all, impulses) = (&self.contacts.blocks, &self.contacts.impulses);
        let mut bodies = [[0; LANES]; 2];
        for (lane, &block) in blocks.iter().enumerate() {
            let block = &all[block as usize];
            bodies[0][lane] = block.body_a as usize;
            bodies[1][lane] = block.body_b as usize;
        }
        transpose(
            count,
            |lane| &impulses[blocks[lane] as usize],
            std::array::from_mut(&mut numbers.impulse),
        );
        transpose(
            count,
            |lane| &all[blocks[lane] as usize],
            &mut numbers.blocks,
        );
        for (side, bodies) in numbers.sides.iter_mut().zip(&bodies) {
            let (velocities, inertias) = (&*self.velocities, self.inertias);
            transpose(count, |lane| &velocities[bodies[lane]], &mut side.velocity);
            transpose(count, |lane| &inertias[bodies[lane]], &mut side.inertia);
        }
        lanes::run(Push(numbers));
        let velocities: &mut [[[f32; 4]; 2]] = bytemuck::cast_slice_mut(self.velocities);
        for (side, bodies) in numbers.sides.iter().zip(&bodies) {
            let [[x, y, z, inverse_mass], [p, q, r, padding]] = &side.velocity;
            records(count, [x, y, z, inverse_mass], |lane, four| {
                velocities[bodies[lane]][0] = four;
            });
            records(count, [p, q, r, padding], |lane, four| {
                velocities[bodies[lane]][1] = four;
            });
        }
    }
}

/// The numbers of some blocks.
#[derive(Zeroable, Clone, Copy)]
#[repr(C)]
struct Numbers {
    impulse: [Lane; 4],
    /// The first 12 of each; see [`ContactBlock`].
    blocks: [[Lane; 4]; 3],
    sides: [Side; 2],
}

/// Those of the bodies of one side; see [`BodyVelocity`] and [`BodyInertia`].
#[derive(Zeroable, Clone, Copy)]
#[repr(C)]
struct Side {
    velocity: [[Lane; 4]; 2],
    inertia: [[Lane; 4]; 2],
}

/// Adds what the impulses do to the velocities.
struct Push<'a>(&'a mut Numbers);

impl Work for Push<'_> {
    #[inline(always)]
    fn run(self) {
        let Numbers {
            impulse: [n, t1, t2, _],
            blocks: [[x, y, z, _], [ax, ay, az, _], [bx, by, bz, _]],
            sides: [a, b],
        } = self.0;
        for lane in 0..LANES {
            let impulse = [n[lane], t1[lane], t2[lane]];
            let total = ContactBlock::impulse(at([x, y, z], lane), impulse);
            // No impulse is to leave even the sign of a zero as it is.
            let none = (impulse[0] == 0.0) & (impulse[1] == 0.0) & (impulse[2] == 0.0);
            a.push(lane, at([ax, ay, az], lane), total, none);
            b.push(lane, at([bx, by, bz], lane), math::scale(total, -1.0), none);
        }
    }
}

impl Side {
    #[inline(always)]
    fn push(&mut self, lane: usize, arm: V3, impulse: V3, none: bool) {
        let Self {
            velocity: [[x, y, z, inverse_mass], [p, q, r, _]],
            inertia: [[xx, xy, xz, yy], [yz, zz, ..]],
        } = self;
        let before = (at([x, y, z], lane), at([p, q, r], lane));
        let inertia = [xx[lane], xy[lane], xz[lane], yy[lane], yz[lane], zz[lane]];
        let (v, w) = ContactBlock::pushed(before, arm, impulse, inverse_mass[lane], &inertia);
        let after = |axis: usize| {
            if none {
                (before.0[axis], before.1[axis])
            } else {
                (v[axis], w[axis])
            }
        };
        (x[lane], p[lane]) = after(0);
        (y[lane], q[lane]) = after(1);
        (z[lane], r[lane]) = after(2);
    }
}
