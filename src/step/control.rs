//! How a step is divided, from what the bodies do.
//!
//! A step of length h finds its contacts k times, and between two searches is divided into n substeps of
//! `h_s = h / (k n)`. Both follow from lengths that have a meaning, and not from a table:
//!
//! * **k**: between two searches directions and levers stay, so nothing may move far past what it touches, nor
//!   turn far, nor may a prescribed motion bend much.
//! * **n**: a soft contact is a spring of stiffness `kappa / W_nn` with `kappa = (gamma / eps) / h_s^2` (see
//!   [`step`](super)). It has to be stiff enough to carry what stands on it without sinking in far, and without
//!   buckling; and what meets in the step is to be stopped before it is deep inside. Bodies on joints may not turn far in
//!   a substep.
//!
//! Buckling: a tower of H bodies that rest on one other each, interfaces of rotational stiffness
//! `k_r = kappa sum w^2 / W_nn` (`w` being how far a contact is from the middle of its interface), stands while
//! `sum k_r (theta_l - theta_(l-1))^2 > g sum M_l L theta_l^2` for every lean theta, `M_l` being the mass from body l up.
//! For equal cubes of side L it is Greenhill's column: `kappa > 1.02 g H^3 / L`.

use super::halfway::Halfway;
use crate::collide::ContactPoint;
use crate::constants::{
    BUCKLING_FACTOR, CONTACTS_PER_THREAD, CONTROL_QUANTILE, LEAST_REACH, LOADS_LAST,
    MAX_CONTACT_UPDATES, MAX_SUBSTEPS, MAX_SUBSTEPS_FOR_IMPACTS, MIN_SUBSTEPS,
    MOTION_PER_CONTACT_UPDATE, MOTION_PER_SUBSTEP, PRESCRIBED_BEND, PRESCRIBED_ERROR, SAG,
    SWEEPS_OF_A_BOUNCE, SWEEPS_OF_BOUNCES, SWING_PER_SUBSTEP, TOUCHING_PER_SIZE, TOWER_WIDTH,
    TURN_OF_A_RIM, TURN_PER_CONTACT_UPDATE, TURN_PER_SUBSTEP,
};
use crate::math::{Pose, Vec3};
use crate::parallel;
use crate::problem::bias::Scale;
use crate::world::{BodyKind, Joint, Shape, World};

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

/// Loads and buffers kept from step to step.
#[derive(Debug, Default)]
pub(super) struct Control {
    bodies: Vec<Load>,
    /// Indices of the kinematic ones.
    kinematic: Vec<usize>,
    /// Heights of bodies `[m]`, from the highest to the lowest.
    order: Vec<(f64, u32)>,
    /// A body, one that carries it, and their contacts.
    supports: Vec<Support>,
    /// The same by upper body.
    by_upper: Vec<Support>,
    /// Stiffness that loads ask for `[1/s^2]`.
    stiffness: f64,
    /// Size of the smallest body that nothing carries `[m]`; infinite if all are carried.
    falling: f64,
    /// Steps for which these are still good.
    good_for: u32,
    /// Contacts when it was found.
    contacts: usize,
    numbers: Vec<f64>,
    /// By body, whether it asks for a division by itself.
    fast: Vec<bool>,
    /// By body, whether it bounces in the step.
    bounced: Vec<bool>,
    /// By chunk of contacts, how far bodies close in and move past each other.
    motions: Vec<[f64; 2]>,
}

/// The load on a body.
#[derive(Debug, Clone, Copy, Default)]
struct Load {
    /// Twice the radius of the largest ball inside `[m]`.
    size: f64,
    /// Bounding radius `[m]`.
    radius: f64,
    /// Searches for contacts that a turn asks for `[1/rad]`; none of a sphere and of what nothing moves.
    searches_per_turn: f64,
    /// Mass `[kg]`, infinite for what nothing moves.
    mass: f64,
    /// Mass from this body up `[kg]`.
    above: f64,
    /// Bodies that carry it.
    supports: u32,
    /// One past the last of them in the list by upper bodies, once it is full.
    supports_end: u32,
    /// Bodies of the tower from this body up.
    tower: u32,
    /// Sum of `above` over that tower `[kg]`.
    moment: f64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Support {
    upper: u32,
    lower: u32,
    /// First of the contacts of the two, and their number.
    first: u32,
    count: u32,
    /// Of these, how many touch.
    points: f64,
}

impl Support {
    fn contacts<'a>(&self, all: &'a [ContactPoint]) -> &'a [ContactPoint] {
        let first = self.first as usize;
        &all[first..first + self.count as usize]
    }
}

