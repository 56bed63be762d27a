use super::super::{Region, Stages};
use super::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// How often a test has its team do the same: more often than Miri, which is slow, has patience for.
const ROUNDS: usize = if cfg!(miri) { 2 } else { 100 };

/// Has a team of `threads`, to which so many helpers come, do some work.
fn with_team(threads: usize, lead: usize, helpers: usize, work: impl FnOnce(&Team)) {
    let team = Team::new(threads, lead);
    std::thread::scope(|scope| {
        let _dismissal = Dismissal(&team);
        for me in (0..threads).filter(|&me| me != lead).take(helpers) {
            let gate = &team.gate;
            scope.spawn(move || gate.help(me));
        }
        work(&team);
    });
}

fn zeros(count: usize) -> Vec<AtomicUsize> {
    (0..count).map(|_| AtomicUsize::new(0)).collect()
}

/// Every item once, and not in another loop than its own, whatever threads come.
fn check_loops(team: &Team, items: usize, grain: usize) {
    let counts = zeros(items);
    for round in 0..ROUNDS {
        team.each(items, grain, |_, part| {
            for count in &counts[part] {
                assert_eq!(count.fetch_add(1, Ordering::Relaxed), round);
            }
        });
        let all = &mut counts.iter().map(|count| count.load(Ordering::Relaxed));
        assert!(all.all(|count| count == round + 1));
    }
}

#[test]
fn does_every_item_once() {
    for (threads, helpers) in [(1, 0), (2, 0), (2, 1), (3, 1), (4, 3)] {
        for lead in 0..threads {
            with_team(threads, lead, helpers, |team| {
                for (items, grain) in [(100, 1), (1, 1), (0, 4), (7, 4), (33, 2), (5, 0)] {
                    check_loops(team, items, grain);
                }
            });
        }
    }
}

/// Every part once, the boundary of a stage after those of the neighbours before it, whatever threads come.
fn check_stages(team: &Team, neighbours: &[u64]) {
    const STAGES: usize = if cfg!(miri) { 3 } else { 60 };
    let stages = Stages {
        count: STAGES,
        neighbours,
    };
    let (boundaries, interiors) = (zeros(neighbours.len()), zeros(neighbours.len()));
    for round in 0..ROUNDS {
        team.pipeline(stages, |_, stage, domain, region| {
            let now = round * STAGES + stage;
            let done = |of: &[AtomicUsize], domain: usize| of[domain].load(Ordering::Relaxed);
            assert_eq!(done(&interiors, domain), now);
            if region == Region::Interior {
                assert_eq!(done(&boundaries, domain), now + 1);
                interiors[domain].store(now + 1, Ordering::Relaxed);
                return;
            }
            for other in 0..neighbours.len() {
                let is_neighbour = neighbours[domain] >> other & 1 == 1;
                assert!(!is_neighbour || done(&boundaries, other) >= now);
            }
            boundaries[domain].store(now + 1, Ordering::Relaxed);
        });
        let all = (round + 1) * STAGES;
        let is_done = |count: &AtomicUsize| count.load(Ordering::Relaxed) == all;
        assert!(boundaries.iter().chain(&interiors).all(is_done));
    }
}

#[test]
fn domains_wait_for_the_boundaries_of_their_neighbours() {
    for (threads, helpers) in [(1, 0), (2, 1), (3, 0), (3, 1), (4, 3), (6, 5)] {
        for lead in [0, threads - 1] {
            with_team(threads, lead, helpers, |team| {
                check_stages(team, &[0]);
                if threads > 1 {
                    check_stages(team, &[2, 1]);
                }
                if threads > 2 {
                    check_stages(team, &[2, 5, 2]);
                    check_stages(team, &[0, 4, 2]);
                }
            });
        }
    }
}

/// True once at most.
fn takes(it: &AtomicBool) -> bool {
    it.swap(false, Ordering::Relaxed)
}

fn message(panic: &(dyn std::any::Any + Send)) -> &str {
    panic.downcast_ref::<&str>().expect("a message of ours")
}

/// A panic of any one thread in a loop, all of them being at work, comes out of it, and what the loop borrows is
/// left alone from then on. Afterwards the team is as good as new.
#[test]
fn a_panic_in_a_loop_comes_out_of_it() {
    const THREADS: usize = 3;
    for lead in 0..THREADS {
        with_team(THREADS, lead, THREADS - 1, |team| {
            for who in (0..THREADS).cycle().take(3 * ROUNDS) {
                let (all, is_due) = (Barrier::new(THREADS), AtomicBool::new(true));
                let come: [AtomicBool; THREADS] = Default::default();
                let borrowed = zeros(64);
                let caught = catch_unwind(AssertUnwindSafe(|| {
                    team.each(64, 1, |me, part| {
                        if !come[me].swap(true, Ordering::Relaxed) {
                            all.wait();
                        }
                        for count in &borrowed[part] {
                            count.fetch_add(1, Ordering::Relaxed);
                        }
                        if me == who && takes(&is_due) {
                            panic!("as it should");
                        }
                    });
                }));
                assert_eq!(message(&*caught.expect_err("a panic")), "as it should");
                let counts: Vec<usize> =
                    borrowed.into_iter().map(AtomicUsize::into_inner).collect();
                assert!(counts.iter().all(|&count| count <= 1));
                check_loops(team, 20, 1);
            }
        });
    }
}

