//! Gives every body the mean of its copies; twin of `shaders/cluster_gather.wgsl`.

use super::body_gather::{sum_by_lanes, sum_in_order};
use super::cluster_sweep::{ClusterMemory, ClusterRound};
use super::sweep::VelocityChange;
use crate::constants::MIN_BLOCKS_PER_THREAD;
use crate::math;
use crate::parallel::{SharedSlice, for_chunks};
use crate::problem::batches::{BodyVelocity, SplitBody};
use crate::problem::clusters::Clusters;

/// The mean of each body's copies, in the order of its slots, or of a hub's as a workgroup adds them up;
/// and the change that it makes, unless velocities were rebuilt, when the change before that stays.
pub fn cluster_gather(
    clusters: &Clusters,
    round: ClusterRound,
    memory: &mut ClusterMemory,
    velocities: &mut [BodyVelocity],
) {
    let velocities = SharedSlice::new(velocities);
    let changes = SharedSlice::new(&mut memory.bodies);
    let slots = &memory.slots;
    let gather = |list: &[SplitBody], sum: fn(&[VelocityChange]) -> VelocityChange| {
        for_chunks(list, 4 * MIN_BLOCKS_PER_THREAD, |_, list| {
            for split in list {
                let (body, first) = (split.body as usize, split.first_slot as usize);
                let mean = sum(&slots[first..first + split.slot_count as usize]);
                let VelocityChange {
                    linear, angular, ..
                } = mean;
                // SAFETY: every body is in one of the lists, once.
                #[allow(unsafe_code, reason = "bodies are listed once")]
                unsafe {
                    let before = velocities.read(body);
                    if round != ClusterRound::Rebuild {
                        let change = VelocityChange {
                            linear: math::sub(linear, before.linear),
                            angular: math::sub(angular, before.angular),
                            ..VelocityChange::default()
                        };
                        changes.write(body, change);
                    }
                    velocities.write(
                        body,
                        BodyVelocity {
                            linear,
                            angular,
                            ..before
                        },
                    );
                }
            }
        });
    };
    gather(&clusters.bodies, sum_in_order);
    gather(&clusters.hubs, sum_by_lanes);
}
