//! Instances of templates, and chains: bodies and joints that the file writes once.

use super::body::{body, dynamic, groups, shape};
use super::build::Builder;
use super::generate::{Stream, any_rotation};
use super::joint::{Ends, joint, orientation, perpendicular};
use super::place::Place;
use super::schema::{self, Chain, ChainJointType, Instance, JointType, Pin, SceneFile, Template};
use super::vectors::{pose, vector};
use crate::constants::PARALLEL_ARMS_SINE;
use crate::error::{Error, Result};
use crate::math::{Pose, Quat, Vec3};
use crate::measure::Axis;
use crate::world::{Body, Keyframe, Motion};
use rand::RngExt;
use std::collections::HashMap;

/// Number of copies of an instance.
pub(super) fn copies(instance: &Instance) -> u64 {
    instance.count.map_or(1, |count| {
        count.iter().fold(1, |all, n| all.saturating_mul(*n))
    })
}

/// First part of the names of a copy.
pub(super) fn copy_name(instance: &Instance, copy: u64) -> String {
    let prefix = instance.name.as_ref().unwrap_or(&instance.template);
    match instance.count {
        Some(_) => format!("{prefix}.{copy}"),
        None => prefix.clone(),
    }
}

impl Builder {
    /// Makes the chains of a file.
    ///
    /// # Errors
    /// [`Error::Scene`] for a mass that does not fit single precision, or a chain without a length.
    pub(super) fn chains(&mut self, file: &SceneFile, root: &Place<'_>) -> Result<()> {
        for (index, chain) in file.chains.iter().enumerate() {
            self.chain(chain, &root.key("chain").at(index))?;
        }
        Ok(())
    }

    fn chain(&mut self, chain: &Chain, place: &Place<'_>) -> Result<()> {
        let run = Run::new(chain, &self.world.gravity, place)?;
        let shape = shape(&chain.shape)?;
        let material = self.material(&chain.material)?;
        let first = self.world.bodies.len() as u32;
        for link in 0..chain.count {
            let pose = run.link(link, chain.along);
            let mass = (chain.density, chain.mass, chain.inertia.as_ref());
            let body = dynamic(shape.clone(), pose, mass, place)?;
            let body = Body {
                groups: groups(&chain.groups),
                ..body.of_material(material)
            };
            self.add(Some(&format!("{}.{link}", chain.name)), body)?;
        }
        let last = self.world.bodies.len() as u32;
        self.named.insert(chain.name.clone(), first..last);

        let place = place.key("joint");
        let mut hold = |name: String, a: u32, b: Option<u32>, at: [f64; 2], world: Option<Vec3>| {
            let given = chain_joint(chain, &run, at, world);
            let made = joint(
                &self.world,
                &given,
                Ends { a, b },
                &Pose::identity(),
                &place,
            )?;
            self.world.joints.push(crate::world::Joint {
                name: Some(name.into()),
                ..made
            });
            Ok::<(), Error>(())
        };
        let half = 0.5 * run.pitch;
        let pinned = |end: Pin| chain.pin == end || chain.pin == Pin::Both;
        if pinned(Pin::First) {
            let name = format!("{}.first", chain.name);
            hold(name, first, None, [-half, 0.0], Some(run.point(0)))?;
        }
        for link in 1..chain.count as u32 {
            let (a, b) = (first + link - 1, first + link);
            hold(
                format!("{}.{}", chain.name, link - 1),
                a,
                Some(b),
                [half, -half],
                None,
            )?;
        }
        if pinned(Pin::Last) {
            let name = format!("{}.last", chain.name);
            hold(
                name,
                last - 1,
                None,
                [half, 0.0],
                Some(run.point(chain.count)),
            )?;
        }
        Ok(())
    }

