//! Nonsmooth Gauss–Seidel over blocks, f64: the referee of problems that are too large for pivoting.
//!
//! The problem: impulses `r` with relative velocities `u = W r + q`, `W = J M^-1 J^T`, such that each
//! contact obeys Coulomb's law with its friction disk or polygon, and each joint row its own law
//! ([`JointRow`](crate::problem::JointRow)). A sweep visits block after block — a contact, or the
//! joint rows of one pair of bodies — and solves each for its own impulse while the others stay
//! (Jourdan, Alart and Jean 1998; Acary, Brémond and Huber 2018, algorithm 1):
//!
//! ```text
//! for every block c:   q_c = u_c - W_cc r_c,   r_c <- solution of the block with u = W_cc r + q_c
//! ```
//!
//! A contact's own problem is solved by up to 50 steps of a projection, and by one step a visit once sweeps
//! make no progress ([`LocalRule`]); equalities of joints exactly. A body's velocities carry the impulses of its other blocks, so that no matrix is
//! formed and a sweep is linear in the number of contacts. Everything is serial: the order of the
//! visits, and with it the result, is fixed.
//!
//! Where contacts are redundant, impulses depend on the start; velocities hardly ever do.

mod anderson;
pub(crate) mod bodies;
pub(crate) mod cone;
mod delassus;
pub(crate) mod iteration;
mod joint_group;
pub(crate) mod local;
mod row;

pub use delassus::{DelassusProblem, DelassusReport, DelassusVerdict};

use self::bodies::Bodies;
use self::cone::Section;
use self::iteration::System;
use super::one_by_one::{Found, OneByOne};
use super::{Options, Packer, Report, Solution, Status};
use crate::constants::{NSGS_ACCELERATION_DEPTH, NSGS_LOCAL_ITERATIONS};
use crate::error::{Error, Result};
use crate::math::Vec3;
use crate::problem::{AsProblem, ProblemRef};

/// How a visit solves a contact's own problem.
///
/// All have the same fixed points where the cone is the disk: the solutions of Coulomb's law.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocalRule {
    /// `r_n <- max(0, r_n - u_n / W_nn)`, then, with the velocity refreshed,
    /// `r_t <- P(r_t - u_t / d_t)` with P the projection onto the disk or polygon of radius `mu r_n`.
    ///
    /// Where the contact's own problem may have several solutions (Painlevé's paradox) and
    /// there are several steps, both rows take the same, smaller step at once.
    Product {
        /// Most steps in a visit.
        iterations: u32,
    },
    /// [`Product`](Self::Product) with several steps, and with one step a visit from the best impulses so far
    /// once as many sweeps as `NSGS_PATIENCE` have not halved the residual.
    ///
    /// Several steps need fewer sweeps in most problems. On some piles of rocks with `mu = 1` many contacts
    /// are not solved by that many steps, and sweeps stay at a residual that single steps get below. By the
    /// convex law, where every step of a visit makes the same energy less, the number of steps stays.
    Adaptive {
        /// Most steps in a visit, at first.
        iterations: u32,
    },
    /// `r <- P(r - (u + mu |u_t| n) / d)`, P being the projection onto the cone and `d` the largest
    /// eigenvalue of the block (De Saxcé and Feng 1998). For the disk only.
    Cone {
        /// Most steps in a visit.
        iterations: u32,
    },
}

impl LocalRule {
    fn iterations(self) -> u32 {
        match self {
            Self::Product { iterations }
            | Self::Adaptive { iterations }
            | Self::Cone { iterations } => iterations,
        }
    }

    /// See [`System::ease`].
    fn ease(&mut self, section: &Section) -> bool {
        // By the convex law every step makes the same energy less: more of them do no harm.
        let helps = *section != Section::Cone;
        if helps {
            *self = Self::Product { iterations: 1 };
        }
        helps
    }
}

impl Default for LocalRule {
    fn default() -> Self {
        Self::Adaptive {
            iterations: NSGS_LOCAL_ITERATIONS,
        }
    }
}

/// What is done between sweeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acceleration {
    /// Nothing: the plain method.
    None,
    /// Anderson's combination of the latest sweeps.
    Anderson {
        /// How many.
        depth: usize,
    },
}

impl Default for Acceleration {
    fn default() -> Self {
        Self::Anderson {
            depth: NSGS_ACCELERATION_DEPTH,
        }
    }
}

