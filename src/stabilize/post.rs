//! Post-stabilization: a second LCP, on positions.
//!
//! After the velocity step the bodies are at new poses, where the gaps are `g` and the Jacobian is
//! `J`. The least displacement `dp`, in the norm of the mass matrix, that removes every penetration
//! to first order solves (Cline–Pai 2003, eq. 15)
//!
//! ```text
//! M dp - Je^T le - Jc^T lc = 0,    ge + Je dp = 0,    0 <= lc  _|_  gc + Jc dp >= 0
//! ```
//!
//! with the equalities of joints (e), and contacts and limits of joints (c). It is the velocity LCP
//! with zero velocities, errors and separations as bias, and no friction: the same solvers run it. It
//! moves bodies and leaves their velocities alone: linear ones in world axes, angular ones in body
//! axes, so that it changes no kinetic energy. Motors, springs and prescribed velocities say
//! nothing about positions and have no part in it.
//!
//! Constraints that contradict each other have no solution. Lemke's method then solves the problem
//! softened, which shares the contradiction evenly among them. Sweeps cannot diverge, since nothing is
//! carried over from solve to solve, but they leave it unevenly; once that is seen to last, a solve by
//! Jacobi sweeps, which share it, follows.
//!
//! A solve is exact to first order only, so it corrects no more of an error than a given length: the
//! rest is left for the next one. Errors are limited one by one, not the displacement as a whole, so
//! that one bad joint does not slow the correction of all others; angles are limited to what moves a
//! point at the smallest body's bounding radius by that length.

use super::joint_rows;
use super::{JointRows, Scheme, Stabilization};
use crate::collide::{ContactPoint, Detector};
use crate::constants::{
    BODIES_PER_THREAD, CONTACTS_PER_THREAD, CONTRADICTION_CHANGE, CONTRADICTION_RESIDUAL,
    DIRECT_POSITION_DAMPING, MAX_CORRECTION_ANGLE, MAX_CORRECTION_PER_RADIUS,
    POSITION_TOLERANCE_PER_RADIUS,
};
use crate::error::{Error, Result};
use crate::math::{self, Vec3};
use crate::measure;
use crate::parallel::{self, SharedSlice, for_chunks};
use crate::problem::{self, Body, Contact, FrictionCone, Problem, bias};
use crate::solver::{Displacement, Method, Options, Plan, Report, Solution, Solver, Status};
use crate::world::World;
use crate::world::joint::{Law, Row};
use std::sync::atomic::{AtomicU64, Ordering};

/// Settings of post-stabilization.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Post {
    /// Solver of the position LCP; its tolerance is in metres.
    pub solver: Options,
    /// How often geometry is refreshed and the LCP solved in one time step, at least 1; in substeps the
    /// LCP is solved once in each, on the geometry of the step, whatever this says.
    pub steps: u32,
    /// Most that one solve corrects of a penetration or a joint's linear error `[m]`; `None` is
    /// a twentieth of the smallest dynamic body's bounding radius, and of a penetration in substeps a
    /// five-hundredth. Of an angular error, that over this radius.
    pub max_correction: Option<f64>,
}

