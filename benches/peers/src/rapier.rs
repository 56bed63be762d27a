//! Rapier, with its own defaults but for the iterations, and nothing put to sleep.

use crate::engine::Engine;
use crate::metric::BodyState;
use crate::scene::Scene;
use rapier3d::prelude::*;
use rayon::ThreadPool;
use std::sync::Arc;

pub(crate) const NAME: &str = "rapier3d";
/// The release that `Cargo.lock` holds.
pub(crate) const VERSION: &str = "0.36.1";
/// Solver iterations that make up its curve; 4 is its default.
pub(crate) const ITERATIONS: [usize; 6] = [1, 2, 4, 8, 16, 32];

/// A scene in Rapier.
pub(crate) struct Rapier {
    world: PhysicsWorld,
    handles: Vec<RigidBodyHandle>,
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
        let mut world = PhysicsWorld {
            gravity: vector(scene.gravity),
            ..PhysicsWorld::default()
        };
        world.integration_parameters.dt = scene.time_step as f32;
        world.integration_parameters.num_solver_iterations = iterations;
        world.physics_pipeline.set_thread_pool(Some(pool.clone()));
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
        }
    }
}

impl Engine for Rapier {
    fn step(&mut self) -> Result<(), String> {
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
