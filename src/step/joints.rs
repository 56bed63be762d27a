//! The joints of a step: their rows in the velocity LCP, the impulses carried over from step to step,
//! and which joints break.

mod row_laws;

pub(super) use row_laws::Division;

use super::integrate::Momentum;
use crate::constants::ROWS_PER_THREAD;
use crate::math::{self, Vec3};
use crate::parallel;
use crate::problem::{Body, JointRow, Problem};
use crate::stabilize::{JointRows, Prescribed, RowState, Scheme, joint_rows};
use crate::world::World;
use crate::world::joint::{Law, Row};

/// What is kept of joints between steps.
#[derive(Debug, Default)]
pub(super) struct Joints {
    rows: JointRows,
    /// Impulse of each row of the last step `[N s]` or `[N m s]`, shape `[row_count]`.
    impulses: Vec<f32>,
    /// Number of rows of each joint in the last step, shape `[joint_count]`.
    row_counts: Vec<usize>,
}

impl Joints {
    /// Appends the body that stands for the world to `problem`'s bodies, which are those of `world`
    /// with the velocities of `momenta`, and fills its joint rows.
    pub(super) fn build_rows(
        &mut self,
        world: &World,
        scheme: Scheme,
        h: f64,
        momenta: &[Momentum],
        problem: &mut Problem,
    ) {
        self.gather(world, h, &mut problem.bodies);
        let bodies = &problem.bodies;
        let (rows, pairs) = (self.rows.rows(), self.rows.bodies());
        let impulses = &self.impulses;
        parallel::fill(
            &mut problem.joint_rows,
            rows.len(),
            ROWS_PER_THREAD,
            |index| {
                let (row, pair, impulse) = (&rows[index], pairs[index], impulses[index]);
                let before = pair.map(|body| joint_rows::velocity_of(&world.bodies, body));
                let state = RowState {
                    velocity: row.relative_velocity(before[0], before[1]),
                    drift: row.drift,
                    h,
                };
                let ask = Ask::of(row, scheme, &state);
                let solvers = ask.for_solver(row, pair, impulse);
                let lost = lost_velocity(row, &solvers, pair, momenta, Momentum::at_end, bodies);
                JointRow {
                    bias: bound(ask.bias + lost),
                    ..solvers
                }
            },
        );
    }

    /// Finds the rows, and the impulses that they start from, and appends the body that stands for the
    /// world to `bodies`.
    fn gather(&mut self, world: &World, h: f64, bodies: &mut Vec<Body>) {
        self.rows.gather(world, h);
        self.keep_impulses_of_same_shape(world);
        joint_rows::push_outside(world, bodies);
    }

    /// Leaves one impulse per row: the last step's, or zero for joints that are new or have changed.
    fn keep_impulses_of_same_shape(&mut self, world: &World) {
        let counts = (0..world.joints.len()).map(|joint| self.rows.of(joint).len());
        if counts.clone().eq(self.row_counts.iter().copied()) {
            return;
        }
        let mut kept = Vec::with_capacity(self.rows.rows().len());
        let mut from = 0;
        for (joint, count) in counts.clone().enumerate() {
            let last = self.row_counts.get(joint).copied().unwrap_or(0);
            if last == count {
                kept.extend_from_slice(&self.impulses[from..from + count]);
            } else {
                kept.resize(kept.len() + count, 0.0);
            }
            from += last;
        }
        self.impulses = kept;
        self.row_counts = counts.collect();
    }

    /// Remembers the impulses that the next step starts from, and breaks the joints that could not
    /// carry those of the whole step, `carried`; returns how many broke.
    pub(super) fn take_impulses(
        &mut self,
        impulses: &[f32],
        carried: &[f32],
        world: &mut World,
        h: f64,
    ) -> usize {
        self.impulses.clear();
        self.impulses.extend_from_slice(impulses);
        self.impulses.resize(self.rows.rows().len(), 0.0);
        let mut broke = 0;
        for (index, joint) in world.joints.iter_mut().enumerate() {
            if joint.breaking_force.is_none() && joint.breaking_torque.is_none() {
                continue;
            }
            let [force, torque] = self.load(index, carried, h);
            if joint.breaking_force.is_some_and(|most| force > most)
                || joint.breaking_torque.is_some_and(|most| torque > most)
            {
                joint.broken = true;
                broke += 1;
            }
        }
        broke
    }

