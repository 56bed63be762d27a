//! One step of the event stepper: from event to event until its end.

use super::contact::{Contact, Identity};
use super::forces::{Acting, Drive, Resting, acting, ahead_of_motors};
use super::impact::{self, Outcome};
use super::parts::{Pairs, named};
use super::rows::Twist;
use super::state::{Rate, State};
use super::stop::{Happening, STRAIN_TOLERANCE, Stop};
use super::{EventReport, EventSettings, EventStepper, Feedback};
use crate::error::{Error, Result};
use crate::math::{Pose, Vec3};
use crate::world::joint::Joint;
use crate::world::{Body, BodyKind, World};
use std::borrow::Cow;

/// A time of collision is as exact as it gets when the interval is this share of the step.
pub(super) const FINEST_SHARE: f64 = 1e-15;
/// The share of its size that a body may move by in one go: it does not pass through another.
const TRAVEL: f64 = 0.5;
/// The share of the time in which a tilted disk turns by an angle that one integration goes over.
const TILT_SHARE: f64 = 0.1;
/// Load of a joint over what it bears above which it breaks.
const OVERLOADED: f64 = 1.0 + f64::EPSILON;
/// The same where a search for the time of a break has ended.
const AT_LIMIT: f64 = 1.0 - 2.0 * STRAIN_TOLERANCE;
/// Difference of time for the velocities of prescribed motions `[s]`.
const MOTION_DIFFERENCE: f64 = 1e-5;

/// One step of a world.
pub(super) struct Run<'a> {
    pub(super) stepper: &'a EventStepper,
    /// As at the start of the step, but for joints that have broken since.
    world: Cow<'a, World>,
    /// In place of the stepper's, where joints have broken that kept bodies from touching.
    pairs: Option<Pairs>,
    pub(super) time: f64,
    pub(super) h: f64,
}

/// State between two events: the contacts that rest, and the drives of motors.
pub(super) type Held<'a> = (&'a [Resting], &'a [Drive]);

impl<'a> Run<'a> {
    /// A step of length `h` `[s]` that begins now.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a shape that the event stepper has no contacts for.
    pub(super) fn new(stepper: &'a EventStepper, world: &'a World, h: f64) -> Result<Self> {
        let mut run = Self {
            stepper,
            world: Cow::Borrowed(world),
            pairs: None,
            time: world.time,
            h,
        };
        run.renew_pairs()?;
        Ok(run)
    }

    /// The pairs and the joints, if they are not those that the step began with.
    pub(super) fn changed(self) -> (Option<Pairs>, Option<Vec<Joint>>) {
        let joints = match self.world {
            Cow::Owned(world) => Some(world.joints),
            Cow::Borrowed(_) => None,
        };
        (self.pairs, joints)
    }

    fn renew_pairs(&mut self) -> Result<()> {
        if !self.pairs().are_of(&self.world) {
            self.pairs = Some(Pairs::new(&self.world)?);
        }
        Ok(())
    }

    pub(super) fn world(&self) -> &World {
        &self.world
    }

    pub(super) fn pairs(&self) -> &Pairs {
        self.pairs.as_ref().unwrap_or(&self.stepper.pairs)
    }

    /// Breaks the joints that have a load of at least `most` times what they bear. False if there are none.
    fn break_joints(
        &mut self,
        loads: &[[Vec3; 2]],
        most: f64,
        report: &mut EventReport,
    ) -> Result<bool> {
        let over: Vec<usize> = (0..loads.len())
            .filter(|&index| strain(&self.world.joints[index], &loads[index]) >= most)
            .collect();
        if over.is_empty() {
            return Ok(false);
        }
        for index in over {
            self.world.to_mut().joints[index].broken = true;
            report.breaks.push(self.time);
        }
        self.renew_pairs()?;
        Ok(true)
    }

