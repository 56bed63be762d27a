//! Where two shapes touch.
//!
//! A pair's positions are taken relative to body A before anything else, and every contact comes
//! with its own separation: for face contacts the distance of the point from the face's plane, for
//! all others the distance of the closest points, or the depth along the shortest way out.

mod box_box;
mod box_capsule;
mod box_distance;
mod box_faces;
mod box_half_space;
mod capsule_capsule;
mod capsule_half_space;
mod compound;
mod contact_model;
mod convex;
mod direction;
mod envelope;
mod gathered;
mod manifold;
mod mesh;
mod mover;
mod placed;
mod polygon;
pub(super) mod polyhedron;
mod query;
mod segment;
mod sphere_box;
mod sphere_capsule;
mod sphere_half_space;
mod sphere_sphere;

use super::ContactPoint;
use crate::math::{Pose, Quat, Vec3};
use crate::parallel;
use crate::world::{Body, Polyhedron, Shape, Solid, World};
pub(super) use box_box::box_box;
pub use contact_model::ContactModel;
pub(in crate::collide) use convex::Nearness;
pub(crate) use convex::{Core, direction_between, separation_along};
use direction::direction;
pub(super) use manifold::{Manifold, Point};
pub(super) use mesh::{Near, Neighbour, contacts_of_sphere_and_mesh};
pub(super) use mover::{Kind, Mover};
use placed::{Part, Placed};
#[cfg(feature = "scene")]
pub(crate) use polyhedron::distance_from_solid;
use polyhedron::polyhedron_polyhedron;
pub(crate) use polyhedron::{Cuboid, separation_of_solids};
pub(super) use query::{Names, Query};
pub(super) use sphere_box::closest_on_box;

/// How far apart two surfaces may be and still give a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Separation that always counts `[m]`.
    pub margin: f64,
    /// Time over which speeds count as well `[s]`.
    pub time_step: f64,
    /// How long ago bodies were where their gaps count too, at most `time_step` `[s]`: points that part are contacts still.
    pub lead: f64,
    /// Points of boxes and polyhedra.
    pub model: ContactModel,
}

/// Pairs handled by one thread at a time; their contacts are joined in order.
const CHUNK: usize = 1024;

/// Chunks between two joins: the memory of their contacts is used again.
const WAVE: usize = 128;

/// Finds all contact points of the pairs with `separation <= margin + time_step * closing speed` or `<= margin + lead * opening speed`, at
/// most `MAX_MANIFOLD_POINTS` for two convex parts.
///
/// The closing speed along the normal is that of the two points, or that of one of them alone if
/// this is larger: a body that falls in step with the one below it meets it as soon as that one is
/// stopped.
///
/// For pairs in order, as the broadphase gives them, the contacts are sorted by pair and feature.
/// `contacts` is overwritten. Indices of bodies must exist.
pub fn find_contacts(
    world: &World,
    pairs: &[[u32; 2]],
    limits: Limits,
    contacts: &mut Vec<ContactPoint>,
) {
    contacts.clear();
    let mut movers = Vec::new();
    parallel::fill(&mut movers, world.bodies.len(), CHUNK, |body| {
        Mover::new(&world.bodies[body])
    });
    let mut found = vec![Vec::with_capacity(CHUNK); WAVE.min(pairs.len().div_ceil(CHUNK))];
    for wave in pairs.chunks(CHUNK * WAVE) {
        let count = wave.len().div_ceil(CHUNK);
        parallel::for_each(&mut found[..count], 1, |chunk, found| {
            found.clear();
            for pair in &wave[chunk * CHUNK..wave.len().min((chunk + 1) * CHUNK)] {
                contacts_of(world, &movers, *pair, limits, Names::default(), found);
            }
        });
        for chunk in &found[..count] {
            contacts.extend_from_slice(chunk);
        }
    }
}

/// The distance of two convex polyhedra or, negative, the shortest way apart of those that overlap `[m]`.
#[must_use]
pub fn separation((p, pose_p): (&Polyhedron, &Pose), (q, pose_q): (&Polyhedron, &Pose)) -> f64 {
    separation_of_solids((p.solid(), pose_p), (q.solid(), pose_q))
}

