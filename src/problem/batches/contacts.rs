//! Contacts as blocks.

use super::contact_lanes::Pack;
use super::impulse::in_world;
use super::{BodyInertia, BodyVelocity, Packed};
use crate::constants::PACKED_CONTACTS_PER_THREAD;
use crate::math::{self, V3};
use crate::parallel::{SharedSlice, for_chunks};
use crate::problem::ProblemRef;
use crate::problem::clusters::Clusters;
use crate::simd::Width;
use bytemuck::{Pod, Zeroable};

/// One contact as the kernels read it; 80 bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct ContactBlock {
    /// Unit normal from B to A.
    pub normal: [f32; 3],
    /// Effective mass of the normal row, `1 / W_nn`, of the split bodies in the remainder `[kg]`.
    pub normal_mass: f32,
    /// Contact point minus A's centre of mass `[m]`.
    pub arm_a: [f32; 3],
    /// One over the largest eigenvalue of the tangential 2 x 2 block, likewise `[kg]`.
    pub tangent_mass: f32,
    /// Contact point minus B's centre of mass `[m]`.
    pub arm_b: [f32; 3],
    /// Coefficient of friction.
    pub friction: f32,
    /// Velocity of A's point relative to B's without any impulse, plus the bias along the normal
    /// `[m/s]`.
    pub free_velocity: [f32; 3],
    /// Step of the natural map, `3 / tr W` of the true bodies `[kg]`; see
    /// [`solver`](crate::solver#the-residual).
    pub residual_mass: f32,
    /// Index of body A.
    pub body_a: u32,
    /// Index of body B.
    pub body_b: u32,
    /// What a unit normal impulse adds to the tangential velocities, `W_n1` and `W_n2`, likewise `[1/kg]`.
    pub coupling: [f32; 2],
}

impl ContactBlock {
    /// Adds what an impulse does to the velocities of the two bodies.
    pub(super) fn apply(
        &self,
        [n, t1, t2, _]: [f32; 4],
        velocities: &mut [BodyVelocity],
        inertias: &[BodyInertia],
    ) {
        // No impulse is to leave even the sign of a zero as it is.
        if [n, t1, t2] == [0.0; 3] {
            return;
        }
        let total = in_world(self.normal, [n, t1, t2]);
        for (body, arm, impulse) in [
            (self.body_a as usize, self.arm_a, total),
            (self.body_b as usize, self.arm_b, math::scale(total, -1.0)),
        ] {
            velocities[body].push(&inertias[body], impulse, math::cross(arm, impulse));
        }
    }
}

/// Fills in the numbers of the contacts, whose order is there.
pub(super) fn refill(
    packed: &mut Packed<ContactBlock, [f32; 4]>,
    problem: &ProblemRef<'_>,
    warm_start: bool,
) {
    refill_from(packed, (problem, warm_start, false), 0);
}

/// Fills in the numbers of those in the remainder, with `unbiased` all but their biases.
pub(super) fn refill_remainder(
    packed: &mut Packed<ContactBlock, [f32; 4]>,
    problem: &ProblemRef<'_>,
    warm_start: bool,
    unbiased: bool,
) {
    let first = packed.remainder.elements.start as usize;
    refill_from(packed, (problem, warm_start, unbiased), first);
}

/// Gives every contact of the order a block and an impulse, whatever is in them.
pub(super) fn make_room(packed: &mut Packed<ContactBlock, [f32; 4]>) {
    let count = packed.source.len();
    packed.blocks.resize(count, ContactBlock::zeroed());
    packed.impulses.resize(count, [0.0; 4]);
}

