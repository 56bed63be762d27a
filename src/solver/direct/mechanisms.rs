//! The mechanisms of a problem, kept from solve to solve.

use super::DirectStart;
use super::components::{self, Equalities, RowPlace, is_equality};
use super::factor::Factor;
use super::fronts::Fronts;
use super::graph::{Component, Six};
use super::order;
use crate::constants::{KEPT_ORDERS, SOLVED_ROWS_PER_THREAD};
use crate::parallel;
use crate::problem::JointRow;
use crate::problem::batches::{Batches, BodyVelocity};

/// The memory of the direct start: for the last problems, what depends on which rows without bounds
/// there are, and on nothing else of them.
///
/// As with the orders of [`Batches`] more than one is kept, so that the velocity pass and the position
/// pass of a step each find their own.
#[derive(Debug, Default)]
pub struct Mechanisms {
    /// The most recently used first.
    kept: Vec<Structure>,
    /// Of the problem at hand.
    equalities: Equalities,
}

/// The rows of a problem without bounds, and its mechanisms.
#[derive(Debug, Default)]
struct Structure {
    /// In the order of the blocks.
    rows: Vec<RowPlace>,
    mechanisms: Vec<Mechanism>,
}

/// Joints that are linked through movable bodies, what is known of them without numbers, and the
/// memory of their solution.
#[derive(Debug)]
struct Mechanism {
    component: Component,
    fronts: Fronts,
    factor: Factor,
    products: u64,
    change: Vec<f64>,
    step: Vec<f64>,
    velocities: Vec<Six>,
    /// New velocity of each body's copies.
    rounded: Vec<[f32; 6]>,
    /// New impulse of each joint row.
    impulses: Vec<f32>,
    /// True if the solution is to be taken.
    is_sound: bool,
}

impl Mechanisms {
    /// Solves the joint rows without bounds and leaves their impulses, and what these add to the
    /// velocities, in `batches`, to the same bits as [`start`](super::start) with the same arguments.
    pub fn start(&mut self, batches: &mut Batches, damping: f32) -> DirectStart {
        self.equalities.find(batches);
        let Equalities { blocks, places, .. } = &self.equalities;
        if places.is_empty() {
            return DirectStart::default();
        }
        if let Some(at) = self.kept.iter().position(|kept| kept.rows == *places) {
            self.kept[..=at].rotate_right(1);
        } else {
            self.kept.truncate(KEPT_ORDERS - 1);
            self.kept.insert(0, Structure::new(batches, places));
        }
        match self.kept.first_mut() {
            Some(structure) => structure.start(batches, blocks, damping),
            None => DirectStart::default(),
        }
    }
}

impl Mechanisms {
    /// Solves the joint rows without bounds of the last start once more, with the impulses of the others as sweeps
    /// have left them, and leaves what that changes in `velocities` and in the impulses of `batches`. False if there are none.
    pub fn end(&mut self, batches: &mut Batches, velocities: &mut [BodyVelocity]) -> bool {
        if !batches.joints.blocks.iter().any(is_equality) {
            return false;
        }
        let Some(structure) = self.kept.first_mut() else {
            return false;
        };
        let rows = structure.rows.len().max(1);
        let some = (SOLVED_ROWS_PER_THREAD * structure.mechanisms.len()).div_ceil(rows);
        let found = (&*velocities, &batches.joints.impulses[..]);
        parallel::for_each(&mut structure.mechanisms, some, |_, mechanism| {
            if mechanism.is_sound {
                mechanism.solve_again(found);
            }
        });
        for mechanism in structure.mechanisms.iter().filter(|found| found.is_sound) {
            mechanism.write_numbers(velocities, &mut batches.joints.impulses);
        }
        true
    }
}

impl Structure {
    fn new(batches: &Batches, places: &[RowPlace]) -> Self {
        let joints = components::joints(places);
        let mechanisms = components::components(&joints, batches)
            .iter()
            .filter_map(|members| Mechanism::new(Component::new(batches, places, &joints, members)))
            .collect();
        Self {
            rows: places.to_vec(),
            mechanisms,
        }
    }

