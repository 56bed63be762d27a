//! Every constant of drystone that is a choice: its value, its unit and the reason for it.
//!
//! Kernels receive these by uniform or `override`; no other file repeats a value.

use std::time::Duration;

/// Sine of an angle, or part of a joint's length, below which a joint counts a direction as lost: far
/// above the rounding of unit vectors, 1e-16, and far below any error that is worth correcting.
pub const LOST_DIRECTION: f64 = 1e-9;

/// Angle `[rad]` by which the plane of a planar hinge may be off one of the world's and still be that:
/// above what rounding of poses leaves after many steps, and invisible.
pub const UPRIGHT_PLANE: f64 = 1e-9;

/// Standard gravity `[m/s^2]`, used as the default of scenes that name none.
pub const GRAVITY: f64 = 9.81;

/// Most colours of a colouring before the remaining pairs go to the mass-split remainder.
///
/// Piles of equal spheres or boxes need 8 to 12 colours, pyramids of cubes 16; a body that touches more others (a hub) asks
/// for one colour, and one barrier, for each. With 12 colours half of a pyramid's contacts were mass-split, and Gauss–Seidel
/// took ten times the passes to 1e-2 g h: 496 instead of 48 for 385 cubes. With 24 colours those of a sphere of three times the
/// others' size were, which made it rise through a shaken bed in a tenth fewer cycles than by one contact after the other.
pub const MAX_COLORS: usize = 64;

/// Most friction directions of a pyramid; the table of directions travels in a uniform.
pub const MAX_FRICTION_DIRECTIONS: usize = 16;

/// Contacts of one body in the remainder above which its sum is taken by a whole workgroup.
///
/// One invocation adding a million records would run for seconds and, on some software adapters,
/// would be cut short.
pub const HUB_GATHER_THRESHOLD: u32 = 64;

/// Bodies of a cluster where one cluster does not hold all of them.
pub const CLUSTER_BODIES: u32 = 256;

/// Most copies of bodies in a cluster: their velocities, 24 B each, and the sums of a workgroup fit the
/// 16 KiB of workgroup memory that every WebGPU adapter has.
pub const CLUSTER_COPIES: u32 = 512;

/// Most contacts and joint rows of a cluster, joints being left whole: the loops of one invocation stay
/// far below [`MAX_LOOP_ITERATIONS`].
pub const CLUSTER_BLOCKS: u32 = 8192;

/// Most contact runs, or joints, on one copy of a body in a cluster: at most twice as many colours
/// suffice then. A body with more in one cluster has several copies there.
pub const CLUSTER_DEGREE: u32 = 12;

/// Most contacts of one pair of bodies that an invocation of a cluster sweeps one after the other; more
/// are shared out among copies.
pub const CLUSTER_RUN: u32 = 64;

/// Invocations of a workgroup in every kernel; the least that every WebGPU adapter runs well.
pub const WORKGROUP_SIZE: u32 = 64;

/// Least number of blocks handed to one thread; below it, waking a thread costs more than it saves.
///
/// A block takes some 50 ns. On two cores the Brazil nut, whose colours have about 350 blocks, took 20 %
/// less time with 64 than with 256, and 1,000 boxes 8 % less.
pub const MIN_BLOCKS_PER_THREAD: usize = 64;

/// Contacts packed by one thread at least: some 20 ns each.
pub const PACKED_CONTACTS_PER_THREAD: usize = 1024;

/// Joint rows packed by one thread at least: some 50 ns each.
pub const PACKED_ROWS_PER_THREAD: usize = 512;

/// Bodies that one thread handles at least in a stage of a step: some 20 ns each.
pub const BODIES_PER_THREAD: usize = 1024;

/// Contacts that one thread handles at least in a stage of a step: some 20 ns each.
pub const CONTACTS_PER_THREAD: usize = 1024;

/// Joint rows that one thread handles at least in a stage of a step: some 20 ns each.
pub const ROWS_PER_THREAD: usize = 1024;

/// Impulses that one thread copies at least: about 1 ns each.
pub const PACKED_IMPULSES_PER_THREAD: usize = 8192;

/// Bodies that one thread copies at least: about 2 ns each.
pub const PACKED_BODIES_PER_THREAD: usize = 8192;

/// Bodies whose solution one thread copies at least: about 2 ns each.
pub const TAKEN_BODIES_PER_THREAD: usize = 8192;

/// Joint rows that one thread solves at once at least: about 1 us each.
pub const SOLVED_ROWS_PER_THREAD: usize = 32;

