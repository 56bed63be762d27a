//! Buffers that grow with the problems and are kept from solve to solve.

use super::array::{DeviceArray, reserve_all, unbound};
use super::binding_range::{BindingRange, Side};
use super::device::GpuDevice;
use super::kernel_data::KernelData;
use super::packed_arrays::PackedArrays;
use super::plan::Plan;
use super::start_velocities::StartVelocities;
use super::traffic::{Bytes, Subject};
use super::window::{Window, spread, window_stride};
use crate::constants::WORKGROUP_SIZE;
use crate::error::Result;
use crate::problem::FrictionTable;
use crate::problem::batches::{Batches, BodyInertia, BodyVelocity, ContactBlock, JointScale};
use crate::solver::cpu::VelocityChange;
use crate::solver::momentum::Momentum;
use crate::solver::residual::{Control, Partial};
use crate::solver::substeps::records::{BodyState, GivenContact, SubstepParams};

/// Bytes of the record that `residual_step` keeps: a [`Control`] and one partial an invocation.
const CONTROL_BYTES: u64 =
    (size_of::<Control>() + WORKGROUP_SIZE as usize * size_of::<Partial>()) as u64;

/// A contact's normal, arms of A and B, and free velocity, which change from solve to solve.
pub(super) type ContactPoint = [[f32; 3]; 4];

/// A contact's impulses `[N s]` in a step in substeps: of the last velocity LCP, and of all.
pub(super) type ContactImpulses = [[f32; 3]; 2];

/// Everything that lies on the device.
#[derive(Debug)]
pub(super) struct Buffers {
    windows: DeviceArray,
    friction: DeviceArray,
    pub(super) contacts: PackedArrays,
    pub(super) joints: PackedArrays,
    /// What the device makes the contacts' blocks of: geometry and free velocity, bodies, friction.
    pub(super) points: DeviceArray,
    pub(super) pairs: DeviceArray,
    pub(super) frictions: DeviceArray,
    /// What the residual of joint rows needs beside their blocks.
    pub(super) joint_scales: DeviceArray,
    pub(super) velocities: DeviceArray,
    inertias: DeviceArray,
    /// What the remainder does to velocities, before it is summed up.
    pub(super) changes: DeviceArray,
    /// The last velocities, for momentum.
    pub(super) body_memory: DeviceArray,
    pub(super) momentum: DeviceArray,
    /// Contacts as they are given for a step in substeps, and the impulses that it ends with, both in the order of
    /// the problem; and where in that order the contacts of the blocks are.
    pub(super) given: DeviceArray,
    pub(super) results: DeviceArray,
    pub(super) sources: DeviceArray,
    /// The LCPs of a step in substeps, how they ended, and what they have done to bodies.
    pub(super) lcps: DeviceArray,
    pub(super) logs: DeviceArray,
    pub(super) body_states: DeviceArray,
    /// When to stop; a [`Control`], and behind it room for the sums that lead to it.
    pub(super) control: DeviceArray,
    /// Most bytes that all arrays may take together.
    pub(super) budget: u64,
}

impl Buffers {
    pub(super) fn new() -> Self {
        use Subject::{Bodies, Contacts, Joints, Rest};
        Self {
            // One entry per offset that a dynamic uniform may have.
            windows: DeviceArray::new::<u32>("windows", Rest).and_uniform(),
            friction: DeviceArray::new::<FrictionTable>("friction", Rest).and_uniform(),
            contacts: PackedArrays::contacts(),
            joints: PackedArrays::joints(),
            points: DeviceArray::new::<ContactPoint>("contact points", Contacts),
            pairs: DeviceArray::new::<[u32; 2]>("bodies of contacts", Contacts),
            frictions: DeviceArray::new::<f32>("friction of contacts", Contacts),
            joint_scales: DeviceArray::new::<JointScale>("joint scales", Joints),
            given: DeviceArray::new::<GivenContact>("contacts as given", Contacts),
            results: DeviceArray::new::<ContactImpulses>("impulses of a step", Contacts),
            sources: DeviceArray::new::<u32>("order of contacts", Contacts),
            lcps: DeviceArray::new::<SubstepParams>("parts of a step", Rest),
            logs: DeviceArray::new::<Control>("outcomes of a step's parts", Rest),
            body_states: DeviceArray::new::<BodyState>("bodies in a step", Bodies),
            velocities: DeviceArray::new::<BodyVelocity>("velocities", Bodies),
            inertias: DeviceArray::new::<BodyInertia>("inertias", Bodies),
            changes: DeviceArray::new::<VelocityChange>("velocity changes", Rest),
            body_memory: DeviceArray::new::<VelocityChange>("last velocities", Bodies),
            momentum: DeviceArray::new::<Momentum>("momentum", Rest),
            control: DeviceArray::with_stride("control", Rest, CONTROL_BYTES).and_uniform(),
            budget: u64::MAX,
        }
    }

