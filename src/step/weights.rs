//! What presses on what: weights that stand on bodies, loads, and what contacts were found to carry.
//!
//! A contact that carries a force F sinks in by `F W_nn / kappa`, kappa being its stiffness. With the stiffness that [`Weights`] finds, that is at most [`SAG`] of the
//! smaller body's size under weights in nearly all contacts, and at most [`SAG_OF_ALL`] under anything in the worst; and towers do not buckle.
//!
//! Weights and [loads](crate::world::Load) are known before they press. A contact that carried several times as much in the last moments is
//! pressed by something else: a motor, a spring, weights on a lever. Then F is what it carried, for all that is below as well, as far as loads and joints explain
//! it. A body that moves as prescribed and does not shake may push a row against its friction: it explains some weights of what it pushes. What lasts counts
//! whatever it comes from ([`Lasting`]). The rest does not: the impacts of a shaken bed would stiffen its springs while they are pressed.

use super::lasting::Lasting;
use crate::collide::ContactPoint;
use crate::collide::impulse_cache::Remembered;
use crate::constants::{
    BODIES_PER_THREAD, BUCKLING_FACTOR, CONTACTS_PER_THREAD, CONTROL_QUANTILE, LASTING_WEIGHTS,
    LEVERAGE, PRESSED_BEYOND, PUSHED_WEIGHTS, SAG, SAG_OF_ALL, STEADY, TOUCHING_PER_SIZE,
    TOWER_WIDTH, TURN_OF_A_RIM, TURN_PER_CONTACT_UPDATE,
};
use crate::math::Vec3;
use crate::parallel::{self, SharedSlice, with_sums};
use crate::problem::bias::Scale;
use crate::world::{Body, Joint, Shape, World};
use std::ops::Range;

/// Loads of the bodies of a world, and buffers kept from one weighing to the next.
#[derive(Debug, Default)]
pub(super) struct Weights {
    /// Shape `[body_count]`.
    pub(super) bodies: Vec<Load>,
    /// Stiffness that loads ask for `[1/s^2]`.
    pub(super) stiffness: f64,
    /// Size of the smallest body that nothing carries `[m]`; infinite if all are carried.
    pub(super) falling: f64,
    /// Size of the smallest body `[m]`; infinite without any.
    pub(super) smallest: f64,
    /// Mass of the lightest body `[kg]`; infinite if none moves.
    pub(super) lightest: f64,
    /// Mass of the heaviest body that moves `[kg]`; 0 if none does.
    pub(super) heaviest: f64,
    /// Mass of all that move `[kg]`.
    total: f64,
    /// Heights of bodies `[m]`, from the highest to the lowest.
    order: Vec<(f64, u32)>,
    /// A body, one that carries it, and their contacts: of each pair that has some, with room for one a contact.
    supports: Vec<Support>,
    support_count: usize,
    /// The same by upper body.
    by_upper: Vec<Support>,
    numbers: Vec<f64>,
}

/// Forces beside weights.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pressed {
    /// Stiffness that the worst pressed contact asks for `[1/s^2]`.
    pub(super) stiffness: f64,
    /// Twice the acceleration of the two bodies of a contact by what it carries, the most of all, as far as something that drives explains it `[m/s^2]`.
    pub(super) held: f64,
    /// Acceleration by loads, and of a joint's lighter body by its motor or spring, the most of all `[m/s^2]`.
    pub(super) driven: f64,
    /// Most that a contact may carry of it `[N]`.
    explained: f64,
}

/// The load on a body.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Load {
    /// Twice the radius of the largest ball inside `[m]`.
    pub(super) size: f64,
    /// Bounding radius `[m]`.
    pub(super) radius: f64,
    /// Searches for contacts that a turn asks for `[1/rad]`; none of a sphere and of what nothing moves.
    pub(super) searches_per_turn: f64,
    /// True if a turn about the body's z axis leaves it as it is.
    pub(super) is_of_revolution: bool,
    /// Mass `[kg]`, infinite for what nothing moves.
    pub(super) mass: f64,
    /// Mass from this body up `[kg]`.
    above: f64,
    /// The same with the mass that would press as other forces do.
    pressing: f64,
    /// Bodies that carry it.
    supports: u32,
    /// One past the last of them in the list by upper bodies, once it is full.
    supports_end: u32,
    /// Bodies of the tower from this body up.
    tower: u32,
    /// Sum of `pressing` over that tower `[kg]`.
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
    /// What their contacts carried in the last moments `[N]`.
    carried: f64,
}

