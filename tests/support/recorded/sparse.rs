//! Sparse matrices in compressed columns, f64.

use nalgebra::DMatrix;

/// A matrix of which each column lists its rows, ascending, and their values.
#[derive(Debug, Clone, PartialEq)]
pub struct SparseMatrix {
    rows: usize,
    columns: usize,
    /// Place of each column's first entry, and one past the last; shape `[columns + 1]`.
    column_starts: Vec<usize>,
    /// Row of each entry; shape `[entries]`.
    row_indices: Vec<usize>,
    /// Value of each entry, likewise.
    values: Vec<f64>,
}

impl SparseMatrix {
    /// A matrix from its parts.
    ///
    /// # Errors
    /// A text that names the first part that does not fit: column starts of the wrong number or
    /// order, a row that does not exist or does not ascend within its column, a number that is not
    /// finite, or different numbers of rows and values.
    pub fn new(
        rows: usize,
        columns: usize,
        column_starts: Vec<usize>,
        row_indices: Vec<usize>,
        values: Vec<f64>,
    ) -> Result<Self, String> {
        if columns.checked_add(1) != Some(column_starts.len()) {
            return Err(format!(
                "colptr: {} entries for {columns} columns; one more is expected",
                column_starts.len()
            ));
        }
        if row_indices.len() != values.len() {
            return Err(format!(
                "rowidx, values: {} and {} entries; as many are expected",
                row_indices.len(),
                values.len()
            ));
        }
        let bounds = (column_starts[0], column_starts[columns]);
        if bounds != (0, values.len()) {
            return Err(format!(
                "colptr: goes from {} to {}; 0 to {} is expected",
                bounds.0,
                bounds.1,
                values.len()
            ));
        }
        for (column, pair) in column_starts.windows(2).enumerate() {
            if pair[0] > pair[1] {
                return Err(format!(
                    "colptr[{}]: {} is less than {} before it",
                    column + 1,
                    pair[1],
                    pair[0]
                ));
            }
            for entry in pair[0]..pair[1] {
                let row = row_indices[entry];
                if row >= rows {
                    return Err(format!(
                        "rowidx[{entry}]: row {row} does not exist; there are {rows}"
                    ));
                }
                if entry > pair[0] && row <= row_indices[entry - 1] {
                    return Err(format!(
                        "rowidx[{entry}]: row {row} does not ascend in column {column}"
                    ));
                }
            }
        }
        if let Some(entry) = values.iter().position(|x| !x.is_finite()) {
            return Err(format!("values[{entry}]: {} is not finite", values[entry]));
        }
        Ok(Self {
            rows,
            columns,
            column_starts,
            row_indices,
            values,
        })
    }

    /// The entries of a dense matrix that are not zero.
    #[must_use]
    pub fn from_dense(dense: &DMatrix<f64>) -> Self {
        let mut column_starts = vec![0];
        let (mut row_indices, mut values) = (Vec::new(), Vec::new());
        for column in dense.column_iter() {
            for (row, &value) in column.iter().enumerate() {
                if value != 0.0 {
                    row_indices.push(row);
                    values.push(value);
                }
            }
            column_starts.push(values.len());
        }
        Self {
            rows: dense.nrows(),
            columns: dense.ncols(),
            column_starts,
            row_indices,
            values,
        }
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Number of stored entries.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.values.len()
    }

    /// Rows and values of a column, rows ascending.
    pub fn column(&self, column: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.column_starts[column]..self.column_starts[column + 1];
        self.row_indices[range.clone()]
            .iter()
            .copied()
            .zip(self.values[range].iter().copied())
    }

    /// One entry; zero if it is not stored.
    #[must_use]
    pub fn entry(&self, row: usize, column: usize) -> f64 {
        self.column(column)
            .find(|&(r, _)| r == row)
            .map_or(0.0, |(_, value)| value)
    }

    /// The matrix with rows and columns exchanged.
    #[must_use]
    pub fn transposed(&self) -> Self {
        let mut column_starts = vec![0; self.rows + 1];
        for &row in &self.row_indices {
            column_starts[row + 1] += 1;
        }
        for row in 0..self.rows {
            column_starts[row + 1] += column_starts[row];
        }
        let mut next = column_starts.clone();
        let mut row_indices = vec![0; self.values.len()];
        let mut values = vec![0.0; self.values.len()];
        for column in 0..self.columns {
            for (row, value) in self.column(column) {
                row_indices[next[row]] = column;
                values[next[row]] = value;
                next[row] += 1;
            }
        }
        Self {
            rows: self.columns,
            columns: self.rows,
            column_starts,
            row_indices,
            values,
        }
    }

    /// True for a square matrix with entries above the diagonal only or below it only.
    #[must_use]
    pub fn is_half(&self) -> bool {
        let (mut above, mut below) = (false, false);
        for column in 0..self.columns {
            for (row, value) in self.column(column) {
                above |= row < column && value != 0.0;
                below |= row > column && value != 0.0;
            }
        }
        self.rows == self.columns && above != below
    }

    /// The symmetric matrix of which this one is a half, diagonal included.
    #[must_use]
    pub fn completed(&self) -> Self {
        let dense = self.to_dense();
        let both = DMatrix::from_fn(self.rows, self.columns, |i, j| {
            if i == j {
                dense[(i, i)]
            } else {
                dense[(i, j)] + dense[(j, i)]
            }
        });
        Self::from_dense(&both)
    }

    /// `c . x`, c being a column.
    #[must_use]
    pub fn column_product(&self, column: usize, x: &[f64]) -> f64 {
        self.column(column).map(|(row, value)| value * x[row]).sum()
    }

    /// All entries, zeros included.
    #[must_use]
    pub fn to_dense(&self) -> DMatrix<f64> {
        let mut dense = DMatrix::zeros(self.rows, self.columns);
        for column in 0..self.columns {
            for (row, value) in self.column(column) {
                dense[(row, column)] = value;
            }
        }
        dense
    }
}
