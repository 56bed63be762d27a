//! No heap allocation in a steady step, counted.
//!
//! A failure names the call sites that allocated.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use drystone::internals::batches::Batches;
use drystone::internals::direct::Mechanisms;
use drystone::problem::{Body, Problem};
use drystone::scene::{Overrides, Scene};
use drystone::solver::cpu::CpuSolver;
use drystone::solver::{ContactKey, Method, Options, Plan, Solution, Solver, WarmStart};
use drystone::step::{Settings, Simulation};
use std::alloc::{GlobalAlloc, Layout, System};
use std::backtrace::Backtrace;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::Path;

/// The system's allocator, counting what the present thread asks of it.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What a thread does about its allocations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Watch {
    Not,
    Count,
    /// Notes the call sites too.
    Trace,
}

thread_local! {
    static WATCH: Cell<Watch> = const { Cell::new(Watch::Not) };
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

thread_local! {
    static SITES: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

fn note() {
    let watch = WATCH.get();
    if watch == Watch::Not {
        return;
    }
    COUNT.set(COUNT.get() + 1);
    if watch == Watch::Trace {
        // What the note itself allocates is not watched.
        WATCH.set(Watch::Not);
        SITES.with_borrow_mut(|sites| sites.push(site()));
        WATCH.set(Watch::Trace);
    }
}

/// The innermost functions of drystone on the stack, as far as they are not inlined, or of others.
fn site() -> String {
    let trace = Backtrace::force_capture().to_string();
    let functions = trace
        .lines()
        .filter_map(|line| Some(line.trim().split_once(": ")?.1));
    let own = functions.clone().filter(|name| {
        let name = name.trim_start_matches('<');
        name.starts_with("drystone::")
    });
    let own: Vec<&str> = own.take(3).collect();
    if !own.is_empty() {
        return own.join(" < ");
    }
    let others = functions.filter(|name| {
        let own = [
            "std::",
            "core::",
            "alloc::",
            "allocations::",
            "__rust",
            "<alloc::",
        ];
        !own.iter().any(|prefix| name.starts_with(prefix))
    });
    others.take(6).collect::<Vec<_>>().join(" < ")
}

#[allow(
    unsafe_code,
    reason = "an allocator is unsafe to write; this one hands everything on"
)]
// SAFETY: every call goes to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note();
        // SAFETY: the caller's promises are those that the system's allocator asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note();
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note();
        // SAFETY: as above.
        unsafe { System.realloc(at, layout, size) }
    }
}

/// Allocations of this thread while `work` runs.
fn watched(watch: Watch, work: &mut dyn FnMut()) -> usize {
    COUNT.set(0);
    WATCH.set(watch);
    work();
    WATCH.set(Watch::Not);
    COUNT.get()
}

/// Fails if one of `times` runs of `work` allocates, and says where.
fn assert_none(what: &str, times: usize, mut work: impl FnMut()) {
    let counts: Vec<usize> = (0..times)
        .map(|_| watched(Watch::Count, &mut work))
        .collect();
    if counts.iter().all(|&count| count == 0) {
        return;
    }
    SITES.take();
    watched(Watch::Trace, &mut work);
    let mut sites = BTreeMap::new();
    for site in SITES.take() {
        *sites.entry(site).or_insert(0) += 1;
    }
    let sites: Vec<String> = sites
        .iter()
        .map(|(site, count)| format!("{count:6} {site}"))
        .collect();
    panic!(
        "{what} allocated {counts:?} times in a row; once more:\n{}",
        sites.join("\n")
    );
}

/// Runs on a thread pool of one thread, from the inside.
fn on_one_thread(work: impl FnOnce() + Send) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    pool.unwrap().install(work);
}

/// A scene after some steps, by default or of so many substeps with a velocity and a position problem each.
fn settled(scene: &str, substeps: Option<u32>, steps: usize) -> Simulation {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("scenes/{scene}.toml"));
    let scene = Scene::load(&file, &Overrides::default()).unwrap();
    let solver = Box::new(CpuSolver::new());
    let by_two_problems = |substeps| Settings {
        substeps: Some(substeps),
        time_step: scene.settings.time_step,
        ..Settings::post_stabilized()
    };
    let settings = substeps.map_or(scene.settings, by_two_problems);
    let mut simulation = Simulation::new(scene.world, settings, solver).unwrap();
    for _ in 0..steps {
        simulation.step().unwrap();
    }
    simulation
}

