//! drystone, on the CPU.

use crate::engine::Engine;
use crate::metric::BodyState;
use crate::scene::Scene;
use crate::settings::Setting;
use drystone::math::{Pose, Quat, Vec3};
use drystone::solver::cpu::CpuSolver;
use drystone::step::Simulation;
use drystone::world::{Body, Material, Shape, World};
use nalgebra::Quaternion;
use rayon::ThreadPool;
use std::sync::Arc;

pub(crate) const NAME: &str = "drystone";

/// A scene in drystone.
pub(crate) struct Drystone {
    simulation: Simulation,
    pool: Arc<ThreadPool>,
}

impl Drystone {
    pub(crate) fn new(
        scene: &Scene,
        setting: &Setting,
        pool: &Arc<ThreadPool>,
    ) -> Result<Self, String> {
        let mut world = World::new(Vec3::from(scene.gravity));
        world.materials = vec![Material {
            friction: scene.friction,
            restitution: scene.restitution,
        }];
        for body in &scene.bodies {
            let shape = if body.is_sphere {
                Shape::Sphere {
                    radius: body.size[0],
                }
            } else {
                Shape::Box {
                    half_extents: Vec3::from(body.size),
                }
            };
            let [w, x, y, z] = body.orientation;
            let turn = Quat::from_quaternion(Quaternion::new(w, x, y, z));
            let frame = Pose::new(Vec3::from(body.position), turn);
            let body = if body.is_dynamic {
                Body::dynamic_with_mass(shape, frame, body.mass).map_err(|why| why.to_string())?
            } else {
                Body::fixed(shape, frame)
            };
            world.add(body).map_err(|why| why.to_string())?;
        }
        let settings = setting.for_scene(scene);
        let simulation = pool
            .install(|| Simulation::new(world, settings, Box::new(CpuSolver::new())))
            .map_err(|why| why.to_string())?;
        Ok(Self {
            simulation,
            pool: pool.clone(),
        })
    }
}

impl Engine for Drystone {
    fn step(&mut self) -> Result<(), String> {
        let Self { simulation, pool } = self;
        let stepped = pool.install(|| simulation.step());
        stepped.map(|_| ()).map_err(|why| why.to_string())
    }

    fn states(&self) -> Vec<BodyState> {
        let bodies = self.simulation.world().bodies.iter();
        bodies
            .map(|body| {
                let turn = &body.pose.orientation;
                BodyState {
                    position: body.pose.position.into(),
                    orientation: [turn.w, turn.i, turn.j, turn.k],
                    linear_velocity: body.linear_velocity.into(),
                    angular_velocity: body.angular_velocity.into(),
                }
            })
            .collect()
    }
}
