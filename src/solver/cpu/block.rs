//! A contact or a joint row of the batches, alone in its lane: what a pass does to it, on bodies of which there may be copies.

use super::calm::Reach;
use super::contact::{
    self, Beside, Bodies, Convex, Coulomb, Frictionless, Law, Point, Rebuild, Rows, Updated,
};
use super::joint;
use crate::constants::{IMPULSE_DEAD_BAND, PAIR_VISITS};
use crate::math::{self, V3};
use crate::problem::FrictionTable;
use crate::problem::batches::{
    Batches, BodyInertia, BodyVelocity, ContactBlock, JointBlock, Lever, Motion, Packed, Turn,
    change_of_copy,
};
use crate::solver::momentum::{ContactMemory, Impulse, JointMemory, Memory, Progress};
use crate::solver::sums::Term;
use bytemuck::Pod;
use std::ops::Range;

/// A pass over the blocks. It takes colours, and the contacts or joint rows of one pair of bodies, first to last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sweep {
    /// Updates impulses.
    #[default]
    Update,
    /// Adds what the impulses do to velocities, and changes no impulse.
    Rebuild,
}

/// A visit of a pair of bodies in a pass: its contacts, or the rows of its joint, are taken one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Visit {
    /// Updates all rows.
    All,
    /// Updates the normal rows of contacts.
    Normals,
    /// Adds what the impulses do to velocities.
    Rebuild,
}

/// Visits of several soft contacts of a pair by Coulomb's law: every second one takes all rows.
const SOFT_VISITS: [Visit; PAIR_VISITS as usize] = {
    let mut visits = [Visit::Normals; PAIR_VISITS as usize];
    let mut visit = 1;
    while visit < visits.len() {
        visits[visit] = Visit::All;
        visit += 2;
    }
    visits
};

/// Visits of a pair of bodies with so many contacts in a pass; see [`PAIR_VISITS`]. The convex law finds
/// a contact's rows together.
#[inline]
pub(super) fn visits(sweep: Sweep, cone: &FrictionTable, contacts: usize) -> &'static [Visit] {
    match sweep {
        Sweep::Rebuild => &[Visit::Rebuild],
        Sweep::Update if contacts < 2 || cone.is_soft == 0 => &[Visit::All],
        Sweep::Update if cone.is_convex() => &[Visit::All; PAIR_VISITS as usize],
        Sweep::Update => &SOFT_VISITS,
    }
}

/// A body, and how many copies there are of it, each with one over their number of its mass.
pub(super) type Copy<'a> = (&'a BodyVelocity, &'a BodyInertia, f32);

/// An impulse `[N s]` and a moment about the centre of mass `[N m s]`.
pub(super) type Push = (V3, V3);

/// The outcome of a visit of a block.
#[derive(Clone, Copy)]
pub(super) struct Step<Impulse> {
    /// The new impulse.
    pub(super) impulse: Impulse,
    /// Impulses and moments on A and B.
    pub(super) pushes: [Push; 2],
    /// Changes of the velocities of their copies.
    pub(super) changes: [Motion<f32>; 2],
}

impl<Impulse> Step<Impulse> {
    fn new(impulse: Impulse, pushes: [Push; 2], bodies: [Copy<'_>; 2]) -> Self {
        let change = |(push, (velocity, inertia, copies)): (Push, Copy<'_>)| {
            let (mass, inertia) = (velocity.inverse_mass, &inertia.inverse);
            change_of_copy(push.0, push.1, mass, inertia, copies)
        };
        let [a, b] = bodies;
        Self {
            impulse,
            pushes,
            changes: [change((pushes[0], a)), change((pushes[1], b))],
        }
    }
}

/// A block of the batches.
pub(super) trait Block: Pod + Send + Sync {
    type Impulse: Impulse + Send + Sync;

    /// All of its sort.
    fn packed(batches: &Batches) -> &Packed<Self, Self::Impulse>;

    /// The same.
    fn packed_mut(batches: &mut Batches) -> &mut Packed<Self, Self::Impulse>;

    /// The blocks of an element of the remainder, each of which has copies of its own.
    fn of_element(packed: &Packed<Self, Self::Impulse>, element: u32) -> Range<usize>;