    /// What a joint's linear rows carried in the last step `[N]`, and its angular ones `[N m]`: the
    /// force and the torque that they had together. A motor that presses against a limit strains
    /// nothing else.
    fn load(&self, joint: usize, carried: &[f32], h: f64) -> [f64; 2] {
        let range = self.rows.of(joint);
        let mut sums = [Vec3::zeros(); 2];
        let carried = carried.get(range.clone()).unwrap_or_default();
        for (row, &impulse) in self.rows.rows()[range].iter().zip(carried) {
            let impulse = f64::from(impulse);
            if row.is_angular() {
                sums[1] += row.angular_a * impulse;
            } else {
                sums[0] += row.linear * impulse;
            }
        }
        sums.map(|sum| sum.norm() / h)
    }
}

/// What a row asks of the solver, f64.
struct Ask {
    bias: f64,
    softness: f64,
    lower: f64,
    upper: f64,
}

impl Ask {
    fn of(row: &Row, scheme: Scheme, state: &RowState) -> Self {
        let h = state.h;
        let equality = |bias| Self {
            bias,
            softness: 0.0,
            lower: f64::NEG_INFINITY,
            upper: f64::INFINITY,
        };
        let within = |most: f64| {
            move |ask: Self| Self {
                lower: -most * h,
                upper: most * h,
                ..ask
            }
        };
        match row.law {
            Law::Equality { error } => equality(scheme.equality(error, state)),
            Law::Limit { gap } => Self {
                lower: 0.0,
                ..equality(scheme.gap(gap, state))
            },
            Law::Motor {
                velocity,
                max_force,
            } => within(max_force)(equality(-velocity)),
            // The force `-k g+ - c J V+` with `g+ = error + h J V+` is the impulse r of
            // `J V+ + k error / (h k + c) + r / (h (h k + c)) = 0`.
            Law::Spring {
                error,
                stiffness,
                damping,
                max_force,
            } => {
                let resistance = h * stiffness + damping;
                within(max_force)(Self {
                    softness: 1.0 / (h * resistance),
                    ..equality(stiffness / resistance * error)
                })
            }
            Law::Velocity {
                now,
                derivative,
                next,
            } => equality(scheme.velocity(
                &Prescribed {
                    now,
                    derivative,
                    next,
                },
                state,
            )),
        }
    }
}

impl Ask {
    /// The row as the solvers see it, without its bias.
    fn for_solver(&self, row: &Row, pair: [u32; 2], impulse: f32) -> JointRow {
        JointRow {
            softness: self.softness as f32,
            lower: bound(self.lower),
            upper: bound(self.upper),
            impulse,
            ..row.for_solver(pair)
        }
    }
}

/// What the f32 numbers of a row and of its bodies leave out of the row's velocity, `exact` telling how
/// fast a body is.
fn lost_velocity(
    row: &Row,
    solvers: &JointRow,
    pair: [u32; 2],
    momenta: &[Momentum],
    exact: impl Fn(&Momentum) -> (Vec3, Vec3),
    bodies: &[Body],
) -> f64 {
    let [a, b] = pair.map(|body| {
        momenta
            .get(body as usize)
            .map_or((Vec3::zeros(), Vec3::zeros()), &exact)
    });
    let narrowed = pair.map(|body| {
        let body = &bodies[body as usize];
        [body.linear_velocity, body.angular_velocity]
    });
    row.relative_velocity(a, b) - seen_velocity(solvers, narrowed)
}

/// A number as the solvers take it: infinity is the largest finite one.
fn bound(x: f64) -> f32 {
    x.clamp(
        f64::from(-JointRow::UNBOUNDED),
        f64::from(JointRow::UNBOUNDED),
    ) as f32
}

/// `J V` of the numbers that a solver sees, without the rounding of its sum.
fn seen_velocity(row: &JointRow, [a, b]: [[[f32; 3]; 2]; 2]) -> f64 {
    let [linear_a, angular_a] = a.map(math::widen);
    let [linear_b, angular_b] = b.map(math::widen);
    math::widen(row.linear).dot(&(linear_a - linear_b))
        + math::widen(row.angular_a).dot(&angular_a)
        + math::widen(row.angular_b).dot(&angular_b)
}
