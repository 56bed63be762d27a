//! Colours, clusters, momentum, pivoting and the referees.

/// Most colours of a colouring before the remaining pairs go to the mass-split remainder.
///
/// Piles of equal spheres or boxes need 8 to 12 colours, pyramids of cubes 16; a body that touches more others (a hub) asks
/// for one colour, and one barrier, for each. With 12 colours half of a pyramid's contacts were mass-split, and Gauss–Seidel
/// took ten times the passes to 1e-2 g h: 496 instead of 48 for 385 cubes. With 24 colours those of a sphere of three times the
/// others' size were, which made it rise through a shaken bed in a tenth fewer cycles than by one contact after the other.
pub const MAX_COLORS: usize = 64;

/// Contacts of one body in the remainder above which its sum is taken by a whole workgroup.
///
/// One invocation adding a million records would run for seconds and, on some software adapters,
/// would be cut short.
pub(crate) const HUB_GATHER_THRESHOLD: u32 = 64;

/// Bodies of a cluster where one cluster does not hold all of them.
pub(crate) const CLUSTER_BODIES: u32 = 256;

/// Most contacts and joint rows of a cluster, joints being left whole: the loops of one invocation stay
/// far below `MAX_LOOP_ITERATIONS`.
pub const CLUSTER_BLOCKS: u32 = 8192;

/// Most contact runs, or joints, on one copy of a body in a cluster: at most twice as many colours
/// suffice then. A body with more in one cluster has several copies there.
pub const CLUSTER_DEGREE: u32 = 12;

/// Most contacts of one pair of bodies that an invocation of a cluster sweeps one after the other; more
/// are shared out among copies.
pub(crate) const CLUSTER_RUN: u32 = 64;

/// Distance of a normal's squared length from 1 up to which it surely is a unit vector: the length may
/// be off by 1e-3, which is 2e-3 of its square.
pub(crate) const PLAIN_NORMAL_ERROR: f32 = 1.5e-3;

/// Orders of contacts, and of joint rows, that are kept for problems of the same pairs: those of the
/// velocity pass, of the position pass, and of the Jacobi sweeps that follow on contradictions.
pub const KEPT_ORDERS: usize = 3;

/// Rounds of a colouring, a power of two: a pair takes its colour in one of them, by chance. More of them bring
/// little: two neighbours share one of eight with a chance of an eighth.
pub(crate) const COLORING_ROUNDS: usize = 8;

/// Most colours of any colouring: sets of colours are the bits of a word.
pub(crate) const MAX_COLORING_COLORS: usize = 64;

/// Largest min-map residual of an LCP's solution, over `1 + max |q|`: far above the round-off of a
/// few hundred rows, far below anything that a picture or a measurement shows.
pub(crate) const LCP_TOLERANCE: f64 = 1e-9;

/// Singular values below this fraction of the largest count as zero: redundant joints and contacts
/// leave exact zeros up to round-off.
pub(crate) const LCP_RANK_TOLERANCE: f64 = 1e-11;

/// Covering vectors that Lemke's method tries before it gives up.
pub(crate) const LEMKE_SEEDS: u64 = 8;

/// Random complementary bases from which it starts again after that.
pub(crate) const LEMKE_RANDOM_BASES: u64 = 8;

/// Limit of pivots per row and try; contact problems take one to three.
pub(crate) const LEMKE_PIVOTS_PER_ROW: usize = 50;

/// Most rows of a problem that the dense reference accepts: a solve takes about a second
/// there, and its cost grows with the cube of the rows.
pub(crate) const REFERENCE_MAX_ROWS: usize = 600;

/// Most equality rows of joints that it accepts: they are eliminated by a pseudo-inverse, which takes
/// a few seconds there.
pub const REFERENCE_MAX_EQUALITIES: usize = 600;

/// Part of the terms of a joint row by which rows that repeat each other may disagree: some roundings
/// of the f32 numbers that they are made of. More is a contradiction.
pub(crate) const REFERENCE_CONTRADICTION: f64 = 1e-6;

