//! The step, its substeps, and stabilization.

/// Most copies of bodies in a cluster: their velocities, 24 B each, and the sums of a workgroup fit the
/// 16 KiB of workgroup memory that every WebGPU adapter has.
pub const CLUSTER_COPIES: u32 = 512;

/// Cosine between the common perpendicular of two edges and the normal of a face above which two boxes that
/// overlap touch along the face; it is deeper by up to the inverse of this.
///
/// Of 20 piles of 200 dropped plates (5 cm to 1 m, 1/60 and 1/30 s) 14 still moved by more than 1e-2 of
/// `sqrt(g d)` after 10 s without it, as did 1 of 20 piles of 500 cubes; with this, 0.95, 0.9 or 0.8 none did, and
/// most were at rest to 1e-7 after one to five seconds.
pub const EDGES_ALONG_FACE: f64 = 0.98;

/// Fraction of `g h` below which an approach speed never bounces, as a factor: `2 g h`.
///
/// A body at rest gains `g h` in a step; with a lower threshold it would never settle.
pub(crate) const RESTITUTION_THRESHOLD_GH: f64 = 2.0;

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
pub(crate) const SLOP_PER_RADIUS: f64 = 1e-4;

/// Most that the position solve of one substep corrects of a penetration, over the smallest dynamic body's
/// bounding radius; what is deeper is pushed apart by a velocity.
///
/// The position LCP has no friction and starts from nothing: with few sweeps, a deep overlap pushes whole
/// layers into the next ones. 1,000 boxes dropped (4 substeps of 2 and 1 sweeps) were at worst 1.0 of a
/// side inside each other with 0.05, and 0.3 to 0.4 with this.
pub(crate) const SUBSTEP_CORRECTION_PER_RADIUS: f64 = 2e-3;

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
pub(crate) const JOINT_SOFT_GAMMA: f64 = 0.2;

/// Most of a joint's error that counts as made by the turning of its bodies in the last substep, over `h^2 |drift|`: they
/// make half of that.
///
/// Of 8,000 random scenes in 0 to 16 substeps of few sweeps, 3 gain more than 1 % of energy with this, and 6 with 1.
pub(crate) const JOINT_TURNING: f64 = 0.55;

/// Fastest correction of that error, over the bounding radius of the smaller body at the joint `[1/s]`; of an angular
/// error in rad/s. It is a twentieth of a radius in a step of 1/60 s.
pub(crate) const JOINT_CORRECTION_RATE: f64 = 3.0;

/// Share of a mechanism's kinetic energy that the work of its joints may come and go by.
///
/// A ball of 1,000 times the mass of each of the twelve links that it hangs from gains at most 0.3 % of its kinetic energy with this, in steps of 1/30 to 1/240 s and links of 5 cm to 20 m;
/// pendulums, tops and free dumbbells keep theirs.
pub(crate) const WORK_OF_JOINTS: f64 = 0.005;

/// Least share of a step by whose end the force of a spring is that of its elongation.
///
/// The share is `(h w)^2 / (1 + (h w)^2)`, w being the frequency of the spring's bodies by themselves: 0 keeps the energy of a swing, 1 is
/// stable whatever the stiffness, and this is with up to 23 such springs side by side, at `pi (h w)^3` of the amplitude in a swing. A row needs
/// some of it.
pub(crate) const LEAST_IMPLICIT: f64 = 1e-6;

/// Response of a position motor's row over its softness from which on it is solved at once with what has no bounds.
///
/// Sweeps that find it by its own bodies feed energy in: chains of three boxes on two motors from 3 on, of five on four from 1 on.
pub(crate) const STIFF_SPRING: f64 = 0.1;

/// Most by which a joint's geometric stiffness may exceed what a step resolves, and still be slowed to it.
pub(crate) const MAX_STIFFNESS_RATIO: f64 = 1e6;

