//! What is measured of a state: energies, penetrations, and probes that a scene asks for.

mod energy;
mod penetration;
mod probe;

pub use energy::{Energy, energy};
pub use penetration::{Penetration, penetration};
pub use probe::{Axis, Probe, ProbeKind};
