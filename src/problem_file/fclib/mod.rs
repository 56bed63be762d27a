//! Friction problems of FCLib (Acary, Brémond, Koziara and Pérignon, "FCLIB: a collection of discrete 3D frictional contact problems", 2014).
//!
//! Unknowns beside contacts are eliminated. With `A = V`, `S = R` in the local form and `A = H^T M^-1 G`, `S = G^T M^-1 G` in the global one, both
//! are `u = W r + A l + q`, `A^T r + S l + s = 0`, and so `u = (W - A S^-1 A^T) r + q - A S^-1 s`.

mod hdf5;
mod reduce;
mod sparse;
mod write;

use self::hdf5::Hdf5;
use self::reduce::{Mixed, reduce};
use self::sparse::Sparse;
pub use self::write::FclibForm;
pub(super) use self::write::write;
use super::ContactProblem;
use crate::constants::MAX_DENSE_ENTRIES;
use crate::error::{Error, Result};
use nalgebra::{DMatrix, DVector};
use std::collections::BTreeMap;
use std::path::Path;

const LOCAL: &str = "/fclib_local";
const GLOBAL: &str = "/fclib_global";
const ROLLING: &str = "/fclib_global_rolling";

/// Blocks of W by the contacts of their rows and columns.
type Blocks = BTreeMap<(u32, u32), [f64; 9]>;

/// Reads a problem.
///
/// # Errors
/// [`Error::File`] that names the dataset, [`Error::Capacity`] for a problem that is too large to be reduced.
pub(super) fn read(path: &Path, bytes: Vec<u8>) -> Result<ContactProblem> {
    let file = Hdf5::open(path, bytes)?;
    if file.has_group(LOCAL) {
        local(&file)
    } else if file.has_group(GLOBAL) {
        global(&file)
    } else if file.has_group(ROLLING) {
        Err(file.wrong(ROLLING, "rolling friction is not solved here"))
    } else {
        Err(file.wrong("/", format!("neither {LOCAL} nor {GLOBAL} is in it")))
    }
}

/// The shape of a problem.
#[derive(Debug, Clone, Copy)]
struct Shape {
    /// Rows of a contact.
    dimension: usize,
    contacts: usize,
}

impl Shape {
    /// Of a problem with so many rows.
    fn read(file: &Hdf5<'_>, group: &str, rows: usize, source: &str) -> Result<Self> {
        let field = format!("{group}/spacedim");
        let dimension = match file.int(&field)? {
            2 => 2,
            3 => 3,
            other => {
                return Err(file.wrong(&field, format!("{other} dimensions; 2 or 3 are expected")));
            }
        };
        if !rows.is_multiple_of(dimension) {
            return Err(file.wrong(
                source,
                format!("{rows} rows, which is no multiple of the {dimension} of a contact"),
            ));
        }
        Ok(Self {
            dimension,
            contacts: rows / dimension,
        })
    }

    fn rows(self) -> usize {
        self.dimension * self.contacts
    }

    /// Contact and direction of a row.
    fn place(self, row: usize) -> (u32, usize) {
        ((row / self.dimension) as u32, row % self.dimension)
    }

    fn friction(self, file: &Hdf5<'_>, group: &str) -> Result<Vec<f64>> {
        let field = format!("{group}/vectors/mu");
        let friction = file.vector(&field, self.contacts)?;
        match friction.iter().position(|&mu| mu < 0.0) {
            Some(at) => Err(file.wrong(
                &format!("{field}[{at}]"),
                format!("{} is negative", friction[at]),
            )),
            None => Ok(friction),
        }
    }
}

fn add(blocks: &mut Blocks, shape: Shape, (row, column): (usize, usize), value: f64) {
    let ((a, i), (b, j)) = (shape.place(row), shape.place(column));
    blocks.entry((a, b)).or_default()[3 * i + j] += value;
}

fn local(file: &Hdf5<'_>) -> Result<ContactProblem> {
    let field = format!("{LOCAL}/W");
    let operator = Sparse::read(file, &field)?;
    let rows = operator.rows;
    let shape = Shape::read(file, LOCAL, rows, &field)?;
    operator.expect_shape(file, &field, [rows, rows])?;
    let friction = shape.friction(file, LOCAL)?;
    let q = file.vector(&format!("{LOCAL}/vectors/q"), rows)?;
    let mut blocks = Blocks::new();
    operator.each(|row, column, value| add(&mut blocks, shape, (row, column), value));
    let field = format!("{LOCAL}/R");
    let mixed = if file.has_group(&field) {
        let r = Sparse::read(file, &field)?;
        let count = r.rows;
        r.expect_shape(file, &field, [count, count])?;
        let v_field = format!("{LOCAL}/V");
        let v = Sparse::read(file, &v_field)?;
        v.expect_shape(file, &v_field, [rows, count])?;
        Some(Mixed {
            coupling: v.to_dense(&v_field)?,
            own: r.to_dense(&field)?,
            constant: DVector::from_vec(file.vector(&format!("{LOCAL}/vectors/s"), count)?),
        })
    } else {
        None
    };
    finish(file, LOCAL, (shape, friction), (blocks, q), mixed)
}

