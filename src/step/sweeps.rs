//! How often a substep sweeps at least.
//!
//! One sweep of a substep goes on from that of the substep before, and finds what lasts. What does not last, an impact, has to be found where it happens:
//!
//! * What stops a body that falls on one that lies is carried by two contacts, and when it has stopped both still have their impulses. A sweep takes back only a part of
//!   them, the lying body moving away under it, and the falling body is thrown back.
//! * Impulses of a bounce on several points, or of a body on several others, depend on each other. One sweep finds the first as if there were no others, and a
//!   ball that hits two at once, both for their speeds before, gains energy if it loses little by itself.
//!
//! Nor can it go on where there was no substep before: loads that are found over several substeps leave friction to slip meanwhile, and what stands by friction falls.

use super::driven::Driven;
use super::halfway::Halfway;
use crate::collide::ContactPoint;
use crate::constants::{
    ELASTIC_RESTITUTION, SWEEPS_OF_A_BOUNCE, SWEEPS_OF_A_START, SWEEPS_OF_BOUNCES,
    SWEEPS_OF_ELASTIC_BOUNCES, SWEEPS_OF_IMPACTS, SWEPT_RESTITUTION, VISITS_OF_A_SUBSTEP,
    VISITS_OF_IMPACTS,
};
use crate::world::{MaterialPair, World};

/// Buffers kept from part to part.
#[derive(Debug, Default)]
pub(super) struct LeastSweeps {
    /// By body, whether it bounces in the part.
    bounced: Vec<bool>,
    /// By body, how many others it touches or meets in the part.
    touched: Vec<u32>,
}

/// A part of a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    /// Length `[s]`.
    pub(super) h: f64,
    /// Substeps of it, at least 1.
    pub(super) substeps: u32,
    /// Approach below which nothing bounces `[m/s]`.
    pub(super) threshold: f64,
    /// True if no contact has carried anything lately.
    pub(super) is_first: bool,
}

impl LeastSweeps {
    /// Those of a part with these contacts.
    pub(super) fn find(
        &mut self,
        moving: (&World, &Halfway),
        driven: &Driven,
        contacts: &[ContactPoint],
        part: Part,
    ) -> u32 {
        let bounces = self.of_bounces(moving, driven, contacts, part);
        let impacts = self.of_impacts(moving, contacts, part);
        bounces.max(impacts).max(of_a_start(moving, contacts, part))
    }

    /// Several where a body is hit that touches others, if there are few contacts or it bounces nearly without loss.
    fn of_impacts(
        &mut self,
        (world, halfway): (&World, &Halfway),
        contacts: &[ContactPoint],
        part: Part,
    ) -> u32 {
        let of_a_substep = VISITS_OF_A_SUBSTEP.min(VISITS_OF_IMPACTS / part.substeps as usize);
        let most = (of_a_substep / contacts.len().max(1)) as u32;
        let most = most.clamp(1, SWEEPS_OF_IMPACTS);
        let may_gain = |restitution: f64| restitution > SWEPT_RESTITUTION;
        if most == 1 && !world.materials.iter().any(|m| may_gain(m.restitution)) {
            return 1;
        }
        let along = |point: &ContactPoint| halfway.slip(world, point).dot(&point.normal);
        let hits = |point: &&ContactPoint| {
            let along = along(point);
            along < -part.threshold && point.separation + part.h * along <= 0.0
        };
        if !contacts.iter().any(|point| hits(&point)) {
            return 1;
        }
        self.touched.clear();
        self.touched.resize(world.bodies.len(), 0);
        for pair in contacts.chunk_by(|one, next| one.bodies == next.bodies) {
            // What rests has a gap of some rounding.
            let reach = |point: &ContactPoint| part.h * (part.threshold - along(point).min(0.0));
            if pair.iter().any(|point| point.separation <= reach(point)) {
                for body in pair[0].bodies {
                    self.touched[body as usize] += 1;
                }
            }
        }
        let is_between = |&body: &u32| {
            self.touched[body as usize] > 1 && world.bodies[body as usize].is_dynamic()
        };
        let sweeps = |point: &ContactPoint| {
            if may_gain(restitution(world, point)) {
                SWEEPS_OF_IMPACTS
            } else {
                most
            }
        };
        let hit = contacts.iter().filter(hits);
        let between = hit.filter(|point| point.bodies.iter().any(is_between));
        between.map(sweeps).max().unwrap_or(1)
    }

