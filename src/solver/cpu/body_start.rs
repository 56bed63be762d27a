//! Bodies that no impulse has moved yet; twin of `shaders/body_start.wgsl`.

use crate::parallel;
use crate::problem::batches::BodyVelocity;

/// Sets what impulses have added to each body's velocity to nothing.
pub fn body_start(velocities: &mut [BodyVelocity]) {
    parallel::for_each(velocities, 4096, |_, velocity| {
        velocity.linear = [0.0; 3];
        velocity.angular = [0.0; 3];
    });
}
