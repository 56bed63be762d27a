//! Tables: a CSV file a frame, a body or a contact a row.
//!
//! Numbers are in the shortest form that reads back to the same bits. Names of columns are those of `[[bodies_csv]]` in scenes, where there are such;
//! `x`, `y`, `z` are the centre of mass.

use super::Frame;
use super::piece::{kind_name, mass, shape_name};
use crate::math::Vec3;
use crate::measure::Energy;
use crate::output::metrics::quoted;
use std::fmt::Write as _;

/// Columns of the bodies: lengths in m, masses in kg, velocities in m/s and rad/s, energies in J; those of a body that is not dynamic are 0.
const BODY_COLUMNS: &str = "step,time,id,name,kind,shape,material,mass,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,\
                            kinetic_energy,rotational_energy";

/// Columns of the contacts; see [`FrameOptions::contacts`](super::FrameOptions::contacts).
const CONTACT_COLUMNS: &str = "step,time,body_a,body_b,x,y,z,nx,ny,nz,gap,normal_force,fx,fy,fz";

pub(super) fn bodies(frame: &Frame<'_>) -> String {
    let world = frame.seen.world;
    let mut text = format!("{BODY_COLUMNS}\n");
    for (index, body) in world.bodies.iter().enumerate() {
        let mut energy = Energy::default();
        energy.add(std::slice::from_ref(body), &world.gravity);
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "{},{:?},{index},{},{},{},{},{:?}",
            frame.step,
            world.time,
            quoted(body.name.as_deref().unwrap_or_default()),
            kind_name(body),
            shape_name(body),
            body.material,
            mass(body)
        );
        numbers(&mut text, &body.pose.position);
        let q = body.pose.orientation;
        let _ = write!(text, ",{:?},{:?},{:?},{:?}", q.w, q.i, q.j, q.k);
        numbers(&mut text, &body.linear_velocity);
        numbers(&mut text, &body.angular_velocity);
        let _ = writeln!(text, ",{:?},{:?}", energy.kinetic, body.rotational_energy());
    }
    text
}

pub(super) fn contacts(frame: &Frame<'_>) -> String {
    let time = frame.seen.world.time;
    let mut text = format!("{CONTACT_COLUMNS}\n");
    for (contact, force) in frame.seen.network().all() {
        let [a, b] = contact.bodies;
        // Writing to a string cannot fail.
        let _ = write!(text, "{},{time:?},{a},{b}", frame.step);
        numbers(&mut text, &contact.position);
        numbers(&mut text, &contact.normal);
        let pressing = force.dot(&contact.normal);
        let _ = write!(text, ",{:?},{pressing:?}", contact.separation);
        numbers(&mut text, &force);
        text.push('\n');
    }
    text
}

fn numbers(text: &mut String, vector: &Vec3) {
    for part in vector.iter() {
        // Writing to a string cannot fail.
        let _ = write!(text, ",{part:?}");
    }
}