/// Bytes that one thread copies at least `[B]`: some 20 us.
pub const COPIED_BYTES_PER_THREAD: usize = 1 << 18;

/// Chunks of [`UPLOAD_CHUNK_BYTES`] that one thread compares and copies at least: some 1 us each.
pub const UPDATED_CHUNKS_PER_THREAD: usize = 16;

/// How many bodies before it is needed a body is fetched: some 30 ns each, against some 100 ns of a miss.
pub const BODIES_AHEAD: usize = 8;

/// Records of a problem that one thread checks at least: 2 to 3 ns each.
pub const CHECKED_RECORDS_PER_THREAD: usize = 16_384;

/// Distance of a normal's squared length from 1 up to which it surely is a unit vector: the length may
/// be off by 1e-3, which is 2e-3 of its square.
pub const PLAIN_NORMAL_ERROR: f32 = 1.5e-3;

/// Orders of contacts, and of joint rows, that are kept for problems of the same pairs: those of the
/// velocity pass, of the position pass, and of the Jacobi sweeps that follow on contradictions.
pub const KEPT_ORDERS: usize = 3;

/// Rounds of a colouring, a power of two: a pair takes its colour in one of them, by chance. More of them bring
/// little: two neighbours share one of eight with a chance of an eighth.
pub const COLORING_ROUNDS: usize = 8;

/// Most colours of any colouring: sets of colours are the bits of a word.
pub const MAX_COLORING_COLORS: usize = 64;

/// Lane groups of sixteen contacts, least number handed to one thread: some 200 ns of work, about what
/// it takes two threads to tell each other that they are done.
pub const MIN_LANE_GROUPS_PER_THREAD: usize = 2;

/// Most domains into which the bodies of a problem are cut for threads: sets of domains are the bits of a
/// word.
pub const MAX_TEAM_DOMAINS: usize = 64;

/// Work of reading and writing the bodies of a pair, in work of a point.
pub const PAIR_WORK: u32 = 2;

/// Points of a pair by which pairs are sorted into lanes; pairs with more are as if they had so many.
/// Boxes have up to eight.
pub const POINTS_SORTED_BY: usize = 15;

/// Blocks of a problem below which one thread solves it: calling another takes some 10 us.
pub const MIN_BLOCKS_OF_A_TEAM: usize = 512;

/// Most bodies of a world whose steps a team makes from their beginning to their end. In larger ones waking threads
/// is little against a loop, and they sleep while one thread works by itself.
pub const MAX_BODIES_OF_A_TEAM: usize = 8192;

/// Most chunks into which a thread's share of a loop is cut, for others to take when it is late.
pub const TEAM_CHUNKS_PER_THREAD: usize = 4;

/// How much more work it takes for a thread to be worth waking than for one of a team, which is there already, to be
/// worth its while.
pub const WAKING_PER_TEAM_GRAIN: usize = 8;

/// Looks at whether there is something to do before a waiting thread lets others of the machine go first: some
/// tens of microseconds.
pub const TEAM_SPINS: u32 = 2000;

/// Looks before a waiting thread takes another's domain on: a late thread is worth waiting for some
/// microseconds, because what it works on is in its cache.
pub const TEAM_SPINS_BEFORE_HELPING: u32 = 100;

/// Most points of a manifold between two convex shapes: four carry any planar load.
pub const MAX_MANIFOLD_POINTS: usize = 4;

/// How much larger the separation along a later choice of axis must be to be preferred, as a fraction
/// of the separation: boxes prefer A's faces to B's, and faces to pairs of edges.
///
/// Without it, equal choices alternate from step to step, and features and impulses with them.
pub const AXIS_PREFERENCE_RELATIVE: f64 = 1e-2;

/// The same, as a fraction of the smallest half extent.
pub const AXIS_PREFERENCE_ABSOLUTE: f64 = 1e-4;

/// How much larger the separation along another axis must be for two boxes to leave the axis that they
/// touched along when last looked at, as a fraction of the smallest half extent.
///
/// In a moving pile of 1,000 cubes with 4,000 points that bear load, 760 of them came or went in a step
/// without it and half of the motion below, and in the pile at rest 39; 340 and 22 with 3e-4, 250 and 17
/// with this. With 2e-3 seven such piles came to rest with a 99th percentile of the penetration of 1.4 mm on
/// average, instead of 0.5 mm with this or without.
pub const AXIS_LOYALTY: f64 = 1e-3;