/// Share of the bound of stability `(1 + eps)^m - 1` that soft contacts correct of a gap in m sweeps: the bound is
/// sharp; in a prototype with 4 sweeps a heavy cube on a light one moved for ever at 1.
///
/// Stacks, walls and mass ratios stand alike with 0.7 and 0.8, in 6 % fewer substeps with this; piles rest alike, and
/// their mean penetration is a seventh less.
pub(crate) const SOFT_SHARE: f64 = 0.8;

/// Ratio of the diagonal that sweeps of clusters divide by to that of the problem, of contacts on bodies with copies
/// in several clusters: at most 4.6 in a bed of 4,000 spheres.
pub(crate) const CLUSTER_SPLIT: f64 = 5.0;

/// Most that soft contacts correct of a gap in one problem, however many sweeps it has.
pub(crate) const MAX_SOFT_GAMMA: f64 = 0.7;

/// Softness eps of contacts.
///
/// 0.03 stands in the same towers in as many substeps; in a prototype piles of boxes kept an eighth of the energy with 0.1.
pub(crate) const CONTACT_SOFTNESS: f64 = 0.1;

/// Contacts of a pair of bodies from which on they share the stiffness of so many: what stands between two bodies is as stiff however many points it is
/// found by.
///
/// A sweep takes pairs one after the other, and what is stiff beside the softness of one contact grows from substep to substep: stacks of six cubes that touch in
/// 8 and 16 points by 1.0025 and without bound, and not at all where these share the stiffness of four; three tables on each other, 16 points a pair, never come to rest without.
pub const SHARED_STIFFNESS: f32 = 4.0;

/// Visits of a pair of bodies in a sweep over soft contacts: its contacts are taken one after the other, and again. The first and every second one after it take normal
/// rows, the others all rows by Coulomb's law.
///
/// A sweep that takes the points of a face once answers an impact on it with a spin, and stirs what rests on many of them. Boxes, plates,
/// discs, prisms and rods of 1 m that fall flat hop by 0.7 to 2.5 % of their fall with 1, and by less than 0.01 % with this, what is three times as tall as wide
/// by 2 and 0.05 %. Of 15 tables under 3 to 100 times their weight 3 rest with 1, and all with 2 to 4.
///
/// Friction that meets normal impulses which are not yet found turns what should stop: those before it find them, and those after it leave no
/// velocity along normals. With friction in the last visit (`NF`, `NNF`, `NFNF`) a cube on a plate shaken with three times g tumbles, in the first of four tall boxes hop by 0.8 %. With friction in one visit
/// (`NFNN`) aligned towers of eight plates 10 to 50 times as wide as thick slide to and fro at 0.001 to 0.003 of `sqrt(g L)` for ever; with this they rest, at 1.15 times the time of a step.
pub const PAIR_VISITS: u32 = 5;

/// Visits after which a pair whose velocities have hardly changed is left for the rest of a sweep: the first one to normal rows, and the first one to all.
pub const FIRST_VISITS: u32 = 2;

/// Change of a pair's velocities in its first visits up to which it is left, over what gravity adds to them in a substep.
///
/// All pairs of a wall at rest change by less, and nearly all of a heap of boxes at rest: a step of 1,830 cubes takes 0.73 of the time that it takes with all visits, one of 1,000 boxes 0.82. With half of
/// this the wall gains a twentieth; with ten and thirty times as much a heap that settles gains a twelfth, and single boxes of some heaps go on rocking. Measured by impulses (a share of 1e-4) most pairs of a heap were
/// never left, since impulses shift among the points of a face, and heaps of bodies of two sizes moved more.
pub(crate) const CALM_CHANGE_GH: f64 = 0.01;

/// Least substeps of a step that is divided by what the bodies do.
///
/// Piles rest with 4 as well; the mean penetration of 1,000 boxes of 1 m is 0.15 of Rapier's with 4 iterations with 6, and
/// 0.10 with this.
pub(crate) const MIN_SUBSTEPS: f64 = 12.0;

