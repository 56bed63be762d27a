//! One step of the event stepper: from event to event until its end.

use super::contact::Contact;
use super::forces::{Acting, Drive, Resting, acting, ahead_of_motors};
use super::impact::{self, Outcome};
use super::parts::named;
use super::rows::Twist;
use super::state::{Rate, State};
use super::{EventReport, EventSettings, EventStepper, TimeSearch};
use crate::error::{Error, Result};
use crate::math::{Pose, Vec3};
use crate::world::{Body, BodyKind, World};

/// Steps of false position, or halvings, for one time of collision.
const MAX_TRIALS: u32 = 200;
/// A time of collision is as exact as it gets when the interval is this share of the step.
const FINEST_SHARE: f64 = 1e-15;
/// The share of its size that a body may move by in one go: it does not pass through another.
const TRAVEL: f64 = 0.5;
/// Difference of time for the velocities of prescribed motions `[s]`.
const MOTION_DIFFERENCE: f64 = 1e-5;

/// One step of a world.
pub(super) struct Run<'a> {
    pub(super) stepper: &'a EventStepper,
    pub(super) world: &'a World,
    pub(super) time: f64,
    pub(super) h: f64,
}

/// State between two events: the contacts that rest, and the drives of motors.
type Held<'a> = (&'a [Resting], &'a [Drive]);

/// One step of a search for a time: a time after the start and the function there.
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
    pub(super) fn at(&self, bodies: &[Body], time: f64) -> Vec<Body> {
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
    pub(super) fn accelerations(&self, bodies: &[Body], time: f64) -> Vec<Twist> {
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
    pub(super) fn resting(&self, bodies: &[Body]) -> Vec<Resting> {
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

    /// Drive of each motor towards a velocity from here on.
    pub(super) fn drives(&self, bodies: &[Body]) -> Vec<Drive> {
        let ahead = ahead_of_motors(self.world, bodies, self.time, self.h);
        let drive = |(ahead, turns): (f64, bool)| {
            if ahead.abs() <= self.holding_speed(turns) {
                Drive::Holds
            } else {
                Drive::Pushes(-ahead.signum())
            }
        };
        ahead.into_iter().map(drive).collect()
    }

    /// Difference from its velocity at which a motor is there `[m/s]`, or where it turns `[rad/s]`.
    fn holding_speed(&self, turns: bool) -> f64 {
        let settings = self.settings();
        let size = self.stepper.smallest;
        if turns && size.is_finite() {
            settings.sticking_speed / size
        } else {
            settings.sticking_speed
        }
    }

    pub(super) fn acting(
        &self,
        bodies: &[Body],
        time: f64,
        (resting, drives): Held<'_>,
    ) -> Result<Acting> {
        let settings = self.settings();
        let accelerations = self.accelerations(bodies, time);
        acting(
            self.world,
            bodies,
            &accelerations,
            (resting, drives),
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
    pub(super) fn through(
        &mut self,
        report: &mut EventReport,
    ) -> Result<(Vec<Body>, Vec<Contact>)> {
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
            let drives = self.drives(&start);
            let Stop {
                after,
                state,
                event,
            } = self.until_event(&start, (&resting, &drives), dt, report)?;
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
                Happening::Arrival => {}
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
            let radius = body.shape.bounding_radius();
            // A half-space has no far points that could pass through a body.
            let turning = if radius.is_finite() {
                body.angular_velocity.norm() * radius
            } else {
                0.0
            };
            body.linear_velocity.norm() + turning
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
    fn after(&self, start: &[Body], held: Held<'_>, dt: f64) -> Result<Vec<Body>> {
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
            let acting = self.acting(&bodies, within, held)?;
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
        held: Held<'_>,
        dt: f64,
        report: &mut EventReport,
    ) -> Result<Stop> {
        let settings = self.settings();
        let pairs = &self.stepper.pairs;
        let (resting, drives) = held;
        let state = self.after(start, held, dt)?;
        let mut stop = Stop {
            after: dt,
            state,
            event: Happening::Nothing,
        };
        // A pair that overlapped before counts from there.
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
                held,
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
        for contact in resting {
            let Some(along) = contact.slips else { continue };
            let slip = |bodies: &[Body]| along.dot(&contact.contact.placed(bodies).slip);
            let at_end = slip(&stop.state);
            if at_end < -settings.sticking_speed {
                let ends = ((0.0, slip(start)), (stop.after, at_end));
                let tolerance = 0.5 * settings.sticking_speed;
                stop = self.found(start, held, ends, &slip, tolerance, report)?;
                stop.event = Happening::Stop;
            }
        }
        // A motor that is past its velocity at the end got there before.
        for (index, drive) in drives.iter().enumerate() {
            let Drive::Pushes(way) = drive else { continue };
            let behind = |bodies: &[Body]| {
                let (ahead, turns) = ahead_of_motors(self.world, bodies, self.time, self.h)[index];
                (-way * ahead, turns)
            };
            let (at_end, turns) = behind(&stop.state);
            let tolerance = self.holding_speed(turns);
            if at_end < -tolerance {
                let ends = ((0.0, behind(start).0), (stop.after, at_end));
                let of = |bodies: &[Body]| behind(bodies).0;
                stop = self.found(start, held, ends, &of, 0.5 * tolerance, report)?;
                stop.event = Happening::Arrival;
            }
        }
        Ok(stop)
    }

    /// Where a function of the state falls to zero between two times: within the tolerance, or just before it.
    fn found(
        &self,
        start: &[Body],
        held: Held<'_>,
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
            let state = self.after(start, held, time)?;
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
    /// A motor is at its velocity.
    Arrival,
}

/// Where the integration stopped.
struct Stop {
    /// Time since its start `[s]`.
    after: f64,
    state: Vec<Body>,
    event: Happening,
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
