//! Contacts in lanes: gathered from a problem, and packed as blocks.

use super::ContactBlock;
use super::contact_block::{free_velocity_of, unbiased_velocity_of};
use super::masses::{Lever, masses_of};
use crate::math::V3;
use crate::problem::{Body, Contact};
use crate::simd::{IndexRow, Kernel, LANES, Row, Simd, Vector, lanes_of, put};
use bytemuck::Zeroable;
use std::mem::offset_of;
use std::ops::Range;

/// Numbers of a contact, and of a body.
const CONTACT: usize = size_of::<Contact>() / size_of::<f32>();
const BODY: usize = size_of::<Body>() / size_of::<f32>();

// What gathers of four numbers rely on.
const _: () = {
    let contact = [
        offset_of!(Contact, body_a),
        offset_of!(Contact, arm_a),
        offset_of!(Contact, arm_b),
        offset_of!(Contact, normal),
        offset_of!(Contact, bias),
        offset_of!(Contact, friction),
        offset_of!(Contact, impulse),
    ];
    let expected = [0, 8, 20, 32, 44, 48, 52];
    let mut at = 0;
    while at < contact.len() {
        assert!(contact[at] == expected[at]);
        at += 1;
    }
    assert!(CONTACT == 16 && BODY == 16);
    assert!(offset_of!(Body, linear_velocity) == 0 && offset_of!(Body, inverse_mass) == 12);
    assert!(offset_of!(Body, angular_velocity) == 16 && offset_of!(Body, inverse_inertia) == 32);
};

/// A contact of a problem in each lane.
#[derive(Clone, Copy)]
pub(crate) struct ContactLanes<S> {
    /// Indices of A and B, which travel as the numbers that their bits are.
    pub(crate) bodies: [S; 2],
    pub(crate) arm_a: Vector<S>,
    pub(crate) arm_b: Vector<S>,
    pub(crate) normal: Vector<S>,
    pub(crate) bias: S,
    pub(crate) friction: S,
    pub(crate) impulse: Vector<S>,
}

impl<S: Simd> ContactLanes<S> {
    /// # Safety
    /// There are as many indices as lanes, all of them of contacts; and what [`Simd`] asks for.
    #[inline(always)]
    #[allow(unsafe_code, reason = "bytes meet SIMD")]
    pub(crate) unsafe fn gather(contacts: &[Contact], index: *const u32) -> Self {
        // SAFETY: a contact is `CONTACT` numbers; the rest is the caller's promise.
        let [quad_0, quad_1, quad_2, quad_3] = unsafe {
            let contacts = contacts.as_ptr().cast::<f32>();
            [
                S::gather_4(contacts, CONTACT, index),
                S::gather_4(contacts.add(4), CONTACT, index),
                S::gather_4(contacts.add(8), CONTACT, index),
                S::gather_4(contacts.add(12), CONTACT, index),
            ]
        };
        Self {
            bodies: [quad_0[0], quad_0[1]],
            arm_a: [quad_0[2], quad_0[3], quad_1[0]],
            arm_b: [quad_1[1], quad_1[2], quad_1[3]],
            normal: [quad_2[0], quad_2[1], quad_2[2]],
            bias: quad_2[3],
            friction: quad_3[0],
            impulse: [quad_3[1], quad_3[2], quad_3[3]],
        }
    }
}

/// A body of a problem in each lane.
#[derive(Clone, Copy)]
pub(crate) struct BodyLanes<S> {
    pub(crate) linear: Vector<S>,
    pub(crate) inverse_mass: S,
    pub(crate) angular: Vector<S>,
    pub(crate) inertia: [S; 6],
}

impl<S: Simd> BodyLanes<S> {
    /// # Safety
    /// There are as many indices as lanes, all of them of bodies; and what [`Simd`] asks for.
    #[inline(always)]
    #[allow(unsafe_code, reason = "bytes meet SIMD")]
    pub(crate) unsafe fn gather(bodies: &[Body], index: *const u32) -> Self {
        // SAFETY: a body is `BODY` numbers; the rest is the caller's promise.
        let [linear, angular, low, high] = unsafe {
            let bodies = bodies.as_ptr().cast::<f32>();
            [
                S::gather_4(bodies, BODY, index),
                S::gather_4(bodies.add(4), BODY, index),
                S::gather_4(bodies.add(8), BODY, index),
                S::gather_4(bodies.add(12), BODY, index),
            ]
        };
        Self {
            linear: [linear[0], linear[1], linear[2]],
            inverse_mass: linear[3],
            angular: [angular[0], angular[1], angular[2]],
            inertia: [low[0], low[1], low[2], low[3], high[0], high[1]],
        }
    }
}

