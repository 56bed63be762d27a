//! Time stepping: from one state of a world to the next.
//!
//! [`Simulation::step`] is the table of contents of everything that drystone does.
//!
//! # Why the default step is stable
//!
//! A sweep solves a contact problem in part: of a mode with eigenvalue sigma of `D^-1 W` (W the Delassus operator, D
//! its diagonal), m sweeps that start from the last impulses remove the share `rho = 1 - (1 - sigma)^m` of what is
//! left. In a tower or a deep pile sigma goes down to 1e-5. From problem to problem, the impulse of that mode
//! therefore *integrates* what is left of `v + gamma x / h`, x being its gap and gamma the share that one problem
//! corrects. With rigid rows its growth z from problem to problem obeys
//!
//! ```text
//! (z - 1) [z^2 - 2 (1 - rho) z + (1 - rho)] + rho gamma z^2 = 0
//! ```
//!
//! and `|z| > 1` as soon as `gamma > rho`: *every* rigid row that corrects its gap feeds energy into the modes that its
//! sweeps do not resolve, and there always are some. A soft row,
//!
//! ```text
//! dr = -[(J v + gamma x / h) / W_nn + eps r] / (1 + eps),
//! ```
//!
//! loses a share of its impulse in every sweep. Then all modes of a symmetric splitting decay if `gamma < (1 + eps)^m - 1`, whatever sigma is:
//! whatever the height, the mass ratio and the number of sweeps. The contact has become a damped spring of stiffness
//! `kappa / W_nn`, `kappa = (gamma / eps) / h^2`. At a given number of sweeps it is stiffest with one sweep in each of
//! many short problems, and that is the default: [`Scheme::Soft`], one sweep a
//! substep, more where bodies are hit (`sweeps.rs`). How many substeps it takes follows from what the springs have to carry; see `control.rs`.
//!
//! A Gauss–Seidel sweep has another splitting: with L the part of W below its diagonal, it leaves
//!
//! ```text
//! J v + gamma x / h + eps D r = L^T dr,
//! ```
//!
//! and the antisymmetric part of L acts on a mode as a spring that is stronger or weaker by b omega, b being its Rayleigh quotient and `omega^2 =
//! w gamma / eps` the mode's frequency, w its eigenvalue of `D^-1 W`. Where that eats up the softness, a mode is unstable: for `w gamma > 4 eps^3 / (27 b^2)`,
//! unless it is damped otherwise. b grows with the contacts that act on one body: a table, slender legs and a top on 16 contacts, with three times its weight
//! or more on it, grows by up to 1.01 a substep if every contact is taken once. Most of b is within pairs of bodies, which a sweep
//! therefore visits several times (`PAIR_VISITS`), friction every second time: their contacts are nearly solved together, and nothing grows.
//! Where two visits change a pair's velocities by less than a hundredth of what gravity adds in a substep, the others are left out (`CALM_CHANGE_GH`): what grows with
//! two visits is visited again once it is as large as that. The measure is a velocity, which what else touches these bodies feels; impulses may shift between the points of a face
//! without end.
//! What is left acts between pairs, and grows with their stiffness, w being about the number of contacts of a pair: those of a pair of more than four share the
//! stiffness of four (`SHARED_STIFFNESS`), so that what stands between two bodies is as stiff however many points it is found by.
//!
//! Other sources of energy, and what bounds them:
//!
//! * **Friction** is not softened and corrects no position: `gamma = 0`, which is stable for rigid rows. Its bound
//!   `mu r_n` follows a normal impulse of the same visit, so that it opposes the slip as it is.
//! * **Recovery.** A spring that was pressed in by an impact would throw back what pressed it. What a contact takes back
//!   of its gap in a substep is bounded by a small speed, beyond what it gives way by under its load, which it needs
//!   to carry that: under the mean of its impulses over some time, for those of an impact do not last
//!   ([`Carried`](crate::solver::substeps::Carried)). Speed and time are of the smaller
//!   of the two bodies ([`Problem::sizes`]), whatever else is in the world.
//! * **What is deeper** than these springs reach is taken back by a second LCP, on positions, in every substep of a part that begins with
//!   such a contact: Cline and Pai's, on what lies beyond a contact's own sag, its rows as soft as the others. It moves bodies and gives them no velocity, so that what an
//!   impact has pressed in does not come out in flight, layer upon layer; and it leaves to the springs what carries the load, so that towers stand. It does
//!   work against gravity, as much as sinking in took. A host gets the same by a plan
//!   for its problem ([`SubstepPlan::recommended_for`]). In worlds with joints deep contacts part at a bounded speed instead.
//! * **Contacts that come and go** bring no impulse; an open gap closes and no more; loads are multiplied by the
//!   ratio of substeps where the number of these changes, and so are shrinking impulses, but not what an impact has left for longer substeps.
//! * **Contacts that change their point** from search to search kick like springs that are hit again and again: boxes that
//!   overlap touch on faces wherever one is nearly along the contact (`EDGES_ALONG_FACE`), not on the pair of edges that
//!   is nearest at the moment.
//! * **Levers and normals** are those of the last search for contacts. A body that rocks on a lever of the start of a part of length h
//!   gains energy at the rate `omega^2 h / 2`; contacts are therefore looked for where bodies are halfway through the part, and then it gains none
//!   (`halfway.rs`). One that passes another finds it where it was: contacts are found
//!   again before bodies have turned by a quarter of a radian or moved by half of their size past each other, also where what asks for it comes within reach only
//!   in the middle of a step. Bodies that close in on each other go ahead until they touch and no farther, for beyond it directions turn; of a pair that is new and so
//!   fast that the bodies may pass each other halfway, contacts are found where they are first. Contacts of those that move less are
//!   found once for several parts, midway through these (`collide/kept.rs`). What lies on a surface that turns as prescribed is
//!   followed by it within that time (`turning.rs`).
//! * **What is hit** within a part moves on as fast as what hit it: it is looked for what it may be driven into, too, and what that may hit then (`driven.rs`).
//! * **Joints** without bounds are solved at once in every substep, on levers, axes and inertias as they are then:
//!   `rho = 1`, so that their errors may be corrected. They have the last word: what a contact leaves open of them would become an
//!   error, and correcting that against the force of an impact does work. A contact on a mechanism sees less than the inertia
//!   that it stops; where it parts faster than it ever pushes it keeps its load, and no more of what the impact left.
//!   Joints do no work: what corrections of turned levers add where forces grow many times over within a substep, as in a chain that stops a
//!   heavy load, is taken back from the motion of the mechanism (see `joints/work.rs`).
//! * **Restitution** is Newton's at the surface ([`Meeting`](crate::problem::bias::Meeting)), and what bounces starts
//!   without the impulse of the last substep and does not give way. Where it bounces on several points or bodies at once, substeps take sweeps enough
//!   to find their impulses together. What may bounce and is apart, or touches and presses on nothing, is left alone: an impact elsewhere that drives it on
//!   within the substep keeps its speed until it meets. What still overlaps and parts is held as Moreau's law has it, without giving way, so that impacts at once gain no energy and lose no more than
//!   restitution takes ([`SubstepPlan::contact_row`](crate::solver::substeps::SubstepPlan::contact_row)); the impulse of an impact on it is no press in the next substep.
//!
//! The second LCP of Cline and Pai as they have it, on whole gaps between rigid contacts, is [`Settings::post_stabilized`]. It is exact where it is
//! converged, and adds no velocity; with few sweeps on rigid rows it lets towers fall.

