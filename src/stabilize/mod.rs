//! What happens to the constraint error that velocity-level stepping leaves behind.

pub mod post;

pub use post::{PositionPass, Post};

/// How penetrations are removed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stabilization {
    /// Not at all: the error drifts. The measure of what the others gain.
    None,
    /// By a second LCP on positions after integration (Cline–Pai 2003, eq. 15).
    Post(Post),
}

impl Default for Stabilization {
    fn default() -> Self {
        Self::Post(Post::default())
    }
}
