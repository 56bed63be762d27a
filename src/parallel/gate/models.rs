//! Models of the protocol, in which loom tries all orders of what two or three threads do. A cell of loom's tells it
//! of accesses that nothing puts in order: it stands for what a job reads and writes, and for memory that the lead frees
//! when a job is over.

use super::super::pipeline::{Domain, Pipeline, Region, Stages};
use super::super::sync::AtomicU32;
use super::*;
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use std::sync::atomic::Ordering;

/// Shared by threads beside the gate; its accesses are loom's to judge.
struct Shared<T>(T);

// SAFETY: loom fails the model if two accesses are not in order.
#[allow(unsafe_code, reason = "loom checks it")]
unsafe impl<T> Sync for Shared<T> {}
// SAFETY: as above.
#[allow(unsafe_code, reason = "loom checks it")]
unsafe impl<T> Send for Shared<T> {}

/// Runs `lead` with a gate to which helpers come, in all orders with so many preemptions at most: one that stays, or
/// more of them, each of which looks twice, as loom is not fair to more than two threads that wait.
fn model(helpers: usize, preemptions: usize, lead: fn(&Gate)) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(move || {
        let gate = Arc::new(Gate::default());
        let threads: Vec<_> = (1..=helpers)
            .map(|me| {
                let gate = Arc::clone(&gate);
                loom::thread::spawn(move || {
                    if helpers == 1 {
                        return gate.help(me);
                    }
                    let mut helper = Helper::default();
                    for _ in 0..2 {
                        gate.visit(me, &mut helper);
                    }
                })
            })
            .collect();
        lead(&gate);
        gate.dismiss();
        for thread in threads {
            thread.join().expect("a helper catches panics");
        }
    });
}

fn add(cell: &UnsafeCell<u32>) {
    // SAFETY: loom fails the model if another access is not before or after this one.
    #[allow(unsafe_code, reason = "loom checks it")]
    cell.with_mut(|value| unsafe { *value += 1 });
}

fn read(cell: &UnsafeCell<u32>) -> u32 {
    // SAFETY: as above.
    #[allow(unsafe_code, reason = "loom checks it")]
    cell.with(|value| unsafe { *value })
}

/// Shares a loop over cells, each of which is one piece of work, and looks at them and frees them afterwards.
fn share_loop(gate: &Gate, cells: usize, panics_at: Option<u32>) {
    let next = AtomicU32::new(0);
    let cells = Shared((0..cells).map(|_| UnsafeCell::new(0)).collect::<Vec<_>>());
    let caught = catch_unwind(AssertUnwindSafe(|| {
        gate.share(0, &|_, _| {
            let Shared(cells) = &cells;
            let claimed = next.fetch_add(1, Ordering::Relaxed);
            let Some(cell) = cells.get(claimed as usize) else {
                return Progress::Done;
            };
            if panics_at == Some(claimed) {
                resume_unwind(Box::new("as it should"));
            }
            add(cell);
            Progress::Worked
        });
    }));
    assert_eq!(caught.is_err(), panics_at.is_some());
    assert!(!gate.is_busy());
    for cell in &cells.0 {
        let done = read(cell);
        assert!(done == 1 || done == 0 && panics_at.is_some());
        add(cell);
    }
}

#[test]
fn two_loops_of_two_threads() {
    model(1, 3, |gate| {
        share_loop(gate, 2, None);
        share_loop(gate, 2, None);
    });
}

#[test]
fn a_loop_of_three_threads() {
    model(2, 2, |gate| share_loop(gate, 2, None));
}

#[test]
fn a_loop_after_one_in_which_somebody_panics() {
    model(1, 3, |gate| {
        share_loop(gate, 2, Some(0));
        share_loop(gate, 1, None);
    });
}

#[test]
fn panics_of_three_threads() {
    model(2, 2, |gate| share_loop(gate, 2, Some(1)));
}

/// Two domains that share a body: the boundary of each stage reads what both wrote in the one before.
fn share_stages(gate: &Gate, panics_at: Option<(usize, usize)>) {
    let domains = [Domain::default(), Domain::default()];
    let cells = || [UnsafeCell::new(0), UnsafeCell::new(0)];
    let (boundaries, interiors) = (Shared([cells(), cells()]), Shared(cells()));
    let stages = Stages {
        count: 2,
        neighbours: &[2, 1],
    };
    let caught = catch_unwind(AssertUnwindSafe(|| {
        let work = |_, stage: usize, domain: usize, region| {
            let (Shared(boundaries), Shared(interiors)) = (&boundaries, &interiors);
            if region == Region::Interior {
                assert_eq!(read(&interiors[domain]), stage as u32);
                add(&interiors[domain]);
                return;
            }
            if panics_at == Some((stage, domain)) {
                resume_unwind(Box::new("as it should"));
            }
            if let Some(before) = stage.checked_sub(1) {
                assert!(boundaries[before].iter().all(|cell| read(cell) == 1));
            }
            add(&boundaries[stage][domain]);
        };
        let pipeline = Pipeline::new(&domains, stages, 0, &work);
        gate.share(0, &|me, waited| pipeline.advance(me, waited));
    }));
    assert_eq!(caught.is_err(), panics_at.is_some());
    for cell in interiors.0.iter().chain(boundaries.0.as_flattened()) {
        assert!(panics_at.is_some() || read(cell) > 0);
        add(cell);
    }
}

#[test]
fn a_pipeline_of_two_domains() {
    model(1, 1, |gate| share_stages(gate, None));
}

#[test]
fn a_pipeline_in_which_somebody_panics() {
    model(1, 1, |gate| share_stages(gate, Some((1, 0))));
}