mod balance;
mod control;
mod driven;
mod halfway;
mod host;
mod integrate;
mod joints;
mod lasting;
mod load;
mod parts;
mod plan;
mod prefetch;
mod problem;
#[cfg(feature = "scene")]
pub(crate) mod saved;
mod search;
mod settings;
mod split;
mod squeeze;
mod sweeps;
mod turning;
mod weights;

pub use host::Forces;
pub use settings::{Settings, StepReport, Timings};

use crate::collide::{ContactPoint, Detector};
use crate::constants::{MARGIN_PER_RADIUS, RESTITUTION_THRESHOLD_GH};
use crate::error::Result;
use crate::event::EventStepper;
use crate::math::Pose;
use crate::measure::{self, Energy, EnergyBalance, JointErrors, Penetration};
use crate::problem::Problem;
use crate::solver::substeps::SubstepPlan;
use crate::solver::{Plan, Solution, Solver};
use crate::stabilize::{PositionPass, Scheme, Sweeps};
use crate::world::{BodyKind, World};
use control::{Control, Division as StepDivision};
use driven::Driven;
use halfway::Halfway;
use integrate::Momentum;
use joints::Joints;
#[cfg(feature = "scene")]
pub(crate) use saved::{WorldState, world_of};
use split::Split;
use sweeps::LeastSweeps;

/// A world, how it is stepped, and what is carried from step to step.
pub struct Simulation {
    world: World,
    settings: Settings,
    solver: Box<dyn Solver>,
    steps: u64,
    /// Where kinematic bodies started, and when; shape `[body_count]`.
    start_poses: Vec<Pose>,
    /// False if no body is kinematic.
    has_kinematic_bodies: bool,

    /// Holds the contacts of the present state: those that the last step left, and that the next one
    /// starts from.
    detector: Detector,
    contacts_are_stale: bool,
    joints: Joints,

