//! A whole solve by clusters on the GPU: two dispatches a round, or one for all rounds of a problem
//! that is one cluster.

use super::bounds::Bounds;
use super::buffers::window_stride;
use super::cluster_buffers::ClusterBuffers;
use super::cluster_kernel::{ClusterKernel, ClusterPipelines};
use super::cluster_words::{first_block, take_impulses};
use super::device::GpuDevice;
use super::layout::Window;
use super::readback::{Readback, Wanted};
use super::traffic::Traffic;
use super::upload::Upload;
use crate::constants::{
    MAX_LOOP_ITERATIONS, SUBMISSIONS_IN_FLIGHT, SUBMIT_CONTACT_ITERATIONS, SUBMIT_DISPATCHES,
    WORKGROUP_SIZE,
};
use crate::error::{Error, Result};
use crate::problem::Problem;
use crate::problem::batches::Batches;
use crate::problem::clusters::{Cluster, Clusters};
use crate::solver::cluster::{self, ClusterPacker};
use crate::solver::cpu::ClusterRound;
use crate::solver::residual::{self, Partial};
use crate::solver::{Options, Report, Solution, Status};
use std::collections::VecDeque;
use std::ops::Range;
use std::time::Instant;

/// Kernels and arrays of solves by clusters, made for the first of them.
#[derive(Debug)]
pub(super) struct ClusterGpu {
    pipelines: ClusterPipelines,
    buffers: ClusterBuffers,
    packer: ClusterPacker,
}

/// The device, the way there and back, and what goes along it.
#[derive(Debug)]
pub(super) struct Bus<'a> {
    pub(super) gpu: &'a GpuDevice,
    pub(super) upload: &'a mut Upload,
    pub(super) readback: &'a mut Readback,
    pub(super) traffic: &'a mut Traffic,
}

/// One dispatch: a kernel, the bind group it sees, its window, its workgroups.
#[derive(Debug, Clone, Copy)]
struct Dispatch {
    kernel: ClusterKernel,
    bind_group: usize,
    window: u32,
    workgroups: u32,
}

/// The dispatches of a packed problem.
#[derive(Debug, Default)]
struct Plan {
    windows: Vec<Window>,
    /// Kernels and the blocks that each bind group shows.
    shown: Vec<(ClusterKernel, (u32, u32))>,
    /// Sweep and gathering of the first round, symmetric and forward.
    starts: [Vec<Dispatch>; 2],
    /// The same of later rounds.
    rounds: [Vec<Dispatch>; 2],
    rebuild: Vec<Dispatch>,
    residual: Vec<Dispatch>,
    /// All rounds of a problem that is one cluster; its window is written before each submission.
    solve: Option<Dispatch>,
    /// Passes that one dispatch of these may take.
    passes_per_solve: u32,
}

impl ClusterGpu {
    pub(super) fn new(gpu: &GpuDevice) -> Result<Self> {
        Ok(Self {
            pipelines: ClusterPipelines::new(gpu)?,
            buffers: ClusterBuffers::new(),
            packer: ClusterPacker::default(),
        })
    }

    /// Solves `problem`; see [`Solver::solve`](crate::solver::Solver::solve).
    pub(super) fn solve(
        &mut self,
        bus: Bus<'_>,
        budget: u64,
        (problem, options): (&Problem, &Options),
        solution: &mut Solution,
    ) -> Result<Report> {
        let (mut batches, clusters, mut report) = self.packer.pack(problem, options);
        let packed = Instant::now();
        let solved = self.run(bus, budget, (&mut batches, &clusters), options, &mut report);
        if let Err(error) = solved {
            self.buffers.forget();
            return Err(error);
        }
        cluster::finish(problem, &batches, solution, &mut report, packed);
        self.packer.keep(batches);
        Ok(report)
    }

