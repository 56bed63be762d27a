//! Joint rows as blocks.

use super::{BodyInertia, BodyVelocity, Packed};
use crate::constants::{PACKED_IMPULSES_PER_THREAD, PACKED_ROWS_PER_THREAD};
use crate::math::{self, V3};
use crate::parallel::{self, SharedSlice, for_chunks};
use crate::problem::clusters::Clusters;
use crate::problem::coloring::BodyPair;
use crate::problem::{Body, JointRow, ProblemRef};
use bytemuck::{Pod, Zeroable};

/// One joint row as the kernels read it; 64 bytes.
///
/// A row that moves nothing, between two immovable bodies or without any lever on its bodies, has
/// effective mass and bounds 0 and so keeps the impulse 0.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct JointBlock {
    /// Linear part on A, and with the opposite sign on B.
    pub linear: [f32; 3],
    /// `J V + bias` without any impulse `[m/s]` or `[rad/s]`.
    pub free_velocity: f32,
    /// Angular part on A.
    pub angular_a: [f32; 3],
    /// Velocity that a unit impulse leaves `[1/kg]` or `[1/(kg m^2)]`.
    pub softness: f32,
    /// Angular part on B.
    pub angular_b: [f32; 3],
    /// `1 / (W_ii + softness)`, of the split bodies in the remainder `[kg]` or `[kg m^2]`.
    pub mass: f32,
    /// Least impulse `[N s]` or `[N m s]`.
    pub lower: f32,
    /// Largest impulse, likewise.
    pub upper: f32,
    /// Index of body A.
    pub body_a: u32,
    /// Index of body B.
    pub body_b: u32,
}

/// What the residual of a joint row needs beside its block; 8 bytes, which no sweep reads.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Default, Pod, Zeroable)]
pub struct JointScale {
    /// `1 / (W_ii + softness)` of the true bodies `[kg]` or `[kg m^2]`.
    pub mass: f32,
    /// Residual in m/s of an impulse that is off by one; see [`solver`](crate::solver#the-residual).
    pub per_impulse: f32,
}

impl JointBlock {
    /// Adds what an impulse does to the velocities of the two bodies.
    pub(super) fn apply(
        &self,
        impulse: f32,
        velocities: &mut [BodyVelocity],
        inertias: &[BodyInertia],
    ) {
        if impulse == 0.0 {
            return;
        }
        for (body, linear, angular) in [
            (self.body_a as usize, impulse, self.angular_a),
            (self.body_b as usize, -impulse, self.angular_b),
        ] {
            let push = math::scale(self.linear, linear);
            velocities[body].push(&inertias[body], push, math::scale(angular, impulse));
        }
    }
}

/// Fills in the numbers of the joint rows, whose order is there.
pub(super) fn refill(
    packed: &mut Packed<JointBlock, f32>,
    scales: &mut Vec<JointScale>,
    problem: &ProblemRef<'_>,
    warm_start: bool,
) {
    let (bodies, rows) = (&problem.bodies, &problem.joint_rows);
    let count = packed.source.len();
    // Wherever a row has a colour its bodies are whole.
    let colored = packed.group_starts[packed.remainder.elements.start as usize] as usize;
    packed.blocks.resize(count, JointBlock::zeroed());
    scales.resize(count, JointScale::default());
    let source = &packed.source;
    let row_at = |index: usize| &rows[source[index] as usize];
    let (blocks, split_blocks) = packed.blocks.split_at_mut(colored);
    let (scales, split_scales) = scales.split_at_mut(colored);
    let slices = (SharedSlice::new(blocks), SharedSlice::new(scales));
    for_chunks(slices, PACKED_ROWS_PER_THREAD, |first, (blocks, scales)| {
        for (at, (block, scale)) in blocks.iter_mut().zip(scales).enumerate() {
            (*block, *scale) = block_of(row_at(first + at), bodies, (1.0, 1.0));
        }
    });
    for group in packed.remainder.elements.clone() {
        let copies = packed.remainder.copies(group);
        let first = packed.group_starts[group as usize] as usize;
        let end = packed.group_starts[group as usize + 1] as usize;
        for index in first..end {
            let at = index - colored;
            (split_blocks[at], split_scales[at]) = block_of(row_at(index), bodies, copies);
        }
    }

    start_impulses(packed, rows, warm_start);
}