/// Cosine between the common perpendicular of two edges and the normal of a face above which two boxes that
/// overlap touch along the face; it is deeper by up to the inverse of this.
///
/// Of 20 piles of 200 dropped plates (5 cm to 1 m, 1/60 and 1/30 s) 14 still moved by more than 1e-2 of
/// `sqrt(g d)` after 10 s without it, as did 1 of 20 piles of 500 cubes; with this, 0.95, 0.9 or 0.8 none did, and
/// most were at rest to 1e-7 after one to five seconds.
pub const EDGES_ALONG_FACE: f64 = 0.98;

/// How far outside of a face a vertex still counts as above it, as a fraction of the face's smallest
/// half extent: vertices of aligned boxes stay vertices under the noise of a step. A gap beside the
/// face is underestimated by no more than that.
pub const CLIP_TOLERANCE: f64 = 1e-5;

/// Sine of the angle below which two segments, or a segment and an edge, share a stretch rather than
/// a point.
pub const PARALLEL_SINE: f64 = 0.1;

/// How much deeper a single point must be than the ends of the stretch to be kept beside them, as a
/// fraction of the shapes' size; the same for a point between boxes that lies on no face.
pub const DEEPER_BY: f64 = 1e-7;

/// Fraction by which a point must be farther out than another one to take its place in a manifold:
/// symmetric contacts offer equals, and noise must not choose among them.
pub const MANIFOLD_TIE: f64 = 1e-3;

/// Distance below which a capsule's segment counts as touching a box, as a fraction of the box's
/// largest half extent: the direction between closer points is lost to rounding.
pub const CORE_CONTACT: f64 = 1e-9;

/// Fraction of `g h` below which an approach speed never bounces, as a factor: `2 g h`.
///
/// A body at rest gains `g h` in a step; with a lower threshold it would never settle.
pub const RESTITUTION_THRESHOLD_GH: f64 = 2.0;

/// Gap that counts as a contact, over the smallest dynamic body's bounding radius.
///
/// Wide enough that resting contacts, whose gaps scatter by the solver's error, persist; narrow
/// enough that few contacts carry nothing.
pub const MARGIN_PER_RADIUS: f64 = 0.02;

/// Gap on either side of zero that substeps count as shut and leave alone, over the smallest dynamic
/// body's bounding radius.
///
/// Wider than what a substep of few sweeps leaves of a resting contact's motion, so that contacts at rest
/// stay where nothing is asked of them; narrower than what is to be seen or measured.
pub const SLOP_PER_RADIUS: f64 = 1e-4;

/// Margin of a pair of bodies that touched in the last step, over that of others: a pair at the edge
/// of the margin does not come and go, and what was prepared for the list of pairs stays good.
pub const TOUCHING_MARGIN: f64 = 1.25;

/// Relative motion of two bodies after which their contact points are found anew in any case, over the
/// smaller one's bounding radius.
///
/// What a kept point misses is of second order, `5e-5` of the radius; a vertex that comes to lie
/// beside a face, or another choice of four points, is wrong by up to twice the motion, which is the
/// margin. In a moving pile of cubes the deepest points were off by 1.4e-5 of the radius on average and by
/// 6e-3 at worst; with half of this by 6e-6 and 3e-3, at 1.4 times the time.
pub const KEPT_MOTION_PER_RADIUS: f64 = 0.01;

/// The same for bodies that hardly move any more: what comes to rest would stay wrong for good.
///
/// The deepest points of a pile of 1,000 cubes at rest were off by 8e-6 of the radius on average without
/// it, by 5e-6 with this and by 3e-6 with half of it, which took 1.1 times the time and let more points come
/// and go.
pub const KEPT_MOTION_AT_REST: f64 = 0.005;

/// Steps that bodies may go on at their speeds before their contact points are found anew, between the
/// two limits above.
pub const KEPT_STEPS: f64 = 4.0;

/// How far beyond the margin points are kept, over the margin: they come within it in later steps, and
/// the position pass asks for as much more as the bodies overlap.
pub const KEPT_REACH_PER_MARGIN: f64 = 0.5;

/// Room to move in that a body's box has in the list of pairs, over the bounding radius.
///
/// A settled pile of 4,000 spheres has 16,600 pairs with it. A first guess: no other value was tried.
pub const SKIN_PER_RADIUS: f64 = 0.05;

/// The same for a fast body: steps that it may go on at its speed.
pub const SKIN_STEPS: f64 = 1.0;

/// Bodies for each one that has left its box up to which only the pairs of the latter are found anew; that
/// takes some 2 us for one, and a search for all pairs 300 ns a body.
pub const BODIES_PER_STRAY: usize = 8;

