//! All bodies as the search for contacts sees them, and how far they have gone.
//!
//! What was found about bodies stays true until they have moved by some length. Two measures of motion
//! are used: the length of the path that the farthest point of a body can have gone, which is a single
//! number that grows, cheap to compare and too large; and, once that is used up, the true displacement
//! from a remembered pose.

#[cfg(feature = "scene")]
mod saved;

use super::narrowphase::{Kind, Mover};
use super::whereabouts::Whereabouts;
use crate::constants::{BODIES_PER_THREAD, SKIN_PER_RADIUS, SKIN_STEPS};
use crate::math::{Mat3, Vec3};
use crate::parallel::{self, SharedSlice, for_chunks};
use crate::world::{Body, BodyKind, World};
#[cfg(feature = "scene")]
pub(super) use saved::SavedCrowd;
use std::sync::atomic::{AtomicBool, Ordering};

/// The farthest that a rotation changed by `difference` moves a point at a unit distance from the
/// centre: of two rotations by an angle `a` from each other it is `2 sin(a/2)`, and the norm of their
/// difference `2 sqrt(2) sin(a/2)`.
pub(super) fn turn(difference: &Mat3) -> f64 {
    difference.norm() * std::f64::consts::FRAC_1_SQRT_2
}

/// Where a body was when the pairs were found.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(feature = "scene", derive(serde::Serialize, serde::Deserialize))]
struct Anchor {
    position: Vec3,
    /// What the body's box was grown by `[m]`.
    room: f64,
    /// Path of the body up to which, with its reach, it is sure to be within that box `[m]`.
    until: f64,
}

/// How boxes are grown: to hold what a body can touch within a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Growth {
    /// Of every body `[m]`.
    pub(super) margin: f64,
    /// `[s]`.
    pub(super) time_step: f64,
    /// Speed that a dynamic body can gain in a step, beside what it touches `[m/s]`.
    pub(super) gain: f64,
}

impl Growth {
    /// How far the body's box is grown so that its contacts within the next step are found.
    fn reach(&self, mover: &Mover) -> f64 {
        let gain = if mover.is_dynamic { self.gain } else { 0.0 };
        self.margin + self.time_step * (mover.speed + gain)
    }
}

/// The bodies of a world, side by side in memory.
#[derive(Debug, Default)]
pub(super) struct Crowd {
    movers: Vec<Mover>,
    /// Shape `[body_count]`, or none if all bodies are spheres.
    whereabouts: Vec<Whereabouts>,
    anchors: Vec<Anchor>,
    anchor_rotations: Vec<Mat3>,
    /// True for bodies that may have left their boxes.
    strayed: Vec<bool>,
    /// Mean bounding radius of dynamic bodies `[m]`.
    mean_radius: f64,
    /// Duration of a step, zero if nothing is known of steps `[s]`.
    time_step: f64,
    stretch: Stretch,
    /// Bodies that may be driven on by what hits them in the part that contacts are looked for, and how fast `[m/s]`.
    driven: Vec<(u32, f64)>,
    /// Number of the search for contacts.
    search: u64,
}

/// Which part of a step contacts are looked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stretch {
    /// Parts of the step from this one on.
    pub(crate) parts: u32,
    /// True after the first one: what was found for that may stand for this one.
    pub(crate) is_within_step: bool,
}

impl Default for Stretch {
    fn default() -> Self {
        Self {
            parts: 1,
            is_within_step: false,
        }
    }
}

impl Crowd {
    pub(super) fn movers(&self) -> &[Mover] {
        &self.movers
    }

    /// Where bodies are; none if all bodies are spheres.
    pub(super) fn whereabouts(&self) -> &[Whereabouts] {
        &self.whereabouts
    }

    pub(super) fn time_step(&self) -> f64 {
        self.time_step
    }

    pub(super) fn set_time_step(&mut self, time_step: f64) {
        self.time_step = time_step;
    }