    /// Makes room for a packed problem and says what the arrays are to hold.
    pub(super) fn set(
        &mut self,
        gpu: &GpuDevice,
        batches: &Batches,
        plan: &Plan,
        start: StartVelocities,
        control: &Control,
    ) -> Result<()> {
        self.set_all_but_contacts(gpu, batches, plan, start, control)?;
        let contacts = &batches.contacts;
        self.set_contacts(contacts.order, &contacts.blocks);
        self.contacts.impulses.set(&contacts.impulses);
        Ok(())
    }

    /// The same, but for the numbers of the contacts.
    pub(super) fn set_all_but_contacts(
        &mut self,
        gpu: &GpuDevice,
        batches: &Batches,
        plan: &Plan,
        start: StartVelocities,
        control: &Control,
    ) -> Result<()> {
        let windows = spread(&plan.windows, window_stride(gpu) as usize);
        let budget = self.budget;
        let bodies_remembered = match plan.momentum_rule {
            Some(_) => batches.velocities.len(),
            None => 0,
        };
        let in_step = |count| if plan.lcps.is_empty() { 0 } else { count };
        let mut arrays = vec![
            (&mut self.windows, windows.len()),
            (&mut self.friction, 1),
            (&mut self.control, 1),
        ];
        let contacts = &mut self.contacts;
        arrays.extend(contacts.with_lengths(&batches.contacts, plan.contact_partials, plan));
        let joints = &mut self.joints;
        arrays.extend(joints.with_lengths(&batches.joints, plan.joint_partials, plan));
        let contact_count = batches.contacts.blocks.len();
        arrays.extend([
            (&mut self.points, contact_count),
            (&mut self.pairs, contact_count),
            (&mut self.frictions, contact_count),
            (&mut self.joint_scales, batches.joint_scales.len()),
            (&mut self.velocities, batches.velocities.len()),
            (&mut self.inertias, batches.inertias.len()),
            (&mut self.changes, batches.slot_count() as usize),
            (&mut self.body_memory, bodies_remembered),
            (&mut self.momentum, 1),
            (&mut self.lcps, plan.lcps.len()),
            (&mut self.logs, plan.lcps.len()),
            (&mut self.body_states, in_step(batches.velocities.len())),
            (&mut self.given, in_step(contact_count)),
            (&mut self.results, in_step(contact_count)),
            (&mut self.sources, in_step(contact_count)),
        ]);
        reserve_all(gpu, arrays, budget)?;
        self.windows.set(&windows);
        self.friction.set(std::slice::from_ref(&batches.friction));
        self.contacts.set_order(&batches.contacts);
        self.joints.set_order(&batches.joints);
        self.joints.blocks.set(&batches.joints.blocks);
        self.joints.impulses.set(&batches.joints.impulses);
        self.joint_scales.set(&batches.joint_scales);
        self.inertias.set(&batches.inertias);
        self.set_velocities(&batches.velocities, start);
        // The device changes them, and the host does not ask how.
        self.momentum.forget();
        let rule = plan.momentum_rule.unwrap_or_default();
        self.momentum.set(&[Momentum::of(rule)]);
        self.control.forget();
        self.control.set(&[*control]);
        Ok(())
    }

    /// What the device makes the blocks of contacts of.
    fn set_contacts(&mut self, order: u64, blocks: &[ContactBlock]) {
        self.points
            .set_each::<ContactPoint>(0, blocks.len(), |index| {
                let block = &blocks[index];
                [block.normal, block.arm_a, block.arm_b, block.free_velocity]
            });
        self.pairs.set_each(order, blocks.len(), |index| {
            [blocks[index].body_a, blocks[index].body_b]
        });
        self.frictions
            .set_each(0, blocks.len(), |index| blocks[index].friction);
    }

    /// Velocities at the start. Where the device computes them it needs the masses only, which lie
    /// beside the velocities that another solve left.
    fn set_velocities(&mut self, velocities: &[BodyVelocity], start: StartVelocities) {
        let known = self.velocities.known();
        let masses = std::mem::offset_of!(BodyVelocity, inverse_mass);
        let are_there = known.len() == size_of_val(velocities)
            && velocities
                .iter()
                .zip(known.chunks_exact(size_of::<BodyVelocity>()))
                .all(|(velocity, there)| {
                    there[masses..masses + size_of::<f32>()] == velocity.inverse_mass.to_ne_bytes()
                });
        if start == StartVelocities::Uploaded || !are_there {
            self.velocities.set(velocities);
        }
    }

