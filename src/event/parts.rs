//! The convex parts of bodies: how far pairs of them are apart, and the contacts between those that touch.

use super::ball;
use super::contact::{Contact, Meeting};
use crate::collide::{
    Cuboid, Event, EventLimits, Features, events_of_solids, separation_of_solids,
};
use crate::error::{Error, Result};
use crate::math::{Aabb, Pose, Vec3};
use crate::world::{Body, Polyhedron, Shape, Solid, World};
use std::sync::Arc;

/// The geometry of a part.
enum Form {
    Sphere(f64),
    HalfSpace { normal: Vec3, offset: f64 },
    Cuboid(Box<Cuboid>),
    Polyhedron(Arc<Polyhedron>),
}

/// A convex part of a body.
struct Part {
    /// In the body's axes.
    pose: Pose,
    form: Form,
}

/// Pairs of bodies that may touch.
pub(super) struct Pairs {
    parts: Vec<Vec<Part>>,
    shapes: Vec<Shape>,
    pairs: Vec<[usize; 2]>,
    /// Of each pair, friction and restitution.
    materials: Vec<(f64, f64)>,
}

impl Form {
    fn solid(&self) -> Option<Solid<'_>> {
        match self {
            Self::Cuboid(cuboid) => Some(cuboid.solid()),
            Self::Polyhedron(solid) => Some(solid.solid()),
            _ => None,
        }
    }
}

impl Part {
    /// The parts of a shape.
    fn of(shape: &Shape, pose: Pose, parts: &mut Vec<Self>) -> std::result::Result<(), String> {
        let form = match shape {
            Shape::Sphere { radius } => Form::Sphere(*radius),
            Shape::HalfSpace { normal, offset } => Form::HalfSpace {
                normal: *normal,
                offset: *offset,
            },
            Shape::Box { half_extents } => Form::Cuboid(Box::new(Cuboid::new(half_extents))),
            Shape::Polyhedron(solid) => Form::Polyhedron(Arc::clone(solid)),
            Shape::Compound { parts: inner } => {
                for part in inner.iter() {
                    Self::of(&part.shape, pose.compose(&part.pose), parts)?;
                }
                return Ok(());
            }
            _ => {
                return Err(
                    "the event stepper knows spheres, boxes, polyhedra, half-spaces and compounds of them"
                        .into(),
                );
            }
        };
        parts.push(Self { pose, form });
        Ok(())
    }
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
        })
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
                let poses = [
                    bodies[a].pose.compose(&of_a.pose),
                    bodies[b].pose.compose(&of_b.pose),
                ];
                least = least.min(separation([&of_a.form, &of_b.form], poses.each_ref()));
            }
        }
        least
    }

    /// All contacts with a gap of at most `distance` `[m]`.
    pub(super) fn contacts(&self, bodies: &[Body], distance: f64) -> Vec<Contact> {
        let boxes = self.boxes(bodies);
        let mut found = Vec::new();
        for (&[a, b], &(friction, restitution)) in self.pairs.iter().zip(&self.materials) {
            if !boxes[a].grown(distance).overlaps(&boxes[b]) {
                continue;
            }
            for of_a in &self.parts[a] {
                for of_b in &self.parts[b] {
                    let mut push = |bodies: [usize; 2], meeting: Meeting| {
                        found.push(Contact {
                            bodies,
                            meeting,
                            friction,
                            restitution,
                        });
                    };
                    touch([a, b], [of_a, of_b], bodies, distance, &mut push);
                }
            }
        }
        found
    }
}

/// A body in messages.
pub(super) fn named(index: usize, body: &Body) -> String {
    match &body.name {
        Some(name) => format!("body {index} (`{name}`)"),
        None => format!("body {index}"),
    }
}

/// Distance of two parts in world axes `[m]`, negative for their depth.
fn separation(forms: [&Form; 2], poses: [&Pose; 2]) -> f64 {
    match forms {
        [Form::Sphere(a), Form::Sphere(b)] => {
            (poses[0].position - poses[1].position).norm() - a - b
        }
        [form, Form::HalfSpace { normal, offset }] => {
            above(form, poses[0], poses[1], normal, *offset)
        }
        [Form::HalfSpace { normal, offset }, form] => {
            above(form, poses[1], poses[0], normal, *offset)
        }
        [Form::Sphere(radius), form] => of_ball((poses[0], *radius), (form, poses[1])),
        [form, Form::Sphere(radius)] => of_ball((poses[1], *radius), (form, poses[0])),
        [a, b] => match (a.solid(), b.solid()) {
            (Some(a), Some(b)) => separation_of_solids((a, poses[0]), (b, poses[1])),
            _ => f64::INFINITY,
        },
    }
}

/// Distance of a sphere from a solid.
fn of_ball((ball, radius): (&Pose, f64), (form, pose): (&Form, &Pose)) -> f64 {
    form.solid().map_or(f64::INFINITY, |solid| {
        ball::distance(&solid, &pose.inverse_point(&ball.position)) - radius
    })
}

/// Height of a part above a half-space.
fn above(form: &Form, pose: &Pose, plane: &Pose, normal: &Vec3, offset: f64) -> f64 {
    let height = |at: &Vec3| normal.dot(&plane.inverse_point(at)) - offset;
    match form {
        Form::Sphere(radius) => height(&pose.position) - radius,
        Form::HalfSpace { .. } => f64::INFINITY,
        _ => form.solid().map_or(f64::INFINITY, |solid| {
            let heights = solid.vertices.iter().map(|v| height(&pose.point(v)));
            heights.fold(f64::INFINITY, f64::min)
        }),
    }
}