    /// Makes the instances of a file.
    ///
    /// # Errors
    /// [`Error::Scene`] for a mass that does not fit single precision, or a joint between bodies that
    /// cannot move.
    pub(super) fn instances(
        &mut self,
        file: &SceneFile,
        seed: u64,
        root: &Place<'_>,
    ) -> Result<()> {
        for (index, instance) in file.instances.iter().enumerate() {
            let named = |template: &Template| template.name == instance.template;
            let Some(at) = file.templates.iter().position(named) else {
                let why = format!("there is none named `{}`", instance.template);
                return Err(Error::invalid("template", why));
            };
            let place = root.key("template").at(at);
            let stream = Stream::of_instance(seed, instance.seed.unwrap_or(index as u64));
            self.instance(&file.templates[at], instance, stream, &place)?;
        }
        Ok(())
    }

    fn instance(
        &mut self,
        template: &Template,
        instance: &Instance,
        stream: Stream,
        place: &Place<'_>,
    ) -> Result<()> {
        let mut bodies = Vec::with_capacity(template.bodies.len());
        let mut known = HashMap::new();
        for (index, given) in template.bodies.iter().enumerate() {
            let body = body(given, &place.key("body").at(index))?;
            bodies.push((
                given.name.as_deref(),
                body.of_material(self.material(&given.material)?),
            ));
            if let Some(name) = &given.name {
                known.insert(name.as_str(), index as u32);
            }
        }
        let find = |name: &String| {
            let why = || format!("there is none named `{name}`");
            let index = known.get(name.as_str()).copied();
            index.ok_or_else(|| Error::invalid("body", why()))
        };
        let ends = template
            .joints
            .iter()
            .map(|given| Ok((find(&given.a)?, given.b.as_ref().map(find).transpose()?)))
            .collect::<Result<Vec<_>>>()?;

        let start = pose(&instance.position, &instance.rotation);
        let count = instance.count.unwrap_or([1; 3]);
        let spacing = vector(&instance.spacing.unwrap_or_default());
        let mut random = stream.start();
        let begin = self.world.bodies.len() as u32;
        for copy in 0..copies(instance) {
            let [nx, ny, _] = count;
            let cell = [copy % nx, copy / nx % ny, copy / nx / ny].map(|k| k as f64);
            let off = Vec3::from_fn(|_, _| instance.jitter * (2.0 * random.random::<f64>() - 1.0));
            let turn = if instance.random_rotation {
                any_rotation(&mut random)
            } else {
                Quat::identity()
            };
            let frame = Pose::new(
                start.position + spacing.component_mul(&Vec3::from(cell)) + off,
                turn * start.orientation,
            );
            let prefix = copy_name(instance, copy);
            let first = self.world.bodies.len() as u32;
            for (name, body) in &bodies {
                let name = name.map(|name| format!("{prefix}.{name}"));
                self.add(name.as_deref(), placed(body, &frame))?;
            }
            for (index, (given, (a, b))) in template.joints.iter().zip(&ends).enumerate() {
                let ends = Ends {
                    a: first + a,
                    b: b.map(|b| first + b),
                };
                let place = place.key("joint").at(index);
                let made = joint(&self.world, given, ends, &frame, &place)?;
                self.world.joints.push(crate::world::Joint {
                    name: given
                        .name
                        .as_ref()
                        .map(|name| format!("{prefix}.{name}").into()),
                    ..made
                });
            }
            self.named
                .insert(prefix, first..self.world.bodies.len() as u32);
        }
        let group = instance.name.as_ref().unwrap_or(&instance.template);
        let all = begin..self.world.bodies.len() as u32;
        self.named.insert(group.clone(), all);
        Ok(())
    }
}

/// A body described in the axes of `frame`, where it is in the world.
fn placed(body: &Body, frame: &Pose) -> Body {
    Body {
        pose: frame.compose(&body.pose),
        linear_velocity: frame.direction(&body.linear_velocity),
        angular_velocity: frame.direction(&body.angular_velocity),
        motion: body
            .motion
            .as_ref()
            .map(|motion| turned(motion, &frame.orientation)),
        ..body.clone()
    }
}

