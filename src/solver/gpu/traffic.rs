//! What a solve costs the bus and the queue, counted by the code itself.

use crate::problem::batches::Batches;

/// Bytes, dispatches, submissions and waits of one solve; see
/// [`GpuSolver::traffic`](super::GpuSolver::traffic).
///
/// Divide by [`Self::contacts`] for bytes a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traffic {
    /// Contacts of the problem.
    pub contacts: u64,
    /// Joint rows of the problem.
    pub joint_rows: u64,
    /// Bodies of the problem.
    pub bodies: u64,
    /// Bytes that went to the device.
    pub up: Bytes,
    /// Bytes that came back.
    pub back: Bytes,
    /// Bytes that the problem takes on the device, without slack for larger ones.
    pub held: Bytes,
    /// Dispatches that were recorded, those that found nothing left to do included.
    pub dispatches: u64,
    /// Dispatches of one forward pass over all joints and contacts.
    pub pass_dispatches: u64,
    /// Command buffers submitted.
    pub submits: u32,
    /// Times that the host waited for results: once a solve, unless results exceed two staging
    /// buffers of `STAGING_BYTES`.
    pub waits: u32,
    /// Times that the host held back work because enough was queued; the device had work to do
    /// meanwhile. Only solves of more than
    /// `SUBMISSIONS_IN_FLIGHT` submissions do.
    pub holds: u32,
    /// Submissions that were spared because an earlier one was seen to have reached the tolerance.
    pub spared_submits: u32,
}

impl Traffic {
    /// That of a problem which has its place on the device, `held`, and has not moved yet.
    pub(super) fn of(batches: &Batches, held: Bytes, pass_dispatches: usize) -> Self {
        Self {
            contacts: batches.contacts.blocks.len() as u64,
            joint_rows: batches.joints.blocks.len() as u64,
            bodies: batches.velocities.len() as u64,
            held,
            pass_dispatches: pass_dispatches as u64,
            ..Self::default()
        }
    }
}

/// Bytes by what they describe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Bytes {
    /// Contacts, their impulses and their order.
    pub contacts: u64,
    /// Joint rows, likewise.
    pub joints: u64,
    /// Velocities, masses and inertias of bodies.
    pub bodies: u64,
    /// Everything else: what dispatches are to do, the friction cone, when to stop.
    pub rest: u64,
}

/// What the elements of an array describe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    Contacts,
    Joints,
    Bodies,
    Rest,
}

impl Bytes {
    /// All of them.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.contacts + self.joints + self.bodies + self.rest
    }

    pub(super) fn add(&mut self, subject: Subject, bytes: u64) {
        *match subject {
            Subject::Contacts => &mut self.contacts,
            Subject::Joints => &mut self.joints,
            Subject::Bodies => &mut self.bodies,
            Subject::Rest => &mut self.rest,
        } += bytes;
    }
}