/// Bodies whose pairs with later ones are one thread's work at a time, with what is kept of them.
///
/// Some 300 pairs of boxes in a pile, 10 us of work at rest: few enough to be shared evenly among threads where there
/// are a thousand bodies.
pub const GROUP_BODIES: usize = 64;

/// Pairs from which on they are looked at by several threads.
///
/// 1,000 boxes in motion have 5,600, whose contacts took two threads 0.45 ms and one 0.75 ms.
pub const PARALLEL_PAIRS: usize = 2_048;

/// Most that the position solve of one substep corrects of a penetration, over the smallest dynamic body's
/// bounding radius; what is deeper is pushed apart by a velocity.
///
/// The position LCP has no friction and starts from nothing: with few sweeps, a deep overlap pushes whole
/// layers into the next ones. 1,000 boxes dropped (4 substeps of 2 and 1 sweeps) were at worst 1.0 of a
/// side inside each other with 0.05, and 0.3 to 0.4 with this.
pub const SUBSTEP_CORRECTION_PER_RADIUS: f64 = 2e-3;

/// Softness of the rows of joints by default, over their `J M^-1 J^T`.
///
/// A rope bridge hit by a crate, in steps of 1/30 and 1/60 s and 0 to 8 substeps: with 1e-5 and less, rows that
/// nearly depend on each other answer what they cannot agree on with forces of 1e8 N, and energy is gained; with
/// 1e-4 none is. In 8 substeps of 1/60 s a chain of 1,000 links gives way by 0.06 mm a joint.
pub const JOINT_SOFTNESS: f64 = 1e-4;

/// Share of a soft joint's error that one problem corrects, beyond what the turning of bodies leaves.
///
/// With 1, joints that contacts force apart push back harder than the sweeps have solved: of 1,000 random scenes
/// 3 gained 4 to 60 % of energy, with 0.2 none more than 3 %.
pub const JOINT_SOFT_GAMMA: f64 = 0.2;

/// Most of a joint's error that counts as made by the turning of its bodies in the last substep, over `h^2 |drift|`: they
/// make half of that.
///
/// Of 8,000 random scenes in 0 to 16 substeps of few sweeps, 3 gain more than 1 % of energy with this, and 6 with 1.
pub const JOINT_TURNING: f64 = 0.55;

/// Fastest correction of that error, over the smallest dynamic body's bounding radius `[1/s]`; of an angular
/// error in rad/s. It is a twentieth of a radius in a step of 1/60 s.
pub const JOINT_CORRECTION_RATE: f64 = 3.0;

/// Most by which a joint's geometric stiffness may exceed what a step resolves, and still be slowed to it.
pub const MAX_STIFFNESS_RATIO: f64 = 1e6;

/// Share of the bound of stability `(1 + eps)^m - 1` that soft contacts correct of a gap in m sweeps: the bound is
/// sharp; in a prototype with 4 sweeps a heavy cube on a light one moved for ever at 1.
///
/// Stacks, walls and mass ratios stand alike with 0.7 and 0.8, in 6 % fewer substeps with this; piles rest alike, and
/// their mean penetration is a seventh less.
pub const SOFT_SHARE: f64 = 0.8;

/// Ratio of the diagonal that sweeps of clusters divide by to that of the problem, of contacts on bodies with copies
/// in several clusters: at most 4.6 in a bed of 4,000 spheres.
pub const CLUSTER_SPLIT: f64 = 5.0;

/// Most that soft contacts correct of a gap in one problem, however many sweeps it has.
pub const MAX_SOFT_GAMMA: f64 = 0.7;

/// Softness eps of contacts.
///
/// 0.03 stands in the same towers in as many substeps; in a prototype piles of boxes kept an eighth of the energy with 0.1.
pub const CONTACT_SOFTNESS: f64 = 0.1;

/// Least substeps of a step that is divided by what the bodies do.
///
/// Piles rest with 4 as well; the mean penetration of 1,000 boxes of 1 m is 0.15 of Rapier's with 4 iterations with 6, and
/// 0.10 with this.
pub const MIN_SUBSTEPS: f64 = 12.0;

/// Most of them: a tower of 50 cubes of 5 cm asks for 194.
pub const MAX_SUBSTEPS: f64 = 256.0;

/// Most searches for contacts in a step.
pub const MAX_CONTACT_UPDATES: u32 = 16;

/// Share of steps at the cap from which on a run says so.
pub const CAPPED_SHARE_WORTH_A_WARNING: f64 = 0.1;

/// How far bodies may move past each other between two searches for contacts, over the smaller one's size.
pub const MOTION_PER_CONTACT_UPDATE: f64 = 0.5;

