//! A step in substeps as its meaning says: every LCP handed to a solver, one after the other.
//!
//! Displacements and what impulses have added are kept in f64 here, and each problem is written anew
//! from them. What a problem's f32 velocities leave out of a contact's velocity goes into its bias, so that fast bodies lose no digits.

use crate::error::Result;
use crate::math::{self, V3, Vec3};
use crate::problem::bias::Meeting;
use crate::problem::{AsProblem, Body, Contact, FrictionCone, FrictionLaw, Problem, ProblemRef};
use crate::solver::substeps::{Carried, PositionPlan, SubstepPlan, SubstepReport};
use crate::solver::{Displacement, Options, Solution, Solver, Status, Velocity};

/// A velocity or a displacement: of the centre of mass, and angular in world axes.
type Twist = (Vec3, Vec3);

/// Where a body is in the step.
#[derive(Debug, Clone, Copy)]
struct State {
    /// Velocity at the start of the step.
    start: Twist,
    /// What forces add to it over the whole step.
    increment: Twist,
    /// What impulses have added to it.
    gained: Twist,
    /// How far impulses and corrections have moved the body.
    moved: Twist,
}

/// A step under way.
struct Step {
    states: Vec<State>,
    /// The LCP that comes next.
    problem: Problem,
    /// Of the last one.
    solution: Solution,
    /// Contacts that overlap and part; see [`SubstepPlan::parts_overlapping`].
    parting: Vec<usize>,
}

/// Computes a step by calls of [`Solver::solve`]: one for each substep, and one more for each position
/// LCP. `solution` is overwritten.
///
/// It ends early where a solve reports [`Status::NonFinite`]; the solution must not be used then.
///
/// # Errors
/// [`Error::Invalid`](crate::Error::Invalid) for a plan or a problem without meaning, and what the solver
/// reports.
pub fn in_substeps<S: Solver + ?Sized>(
    solver: &mut S,
    given: &dyn AsProblem,
    plan: &SubstepPlan,
    solution: &mut Solution,
) -> Result<SubstepReport> {
    in_substeps_watched(solver, given, plan, solution, &mut |_, _| Ok(()))
}

/// Like [`in_substeps`], and hands every LCP to `watch` with its solution.
///
/// # Errors
/// As [`in_substeps`], and those of `watch`.
pub fn in_substeps_watched<S: Solver + ?Sized>(
    solver: &mut S,
    given: &dyn AsProblem,
    plan: &SubstepPlan,
    solution: &mut Solution,
    watch: &mut dyn FnMut(&Problem, &Solution) -> Result<()>,
) -> Result<SubstepReport> {
    let given = &given.as_problem();
    let given = &plan.applied_to(given);
    plan.validate()?;
    given.validate()?;
    plan.validate_problem(given)?;
    let mut step = Step::begin(given);
    solution.begin_substeps(given);
    let mut report = SubstepReport::default();
    for substep in 1..=plan.substeps {
        step.write_velocity_problem(given, plan, substep, solution);
        let solved = solver.solve(&step.problem, &plan.velocity, &mut step.solution)?;
        watch(&step.problem, &step.solution)?;
        report.add_velocity(&solved);
        if solved.status == Status::NonFinite {
            return Ok(report);
        }
        solution.add_impulses(&step.solution);
        for &contact in &step.parting {
            let load = given.loads.get(contact).copied().unwrap_or(0.0);
            let kept = f64::from(load) * plan.substep_length();
            let [normal, ..] = solution.impulses[contact];
            solution.impulses[contact] = [normal.min(kept as f32), 0.0, 0.0];
        }
        step.advance(plan);
        if let Some(position) = &plan.position {
            step.write_position_problem(given, (plan, position), substep, solution);
            let options = Options {
                warm_start: false,
                ..position.options
            };
            let solved = solver.solve(&step.problem, &options, &mut step.solution)?;
            watch(&step.problem, &step.solution)?;
            report.add_position(&solved);
            step.correct(position);
        }
        if report.velocity.status == Status::NonFinite {
            return Ok(report);
        }
    }
    solution.take_states(&step.states);
    Ok(report)
}

impl Step {
    /// The start of a step.
    fn begin(given: &ProblemRef<'_>) -> Self {
        let bodies = given.bodies.iter().zip(given.increments);
        let states = bodies.map(|(body, increment)| State {
            start: widen(body.linear_velocity, body.angular_velocity),
            increment: widen(increment.linear, increment.angular),
            gained: (Vec3::zeros(), Vec3::zeros()),
            moved: (Vec3::zeros(), Vec3::zeros()),
        });
        Self {
            states: states.collect(),
            problem: Problem {
                bodies: given.bodies.to_vec(),
                ..Problem::default()
            },
            solution: Solution::default(),
            parting: Vec::new(),
        }
    }

