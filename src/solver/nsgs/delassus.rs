//! Contacts by their operator alone: `u = W r + b`, as reduced coordinates and files of friction problems have them.

use super::cone::Section;
use super::iteration::{Residual, System, iterate};
use super::local::ContactBlock;
use super::{LocalRule, NsgsOptions};
use crate::error::{Error, Result};
use crate::problem::{FrictionCone, FrictionLaw};
use crate::solver::Status;
use crate::solver::residual::Norms;

/// Contacts `u = (W + R) r + b` with friction's disk, in memory that is somebody else's.
///
/// By the [convex law](FrictionLaw::Convex) and with a symmetric W this is the minimum of `r (W + R) r / 2 + b r` over the cones.
///
/// Each contact has three rows, normal first, then two tangents of its own choice. W is stored by rows of 3 x 3 blocks
/// (block compressed sparse rows); it need not be symmetric, and may be singular.
#[derive(Debug, Clone, Copy)]
pub struct DelassusProblem<'a> {
    /// First block of each row of blocks, and one past the last; shape `[contact_count + 1]`.
    pub row_starts: &'a [u32],
    /// Contact that each block takes the impulse of, ascending within a row; shape `[block_count]`.
    pub columns: &'a [u32],
    /// The blocks, each by rows `[1/kg]`; shape `[block_count]`.
    pub blocks: &'a [[f64; 9]],
    /// b, relative velocity without impulses, bias included `[m/s]`; shape `[contact_count]`.
    pub free_velocities: &'a [[f64; 3]],
    /// Coefficient of friction, at least 0; shape `[contact_count]`.
    pub friction: &'a [f64],
    /// R, compliance of each row, at least 0 `[1/kg]`; shape `[contact_count]`, or empty for none.
    pub compliance: &'a [[f64; 3]],
    /// How impulse and velocity of a contact with friction belong together.
    pub friction_law: FrictionLaw,
}

/// How the solve of a [`DelassusProblem`] ended.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DelassusReport {
    /// [`Status::Converged`] at the tolerance or at round-off.
    pub status: Status,
    /// Sweeps run.
    pub iterations: u32,
    /// Root mean square over contacts of the [residual](crate::solver#the-residual) `[m/s]`.
    pub residual_rms: f64,
    /// Largest residual of a contact `[m/s]`.
    pub residual_max: f64,
}

/// Distance of impulses from a solution of a [`DelassusProblem`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DelassusVerdict {
    /// [Residuals](crate::solver#the-residual) of the contacts `[m/s]`.
    pub residual: Norms,
    /// u of each contact `[m/s]`, shape `[contact_count]`.
    pub velocities: Vec<[f64; 3]>,
}

