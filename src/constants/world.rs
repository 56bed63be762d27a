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

/// Penetration, over the radius of the smallest dynamic body, from which on a run counts as run away: bodies are then in each
/// other by more than half of their size.
pub(crate) const RUNAWAY_DEPTH_PER_RADIUS: f64 = 1.0;

/// Share of the energy that has been at work by which the energy of a run may exceed what is known of it: what contacts that are
/// springs store and give back.
pub(crate) const RUNAWAY_ENERGY_SHARE: f64 = 0.1;

/// Height, in radii of the smallest body, by which all bodies may rise without a cause: overlaps at the start that are pushed out.
pub(crate) const RUNAWAY_FALL_PER_RADIUS: f64 = 1.0;

/// Energy of a mass, over its mass and the square of the fastest motion of what moves it, that the motion explains: a body that is
/// hit at the speed of two motions and has been hit before.
pub(crate) const RUNAWAY_THROW: f64 = 8.0;