/// Least distance that counts between the middles of two bodies that overlap, over the smaller one's size.
pub const LEAST_REACH: f64 = 0.05;

/// How far a body may turn between two searches `[rad]`.
pub const TURN_PER_CONTACT_UPDATE: f64 = 0.25;

/// How far a body on a joint may turn in a substep `[rad]`.
///
/// A chain of links of 5 cm that whips about in steps of 1/30 s ends in infinities without, and gains 2.6 m g d with 0.25; with this it gains
/// 0.03, and a top of that size keeps its angle to 0.01 degrees instead of 2.4.
pub const TURN_PER_SUBSTEP: f64 = 0.1;

/// How far bodies may close in on each other in a substep, over the smaller one's size.
pub const MOTION_PER_SUBSTEP: f64 = 0.1;

/// Most substeps that impacts ask for.
pub const MAX_SUBSTEPS_FOR_IMPACTS: f64 = 64.0;

/// Sweeps of each substep of a step in which something bounces on several points at once.
///
/// A cube dropped flat by 1 m onto four corners with a restitution of 0.7 rises to 0.20, 0.52, 0.49, 0.4900 and 0.4900 m
/// with 1, 4, 8, 16 and this many, and then to 0.04, 0.13, 0.06, 0.2401 and 0.2401 m; 0.49 and 0.2401 are right.
pub const SWEEPS_OF_A_BOUNCE: u32 = 32;

/// How far a prescribed motion may be from a straight one between two searches, over the smallest body's radius.
pub const PRESCRIBED_BEND: f64 = 0.04;

/// How far a contact may sink in under what stands on it, over the smaller body's size.
///
/// The mean penetration of piles is a tenth of Rapier's with 4 iterations; substeps grow as one over its root.
pub const SAG: f64 = 0.001;

/// Safety of towers against buckling, over a fourth of the bound of equal cubes, 1.02.
///
/// Six cubes with the top one 100 times heavier need 0.9 to 2 (they fall in 32 substeps, and stand in 48), equal cubes 0.26.
pub const BUCKLING_FACTOR: f64 = 1.0;

/// Share of contacts that may sink in farther.
pub const CONTROL_QUANTILE: f64 = 0.05;

/// Steps for which loads stay as they were found.
pub const LOADS_LAST: u32 = 8;

/// How far the points of an interface are from its middle, over the smaller body's size, from which on it holds a
/// tower upright: 0.5 between cubes.
pub const TOWER_WIDTH: f64 = 0.2;

/// Time over which the impulses of a contact are its load, over `sqrt(d / g)`, d being the diameter of the smallest
/// dynamic body: a soft contact holds its load, and loses what an impact adds to it.
///
/// The centre of mass of a bed of 1,200 spheres shaken at three times g is 5.0 to 5.7 mm above its place in the mean with this,
/// in steps of 1/30 to 1/240 s, 4.7 to 5.2 mm with 0.6, and 5.3 mm by the papers' step, converged, in steps of 1/2400 s.
pub const LOAD_TIME: f64 = 0.4;

/// Most of a load that is held, over the weight of what carries it: what presses harder is wedged in.
pub const HELD_WEIGHTS: f64 = 300.0;

/// Penetration over d in which the springs of soft contacts hold any impulse at once: a cube under one of 1,000 times its mass
/// sinks in by 0.0042 d where a step of 1/30 s may not be divided further, and a box that falls on spheres of a 600th of its
/// mass is stopped.
pub const HELD_PER_SIZE: f64 = 0.003;

/// Speed at which soft contacts recover from a penetration at most, over `sqrt(g d)`, d being the diameter of the
/// smallest dynamic body.
///
/// A bed that is shaken rises by 5.8 to 6.0 mm with 0.03, and a large sphere comes up in it within 35 to 40 cycles with 0.005, 40
/// to 57 with this, 54 to 61 by the papers' step, converged.
pub const RECOVERY_SPEED: f64 = 0.015;

/// Gap up to which one body counts as resting on another, over the smaller one's size.
pub const TOUCHING_PER_SIZE: f64 = 0.02;

/// Share of a penetration beyond that which a substep's velocity LCP takes back.
///
/// Of 0.05, 0.1, 0.2 and 0.5 the boxes above came to rest soonest with 0.2; with 0.5 and one sweep they
/// exploded.
pub const SUBSTEP_PUSH: f64 = 0.2;