/// Substeps that a host is recommended, who does not have them follow from what stands on what.
///
/// In Bullet, 1,000 boxes and 1,000 hulls of 1 m dropped are 0.23 and 0.09 mm inside each other in the mean with 12, 0.12 and 0.05 mm with
/// this, 0.06 and 0.02 mm with 24, in 5 % more time each; a wall of 30 rows falls with 12, and stands with this.
pub(crate) const HOST_SUBSTEPS: u32 = 16;

/// Most of them in any world: a tower of 50 cubes of 5 cm asks for 194.
pub(crate) const MAX_SUBSTEPS: f64 = 256.0;

/// Most of them in a world of few contacts: a cube of 5 cm under one of 10,000 times its mass asks for 1,651 in a step of 1/30 s.
pub(crate) const MAX_SUBSTEPS_OF_FEW: f64 = 2048.0;

/// Substeps times contacts and joints up to which there may be more than [`MAX_SUBSTEPS`]; chosen, not measured.
pub(crate) const SUBSTEPS_TIMES_ROWS: f64 = 250_000.0;

/// Most searches for contacts in a step.
pub(crate) const MAX_CONTACT_UPDATES: u32 = 16;

/// How far bodies may move past each other between two searches for contacts, over the smaller one's size.
pub(crate) const MOTION_PER_CONTACT_UPDATE: f64 = 0.5;

/// Least distance that counts between the middles of two bodies that overlap, over the smaller one's size.
pub(crate) const LEAST_REACH: f64 = 0.05;

/// How far bodies that close in on each other are moved ahead into each other before a search for contacts, over the smaller one's size.
///
/// They are found about where they meet. With 0.25 some of a gas have passed each other halfway, and it cools in 1.29 of the time that kinetic theory says.
pub(crate) const CLOSING_HALFWAY: f64 = 0.02;

/// How far bodies that had no contact before are moved against each other before a search for contacts, over the smaller one's size, from which on they may have passed each other
/// and are looked for where they are first; chosen, not measured. The middle of a ball is on the other side of a thin plate from one half on.
pub(crate) const PASSING_HALFWAY: f64 = 0.25;

/// How far what hits a body may drive it within a part of a step before contacts are looked for once more with that, over its size. Found less far away it is stopped
/// by its springs. Chosen, not measured.
pub(crate) const DRIVEN_PER_SIZE: f64 = 0.25;

/// How far a position LCP may move a body within a part of a step before contacts are looked for once more with that, and looked for more often, over its size;
/// chosen, not measured.
pub(crate) const CORRECTED_PER_SIZE: f64 = 0.05;

/// How often an overlap that is corrected counts as motion of its bodies past each other. What is light and between two that are heavy is moved to and fro.
///
/// Of 80 crowds of 20 spheres, masses up to 60 times apart, 18 had one deeper than 0.2 d at some time if it does not count, and 9 with this.
pub(crate) const MOTION_PER_CORRECTION: f64 = 2.0;

/// A change of velocity by an impact over one that is known already, from which on it is passed on; chosen, not measured.
pub(crate) const DRIVEN_MORE: f64 = 1.1;

/// Most times that impacts are passed on between two searches, and most searches for that in a part; chosen, not measured.
pub(crate) const DRIVEN_ROUNDS: u32 = 8;

/// How far the surface of a body moves at most in half a part of a step that counts as at rest, over its size.
pub(crate) const AT_REST_HALFWAY: f64 = 1e-6;

/// How far a body may turn between two searches, but about an axis of revolution `[rad]`.
pub(crate) const TURN_PER_CONTACT_UPDATE: f64 = 0.25;

