//! The joints of a step: their rows in the velocity LCP, the impulses carried over from step to step,
//! and which joints break.

mod geometric_stiffness;
mod work;

use super::integrate::Momentum;
use crate::constants::{JOINT_CORRECTION_RATE, LEAST_IMPLICIT, ROWS_PER_THREAD, STIFF_SPRING};
use crate::math::{self, Mat3, V3, Vec3};
use crate::parallel;
use crate::problem::{Body, JointRow, Problem, Velocity};
use crate::stabilize::{JointRows, Prescribed, RowState, Scheme, Sweeps, joint_rows};
use crate::world::joint::{Joint, Law, Row};
use crate::world::{self, World};
use geometric_stiffness::Stiffness;
use work::Work;

/// How the errors of joints are corrected in a step or a substep.
#[derive(Debug, Clone, Copy)]
pub(super) struct Correction {
    pub(super) scheme: Scheme,
    /// Length of the step or substep `[s]`.
    pub(super) h: f64,
}

impl Correction {
    /// Motion before its bias, as far as it is known, of a row that holds `pair`.
    fn state(&self, world: &World, row: &Row, pair: [u32; 2], velocity: f64) -> RowState {
        let length = if row.is_angular() {
            1.0
        } else {
            let bodies = pair.map(|body| world.bodies.get(body as usize));
            let radii = bodies.into_iter().flatten().map(world::Body::moving_radius);
            radii.fold(f64::INFINITY, f64::min)
        };
        RowState {
            velocity,
            drift: row.drift,
            h: self.h,
            sweeps: Sweeps::of_whole_bodies(1),
            fastest: JOINT_CORRECTION_RATE * length,
        }
    }
}

/// What is kept of joints between steps.
#[derive(Debug, Default)]
pub(super) struct Joints {
    rows: JointRows,
    /// Impulse of each row of the last step `[N s]` or `[N m s]`, shape `[row_count]`.
    impulses: Vec<f32>,
    /// Integral over time of the error `J V - v_0` of rows that prescribe a velocity `[m]` or `[rad]`, shape
    /// `[row_count]`.
    integrals: Vec<f64>,
    /// Number of rows of each joint in the last step, shape `[joint_count]`.
    row_counts: Vec<usize>,
    /// What the linear and the angular rows of each joint have carried since the step began `[N s]`,
    /// `[N m s]`; shape `[joint_count]`, empty if no joint can break.
    carried: Vec<[Vec3; 2]>,
    /// True for each body that a joint holds; shape `[body_count]`.
    held: Vec<bool>,
    work: Work,
    /// Memory that is used again.
    stiffness: Vec<Stiffness>,
}