impl Default for Post {
    fn default() -> Self {
        Self {
            solver: Options {
                warm_start: false,
                direct_damping: DIRECT_POSITION_DAMPING,
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
    smallest_radius: f64,
    contacts: Vec<ContactPoint>,
    joints: JointRows,
    problem: Problem,
    solution: Solution,
    /// Of a host's bodies.
    displacements: Vec<Displacement>,
    /// Largest violation before the last solve `[m]` or `[rad]`.
    last_worst: f64,
    /// True if the last problem seemed to have no solution.
    contradictory: bool,
}

/// The state that a pass is about to correct.
struct Violations {
    /// Deepest penetration `[m]`.
    contacts: f64,
    /// Largest error or violated limit of a joint `[m]` or `[rad]`.
    joints: f64,
}

impl PositionPass {
    /// A pass for bodies the smallest of which has this bounding radius `[m]`.
    #[must_use]
    pub fn new(smallest_radius: f64) -> Self {
        Self {
            smallest_radius,
            contacts: Vec::new(),
            joints: JointRows::default(),
            problem: Problem::default(),
            solution: Solution::default(),
            displacements: Vec::new(),
            last_worst: 0.0,
            contradictory: false,
        }
    }

    /// State that the next pass takes from the last one: its largest violation, and if it seemed to have no solution.
    #[cfg(feature = "scene")]
    pub(crate) fn saved(&self) -> (f64, bool) {
        (self.last_worst, self.contradictory)
    }

    /// Takes over what was saved.
    #[cfg(feature = "scene")]
    pub(crate) fn restore(&mut self, saved: (f64, bool)) {
        (self.last_worst, self.contradictory) = saved;
    }

    /// The last problem that was solved; empty if nothing was violated.
    #[doc(hidden)]
    #[must_use]
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Bounding radius of the smallest body `[m]`.
    #[must_use]
    pub fn smallest_radius(&self) -> f64 {
        self.smallest_radius
    }

    /// Most that one solve corrects of a linear error or a penetration `[m]`.
    #[must_use]
    pub fn max_correction(&self, post: &Post) -> f64 {
        post.max_correction
            .unwrap_or(MAX_CORRECTION_PER_RADIUS * self.smallest_radius)
    }

    /// The displacements that remove the penetrations of a host's contacts, to first order and so far as `post` allows in one solve; shape
    /// `[body_count]`. The host moves its bodies by them, leaves the velocities as they are and, for another solve, finds its
    /// contacts anew.
    ///
    /// Of bodies only the masses count, of contacts bodies, arms and normals; gaps are separations `[m]`, negative when penetrating.
    ///
    /// # Errors
    /// [`Error::Invalid`] if there is not one gap a contact or one is not finite, and what the solver reports; [`Error::NonFinite`] if a
    /// displacement is not finite.
    pub fn displacements(
        &mut self,
        bodies: &[Body],
        contacts: &[Contact],
        gaps: &[f32],
        post: &Post,
        solver: &mut dyn Solver,
    ) -> Result<&[Displacement]> {
        post.validate()?;
        if gaps.len() != contacts.len() || gaps.iter().any(|gap| !gap.is_finite()) {
            return Err(Error::invalid(
                "gaps",
                format!(
                    "{} given; {} expected, all of them finite",
                    gaps.len(),
                    contacts.len()
                ),
            ));
        }
        let max_correction = self.max_correction(post);
        let problem = &mut self.problem;
        problem.bodies.clear();
        problem.bodies.extend(bodies.iter().map(|body| Body {
            linear_velocity: [0.0; 3],
            angular_velocity: [0.0; 3],
            ..*body
        }));
        problem.joint_rows.clear();
        problem.friction_cone = FrictionCone::Disk;
        problem.contacts.clear();
        let given = contacts.iter().zip(gaps);
        problem
            .contacts
            .extend(given.map(|(contact, &gap)| Contact {
                bias: bias::position(gap.into(), max_correction),
                friction: 0.0,
                impulse: [0.0; 3],
                ..*contact
            }));
        let worst = gaps.iter().fold(0.0_f32, |worst, gap| worst.max(-gap));
        let report = self.solve(post, worst.into(), solver)?;
        self.displacements.clear();
        if report.status == Status::NonFinite {
            return Err(Error::NonFinite {
                stage: "the position solve",
                what: "displacements".into(),
            });
        }
        let part = self.part() as f32;
        let moved = self.solution.changes.iter();
        self.displacements.extend(moved.map(|moved| Displacement {
            linear: math::scale(moved.linear, part),
            angular: math::scale(moved.angular, part),
        }));
        Ok(&self.displacements)
    }

    /// Finds the contacts of the detector's pairs and the rows of joints where the bodies are now, solves for the
    /// displacement that removes their violations and applies it; so often as `stabilization.post`
    /// says, or until nothing that it is to correct is violated. Returns the last solve's outcome.
    ///
    /// # Errors
    /// What the solver reports; [`Error::NonFinite`] if a displacement is not finite.
    #[doc(hidden)]
    pub fn run(
        &mut self,
        stabilization: &Stabilization,
        world: &mut World,
        detector: &mut Detector,
        margin: f64,
        solver: &mut dyn Solver,
    ) -> Result<Report> {
        let mut report = Report {
            status: Status::Converged,
            ..Report::default()
        };
        self.problem.contacts.clear();
        self.problem.joint_rows.clear();
        let post = &stabilization.post;
        for _ in 0..post.steps {
            self.joints.gather(world, 0.0);
            let found = self.find_violations(stabilization, world, detector, margin);
            let tolerance = POSITION_TOLERANCE_PER_RADIUS * self.smallest_radius;
            if found.contacts == 0.0 && found.joints <= tolerance {
                break;
            }
            self.build_problem(stabilization, world);
            report = self.solve(post, found.contacts.max(found.joints), solver)?;
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

    /// Solves the problem for a state whose largest violation is `worst`.
    ///
    /// Constraints that contradict each other (a box higher than its gap) have no solution: sweeps in
    /// order satisfy whichever came last and leave the others as they were. Sweeps over all constraints
    /// at once share the contradiction; they follow where the worst violation hardly improves and did
    /// not change since the last solve, or fell since one that was shared.
    fn solve(&mut self, post: &Post, worst: f64, solver: &mut dyn Solver) -> Result<Report> {
        let plan = Plan::Once(post.solver);
        let report = solver
            .attempt(&self.problem, &plan, &mut self.solution)?
            .velocity;
        let corrected = worst.min(self.max_correction(post));
        let hardly_improves = f64::from(report.residual_max) > CONTRADICTION_RESIDUAL * corrected;
        let stays = (worst - self.last_worst).abs() <= CONTRADICTION_CHANGE * worst;
        let in_order = post.solver.method != Method::Jacobi;
        let fell = self.contradictory && worst < self.last_worst;
        self.last_worst = worst;
        self.contradictory = hardly_improves && (stays || fell);
        if !(self.contradictory && in_order && report.status == Status::MaxIterations) {
            return Ok(report);
        }
        let contacts = self.problem.contacts.iter_mut();
        for (contact, &impulse) in contacts.zip(&self.solution.impulses) {
            contact.impulse = impulse;
        }
        let rows = self.problem.joint_rows.iter_mut();
        for (row, &impulse) in rows.zip(&self.solution.joint_impulses) {
            row.impulse = impulse;
        }
        let plan = Plan::Once(Options {
            method: Method::Jacobi,
            warm_start: true,
            ..post.solver
        });
        let shared = solver
            .attempt(&self.problem, &plan, &mut self.solution)?
            .velocity;
        Ok(Report {
            iterations: report.iterations + shared.iterations,
            ..shared
        })
    }

    /// Finds what is violated of the constraints that the pass corrects, and the gaps that
    /// correcting them could close.
    fn find_violations(
        &mut self,
        stabilization: &Stabilization,
        world: &World,
        detector: &mut Detector,
        margin: f64,
    ) -> Violations {
        let joints = match stabilization.joints {
            Scheme::Post => self.joints.rows().iter().map(violation).fold(0.0, f64::max),
            _ => 0.0,
        };
        let max_correction = self.max_correction(&stabilization.post);
        // As far as it was needed last time, twice as far to be sure; the rest only if it is.
        let mut searched = margin + joints.max(2.0 * self.last_worst).min(max_correction);
        loop {
            detector.contacts_within(world, searched, &mut self.contacts);
            let contacts = match stabilization.contacts {
                Scheme::Post => measure::penetration(&self.contacts).max,
                _ => 0.0,
            };
            let reach = margin + contacts.max(joints).min(max_correction);
            if reach <= searched {
                self.contacts.retain(|contact| contact.separation <= reach);
                return Violations { contacts, joints };
            }
            searched = reach;
        }
    }

    /// Writes the position problem.
    ///
    /// Constraints of the other schemes are in it too, so that correcting one sort does not harm the
    /// other, but their own errors are not corrected: an equality keeps its error, a gap may close
    /// and not more.
    fn build_problem(&mut self, stabilization: &Stabilization, world: &World) {
        let max_correction = self.max_correction(&stabilization.post);
        let solvers = &mut self.problem.bodies;
        parallel::fill(solvers, world.bodies.len(), BODIES_PER_THREAD, |body| {
            world.bodies[body].for_solver(&Vec3::zeros(), &Vec3::zeros())
        });
        joint_rows::push_outside(world, &mut self.problem.bodies);
        let most = |scheme, most| if scheme == Scheme::Post { most } else { 0.0 };
        let most_of_contacts = most(stabilization.contacts, max_correction);
        let (contacts, solvers) = (&self.contacts, &mut self.problem.contacts);
        parallel::fill(solvers, contacts.len(), CONTACTS_PER_THREAD, |contact| {
            let contact = &contacts[contact];
            let bias = bias::position(contact.separation, most_of_contacts);
            contact.for_solver(world, bias, 0.0, [0.0; 3])
        });
        let most_of_joints = most(stabilization.joints, max_correction);
        let smallest_radius = self.smallest_radius;
        self.problem.joint_rows.clear();
        self.problem.joint_rows.extend(
            self.joints
                .rows()
                .iter()
                .zip(self.joints.bodies())
                .filter_map(|(row, &bodies)| {
                    let length = if row.is_angular() {
                        smallest_radius
                    } else {
                        1.0
                    };
                    position_row(row, bodies, most_of_joints / length)
                }),
        );
        self.problem.friction_cone = FrictionCone::Disk;
    }

    /// Part of the solution that bodies move by: what turns one by more than [`MAX_CORRECTION_ANGLE`] is beyond what
    /// the linear problem knows.
    fn part(&self) -> f64 {
        // Of numbers that are not negative the bits are in the order of the numbers.
        let largest_turn = AtomicU64::new(0);
        for_chunks(&self.solution.changes[..], BODIES_PER_THREAD, |_, moved| {
            let turns = moved.iter().map(|moved| math::widen(moved.angular).norm());
            largest_turn.fetch_max(turns.fold(0.0, f64::max).to_bits(), Ordering::Relaxed);
        });
        let largest_turn = f64::from_bits(largest_turn.into_inner());
        if largest_turn > MAX_CORRECTION_ANGLE {
            MAX_CORRECTION_ANGLE / largest_turn
        } else {
            1.0
        }
    }

    /// Moves the bodies by the solution, or by a part of it.
    fn displace(&self, world: &mut World) {
        let moved = &self.solution.changes;
        let part = self.part();
        let slices = (SharedSlice::new(&mut world.bodies), &moved[..]);
        for_chunks(slices, BODIES_PER_THREAD, |_, (bodies, moved)| {
            let moved = bodies.iter_mut().zip(moved);
            for (body, moved) in moved.filter(|(body, _)| body.is_dynamic()) {
                let turn = part * math::widen(moved.angular);
                body.displace(&(part * math::widen(moved.linear)), &turn);
                if !body.mass.is_isotropic() {
                    body.angular_velocity = math::exp(&turn) * body.angular_velocity;
                }
            }
        });
    }
}

/// How far a row is from what it asks for, if that is a matter of position `[m]` or `[rad]`.
fn violation(row: &Row) -> f64 {
    match row.law {
        Law::Equality { error } => error.abs(),
        Law::Limit { gap } => (-gap).max(0.0),
        Law::Motor { .. } | Law::Spring { .. } | Law::Velocity { .. } => 0.0,
    }
}

/// A row as the position problem has it, correcting no more than `most` `[m]` or `[rad]` of its
/// error; nothing for a row that says nothing about positions.
fn position_row(row: &Row, bodies: [u32; 2], most: f64) -> Option<problem::JointRow> {
    let mut solvers = row.for_solver(bodies);
    match row.law {
        Law::Equality { error } => solvers.bias = error.clamp(-most, most) as f32,
        Law::Limit { gap } => {
            solvers.lower = 0.0;
            solvers.bias = bias::position(gap, most).min(f32::MAX);
        }
        Law::Motor { .. } | Law::Spring { .. } | Law::Velocity { .. } => return None,
    }
    Some(solvers)
}