/// The same of a cylinder or a cone, whose one point of contact goes around its rim.
///
/// Piles of 400 at rest are 21 mm (long cylinders of 4 cm radius), 0.6 mm (flat ones) and 0.8 mm (cones) deep at most with the
/// limit above, and do not come to rest; with this 9, 0.3 and 0.4 mm, and cones rest at 1e-14 J, at twice the time while they move.
pub(crate) const TURN_OF_A_RIM: f64 = 0.05;

/// Phase of a swing of what hangs on a joint that a substep may stand for `[rad]`: `h sqrt(g / d)`, d being the diameter of the larger of its bodies.
///
/// Energy is that of velocities and places half a substep apart, and comes and goes by half of this share within a swing: a
/// rod of 5 cm on a hinge, in steps of 1/60 s, by 1.1 % with 0.0194, less than 1 % with this.
pub(crate) const SWING_PER_SUBSTEP: f64 = 0.016;

/// How far a body on a joint may turn in a substep `[rad]`.
///
/// A chain of links of 5 cm that whips about in steps of 1/30 s ends in infinities without, and gains 2.6 m g d with 0.25; with this it gains
/// 0.03, and a top of that size keeps its angle to 0.01 degrees instead of 2.4.
pub(crate) const TURN_PER_SUBSTEP: f64 = 0.1;

/// How far bodies may close in on each other in a substep, over the smaller one's size.
pub(crate) const MOTION_PER_SUBSTEP: f64 = 0.1;

/// Most substeps that impacts ask for, but for those of what is much heavier than what it hits.
pub(crate) const MAX_SUBSTEPS_FOR_IMPACTS: f64 = 64.0;

/// How many times as heavy a body may be as all that it hits, before impacts ask for more substeps than [`MOTION_PER_SUBSTEP`]; and how much masses may differ in a world that
/// is weighed only every [`LOADS_LAST`] steps, whatever has come to press.
///
/// Cubes of 5 cm to 1 m under 10 to 1,000 times their mass are pressed in by at most 0.11 of their size with this. With 4 spheres of 1 cm that are poured on by ones of five times their size run away.
pub(crate) const SQUEEZED_BY_RATIO: f64 = 2.0;

/// Bias of a contact that leaves its bodies to themselves for a substep: nothing approaches so fast `[m/s]`.
pub const FREE_APPROACH: f32 = 1e9;

/// By how much less than rigid contacts one gives way that overlaps and parts after a bounce: next to nothing, by which it is known after the substep. See
/// [`SubstepPlan::parts_overlapping`](crate::solver::substeps::SubstepPlan::parts_overlapping).
pub const PARTING_HARDNESS: f32 = 1e-6;

/// Approach after the forces of a substep up to which what touches, presses on nothing and may bounce is left alone in it, over the speed below which nothing
/// bounces.
///
/// A body that rests or begins to rest gains twice as much in a substep, and is held. A ball that meets a row of others that touch gives its speed to the last one; without, to all.
pub(crate) const CALM_APPROACH: f32 = 0.25;

/// Overlap up to which bodies that may bounce touch, over the size of the smallest that moves.
///
/// Much more than roundings make of a row that was built with its bodies side by side, and much less than weights press bodies into each other.
pub(crate) const OVERLAP_OF_TOUCHING: f64 = 1e-4;

/// Sweeps of each substep of a step in which something bounces on several points at once.
///
/// A cube dropped flat by 1 m onto four corners with a restitution of 0.7 rises to 0.20, 0.52, 0.49, 0.4900 and 0.4900 m
/// with 1, 4, 8, 16 and this many, and then to 0.04, 0.13, 0.06, 0.2401 and 0.2401 m; 0.49 and 0.2401 are right.
pub(crate) const SWEEPS_OF_A_BOUNCE: u32 = 32;

/// Sweeps of each substep of a step in which a body bounces on several others.
///
/// Of 518 elastic spheres of 5 cm in steps of 1/60 s a sweep loses 0.05 of the energy where three meet and gains 0.03 elsewhere; 8 and
/// 32 lose 0.013.
pub(crate) const SWEEPS_OF_BOUNCES: u32 = 8;