/// Impulses of joint rows beyond which a bound is out of reach, in the unit of scaled rows: far above
/// what mass ratios of 1e4 amount to, and still with ten digits left for what is solved beside it.
pub(crate) const REFERENCE_FAR_BOUND: f64 = 1e6;

/// Sweeps of block Gauss–Seidel that are tried where pivoting finds nothing; those of 600 rows take
/// about a second.
pub(crate) const REFERENCE_SWEEPS: u32 = 2_000;

/// Part of its own diagonal that is added to an unsolvable contact problem: softens contacts by a
/// millionth, and makes contradictory ones share the contradiction.
pub(crate) const REFERENCE_SOFTENING: f64 = 1e-6;

/// Change of an impulse, over the impulse, that an f32 sweep takes for rounding and leaves undone.
///
/// Without it, contacts that share a load pass the last digit of a velocity round in a circle, each
/// sweep adds the same rounding error, and impulses drift by about 6e-8 of their size a sweep for
/// ever: recorded stacks were off by 7e-4 after 10,000 sweeps, and by 6e-7 with it. Half of it is too
/// little; what it takes from slow convergence does not show in towers of 10 and 20.
pub const IMPULSE_DEAD_BAND: f32 = 2.0 * f32::EPSILON;

/// Most steps of the projection that solves one contact's own problem in a visit of the block
/// Gauss–Seidel: the fixed point is reached to round-off in fewer almost always where friction is moderate.
/// On rocks with mu = 1 up to a fifth of the visits do not reach it.
pub(crate) const NSGS_LOCAL_ITERATIONS: u32 = 50;

/// Sweeps of the block Gauss–Seidel that must halve the residual; after as many that do not, a visit makes
/// one step. With 256 a recorded problem and some random crowds, which were slow but did get on, changed
/// too early.
pub(crate) const NSGS_PATIENCE: u32 = 1_024;

/// Change of a contact's impulse, over the impulse, at which its own problem counts as solved.
pub(crate) const NSGS_LOCAL_TOLERANCE: f64 = 1e-15;

/// Residual of the block Gauss–Seidel, over the largest relative velocity before the solve, that is
/// round-off: a few units in the last place of f64.
pub(crate) const NSGS_ROUND_OFF: f64 = 4e-16;

/// Eigenvalue of a joint's block, its rows scaled to a unit diagonal, over the largest one, below
/// which a direction counts as one that no impulse moves: f32 rows that should depend on each other do
/// so to the square of 6e-8.
pub(crate) const NSGS_RANK_TOLERANCE: f64 = 1e-12;

/// Sweeps that are combined by the acceleration of the block Gauss–Seidel.
pub(crate) const NSGS_ACCELERATION_DEPTH: usize = 8;

/// Most plain sweeps after an accelerated step was taken back; the first setback costs one, and each
/// further one twice as many as the one before. With 64 some random crowds never settled.
pub(crate) const NSGS_ACCELERATION_PAUSE: u32 = 512;

/// Part of its size at the first setback to which a sweep's change must shrink before setbacks count
/// as new ones.
pub(crate) const NSGS_ACCELERATION_GAIN: f64 = 0.1;

/// Pivot below which a joint's row counts as redundant in the direct start, its diagonal being 1.
///
/// Redundant rows of f32 leave pivots near the square of their round-off, 1e-14; a link between bodies
/// a million times heavier leaves 1e-6.
pub(crate) const DIRECT_PIVOT_TOLERANCE: f64 = 1e-11;

/// How much larger a later pivot must be to go first, as a fraction: equal rows keep their order.
pub(crate) const DIRECT_PIVOT_PREFERENCE: f64 = 1e-6;

/// Joints without bounds on one body above which the direct start splits it into copies: below,
/// eliminating all of them together costs less.
pub(crate) const DIRECT_HUB_JOINTS: usize = 8;

/// Joints on one copy of such a body.
pub(crate) const DIRECT_JOINTS_PER_COPY: usize = 4;

/// Most multiplications with an addition that the direct start spends on one component of joints: a
/// tenth of a second, or a net of a few thousand knots.
pub(crate) const DIRECT_MAX_PRODUCTS: u64 = 100_000_000;

