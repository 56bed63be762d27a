//! Sparse matrices as FCLib stores them.

use super::hdf5::Hdf5;
use crate::error::{Error, Result};
use crate::output::hdf5::Node;
use nalgebra::DMatrix;

/// A sparse matrix by columns; entries of one place add up.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sparse {
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// First entry of each column, and one past the last.
    starts: Vec<usize>,
    /// Row and value of each entry.
    entries: Vec<(u32, f64)>,
}

impl Sparse {
    /// Reads the matrix of a group: by columns (`nz` is -1), by rows (-2) or as triplets.
    ///
    /// Of triplets `i` has the rows and `p` the columns, as CSparse has it and files do; FCLib's header says the opposite. Where only that is
    /// possible, for the indices of a matrix that is not square, it is taken to be meant.
    pub(super) fn read(file: &Hdf5<'_>, group: &str) -> Result<Self> {
        let count = |name: &str| {
            let field = format!("{group}/{name}");
            let count = file.int(&field)?;
            usize::try_from(count)
                .ok()
                .filter(|&count| count <= file.most_elements())
                .ok_or_else(|| {
                    file.wrong(&field, format!("{count} is no number of rows or columns"))
                })
        };
        let (rows, columns) = (count("m")?, count("n")?);
        let nz = file.int(&format!("{group}/nz"))?;
        let [p, i] = ["p", "i"].map(|name| file.indices(&format!("{group}/{name}")));
        let (p, i, x) = (p?, i?, file.numbers(&format!("{group}/x"))?);
        let triplets = match nz {
            -1 => expand(file, group, columns, (&p, &i, &x))?,
            -2 => swapped(expand(file, group, rows, (&p, &i, &x))?),
            0.. => {
                let count = usize::try_from(nz).unwrap_or(usize::MAX);
                for (name, given) in [("p", p.len()), ("i", i.len()), ("x", x.len())] {
                    if given < count {
                        return Err(file.wrong(
                            &format!("{group}/{name}"),
                            format!("{given} entries; nz says {count}"),
                        ));
                    }
                }
                let entries = i.iter().zip(&p).zip(&x).take(count);
                let triplets: Vec<_> = entries.map(|((&i, &p), &x)| (i, p, x)).collect();
                let fits =
                    |&(i, p, _): &(u32, u32, f64)| (i as usize) < rows && (p as usize) < columns;
                let fits_swapped =
                    |&(i, p, _): &(u32, u32, f64)| (p as usize) < rows && (i as usize) < columns;
                if !triplets.iter().all(fits) && triplets.iter().all(fits_swapped) {
                    swapped(triplets)
                } else {
                    triplets
                }
            }
            other => {
                return Err(file.wrong(
                    &format!("{group}/nz"),
                    format!("{other}; -1 (by columns), -2 (by rows) or the number of triplets is expected"),
                ));
            }
        };
        let beyond = triplets
            .iter()
            .find(|&&(row, column, _)| row as usize >= rows || column as usize >= columns);
        if let Some((row, column, _)) = beyond {
            return Err(file.wrong(
                group,
                format!("an entry at row {row}, column {column} of {rows} x {columns}"),
            ));
        }
        Ok(Self::of_triplets([rows, columns], &triplets))
    }

    /// A matrix from rows, columns and values, which exist.
    pub(super) fn of_triplets([rows, columns]: [usize; 2], triplets: &[(u32, u32, f64)]) -> Self {
        let mut starts = vec![0; columns + 1];
        for &(_, column, _) in triplets {
            starts[column as usize + 1] += 1;
        }
        for column in 0..columns {
            starts[column + 1] += starts[column];
        }
        let mut next = starts.clone();
        let mut entries = vec![(0, 0.0); triplets.len()];
        for &(row, column, value) in triplets {
            let at = &mut next[column as usize];
            entries[*at] = (row, value);
            *at += 1;
        }
        Self {
            rows,
            columns,
            starts,
            entries,
        }
    }

    /// A matrix without its zeros.
    pub(super) fn of_dense(dense: &DMatrix<f64>) -> Self {
        let mut triplets = Vec::new();
        for (column, values) in dense.column_iter().enumerate() {
            let values = values
                .iter()
                .enumerate()
                .filter(|(_, value)| **value != 0.0);
            triplets.extend(values.map(|(row, &value)| (row as u32, column as u32, value)));
        }
        Self::of_triplets([dense.nrows(), dense.ncols()], &triplets)
    }