/// Packs the joint rows in the order of clusters, without colours.
pub(super) fn repack_clusters(
    packed: &mut Packed<JointBlock, f32>,
    scales: &mut Vec<JointScale>,
    problem: &ProblemRef<'_>,
    clusters: &Clusters,
    warm_start: bool,
) {
    let (bodies, rows) = (&problem.bodies, &problem.joint_rows);
    packed.source.clone_from(&clusters.joint_source);
    packed.group_starts.clone_from(&clusters.joint_starts);
    let copies = clusters.copies_of_blocks(true);
    let count = packed.source.len();
    packed.blocks.resize(count, JointBlock::zeroed());
    scales.resize(count, JointScale::default());
    let blocks = packed.blocks.iter_mut().zip(scales);
    for ((block, scale), (&row, copies)) in blocks.zip(packed.source.iter().zip(copies)) {
        (*block, *scale) = block_of(&rows[row as usize], bodies, copies);
    }
    start_impulses(packed, rows, warm_start);
}

/// The impulses that the blocks start from.
fn start_impulses(packed: &mut Packed<JointBlock, f32>, rows: &[JointRow], warm_start: bool) {
    let (source, blocks) = (&packed.source, &packed.blocks);
    parallel::fill(
        &mut packed.impulses,
        source.len(),
        PACKED_IMPULSES_PER_THREAD,
        |index| {
            if warm_start {
                let block = &blocks[index];
                let impulse = rows[source[index] as usize].impulse;
                impulse.max(block.lower).min(block.upper)
            } else {
                0.0
            }
        },
    );
}

/// A row's block, and the scale of its residual; in f64, narrowed at the end.
fn block_of(
    row: &JointRow,
    bodies: &[Body],
    (copies_a, copies_b): (f32, f32),
) -> (JointBlock, JointScale) {
    let [body_a, body_b] = row.body_pair().map(|body| &bodies[body as usize]);
    let [linear, angular_a, angular_b] =
        [row.linear, row.angular_a, row.angular_b].map(math::widen);
    let free_velocity = linear
        .dot(&(math::widen(body_a.linear_velocity) - math::widen(body_b.linear_velocity)))
        + angular_a.dot(&math::widen(body_a.angular_velocity))
        + angular_b.dot(&math::widen(body_b.angular_velocity))
        + f64::from(row.bias);

    let softness = f64::from(row.softness);
    let (w_a, w_b) = (
        delassus_entry(body_a, row.linear, row.angular_a),
        delassus_entry(body_b, row.linear, row.angular_b),
    );
    let true_mass = 1.0 / (w_a + w_b + softness);
    let split_mass = 1.0 / (f64::from(copies_a) * w_a + f64::from(copies_b) * w_b + softness);
    let inverse_reduced_mass = f64::from(body_a.inverse_mass) + f64::from(body_b.inverse_mass);
    let scale = JointScale {
        mass: true_mass as f32,
        per_impulse: (inverse_reduced_mass / true_mass).sqrt() as f32,
    };
    let block = JointBlock {
        linear: row.linear,
        free_velocity: free_velocity as f32,
        angular_a: row.angular_a,
        softness: row.softness,
        angular_b: row.angular_b,
        mass: split_mass as f32,
        lower: row.lower,
        upper: row.upper,
        body_a: row.body_a,
        body_b: row.body_b,
    };
    if scale.mass.is_finite() && inverse_reduced_mass > 0.0 {
        return (block, scale);
    }
    let idle = JointBlock {
        free_velocity: 0.0,
        softness: 0.0,
        mass: 0.0,
        lower: 0.0,
        upper: 0.0,
        ..block
    };
    (idle, JointScale::default())
}

/// One body's part of a row's own Delassus entry: `|l|^2 / m + a . I^-1 a`.
fn delassus_entry(body: &Body, linear: V3, angular: V3) -> f64 {
    let inverse = math::widen_symmetric(&body.inverse_inertia);
    let angular = math::widen(angular);
    f64::from(body.inverse_mass) * math::widen(linear).norm_squared()
        + angular.dot(&(inverse * angular))
}
