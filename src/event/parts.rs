//! How far pairs of bodies are apart, and the contacts between those that touch.

use super::contact::Contact;
use super::feature::Feature;
use super::form::Part;
use super::round::{PartPair, Rim, Touch};
use crate::collide::{Event, EventLimits, Features, events_of_solids, separation_of_solids};
use crate::error::{Error, Result};
use crate::math::{Aabb, Pose, Vec3};
use crate::world::{Body, Shape, Solid, World};

/// Pairs of bodies that may touch.
pub(super) struct Pairs {
    parts: Vec<Vec<Part>>,
    shapes: Vec<Shape>,
    pairs: Vec<[usize; 2]>,
    /// Of each pair, friction and restitution.
    materials: Vec<(f64, f64)>,
    /// Pairs that a joint keeps from touching.
    excluded: Vec<[u32; 2]>,
}

impl Pairs {
    /// The pairs of a world's bodies that may touch.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a shape that the event stepper has no contacts for.
    pub(super) fn new(world: &World) -> Result<Self> {
        let mut parts = Vec::with_capacity(world.bodies.len());
        for (index, body) in world.bodies.iter().enumerate() {
            let mut of_body = Vec::new();
            Part::of(&body.shape, Pose::identity(), &mut of_body)
                .map_err(|why| Error::invalid(named(index, body), why))?;
            parts.push(of_body);
        }
        let excluded = world.excluded_pairs();
        let mut pairs = Vec::new();
        let mut materials = Vec::new();
        for (b, other) in world.bodies.iter().enumerate() {
            for (a, body) in world.bodies[..b].iter().enumerate() {
                let moves = body.is_dynamic() || other.is_dynamic();
                if !moves
                    || !body.groups.allow(other.groups)
                    || excluded.contains(&[a as u32, b as u32])
                {
                    continue;
                }
                let [a_is, b_is] =
                    [body, other].map(|body| world.materials[body.material as usize]);
                let both = a_is.combine(&b_is);
                pairs.push([a, b]);
                materials.push((both.friction, both.restitution));
            }
        }
        Ok(Self {
            parts,
            shapes: world.bodies.iter().map(|body| body.shape.clone()).collect(),
            pairs,
            materials,
            excluded,
        })
    }

    /// False once a joint broke that kept its bodies from touching.
    pub(super) fn are_of(&self, world: &World) -> bool {
        self.excluded == world.excluded_pairs()
    }

    /// How far each pair is apart `[m]`, negative in each other; infinity where the boxes around the bodies, grown by
    /// `reach`, do not overlap. Shape `[pair_count]`.
    pub(super) fn separations(&self, bodies: &[Body], reach: f64) -> Vec<f64> {
        let boxes = self.boxes(bodies);
        let of = |pair: &[usize; 2]| self.separation(*pair, bodies, &boxes, reach);
        self.pairs.iter().map(of).collect()
    }

    /// The bodies of a pair.
    pub(super) fn pair(&self, index: usize) -> [usize; 2] {
        self.pairs[index]
    }

    /// The separation of one pair `[m]`.
    pub(super) fn separation_of(&self, index: usize, bodies: &[Body]) -> f64 {
        let [a, b] = self.pairs[index];
        self.separation_of_parts([a, b], bodies)
    }

    fn boxes(&self, bodies: &[Body]) -> Vec<Aabb> {
        let both = self.shapes.iter().zip(bodies);
        both.map(|(shape, body)| shape.aabb(&body.pose)).collect()
    }

    fn separation(&self, [a, b]: [usize; 2], bodies: &[Body], boxes: &[Aabb], reach: f64) -> f64 {
        if !boxes[a].grown(reach).overlaps(&boxes[b]) {
            return f64::INFINITY;
        }
        self.separation_of_parts([a, b], bodies)
    }