/// The same where what bounces has no friction and loses next to nothing.
///
/// 216 elastic spheres of 5 cm that fill 0.4 of a room and move by 0.23 of their size a step of 1/240 s keep 0.81 of their energy in five seconds with 8, 0.97 with this.
pub(crate) const SWEEPS_OF_ELASTIC_BOUNCES: u32 = 24;

/// Restitution above which there are so many.
pub(crate) const ELASTIC_RESTITUTION: f64 = 0.95;

/// Sweeps of each substep of a part in which bodies begin to lie on what nothing moves, and no load is known.
///
/// A pyramid of spheres of four layers that touch with a coefficient of friction of 0.7 stands with solves to convergence. It falls with one sweep and with 4, and
/// stands with 8 and more; with 0.65 it falls in any case.
pub(crate) const SWEEPS_OF_A_START: u32 = 16;

/// Most sweeps of each substep of a part in which a body is hit that touches another.
///
/// A ball that falls on one of its size that lies goes back with 0.13 of its speed with one sweep, 0.007 with 4, 0.008 with this; one of ten times its mass with
/// 0.23, 0.03 and 0.02.
pub(crate) const SWEEPS_OF_IMPACTS: u32 = 8;

/// Restitution above which there are so many, however many contacts there are.
///
/// A ball that hits a rack of 15 has up to 1.88 times its energy after one sweep a substep with 1, up to 1.15 times with 0.9, and never more than it had with 0.85 and less.
pub(crate) const SWEPT_RESTITUTION: f64 = 0.8;

/// Sweeps times contacts of such a part up to which there is more than one sweep.
///
/// 250 spheres that fall take 2.32 times as long with four times as many, in 12 substeps, 500 spheres 1.59.
pub(crate) const VISITS_OF_A_SUBSTEP: usize = 1_000;

/// The same times substeps: what is 100 to 1,000 times as heavy as cubes that it falls on presses them in by 0.104 of their size in the mean with one sweep, by 0.093 with
/// 20,000, 0.079 with 100,000, and 0.075 with this.
pub(crate) const VISITS_OF_IMPACTS: usize = 200_000;

/// Largest distance of a prescribed motion that is not smooth from a straight one between two searches, and of a turning point from its tangent, over the
/// smallest body's radius.
pub(crate) const PRESCRIBED_BEND: f64 = 0.04;

/// Largest distance of a smooth prescribed motion from one whose velocity grows evenly between two searches, over the same radius.
///
/// A ball of 5 cm on a plate shaken at 10 Hz and three times g is thrown to 12.35, 12.74 and 12.69 mm in steps of 1/30, 1/60 and 1/120 s for
/// 12.42; with 0.004 its throws take several cycles to settle.
pub(crate) const PRESCRIBED_ERROR: f64 = 0.0005;

/// How far a contact may sink in under what stands on it, over the smaller body's size.
///
/// The mean penetration of piles is a tenth of Rapier's with 4 iterations; substeps grow as one over its root.
pub(crate) const SAG: f64 = 0.001;

/// How far any contact may sink in under whatever presses on it, over the smaller body's size.
pub(crate) const SAG_OF_ALL: f64 = 0.01;

/// A contact may hold as much of what drives press with as their forces so many times: levers and wedges multiply them.
pub(crate) const LEVERAGE: f64 = 10.0;

/// Times of a fall by a body's size over which what it carries comes to last. With 2, 8 and 16 a crowd that sags comes to rest as deep.
pub(crate) const LASTING_FALLS: f64 = 4.0;

/// Most that lasts of what a contact carries, over the weight of all that moves: a pendulum let go from level carries three times its weight.
pub(crate) const LASTING_WEIGHTS: f64 = 3.0;