    /// The matrix as FCLib stores it, by columns.
    ///
    /// # Errors
    /// [`Error::Capacity`] for more entries than its indices of 32 bits count, [`Error::NonFinite`] for one that is not finite.
    pub(super) fn to_node(&self, what: &'static str) -> Result<Node> {
        let index = |number: usize| -> Result<i32> {
            i32::try_from(number).map_err(|_| Error::Capacity {
                what: format!("entries, rows or columns of {what}"),
                needed: number as u64,
                available: i32::MAX as u64,
            })
        };
        let starts: Result<Vec<i32>> = self.starts.iter().map(|&start| index(start)).collect();
        let (rows, values): (Vec<i32>, Vec<f64>) = self
            .entries
            .iter()
            .map(|&(row, value)| (row as i32, value))
            .unzip();
        let count = |number| index(number).map(|number| Node::integers(&[number]));
        Ok(Node::Group(vec![
            ("nzmax", count(values.len())?),
            ("m", count(self.rows)?),
            ("n", count(self.columns)?),
            ("nz", Node::integers(&[-1])),
            ("p", Node::integers(&starts?)),
            ("i", Node::integers(&rows)),
            ("x", finite_numbers(what, &values)?),
        ]))
    }

    /// Refuses any other shape.
    pub(super) fn expect_shape(
        &self,
        file: &Hdf5<'_>,
        field: &str,
        shape: [usize; 2],
    ) -> Result<()> {
        let [rows, columns] = shape;
        if [self.rows, self.columns] == shape {
            return Ok(());
        }
        Err(file.wrong(
            field,
            format!(
                "{} x {}; {rows} x {columns} is expected",
                self.rows, self.columns
            ),
        ))
    }

    /// Rows and values of a column.
    pub(super) fn column(&self, column: usize) -> impl Iterator<Item = (usize, f64)> {
        let entries = &self.entries[self.starts[column]..self.starts[column + 1]];
        entries.iter().map(|&(row, value)| (row as usize, value))
    }

    /// Row, column and value of every entry.
    pub(super) fn each(&self, mut visit: impl FnMut(usize, usize, f64)) {
        for column in 0..self.columns {
            for (row, value) in self.column(column) {
                visit(row, column, value);
            }
        }
    }
}

/// Numbers of a file, all of them finite.
pub(super) fn finite_numbers(what: &'static str, values: &[f64]) -> Result<Node> {
    match values.iter().position(|value| !value.is_finite()) {
        Some(at) => Err(Error::NonFinite {
            stage: "the conversion to FCLib's form",
            what: format!("number {at} of {what}"),
        }),
        None => Ok(Node::numbers(values)),
    }
}

/// Compressed columns as triplets of row, column and value.
fn expand(
    file: &Hdf5<'_>,
    group: &str,
    count: usize,
    (starts, rows, values): (&[u32], &[u32], &[f64]),
) -> Result<Vec<(u32, u32, f64)>> {
    let field = format!("{group}/p");
    if starts.len() != count + 1 {
        return Err(file.wrong(
            &field,
            format!("{} starts; {} are expected", starts.len(), count + 1),
        ));
    }
    let ascends = starts[0] == 0 && starts.is_sorted();
    let used = starts[count] as usize;
    if !ascends || used > rows.len() || used > values.len() {
        return Err(file.wrong(
            &field,
            format!(
                "starts must ascend from 0 to the number of entries, {} in i and {} in x",
                rows.len(),
                values.len()
            ),
        ));
    }
    let mut triplets = Vec::with_capacity(used);
    for (column, ends) in starts.windows(2).enumerate() {
        let entries = ends[0] as usize..ends[1] as usize;
        let entries = rows[entries.clone()].iter().zip(&values[entries]);
        triplets.extend(entries.map(|(&row, &value)| (row, column as u32, value)));
    }
    Ok(triplets)
}

fn swapped(triplets: Vec<(u32, u32, f64)>) -> Vec<(u32, u32, f64)> {
    triplets.into_iter().map(|(a, b, x)| (b, a, x)).collect()
}
