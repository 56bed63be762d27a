//! By how much more a contact weighs in a sweep on split bodies: what [`Sweeps::split`] is.
//!
//! [`Sweeps::split`]: crate::stabilize::Sweeps::split

use crate::collide::ContactPoint;
use crate::constants::{CLUSTER_COPIES, CLUSTER_SPLIT, CONTACTS_PER_THREAD};
use crate::math::Vec3;
use crate::parallel;
use crate::solver::Method;
use crate::world::World;

/// Buffers kept from step to step.
#[derive(Debug, Default)]
pub(super) struct Split {
    /// Contacts of each body: the copies it is split into.
    copies: Vec<u32>,
    /// Largest ratio by chunk of contacts.
    largest: Vec<f64>,
}

impl Split {
    /// The largest ratio of the diagonal that sweeps of this method divide by to that of the problem.
    pub(super) fn largest(
        &mut self,
        world: &World,
        contacts: &[ContactPoint],
        method: Method,
    ) -> f64 {
        match method {
            Method::Jacobi => self.by_contacts(world, contacts),
            // One cluster holds whole bodies, but for those that have very many contacts.
            Method::Cluster if world.bodies.len() <= CLUSTER_COPIES as usize => 1.0,
            Method::Cluster => CLUSTER_SPLIT,
            Method::GaussSeidel | Method::Nesterov => 1.0,
        }
    }

    /// Where each body has a copy for each of its contacts.
    fn by_contacts(&mut self, world: &World, contacts: &[ContactPoint]) -> f64 {
        let Self { copies, largest } = self;
        copies.clear();
        copies.resize(world.bodies.len(), 0);
        for &body in contacts.iter().flat_map(|point| &point.bodies) {
            copies[body as usize] += 1;
        }
        let ratio = |point: &ContactPoint| {
            let (mut whole, mut split) = (0.0, 0.0);
            for body in point.bodies {
                let share = response(world, body, point);
                whole += share;
                split += f64::from(copies[body as usize]) * share;
            }
            if whole > 0.0 { split / whole } else { 1.0 }
        };
        let chunks = contacts.len().div_ceil(CONTACTS_PER_THREAD);
        parallel::fill(largest, chunks, 1, |chunk| {
            let first = chunk * CONTACTS_PER_THREAD;
            let end = contacts.len().min(first + CONTACTS_PER_THREAD);
            contacts[first..end].iter().map(ratio).fold(1.0, f64::max)
        });
        largest.iter().copied().fold(1.0, f64::max)
    }
}

/// A body's share of `W_nn` of a contact `[1/kg]`; zero of what nothing moves.
fn response(world: &World, body: u32, point: &ContactPoint) -> f64 {
    let body = &world.bodies[body as usize];
    if !body.is_dynamic() {
        return 0.0;
    }
    let lever: Vec3 = (point.position - body.pose.position).cross(&point.normal);
    body.mass.inverse_mass + lever.dot(&(body.world_inverse_inertia() * lever))
}