    fn start(&mut self, batches: &mut Batches, blocks: &[u32], damping: f32) -> DirectStart {
        let damping = f64::from(damping);
        let problem = &*batches;
        // As many at a time as have work for a thread.
        let rows = self.rows.len().max(1);
        let some = (SOLVED_ROWS_PER_THREAD * self.mechanisms.len()).div_ceil(rows);
        parallel::for_each(&mut self.mechanisms, some, |_, mechanism| {
            mechanism.solve(problem, blocks, damping);
        });
        let mut start = DirectStart::default();
        for mechanism in self.mechanisms.iter().filter(|found| found.is_sound) {
            mechanism.write(batches, &mut start);
        }
        start
    }
}

impl Mechanism {
    /// Nothing if it takes too much to solve.
    fn new(component: Component) -> Option<Self> {
        let order = order::minimum_degree(&component)?;
        Some(Self {
            fronts: Fronts::new(&component, &order),
            component,
            factor: Factor::default(),
            products: order.products,
            change: Vec::new(),
            step: Vec::new(),
            velocities: Vec::new(),
            rounded: Vec::new(),
            impulses: Vec::new(),
            is_sound: false,
        })
    }

    fn solve(&mut self, batches: &Batches, blocks: &[u32], damping: f64) {
        let (component, factor) = (&mut self.component, &mut self.factor);
        component.refill(batches, blocks);
        factor.refactor(component, &self.fronts, damping);

        // Redundant rows give their impulses up before the others are solved for.
        self.change.clear();
        let rows = component.rows.iter().zip(&factor.kept);
        self.change
            .extend(rows.map(|(row, &kept)| if kept { 0.0 } else { -row.start }));
        component.residual(&self.change, &mut self.velocities, &mut self.step);
        factor.solve(&self.fronts, &mut self.step);
        for (change, step) in self.change.iter_mut().zip(&self.step) {
            *change += step;
        }

        self.round();
        self.is_sound = self.is_finite()
            && self
                .component
                .is_improved(&self.factor.kept, &self.rounded, &self.impulses);
    }

    fn is_finite(&self) -> bool {
        self.rounded.iter().flatten().all(|x| x.is_finite())
            && self.impulses.iter().all(|r| r.abs() < JointRow::UNBOUNDED)
    }

    /// Solves for what sweeps have left, by the factors of the start. Sound if it is finite.
    fn solve_again(&mut self, (velocities, impulses): (&[BodyVelocity], &[f32])) {
        let (component, factor) = (&mut self.component, &self.factor);
        component.start_from(velocities, impulses);
        self.change.clear();
        self.change.resize(component.row_count(), 0.0);
        component.residual(&self.change, &mut self.velocities, &mut self.step);
        factor.solve(&self.fronts, &mut self.step);
        self.change.copy_from_slice(&self.step);
        self.round();
        self.is_sound = self.is_finite();
    }

    /// Velocities and impulses after the change in f32.
    fn round(&mut self) {
        let component = &self.component;
        component.rounded_velocities(&self.change, &mut self.velocities, &mut self.rounded);
        self.impulses.clear();
        let joint_rows = component.joint_rows().zip(&self.change);
        self.impulses
            .extend(joint_rows.map(|((_, row), change)| ((row.start + change) * row.scale) as f32));
    }

    /// Leaves the solution in `batches`.
    fn write(&self, batches: &mut Batches, start: &mut DirectStart) {
        let kept = &self.factor.kept[..self.impulses.len()];
        start.rows += self.impulses.len() as u32;
        start.redundant_rows += kept.iter().filter(|&&kept| !kept).count() as u32;
        start.products += self.products;
        self.write_numbers(&mut batches.velocities, &mut batches.joints.impulses);
    }

    /// Leaves velocities and impulses.
    fn write_numbers(&self, velocities: &mut [BodyVelocity], impulses: &mut [f32]) {
        for ((block, _), &impulse) in self.component.joint_rows().zip(&self.impulses) {
            impulses[block as usize] = impulse;
        }
        for (body, [x, y, z, p, q, r]) in self.component.by_body(&self.rounded) {
            let velocity = &mut velocities[body as usize];
            velocity.linear = [x, y, z];
            velocity.angular = [p, q, r];
        }
    }
}