/// A motion whose directions are turned.
fn turned(motion: &Motion, by: &Quat) -> Motion {
    match motion {
        Motion::Constant { linear, angular } => Motion::Constant {
            linear: by * linear,
            angular: by * angular,
        },
        Motion::Sinusoidal {
            amplitude,
            angular_amplitude,
            frequency,
            phase,
            start,
        } => Motion::Sinusoidal {
            amplitude: by * amplitude,
            angular_amplitude: by * angular_amplitude,
            frequency: *frequency,
            phase: *phase,
            start: *start,
        },
        Motion::Keyframed { keyframes } => Motion::Keyframed {
            keyframes: keyframes
                .iter()
                .map(|frame| Keyframe {
                    time: frame.time,
                    pose: Pose::new(
                        by * frame.pose.position,
                        by * frame.pose.orientation * by.inverse(),
                    ),
                })
                .collect(),
        },
    }
}

/// Where a chain runs.
struct Run {
    start: Vec3,
    /// From its first point on, or, of an arc, along the line between its ends.
    along: Vec3,
    /// Away from the centre of the arc.
    down: Vec3,
    /// Level and across, or as near to it as an upright chain comes.
    across: Vec3,
    /// Half the angle of the arc `[rad]`; 0 for a straight chain.
    half_angle: f64,
    /// Radius of the arc `[m]`; infinite for a straight chain.
    radius: f64,
    /// Distance of the two joints of a link `[m]`.
    pitch: f64,
    count: f64,
}

impl Run {
    fn new(chain: &Chain, gravity: &Vec3, place: &Place<'_>) -> Result<Self> {
        let start = vector(&chain.start);
        let count = chain.count as f64;
        let (along, span) = match (&chain.end, &chain.direction) {
            (Some(end), _) => {
                let line = vector(end) - start;
                (line.normalize(), Some(line.norm()))
            }
            (None, direction) => (
                vector(&direction.unwrap_or([1.0, 0.0, 0.0])).normalize(),
                None,
            ),
        };
        let up = (-gravity).try_normalize(0.0).unwrap_or_else(Vec3::z);
        let across = up.cross(&along).try_normalize(PARALLEL_ARMS_SINE);
        let sag = chain.sag.unwrap_or(0.0);
        if sag > 0.0 && across.is_none() {
            return Err(place.key("sag").error(
                "a chain that stands upright has no sag",
                "expected ends that are not above each other",
            ));
        }
        let across = across.unwrap_or_else(|| {
            let level = Vec3::y() - along * along.y;
            level
                .try_normalize(PARALLEL_ARMS_SINE)
                .unwrap_or_else(|| perpendicular(&along))
        });
        let mut run = Self {
            start,
            along,
            // With z up and the chain along x, across is y, and this is -z.
            down: across.cross(&along),
            across,
            half_angle: 0.0,
            radius: f64::INFINITY,
            pitch: 0.0,
            count,
        };
        match span {
            Some(span) if sag > 0.0 => {
                // The angle between chord and tangent at an end of an arc of height s over a chord D:
                // tan(angle / 2) = 2 s / D.
                run.half_angle = 2.0 * (2.0 * sag / span).atan();
                run.radius = 0.5 * span / run.half_angle.sin();
                run.pitch = 2.0 * run.radius * (run.half_angle / count).sin();
            }
            Some(span) => run.pitch = span / count,
            None => {
                run.pitch = match chain.pitch.or_else(|| length(&chain.shape, chain.along)) {
                    Some(pitch) => pitch,
                    None => {
                        return Err(place.key("shape").error(
                            "this shape has no length of its own",
                            "add `pitch = ...` [m], the distance of the two joints of a link",
                        ));
                    }
                };
            }
        }
        Ok(run)
    }

    /// The point between link `index - 1` and link `index`.
    fn point(&self, index: u64) -> Vec3 {
        let share = index as f64;
        if self.half_angle == 0.0 {
            return self.start + self.along * (self.pitch * share);
        }
        // From the lowest point of the arc, -half_angle at the first end to half_angle at the last.
        let angle = self.half_angle * (2.0 * share / self.count - 1.0);
        let half_span = self.radius * self.half_angle.sin();
        self.start
            + self.along * (half_span + self.radius * angle.sin())
            + self.down * (self.radius * (angle.cos() - self.half_angle.cos()))
    }