/// Fills in the numbers of the contacts from a block on.
fn refill_from(
    packed: &mut Packed<ContactBlock, [f32; 4]>,
    from: (&ProblemRef<'_>, bool, bool),
    first: usize,
) {
    make_room(packed);
    let Packed {
        source,
        blocks,
        impulses,
        remainder,
        ..
    } = packed;
    let copies = |block| remainder.copies((first + block) as u32);
    let to = (&mut blocks[first..], &mut impulses[first..]);
    fill(&source[first..], to, from, copies);
}

/// Packs the contacts in the order of clusters, without colours; a block is of `copies` of its bodies.
pub(super) fn repack_clusters(
    packed: &mut Packed<ContactBlock, [f32; 4]>,
    problem: &ProblemRef<'_>,
    clusters: &Clusters,
    warm_start: bool,
) {
    let copies = clusters.copies_of_blocks(false);
    let Packed {
        source,
        blocks,
        impulses,
        ..
    } = packed;
    source.clone_from(&clusters.contact_source);
    packed.group_starts.clear();
    packed.group_starts.push(0);
    blocks.resize(source.len(), ContactBlock::zeroed());
    impulses.resize(source.len(), [0.0; 4]);
    let copies = |block: usize| copies[block];
    let from = (problem, warm_start, false);
    fill(source, (blocks, impulses), from, copies);
}

/// Makes the blocks of `source`, and the impulses that they start from.
fn fill(
    source: &[u32],
    (blocks, impulses): (&mut [ContactBlock], &mut [[f32; 4]]),
    (problem, warm_start, unbiased): (&ProblemRef<'_>, bool, bool),
    copies: impl Fn(usize) -> (f32, f32) + Sync,
) {
    let width = Width::detect();
    let slices = (source, SharedSlice::new(blocks), SharedSlice::new(impulses));
    for_chunks(
        slices,
        PACKED_CONTACTS_PER_THREAD,
        |first, (source, blocks, impulses)| {
            let pack = Pack {
                contacts: problem.contacts,
                bodies: problem.bodies,
                source,
                copies: |block| copies(first + block),
                warm_start,
                unbiased,
                blocks,
                impulses,
            };
            // SAFETY: it asks for nothing.
            #[allow(unsafe_code, reason = "bytes meet SIMD")]
            unsafe {
                width.run(pack);
            }
        },
    );
}

/// Velocity of A's point relative to B's before the solve, plus the bias along the normal `[m/s]`; a
/// side is the linear and angular velocity of its body, and the arm.
///
/// In f64: the difference of two fast bodies' velocities keeps the digits that a contact needs.
#[inline(always)]
pub(super) fn free_velocity_of(normal: V3, bias: f32, a: (V3, V3, V3), b: (V3, V3, V3)) -> V3 {
    let [x, y, z] = normal.map(f64::from);
    // A normal is a unit vector up to rounding; along it the bias is to appear exactly.
    let scale = f64::from(bias) / (x * x + y * y + z * z);
    velocity_between(normal, scale, a, b)
}

/// The same without a bias.
#[inline(always)]
pub(super) fn unbiased_velocity_of(normal: V3, a: (V3, V3, V3), b: (V3, V3, V3)) -> V3 {
    velocity_between(normal, 0.0, a, b)
}

#[inline(always)]
fn velocity_between(normal: V3, scale: f64, a: (V3, V3, V3), b: (V3, V3, V3)) -> V3 {
    let point_velocity = |(linear, angular, arm): (V3, V3, V3)| {
        let (v, w, r) = (
            linear.map(f64::from),
            angular.map(f64::from),
            arm.map(f64::from),
        );
        [
            v[0] + (w[1] * r[2] - w[2] * r[1]),
            v[1] + (w[2] * r[0] - w[0] * r[2]),
            v[2] + (w[0] * r[1] - w[1] * r[0]),
        ]
    };
    let [x, y, z] = normal.map(f64::from);
    let (a, b) = (point_velocity(a), point_velocity(b));
    [
        (a[0] - b[0] + x * scale) as f32,
        (a[1] - b[1] + y * scale) as f32,
        (a[2] - b[2] + z * scale) as f32,
    ]
}