impl Control {
    /// Loads as far as they follow from the bodies, without what stands on what.
    fn take_bodies(&mut self, world: &World) {
        self.bodies.clear();
        self.bodies.extend(world.bodies.iter().map(|body| Load {
            size: 2.0 * body.shape.inner_radius(),
            radius: body.shape.bounding_radius(),
            searches_per_turn: match body.shape {
                _ if !body.is_dynamic() => 0.0,
                Shape::Sphere { .. } => 0.0,
                Shape::Cylinder { .. } | Shape::Cone { .. } => 1.0 / TURN_OF_A_RIM,
                _ => 1.0 / TURN_PER_CONTACT_UPDATE,
            },
            mass: if body.is_dynamic() {
                1.0 / body.mass.inverse_mass
            } else {
                f64::INFINITY
            },
            ..Load::default()
        }));
        let kinematic = world.bodies.iter().enumerate();
        let kinematic = kinematic.filter(|(_, body)| body.kind == BodyKind::Kinematic);
        self.kinematic.clear();
        self.kinematic.extend(kinematic.map(|(index, _)| index));
    }

    /// For a world whose bodies are new.
    pub(super) fn reset(&mut self) {
        self.bodies.clear();
        self.good_for = 0;
    }

    /// How to divide the next step of length `h` on these contacts, the deepest of `deepest` `[m]`, soft contacts having `stiffness_of_unit` in substeps of 1 s.
    pub(super) fn divide(
        &mut self,
        (world, halfway): (&World, &Halfway),
        (contacts, deepest): (&[ContactPoint], f64),
        starts: &[Pose],
        h: f64,
        stiffness_of_unit: f64,
    ) -> Division {
        if self.bodies.len() != world.bodies.len() {
            self.take_bodies(world);
            self.good_for = 0;
        }
        if self.good_for == 0 || contacts.len().abs_diff(self.contacts) > self.contacts / 8 {
            self.weigh(world, contacts);
            self.contacts = contacts.len();
            self.good_for = LOADS_LAST;
        }
        self.good_for -= 1;
        let for_turns = self.find_fast(world, deepest, h);
        let [for_impacts, past] = self.motions((world, halfway), contacts, h);
        // Falling bodies are faster at the end of the step, and may not be near yet to those that they meet.
        let fall = world.gravity.norm() * h * h / self.falling;
        let past = past.max(fall / MOTION_PER_CONTACT_UPDATE).max(for_turns);
        let for_impacts = for_impacts.max(fall / MOTION_PER_SUBSTEP);
        let wanted_updates = past.max(self.for_prescribed_motions(world, starts, h));
        let updates = wanted_updates
            .clamp(1.0, f64::from(MAX_CONTACT_UPDATES))
            .ceil();
        let for_loads = h * (self.stiffness / stiffness_of_unit).sqrt();
        let for_impacts = for_impacts.min(MAX_SUBSTEPS_FOR_IMPACTS);
        let for_joints = self.for_joints(world, h);
        let wanted = for_loads.max(for_impacts).max(for_joints).max(MIN_SUBSTEPS);
        let all = wanted.min(MAX_SUBSTEPS);
        Division {
            updates: updates as u32,
            substeps: (all / updates).ceil().max(1.0) as u32,
            capped: wanted > MAX_SUBSTEPS || wanted_updates > f64::from(MAX_CONTACT_UPDATES),
        }
    }

    /// Least sweeps of a substep in a part of length `h`: several where something bounces on several points at once, whose impulses
    /// one does not find. Nothing bounces that meets slower than `threshold` `[m/s]`.
    pub(super) fn sweeps_of_bounces(
        &mut self,
        (world, halfway): (&World, &Halfway),
        contacts: &[ContactPoint],
        h: f64,
        threshold: f64,
    ) -> u32 {
        if world.materials.iter().all(|m| m.restitution == 0.0) {
            return 1;
        }
        let bounces = |point: &ContactPoint| {
            let [a, b] = point.bodies.map(|body| &world.bodies[body as usize]);
            let along = halfway.slip(world, point).dot(&point.normal);
            let [p, q] = [a, b].map(|body| &world.materials[body.material as usize]);
            along < -threshold
                && point.separation + h * along < 0.0
                && p.combine(q).restitution > 0.0
        };
        self.bounced.clear();
        self.bounced.resize(world.bodies.len(), false);
        let mut sweeps = 1;
        let mut last = None;
        for point in contacts.iter().filter(|point| bounces(point)) {
            if last.replace(point.bodies) == Some(point.bodies) {
                return SWEEPS_OF_A_BOUNCE;
            }
            for body in point.bodies.map(|body| body as usize) {
                let before = std::mem::replace(&mut self.bounced[body], true);
                if before && world.bodies[body].is_dynamic() {
                    sweeps = SWEEPS_OF_BOUNCES;
                }
            }
        }
        sweeps
    }

