//! What no number of dispatches can split.

use crate::constants::{MAX_LOOP_ITERATIONS, WORKGROUP_SIZE};
use crate::error::{Error, Result};
use crate::problem::batches::{Batches, BodyVelocity, Remainder};
use crate::solver::gpu::bounds::Bounds;
use crate::solver::gpu::packing::Packing;
use crate::solver::momentum::Progress;

/// Checks what no number of dispatches can split.
pub(super) fn check_unsplittable(
    batches: &Batches,
    accelerated: bool,
    bounds: &Bounds,
) -> Result<()> {
    let bodies = size_of_val(batches.velocities.as_slice()) as u64;
    if bodies > bounds.binding {
        return Err(Error::Capacity {
            what: format!(
                "one storage binding, for the velocities [B] ({} a body)",
                size_of::<BodyVelocity>()
            ),
            needed: bodies,
            available: bounds.binding,
        });
    }
    for blocks in [batches.contacts.blocks.len(), batches.joints.blocks.len()] {
        let sums = (blocks.div_ceil(WORKGROUP_SIZE as usize) * size_of::<Progress>()) as u64;
        if accelerated && sums > bounds.binding {
            return Err(Error::Capacity {
                what: "one storage binding, for the progress of all contacts or joint rows [B]"
                    .into(),
                needed: sums,
                available: bounds.binding,
            });
        }
    }
    let edges = u64::from(batches.friction.directions);
    let hubs = |remainder: &Remainder| {
        let slots = remainder.hubs.iter().map(|hub| hub.slot_count);
        let largest = slots.max().unwrap_or(0);
        u64::from(largest.div_ceil(WORKGROUP_SIZE) + WORKGROUP_SIZE.ilog2())
    };
    for (what, needed) in [
        (
            "the contacts of one pair of bodies",
            Packing::contacts(batches).longest_loop() * (1 + edges),
        ),
        (
            "the joint rows of one pair of bodies",
            Packing::joints(batches).longest_loop(),
        ),
        ("the contacts of one hub", hubs(&batches.contacts.remainder)),
        ("the joints of one hub", hubs(&batches.joints.remainder)),
    ] {
        if needed > MAX_LOOP_ITERATIONS {
            return Err(Error::Capacity {
                what: format!("loop iterations of one GPU invocation, for {what}"),
                needed,
                available: MAX_LOOP_ITERATIONS,
            });
        }
    }
    Ok(())
}
