//! Broadphase, narrowphase, and vectors.

/// Sine of an angle, or part of a joint's length, below which a joint counts a direction as lost: far
/// above the rounding of unit vectors, 1e-16, and far below any error that is worth correcting.
pub(crate) const LOST_DIRECTION: f64 = 1e-9;

/// Angle `[rad]` by which the plane of a planar hinge may be off one of the world's and still be that:
/// above what rounding of poses leaves after many steps, and invisible.
pub(crate) const UPRIGHT_PLANE: f64 = 1e-9;

/// Most faces of a polyhedron: contacts name a face by 10 bits.
pub(crate) const MAX_POLYHEDRON_FACES: usize = 1 << 10;

/// Most vertices of a face of a polyhedron: contacts name a side by 6 bits.
pub(crate) const MAX_FACE_VERTICES: usize = 1 << 6;

/// How far beyond the plane of a face of a polyhedron a vertex may be and still count as in it, over the polyhedron's
/// extent: the triangles of a hull are flat to rounding, and files give their numbers to seven digits.
pub(crate) const FLAT_FACE: f64 = 1e-6;

/// How far the vertices of a polygon may be apart along its normal, over the extent of its solid: files with four digits.
pub(crate) const FLAT_POLYGON: f64 = 1e-3;

/// Most triangles of a mesh: 2^22, some 600 MB of what the search for contacts knows of them.
pub(crate) const MAX_MESH_TRIANGLES: usize = 1 << 22;

/// Least height of a triangle over its longest side: below it the normal is lost to rounding, and STL files give coordinates
/// to seven digits.
pub(crate) const MIN_TRIANGLE_HEIGHT: f64 = 1e-9;

/// Sine of the angle between two triangles of a mesh up to which they are one plane: above the rounding of files, and
/// below what a body that slides over the edge would feel.
pub(crate) const FLAT_SIDE: f64 = 1e-4;

/// Cosine of the angle between two triangles of a mesh below which an edge ends a smooth stretch: 30 degrees. A point keeps
/// its name, and its impulse, within a stretch.
pub(crate) const SMOOTH_PATCH: f64 = 0.866;

/// Cosine of the angle between normals up to which points on a mesh stand for one contact: 18 degrees. Triangles that face each other's
/// way by as much bear a body together.
pub(crate) const MESH_GROUP: f64 = 0.95;

/// Most contacts of a body and a mesh, in different directions, each of up to [`MAX_MANIFOLD_POINTS`] points.
pub(crate) const MAX_MESH_GROUPS: usize = 4;

/// Angle by which the cone of directions in which a triangle can be touched is widened `[rad]`: it is kept in single precision.
pub(crate) const FACING_ROUNDING: f64 = 1e-6;

/// Angle from its axis beyond which the cone of directions in which triangles can be touched holds all of them `[rad]`: 80 degrees. The surface is to
/// be a graph over a plane, and near a right angle nothing is left out by it.
pub(crate) const FACING_STEEPEST: f64 = 1.4;

/// Sine by which a direction may miss the ones in which an edge or corner of a mesh can be touched: rounding.
pub(crate) const MESH_DIRECTION: f64 = 1e-9;

/// Depth over a body's size up to which a point on a side or corner of a triangle of a mesh, which is as near to the triangles beyond, needs
/// no second look.
pub(crate) const SHALLOW_ON_MESH: f64 = 0.005;

/// Depth of a point below a triangle of a mesh, over its distance from the triangle's sides, up to which no triangle that begins at a side or beyond
/// is nearer: of two that meet in a right angle or more by far, of two that meet in less the second is no longer in question.
pub(crate) const SIDES_PER_DEPTH: f64 = 1.0 / 3.0;

/// How far beyond a side from which two triangles rise a point below one of them still counts as within it, over its depth: the sine of the largest
/// angle between triangles that bear a body together without a look at what is between them.
pub(crate) const VALLEY_ROOM: f64 = 0.2;