fn global(file: &Hdf5<'_>) -> Result<ContactProblem> {
    let field = format!("{GLOBAL}/H");
    let directions = Sparse::read(file, &field)?;
    let (unknowns, rows) = (directions.rows, directions.columns);
    let shape = Shape::read(file, GLOBAL, rows, &field)?;
    let friction = shape.friction(file, GLOBAL)?;
    let mass_field = format!("{GLOBAL}/M");
    let mass = Sparse::read(file, &mass_field)?;
    mass.expect_shape(file, &mass_field, [unknowns, unknowns])?;
    let force = file.vector(&format!("{GLOBAL}/vectors/f"), unknowns)?;
    let offset = file.vector(&format!("{GLOBAL}/vectors/w"), rows)?;
    let field = format!("{GLOBAL}/G");
    let equalities = if file.has_group(&field) {
        let g = Sparse::read(file, &field)?;
        let count = g.columns;
        g.expect_shape(file, &field, [unknowns, count])?;
        Some((g, file.vector(&format!("{GLOBAL}/vectors/b"), count)?))
    } else {
        None
    };
    let reduced = reduce(
        (&mass, &force),
        (&directions, &offset),
        equalities.as_ref().map(|(g, b)| (g, b.as_slice())),
    );
    let reduced = reduced.map_err(|refusal| match refusal {
        reduce::Refusal::Singular(why) => file.wrong(&mass_field, why),
        reduce::Refusal::TooLarge(error) => error,
    })?;
    let mut blocks = Blocks::new();
    for ((row, column), value) in reduced.operator {
        add(&mut blocks, shape, (row, column), value);
    }
    let constants = (blocks, reduced.free);
    finish(file, GLOBAL, (shape, friction), constants, reduced.mixed)
}

/// Eliminates what is beside contacts, and writes the rows.
fn finish(
    file: &Hdf5<'_>,
    group: &str,
    (shape, friction): (Shape, Vec<f64>),
    (mut blocks, mut q): (Blocks, Vec<f64>),
    mixed: Option<Mixed>,
) -> Result<ContactProblem> {
    if let Some(mixed) = mixed.filter(|mixed| mixed.own.nrows() > 0) {
        let rows = shape.rows();
        fits(
            &format!("{group}: W with its equalities eliminated"),
            rows,
            rows,
        )?;
        let (w, change) = mixed.eliminated().ok_or_else(|| {
            file.wrong(
                group,
                "its equalities contradict each other, or leave the joints' impulses open",
            )
        })?;
        for row in 0..rows {
            for column in 0..rows {
                let value = w[(row, column)];
                if value != 0.0 {
                    add(&mut blocks, shape, (row, column), value);
                }
            }
            q[row] += change[row];
        }
    }
    let mut problem = ContactProblem {
        title: file.title(&format!("{group}/info/title")),
        dimension: shape.dimension as u32,
        row_starts: vec![0],
        free_velocities: q
            .chunks(shape.dimension)
            .map(|q| [q[0], q[1], q.get(2).copied().unwrap_or(0.0)])
            .collect(),
        friction,
        ..ContactProblem::default()
    };
    let mut row = 0;
    for ((a, b), block) in blocks {
        while row < a {
            problem.row_starts.push(problem.columns.len() as u32);
            row += 1;
        }
        problem.columns.push(b);
        problem.blocks.push(block);
    }
    problem
        .row_starts
        .resize(shape.contacts + 1, problem.columns.len() as u32);
    match problem.as_delassus().validate() {
        Err(Error::Invalid { what, why }) => Err(file.wrong(group, format!("{what}: {why}"))),
        validated => validated.map(|()| problem),
    }
}

/// Refuses matrices that are too large to be dense.
fn fits(what: &str, rows: usize, columns: usize) -> Result<()> {
    let needed = (rows as u64).saturating_mul(columns as u64);
    if needed > MAX_DENSE_ENTRIES {
        return Err(Error::Capacity {
            what: format!("entries of {what}"),
            needed,
            available: MAX_DENSE_ENTRIES,
        });
    }
    Ok(())
}

impl Sparse {
    fn to_dense(&self, what: &str) -> Result<DMatrix<f64>> {
        fits(what, self.rows, self.columns)?;
        let mut dense = DMatrix::zeros(self.rows, self.columns);
        self.each(|row, column, value| dense[(row, column)] += value);
        Ok(dense)
    }
}