    /// Uploads what has changed, sweeps until the options are content, and brings the solution into
    /// the batches.
    fn run(
        &mut self,
        bus: Bus<'_>,
        budget: u64,
        (batches, clusters): (&mut Batches, &Clusters),
        options: &Options,
        report: &mut Report,
    ) -> Result<()> {
        let gpu = bus.gpu;
        let plan = Plan::new(batches, clusters, &Bounds::of(&gpu.limits))?;
        self.buffers
            .set(gpu, budget, (batches, clusters), &plan.windows)?;
        *bus.traffic = Traffic {
            contacts: batches.contacts.blocks.len() as u64,
            joint_rows: batches.joints.blocks.len() as u64,
            bodies: batches.velocities.len() as u64,
            held: self.buffers.held(),
            pass_dispatches: plan.round(ClusterRound::Forward, 1).len() as u64,
            ..Traffic::default()
        };
        let mut run = Run {
            bind_groups: self.bind(gpu, &plan)?,
            bus,
            pipelines: &self.pipelines,
            buffers: &mut self.buffers,
            plan: &plan,
            window_stride: window_stride(gpu),
            in_flight: VecDeque::new(),
        };
        let mut partials = vec![Partial::default(); clusters.list.len()];
        let mut impulses = vec![[0.0; 4]; batches.block_count()];
        while report.iterations < options.iterations {
            let count = cluster::until_check(options, report.iterations);
            let passes = report.iterations..report.iterations + count;
            let (encoder, barriers) = run.passes(passes, batches.block_count())?;
            report.barriers += barriers;
            report.iterations += count;
            let last = report.iterations == options.iterations;
            let solution = last.then_some((&mut *batches, &mut impulses));
            run.residual(encoder, &mut partials, solution)?;
            (report.residual_rms, report.residual_max) =
                residual::finish([&partials, &[]], batches.block_count());
            report.status = Status::after(report, options);
            if report.status != Status::MaxIterations {
                if !last {
                    run.fetch(batches, &mut impulses)?;
                }
                break;
            }
        }
        take_impulses(batches, clusters, &impulses);
        self.buffers.learn(&impulses);
        Ok(())
    }

    fn bind(&self, gpu: &GpuDevice, plan: &Plan) -> Result<Vec<wgpu::BindGroup>> {
        gpu.scoped("binding", || {
            plan.shown
                .iter()
                .map(|&(kernel, (first, end))| {
                    let mut entries = vec![wgpu::BindGroupEntry {
                        binding: 0,
                        resource: self.buffers.window_binding()?,
                    }];
                    for &(binding, slot, _) in kernel.bindings() {
                        entries.push(wgpu::BindGroupEntry {
                            binding,
                            resource: self.buffers.binding(slot, &(first..end))?,
                        });
                    }
                    Ok(gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                        label: Some(kernel.name()),
                        layout: self.pipelines.bind_group_layout(kernel),
                        entries: &entries,
                    }))
                })
                .collect()
        })
    }
}

impl Plan {
    fn new(batches: &Batches, clusters: &Clusters, bounds: &Bounds) -> Result<Self> {
        let mut plan = Self::default();
        let loops = longest_loop(batches, clusters);
        if loops > MAX_LOOP_ITERATIONS {
            return Err(Error::Capacity {
                what: "loop iterations of one GPU invocation, for the contacts or joint rows of \
                       one cluster"
                    .into(),
                needed: loops,
                available: MAX_LOOP_ITERATIONS,
            });
        }
        plan.passes_per_solve = 2 * (MAX_LOOP_ITERATIONS / loops.max(1)).max(1) as u32;

        let blocks = ClusterBuffers::blocks_array(batches);
        let blocks_of =
            |run: &Range<u32>| match &clusters.list[run.start as usize..run.end as usize] {
                [first, .., last] => first_block(first)..first_block(last) + last.blocks(),
                [only] => first_block(only)..first_block(only) + only.blocks(),
                [] => 0..0,
            };
        let all = 0..clusters.list.len() as u32;
        let runs = bounds.split("blocks of one cluster", &all, bounds.workgroups, |run| {
            bounds.bytes(&blocks, &blocks_of(run))
        })?;
        let mut sweeps: [Vec<Dispatch>; 5] = Default::default();
        for run in runs {
            let shown = bounds.window(&blocks, &blocks_of(&run));
            let sweep = plan.show(ClusterKernel::Sweep, shown);
            let residual = plan.show(ClusterKernel::Residual, shown);
            let flags = [
                Window::STARTS | Window::REVERSE,
                Window::STARTS,
                Window::REVERSE,
                0,
                Window::REBUILD,
            ];
            for (list, flags) in sweeps.iter_mut().zip(flags) {
                list.push(plan.dispatch(sweep, &run, shown.0, flags));
            }
            let dispatch = plan.dispatch(residual, &run, shown.0, 0);
            plan.residual.push(dispatch);
        }
        let hubs = clusters.hubs.len() as u32;
        let workgroups = hubs + 1 + (clusters.bodies.len() as u32).div_ceil(WORKGROUP_SIZE);
        let runs = bounds.split("bodies", &(0..workgroups), bounds.workgroups, |_| 0)?;
        let gather = plan.show(ClusterKernel::Gather, (0, 0));
        for run in runs {
            let mean = plan.dispatch(gather, &run, 0, 0);
            let rebuilt = plan.dispatch(gather, &run, 0, Window::REBUILD);
            for (index, list) in sweeps.iter_mut().enumerate() {
                list.push(if index == 4 { rebuilt } else { mean });
            }
        }
        let [start, start_forward, symmetric, forward, rebuild] = sweeps;
        plan.starts = [start, start_forward];
        plan.rounds = [symmetric, forward];
        plan.rebuild = rebuild;
        if clusters.list.len() == 1 {
            let solve = plan.show(ClusterKernel::Solve, (0, blocks.length));
            plan.solve = Some(plan.dispatch(solve, &(0..1), 0, 0));
        }
        Ok(plan)
    }