/// Most that a contact may carry of a push by a prescribed motion, over the weight of the lighter of its bodies: a row of twice as many is pushed where friction is half
/// of weight. What jams carries more, and is pressed in. Chosen: ten times all weights cost what jams up to 6 times the substeps.
pub(crate) const PUSHED_WEIGHTS: f64 = 50.0;

/// Acceleration of a prescribed motion over gravity up to which it may push what lies for some time; faster ones shake it. Chosen, not measured.
pub(crate) const STEADY: f64 = 0.5;

/// A contact that carried so many times what is known to press on it is pressed by something else; below it is taken for weights that lean on few of their supports.
/// Chosen, not measured.
pub(crate) const PRESSED_BEYOND: f64 = 4.0;

/// Safety of towers against buckling, over a fourth of the bound of equal cubes, 1.02.
///
/// Six cubes with the top one 100 times heavier need 0.9 to 2 (they fall in 32 substeps, and stand in 48), equal cubes 0.26.
pub(crate) const BUCKLING_FACTOR: f64 = 1.0;

/// Share of contacts that may sink in farther.
pub(crate) const CONTROL_QUANTILE: f64 = 0.05;

/// Steps for which loads stay as they were found.
pub(crate) const LOADS_LAST: u32 = 8;

/// How far the points of an interface are from its middle, over the smaller body's size, from which on it holds a
/// tower upright: 0.5 between cubes.
pub(crate) const TOWER_WIDTH: f64 = 0.2;

/// Time over which the impulses of a contact are its load, over `sqrt(d / g)`, d being the diameter of the smaller
/// body: a soft contact holds its load, and loses what an impact adds to it.
///
/// The longer it is, the longer the impact of a shaken bed on its floor: a prototype threw it by 3.9 mm in the mean with 0.4 and by 5.2 mm with
/// this, where converged steps throw it by 5.3 mm.
pub(crate) const LOAD_TIME: f64 = 0.2;

/// A drive that accelerates a body so many times as gravity would makes loads last as short as gravity does.
pub(crate) const DRIVE_PER_GRAVITY: f64 = 100.0;

/// Relative difference up to which bodies that are measured are of one size: equal ones that are turned differ by the rounding of
/// their inertias.
pub(crate) const SAME_SIZE: f64 = 1e-3;

/// Radius of a ball over its radius of gyration, the root of 5/2.
pub(crate) const RADIUS_PER_GYRATION: f64 = 1.581_138_830_084_19;

/// Most of a load that is held whatever it comes from, over the weight of what carries it: what presses harder is wedged in.
pub(crate) const HELD_WEIGHTS: f64 = 300.0;

/// Penetration over d in which the springs of soft contacts hold a load that is known: twice [`SAG_OF_ALL`].
pub(crate) const HELD_LOAD_PER_SIZE: f64 = 2.0 * SAG_OF_ALL;

/// Penetration over d in which the springs of soft contacts hold any impulse at once: a cube under one of 1,000 times its mass
/// sinks in by 0.0042 d where a step of 1/30 s may not be divided further, and a box that falls on spheres of a 600th of its
/// mass is stopped.
pub(crate) const HELD_PER_SIZE: f64 = 0.003;

/// Speed at which soft contacts recover from a penetration at most, over `sqrt(g d)`, d being the diameter of the
/// smaller body, where no position LCP does: in worlds with joints, and in plans that know nothing of gaps.
pub(crate) const RECOVERY_SPEED: f64 = 0.015;

/// The same where a position LCP takes back what is deeper: the speed of what the springs of contacts push apart by themselves.
///
/// What is pushed apart keeps the speed when nothing presses on it any more, and layers add theirs up: in a prototype, with twice this the upper
/// layers of a shaken bed flew too high and its nut took 58 to 73 cycles for 54, and with a third of that the upper one of two cubes, 1,000 times heavier, fell off.
pub(crate) const SPRING_SPEED: f64 = 0.0075;

