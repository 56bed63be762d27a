//! The contacts of Avian's narrow phase as drystone's.

use crate::bodies::{GROUND, Records};
use crate::groups::Groups;
use avian3d::collision::contact_types::ContactGraph;
use avian3d::dynamics::solver::solver_body::SolverBodyIndex;
use avian3d::prelude::*;
use bevy::ecs::query::QueryData;
use bevy::prelude::*;
use drystone::problem::{Contact, ProblemRef};
use drystone::solver::{ContactKey, Plan, WarmStart};

/// A body of a contact.
#[derive(QueryData)]
pub(crate) struct Side {
    pub(crate) body: &'static RigidBody,
    pub(crate) index: Option<&'static SolverBodyIndex>,
    position: &'static Position,
    rotation: &'static Rotation,
    center: &'static ComputedCenterOfMass,
}

/// The contact points of a step.
#[derive(Debug, Default)]
pub(crate) struct Contacts {
    records: Vec<Contact>,
    keys: Vec<ContactKey>,
    gaps: Vec<f32>,
    restitutions: Vec<f32>,
    loads: Vec<f32>,
    sizes: Vec<f32>,
    /// Places among the graph's active pairs of those that have been taken.
    pairs: Vec<u32>,
}

impl Contacts {
    /// Takes all contact points that drystone solves.
    pub(crate) fn take(
        &mut self,
        graph: &ContactGraph,
        sides: &Query<Side>,
        groups: &Groups,
        records: &Records,
    ) {
        self.records.clear();
        self.keys.clear();
        self.gaps.clear();
        self.restitutions.clear();
        self.pairs.clear();
        for (at, pair) in graph.active_pairs().iter().enumerate() {
            if !pair.is_touching() || !pair.generates_constraints() {
                continue;
            }
            let (Some(first), Some(second)) = (pair.body1, pair.body2) else {
                continue;
            };
            let Ok(both) = sides.get_many([first, second]) else {
                continue;
            };
            let indices = [0, 1].map(|side| both[side].index.map_or(GROUND, |index| index.0 + 1));
            let is_avians = indices
                .iter()
                .any(|&index| index != GROUND && groups.is_left(index as usize - 1));
            let can_move = |&index: &u32| records.bodies[index as usize].is_movable();
            if !is_avians && indices.iter().any(can_move) {
                self.pairs.push(at as u32);
                self.take_pair(pair, &both, indices);
            }
        }
    }

    fn take_pair(&mut self, pair: &ContactPair, both: &[SideItem; 2], indices: [u32; 2]) {
        let centers =
            [0, 1].map(|side| both[side].position.0 + both[side].rotation.0 * both[side].center.0);
        let apart = centers[1] - centers[0];
        // Points that were found in an earlier step have turned with their bodies since.
        let turns = pair.recycling_cache.as_ref().map(|found| {
            [
                both[0].rotation.0 * found.rotation1.inverse(),
                both[1].rotation.0 * found.rotation2.inverse(),
            ]
        });
        let [turn_1, turn_2] = turns.unwrap_or([Quat::IDENTITY; 2]);
        let (first, second) = (pair.collider1, pair.collider2);
        let name = u64::from(first.index_u32()) << 32 | u64::from(second.index_u32());
        for (place, manifold) in (0_u64..).zip(&pair.manifolds) {
            for point in &manifold.points {
                let on_1 = turn_1 * point.anchor1;
                let on_2 = apart + turn_2 * point.anchor2;
                let middle = (on_1 + on_2) * 0.5;
                let arms = [middle, middle - apart];
                let arms = [0, 1].map(|side| match indices[side] {
                    GROUND => [0.0; 3],
                    _ => arms[side].to_array(),
                });
                // Avian's normals point from the first body to the second.
                self.records.push(Contact::from_a_to_b(
                    indices,
                    arms,
                    manifold.normal.to_array(),
                    manifold.friction,
                ));
                self.gaps.push(-point.penetration);
                self.restitutions.push(manifold.restitution);
                let features =
                    u64::from(point.feature_id1.0) << 32 | u64::from(point.feature_id2.0);
                // Triangles of a mesh have features of the same names.
                self.keys
                    .push((name, features ^ place.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
            }
        }
    }

    /// Tells Avian the impulses of the step, for those who ask its contacts.
    pub(crate) fn give_impulses(&self, graph: &mut ContactGraph, impulses: &[[f32; 3]]) {
        let active = graph.active_pairs_mut();
        let mut impulses = impulses.iter();
        for &at in &self.pairs {
            let manifolds = active[at as usize].manifolds.iter_mut();
            let points = manifolds.flat_map(|manifold| &mut manifold.points);
            for (point, impulse) in points.zip(&mut impulses) {
                point.normal_impulse = impulse[0];
            }
        }
    }

    /// Finds the sizes of the bodies at the contacts.
    pub(crate) fn measure_sizes(&mut self, records: &Records) {
        let mut sizes = std::mem::take(&mut self.sizes);
        self.problem(records).measure_sizes(&mut sizes);
        self.sizes = sizes;
    }

    /// Impulses and loads of the last step.
    pub(crate) fn warm_start(&mut self, warm: &mut WarmStart, plan: &Plan) -> drystone::Result<()> {
        warm.load(&self.keys, plan, &mut self.records, &mut self.loads)
    }

    pub(crate) fn keys(&self) -> &[ContactKey] {
        &self.keys
    }

    /// The problem of the step; its loads are those of the latest warm start.
    pub(crate) fn problem<'a>(&'a self, records: &'a Records) -> ProblemRef<'a> {
        ProblemRef {
            bodies: &records.bodies,
            contacts: &self.records,
            increments: &records.increments,
            gaps: &self.gaps,
            restitutions: &self.restitutions,
            loads: if self.loads.len() == self.records.len() {
                &self.loads
            } else {
                &[]
            },
            sizes: &self.sizes,
            ..ProblemRef::default()
        }
    }
}