    /// Visits of a group of so many blocks in a pass.
    fn visits(batches: &Batches, sweep: Sweep, count: usize) -> &'static [Visit];

    /// True if visits of the blocks of a pair have hardly changed its velocities, and it is left for the rest of a pass.
    fn is_calm(
        batches: &Batches,
        blocks: impl Iterator<Item = usize>,
        before: &[BodyVelocity; 2],
        now: &[BodyVelocity; 2],
    ) -> bool;

    /// Bodies A and B.
    fn bodies(&self) -> [u32; 2];

    /// A visit of it.
    fn step(
        &self,
        visit: Visit,
        cone: &FrictionTable,
        impulse: Self::Impulse,
        bodies: [Copy<'_>; 2],
    ) -> Step<Self::Impulse>;

    /// Natural-map residual of a block `[m/s]`; see [`solver`](crate::solver#the-residual).
    fn residual(
        batches: &Batches,
        index: usize,
        velocities: &[BodyVelocity],
        impulse: Self::Impulse,
    ) -> f32;

    /// How its impulse went on in the last sweep.
    fn progress(&self, memory: &Memory<Self::Impulse>, now: Self::Impulse) -> Progress;
}

impl Block for ContactBlock {
    type Impulse = [f32; 4];

    fn packed(batches: &Batches) -> &Packed<Self, [f32; 4]> {
        &batches.contacts
    }

    fn packed_mut(batches: &mut Batches) -> &mut Packed<Self, [f32; 4]> {
        &mut batches.contacts
    }

    fn of_element(_: &Packed<Self, [f32; 4]>, element: u32) -> Range<usize> {
        element as usize..element as usize + 1
    }

    fn visits(batches: &Batches, sweep: Sweep, count: usize) -> &'static [Visit] {
        visits(sweep, &batches.friction, count)
    }

    fn is_calm(
        batches: &Batches,
        blocks: impl Iterator<Item = usize>,
        [a_0, b_0]: &[BodyVelocity; 2],
        [a, b]: &[BodyVelocity; 2],
    ) -> bool {
        let all = &batches.contacts.blocks;
        let reach = blocks.fold(Reach::<f32>::none(), |reach, block| {
            let block = &all[block];
            reach.with([block.arm_a, block.arm_b], block.friction)
        });
        let calm = batches.friction.calm_change;
        reach.is_calm(calm, [motion(a_0), motion(b_0)], [motion(a), motion(b)])
    }

    fn bodies(&self) -> [u32; 2] {
        [self.body_a, self.body_b]
    }

