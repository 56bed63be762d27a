//! Contacts as blocks in lanes.

use super::ContactBlock;
use super::contacts::free_velocity_of;
use super::lanes::{self, LANES, Lane, Work, at, records, transpose};
use super::masses::{Lever, masses_of};
use crate::math::V3;
use crate::problem::{Body, Contact};
use bytemuck::Zeroable;

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
}

impl<Copies: Fn(usize) -> (f32, f32)> Pack<'_, Copies> {
    /// Shapes `[source.len()]`.
    pub(super) fn run(&self, blocks: &mut [ContactBlock], impulses: &mut [[f32; 4]]) {
        let mut input = Input::zeroed();
        let mut output = Output::zeroed();
        let some = self
            .source
            .chunks(LANES)
            .zip(blocks.chunks_mut(LANES))
            .zip(impulses.chunks_mut(LANES));
        for (at, ((source, blocks), impulses)) in some.enumerate() {
            for (impulse, &contact) in impulses.iter_mut().zip(source) {
                *impulse = self.contacts[contact as usize].start_impulse(self.warm_start);
            }
            let copies = |lane| (self.copies)(at * LANES + lane);
            input.gather(self.contacts, source, self.bodies, copies);
            if self.unbiased {
                input.contacts[2][3] = [0.0; LANES];
            }
            lanes::run(Numbers {
                input: &input,
                output: &mut output,
            });
            output.scatter(&input, blocks);
        }
    }
}

/// What blocks are made of.
#[derive(Zeroable, Clone, Copy)]
#[repr(C)]
struct Input {
    /// The contacts, four numbers by four numbers; see [`Contact`].
    contacts: [[Lane; 4]; 4],
    sides: [Side; 2],
}

/// The bodies of one side, four numbers by four numbers; see [`Body`].
#[derive(Zeroable, Clone, Copy)]
#[repr(C)]
struct Side {
    numbers: [[Lane; 4]; 4],
    copies: Lane,
}

/// What blocks have and contacts have not.
#[derive(Zeroable, Clone, Copy)]
#[repr(C)]
struct Output {
    free_velocity: [Lane; 3],
    normal_mass: Lane,
    tangent_mass: Lane,
    residual_mass: Lane,
    coupling: [Lane; 2],
}

impl Input {
    fn gather(
        &mut self,
        contacts: &[Contact],
        source: &[u32],
        bodies: &[Body],
        copies: impl Fn(usize) -> (f32, f32),
    ) {
        let count = source.len();
        let contact = |lane: usize| &contacts[source[lane] as usize];
        transpose(count, contact, &mut self.contacts);
        let [a, b] = &mut self.sides;
        transpose(
            count,
            |lane| &bodies[contact(lane).body_a as usize],
            &mut a.numbers,
        );
        transpose(
            count,
            |lane| &bodies[contact(lane).body_b as usize],
            &mut b.numbers,
        );
        for lane in 0..count {
            (a.copies[lane], b.copies[lane]) = copies(lane);
        }
    }

    #[inline(always)]
    fn normal(&self) -> [&Lane; 3] {
        let [_, _, [x, y, z, _], _] = &self.contacts;
        [x, y, z]
    }

    #[inline(always)]
    fn arm_a(&self) -> [&Lane; 3] {
        let [[_, _, x, y], [z, ..], ..] = &self.contacts;
        [x, y, z]
    }

    #[inline(always)]
    fn arm_b(&self) -> [&Lane; 3] {
        let [_, [_, x, y, z], ..] = &self.contacts;
        [x, y, z]
    }
}

impl Side {
    #[inline(always)]
    fn velocity(&self, lane: usize) -> (V3, V3) {
        let [[x, y, z, _], [p, q, r, _], ..] = &self.numbers;
        (at([x, y, z], lane), at([p, q, r], lane))
    }

    #[inline(always)]
    fn inertia(&self, lane: usize) -> [f32; 6] {
        let [_, _, [xx, xy, xz, yy], [yz, zz, ..]] = &self.numbers;
        [xx[lane], xy[lane], xz[lane], yy[lane], yz[lane], zz[lane]]
    }

    #[inline(always)]
    fn lever<'a>(&self, lane: usize, inertia: &'a [f32; 6], arm: V3) -> Lever<'a, f32> {
        let [[.., inverse_mass], ..] = &self.numbers;
        Lever {
            inverse_mass: inverse_mass[lane],
            inertia,
            arm,
            copies: self.copies[lane],
        }
    }
}

/// The arithmetic.
struct Numbers<'a> {
    input: &'a Input,
    output: &'a mut Output,
}

impl Work for Numbers<'_> {
    #[allow(
        clippy::needless_range_loop,
        reason = "a lane is one of many arrays, of which the bias is no more than any other"
    )]
    #[inline(always)]
    fn run(self) {
        let (input, output) = (self.input, self.output);
        let [a, b] = &input.sides;
        let [_, _, [_, _, _, bias], _] = &input.contacts;
        for lane in 0..LANES {
            let normal = at(input.normal(), lane);
            let (arm_a, arm_b) = (at(input.arm_a(), lane), at(input.arm_b(), lane));
            let (inertia_a, inertia_b) = (a.inertia(lane), b.inertia(lane));
            let masses = masses_of(
                normal,
                a.lever(lane, &inertia_a, arm_a),
                b.lever(lane, &inertia_b, arm_b),
            );
            output.normal_mass[lane] = masses.normal;
            output.tangent_mass[lane] = masses.tangent;
            output.residual_mass[lane] = masses.residual;
            output.coupling[0][lane] = masses.coupling[0];
            output.coupling[1][lane] = masses.coupling[1];
            let ((linear_a, angular_a), (linear_b, angular_b)) =
                (a.velocity(lane), b.velocity(lane));
            let velocity = free_velocity_of(
                normal,
                bias[lane],
                (linear_a, angular_a, arm_a),
                (linear_b, angular_b, arm_b),
            );
            output.free_velocity[0][lane] = velocity[0];
            output.free_velocity[1][lane] = velocity[1];
            output.free_velocity[2][lane] = velocity[2];
        }
    }
}

impl Output {
    fn scatter(&self, input: &Input, blocks: &mut [ContactBlock]) {
        let count = blocks.len();
        let [[a, b, ..], _, _, [friction, ..]] = &input.contacts;
        let ([x, y, z], [p, q, r]) = (input.normal(), input.arm_a());
        let blocks: &mut [[[f32; 4]; 5]] = bytemuck::cast_slice_mut(blocks);
        records(count, [x, y, z, &self.normal_mass], |lane, quad| {
            blocks[lane][0] = quad;
        });
        records(count, [p, q, r, &self.tangent_mass], |lane, quad| {
            blocks[lane][1] = quad;
        });
        let ([x, y, z], [p, q, r]) = (input.arm_b(), &self.free_velocity);
        records(count, [x, y, z, friction], |lane, quad| {
            blocks[lane][2] = quad;
        });
        records(count, [p, q, r, &self.residual_mass], |lane, quad| {
            blocks[lane][3] = quad;
        });
        // Indices travel as the numbers that their bits are.
        for lane in 0..count {
            let [first, second] = &self.coupling;
            blocks[lane][4] = [a[lane], b[lane], first[lane], second[lane]];
        }
    }
}