/// Difference in size of a solid of facets and the round one that it stands for, over the radius.
pub(crate) const FACET_ROOM: f64 = 0.01;

/// Share of its depth by which a point below a triangle of a mesh may be nearer to another one.
pub(crate) const NEARER_TRIANGLE: f64 = 0.02;

/// Most points of a manifold. Of a face on another, or on uneven ground, three bear a body at a time, and it leans over onto others, which are to be there by then:
/// with four in all, hundreds of 2,000 boxes on hills never came to rest, nor did piles of thin plates; with eight, ten of 360 heaps of plates of 10 to 24 sides
/// did not, with sixteen two.
pub(crate) const MAX_MANIFOLD_POINTS: usize = 16;

/// Points that span a flat patch: four carry any load on it.
pub(crate) const SPANNING_POINTS: usize = 4;

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
pub(crate) const AXIS_LOYALTY: f64 = 1e-3;

/// How far outside of a face a vertex still counts as above it, as a fraction of the face's smallest
/// half extent: vertices of aligned boxes stay vertices under the noise of a step. A gap beside the
/// face is underestimated by no more than that.
pub const CLIP_TOLERANCE: f64 = 1e-5;

/// Sine of the angle below which a segment and an edge or a face share a stretch rather than a point.
pub(crate) const PARALLEL_SINE: f64 = 0.1;

/// Sine of the angle up to which two lines that cross are near each other over a stretch with two ends, and not at a point: 30
/// degrees.
pub(crate) const CROSSING_LINES: f64 = 0.5;

/// Cosine of the angle up to which a face bears what is beside a round shape, and up to which two lines lie along each other: 11
/// degrees.
pub(crate) const TURNED_TOWARD: f64 = 0.98;

/// Cosine of the angle up to which a face, an edge or the side of a cylinder leans toward a face that bears it, so that all of
/// its points may come to touch within a step: 45 degrees.
pub(crate) const LEANS_TOWARD: f64 = 0.7;

/// Sine of a cylinder's tilt up to which the points on its rim above a plane stay where they are in its axes. With more tilt one of them is
/// the lowest of the rim, and they turn with it.
pub(crate) const UPRIGHT_RIM: f64 = 1e-4;

/// Cosine of the least angle along a rim above a plane between its lowest point and those to either side: 15 degrees, three times what a
/// cylinder turns between two searches, so that it rolls over them.
pub(crate) const NARROW_RIM: f64 = 0.966;

/// Corners that stand for the rim of a disk beside shapes that are no planes, at equal angles in its axes. Of 8 heaps of 20 discs 159 of the discs went on
/// moving with twelve points from where a disc leans, 123 with twelve corners in its axes, and 48 with these.
pub(crate) const RIM_CORNERS: usize = 24;

/// How much nearer than the corners on a face the nearest point of two bodies must be to go on as a contact, as a fraction of the smaller radius of a
/// ball inside; to become one, [`AXIS_PREFERENCE_ABSOLUTE`].
///
/// Without an interval it comes and goes with every sway. Of 1,920 discs in 96 heaps, with nearest points where faces lie on each other, too, 399 went on moving with
/// this, 449 with three times as much, and 499 with a hundredth, with which a tower of cylinders swayed.
pub(crate) const NEAREST_STAYS_ABOVE: f64 = 1e-5;

/// Sides of the prism or pyramid that stands for a cylinder or cone beside a mesh. One of its edges is where the round shape is
/// lowest above a triangle; at ridges and corners it is within it by up to 0.5 % of the radius.
pub(crate) const MESH_FACETS: usize = 32;

/// Most steps of the search for nearest points of two convex shapes, and for the way out of an overlap. Polyhedra take some
/// ten, round shapes up to 40.
pub(crate) const MAX_CONVEX_STEPS: usize = 128;

/// Relative error of a distance at which its search ends; the direction between the nearest points is then good to 1e-4. Each
/// digit takes four steps where both surfaces are round.
pub(crate) const CONVEX_ACCURACY: f64 = 1e-8;