    /// The velocity LCP of a substep, counted from 1, started from the impulses in `solution`.
    fn write_velocity_problem(
        &mut self,
        given: &ProblemRef<'_>,
        plan: &SubstepPlan,
        substep: u32,
        solution: &Solution,
    ) {
        let (past, part) = (plan.part(substep - 1), plan.part(substep));
        for (body, state) in self.problem.bodies.iter_mut().zip(&self.states) {
            let (linear, angular) = state.velocity(part);
            body.linear_velocity = math::narrow(&linear);
            body.angular_velocity = math::narrow(&angular);
        }
        let (states, bodies) = (&self.states, &self.problem.bodies);
        let displacement = |body: u32| states[body as usize].displacement(plan, substep - 1);
        let before = |body: u32| states[body as usize].velocity(past);
        let share = 1.0 / f64::from(plan.substeps);
        let gain = |body: u32| {
            let (linear, angular) = states[body as usize].increment;
            (share * linear, share * angular)
        };
        let lost = |body: u32| states[body as usize].lost(part, &bodies[body as usize]);

        let per_substep = f64::from(plan.gap_law.rate) / plan.substep_length();
        let softness = |index: usize, response: f64| {
            let eps = f64::from(given.contact_softness);
            match given.compliances.get(index) {
                Some(&c) if response > 0.0 => eps.max(per_substep * f64::from(c) / response),
                _ => eps,
            }
        };
        let compliances = &mut self.problem.compliances;
        compliances.clear();
        let mut has_own = given.is_compliant();
        self.problem.contacts.clear();
        let parting = &mut self.parting;
        parting.clear();
        let contacts = given.contacts.iter().enumerate();
        self.problem
            .contacts
            .extend(contacts.map(|(index, contact)| {
                let gap = f64::from(given.gaps[index]) + along_normal(contact, displacement);
                let velocity = along_normal(contact, before);
                let restitution = given.restitutions.get(index).copied().unwrap_or(0.0);
                let response = response(contact, bodies);
                let carried = if plan.velocity.warm_start {
                    let load = given.loads.get(index).copied().unwrap_or(0.0);
                    Carried {
                        impulse: f64::from(solution.impulses[index][0]) * response,
                        load: f64::from(load) * plan.substep_length() * response,
                    }
                } else {
                    Carried::default()
                };
                let softness = softness(index, response);
                let meeting = Meeting {
                    separation: gap,
                    velocity,
                    gain: along_normal(contact, gain),
                    restitution: f64::from(restitution),
                };
                let scale = given.scale(index);
                let row = plan.contact_row(&meeting, softness, &carried, scale);
                has_own |= row.softness != softness;
                compliances.push((row.softness * response) as f32);
                let cold = plan.starts_cold(&meeting, softness, &carried, scale);
                if plan.parts_overlapping(&meeting, softness, &carried, scale) {
                    parting.push(index);
                }
                Contact {
                    bias: (row.bias + along_normal(contact, lost)) as f32,
                    impulse: if cold {
                        [0.0; 3]
                    } else {
                        solution.impulses[index]
                    },
                    ..*contact
                }
            }));
        if !has_own {
            compliances.clear();
        }
        self.problem.friction_cone = given.friction_cone;
        self.problem.friction_law = given.friction_law;
        self.problem.contact_softness = given.contact_softness;
        self.problem.calm_change = given.calm_change;
    }

    /// Adds what the impulses of a velocity LCP do, and moves the bodies.
    fn advance(&mut self, plan: &SubstepPlan) {
        let h_s = plan.substep_length();
        for (state, change) in self.states.iter_mut().zip(&self.solution.changes) {
            let (linear, angular) = widen(change.linear, change.angular);
            state.gained.0 += linear;
            state.gained.1 += angular;
            state.moved.0 += h_s * state.gained.0;
            state.moved.1 += h_s * state.gained.1;
        }
    }