/// Deepest penetration that adds to this push, and to that of other schemes, over the same radius, in a step that
/// has one substep; with more of them the fastest push stays what it is there.
///
/// An overlap without a good way out is not to throw its bodies about. 1,000 boxes dropped, substeps of 1 and 1
/// sweeps, a margin of 1 % of a box: where the push was allowed to grow with the number of substeps, 1 box in 8,
/// none in 12 and 48 in 16 substeps were thrown out of their container; with this none are.
pub const SUBSTEP_PUSH_DEPTH_PER_RADIUS: f64 = 0.2;

/// Sweeps of a velocity problem: with soft contacts, many short substeps of one sweep are stiffer than few of
/// many.
pub const CONTACT_SWEEPS: u32 = 1;

/// Sweeps of a step with soft contacts whose substeps are given and whose sweeps are not, at least.
pub const SWEEPS_OF_A_STEP: u32 = 20;

/// Most that one position solve corrects, over the smallest dynamic body's bounding radius.
///
/// The position LCP is exact to first order in the displacement, and knows no friction. A pile of
/// 1,000 boxes, dropped, was pressed into itself by 0.65 of a side at a fifth of a radius, by 0.50 at
/// this value, by 0.42 at a fiftieth; a deeper overlap than this takes more steps.
pub const MAX_CORRECTION_PER_RADIUS: f64 = 0.05;

/// Most that one position solve turns a body `[rad]`; a solution that turns one farther is applied in
/// part, to all bodies.
///
/// A rotation by a moves a point at distance r off its tangent by `r a^2 / 2`: 3 % of r at this value.
pub const MAX_CORRECTION_ANGLE: f64 = 0.25;

/// Part of the largest violation that must be left as the largest residual after a position solve for
/// the constraints to be taken for contradictory. Two constraints that share a contradiction evenly
/// leave half of it.
pub const CONTRADICTION_RESIDUAL: f64 = 0.4;

/// Relative change of the largest violation from one position solve to the next below which it counts
/// as lasting: what is stuck hardly moves, and a collapsing pile, merely unconverged, does.
pub const CONTRADICTION_CHANGE: f64 = 0.01;

/// Error of a joint that the position pass leaves alone, over the smallest dynamic body's bounding
/// radius: what f64 positions some thousand radii from the origin can hold.
pub const POSITION_TOLERANCE_PER_RADIUS: f64 = 1e-12;

/// Square of half an angle up to which the series of cosine and sine are used `[rad^2]`: a quarter of a
/// radian, at which the first terms left out are `(1/16)^7 / 14!` and `(1/16)^7 / 15!`.
pub const MAX_SERIES_ANGLE_SQUARED: f64 = 1.0 / 16.0;

/// `1 / (2 k)!` for `k = 1 .. 6`, the coefficients of the cosine.
pub const INVERSE_EVEN_FACTORIALS: [f64; 6] = [
    1.0 / 2.0,
    1.0 / 24.0,
    1.0 / 720.0,
    1.0 / 40_320.0,
    1.0 / 3_628_800.0,
    1.0 / 479_001_600.0,
];

/// `1 / (2 k + 1)!` for `k = 1 .. 6`, those of the sine over its angle.
pub const INVERSE_ODD_FACTORIALS: [f64; 6] = [
    1.0 / 6.0,
    1.0 / 120.0,
    1.0 / 5_040.0,
    1.0 / 362_880.0,
    1.0 / 39_916_800.0,
    1.0 / 6_227_020_800.0,
];

/// Fixed-point iterations of the implicit midpoint of free rotation.
///
/// Each gains a factor `h w / 2`; three leave 1e-6 at `h w = 0.02`, below the scheme's own error.
pub const GYROSCOPIC_ITERATIONS: usize = 3;

/// Turn of a body in a step from which on its energy is bounded `[rad]`: half of that at which the iterations above
/// stop converging.
pub const FAR_TURN: f64 = 1.0;

/// Most that the energy of a body's rotation may grow by so far a turn, as a factor: what nutation changes for a while
/// is left alone.
pub const MAX_ENERGY_RATIO_OF_A_TURN: f64 = 1.01;

/// Friction and restitution of a material that states none: dry stone, and no bounce.
pub const DEFAULT_FRICTION: f64 = 0.5;

/// See [`DEFAULT_FRICTION`].
pub const DEFAULT_RESTITUTION: f64 = 0.0;

/// Most parts of a compound: contacts name a part by 16 bits.
pub const MAX_COMPOUND_PARTS: usize = 1 << 16;

/// Most bodies of a scene; more is taken for a slip of the pen.
///
/// A hundred times the largest benchmark, and still less than the 2^32 that an index can name.
pub const MAX_SCENE_BODIES: u64 = 100_000_000;

/// Most steps of a scene; more is taken for a slip of the pen: years of computing.
pub const MAX_SCENE_STEPS: u64 = 1_000_000_000_000;