/// Error of a depth over the extent of the shapes at which the polytope's search for it ends; nearest points refine it. Much
/// below it triangles between points of a round surface are too thin to have a normal.
pub(crate) const DEPTH_ACCURACY: f64 = 1e-6;

/// Most refinements of a way out: two or three are enough but where shapes overlap by as much as their size.
pub(crate) const MAX_REFINEMENTS: usize = 16;

/// Gap to which shapes that nearly touch or overlap are moved apart for that, over the sum of their inner radii: nearest
/// points of round shapes are found in the fewer steps the wider the gap is, and refine the more the narrower it is.
pub(crate) const REFINEMENT_GAP: f64 = 0.05;

/// Least gain of a refinement, over that gap, to be followed by another.
pub(crate) const REFINEMENT_ACCURACY: f64 = 1e-8;

/// Relative error of the distance of shapes within that gap, from which on it is refined.
pub(crate) const NEAR_ACCURACY: f64 = 0.01;

/// How much deeper a single point must be than the ends of the stretch to be kept beside them, as a
/// fraction of the shapes' size; the same for a point between boxes that lies on no face.
pub(crate) const DEEPER_BY: f64 = 1e-7;

/// Slope on a mesh below the points that two bodies stand on from which on another one counts beside them, if they touched before.
///
/// At less than 5e-4, towers of prisms of five sides and more swayed for ever when the corners of faces were chosen so, too: a sway of that much has other
/// corners in every step, and loads are lost with those that go. At 1e-3 and beyond all came to rest.
pub(crate) const MESH_SLOPE: f64 = 1e-3;

/// Separation up to which a corner that bore two bodies goes on to, as a fraction of the smaller bounding radius.
///
/// Without it corners that a plate leans on by turns come and go with every swing, and drive it: of 360 heaps of plates of 10 to 24 sides 17 rocked on for
/// ever with 0, and 10 with this or three times as much, of manifolds of up to eight points.
pub(crate) const STAYS_WITHIN: f64 = 1e-3;

/// Depth by which a corner between two others must lie below the line from one to the other to bear a face beside four corners, as
/// a fraction of the face's width.
///
/// At 1e-3 a plate that is loaded near such a corner leans onto it, is lifted, and leans again for ever, and at 3e-4 some do; with less, some heaps go on: corners
/// come and go with the sag of what they bear. The best of some 200 heaps, which scatter; no argument makes it this.
pub(crate) const BEARS_BELOW: f64 = 1e-4;

/// Fraction by which a point must be farther out than another one to take its place in a manifold:
/// symmetric contacts offer equals, and noise must not choose among them.
pub(crate) const MANIFOLD_TIE: f64 = 1e-3;

/// Distance below which a capsule's segment counts as touching a box, as a fraction of the box's
/// largest half extent: the direction between closer points is lost to rounding.
pub(crate) const CORE_CONTACT: f64 = 1e-9;

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
pub(crate) const KEPT_MOTION_AT_REST: f64 = 0.005;

/// The same for points on a round surface, which go elsewhere as a body rolls: a kept one lags by the motion.
pub(crate) const KEPT_MOTION_OF_ROUND: f64 = 1e-4;

/// How far two bodies may be from where their points were found in a part of a step for later parts as well, over the smaller one's bounding radius: before the
/// middle of these parts and after it.
///
/// Heaps of cylinders, cones and discs fall in 0.6 to 0.8 of the time that a search for every part takes, and are as deep in each other as then; with five times this
/// cones are 0.10 of a radius deep (0.03).
pub(crate) const KEPT_MOTION_WITHIN_STEP: f64 = 0.04;

/// The same over the smaller one's inner radius, for what is thin.
///
/// Plates a tenth as thick as wide are twice as deep in each other while they fall with 1.4.
pub(crate) const KEPT_MOTION_OF_THIN: f64 = 0.5;

