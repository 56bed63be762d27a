//! Methods and tolerances of the event stepper.

use crate::error::{Error, Result};
use crate::world::World;

/// How contacts that hit at the same time are treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "scene", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "scene", serde(rename_all = "snake_case"))]
pub enum Impacts {
    /// All together, by one complementarity problem.
    #[default]
    Simultaneous,
    /// One after the other, in their order, until nothing hits any more. The result depends on the order.
    Sequential,
}

/// How the time of a collision is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "scene", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "scene", serde(rename_all = "snake_case"))]
pub enum TimeSearch {
    /// From the distances at both ends of the interval in which it lies, by false position (Illinois).
    #[default]
    Predictor,
    /// By halving that interval.
    Bisection,
}

/// Baumgarte's constants at the level of accelerations: `d'' + 2 alpha d' + beta^2 d`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Feedback {
    /// Of the rate `[1/s]`, at least 0.
    pub alpha: f64,
    /// Of the error `[1/s]`.
    pub beta: f64,
}

impl Feedback {
    /// No correction.
    pub(super) const NONE: Self = Self {
        alpha: 0.0,
        beta: 0.0,
    };

    /// Acceleration that it adds for an error and its rate.
    pub(super) fn of(&self, error: f64, rate: f64) -> f64 {
        2.0 * self.alpha * rate + self.beta * self.beta * error
    }

    /// From the undamped angular frequency `[rad/s]` and the damping ratio: `alpha = zeta omega0`, `beta = omega0`.
    #[must_use]
    pub fn oscillator(omega0: f64, zeta: f64) -> Self {
        Self {
            alpha: zeta * omega0,
            beta: omega0,
        }
    }
}

/// Methods and tolerances of the event stepper.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EventSettings {
    /// Contacts that hit at the same time.
    pub impacts: Impacts,
    /// Times of collision.
    pub search: TimeSearch,
    /// Largest gap of a contact `[m]`, positive.
    pub contact_distance: f64,
    /// Gap within which a time of collision counts as found `[m]`, positive and less than `contact_distance`.
    pub gap_tolerance: f64,
    /// Speed up to which a contact rests `[m/s]`; faster ones hit, and bounce. At least 0.
    pub resting_speed: f64,
    /// Slip up to which a contact sticks `[m/s]`, positive.
    pub sticking_speed: f64,
    /// Correction of errors of resting contacts and joints.
    pub feedback: Feedback,
    /// Directions of friction where contacts stick or hit, even and at least 4.
    pub friction_directions: u32,
    /// Events in one step above which the stepper gives up, at least 1.
    pub max_events: u32,
}

impl EventSettings {
    /// Settings for a world in steps of length `h` `[s]`, from the size of its smallest body.
    #[must_use]
    pub fn for_world(world: &World, h: f64) -> Self {
        let size = world.smallest_radius();
        let gravity = world.gravity.norm();
        // The speed of a fall by the size, or of moving by it in a second.
        let speed = if gravity > 0.0 {
            (gravity * size).sqrt()
        } else {
            size
        };
        Self {
            impacts: Impacts::default(),
            search: TimeSearch::default(),
            contact_distance: 1e-6 * size,
            gap_tolerance: 1e-9 * size,
            resting_speed: 1e-4 * speed,
            sticking_speed: 1e-6 * speed,
            feedback: Feedback::oscillator(0.1 / h, 1.0),
            friction_directions: 8,
            max_events: 1_000,
        }
    }

    /// Checks every number.
    ///
    /// # Errors
    /// [`Error::Invalid`] that names the first setting without meaning.
    pub fn validate(&self) -> Result<()> {
        let wrong = |why: String| Err(Error::invalid("event stepper", why));
        for (name, value, least) in [
            ("contact_distance", self.contact_distance, f64::MIN_POSITIVE),
            ("gap_tolerance", self.gap_tolerance, f64::MIN_POSITIVE),
            ("resting_speed", self.resting_speed, 0.0),
            ("sticking_speed", self.sticking_speed, f64::MIN_POSITIVE),
            ("alpha", self.feedback.alpha, 0.0),
            ("beta", self.feedback.beta, 0.0),
        ] {
            if !(value >= least && value.is_finite()) {
                return wrong(format!("{name} is {value}; at least {least} is expected"));
            }
        }
        if self.gap_tolerance >= self.contact_distance {
            return wrong("gap_tolerance is not below contact_distance".into());
        }
        if self.friction_directions < 4 || !self.friction_directions.is_multiple_of(2) {
            return wrong(format!(
                "{} directions of friction; an even number from 4 on is expected",
                self.friction_directions
            ));
        }
        if self.max_events == 0 {
            return wrong("max_events is 0".into());
        }
        Ok(())
    }
}

/// Choices among the [`EventSettings`]; the rest follows from the world.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct EventOptions {
    /// Contacts that hit at the same time.
    pub impacts: Impacts,
    /// Times of collision.
    pub search: TimeSearch,
    /// See [`EventSettings::contact_distance`].
    pub contact_distance: Option<f64>,
    /// See [`EventSettings::gap_tolerance`].
    pub gap_tolerance: Option<f64>,
    /// See [`EventSettings::resting_speed`].
    pub resting_speed: Option<f64>,
    /// See [`EventSettings::feedback`].
    pub feedback: Option<Feedback>,
    /// See [`EventSettings::max_events`].
    pub max_events: Option<u32>,
    /// Where the event stepper cannot go on, a step of fixed length by velocities and impulses takes its place.
    pub velocity_steps: bool,
}

impl EventOptions {
    /// The settings for a world in steps of length `h` `[s]`.
    #[must_use]
    pub fn settings(&self, world: &World, h: f64) -> EventSettings {
        let usual = EventSettings::for_world(world, h);
        EventSettings {
            impacts: self.impacts,
            search: self.search,
            contact_distance: self.contact_distance.unwrap_or(usual.contact_distance),
            gap_tolerance: self.gap_tolerance.unwrap_or(usual.gap_tolerance),
            resting_speed: self.resting_speed.unwrap_or(usual.resting_speed),
            feedback: self.feedback.unwrap_or(usual.feedback),
            max_events: self.max_events.unwrap_or(usual.max_events),
            ..usual
        }
    }
}
