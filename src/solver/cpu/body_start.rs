//! Bodies that no impulse has moved yet; twin of `shaders/body_start.wgsl`.

use crate::problem::batches::BodyVelocity;
use rayon::prelude::*;

/// Sets what impulses have added to each body's velocity to nothing.
pub fn body_start(velocities: &mut [BodyVelocity]) {
    velocities
        .par_iter_mut()
        .with_min_len(4096)
        .for_each(|velocity| {
            velocity.linear = [0.0; 3];
            velocity.angular = [0.0; 3];
        });
}