/// Appends the contacts of one pair, in order of their features; it may have touched before.
pub(super) fn contacts_of(
    world: &World,
    movers: &[Mover],
    pair: [u32; 2],
    limits: Limits,
    last_points: Names,
    found: &mut Vec<ContactPoint>,
) {
    let [mover_a, mover_b] = pair.map(|index| &movers[index as usize]);
    if mover_a.kind == Kind::Sphere && mover_b.kind == Kind::Sphere {
        found.extend(contact_of_spheres(pair, [mover_a, mover_b], limits));
        return;
    }
    let query = Query::new(mover_a, mover_b, limits).after(last_points);
    contacts_of_pair(world, pair, [mover_a, mover_b], &query, found);
}

/// Appends the contacts of two bodies of which one is no sphere, in order of their features. Returns
/// what is known of the distance of bodies without contacts: they are apart by at least as much `[m]`.
pub(super) fn contacts_of_pair(
    world: &World,
    pair: [u32; 2],
    movers: [&Mover; 2],
    query: &Query,
    found: &mut Vec<ContactPoint>,
) -> f64 {
    let first = found.len();
    let orientations = pair.map(|body| world.bodies[body as usize].pose.orientation);
    let placed = (movers, orientations);
    let apart = visit_manifolds(world, pair, placed, None, query, |_, parts, manifold| {
        append_contacts((pair, movers), parts, manifold, found);
    });
    sort_by_feature(&mut found[first..]);
    apart
}

/// Appends the contacts of two bodies, or of their parts of this name.
fn append_contacts(
    (pair, movers): ([u32; 2], [&Mover; 2]),
    parts: u32,
    manifold: &Manifold,
    found: &mut Vec<ContactPoint>,
) {
    found.extend(manifold.as_slice().iter().map(|point| ContactPoint {
        bodies: pair,
        feature: u64::from(parts) << 32 | u64::from(point.feature),
        position: movers[0].position + point.position,
        normal: point.normal,
        separation: point.separation,
    }));
}

fn sort_by_feature(contacts: &mut [ContactPoint]) {
    if contacts.len() > 1 {
        contacts.sort_unstable_by_key(|contact| contact.feature);
    }
}

/// The contact of two spheres: most pairs of a crowd are such, and need nothing more than what is at
/// hand. One point on the line of centres; along z if the centres coincide.
#[inline(always)]
pub(super) fn contact_of_spheres(
    pair: [u32; 2],
    [a, b]: [&Mover; 2],
    limits: Limits,
) -> Option<ContactPoint> {
    let apart = a.position - b.position;
    let radii = a.bounding_radius + b.bounding_radius;
    let reach = limits.margin + limits.time_step * (a.speed + b.speed);
    let near = (radii + reach) * (1.0 + 1e-12);
    let squared = apart.norm_squared();
    if squared > near * near {
        return None;
    }
    let (normal, distance) = direction(&apart).unwrap_or((Vec3::z(), 0.0));
    let separation = distance - radii;
    // Relative to A, as all contact points.
    let position = normal * (b.bounding_radius + 0.5 * separation) - apart;
    if separation > limits.margin
        && !Query::new(a, b, limits).admits(&position, &normal, separation)
    {
        return None;
    }
    Some(ContactPoint {
        bodies: pair,
        feature: 0,
        position: a.position + position,
        normal,
        separation,
    })
}

