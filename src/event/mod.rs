//! The event-driven stepper of Baraff's notes: it stops where bodies collide.
//!
//! Between events the equations of motion are an ordinary differential equation, integrated by the classical fourth-order
//! Runge–Kutta method on positions, rotations and momenta. In every evaluation resting contacts get the forces that keep them
//! from approaching (`forces.rs`), joints those that keep `d'' = 0`. Where two bodies would be in each other at the end of a step, the
//! time at which they touch is found, velocities change at once by impulses (`impact.rs`), and the integration starts anew. Sliding
//! that comes to an end is an event of the same kind. All in f64 and dense: it is for small scenes, and for what a step of fixed length
//! smears over its length.
//!
//! It has no step where its equations have none: infinitely many collisions in finite time, and sliding friction whose forces do not
//! exist (Painlevé) end in [`Error::Event`] with the time and the contacts, and the world stays as it was before the step.

mod contact;
mod forces;
mod impact;
mod parts;
mod rows;

use crate::error::{Error, Result};
use crate::math::{Pose, Vec3};
use crate::world::{Body, BodyKind, Shape, World};
use contact::Contact;
use forces::{Acting, Resting, acting};
use impact::Outcome;
use nalgebra::{Quaternion, UnitQuaternion};
use parts::{Pairs, named};
use rows::Twist;

/// How contacts that hit at the same time are treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Impacts {
    /// All together, by one complementarity problem.
    #[default]
    Simultaneous,
    /// One after the other, in their order, until nothing hits any more. The result depends on the order.
    Sequential,
}

/// How the time of a collision is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
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
    /// From the undamped angular frequency `[rad/s]` and the damping ratio: `alpha = zeta omega0`, `beta = omega0`.
    #[must_use]
    pub fn oscillator(omega0: f64, zeta: f64) -> Self {
        Self {
            alpha: zeta * omega0,
            beta: omega0,
        }
    }
}

/// What the event stepper does and how exactly.
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

/// What of the [`EventSettings`] is chosen; the rest follows from the world.
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

/// What happened in a step.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EventReport {
    /// Times at which bodies collided `[s]`.
    pub collisions: Vec<f64>,
    /// States that were computed to find these times.
    pub trials: u32,
    /// Impulses along contacts that hit, summed over the collisions.
    pub impacts: u32,
    /// Times at which a contact stopped sliding.
    pub stops: u32,
    /// Contacts that rested at the end of the step.
    pub resting: usize,
}

/// Force of a resting contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactForce {
    /// Body A, on which the force acts, and B, on which its opposite does.
    pub bodies: [u32; 2],
    /// Where, in world axes `[m]`.
    pub point: Vec3,
    /// From B to A.
    pub normal: Vec3,
    /// `[N]`.
    pub force: Vec3,
}

/// A world's bodies from event to event.
pub struct EventStepper {
    settings: EventSettings,
    pairs: Pairs,
    /// Where kinematic bodies started.
    starts: Vec<Pose>,
    /// Least radius of a ball within a moving body `[m]`.
    smallest: f64,
    /// Contacts that rested at the end of the last step.
    held: Vec<Contact>,
}

impl std::fmt::Debug for EventStepper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EventStepper")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

/// Steps of false position, or halvings, for one time of collision.
const MAX_TRIALS: u32 = 200;
/// A time of collision is as exact as it gets when the interval is this share of the step.
const FINEST_SHARE: f64 = 1e-15;
/// The share of its size that a body may move by in one go: it does not pass through another.
const TRAVEL: f64 = 0.5;
/// Difference of time for the velocities of prescribed motions `[s]`.
const MOTION_DIFFERENCE: f64 = 1e-5;