    /// A bind group to be made.
    fn show(&mut self, kernel: ClusterKernel, blocks: (u32, u32)) -> usize {
        self.shown.push((kernel, blocks));
        self.shown.len() - 1
    }

    fn dispatch(
        &mut self,
        bind_group: usize,
        run: &Range<u32>,
        block_base: u32,
        flags: u32,
    ) -> Dispatch {
        self.windows.push(Window {
            first: run.start,
            end: run.end,
            block_base,
            flags,
            ..Window::default()
        });
        Dispatch {
            kernel: self.shown[bind_group].0,
            bind_group,
            window: self.windows.len() as u32 - 1,
            workgroups: run.len() as u32,
        }
    }

    /// The dispatches of a round that begins after `done` passes.
    fn round(&self, round: ClusterRound, done: u32) -> &[Dispatch] {
        let of_two = if done == 0 {
            &self.starts
        } else {
            &self.rounds
        };
        match round {
            ClusterRound::Symmetric => &of_two[0],
            ClusterRound::Forward => &of_two[1],
            ClusterRound::Rebuild => &self.rebuild,
        }
    }
}

/// Most iterations of all loops of one invocation in a round, the rebuilding of velocities included.
///
/// A software adapter also counts the look that ends a loop, and the loops of branches not taken.
fn longest_loop(batches: &Batches, clusters: &Clusters) -> u64 {
    let edges = u64::from(batches.friction.directions);
    let per_lane = |count: u32| u64::from(count.div_ceil(WORKGROUP_SIZE));
    let of_cluster = |cluster: &Cluster| {
        let groups = clusters.groups_of(cluster);
        let first_color = cluster.first_color as usize;
        let colors = &clusters.colors[first_color..=first_color + cluster.colors as usize];
        let sweep: u64 = colors
            .windows(2)
            .flat_map(|color| {
                groups[color[0] as usize..color[1] as usize].chunks(WORKGROUP_SIZE as usize)
            })
            .map(|groups| {
                let longest = groups.iter().map(|group| group.count).max();
                4 + u64::from(longest.unwrap_or(0)) * (2 + edges)
            })
            .sum();
        // Three sweeps, loading, leaving, sums and means.
        3 * (sweep + 3 * u64::from(cluster.colors))
            + 4 * per_lane(cluster.blocks())
            + 12 * per_lane(cluster.copies)
    };
    let sweeps = clusters.list.iter().map(of_cluster).max().unwrap_or(0);
    let slots = clusters.hubs.iter().map(|hub| per_lane(hub.slot_count));
    sweeps + 2 * slots.max().unwrap_or(0) + per_lane(clusters.list.len() as u32) + 128
}

/// A solve in progress.
struct Run<'a> {
    bus: Bus<'a>,
    pipelines: &'a ClusterPipelines,
    buffers: &'a mut ClusterBuffers,
    plan: &'a Plan,
    bind_groups: Vec<wgpu::BindGroup>,
    window_stride: u32,
    in_flight: VecDeque<wgpu::SubmissionIndex>,
}

