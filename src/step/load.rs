//! What the loads of a world give its bodies over a step.

use crate::math::Vec3;
use crate::world::World;

/// Impulse of a force `[N s]`, and angular impulse about the centre of mass `[N m s]`, world axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Wrench {
    pub(super) impulse: Vec3,
    pub(super) angular_impulse: Vec3,
}

impl Wrench {
    /// No load.
    pub(super) fn zero() -> Self {
        Self {
            impulse: Vec3::zeros(),
            angular_impulse: Vec3::zeros(),
        }
    }
}

/// The sum of the loads on each body over the step that follows, shape `[body_count]`; empty if there
/// are none.
pub(super) fn wrenches(world: &World, h: f64, wrenches: &mut Vec<Wrench>) {
    wrenches.clear();
    if world.loads.is_empty() {
        return;
    }
    wrenches.resize(world.bodies.len(), Wrench::zero());
    for load in &world.loads {
        let index = load.body as usize;
        let (impulse, angular_impulse) = load.impulse(&world.bodies[index], world.time, h);
        wrenches[index].impulse += impulse;
        wrenches[index].angular_impulse += angular_impulse;
    }
}
