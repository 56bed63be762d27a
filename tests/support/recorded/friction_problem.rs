//! Friction problems recorded from simulations of others, and how well impulses solve them.
//!
//! In the local form `u = W r + q`; in the global form `M v = H r + f`, `u = H^T v + w`, which is
//! reduced to the local one. A contact has three rows: normal, tangent 1, tangent 2. Coulomb's law
//! with the disk: `r` in `K = {|r_t| <= mu r_n}`, complementary to `u + mu |u_t| n`. Such problems
//! are collected by Acary, Brémond, Huber et al. (the FCLib collection).

use super::global_form::GlobalForm;
use super::sparse::SparseMatrix;
use drystone::internals::nsgs::{ContactBlock, Section, project_onto_cone};
use drystone::problem::FrictionLaw;
use drystone::solver::Status;
use drystone::solver::nsgs::{DelassusProblem, NsgsOptions};
use drystone::{Error, Result};

/// A recorded problem in its local form.
#[derive(Debug, Clone, PartialEq)]
pub struct FrictionProblem {
    /// Name.
    pub name: String,
    /// `W`, shape `[3 contacts, 3 contacts]` `[1/kg]`. It is often singular, and some recorded
    /// matrices are not quite symmetric.
    pub delassus: SparseMatrix,
    /// `q`, relative velocity without impulses `[m/s]`; shape `[3 contacts]`.
    pub q: Vec<f64>,
    /// Coefficient of friction of each contact; shape `[contacts]`.
    pub friction: Vec<f64>,
    /// The global form, where the problem came in it.
    pub global: Option<GlobalForm>,
}

/// How well impulses solve a friction problem.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FrictionVerdict {
    /// `sqrt(sum_c |r_c - P_K(r_c - u~_c)|^2) / (1 + sqrt(|q|))`, the measure that FCLib calls
    /// `MERIT_1`. It subtracts velocities from impulses, and so depends on the unit of mass.
    pub merit_1: f64,
    /// `max_c |r_c - P(r_c - rho_c u_c)| / rho_c` `[m/s]` with `rho_c = 3 / tr W_cc`; see
    /// [`solver`](drystone::solver#the-residual).
    pub residual: f64,
    /// The same over the largest `|q_i|`.
    pub relative_residual: f64,
}

/// A solution of a friction problem.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FrictionSolution {
    /// How the iteration ended.
    pub status: Status,
    /// Sweeps.
    pub iterations: u32,
    /// `(normal, tangent 1, tangent 2)` of each contact `[N s]`; shape `[contacts]`.
    pub impulses: Vec<[f64; 3]>,
    /// Relative velocity of each contact, likewise `[m/s]`.
    pub velocities: Vec<[f64; 3]>,
    /// How well they solve it.
    pub verdict: FrictionVerdict,
}

impl FrictionProblem {
    /// A problem from its local form.
    ///
    /// # Errors
    /// [`Error::Invalid`] if shapes differ, a number is not finite or a coefficient negative.
    pub fn local(
        name: &str,
        delassus: SparseMatrix,
        q: Vec<f64>,
        friction: Vec<f64>,
    ) -> Result<Self> {
        let problem = Self {
            name: name.to_owned(),
            delassus,
            q,
            friction,
            global: None,
        };
        problem.check()?;
        Ok(problem)
    }

    /// A problem from its global form.
    ///
    /// A mass matrix with entries on one side of its diagonal only is the half of a symmetric one,
    /// as some programs store it, and is completed.
    ///
    /// # Errors
    /// As for [`FrictionProblem::local`], and if the mass matrix is singular.
    pub fn global(name: &str, global: GlobalForm, friction: Vec<f64>) -> Result<Self> {
        let invalid = |field: &str, why: String| Error::invalid(format!("{name}: {field}"), why);
        let wrong = |field: &str, why: String| Err(invalid(field, why));
        let n = global.force.len();
        let rows = 3 * friction.len();
        let (mass, directions) = (&global.mass, &global.directions);
        if (mass.rows(), mass.columns()) != (n, n) {
            let why = format!(
                "{} x {}; {n} x {n} is expected, the length of f",
                mass.rows(),
                mass.columns()
            );
            return wrong("M", why);
        }
        if (directions.rows(), directions.columns()) != (n, rows) {
            let why = format!(
                "{} x {}; {n} x {rows} is expected, the length of f and three columns for each of \
                 {} contacts",
                directions.rows(),
                directions.columns(),
                friction.len()
            );
            return wrong("H", why);
        }
        if global.offset.len() != rows {
            let why = format!("{} numbers; {rows} are expected", global.offset.len());
            return wrong("w", why);
        }
        for (field, numbers) in [("f", &global.force), ("w", &global.offset)] {
            if let Some(at) = numbers.iter().position(|x| !x.is_finite()) {
                return wrong(
                    &format!("{field}[{at}]"),
                    format!("{} is not finite", numbers[at]),
                );
            }
        }
        let mut global = global;
        if global.mass.is_half() {
            global.mass = global.mass.completed();
        }
        let (delassus, q) = global.reduce().map_err(|why| invalid("M", why))?;
        let problem = Self {
            name: name.to_owned(),
            delassus,
            q,
            friction,
            global: Some(global),
        };
        problem.check()?;
        Ok(problem)
    }