impl EventStepper {
    /// A stepper for a world.
    ///
    /// # Errors
    /// [`Error::Invalid`] for settings without meaning, for shapes and pairs that the stepper has no contacts for, for motors and for joints
    /// that break, and for a world that is not valid.
    pub fn new(world: &World, settings: EventSettings) -> Result<Self> {
        settings.validate()?;
        world.validate()?;
        for (index, joint) in world.joints.iter().enumerate() {
            let unknown = if joint.motor.is_some() {
                "motors"
            } else if joint.breaking_force.is_some() || joint.breaking_torque.is_some() {
                "joints that break"
            } else {
                continue;
            };
            return Err(Error::invalid(
                format!("joint {index}"),
                format!("the event stepper has no {unknown}"),
            ));
        }
        let moving = world.bodies.iter().filter(|body| body.is_dynamic());
        let smallest = moving.map(|body| inner_radius(&body.shape));
        Ok(Self {
            settings,
            pairs: Pairs::new(world)?,
            starts: world.bodies.iter().map(|body| body.pose).collect(),
            smallest: smallest.fold(f64::INFINITY, f64::min),
            held: Vec::new(),
        })
    }

    /// Moves the world on by `h` `[s]`.
    ///
    /// # Errors
    /// [`Error::Event`] where no forces or impulses were found or events do not end, and [`Error::NonFinite`]. The world is then as before.
    pub fn step(&mut self, world: &mut World, h: f64) -> Result<EventReport> {
        let mut report = EventReport::default();
        let mut run = Run {
            stepper: self,
            world: &*world,
            time: world.time,
            h,
        };
        let (bodies, held) = run.through(&mut report)?;
        report.resting = held.len();
        self.held = held;
        let end = world.time + h;
        world.bodies = bodies;
        world.time = end;
        Ok(report)
    }

    /// Forgets the contacts that rested: for a world that was changed from outside.
    pub fn forget(&mut self) {
        self.held.clear();
    }

    /// The forces of the contacts that rest now.
    ///
    /// # Errors
    /// [`Error::Event`] if there are none that satisfy them.
    pub fn contact_forces(&self, world: &World, h: f64) -> Result<Vec<ContactForce>> {
        let run = Run {
            stepper: self,
            world,
            time: world.time,
            h,
        };
        let bodies = run.at(&world.bodies, world.time);
        let resting = run.resting(&bodies);
        let acting = run.acting(&bodies, world.time, &resting)?;
        let all = resting.iter().zip(acting.of_contacts);
        let force = |(held, force): (&Resting, Vec3)| {
            let at = held.contact.placed(&bodies);
            ContactForce {
                bodies: held.contact.bodies.map(|body| body as u32),
                point: at.point,
                normal: at.normal,
                force,
            }
        };
        Ok(all.map(force).collect())
    }
}

/// Radius of a ball within a shape, about some point `[m]`.
fn inner_radius(shape: &Shape) -> f64 {
    match shape {
        Shape::Sphere { radius } => *radius,
        Shape::Box { half_extents } => half_extents.min(),
        Shape::Polyhedron(solid) => solid.inner_radius(),
        Shape::Compound { parts } => {
            let radii = parts.iter().map(|part| inner_radius(&part.shape));
            radii.fold(f64::INFINITY, f64::min)
        }
        _ => f64::INFINITY,
    }
}

/// One step of a world.
struct Run<'a> {
    stepper: &'a EventStepper,
    world: &'a World,
    time: f64,
    h: f64,
}

/// Derivatives of a body's state.
#[derive(Clone, Copy)]
struct Rate {
    position: Vec3,
    rotation: Quaternion<f64>,
    wrench: Twist,
}

/// A body's state as it is integrated.
#[derive(Clone, Copy)]
struct State {
    position: Vec3,
    rotation: Quaternion<f64>,
    /// Momentum `[kg m/s]` and angular momentum about the centre of mass `[kg m^2/s]`.
    momenta: Twist,
}

impl State {
    fn of(body: &Body) -> Self {
        Self {
            position: body.pose.position,
            rotation: *body.pose.orientation.quaternion(),
            momenta: (
                body.linear_velocity * body.mass.mass,
                body.world_inertia() * body.angular_velocity,
            ),
        }
    }

