//! Every stage of a step by itself, on piles at rest.
//!
//! Stages up to the contacts count bodies, those from the contacts on count contacts. A sweep is one
//! pass over all contacts; it goes on from where the last one ended, which costs the same.

#[path = "support/mod.rs"]
mod support;

use criterion::measurement::WallTime;
use criterion::{BatchSize, BenchmarkGroup, Criterion, Throughput};
use drystone::collide::PairSearch;
use drystone::internals::batches::Batches;
use drystone::internals::collide::{Broadphase, Detector, ImpulseCache, find_contacts};
use drystone::internals::coloring;
use drystone::internals::constants::KEPT_ORDERS;
use drystone::internals::cpu::{
    Sweep, VelocityChange, body_gather, contact_residual, contact_split, contact_sweep, hub_gather,
};
use drystone::internals::stabilize::PositionPass;
use drystone::math::Vec3;
use drystone::solver::Method;
use drystone::solver::cpu::CpuSolver;
use std::hint::black_box;
use std::time::Duration;
use support::Pile;

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .configure_from_args();
    for (scene, steps) in [("pile_spheres_16k", 120), ("pile_boxes_1k", 150)] {
        let mut pile = Pile::settle(scene, steps);
        let mut group = criterion.benchmark_group(format!("stages/{}", pile.name));
        collision(&mut group, &pile);
        coherence(&mut group, &pile);
        packing(&mut group, &pile);
        sweeps(&mut group, &pile);
        position_pass(&mut group, &pile);
        whole_step(&mut group, &mut pile);
        group.finish();
    }
    criterion.final_summary();
}

/// Searches for pairs while all bodies move by a share of their radius from search to search, there and back.
fn coherence(group: &mut BenchmarkGroup<'_, WallTime>, pile: &Pile) {
    for share in [0.0, 1e-3, 1e-1] {
        for search in [PairSearch::Grid, PairSearch::Sweep] {
            let mut world = pile.world.clone();
            let mut broadphase = Broadphase::by(search);
            let mut pairs = Vec::new();
            let mut sign = share;
            group.bench_function(format!("broadphase_{}/{share}", search.name()), |b| {
                b.iter(|| {
                    for (index, body) in world.bodies.iter_mut().enumerate() {
                        if body.is_dynamic() {
                            let direction =
                                Vec3::from_fn(|axis, _| [-1.0, 1.0][(index >> axis) % 2]);
                            let way = sign * body.shape.bounding_radius();
                            body.pose.position += direction * way;
                        }
                    }
                    sign = -sign;
                    broadphase
                        .find_pairs(&world, &pile.reach, &mut pairs)
                        .expect("a world that was stepped");
                });
            });
        }
    }
}

/// From bodies to contacts with their warm-start impulses.
fn collision(group: &mut BenchmarkGroup<'_, WallTime>, pile: &Pile) {
    let mut broadphase = Broadphase::new();
    let mut pairs = Vec::new();
    let mut find_pairs = || {
        broadphase
            .find_pairs(&pile.world, &pile.reach, &mut pairs)
            .expect("a world that was stepped");
    };
    find_pairs();
    group.throughput(Throughput::Elements(pile.size));
    group.bench_function("broadphase", |b| b.iter(&mut find_pairs));

    let mut contacts = Vec::new();
    group.throughput(Throughput::Elements(pile.next_contacts.len() as u64));
    group.bench_function("narrowphase", |b| {
        b.iter(|| find_contacts(&pile.world, &pairs, pile.limits, &mut contacts));
    });

    let mut detector = Detector::new();
    let mut detect = || {
        detector
            .find_pairs(&pile.world, pile.limits, pile.limits.margin)
            .expect("a world that was stepped");
        detector.find_contacts(&pile.world, pile.limits);
    };
    detect();
    group.bench_function("detect_at_rest", |b| b.iter(&mut detect));

    let mut cache = ImpulseCache::default();
    let mut impulses = Vec::new();
    cache.store(&pile.contacts, &pile.impulses);
    group.bench_function("cache_load", |b| {
        b.iter(|| cache.load(&pile.next_contacts, &mut impulses));
    });
    group.throughput(Throughput::Elements(pile.contact_count()));
    group.bench_function("cache_store", |b| {
        b.iter(|| cache.store(&pile.contacts, &pile.impulses));
    });
}

