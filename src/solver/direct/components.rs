//! Which rows are solved together: joints, and the components that movable bodies link them to.

use crate::problem::JointRow;
use crate::problem::batches::{Batches, JointBlock};
use crate::problem::islands::first_of;

/// The rows of a problem without bounds, in the order of their blocks: all that the mechanisms depend on. Limits that come and go
/// between them change nothing.
#[derive(Debug, Default)]
pub(super) struct Equalities {
    /// Block of each.
    pub(super) blocks: Vec<u32>,
    pub(super) places: Vec<RowPlace>,
    /// How many of them come before each of the problem's rows.
    ranks: Vec<u32>,
}

/// What the structure depends on of one row without bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RowPlace {
    /// Its place among them in the problem.
    rank: u32,
    /// Body A and body B.
    pub(super) bodies: [u32; 2],
    movable: [bool; 2],
}

impl Equalities {
    /// Finds those of a problem.
    pub(super) fn find(&mut self, batches: &Batches) {
        let Self {
            blocks,
            places,
            ranks,
        } = self;
        let packed = &batches.joints;
        let rows = || (packed.blocks.iter().zip(&packed.source)).zip(0_u32..);
        let rows = || rows().filter(|((block, _), _)| is_equality(block));
        ranks.clear();
        ranks.resize(packed.blocks.len(), 0);
        for ((_, &source), _) in rows() {
            ranks[source as usize] = 1;
        }
        let mut before = 0;
        for rank in ranks.iter_mut() {
            before += std::mem::replace(rank, before);
        }
        blocks.clear();
        places.clear();
        for ((block, &source), index) in rows() {
            let bodies = [block.body_a, block.body_b];
            blocks.push(index);
            places.push(RowPlace {
                rank: ranks[source as usize],
                bodies,
                movable: bodies.map(|body| is_movable(batches, body)),
            });
        }
    }
}

/// All rows without bounds between two bodies.
pub(super) struct Joint {
    /// The lower index first.
    pub(super) bodies: [u32; 2],
    /// The rows among those without bounds, in the order of the problem.
    pub(super) rows: Vec<u32>,
}

/// The joints of a problem, in the order of their bodies.
pub(super) fn joints(places: &[RowPlace]) -> Vec<Joint> {
    let mut rows: Vec<([u32; 2], u32, u32)> = (places.iter().zip(0..))
        .map(|(place, index)| {
            let [a, b] = place.bodies;
            ([a.min(b), a.max(b)], place.rank, index)
        })
        .collect();
    rows.sort_unstable();
    rows.chunk_by(|a, b| a.0 == b.0)
        .map(|rows| Joint {
            bodies: rows[0].0,
            rows: rows.iter().map(|row| row.2).collect(),
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