impl<S: Simd> BodyLanes<S> {
    /// With arms to contacts, and whole.
    #[inline(always)]
    pub(crate) fn lever(&self, arm: Vector<S>) -> Lever<'_, S> {
        Lever {
            inverse_mass: self.inverse_mass,
            inertia: &self.inertia,
            arm,
            copies: S::splat(1.0),
        }
    }
}

/// Velocities of the bodies of one side, in memory.
#[derive(Clone, Copy)]
pub(crate) struct SideVelocities {
    linear: [Row; 3],
    angular: [Row; 3],
}

impl SideVelocities {
    pub(crate) const NONE: Self = Self {
        linear: [Row([0.0; LANES]); 3],
        angular: [Row([0.0; LANES]); 3],
    };

    /// Overwrites some lanes.
    #[inline(always)]
    pub(crate) fn put<S: Simd>(&mut self, first: usize, bodies: &BodyLanes<S>) {
        put_3(&mut self.linear, first, bodies.linear);
        put_3(&mut self.angular, first, bodies.angular);
    }
}

/// The free velocities of some lanes, biases included where there are any `[m/s]`; see
/// [`ContactBlock::free_velocity`].
#[inline(always)]
pub(crate) fn free_velocities(
    lanes: Range<usize>,
    normal: &[Row; 3],
    biases: Option<&Row>,
    [arm_a, arm_b]: [&[Row; 3]; 2],
    [a, b]: [&SideVelocities; 2],
    to: &mut [Row; 3],
) {
    for lane in lanes {
        let normal = at(normal, lane);
        let a = (at(&a.linear, lane), at(&a.angular, lane), at(arm_a, lane));
        let b = (at(&b.linear, lane), at(&b.angular, lane), at(arm_b, lane));
        let velocity = match biases {
            Some(biases) => free_velocity_of(normal, biases.0[lane], a, b),
            None => unbiased_velocity_of(normal, a, b),
        };
        for (row, x) in to.iter_mut().zip(velocity) {
            row.0[lane] = x;
        }
    }
}

/// A vector of one lane.
#[inline(always)]
fn at(rows: &[Row; 3], lane: usize) -> V3 {
    [rows[0].0[lane], rows[1].0[lane], rows[2].0[lane]]
}

/// Overwrites lanes of three rows.
#[inline(always)]
fn put_3<S: Simd>(rows: &mut [Row; 3], first: usize, lanes: Vector<S>) {
    for (row, lanes) in rows.iter_mut().zip(lanes) {
        put(row, first, lanes);
    }
}

/// Makes blocks, and the impulses at the start.
pub(super) struct Pack<'a, Copies> {
    pub(super) contacts: &'a [Contact],
    pub(super) bodies: &'a [Body],
    /// The contact of each block.
    pub(super) source: &'a [u32],
    /// Into how many copies the two bodies of a block are split.
    pub(super) copies: Copies,
    pub(super) warm_start: bool,
    /// Biases are taken for zero.
    pub(super) unbiased: bool,
    /// Shape `[source.len()]`.
    pub(super) blocks: &'a mut [ContactBlock],
    /// Likewise.
    pub(super) impulses: &'a mut [[f32; 4]],
}

/// Blocks of so many contacts, number by number as in [`ContactBlock`].
#[derive(Clone, Copy, Zeroable)]
#[repr(C)]
struct BlockRows {
    normal: [Row; 3],
    normal_mass: Row,
    arm_a: [Row; 3],
    tangent_mass: Row,
    arm_b: [Row; 3],
    friction: Row,
    free_velocity: [Row; 3],
    residual_mass: Row,
    bodies: [Row; 2],
    coupling: [Row; 2],
}