/// Most steps of the search for the nearest point of a feature.
pub(crate) const MAX_POLISHING_STEPS: usize = 12;

/// Cosine between a feature and the direction to the nearest point at which it counts as a right angle.
pub(crate) const POLISHED_SLOPE: f64 = 1e-7;

/// Sine of the angle by which a direction may lean from across a cylinder for its side to be looked at before its rim.
pub(crate) const SIDEWAYS_SINE: f64 = 0.3;

/// Error of the separation that features of two shapes tell up to which the farthest points confirm it, over the smaller one's inner radius.
pub(crate) const POLISHING_ACCURACY: f64 = 1e-9;

/// Depth up to which the nearest way out of an overlap is the only one that features are looked at for, over that radius.
pub(crate) const POLISHING_DEPTH: f64 = 0.1;

/// Steps that bodies may go on at their speeds before their contact points are found anew, between the
/// two limits above.
pub(crate) const KEPT_STEPS: f64 = 4.0;

/// How far beyond the margin points are kept, over the margin: they come within it in later steps, and
/// the position pass asks for as much more as the bodies overlap.
pub(crate) const KEPT_REACH_PER_MARGIN: f64 = 0.5;

/// How far beyond its reach the triangles of a mesh around a sphere are looked for, over the radius: they serve until it has gone as far.
pub(crate) const SURROUNDINGS_PER_RADIUS: f64 = 0.2;

/// The same for a fast sphere: steps that it may go on at its speed.
pub(crate) const SURROUNDINGS_STEPS: f64 = 4.0;

/// Part of its radius by which a sphere is away from where its triangles were looked for, above which they are looked at from where it is now; the same part
/// of that way is the most that it may go meanwhile, or it would be at once as far again.
pub(crate) const SURROUNDINGS_SETTLED: f64 = 0.05;

/// Room to move in that a body's box has in the list of pairs, over the bounding radius.
///
/// A settled pile of 4,000 spheres has 16,600 pairs with it. A first guess: no other value was tried.
pub(crate) const SKIN_PER_RADIUS: f64 = 0.05;

/// The same for a fast body: steps that it may go on at its speed.
pub(crate) const SKIN_STEPS: f64 = 1.0;

/// Bodies for each one that has left its box up to which only the pairs of the latter are found anew; that
/// takes some 2 us for one, and a search for all pairs 300 ns a body.
pub(crate) const BODIES_PER_STRAY: usize = 8;

/// Bodies whose pairs with later ones are one thread's work at a time, with what is kept of them.
///
/// Some 300 pairs of boxes in a pile, 10 us of work at rest: few enough to be shared evenly among threads where there
/// are a thousand bodies.
pub(crate) const GROUP_BODIES: usize = 64;

/// Square of half an angle up to which the series of cosine and sine are used `[rad^2]`: a quarter of a
/// radian, at which the first terms left out are `(1/16)^7 / 14!` and `(1/16)^7 / 15!`.
pub(crate) const MAX_SERIES_ANGLE_SQUARED: f64 = 1.0 / 16.0;

/// Sine of half an angle below which rounding hides the axis of a rotation.
pub(crate) const LEAST_SINE: f64 = 1e-8;

/// `1 / (2 k)!` for `k = 1 .. 6`, the coefficients of the cosine.
pub(crate) const INVERSE_EVEN_FACTORIALS: [f64; 6] = [
    1.0 / 2.0,
    1.0 / 24.0,
    1.0 / 720.0,
    1.0 / 40_320.0,
    1.0 / 3_628_800.0,
    1.0 / 479_001_600.0,
];

/// `1 / (2 k + 1)!` for `k = 1 .. 6`, those of the sine over its angle.
pub(crate) const INVERSE_ODD_FACTORIALS: [f64; 6] = [
    1.0 / 6.0,
    1.0 / 120.0,
    1.0 / 5_040.0,
    1.0 / 362_880.0,
    1.0 / 39_916_800.0,
    1.0 / 6_227_020_800.0,
];