/// Visits the manifolds of two bodies, turned so, of which one is no sphere: of the two, or of every two of
/// their parts that may touch, with the shapes and the name of the parts. Where there are no parts, an axis that did
/// before, that of the feature `before`, is preferred. Returns what is known of the
/// distance of those that have no points: they are apart by at least as much `[m]`.
pub(super) fn visit_manifolds(
    world: &World,
    pair: [u32; 2],
    ([mover_a, mover_b], orientations): ([&Mover; 2], [Quat; 2]),
    before: Option<u32>,
    query: &Query,
    mut visit: impl FnMut([&Shape; 2], u32, &Manifold),
) -> f64 {
    let radii = mover_a.bounding_radius + mover_b.bounding_radius;
    let distance = query.offset.norm();
    if distance > (radii + query.reach) * (1.0 + 1e-12) {
        return distance - radii;
    }
    let [a, b] = pair.map(|index| &world.bodies[index as usize]);
    let placed_a = Placed {
        shape: &a.shape,
        position: Vec3::zeros(),
        orientation: orientations[0],
    };
    let placed_b = Placed {
        shape: &b.shape,
        position: query.offset,
        orientation: orientations[1],
    };
    let is_compound = |shape: &Shape| matches!(shape, Shape::Compound { .. });
    let is_mesh = |shape: &Shape| matches!(shape, Shape::Mesh(_));
    let mut manifold = Manifold::new();
    let mut visit_pair = |parts: u32, a: &Placed<'_>, b: &Placed<'_>, before: Option<u32>| {
        let shapes = [a.shape, b.shape];
        if shapes.into_iter().any(is_mesh) {
            return mesh::touch_mesh(a, b, query, |manifold| visit(shapes, parts, manifold));
        }
        manifold.clear();
        touch(a, b, before, query, &mut manifold);
        visit(shapes, parts, &manifold);
        manifold.apart()
    };
    if !is_compound(&a.shape) && !is_compound(&b.shape) {
        return visit_pair(0, &placed_a, &placed_b, before);
    }
    let mut apart = f64::INFINITY;
    let others = compound::part_pairs(&placed_a, &placed_b, query.reach, |parts, a, b| {
        apart = apart.min(visit_pair(parts, a, b, None));
    });
    apart.min(others)
}

/// Depth rho of the ratio metric of two bodies about their centres of mass, above 0 apart: of boxes, polyhedra, spheres and half-spaces; none of
/// other shapes, and where the centres coincide.
pub(crate) fn ratio_of_bodies(a: &Body, b: &Body) -> Option<f64> {
    if let Some([solid_a, solid_b]) = as_solids([&a.shape, &b.shape]) {
        let [pose_a, pose_b] = [&a.pose, &b.pose];
        return polyhedron::ratio::depth_of_solids(
            (solid_a.solid(), pose_a),
            (solid_b.solid(), pose_b),
        );
    }
    // The gap over the distance of the centres along its normal.
    let ratio = |gap: f64, distance: f64| (distance > 0.0).then(|| gap / distance);
    match (&a.shape, &b.shape) {
        (Shape::Sphere { radius: of_a }, Shape::Sphere { radius: of_b }) => {
            let distance = (a.pose.position - b.pose.position).norm();
            ratio(distance - of_a - of_b, distance)
        }
        (Shape::HalfSpace { .. }, Shape::HalfSpace { .. }) => None,
        (Shape::HalfSpace { normal, offset }, shape) => {
            let height = |at: &Vec3| normal.dot(&a.pose.inverse_point(at)) - offset;
            let center = height(&b.pose.position);
            match shape {
                Shape::Sphere { radius } => ratio(center - radius, center),
                Shape::Box { .. } | Shape::Polyhedron(_) => {
                    let [solid, _] = as_solids([shape, shape])?;
                    let heights = solid
                        .solid()
                        .vertices
                        .iter()
                        .map(|v| height(&b.pose.point(v)));
                    ratio(heights.fold(f64::INFINITY, f64::min), center)
                }
                _ => None,
            }
        }
        (_, Shape::HalfSpace { .. }) => ratio_of_bodies(b, a),
        _ => None,
    }
}

/// A box or a polyhedron.
#[allow(
    clippy::large_enum_variant,
    reason = "made for one pair at a time, on the stack"
)]
enum Faceted<'a> {
    Box(Cuboid),
    Polyhedron(&'a Polyhedron),
}

impl Faceted<'_> {
    fn solid(&self) -> Solid<'_> {
        match self {
            Self::Box(cuboid) => cuboid.solid(),
            Self::Polyhedron(solid) => solid.solid(),
        }
    }
}

/// How near two convex bodies are, relative to A, as far as velocities can bring them together; see [`convex::nearness`]. None of spheres, compounds, meshes, and
/// of what is unbounded.
pub(super) fn nearness(
    world: &World,
    pair: [u32; 2],
    query: &Query,
    before: Option<[Vec3; 2]>,
) -> Option<Nearness> {
    let placed = |index: u32, position: Vec3| {
        let body = &world.bodies[index as usize];
        Placed {
            shape: &body.shape,
            position,
            orientation: body.pose.orientation,
        }
    };
    let [a, b] = [
        placed(pair[0], Vec3::zeros()),
        placed(pair[1], query.offset),
    ];
    with_core(&a, |a| {
        with_core(&b, |b| convex::nearness(a, b, query, before))
    })??
}