    fn moved(&self, rate: &Rate, dt: f64) -> Self {
        Self {
            position: self.position + rate.position * dt,
            rotation: self.rotation + rate.rotation * dt,
            momenta: (
                self.momenta.0 + rate.wrench.0 * dt,
                self.momenta.1 + rate.wrench.1 * dt,
            ),
        }
    }

    fn put_into(&self, body: &mut Body) {
        body.pose.position = self.position;
        body.pose.orientation = UnitQuaternion::new_normalize(self.rotation);
        body.linear_velocity = self.momenta.0 * body.mass.inverse_mass;
        body.angular_velocity = body.world_inverse_inertia() * self.momenta.1;
    }

    fn rate(&self, body: &Body, wrench: Twist) -> Rate {
        Rate {
            position: body.linear_velocity,
            rotation: Quaternion::from_imag(body.angular_velocity) * self.rotation * 0.5,
            wrench,
        }
    }
}

/// Where a search for a time stands: a time after the start and the function there.
type Trial = (f64, f64);

impl<'a> Run<'a> {
    fn settings(&self) -> &'a EventSettings {
        &self.stepper.settings
    }

    fn stopped(&self, bodies: &[Body], contacts: &[Contact], why: &str) -> Error {
        let names: Vec<String> = contacts
            .iter()
            .take(4)
            .map(|contact| {
                let [a, b] = contact.bodies.map(|body| named(body, &bodies[body]));
                let at = contact.placed(bodies).point;
                format!("{a} and {b} at ({:.4}, {:.4}, {:.4})", at.x, at.y, at.z)
            })
            .collect();
        let mut why = why.to_owned();
        if !names.is_empty() {
            why.push_str("; contacts: ");
            why.push_str(&names.join(", "));
            if contacts.len() > names.len() {
                why.push_str(&format!(" and {} more", contacts.len() - names.len()));
            }
        }
        Error::Event {
            time: self.time,
            why,
        }
    }

    /// The bodies with those of prescribed motion where they are at `time`.
    fn at(&self, bodies: &[Body], time: f64) -> Vec<Body> {
        let mut placed = bodies.to_vec();
        self.prescribe(&mut placed, time);
        placed
    }

    fn prescribe(&self, bodies: &mut [Body], time: f64) {
        for (body, start) in bodies.iter_mut().zip(&self.stepper.starts) {
            match (&body.motion, body.kind) {
                (Some(motion), BodyKind::Kinematic) => {
                    let [before, now, after] = [-MOTION_DIFFERENCE, 0.0, MOTION_DIFFERENCE]
                        .map(|by| motion.pose(start, time + by));
                    let (linear, angular) = velocity(&before, &after, 2.0 * MOTION_DIFFERENCE);
                    body.pose = now;
                    body.linear_velocity = linear;
                    body.angular_velocity = angular;
                }
                (_, BodyKind::Dynamic) => {}
                _ => {
                    body.linear_velocity = Vec3::zeros();
                    body.angular_velocity = Vec3::zeros();
                }
            }
        }
    }

    /// Accelerations of the bodies of prescribed motion; zero of others.
    fn accelerations(&self, bodies: &[Body], time: f64) -> Vec<Twist> {
        let none = (Vec3::zeros(), Vec3::zeros());
        let of = |(body, start): (&Body, &Pose)| match (&body.motion, body.kind) {
            (Some(motion), BodyKind::Kinematic) => {
                // Wider apart than for velocities: it is a second difference.
                let step = 10.0 * MOTION_DIFFERENCE;
                let [before, now, after] =
                    [-step, 0.0, step].map(|by| motion.pose(start, time + by));
                let first = velocity(&before, &now, step);
                let second = velocity(&now, &after, step);
                ((second.0 - first.0) / step, (second.1 - first.1) / step)
            }
            _ => none,
        };
        bodies.iter().zip(&self.stepper.starts).map(of).collect()
    }

    /// The contacts that neither hit nor part.
    fn resting(&self, bodies: &[Body]) -> Vec<Resting> {
        let settings = self.settings();
        let contacts = self
            .stepper
            .pairs
            .contacts(bodies, settings.contact_distance);
        let hold = |contact: Contact| {
            let at = contact.placed(bodies);
            let slip = at.slip.norm();
            (at.speed <= settings.resting_speed).then(|| Resting {
                contact,
                slips: (slip > settings.sticking_speed).then(|| at.slip / slip),
            })
        };
        contacts.into_iter().filter_map(hold).collect()
    }

    fn acting(&self, bodies: &[Body], time: f64, resting: &[Resting]) -> Result<Acting> {
        let settings = self.settings();
        let accelerations = self.accelerations(bodies, time);
        acting(
            self.world,
            bodies,
            &accelerations,
            resting,
            time,
            self.h,
            settings,
        )
        .ok_or_else(|| {
            let contacts: Vec<Contact> = resting.iter().map(|held| held.contact).collect();
            self.stopped(
                bodies,
                &contacts,
                "no contact forces keep the bodies out of each other",
            )
        })
    }

    /// From the start of the step to its end.
    fn through(&mut self, report: &mut EventReport) -> Result<(Vec<Body>, Vec<Contact>)> {
        let settings = *self.settings();
        let end = self.time + self.h;
        let mut bodies = self.at(&self.world.bodies, self.time);
        let mut held = self.stepper.held.clone();
        let mut events = 0;
        let shortest = FINEST_SHARE * self.h;
        loop {
            let contacts = self
                .stepper
                .pairs
                .contacts(&bodies, settings.contact_distance);
            match impact::part(
                self.world,
                &mut bodies,
                &contacts,
                &held,
                self.time,
                self.h,
                &settings,
            ) {
                Outcome::Parted(impacts) => report.impacts += impacts,
                Outcome::NoImpulses => {
                    return Err(self.stopped(&bodies, &contacts, "no impulses part what hits"));
                }
                Outcome::Endless => {
                    let why = "impacts one after the other do not end";
                    return Err(self.stopped(&bodies, &contacts, why));
                }
            }
            let resting = self.resting(&bodies);
            held = resting.iter().map(|held| held.contact).collect();
            let left = end - self.time;
            if left <= shortest {
                return Ok((bodies, held));
            }
            let dt = left.min(self.safe(&bodies)).min(self.next_change());
            let start = bodies.clone();
            let Stop {
                after,
                state,
                event,
            } = self.until_event(&start, &resting, dt, report)?;
            if state.iter().any(|body| !is_finite(body)) {
                return Err(Error::NonFinite {
                    stage: "event stepper",
                    what: format!("a body at t = {} s", self.time + after),
                });
            }
            self.time = if dt == left && event == Happening::Nothing {
                end
            } else {
                self.time + after
            };
            bodies = state;
            match event {
                Happening::Nothing => continue,
                Happening::Collision => report.collisions.push(self.time),
                Happening::Stop => report.stops += 1,
            }
            events += 1;
            if events > settings.max_events {
                let contacts = self
                    .stepper
                    .pairs
                    .contacts(&bodies, settings.contact_distance);
                let why = format!("{events} events in one step do not end");
                return Err(self.stopped(&bodies, &contacts, &why));
            }
        }
    }

    /// The longest time in which nothing passes through anything.
    fn safe(&self, bodies: &[Body]) -> f64 {
        let speed = |body: &Body| {
            body.linear_velocity.norm()
                + if body.is_dynamic() {
                    body.angular_velocity.norm() * body.shape.bounding_radius()
                } else {
                    0.0
                }
        };
        let fastest = bodies.iter().map(speed).fold(0.0, f64::max);
        // A fall from rest over this time adds as much again.
        let falling = self.world.gravity.norm();
        let reach = TRAVEL * self.stepper.smallest;
        let by_speed = reach / fastest.max(f64::MIN_POSITIVE);
        let by_fall = (2.0 * reach / falling.max(f64::MIN_POSITIVE)).sqrt();
        by_speed.min(by_fall)
    }

    /// Time until a load begins or ends `[s]`.
    fn next_change(&self) -> f64 {
        let changes = self
            .world
            .loads
            .iter()
            .flat_map(|load| [load.from, load.until]);
        let left = changes.map(|at| at - self.time).filter(|left| *left > 0.0);
        left.fold(f64::INFINITY, f64::min)
    }

    /// The bodies after a time, their contacts held.
    fn after(&self, start: &[Body], resting: &[Resting], dt: f64) -> Result<Vec<Body>> {
        let states: Vec<State> = start.iter().map(State::of).collect();
        let mut bodies = start.to_vec();
        let mut sums: Vec<Rate> = Vec::new();
        let mut rates: Vec<Rate> = Vec::new();
        for (part, weight) in [(0.0, 1.0), (0.5, 2.0), (0.5, 2.0), (1.0, 1.0)] {
            let time = self.time + part * dt;
            let mut now = states.clone();
            for ((body, now), rate) in bodies.iter_mut().zip(&mut now).zip(&rates) {
                if body.is_dynamic() {
                    *now = now.moved(rate, part * dt);
                    now.put_into(body);
                }
            }
            self.prescribe(&mut bodies, time);
            // A load that ends with the step still acts at its end.
            let within = time.min(self.time + (1.0 - 1e-9) * dt);
            let acting = self.acting(&bodies, within, resting)?;
            rates = (0..bodies.len())
                .map(|index| now[index].rate(&bodies[index], acting.wrenches[index]))
                .collect();
            if sums.is_empty() {
                sums = rates.iter().map(|rate| rate.scaled(weight)).collect();
            } else {
                for (sum, rate) in sums.iter_mut().zip(&rates) {
                    *sum = sum.plus(&rate.scaled(weight));
                }
            }
        }
        for ((body, state), sum) in bodies.iter_mut().zip(&states).zip(&sums) {
            if body.is_dynamic() {
                state.moved(sum, dt / 6.0).put_into(body);
            }
        }
        self.prescribe(&mut bodies, self.time + dt);
        Ok(bodies)
    }

    /// The first event within a time, or the state after it.
    fn until_event(
        &self,
        start: &[Body],
        resting: &[Resting],
        dt: f64,
        report: &mut EventReport,
    ) -> Result<Stop> {
        let settings = self.settings();
        let pairs = &self.stepper.pairs;
        let state = self.after(start, resting, dt)?;
        let mut stop = Stop {
            after: dt,
            state,
            event: Happening::Nothing,
        };
        // What overlapped before counts from there.
        let ends = pairs.separations(&stop.state, settings.contact_distance);
        let mut deep: Vec<(usize, f64)> = Vec::new();
        let mut least = f64::INFINITY;
        for (index, end) in ends.iter().enumerate() {
            if *end < 0.0 {
                let before = pairs.separation_of(index, start);
                let floor = before.min(0.0);
                if *end < floor - settings.gap_tolerance {
                    deep.push((index, floor));
                    least = least.min(before - floor);
                }
            }
        }
        if !deep.is_empty() {
            let height = |bodies: &[Body]| {
                let of = deep
                    .iter()
                    .map(|&(pair, floor)| pairs.separation_of(pair, bodies) - floor);
                of.fold(f64::INFINITY, f64::min)
            };
            let at_end = height(&stop.state);
            stop = self.found(
                start,
                resting,
                ((0.0, least), (dt, at_end)),
                &height,
                settings.gap_tolerance,
                report,
            )?;
            stop.event = Happening::Collision;
            if stop.after <= 0.0 {
                let bodies: Vec<Contact> = resting.iter().map(|held| held.contact).collect();
                let [a, b] = pairs.pair(deep[0].0).map(|body| named(body, &start[body]));
                let why = format!("{a} and {b} move into each other though their contacts rest");
                return Err(self.stopped(start, &bodies, &why));
            }
        }
        for held in resting {
            let Some(along) = held.slips else { continue };
            let slip = |bodies: &[Body]| along.dot(&held.contact.placed(bodies).slip);
            let at_end = slip(&stop.state);
            if at_end < -settings.sticking_speed {
                let ends = ((0.0, slip(start)), (stop.after, at_end));
                let tolerance = 0.5 * settings.sticking_speed;
                stop = self.found(start, resting, ends, &slip, tolerance, report)?;
                stop.event = Happening::Stop;
            }
        }
        Ok(stop)
    }

    /// Where a function of the state falls to zero between two times: within the tolerance, or just before it.
    fn found(
        &self,
        start: &[Body],
        resting: &[Resting],
        (mut low, mut high): (Trial, Trial),
        of: &dyn Fn(&[Body]) -> f64,
        tolerance: f64,
        report: &mut EventReport,
    ) -> Result<Stop> {
        let mut before = start.to_vec();
        // False position needs a positive end; from zero on there is only halving.
        let mut halves = self.settings().search == TimeSearch::Bisection || low.1 <= tolerance;
        // Which end stayed in the last step of false position.
        let mut stayed = 0;
        let mut weights = (1.0, 1.0);
        for trial in 0..MAX_TRIALS {
            if high.0 - low.0 <= FINEST_SHARE * self.h {
                break;
            }
            // False position that does not get there is given up.
            halves |= trial > 60;
            let time = if halves {
                0.5 * (low.0 + high.0)
            } else {
                let (at_low, at_high) = (low.1 * weights.0, high.1 * weights.1);
                low.0 + (high.0 - low.0) * at_low / (at_low - at_high)
            };
            let state = self.after(start, resting, time)?;
            report.trials += 1;
            let value = of(&state);
            if value.abs() <= tolerance && low.1 > tolerance {
                return Ok(Stop {
                    after: time,
                    state,
                    event: Happening::Nothing,
                });
            }
            if value < -tolerance {
                high = (time, value);
                weights = (if stayed == -1 { 0.5 * weights.0 } else { 1.0 }, 1.0);
                stayed = -1;
            } else {
                low = (time, value.max(0.0));
                before = state;
                weights = (1.0, if stayed == 1 { 0.5 * weights.1 } else { 1.0 });
                stayed = 1;
            }
        }
        Ok(Stop {
            after: low.0,
            state: before,
            event: Happening::Nothing,
        })
    }
}

