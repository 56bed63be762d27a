// Clusters as the kernels read them: `words` is what `src/solver/gpu/cluster/words.rs` writes.

// What a body is beside its velocity; 64 bytes.
struct ClusterBody {
    // Inverse inertia: xx, xy, xz, yy.
    inverse: vec4<f32>,
    // yz, zz, then one over the mass, unused.
    inverse_rest: vec4<f32>,
    // Last change of its velocity.
    change_linear: vec3<f32>,
    padding_2: f32,
    change_angular: vec3<f32>,
    padding_3: f32,
}

// Whether momentum goes on, and the progress of each cluster.
struct ClusterProgress {
    momentum: Momentum,
    sums: array<Progress>,
}

// Words in front of the clusters; see `words_of` in `src/solver/gpu/cluster/words.rs`.
const CLUSTERS: u32 = 0u;
const BODIES: u32 = 1u;
const BODIES_AT: u32 = 2u;
const HUBS: u32 = 3u;
const HUBS_AT: u32 = 4u;
const HEAD: u32 = 8u;
// Words of a cluster, a group, a copy, and an entry of the lists of bodies and hubs.
const CLUSTER_WORDS: u32 = 8u;
const GROUP_WORDS: u32 = 4u;
const COPY_WORDS: u32 = 4u;
const SPLIT_WORDS: u32 = 4u;

// Where the parts of one cluster are, in blocks and in words.
struct Cluster {
    // First block: joint rows, then contacts.
    first: u32,
    joint_rows: u32,
    blocks: u32,
    colors_at: u32,
    colors: u32,
    groups_at: u32,
    copies_at: u32,
    copies: u32,
}

fn cluster_at(index: u32) -> Cluster {
    let at = HEAD + index * CLUSTER_WORDS;
    return Cluster(
        words[at],
        words[at + 1u],
        words[at + 2u],
        words[at + 3u],
        words[at + 4u],
        words[at + 5u],
        words[at + 6u],
        words[at + 7u],
    );
}

// A joint row, as it is stored in the place of a contact.
fn row_of(block: ContactBlock) -> JointBlock {
    return JointBlock(
        block.normal,
        block.normal_mass,
        block.arm_a,
        block.tangent_mass,
        block.arm_b,
        block.friction,
        block.free_velocity.x,
        block.free_velocity.y,
        block.body_a,
        block.body_b,
    );
}

// What the residual of that row needs besides.
fn scale_of(block: ContactBlock) -> JointScale {
    return JointScale(block.free_velocity.z, block.residual_mass);
}

fn inertia_of(body: u32) -> BodyInertia {
    return BodyInertia(bodies[body].inverse, bodies[body].inverse_rest);
}