    /// The position LCP after a substep, counted from 1.
    fn write_position_problem(
        &mut self,
        given: &ProblemRef<'_>,
        (plan, position): (&SubstepPlan, &PositionPlan),
        substep: u32,
        solution: &Solution,
    ) {
        for body in &mut self.problem.bodies {
            body.linear_velocity = [0.0; 3];
            body.angular_velocity = [0.0; 3];
        }
        let (states, bodies) = (&self.states, &self.problem.bodies);
        let displacement = |body: u32| states[body as usize].displacement(plan, substep);
        for (index, contact) in self.problem.contacts.iter_mut().enumerate() {
            let of_step = &given.contacts[index];
            let gap = f64::from(given.gaps[index]) + along_normal(of_step, displacement);
            let response = response(of_step, bodies);
            let load = given.loads.get(index).copied().unwrap_or(0.0);
            let carried = Carried {
                impulse: f64::from(solution.impulses[index][0]) * response,
                load: f64::from(load) * plan.substep_length() * response,
            };
            let bias = position.contact_bias(gap, &plan.gap_law, &carried, given.scale(index));
            *contact = Contact {
                bias: bias as f32,
                friction: 0.0,
                impulse: [0.0; 3],
                ..*of_step
            };
        }
        self.problem.compliances.clear();
        self.problem.friction_cone = FrictionCone::Disk;
        self.problem.friction_law = FrictionLaw::Coulomb;
        self.problem.contact_softness = given.contact_softness;
        self.problem.calm_change = 0.0;
    }

    /// Moves the bodies by the solution of a position LCP.
    fn correct(&mut self, position: &PositionPlan) {
        for (state, change) in self.states.iter_mut().zip(&self.solution.changes) {
            let (linear, angular) = widen(change.linear, change.angular);
            let turn = angular.norm();
            let most = f64::from(position.max_turn);
            let part = if turn > most { most / turn } else { 1.0 };
            state.moved.0 += part * linear;
            state.moved.1 += part * angular;
        }
    }
}

impl State {
    /// Velocity when part `part` of the step's forces have acted.
    fn velocity(&self, part: f64) -> Twist {
        let at = |start: &Vec3, increment: &Vec3, gained: &Vec3| start + part * increment + gained;
        (
            at(&self.start.0, &self.increment.0, &self.gained.0),
            at(&self.start.1, &self.increment.1, &self.gained.1),
        )
    }

    /// How far the body has moved since the start of the step, after so many substeps.
    fn displacement(&self, plan: &SubstepPlan, substeps: u32) -> Twist {
        let [start, increment] = plan.free_displacement(substeps);
        let at = |v: &Vec3, dv: &Vec3, moved: &Vec3| start * v + increment * dv + moved;
        (
            at(&self.start.0, &self.increment.0, &self.moved.0),
            at(&self.start.1, &self.increment.1, &self.moved.1),
        )
    }

    /// What a body as a solver sees it lacks of [`Self::velocity`].
    fn lost(&self, part: f64, seen: &Body) -> Twist {
        let (linear, angular) = self.velocity(part);
        (
            linear - math::widen(seen.linear_velocity),
            angular - math::widen(seen.angular_velocity),
        )
    }
}

impl Solution {
    /// The impulses that the first substep starts from.
    fn begin_substeps(&mut self, given: &ProblemRef<'_>) {
        let contacts = &given.contacts;
        self.impulses.clear();
        self.impulses.extend(contacts.iter().map(|c| c.impulse));
        self.total_impulses.clear();
        self.total_impulses.resize(contacts.len(), [0.0; 3]);
        self.velocities.clear();
        self.joint_impulses.clear();
    }

    fn add_impulses(&mut self, solved: &Self) {
        self.impulses.clone_from(&solved.impulses);
        for (total, impulse) in self.total_impulses.iter_mut().zip(&solved.impulses) {
            *total = math::add(*total, *impulse);
        }
    }

    fn take_states(&mut self, states: &[State]) {
        self.changes.clear();
        self.changes.extend(states.iter().map(|state| Velocity {
            linear: math::narrow(&state.gained.0),
            angular: math::narrow(&state.gained.1),
        }));
        self.displacements.clear();
        let moved = states.iter().map(|state| Displacement {
            linear: math::narrow(&state.moved.0),
            angular: math::narrow(&state.moved.1),
        });
        self.displacements.extend(moved);
    }
}

fn widen(linear: V3, angular: V3) -> Twist {
    (math::widen(linear), math::widen(angular))
}

/// `J d` of a contact's normal row.
fn along_normal(contact: &Contact, twist: impl Fn(u32) -> Twist) -> f64 {
    let point = |body: u32, arm: V3| {
        let (linear, angular) = twist(body);
        linear + angular.cross(&math::widen(arm))
    };
    let apart = point(contact.body_a, contact.arm_a) - point(contact.body_b, contact.arm_b);
    math::widen(contact.normal).dot(&apart)
}

/// `W_nn` of a contact `[1/kg]`.
fn response(contact: &Contact, bodies: &[Body]) -> f64 {
    contact.response(
        &bodies[contact.body_a as usize],
        &bodies[contact.body_b as usize],
    )
}
