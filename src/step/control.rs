//! How a step is divided, from what the bodies do.
//!
//! A step of length h finds its contacts k times, and between two searches is divided into n substeps of
//! `h_s = h / (k n)`. Both follow from lengths that have a meaning, and not from a table:
//!
//! * **k**: between two searches directions and levers stay, so nothing may move far past what it touches or out of what it overlaps, nor
//!   turn far, nor may a prescribed motion bend much. It is as many as the fastest bodies ask for; contacts of others are not found as
//!   often (`collide/kept.rs`).
//! * **n**: a soft contact is a spring of stiffness `kappa / W_nn` with `kappa = (gamma / eps) / h_s^2` (see
//!   [`step`](super)). It has to be stiff enough to carry what stands on it without sinking in far, and without
//!   buckling; and what meets in the step is to be stopped before it is deep inside, also by what is much lighter ([`squeeze`]). Bodies on joints may not turn far in
//!   a substep.
//!
//! Buckling: a tower of H bodies that rest on one other each, interfaces of rotational stiffness
//! `k_r = kappa sum w^2 / W_nn` (`w` being how far a contact is from the middle of its interface), stands while
//! `sum k_r (theta_l - theta_(l-1))^2 > g sum M_l L theta_l^2` for every lean theta, `M_l` being the mass from body l up.
//! For equal cubes of side L it is Greenhill's column: `kappa > 1.02 g H^3 / L`.

use super::halfway::Halfway;
use super::lasting::Lasting;
use super::plan::Overlaps;
use super::squeeze;
use super::weights::{Load, Pressed, Weights};
use crate::collide::impulse_cache::Remembered;
use crate::collide::{ContactPoint, Stretch};
use crate::constants::{
    BODIES_PER_THREAD, CONTACTS_PER_THREAD, HELD_LOAD_PER_SIZE, LEAST_REACH, LOADS_LAST,
    MAX_CONTACT_UPDATES, MAX_SUBSTEPS, MAX_SUBSTEPS_FOR_IMPACTS, MAX_SUBSTEPS_OF_FEW, MIN_SUBSTEPS,
    MOTION_PER_CONTACT_UPDATE, MOTION_PER_CORRECTION, MOTION_PER_SUBSTEP, PRESCRIBED_BEND,
    PRESCRIBED_ERROR, SQUEEZED_BY_RATIO, SUBSTEPS_TIMES_ROWS, SWING_PER_SUBSTEP, TURN_PER_SUBSTEP,
};
use crate::math::{Pose, Vec3};
use crate::parallel::{self, SharedSlice};
use crate::world::{Body, BodyKind, Joint, World};
use std::array;

/// How one step is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Division {
    /// Searches for contacts k.
    pub(super) updates: u32,
    /// Substeps n between two of them.
    pub(super) substeps: u32,
    /// True if more would have been needed than there may be.
    pub(super) capped: bool,
}

impl Division {
    /// One that is given: a search, and then so many substeps.
    pub(super) fn into(substeps: u32) -> Self {
        Self {
            updates: 1,
            substeps,
            capped: false,
        }
    }
}

/// The rest of a step: parts of the same length, each with a search for contacts and so many substeps.
#[derive(Debug)]
pub(super) struct Rest {
    /// When it was divided, and what was left then `[s]`.
    begin: f64,
    span: f64,
    /// Length of the whole step `[s]`.
    whole: f64,
    parts: u32,
    done: u32,
    pub(super) substeps: u32,
    /// True if more parts would have been needed than there may be.
    pub(super) capped: bool,
}

impl Rest {
    /// All of a step.
    pub(super) fn of(begin: f64, span: f64, division: Division) -> Self {
        Self {
            begin,
            span,
            whole: span,
            parts: division.updates,
            done: 0,
            substeps: division.substeps,
            capped: false,
        }
    }

    /// Length of a part `[s]`.
    pub(super) fn length(&self) -> f64 {
        self.span / f64::from(self.parts)
    }