/// The contacts of two parts.
fn touch(
    of: [usize; 2],
    parts: [&Part; 2],
    bodies: &[Body],
    distance: f64,
    push: &mut dyn FnMut([usize; 2], Meeting),
) {
    let poses: [Pose; 2] = std::array::from_fn(|k| bodies[of[k]].pose.compose(&parts[k].pose));
    match [&parts[0].form, &parts[1].form] {
        [Form::Sphere(a), Form::Sphere(b)] => {
            let reach = a + b;
            if (poses[0].position - poses[1].position).norm() - reach <= distance {
                let points = [parts[0].pose.position, parts[1].pose.position];
                push(
                    of,
                    Meeting::Points {
                        points,
                        distance: reach,
                    },
                );
            }
        }
        [_, Form::HalfSpace { .. }] => on_plane(of, parts, bodies, distance, push),
        [Form::HalfSpace { .. }, _] => {
            on_plane([of[1], of[0]], [parts[1], parts[0]], bodies, distance, push);
        }
        [Form::Sphere(_), _] => ball_on_solid(of, parts, bodies, distance, push),
        [_, Form::Sphere(_)] => {
            ball_on_solid([of[1], of[0]], [parts[1], parts[0]], bodies, distance, push);
        }
        [a, b] => {
            if let (Some(a), Some(b)) = (a.solid(), b.solid()) {
                of_solids(of, parts, [a, b], poses.each_ref(), distance, push);
            }
        }
    }
}

/// The corners of the first part that are near the half-space that is the second.
fn on_plane(
    of: [usize; 2],
    parts: [&Part; 2],
    bodies: &[Body],
    distance: f64,
    push: &mut dyn FnMut([usize; 2], Meeting),
) {
    let Form::HalfSpace { normal, offset } = &parts[1].form else {
        return;
    };
    let normal = parts[1].pose.direction(normal);
    let offset = offset + normal.dot(&parts[1].pose.position);
    let mut corner = |local: &Vec3, radius: f64| {
        let corner = parts[0].pose.point(local);
        let at = bodies[of[1]]
            .pose
            .inverse_point(&bodies[of[0]].pose.point(&corner));
        if normal.dot(&at) - offset - radius <= distance {
            push(
                of,
                Meeting::CornerOnFace {
                    corner,
                    radius,
                    normal,
                    offset,
                },
            );
        }
    };
    match &parts[0].form {
        Form::Sphere(radius) => corner(&Vec3::zeros(), *radius),
        form => {
            if let Some(solid) = form.solid() {
                solid.vertices.iter().for_each(|vertex| corner(vertex, 0.0));
            }
        }
    }
}

/// The contact of the first part, a sphere, with the second, a solid.
fn ball_on_solid(
    of: [usize; 2],
    parts: [&Part; 2],
    bodies: &[Body],
    distance: f64,
    push: &mut dyn FnMut([usize; 2], Meeting),
) {
    let (Form::Sphere(radius), Some(solid)) = (&parts[0].form, parts[1].form.solid()) else {
        return;
    };
    let corner = parts[0].pose.position;
    let center = bodies[of[0]].pose.point(&corner);
    let pose = bodies[of[1]].pose.compose(&parts[1].pose);
    let center = pose.inverse_point(&center);
    if ball::distance(&solid, &center) - radius <= distance {
        let ball = (&center, corner, *radius);
        push(of, ball::meeting(ball, (&solid, &parts[1].pose)));
    }
}

/// The events of two solids.
fn of_solids(
    of: [usize; 2],
    parts: [&Part; 2],
    solids: [Solid<'_>; 2],
    poses: [&Pose; 2],
    distance: f64,
    push: &mut dyn FnMut([usize; 2], Meeting),
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
        let (order, meeting) = meeting(parts, solids, poses, event);
        push(order.map(|k| of[k]), meeting);
    }
}

/// An event's features in the axes of their bodies, A first.
fn meeting(
    parts: [&Part; 2],
    solids: [Solid<'_>; 2],
    poses: [&Pose; 2],
    event: &Event,
) -> ([usize; 2], Meeting) {
    let on_face = |of_corner: usize, corner: u32, face: u32| {
        let of_face = 1 - of_corner;
        let corner = parts[of_corner]
            .pose
            .point(&solids[of_corner].vertices[corner as usize]);
        let face = &solids[of_face].faces[face as usize];
        let normal = parts[of_face].pose.direction(&face.normal);
        let meeting = Meeting::CornerOnFace {
            corner,
            radius: 0.0,
            normal,
            offset: face.offset + normal.dot(&parts[of_face].pose.position),
        };
        ([of_corner, of_face], meeting)
    };
    match event.features {
        Features::CornerOfFirst { corner, face } => on_face(0, corner, face),
        Features::CornerOfSecond { corner, face } => on_face(1, corner, face),
        Features::Edges(edges) => {
            let ends: [[Vec3; 2]; 2] = std::array::from_fn(|k| {
                let edge = &solids[k].edges[edges[k] as usize];
                edge.vertices.map(|at| solids[k].vertices[at as usize])
            });
            let along: [Vec3; 2] = std::array::from_fn(|k| {
                parts[k]
                    .pose
                    .direction(&(ends[k][1] - ends[k][0]).normalize())
            });
            let product = poses[0]
                .direction(&(ends[0][1] - ends[0][0]))
                .cross(&poses[1].direction(&(ends[1][1] - ends[1][0])));
            let sign = if product.dot(&event.normal) < 0.0 {
                -1.0
            } else {
                1.0
            };
            let points = std::array::from_fn(|k| parts[k].pose.point(&ends[k][0]));
            (
                [0, 1],
                Meeting::Edges {
                    points,
                    along,
                    sign,
                },
            )
        }
    }
}