/// Cosine of the angle between the last step and the last change below which momentum of clusters, whose
/// sweeps are symmetric, starts anew.
///
/// Passes of clusters from a cold start to 1e-2 g h by Coulomb's law at 0.4, 0.48, 0.5, 0.52 and 0.6: a wall of 820 cubes
/// 262, 274, 290, 290, 334; a pyramid of 2,870 cubes 124, 136, 136, 142, 150; 1,000 boxes 294, 316, 340, 340, 328;
/// 8,000 spheres 480, 414, 410, 356, 372; 64,000 spheres, which circle most easily, not in 6,000, not in 2,420, 1,996,
/// 1,628, 1,406. A tenth of the barriers of plain coloured sweeps are 144 passes for that pyramid and 2,416 for
/// those spheres: 0.5 and 0.52 keep within both.
pub const MOMENTUM_COSINE: f32 = 0.5;

/// The same for forward sweeps, which need less than half the passes of symmetric ones and circle more
/// easily.
///
/// Passes from a cold start to 1e-2 g h at 0.5, 0.6 and 0.8: 1,000 boxes 166, 184, 220, and at 0.4 168 but
/// back at 0.08 after 800; 1,000 spheres 92, 98, 118; 8,000 spheres 162, 186, 180; 16,000 spheres 408, 338, not run;
/// a wall of 820 cubes 206, 232, 280.
pub const MOMENTUM_COSINE_FORWARD: f32 = 0.6;

/// The same for forward sweeps over a problem that is convex: no friction, or friction by the convex law.
///
/// Passes to 1e-2 and to 1e-3 g h at 0.2, 0.4 and 0.6: a wall of 820 cubes 146, 176, 224 and 730, 1,234, more
/// than 800; 1,000 boxes 194, 198, 268 and 456, 580, 776; 1,000 spheres 90, 98, 102 and 224, 278, 318;
/// 8,000 spheres 126, 82, 88 and 360, 476, 498.
pub const MOMENTUM_COSINE_CONVEX: f32 = 0.2;

/// Part of `t - 1` that is left of the sequence of factors where momentum starts anew.
///
/// Passes of forward sweeps from a cold start to 1e-2 g h by Coulomb's law with 0, 0.5 and 0.75: a wall of 820 cubes 235,
/// 198, 200; a pyramid of 2,870 cubes 102, 82, 85; 1,000 boxes 115, 102, 97; 1,000 spheres 190, 152, 182; 8,000 spheres 156,
/// 156, 147; clusters on 8,000 spheres 514, more than 600, 542.
pub const MOMENTUM_KEPT: f32 = 0.75;

/// Passes after which an accelerated solve computes velocities from impulses anew.
///
/// Momentum repeats the rounding errors of velocities too. After 2,000 passes over six cubes with a
/// mass ratio of 100 velocities and impulses were 0.15 g h apart without it, and 2e-3 g h with it.
pub const MOMENTUM_REBUILD_PASSES: u32 = 16;

/// Invocations of a workgroup in every kernel; the least that every WebGPU adapter runs well.
pub const WORKGROUP_SIZE: u32 = 64;

/// Most friction directions of a pyramid; the table of directions travels in a uniform.
pub const MAX_FRICTION_DIRECTIONS: usize = 16;

/// Most entries of a dense matrix that a problem from a file is reduced with: 1 GiB of them.
#[cfg(feature = "fclib")]
pub(crate) const MAX_DENSE_ENTRIES: u64 = 1 << 27;

/// Most unknowns of a problem from a file that its mass matrix may couple: factorizing them takes a minute.
#[cfg(feature = "fclib")]
pub(crate) const MAX_COUPLED_UNKNOWNS: usize = 8192;

/// Most that equalities of a problem from a file may contradict each other, over the largest of their numbers: far above the
/// round-off of f64, far below that of f32, by which joints of bodies at almost the same place differ.
#[cfg(feature = "fclib")]
pub(crate) const MAX_CONTRADICTION: f64 = 1e-10;