#[test]
fn the_count_sees_allocations_and_where_they_are() {
    assert_eq!(watched(Watch::Count, &mut || drop(vec![0_u8; 100])), 1);
    let mut problem = Problem::default();
    problem.bodies.push(Body::immovable([0.0; 3], [0.0; 3]));
    let mut pack = || drop(Batches::pack(&problem, 12, true));
    assert!(watched(Watch::Count, &mut pack) > 0);
    let caught = std::panic::catch_unwind(|| {
        assert_none("packing", 1, || drop(Batches::pack(&problem, 12, true)));
    });
    let message = *caught.unwrap_err().downcast::<String>().unwrap();
    assert!(
        message.contains("drystone::problem::batches::"),
        "{message}"
    );
}

/// Packing, direct start and whole solves of the problems of a scene, all methods in turn.
fn solves_of(scene: &str, steps: usize) {
    on_one_thread(|| {
        let simulation = settled(scene, Some(0), steps);
        let velocities = simulation.velocity_problem();
        let positions = simulation.position_problem();
        let mut batches = Batches::default();
        let mut mechanisms = Mechanisms::default();
        let mut pack = || {
            for problem in [velocities, positions] {
                problem.validate().unwrap();
                batches.repack(problem, Method::GaussSeidel.max_colors(), true);
                mechanisms.start(&mut batches, 1e-3);
            }
        };
        pack();
        assert_none(&format!("{scene}: packing"), 3, pack);

        // Clusters are cut anew for every solve.
        for method in Method::ALL
            .into_iter()
            .filter(|&method| method != Method::Cluster)
        {
            let options = Options {
                method,
                iterations: 4,
                ..Options::default()
            };
            let mut solver = CpuSolver::new();
            let mut solutions = [Solution::default(), Solution::default()];
            let mut solve = || {
                for (problem, solution) in [velocities, positions].iter().zip(&mut solutions) {
                    solver.solve(problem, &options, solution).unwrap();
                }
            };
            solve();
            solve();
            assert_none(&format!("{scene}: {}", method.name()), 3, solve);
        }
    });
}

#[test]
fn solving_for_spheres_does_not_allocate() {
    solves_of("bench/pile_spheres_1k", 100);
}

#[test]
fn solving_for_boxes_does_not_allocate() {
    solves_of("bench/pile_boxes_1k", 60);
}

#[test]
fn solving_for_joints_does_not_allocate() {
    solves_of("joints/ragdoll_pile", 60);
    solves_of("joints/chain_1000", 5);
}

/// A host's step, with names of contacts that come in another order every time.
#[test]
fn steps_of_a_host_do_not_allocate() {
    on_one_thread(|| {
        let simulation = settled("bench/pile_boxes_1k", Some(4), 60);
        let mut problem = simulation.velocity_problem().clone();
        let (plan, _) = simulation.velocity_plan().unwrap();
        assert!(matches!(plan, Plan::Substeps(_)));
        let mut keys: Vec<ContactKey> = (0..problem.contacts.len() as u64)
            .map(|contact| (contact / 3, contact % 3))
            .collect();
        let (mut warm, mut solution) = (WarmStart::default(), Solution::default());
        let mut solver = CpuSolver::new();
        let mut step = || {
            keys.rotate_left(7);
            warm.load(&keys, &plan, &mut problem.contacts, &mut problem.loads)
                .unwrap();
            solver.step(&problem, &plan, &mut solution).unwrap();
            warm.store(&keys, &problem, &plan, &solution).unwrap();
            for body in 0..problem.bodies.len() {
                plan.motion(1.0 / 60.0, &problem, &solution, body).unwrap();
            }
        };
        step();
        step();
        assert_none("a host's step", 5, step);
    });
}

/// Steps of a scene that has come to rest.
fn steps_of(scene: &str, substeps: Option<u32>, steps: usize) {
    on_one_thread(|| {
        let mut simulation = settled(scene, substeps, steps);
        assert_none(&format!("{scene}: a step"), 10, || {
            simulation.step().unwrap();
        });
    });
}

#[test]
fn steps_of_spheres_do_not_allocate() {
    steps_of("bench/pile_spheres_1k", None, 300);
    steps_of("bench/pile_spheres_1k", Some(2), 300);
}

#[test]
fn steps_of_boxes_do_not_allocate() {
    steps_of("bench/pile_boxes_1k", None, 350);
    steps_of("bench/pile_boxes_1k", Some(2), 300);
}
