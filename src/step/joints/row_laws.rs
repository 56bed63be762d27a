//! The laws of joint rows for a step in substeps.

use super::{Ask, Joints};
use crate::constants::ROWS_PER_THREAD;
use crate::parallel;
use crate::solver::Velocity;
use crate::solver::substeps::{RowLaw, SubstepProblem};
use crate::stabilize::{Prescribed, RowState, Scheme};
use crate::step::integrate::Momentum;
use crate::world::World;
use crate::world::joint::{Law, Row};

/// What the laws of joint rows follow from, beside the rows.
#[derive(Debug, Clone, Copy)]
pub(in crate::step) struct Division {
    pub(in crate::step) scheme: Scheme,
    /// Length of the step `[s]`.
    pub(in crate::step) h: f64,
    pub(in crate::step) substeps: u32,
    /// Most that one position LCP corrects of a linear error `[m]`; of an angular one, that over
    /// `radius`.
    pub(in crate::step) max_correction: f64,
    /// `[m]`.
    pub(in crate::step) radius: f64,
}

impl Joints {
    /// Appends the body that stands for the world to the problem's bodies, which are those of `world`
    /// with the velocities before the step, and fills its joint rows and their laws.
    pub(in crate::step) fn build_laws(
        &mut self,
        world: &World,
        division: &Division,
        momenta: &[Momentum],
        problem: &mut SubstepProblem,
    ) {
        let bodies = &mut problem.problem.bodies;
        self.gather(world, division.h, bodies);
        problem.increments.resize(bodies.len(), Velocity::default());
        let bodies = &*bodies;
        let (rows, pairs, impulses) = (self.rows.rows(), self.rows.bodies(), &self.impulses);
        let solvers = &mut problem.problem.joint_rows;
        parallel::fill(solvers, rows.len(), ROWS_PER_THREAD, |index| {
            let row = &rows[index];
            let state = RowState {
                velocity: 0.0,
                drift: row.drift,
                h: division.length(),
            };
            Ask::of(row, division.scheme, &state).for_solver(row, pairs[index], impulses[index])
        });
        let (laws, solvers) = (&mut problem.row_laws, &*solvers);
        parallel::fill(laws, rows.len(), ROWS_PER_THREAD, |index| {
            let (row, pair) = (&rows[index], pairs[index]);
            let exact = |momentum: &Momentum| (momentum.linear_velocity, momentum.spin);
            RowLaw {
                rounding: super::lost_velocity(row, &solvers[index], pair, momenta, exact, bodies)
                    as f32,
                ..division.law(row)
            }
        });
    }
}

impl Division {
    /// Length of a substep `[s]`.
    fn length(&self) -> f64 {
        self.h / f64::from(self.substeps)
    }

    /// The law of a row, but for its rounding.
    fn law(&self, row: &Row) -> RowLaw {
        let h_s = self.length();
        let feedback = self.scheme.feedback(h_s);
        let position = match self.scheme {
            Scheme::Post if row.is_angular() => self.max_correction / self.radius,
            Scheme::Post => self.max_correction,
            _ => 0.0,
        };
        let turned = self.h * row.drift;
        let held = |error: f64| RowLaw {
            error: error as f32,
            rate: feedback.error as f32,
            memory: feedback.velocity as f32,
            offset: (feedback.drift * row.drift) as f32,
            change: turned as f32,
            rounding: 0.0,
            max_correction: position as f32,
            is_gap: 0,
        };
        let driven = |offset: f64| RowLaw {
            rate: 0.0,
            memory: 0.0,
            offset: offset as f32,
            max_correction: -1.0,
            ..held(0.0)
        };
        match row.law {
            Law::Equality { error } => held(error),
            Law::Limit { gap } => RowLaw {
                is_gap: 1,
                ..held(gap)
            },
            Law::Motor { velocity, .. } => driven(-velocity),
            Law::Spring {
                error,
                stiffness,
                damping,
                ..
            } => RowLaw {
                error: error as f32,
                rate: (stiffness / (h_s * stiffness + damping)) as f32,
                ..driven(0.0)
            },
            Law::Velocity {
                now,
                derivative,
                next,
            } => {
                let prescribed = Prescribed {
                    now,
                    derivative,
                    next: now + (next - now) / f64::from(self.substeps),
                };
                let bias = |velocity: f64| {
                    let state = RowState {
                        velocity,
                        drift: row.drift,
                        h: h_s,
                    };
                    self.scheme.velocity(&prescribed, &state)
                };
                // The target moves on from substep to substep, and is part of what the row's velocity
                // changes by.
                RowLaw {
                    memory: (bias(1.0) - bias(0.0)) as f32,
                    change: (turned - (next - now)) as f32,
                    ..driven(bias(0.0))
                }
            }
        }
    }
}
