//! Post-stabilization: a second LCP, on positions.
//!
//! After the velocity step the bodies are at new poses, where the gaps are `g` and the Jacobian is
//! `J`. The least displacement `dp`, in the norm of the mass matrix, that removes every penetration
//! to first order solves (Cline–Pai 2003, eq. 15)
//!
//! ```text
//! M dp - J^T l = 0,    0 <= l  _|_  g + J dp >= 0
//! ```
//!
//! It is the velocity LCP with zero velocities, separations as bias, and no friction: the same
//! solvers run it. It moves bodies and leaves their velocities alone.

use crate::collide::ContactPoint;
use crate::collide::narrowphase::{self, Limits};
use crate::constants::MAX_CORRECTION_PER_RADIUS;
use crate::error::{Error, Result};
use crate::math::{self, Vec3};
use crate::measure;
use crate::problem::{FrictionCone, Problem, bias};
use crate::solver::{Options, Report, Solution, Solver, Status};
use crate::world::World;
use rayon::prelude::*;

/// Settings of post-stabilization.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Post {
    /// Solver of the position LCP; its tolerance is in metres.
    pub solver: Options,
    /// How often geometry is refreshed and the LCP solved in one time step, at least 1.
    pub steps: u32,
    /// Most that one solve corrects of a penetration `[m]`; `None` is
    /// [`MAX_CORRECTION_PER_RADIUS`] of the smallest dynamic body's bounding radius.
    pub max_correction: Option<f64>,
}

impl Default for Post {
    fn default() -> Self {
        Self {
            solver: Options {
                warm_start: false,
                ..Options::default()
            },
            steps: 1,
            max_correction: None,
        }
    }
}

impl Post {
    /// Checks every number.
    ///
    /// # Errors
    /// [`Error::Invalid`] that names the first setting without meaning.
    pub fn validate(&self) -> Result<()> {
        self.solver.validate()?;
        if self.steps == 0 {
            return Err(Error::invalid(
                "post-stabilization",
                "0 steps; at least 1 is expected",
            ));
        }
        match self.max_correction {
            Some(most) if !(most > 0.0 && most.is_finite()) => Err(Error::invalid(
                "largest correction",
                format!("{most} is not positive and finite"),
            )),
            _ => Ok(()),
        }
    }
}

/// The position pass: its problem, its buffers, and how it is run.
#[derive(Debug)]
pub struct PositionPass {
    default_max_correction: f64,
    contacts: Vec<ContactPoint>,
    problem: Problem,
    solution: Solution,
}

impl PositionPass {
    /// A pass for bodies the smallest of which has this bounding radius `[m]`.
    #[must_use]
    pub fn new(smallest_radius: f64) -> Self {
        Self {
            default_max_correction: MAX_CORRECTION_PER_RADIUS * smallest_radius,
            contacts: Vec::new(),
            problem: Problem::default(),
            solution: Solution::default(),
        }
    }

    /// The last problem that was solved; empty if nothing overlapped.
    #[must_use]
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Most that one solve corrects of a penetration `[m]`.
    #[must_use]
    pub fn max_correction(&self, post: &Post) -> f64 {
        post.max_correction.unwrap_or(self.default_max_correction)
    }

    /// Finds the contacts of `pairs` where the bodies are now, solves for the displacement that
    /// removes their penetration and applies it; so often as `post` says, or until nothing
    /// overlaps. Returns the last solve's outcome.
    ///
    /// # Errors
    /// What the solver reports; [`Error::NonFinite`] if a displacement is not finite.
    pub fn run(
        &mut self,
        post: &Post,
        world: &mut World,
        pairs: &[[u32; 2]],
        margin: f64,
        solver: &mut dyn Solver,
    ) -> Result<Report> {
        let mut report = Report {
            status: Status::Converged,
            ..Report::default()
        };
        self.problem.contacts.clear();
        let max_correction = self.max_correction(post);
        for _ in 0..post.steps {
            self.find_contacts(world, pairs, margin, max_correction);
            if self
                .contacts
                .iter()
                .all(|contact| contact.separation >= 0.0)
            {
                break;
            }
            self.build_problem(max_correction, world);
            report = solver.solve(&self.problem, &post.solver, &mut self.solution)?;
            if report.status == Status::NonFinite {
                return Err(Error::NonFinite {
                    stage: "the position solve",
                    what: format!("residual at time {} s", world.time),
                });
            }
            self.displace(world);
        }
        Ok(report)
    }

    /// Finds the penetrations, and the gaps that correcting them could close.
    fn find_contacts(
        &mut self,
        world: &World,
        pairs: &[[u32; 2]],
        margin: f64,
        max_correction: f64,
    ) {
        let limits = Limits {
            margin: margin + max_correction,
            time_step: 0.0,
        };
        narrowphase::find_contacts(world, pairs, limits, &mut self.contacts);
        let deepest = measure::penetration(&self.contacts).max;
        let reach = margin + deepest.min(max_correction);
        self.contacts.retain(|contact| contact.separation <= reach);
    }

    fn build_problem(&mut self, max_correction: f64, world: &World) {
        world
            .bodies
            .par_iter()
            .with_min_len(1024)
            .map(|body| body.for_solver(&Vec3::zeros(), &Vec3::zeros()))
            .collect_into_vec(&mut self.problem.bodies);
        self.contacts
            .par_iter()
            .with_min_len(1024)
            .map(|contact| {
                let bias = bias::position(contact.separation, max_correction);
                contact.for_solver(world, bias, 0.0, [0.0; 3])
            })
            .collect_into_vec(&mut self.problem.contacts);
        self.problem.friction_cone = FrictionCone::Disk;
    }

    fn displace(&self, world: &mut World) {
        world
            .bodies
            .par_iter_mut()
            .zip(&self.solution.velocities)
            .with_min_len(1024)
            .filter(|(body, _)| body.is_dynamic())
            .for_each(|(body, moved)| {
                body.displace(&math::widen(moved.linear), &math::widen(moved.angular));
            });
    }
}