    fn separation_of_parts(&self, [a, b]: [usize; 2], bodies: &[Body]) -> f64 {
        let mut least = f64::INFINITY;
        for of_a in &self.parts[a] {
            for of_b in &self.parts[b] {
                let poses = [&bodies[a].pose, &bodies[b].pose];
                least = least.min(separation([of_a, of_b], poses));
            }
        }
        least
    }

    /// Parts of bodies whose boxes, grown by a distance, overlap `[m]`.
    fn near(&self, bodies: &[Body], distance: f64) -> Vec<Near<'_>> {
        let boxes = self.boxes(bodies);
        let mut found = Vec::new();
        for (&[a, b], &(friction, restitution)) in self.pairs.iter().zip(&self.materials) {
            if !boxes[a].grown(distance).overlaps(&boxes[b]) {
                continue;
            }
            for of_a in &self.parts[a] {
                for of_b in &self.parts[b] {
                    found.push(Near {
                        bodies: [a, b],
                        parts: [of_a, of_b],
                        friction,
                        restitution,
                    });
                }
            }
        }
        found
    }

    /// Rims that lie flat on faces, all around within `distance` `[m]`.
    pub(super) fn rims(&self, bodies: &[Body], distance: f64) -> Vec<FlatRim<'_>> {
        let mut found = Vec::new();
        for near in self.near(bodies, distance) {
            if !near.parts.iter().any(|part| part.has_rims()) {
                continue;
            }
            let [a, b] = near.bodies;
            let poses = [&bodies[a].pose, &bodies[b].pose];
            for rim in PartPair::new(near.parts, poses).rims(distance) {
                found.push(FlatRim {
                    bodies: if rim.is_swapped { [b, a] } else { [a, b] },
                    rim,
                    friction: near.friction,
                    restitution: near.restitution,
                });
            }
        }
        found
    }

    /// All contacts with a gap of at most `distance` `[m]`.
    pub(super) fn contacts(&self, bodies: &[Body], distance: f64) -> Vec<Contact> {
        let mut found = Vec::new();
        for near in self.near(bodies, distance) {
            let mut push = |of: [usize; 2], touch: Touch| {
                found.push(Contact {
                    bodies: of,
                    features: touch.features,
                    near: touch.near,
                    toward: touch.toward,
                    friction: near.friction,
                    restitution: near.restitution,
                });
            };
            let poses = near.bodies.map(|body| &bodies[body].pose);
            touch(near.bodies, near.parts, poses, distance, &mut push);
        }
        found
    }
}

/// Parts of two bodies that may touch.
struct Near<'a> {
    bodies: [usize; 2],
    parts: [&'a Part; 2],
    friction: f64,
    restitution: f64,
}

/// A rim that lies flat on a face, and the contact that a point of it is.
pub(super) struct FlatRim<'a> {
    pub(super) rim: Rim<'a>,
    bodies: [usize; 2],
    friction: f64,
    restitution: f64,
}

impl FlatRim<'_> {
    /// The contact at an angle.
    pub(super) fn contact(&self, angle: f64) -> Contact {
        Contact {
            bodies: self.bodies,
            features: [self.rim.point(angle), self.rim.face.feature],
            near: Vec3::zeros(),
            toward: Vec3::z(),
            friction: self.friction,
            restitution: self.restitution,
        }
    }
}

/// A body in messages.
pub(super) fn named(index: usize, body: &Body) -> String {
    match &body.name {
        Some(name) => format!("body {index} (`{name}`)"),
        None => format!("body {index}"),
    }
}

/// Distance of two parts `[m]`, negative for their depth.
fn separation(parts: [&Part; 2], bodies: [&Pose; 2]) -> f64 {
    match parts.map(|part| part.form.solid()) {
        [Some(a), Some(b)] => {
            let poses: [Pose; 2] = std::array::from_fn(|k| bodies[k].compose(&parts[k].pose));
            separation_of_solids((a, &poses[0]), (b, &poses[1]))
        }
        _ => PartPair::new(parts, bodies).separation(),
    }
}