impl Support {
    /// Which of two bodies stands on the other, and how, by their contacts, from number `first` on; nothing if none does.
    fn of(pair: &[ContactPoint], first: u32, bodies: &[Load], up: &Vec3) -> Option<Self> {
        let [a, b] = pair[0].bodies;
        let size = bodies[a as usize].size.min(bodies[b as usize].size);
        let lean = pair[0].normal.dot(up);
        let (upper, lower) = if lean > 0.0 { (a, b) } else { (b, a) };
        if lean.abs() < 0.5 || bodies[upper as usize].mass.is_infinite() {
            return None;
        }
        let touching = pair.iter().filter(|point| touches(point, size)).count();
        (touching > 0).then_some(Self {
            upper,
            lower,
            first,
            count: pair.len() as u32,
            points: touching as f64,
            carried: 0.0,
        })
    }

    fn contacts<'a>(&self, all: &'a [ContactPoint]) -> &'a [ContactPoint] {
        let first = self.first as usize;
        &all[first..first + self.count as usize]
    }
}

impl Weights {
    /// What was found before, without its bodies.
    #[cfg(feature = "scene")]
    pub(super) fn found(stiffness: f64, falling: f64) -> Self {
        Self {
            stiffness,
            falling,
            ..Self::default()
        }
    }

