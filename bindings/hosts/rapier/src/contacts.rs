//! The contacts of Rapier's narrow phase as drystone's.

use crate::Error;
use crate::bodies::{Bodies, GROUND, Records};
use drystone::problem::{Contact, ProblemRef};
use drystone::solver::{ContactKey, Plan, WarmStart};
use rapier3d::geometry::ContactManifold;
use rapier3d::prelude::*;

/// The contact points of a step.
#[derive(Debug, Default)]
pub(crate) struct Contacts {
    records: Vec<Contact>,
    keys: Vec<ContactKey>,
    gaps: Vec<f32>,
    restitutions: Vec<f32>,
    loads: Vec<f32>,
    sizes: Vec<f32>,
}

impl Contacts {
    /// Takes all contact points that are to be solved.
    pub(crate) fn take(
        &mut self,
        narrow_phase: &NarrowPhase,
        bodies: &RigidBodySet,
        ours: &Bodies,
    ) -> Result<(), Error> {
        self.records.clear();
        self.keys.clear();
        self.gaps.clear();
        self.restitutions.clear();
        for pair in narrow_phase.contact_pairs() {
            let (first, second) = (pair.collider1, pair.collider2);
            let key =
                u64::from(first.into_raw_parts().0) << 32 | u64::from(second.into_raw_parts().0);
            for manifold in pair.manifolds() {
                let to_solve = SolverFlags::COMPUTE_RIGID_IMPULSES;
                let data = &manifold.data;
                if data.solver_contacts.is_empty() || !data.solver_flags.contains(to_solve) {
                    continue;
                }
                self.take_manifold(key, manifold, bodies, ours)?;
            }
        }
        Ok(())
    }

    fn take_manifold(
        &mut self,
        key: u64,
        manifold: &ContactManifold,
        bodies: &RigidBodySet,
        ours: &Bodies,
    ) -> Result<(), Error> {
        let data = &manifold.data;
        let handles = [data.rigid_body1, data.rigid_body2];
        let indices = handles.map(|handle| ours.poses.index(handle));
        let movable = indices.map(|index| ours.records.bodies[index as usize].is_movable());
        if movable == [false; 2] {
            return Ok(());
        }
        if movable == [true; 2] && data.relative_dominance != 0 {
            return Err(Error::unsupported(format!("dominance of {handles:?}")));
        }
        // Anchors are in the bodies' frames, but for that of a body which the other one cannot push: in the world's.
        let in_frame = [data.relative_dominance <= 0, data.relative_dominance >= 0];
        let frames = [0, 1].map(|side| {
            let frame = ours.poses.frame(indices[side]);
            frame.filter(|_| in_frame[side] && indices[side] != GROUND)
        });
        let centers = [0, 1].map(|side| match ours.poses.frame(indices[side]) {
            Some(frame) => frame.translation,
            None => Vector::ZERO,
        });
        debug_assert!(
            handles
                .iter()
                .flatten()
                .all(|&handle| bodies.contains(handle))
        );
        let subshapes = u64::from(manifold.subshape1) << 32 | u64::from(manifold.subshape2);
        for contact in &data.solver_contacts {
            let points = [(frames[0], contact.anchor1), (frames[1], contact.anchor2)]
                .map(|(frame, anchor)| frame.map_or(anchor, |frame| *frame * anchor));
            let middle = (points[0] + points[1]) * 0.5;
            let arms = [0, 1].map(|side| match indices[side] {
                GROUND => [0.0; 3],
                _ => (middle - centers[side]).to_array(),
            });
            // Rapier's normals point from the first body to the second.
            self.records.push(Contact::from_a_to_b(
                indices,
                arms,
                data.normal.to_array(),
                data.friction,
            ));
            self.gaps.push((points[1] - points[0]).dot(data.normal));
            self.restitutions.push(data.restitution);
            let [id] = contact.contact_indices();
            let point = &manifold.points[id as usize];
            let features = u64::from(point.fid1.0) << 32 | u64::from(point.fid2.0);
            // A triangle of a mesh and a feature have more bits than there are; what mixes them need not be undone.
            self.keys.push((
                key,
                features ^ subshapes.wrapping_mul(0x9e37_79b9_7f4a_7c15),
            ));
        }
        Ok(())
    }

    /// Finds the sizes of the bodies at the contacts.
    pub(crate) fn measure_sizes(&mut self, records: &Records) {
        let mut sizes = std::mem::take(&mut self.sizes);
        self.problem(records).measure_sizes(&mut sizes);
        self.sizes = sizes;
    }

    /// Impulses and loads of the last step.
    pub(crate) fn warm_start(&mut self, warm: &mut WarmStart, plan: &Plan) -> Result<(), Error> {
        Ok(warm.load(&self.keys, plan, &mut self.records, &mut self.loads)?)
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
