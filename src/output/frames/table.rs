//! Tables: a file a frame, a body or a contact a row, as CSV or Parquet.
//!
//! Names of columns are those of `[[bodies_csv]]` in scenes, where there are such; `x`, `y`, `z` are the centre of mass.

use super::Frame;
use super::piece::{kind_name, mass, shape_name};
use super::series::Content;
use crate::measure::Energy;
use crate::output::metrics::quoted;
use crate::world::Body;
use std::fmt::Write as _;

/// The contents of files of the bodies and of the contacts, with tables written in this way.
pub(super) fn contents(write: fn(&Table<'_>) -> std::io::Result<Vec<u8>>) -> [Content; 2] {
    [
        Box::new(move |frame| write(&bodies(frame))),
        Box::new(move |frame| write(&contacts(frame))),
    ]
}

/// A table, column by column.
pub(super) struct Table<'a> {
    pub(super) rows: usize,
    pub(super) columns: Vec<(&'static str, Column<'a>)>,
}

/// The values of a column, a row each.
pub(super) enum Column<'a> {
    Integers(Vec<i64>),
    Numbers(Vec<f64>),
    Texts(Vec<&'a str>),
}

/// The bodies: lengths in m, masses in kg, velocities in m/s and rad/s, energies in J; mass and energies of a body that is not dynamic are 0.
fn bodies<'a>(frame: &Frame<'a>) -> Table<'a> {
    let world = frame.seen.world;
    let bodies = &world.bodies;
    let kinetic = bodies.iter().map(|body| {
        let mut energy = Energy::default();
        energy.add(std::slice::from_ref(body), &world.gravity);
        energy.kinetic
    });
    let mut table = Table::of_moment(frame, bodies.len());
    table.integers("id", (0..).take(bodies.len()));
    table.texts(
        "name",
        bodies.iter().map(|b| b.name.as_deref().unwrap_or_default()),
    );
    table.texts("kind", bodies.iter().map(kind_name));
    table.texts("shape", bodies.iter().map(shape_name));
    table.integers("material", bodies.iter().map(|b| i64::from(b.material)));
    table.numbers("mass", bodies.iter().map(mass));
    table.parts(
        ["x", "y", "z"],
        bodies.iter().map(|b| b.pose.position.into()),
    );
    table.parts(
        ["qw", "qx", "qy", "qz"],
        bodies.iter().map(|b| {
            let q = b.pose.orientation;
            [q.w, q.i, q.j, q.k]
        }),
    );
    table.parts(
        ["vx", "vy", "vz"],
        bodies.iter().map(|b| b.linear_velocity.into()),
    );
    table.parts(
        ["wx", "wy", "wz"],
        bodies.iter().map(|b| b.angular_velocity.into()),
    );
    table.numbers("kinetic_energy", kinetic);
    table.numbers(
        "rotational_energy",
        bodies.iter().map(Body::rotational_energy),
    );
    table
}

/// The contacts; see [`FrameOptions::contacts`](super::FrameOptions::contacts).
fn contacts<'a>(frame: &Frame<'a>) -> Table<'a> {
    let network = frame.seen.network();
    let found: Vec<_> = network.all().collect();
    let mut table = Table::of_moment(frame, found.len());
    for (at, name) in ["body_a", "body_b"].into_iter().enumerate() {
        table.integers(
            name,
            found.iter().map(|(contact, _)| contact.bodies[at] as i64),
        );
    }
    table.parts(
        ["x", "y", "z"],
        found.iter().map(|(contact, _)| contact.position.into()),
    );
    table.parts(
        ["nx", "ny", "nz"],
        found.iter().map(|(contact, _)| contact.normal.into()),
    );
    table.numbers("gap", found.iter().map(|(contact, _)| contact.separation));
    table.numbers(
        "normal_force",
        found
            .iter()
            .map(|(contact, force)| force.dot(&contact.normal)),
    );
    table.parts(
        ["fx", "fy", "fz"],
        found.iter().map(|(_, force)| (*force).into()),
    );
    table
}

impl<'a> Table<'a> {
    /// The moment, in every row, so that tables of several frames can be put together.
    fn of_moment(frame: &Frame<'_>, rows: usize) -> Self {
        let mut table = Self {
            rows,
            columns: Vec::new(),
        };
        table.integers("step", std::iter::repeat_n(frame.step as i64, rows));
        table.numbers("time", std::iter::repeat_n(frame.seen.world.time, rows));
        table
    }

    fn integers(&mut self, name: &'static str, values: impl Iterator<Item = i64>) {
        self.columns
            .push((name, Column::Integers(values.collect())));
    }

    fn numbers(&mut self, name: &'static str, values: impl Iterator<Item = f64>) {
        self.columns.push((name, Column::Numbers(values.collect())));
    }

    fn texts<'b: 'a>(&mut self, name: &'static str, values: impl Iterator<Item = &'b str>) {
        self.columns.push((
            name,
            Column::Texts(values.map(|text| -> &'a str { text }).collect()),
        ));
    }

    /// A column for every part of a vector.
    fn parts<const N: usize>(
        &mut self,
        names: [&'static str; N],
        values: impl Iterator<Item = [f64; N]> + Clone,
    ) {
        for (at, name) in names.into_iter().enumerate() {
            self.numbers(name, values.clone().map(|value| value[at]));
        }
    }

    /// The table as CSV. Numbers are in the shortest form that reads back to the same bits.
    pub(super) fn csv(&self) -> String {
        let names: Vec<&str> = self.columns.iter().map(|(name, _)| *name).collect();
        let mut text = names.join(",");
        text.push('\n');
        for row in 0..self.rows {
            for (at, (_, column)) in self.columns.iter().enumerate() {
                if at > 0 {
                    text.push(',');
                }
                // Writing to a string cannot fail.
                let _ = match column {
                    Column::Integers(values) => write!(text, "{}", values[row]),
                    Column::Numbers(values) => write!(text, "{:?}", values[row]),
                    Column::Texts(values) => write!(text, "{}", quoted(values[row])),
                };
            }
            text.push('\n');
        }
        text
    }
}