/// Most substeps of a step in a scene; more is taken for a slip of the pen: the contacts of a step do not
/// last for as long.
pub const MAX_SCENE_SUBSTEPS: u32 = 10_000;

/// Most iterations of a solver in a scene; more is taken for a slip of the pen.
pub const MAX_SCENE_ITERATIONS: u32 = 10_000_000;

/// Places tried for one body of a random fill before its region counts as full.
///
/// Random placement of equal spheres stops near a packing of 0.38; at 0.30 a try succeeds about once
/// in a hundred.
pub const RANDOM_FILL_ATTEMPTS: u32 = 2_000;

/// Overlap that a fill forgives, over the size of the body: rounding of poses that touch exactly.
pub const FILL_OVERLAP_TOLERANCE: f64 = 1e-9;

/// Distance from 1 at which the length of a unit vector or quaternion in a world is a mistake, and
/// not rounding.
pub const UNIT_LENGTH_TOLERANCE: f64 = 1e-6;

/// The same for a quaternion in a scene file, which may be written with three digits.
pub const QUATERNION_LENGTH_TOLERANCE: f64 = 1e-3;

/// Asymmetry of an inertia, over its largest number, that is rounding and not a mistake.
pub const INERTIA_SYMMETRY_TOLERANCE: f64 = 1e-9;

/// Most names that a message about an unknown one lists: more would push the message off the screen.
pub const MAX_LISTED_NAMES: usize = 20;

/// Sine of the angle below which the two arms of a universal joint count as parallel, and a direction
/// that should cross another one as missing it: far above rounding, far below what anyone means.
pub const PARALLEL_ARMS_SINE: f64 = 1e-3;

/// Most bytes of one transfer from the GPU `[B]`; more would only hold memory without being faster.
pub const STAGING_BYTES: u64 = 64 << 20;

/// Bytes that are compared at a time to find out what an upload may leave out `[B]`: a page, so that a
/// copy command carries enough.
pub const UPLOAD_CHUNK_BYTES: usize = 4096;

/// Largest min-map residual of an LCP's solution, over `1 + max |q|`: far above the round-off of a
/// few hundred rows, far below anything that a picture or a measurement shows.
pub const LCP_TOLERANCE: f64 = 1e-9;

/// Singular values below this fraction of the largest count as zero: redundant joints and contacts
/// leave exact zeros up to round-off.
pub const LCP_RANK_TOLERANCE: f64 = 1e-11;

/// Covering vectors that Lemke's method tries before it gives up.
pub const LEMKE_SEEDS: u64 = 8;

/// Random complementary bases from which it starts again after that.
pub const LEMKE_RANDOM_BASES: u64 = 8;

/// Limit of pivots per row and try; contact problems take one to three.
pub const LEMKE_PIVOTS_PER_ROW: usize = 50;

/// Most rows of a problem that the dense reference accepts: a solve takes about a second
/// there, and its cost grows with the cube of the rows.
pub const REFERENCE_MAX_ROWS: usize = 600;

/// Most equality rows of joints that it accepts: they are eliminated by a pseudo-inverse, which takes
/// a few seconds there.
pub const REFERENCE_MAX_EQUALITIES: usize = 600;

/// Part of the terms of a joint row by which rows that repeat each other may disagree: some roundings
/// of the f32 numbers that they are made of. More is a contradiction.
pub const REFERENCE_CONTRADICTION: f64 = 1e-6;

/// Impulses of joint rows beyond which a bound is out of reach, in the unit of scaled rows: far above
/// what mass ratios of 1e4 amount to, and still with ten digits left for what is solved beside it.
pub const REFERENCE_FAR_BOUND: f64 = 1e6;

/// Sweeps of block Gauss–Seidel that are tried where pivoting finds nothing; those of 600 rows take
/// about a second.
pub const REFERENCE_SWEEPS: u32 = 2_000;

/// Part of its own diagonal that is added to an unsolvable contact problem: softens contacts by a
/// millionth, and makes contradictory ones share the contradiction.
pub const REFERENCE_SOFTENING: f64 = 1e-6;

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
pub const NSGS_LOCAL_ITERATIONS: u32 = 50;

/// Sweeps of the block Gauss–Seidel that must halve the residual; after as many that do not, a visit makes
/// one step. With 256 a recorded problem and some random crowds, which were slow but did get on, changed
/// too early.
pub const NSGS_PATIENCE: u32 = 1_024;

/// Change of a contact's impulse, over the impulse, at which its own problem counts as solved.
pub const NSGS_LOCAL_TOLERANCE: f64 = 1e-15;