/// Fastest correction of a penetration by position LCPs, over `sqrt(g d)`. Nothing gets a velocity by it.
///
/// A large sphere comes up in a shaken bed after 42 to 45 cycles with a tenth of this, 40 to 51 with a third, 47 to 56 with this (the prototype, 1/60 s) and
/// 54 in steps of 1/1920 s. In a prototype with rigid position rows and ten times this, frictionless spheres were pressed through each other.
pub(crate) const CORRECTION_SPEED: f64 = 1.5;

/// Gap up to which one body counts as resting on another, over the smaller one's size.
pub(crate) const TOUCHING_PER_SIZE: f64 = 0.02;

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
pub(crate) const CONTACT_SWEEPS: u32 = 1;

/// Most that one position solve corrects, over the smallest dynamic body's bounding radius.
///
/// The position LCP is exact to first order in the displacement, and knows no friction. A pile of
/// 1,000 boxes, dropped, was pressed into itself by 0.65 of a side at a fifth of a radius, by 0.50 at
/// this value, by 0.42 at a fiftieth; a deeper overlap than this takes more steps.
pub(crate) const MAX_CORRECTION_PER_RADIUS: f64 = 0.05;

/// Most that one position solve turns a body `[rad]`; a solution that turns one farther is applied in
/// part, to all bodies.
///
/// A rotation by a moves a point at distance r off its tangent by `r a^2 / 2`: 3 % of r at this value.
pub(crate) const MAX_CORRECTION_ANGLE: f64 = 0.25;

/// Part of the largest violation that must be left as the largest residual after a position solve for
/// the constraints to be taken for contradictory. Two constraints that share a contradiction evenly
/// leave half of it.
pub(crate) const CONTRADICTION_RESIDUAL: f64 = 0.4;

/// Relative change of the largest violation from one position solve to the next below which it counts
/// as lasting: what is stuck hardly moves, and a collapsing pile, merely unconverged, does.
pub(crate) const CONTRADICTION_CHANGE: f64 = 0.01;

/// Error of a joint that the position pass leaves alone, over the smallest dynamic body's bounding
/// radius: what f64 positions some thousand radii from the origin can hold.
pub(crate) const POSITION_TOLERANCE_PER_RADIUS: f64 = 1e-12;

/// Fixed-point iterations of the implicit midpoint of free rotation, where body axes are no principal axes.
///
/// Each gains a factor `h w / 2`; three leave 1e-6 at `h w = 0.02`, below the scheme's own error.
pub(crate) const GYROSCOPIC_ITERATIONS: usize = 3;

/// Error of the energy of a body that turns without torque, over that energy, which is left alone.
pub(crate) const ENERGY_ERROR_OF_A_TURN: f64 = 1e-9;

/// Corrections of where a turn ends, and how far they may take a body in all `[rad]`; chosen, not measured.
pub(crate) const TILTS_OF_A_TURN: u32 = 8;
/// See [`TILTS_OF_A_TURN`].
pub(crate) const MAX_TILT_OF_A_TURN: f64 = 0.1;

/// Turn of a body in a step from which on its energy is bounded `[rad]`: half of that at which the iterations above
/// stop converging.
pub(crate) const FAR_TURN: f64 = 1.0;

/// Most that the energy of a body's rotation may grow by so far a turn, as a factor: what nutation changes for a while
/// is left alone.
pub(crate) const MAX_ENERGY_RATIO_OF_A_TURN: f64 = 1.01;

/// Damping of the direct start in the position pass, the diagonal being 1.
///
/// Errors of position need not agree where joints nearly depend on each other, nor with contacts, whose
/// impulses start from nothing there. Of a rope bridge with a crate on it, damping from 3e-4 to 1 left
/// joint errors of 0.2 to 0.6 mm at worst; without damping, or with 1e-4, they grew to 0.1 m; without a
/// direct start they were 2 mm. A hanging chain of 1,000 links is left with 3e-7 m.
pub(crate) const DIRECT_POSITION_DAMPING: f32 = 1e-2;