    /// The frame of a link: its origin halfway between its joints, one axis along the chain, the next
    /// one level.
    fn link(&self, index: u64, along: Axis) -> Pose {
        let (from, to) = (self.point(index), self.point(index + 1));
        let t = (to - from).try_normalize(0.0).unwrap_or(self.along);
        let n = t.cross(&self.across);
        let turn = match along {
            Axis::X => orientation(&t, &self.across, &n),
            Axis::Y => orientation(&n, &t, &self.across),
            Axis::Z => orientation(&self.across, &n, &t),
        };
        Pose::new((from + to) * 0.5, turn)
    }
}

/// Length of a shape along one of its axes `[m]`: of a capsule, that of its segment.
fn length(shape: &schema::Shape, along: Axis) -> Option<f64> {
    let axis = along as usize;
    match shape {
        schema::Shape::Sphere(ball) => Some(2.0 * ball.radius),
        schema::Shape::Box(cuboid) => Some(2.0 * cuboid.half_extents[axis]),
        schema::Shape::Capsule(capsule) if along == Axis::Z && capsule.half_length > 0.0 => {
            Some(2.0 * capsule.half_length)
        }
        schema::Shape::Capsule(capsule) => Some(2.0 * capsule.radius),
        schema::Shape::Cylinder(cylinder) if along == Axis::Z => Some(2.0 * cylinder.half_length),
        schema::Shape::Cylinder(cylinder) => Some(2.0 * cylinder.radius),
        schema::Shape::Prism(prism) if along == Axis::Z => Some(2.0 * prism.half_length),
        _ => None,
    }
}

/// A joint of a chain as the file could write it: `at` is where it is along the axes of A and B.
fn chain_joint(chain: &Chain, run: &Run, at: [f64; 2], world: Option<Vec3>) -> schema::Joint {
    let traits = &chain.joint;
    let unit = |shift: usize| {
        let mut axis = [0.0; 3];
        axis[(chain.along as usize + shift) % 3] = 1.0;
        axis
    };
    let along = |distance: f64| unit(0).map(|x| x * distance);
    let hinged = matches!(
        traits.kind,
        ChainJointType::Hinge | ChainJointType::PlanarHinge
    );
    let (axis_a, axis_b) = match traits.kind {
        // The swing is that between the links.
        ChainJointType::Ball if traits.limits.is_some() => {
            (Some(unit(0)), world.is_none().then(|| unit(0)))
        }
        ChainJointType::Universal => (
            Some(unit(1)),
            Some(match world {
                Some(_) => run.link_normal(chain, at[0] < 0.0).into(),
                None => unit(2),
            }),
        ),
        _ => (None, None),
    };
    schema::Joint {
        name: None,
        kind: match traits.kind {
            ChainJointType::Ball => JointType::Ball,
            ChainJointType::Hinge => JointType::Hinge,
            ChainJointType::Universal => JointType::Universal,
            ChainJointType::Fixed => JointType::Fixed,
            ChainJointType::PlanarHinge => JointType::PlanarHinge,
        },
        a: chain.name.clone(),
        b: None,
        anchor: None,
        anchor_a: Some(along(at[0])),
        anchor_b: Some(world.map_or_else(|| along(at[1]), Into::into)),
        axis: hinged.then(|| traits.axis.unwrap_or_else(|| run.across.into())),
        axis_a,
        axis_b,
        axes: None,
        length: None,
        limits: traits.limits,
        motor: None,
        spring: traits.spring.clone(),
        path: None,
        breaking_force: traits.breaking_force,
        breaking_torque: traits.breaking_torque,
        collide: traits.collide,
    }
}

impl Run {
    /// The third axis of the first or last link, in world axes.
    fn link_normal(&self, chain: &Chain, first: bool) -> Vec3 {
        let index = if first { 0 } else { chain.count - 1 };
        let t = self.point(index + 1) - self.point(index);
        t.try_normalize(0.0)
            .unwrap_or(self.along)
            .cross(&self.across)
    }
}