    /// In place of the problems, if the settings say so.
    event: Option<EventStepper>,

    /// Of the last part of the last step.
    problem: Problem,
    solution: Solution,
    memory: problem::Memory,
    momenta: Vec<Momentum>,
    halfway: Halfway,
    driven: Driven,
    /// Memory of sums of energies.
    energies: Vec<Energy>,
    /// Work and dissipation since the start, if they are asked for.
    balance: Option<EnergyBalance>,
    position: PositionPass,
    margin: f64,
    control: Control,
    sweeps_of_parts: LeastSweeps,
    /// The scheme of contacts in this step.
    split: Split,
    /// Of each velocity problem of the last step.
    sweeps: Sweeps,
    /// How the last step was divided.
    division: StepDivision,
    /// Least sweeps of the velocity LCP in this part.
    least_sweeps: u32,
    plan: Option<SubstepPlan>,
    /// The solver's plan of the problem, and the length of the part `[s]`.
    solved_by: Option<(Plan, f64)>,
    /// Loads of the contacts after the last part.
    loads: Vec<f32>,
    /// How long the problem stood for whose impulses are remembered `[s]`; 0 if there are none.
    impulse_length: f64,
    timings: Timings,
}

impl std::fmt::Debug for Simulation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Simulation")
            .field("backend", &self.solver.backend())
            .field("steps", &self.steps)
            .field("bodies", &self.world.bodies.len())
            .field("contacts", &self.detector.contacts().len())
            .finish_non_exhaustive()
    }
}

impl Simulation {
    /// A simulation about to make its first step.
    ///
    /// # Errors
    /// [`Error::Invalid`](crate::Error::Invalid) for settings or a world without meaning,
    /// [`Error::NonFinite`](crate::Error::NonFinite) for a body
    /// that is nowhere.
    pub fn new(world: World, settings: Settings, solver: Box<dyn Solver>) -> Result<Self> {
        settings.validate()?;
        world.validate()?;
        let smallest = world.smallest_radius();
        let event = settings
            .event
            .map(|options| EventStepper::new(&world, options.settings(&world, settings.time_step)));
        let mut simulation = Self {
            event: event.transpose()?,
            start_poses: world.bodies.iter().map(|body| body.pose).collect(),
            has_kinematic_bodies: has_kinematic_bodies(&world),
            margin: settings.margin.unwrap_or(MARGIN_PER_RADIUS * smallest),
            position: PositionPass::new(smallest),
            world,
            settings,
            solver,
            steps: 0,
            detector: Detector::by(settings.broadphase),
            contacts_are_stale: false,
            joints: Joints::default(),
            problem: Problem::default(),
            solution: Solution::default(),
            memory: problem::Memory::default(),
            momenta: Vec::new(),
            halfway: Halfway::default(),
            driven: Driven::default(),
            energies: Vec::new(),
            balance: None,
            control: Control::default(),
            sweeps_of_parts: LeastSweeps::default(),
            split: Split::default(),
            sweeps: Sweeps::of_whole_bodies(1),
            division: StepDivision::into(0),
            least_sweeps: 1,
            plan: None,
            solved_by: None,
            loads: Vec::new(),
            impulse_length: 0.0,
            timings: Timings::default(),
        };
        simulation.detect_contacts_anew()?;
        if simulation.settings.energy_balance {
            simulation.balance = Some(EnergyBalance::new(measure::energy(&simulation.world)));
        }
        Ok(simulation)
    }

    /// The world as it is now.
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The world, to be changed between steps; contacts are then found anew. Bodies may be moved or
    /// pushed, not added or removed.
    #[must_use]
    pub fn world_mut(&mut self) -> &mut World {
        self.contacts_are_stale = true;
        &mut self.world
    }

    /// Steps that were taken.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// How the world is stepped.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Contacts of the world as it is now: their gaps are those of now. In the default step their points and normals are those of where bodies
    /// go within half of the next part of a step.
    #[must_use]
    pub fn contacts(&self) -> &[ContactPoint] {
        self.detector.contacts()
    }

    /// Penetration of the world as it is now.
    #[must_use]
    pub fn penetration(&self) -> Penetration {
        self.detector.depths().into()
    }

    /// Errors of the joints of the world as it is now.
    #[must_use]
    pub fn joint_errors(&self) -> JointErrors {
        measure::joint_errors(&self.world)
    }

    /// The problem of the last part of the last step, as the solver got it; of a world with joints, that of the
    /// last substep. Under [`Plan::Substeps`] ([`Self::velocity_plan`]) its velocities lack the step's forces and its biases mean
    /// nothing. After the bodies of the world come one that stands for the world, if there are joints, and one for each pair of a body and a turning kinematic one
    /// that it touches.
    #[must_use]
    pub fn velocity_problem(&self) -> &Problem {
        &self.problem
    }

