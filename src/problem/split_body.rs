//! The slots of a body in several places.

use bytemuck::{Pod, Zeroable};

/// The slots that one body sums up; 16 bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct SplitBody {
    /// Index of the body.
    pub body: u32,
    /// Its first slot.
    pub first_slot: u32,
    /// Number of its slots.
    pub slot_count: u32,
    /// Unused.
    pub padding: u32,
}
