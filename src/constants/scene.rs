//! Scene files, what a run writes, and the program.

/// Share of steps at the cap from which on a run says so.
pub const CAPPED_SHARE_WORTH_A_WARNING: f64 = 0.1;

/// Sweeps of a step with soft contacts whose substeps are given and whose sweeps are not, at least.
pub(crate) const SWEEPS_OF_A_STEP: u32 = 20;

/// Most points that a polyhedron of random points is the hull of.
pub(crate) const MAX_HULL_POINTS: usize = 512;

/// Most sides of a prism.
pub(crate) const MAX_PRISM_SIDES: u32 = 64;

/// Most sides of a surface of revolution: its facets are then within 1e-7 of the radius of the circle.
pub(crate) const MAX_REVOLUTION_SIDES: u32 = 1 << 12;

/// Sides of a surface of revolution unless a scene gives them: facets within 1.2e-3 of the radius of the circle.
pub(crate) const REVOLUTION_SIDES: u32 = 64;

/// Largest file of a mesh that is read `[bytes]`.
pub(crate) const MAX_MESH_BYTES: u64 = 1 << 28;

/// Most faces of a mesh that are read.
pub(crate) const MAX_MESH_FACES: usize = 1 << 22;

/// Most cells of a grid of fields: a frame of them is then over a gigabyte.
pub(crate) const MAX_FIELD_CELLS: f64 = 1e7;

/// Most cells from the middle of a field's kernel to its end: it is evaluated in each cell of a sphere.
pub(crate) const MAX_FIELD_WIDTH: f64 = 16.0;

/// Format of checkpoints. It grows with every change of what a state holds: there is no reading of older ones.
pub(crate) const CHECKPOINT_FORMAT: u32 = 8;

/// Checkpoints that a run keeps: should the newest be damaged, there are those before.
pub(crate) const CHECKPOINTS_KEPT: usize = 3;

/// Largest scene file that is read `[bytes]`: a thousand times one of 1,000 bodies, each written out.
pub(crate) const MAX_SCENE_BYTES: u64 = 1 << 28;

/// Most bodies of a scene; more is taken for a slip of the pen.
///
/// A hundred times the largest benchmark, and still less than the 2^32 that an index can name.
pub(crate) const MAX_SCENE_BODIES: u64 = 100_000_000;

/// Most steps of a scene; more is taken for a slip of the pen: years of computing.
pub(crate) const MAX_SCENE_STEPS: u64 = 1_000_000_000_000;

/// Most substeps of a step in a scene; more is taken for a slip of the pen: the contacts of a step do not
/// last for as long.
pub const MAX_SCENE_SUBSTEPS: u32 = 10_000;

/// Most iterations of a solver in a scene; more is taken for a slip of the pen.
pub(crate) const MAX_SCENE_ITERATIONS: u32 = 10_000_000;

/// Places tried for one body of a random fill before its region counts as full.
///
/// Random placement of equal spheres stops near a packing of 0.38; at 0.30 a try succeeds about once
/// in a hundred.
pub(crate) const RANDOM_FILL_ATTEMPTS: u32 = 2_000;

/// Places of a grid, one after the other, without room for a body, from which on a fill is given up: looking at them takes
/// seconds.
pub(crate) const FILL_TAKEN_PLACES: u64 = 10_000_000;

/// Overlap that a fill forgives, over the size of the body: rounding of poses that touch exactly.
pub(crate) const FILL_OVERLAP_TOLERANCE: f64 = 1e-9;

/// [`UNIT_LENGTH_TOLERANCE`](super::UNIT_LENGTH_TOLERANCE) of a quaternion in a scene file, which may be written with three digits.
pub(crate) const QUATERNION_LENGTH_TOLERANCE: f64 = 1e-3;

/// Most names that a message about an unknown one lists: more would push the message off the screen.
pub(crate) const MAX_LISTED_NAMES: usize = 20;

/// Sine of the angle below which the two arms of a universal joint count as parallel, and a direction
/// that should cross another one as missing it: far above rounding, far below what anyone means.
pub(crate) const PARALLEL_ARMS_SINE: f64 = 1e-3;

/// Quantile of the bodies' highest points that is the surface of a bed unless a scene says
/// otherwise: below the few bodies that lie on top or are in flight.
pub(crate) const BED_QUANTILE: f64 = 0.95;

/// Neighbours that hold a body in the bulk without friction, at least.
pub(crate) const BEARING_NEIGHBOURS: u32 = 4;

/// Thickness of a container's walls over its longest inner side, unless a scene gives it: so thick
/// that no body gets past the middle of a wall.
pub(crate) const WALL_THICKNESS_RATIO: f64 = 0.25;

/// Most bodies whose surfaces are drawn in a frame unless surfaces are asked for: beyond it a frame
/// of 80 triangles a body outweighs everything else that a run writes, and glyphs draw faster.
pub const MAX_SURFACE_FRAME_BODIES: usize = 300;

/// Largest coordinate and size in a scene `[m]`: further out f64 places bodies to a tenth of a micrometre and worse.
pub(crate) const MAX_SCENE_LENGTH: f64 = 1e9;

/// Largest component of any other vector in a scene, a force, a velocity: its square is still an f32.
pub(crate) const MAX_SCENE_COMPONENT: f64 = 1e15;

/// Largest ratio of the extents of a body that moves: of the moments of inertia of a longer needle, f32 holds the small
/// one to nothing beside the large one.
pub(crate) const MAX_EXTENT_RATIO: f64 = 1e6;