    pub(super) fn stretch(&self) -> Stretch {
        self.stretch
    }

    /// Begins a search for contacts.
    pub(super) fn begin_search(&mut self, stretch: Stretch) {
        self.stretch = stretch;
        self.driven.clear();
        self.search += 1;
    }

    /// From the next [`Self::follow`] of this search on these bodies may be driven on so fast `[m/s]`.
    pub(super) fn drive(&mut self, driven: &[(u32, f64)]) {
        self.driven.clear();
        self.driven.extend_from_slice(driven);
    }

    /// Number of the search for contacts.
    pub(super) fn search(&self) -> u64 {
        self.search
    }

    pub(super) fn is_bounded(&self, body: u32) -> bool {
        self.movers[body as usize].kind != Kind::Unbounded
    }

    /// Takes over bodies that nothing is known about.
    pub(super) fn reset(&mut self, world: &World) {
        self.movers.clear();
        self.movers.extend(world.bodies.iter().map(Mover::new));
        self.whereabouts.clear();
        if self.movers.iter().any(|mover| mover.kind != Kind::Sphere) {
            let bodies = world.bodies.iter().zip(&self.movers);
            self.whereabouts
                .extend(bodies.map(|(body, mover)| Whereabouts::new(&rotation(body), mover)));
        }
        self.anchors.clear();
        self.anchor_rotations.clear();
        let (mut sum, mut count) = (0.0, 0.0);
        for (body, mover) in world.bodies.iter().zip(&self.movers) {
            if body.is_dynamic() {
                sum += mover.bounding_radius;
                count += 1.0;
            }
        }
        self.mean_radius = if count > 0.0 { sum / count } else { 1.0 };
    }

    /// Takes over where the bodies are now, and adds to their paths.
    pub(super) fn follow(&mut self, world: &World) {
        let (movers, bodies) = (SharedSlice::new(&mut self.movers), &world.bodies[..]);
        if self.whereabouts.is_empty() {
            for_chunks(
                (movers, bodies),
                BODIES_PER_THREAD,
                |_, (movers, bodies)| {
                    follow(movers, &mut [], bodies);
                },
            );
        } else {
            let slices = (movers, SharedSlice::new(&mut self.whereabouts), bodies);
            for_chunks(
                slices,
                BODIES_PER_THREAD,
                |_, (movers, whereabouts, bodies)| {
                    follow(movers, whereabouts, bodies);
                },
            );
        }
        for &(body, speed) in &self.driven {
            let mover = &mut self.movers[body as usize];
            mover.drive(speed);
            if let Some(known) = self.whereabouts.get_mut(body as usize) {
                known.set_motion(mover);
            }
        }
    }

    /// True if no body has a box yet.
    pub(super) fn is_loose(&self) -> bool {
        self.anchors.len() != self.movers.len()
    }

    /// Writes to `strays` the bodies that may have left the boxes that they were given, in order.
    pub(super) fn find_strays(&mut self, growth: Growth, strays: &mut Vec<u32>) {
        let (movers, whereabouts) = (&self.movers, &self.whereabouts);
        let turned = &self.anchor_rotations;
        let has_strayed = |index: usize, anchor: &mut Anchor| {
            let mover = &movers[index];
            let reach = growth.reach(mover);
            let unbounded = mover.kind == Kind::Unbounded;
            if mover.path + reach <= anchor.until && !unbounded {
                return false;
            }
            let mut moved = (mover.position - anchor.position).norm();
            if unbounded {
                // A half-space that turns is soon anywhere.
                if whereabouts[index].rotation() != turned[index] {
                    return true;
                }
            } else if mover.kind != Kind::Sphere {
                moved +=
                    mover.bounding_radius * turn(&(whereabouts[index].rotation() - turned[index]));
            }
            anchor.until = anchor.room - moved + mover.path;
            let needed = moved + reach;
            needed > anchor.room || needed.is_nan() || mover.path.is_nan()
        };
        strays.clear();
        self.strayed.resize(movers.len(), false);
        let found = AtomicBool::new(false);
        let slices = (
            SharedSlice::new(&mut self.anchors),
            SharedSlice::new(&mut self.strayed),
        );
        for_chunks(slices, BODIES_PER_THREAD, |start, (anchors, flags)| {
            let mut some = false;
            for (at, (anchor, flag)) in anchors.iter_mut().zip(flags).enumerate() {
                *flag = has_strayed(start + at, anchor);
                some |= *flag;
            }
            if some {
                found.store(true, Ordering::Relaxed);
            }
        });
        if found.into_inner() {
            let flags = self.strayed.iter().enumerate();
            strays.extend(flags.filter_map(|(index, &flag)| flag.then_some(index as u32)));
        }
    }