    /// Several where something bounces on several points at once, whose impulses one does not find.
    fn of_bounces(
        &mut self,
        (world, halfway): (&World, &Halfway),
        driven: &Driven,
        contacts: &[ContactPoint],
        part: Part,
    ) -> u32 {
        if world.materials.iter().all(|m| m.restitution == 0.0) {
            return 1;
        }
        let bounces = |point: &ContactPoint| {
            let given: f64 = point.bodies.iter().map(|&body| driven.speed(body)).sum();
            let along = halfway.slip(world, point).dot(&point.normal) - given;
            along < -part.threshold
                && point.separation + part.h * along < 0.0
                && restitution(world, point) > 0.0
        };
        self.bounced.clear();
        self.bounced.resize(world.bodies.len(), false);
        let (mut sweeps, mut last) = (1, None);
        let (mut most, mut rubs): (f64, _) = (0.0, false);
        for point in contacts.iter().filter(|point| bounces(point)) {
            if last.replace(point.bodies) == Some(point.bodies) {
                return SWEEPS_OF_A_BOUNCE;
            }
            let material = material(world, point);
            most = most.max(material.restitution);
            rubs |= material.friction > 0.0;
            for body in point.bodies.map(|body| body as usize) {
                let before = std::mem::replace(&mut self.bounced[body], true);
                if before && world.bodies[body].is_dynamic() {
                    sweeps = SWEEPS_OF_BOUNCES;
                }
            }
        }
        if most > SWEPT_RESTITUTION && sweeps == 1 && self.may_bounce_on(world, contacts, part.h) {
            sweeps = SWEEPS_OF_BOUNCES;
        }
        // Friction takes energy, and may give some in Newton's law (Kane's paradox), the more the better it is solved.
        if most > ELASTIC_RESTITUTION && sweeps > 1 && !rubs {
            sweeps = SWEEPS_OF_ELASTIC_BOUNCES;
        }
        sweeps
    }

    /// True if a body that bounces in a part of length `h`, nearly without loss, may come to another with the speed that it gets.
    fn may_bounce_on(&mut self, world: &World, contacts: &[ContactPoint], h: f64) -> bool {
        self.touched.clear();
        self.touched.resize(world.bodies.len(), 0);
        let speed = |&body: &u32| world.bodies[body as usize].linear_velocity.norm();
        for pair in contacts.chunk_by(|one, next| one.bodies == next.bodies) {
            let reach = h * pair[0].bodies.iter().map(speed).sum::<f64>();
            let meets = |point: &ContactPoint| point.separation <= reach;
            if restitution(world, &pair[0]) > SWEPT_RESTITUTION && pair.iter().any(meets) {
                for body in pair[0].bodies {
                    self.touched[body as usize] += 1;
                }
            }
        }
        let bodies = world.bodies.iter().zip(&self.bounced).zip(&self.touched);
        bodies
            .into_iter()
            .any(|((body, &bounces), &touched)| bounces && touched > 1 && body.is_dynamic())
    }
}

/// Several where bodies begin to lie on what nothing moves, and no load is known yet.
fn of_a_start((world, halfway): (&World, &Halfway), contacts: &[ContactPoint], part: Part) -> u32 {
    if !part.is_first || part.threshold == 0.0 {
        return 1;
    }
    let begins = |point: &ContactPoint| {
        let lies = |&body: &u32| !world.bodies[body as usize].is_dynamic();
        let along = || halfway.slip(world, point).dot(&point.normal);
        point.separation <= part.h * part.threshold
            && point.bodies.iter().any(lies)
            && along().abs() <= part.threshold
    };
    if contacts.iter().any(begins) {
        SWEEPS_OF_A_START
    } else {
        1
    }
}

/// Newton's coefficient of the materials of two bodies.
fn restitution(world: &World, point: &ContactPoint) -> f64 {
    material(world, point).restitution
}

/// The materials of two bodies as a pair.
fn material(world: &World, point: &ContactPoint) -> MaterialPair {
    let [a, b] = point.bodies.map(|body| {
        let material = world.bodies[body as usize].material;
        &world.materials[material as usize]
    });
    a.combine(b)
}