    /// Loads as far as they follow from the bodies, without what stands on what.
    pub(super) fn take_bodies(&mut self, world: &World) {
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
            is_of_revolution: is_of_revolution(body),
            mass: if body.is_dynamic() {
                1.0 / body.mass.inverse_mass
            } else {
                f64::INFINITY
            },
            ..Load::default()
        }));
        let sizes = self.bodies.iter().map(|load| load.size);
        self.smallest = sizes.fold(f64::INFINITY, f64::min);
        let masses = self.bodies.iter().map(|load| load.mass);
        self.lightest = masses.clone().fold(f64::INFINITY, f64::min);
        let moving = masses.filter(|mass| mass.is_finite());
        self.heaviest = moving.clone().fold(0.0, f64::max);
        self.total = moving.sum();
    }

    /// Forces beside weights, as contacts of the last part carried them, as far as what is known over the next step of length `h` explains them.
    pub(super) fn pressed(
        &self,
        (world, kinematic): (&World, &[usize]),
        (carried, lasting): (&Remembered<'_>, &mut Lasting),
        deepest: f64,
        h: f64,
    ) -> Pressed {
        let gravity = world.gravity.norm();
        let (mut worst, mut held): (f64, f64) = (0.0, 0.0);
        let (mut known, mut driven): (f64, f64) = (0.0, 0.0);
        for joint in world.joints.iter().filter(|joint| !joint.broken) {
            let (force, [lighter, both]) = self.drive_of(world, joint);
            // A joint may also hand on the weights that hang on it.
            known += force + gravity * both;
            driven = driven.max(force / lighter);
        }
        for load in &world.loads {
            let (impulse, _) = load.impulse(&world.bodies[load.body as usize], world.time, h);
            let body = &self.bodies[load.body as usize];
            let force = impulse.norm() / h;
            known += force;
            driven = driven.max(force / body.mass);
            worst = worst.max(force / (body.mass * body.size));
        }
        let explained = LEVERAGE * known;
        let pushed = if pushes(world, kinematic) {
            PUSHED_WEIGHTS * gravity
        } else {
            0.0
        };
        lasting.begin();
        let some_sag = deepest > 0.5 * SAG_OF_ALL * self.smallest;
        // A jammed contact carries the more the stiffer it is, whatever weighs on it.
        let most_of_all = explained + LASTING_WEIGHTS * gravity * self.total;
        if explained == 0.0 && pushed == 0.0 && !some_sag {
            return Pressed::default();
        }
        for (bodies, force) in carried.loads_of_pairs([0; 2]) {
            // Contacts of a state that was restored may name any bodies.
            let [Some(a), Some(b)] = bodies.map(|body| self.bodies.get(body as usize)) else {
                continue;
            };
            let mut most = explained + pushed * a.mass.min(b.mass);
            let (response, size) = (1.0 / a.mass + 1.0 / b.mass, a.size.min(b.size));
            // Of what is carried well nothing need be known.
            if some_sag && force * response > 0.5 * SAG_OF_ALL * size * self.stiffness {
                let fall = (size / gravity).sqrt();
                most = most.max(lasting.of(bodies, force.min(most_of_all), (h, fall)));
            }
            let press = force.min(most) * response;
            worst = worst.max(press / size);
            held = held.max(press);
        }
        Pressed {
            stiffness: worst / SAG_OF_ALL,
            held: 2.0 * held,
            driven,
            explained,
        }
    }

    /// Force of a joint's motor and spring, that of a torque at the surface of the smaller body `[N]`; mass of the lighter of its bodies, and of those
    /// together that move `[kg]`.
    fn drive_of(&self, world: &World, joint: &Joint) -> (f64, [f64; 2]) {
        let ends = [Some(joint.body_a), joint.body_b].into_iter().flatten();
        let (mut radius, mut lighter, mut both) = (f64::INFINITY, f64::INFINITY, 0.0);
        for body in ends.map(|body| self.bodies[body as usize]) {
            (radius, lighter) = (radius.min(body.radius), lighter.min(body.mass));
            both += if body.mass.is_finite() {
                body.mass
            } else {
                0.0
            };
        }
        let (force, is_torque) = joint.drive(&world.bodies);
        let force = if is_torque { force / radius } else { force };
        (force, [lighter, both])
    }

    /// Takes in what loads add to gravity over the next step of length `h`.
    fn take_loads(&mut self, world: &World, (gravity, up): (f64, &Vec3), h: f64) {
        for load in &world.loads {
            let (impulse, _) = load.impulse(&world.bodies[load.body as usize], world.time, h);
            let body = &mut self.bodies[load.body as usize];
            body.pressing = (body.pressing - impulse.dot(up) / (gravity * h)).max(body.mass);
        }
    }

    /// Finds what stands on what, and the stiffness that carries it over the next step of length `h`.
    pub(super) fn weigh(
        &mut self,
        world: &World,
        contacts: &[ContactPoint],
        (carried, pressed): (&Remembered<'_>, &Pressed),
        h: f64,
    ) {
        self.stiffness = 0.0;
        self.falling = f64::INFINITY;
        let gravity = world.gravity.norm();
        if gravity == 0.0 {
            return;
        }
        let up = -world.gravity / gravity;
        parallel::for_each(&mut self.bodies, BODIES_PER_THREAD, |_, load| {
            (load.above, load.pressing, load.supports) = (load.mass, load.mass, 0);
            (load.tower, load.moment) = (0, 0.0);
        });
        self.take_loads(world, (gravity, &up), h);
        self.find_supports(contacts, (carried, pressed.explained), &up);
        let count = world.bodies.len();
        parallel::fill(&mut self.order, count, BODIES_PER_THREAD, |body| {
            (world.bodies[body].pose.position.dot(&up), body as u32)
        });
        parallel::sort_by_key(&mut self.order, BODIES_PER_THREAD, from_the_top);
        self.sort_supports();
        self.numbers.clear();
        let (mut buckling, mut worst): (f64, f64) = (0.0, 0.0);
        for &(_, body) in &self.order {
            let load = &mut self.bodies[body as usize];
            if load.mass.is_infinite() {
                continue;
            }
            load.tower += 1;
            load.moment += load.pressing;
            let load = *load;
            if load.supports == 0 {
                self.falling = self.falling.min(load.size);
            }
            let supports = f64::from(load.supports.max(1));
            let share = load.above / supports;
            let known = load.pressing / supports;
            let end = load.supports_end as usize;
            for support in &self.by_upper[end - load.supports as usize..end] {
                let lower = &mut self.bodies[support.lower as usize];
                // Velocity that a unit impulse at a point of an interface gives, about: four times that through
                // the centres of mass.
                let response = 1.0 / load.mass + 1.0 / lower.mass;
                let size = load.size.min(lower.size);
                self.numbers.push(share * gravity * response / (SAG * size));
                lower.above += share;
                let carried = support.carried / gravity;
                let pressing = if carried > PRESSED_BEYOND * known {
                    carried
                } else {
                    known
                };
                worst = worst.max(pressing * gravity * response / (SAG_OF_ALL * size));
                lower.pressing += pressing;
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
        self.stiffness = buckling.max(worst).max(quantile(&mut self.numbers));
    }

    /// Sorted by their bodies, as contacts are.
    fn find_supports(
        &mut self,
        contacts: &[ContactPoint],
        (carried, most): (&Remembered<'_>, f64),
        up: &Vec3,
    ) {
        if self.supports.len() < contacts.len() {
            self.supports.resize(contacts.len(), Support::default());
        }
        let supports = SharedSlice::new(&mut self.supports);
        let bodies = &self.bodies;
        let begins = |at: &usize| *at == 0 || contacts[*at].bodies != contacts[at - 1].bodies;
        // Pairs of which a contact begins in a range, and the range of all of their contacts.
        let found = |range: Range<usize>| {
            let first = |at: usize| (at..contacts.len()).find(begins).unwrap_or(contacts.len());
            let mut next = first(range.start);
            let pairs = contacts[next..first(range.end)].chunk_by(|p, q| p.bodies == q.bodies);
            pairs.filter_map(move |pair| {
                let first = next;
                next += pair.len();
                Support::of(pair, first as u32, bodies, up)
            })
        };
        self.support_count = with_sums(
            contacts.len(),
            CONTACTS_PER_THREAD,
            |range| found(range).count(),
            |range, mut at| {
                let first = contacts
                    .get(range.start)
                    .map_or([0; 2], |point| point.bodies);
                // What nothing explains does not count.
                let loads = (most > 0.0).then(|| carried.loads_of_pairs(first));
                let mut loads = loads.into_iter().flatten().peekable();
                for support in found(range) {
                    let pair = contacts[support.first as usize].bodies;
                    while loads.next_if(|(bodies, _)| *bodies < pair).is_some() {}
                    let carried = loads.next_if(|(bodies, _)| *bodies == pair);
                    let carried = carried.map_or(0.0, |(_, force)| force.min(most));
                    // SAFETY: each support begins in one range.
                    #[allow(unsafe_code, reason = "each support begins in one range")]
                    unsafe {
                        supports.write(at, Support { carried, ..support });
                    }
                    at += 1;
                }
                at
            },
        );
    }

    /// Puts the supports of each upper body side by side, in the order of the lower ones.
    fn sort_supports(&mut self) {
        let supports = &self.supports[..self.support_count];
        for support in supports {
            self.bodies[support.upper as usize].supports += 1;
        }
        let mut end = 0;
        for &(_, body) in &self.order {
            let load = &mut self.bodies[body as usize];
            load.supports_end = end;
            end += load.supports;
        }
        self.by_upper.resize(supports.len(), Support::default());
        for support in supports {
            let place = &mut self.bodies[support.upper as usize].supports_end;
            self.by_upper[*place as usize] = *support;
            *place += 1;
        }
    }
}

/// True if one of these bodies may push others before it against friction for some time, and does not shake them.
fn pushes(world: &World, kinematic: &[usize]) -> bool {
    let most = STEADY * world.gravity.norm();
    kinematic.iter().any(|&body| {
        let body = &world.bodies[body];
        let reach = body.shape.bounding_radius();
        let motion = body.motion.as_ref();
        motion.is_some_and(|motion| motion.peak_acceleration(reach) < most)
    })
}

/// Key by which heights go from the highest to the lowest, in the order of `f64::total_cmp`, and of one height by body.
fn from_the_top(&(height, body): &(f64, u32)) -> (i64, u32) {
    let bits = height.to_bits() as i64;
    let rising = bits ^ ((bits >> 63) as u64 >> 1) as i64;
    (!rising, body)
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

/// True if a turn about the body's z axis changes neither its shape nor its inertia.
fn is_of_revolution(body: &Body) -> bool {
    let inertia = &body.mass.inertia;
    let [across, other] = [inertia[(0, 0)], inertia[(1, 1)]];
    let beside = [
        inertia[(0, 1)],
        inertia[(0, 2)],
        inertia[(1, 2)],
        across - other,
    ];
    let is_round = matches!(
        body.shape,
        Shape::Capsule { .. } | Shape::Cylinder { .. } | Shape::Cone { .. }
    );
    is_round && beside.iter().all(|x| x.abs() <= 1e-9 * across)
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
