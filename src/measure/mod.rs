//! Measures of a state: energies, momentum, penetrations, errors of joints, fields on a grid, and probes that a scene
//! asks for.

mod balance;
mod energy;
mod fields;
mod infeasibility;
mod joints;
mod momentum;
mod network;
mod packing;
mod penetration;
mod probe;
mod runaway;
mod surface;

pub use balance::EnergyBalance;
pub(crate) use energy::{CHUNK as ENERGY_CHUNK, energy_of_chunks};
pub use energy::{Energy, energy};
pub use fields::{Field, FieldGrid, fields};
pub use infeasibility::infeasibility;
pub use joints::{JointErrors, joint_errors};
pub use momentum::{Momentum, momentum};
pub use network::{ContactNetwork, Coordination, Wrench};
pub use packing::packing;
pub use penetration::{Penetration, penetration};
pub use probe::{Axis, Probe, ProbeKind, Seen};
pub use runaway::{Runaway, RunawayWatch};
pub use surface::{Surface, surface};