impl Run<'_> {
    /// Submits some passes over all joints and contacts but those that fit into the last submission,
    /// which is returned; and how many dispatches wait for the ones before them.
    fn passes(&mut self, passes: Range<u32>, blocks: usize) -> Result<(wgpu::CommandEncoder, u32)> {
        let by_contacts = (SUBMIT_CONTACT_ITERATIONS / blocks.max(1) as u64).max(2) as u32;
        let by_dispatches = match self.plan.solve {
            Some(_) => self.plan.passes_per_solve,
            // A round is two passes, and with its share of rebuilding less than three dispatches.
            None => (SUBMIT_DISPATCHES / 3) as u32,
        };
        let most = by_contacts.min(by_dispatches).max(2) & !1;
        let mut barriers = 0;
        let mut rest = passes;
        loop {
            let next = rest.end.min(rest.start.saturating_add(most));
            let now = rest.start..next;
            rest.start = next;
            barriers += cluster::barriers(&now, self.plan.solve.is_some());
            let encoder = self.record_passes(&now)?;
            if rest.is_empty() {
                return Ok((encoder, barriers));
            }
            self.submit(encoder)?;
        }
    }

    /// Records uploads of what has changed, and some passes.
    fn record_passes(&mut self, passes: &Range<u32>) -> Result<wgpu::CommandEncoder> {
        if let Some(solve) = &self.plan.solve {
            // Passes start at an even number, so that only the last sweep of all is not symmetric.
            let mut windows = self.plan.windows.clone();
            windows[solve.window as usize] = Window {
                first: passes.start,
                end: passes.end,
                ..Window::default()
            };
            self.buffers.set_windows(&windows, self.window_stride);
        }
        let gpu = self.bus.gpu;
        gpu.scoped("sweeping", || {
            let mut encoder = gpu.encoder();
            self.bus.upload.record(
                gpu,
                &mut encoder,
                &mut self.buffers.all(),
                &mut self.bus.traffic.up,
            )?;
            let mut dispatches = 0;
            let mut pass = begin(&mut encoder, "clusters");
            if let Some(solve) = &self.plan.solve {
                dispatches += self.record(&mut pass, std::slice::from_ref(solve));
            } else {
                let mut done = passes.start;
                for round in cluster::rounds(passes.start, passes.len() as u32) {
                    dispatches += self.record(&mut pass, self.plan.round(round, done));
                    done += round.passes();
                }
            }
            drop(pass);
            self.bus.traffic.dispatches += dispatches;
            Ok(encoder)
        })
    }

    fn submit(&mut self, encoder: wgpu::CommandEncoder) -> Result<()> {
        let gpu = self.bus.gpu;
        let submission = gpu.scoped("sweeping", || Ok(gpu.queue.submit([encoder.finish()])))?;
        self.bus.upload.recycle();
        self.bus.traffic.submits += 1;
        self.in_flight.push_back(submission);
        if self.in_flight.len() > SUBMISSIONS_IN_FLIGHT
            && let Some(oldest) = self.in_flight.pop_front()
        {
            gpu.wait(oldest)?;
            self.bus.traffic.holds += 1;
        }
        Ok(())
    }

    /// Records some dispatches; how many.
    fn record(&self, pass: &mut wgpu::ComputePass<'_>, dispatches: &[Dispatch]) -> u64 {
        for dispatch in dispatches {
            pass.set_pipeline(self.pipelines.pipeline(dispatch.kernel));
            pass.set_bind_group(
                0,
                &self.bind_groups[dispatch.bind_group],
                &[dispatch.window * self.window_stride],
            );
            pass.dispatch_workgroups(dispatch.workgroups, 1, 1);
        }
        dispatches.len() as u64
    }

    /// Measures the residual of every cluster behind what `encoder` holds, and brings the solution with
    /// it where it is wanted.
    fn residual(
        &mut self,
        mut encoder: wgpu::CommandEncoder,
        partials: &mut [Partial],
        solution: Option<(&mut Batches, &mut Vec<[f32; 4]>)>,
    ) -> Result<()> {
        let gpu = self.bus.gpu;
        let (encoder, dispatches) = gpu.scoped("measuring the residual", || {
            let mut pass = begin(&mut encoder, "residual");
            let dispatches = self.record(&mut pass, &self.plan.residual);
            drop(pass);
            Ok((encoder, dispatches))
        })?;
        self.bus.traffic.dispatches += dispatches;
        let mut wanted: Vec<Wanted<'_>> =
            vec![(&self.buffers.partials, bytemuck::cast_slice_mut(partials))];
        if let Some((batches, impulses)) = solution {
            wanted.extend(solution_of(self.buffers, batches, impulses));
        }
        let Bus {
            readback, traffic, ..
        } = &mut self.bus;
        let read = readback.read(gpu, encoder, &mut wanted, traffic);
        self.bus.upload.recycle();
        self.in_flight.clear();
        read
    }

    /// Brings velocities and impulses back.
    fn fetch(&mut self, batches: &mut Batches, impulses: &mut [[f32; 4]]) -> Result<()> {
        let gpu = self.bus.gpu;
        let encoder = gpu.scoped("reading back", || Ok(gpu.encoder()))?;
        let mut wanted = solution_of(self.buffers, batches, impulses);
        let Bus {
            readback, traffic, ..
        } = &mut self.bus;
        readback.read(gpu, encoder, &mut wanted, traffic)
    }
}

fn solution_of<'a>(
    buffers: &'a ClusterBuffers,
    batches: &'a mut Batches,
    impulses: &'a mut [[f32; 4]],
) -> [Wanted<'a>; 2] {
    [
        (
            &buffers.velocities,
            bytemuck::cast_slice_mut(&mut batches.velocities),
        ),
        (&buffers.impulses, bytemuck::cast_slice_mut(impulses)),
    ]
}

fn begin<'e>(encoder: &'e mut wgpu::CommandEncoder, label: &str) -> wgpu::ComputePass<'e> {
    encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
        label: Some(label),
        timestamp_writes: None,
    })
}