#[allow(unsafe_code, reason = "bytes meet SIMD")]
impl<Copies: Fn(usize) -> (f32, f32)> Kernel for Pack<'_, Copies> {
    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        let mut rows = BlockRows::zeroed();
        let mut sides = [SideVelocities::NONE; 2];
        let blocks = self.blocks.chunks_mut(LANES);
        let some = self.source.chunks(LANES).zip(blocks);
        let some = some.zip(self.impulses.chunks_mut(LANES));
        for (chunk, ((source, blocks), impulses)) in some.enumerate() {
            // Lanes to spare repeat the last contact.
            let mut index = IndexRow([source[source.len() - 1]; LANES]);
            index.0[..source.len()].copy_from_slice(source);
            let mut copies = [Row([1.0; LANES]); 2];
            for lane in 0..source.len() {
                let of_block = (self.copies)(chunk * LANES + lane);
                (copies[0].0[lane], copies[1].0[lane]) = of_block;
            }
            let of_bodies = index.0.map(|contact| {
                let contact = &self.contacts[contact as usize];
                [contact.body_a, contact.body_b]
            });
            let of_side = [0, 1].map(|side| IndexRow(of_bodies.map(|bodies| bodies[side])));
            let last = self.bodies.len() as u32;
            assert!(of_bodies.iter().flatten().all(|&body| body < last));
            let mut biases = Row([0.0; LANES]);
            for first in (0..LANES).step_by(S::LANES) {
                // SAFETY: all indices were looked at; the rest is the caller's promise.
                let (contact, a, b) = unsafe {
                    (
                        ContactLanes::<S>::gather(self.contacts, index.0.as_ptr().add(first)),
                        BodyLanes::<S>::gather(self.bodies, of_side[0].0.as_ptr().add(first)),
                        BodyLanes::<S>::gather(self.bodies, of_side[1].0.as_ptr().add(first)),
                    )
                };
                rows.put(first, &contact, [&a, &b], &copies);
                sides[0].put(first, &a);
                sides[1].put(first, &b);
                if !self.unbiased {
                    put(&mut biases, first, contact.bias);
                }
            }
            let arms = [&rows.arm_a, &rows.arm_b];
            let (normal, lanes) = (&rows.normal, 0..source.len());
            let to = &mut rows.free_velocity;
            free_velocities(
                lanes,
                normal,
                Some(&biases),
                arms,
                [&sides[0], &sides[1]],
                to,
            );
            for (lane, block) in blocks.iter_mut().enumerate() {
                *block = rows.block(lane);
            }
            for (impulse, &contact) in impulses.iter_mut().zip(source) {
                *impulse = self.contacts[contact as usize].start_impulse(self.warm_start);
            }
        }
    }
}

impl BlockRows {
    /// All but the free velocities of some lanes.
    #[inline(always)]
    fn put<S: Simd>(
        &mut self,
        first: usize,
        contact: &ContactLanes<S>,
        [a, b]: [&BodyLanes<S>; 2],
        copies: &[Row; 2],
    ) {
        let of_a = Lever {
            copies: lanes_of(&copies[0], first),
            ..a.lever(contact.arm_a)
        };
        let of_b = Lever {
            copies: lanes_of(&copies[1], first),
            ..b.lever(contact.arm_b)
        };
        let masses = masses_of(contact.normal, of_a, of_b);
        put_3(&mut self.normal, first, contact.normal);
        put_3(&mut self.arm_a, first, contact.arm_a);
        put_3(&mut self.arm_b, first, contact.arm_b);
        put(&mut self.normal_mass, first, masses.normal);
        put(&mut self.tangent_mass, first, masses.tangent);
        put(&mut self.residual_mass, first, masses.residual);
        put(&mut self.friction, first, contact.friction);
        for side in 0..2 {
            put(&mut self.bodies[side], first, contact.bodies[side]);
            put(&mut self.coupling[side], first, masses.coupling[side]);
        }
    }

    /// The block of a lane.
    #[inline(always)]
    fn block(&self, lane: usize) -> ContactBlock {
        let number = |row: &Row| row.0[lane];
        ContactBlock {
            normal: at(&self.normal, lane),
            normal_mass: number(&self.normal_mass),
            arm_a: at(&self.arm_a, lane),
            tangent_mass: number(&self.tangent_mass),
            arm_b: at(&self.arm_b, lane),
            friction: number(&self.friction),
            free_velocity: at(&self.free_velocity, lane),
            residual_mass: number(&self.residual_mass),
            body_a: number(&self.bodies[0]).to_bits(),
            body_b: number(&self.bodies[1]).to_bits(),
            coupling: [number(&self.coupling[0]), number(&self.coupling[1])],
        }
    }
}
