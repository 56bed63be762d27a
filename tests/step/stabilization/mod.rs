//! What each scheme asks of a row, and that the position pass earns its keep: it removes penetrations
//! and errors of joints and leaves velocities alone.

mod contradictions;
mod joints;
mod piles;
mod schemes;