    /// How far bodies close in on each other over what a substep stands for, and how far they move past each other
    /// over what a search stands for, in a step of length `h`: the most of all that meet in it. Zeros if all are slow.
    fn motions(
        &mut self,
        (world, halfway): (&World, &Halfway),
        contacts: &[ContactPoint],
        h: f64,
    ) -> [f64; 2] {
        if !self.fast.contains(&true) {
            return [0.0; 2];
        }
        let (bodies, fast) = (&self.bodies, &self.fast);
        let motion = |point: &ContactPoint| {
            let [a, b] = point.bodies.map(|body| body as usize);
            if !(fast[a] || fast[b]) {
                return [0.0; 2];
            }
            let size = bodies[a].size.min(bodies[b].size);
            let u = halfway.slip(world, point);
            let along = u.dot(&point.normal);
            if point.separation + h * along >= 0.0 {
                return [0.0; 2];
            }
            // The normal of a deep overlap turns about what is left between the middles of the bodies.
            let reach = (size + point.separation).clamp(LEAST_REACH * size, size);
            let past = u.norm() * h / (reach * MOTION_PER_CONTACT_UPDATE);
            [-along * h / (size * MOTION_PER_SUBSTEP), past]
        };
        let most = |some: [f64; 2], more: [f64; 2]| [some[0].max(more[0]), some[1].max(more[1])];
        let chunks = contacts.len().div_ceil(CONTACTS_PER_THREAD);
        let mut motions = std::mem::take(&mut self.motions);
        parallel::fill(&mut motions, chunks, 1, |chunk| {
            let first = chunk * CONTACTS_PER_THREAD;
            let end = contacts.len().min(first + CONTACTS_PER_THREAD);
            contacts[first..end].iter().map(motion).fold([0.0; 2], most)
        });
        let all = motions.iter().copied().fold([0.0; 2], most);
        self.motions = motions;
        all
    }