    /// Gives every body a box with room to move in, and writes what boxes are grown by to `reach`,
    /// shape `[body_count]` `[m]`.
    pub(super) fn anchor(&mut self, world: &World, growth: Growth, reach: &mut Vec<f64>) {
        let count = self.movers.len();
        let mut anchors = std::mem::take(&mut self.anchors);
        parallel::fill(&mut anchors, count, BODIES_PER_THREAD, |body| {
            self.anchor_of(body, world, growth)
        });
        parallel::fill(reach, count, BODIES_PER_THREAD, |body| anchors[body].room);
        self.anchors = anchors;
        let whereabouts = &self.whereabouts;
        let rotations = &mut self.anchor_rotations;
        parallel::fill(rotations, whereabouts.len(), BODIES_PER_THREAD, |body| {
            whereabouts[body].rotation()
        });
    }

    /// The same for some of the bodies.
    pub(super) fn anchor_again(
        &mut self,
        strays: &[u32],
        world: &World,
        growth: Growth,
        reach: &mut [f64],
    ) {
        for &stray in strays {
            let index = stray as usize;
            let anchor = self.anchor_of(index, world, growth);
            reach[index] = anchor.room;
            self.anchors[index] = anchor;
            if let Some(whereabouts) = self.whereabouts.get(index) {
                self.anchor_rotations[index] = whereabouts.rotation();
            }
        }
    }

    fn anchor_of(&self, index: usize, world: &World, growth: Growth) -> Anchor {
        let mover = &self.movers[index];
        let skin = if world.bodies[index].kind == BodyKind::Fixed {
            0.0
        } else {
            let radius = mover.bounding_radius.min(2.0 * self.mean_radius);
            SKIN_PER_RADIUS * radius + SKIN_STEPS * growth.time_step * mover.speed
        };
        let room = growth.reach(mover) + skin;
        Anchor {
            position: mover.position,
            room,
            until: room + mover.path,
        }
    }
}

fn rotation(body: &Body) -> Mat3 {
    body.pose.orientation.to_rotation_matrix().into_inner()
}

/// `whereabouts` has the shape of the others, or is empty if all bodies are spheres.
fn follow(movers: &mut [Mover], whereabouts: &mut [Whereabouts], bodies: &[Body]) {
    for (index, (mover, body)) in movers.iter_mut().zip(bodies).enumerate() {
        if mover.is_fixed {
            continue;
        }
        mover.path += (body.pose.position - mover.position).norm();
        // A sphere's rotation matters only if it is not finite: then this is no number.
        mover.path += 0.0 * body.pose.orientation.coords.sum();
        mover.position = body.pose.position;
        mover.set_velocity(body);
        if let Some(known) = whereabouts.get_mut(index) {
            if mover.kind == Kind::Sphere {
                known.set_motion(mover);
                continue;
            }
            let rotation = rotation(body);
            if mover.kind != Kind::Unbounded {
                mover.path += mover.bounding_radius * turn(&(rotation - known.rotation()));
            }
            *known = Whereabouts::new(&rotation, mover);
        }
    }
}
