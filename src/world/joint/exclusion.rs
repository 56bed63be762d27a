//! Which bodies do not touch because a joint holds them together.

use crate::world::World;

impl World {
    /// Pairs of bodies that a joint keeps from colliding: `[less, greater]`, sorted, each once.
    ///
    /// A broken joint keeps nothing apart.
    #[must_use]
    pub fn excluded_pairs(&self) -> Vec<[u32; 2]> {
        let mut pairs: Vec<[u32; 2]> = self
            .joints
            .iter()
            .filter(|joint| !joint.collide && !joint.broken)
            .filter_map(|joint| {
                let b = joint.body_b?;
                Some([joint.body_a.min(b), joint.body_a.max(b)])
            })
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }
}