    /// Goes on to the next part; returns when the one before ends.
    pub(super) fn advance(&mut self) -> f64 {
        self.done += 1;
        self.begin + f64::from(self.done) / f64::from(self.parts) * self.span
    }

    /// Parts that are left.
    pub(super) fn left(&self) -> u32 {
        self.parts - self.done
    }

    /// The stretch that the search for contacts of the next part stands for.
    pub(super) fn stretch(&self) -> Stretch {
        Stretch {
            parts: self.left(),
            is_within_step: true,
        }
    }

    /// Divides what is left into so many parts.
    fn divide(&mut self, parts: u32, substeps: u32) {
        let at = f64::from(self.done) / f64::from(self.parts) * self.span;
        self.begin += at;
        self.span -= at;
        (self.parts, self.done, self.substeps) = (parts, 0, substeps);
    }
}

/// Loads and buffers kept from step to step.
#[derive(Debug, Default)]
pub(super) struct Control {
    weights: Weights,
    pressed: Pressed,
    lasting: Lasting,
    /// Indices of the kinematic ones.
    kinematic: Vec<usize>,
    /// Steps for which the weights are still good.
    good_for: u32,
    /// Contacts when they were found.
    contacts: usize,
    /// By body, whether it asks for a division by itself.
    fast: Vec<bool>,
    /// By chunk of contacts, how far bodies close in and move past each other, and how far heavy ones may squeeze others.
    motions: Vec<[f64; 3]>,
    /// By body, the mass of those that it closes in on `[kg]`.
    met: Vec<f64>,
}

impl Control {
    /// For a world whose bodies are new.
    pub(super) fn reset(&mut self) {
        self.weights.bodies.clear();
        self.lasting = Lasting::default();
        self.good_for = 0;
    }

    /// Takes in bodies that are new.
    fn take_bodies(&mut self, world: &World) {
        self.weights.take_bodies(world);
        let kinematic = world.bodies.iter().enumerate();
        let kinematic = kinematic.filter(|(_, body)| body.kind == BodyKind::Kinematic);
        self.kinematic.clear();
        self.kinematic.extend(kinematic.map(|(index, _)| index));
    }

