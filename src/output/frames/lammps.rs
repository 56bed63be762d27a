//! Dumps as LAMMPS writes them, for OVITO: a text file a frame, bodies as atoms and contacts as the entries of a local dump.
//!
//! After the LAMMPS manual, *dump* and *dump_modify*. Ids count from 1, as LAMMPS wants it: an id is one more than in other formats.
//! Columns have the names by which OVITO finds its particle properties; `type` is the shape's number and one, `element` its name, and `shapex`, `shapey`
//! and `shapez` are the sides of the box in body axes that holds the body, which OVITO halves.

use super::Frame;
use super::piece::{bounds, half_extents, kind_number, mass, radius, shape_name, shape_number};
use super::series::Content;
use crate::math::{Aabb, Vec3};
use std::fmt::Write as _;

/// Columns of the bodies.
const BODY_COLUMNS: &str = "id type element x y z vx vy vz omegax omegay omegaz quatw quati quatj quatk \
                            shapex shapey shapez radius mass material kind";

/// Columns of the contacts; see [`FrameOptions::contacts`](super::FrameOptions::contacts).
const CONTACT_COLUMNS: &str = "index body_a body_b x y z nx ny nz gap normal_force fx fy fz";

/// The contents of files of the bodies and of the contacts.
pub(super) fn contents() -> [Content; 2] {
    [
        Box::new(|frame| Ok(bodies(frame).into_bytes())),
        Box::new(|frame| Ok(contacts(frame).into_bytes())),
    ]
}

fn bodies(frame: &Frame<'_>) -> String {
    let bodies = &frame.seen.world.bodies;
    let mut dump = head(frame, "ATOMS", bodies.len(), BODY_COLUMNS);
    for (index, body) in bodies.iter().enumerate() {
        let number = u32::from(shape_number(body)) + 1;
        dump.text(index + 1);
        dump.text(number);
        dump.text(shape_name(body));
        dump.vector(&body.pose.position);
        dump.vector(&body.linear_velocity);
        dump.vector(&body.angular_velocity);
        let q = body.pose.orientation;
        for part in [q.w, q.i, q.j, q.k] {
            dump.number(part);
        }
        dump.vector(&(2.0 * half_extents(body)));
        dump.number(radius(body));
        dump.number(mass(body));
        dump.text(body.material);
        dump.text(kind_number(body));
        dump.end();
    }
    dump.text
}

fn contacts(frame: &Frame<'_>) -> String {
    let count = frame.seen.contacts.len();
    let mut dump = head(frame, "ENTRIES", count, CONTACT_COLUMNS);
    for (index, (contact, force)) in frame.seen.network().all().enumerate() {
        dump.text(index + 1);
        for body in contact.bodies {
            dump.text(body + 1);
        }
        dump.vector(&contact.position);
        dump.vector(&contact.normal);
        dump.number(contact.separation);
        dump.number(force.dot(&contact.normal));
        dump.vector(&force);
        dump.end();
    }
    dump.text
}

/// A text that grows by rows.
struct Dump {
    text: String,
    /// True if the row has begun.
    has_begun: bool,
}

/// Everything before the rows. Bounds are those of the bodies, shrink-wrapped (`s`), or of a unit cube without any.
fn head(frame: &Frame<'_>, what: &str, count: usize, columns: &str) -> Dump {
    let world = frame.seen.world;
    let Aabb { min, max } = bounds(world).unwrap_or(Aabb {
        min: Vec3::zeros(),
        max: Vec3::repeat(1.0),
    });
    let counted = if what == "ATOMS" { what } else { "ENTRIES" };
    let mut text = format!(
        "ITEM: UNITS\nsi\nITEM: TIME\n{:?}\nITEM: TIMESTEP\n{}\nITEM: NUMBER OF {counted}\n{count}\n\
         ITEM: BOX BOUNDS ss ss ss\n",
        world.time, frame.step,
    );
    for axis in 0..3 {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{:?} {:?}", min[axis], max[axis]);
    }
    let _ = writeln!(text, "ITEM: {what} {columns}");
    Dump {
        text,
        has_begun: false,
    }
}

impl Dump {
    fn text(&mut self, value: impl std::fmt::Display) {
        let space = if self.has_begun { " " } else { "" };
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{space}{value}");
        self.has_begun = true;
    }

    /// A number in the shortest form that reads back to the same bits.
    fn number(&mut self, value: f64) {
        self.text(format_args!("{value:?}"));
    }

    fn vector(&mut self, value: &Vec3) {
        for part in value.iter() {
            self.number(*part);
        }
    }

    fn end(&mut self) {
        self.text.push('\n');
        self.has_begun = false;
    }
}