/// The same in any stage and region of a pipeline, by whichever thread comes to it.
#[test]
fn a_panic_in_a_stage_comes_out_of_the_pipeline() {
    const STAGES: usize = if cfg!(miri) { 2 } else { 5 };
    let neighbours = &[2, 5, 2];
    for (lead, helpers) in [(0, 2), (2, 2), (1, 1), (0, 0)] {
        with_team(3, lead, helpers, |team| {
            for stage in 0..STAGES {
                for domain in 0..neighbours.len() {
                    for region in [Region::Boundary, Region::Interior] {
                        let mut done = zeros(neighbours.len());
                        let stages = Stages {
                            count: STAGES,
                            neighbours,
                        };
                        let caught = catch_unwind(AssertUnwindSafe(|| {
                            team.pipeline(stages, |_, its_stage, its_domain, its_region| {
                                done[its_domain].fetch_add(1, Ordering::Relaxed);
                                if (its_stage, its_domain, its_region) == (stage, domain, region) {
                                    panic!("as it should");
                                }
                            });
                        }));
                        assert_eq!(message(&*caught.expect_err("a panic")), "as it should");
                        let parts = 2 * stage + 1 + usize::from(region == Region::Interior);
                        assert_eq!(*done[domain].get_mut(), parts, "none came after it");
                        check_stages(team, neighbours);
                    }
                }
            }
        });
    }
}

/// All threads panic at once: one panic comes out.
#[test]
fn one_of_many_panics_comes_out() {
    with_team(3, 0, 2, |team| {
        for _ in 0..ROUNDS {
            let all = Barrier::new(3);
            let caught = catch_unwind(AssertUnwindSafe(|| {
                team.in_domains(3, |_, _| {
                    all.wait();
                    panic!("as it should");
                });
            }));
            assert_eq!(message(&*caught.expect_err("a panic")), "as it should");
            check_loops(team, 20, 1);
        }
    });
}

/// A loop within the work of any thread runs alone, and its panic comes out of both.
#[test]
fn loops_within_work_run_alone() {
    with_team(3, 1, 2, |team| {
        let inner = AtomicUsize::new(0);
        team.each(30, 1, |_, part| {
            let thread = std::thread::current().id();
            team.each(10, 1, |_, all| {
                assert_eq!((all, std::thread::current().id()), (0..10, thread));
                inner.fetch_add(part.len(), Ordering::Relaxed);
            });
        });
        assert_eq!(inner.into_inner(), 30);
        let caught = catch_unwind(AssertUnwindSafe(|| {
            team.each(30, 1, |_, part| {
                team.in_domains(3, |_, domain| {
                    assert!(domain < 2 || !part.contains(&15), "as it should");
                });
            });
        }));
        assert_eq!(message(&*caught.expect_err("a panic")), "as it should");
        check_loops(team, 20, 1);
    });
}

/// Teams of a pool's threads: a panic in the work, or in a loop of it, reaches the caller, and the pool goes on.
#[test]
fn a_pool_outlives_panics_of_its_teams() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build();
    let pool = pool.expect("threads");
    for round in 0..ROUNDS {
        let caught = catch_unwind(AssertUnwindSafe(|| {
            pool.install(|| {
                together(3, |team| {
                    team.each(12, 1, |_, part| {
                        assert!(
                            round % 2 == 0 || !part.contains(&(round % 12)),
                            "as it should"
                        );
                    });
                    panic!("as it should");
                })
            })
        }));
        assert_eq!(message(&*caught.expect_err("a panic")), "as it should");
        pool.install(|| {
            assert!(!is_together());
            together(3, |team| check_loops(team, 20, 1));
            assert!(!is_together());
        });
    }
}

/// Work on this thread has no help, whatever pool it is in, and what comes after it has it again.
#[test]
fn on_this_thread_nobody_helps() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build();
    let pool = pool.expect("threads");
    pool.install(|| {
        let me = std::thread::current().id();
        let alone = || {
            assert_eq!(threads(), 1);
            together(3, |team| {
                assert_eq!(team.threads(), 1);
                team.each(30, 1, |_, all| {
                    assert_eq!((all, std::thread::current().id()), (0..30, me));
                });
            });
        };
        on_this_thread(alone);
        on_this_thread(|| on_this_thread(alone));
        let caught = catch_unwind(|| on_this_thread(|| panic!("as it should")));
        assert_eq!(message(&*caught.expect_err("a panic")), "as it should");
        assert_eq!(threads(), 3);
        together(3, |team| {
            assert_eq!(team.threads(), 3);
            // A team that has come stays.
            on_this_thread(|| assert!(is_together()));
            check_loops(team, 20, 1);
        });
    });
}