impl Joints {
    /// Appends the body that stands for the world to `problem`'s bodies, which are those of `world`
    /// with the velocities of `momenta`, and fills its joint rows.
    ///
    /// A limit of soft joints that has pressed in the substep before holds in this one, and is solved at once with the rows that have no bounds. A row by
    /// itself sees the inertia of its bodies, not that of the mechanism behind them: a sweep finds too little of its impulse to correct its error
    /// without feeding energy in, and a flap that lies on its limit under a box never came to rest. One that turns out to pull lets go in the
    /// next substep. So it is with the stiff spring of a position motor as long as that needs less than its largest force: by itself it made the motion of
    /// three boxes on two motors grow a million times.
    pub(super) fn build_rows(
        &mut self,
        world: &World,
        correction: &Correction,
        momenta: &[Momentum],
        problem: &mut Problem,
    ) {
        let h = correction.h;
        let is_soft = matches!(correction.scheme, Scheme::Soft { .. });
        self.gather(world, h, &mut problem.bodies);
        let bodies = problem.bodies.len();
        problem.increments.resize(bodies, Velocity::default());
        if is_soft {
            geometric_stiffness::add(
                world,
                &self.rows,
                &self.impulses,
                h,
                &mut self.stiffness,
                &mut problem.bodies,
            );
        }
        let bodies = &problem.bodies;
        let (rows, pairs) = (self.rows.rows(), self.rows.bodies());
        let (impulses, integrals) = (&self.impulses, &self.integrals);
        parallel::fill(
            &mut problem.joint_rows,
            rows.len(),
            ROWS_PER_THREAD,
            |index| {
                let (row, pair, impulse) = (&rows[index], pairs[index], impulses[index]);
                let before = pair.map(|body| joint_rows::velocity_of(&world.bodies, body));
                let velocity = row.relative_velocity(before[0], before[1]);
                let state = correction.state(world, row, pair, velocity);
                let solvers = row.for_solver(pair);
                let response = inverse_effective_mass(&solvers, pair, bodies);
                let mut ask = Ask::of(row, response, &correction.scheme, &state, integrals[index]);
                let impulse = match row.law {
                    Law::Limit { .. } if is_soft => {
                        if impulse > 0.0 {
                            ask.lower = f64::NEG_INFINITY;
                        }
                        impulse.max(0.0)
                    }
                    Law::Spring { .. } if is_soft => {
                        let [lower, upper] = [bound(ask.lower), bound(ask.upper)];
                        if ask.is_stiff(response) && ask.stays_within(response, velocity, impulse) {
                            (ask.lower, ask.upper) = (f64::NEG_INFINITY, f64::INFINITY);
                        }
                        impulse.clamp(lower, upper)
                    }
                    _ => impulse,
                };
                let lost = lost_velocity(row, &solvers, pair, momenta, bodies);
                JointRow {
                    bias: bound(ask.bias + lost),
                    softness: ask.softness as f32,
                    lower: bound(ask.lower),
                    upper: bound(ask.upper),
                    impulse,
                    ..solvers
                }
            },
        );
    }

    /// Finds the rows, and the impulses that they start from, and appends the body that stands for the
    /// world to `bodies`.
    fn gather(&mut self, world: &World, h: f64, bodies: &mut Vec<Body>) {
        self.rows.gather(world, h);
        self.keep_rows_of_same_shape(world);
        let rows = self.rows.rows().iter().zip(self.rows.bodies());
        for ((row, pair), integral) in rows.zip(&mut self.integrals) {
            if let Law::Velocity { now, .. } = row.law {
                let [a, b] = pair.map(|body| joint_rows::velocity_of(&world.bodies, body));
                *integral += h * (row.relative_velocity(a, b) - now);
            }
        }
        joint_rows::push_outside(world, bodies);
    }

    /// Multiplies the impulses that the next problem starts from.
    pub(super) fn scale_impulses(&mut self, scale: f32) {
        for impulse in &mut self.impulses {
            *impulse *= scale;
        }
    }

    /// Leaves one impulse and one integral per row: the last step's, or zero for joints that are new or have
    /// changed.
    fn keep_rows_of_same_shape(&mut self, world: &World) {
        let counts = (0..world.joints.len()).map(|joint| self.rows.of(joint).len());
        if counts.clone().eq(self.row_counts.iter().copied()) {
            return;
        }
        let rows = self.rows.rows().len();
        let (mut impulses, mut integrals) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
        let mut from = 0;
        for (joint, count) in counts.clone().enumerate() {
            let last = self.row_counts.get(joint).copied().unwrap_or(0);
            if last == count {
                impulses.extend_from_slice(&self.impulses[from..from + count]);
                integrals.extend_from_slice(&self.integrals[from..from + count]);
            } else {
                impulses.resize(impulses.len() + count, 0.0);
                integrals.resize(integrals.len() + count, 0.0);
            }
            from += last;
        }
        self.impulses = impulses;
        self.integrals = integrals;
        self.row_counts = counts.collect();
    }