    /// The plan with which the solver got [`Self::velocity_problem`], and the length of time that the problem stands for `[s]`;
    /// nothing before the first step and after one of the event stepper.
    #[must_use]
    pub fn velocity_plan(&self) -> Option<(Plan, f64)> {
        self.solved_by
    }

    /// The solver's answer to [`Self::velocity_problem`]; after a step that failed it must not be used.
    #[must_use]
    pub fn solution(&self) -> &Solution {
        &self.solution
    }

    /// Impulses `(normal, tangent 1, tangent 2)` of the last step `[N s]`, in the order of
    /// [`Self::velocity_problem`]'s contacts. Of a world with joints, those of the last substep: the ones
    /// before it had contacts of their own.
    #[must_use]
    pub fn impulses(&self) -> &[[f32; 3]] {
        self.solution.contact_impulses()
    }

    /// Impulses of the joint rows `[N s]` or `[N m s]` of the last step, or of its last substep, in the
    /// order of [`Self::velocity_problem`]'s rows.
    #[must_use]
    pub fn joint_impulses(&self) -> &[f32] {
        &self.solution.joint_impulses
    }

    /// The last position problem, as the solver got it; empty if there was none.
    #[must_use]
    pub fn position_problem(&self) -> &Problem {
        self.position.problem()
    }

    /// Which backend solves.
    #[must_use]
    pub fn backend(&self) -> &'static str {
        self.solver.backend()
    }

    /// The adapter that it solves on, if it is a GPU's.
    #[must_use]
    pub fn adapter(&self) -> Option<String> {
        self.solver.adapter()
    }

    /// Gives kinematic bodies the velocities that take them on by `h`.
    fn prescribe_velocities(&mut self, h: f64) {
        if self.has_kinematic_bodies {
            let time = self.world.time;
            integrate::prescribe_velocities(&mut self.world.bodies, &self.start_poses, time, h);
        }
    }

    /// How the next step is divided: as the settings say or, if they say nothing, as what the bodies do asks
    /// for.
    fn divide(&mut self) -> StepDivision {
        let turns = self.world.joints.iter().any(|joint| !joint.broken);
        let scheme = &self.settings.stabilization.contacts;
        self.sweeps = Sweeps {
            count: self.settings.solver.iterations,
            split: match scheme {
                Scheme::Soft { .. } => self.split.largest(
                    &self.world,
                    self.detector.contacts(),
                    self.solver.sweeps_by(self.settings.solver.method),
                ),
                _ => 1.0,
            },
        };
        let (carried, overlaps) = (self.detector.impulses(), self.overlaps());
        if matches!(scheme, Scheme::Soft { .. }) {
            let h = self.settings.time_step;
            self.control
                .look(&self.world, (&carried, overlaps.deepest), h);
        }
        let mut division = match (
            self.settings.substeps,
            scheme.stiffness_of_unit(self.sweeps),
        ) {
            (Some(substeps), _) => StepDivision::into(substeps),
            (None, None) => StepDivision::into(0),
            (None, Some(stiffness)) => self.control.divide(
                (&self.world, &self.halfway),
                (self.detector.contacts(), overlaps, &carried),
                &self.start_poses,
                self.settings.time_step,
                stiffness,
            ),
        };
        // The levers of joints turn: their rows are found anew in every substep.
        if turns && division.substeps > 0 {
            division.updates *= division.substeps;
            division.substeps = 0;
        }
        division
    }

    /// Sweeps of each of the substeps of a part of length `h`, if the step is divided as bodies ask for.
    fn find_least_sweeps(&mut self, h: f64, substeps: u32) -> u32 {
        let is_soft = matches!(self.settings.stabilization.contacts, Scheme::Soft { .. });
        if self.settings.substeps.is_some() || !is_soft {
            return 1;
        }
        let substeps = substeps.max(1);
        let part = sweeps::Part {
            h,
            substeps,
            threshold: self.restitution_threshold(h / f64::from(substeps)),
            is_first: self.detector.impulses().carry_nothing(),
        };
        let moving = (&self.world, &self.halfway);
        self.sweeps_of_parts
            .find(moving, &self.driven, self.detector.contacts(), part)
    }

    fn restitution_threshold(&self, h: f64) -> f64 {
        self.settings
            .restitution_threshold
            .unwrap_or_else(|| RESTITUTION_THRESHOLD_GH * self.world.gravity.norm() * h)
    }
}

fn has_kinematic_bodies(world: &World) -> bool {
    let mut bodies = world.bodies.iter();
    bodies.any(|body| body.kind == BodyKind::Kinematic)
}
