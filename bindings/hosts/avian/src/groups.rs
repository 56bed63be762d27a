//! Division of the bodies between Avian's solver and drystone's.

use crate::contacts::Side;
use avian3d::collision::contact_types::ContactGraph;
use avian3d::dynamics::solver::constraint_graph::ConstraintGraph;
use avian3d::dynamics::solver::solver_body::{SolverBodies, SolverBodyIndex};
use avian3d::prelude::*;
use bevy::ecs::query::QueryData;
use bevy::prelude::*;

/// Components of a body that drystone may not know of.
#[derive(QueryData)]
pub(crate) struct Traits {
    body: &'static RigidBody,
    index: &'static SolverBodyIndex,
    mass: &'static ComputedMass,
    dominance: Option<&'static Dominance>,
    locked: Option<&'static LockedAxes>,
    is_constrained: Has<XpbdVelocityProjection>,
    has_own_velocity: Has<CustomVelocityIntegration>,
    has_own_position: Has<CustomPositionIntegration>,
    has_largest_speed: Has<MaxLinearSpeed>,
    has_largest_spin: Has<MaxAngularSpeed>,
}

impl TraitsItem<'_, '_> {
    fn is_avians(&self) -> bool {
        self.body.is_dynamic()
            && (self.is_constrained
                || self.has_own_velocity
                || self.has_own_position
                || self.has_largest_speed
                || self.has_largest_spin
                || self.mass.inverse() == 0.0
                || self.dominance.is_some_and(|dominance| dominance.0 != 0)
                || self.locked.is_some_and(|locked| {
                    locked.is_translation_x_locked()
                        || locked.is_translation_y_locked()
                        || locked.is_translation_z_locked()
                }))
    }
}

/// Bodies in two parts: what hangs together with a body that is Avian's, and what does not.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    /// Of each solver body.
    is_left: Vec<bool>,
    left_count: usize,
    /// Another body of the same group, or the body itself; shape of `is_left`.
    parents: Vec<u32>,
    /// The dynamic bodies of contacts.
    links: Vec<[u32; 2]>,
}

impl Groups {
    pub(crate) fn divide(
        &mut self,
        graph: &ContactGraph,
        solver_bodies: &SolverBodies,
        bodies: &Query<Traits>,
        sides: &Query<Side>,
    ) {
        self.is_left.clear();
        self.is_left.resize(solver_bodies.len(), false);
        for body in bodies {
            if body.is_avians() {
                self.leave(body.index.0);
            }
        }
        let slides = |pair: &ContactPair| {
            let mut manifolds = pair.manifolds.iter();
            manifolds.any(|manifold| manifold.tangent_velocity != Vec3::ZERO)
        };
        let any_slides = graph.iter_active_touching().any(slides);
        if any_slides || self.is_left.contains(&true) {
            self.spread(graph, sides, slides);
        }
        self.left_count = self.is_left.iter().filter(|&&is_left| is_left).count();
    }

    fn leave(&mut self, index: u32) {
        if let Some(is_left) = self.is_left.get_mut(index as usize) {
            *is_left = true;
        }
    }

    /// Leaves all that hangs together with what is left.
    fn spread(
        &mut self,
        graph: &ContactGraph,
        sides: &Query<Side>,
        slides: impl Fn(&ContactPair) -> bool,
    ) {
        self.parents.clear();
        self.parents.extend(0..self.is_left.len() as u32);
        self.links.clear();
        for pair in graph.iter_active_touching() {
            let indices = [pair.body1, pair.body2].map(|entity| {
                let side = sides.get(entity?).ok()?;
                let is_dynamic = side.body.is_dynamic();
                side.index.filter(|_| is_dynamic).map(|index| index.0)
            });
            if slides(pair) {
                indices.into_iter().flatten().for_each(|at| self.leave(at));
            }
            if let ([Some(first), Some(second)], true) = (indices, pair.generates_constraints()) {
                self.links.push([first, second]);
            }
        }
        for at in 0..self.links.len() {
            let [first, second] = self.links[at].map(|index| self.first_of(index));
            self.parents[first.max(second) as usize] = first.min(second);
        }
        for at in 0..self.is_left.len() {
            let first = self.first_of(at as u32);
            self.is_left[first as usize] |= self.is_left[at];
        }
        for at in 0..self.is_left.len() {
            let first = self.first_of(at as u32);
            self.is_left[at] = self.is_left[first as usize];
        }
    }

    fn first_of(&mut self, index: u32) -> u32 {
        let mut at = index as usize;
        while self.parents[at] as usize != at {
            self.parents[at] = self.parents[self.parents[at] as usize];
            at = self.parents[at] as usize;
        }
        at as u32
    }

    /// True for a solver body that Avian moves.
    pub(crate) fn is_left(&self, index: usize) -> bool {
        self.is_left.get(index).copied().unwrap_or(false)
    }

    pub(crate) fn left_count(&self) -> usize {
        self.left_count
    }

    /// Takes from Avian the contacts that it is not to solve.
    pub(crate) fn keep_left(&self, constraints: &mut ConstraintGraph) {
        if self.left_count == 0 {
            return;
        }
        for color in &mut constraints.colors {
            color.contact_constraints.retain(|constraint| {
                let indices = [constraint.body_index1, constraint.body_index2];
                indices
                    .iter()
                    .any(|index| index.is_valid() && self.is_left(index.0 as usize))
            });
        }
    }
}