    /// Forgets what joints carried in the step before.
    pub(super) fn begin_step(&mut self, world: &World) {
        self.held.clear();
        self.held.resize(world.bodies.len(), false);
        for joint in world.joints.iter().filter(|joint| !joint.broken) {
            for body in [Some(joint.body_a), joint.body_b].into_iter().flatten() {
                self.held[body as usize] = true;
            }
        }
        self.work.begin_step(world);
        self.carried.clear();
        if world.joints.iter().any(can_break) {
            self.carried.resize(world.joints.len(), [Vec3::zeros(); 2]);
        }
    }

    /// True for each body that a joint holds; shape `[body_count]`.
    pub(super) fn held(&self) -> &[bool] {
        &self.held
    }

    /// Remembers the impulses of a step or a substep: the next one starts from them.
    pub(super) fn take_impulses(&mut self, impulses: &[f32], world: &World) {
        self.impulses.clear();
        self.impulses.extend_from_slice(impulses);
        self.impulses.resize(self.rows.rows().len(), 0.0);
        for (index, carried) in self.carried.iter_mut().enumerate() {
            if !can_break(&world.joints[index]) {
                continue;
            }
            add_impulses(&self.rows, &self.impulses, index, carried);
        }
    }

    /// Impulse of a joint's linear and of its angular rows in the last step or substep on body A, world axes `[N s]`, `[N m s]`; zero if
    /// it had none.
    pub(super) fn impulse_of(&self, joint: usize) -> [Vec3; 2] {
        let mut sum = [Vec3::zeros(); 2];
        // Rows are those of the last step; a restored simulation has made none yet.
        if self.row_counts.len() > joint && self.rows.rows().len() == self.impulses.len() {
            add_impulses(&self.rows, &self.impulses, joint, &mut sum);
        }
        sum
    }

    /// Law of each row of the last step or substep.
    pub(super) fn laws(&self) -> impl Iterator<Item = Law> {
        self.rows.rows().iter().map(|row| row.law)
    }

    /// Breaks the joints that could not carry their load, and returns how many broke.
    ///
    /// A load is the mean force of a joint's linear rows over the whole step of length h, and the mean torque
    /// of its angular ones, so that it does not depend on the number of substeps. A motor that presses
    /// against a limit strains nothing else.
    pub(super) fn break_overloaded(&self, world: &mut World, h: f64) -> usize {
        let mut broke = 0;
        for (joint, carried) in world.joints.iter_mut().zip(&self.carried) {
            let [force, torque] = carried.map(|sum| sum.norm() / h);
            if !joint.broken
                && (joint.breaking_force.is_some_and(|most| force > most)
                    || joint.breaking_torque.is_some_and(|most| torque > most))
            {
                joint.broken = true;
                broke += 1;
            }
        }
        broke
    }
}

/// Adds the impulses of a joint's linear rows, and of its angular ones, on body A.
fn add_impulses(rows: &JointRows, impulses: &[f32], joint: usize, sum: &mut [Vec3; 2]) {
    let range = rows.of(joint);
    for (row, &impulse) in rows.rows()[range.clone()].iter().zip(&impulses[range]) {
        let impulse = f64::from(impulse);
        if row.is_angular() {
            sum[1] += row.angular_a * impulse;
        } else {
            sum[0] += row.linear * impulse;
        }
    }
}

/// State of joints for a checkpoint; fields are those of [`Joints`].
#[cfg(feature = "scene")]
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct SavedJoints {
    impulses: Vec<f32>,
    integrals: Vec<f64>,
    row_counts: Vec<usize>,
    work: Vec<f64>,
}

#[cfg(feature = "scene")]
impl Joints {
    /// Their state for a checkpoint.
    pub(super) fn saved(&self) -> SavedJoints {
        SavedJoints {
            impulses: self.impulses.clone(),
            integrals: self.integrals.clone(),
            row_counts: self.row_counts.clone(),
            work: self.work.kept(),
        }
    }