    /// Overwrites what a solve finds on the device, and never needs to upload.
    pub(super) fn set_data(&mut self, data: &KernelData) {
        self.changes.set(&data.changes);
        self.contacts.partials.set(&data.partials);
        self.joints.partials.set(&data.joint_partials);
        self.contacts.memory.set(&data.contact_memory);
        self.joints.memory.set(&data.joint_memory);
        self.body_memory.set(&data.body_memory);
        self.contacts.sums.set(&data.contact_sums);
        self.joints.sums.set(&data.joint_sums);
        self.momentum.set(&[data.momentum]);
    }

    /// What came back after a solve or a step is what lies on the device.
    pub(super) fn learn(&mut self, batches: &Batches) {
        self.velocities.learn(&batches.velocities);
        self.contacts.impulses.learn(&batches.contacts.impulses);
        self.joints.impulses.learn(&batches.joints.impulses);
    }

    /// Nothing is known of what lies on the device: a solve did not come to its end.
    pub(super) fn forget(&mut self) {
        for array in self.all() {
            array.forget();
        }
    }

    /// Bytes in use, by what they describe.
    pub(super) fn held(&mut self) -> Bytes {
        let mut held = Bytes::default();
        for array in self.all() {
            held.add(array.subject(), array.length() * array.stride());
        }
        held
    }

    /// Every array.
    pub(super) fn all(&mut self) -> Vec<&mut DeviceArray> {
        let mut arrays = vec![
            &mut self.windows,
            &mut self.friction,
            &mut self.control,
            &mut self.points,
            &mut self.pairs,
            &mut self.frictions,
            &mut self.joint_scales,
            &mut self.velocities,
            &mut self.inertias,
            &mut self.changes,
            &mut self.body_memory,
            &mut self.momentum,
            &mut self.lcps,
            &mut self.logs,
            &mut self.body_states,
            &mut self.given,
            &mut self.results,
            &mut self.sources,
        ];
        arrays.extend(self.contacts.all());
        arrays.extend(self.joints.all());
        arrays
    }

    /// The window uniform, of which a dispatch sees one entry.
    pub(super) fn window_binding(&self) -> Result<wgpu::BindingResource<'_>> {
        self.windows.head(size_of::<Window>())
    }

    /// The buffer behind one of a kernel's variables.
    pub(super) fn binding(
        &self,
        variable: &str,
        bound: &BindingRange,
    ) -> Result<wgpu::BindingResource<'_>> {
        let whole = |array: &DeviceArray| 0..array.length() as u32;
        let range = |(start, end)| start..end;
        let packed = match bound.side {
            Side::Joints => &self.joints,
            Side::Contacts => &self.contacts,
        };
        match variable {
            "friction" => self.friction.binding(&(0..1)),
            "points" => self.points.binding(&range(bound.blocks)),
            "pairs" => self.pairs.binding(&range(bound.blocks)),
            "frictions" => self.frictions.binding(&range(bound.blocks)),
            "blocks" => packed.blocks.binding(&range(bound.blocks)),
            "impulses" => packed.impulses.binding(&range(bound.blocks)),
            "given" => self.given.binding(&range(bound.slots)),
            "results" => self.results.binding(&range(bound.slots)),
            "sources" => self.sources.binding(&range(bound.blocks)),
            "lcps" => self.lcps.binding(&whole(&self.lcps)),
            "logs" => self.logs.binding(&whole(&self.logs)),
            "states" => self.body_states.binding(&whole(&self.body_states)),
            "steps" => packed.steps.binding(&range(bound.blocks)),
            "totals" => packed.totals.binding(&range(bound.blocks)),
            "scales" => self.joint_scales.binding(&range(bound.blocks)),
            "group_starts" => packed.group_starts.binding(&range(bound.starts)),
            "slots" => packed.split_slots.binding(&range(bound.entries)),
            "bodies" => packed.split_bodies.binding(&range(bound.entries)),
            "hubs" => packed.hubs.binding(&range(bound.entries)),
            "partials" => packed.partials.binding(&range(bound.entries)),
            "sums" => packed.sums.binding(&range(bound.entries)),
            "memory" => packed.memory.binding(&range(bound.blocks)),
            "body_memory" => self.body_memory.binding(&whole(&self.body_memory)),
            "control" => self.control.head(size_of::<Control>()),
            "record" => self.control.binding(&(0..1)),
            "momentum" => self.momentum.binding(&(0..1)),
            "joint_sums" => self.joints.sums.binding(&whole(&self.joints.sums)),
            "contact_sums" => self.contacts.sums.binding(&whole(&self.contacts.sums)),
            "changes" => self.changes.binding(&range(bound.slots)),
            "velocities" => self.velocities.binding(&whole(&self.velocities)),
            "inertias" => self.inertias.binding(&whole(&self.inertias)),
            _ => Err(unbound(variable)),
        }
    }
}