/// Residual of the block Gauss–Seidel, over the largest relative velocity before the solve, that is
/// round-off: a few units in the last place of f64.
pub const NSGS_ROUND_OFF: f64 = 4e-16;

/// Eigenvalue of a joint's block, its rows scaled to a unit diagonal, over the largest one, below
/// which a direction counts as one that no impulse moves: f32 rows that should depend on each other do
/// so to the square of 6e-8.
pub const NSGS_RANK_TOLERANCE: f64 = 1e-12;

/// Sweeps that are combined by the acceleration of the block Gauss–Seidel.
pub const NSGS_ACCELERATION_DEPTH: usize = 8;

/// How far a recorded problem may be from rigid bodies to be taken for one, relative to what is
/// compared: recorded frames and levers carry seven digits.
pub const RIGID_FORM_TOLERANCE: f64 = 1e-5;

/// Most plain sweeps after an accelerated step was taken back; the first setback costs one, and each
/// further one twice as many as the one before. With 64 some random crowds never settled.
pub const NSGS_ACCELERATION_PAUSE: u32 = 512;

/// Part of its size at the first setback to which a sweep's change must shrink before setbacks count
/// as new ones.
pub const NSGS_ACCELERATION_GAIN: f64 = 0.1;

/// Pivot below which a joint's row counts as redundant in the direct start, its diagonal being 1.
///
/// Redundant rows of f32 leave pivots near the square of their round-off, 1e-14; a link between bodies
/// a million times heavier leaves 1e-6.
pub const DIRECT_PIVOT_TOLERANCE: f64 = 1e-11;

/// Damping of the direct start in the position pass, the diagonal being 1.
///
/// Errors of position need not agree where joints nearly depend on each other, nor with contacts, whose
/// impulses start from nothing there. Of a rope bridge with a crate on it, damping from 3e-4 to 1 left
/// joint errors of 0.2 to 0.6 mm at worst; without damping, or with 1e-4, they grew to 0.1 m; without a
/// direct start they were 2 mm. A hanging chain of 1,000 links is left with 3e-7 m.
pub const DIRECT_POSITION_DAMPING: f32 = 1e-2;

/// How much larger a later pivot must be to go first, as a fraction: equal rows keep their order.
pub const DIRECT_PIVOT_PREFERENCE: f64 = 1e-6;

/// Joints without bounds on one body above which the direct start splits it into copies: below,
/// eliminating all of them together costs less.
pub const DIRECT_HUB_JOINTS: usize = 8;

/// Joints on one copy of such a body.
pub const DIRECT_JOINTS_PER_COPY: usize = 4;

/// Most multiplications with an addition that the direct start spends on one component of joints: a
/// tenth of a second, or a net of a few thousand knots.
pub const DIRECT_MAX_PRODUCTS: u64 = 100_000_000;

/// Most iterations of all loops of one GPU invocation together.
///
/// Some software adapters silently end the loops of an invocation after this many.
pub const MAX_LOOP_ITERATIONS: u64 = 65_535;

/// Contacts times sweeps in one GPU submission.
///
/// A desktop's watchdog ends a submission after about 2 s; at 100 million contacts a second, a slow
/// GPU, this is 84 ms.
pub const SUBMIT_CONTACT_ITERATIONS: u64 = 1 << 23;

/// Dispatches in one GPU submission; at some microseconds each, about ten milliseconds.
pub const SUBMIT_DISPATCHES: u64 = 4096;

/// GPU submissions that are queued before the oldest is waited for.
pub const SUBMISSIONS_IN_FLIGHT: usize = 2;

/// Time after which a GPU that has not finished a submission counts as lost.
pub const DEVICE_TIMEOUT: Duration = Duration::from_secs(120);

/// Quantile of the bodies' highest points that is the surface of a bed unless a scene says
/// otherwise: below the few bodies that lie on top or are in flight.
pub const BED_QUANTILE: f64 = 0.95;

/// Thickness of a container's walls over its longest inner side, unless a scene gives it: so thick
/// that no body gets past the middle of a wall.
pub const WALL_THICKNESS_RATIO: f64 = 0.25;

/// Most bodies whose surfaces are drawn in a frame unless surfaces are asked for: beyond it a frame
/// of 80 triangles a body outweighs everything else that a run writes, and glyphs draw faster.
pub const MAX_SURFACE_FRAME_BODIES: usize = 300;

/// Cosine of the angle between the last step and the last change below which momentum of symmetric sweeps, of
/// clusters and of Jacobi passes starts anew.
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