/// The contacts of two parts.
fn touch(
    of: [usize; 2],
    parts: [&Part; 2],
    bodies: [&Pose; 2],
    distance: f64,
    push: &mut dyn FnMut([usize; 2], Touch),
) {
    match parts.map(|part| part.form.solid()) {
        [Some(a), Some(b)] => {
            let poses: [Pose; 2] = std::array::from_fn(|k| bodies[k].compose(&parts[k].pose));
            of_solids(of, parts, [a, b], poses.each_ref(), distance, push);
        }
        _ => {
            for touch in PartPair::new(parts, bodies).touching(distance) {
                let order = if touch.is_swapped { [of[1], of[0]] } else { of };
                push(order, touch);
            }
        }
    }
}

/// The events of two solids.
fn of_solids(
    of: [usize; 2],
    parts: [&Part; 2],
    solids: [Solid<'_>; 2],
    poses: [&Pose; 2],
    distance: f64,
    push: &mut dyn FnMut([usize; 2], Touch),
) {
    let rotations = poses.map(|pose| *pose.orientation.to_rotation_matrix().matrix());
    let [p, q] = std::array::from_fn(|k| (&poses[k].position, &rotations[k], solids[k]));
    let between = (poses[1].point(&solids[1].center) - poses[0].point(&solids[0].center)).norm();
    // Gaps over the distance of the centres are components of the ratio metric, but for the angle of the normal to it.
    let near = 4.0 * distance / between.max(distance);
    let limits = EventLimits {
        active: near,
        near,
        lateral: distance,
        merge: 4.0 * distance,
    };
    let found = events_of_solids(p, q, &limits).unwrap_or_default();
    let least = found
        .iter()
        .map(|event| event.gap)
        .fold(f64::INFINITY, f64::min);
    // Solids that overlap from the start have all those that are as deep.
    let farthest = distance.max(least + distance);
    for event in found.iter().filter(|event| event.gap <= farthest) {
        let touch = touch_of(parts, solids, poses, event);
        push(if touch.is_swapped { [of[1], of[0]] } else { of }, touch);
    }
}

/// An event's features in the axes of their bodies, the corner first.
fn touch_of(parts: [&Part; 2], solids: [Solid<'_>; 2], poses: [&Pose; 2], event: &Event) -> Touch {
    // In the axes of a part's body.
    let local = |k: usize, point: &Vec3| parts[k].pose.point(&poses[k].inverse_point(point));
    let toward = |k: usize, sign: f64| {
        let normal = poses[k].inverse_direction(&event.normal) * sign;
        parts[k].pose.direction(&normal)
    };
    let on_face = |of_corner: usize, corner: u32, face: u32| {
        let of_face = 1 - of_corner;
        let face = &solids[of_face].faces[face as usize];
        let plane = Feature::Plane {
            normal: face.normal,
            offset: face.offset,
        };
        let corner = Feature::Point {
            at: solids[of_corner].vertices[corner as usize],
            radius: 0.0,
        };
        Touch {
            is_swapped: of_corner == 1,
            features: [
                corner.placed(&parts[of_corner].pose),
                plane.placed(&parts[of_face].pose),
            ],
            near: local(of_face, &event.point),
            toward: toward(of_face, if of_corner == 0 { 1.0 } else { -1.0 }),
        }
    };
    match event.features {
        Features::CornerOfFirst { corner, face } => on_face(0, corner, face),
        Features::CornerOfSecond { corner, face } => on_face(1, corner, face),
        Features::Edges(edges) => Touch {
            is_swapped: false,
            features: std::array::from_fn(|k| {
                let edge = &solids[k].edges[edges[k] as usize];
                let [from, to] = edge.vertices.map(|at| solids[k].vertices[at as usize]);
                let line = Feature::Line {
                    at: from,
                    along: (to - from).normalize(),
                    radius: 0.0,
                    taper: 0.0,
                };
                line.placed(&parts[k].pose)
            }),
            near: local(1, &event.point),
            toward: toward(1, 1.0),
        },
    }
}
