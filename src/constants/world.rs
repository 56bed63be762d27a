//! Worlds: defaults, and what counts as a mistake.

/// Standard gravity `[m/s^2]`, used as the default of scenes that name none.
pub const GRAVITY: f64 = 9.81;

/// Friction and restitution of a material that states none: dry stone, and no bounce.
pub(crate) const DEFAULT_FRICTION: f64 = 0.5;

/// See [`DEFAULT_FRICTION`].
pub(crate) const DEFAULT_RESTITUTION: f64 = 0.0;

/// Most parts of a compound: contacts name a part by 16 bits.
pub(crate) const MAX_COMPOUND_PARTS: usize = 1 << 16;

/// Distance from 1 at which the length of a unit vector or quaternion in a world is a mistake, and
/// not rounding.
pub(crate) const UNIT_LENGTH_TOLERANCE: f64 = 1e-6;

/// Asymmetry of an inertia, over its largest number, that is rounding and not a mistake.
pub(crate) const INERTIA_SYMMETRY_TOLERANCE: f64 = 1e-9;
