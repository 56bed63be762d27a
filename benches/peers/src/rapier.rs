//! Rapier, with its own defaults but for the iterations, and nothing put to sleep.

use crate::engine::Engine;
use crate::metric::BodyState;
use crate::scene::Scene;
use drystone::math::{Pose as OurPose, Quat, Vec3};
use drystone::world::{Body, BodyKind, Motion, Shape as OurShape, World};
use rapier3d::prelude::*;
use rayon::ThreadPool;
use std::sync::Arc;

pub(crate) const NAME: &str = "rapier3d";
/// The release that `Cargo.lock` holds.
pub(crate) const VERSION: &str = "0.36.1";
/// Solver iterations that make up its curve; 4 is its default.
pub(crate) const ITERATIONS: [usize; 4] = [1, 2, 4, 8];

/// A scene in Rapier.
pub(crate) struct Rapier {
    world: PhysicsWorld,
    handles: Vec<RigidBodyHandle>,
    /// Bodies that are moved: handle, where it started, and how.
    moved: Vec<(RigidBodyHandle, OurPose, Motion)>,
    /// `[s]`
    time: f64,
    time_step: f64,
}

/// Its settings in words, as the table of recorded points has them.
pub(crate) fn settings(iterations: usize) -> String {
    let native = if cfg!(target_feature = "avx2") {
        "native"
    } else {
        "sse2"
    };
    format!("iters={iterations} pgs=1 stab=1 sleep=false feat=parallel simd8 {native}")
}

impl Rapier {
    pub(crate) fn new(scene: &Scene, iterations: usize, pool: &Arc<ThreadPool>) -> Self {
        let mut world = empty(scene.gravity, scene.time_step, pool);
        world.integration_parameters.num_solver_iterations = iterations;
        let handles = scene.bodies.iter().map(|body| {
            let rigid = if body.is_dynamic {
                RigidBodyBuilder::dynamic()
            } else {
                RigidBodyBuilder::fixed()
            };
            let [w, x, y, z] = body.orientation.map(|part| part as f32);
            let [a, b, c] = body.size.map(|part| part as f32);
            let collider = if body.is_sphere {
                ColliderBuilder::ball(a)
            } else {
                ColliderBuilder::cuboid(a, b, c)
            };
            let collider = collider
                .mass(body.mass as f32)
                .friction(scene.friction as f32)
                .restitution(scene.restitution as f32);
            let pose = Pose::from_parts(vector(body.position), Rotation::from_xyzw(x, y, z, w));
            world.insert(rigid.pose(pose).can_sleep(false), collider).0
        });
        Self {
            handles: handles.collect(),
            world,
            moved: Vec::new(),
            time: 0.0,
            time_step: scene.time_step,
        }
    }

    /// A world of drystone's, with Rapier's default parameters but for the length of a usual body `[m]`.
    pub(crate) fn of_world(
        ours: &World,
        time_step: f64,
        length_unit: f64,
        pool: &Arc<ThreadPool>,
    ) -> Result<Self, String> {
        let mut world = empty(ours.gravity.into(), time_step, pool);
        world.integration_parameters.length_unit = length_unit as f32;
        let (mut handles, mut moved) = (Vec::new(), Vec::new());
        for body in &ours.bodies {
            let rigid = match body.kind {
                BodyKind::Dynamic => RigidBodyBuilder::dynamic(),
                BodyKind::Kinematic => RigidBodyBuilder::kinematic_position_based(),
                _ => RigidBodyBuilder::fixed(),
            };
            let rigid = rigid
                .pose(pose(&body.pose))
                .linvel(vector(body.linear_velocity.into()))
                .angvel(vector(body.angular_velocity.into()))
                .can_sleep(false);
            let material = &ours.materials[body.material as usize];
            let colliders = colliders(body)?.into_iter().map(|collider| {
                collider
                    .friction(material.friction as f32)
                    .friction_combine_rule(CoefficientCombineRule::GeometricMean)
                    .restitution(material.restitution as f32)
                    .restitution_combine_rule(CoefficientCombineRule::Max)
            });
            let handle = world.insert_body(rigid);
            for collider in colliders {
                world.insert_collider(collider, Some(handle));
            }
            handles.push(handle);
            if let Some(motion) = &body.motion {
                moved.push((handle, body.pose, motion.clone()));
            }
        }
        Ok(Self {
            world,
            handles,
            moved,
            time: 0.0,
            time_step,
        })
    }

    /// Moves what is moved to where it will be after the next step.
    fn prescribe(&mut self) {
        self.time += self.time_step;
        for (handle, start, motion) in &self.moved {
            let place = pose(&motion.pose(start, self.time));
            self.world.bodies[*handle].set_next_kinematic_position(place);
        }
    }

