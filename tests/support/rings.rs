//! A chain of rings that hang on nothing but their contacts.

use drystone::math::{Quat, Vec3};
use std::f64::consts::FRAC_PI_6;
use std::fmt::Write as _;

/// Unit of length: rings are 0.86 of it long, and their rods 0.16 thick `[m]`.
pub const SIZE: f64 = 0.05;

/// Distance of two rings that touch `[m]`.
pub const APART: f64 = 0.528 * SIZE;

/// A scene of five rings of twelve rods each, the first one fixed, the last one `load` times as heavy as the others and pushed aside, in steps of `h` `[s]`.
pub fn chain_of_rings(load: f64, h: f64) -> String {
    let mut text = format!(
        "name = \"rings\"\n[simulation]\ndt = {h}\nsteps = 1\n[materials.default]\nfriction = 0.3\n"
    );
    for ring in 0..5_u32 {
        // Two half circles of radius 0.2, 0.3 apart; every other ring is turned.
        let corner = |at: u32| {
            let (sine, cosine) = (f64::from(at % 12) * FRAC_PI_6).sin_cos();
            let away = if at % 12 <= 6 { 0.15 } else { -0.15 };
            let (aside, height) = (0.2 * cosine, away + 0.2 * sine);
            let turned = ring % 2 == 1;
            Vec3::new(
                if turned { 0.0 } else { aside },
                if turned { aside } else { 0.0 },
                height,
            ) * SIZE
        };
        let mut parts = String::new();
        for at in 0..12 {
            let (p, q) = (corner(at), corner(at + 1));
            let (middle, rod) = (0.5 * (p + q), q - p);
            let turn = Quat::rotation_between(&Vec3::z(), &rod)
                .unwrap()
                .scaled_axis();
            let (axis, degrees) = (turn.normalize(), turn.norm().to_degrees());
            write!(
                parts,
                "{{ position = [{}, {}, {}], rotation = {{ axis = [{}, {}, {}], degrees = {degrees} }}, shape = {{ type = \"capsule\", radius = {}, half_length = {} }} }},",
                middle.x, middle.y, middle.z, axis.x, axis.y, axis.z, 0.08 * SIZE, 0.5 * rod.norm()
            )
            .unwrap();
        }
        let moves = match ring {
            0 => "kind = \"fixed\"".to_owned(),
            4 => format!(
                "density = {}\nlinear_velocity = [{}, 0, 0]",
                7800.0 * load,
                (9.81 * SIZE).sqrt()
            ),
            _ => "density = 7800".to_owned(),
        };
        writeln!(
            text,
            "[[body]]\nshape = {{ type = \"compound\", parts = [{parts}] }}\nposition = [0, 0, {}]\n{moves}",
            -f64::from(ring) * APART
        )
        .unwrap();
    }
    text
}