    /// Marks the bodies that may move so far in a step of length `h` that it has to be divided for them; two others
    /// stay within what one search stands for, and so within the least number of substeps. No two overlap by more than
    /// `deepest` `[m]`. Returns the searches for contacts that the fastest turn in the step asks for: levers and axes of
    /// inertia turn with a body that is no sphere.
    fn find_fast(&mut self, world: &World, deepest: f64, h: f64) -> f64 {
        let sizes = self.bodies.iter().map(|load| load.size);
        let smallest = sizes.fold(f64::INFINITY, f64::min);
        let reach = (smallest - deepest).max(LEAST_REACH * smallest);
        let far = 0.5 * MOTION_PER_CONTACT_UPDATE * reach;
        let mut searches: f64 = 0.0;
        self.fast.clear();
        self.fast
            .extend(world.bodies.iter().zip(&self.bodies).map(|(body, load)| {
                let turn = body.angular_velocity.norm() * h;
                let moves = body.linear_velocity.norm() * h;
                searches = searches.max(load.searches_per_turn * turn);
                let surface = if turn > 0.0 { turn * load.radius } else { 0.0 };
                moves + surface > far
            }));
        searches
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
                    radius = radius.max(self.bodies[body].radius);
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

    /// Finds what stands on what, and the stiffness that carries it.
    fn weigh(&mut self, world: &World, contacts: &[ContactPoint]) {
        self.stiffness = 0.0;
        self.falling = f64::INFINITY;
        let gravity = world.gravity.norm();
        if gravity == 0.0 {
            return;
        }
        let up = -world.gravity / gravity;
        for load in &mut self.bodies {
            (load.above, load.supports) = (load.mass, 0);
            (load.tower, load.moment) = (0, 0.0);
        }
        self.find_supports(contacts, &up);
        self.order.clear();
        let movable = world.bodies.iter().zip(&self.bodies).zip(0..);
        let movable = movable.filter(|((_, load), _)| load.mass.is_finite());
        let heights = movable.map(|((body, _), index)| (body.pose.position.dot(&up), index));
        self.order.extend(heights);
        self.order
            .sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        self.sort_supports();
        self.numbers.clear();
        let mut buckling: f64 = 0.0;
        for &(_, body) in &self.order {
            let load = &mut self.bodies[body as usize];
            load.tower += 1;
            load.moment += load.above;
            let load = *load;
            if load.supports == 0 {
                self.falling = self.falling.min(load.size);
            }
            let share = load.above / f64::from(load.supports.max(1));
            let end = load.supports_end as usize;
            for support in &self.by_upper[end - load.supports as usize..end] {
                let lower = &mut self.bodies[support.lower as usize];
                // Velocity that a unit impulse at a point of an interface gives, about: four times that through
                // the centres of mass.
                let response = 1.0 / load.mass + 1.0 / lower.mass;
                let size = load.size.min(lower.size);
                self.numbers.push(share * gravity * response / (SAG * size));
                lower.above += share;
                if load.supports > 1 {
                    continue;
                }
                let wide = TOWER_WIDTH * size;
                let width_squared = width_squared(support.contacts(contacts), size, &up);
                if width_squared > wide * wide {
                    let share = f64::from(Scale::share_of(support.count as usize));
                    let strength = support.points * share * width_squared / (4.0 * response);
                    let lean = gravity * f64::from(load.tower) * load.moment * load.size;
                    buckling = buckling.max(BUCKLING_FACTOR * lean / strength);
                    if lower.tower < load.tower {
                        lower.tower = load.tower;
                    }
                    lower.moment = lower.moment.max(load.moment);
                }
            }
        }
        self.stiffness = buckling.max(quantile(&mut self.numbers));
    }

    /// Sorted by their bodies, as contacts are.
    fn find_supports(&mut self, contacts: &[ContactPoint], up: &Vec3) {
        self.supports.clear();
        let mut first = 0;
        for run in contacts.chunk_by(|one, next| one.bodies == next.bodies) {
            let start = first;
            first += run.len();
            let [a, b] = run[0].bodies;
            let size = self.bodies[a as usize]
                .size
                .min(self.bodies[b as usize].size);
            let touching = run.iter().filter(|point| touches(point, size)).count();
            let lean = run[0].normal.dot(up);
            if touching == 0 || lean.abs() < 0.5 {
                continue;
            }
            let (upper, lower) = if lean > 0.0 { (a, b) } else { (b, a) };
            let load = &mut self.bodies[upper as usize];
            if load.mass.is_finite() {
                load.supports += 1;
                self.supports.push(Support {
                    upper,
                    lower,
                    first: start as u32,
                    count: run.len() as u32,
                    points: touching as f64,
                });
            }
        }
    }

    /// Puts the supports of each upper body side by side, in the order of the lower ones.
    fn sort_supports(&mut self) {
        let mut end = 0;
        for &(_, body) in &self.order {
            let load = &mut self.bodies[body as usize];
            load.supports_end = end;
            end += load.supports;
        }
        self.by_upper
            .resize(self.supports.len(), Support::default());
        for support in &self.supports {
            let place = &mut self.bodies[support.upper as usize].supports_end;
            self.by_upper[*place as usize] = *support;
            *place += 1;
        }
    }
}

/// True if a point of two bodies, the smaller one of this size, counts for what stands on what.
fn touches(point: &ContactPoint, size: f64) -> bool {
    point.separation < TOUCHING_PER_SIZE * size
}

/// Square of an interface's radius of gyration about its weakest horizontal axis `[m^2]`; some of its contacts touch.
fn width_squared(contacts: &[ContactPoint], size: f64, up: &Vec3) -> f64 {
    let touching = || contacts.iter().filter(|point| touches(point, size));
    let count = touching().count() as f64;
    let middle = touching().map(|p| p.position).sum::<Vec3>() / count;
    weakest_width(touching(), &middle, up) / count
}

/// Least sum of squared distances `[m^2]` of points from a horizontal line through their middle.
fn weakest_width<'a>(
    points: impl Iterator<Item = &'a ContactPoint>,
    middle: &Vec3,
    up: &Vec3,
) -> f64 {
    let side = if up.x.abs() < 0.9 {
        Vec3::x()
    } else {
        Vec3::y()
    };
    let x = up.cross(&side).normalize();
    let y = up.cross(&x);
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for point in points {
        let off = point.position - middle;
        let (u, v) = (off.dot(&x), off.dot(&y));
        xx += u * u;
        xy += u * v;
        yy += v * v;
    }
    let mean = 0.5 * (xx + yy);
    let half = 0.5 * (xx - yy);
    let least = mean - half.hypot(xy);
    // Rounding of points on a line.
    if least > 1e-6 * mean { least } else { 0.0 }
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
}

#[cfg(feature = "scene")]
impl Control {
    /// Its state for a checkpoint.
    pub(super) fn saved(&self) -> SavedControl {
        SavedControl {
            is_begun: !self.bodies.is_empty(),
            stiffness: self.stiffness,
            falling: self.falling,
            good_for: self.good_for,
            contacts: self.contacts,
        }
    }

    /// The control that was saved of a world.
    pub(super) fn restored(saved: &SavedControl, world: &World) -> Self {
        let mut control = Self {
            stiffness: saved.stiffness,
            falling: saved.falling,
            good_for: saved.good_for,
            contacts: saved.contacts,
            ..Self::default()
        };
        if saved.is_begun {
            control.take_bodies(world);
        }
        control
    }
}

/// The number that no more than [`CONTROL_QUANTILE`] of all exceed; 0 of none.
fn quantile(numbers: &mut [f64]) -> f64 {
    if numbers.is_empty() {
        return 0.0;
    }
    let over = (numbers.len() as f64 * CONTROL_QUANTILE) as usize;
    let at = numbers.len() - 1 - over;
    *numbers.select_nth_unstable_by(at, f64::total_cmp).1
}
