//! What a step is told, and what it tells.

use crate::collide::{ContactModel, PairSearch, Witnesses};
use crate::constants::CONTACT_SWEEPS;
use crate::error::{Error, Result};
use crate::event::EventOptions;
use crate::measure::{Energy, JointErrors, Penetration};
use crate::problem::{FrictionCone, FrictionLaw};
use crate::solver::{self, Report};
use crate::stabilize::{Scheme, Stabilization};
use std::time::Duration;

/// How a world is stepped.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Length of a step h `[s]`, positive.
    pub time_step: f64,
    /// Parts of a step that share its contacts, each with velocity and position problems of its own;
    /// `Some(0)` for a step that is not divided, and whose position problem is on contacts found anew. `None`
    /// divides by what the bodies do, see [`step`](super), if contacts are [`Scheme::Soft`], and not at all
    /// otherwise. See [`solver::substeps`].
    pub substeps: Option<u32>,
    /// Solver of the velocity LCP (of each substep); its tolerance is in m/s.
    pub solver: solver::Options,
    /// What removes penetrations and the errors of joints.
    pub stabilization: Stabilization,
    /// Shape of the friction cone.
    pub friction_cone: FrictionCone,
    /// The law that holds within it.
    pub friction_law: FrictionLaw,
    /// The event stepper in place of velocity problems, solvers and schemes; nothing of these counts then, but where it
    /// cannot go on and [`EventOptions::velocity_steps`] says so.
    pub event: Option<EventOptions>,
    /// How pairs of bodies that may touch are found; it changes no result.
    pub broadphase: PairSearch,
    /// Points that stand for the contact of boxes and polyhedra.
    pub contacts: ContactModel,
    /// Gap below which two bodies count as a contact, beyond what their velocities close in a step
    /// `[m]`; `None` is a fiftieth of the smallest dynamic body's bounding radius.
    pub margin: Option<f64>,
    /// Gap on either side of zero that counts as shut and is left alone in substeps `[m]`; `None` is
    /// 1e-4 of the smallest dynamic body's bounding radius. See
    /// [`GapLaw`](crate::solver::substeps::GapLaw).
    pub slop: Option<f64>,
    /// Approach speed below which nothing bounces `[m/s]`; `None` is `2 g h`, h being the length of a
    /// substep if there are any.
    pub restitution_threshold: Option<f64>,
    /// True if work and dissipation are added up, see [`Simulation::energy_balance`](super::Simulation::energy_balance). It changes no result, and takes a pass
    /// over the contacts of each part of a step.
    pub energy_balance: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            time_step: 1.0 / 60.0,
            substeps: None,
            solver: solver::Options {
                iterations: CONTACT_SWEEPS,
                ..solver::Options::default()
            },
            stabilization: Stabilization::default(),
            friction_cone: FrictionCone::default(),
            friction_law: FrictionLaw::default(),
            event: None,
            broadphase: PairSearch::default(),
            contacts: ContactModel::default(),
            margin: None,
            slop: None,
            restitution_threshold: None,
            energy_balance: false,
        }
    }
}

impl Settings {
    /// The step of Cline and Pai: a velocity problem, rigid, and a position problem after it, steps not divided.
    #[must_use]
    pub fn post_stabilized() -> Self {
        Self {
            substeps: Some(0),
            solver: solver::Options::default(),
            stabilization: Stabilization::both(Scheme::Post),
            ..Self::default()
        }
    }

    /// Checks every number.
    ///
    /// # Errors
    /// [`Error::Invalid`] that names the first setting without meaning.
    pub fn validate(&self) -> Result<()> {
        let positive = |what: &str, value: f64| {
            if value > 0.0 && value.is_finite() {
                return Ok(());
            }
            Err(Error::invalid(
                what,
                format!("{value} is not positive and finite"),
            ))
        };
        positive("time step", self.time_step)?;
        if let Some(margin) = self.margin {
            positive("contact margin", margin)?;
        }
        for (what, given) in [
            ("slop", self.slop),
            ("restitution threshold", self.restitution_threshold),
        ] {
            if let Some(number) = given
                && !(number >= 0.0 && number.is_finite())
            {
                return Err(Error::invalid(
                    what,
                    format!("{number} is not a finite number of at least 0"),
                ));
            }
        }
        if self.energy_balance && self.event.is_some() {
            return Err(Error::invalid(
                "energy balance",
                "the event stepper has no impulses to add up",
            ));
        }
        self.contacts.validate()?;
        self.friction_cone.validate()?;
        self.friction_law.validate(self.friction_cone)?;
        self.solver.validate()?;
        self.stabilization.validate()
    }
}

/// Wall-clock time of the stages of one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Timings {
    /// Following the bodies, and the broadphase where pairs are found anew.
    pub broad: Duration,
    /// Narrowphase after the step.
    pub narrow: Duration,
    /// Building, colouring and packing the velocity problem.
    pub pack: Duration,
    /// Solving the velocity problem.
    pub solve: Duration,
    /// The whole position pass: its narrowphase, packing and solving.
    pub position: Duration,
    /// The whole step.
    pub step: Duration,
}

/// What one step did, and the state it left.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StepReport {
    /// Number of the step, from 1.
    pub step: u64,
    /// Time after it `[s]`.
    pub time: f64,
    /// Contact points of the velocity problem.
    pub contacts: usize,
    /// How often contacts were found in the step.
    pub contact_updates: u32,
    /// Collisions that the event stepper stopped at.
    pub collisions: u32,
    /// True if the event stepper could not go on and velocities and impulses made the step.
    pub by_velocity: bool,
    /// Substeps of the step, all together; 0 if it was not divided.
    pub substeps: u32,
    /// True if the step should have been divided further than a step may be.
    pub capped: bool,
    /// Pairs of bodies whose witnesses are kept, counted at each of these searches, and how many had to be searched.
    pub witnesses: Witnesses,
    /// Joints that broke in this step.
    pub broken_joints: usize,
    /// Outcome of the velocity LCP.
    pub velocity: Report,
    /// Outcome of the (last) position LCP, if there was one; its residuals are in metres.
    pub position: Option<Report>,
    /// Errors of joints after the bodies moved, and before the position pass.
    pub joints_before_post: JointErrors,
    /// Errors of joints after the step.
    pub joints: JointErrors,
    /// Penetration after the step, by a fresh narrowphase.
    pub penetration: Penetration,
    /// Energies after the step.
    pub energy: Energy,
    /// Wall-clock times.
    pub timings: Timings,
}