    /// The joints that were saved; `None` if their numbers do not belong together.
    pub(super) fn restored(saved: SavedJoints) -> Option<Self> {
        let mut counts = saved.row_counts.iter();
        let rows = counts.try_fold(0_usize, |sum, &count| sum.checked_add(count))?;
        (saved.impulses.len() == rows && saved.integrals.len() == rows).then(|| Self {
            impulses: saved.impulses,
            integrals: saved.integrals,
            row_counts: saved.row_counts,
            work: Work::restored(&saved.work),
            ..Self::default()
        })
    }
}

fn can_break(joint: &Joint) -> bool {
    !joint.broken && (joint.breaking_force.is_some() || joint.breaking_torque.is_some())
}

/// What a row asks of the solver, f64.
struct Ask {
    bias: f64,
    softness: f64,
    lower: f64,
    upper: f64,
}

impl Ask {
    /// True of a spring that changes much of its row's velocity within a substep; `response` is the row's `J M^-1 J^T`.
    fn is_stiff(&self, response: f64) -> bool {
        response > STIFF_SPRING * self.softness
    }

    /// True of a row that had an impulse within its bounds in the substep before, and by its velocity before this one will have.
    fn stays_within(&self, response: f64, velocity: f64, impulse: f32) -> bool {
        let expected = (velocity + self.bias) / (response + self.softness);
        f64::from(impulse).abs().max(expected.abs()) < self.upper
    }

    /// `response` is the row's `J M^-1 J^T`, `integral` that of the error of a prescribed velocity.
    fn of(row: &Row, response: f64, scheme: &Scheme, state: &RowState, integral: f64) -> Self {
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
            Law::Equality { error } => Self {
                softness: scheme.joint_softness() * response,
                ..equality(scheme.joint_equality(error, state))
            },
            Law::Limit { gap } => Self {
                lower: 0.0,
                softness: scheme.joint_softness() * response,
                ..equality(scheme.joint_gap(gap, state))
            },
            Law::Motor {
                velocity,
                max_force,
            } => within(max_force)(equality(-velocity)),
            // The force `-k g - c J V+` with `g = error + s h J V+` is the impulse r of
            // `J V+ + k error / (s h k + c) + r / (h (s h k + c)) = 0`.
            Law::Spring {
                error,
                stiffness,
                damping,
                max_force,
            } => {
                let resonance = h * h * stiffness * response;
                let later = (resonance / (1.0 + resonance)).max(LEAST_IMPLICIT);
                let resistance = later * h * stiffness + damping;
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
                    integral,
                },
                state,
            )),
        }
    }
}

/// What the f32 numbers of a row and of its bodies leave out of the row's velocity.
fn lost_velocity(
    row: &Row,
    solvers: &JointRow,
    pair: [u32; 2],
    momenta: &[Momentum],
    bodies: &[Body],
) -> f64 {
    let [a, b] = pair.map(|body| {
        momenta
            .get(body as usize)
            .map_or((Vec3::zeros(), Vec3::zeros()), Momentum::at_end)
    });
    let narrowed = pair.map(|body| {
        let body = &bodies[body as usize];
        [body.linear_velocity, body.angular_velocity]
    });
    row.relative_velocity(a, b) - seen_velocity(solvers, narrowed)
}

/// `J M^-1 J^T` of a row `[1/kg]` or `[1/(kg m^2)]`.
fn inverse_effective_mass(row: &JointRow, pair: [u32; 2], bodies: &[Body]) -> f64 {
    let linear = math::widen(row.linear).norm_squared();
    let of_body = |body: u32, angular: V3| {
        let (body, angular) = (&bodies[body as usize], math::widen(angular));
        let [xx, xy, xz, yy, yz, zz] = body.inverse_inertia.map(f64::from);
        let turned = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz) * angular;
        linear * f64::from(body.inverse_mass) + angular.dot(&turned)
    };
    of_body(pair[0], row.angular_a) + of_body(pair[1], row.angular_b)
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