    /// Looks at what presses beside weights: what contacts of the last part carried, the deepest of `deepest` `[m]`, and what is known of the next step of length `h`. To be called
    /// before [`Self::divide`].
    pub(super) fn look(
        &mut self,
        world: &World,
        (carried, deepest): (&Remembered<'_>, f64),
        h: f64,
    ) {
        if self.weights.bodies.len() != world.bodies.len() {
            self.take_bodies(world);
            self.good_for = 0;
        }
        self.pressed = self.weights.pressed(
            (world, &self.kinematic),
            (carried, &mut self.lasting),
            deepest,
            h,
        );
    }

    /// Acceleration by loads that contacts of bodies of some size `[m]` are known to hold: what drives explain, and what the stiffness for weights
    /// carries `[m/s^2]`.
    pub(super) fn held(&self, size: f64) -> f64 {
        let by_weights = HELD_LOAD_PER_SIZE * size * self.weights.stiffness;
        self.pressed.held.max(by_weights)
    }

    /// Acceleration by what drives bodies beside gravity, the most of all `[m/s^2]`.
    pub(super) fn driven(&self) -> f64 {
        self.pressed.driven
    }

    /// How to divide the next step of length `h` on these contacts, where those of the last part `carried` something; soft contacts have
    /// `stiffness_of_unit` in substeps of 1 s.
    pub(super) fn divide(
        &mut self,
        (world, halfway): (&World, &Halfway),
        (contacts, overlaps, carried): (&[ContactPoint], Overlaps, &Remembered<'_>),
        starts: &[Pose],
        h: f64,
        stiffness_of_unit: f64,
    ) -> Division {
        let (pressed, deepest) = (self.pressed.stiffness, overlaps.deepest);
        if self.good_for == 0
            || contacts.len().abs_diff(self.contacts) > self.contacts / 8
            || pressed > self.weights.stiffness
        {
            self.weights
                .weigh(world, contacts, (carried, &self.pressed), h);
            self.contacts = contacts.len();
            self.good_for = LOADS_LAST;
        } else if deepest > HELD_LOAD_PER_SIZE * self.weights.smallest
            && self.weights.heaviest > SQUEEZED_BY_RATIO * self.weights.lightest
        {
            // Something heavy may have come to press, deeper than springs hold: not all of it need show yet.
            let before = self.weights.stiffness;
            self.weights
                .weigh(world, contacts, (carried, &self.pressed), h);
            self.weights.stiffness = self.weights.stiffness.max(before);
        }
        self.good_for -= 1;
        let for_turns = self.find_fast(world, deepest, h);
        let [for_impacts, past] = self.motions((world, halfway), (contacts, overlaps), h);
        // Falling bodies are faster at the end of the step, and may not be near yet to those that they meet.
        let fall = world.gravity.norm() * h * h / self.weights.falling;
        let past = past.max(fall / MOTION_PER_CONTACT_UPDATE).max(for_turns);
        let for_falls = (fall / MOTION_PER_SUBSTEP).min(MAX_SUBSTEPS_FOR_IMPACTS);
        let for_impacts = for_impacts.max(for_falls);
        let wanted_updates = past.max(self.for_prescribed_motions(world, starts, h));
        let updates = wanted_updates
            .clamp(1.0, f64::from(MAX_CONTACT_UPDATES))
            .ceil();
        let stiffness = self.weights.stiffness.max(pressed);
        let for_loads = h * (stiffness / stiffness_of_unit).sqrt();
        let for_joints = self.for_joints(world, h);
        let wanted = for_loads.max(for_impacts).max(for_joints).max(MIN_SUBSTEPS);
        let most = most_substeps(world, contacts);
        let all = wanted.min(most);
        Division {
            updates: updates as u32,
            substeps: (all / updates).ceil().max(1.0) as u32,
            capped: wanted > most || wanted_updates > f64::from(MAX_CONTACT_UPDATES),
        }
    }

    /// Divides what is left of a step again if these contacts want more than half as many parts again as there are: those that were
    /// out of reach when it was divided. True if it does.
    pub(super) fn divide_rest(
        &mut self,
        moving: (&World, &Halfway),
        (contacts, overlaps): (&[ContactPoint], Overlaps),
        rest: &mut Rest,
    ) -> bool {
        let (left, h) = (rest.left(), rest.length());
        let span = h * f64::from(left);
        let for_turns = self.find_fast(moving.0, overlaps.deepest, span);
        let [for_impacts, past] = self.motions(moving, (contacts, overlaps), span);
        let wanted = past.max(for_turns);
        // The shortest parts are those of a whole step in as many as there may be.
        let most = f64::from(MAX_CONTACT_UPDATES) * span / rest.whole;
        // A part is never shorter, though what is left is rounded.
        let parts = wanted.ceil().min((most + 1e-9).floor());
        if parts <= 1.5 * f64::from(left) {
            return false;
        }
        let for_impacts = for_impacts.min(most_substeps(moving.0, contacts));
        let substeps = f64::from(left * rest.substeps).max(for_impacts) / parts;
        rest.divide(parts as u32, substeps.ceil().max(1.0) as u32);
        rest.capped |= wanted > most;
        true
    }

    /// How far bodies close in on each other over what a substep stands for, and how far they move past each other, or are moved out of each other,
    /// over what a search stands for, in a step of length `h`: the most of all that meet in it. Zeros if all are slow.
    fn motions(
        &mut self,
        (world, halfway): (&World, &Halfway),
        (contacts, overlaps): (&[ContactPoint], Overlaps),
        h: f64,
    ) -> [f64; 2] {
        let deepest = overlaps.correction(-overlaps.deepest, self.weights.smallest, h);
        if !self.fast.contains(&true) && deepest == 0.0 {
            return [0.0; 2];
        }
        let (bodies, fast) = (&self.weights.bodies, &self.fast);
        let none = [0.0; 3];
        let motion = |point: &ContactPoint| {
            let [a, b] = point.bodies.map(|body| body as usize);
            let size = bodies[a].size.min(bodies[b].size);
            let corrected = overlaps.correction(point.separation, size, h);
            if !(fast[a] || fast[b]) && corrected == 0.0 {
                return none;
            }
            let u = halfway.slip(world, point);
            let along = u.dot(&point.normal);
            if point.separation + h * along >= 0.0 {
                return none;
            }
            // The normal of a deep overlap turns about what is left between the middles of the bodies.
            let reach = (size + point.separation).clamp(LEAST_REACH * size, size);
            let moved = u.norm() * h + MOTION_PER_CORRECTION * corrected;
            let past = moved / (reach * MOTION_PER_CONTACT_UPDATE);
            let closing = -along * h / (size * MOTION_PER_SUBSTEP);
            let squeezing = squeeze::of_contact(world, bodies, point, -along, h);
            [closing, past, squeezing]
        };
        let most = |some: [f64; 3], more: [f64; 3]| array::from_fn(|k| some[k].max(more[k]));
        let chunks = contacts.len().div_ceil(CONTACTS_PER_THREAD);
        let mut motions = std::mem::take(&mut self.motions);
        parallel::fill(&mut motions, chunks, 1, |chunk| {
            let first = chunk * CONTACTS_PER_THREAD;
            let end = contacts.len().min(first + CONTACTS_PER_THREAD);
            contacts[first..end].iter().map(motion).fold(none, most)
        });
        let [closing, past, squeezing] = motions.iter().copied().fold(none, most);
        self.motions = motions;
        let closing = closing.min(MAX_SUBSTEPS_FOR_IMPACTS);
        if squeezing <= closing.max(MIN_SUBSTEPS) {
            return [closing, past];
        }
        let squeezing = squeeze::of_all((world, halfway), bodies, contacts, &mut self.met, h);
        [closing.max(squeezing), past]
    }

    /// Marks the bodies that may move so far in a step of length `h` that it has to be divided for them; two others
    /// stay within what one search stands for, and so within the least number of substeps. No two overlap by more than
    /// `deepest` `[m]`. Returns the searches for contacts that the fastest turn in the step asks for: levers and axes of
    /// inertia turn with a body that is no sphere, but not about the axis that a shape and its inertia are symmetric about, as that of
    /// a cylinder that rolls.
    fn find_fast(&mut self, world: &World, deepest: f64, h: f64) -> f64 {
        let (smallest, lightest) = (self.weights.smallest, self.weights.lightest);
        let reach = (smallest - deepest).max(LEAST_REACH * smallest);
        let far = 0.5 * MOTION_PER_CONTACT_UPDATE * reach;
        self.fast.resize(world.bodies.len(), false);
        let slices = (
            &world.bodies[..],
            &self.weights.bodies[..],
            SharedSlice::new(&mut self.fast),
        );
        let mark = |_, (bodies, loads, fast): (&[Body], &[Load], &mut [bool])| {
            let mut searches: f64 = 0.0;
            for ((body, load), is_fast) in bodies.iter().zip(loads).zip(fast) {
                let turn = body.angular_velocity.norm() * h;
                let moves = body.linear_velocity.norm() * h;
                let turn_of_shape = if load.is_of_revolution && turn > 0.0 {
                    let axis = body.pose.orientation * Vec3::z();
                    body.angular_velocity.cross(&axis).norm() * h
                } else {
                    turn
                };
                searches = searches.max(load.searches_per_turn * turn_of_shape);
                let surface = if turn > 0.0 { turn * load.radius } else { 0.0 };
                // A heavy body squeezes others at a lower speed.
                let ratio = if body.is_dynamic() {
                    (load.mass / lightest / SQUEEZED_BY_RATIO).max(1.0)
                } else {
                    1.0
                };
                *is_fast = (moves + surface) * ratio > far;
            }
            searches
        };
        parallel::fold(slices, BODIES_PER_THREAD, 0.0, mark, f64::max)
    }

    /// Parts of a step of length `h` that the turning and swinging of what joints hold asks for.
    fn for_joints(&self, world: &World, h: f64) -> f64 {
        let gravity = world.gravity.norm();
        let parts = |joint: &Joint| {
            let (mut turn, mut radius) = (0.0_f64, 0.0_f64);
            for body in [Some(joint.body_a), joint.body_b].into_iter().flatten() {
                let body = body as usize;
                turn = turn.max(world.bodies[body].angular_velocity.norm());
                if world.bodies[body].is_dynamic() {
                    radius = radius.max(self.weights.bodies[body].radius);
                }
            }
            let swing = if radius > 0.0 {
                (0.5 * gravity / radius).sqrt()
            } else {
                0.0
            };
            h * (turn / TURN_PER_SUBSTEP).max(swing / SWING_PER_SUBSTEP)
        };
        let held = world.joints.iter().filter(|joint| !joint.broken);
        held.map(parts).fold(0.0, f64::max)
    }

    /// Searches for contacts that prescribed motions ask for over the next step: within a part they are straight or, where they are smooth, of a
    /// velocity that grows evenly.
    fn for_prescribed_motions(&self, world: &World, starts: &[Pose], h: f64) -> f64 {
        let mut searches: f64 = 0.0;
        if self.kinematic.is_empty() {
            return searches;
        }
        let smallest = world.smallest_radius();
        for &index in &self.kinematic {
            let (body, start) = (&world.bodies[index], &starts[index]);
            if let Some(motion) = &body.motion {
                let at = |part: f64| motion.pose(start, world.time + part * h);
                let [p, q, r] = [0.0, 0.5, 1.0].map(at);
                let line = |part: f64| (1.0 - part) * p.position + part * r.position;
                let off = q.position - line(0.5);
                let reach = body.shape.bounding_radius().min(20.0 * smallest);
                let turned = (p.orientation.inverse() * r.orientation).angle();
                let arc = reach * turned * turned / 8.0;
                let (bend, third) = match motion.gain(world.time, h) {
                    Some(_) => (arc, at(0.25).position - line(0.25) - 0.75 * off),
                    None => (off.norm().max(arc), Vec3::zeros()),
                };
                let for_bend = (bend / (PRESCRIBED_BEND * smallest)).sqrt();
                let for_third = (third.norm() / (PRESCRIBED_ERROR * smallest)).cbrt();
                searches = searches.max(for_bend).max(for_third);
            }
        }
        searches
    }
}

/// State of a control for a checkpoint; fields are those of [`Control`].
#[cfg(feature = "scene")]
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct SavedControl {
    /// True if the bodies were taken in.
    is_begun: bool,
    stiffness: f64,
    falling: f64,
    good_for: u32,
    contacts: usize,
    lasting: Vec<([u32; 2], f64)>,
}

#[cfg(feature = "scene")]
impl Control {
    /// Its state for a checkpoint.
    pub(super) fn saved(&self) -> SavedControl {
        SavedControl {
            is_begun: !self.weights.bodies.is_empty(),
            stiffness: self.weights.stiffness,
            falling: self.weights.falling,
            good_for: self.good_for,
            contacts: self.contacts,
            lasting: self.lasting.saved().to_vec(),
        }
    }

    /// The control that was saved of a world.
    pub(super) fn restored(saved: &SavedControl, world: &World) -> Self {
        let mut control = Self {
            weights: Weights::found(saved.stiffness, saved.falling),
            good_for: saved.good_for,
            contacts: saved.contacts,
            lasting: Lasting::restored(saved.lasting.clone()),
            ..Self::default()
        };
        if saved.is_begun {
            control.take_bodies(world);
        }
        control
    }
}

/// Most substeps that there may be.
fn most_substeps(world: &World, contacts: &[ContactPoint]) -> f64 {
    let rows = (contacts.len() + world.joints.len()).max(1);
    (SUBSTEPS_TIMES_ROWS / rows as f64).clamp(MAX_SUBSTEPS, MAX_SUBSTEPS_OF_FEW)
}