    #[inline(always)]
    fn step(
        &self,
        visit: Visit,
        cone: &FrictionTable,
        impulse: [f32; 4],
        [a, b]: [Copy<'_>; 2],
    ) -> Step<[f32; 4]> {
        let [n, t1, t2, softer] = impulse;
        let (point, impulse) = (point_of(self), [n, t1, t2]);
        let rows = rows_of(self, cone.softness + softer, a, b);
        let (body_a, body_b) = (&bodies_of(a), &bodies_of(b));
        if visit == Visit::Normals {
            let turns = [turn(a, self.arm_a, self), turn(b, self.arm_b, self)];
            let (at_a, at_b) = (motion(a.0), motion(b.0));
            let normal =
                contact::normal_row(&point, &turns, (rows, Beside::of(0.0)), n, at_a, at_b);
            return pressed(self, [normal, t1, t2, softer], normal - n, &turns, [a, b]);
        }
        let Updated { impulse, change } = if visit == Visit::Rebuild {
            Rebuild.update(&point, Beside::of(0.0), impulse, body_a, body_b)
        } else if cone.is_convex() && self.friction > 0.0 && self.tangent_mass > 0.0 {
            let (normal, tangent) = (self.normal_mass, self.tangent_mass);
            let step = contact::cone_step(self.coupling, normal, tangent, rows.softness);
            Convex(rows).update(&point, Beside::of(step), impulse, body_a, body_b)
        } else if self.friction == 0.0 {
            Frictionless(rows).update(&point, Beside::of(0.0), [n, 0.0, 0.0], body_a, body_b)
        } else {
            // Between immovable bodies there is no mass to measure by, and nothing to do.
            Coulomb(cone, rows).update(&point, Beside::of(0.0), impulse, body_a, body_b)
        };
        let [n, t1, t2] = impulse;
        Step::new([n, t1, t2, softer], pushes_of(self, change), [a, b])
    }

    #[inline(always)]
    fn residual(
        batches: &Batches,
        index: usize,
        velocities: &[BodyVelocity],
        [n, t1, t2, softer]: [f32; 4],
    ) -> f32 {
        let (block, cone) = (&batches.contacts.blocks[index], &batches.friction);
        let [a, b] = block.bodies().map(|body| {
            let body = body as usize;
            (&velocities[body], &batches.inertias[body], 1.0)
        });
        let softness = cone.softness + softer;
        let give = if softness > 0.0 {
            softness * (normal_response(block, a, b) * n)
        } else {
            0.0
        };
        let (point, rho) = (point_of(block), block.residual_mass);
        contact::residual(
            &point,
            cone,
            [n, t1, t2],
            give,
            rho,
            motion(a.0),
            motion(b.0),
        )
    }

    #[inline(always)]
    fn progress(&self, memory: &ContactMemory, now: [f32; 4]) -> Progress {
        let part = |mass, axis: usize| {
            Progress::of(mass, memory.previous[axis], memory.start[axis], now[axis])
        };
        part(self.normal_mass, 0)
            .plus(part(self.tangent_mass, 1))
            .plus(part(self.tangent_mass, 2))
    }
}

impl Block for JointBlock {
    type Impulse = f32;

    fn packed(batches: &Batches) -> &Packed<Self, f32> {
        &batches.joints
    }

    fn packed_mut(batches: &mut Batches) -> &mut Packed<Self, f32> {
        &mut batches.joints
    }

    fn of_element(packed: &Packed<Self, f32>, element: u32) -> Range<usize> {
        let rows = packed.blocks_of(&(element..element + 1));
        rows.start as usize..rows.end as usize
    }

    fn visits(_: &Batches, sweep: Sweep, _: usize) -> &'static [Visit] {
        match sweep {
            Sweep::Update => &[Visit::All],
            Sweep::Rebuild => &[Visit::Rebuild],
        }
    }

    fn is_calm(
        _: &Batches,
        _: impl Iterator<Item = usize>,
        _: &[BodyVelocity; 2],
        _: &[BodyVelocity; 2],
    ) -> bool {
        false
    }

    fn bodies(&self) -> [u32; 2] {
        [self.body_a, self.body_b]
    }