/// When to stop, and how to sweep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NsgsOptions {
    /// Most sweeps.
    pub iterations: u32,
    /// Root mean square of the residual over contacts and joint rows at which to stop `[m/s]`;
    /// round-off ends the iteration in any case.
    pub tolerance: f64,
    /// Sweeps between two looks at the residual.
    pub check_every: u32,
    /// How a contact is solved.
    pub local: LocalRule,
    /// What is done between sweeps.
    pub acceleration: Acceleration,
}

impl Default for NsgsOptions {
    fn default() -> Self {
        Self {
            iterations: 10_000,
            tolerance: 0.0,
            check_every: 8,
            local: LocalRule::default(),
            acceleration: Acceleration::default(),
        }
    }
}

impl NsgsOptions {
    /// Checks the numbers.
    ///
    /// # Errors
    /// [`Error::Invalid`] for no sweeps, no sweeps between looks, no steps in a visit, no sweeps to
    /// combine, or a tolerance that is negative or not a number.
    pub fn validate(&self) -> Result<()> {
        let empty = self.iterations == 0
            || self.check_every == 0
            || self.local.iterations() == 0
            || self.acceleration == Acceleration::Anderson { depth: 0 };
        if empty {
            return Err(Error::invalid(
                "block Gauss-Seidel options",
                "iterations, check_every, local iterations and depth must be at least 1",
            ));
        }
        if !(self.tolerance >= 0.0 && self.tolerance.is_finite()) {
            return Err(Error::invalid(
                "block Gauss-Seidel tolerance",
                format!("{} is not a finite number of at least 0", self.tolerance),
            ));
        }
        Ok(())
    }
}

/// Impulses of a problem, f64.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Impulses {
    /// `(normal, tangent 1, tangent 2)` of each contact `[N s]`, shape `[contact_count]`.
    pub contacts: Vec<[f64; 3]>,
    /// Of each joint row `[N s]` or `[N m s]`, shape `[joint_row_count]`.
    pub joint_rows: Vec<f64>,
}

impl Impulses {
    /// No impulse anywhere.
    #[must_use]
    pub fn zeros(problem: &dyn AsProblem) -> Self {
        let problem = &problem.as_problem();
        Self {
            contacts: vec![[0.0; 3]; problem.contacts.len()],
            joint_rows: vec![0.0; problem.joint_rows.len()],
        }
    }

    /// The warm-start impulses in a problem.
    #[must_use]
    pub fn of(problem: &dyn AsProblem) -> Self {
        let problem = &problem.as_problem();
        Self {
            contacts: problem
                .contacts
                .iter()
                .map(|contact| contact.impulse.map(f64::from))
                .collect(),
            joint_rows: problem
                .joint_rows
                .iter()
                .map(|row| f64::from(row.impulse))
                .collect(),
        }
    }

    /// One vector: contacts, then joint rows.
    fn flatten(&self) -> Vec<f64> {
        let contacts = self.contacts.iter().flatten();
        contacts.chain(&self.joint_rows).copied().collect()
    }

    fn from_flat(r: &[f64], contact_count: usize) -> Self {
        let (contacts, joint_rows) = r.split_at(3 * contact_count);
        Self {
            contacts: contacts.chunks(3).map(|r| [r[0], r[1], r[2]]).collect(),
            joint_rows: joint_rows.to_vec(),
        }
    }
}

/// What a solve found, f64.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NsgsOutcome {
    /// How it ended: [`Status::Converged`] at the tolerance or at round-off.
    pub status: Status,
    /// Sweeps run.
    pub iterations: u32,
    /// Root mean square over contacts and joint rows of the residual of `impulses` `[m/s]`.
    pub residual_rms: f64,
    /// Largest residual of a contact or joint row `[m/s]`.
    pub residual_max: f64,
    /// The best impulses that were seen at a look at the residual.
    pub impulses: Impulses,
    /// Linear and angular velocity of each body with them `[m/s]`, `[rad/s]`.
    pub velocities: Vec<(Vec3, Vec3)>,
    /// What they add to it.
    pub changes: Vec<(Vec3, Vec3)>,
}