    fn check(&self) -> Result<()> {
        let wrong =
            |field: &str, why: String| Err(Error::invalid(format!("{}: {field}", self.name), why));
        let rows = 3 * self.friction.len();
        if (self.delassus.rows(), self.delassus.columns()) != (rows, rows) {
            let why = format!(
                "{} x {}; {rows} x {rows} is expected, three rows for each of {} contacts",
                self.delassus.rows(),
                self.delassus.columns(),
                self.friction.len()
            );
            return wrong("W", why);
        }
        if self.q.len() != rows {
            return wrong(
                "q",
                format!("{} numbers; {rows} are expected", self.q.len()),
            );
        }
        if let Some(at) = self.q.iter().position(|x| !x.is_finite()) {
            return wrong(&format!("q[{at}]"), format!("{} is not finite", self.q[at]));
        }
        for (at, mu) in self.friction.iter().enumerate() {
            if !(*mu >= 0.0 && mu.is_finite()) {
                let why = format!("{mu} is not a finite number of at least 0");
                return wrong(&format!("mu[{at}]"), why);
            }
        }
        Ok(())
    }

    /// Number of contacts.
    #[must_use]
    pub fn contact_count(&self) -> usize {
        self.friction.len()
    }

    /// Solves the problem by block Gauss–Seidel from no impulses.
    ///
    /// # Errors
    /// [`Error::Invalid`] for options without meaning.
    pub fn solve(&self, options: &NsgsOptions) -> Result<FrictionSolution> {
        let rows = BlockRows::new(&self.delassus);
        let q: Vec<[f64; 3]> = self.q.chunks(3).map(|q| [q[0], q[1], q[2]]).collect();
        let problem = DelassusProblem {
            row_starts: &rows.starts,
            columns: &rows.columns,
            blocks: &rows.blocks,
            free_velocities: &q,
            friction: &self.friction,
            compliance: &[],
            friction_law: FrictionLaw::Coulomb,
        };
        let mut impulses = vec![[0.0; 3]; self.contact_count()];
        let ending = problem.solve(&mut impulses, options)?;
        let transposed = self.delassus.transposed();
        Ok(FrictionSolution {
            status: ending.status,
            iterations: ending.iterations,
            velocities: (0..self.contact_count())
                .map(|contact| self.velocity(&transposed, contact, impulses.as_flattened()))
                .collect(),
            verdict: self.verdict(impulses.as_flattened()),
            impulses,
        })
    }

    /// How well impulses `(normal, tangent 1, tangent 2)` `[N s]`, shape `[contacts]`, of any origin
    /// solve the problem.
    ///
    /// # Errors
    /// [`Error::Invalid`] if there is not one impulse per contact.
    pub fn judge(&self, impulses: &[[f64; 3]]) -> Result<FrictionVerdict> {
        if impulses.len() != self.contact_count() {
            return Err(Error::invalid(
                "impulses",
                format!("{} for {} contacts", impulses.len(), self.contact_count()),
            ));
        }
        let r: Vec<f64> = impulses.iter().flatten().copied().collect();
        Ok(self.verdict(&r))
    }

    /// Relative velocity of a contact `[m/s]`; the columns of `W^T` are the rows of W.
    fn velocity(&self, transposed: &SparseMatrix, contact: usize, r: &[f64]) -> [f64; 3] {
        std::array::from_fn(|i| {
            let row = 3 * contact + i;
            transposed.column_product(row, r) + self.q[row]
        })
    }

    fn verdict(&self, r: &[f64]) -> FrictionVerdict {
        let rows = self.delassus.transposed();
        let (mut squares, mut residual) = (0.0, 0.0_f64);
        for (contact, &friction) in self.friction.iter().enumerate() {
            let diagonal = std::array::from_fn(|i| {
                std::array::from_fn(|j| rows.entry(3 * contact + j, 3 * contact + i))
            });
            let block = ContactBlock::new(diagonal, friction);
            let impulse = [r[3 * contact], r[3 * contact + 1], r[3 * contact + 2]];
            let u = self.velocity(&rows, contact, r);
            let shifted = u[0] + block.friction * u[1].hypot(u[2]);
            let trial = [impulse[0] - shifted, impulse[1] - u[1], impulse[2] - u[2]];
            let projected = project_onto_cone(trial, block.friction);
            squares += (0..3)
                .map(|i| (impulse[i] - projected[i]).powi(2))
                .sum::<f64>();
            let off = block.residual(impulse, u, &Section::Disk);
            // `max` would skip what is not a number.
            if off.is_nan() || off > residual {
                residual = off;
            }
        }
        let size = self.q.iter().map(|q| q * q).sum::<f64>().sqrt();
        let largest = self.q.iter().fold(0.0_f64, |max, q| max.max(q.abs()));
        FrictionVerdict {
            merit_1: squares.sqrt() / (1.0 + size.sqrt()),
            residual,
            relative_residual: if residual == 0.0 {
                0.0
            } else {
                residual / largest
            },
        }
    }
}

/// A matrix by rows of 3 x 3 blocks.
struct BlockRows {
    starts: Vec<u32>,
    columns: Vec<u32>,
    blocks: Vec<[f64; 9]>,
}

impl BlockRows {
    fn new(matrix: &SparseMatrix) -> Self {
        let transposed = matrix.transposed();
        let (mut starts, mut columns, mut blocks) = (vec![0], Vec::new(), Vec::new());
        for contact in 0..matrix.rows() / 3 {
            let mut row = std::collections::BTreeMap::<u32, [f64; 9]>::new();
            for i in 0..3 {
                for (column, value) in transposed.column(3 * contact + i) {
                    row.entry((column / 3) as u32).or_default()[3 * i + column % 3] = value;
                }
            }
            columns.extend(row.keys());
            blocks.extend(row.values());
            starts.push(columns.len() as u32);
        }
        Self {
            starts,
            columns,
            blocks,
        }
    }
}
