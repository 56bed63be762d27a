//! Which rows are solved together: joints, and the components that movable bodies link them to.

use crate::problem::JointRow;
use crate::problem::batches::{Batches, JointBlock};
use crate::problem::islands::first_of;

/// All rows without bounds between two bodies.
pub(super) struct Joint {
    /// The lower index first.
    pub(super) bodies: [u32; 2],
    /// The rows by block, in the order of the problem.
    pub(super) blocks: Vec<u32>,
}

/// The joints of a problem, in the order of their bodies.
pub(super) fn joints(batches: &Batches) -> Vec<Joint> {
    let packed = &batches.joints;
    let mut rows: Vec<([u32; 2], u32, u32)> = packed
        .blocks
        .iter()
        .enumerate()
        .filter(|(_, block)| is_equality(block))
        .map(|(index, block)| {
            let bodies = [
                block.body_a.min(block.body_b),
                block.body_a.max(block.body_b),
            ];
            (bodies, packed.source[index], index as u32)
        })
        .collect();
    rows.sort_unstable();
    rows.chunk_by(|a, b| a.0 == b.0)
        .map(|rows| Joint {
            bodies: rows[0].0,
            blocks: rows.iter().map(|row| row.2).collect(),
        })
        .collect()
}

/// True for a row without bounds that moves something.
pub(super) fn is_equality(block: &JointBlock) -> bool {
    block.lower == -JointRow::UNBOUNDED && block.upper == JointRow::UNBOUNDED
}

pub(super) fn is_movable(batches: &Batches, body: u32) -> bool {
    batches.velocities[body as usize].inverse_mass > 0.0
}

/// Indices of the joints of each component: joints that are linked through movable bodies.
pub(super) fn components(joints: &[Joint], batches: &Batches) -> Vec<Vec<u32>> {
    if joints.is_empty() {
        return Vec::new();
    }
    // Each joint points towards the first of its component.
    let mut leader: Vec<u32> = (0..joints.len() as u32).collect();
    let mut last_joint: Vec<Option<u32>> = vec![None; batches.velocities.len()];
    for (index, joint) in (0..).zip(joints) {
        for &body in &joint.bodies {
            if !is_movable(batches, body) {
                continue;
            }
            if let Some(last) = last_joint[body as usize].replace(index) {
                let (a, b) = (first_of(&mut leader, last), first_of(&mut leader, index));
                leader[a.max(b) as usize] = a.min(b);
            }
        }
    }
    let mut component_of = vec![0_u32; joints.len()];
    let mut components: Vec<Vec<u32>> = Vec::new();
    for joint in 0..joints.len() as u32 {
        let first = first_of(&mut leader, joint);
        if first == joint {
            component_of[joint as usize] = components.len() as u32;
            components.push(Vec::new());
        }
        let component = component_of[first as usize];
        components[component as usize].push(joint);
    }
    components
}