impl DelassusProblem<'_> {
    /// Checks every number and index.
    ///
    /// # Errors
    /// [`Error::Invalid`] that names the first array of a wrong shape, the first index beyond or out of order, the
    /// first number that is not finite or negative where it must not be.
    pub fn validate(&self) -> Result<()> {
        let (contacts, blocks) = (self.friction.len(), self.blocks.len());
        let compliance = if self.compliance.is_empty() {
            0
        } else {
            contacts
        };
        for (what, given, needed) in [
            ("row starts", self.row_starts.len(), contacts + 1),
            ("free velocities", self.free_velocities.len(), contacts),
            ("compliances", self.compliance.len(), compliance),
            ("columns", self.columns.len(), blocks),
        ] {
            if given != needed {
                return Err(Error::invalid(
                    what,
                    format!("{given} given; {needed} expected"),
                ));
            }
        }
        let bounds = [
            self.row_starts[0] as usize,
            self.row_starts[contacts] as usize,
        ];
        if bounds != [0, blocks] {
            return Err(Error::invalid(
                "row starts",
                format!(
                    "from {} to {}; 0 to {blocks} is expected",
                    bounds[0], bounds[1]
                ),
            ));
        }
        for (row, ends) in self.row_starts.windows(2).enumerate() {
            let columns = (ends[0] <= ends[1])
                .then(|| self.columns.get(ends[0] as usize..ends[1] as usize))
                .flatten();
            let Some(columns) = columns else {
                return Err(Error::invalid(
                    format!("row {row}"),
                    "its start is beyond its end",
                ));
            };
            if columns.iter().any(|&column| column as usize >= contacts) {
                return Err(Error::invalid(
                    format!("row {row}"),
                    "a column does not exist",
                ));
            }
            if columns.windows(2).any(|pair| pair[0] >= pair[1]) {
                return Err(Error::invalid(
                    format!("row {row}"),
                    "columns do not ascend",
                ));
            }
        }
        let positive = |x: &f64| x.is_finite() && *x >= 0.0;
        let sound = self.blocks.as_flattened().iter().all(|x| x.is_finite())
            && self
                .free_velocities
                .as_flattened()
                .iter()
                .all(|x| x.is_finite())
            && self.compliance.as_flattened().iter().all(positive)
            && self.friction.iter().all(positive);
        if !sound {
            return Err(Error::invalid(
                "blocks, free velocities, compliances and friction",
                "every number must be finite, the last two at least 0",
            ));
        }
        Ok(())
    }

    /// Solves for impulses `(normal, tangent 1, tangent 2)` `[N s]`, shape `[contact_count]`, from those that are there, by block
    /// Gauss–Seidel, accelerated if the options say so.
    ///
    /// # Errors
    /// [`Error::Invalid`] for options or a problem without meaning, or impulses of another shape or that are not
    /// finite; [`Error::NonFinite`] if a number stopped being finite.
    pub fn solve(
        &self,
        impulses: &mut [[f64; 3]],
        options: &NsgsOptions,
    ) -> Result<DelassusReport> {
        options.validate()?;
        self.validate()?;
        self.validate_impulses(impulses)?;
        let mut system = Rows::new(self, options.local);
        let ending = iterate(&mut system, impulses.as_flattened_mut(), options);
        if ending.status == Status::NonFinite {
            return Err(Error::NonFinite {
                stage: "the solve of contacts by their operator",
                what: format!("the residual after {} sweeps", ending.sweeps),
            });
        }
        Ok(DelassusReport {
            status: ending.status,
            iterations: ending.sweeps,
            residual_rms: ending.residual.rms,
            residual_max: ending.residual.max,
        })
    }

    /// Judges impulses of any origin `(normal, tangent 1, tangent 2)` `[N s]`, shape `[contact_count]`.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a problem without meaning, or impulses of another shape or that are not finite.
    pub fn judge(&self, impulses: &[[f64; 3]]) -> Result<DelassusVerdict> {
        self.validate()?;
        self.validate_impulses(impulses)?;
        let r = impulses.as_flattened();
        let Residual { rms, max } = Rows::new(self, LocalRule::default()).residual(r);
        let contacts = 0..self.friction.len();
        Ok(DelassusVerdict {
            residual: Norms { rms, max },
            velocities: contacts.map(|contact| self.velocity(contact, r)).collect(),
        })
    }

    fn validate_impulses(&self, impulses: &[[f64; 3]]) -> Result<()> {
        let contacts = self.friction.len();
        if impulses.len() == contacts && impulses.as_flattened().iter().all(|r| r.is_finite()) {
            return Ok(());
        }
        Err(Error::invalid(
            "impulses",
            format!(
                "{} given; {contacts} expected, all of them finite",
                impulses.len()
            ),
        ))
    }

    /// `u` of a contact `[m/s]`; the problem and the shape of the impulses are valid.
    fn velocity(&self, contact: usize, r: &[f64]) -> [f64; 3] {
        let mut u = self.free_velocities[contact];
        let row = self.row_starts[contact] as usize..self.row_starts[contact + 1] as usize;
        for (block, &column) in self.blocks[row.clone()].iter().zip(&self.columns[row]) {
            let r = &r[3 * column as usize..3 * column as usize + 3];
            for (u, row) in u.iter_mut().zip(block.chunks_exact(3)) {
                *u += row[0] * r[0] + row[1] * r[1] + row[2] * r[2];
            }
        }
        if let Some(compliance) = self.compliance.get(contact) {
            for (i, u) in u.iter_mut().enumerate() {
                *u += compliance[i] * r[3 * contact + i];
            }
        }
        u
    }

    fn diagonal_block(&self, contact: usize) -> [[f64; 3]; 3] {
        let row = self.row_starts[contact] as usize..self.row_starts[contact + 1] as usize;
        let at = self.columns[row.clone()]
            .binary_search(&(contact as u32))
            .ok();
        let mut block = [[0.0; 3]; 3];
        if let Some(at) = at {
            block
                .as_flattened_mut()
                .copy_from_slice(&self.blocks[row.start + at]);
        }
        if let Some(compliance) = self.compliance.get(contact) {
            (0..3).for_each(|i| block[i][i] += compliance[i]);
        }
        block
    }
}

/// A problem under way.
struct Rows<'a> {
    problem: &'a DelassusProblem<'a>,
    blocks: Vec<ContactBlock>,
    section: Section,
    rule: LocalRule,
}

impl<'a> Rows<'a> {
    /// Of a problem that is valid.
    fn new(problem: &'a DelassusProblem<'a>, rule: LocalRule) -> Self {
        let diagonal = (0..problem.friction.len()).map(|contact| problem.diagonal_block(contact));
        Self {
            problem,
            blocks: diagonal
                .zip(problem.friction)
                .map(|(block, &mu)| ContactBlock::new(block, mu))
                .collect(),
            section: Section::new(FrictionCone::Disk, problem.friction_law),
            rule,
        }
    }
}

fn of_contact(r: &[f64], contact: usize) -> [f64; 3] {
    std::array::from_fn(|i| r[3 * contact + i])
}

impl System for Rows<'_> {
    fn unknowns(&self) -> usize {
        3 * self.blocks.len()
    }

    fn refresh(&mut self, _r: &[f64]) {}

    fn sweep(&mut self, r: &mut [f64]) {
        for (contact, block) in self.blocks.iter().enumerate() {
            if block.is_usable() {
                let u = self.problem.velocity(contact, r);
                let after = block.visit(of_contact(r, contact), u, &self.section, self.rule);
                r[3 * contact..3 * contact + 3].copy_from_slice(&after);
            }
        }
    }

    fn ease(&mut self) -> bool {
        self.rule.ease(&self.section)
    }

    fn residual(&self, r: &[f64]) -> Residual {
        Residual::over(self.blocks.iter().enumerate().map(|(contact, block)| {
            let u = self.problem.velocity(contact, r);
            block.residual(of_contact(r, contact), u, &self.section)
        }))
    }

    fn admit(&self, r: &mut [f64]) {
        for (block, r) in self.blocks.iter().zip(r.chunks_mut(3)) {
            let admissible = block.admissible([r[0], r[1], r[2]], &self.section);
            r.copy_from_slice(&admissible);
        }
    }

    fn weights(&self) -> Vec<f64> {
        let weight = |mass: f64| if mass > 0.0 { (1.0 / mass).sqrt() } else { 0.0 };
        let weights = self
            .blocks
            .iter()
            .map(|block| [weight(block.residual_mass); 3]);
        weights.flatten().collect()
    }

    fn speed_scale(&self) -> f64 {
        let speeds = self.problem.free_velocities.as_flattened();
        speeds.iter().fold(0.0, |max, b| max.max(b.abs()))
    }
}