/// Two shapes that both have faces; none if one has not.
fn as_solids(shapes: [&Shape; 2]) -> Option<[Faceted<'_>; 2]> {
    let [p, q] = shapes.map(|shape| match shape {
        Shape::Box { half_extents } => Some(Faceted::Box(Cuboid::new(half_extents))),
        Shape::Polyhedron(solid) => Some(Faceted::Polyhedron(solid)),
        _ => None,
    });
    Some([p?, q?])
}

/// Calls `with` for a shape known by its farthest points; spheres, half-spaces, compounds and meshes are not.
fn with_core<T>(placed: &Placed<'_>, with: impl FnOnce(&convex::Core<'_>) -> T) -> Option<T> {
    let (position, rotation) = (placed.position, placed.rotation());
    let core = match placed.part()? {
        Part::Box(_, half) => {
            let cuboid = Cuboid::new(half);
            let core = convex::Core::Solid((&position, &rotation, cuboid.solid()));
            return Some(with(&core));
        }
        Part::Polyhedron(_, solid) => convex::Core::Solid((&position, &rotation, solid)),
        Part::Capsule(_, length, radius) => convex::Core::Capsule {
            position,
            half: placed.axis() * length,
            radius,
        },
        Part::Round(_, frustum) => convex::Core::Frustum {
            position,
            rotation,
            frustum,
        },
        Part::Sphere(_) | Part::HalfSpace(..) => return None,
    };
    Some(with(&core))
}

/// The distance of two convex shapes of which one is a cylinder or a cone, minus the depth of those that overlap `[m]`; none
/// of a half-space, a compound, a mesh.
#[must_use]
pub fn separation_of_round(a: (&Shape, &Pose), b: (&Shape, &Pose)) -> Option<f64> {
    let [p, q] = [a, b].map(|(shape, pose)| Placed {
        shape,
        position: pose.position,
        orientation: pose.orientation,
    });
    for (ball, other) in [(&p, b), (&q, a)] {
        if let (Shape::Sphere { radius }, Some(frustum)) = (ball.shape, other.0.frustum()) {
            let local = other.1.inverse_point(&ball.position);
            return Some(frustum.nearest(&local).distance - radius);
        }
    }
    with_core(&p, |core_p| {
        with_core(&q, |core_q| convex::separation(core_p, core_q))
    })?
}