    /// Sets poses and velocities of the bodies that it was made of.
    pub(crate) fn write(&self, ours: &mut World) {
        for (body, state) in ours.bodies.iter_mut().zip(self.states()) {
            let [w, x, y, z] = state.orientation;
            let turn = Quat::new_normalize(nalgebra::Quaternion::new(w, x, y, z));
            body.pose = OurPose::new(Vec3::from(state.position), turn);
            body.linear_velocity = Vec3::from(state.linear_velocity);
            body.angular_velocity = Vec3::from(state.angular_velocity);
        }
    }
}

fn empty(gravity: [f64; 3], time_step: f64, pool: &Arc<ThreadPool>) -> PhysicsWorld {
    let mut world = PhysicsWorld {
        gravity: vector(gravity),
        ..PhysicsWorld::default()
    };
    world.integration_parameters.dt = time_step as f32;
    world.physics_pipeline.set_thread_pool(Some(pool.clone()));
    world
}

fn colliders(body: &Body) -> Result<Vec<ColliderBuilder>, String> {
    let OurShape::Compound { parts } = &body.shape else {
        let collider = collider(&body.shape)?;
        return Ok(vec![if body.is_dynamic() {
            collider.mass((1.0 / body.mass.inverse_mass) as f32)
        } else {
            collider
        }]);
    };
    if body.is_dynamic() {
        return Err("a dynamic compound, which is not handed on".into());
    }
    parts
        .iter()
        .map(|part| {
            let collider = collider(&part.shape)?;
            let place = pose(&part.pose) * collider.position;
            Ok(collider.position(place))
        })
        .collect()
}

fn collider(shape: &OurShape) -> Result<ColliderBuilder, String> {
    Ok(match shape {
        OurShape::Sphere { radius } => ColliderBuilder::ball(*radius as f32),
        OurShape::Box { half_extents } => {
            let [a, b, c] = <[f64; 3]>::from(*half_extents).map(|x| x as f32);
            ColliderBuilder::cuboid(a, b, c)
        }
        OurShape::Capsule {
            half_length,
            radius,
        } => ColliderBuilder::capsule_z(*half_length as f32, *radius as f32),
        // Its cylinders and cones stand along y; its cone's origin is midway between base and apex.
        OurShape::Cylinder {
            half_length,
            radius,
        } => ColliderBuilder::cylinder(*half_length as f32, *radius as f32).position(upright(0.0)),
        OurShape::Cone { height, radius } => {
            ColliderBuilder::cone((0.5 * height) as f32, *radius as f32)
                .position(upright(0.25 * height))
        }
        OurShape::Polyhedron(solid) => {
            let points: Vec<Vector> = solid
                .vertices()
                .iter()
                .map(|&at| vector(at.into()))
                .collect();
            ColliderBuilder::convex_hull(&points).ok_or("a polyhedron without a hull")?
        }
        OurShape::Mesh(mesh) => {
            let points = mesh
                .vertices()
                .iter()
                .map(|&at| vector(at.into()))
                .collect();
            ColliderBuilder::trimesh(points, mesh.triangles().to_vec())
                .map_err(|why| why.to_string())?
        }
        OurShape::HalfSpace { normal, offset } => {
            let shape = SharedShape::halfspace(vector((*normal).into()));
            ColliderBuilder::new(shape).translation(vector((normal * *offset).into()))
        }
        OurShape::Compound { .. } => return Err("a compound in a compound".into()),
    })
}

/// From a shape along y to one along z, its origin so high `[m]`.
fn upright(height: f64) -> Pose {
    let turn = Quat::from_axis_angle(&nalgebra::Vector3::x_axis(), std::f64::consts::FRAC_PI_2);
    pose(&OurPose::new(Vec3::new(0.0, 0.0, height), turn))
}

fn pose(ours: &OurPose) -> Pose {
    let [x, y, z, w] = <[f64; 4]>::from(ours.orientation.coords).map(|part| part as f32);
    Pose::from_parts(
        vector(ours.position.into()),
        Rotation::from_xyzw(x, y, z, w),
    )
}

impl Engine for Rapier {
    fn step(&mut self) -> Result<(), String> {
        self.prescribe();
        self.world.step();
        Ok(())
    }

    fn states(&self) -> Vec<BodyState> {
        let bodies = self
            .handles
            .iter()
            .map(|&handle| &self.world.bodies[handle]);
        bodies
            .map(|body| {
                let (place, turn) = (body.position().translation, body.position().rotation);
                BodyState {
                    position: [place.x, place.y, place.z].map(f64::from),
                    orientation: [turn.w, turn.x, turn.y, turn.z].map(f64::from),
                    linear_velocity: body.linvel().to_array().map(f64::from),
                    angular_velocity: body.angvel().to_array().map(f64::from),
                }
            })
            .collect()
    }
}

fn vector(numbers: [f64; 3]) -> Vector {
    let [x, y, z] = numbers.map(|x| x as f32);
    Vector::new(x, y, z)
}