/// From a problem to batches: `pack` contains the colouring and new memory, `repack_changed` the
/// colouring, and `repack` neither.
fn packing(group: &mut BenchmarkGroup<'_, WallTime>, pile: &Pile) {
    let problem = &pile.problem;
    group.throughput(Throughput::Elements(pile.contact_count()));
    group.bench_function("validate", |b| b.iter(|| problem.validate()));
    let colors = Method::GaussSeidel.max_colors();
    group.bench_function("coloring", |b| {
        b.iter(|| coloring::color(&problem.bodies, &problem.contacts, colors));
    });
    for method in [Method::GaussSeidel, Method::Jacobi] {
        let (name, colors) = (method.name(), method.max_colors());
        group.bench_function(format!("pack/{name}"), |b| {
            b.iter(|| Batches::pack(problem, colors, true));
        });
        let mut batches = Batches::default();
        group.bench_function(format!("repack/{name}"), |b| {
            b.iter(|| batches.repack(problem, colors, true));
        });
        // Each lacks another contact, and there are more than a packing keeps the orders of.
        let others: Vec<_> = (0..=KEPT_ORDERS)
            .map(|at| {
                let mut other = problem.clone();
                other.contacts.remove(at);
                other
            })
            .collect();
        let mut next = others.iter().cycle();
        group.bench_function(format!("repack_changed/{name}"), |b| {
            b.iter(|| {
                if let Some(other) = next.next() {
                    batches.repack(other, colors, true);
                }
            });
        });
    }
}

/// One pass over all contacts by each method, and the residual.
fn sweeps(group: &mut BenchmarkGroup<'_, WallTime>, pile: &Pile) {
    group.throughput(Throughput::Elements(pile.contact_count()));
    for method in [Method::GaussSeidel, Method::Jacobi] {
        let batches = Batches::pack(&pile.problem, method.max_colors(), true);
        let mut velocities = batches.velocities.clone();
        let mut impulses = batches.contacts.impulses.clone();
        let mut changes =
            vec![VelocityChange::default(); batches.contacts.remainder.slot_count as usize];
        group.bench_function(format!("sweep/{}", method.name()), |b| {
            b.iter(|| {
                for color in 0..batches.contacts.colors.len() {
                    contact_sweep(
                        &batches,
                        color,
                        Sweep::Update,
                        &mut velocities,
                        &mut impulses,
                    );
                }
                if !batches.contacts.remainder.elements.is_empty() {
                    contact_split(
                        &batches,
                        Sweep::Update,
                        &velocities,
                        &mut impulses,
                        &mut changes,
                    );
                    body_gather(&batches.contacts.remainder, &changes, &mut velocities);
                    hub_gather(&batches.contacts.remainder, &changes, &mut velocities);
                }
            });
        });
    }
    let batches = Batches::pack(&pile.problem, Method::GaussSeidel.max_colors(), true);
    let mut partials = Vec::new();
    group.bench_function("residual", |b| {
        b.iter(|| {
            contact_residual(
                &batches,
                &batches.velocities,
                &batches.contacts.impulses,
                &mut partials,
            );
            black_box(partials.len())
        });
    });
}

/// Contacts of kept manifolds, packing, sweeps and displacement of the position LCP, as the scene sets
/// it.
fn position_pass(group: &mut BenchmarkGroup<'_, WallTime>, pile: &Pile) {
    let stabilization = &pile.settings.stabilization;
    if stabilization.post().is_none() {
        return;
    };
    let mut detector = Detector::new();
    detector
        .find_pairs(&pile.world, pile.limits, pile.limits.margin)
        .expect("a world that was stepped");
    let mut solver = CpuSolver::new();
    let mut pass = PositionPass::new(pile.world.smallest_radius());
    group.throughput(Throughput::Elements(pile.size));
    group.bench_function("position_pass", |b| {
        b.iter_batched_ref(
            || pile.world.clone(),
            |world| {
                pass.run(
                    stabilization,
                    world,
                    &mut detector,
                    pile.limits.margin,
                    &mut solver,
                )
            },
            BatchSize::LargeInput,
        );
    });
}

/// All stages, measures included, on the CPU.
fn whole_step(group: &mut BenchmarkGroup<'_, WallTime>, pile: &mut Pile) {
    let simulation = &mut pile.simulation;
    group.throughput(Throughput::Elements(pile.size));
    group.bench_function("step", |b| {
        b.iter(|| simulation.step().expect("a step of a valid scene"));
    });
}