/// The contact points of two shapes that are no compounds and no meshes. Each kind of pair has one order; shapes
/// that come the other way round are swapped, and so is the sense of the normal.
fn touch(
    p: &Placed<'_>,
    q: &Placed<'_>,
    before: Option<u32>,
    query: &Query,
    manifold: &mut Manifold,
) {
    if let ContactModel::Events { near, lateral } = query.model
        && let Some([solid_p, solid_q]) = as_solids([p.shape, q.shape])
    {
        polyhedron::events::offer_events(
            (&p.position, &p.rotation(), solid_p.solid()),
            (&q.position, &q.rotation(), solid_q.solid()),
            (near, lateral),
            query,
            manifold,
        );
        return;
    }
    let (Some(part_p), Some(part_q)) = (p.part(), q.part()) else {
        // Parts of compounds are no compounds, and meshes are looked at elsewhere.
        return;
    };
    use Part::{Box, Capsule, HalfSpace, Polyhedron, Round, Sphere};
    match (part_p, part_q) {
        (Sphere(p), Sphere(q)) => sphere_sphere::sphere_sphere(p, q, query, manifold),
        (Sphere(p), Box(q, half)) => {
            let q = (&q.position, &q.rotation(), half);
            sphere_box::sphere_box(p, q, query, manifold);
        }
        (Sphere(p), Capsule(q, length, radius)) => {
            let q = (&q.position, &q.axis(), length, radius);
            sphere_capsule::sphere_capsule(p, q, query, manifold);
        }
        (Sphere(p), Polyhedron(q, solid)) => {
            let q = (&q.position, &q.rotation(), solid);
            polyhedron::sphere_polyhedron(p, q, query, manifold);
        }
        (Sphere(p), Round(q, frustum)) => {
            let q = (&q.position, &q.rotation(), &frustum);
            convex::sphere_frustum(p, q, query, manifold);
        }
        (Sphere(p), HalfSpace(q, normal, offset)) => {
            let q = q.plane(normal, offset);
            sphere_half_space::sphere_half_space(p, q, query, manifold);
        }
        (Box(p, half_p), Box(q, half_q)) => {
            let p = (&p.position, &p.rotation(), half_p);
            let q = (&q.position, &q.rotation(), half_q);
            box_box(p, q, before, query, manifold);
        }
        (Box(p, half), Capsule(q, length, radius)) => {
            let p = (&p.position, &p.rotation(), half);
            let q = (&q.position, &q.axis(), length, radius);
            box_capsule::box_capsule(p, q, query, manifold);
        }
        (Box(p, half), HalfSpace(q, normal, offset)) => {
            let p = (&p.position, &p.rotation(), half);
            box_half_space::box_half_space(p, q.plane(normal, offset), query, manifold);
        }
        (Capsule(p, length_p, radius_p), Capsule(q, length_q, radius_q)) => {
            let p = (&p.position, &p.axis(), length_p, radius_p);
            let q = (&q.position, &q.axis(), length_q, radius_q);
            capsule_capsule::capsule_capsule(p, q, query, manifold);
        }
        (Capsule(p, length, radius), HalfSpace(q, normal, offset)) => {
            let p = (&p.position, &(p.axis() * length), radius);
            let q = q.plane(normal, offset);
            capsule_half_space::capsule_half_space(p, q, query, manifold);
        }
        (Polyhedron(p, solid_p), Polyhedron(q, solid_q)) => {
            let p = (&p.position, &p.rotation(), solid_p);
            let q = (&q.position, &q.rotation(), solid_q);
            polyhedron_polyhedron(p, q, before, query, manifold);
        }
        (Box(p, half), Polyhedron(q, solid)) => {
            let cuboid = Cuboid::new(half);
            let p = (&p.position, &p.rotation(), cuboid.solid());
            let q = (&q.position, &q.rotation(), solid);
            polyhedron_polyhedron(p, q, before, query, manifold);
        }
        (Polyhedron(p, solid), Box(q, half)) => {
            let cuboid = Cuboid::new(half);
            let p = (&p.position, &p.rotation(), solid);
            let q = (&q.position, &q.rotation(), cuboid.solid());
            polyhedron_polyhedron(p, q, before, query, manifold);
        }
        (Capsule(p, length, radius), Polyhedron(q, solid)) => {
            let p = (&p.position, &p.axis(), length, radius);
            let q = (&q.position, &q.rotation(), solid);
            polyhedron::capsule_polyhedron(p, q, query, manifold);
        }
        (Polyhedron(p, solid), HalfSpace(q, normal, offset)) => {
            let p = (&p.position, &p.rotation(), solid);
            polyhedron::half_space_polyhedron(p, q.plane(normal, offset), query, manifold);
        }
        (Round(p, frustum), HalfSpace(q, normal, offset)) => {
            let p = (&p.position, &p.rotation(), &frustum);
            convex::frustum_half_space(p, q.plane(normal, offset), query, manifold);
        }
        (Round(..), Box(..) | Capsule(..) | Polyhedron(..) | Round(..))
        | (Box(..) | Capsule(..) | Polyhedron(..), Round(..)) => {
            with_core(p, |core_p| {
                with_core(q, |core_q| {
                    convex::convex_convex(core_p, core_q, before, query, manifold);
                });
            });
        }
        (Box(..) | Capsule(..) | Polyhedron(..) | Round(..), Sphere(_))
        | (Capsule(..), Box(..))
        | (Polyhedron(..), Capsule(..))
        | (HalfSpace(..), Sphere(_) | Box(..) | Capsule(..) | Polyhedron(..) | Round(..)) => {
            touch(q, p, None, &query.swapped(), manifold);
        }
        // Neither can move.
        (HalfSpace(..), HalfSpace(..)) => {}
    }
}