/// Solves a problem from given impulses, which are first moved into their cones and bounds.
///
/// # Errors
/// [`Error::Invalid`] for options or a problem without meaning, a start of another shape or with
/// numbers that are not finite, and the cone's own local rule with a polygon.
pub fn solve_from(
    problem: &dyn AsProblem,
    start: &Impulses,
    options: &NsgsOptions,
) -> Result<NsgsOutcome> {
    let problem = &problem.as_problem();
    options.validate()?;
    problem.validate()?;
    let polygon = problem.friction_cone != crate::problem::FrictionCone::Disk;
    if polygon && matches!(options.local, LocalRule::Cone { .. }) {
        return Err(Error::invalid(
            "local rule",
            "the projection onto the cone is for the friction disk only",
        ));
    }
    if start.contacts.len() != problem.contacts.len()
        || start.joint_rows.len() != problem.joint_rows.len()
    {
        return Err(Error::invalid(
            "starting impulses",
            format!(
                "{} contacts and {} joint rows; the problem has {} and {}",
                start.contacts.len(),
                start.joint_rows.len(),
                problem.contacts.len(),
                problem.joint_rows.len()
            ),
        ));
    }
    let mut r = start.flatten();
    if r.iter().any(|x| !x.is_finite()) {
        return Err(Error::invalid(
            "starting impulses",
            "every number must be finite",
        ));
    }
    let mut bodies = Bodies::new(problem, options.local);
    debug_assert_eq!(bodies.unknowns(), r.len());
    let ending = iteration::iterate(&mut bodies, &mut r, options);
    let split = |t: &[f64; 6]| (Vec3::new(t[0], t[1], t[2]), Vec3::new(t[3], t[4], t[5]));
    let velocities = bodies
        .velocities_before()
        .zip(bodies.changes())
        .map(|(before, change)| split(&std::array::from_fn(|i| before[i] + change[i])))
        .collect();
    Ok(NsgsOutcome {
        status: ending.status,
        iterations: ending.sweeps,
        residual_rms: ending.residual.rms,
        residual_max: ending.residual.max,
        impulses: Impulses::from_flat(&r, problem.contacts.len()),
        velocities,
        changes: bodies.changes().iter().map(split).collect(),
    })
}

/// The backend; see the [module](self).
///
/// [`Options::method`] has no meaning for it: sweeps are always Gauss–Seidel in the order of the
/// problem, joints first. Joints without bounds are solved at once before the first one, as by other backends: one
/// sweep of a substep would leave them unsolved, and their correction would feed energy in.
#[derive(Debug, Default)]
pub struct NsgsSolver {
    /// How a contact is solved.
    pub local: LocalRule,
    /// What is done between sweeps.
    pub acceleration: Acceleration,
    outcome: NsgsOutcome,
    packer: Packer,
    /// Impulses with joints solved at once.
    joints_solved: Solution,
}

impl NsgsSolver {
    /// A solver that has solved nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The latest solve in f64.
    #[must_use]
    pub fn outcome(&self) -> &NsgsOutcome {
        &self.outcome
    }
}

impl OneByOne for NsgsSolver {
    const BACKEND: &'static str = "nsgs";

    fn find(&mut self, problem: &ProblemRef<'_>, options: &Options) -> Result<Found<'_>> {
        let mut start = if options.warm_start {
            Impulses::of(problem)
        } else {
            Impulses::zeros(problem)
        };
        let mut direct_rows = 0;
        if options.direct_joints && !problem.joint_rows.is_empty() {
            let (batches, packed) = self.packer.pack(problem, options);
            self.joints_solved.take_from(problem, &batches);
            self.packer.keep(batches);
            let found = &self.joints_solved.joint_impulses;
            if found.iter().all(|r| r.is_finite()) {
                start.joint_rows = found.iter().map(|&r| f64::from(r)).collect();
                direct_rows = packed.direct_rows;
            }
        }
        self.outcome = solve_from(
            problem,
            &start,
            &NsgsOptions {
                iterations: options.iterations,
                tolerance: f64::from(options.tolerance),
                check_every: options.check_every,
                local: self.local,
                acceleration: self.acceleration,
            },
        )?;
        let outcome = &self.outcome;
        let report = Report {
            status: outcome.status,
            iterations: outcome.iterations,
            direct_rows,
            ..Report::default()
        };
        Ok(Found {
            report,
            residual: [outcome.residual_rms, outcome.residual_max],
            impulses: &outcome.impulses.contacts,
            joint_impulses: &outcome.impulses.joint_rows,
            velocities: &outcome.velocities,
            changes: &outcome.changes,
        })
    }
}