/// Why the integration stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Happening {
    Nothing,
    Collision,
    /// A contact stopped sliding.
    Stop,
}

/// Where the integration stopped.
struct Stop {
    /// Time since its start `[s]`.
    after: f64,
    state: Vec<Body>,
    event: Happening,
}

impl Rate {
    fn scaled(&self, by: f64) -> Self {
        Self {
            position: self.position * by,
            rotation: self.rotation * by,
            wrench: (self.wrench.0 * by, self.wrench.1 * by),
        }
    }

    fn plus(&self, other: &Self) -> Self {
        Self {
            position: self.position + other.position,
            rotation: self.rotation + other.rotation,
            wrench: (
                self.wrench.0 + other.wrench.0,
                self.wrench.1 + other.wrench.1,
            ),
        }
    }
}

/// Mean velocities from one pose to another.
fn velocity(from: &Pose, to: &Pose, time: f64) -> Twist {
    let turned = to.orientation * from.orientation.inverse();
    (
        (to.position - from.position) / time,
        turned.scaled_axis() / time,
    )
}

fn is_finite(body: &Body) -> bool {
    let vectors = [
        &body.pose.position,
        &body.linear_velocity,
        &body.angular_velocity,
    ];
    vectors.iter().all(|v| v.iter().all(|x| x.is_finite()))
}