    pub(super) fn settings(&self) -> &'a EventSettings {
        &self.stepper.settings
    }

    pub(super) fn stopped(&self, bodies: &[Body], contacts: &[Contact], why: &str) -> Error {
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
    pub(super) fn touching(&self, bodies: &[Body]) -> Vec<Resting> {
        let distance = self.settings().contact_distance;
        let contacts = self.pairs().contacts(bodies, distance).into_iter();
        contacts.filter_map(|one| self.hold(one, bodies)).collect()
    }

    /// A contact that does not part, with the direction of its slip.
    pub(super) fn hold(&self, contact: Contact, bodies: &[Body]) -> Option<Resting> {
        let settings = self.settings();
        let at = contact.placed(bodies);
        let slip = at.slip.norm();
        (at.speed <= settings.resting_speed).then(|| Resting {
            contact,
            slips: (slip > settings.sticking_speed).then(|| at.slip / slip),
        })
    }

    /// Drive of each motor towards a velocity from here on.
    pub(super) fn drives(&self, bodies: &[Body]) -> Vec<Drive> {
        let ahead = ahead_of_motors(&self.world, bodies, self.time, self.h);
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
    pub(super) fn holding_speed(&self, turns: bool) -> f64 {
        let settings = self.settings();
        let size = self.stepper.smallest;
        if turns && size.is_finite() {
            settings.sticking_speed / size
        } else {
            settings.sticking_speed
        }
    }

    pub(super) fn acting(&self, bodies: &[Body], time: f64, held: Held<'_>) -> Result<Acting> {
        self.acting_with(self.settings(), bodies, time, held)
    }

    fn acting_with(
        &self,
        settings: &EventSettings,
        bodies: &[Body],
        time: f64,
        (resting, drives): Held<'_>,
    ) -> Result<Acting> {
        let accelerations = self.accelerations(bodies, time);
        acting(
            &self.world,
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
    ) -> Result<(Vec<Body>, Vec<Identity>)> {
        let settings = *self.settings();
        let end = self.time + self.h;
        let mut bodies = self.at(&self.world.bodies, self.time);
        let mut held = self.stepper.held.clone();
        let mut events = 0;
        let shortest = FINEST_SHARE * self.h;
        loop {
            let contacts = self.pairs().contacts(&bodies, settings.contact_distance);
            match impact::part(
                &self.world,
                &mut bodies,
                &contacts,
                &held,
                self.time,
                self.h,
                &settings,
            ) {
                Outcome::Parted { impacts, of_joints } => {
                    report.impacts += impacts;
                    // An impulse counts as its mean over the step.
                    let loads: Vec<[Vec3; 2]> = of_joints
                        .iter()
                        .map(|impulses| impulses.map(|impulse| impulse / self.h))
                        .collect();
                    if self.break_joints(&loads, OVERLOADED, report)? {
                        continue;
                    }
                }
                Outcome::NoImpulses => {
                    return Err(self.stopped(&bodies, &contacts, "no impulses part what hits"));
                }
                Outcome::Endless => {
                    let why = "impacts one after the other do not end";
                    return Err(self.stopped(&bodies, &contacts, why));
                }
            }
            let drives = self.drives(&bodies);
            let resting = self.resting(&bodies, &drives)?;
            held = resting.iter().map(|held| held.contact.identity()).collect();
            let left = end - self.time;
            if left <= shortest {
                return Ok((bodies, held));
            }
            let dt = left
                .min(self.safe(&bodies, &resting))
                .min(self.next_change());
            let start = bodies.clone();
            if self.can_break() {
                let loads = self.loads(&start, self.time, (&resting, &drives))?;
                if self.break_joints(&loads, OVERLOADED, report)? {
                    continue;
                }
            }
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
                Happening::Break => {
                    let loads = self.loads(&bodies, self.time, (&resting, &drives))?;
                    self.break_joints(&loads, AT_LIMIT, report)?;
                }
            }
            events += 1;
            if events > settings.max_events {
                let contacts = self.pairs().contacts(&bodies, settings.contact_distance);
                let why = format!("{events} events in one step do not end");
                return Err(self.stopped(&bodies, &contacts, &why));
            }
        }
    }

    pub(super) fn can_break(&self) -> bool {
        let joints = self.world.joints.iter();
        joints.into_iter().any(|joint| {
            !joint.broken && (joint.breaking_force.is_some() || joint.breaking_torque.is_some())
        })
    }

    /// Of each joint, the force of its linear rows and the torque of its angular ones on A `[N]`, `[N m]`; the correction of errors is no load.
    fn loads(&self, bodies: &[Body], time: f64, held: Held<'_>) -> Result<Vec<[Vec3; 2]>> {
        let settings = EventSettings {
            feedback: Feedback::NONE,
            ..*self.settings()
        };
        let acting = self.acting_with(&settings, bodies, time, held)?;
        Ok(acting.of_joints)
    }

    /// The largest load of a joint over what it bears; more than 1 breaks it.
    pub(super) fn largest_strain(&self, bodies: &[Body], time: f64, held: Held<'_>) -> Result<f64> {
        let loads = self.loads(bodies, time, held)?;
        let strains = self.world.joints.iter().zip(&loads);
        Ok(strains
            .map(|(joint, load)| strain(joint, load))
            .fold(0.0, f64::max))
    }

    /// The longest time in which nothing passes through anything, and no rim that rolls on a face turns far.
    fn safe(&self, bodies: &[Body], resting: &[Resting]) -> f64 {
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
        // A disk tilted by little turns about its lowest point within the time of a fall by the height that its tilt gives it.
        let rolling = resting.iter().filter_map(|held| held.contact.tilt(bodies));
        let by_tilt = rolling.map(|(height, turning)| {
            let fall = (height / falling.max(f64::MIN_POSITIVE)).sqrt();
            fall.min(1.0 / turning.max(f64::MIN_POSITIVE))
        });
        let by_tilt = TILT_SHARE * by_tilt.fold(f64::INFINITY, f64::min);
        by_speed.min(by_fall).min(by_tilt)
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
    pub(super) fn after(&self, start: &[Body], held: Held<'_>, dt: f64) -> Result<Vec<Body>> {
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
}

/// The load of a joint over what it bears, the larger of those of its force and its torque; 0 if nothing breaks it.
fn strain(joint: &Joint, [force, torque]: &[Vec3; 2]) -> f64 {
    if joint.broken {
        return 0.0;
    }
    let share = |load: &Vec3, most: Option<f64>| most.map_or(0.0, |most| load.norm() / most);
    share(force, joint.breaking_force).max(share(torque, joint.breaking_torque))
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
