//! Clusters as the kernels read them: all indices in one array of words, blocks of both kinds in one
//! array of blocks.

use crate::problem::batches::{
    Batches, BodyInertia, ContactBlock, JointBlock, JointScale, SplitBody,
};
use crate::problem::clusters::{Cluster, Clusters};
use bytemuck::{Pod, Zeroable};

/// Words in front of the clusters.
const HEAD: usize = 8;
/// Words of a cluster.
const CLUSTER_WORDS: usize = 8;

/// What a body is beside its velocity, as the kernels read and write it; 64 bytes.
///
/// Twin of the WGSL struct of the same name.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct ClusterBody {
    /// Inverse inertia `[xx, xy, xz, yy, yz, zz]` in world axes `[1/(kg m^2)]`.
    pub inverse: [f32; 6],
    /// One over the mass `[1/kg]`.
    pub inverse_mass: f32,
    /// Unused.
    pub padding: f32,
    /// Last change of its velocity `[m/s]`.
    pub change_linear: [f32; 3],
    /// Unused.
    pub padding_2: f32,
    /// Last change of its angular velocity `[rad/s]`.
    pub change_angular: [f32; 3],
    /// Unused.
    pub padding_3: f32,
}

/// First block of a cluster where joint rows and contacts are in one array.
pub(super) fn first_block(cluster: &Cluster) -> u32 {
    cluster.first_joint_row + cluster.first_contact
}

/// The counts, the clusters, and the lists that they point into.
pub(super) fn words_of(clusters: &Clusters) -> Vec<u32> {
    let colors_at = HEAD + CLUSTER_WORDS * clusters.list.len();
    let groups_at = colors_at + clusters.colors.len();
    let words_per = |bytes: usize| bytes / size_of::<u32>();
    let copies_at = groups_at + words_per(size_of_val(clusters.groups.as_slice()));
    let bodies_at = copies_at + words_per(size_of_val(clusters.copies.as_slice()));
    let split_words = words_per(size_of::<SplitBody>());
    let hubs_at = bodies_at + split_words * clusters.bodies.len();
    let mut words = Vec::with_capacity(hubs_at + split_words * clusters.hubs.len());
    words.extend([
        clusters.list.len() as u32,
        clusters.bodies.len() as u32,
        bodies_at as u32,
        clusters.hubs.len() as u32,
        hubs_at as u32,
        0,
        0,
        0,
    ]);
    for cluster in &clusters.list {
        words.extend([
            first_block(cluster),
            cluster.joint_rows,
            cluster.blocks(),
            colors_at as u32 + cluster.first_color,
            cluster.colors,
            groups_at as u32 + 4 * cluster.first_group,
            copies_at as u32 + 4 * cluster.first_copy,
            cluster.copies,
        ]);
    }
    words.extend(&clusters.colors);
    words.extend(bytemuck::cast_slice::<_, u32>(&clusters.groups));
    words.extend(bytemuck::cast_slice::<_, u32>(&clusters.copies));
    words.extend(bytemuck::cast_slice::<_, u32>(&clusters.bodies));
    words.extend(bytemuck::cast_slice::<_, u32>(&clusters.hubs));
    words
}

/// The blocks of every cluster, joint rows and then contacts.
pub(super) fn blocks_of(batches: &Batches, clusters: &Clusters) -> Vec<ContactBlock> {
    let mut blocks = Vec::with_capacity(batches.block_count());
    for cluster in &clusters.list {
        blocks.extend(
            cluster
                .joint_range()
                .map(|row| stored(&batches.joints.blocks[row], batches.joint_scales[row])),
        );
        blocks.extend(&batches.contacts.blocks[cluster.contact_range()]);
    }
    blocks
}

/// The impulses beside them; that of a joint row comes first of four.
pub(super) fn impulses_of(batches: &Batches, clusters: &Clusters) -> Vec<[f32; 4]> {
    let mut impulses = Vec::with_capacity(batches.block_count());
    for cluster in &clusters.list {
        let rows = &batches.joints.impulses[cluster.joint_range()];
        impulses.extend(rows.iter().map(|&impulse| [impulse, 0.0, 0.0, 0.0]));
        impulses.extend(&batches.contacts.impulses[cluster.contact_range()]);
    }
    impulses
}

/// Takes such impulses back.
pub(super) fn take_impulses(batches: &mut Batches, clusters: &Clusters, impulses: &[[f32; 4]]) {
    for cluster in &clusters.list {
        let first = first_block(cluster) as usize;
        let contacts = first + cluster.joint_rows as usize;
        let rows = &mut batches.joints.impulses[cluster.joint_range()];
        for (row, impulse) in rows.iter_mut().zip(&impulses[first..contacts]) {
            *row = impulse[0];
        }
        let end = contacts + cluster.contacts as usize;
        batches.contacts.impulses[cluster.contact_range()]
            .copy_from_slice(&impulses[contacts..end]);
    }
}

/// All bodies, before the first sweep.
pub(super) fn bodies_of(batches: &Batches) -> Vec<ClusterBody> {
    let bodies = batches.velocities.iter().zip(&batches.inertias);
    bodies
        .map(|(velocity, &BodyInertia { inverse, .. })| ClusterBody {
            inverse,
            inverse_mass: velocity.inverse_mass,
            ..ClusterBody::zeroed()
        })
        .collect()
}

/// A joint row in the place of a contact: the shaders' `row_of` and `scale_of` find it there.
fn stored(row: &JointBlock, scale: JointScale) -> ContactBlock {
    ContactBlock {
        normal: row.linear,
        normal_mass: row.free_velocity,
        arm_a: row.angular_a,
        tangent_mass: row.softness,
        arm_b: row.angular_b,
        friction: row.mass,
        free_velocity: [row.lower, row.upper, scale.mass],
        residual_mass: scale.per_impulse,
        body_a: row.body_a,
        body_b: row.body_b,
        coupling: [0.0; 2],
    }
}