    #[inline(always)]
    fn step(
        &self,
        visit: Visit,
        _: &FrictionTable,
        impulse: f32,
        [a, b]: [Copy<'_>; 2],
    ) -> Step<f32> {
        let (updated, change) = match visit {
            Visit::Rebuild => (impulse, impulse),
            Visit::All | Visit::Normals => {
                let row = joint::JointRow::of(self);
                let updated = row.update(impulse, motion(a.0), motion(b.0), dead_band(a, b));
                (updated, updated - impulse)
            }
        };
        let pushes = [
            (
                math::scale(self.linear, change),
                math::scale(self.angular_a, change),
            ),
            (
                math::scale(self.linear, -change),
                math::scale(self.angular_b, change),
            ),
        ];
        Step::new(updated, pushes, [a, b])
    }

    #[inline(always)]
    fn residual(batches: &Batches, index: usize, velocities: &[BodyVelocity], impulse: f32) -> f32 {
        let (block, scale) = (&batches.joints.blocks[index], &batches.joint_scales[index]);
        let [a, b] = block
            .bodies()
            .map(|body| motion(&velocities[body as usize]));
        let projected = joint::JointRow::of(block).projected(scale.mass, impulse, a, b);
        (impulse - projected).abs() * scale.per_impulse
    }

    #[inline(always)]
    fn progress(&self, memory: &JointMemory, now: f32) -> Progress {
        Progress::of(self.mass, memory.previous, memory.start, now)
    }
}

/// Change of an impulse, over the impulse, that is left undone: [`IMPULSE_DEAD_BAND`] for whole
/// bodies, nothing for copies, whose steps are small because each answers for a share of the body.
#[inline(always)]
fn dead_band(a: Copy<'_>, b: Copy<'_>) -> f32 {
    if a.2 * b.2 == 1.0 {
        IMPULSE_DEAD_BAND
    } else {
        0.0
    }
}

fn motion(velocity: &BodyVelocity) -> Motion<f32> {
    (velocity.linear, velocity.angular)
}

fn point_of(block: &ContactBlock) -> Point<f32> {
    Point {
        normal: block.normal,
        normal_mass: block.normal_mass,
        arm_a: block.arm_a,
        tangent_mass: block.tangent_mass,
        arm_b: block.arm_b,
        friction: block.friction,
        free_velocity: block.free_velocity,
        coupling: block.coupling,
    }
}

/// Impulses and moments on A and B of a change of a contact's impulse `[N s]`.
#[inline(always)]
fn pushes_of(block: &ContactBlock, change: V3) -> [Push; 2] {
    let back = math::scale(change, -1.0);
    [
        (change, math::cross(block.arm_a, change)),
        (back, math::cross(block.arm_b, back)),
    ]
}

/// A normal row whose impulse has changed by so much: bodies spin by that times what a unit of it does, as in lanes, which have
/// that at hand.
#[inline(always)]
fn pressed(
    block: &ContactBlock,
    impulse: [f32; 4],
    change: f32,
    turns: &[Turn<f32>; 2],
    [a, b]: [Copy<'_>; 2],
) -> Step<[f32; 4]> {
    let along = math::scale(block.normal, change);
    let moved = |(velocity, _, copies): Copy<'_>, turn: &Turn<f32>| {
        let linear = math::scale(along, velocity.inverse_mass * copies);
        (linear, math::scale(math::scale(turn.spin, change), copies))
    };
    let (of_a, of_b) = (moved(a, &turns[0]), moved(b, &turns[1]));
    let back = (math::scale(of_b.0, -1.0), math::scale(of_b.1, -1.0));
    Step {
        impulse,
        pushes: pushes_of(block, along),
        changes: [of_a, back],
    }
}

/// Arm and spin of a unit of a contact's normal impulse on a body.
#[inline(always)]
fn turn((velocity, inertia, _): Copy<'_>, arm: V3, block: &ContactBlock) -> Turn<f32> {
    let lever = Lever {
        inverse_mass: velocity.inverse_mass,
        inertia: &inertia.inverse,
        arm,
        copies: 1.0,
    };
    lever.turn(block.normal)
}

fn bodies_of((velocity, inertia, _): Copy<'_>) -> Bodies<f32> {
    Bodies {
        linear: velocity.linear,
        inverse_mass: velocity.inverse_mass,
        angular: velocity.angular,
        inertia: inertia.inverse,
    }
}

/// `W_nn` of the whole bodies `[1/kg]`: the velocity along the normal that a unit of normal impulse makes.
#[inline(always)]
fn normal_response(block: &ContactBlock, a: Copy<'_>, b: Copy<'_>) -> f32 {
    let side = |(velocity, inertia, _): Copy<'_>, arm: V3| {
        let lever = math::cross(arm, block.normal);
        velocity.inverse_mass + math::dot(lever, math::symmetric_mul(&inertia.inverse, lever))
    };
    side(a, block.arm_a) + side(b, block.arm_b)
}

/// The rows of a block. Softness is over one over [`ContactBlock::normal_mass`]: as given for whole
/// bodies, less for copies, whose row answers for a share of the body.
#[inline(always)]
fn rows_of(block: &ContactBlock, softness: f32, a: Copy<'_>, b: Copy<'_>) -> Rows {
    let whole = a.2 * b.2 == 1.0;
    let softness = if whole || softness == 0.0 {
        softness
    } else {
        softness * (block.normal_mass * normal_response(block, a, b))
    };
    Rows {
        softness,
        hardness: 1.0 / (1.0 + softness),
        dead_band: dead_band(a, b),
    }
}
